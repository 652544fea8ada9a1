"""The bull-off: one dart each at the bull decides who throws first in the match that follows.

A side is ranked by the zones of its darts, first dart first, so those who are tied are just those with the same zones
so far, and a throw again is one zone more. Its only result is an order; the match that it is for is kept in its
options.
"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct
from msgspec.structs import replace

from engine.game import Advice, Game, Panel, Reason, Seating, Sequel, Step, Turn, put
from engine.luck import Luck
from engine.skill import Skill
from protocol.segment import Layout, Segment
from protocol.sentence import Sentence, say

ZONES = ("DB", "SB", "I", "T", "O", "D", "MISS")
"""From the middle of the board outwards."""
_AGAIN = 20


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """`then`: the header of the match that this decides the order for, without its players."""

    then: Annotated[
        dict[str, Any] | None,  # Any: JSON
        Meta(description="a match to play next, or null", examples=[{"game": "x01", "options": {"start": 301}}]),
    ] = None


class BullOffState(Struct, frozen=True):
    """`thrown`: the zones of each side, by their places in ZONES. `places`: from 1, None where it is not known yet.

    `order`: the sides as far as they are apart; those who have left come last.
    """

    options: Options
    thrown: tuple[tuple[int, ...], ...]
    places: tuple[int | None, ...]
    order: tuple[int, ...]


class BullOff(Game[Options, BullOffState]):
    """One dart each at the bull: the nearest throws first in the match that follows.

    Each side throws one dart at the bull. An electronic board knows the area that a dart is in, but not how far it is
    from the middle. So the zone decides, from the middle outwards: inner bull, outer bull, inner single, triple, outer
    single, double, miss. If a board cannot tell the two singles apart, every single is an inner one.

    Sides whose darts are in the same zone are level. They throw one more dart each, among themselves and in reverse
    order, until none are level. The other sides keep their places ahead of them and behind them. Sides that are still
    level after twenty more throws take the order in which the match lists them.

    The members of a team take turns, and the first member throws first. A side that leaves comes last.

    The nearest side wins the bull-off. If there is a `Match to play next` (the header of a match without its players),
    that match follows with the same people, and the sides throw in the order found here.

    Source: a house rule of oche, after WDF playing rules 12.01 to 12.03, with zones instead of the distance.
    """

    id = "bull_off"
    options_type = Options
    sides = range(2, 17)
    team_size = range(1, 33)
    aside = frozenset({"then"})
    is_counted = False

    def title(self, options: Options) -> str:
        return "Bull-off"

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> BullOffState:
        count = len(seating.sides)
        return BullOffState(options, ((),) * count, (None,) * count, tuple(range(count)))

    def darts(self, state: BullOffState, turn: Turn) -> int:
        return 1

    def order(self, state: BullOffState, round: int, sides: tuple[int, ...]) -> tuple[int, ...]:
        if round == 1:
            return sides
        return _order_tied_sides(state, round, sides) or sides

    def begin(self, state: BullOffState, turn: Turn, luck: Luck) -> Step[BullOffState]:
        """When sides have left meanwhile, the others may not be tied any more."""
        is_alone = len(turn.playing) == 1
        is_thrown = all(0 < len(state.thrown[side]) < turn.round for side in turn.playing)
        return _rank_sides(state, turn) if is_alone or is_thrown else Step(state)

    def dart(self, state: BullOffState, segment: Segment, turn: Turn, luck: Luck) -> Step[BullOffState]:
        thrown = (*state.thrown[turn.side], _zone(segment))
        return Step(replace(state, thrown=put(state.thrown, turn.side, thrown)))

    def round_over(self, state: BullOffState, turn: Turn, luck: Luck) -> Step[BullOffState]:
        return _rank_sides(state, turn)

    def score(self, state: BullOffState, side: int) -> int:
        """Its place, 0 while that is not known."""
        return state.places[side] or 0

    def award(self, state: BullOffState, turn: Turn) -> str | None:
        return None

    def sequel(self, options: Options, state: BullOffState) -> Sequel | None:
        return Sequel(options.then, state.order) if options.then is not None else None

    def view(self, state: BullOffState, turn: Turn, seat: int | None) -> Panel:
        detail = tuple(
            {"zone": ZONES[thrown[-1]] if thrown else None, "place": place}
            for thrown, place in zip(state.thrown, state.places, strict=True)
        )
        lit = ("bull",) if turn.darts_left else ()
        is_found = all(state.places[side] for side in turn.playing)
        board = {"order": list(state.order) if is_found else None, "split_singles": True}
        return Panel("plain", detail, targets=lit, board=board)

    def task(self, state: BullOffState, turn: Turn, panel: Panel) -> Sentence:
        if turn.round > 1:
            return _say_tied(turn.names[turn.side])
        return say("bull_off.throw", "Throw one dart at the bull: the nearest throws first")

    def reason(self, state: BullOffState, turn: Turn, bust: bool) -> Reason | None:
        before = replace(state, thrown=tuple(thrown[: turn.round - 1] for thrown in state.thrown))
        queue = turn.playing if turn.round == 1 else _order_tied_sides(before, turn.round, turn.playing)
        if following := queue[queue.index(turn.side) + 1 :] if turn.side in queue else ():
            said = say("bull_off.next", "Next: {name}; nearest the bull wins", name=turn.names[following[0]])
            return Reason(said, "neutral")
        again = _order_tied_sides(state, turn.round + 1, turn.playing)
        return Reason(_say_tied(turn.names[again[0]]), "neutral") if again else None

    def advise(self, state: BullOffState, turn: Turn, seat: int, skill: Skill) -> Advice:
        return Advice(aim="DB")


def _zone(segment: Segment) -> int:
    if segment.multiplier == 0:
        return ZONES.index("MISS")
    return ZONES.index(segment.id if segment.value == 25 else segment.id[0].replace("S", "I"))


def _group_tied_sides(state: BullOffState, sides: tuple[int, ...]) -> list[tuple[int, ...]]:
    """These sides in groups of tied ones, the nearest first."""
    found: dict[tuple[int, ...], list[int]] = {}
    for side in sides:
        found.setdefault(state.thrown[side], []).append(side)
    return [tuple(found[thrown]) for thrown in sorted(found)]


def _order_tied_sides(state: BullOffState, round: int, sides: tuple[int, ...]) -> tuple[int, ...]:
    """The tied ones of these sides in the order in which they throw again in this round; none where all are apart."""
    groups = [group[:: 1 if round % 2 else -1] for group in _group_tied_sides(state, sides) if len(group) > 1]
    return tuple(side for group in groups for side in group)


def _say_tied(name: str) -> Sentence:
    return say("bull_off.tied", "Tie: another throw for {name}, nearest the bull wins", name=name)


def _rank_sides(state: BullOffState, turn: Turn) -> Step[BullOffState]:
    """The sides that have a place by now; when all have one, it is over."""
    groups = _group_tied_sides(state, turn.playing)
    if max(map(len, state.thrown)) > _AGAIN:
        groups = [(side,) for group in groups for side in group]
    places: tuple[int | None, ...] = (None,) * len(state.places)
    ahead = 0
    for group in groups:
        ahead += len(group)
        if len(group) == 1:
            places = put(places, group[0], ahead)
    there = tuple(side for group in groups for side in group)
    gone = tuple(side for side in state.order if side not in there)
    state = replace(state, places=places, order=there + gone)
    return Step(state, winners=groups[0] if len(groups) == len(there) else None)


GAMES = (BullOff(),)
