"""A game that goes wrong where and how it is told to, and what becomes of its table and of the others."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct
from msgspec.structs import replace

from daemon.plugins import rule_guard
from daemon.plugins.rule_guard import RuleGuard
from engine import games
from engine.game import Advice, Game, Panel, Prompt, Seating, Step, Turn
from engine.luck import Luck
from engine.skill import Skill
from protocol.commands import CommandError, IllegalInput
from protocol.finish import Totals
from protocol.match_spec import Unreadable
from protocol.segment import Layout, Segment
from tests.commanding import give
from tests.daemon.desk import PULL_S, Desk
from tests.daemon.process import journal
from tests.daemon.test_bots import Evening, evening
from tests.simulator.hurry import in_no_time

wrong: dict[str, Callable[[], Any]] = {}  # Any: whatever is wrong
"""What to do instead, by the name of the method."""


class Options(Struct, frozen=True):
    pass


class State(Struct, frozen=True):
    points: int = 0
    asks: bool = False


class Fragile(Game[Options, State]):
    """Counts up; after a bull it asks. It has every rule that can go wrong: one that a game lacks is not asked."""

    id = "fragile"
    options_type = Options

    def __getattribute__(self, name: str) -> Any:  # Any: as above
        what = wrong.get(name)
        return super().__getattribute__(name) if what is None else lambda *_: what()

    def title(self, options: Options) -> str:
        return "Fragile"

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> State:
        return State()

    def dart(self, state: State, segment: Segment, turn: Turn, luck: Luck) -> Step[State]:
        return Step(State(state.points + segment.points, segment.id == "DB"))

    def totals(self, state: State, turn: Turn) -> Totals | None:
        return Totals()

    def begin(self, state: State, turn: Turn, luck: Luck) -> Step[State]:
        return Step(state)

    def darts(self, state: State, turn: Turn) -> int:
        return 3

    def visit_over(self, state: State, turn: Turn, luck: Luck) -> Step[State]:
        return Step(state)

    def out(self, state: State) -> frozenset[int]:
        return frozenset()

    def prompts(self, state: State, turn: Turn) -> tuple[Prompt, ...]:
        return (Prompt(turn.prompt_id("why"), turn.seat, "Why?", ("so", "or so"), default="so"),) if state.asks else ()

    def decide(self, state: State, prompt: Prompt, answer: str, turn: Turn, luck: Luck) -> Step[State]:
        return Step(replace(state, asks=False))

    def score(self, state: State, side: int) -> int:
        return state.points

    def view(self, state: State, turn: Turn, seat: int | None) -> Panel:
        return Panel("plain", ({}, {}))

    def advise(self, state: State, turn: Turn, seat: int, skill: Skill) -> Advice:
        return Advice("T20")


@contextmanager
def added() -> Iterator[None]:
    """The game is known as a plug-in is, and nothing is wrong with it yet."""
    games.add(Fragile())
    try:
        yield
    finally:
        wrong.clear()
        games.forget_added()


@pytest.fixture(autouse=True)
def _game() -> Iterator[None]:
    with added():
        yield


def fail() -> None:
    raise RuntimeError("no rule\nfor this")


def leave() -> None:
    raise SystemExit(3)


def interrupt() -> None:
    raise KeyboardInterrupt


def give_up() -> None:
    raise asyncio.CancelledError


def give_no_number() -> None:
    raise ValueError("a fault, and no refusal")


def loop() -> None:
    while True:
        pass


def stubborn() -> None:
    while True:
        try:
            time.sleep(0.01)
            fail()
        except Exception:  # noqa: BLE001, S112  as people write it
            continue


SHOWN = ("view", "score", "title", "has_secrets", "out")
MOMENTS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {  # Any: JSON
    "a dart": ({"throw": "T20"}, ("dart", "prompts", *SHOWN)),
    "the last dart": ({"throw": "T20"}, ("visit_over", "award", *SHOWN)),
    "a total": ({"total": 60, "darts": 1}, ("totals", "bed_points", "total", *SHOWN)),
    "next": ({"next": True}, ("begin", "darts", *SHOWN)),
    "an answer": ({"choose": "so"}, ("decide", "prompts", *SHOWN)),
    "undo": ({"undo": True}, SHOWN),
    "an amend": ({"amend": 2, "throw": "T1"}, ("dart", *SHOWN)),
}
BEFORE = {"a dart": (), "the last dart": ("T20", "T20"), "next": ("T20",) * 3, "an answer": ("DB",)}


@pytest.fixture
def withdraws_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """No game fails so often that it is withdrawn."""
    monkeypatch.setattr(rule_guard, "_STRIKES", 1000)


def refuse() -> None:
    raise IllegalInput("not like this")


def not_read() -> None:
    raise Unreadable("nor like this")


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.usefixtures("withdraws_nothing")
@in_no_time
async def test_the_input_is_refused_and_the_match_stays(tmp_path: Path, moment: str) -> None:
    command, methods = MOMENTS[moment]
    async with evening(tmp_path, game="fragile", players=("Ann", "Bo")) as ours:
        await asyncio.sleep(0.1)  # the table has said what there is to say at its start
        for dart in BEFORE.get(moment, ("T20", "T20")):
            await give(ours.table, {"throw": dart}, "page")
        before, line = ours.table.state(), ours.table.match.line
        failures = [(method, what) for method in methods for what in (fail, leave, interrupt, give_up)]
        if "total" in methods:
            failures.append(("total", give_no_number))
        failures += [(method, what) for method in ("view", "title") for what in (refuse, not_read)]
        for method, what in failures:
            wrong[method] = what
            with pytest.raises(CommandError, match=r"^the rules of fragile failed on this input \(.*") as refusal:
                await give(ours.table, command, "page")
            assert "\n" not in str(refusal.value), (method, what)
            assert (ours.table.state(), ours.table.match.line) == (before, line), (method, what)
            wrong.clear()
        await give(ours.table, command, "page")
        assert ours.table.match.line == line + 1
    assert len(journal(tmp_path)) == line, "what was refused is in no journal"


WRONG: dict[str, tuple[str, Callable[[], Any]]] = {
    "no step": ("dart", lambda: 1),
    "a score that is none": ("score", lambda: 0.5),
    "a panel that is none": ("view", lambda: {"face": "plain"}),
    "too few details": ("view", lambda: Panel("plain", ())),
    "what is no JSON": ("view", lambda: Panel("plain", ({}, {"x": object()}))),
    "ten megabytes": ("view", lambda: Panel("plain", ({}, {"x": "x" * 10_000_000}))),
    "a prompt without options": ("prompts", lambda: (Prompt("a@1", 0, "?", ()),)),
    "a prompt without answers": ("prompts", lambda: (Prompt("a@1", 0, "?"),)),
    "a prompt for a seat that is not there": ("prompts", lambda: (Prompt("a@1", 7, "?", ("x",)),)),
    "a pattern that is none": ("prompts", lambda: (Prompt("a@1", 0, "?", None, "("),)),
    "no prompts": ("prompts", lambda: None),
}


@pytest.mark.usefixtures("withdraws_nothing")
@in_no_time
async def test_a_state_that_displays_cannot_read_is_refused_unpublished(tmp_path: Path) -> None:
    async with evening(tmp_path, game="fragile", players=("Ann", "Bo")) as ours:
        for what, (method, answer) in WRONG.items():
            wrong[method] = answer
            with pytest.raises(
                CommandError, match=r"the rules of fragile failed .*\(\S+/test_broken_rules\.py(, line \d+)?: "
            ):
                await give(ours.table, {"throw": "T20"}, "page")
            assert ours.table.match.line == 1, what
            wrong.clear()
        await give(ours.table, {"throw": "T20"}, "page")
        assert ours.table.state().sides[0].score == 60


@in_no_time
async def test_the_table_is_told_and_the_log_has_the_traceback(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with evening(tmp_path, game="fragile", players=("Ann", "Bo")) as ours:
        wrong["dart"] = fail
        await ours.hit("T20")
        await ours.until(lambda: bool(ours.notices))
        assert ours.told("stray") == ["T20"]
        assert "test_broken_rules.py, line " in ours.notices[0], "where it is written, not where it was called"
        assert "RuntimeError: no rule for this" in ours.notices[0]
    (record,) = [record for record in caplog.records if record.name == "oche.rules"]
    assert record.levelno == logging.ERROR
    assert record.exc_info is not None


async def withdrawn(ours: Evening) -> None:
    """Lets the game fail until it is withdrawn."""
    wrong["dart"] = fail
    for _ in range(3):
        with pytest.raises(CommandError):
            await give(ours.table, {"throw": "T20"}, "page")


@in_no_time
async def test_a_game_that_fails_again_and_again_is_withdrawn_and_left(tmp_path: Path) -> None:
    async with evening(tmp_path, game="fragile", players=("Ann", "Bo")) as ours:
        await give(ours.table, {"throw": "T20"}, "page")
        await withdrawn(ours)
        wrong.clear()
        for words in ({"throw": "T20"}, {"undo": True}, {"start": {"game": "fragile", "players": ["Ann"]}}):
            with pytest.raises(CommandError, match=r"withdrawn until oche restarts.*start another game$"):
                await give(ours.table, words, "page")
        assert ours.table.state().sides[0].score == 60, "it is shown as it was"
        assert "withdrawn" in str(ours.table.board.info.trouble)
        assert ours.troubles == [None, ours.table.board.info.trouble], "it is published, once"
        await give(ours.table, {"start": {"game": "501", "players": ["Ann", "Bo"]}}, "page")
        await give(ours.table, {"throw": "T20"}, "page")
        assert (ours.table.state().game, ours.table.state().sides[0].score) == ("x01", 441)
        assert ours.table.board.info.trouble is None
        assert ours.troubles[2:] == [None]
    assert journal(tmp_path) == [{"throw": "T20"}]


@in_no_time
async def test_a_game_that_ships_is_never_withdrawn_for_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rule_guard, "is_shipped", lambda _: True)
    async with evening(tmp_path, game="fragile", players=("Ann", "Bo")) as ours:
        await withdrawn(ours)
        wrong.clear()
        await give(ours.table, {"throw": "T20"}, "page")


def test_a_dart_whose_visit_cannot_begin_is_a_stray() -> None:
    """Here the board's next dart opens the visit."""
    desk = Desk(takeout="hits", guard=RuleGuard(), game="fragile")
    desk.throw("T20", "T20", "T20")
    wrong["begin"] = fail
    desk.hear("D5", after_s=PULL_S)
    assert (desk.journal[3:], desk.events("stray"), desk.scorer.status.counts.stray) == ([], ["D5"], 1)
    assert "RuntimeError" in str(desk.followed[-1].notice)
    wrong.clear()
    desk.hear("D5", after_s=PULL_S - 0.1)
    assert desk.journal[3:] == [], "the quiet begins anew"
    desk.hear("D5", after_s=PULL_S)
    assert desk.journal[3:] == ["next", "D5"]


@in_no_time
async def test_bots_play_on_when_nothing_comes_to_mind(tmp_path: Path) -> None:
    async with evening(tmp_path, game="fragile", players=("bot:45", "Ann")) as ours:
        wrong["advise"] = fail
        await ours.until_turn("Ann")
        assert len(ours.told("dart")) == 3


@pytest.mark.slow
@pytest.mark.parametrize(
    "method", ["dart", *(pytest.param(name, marks=pytest.mark.long) for name in ("view", "prompts"))]
)
@pytest.mark.parametrize("endless", [loop, stubborn, lambda: threading.Event().wait()])
@in_no_time
async def test_a_rule_that_never_ends_stops_no_other_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str, endless: Callable[[], None]
) -> None:
    monkeypatch.setattr(rule_guard, "LIMIT_S", 0.5)
    monkeypatch.setattr(rule_guard, "_TICK_S", 0.05)
    guard = RuleGuard()
    async with (
        evening(tmp_path / "a", guard=guard, game="fragile", players=("Ann", "Bo")) as ours,
        evening(tmp_path / "b", guard=guard, players=("Cy", "Di")) as theirs,
    ):
        wrong[method] = endless
        refused = give(ours.table, {"throw": "T20"}, "page")
        counted = give(theirs.table, {"throw": "T20"}, "page")
        with pytest.raises(CommandError, match="it does not finish"):
            await refused
        await counted
        assert theirs.table.state().sides[0].score == 441
        wrong.clear()
        with pytest.raises(CommandError, match="withdrawn"):
            await give(ours.table, {"throw": "T20"}, "page")


@in_no_time
async def test_advice_that_does_not_come_to_an_end_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rule_guard, "_ADVICE_LIMIT_S", 0.1)
    monkeypatch.setattr(rule_guard, "_TICK_S", 0.05)
    async with evening(tmp_path, game="fragile", players=("bot:45", "Ann")) as ours:
        wrong["advise"] = loop
        await ours.until(lambda: ours.table.guard.find_withdrawal_reason(ours.table.match.game) is not None)
        await give(ours.table, {"start": {"game": "x01", "players": ["Ann", "Bo"]}}, "page")


@in_no_time
async def test_a_match_of_a_withdrawn_game_is_resumed_after_a_restart(tmp_path: Path) -> None:
    async with evening(tmp_path, game="fragile", players=("Ann", "Bo")) as ours:
        await give(ours.table, {"throw": "T20"}, "page")
        await withdrawn(ours)
    wrong.clear()
    async with evening(tmp_path, game="fragile", players=("Ann", "Bo")) as ours:
        assert ours.table.state().sides[0].score == 60
        await asyncio.sleep(0)
