"""The desk of a daemon's own tables: it calls and plans matches, and takes what is played for what it is."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from daemon.assemble import run_daemon
from daemon.tournament.ref import Ref, read_ref
from daemon.tournament.store import FILE, TournamentStore
from protocol.commands import CommandError, IllegalInput
from protocol.match_spec import Format
from protocol.tournament import (
    Begin,
    Call,
    Change,
    DrawSeats,
    Enter,
    Input,
    Line,
    Outdated,
    Result,
    SetTables,
    Settle,
    Slot,
    TableUse,
    TakeBack,
    TournamentSpec,
)
from tests.commanding import give
from tests.daemon.process import eventually
from tests.daemon.tournament.playing import (
    SPEC,
    begin,
    find_match,
    is_next,
    planned,
    run_desk,
    throw,
    win,
)
from tests.daemon.tournament.unplayed import configure_tables

FOUR = ("Ann", "Bo", "Cy", "Di")


async def test_a_knock_out_is_played_by_start_and_darts_alone(tmp_path: Path) -> None:
    async with run_desk(configure_tables(tmp_path)) as (running, desk):
        found = await begin(desk, FOUR, ("main", "second"))
        one, other = running.tables["main"], running.tables["second"]
        await planned(one, found)
        await planned(other, found)
        assert {frozenset(each.committed.plan.players) for each in (one, other)} == {
            frozenset(("Ann", "Di")),
            frozenset(("Bo", "Cy")),
        }
        for table in (one, other):
            await win(table, min(table.committed.plan.players))
        await eventually(lambda: find_match(found, "final-1").status == "called")
        final = running.tables[find_match(found, "final-1").table or ""]
        await planned(final, found)
        await win(final, "Ann")
        await eventually(lambda: found.view.phase == "over")
        view = found.view
        assert view.entrants[(view.winner or 0) - 2].name == "Ann"
        result = next(line.input for line in reversed(found.journal.lines) if isinstance(line.input, Result))
        assert (result.legs, result.record) == ((1, 0), final.match_id)
        assert 101 in result.points
        assert 3 in result.darts
    (kept,) = await (store := TournamentStore(tmp_path / "state")).list_kept()
    assert kept.ended_s is not None
    await store.close()


async def test_a_corrected_match_corrects_its_result(tmp_path: Path) -> None:
    async with run_desk(configure_tables(tmp_path)) as (running, desk):
        found = await begin(desk, FOUR, ("main",))
        table = running.tables["main"]
        await planned(table, found)
        name = next(match for match, _, _ in found.list_active())
        await give(table, {"start": None}, "page")
        await throw(table, "T20")
        await eventually(lambda: find_match(found, name).status == "playing")
        await throw(table, "S1", "D20")
        await eventually(lambda: find_match(found, name).status == "played")
        await give(table, {"undo": True}, "page")
        await eventually(lambda: find_match(found, name).status == "playing")
        await throw(table, "D20")
        await eventually(lambda: find_match(found, name).status == "played")
        said = [type(line.input) for line in found.journal.lines if line.by == "table"]
        assert said == [Begin, Result, TakeBack, Result]


async def test_a_match_is_corrected_by_whoever_is_called_otherwise_since(tmp_path: Path) -> None:
    async with run_desk(configure_tables(tmp_path)) as (running, desk):
        found = await begin(desk, FOUR, ("main",))
        table = running.tables["main"]
        await planned(table, found)
        name = next(match for match, _, _ in found.list_active())
        winner, other = table.committed.plan.players[:2]
        await win(table, winner)
        await eventually(lambda: find_match(found, name).status == "played")
        renamed = next(each.id for each in found.view.entrants if each.name == winner)
        await desk.do(found.id, Change(renamed, people=("Annabel",)), "organiser")
        await give(table, {"undo": True}, "page")
        await eventually(lambda: find_match(found, name).status == "playing")
        await throw(table, "MISS", "next")
        await win(table, other, is_started=True)
        await eventually(lambda: find_match(found, name).status == "played")
        assert find_match(found, name).winner != renamed


async def test_a_free_match_at_a_called_table_is_something_else(tmp_path: Path) -> None:
    async with run_desk(configure_tables(tmp_path)) as (running, desk):
        found = await begin(desk, FOUR, ("main",))
        table = running.tables["main"]
        ref = await planned(table, found)
        await give(table, {"start": {"oche": 1, "game": "x01", "players": ["Eve", "Fay"]}}, "page")
        assert await planned(table, found) == ref  # it is offered again, after this one
        await throw(table, "T20")
        await eventually(lambda: found.view.tables[0].status == "else")
        assert [line for line in found.journal.lines if line.by == "table"] == []
        await win(table, table.committed.plan.players[0])
        await eventually(lambda: any(line.by == "table" for line in found.journal.lines))


async def test_other_people_or_options_are_no_match_of_the_tournament(tmp_path: Path) -> None:
    async with run_desk(configure_tables(tmp_path)) as (running, desk):
        found = await begin(desk, FOUR, ("main",))
        table = running.tables["main"]
        ref = await planned(table, found)
        players = list(table.committed.plan.players)
        header = {"oche": 1, "game": "x01", "options": {"start": 101}, "players": players, "ref": ref}
        for wrong in ({"players": ["Ann", "Eve"]}, {"options": {"start": 301}}, {"format": {"legs": 2}}):
            await give(table, {"start": {**header, **wrong}}, "page")
            await throw(table, "T20")
        await give(table, {"start": {**header, "players": players[::-1]}}, "page")
        await throw(table, "T20")
        await eventually(lambda: found.view.tables[0].status == "playing")
        assert sum(line.by == "table" for line in found.journal.lines) == 1


async def test_a_match_that_is_called_back_is_no_longer_planned(tmp_path: Path) -> None:
    async with run_desk(configure_tables(tmp_path)) as (running, desk):
        found = await begin(desk, FOUR, ("main", "second"))
        ref = read_ref(await planned(running.tables["main"], found))
        assert ref is not None
        await desk.do(found.id, SetTables((TableUse("main"), TableUse("second")), auto=False), "organiser")
        await desk.do(found.id, Call(ref.match, None), "organiser")
        await eventually(lambda: running.tables["main"].committed.plan.ref is UNSET)
        await desk.do(found.id, Call(ref.match, "main"), "organiser")
        assert await planned(running.tables["main"], found) == str(ref._replace(attempt=ref.attempt + 2))


async def test_an_older_attempt_counts_nowhere_and_is_shown(tmp_path: Path) -> None:
    configured = configure_tables(tmp_path)
    async with run_desk(configured) as (running, desk):
        found = await begin(desk, ("Ann", "Bo"), ("main", "second"))
        await planned(running.tables["main"], found)
        await give(running.tables["main"], {"start": None}, "page")
        await throw(running.tables["main"], "T20")
        await eventually(lambda: find_match(found, "final-1").status == "playing")
        await desk.do(found.id, Call("final-1", "second"), "organiser")
        await eventually(lambda: running.tables["second"].state().ref is not UNSET)
        await throw(running.tables["main"], "S1", "D20")  # Ann or Bo has won there
        loser = running.tables["main"].state().turn.player
        await eventually(lambda: len(found.view.outdated) == 1)
        (old,) = found.view.outdated
        assert (old.match, old.attempt, old.table, sorted(old.score)) == ("final-1", 1, "main", [0, 1])
        assert found.view.entrants[(old.winner or 0) - 2].name == loser
        await give(running.tables["main"], {"undo": True}, "page")
        await eventually(lambda: not found.view.outdated)
        await throw(running.tables["main"], "D20")
        await eventually(lambda: len(found.view.outdated) == 1)
        assert find_match(found, "final-1").winner is None
        await win(running.tables["second"], {"Ann": "Bo", "Bo": "Ann"}[loser], is_started=True)
        await eventually(lambda: found.view.phase == "over")
        assert found.view.entrants[(found.view.winner or 0) - 2].name != loser
        lines = [*found.journal.lines]
        assert [type(line.input) for line in lines if line.by == "table"] == [Begin, *[Outdated] * 3, Begin, Result]
    async with run_desk(configured) as (running, desk):
        again = await desk.find(found.id)
        await eventually(lambda: desk.is_entered("main", running.tables["main"].match_id))
        assert again.view.outdated == (old,)
        assert again.journal.lines == lines


async def test_a_match_that_is_moved_goes_on_with_what_was_thrown(tmp_path: Path) -> None:
    async with run_desk(configure_tables(tmp_path)) as (running, desk):
        found = await begin(desk, ("Ann", "Bo"), ("main", "second"))
        one, other = running.tables["main"], running.tables["second"]
        await planned(one, found)
        await give(one, {"start": None}, "page")
        await throw(one, "T20", "MISS", "MISS", "next", "T19")
        first, second = one.committed.plan.players
        await eventually(lambda: find_match(found, "final-1").status == "playing")
        await desk.do(found.id, Call("final-1", "second"), "organiser")
        await eventually(lambda: (other.state().ref or "") == f"{found.id}/final-1/2")
        assert [each.score for each in other.state().sides] == [41, 101]
        assert (other.state().turn.player, other.state().turn.darts) == (one.state().turn.player, ())
        await throw(other, "MISS", "MISS", "MISS", "next", "S1", "D20")
        await eventually(lambda: found.view.phase == "over")
        assert {first, second} == {"Ann", "Bo"}
        result = next(line.input for line in found.journal.lines if isinstance(line.input, Result))
        assert sorted(result.darts) == [3, 5]


async def test_a_match_that_has_begun_moves_to_no_table_where_others_play(tmp_path: Path) -> None:
    async with run_desk(configure_tables(tmp_path)) as (running, desk):
        found = await begin(desk, ("Ann", "Bo"), ("main", "second"))
        one, other = running.tables["main"], running.tables["second"]
        await planned(one, found)
        await give(one, {"start": None}, "page")
        await throw(one, "T20")
        await throw(other, "T19")
        await eventually(lambda: find_match(found, "final-1").status == "playing")
        with pytest.raises(IllegalInput, match="plays something else: move the match once people there have ended"):
            await desk.do(found.id, Call("final-1", "second"), "organiser")
        assert find_match(found, "final-1").table == "main"
        await give(other, {"stop": True}, "page")
        await desk.do(found.id, Call("final-1", "second"), "organiser")
        await eventually(lambda: (other.state().ref or "") == f"{found.id}/final-1/2")


async def test_what_a_table_played_while_the_desk_was_not_there_is_taken_at_the_start(tmp_path: Path) -> None:
    checked = configure_tables(tmp_path)
    async with run_desk(checked) as (running, desk):
        found = await begin(desk, FOUR, ("main", "second"))
        for table in running.tables.values():
            await planned(table, found)
        await desk.close()  # it hears nothing of what follows, as if it were killed with the daemon just after
        players = running.tables["main"].committed.plan.players
        await win(running.tables["main"], players[0])
        await give(running.tables["main"], {"start": None}, "page")
        await throw(running.tables["main"], "T20")
        await give(running.tables["second"], {"start": None}, "page")
        await throw(running.tables["second"], "T20")
        assert [line for line in found.journal.lines if line.by == "table"] == []
    async with run_desk(checked) as (running, desk):
        again = await desk.find(found.id)
        await eventually(lambda: sorted(each.status for each in again.view.matches)[:2] == ["played", "playing"])


async def test_a_tournament_goes_on_after_a_restart_without_being_asked_for(tmp_path: Path) -> None:
    checked = configure_tables(tmp_path)
    async with run_desk(checked) as (running, desk):
        found = await begin(desk, FOUR, ("main",))
        await planned(running.tables["main"], found)
    async with run_daemon(checked) as running:
        await win(running.tables["main"], min(running.tables["main"].committed.plan.players))
        await planned(running.tables["main"], found)


async def test_a_correction_of_a_match_that_ended_before_a_restart_is_taken(tmp_path: Path) -> None:
    checked = configure_tables(tmp_path)
    async with run_desk(checked) as (running, desk):
        found = await begin(desk, ("Ann", "Bo"), ("main",))
        await planned(running.tables["main"], found)
        await win(running.tables["main"], "Ann")
        await eventually(lambda: found.view.phase == "over")
    async with run_desk(checked) as (running, desk):
        await give(running.tables["main"], {"undo": True}, "page")
        again = await desk.find(found.id)
        await eventually(lambda: find_match(again, "final-1").status == "playing")
        await throw(running.tables["main"], "D20")
        await eventually(lambda: again.view.phase == "over")


async def test_a_stopped_match_of_a_knock_out_is_decided_by_one_leg(tmp_path: Path) -> None:
    spec = replace(SPEC, format=Format(legs=3))
    async with run_desk(configure_tables(tmp_path)) as (running, desk):
        found = await begin(desk, ("Ann", "Bo"), ("main",), spec)
        table = running.tables["main"]
        first = await planned(table, found)
        await give(table, {"start": None}, "page")
        await throw(table, "T20")
        await give(table, {"stop": True}, "page")
        await eventually(lambda: (table.committed.plan.ref or first) != first)
        assert table.committed.plan.format == Format(legs=1)
        await win(table, "Bo")
        await eventually(lambda: found.view.phase == "over")
        assert found.view.winner == 3


async def test_another_winner_after_the_next_match_has_begun_is_a_dispute(tmp_path: Path) -> None:
    async with run_desk(configure_tables(tmp_path)) as (running, desk):
        found = await begin(desk, FOUR, ("main", "second"))
        for table in running.tables.values():
            await planned(table, found)
        for table in running.tables.values():
            await win(table, min(table.committed.plan.players))
        await eventually(lambda: find_match(found, "final-1").status == "called")
        called = find_match(found, "final-1").table
        final, other = sorted(running.tables.values(), key=lambda each: each.name != called)
        name = next(each.id for each in found.view.matches if each.stage == "winners" and each.table == other.name)
        await planned(final, found)
        await give(final, {"start": None}, "page")
        await throw(final, "T20")
        await eventually(lambda: find_match(found, "final-1").status == "playing")
        await give(other, {"undo": True}, "page")
        await throw(other, "MISS", "next")
        await win(other, other.state().turn.player, is_started=True)
        await eventually(lambda: find_match(found, name).status == "disputed")
        await desk.do(found.id, Settle(name), "organiser")
        await eventually(lambda: find_match(found, name).status == "played")
        assert find_match(found, "final-1").sides == (2, 3)


async def test_the_bull_decides_who_begins(tmp_path: Path) -> None:
    async with run_desk(configure_tables(tmp_path)) as (running, desk):
        found = await begin(desk, ("Ann", "Bo"), ("main",), replace(SPEC, first="bull"))
        table = running.tables["main"]
        await eventually(lambda: table.committed.plan.game == "bull_off")
        await give(table, {"start": None}, "page")
        first = table.state().turn.player
        await throw(table, "S1", "next", "DB")
        await eventually(lambda: found.tables["main"].status == "free")
        assert await planned(table, found)
        await give(table, {"start": None}, "page")
        assert table.state().turn.player == {"Ann": "Bo", "Bo": "Ann"}[first]
        await win(table, "Bo", is_started=True)
        await eventually(lambda: found.view.phase == "over")
        assert [type(line.input) for line in found.journal.lines if line.by == "table"] == [Begin, Result]


async def test_a_match_that_was_stopped_before_a_dart_is_no_match(tmp_path: Path) -> None:
    async with run_desk(configure_tables(tmp_path)) as (running, desk):
        found = await begin(desk, ("Ann", "Bo"), ("main",))
        table = running.tables["main"]
        ref = await planned(table, found)
        await give(table, {"start": None}, "page")
        await give(table, {"stop": True}, "page")
        assert await planned(table, found) == ref
        assert [line for line in found.journal.lines if line.by == "table"] == []
        await win(table, "Ann")
        await eventually(lambda: found.view.phase == "over")


async def test_pairs_and_sets_are_counted_by_side(tmp_path: Path) -> None:
    spec = replace(SPEC, kind="round_robin", side=2, format=Format(legs=1, sets=2))
    async with run_desk(configure_tables(tmp_path)) as (running, desk):
        made = await desk.make(spec)
        for people in (("Ann", "Al"), ("Bo", "Bea")):
            await desk.do(made, Enter(people), "organiser")
        await desk.do(made, SetTables((TableUse("main"),)), "organiser")
        drawn = await desk.propose(made)
        assert drawn is not None
        await desk.do(made, drawn, "organiser")
        found, table = await desk.find(made), running.tables["main"]
        await planned(table, found)
        await give(table, {"start": None}, "page")
        while table.state().phase != "over":
            await throw(table, *(("T20", "S1", "D20") if is_next(table, "Ann", "Al") else ("MISS",) * 3))
            if table.state().phase != "over":
                await throw(table, "next")
        await eventually(lambda: found.view.phase == "over")
        (match,) = found.view.matches
        result = next(line.input for line in found.journal.lines if isinstance(line.input, Result))
        assert (match.score, match.winner) == ((2, 0) if match.sides[0] == 2 else (0, 2), 2)
        assert sorted(result.legs) == [0, 2]
        assert sorted(result.points) == [0, 202]


async def test_a_full_disk_refuses_and_costs_nothing(tmp_path: Path) -> None:
    async with run_desk(configure_tables(tmp_path)) as (_, desk):
        made = await desk.make(SPEC)
        found = await desk.find(made)
        await desk.do(made, Enter(("Ann",)), "organiser")
        with closing(sqlite3.connect(tmp_path / "state" / FILE, isolation_level=None)) as db:
            db.execute("create trigger full before insert on line begin select raise (abort, 'no room'); end")
            with pytest.raises(CommandError, match="no room"):
                await desk.do(made, Enter(("Bo",)), "organiser")
            assert [each.name for each in found.view.entrants] == ["Ann"]
            db.execute("drop trigger full")
        line = await desk.do(made, Enter(("Cy",)), "organiser")
        assert (line.number, [each.name for each in found.view.entrants]) == (3, ["Ann", "Cy"])


async def test_a_tournament_goes_on_elsewhere_from_its_lines(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    async with run_desk(configure_tables(tmp_path)) as (_, desk):
        found = await begin(desk, FOUR, ("main",))
        lines = [*found.journal.lines]
    async with run_desk(configure_tables(tmp_path / "other")) as (running, desk):
        await desk.restore(found.id, found.kept.made_s, found.kept.spec, lines)
        assert await planned(running.tables["main"], found)
        with pytest.raises(CommandError, match="is not the id of a tournament"):
            await desk.restore("../x", 0, SPEC, [])


async def test_one_that_is_restored_ended_when_it_did_and_not_at_its_last_correction(tmp_path: Path) -> None:
    result = Result("final-1", (2, 3), 2, (2, 0))
    corrected = replace(result, legs=(2, 1))
    given: tuple[Input, ...] = (
        Enter(("Ann",)),
        Enter(("Bo",)),
        DrawSeats((2, 3)),
        result,
        TakeBack("final-1"),
        corrected,
        result,
    )
    lines = [Line(number, 100 * number, "organiser", each) for number, each in enumerate(given, 2)]
    async with run_desk(configure_tables(tmp_path)) as (_, desk):
        for count, ended_s in ((3, None), (4, 500), (5, None), (6, 700), (7, 700)):
            await desk.restore("abcd1234", 0, SPEC, lines[:count])
            assert (await desk.find("abcd1234")).kept.ended_s == ended_s
        await desk.do("abcd1234", corrected, "organiser")
        assert (await desk.find("abcd1234")).kept.ended_s == 700


async def test_two_tournaments_share_a_table(tmp_path: Path) -> None:
    async with run_desk(configure_tables(tmp_path, 1)) as (running, desk):
        one = await begin(desk, ("Ann", "Bo"), ("main",))
        other = await begin(desk, ("Cy", "Di"), ("main",))
        table = running.tables["main"]
        await planned(table, one)
        assert [*other.list_active()] == []
        await win(table, "Ann")
        await planned(table, other)
        await win(table, "Cy")
        await eventually(lambda: one.view.phase == other.view.phase == "over")


@pytest.mark.slow
def test_with_no_tournament_nothing_is_loaded_or_written(tmp_path: Path) -> None:
    code = f"""
import asyncio, sys
from pathlib import Path
from daemon.admin.admin import Admin
from daemon.assemble import run_daemon
from tests.commanding import give
from tests.daemon.display import find_part
from tests.daemon.tournament.unplayed import configure_tables, list_loaded
async def main():
    async with run_daemon(configure_tables(Path({str(tmp_path)!r}))) as running:
        await give(running.tables["main"], {{"throw": "T20"}}, "page")
        assert list_loaded() == [], list_loaded()
        assert await (await find_part(running, Admin).open_desk()).list() == []
        assert "daemon.tournament.desk" in list_loaded()
asyncio.run(main())
"""
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": str(Path.cwd())})
    assert not (tmp_path / "state" / FILE).exists()


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        (replace(SPEC, game="x02"), "there is no game 'x02'"),
        (replace(SPEC, game="bull_off", options={}), "names no winner"),
        (replace(SPEC, game="warm_up", options={}), "names no winner"),
        (replace(SPEC, options={"start": 5}), "start"),
        (replace(SPEC, game="yatzy_dart", options={}, side=2), "needs teams of 1"),
        (replace(SPEC, slots=(Slot((0,), (0,), game="x02"),)), "there is no game 'x02'"),
    ],
)
async def test_what_cannot_be_played_is_refused(tmp_path: Path, spec: TournamentSpec, why: str) -> None:
    async with run_desk(configure_tables(tmp_path)) as (_, desk):
        with pytest.raises(CommandError, match=why):
            await desk.make(spec)
        assert await desk.list() == []


def test_only_our_refs_are_read() -> None:
    ref = Ref("abcd1234", "group-1-2/3", 12)
    assert read_ref(str(ref)) == ref
    assert [read_ref(text) for text in (None, "", "abc", "league/7", "abcd1234/final-1/x")] == [None] * 5
