"""Every topic there is, in one registry: template, payload, retain, QoS and direction.

Publisher, parser and documentation are made from it; no topic string is written anywhere else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from typing import Any, Literal, NamedTuple

from msgspec import Struct

from protocol import league_messages, messages, tournament_messages
from protocol.facts import Event
from protocol.sentence import Refusal, say


class TopicError(Refusal):
    """A name that cannot be part of a topic, with the reason."""


class Topic(NamedTuple):
    """One kind of message. `payload` is its type: a Struct is sent as JSON, words and `str` as plain text.

    dict stands for others’ JSON, None for a command’s body. `direction` is ours: "in" is what others send.
    """

    template: str
    payload: Any  # Any: a type expression
    direction: Literal["out", "in"]
    retain: bool = False
    qos: Literal[0, 1] = 1
    about: str = ""
    expiry_s: int | None = None
    """How long a broker keeps it, where MQTT 5 is spoken; of `online` and `offline` it is `online` alone."""


HEALTH_S = 30
"""The interval of the health report."""
KEPT_S = 3 * HEALTH_S
"""How long a broker keeps what is true only while the daemon runs: a power cut may end both without a word."""

# A topic that fits two templates is of the kind that comes first: an echo is no command.
TOPICS = {
    "bridge_state": Topic(
        "{base}/bridge/{bridge}/state",
        messages.Availability,
        "out",
        retain=True,
        about="whether the daemon runs; published last after a connect, and as the last will",
        expiry_s=KEPT_S,
    ),
    "bridge_info": Topic(
        "{base}/bridge/{bridge}/info",
        messages.BridgeInfo,
        "out",
        retain=True,
        about="version of oche, version of these topics and messages (`contract`), tables, games with their options as "
        "JSON Schema",
    ),
    "bridge_health": Topic(
        "{base}/bridge/{bridge}/health",
        messages.Health,
        "out",
        retain=True,
        about="uptime, queues, reconnects, counts of unreadable messages and of hits that did not count, and "
        "the `outlets` that fail",
        expiry_s=KEPT_S,
    ),
    "bridge_update": Topic(
        "{base}/bridge/{bridge}/update",
        messages.UpdateInfo,
        "out",
        retain=True,
        about="the version that runs and, with `bridge.update_url`, the latest one",
    ),
    "bridge_week": Topic(
        "{base}/bridge/{bridge}/week",
        messages.Week,
        "out",
        about="what was played in the last seven days, once a week; only with `bridge.week_at`",
    ),
    "echo_bridge_request": Topic(
        "{base}/bridge/{bridge}/request/echo",
        str,
        "out",
        about="published at each connect, to check that requests arrive; never answered; only with `mqtt.requests`",
    ),
    "bridge_request": Topic(
        "{base}/bridge/{bridge}/request/{request}",
        None,
        "in",
        about="a request to the bridge itself; only with `mqtt.requests`",
    ),
    "bridge_response": Topic(
        "{base}/bridge/{bridge}/response/{request}",
        messages.BridgeResponse,
        "out",
        about="the answer to a request to the bridge that names no ResponseTopic",
    ),
    "league_offer": Topic(
        "{base}/bridge/{bridge}/league/offer",
        league_messages.LeagueOffer,
        "out",
        about="a finished match that was asked for with a `ref`, and with `[league]` every one; said again, ever less "
        "often, until it is taken",
    ),
    "league_taken": Topic(
        "{base}/bridge/{bridge}/league/taken",
        league_messages.LeagueTaken,
        "in",
        about="whoever asked for this match, or the league, answers that it has its record; never retained",
    ),
    "league_players": Topic(
        "{base}/bridge/{bridge}/league/players",
        league_messages.LeaguePlayers,
        "out",
        about="the players who were renamed or joined; only with `[league]`, said again until the league has heard it",
    ),
    "league_forget": Topic(
        "{base}/bridge/{bridge}/league/forget",
        league_messages.LeagueForget,
        "out",
        about="a player who is to be forgotten; only with `[league]`, said again until the league has heard it",
    ),
    "league_results": Topic(
        "{base}/bridge/{bridge}/league/results",
        league_messages.LeagueResults,
        "out",
        about="the results of a tournament that its organiser has entered; only with `[league]`, said again until the "
        "league has heard it",
    ),
    "league_heard": Topic(
        "{base}/bridge/{bridge}/league/heard",
        league_messages.LeagueHeard,
        "in",
        about="the league has heard what was said of players, or of results; never retained",
    ),
    "echo": Topic(
        "{base}/bridge/{bridge}/echo", str, "out", about="published at each connect, to check that the broker allows it"
    ),
    "echo_cmd": Topic(
        "{base}/table/{table}/cmd/echo",
        str,
        "out",
        about="published at each connect, to check that commands arrive; never carried out",
    ),
    "echo_request": Topic(
        "{base}/table/{table}/request/echo",
        str,
        "out",
        about="published at each connect, to check that requests arrive; never answered",
    ),
    "echo_seat_cmd": Topic(
        "{base}/table/{table}/seat/echo/cmd/choose",
        str,
        "out",
        about="published at each connect, to check that answers of seats arrive; only on a broker that refuses "
        "anonymous clients",
    ),
    "board_state": Topic(
        "{base}/table/{table}/board/state",
        messages.Availability,
        "out",
        retain=True,
        about="whether oche is connected to the board",
        expiry_s=KEPT_S,
    ),
    "board_info": Topic(
        "{base}/table/{table}/board/info",
        messages.BoardInfo,
        "out",
        retain=True,
        about="profile, the connection as a sentence, battery, signal, firmware, seconds since the last hit, stuck "
        "segments, trouble",
    ),
    "state": Topic(
        "{base}/table/{table}/state",
        messages.State,
        "out",
        retain=True,
        about="everything that a display needs, in one message",
    ),
    "event": Topic("{base}/table/{table}/event", Event, "out", qos=0, about="one event, never repeated"),
    "spoken": Topic(
        "{base}/table/{table}/attr/spoken",
        messages.Spoken,
        "out",
        retain=True,
        about="what is to be said aloud, with a counter; only with `outlets.spoken`",
    ),
    "attr": Topic("{base}/table/{table}/attr/{attr}", str, "out", retain=True, about="one plain value of the state"),
    "next": Topic(
        "{base}/table/{table}/next", messages.Plan, "out", retain=True, about="the match that the next `start` begins"
    ),
    "record": Topic(
        "{base}/table/{table}/record",
        messages.Record,
        "out",
        retain=True,
        about="what was played so far of a match with a `ref`, after each visit; emptied when the match is over, or "
        "cannot go on at another table",
    ),
    "league_input": Topic(
        "{base}/table/{table}/league/input",
        league_messages.LeagueInput,
        "out",
        about="an input of this table for a match at another table, in which it plays along; said again until taken",
    ),
    "league_input_taken": Topic(
        "{base}/table/{table}/league/taken",
        league_messages.LeagueInputTaken,
        "out",
        about="how far this table, where a match is kept, has taken the inputs of a table that plays along in it",
    ),
    "seat_state": Topic(
        "{base}/table/{table}/seat/{seat}/state",
        messages.SeatState,
        "out",
        retain=True,
        about="what only that seat may see; only on a broker that refuses anonymous clients, emptied after the match",
    ),
    "seat_cmd": Topic("{base}/table/{table}/seat/{seat}/cmd/choose", None, "in", about="that seat's answer"),
    "cmd": Topic("{base}/table/{table}/cmd/{command}", None, "in", about="a command without an answer; never retained"),
    "request": Topic("{base}/table/{table}/request/{command}", None, "in", about="a command that gets an answer"),
    "response": Topic(
        "{base}/table/{table}/response/{command}",
        messages.Response,
        "out",
        about="the answer to a request that names no ResponseTopic",
    ),
    "echo_tournament": Topic(
        "{base}/tournament/{tournament}/echo",
        str,
        "out",
        about="published by `oche doctor`, to check that the broker allows tournaments",
    ),
    "tournament_state": Topic(
        "{base}/tournament/{tournament}/state",
        tournament_messages.TournamentState,
        "out",
        retain=True,
        about="a tournament of this oche at a glance; its topics are emptied 24 hours after its end",
    ),
    "tournament_round": Topic(
        "{base}/tournament/{tournament}/round/{round}",
        tournament_messages.TournamentRound,
        "out",
        retain=True,
        about="the matches of a round; rounds of all stages are counted from 1, in the order in which they are known",
    ),
    "tournament_table": Topic(
        "{base}/tournament/{tournament}/table/{table}",
        tournament_messages.TournamentTable,
        "out",
        retain=True,
        about="what is called, played and next at a table; in the name of a paper table each character but a to z and "
        "0 to 9 is a dash",
    ),
    "tournament_places": Topic(
        "{base}/tournament/{tournament}/places",
        tournament_messages.TournamentPlaces,
        "out",
        retain=True,
        about="places and standings",
    ),
    "tournament_event": Topic(
        "{base}/tournament/{tournament}/event",
        tournament_messages.TournamentEvent,
        "out",
        qos=0,
        about="one event of a tournament, never repeated",
    ),
    "discovery": Topic(
        "{discovery}/device/oche_{table}/config",
        dict,
        "out",
        retain=True,
        about="the table, for Home Assistant; emptied when you remove the table. With `bridge.update_url` or "
        "`mqtt.requests` there is also one for oche itself, with `bridge_<bridge>` for `<table>`",
    ),
    "discovery_component": Topic(
        "{discovery}/{platform}/oche_{table}/{entity}/config",
        dict,
        "out",
        retain=True,
        about="one entity of such a device, for programs that read only single components",
    ),
    "home_assistant": Topic(
        "{discovery}/status", messages.Availability, "in", about="`online` when Home Assistant has started"
    ),
}

_NAME = re.compile(r"{(\w+)}")

ECHO = "echo"
"""A command that no table obeys: a daemon sends it to itself, to learn whether commands arrive."""

ATTRIBUTES = (
    "game", "player", "score", "darts_left", "visit_score", "last_dart", "round", "phase", "hint", "task", "variant",
)  # fmt: skip


_COMMANDS = ("cmd", "request", "seat_cmd")
"""The kinds of topics that commands come on; the last one only where the broker is private."""
_ECHOES = tuple(f"echo_{kind}" for kind in _COMMANDS)
"""The kinds of their echoes."""


class TopicNames(Struct, frozen=True):
    """A topic that came in: which kind, and the names in it."""

    kind: str
    names: dict[str, str]


@lru_cache(8192)  # all topics of 256 tables; a client may name others
def topic(kind: str, base: str = "oche", **names: str) -> str:
    """The topic string of a kind: `topic("state", table="main")` is "oche/table/main/state"."""
    return TOPICS[kind].template.format(base=base, **names)


def make_filter(kind: str, base: str = "oche", **names: str) -> str:
    """The filter for a kind with these names: `make_filter("cmd", table="main")` is "oche/table/main/cmd/+".

    A level with a name that is not given is "+": MQTT has no wildcard for a part of a level.
    """
    known = {"base": base, **names}
    levels = TOPICS[kind].template.split("/")
    return "/".join(each.format(**known) if known.keys() >= set(_NAME.findall(each)) else "+" for each in levels)


def filter_subtree(of: Literal["bridge", "table", "tournament"], name: str, base: str = "oche") -> str:
    """The filter for all topics of a bridge, a table or a tournament.

    `filter_subtree("table", "main")` is "oche/table/main/#".
    """
    return f"{base}/{of}/{name}/#"


@cache
def _split_templates() -> tuple[tuple[str, bool, tuple[tuple[str, str], ...]], ...]:
    """Each kind, whether it is below `base`, and the levels behind that or behind `discovery`.

    A level is what it begins with, and the name that it ends with; "": it has none. Regular expressions for all kinds
    would take longer to compile than a start has to give.
    """
    found = []
    for kind, each in TOPICS.items():
        first, *levels = each.template.split("/")
        split = ((before, name.removesuffix("}")) for before, _, name in (level.partition("{") for level in levels))
        found.append((kind, first == "{base}", tuple(split)))
    return tuple(found)


def parse(text: str, base: str = "oche") -> TopicNames | None:
    """Which kind of topic this is, None if none of ours."""
    levels = text.split("/")
    below = text.removeprefix(f"{base}/").split("/") if text.startswith(f"{base}/") else []
    for kind, is_below, wanted in _split_templates():
        names = _match_levels(wanted, below if is_below else levels[-len(wanted) :])
        if names is not None and not is_below:  # the only name that may have several levels
            discovery = "/".join(levels[: -len(wanted)])
            names = {"discovery": discovery, **names} if discovery else None
        if names is not None:
            return TopicNames(kind, names)
    return None


def _match_levels(wanted: tuple[tuple[str, str], ...], levels: list[str]) -> dict[str, str] | None:
    """Returns the names in these levels; None when they are not those that are wanted."""
    if len(levels) != len(wanted):
        return None
    names = {}
    for (before, name), level in zip(wanted, levels, strict=True):
        if not (level == before if not name else level.startswith(before) and len(level) > len(before)):
            return None
        if name:
            names[name] = level.removeprefix(before)
    return names


def check_name(name: str, what: str) -> str:
    """The name, when it can be part of a topic; raises TopicError with the reason."""
    if not re.fullmatch(r"[a-z0-9-]{1,40}", name):
        raise TopicError(
            say(
                "settings.topic",
                "{what} {given} is part of MQTT topics: use only a to z, 0 to 9 and dashes",
                what=what,
                given=repr(name),
            )
        )
    return name


def check_base(base: str) -> str:
    """The base, which may have several levels; raises TopicError with the reason."""
    for level in base.split("/"):
        check_name(level, "base")
    return base


def check_prefix(prefix: str) -> str:
    """The discovery prefix, which others have chosen and which may have several levels; raises TopicError."""
    if not re.fullmatch(r"[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*", prefix):
        raise TopicError(
            say(
                "settings.prefix",
                "discovery prefix {given} is part of MQTT topics: use only letters, digits, dashes and _, "
                "as Home Assistant has it (homeassistant)",
                given=repr(prefix),
            )
        )
    return prefix


def list_command_filters(
    base: str, bridge: str, tables: Iterable[str], *, private: bool, requests: bool
) -> Iterator[str]:
    """Yields the topic filters that commands come on.

    Those of seats only where they are `private`, those to the bridge only where it takes `requests`.
    """
    yield topic("echo", base, bridge=bridge)
    if requests:
        yield make_filter("bridge_request", base, bridge=bridge)
    for table in tables:
        yield from (make_filter(kind, base, table=table) for kind in _COMMANDS[: 2 + private])


def list_echo_topics(base: str, bridge: str, tables: Iterable[str], *, private: bool, requests: bool) -> Iterator[str]:
    """Yields one topic for each of these filters. What comes on it is never obeyed."""
    yield topic("echo", base, bridge=bridge)
    if requests:
        yield topic("echo_bridge_request", base, bridge=bridge)
    for table in tables:
        yield from (topic(kind, base, table=table) for kind in _ECHOES[: 2 + private])


def list_retained_topics(base: str, bridge: str, tables: Iterable[str], *, is_spoken: bool) -> Iterator[str]:
    """Yields all retained topics of these but hands, whose number is not known, and without what is not spoken.

    Availability comes last: a daemon that has such a name by now sends everything again when that is emptied.
    """
    for kind, found in reversed(TOPICS.items()):
        if not found.retain or found.direction == "in" or kind == "seat_state" or (kind == "spoken" and not is_spoken):
            continue
        if found.template.startswith("{base}/table/"):
            for table in tables:
                for attr in ATTRIBUTES if kind == "attr" else ("",):
                    yield topic(kind, base, table=table, attr=attr)
        elif found.template.startswith("{base}/bridge/"):
            yield topic(kind, base, bridge=bridge)
