"""A plan of the halve-it family: the target of each round, and what darts come to there.

Most targets are labels of the face, and each dart counts for itself. A few ask for three darts that make something
together; those count all or nothing. What a dart promises, for players who have to aim, is told beside what counts.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from engine.awards import is_shanghai
from engine.checkouts import Bull, worth
from engine.games.beds import beds
from protocol.segment import Segment
from protocol.standard import NUMBERS

BED_OR_21 = "bed_or_21"
"""Three darts in one number, or three scoring darts that make exactly 21."""
FORTY_ONE = "41"
"""Three scoring darts that make exactly 41."""
COLOURS = "3C"
"""Three darts in three different colours of the bristle board."""
HURDLES = "H"
"""A number, and then twice the next number but one, clockwise."""
_TOGETHER = frozenset({BED_OR_21, FORTY_ONE, COLOURS, HURDLES})
_LABELS = {"double": "D", "triple": "T", "bull": "B", BED_OR_21: "21"}

Darts = tuple[Segment, ...]


class Plan(Struct, frozen=True):
    """The rules of one game of the family. `targets` are labels or ids of the face, or the names above, a round each.

    `shanghai`: what a single, a double and a triple in one visit multiply it by. `tie`: what those do who are level
    after the last round; those with the fewest halves are the better ones, or they share it, or they throw on.
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

    @property
    def rows(self) -> tuple[str, ...]:
        """The targets as they are written on a sheet."""
        return tuple(_LABELS.get(target, target) for target in self.targets)

    def row(self, round: int) -> int:
        """Which target it is in this round: after the last one they begin again."""
        return (round - 1) % len(self.targets)

    def target(self, round: int) -> str:
        """The target of this round."""
        return self.targets[self.row(round)]

    def is_together(self, target: str) -> bool:
        """Does it ask for three darts together?"""
        return target in _TOGETHER

    def points(self, darts: Darts) -> int:
        """What darts that count are worth."""
        return sum(worth(dart, self.bull)[0] for dart in darts)

    def hits(self, target: str, darts: Darts) -> Darts:
        """The darts of a visit that count."""
        if target in _TOGETHER:
            return darts if len(darts) == 3 and _all_score(darts) and self._makes(target, darts) else ()
        return tuple(dart for dart in darts if self._is_in(target, dart))

    def is_bed(self, darts: Darts) -> bool:
        """Are they three in one number?"""
        numbers = {dart.value for dart in darts}
        return len(darts) == 3 and _all_score(darts) and len(numbers) == 1 and (self.three_bulls or numbers != {25})

    def is_shanghai(self, hits: Darts) -> bool:
        """Are they worth the multiple?"""
        one_number = len({dart.value for dart in hits}) == 1
        return self.shanghai > 1 and is_shanghai(hits) and (one_number or not self.one_number_shanghai)

    def lit(self, target: str, darts: Darts) -> tuple[str, ...]:
        """What a screen lights for the next dart."""
        if target == HURDLES:
            return tuple(map(str, hurdles(darts)[len(darts) : len(darts) + 1])) if darts else ()
        return () if target in _TOGETHER else (target,)

    def promise(self, target: str, darts: Darts) -> float:
        """How likely it is that the last of these darts helps its visit to count: a rough share of 1."""
        *before, last = darts
        if target not in _TOGETHER:
            return float(self._is_in(target, last))
        if not _all_score(darts):
            return 0.0
        if len(darts) == 3:
            return float(self._makes(target, darts))
        match target:
            case "41":
                return _ease(41 - self.points(darts), 3 - len(darts))
            case "bed_or_21":
                bed = len({dart.value for dart in darts}) == 1
                return 1.0 if bed else _ease(21 - self.points(darts), 1) / 2
            case "3C":
                return float(_colour(last) not in map(_colour, before))
        return float(_is_hurdled(darts))

    def aims(self, target: str, darts: Darts) -> tuple[str, ...]:
        """The beds that may be worth aiming at, after these darts of the visit; the best for who never misses first."""
        match target:
            case "triple":
                return tuple(f"T{number}" for number in range(20, 0, -1))
            case "double":
                return ("DB" if self.bull_is_double else "D20", *(f"D{number}" for number in range(20, 0, -1)))
            case "41":
                left = 41 - self.points(darts)
                return _exactly(left) if len(darts) == 2 else tuple(f"O{number}" for number in range(20, 0, -1))
            case "bed_or_21" if darts and darts[0].value in NUMBERS:
                exact = _exactly(21 - self.points(darts)) if len(darts) == 2 else ()
                return (*beds(darts[0].value), *exact)
            case "3C":
                return ("T20", "T19", "O20", "O19", "D20", "D19", "O18", "O17", "DB", "SB")
            case "H" if darts:
                return beds((hurdles(darts) or (20,) * 3)[len(darts)])
            case "bed_or_21" | "H":
                return ("T20", "O20", "T19", "O19", "T17", "O17")
        return beds(target) if target.isdigit() or target == "bull" else (target,)

    def _is_in(self, target: str, dart: Segment) -> bool:
        if target == "double" and not self.bull_is_double and "bull" in dart.groups:
            return False
        return target in dart.groups or target == dart.id

    def _makes(self, target: str, darts: Darts) -> bool:
        match target:
            case "41":
                return self.points(darts) == 41
            case "bed_or_21":
                return self.is_bed(darts) or self.points(darts) == 21
            case "3C":
                return len(set(map(_colour, darts))) == 3
        return _is_hurdled(darts)


def hurdles(darts: Darts) -> tuple[int, ...]:
    """The three numbers that the first dart asks for; none when it is in no number."""
    if darts[0].value not in NUMBERS:
        return ()
    first = NUMBERS.index(darts[0].value)
    return tuple(NUMBERS[(first + 2 * k) % len(NUMBERS)] for k in range(3))


def _is_hurdled(darts: Darts) -> bool:
    return tuple(dart.value for dart in darts) == hurdles(darts)[: len(darts)]


def _all_score(darts: Darts) -> bool:
    return all(dart.points for dart in darts)


def _colour(dart: Segment) -> str:
    """The colour of a bed on the bristle board, where those of the numbers alternate, the 20 black and red."""
    if dart.value not in NUMBERS:
        return "red" if "double" in dart.groups else "green"
    is_dark = NUMBERS.index(dart.value) % 2 == 0
    if "single" in dart.groups:
        return "black" if is_dark else "white"
    return "red" if is_dark else "green"


def _ease(left: int, darts: int) -> float:
    """How easily so much is made with so many darts that all have to score."""
    if darts <= left <= 20 * darts:
        return 1.0
    return 0.2 if darts < left <= 60 * darts else 0.0


def _exactly(points: int) -> tuple[str, ...]:
    """The beds that are worth so much."""
    found = [f"O{points}"] if points in NUMBERS else []
    found += [f"{ring}{points // n}" for ring, n in (("D", 2), ("T", 3)) if not points % n and points // n in NUMBERS]
    return (*found, *{25: ("SB",), 50: ("DB",)}.get(points, ())) or ("O20",)
