"""When a match is offered at its table: at once, with each match that begins without it, and once more after people."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from msgspec import UNSET

from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from daemon.tournament.calls import Offer, Offers, find_elsewhere, find_free
from daemon.tournament.open_tournament import OpenTournament
from daemon.tournament.own import OwnTables
from daemon.tournament.store import TournamentStore
from daemon.tournament.tables import MatchEnd, TableMatch, TableState
from protocol.match_spec import MatchSpec
from protocol.tournament import Call, End, Line, Redo, SetTables, TableUse, Undo
from tests.commanding import give
from tests.daemon.process import configure, eventually
from tests.daemon.tournament.playing import begin, find_match, planned, run_desk, win
from tests.daemon.tournament.unplayed import configure_tables

REF = "abcd1234/final-1/1"
FREE = MatchSpec("x01", ("Eve", "Fay"))
OURS = MatchSpec("x01", ("Ann", "Bo"), ref=REF)
STOPPED = MatchEnd((), (0, 0), (0, 0), (0, 0), (0, 0), is_stopped=True)


async def test_a_match_that_people_have_left_keeps_no_table_busy(tmp_path: Path) -> None:
    async with run_daemon(configure_tables(tmp_path)) as running:
        times = [0.0]
        tables = OwnTables(running.tables, lambda: times[0])
        tables.listen(lambda *_: None)
        await give(running.tables["main"], {"throw": "T20"}, "page")
        assert tables.look("main").is_busy
        times[0] = 900.0
        assert not tables.look("main").is_busy


async def test_a_table_whose_board_is_away_is_called_after_the_others(tmp_path: Path) -> None:
    second = '\n[[table]]\nname = "second"\nboard = "none"\n'
    checked = read_config(configure(tmp_path, table='name = "main"', more=second))
    async with run_desk(checked) as (running, desk):
        tables = running.tables
        for names, called in ((("Ann", "Bo"), {"second"}), (("Ann", "Bo", "Cy", "Di"), {"main", "second"})):
            found = await begin(desk, names, ("main", "second"))
            await eventually(lambda: {table for _, table, _ in found.list_active()} == called)  # noqa: B023
            await eventually(lambda: [each.board_away for each in found.view.tables] == [True, False])  # noqa: B023
            await planned(tables["second"], found)
            await desk.do(found.id, End(), "organiser")


async def test_what_was_played_while_its_call_was_undone_counts_once_it_is_redone(tmp_path: Path) -> None:
    async with run_desk(configure_tables(tmp_path)) as (running, desk):
        found = await begin(desk, ("Ann", "Bo"), ())
        await desk.do(found.id, SetTables((TableUse("main"),), auto=False), "organiser")
        await desk.do(found.id, Call("final-1", "main"), "organiser")
        await planned(running.tables["main"], found)
        await give(running.tables["main"], {"start": None}, "page")
        await desk.do(found.id, Undo(), "organiser")
        await win(running.tables["main"], "Bo", is_started=True)
        await eventually(lambda: len(found.view.outdated) == 1)
        await desk.do(found.id, Redo(), "organiser")
        await eventually(lambda: find_match(found, "final-1").status == "played")
        assert found.view.outdated == ()


async def test_nobody_is_called_who_plays_in_another_tournament(tmp_path: Path) -> None:
    async with run_desk(configure_tables(tmp_path)) as (running, desk):
        await planned(running.tables["main"], await begin(desk, ("Ann", "Bo"), ("main",)))
        found = await begin(desk, ("Ann", "Cy", "Di", "Ed"), ("second",))
        await planned(running.tables["second"], found)
        assert set(running.tables["second"].committed.plan.players) == {"Cy", "Di"}
        assert find_match(found, "winners-1-2").writer != found.view.entrants[0].id


async def test_a_tournament_that_was_never_ended_keeps_nobody_and_no_table(tmp_path: Path) -> None:
    async with run_desk(configure_tables(tmp_path)) as (running, desk):
        forgotten = await begin(desk, ("Ann", "Bo"), ("main",))
        await planned(running.tables["main"], forgotten)
        found = await begin(desk, ("Ann", "Cy"), ("main",))
        both, now_s = (forgotten, found), int(time.time())
        assert (find_free(found, both, desk.look, now_s), find_elsewhere(found, both, now_s)) == ((), {"ann", "bo"})
        now_s += 24 * 3600
        assert (find_free(found, both, desk.look, now_s), find_elsewhere(found, both, now_s)) == (("main",), set())


async def test_nothing_stays_planned_of_a_tournament_whose_daemon_died_at_its_end(tmp_path: Path) -> None:
    configured = configure_tables(tmp_path)
    async with run_desk(configured) as (running, desk):
        found = await begin(desk, ("Ann", "Bo"), ("main",))
        await planned(running.tables["main"], found)
        line = Line(len(found.journal.lines) + 2, 0, "organiser", End())
    store = TournamentStore(tmp_path / "state")
    await store.add(found.id, line, 0)
    await store.close()
    async with run_desk(configured) as (running, _):
        await eventually(lambda: running.tables["main"].committed.plan.ref is UNSET)


async def test_a_tournament_is_folded_beside_the_event_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    threads = list[threading.Thread]()

    class Watched(OpenTournament):
        def restore(self, lines: list[Line]) -> None:
            threads.append(threading.current_thread())
            super().restore(lines)

    monkeypatch.setattr("daemon.tournament.desk.OpenTournament", Watched)
    configured = configure_tables(tmp_path)
    async with run_desk(configured) as (_, desk):
        made = await begin(desk, ("Ann", "Bo"), ())
    async with run_desk(configured) as (_, desk):
        await desk.find(made.id)
    assert len(threads) == 2
    assert threading.main_thread() not in threads


def test_an_offer_stands_until_people_start_something_else() -> None:
    offers = Offers()
    idle = TableState(TableMatch("a", FREE))
    assert offers.is_due(OURS, idle, 0)
    assert offers.is_due(OURS, TableState(TableMatch("a", FREE), planned=REF), 1) is False
    assert offers.is_due(OURS, TableState(TableMatch("b", FREE, is_begun=True), is_busy=True), 2)
    assert not offers.is_due(OURS, TableState(TableMatch("c", OURS, is_begun=True), is_busy=True), 3)


def test_a_plan_that_people_have_changed_is_made_once_more_when_nobody_plays() -> None:
    offers = Offers()
    idle = TableState(TableMatch("a", FREE))
    busy = TableState(TableMatch("a", FREE, is_begun=True), is_busy=True)
    assert offers.is_due(OURS, idle, 0)
    assert offers.is_due(OURS, idle, 59) is None
    assert offers.is_due(OURS, busy, 90) is None
    assert offers.is_due(OURS, idle, 100)
    assert offers.is_due(OURS, idle, 1000) is False


def test_a_match_that_was_stopped_before_its_first_dart_is_offered_again() -> None:
    offers = Offers()
    assert offers.is_due(OURS, TableState(TableMatch("a", FREE)), 0)
    assert offers.is_due(OURS, TableState(TableMatch("b", OURS, end=STOPPED)), 1)


def test_what_a_table_refuses_or_cannot_hear_is_offered_later() -> None:
    offers = Offers()
    idle = TableState(TableMatch("a", FREE))
    assert offers.is_due(OURS, TableState(is_away=True), 0) is None
    assert offers.is_due(OURS, idle, 1)
    offers.note_failed(Offer("main", REF, OURS), 1, is_unheard=False)
    assert offers.is_due(OURS, idle, 10) is None
    assert offers.is_due(OURS, idle, 20)
    offers.note_failed(Offer("main", REF, OURS), 21, is_unheard=True)
    assert offers.is_due(OURS, idle, 23), "it may be there again at once"


def test_a_table_that_was_away_is_offered_its_match_as_soon_as_it_is_back() -> None:
    offers = Offers()
    idle = TableState(TableMatch("a", FREE))
    assert offers.is_due(OURS, idle, 0)
    assert offers.is_due(OURS, TableState(is_away=True), 1) is None
    assert offers.is_due(OURS, idle, 2)
