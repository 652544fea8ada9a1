"""The section `[outlets]` of the configuration: what voices, lights and web hooks do at which moment.

A rule is a table, and there is no text to parse: `on` names moments, each further key is a condition, and all
conditions must hold. Whoever wants one or the other writes two rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from daemon.config import lights
from daemon.config.lights import Light, Scene, collect_scenes
from daemon.config.names import Name, Names, list_names
from protocol.facts import FACTS, EventHead, collect_fields
from protocol.moments import MOMENTS
from protocol.sentence import Sentence, say
from protocol.spelling import say_nearest

MOST_RULES = 200
PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
"""A value in the template of a web hook, by its name."""
_VALUES = frozenset([*collect_fields(FACTS.values()), *EventHead.__struct_fields__, "table", "title", "moment", "game"])


class Range(Struct, frozen=True, forbid_unknown_fields=True):
    """Numbers from `min` to `max`, both included; what is left out has no bound."""

    min: int | None = None
    """The smallest number."""
    max: int | None = None
    """The greatest number."""


class Webhook(Struct, frozen=True, forbid_unknown_fields=True):
    """A web address that rules can tell what has happened. Repeat the section for each."""

    name: Name
    """Its name in rules."""
    url: Annotated[str, Meta(pattern="^https?://[!-~]+$", max_length=2000)]
    """Its address. Redirections are not followed."""
    json: dict[str, Any] = {}  # Any: JSON
    """What is sent, as JSON. A text that is one placeholder, such as `"{points}"`, becomes that value; see
    docs/outlets.md#web-hooks. Without it the whole event is sent."""
    headers: dict[str, str] = {}
    """Further headers of the request."""
    secret_file: str | None = None
    """A file that contains only a secret, with which each request is signed."""


class Then(Struct, frozen=True, forbid_unknown_fields=True):
    """What a rule does: at least one of these."""

    webhook: str | None = None
    """The `name` of an `[[outlets.webhook]]` to send."""
    light: Names | None = None
    """The scene to show: `green`, `red`, `gold`, `blue`, `rainbow`, `flash`, or the `name` of an `[[outlets.scene]]`.
    Of several, one is drawn."""
    lights: Names | None = None
    """The `name` of each `[[outlets.light]]` that shows the scene. Default: all."""
    sound: Annotated[str, Meta(min_length=1, max_length=60)] | None = None
    """The key of a sound in the packs of the screens that speak, such as `crowd`: see docs/voices.md."""


class Rule(Struct, frozen=True, forbid_unknown_fields=True):
    """At these moments, and if all conditions hold, this is done. Repeat the section for each rule, up to 200."""

    on: Names
    """Moments or types of events, one or several: see docs/outlets.md#moments-and-rules."""
    then: Then
    """What to do."""
    points: int | Range | None = None
    """The points of the dart or of the visit: a number, or a range."""
    score: int | Range | None = None
    """The score of the side afterwards: a number, or a range."""
    bed: Names | None = None
    """Where the dart landed: segments such as `T20`, or groups such as `triple` and `20`. For `dart` and `hit`."""
    darts: tuple[str, ...] | None = None
    """The segments of the visit, in any order, as in `["S1", "S20", "S5"]`. For `visit` and what is one."""
    player: Names | None = None
    """Names of players."""
    table: Names | None = None
    """Names of tables."""
    game: Names | None = None
    """Games by their names in `oche games`."""


class Feed(Struct, frozen=True, forbid_unknown_fields=True):
    """What happens at a table, for clients that were written for darts-caller: see docs/outlets.md#the-feed."""

    port: Annotated[int, Meta(ge=1, le=65_535)] | None = None
    """The port of the feed; these clients look for it at 8079. Without it there is no feed."""
    host: str = "127.0.0.1"
    """Who can read it: `127.0.0.1` this machine only, `0.0.0.0` everyone in this network. It has no password."""
    table: str | None = None
    """The name of its table; without it the first one."""


class Outlets(Struct, frozen=True, forbid_unknown_fields=True):
    """What speakers, voices, lights and web hooks do. Without this section nothing of them runs."""

    rule: Annotated[tuple[Rule, ...], Meta(max_length=MOST_RULES)] = ()
    """What is done at which moment."""
    webhook: tuple[Webhook, ...] = ()
    """Addresses that can be told."""
    light: tuple[Light, ...] = ()
    """Lights that can show something."""
    scene: tuple[Scene, ...] = ()
    """What they can show, beside the scenes that always exist."""
    feed: Feed = Feed()
    """The feed for clients of darts-caller."""
    spoken: Literal["off", "calls", "ear"] = "off"
    """What is published on `attr/spoken` of each table, for a speaker to say: nothing; `calls`, what a caller calls; or
    `ear`, all that it takes to play without seeing. See docs/play-by-ear.md."""
    spoken_detail: Literal["full", "brief"] = "full"
    """How much `ear` says: `brief` leaves out what has not changed since the last dart."""
    spoken_pace: Annotated[int, Meta(ge=5, le=60)] = 15
    """How many letters the speaker says in a second; what follows is published when it has said so many."""

    def find_mistake(self, tables: Sequence[str]) -> tuple[tuple[str | int, ...], Sentence] | None:
        """Returns the path in this section of the first key that cannot be meant, and why; None: there is none.

        `tables` are the names of the tables.
        """
        for number, rule in enumerate(self.rule):
            if (found := self._find_mistake_of_rule(rule)) is not None:
                return ("rule", number, *found[0]), found[1]
        for number, webhook in enumerate(self.webhook):
            for name in find_placeholders(webhook.json):
                if name not in _VALUES:
                    return ("webhook", number, "json"), say(
                        "settings.no_value",
                        "there is no value {given}{meant}",
                        given=f"{{{name}}}",
                        meant=say_nearest(name, sorted(_VALUES)),
                    )
        if self.feed.table is not None and self.feed.table not in tables:
            return ("feed", "table"), say(
                "settings.no_feed_table",
                "no table is called {given}{meant}",
                given=repr(self.feed.table),
                meant=say_nearest(self.feed.table, tables),
            )
        return lights.find_mistake(self.light, self.scene)

    def _find_mistake_of_rule(self, rule: Rule) -> tuple[tuple[str, ...], Sentence] | None:
        moments, webhooks = (*MOMENTS, *FACTS), [webhook.name for webhook in self.webhook]
        for name in list_names(rule.on):
            if name not in moments:
                return ("on",), say(
                    "settings.no_moment",
                    "there is no moment {given}{meant}",
                    given=repr(name),
                    meant=say_nearest(name, moments),
                )
        if rule.then == Then():
            return ("then",), say("settings.no_action", "this rule does nothing: name what it does")
        if rule.then.webhook is not None and rule.then.webhook not in webhooks:
            return ("then", "webhook"), say_no_name("webhook", rule.then.webhook, webhooks)
        found = self._find_mistake_of_light(rule.then)
        return None if found is None else (("then", *found[0]), found[1])

    def _find_mistake_of_light(self, then: Then) -> tuple[tuple[str, ...], Sentence] | None:
        scenes, names = collect_scenes(self.scene), [light.name for light in self.light]
        for scene in list_names(then.light or ()):
            if scene not in scenes:
                return ("light",), lights.say_no_scene(scene, scenes)
        for name in list_names(then.lights or ()):
            if name not in names:
                return ("lights",), say_no_name("light", name, names)
        if then.light is not None and not self.light:
            return ("light",), say("settings.no_light", "there is no light yet: add an [[outlets.light]] with its url")
        if then.light is None and then.lights is not None:
            return ("lights",), say("settings.light_alone", 'name the scene too: light = "green"')
        return None


def find_placeholders(template: Any) -> Iterator[str]:  # Any: JSON
    """Yields the names of the values in the texts of a template."""
    if isinstance(template, str):
        yield from PLACEHOLDER.findall(template)
    for inner in template.values() if isinstance(template, dict) else template if isinstance(template, list) else ():
        yield from find_placeholders(inner)


def say_no_name(section: str, name: str, names: Sequence[str]) -> Sentence:
    """Returns that a rule names what no `[[outlets.SECTION]]` is called."""
    return say(
        "settings.no_outlet",
        "no [[outlets.{section}]] is called {given}{meant}",
        section=section,
        given=repr(name),
        meant=say_nearest(name, names),
    )
