"""The laws of a table's scorer, for any sequence of what a board says, players ask for, and time passes."""

from __future__ import annotations

from itertools import count
from typing import Any, NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from daemon.config.sections import TableConfig
from daemon.table.effects import Effects
from daemon.table.matches import begin
from daemon.table.scorer import Scorer
from protocol.commands import (
    Amend,
    ChangePlan,
    Choose,
    Command,
    Concede,
    Miss,
    Next,
    Redo,
    Retire,
    Start,
    Stop,
    Throw,
    Undo,
)
from protocol.events import Battery, BoardItem, Button, Garbage, Hit, LinkDown, LinkUp, MissSensed
from protocol.match_spec import MatchSpec, read_header, read_wanted
from tests.daemon.desk import SENSOR
from tests.plain_guard import PlainGuard

_MS = 1_000_000
_BEDS = ("T20", "O20", "D5", "MISS", "DB")


class Input(NamedTuple):
    """Something that comes `after_ms`: a word of the board, or a command."""

    after_ms: int
    said: str | Command


COMMANDS = st.one_of(
    st.sampled_from(
        [
            Next(),
            Undo(),
            Redo(),
            Miss(),
            Stop(),
            Start(),
            Retire(1),
            Concede(),
            Choose("pair"),
            ChangePlan(read_wanted({"game": "501"})),
        ]
    ),
    st.builds(Throw, st.sampled_from(_BEDS)),
    st.builds(Amend, st.integers(2, 12), st.sampled_from([None, Throw("T20"), Throw("MISS")])),
    st.just(Start(MatchSpec("killer", ("Ann", "Bo")), "bull")),
)
WORDS = st.sampled_from([*_BEDS[:3], "next", "undo", "takeout", "miss", "garbage", "battery", "up", "down"])
INPUTS = st.lists(
    st.builds(Input, st.sampled_from([0, 1, 40, 150, 199, 200, 201, 900, 1000, 4999, 5000, 5001]), WORDS | COMMANDS),
    max_size=25,
)


def scorer(takeout: str, game: str) -> Scorer:
    """A new one, whose matches have the ids 1, 2, 3 …"""
    ids = count(1)
    opened = begin(
        read_header({"oche": 1, "game": game, "players": ["Ann", "Bo"], "seed": "a"}),
        SENSOR.layout,
        lambda _: str(next(ids)),
        PlainGuard(),
    )
    config = TableConfig(board="serial:x", takeout=takeout, takeout_s=5.0)  # type: ignore[arg-type]
    return Scorer(opened, config, SENSOR, lambda _: str(next(ids)), PlainGuard())


def say(to: Scorer, each: Input, now: int) -> Effects:
    if isinstance(each.said, str):
        return to.feed(_item(each.said, now), now)
    return to.obey(each.said, "page", now)


def _item(word: str, now: int) -> BoardItem:
    match word:
        case "miss":
            return MissSensed(time_ns=now)
        case "garbage":
            return Garbage(raw=b"?", time_ns=now)
        case "battery":
            return Battery(percent=80, time_ns=now)
        case "up":
            return LinkUp("main", "serial:x", now)
        case "down":
            return LinkDown("main", "unplugged", "lost", now)
        case "next" | "undo" | "takeout":
            return Button(name=word, time_ns=now)
    return Hit(segment=SENSOR.layout[word], time_ns=now)


def told(effects: list[Effects]) -> list[Any]:  # Any: lines, events and replies
    """All that is kept, said and answered, in order."""
    return [
        [line for each in effects for line in each.lines],
        [event for each in effects for event in each.events],
        [str(each.reply) for each in effects if each.reply is not None],
    ]


TABLES = st.tuples(st.sampled_from(["button", "timer", "hits"]), st.sampled_from(["x01", "burma_road"]))


@example(("timer", "x01"), [Input(0, "T20"), Input(900, "D5"), Input(900, "miss"), Input(900, "battery")], [])
@given(TABLES, INPUTS, st.lists(st.integers(0, 12_000), max_size=30))
def test_how_often_the_clock_is_looked_at_changes_nothing(
    table: tuple[str, str], inputs: list[Input], looks_ms: list[int]
) -> None:
    seldom, often = scorer(*table), scorer(*table)
    first, second = list[Effects](), list[Effects]()
    looks, now = sorted(look * _MS for look in looks_ms), 0
    for each in [*inputs, Input(12_000, "battery")]:
        now += each.after_ms * _MS
        first.append(say(seldom, each, now))
        while looks and looks[0] <= now:
            second.append(often.tick(looks.pop(0)))
        while (due := often.deadline()) is not None and due <= now:
            second.append(often.tick(due))
        second.append(say(often, each, now))
        assert seldom.deadline() == often.deadline()
    assert told(first) == told(second)
    assert seldom.sheet.states == often.sheet.states


@given(TABLES, INPUTS)
def test_a_deadline_is_kept_to_the_nanosecond(table: tuple[str, str], inputs: list[Input]) -> None:
    ours, now = scorer(*table), 0
    for each in inputs:
        now += each.after_ms * _MS
        say(ours, each, now)
        due = ours.deadline()
        if due is None:
            continue
        assert due > now, "what is due has been done"
        assert ours.tick(due - 1) == Effects()
        assert ours.deadline() == due
        ours.tick(due)
        assert ours.deadline() != due
        now = due


@pytest.mark.slow
@given(TABLES, INPUTS, INPUTS)
def test_what_is_taken_back_has_not_happened(table: tuple[str, str], before: list[Input], after: list[Input]) -> None:
    ours, now = scorer(*table), 0
    for each in before:
        now += each.after_ms * _MS
        say(ours, each, now)
    checkpoint, seen, plan, match_id = ours.checkpoint(), ours.sheet.states, ours.sheet.plan, ours.sheet.opened.id
    line, position, counted = ours.match.line, ours.match.position, ours.status.counts.stray
    darts = 0
    for each in after:
        now += each.after_ms * _MS
        effects = say(ours, each, now)
        left = ours.roll_back(checkpoint, effects)
        assert not left.lines
        assert left.reply is None
        assert {event.event_type for event in left.events} <= {
            "hit",
            "stray",
            "board_online",
            "board_offline",
            "board_problem",
        }
        darts += sum(event.event_type == "stray" for event in left.events)
        assert (ours.sheet.states, ours.sheet.plan, ours.sheet.opened.id) == (seen, plan, match_id)
        assert (ours.match.line, ours.match.position) == (line, position)
    assert ours.status.counts.stray == counted + darts
