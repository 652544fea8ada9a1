"""Every way a board with a known mat may be built, and how well each explains the presses so far.

The order of a board's lines is unknown, so all a press can tell is whether its row and its column are ones that came
before. A candidate is therefore reduced to its pattern: which segments share a row line and which a column line. Two
candidates of one pattern (a mat that is its own mirror image, turned) are the same map of contacts and need not be
told apart. Answers may be wrong, so none is believed by itself: a pattern is charged with the cheapest set of answers
that must be dropped for the others to fit it, and the same answer twice is worth more than two different ones.

The bulls are left out: published boards of one mat differ there, so they are confirmed and never evidence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from protocol.mat import Wiring, list_mats, load_mat, locate_segments
from protocol.standard import NUMBERS

Cell = tuple[int, int]
"""A row and a column: a board's line numbers, or a mat's own (which are only names until the order is known)."""

BULLS = ("SB", "DB")


class Variant(NamedTuple):
    """A mat and how a board is built around it, but for the order of the lines. `bulls` in the mat's own lines."""

    mat: str
    wiring: Wiring
    bulls: Mapping[str, Cell]


class Pattern(NamedTuple):
    """Which segments share a line. `places` has them by every name they may be pressed under, without the bulls.

    The first of `variants` is the plainest. The bulls of the others are in the lines of the first, where it has them.
    """

    places: Mapping[str, Cell]
    variants: tuple[Variant, ...]
    is_split: bool
    rows: frozenset[int]
    cols: frozenset[int]


class Evidence(NamedTuple):
    """An answer: this contact closed when this segment was asked for, so many times."""

    segment: str
    cell: Cell
    times: int = 1

    @property
    def weight(self) -> int:
        """The cost of calling it wrong: 1, 3, 6 … by `times`: the same mistake is seldom made twice."""
        return self.times * (self.times + 1) // 2


class PatternFit:
    """One pattern against the answers. `cost` is the least weight of answers that must be wrong, None if too many.

    It never falls as answers come in, so a fit without a cost may be forgotten.
    """

    def __init__(self, pattern: Pattern) -> None:
        self.pattern = pattern
        self.cost: int | None = 0
        self._clashes: list[int] = []
        """For each answer a bit mask of those it cannot be true together with; itself, if it never can."""
        self._wrong = 0

    def weigh(self, answers: Sequence[Evidence], most: int) -> None:
        """Computes `cost`, at most `most`, for these answers: since the last call some came again, or were added."""
        news = self._wrong  # what was called wrong may weigh more by now
        for index in range(len(self._clashes), len(answers)):
            clashes = self._clashing(answers, index)
            self._clashes.append(clashes)
            for other in range(index):
                if clashes >> other & 1:
                    self._clashes[other] |= 1 << index
            news |= clashes
        if news and self.cost is not None:
            found = _find_cheapest(tuple(self._clashes), tuple(said.weight for said in answers), most)
            self.cost, self._wrong = (None, 0) if found is None else found

    def wrong(self, answers: Sequence[Evidence]) -> list[Evidence]:
        """The answers that this fit calls wrong."""
        return [said for index, said in enumerate(answers) if self._wrong >> index & 1]

    def lines(self, answers: Sequence[Evidence]) -> tuple[dict[int, int], dict[int, int]]:
        """The board's numbers of the pattern's rows and columns, as far as the other answers tell."""
        rows: dict[int, int] = {}
        cols: dict[int, int] = {}
        for index, said in enumerate(answers):
            place = self.pattern.places.get(said.segment)
            if place is not None and not self._wrong >> index & 1:
                rows[place[0]], cols[place[1]] = said.cell
        return rows, cols

    def _clashing(self, answers: Sequence[Evidence], index: int) -> int:
        segment, (row, col), _ = answers[index]
        place = self.pattern.places.get(segment)
        if place is None:
            return 0 if self.pattern.is_split and segment[0] == "S" else 1 << index  # either half was pressed
        clashes = 0
        for other in range(index):
            theirs = self.pattern.places.get(answers[other].segment)
            if theirs is not None:
                cell = answers[other].cell
                if (place[0] == theirs[0]) != (row == cell[0]) or (place[1] == theirs[1]) != (col == cell[1]):
                    clashes |= 1 << other
        return clashes


@cache
def list_patterns() -> tuple[Pattern, ...]:
    """The patterns of all mats that ship, in all turns, mirrored or not, transposed or not."""
    found: dict[tuple[Cell | None, ...], list[tuple[Variant, dict[str, Cell]]]] = {}
    for name in list_mats():
        for mirror in (False, True):
            for transpose in (False, True):
                for turn in range(20):
                    wiring = Wiring(turn=turn, mirror=mirror, transpose=transpose)
                    places = locate_segments(load_mat(name), wiring)
                    bulls = {bull: places.pop(bull) for bull in BULLS if bull in places}
                    found.setdefault(_shape(places), []).append((Variant(name, wiring, bulls), places))
    return tuple(_pattern(alike) for alike in found.values())


def _pattern(alike: list[tuple[Variant, dict[str, Cell]]]) -> Pattern:
    places = alike[0][1]
    variants = []
    for variant, theirs in alike:
        rows = {theirs[segment][0]: row for segment, (row, _) in places.items()}
        cols = {theirs[segment][1]: col for segment, (_, col) in places.items()}
        # A line of bulls only has no counterpart among the others: it gets a name that no line of a mat has.
        bulls = {bull: (rows.get(row, -1 - row), cols.get(col, -1 - col)) for bull, (row, col) in variant.bulls.items()}
        variants.append(variant._replace(bulls=bulls))
    is_split = any(segment[0] in "IO" for segment in places)
    halves = {} if is_split else {f"{half}{n}": places[f"S{n}"] for n in NUMBERS for half in "IO" if f"S{n}" in places}
    rows_used, cols_used = (frozenset(place[axis] for place in places.values()) for axis in (0, 1))
    return Pattern({**places, **halves}, tuple(variants), is_split, rows_used, cols_used)


def _shape(places: Mapping[str, Cell]) -> tuple[Cell | None, ...]:
    """The pattern without the order of lines: each line is numbered by when it first comes, going around the board."""
    rows: dict[int, int] = {}
    cols: dict[int, int] = {}
    shape: list[Cell | None] = []
    for ring in "TDSOI":
        for number in NUMBERS:
            place = places.get(f"{ring}{number}")
            if place is not None:
                place = (rows.setdefault(place[0], len(rows)), cols.setdefault(place[1], len(cols)))
            shape.append(place)
    return tuple(shape)


@lru_cache(1024)  # in most patterns the same answers clash
def _find_cheapest(clashes: Sequence[int], weights: Sequence[int], most: int) -> tuple[int, int] | None:
    """The cheapest answers to drop of all: their weight and their mask; None if above `most`."""
    return _Search(clashes, weights).cheapest((1 << len(weights)) - 1, most)


class _Search:
    """The least weight of answers without which the others agree; branches on the answer that clashes most."""

    def __init__(self, clashes: Sequence[int], weights: Sequence[int]) -> None:
        self._clashes = clashes
        self._weights = weights
        self._alike = [(each, sum(1 << i for i, w in enumerate(weights) if w == each)) for each in set(weights)]

    def cheapest(self, left: int, most: int) -> tuple[int, int] | None:
        """The cheapest answers to drop of those `left` (a mask): their weight and their mask; None if above `most`."""
        worst, heaviest = self._worst(left)
        if not heaviest:
            return 0, 0
        best: tuple[int, int] | None = None
        cost, gone = self._weights[worst], 1 << worst
        others = self._clashes[worst] & left
        if cost <= most:  # either it is wrong
            rest = self.cheapest(left & ~gone, most - cost)
            if rest is not None:
                best = (rest[0] + cost, rest[1] | gone)
                most = best[0] - 1
        if heaviest <= most and not others & gone:  # or all that it clashes with
            rest = self.cheapest(left & ~others & ~gone, most - heaviest)
            if rest is not None:
                best = (rest[0] + heaviest, rest[1] | others)
        return best

    def _worst(self, left: int) -> tuple[int, int]:
        """The answer that clashes with the greatest weight of others (the latest of several), and that weight."""
        worst, heaviest = -1, 0
        for index, mask in enumerate(self._clashes):
            clashing = mask & left
            if clashing and left >> index & 1:
                weight = 0
                for each, alike in self._alike:
                    weight += each * (clashing & alike).bit_count()
                if weight >= heaviest:
                    worst, heaviest = index, weight
        return worst, heaviest
