"""A game that goes wrong where and how it is told to: for the tests of what becomes of that."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from daemon import rules
from engine import games
from engine.game import Advice, Game, Panel, Prompt, Seating, Step, Turn
from engine.luck import Luck
from engine.skill import Skill
from protocol.segment import Layout, Segment

wrong: dict[str, Callable[[], Any]] = {}  # Any: whatever is wrong
"""What to do instead, by the name of the method."""


class Options(Struct, frozen=True):
    pass


class State(Struct, frozen=True):
    points: int = 0
    asks: bool = False


class Fragile(Game[Options, State]):
    """Counts up; after a bull it asks."""

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
        rules.readmit()
