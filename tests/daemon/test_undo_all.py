"""Undo of `stop` and `retire` at a table: which matches have it, what it tells, who goes on, what the history has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from daemon.admin.history.history import History
from daemon.admin.history.journal_source import JournalSource
from daemon.admin.history.match_report import MatchReader
from daemon.admin.history.played_matches import PlayedMatch
from daemon.errors import UserError
from protocol.commands import CommandError
from protocol.messages import State
from tests.commanding import give
from tests.daemon.desk import PULL_S, Desk
from tests.daemon.evenings import Evening as Past
from tests.daemon.process import Saying
from tests.daemon.test_bots import evening
from tests.simulator.hurry import in_no_time


def looks(state: State) -> tuple[Any, ...]:  # Any: what a person sees of it
    return state.phase, state.turn, [(side.score, side.out) for side in state.sides], state.winners


def test_every_match_that_begins_has_it_whatever_its_header_says() -> None:
    desk = Desk()
    assert desk.scorer.match.header.undo_all
    for start in (
        {"start": None},
        {"start": {"game": "301", "players": ["Cy", "Di"]}},
        {"start": {"game": "301", "players": ["Cy", "Di"], "undo_all": False}},
        {"start": None, "order": "bull"},
    ):
        desk.give(**start)
    desk.give(throw="S1")
    desk.give(next=True)
    desk.give(throw="DB")
    assert (desk.scorer.match.game.id, desk.phase) == ("bull_off", "over")
    desk.give(start=None)
    assert desk.scorer.match.game.id == "x01"
    assert [header["undo_all"] for header in desk.headers] == [True] * 5
    assert "undo_all" not in desk.headers[3]["options"]["then"], "it goes without saying"


def test_a_stop_is_taken_back_and_brought_again() -> None:
    desk = Desk()
    desk.give(throw="T20")
    before = looks(desk.state)
    assert desk.give(stop=True) == ["match_stopped"]
    stopped = looks(desk.state)
    assert desk.give(undo=True) == ["undone"]
    assert looks(desk.state) == before
    assert desk.give(redo=True) == ["corrected", "match_stopped"]
    assert looks(desk.state) == stopped
    desk.give(undo=True)
    desk.give(throw="T19")
    assert desk.journal == ["T20", "stop", "undo", "redo", "undo", "T19"]


def test_who_left_by_mistake_is_back_with_every_dart() -> None:
    desk = Desk(players=("Ann", "Bo", "Cy"))
    for dart in ("T20", "T20", "T20"):
        desk.give(throw=dart)
    desk.give(next=True)
    desk.give(throw="T19")
    before = looks(desk.state)
    assert desk.give(retire=1) == ["retired", "takeout_finished", "turn_changed"]
    assert desk.player == "Cy"
    assert desk.give(undo=True) == ["undone"]
    assert looks(desk.state) == before
    assert desk.give(redo=True) == ["corrected"]
    assert desk.player == "Cy"


def test_undo_continues_a_duel_that_a_retire_ended() -> None:
    desk = Desk(game="tic_tac_toe")
    assert desk.give(retire=1) == ["retired", "match_won"]
    assert (desk.phase, *desk.state.winners) == ("over", 0)
    assert desk.give(undo=True) == ["undone"]
    assert (desk.phase, *desk.state.winners) == ("throwing",)
    assert desk.give(redo=True) == ["corrected", "match_won"]


def test_who_is_left_alone_is_given_the_match_or_plays_on() -> None:
    desk = Desk()
    desk.give(throw="T20")
    with pytest.raises(CommandError, match="conceded only to a side that is left"):
        desk.give(concede=True)
    desk.give(retire=0)
    before = looks(desk.state)
    assert (desk.state.alone, desk.state.sides[1].name) == (1, "Bo")
    assert desk.give(concede=True) == ["match_won"]
    assert (desk.phase, desk.state.winners) == ("over", (1,))
    assert desk.give(undo=True) == ["undone"]
    assert looks(desk.state) == before
    assert desk.give(redo=True) == ["corrected", "match_won"]
    desk.give(undo=True)
    desk.give(throw="T19")
    assert (desk.player, desk.state.alone) == ("Bo", 1)
    assert desk.journal == ["T20", "retire", "concede", "undo", "redo", "undo", "T19"]


def test_a_stop_that_a_new_match_brought_about_is_not_taken_back() -> None:
    """As with a match that was won: it is not at hand any more."""
    desk = Desk()
    desk.give(throw="T20")
    desk.give(start=None)
    with pytest.raises(CommandError, match="there is nothing to undo"):
        desk.give(undo=True)


def test_what_was_planned_meanwhile_stays_planned() -> None:
    desk = Desk()
    desk.give(stop=True)
    desk.give(game="burma_road")
    desk.give(undo=True)
    assert (desk.plan.game, desk.scorer.match.game.id, desk.phase) == ("burma_road", "x01", "throwing")


def test_undoing_the_timers_next_takes_the_retire_and_no_dart() -> None:
    desk = Desk(takeout="timer", players=("Ann", "Bo", "Cy"))
    desk.throw("T20", "T20", "T20")
    desk.give(retire=2)
    desk.hear(after_s=PULL_S)
    assert desk.player == "Bo"
    desk.give(undo=True)
    turn = desk.state.turn
    assert (desk.phase, turn.player, len(turn.darts)) == ("takeout", "Ann", 3)
    assert not desk.state.sides[2].out
    assert desk.journal[3:] == ["retire", "next", "undo", "undo"]


@in_no_time
async def test_a_bot_goes_on_after_an_undone_stop_or_retire(tmp_path: Path) -> None:
    async with evening(tmp_path, players=("bot:45", "Ann", "bot:60")) as ours:
        await ours.until_turn("Bot 45", 2)
        darts = ours.told("dart")
        await give(ours.table, {"stop": True}, "page")
        assert ours.told("dart") == darts
        await give(ours.table, {"undo": True}, "page")
        await ours.until_turn("Ann")
        assert ours.told("dart")[:2] == darts
        await give(ours.table, {"retire": 2}, "page")
        await give(ours.table, {"undo": True}, "page")
        await ours.play("S5", "S5", "S5")
        await ours.until_turn("Bot 60", 2)


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


def test_a_conceded_match_counts_as_won_and_its_leg_for_nobody(tmp_path: Path) -> None:
    with Past(tmp_path) as past:
        match = past.play("T20 S1 / S5", {"retire": 1}, {"concede": True}, game="count_up")
        reader = MatchReader(JournalSource(History(tmp_path, {}, "test")))
        report = reader.describe(match)
        assert report is not None
        assert ([side.won for side in report.sides], report.was_stopped) == ([True, False], False)
        assert [leg.winners for leg in report.legs] == [()]
        with pytest.raises(UserError, match="an undo can still continue this match"):
            reader.list_steps(match, 0)
    (played,) = History(tmp_path, {}, "test").counted_matches()
    assert [(part.won, part.result) for part in played.parts] == [(True, None), (False, None)]
    assert not any("legs" in part.tally.counts for part in played.parts)


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
