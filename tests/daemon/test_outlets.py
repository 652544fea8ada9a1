"""What the table tells its news: one that fails costs neither the match nor the others anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.config.outlets import Rule, Then
from daemon.outlets.rules import Happening, is_met
from daemon.table.effects import Update
from protocol.commands import Next, Throw
from protocol.facts import Dart, Visit, make_event
from protocol.layouts import find_layout
from tests.commanding import give
from tests.daemon.process import eventually
from tests.daemon.test_durability import table_in
from tests.daemon.test_play_by_ear import Heard


class Display:
    """Keeps the darts that it is told of."""

    def __init__(self) -> None:
        self.darts: list[str] = []
        self.is_told = False

    def publish(self, update: Update) -> None:
        self.is_told = True
        self.darts += [str(event.segment) for event in update.events if event.event_type == "dart"]


class Broken(Display):
    """Fails at all news, and at darts in another place of its code."""

    def publish(self, update: Update) -> None:
        super().publish(update)
        if self.darts:
            raise KeyError(self.darts[-1])
        raise KeyError("no dart")


async def test_an_outlet_that_fails_costs_neither_the_match_nor_the_others(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    broken, behind = Broken(), Display()
    async with table_in(tmp_path) as table:
        table.subscribe(broken)
        table.subscribe(behind)
        await eventually(lambda: broken.is_told and behind.is_told)
        for dart in ("T20", "S1", "D20"):
            await give(table, {"throw": dart}, "page")
        assert [dart.segment for dart in table.state().turn.darts] == ["T20", "S1", "D20"]
    assert behind.darts == broken.darts == ["T20", "S1", "D20"]
    assert "stopped unexpectedly" not in caplog.text
    logged = [record.exc_info for record in caplog.records if "passing an update to Broken" in record.getMessage()]
    assert [str(found[1]) for found in logged if found is not None] == ["'no dart'", "'T20'"]


@pytest.mark.parametrize(
    ("darts", "is_so"),
    [
        (("S1", "S20", "S5"), True),
        (("I20", "O5", "O1"), True),
        (("I20", "S5", "T1"), False),
        (("S1", "S20"), False),
    ],
)
def test_a_single_is_met_by_each_of_its_halves(darts: tuple[str, ...], is_so: bool) -> None:
    layout, about = find_layout("standard"), {"match": "m", "line": 5, "player": "Ann"}
    visit = Happening("main", make_event(Visit(side=0, points=26, darts=darts), **about), None, layout)
    assert is_met(Rule("visit", Then(), darts=("S20", "S5", "S1")), visit) == is_so
    dart = Happening("main", make_event(Dart(side=0, segment=darts[0], points=1, score=1), **about), None, layout)
    assert is_met(Rule("dart", Then(), bed=("S1", "S20")), dart)


@pytest.mark.parametrize("has_next", [False, True])
@pytest.mark.parametrize("order", [("?", "MISS", "MISS"), ("MISS", "?", "MISS"), ("T20", "T20", "?")])
def test_a_visit_with_a_dart_that_was_not_read_has_no_points_and_no_darts_for_a_rule(
    order: tuple[str, ...], has_next: bool
) -> None:
    misses = ("MISS", "MISS", "MISS")
    rules = [
        Rule("visit", Then(), points=0),
        Rule("visit", Then(), darts=misses),
        Rule("ton", Then()),
        Rule("visit", Then()),
    ]
    met = []
    for is_unread in (True, False):
        heard = Heard("x01")
        for each in order:
            heard.do(Throw("MISS", unread=is_unread) if each == "?" else Throw(each))
        (event,) = (each for each in heard.events if each.event_type == "visit")
        if has_next:  # with the darts that are not thrown it comes at once
            heard.do(Next())
        visit = Happening("main", event, heard.state, heard.layout)
        met.append([is_met(rule, visit) for rule in rules])
    is_ton = "T20" in order
    assert met == [[False, False, False, True], [not is_ton, not is_ton, is_ton, True]]


def test_a_dart_that_was_not_read_is_in_no_bed_for_a_rule() -> None:
    rules = [Rule("dart", Then(), bed="MISS"), Rule("dart", Then(), points=0), Rule("dart", Then())]
    for is_unread in (False, True):
        heard = Heard("x01")
        heard.do(Throw("MISS", unread=is_unread))
        (event,) = (each for each in heard.events if each.event_type == "dart")
        thrown = Happening("main", event, heard.state, heard.layout)
        assert [is_met(rule, thrown) for rule in rules] == [not is_unread, not is_unread, True]
