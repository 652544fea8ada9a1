"""What types cannot say of the section `[outlets]`: whether what a rule or a web hook names is there.

A rule that can never hold is a mistake, too: it is told when the file is read, not missed in the evening.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

from msgspec.structs import fields

from daemon.config import lights
from daemon.config.lights import OVER_MQTT, collect_scenes
from daemon.config.names import Names, check_address, list_names
from daemon.config.outlets import PLACEHOLDER, Loudspeaker, Outlets, Range, Rule, Then, Webhook
from protocol.facts import FACTS, EventHead, collect_fields
from protocol.moments import MOMENTS
from protocol.sentence import Sentence, say
from protocol.spelling import say_nearest

Mistake = tuple[tuple[str | int, ...], Sentence]
"""The path of a key, and why it cannot be meant."""

_VALUES = frozenset([*collect_fields(FACTS.values()), *EventHead.__struct_fields__, "table", "title", "moment", "game"])
_NEEDED = {"points": "points", "bed": "segment", "darts": "darts"}
"""The field of an event that each of these conditions is about."""
_HOURS = re.compile(r"([01]?\d|2[0-3])-([01]?\d|2[0-3])", re.ASCII)
_OWN_HEADERS = ("host", "content-length", "transfer-encoding", "connection")


class Known(NamedTuple):
    """What rules can name: tables, games, and the segments and groups of the layouts; and whether there is MQTT."""

    tables: Sequence[str]
    games: Sequence[str]
    beds: Collection[str]
    has_mqtt: bool


def find_mistake(outlets: Outlets, known: Known) -> Mistake | None:
    """Returns the path in the section of the first key that cannot be meant, and why; None: there is none."""
    return next(_list_mistakes(outlets, known), None)


def _list_mistakes(outlets: Outlets, known: Known) -> Iterator[Mistake]:
    names = [webhook.name for webhook in outlets.webhook]
    for number, webhook in enumerate(outlets.webhook):
        if webhook.name in names[:number]:
            said = say(
                "settings.same_outlet", "there are two of the name {given}: rename one", given=repr(webhook.name)
            )
            yield ("webhook", number, "name"), said
        yield from _locate(("webhook", number), _list_mistakes_of_webhook(webhook))
    for number, rule in enumerate(outlets.rule):
        yield from _locate(("rule", number), _list_mistakes_of_rule(rule, known))
        yield from _locate(("rule", number, "then"), _list_mistakes_of_action(rule.then, outlets))
    if outlets.spoken != "off" and not known.has_mqtt:
        said = say(
            "settings.spoken_without_mqtt",
            'what is said aloud goes over MQTT, which is off: write on = true below [mqtt], or spoken = "off"',
        )
        yield ("spoken",), said
    if outlets.feed.table is not None:
        yield from _locate(("feed",), _find_unknown("table", outlets.feed.table, known.tables))
    yield from _locate(("loudspeaker",), _list_mistakes_of_loudspeaker(outlets.loudspeaker, known))
    if (found := lights.find_mistake(outlets.light, outlets.scene)) is not None:
        yield found
    for number, light in enumerate(outlets.light):
        yield from _locate(("light", number), _find_unknown("table", light.table, known.tables))
        if light.url.startswith(OVER_MQTT) and not known.has_mqtt:
            said = say("settings.light_needs_mqtt", "only the broker reaches this light: write on = true below [mqtt]")
            yield ("light", number, "url"), said


def _locate(path: tuple[str | int, ...], mistakes: Iterator[Mistake]) -> Iterator[Mistake]:
    return ((path + below, said) for below, said in mistakes)


def _list_mistakes_of_rule(rule: Rule, known: Known) -> Iterator[Mistake]:
    moments = (*MOMENTS, *FACTS)
    for name in list_names(rule.on):
        if name not in moments:
            meant = say_nearest(name, moments)
            yield ("on",), say("settings.no_moment", "there is no moment {given}{meant}", given=repr(name), meant=meant)
            return
    kinds = [FACTS[MOMENTS[name].fact if name in MOMENTS else name] for name in list_names(rule.on)]
    there = {field.encode_name for kind in kinds for field in fields(kind)}
    for key, field in _NEEDED.items():
        if getattr(rule, key) is not None and field not in there:
            given = " or ".join(map(repr, list_names(rule.on)))
            said = say(
                "settings.no_effect",
                "{condition} never holds at {given}, which has none: leave it out, or change on",
                condition=key,
                given=given,
            )
            yield (key,), said
    for key, wanted in (("points", rule.points), ("score", rule.score)):
        if isinstance(wanted, Range) and wanted.min is not None and wanted.max is not None and wanted.min > wanted.max:
            yield (key,), say("settings.range", "min is greater than max: no number is both")
    yield from _find_unknown("table", rule.table, known.tables)
    yield from _find_unknown("game", rule.game, known.games)
    yield from _find_unknown("bed", rule.bed, known.beds)
    yield from _find_unknown("darts", rule.darts, known.beds)


def _find_unknown(key: str, names: Names | None, known: Collection[str]) -> Iterator[Mistake]:
    for name in list_names(names or ()):
        if name not in known:
            given, meant = repr(name), say_nearest(name, sorted(known))
            yield (key,), say("settings.no_name", "there is no {given}{meant}", given=given, meant=meant)


def _list_mistakes_of_action(then: Then, outlets: Outlets) -> Iterator[Mistake]:
    if then == Then():
        yield (), say("settings.no_action", "this rule does nothing: name what it does")
    webhooks = [webhook.name for webhook in outlets.webhook]
    if then.webhook is not None and then.webhook not in webhooks:
        yield ("webhook",), _say_no_outlet("webhook", then.webhook, webhooks)
    scenes, names = collect_scenes(outlets.scene), [light.name for light in outlets.light]
    for scene in list_names(then.light or ()):
        if scene not in scenes:
            yield ("light",), lights.say_no_scene(scene, scenes)
    for name in list_names(then.lights or ()):
        if name not in names:
            yield ("lights",), _say_no_outlet("light", name, names)
    if then.light is not None and not outlets.light:
        yield ("light",), say("settings.no_light", "there is no light yet: add an [[outlets.light]] with its url")
    if then.light is None and then.lights is not None:
        yield ("lights",), say("settings.light_alone", 'name the scene too: light = "green"')


def _list_mistakes_of_loudspeaker(loudspeaker: Loudspeaker, known: Known) -> Iterator[Mistake]:
    if not _HOURS.fullmatch(loudspeaker.quiet_hours or "0-0"):
        said = say("settings.quiet_hours", "write two hours from 0 to 23 with a hyphen between them, as in 22-7")
        yield ("quiet_hours",), said
    yield from _find_unknown("table", loudspeaker.table, known.tables)


def _list_mistakes_of_webhook(webhook: Webhook) -> Iterator[Mistake]:
    if (said := check_address(webhook.url)) is not None:
        yield ("url",), said
    for name, value in webhook.headers.items():
        if not name.isascii() or not name.replace("-", "").replace("_", "").isalnum() or name.lower() in _OWN_HEADERS:
            yield ("headers",), say("settings.header_name", "{given} is not a header to set", given=repr(name))
        elif not (value.isascii() and value.isprintable() and value == value.strip()):
            yield (
                ("headers",),
                say(
                    "settings.header_value",
                    "the value of {given} has blanks around it, or characters that no header may have",
                    given=repr(name),
                ),
            )
    for name in find_placeholders(webhook.json):
        if name not in _VALUES:
            given, meant = f"{{{name}}}", say_nearest(name, sorted(_VALUES))
            yield ("json",), say("settings.no_value", "there is no value {given}{meant}", given=given, meant=meant)


def find_placeholders(template: Any) -> Iterator[str]:  # Any: JSON
    """Yields the names of the values in the texts of a template."""
    if isinstance(template, str):
        yield from PLACEHOLDER.findall(template)
    for inner in template.values() if isinstance(template, dict) else template if isinstance(template, list) else ():
        yield from find_placeholders(inner)


def _say_no_outlet(section: str, name: str, names: Sequence[str]) -> Sentence:
    return say(
        "settings.no_outlet",
        "no [[outlets.{section}]] is called {given}{meant}",
        section=section,
        given=repr(name),
        meant=say_nearest(name, names),
    )
