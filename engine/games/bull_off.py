"""The bull-off: a dart each at the bull, and who is nearer throws first in what is played next.

A side is ranked by the zones of its darts, first dart first, so those who are level are just those with the same zones
so far, and a throw again is one zone more. It decides nothing but an order: what that is for is kept in its options.
"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct
from msgspec.structs import replace

from engine.game import Advice, Game, Panel, Seating, Step, Turn
from engine.luck import Luck
from engine.sequel import Sequel
from engine.skill import Skill
from engine.tuples import put
from protocol.segment import Layout, Segment

ZONES = ("DB", "SB", "I", "T", "O", "D", "MISS")
"""From the middle of the board outwards."""
_AGAIN = 20


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """`then`: the header of the match that this decides the order for, without its players."""

    then: Annotated[
        dict[str, Any] | None,  # Any: JSON
        Meta(description="a match to play next, or null", examples=[{"game": "x01", "options": {"start": 301}}]),
    ] = None


class State(Struct, frozen=True):
    """`thrown`: the zones of each side, by their places in ZONES. `places`: from 1, None where it is not known yet.

    `order`: the sides as far as they are apart; those who have left come last.
    """

    options: Options
    thrown: tuple[tuple[int, ...], ...]
    places: tuple[int | None, ...]
    order: tuple[int, ...]


class BullOff(Game[Options, State]):
    """A dart each at the bull: nearer throws first in the match that follows.

    Each side throws one dart at the bull. An electronic board knows in which area a dart is and not how far from the
    middle, so it goes by zone, from the middle outwards: inner bull, outer bull, inner single, triple, outer single,
    double, miss. Where a board cannot tell the two singles apart, every single is an inner one.

    Sides whose darts are in the same zone are level. They throw again, one dart each and among themselves, in reverse
    order, until all are apart. Who was ahead of them stays ahead, who was behind them behind. Those who are still level
    after twenty throws more take the order of the sides.

    The members of a team take turns, so its first throws first. Who leaves comes last.

    The first wins the bull-off. With `then`, the header of a match without its players, that match is played next, by
    the same people and the sides in the order found here.

    Source: WDF playing rules 12.01 to 12.03, with zones in the place of the distance.
    """

    id = "bull_off"
    options_type = Options
    sides = range(2, 17)
    team_size = range(1, 33)
    aside = frozenset({"then"})
    is_counted = False

    def title(self, options: Options) -> str:
        return "Bull-off"

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> State:
        count = len(seating.sides)
        return State(options, ((),) * count, (None,) * count, tuple(range(count)))

    def darts(self, state: State, turn: Turn) -> int:
        return 1

    def order(self, state: State, round: int, sides: tuple[int, ...]) -> tuple[int, ...]:
        if round == 1:
            return sides
        groups = [level[:: 1 if round % 2 else -1] for level in _levels(state, sides) if len(level) > 1]
        return tuple(side for level in groups for side in level) or sides

    def begin(self, state: State, turn: Turn, luck: Luck) -> Step[State]:
        """Whoever has left meanwhile may leave nobody level."""
        is_alone = len(turn.playing) == 1
        is_thrown = all(0 < len(state.thrown[side]) < turn.round for side in turn.playing)
        return _judged(state, turn) if is_alone or is_thrown else Step(state)

    def dart(self, state: State, segment: Segment, turn: Turn, luck: Luck) -> Step[State]:
        thrown = (*state.thrown[turn.side], _zone(segment))
        return Step(replace(state, thrown=put(state.thrown, turn.side, thrown)))

    def round_over(self, state: State, turn: Turn, luck: Luck) -> Step[State]:
        return _judged(state, turn)

    def score(self, state: State, side: int) -> int:
        """Its place, 0 while that is not known."""
        return state.places[side] or 0

    def award(self, state: State, turn: Turn) -> str | None:
        return None

    def sequel(self, options: Options, state: State) -> Sequel | None:
        return Sequel(options.then, state.order) if options.then is not None else None

    def view(self, state: State, turn: Turn, seat: int | None) -> Panel:
        detail = tuple(
            {"zone": ZONES[thrown[-1]] if thrown else None, "place": place}
            for thrown, place in zip(state.thrown, state.places, strict=True)
        )
        lit = ("bull",) if turn.darts_left else ()
        is_found = all(state.places[side] for side in turn.playing)
        return Panel("plain", detail, targets=lit, board={"order": list(state.order) if is_found else None})

    def advise(self, state: State, turn: Turn, seat: int, skill: Skill) -> Advice:
        return Advice(aim="DB") if turn.darts_left else Advice()


def _zone(segment: Segment) -> int:
    if segment.multiplier == 0:
        return ZONES.index("MISS")
    return ZONES.index(segment.id if segment.value == 25 else segment.id[0].replace("S", "I"))


def _levels(state: State, sides: tuple[int, ...]) -> list[tuple[int, ...]]:
    """These sides, in groups of those who are level, the nearest first."""
    found: dict[tuple[int, ...], list[int]] = {}
    for side in sides:
        found.setdefault(state.thrown[side], []).append(side)
    return [tuple(found[thrown]) for thrown in sorted(found)]


def _judged(state: State, turn: Turn) -> Step[State]:
    """Who has a place by now; with the last of them it is over."""
    levels = _levels(state, turn.playing)
    if max(map(len, state.thrown)) > _AGAIN:
        levels = [(side,) for level in levels for side in level]
    places: tuple[int | None, ...] = (None,) * len(state.places)
    ahead = 0
    for level in levels:
        ahead += len(level)
        if len(level) == 1:
            places = put(places, level[0], ahead)
    there = tuple(side for level in levels for side in level)
    gone = tuple(side for side in state.order if side not in there)
    state = replace(state, places=places, order=there + gone)
    return Step(state, winners=levels[0] if len(levels) == len(there) else None)


GAMES = (BullOff(),)
