"""Undo of `stop` and `retire` at a table: which matches have it, what it tells, who goes on, what the history has."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from daemon.admin.history.history import History, PlayedMatch
from protocol.commands import CommandError
from protocol.messages import State
from tests.commanding import give
from tests.daemon.evenings import Evening as Past
from tests.daemon.process import Saying, journal
from tests.daemon.test_bots import Evening, evening
from tests.simulator.hurry import in_no_time


def headers(folder: Path) -> list[dict[str, Any]]:  # Any: JSON
    with closing(sqlite3.connect(folder / "state" / "main.sqlite3")) as db:
        return [json.loads(header) for (header,) in db.execute("select header from match order by number")]


def looks(state: State) -> tuple[Any, ...]:  # Any: what a person sees of it
    return state.phase, state.turn, [(side.score, side.out) for side in state.sides], state.winners


async def say(ours: Evening, **command: Any) -> list[str]:  # Any: JSON
    """The events that follow from a command."""
    before = len(ours.events)
    await give(ours.table, command, "page")
    return [event.event_type for _, event in ours.events[before:]]


@in_no_time
async def test_every_match_that_begins_has_it_whatever_its_header_says(tmp_path: Path) -> None:
    async with evening(tmp_path, players=("Ann", "Bo")) as ours:
        await say(ours, start=None)
        await say(ours, start={"game": "301", "players": ["Cy", "Di"]})
        await say(ours, start={"game": "301", "players": ["Cy", "Di"], "undo_all": False})
        await say(ours, start=None, order="bull")
        await say(ours, throw="S1")
        await say(ours, next=True)
        await say(ours, throw="DB")
        assert (ours.table.match.game.id, ours.phase) == ("bull_off", "over")
        await say(ours, start=None)
        assert ours.table.match.game.id == "x01"
    found = headers(tmp_path)
    assert [header["undo_all"] for header in found] == [True] * 6
    assert "undo_all" not in found[4]["options"]["then"], "it goes without saying"


@in_no_time
async def test_a_stop_is_taken_back_and_brought_again(tmp_path: Path) -> None:
    async with evening(tmp_path, players=("Ann", "Bo")) as ours:
        await say(ours, throw="T20")
        before = looks(ours.table.state())
        assert await say(ours, stop=True) == ["match_stopped"]
        stopped = looks(ours.table.state())
        assert await say(ours, undo=True) == ["undone"]
        assert looks(ours.table.state()) == before
        assert await say(ours, redo=True) == ["corrected", "match_stopped"]
        assert looks(ours.table.state()) == stopped
        await say(ours, undo=True)
        await say(ours, throw="T19")
    async with evening(tmp_path, players=("Ann", "Bo")) as ours:  # after a restart
        assert [dart.segment for dart in ours.table.state().turn.darts] == ["T20", "T19"]
    assert journal(tmp_path)[1:] == [
        {"stop": True},
        {"undo": True},
        {"redo": True},
        {"undo": True},
        {"throw": "T19"},
    ]


@in_no_time
async def test_who_left_by_mistake_is_back_with_every_dart(tmp_path: Path) -> None:
    async with evening(tmp_path, players=("Ann", "Bo", "Cy")) as ours:
        await ours.play("T20", "T20", "T20")
        await say(ours, throw="T19")
        before = looks(ours.table.state())
        assert await say(ours, retire=1) == ["retired", "takeout_finished", "turn_changed"]
        assert ours.player == "Cy"
        assert await say(ours, undo=True) == ["undone"]
        assert looks(ours.table.state()) == before
        assert await say(ours, redo=True) == ["corrected"]
        assert ours.player == "Cy"


@in_no_time
async def test_undo_continues_a_duel_that_a_retire_ended(tmp_path: Path) -> None:
    async with evening(tmp_path, players=("Ann", "Bo"), game="tic_tac_toe") as ours:
        assert await say(ours, retire=1) == ["retired", "match_won"]
        assert ours.table.state().winners == (0,)
        assert await say(ours, undo=True) == ["undone"]
        assert (ours.phase, ours.table.state().winners) == ("throwing", ())
        assert await say(ours, redo=True) == ["corrected", "match_won"]


@in_no_time
async def test_a_stop_that_a_new_match_brought_about_is_not_taken_back(tmp_path: Path) -> None:
    """As with a match that was won: it is not at hand any more."""
    async with evening(tmp_path, players=("Ann", "Bo")) as ours:
        await say(ours, throw="T20")
        await say(ours, start=None)
        with pytest.raises(CommandError, match="there is nothing to undo"):
            await say(ours, undo=True)


@in_no_time
async def test_what_was_planned_meanwhile_stays_planned(tmp_path: Path) -> None:
    async with evening(tmp_path, players=("Ann", "Bo")) as ours:
        await say(ours, stop=True)
        await say(ours, game="burma_road")
        await say(ours, undo=True)
        plan = ours.table.everything.plan
        assert plan is not None
        assert (plan.game, ours.table.match.game.id, ours.phase) == ("burma_road", "x01", "throwing")


@in_no_time
async def test_a_bot_goes_on_after_an_undone_stop_or_retire(tmp_path: Path) -> None:
    async with evening(tmp_path, players=("bot:45", "Ann", "bot:60")) as ours:
        await ours.until_turn("Bot 45", 2)
        darts = ours.told("dart")
        await say(ours, stop=True)
        assert ours.told("dart") == darts
        await say(ours, undo=True)
        await ours.until_turn("Ann")
        assert ours.told("dart")[:2] == darts
        await say(ours, retire=2)
        await say(ours, undo=True)
        await ours.play("S5", "S5", "S5")
        await ours.until_turn("Bot 60", 2)


@in_no_time
async def test_undoing_the_timers_next_takes_the_retire_and_no_dart(tmp_path: Path) -> None:
    async with evening(tmp_path, players=("Ann", "Bo", "Cy"), takeout="timer") as ours:
        for _ in range(3):
            await say(ours, throw="T20")
        await say(ours, retire=2)
        await ours.until_turn("Bo")
        await say(ours, undo=True)
        state = ours.table.state()
        assert (state.phase, state.turn.player, len(state.turn.darts)) == ("takeout", "Ann", 3)
        assert not state.sides[2].out
    assert journal(tmp_path)[3:] == [{"retire": 2}, {"next": True}, {"undo": True}, {"undo": True}]


def test_the_history_follows(tmp_path: Path) -> None:
    """Stopped it is over, taken back it is not, and in the end it is won."""

    def read() -> list[PlayedMatch]:
        return list(History(tmp_path, {}, "test").counted_matches())

    with Past(tmp_path) as past:
        match = past.play("T20 S1", {"stop": True}, options={"start": 101})
        assert [(played.was_stopped, played.parts[0].won) for played in read()] == [(True, None)]
        past.go_on(match, {"undo": True}, line=5)
        assert read() == []
        past.go_on(match, {"throw": "D20"}, line=6)
        assert [(played.was_stopped, played.parts[0].won) for played in read()] == [(False, True)]


def test_a_match_without_winner_after_an_undone_stop_was_not_stopped(tmp_path: Path) -> None:
    with Past(tmp_path) as past:
        past.play("T20", {"stop": True}, {"undo": True}, {"retire": 0}, {"retire": 1})
    (played,) = History(tmp_path, {}, "test").counted_matches()
    assert (played.was_stopped, [part.won for part in played.parts]) == (False, [False, False])


def test_an_exported_record_comes_to_the_same(tmp_path: Path, oche: Saying) -> None:
    config = tmp_path / "oche.toml"
    config.write_text(f'[bridge]\nstate_dir = "{tmp_path}/state"\n[[table]]\nboard = "sim:plain-standard"\n')
    with Past(tmp_path / "state") as past:
        match = past.play("T20 S1 / S5", {"retire": 1}, {"undo": True}, {"stop": True}, options={"start": 101})
    record = tmp_path / "match.jsonl"
    record.write_text(oche("history", "export", match, "--config", config).output)
    assert json.loads(record.read_text().splitlines()[0])["undo_all"] is True
    shown = oche("history", "show", match, "--config", config).output
    assert oche("replay", record).output == shown
    assert "96" in shown, "the dart of Bo, who is back"
