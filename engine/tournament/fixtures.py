"""The matches of a draw, and what has become of each: one pass over them finds the sides, the winner and the loser.

Where a side comes from is data, so byes, empty seats and walkovers fall through by themselves. An outcome names the
entrants it is of and counts only where they are the sides, so nothing is ever taken apart when a result changes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property
from math import inf
from types import MappingProxyType
from typing import Literal

from msgspec import Struct

from protocol.tournament import EMPTY, UNKNOWN, Entrant, Stage

Pair = tuple[int, int]
How = Literal["waiting", "ready", "played", "walkover", "bye", "annulled"]
"""What a match waits for, or how it came to its winner; an annulled one counts nowhere."""
OF_TABLE: frozenset[Stage] = frozenset(("group", "round"))
"""The stages whose matches count for a table, so that they may be drawn."""


class Drawn(Struct, frozen=True, gc=False):
    """A side that is known from the draw: an entrant, or EMPTY."""

    entrant: Entrant


class WinnerOf(Struct, frozen=True, gc=False):
    """The winner of that match."""

    fixture: str


class LoserOf(Struct, frozen=True, gc=False):
    """The loser of that match."""

    fixture: str


class AgainIfBeaten(Struct, frozen=True, gc=False):
    """That side of a final (0 or 1) once more if its side 1, which was beaten before, wins it; otherwise EMPTY."""

    fixture: str
    side: int


class PlaceOf(Struct, frozen=True, gc=False):
    """Who has that place, from 1, in that group, from 0; UNKNOWN until the group is over."""

    group: int
    place: int


Source = Drawn | WinnerOf | LoserOf | AgainIfBeaten | PlaceOf


class Fixture(Struct, frozen=True):
    """A match of the draw. Its `id` is compared whole. `round` and `number` count from 1, `group` from 0.

    `loser_rank` and `winner_rank` order those who play no further by the places that they get, the best first; None:
    they play on, or a table decides. `last` is how many sides are left in a round of a knock-out.
    """

    id: str
    stage: Stage
    round: int
    number: int
    sides: tuple[Source, Source]
    loser_rank: int | None = None
    winner_rank: int | None = None
    group: int | None = None
    last: int | None = None


class Outcome(Struct, frozen=True):
    """How a match between these sides ended, in their order. `winner` None: a draw.

    `legs`, `sets`, `points` and `darts` are as in Result; those of a deciding leg have what `drawn` has added to
    them. `attempt` is the call in which it was played. `by_hand`: the organiser has entered it.
    """

    sides: Pair
    winner: Entrant | None
    legs: Pair = (0, 0)
    points: Pair = (0, 0)
    darts: Pair = (0, 0)
    sets: Pair = (0, 0)
    walkover: bool = False
    attempt: int = 0
    drawn: Outcome | None = None
    by_hand: bool = False


class Resolved(Struct, frozen=True, gc=False):
    """What has become of a match. `winner` and `loser` are UNKNOWN until there is one, and EMPTY where nobody is."""

    sides: Pair
    how: How
    winner: Entrant = UNKNOWN
    loser: Entrant = UNKNOWN


WAITING: Resolved = Resolved((UNKNOWN, UNKNOWN), "waiting")
Places = Callable[[Mapping[str, Resolved], int, int], Entrant]
"""Who has that place in that group, as far as matches are resolved."""


class Fixtures:
    """The matches of a draw, each after those that it depends on."""

    def __init__(self, fixtures: Iterable[Fixture] = (), slots: int = 0) -> None:
        self.by_id: dict[str, Fixture] = {each.id: each for each in fixtures}
        self.parts = {f"{name}/{slot + 1}": (name, slot) for name in self.by_id for slot in range(slots)}
        """The match and the slot, from 0, of each part of a team match."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fixtures) and self.by_id == other.by_id and self.parts == other.parts

    __hash__ = None  # type: ignore[assignment]  # it holds a dict

    def __iter__(self) -> Iterator[Fixture]:
        return iter(self.by_id.values())

    def __len__(self) -> int:
        return len(self.by_id)

    @cached_property
    def dependents(self) -> dict[str, list[str]]:
        """The matches that wait for the winner or loser of each."""
        found: dict[str, list[str]] = {}
        for fixture in self:
            for name in {source.fixture for source in fixture.sides if not isinstance(source, Drawn | PlaceOf)}:
                found.setdefault(name, []).append(fixture.id)
        return found

    @cached_property
    def of_places(self) -> dict[int, list[str]]:
        """The matches that wait for a place of each group."""
        found: dict[int, list[str]] = {}
        for fixture in self:
            for group in {source.group for source in fixture.sides if isinstance(source, PlaceOf)}:
                found.setdefault(group, []).append(fixture.id)
        return found

    @cached_property
    def depths(self) -> dict[str, int]:
        """How many rounds wait for each match, its own included; the matches with the most come first."""
        found: dict[str, int] = {}
        last: dict[int | None, int] = {}
        for fixture in self:
            if fixture.stage in OF_TABLE:
                last[fixture.group] = max(last.get(fixture.group, 0), fixture.round)
        after: dict[int | None, int] = {}
        for fixture in reversed(self.by_id.values()):
            if fixture.stage not in OF_TABLE:
                found[fixture.id] = 1 + max((found[each] for each in self.dependents.get(fixture.id, ())), default=0)
                continue
            group = fixture.group
            if group not in after:
                waiting = self.of_places.get(group, ()) if group is not None else ()
                after[group] = max((found[each] for each in waiting), default=0)
            found[fixture.id] = after[group] + last[group] - fixture.round + 1
        in_order = sorted(self.by_id, key=lambda name: -found[name])
        return {name: found[name] for name in in_order}

    @cached_property
    def order(self) -> dict[str, int]:
        """The place of each match among all."""
        return {name: place for place, name in enumerate(self.by_id)}

    def in_order(self, names: Iterable[str]) -> list[str]:
        """These matches, each after those that it depends on."""
        return sorted(names, key=self.order.__getitem__)


def resolve(
    fixtures: Fixtures,
    outcomes: Mapping[str, Outcome],
    left: Mapping[Entrant, int] = MappingProxyType({}),
    annulled: Collection[Entrant] = (),
    places: Places | None = None,
    before: Mapping[str, Resolved] | None = None,
    changed: Iterable[str] = (),
) -> dict[str, Resolved]:
    """What has become of each match.

    `left` are the entrants who have withdrawn, with the lines on which they did, `annulled` those whose matches of a
    table are struck. With `before`, only the `changed` matches and what depends on them are looked at again.
    """
    if before is None:
        found: dict[str, Resolved] = {}
        for fixture in fixtures:
            found[fixture.id] = _resolve(fixture, found, outcomes, left, annulled, places)
        return found
    found = dict(before)
    rest = fixtures.in_order(changed)
    seen = set(rest)
    while rest:
        name = rest.pop(0)
        seen.discard(name)
        after = _resolve(fixtures.by_id[name], found, outcomes, left, annulled, places)
        if after != found.get(name):
            found[name] = after
            more = [each for each in fixtures.dependents.get(name, ()) if each not in seen]
            if more:
                seen.update(more)
                rest = fixtures.in_order([*rest, *more])
    return found


def _resolve(
    fixture: Fixture,
    found: Mapping[str, Resolved],
    outcomes: Mapping[str, Outcome],
    left: Mapping[Entrant, int],
    annulled: Collection[Entrant],
    places: Places | None,
) -> Resolved:
    first, second = fixture.sides
    one, other = sides = _find_side(first, found, places), _find_side(second, found, places)
    if EMPTY in sides:
        return Resolved(sides, "bye", other if one == EMPTY else one, EMPTY)
    if UNKNOWN in sides:
        return Resolved(sides, "waiting")
    of_table = fixture.stage in OF_TABLE
    if of_table and (one in annulled or other in annulled):
        return Resolved(sides, "annulled")
    outcome = outcomes.get(fixture.id)
    if outcome is not None and outcome.sides == sides:
        if outcome.winner is not None:
            loser = other if outcome.winner == one else one
            return Resolved(sides, "walkover" if outcome.walkover else "played", outcome.winner, loser)
        if of_table:
            return Resolved(sides, "played")
    if one in left or other in left:
        if of_table and one in left and other in left:
            return Resolved(sides, "annulled")
        # Where both have left, the one that left later goes on: it may have played on when the other was gone.
        goes_on = one if other in left and left.get(one, inf) > left[other] else other
        return Resolved(sides, "walkover", goes_on, one if goes_on == other else other)
    return Resolved(sides, "ready")


def _find_side(source: Source, found: Mapping[str, Resolved], places: Places | None) -> Entrant:
    match source:
        case Drawn(entrant):
            return entrant
        case WinnerOf(name):
            return found[name].winner
        case LoserOf(name):
            return found[name].loser
        case PlaceOf(group, place):
            return UNKNOWN if places is None else places(found, group, place)
        case AgainIfBeaten(name, side):
            final = found[name]
            if final.how == "bye":
                return EMPTY
            if final.winner == UNKNOWN:
                return UNKNOWN
            return final.sides[side] if final.winner == final.sides[1] else EMPTY
