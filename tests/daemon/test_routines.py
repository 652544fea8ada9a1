"""Routines: exercises one after the other, from any way in, across stops, undo and restarts of the daemon."""

from __future__ import annotations

from pathlib import Path
from secrets import token_hex

import msgspec
import pytest

from daemon.assemble import RunningDaemon, run_daemon
from daemon.config.reader import check
from daemon.config.sections import Bridge, Config, Mqtt, RoutineConfig, TableConfig, Web
from daemon.snapshot import take_snapshot
from daemon.table.matches import begin
from engine.match import Match
from protocol.commands import CommandError, Next, Throw
from protocol.layouts import find_layout
from protocol.match_spec import read_header
from protocol.messages import ExerciseResult, Plan, RoutineState
from protocol.source import Source, SourceError
from tests.commanding import give
from tests.plain_guard import PlainGuard

TUESDAY = RoutineConfig(
    "tuesday",
    ("eagles_eye", "high_score", "eagles_eye"),
    "Tuesday",
    {"eagles_eye": {"rounds": 1}, "high_score": {"rounds": 1}},
)


def config(folder: Path, *routines: RoutineConfig) -> Config:
    table = TableConfig(f"serial:{folder}/board", players=("Ann",), game="501")
    return Config([table], Bridge(state_dir=str(folder)), Mqtt(on=False), Web(on=False), routine=routines)


async def play(running: RunningDaemon, *words: str) -> RoutineState:
    """Darts, `/` for the next visit and commands without a body; the routine as it is shown then."""
    table = running.tables["main"]
    for word in words:
        name = "next" if word == "/" else word
        await give(table, {name: True} if name in ("next", "undo", "stop") else {"throw": word}, "page")
    routine = table.state().routine
    assert isinstance(routine, RoutineState)
    return routine


def plan(running: RunningDaemon) -> Plan:
    return running.tables["main"].committed.plan


async def start(running: RunningDaemon, game: str | None = None) -> RoutineState:
    """The planned match, or the one of this name; the routine as it is shown then."""
    await give(running.tables["main"], {"start": game and {"game": game, "players": ["Ann"]}}, "page")
    return await play(running)


@pytest.mark.parametrize("players", [["\U0001f3af" * 40, "\U0001f3ae" * 40], ["Ann"]])
def test_a_state_keeps_to_its_size_whatever_titles_a_routine_has(players: list[str]) -> None:
    title, last = "\U0001f3af" * 80, {"game": "count_up", "options": {"rounds": 1}}
    routine = {
        "name": "r",
        "title": f"\x00{title}"[:80],
        "exercises": [{**last, "title": title}] * 12,
        "at": 11,
        "results": [[2**62] * 64] * 11,
    }
    header = read_header({"oche": 1, "players": players, "routine": routine, **last})
    new = begin(header, find_layout("standard"), token_hex, PlainGuard()).match
    stored = Match(header, new.game, "a")
    for match in (new, stored):
        line = match.line
        while not match.position.over:
            line += 1
            match.apply(line, Next() if match.position.phase == "takeout" else Throw("T20"))
        assert len(msgspec.json.encode(take_snapshot(match))) < 4096
    shown = take_snapshot(new).routine
    assert isinstance(shown, RoutineState)
    assert (shown.exercise, shown.of, shown.next) == (12, 12, None)
    assert new.header.routine is not None
    titles = [new.header.routine.title, *(each.title for each in new.header.routine.exercises)]
    assert all(each == "\U0001f3af" * 40 for each in titles)


async def test_a_routine_goes_on_after_undo_a_stop_and_a_restart(tmp_path: Path) -> None:
    setup = check(config(tmp_path, TUESDAY), Source("", "test"))
    async with run_daemon(setup) as running:
        assert await start(running, "tuesday") == RoutineState("Tuesday", 1, 3, "Count-Up")
        over = await play(running, "SB", "DB", "SB")
        assert over.results == (ExerciseResult("Eagle's Eye", (100,)),)
        assert plan(running).title == "Count-Up"
        assert (await play(running, "undo")).results is not over.results
        assert plan(running).title == "Eagle's Eye", "the exercise is not over"
        await play(running, "DB")
        assert await start(running) == RoutineState("Tuesday", 2, 3, "Eagle's Eye")
        await play(running, "T20")
    async with run_daemon(setup) as running:
        assert await play(running, "stop") == RoutineState(
            "Tuesday",
            2,
            3,
            "Eagle's Eye",
            (ExerciseResult("Eagle's Eye", (125,)), ExerciseResult("Count-Up", (None,))),
        )
    async with run_daemon(setup) as running:
        assert await start(running) == RoutineState("Tuesday", 3, 3, None)
        over = await play(running, "SB", "S1", "S1")
        assert [each.results for each in over.results or ()] == [(125,), (None,), (25,)]
        assert plan(running).title == "Tuesday", "it can be played again"
        assert await start(running) == RoutineState("Tuesday", 1, 3, "Count-Up")


async def test_what_is_checked_while_oche_runs_leaves_its_routines_as_they_are(tmp_path: Path) -> None:
    async with run_daemon(check(config(tmp_path, TUESDAY), Source("", "test"))) as running:
        changed = check(config(tmp_path), Source("", "test"))
        assert "tuesday" not in changed.routines
        assert await start(running, "tuesday") == RoutineState("Tuesday", 1, 3, "Count-Up")
        of_former = TableConfig(f"serial:{tmp_path}/board", players=("Ann",), game="tuesday")
        with pytest.raises(SourceError, match="there is no game 'tuesday'"):
            check(Config([of_former]), Source("", "test"))
    async with run_daemon(changed) as running:
        with pytest.raises(CommandError, match="there is no game 'tuesday'"):
            await start(running, "tuesday")


async def test_another_match_leaves_a_routine_and_a_plan_of_people_does_not(tmp_path: Path) -> None:
    async with run_daemon(check(config(tmp_path), Source("", "test"))) as running:
        table = running.tables["main"]
        await give(table, {"game": "warm_up"}, "mqtt")
        planned = plan(running)
        assert (planned.game, planned.title, planned.problem) == ("warm_up", "Warm-up", None)
        assert (await start(running)).next == "Eagle's Eye"
        await play(running, "stop")
        await give(table, {"game": {"players": ["Bo", "Cy"]}}, "mqtt")
        assert (await start(running)).exercise == 2
        assert table.match.seating.players == ("Bo", "Cy")
        await play(running, "stop")
        await give(table, {"game": "count_up"}, "mqtt")
        await give(table, {"start": None}, "mqtt")
        assert table.match.header.routine is None


@pytest.mark.parametrize(
    ("routine", "problem"),
    [
        (RoutineConfig("x", ("count_upp",)), "count_up"),
        (RoutineConfig("x", ("warm_up",)), "an exercise must be a game"),
        (RoutineConfig("bobs_27", ("count_up",)), "is already used"),
        (RoutineConfig("x", ("count_up",), options={"golf": {}}), "not one of the exercises"),
        (RoutineConfig("x", ("count_up",), options={"count_up": {"rounds": 0}}), "rounds"),
    ],
)
def test_a_routine_that_cannot_be_is_refused(tmp_path: Path, routine: RoutineConfig, problem: str) -> None:
    with pytest.raises(SourceError, match=problem):
        check(config(tmp_path, routine), Source("", "test"))
    assert "x" not in check(config(tmp_path), Source("", "test")).routines
