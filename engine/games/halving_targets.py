"""The targets of the halve-it family: which darts of a visit count at each, what they are worth, and what to aim at.

Most targets are groups of the layout, and each dart counts for itself; a few ask for three darts that make something
together, and count all or nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import Struct

from engine.awards import is_shanghai
from engine.checkouts import worth
from engine.finishing import Bull
from engine.games.targets import BULL, beds, shorten_label
from protocol.segment import Segment
from protocol.standard import NUMBERS

BED_OR_21 = "bed_or_21"
"""Three darts in one number, or three scoring darts with a total of 21."""
FORTY_ONE = "41"
"""Three scoring darts that make exactly 41."""
COLOURS = "3C"
"""Three darts in three different colours of the bristle board."""
HURDLES = "H"
"""Three numbers, each the next but one after the last, clockwise."""
CAPITAL = "C"
"""Every dart counts."""
FIFTY_SEVEN = "57"
"""Exactly 57 with one dart, two or three."""
SIDE_BY_SIDE = "3S"
"""Three darts in three numbers that lie side by side, in any order."""
IN_A_ROW = "3R"
"""Three darts in three numbers that follow each other, in any order; the bull is a 21."""
_AFTER_20 = 21
"""What the bull stands for among numbers in a row."""
_TOGETHER = frozenset({BED_OR_21, FORTY_ONE, COLOURS, HURDLES, FIFTY_SEVEN, SIDE_BY_SIDE, IN_A_ROW})
_AIMS = {
    "triple": tuple(f"T{number}" for number in range(20, 0, -1)),
    COLOURS: ("T20", "T19", "O20", "O19", "D20", "D19", "O18", "O17", "DB", "SB"),
    CAPITAL: ("T20", "T19", "T18", "T17", "T16", "T14", "O16", "O11", "DB"),
}
"""The beds that may be worth aiming at, where the darts before do not matter; first the best."""

Darts = tuple[Segment, ...]


class HalvingRules(Struct, frozen=True):
    """The rules of one game of the family. `targets` has one for each round: a group or a segment id of the layout, or
    one of the names above.

    `shanghai`: the factor of a visit with a single, a double and a triple. `tie`: what happens to sides that are tied
    after the last round: the fewest halves decide, they share the win, or they throw on. With `bull_round_25` either
    part of the bull is worth 25 in its round.
    """

    targets: tuple[str, ...]
    start: int
    round_up: bool = True
    bull: Bull = "25/50"
    bull_is_double: bool = True
    three_bulls: bool = True
    shanghai: int = 1
    one_number_shanghai: bool = True
    tie: Literal["share", "leaders", "all", "fewest_halves"] = "share"
    bull_round_25: bool = False

    @property
    def rows(self) -> tuple[str, ...]:
        """The labels of the targets on a sheet."""
        return tuple("21" if target == BED_OR_21 else shorten_label(target) for target in self.targets)

    def row(self, round: int) -> int:
        """The index of the target of this round: after the last one they begin again."""
        return (round - 1) % len(self.targets)

    def target(self, round: int) -> str:
        """The target of this round."""
        return self.targets[self.row(round)]

    def is_together(self, target: str) -> bool:
        """Whether this target asks for three darts together."""
        return target in _TOGETHER

    def points(self, darts: Darts, target: str | None = None) -> int:
        """The points of darts that count, at this target."""
        if self.bull_round_25 and target == "bull":
            return 25 * len(darts)
        return sum(worth(dart, self.bull)[0] for dart in darts)

    def hits(self, target: str, darts: Darts) -> Darts:
        """The darts of a visit that count."""
        if target == FIFTY_SEVEN:
            return darts if self.points(darts) == 57 else ()
        if target in _TOGETHER:
            return darts if len(darts) == 3 and all_score(darts) and self._makes(target, darts) else ()
        return tuple(dart for dart in darts if self._is_in(target, dart))

    def is_bed(self, darts: Darts) -> bool:
        """Whether these are three darts in one number."""
        numbers = {dart.value for dart in darts}
        return len(darts) == 3 and all_score(darts) and len(numbers) == 1 and (self.three_bulls or numbers != {25})

    def is_shanghai(self, hits: Darts) -> bool:
        """Whether these hits are a Shanghai that multiplies the visit."""
        one_number = len({dart.value for dart in hits}) == 1
        return self.shanghai > 1 and is_shanghai(hits) and (one_number or not self.one_number_shanghai)

    def lit(self, target: str, darts: Darts) -> tuple[str, ...]:
        """The targets of the next dart, for a panel; empty where any dart may help."""
        if target == HURDLES:
            return tuple(map(str, hurdles(darts)[len(darts) : len(darts) + 1])) if darts else ()
        if target in (SIDE_BY_SIDE, IN_A_ROW) and darts:
            fits = _are_neighbours if target == SIDE_BY_SIDE else _are_in_a_row
            fitting = _fitting_numbers([dart.value for dart in darts], fits)
            return tuple("bull" if number == BULL else str(number) for number in fitting)
        return () if target in _TOGETHER or target == CAPITAL else (target,)

    def promise(self, target: str, darts: Darts) -> float:
        """A rough chance, 0 to 1, that the last of these darts helps its visit to count."""
        *before, last = darts
        if target not in _TOGETHER:
            return float(self._is_in(target, last))
        if target == FIFTY_SEVEN:
            return _chance_of_exactly(57 - self.points(darts), 3 - len(darts))
        if not all_score(darts):
            return 0.0
        if len(darts) == 3:
            return float(self._makes(target, darts))
        match target:
            case "41":
                return chance_of_total(41 - self.points(darts), 3 - len(darts))
            case "bed_or_21":
                bed = len({dart.value for dart in darts}) == 1
                return 1.0 if bed else chance_of_total(21 - self.points(darts), 1) / 2
            case "3C":
                return float(_find_colour(last) not in map(_find_colour, before))
            case "3S" | "3R":
                return float(self._makes(target, darts))
        return float(_is_hurdled(darts))

    def is_lost(self, target: str, darts: Darts) -> bool:
        """Whether these darts have spoilt a target that all darts of a visit make together."""
        if not darts or target not in _TOGETHER:
            return False
        if target == FORTY_ONE and not all_score(darts):
            return True
        total = {FORTY_ONE: 41, FIFTY_SEVEN: 57}.get(target)
        if total is not None and len(darts) == 2 and (left := total - self.points(darts)):
            return _beds_worth(left) == ("O20",)
        return self.promise(target, darts) <= 0

    def aims(self, target: str, darts: Darts) -> tuple[str, ...]:
        """The beds that may be worth aiming at after these darts; first the best for a player who never misses."""
        if target in _AIMS:
            return _AIMS[target]
        match target:
            case "double":
                return ("DB" if self.bull_is_double else "D20", *(f"D{number}" for number in range(20, 0, -1)))
            case "41":
                left = 41 - self.points(darts)
                return _beds_worth(left) if len(darts) == 2 else tuple(f"O{number}" for number in range(20, 0, -1))
            case "bed_or_21" if darts and darts[0].value in NUMBERS:
                exact = _beds_worth(21 - self.points(darts)) if len(darts) == 2 else ()
                return (*beds(darts[0].value), *exact)
            case "57":
                left = 57 - self.points(darts)
                return (*_beds_worth(left), *(f"O{number}" for number in (20, 19, 18, 17, 16)))
            case "3S" | "3R":
                fits = _are_neighbours if target == SIDE_BY_SIDE else _are_in_a_row
                return _fitting_beds([dart.value for dart in darts], fits) or ("O20",)
            case "H" if darts:
                return beds((hurdles(darts) or (20,) * 3)[len(darts)])
            case "bed_or_21" | "H":
                return ("T20", "O20", "T19", "O19", "T17", "O17")
        return beds(target) if target.isdigit() or target == "bull" else (target,)

    def _is_in(self, target: str, dart: Segment) -> bool:
        if target == "double" and not self.bull_is_double and "bull" in dart.groups:
            return False
        return target in dart.groups or target == dart.id or (target == CAPITAL and dart.points > 0)

    def _makes(self, target: str, darts: Darts) -> bool:
        match target:
            case "41":
                return self.points(darts) == 41
            case "bed_or_21":
                return self.is_bed(darts) or self.points(darts) == 21
            case "3C":
                return len(set(map(_find_colour, darts))) == 3
            case "3S":
                return _are_neighbours([dart.value for dart in darts])
            case "3R":
                return _are_in_a_row([dart.value for dart in darts])
        return _is_hurdled(darts)


def hurdles(darts: Darts) -> tuple[int, ...]:
    """The three numbers of the hurdles that begin with the first dart; empty when it is in no number."""
    if darts[0].value not in NUMBERS:
        return ()
    first = NUMBERS.index(darts[0].value)
    return tuple(NUMBERS[(first + 2 * k) % len(NUMBERS)] for k in range(3))


def _is_hurdled(darts: Darts) -> bool:
    return tuple(dart.value for dart in darts) == hurdles(darts)[: len(darts)]


def _are_neighbours(values: Sequence[int]) -> bool:
    """Whether these up to three numbers of darts are, in any order, part of three that lie side by side."""
    if any(value not in NUMBERS for value in values):
        return False
    places = [NUMBERS.index(value) for value in values]
    return len({*places}) == len(places) and any(
        all((place - first) % len(NUMBERS) < 3 for place in places) for first in places
    )


def _are_in_a_row(values: Sequence[int]) -> bool:
    """Whether these up to three numbers of darts are, in any order, part of three like 7, 8, 9; the bull is a 21."""
    steps = sorted(_AFTER_20 if value == BULL else value for value in values)
    return steps[0] > 0 and len({*steps}) == len(steps) and steps[-1] - steps[0] < 3


def _fitting_beds(values: Sequence[int], fits: Callable[[Sequence[int]], bool]) -> tuple[str, ...]:
    """The beds of the numbers that fit to these, the high numbers first."""
    return tuple(bed for number in _fitting_numbers(values, fits) for bed in beds(number, "OT"))


def _fitting_numbers(values: Sequence[int], fits: Callable[[Sequence[int]], bool]) -> list[int]:
    """The numbers that fit to these, the high ones first."""
    return [number for number in (BULL, *range(20, 0, -1)) if fits((*values, number))]


def _find_colour(dart: Segment) -> str:
    """The colour of a bed on the bristle board, where those of the numbers alternate, the 20 black and red."""
    if dart.value not in NUMBERS:
        return "red" if "double" in dart.groups else "green"
    is_dark = NUMBERS.index(dart.value) % 2 == 0
    if "single" in dart.groups:
        return "black" if is_dark else "white"
    return "red" if is_dark else "green"


def all_score(darts: Darts) -> bool:
    """Whether each of these darts scores."""
    return all(dart.points for dart in darts)


def chance_of_total(left: int, darts: int) -> float:
    """How easily so many points are made with so many darts that all have to score, 0 to 1."""
    if darts <= left <= 20 * darts:
        return 1.0
    return 0.2 if darts < left <= 60 * darts else 0.0


def _chance_of_exactly(left: int, darts: int) -> float:
    """How easily exactly so many points are made with at most so many darts, 0 to 1."""
    if not left:
        return 1.0
    if darts == 1:
        return 0.5 if 0 < left <= 20 else 0.1 if left > 0 and _beds_worth(left) != ("O20",) else 0.0
    return 0.6 if 0 < left <= 20 * darts else 0.05 if 0 < left <= 60 * darts else 0.0


def _beds_worth(points: int) -> tuple[str, ...]:
    """The beds that are worth so many points; the single 20 where there are none."""
    found = [f"O{points}"] if points in NUMBERS else []
    found += [f"{ring}{points // n}" for ring, n in (("D", 2), ("T", 3)) if not points % n and points // n in NUMBERS]
    return (*found, *{25: ("SB",), 50: ("DB",)}.get(points, ())) or ("O20",)
