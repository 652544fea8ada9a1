"""How many visits a leg still takes on average, and the aims that bring it to that: a part of `tests.bench.finishes`.

A visit has three darts, and a bust gives the visit back. Numbers are worked out from small ones to large ones: what
follows from each is known, but for a bust or three misses, which lead back to it. So its own visits are the unknown of
an equation. It is solved by choosing the best aims for a guess, solving for those, and again until they stay (Howard's
policy iteration).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from engine.finishing import HIGHEST, Out, least
from engine.visits import MOST, BestAims, Landings, make_darts

_FIRST_GUESS = 100.0
_SAME = 1e-9
_ALIKE = 0.0001
"""An aim that saves no more visits than this beside another is not listed with it."""


class _Line(NamedTuple):
    """The visits to come after a dart: `fixed + share * those from the number that the visit began with`."""

    fixed: float
    share: float
    aim: str

    def at(self, visits: float) -> float:
        return self.fixed + self.share * visits


def count_visits(landings: Landings, out: Out) -> BestAims:
    """The visits of one who throws each dart so that the fewest are to be expected."""
    return _Leg(landings, out).solve()


class _Leg:
    """The numbers that are solved so far."""

    def __init__(self, landings: Landings, out: Out) -> None:
        self._darts = make_darts(landings)
        self._steps = sorted({hit.points for hits in landings.values() for hit in hits})
        self._lowest = least(out)
        self._needed = [0.0] * self._lowest
        self._last: list[tuple[_Line, ...]] = [()] * self._lowest
        self._second: dict[int, _Line] = {}  # where no two darts are a bust, so that it matters not what came before
        self._aims: dict[tuple[int, int], list[str]] = {}

    def solve(self) -> BestAims:
        for start in range(self._lowest, HIGHEST + 1):
            self._needed.append(self._solve(start))
            self._last.append(_take_lowest(self._list_last(start)))
            self._note_aims(start)
        return BestAims(tuple(self._needed), {key: tuple(found) for key, found in self._aims.items()})

    def _solve(self, start: int) -> float:
        guess = self._needed[-1] + 1 if start > self._lowest else _FIRST_GUESS
        while True:
            line = self._first(start, guess)
            better = (1 + line.fixed) / (1 - line.share)
            if abs(better - guess) < _SAME:
                return better
            guess = better

    def _first(self, start: int, guess: float) -> _Line:
        """The best first dart of a visit."""
        lasts = dict(self._lasts(start, guess))
        seconds = {left: self._find_second(left, guess, lasts) for left in self._lefts(start)}
        return self._find(start, guess, seconds)

    def _lefts(self, remaining: int) -> list[int]:
        return [remaining - points for points in self._steps if remaining - points >= self._lowest]

    def _lasts(self, start: int, guess: float) -> Iterable[tuple[int, _Line]]:
        """The best last dart from each number that a visit from `start` may come to."""
        if len(self._last) == start:  # itself is not solved yet
            yield start, min(self._list_last(start), key=lambda line: line.at(guess))
        for left in range(max(self._lowest, start - 2 * MOST), len(self._last)):
            if left <= start:
                yield left, min(self._last[left], key=lambda line: line.at(guess))

    def _list_last(self, remaining: int) -> list[_Line]:
        """The lines of a last dart, for each aim."""
        is_known = remaining < len(self._needed)
        fixed = self._lay_out(remaining, lambda left: self._needed[left] if left < len(self._needed) else 0.0, 0.0)
        share = self._lay_out(remaining, lambda left: 0.0 if left < remaining or is_known else 1.0, 1.0)
        return [_Line(dart.average(fixed), dart.average(share), aim) for aim, dart in self._darts.items()]

    def _find_second(self, remaining: int, guess: float, lasts: dict[int, _Line]) -> _Line:
        if remaining in self._second:
            return self._second[remaining]
        found = self._find(remaining, guess, lasts)
        if remaining - 2 * MOST >= self._lowest and remaining < len(self._needed):
            self._second[remaining] = found
        return found

    def _find(self, remaining: int, guess: float, then: dict[int, _Line]) -> _Line:
        """The best dart from here, where these are the lines after it."""
        values = self._lay_out(remaining, lambda left: then[left].at(guess) if left in then else 0.0, guess)
        best = min(self._darts, key=lambda aim: self._darts[aim].average(values))
        shares = self._lay_out(remaining, lambda left: then[left].share if left in then else 0.0, 1.0)
        share = self._darts[best].average(shares)
        return _Line(self._darts[best].average(values) - share * guess, share, best)

    def _lay_out(self, remaining: int, value: Callable[[int], float], bust: float) -> list[float]:
        """What a dart leads to, by its points; and once more for darts that may be the last one."""
        lefts = range(remaining, remaining - MOST - 1, -1)
        found = 2 * [value(left) if left >= self._lowest else bust for left in lefts]
        if remaining <= MOST:
            found[MOST + 1 + remaining] = 0.0
        return found

    def _note_aims(self, start: int) -> None:
        """Lists the best aims of the later darts of a visit from here, where the listed ones are not as good."""
        visits = self._needed[start]
        seconds = self._lefts(start)
        for remaining in {left for second in seconds for left in self._lefts(second)}:
            self._note(1, remaining, {line.aim: line.at(visits) for line in self._last[remaining]})
        lasts = dict(self._lasts(start, visits))
        for remaining in seconds:
            if (2, remaining) not in self._aims or remaining - 2 * MOST < self._lowest:
                values = self._lay_out(remaining, lambda left: lasts[left].at(visits) if left in lasts else 0.0, visits)
                self._note(2, remaining, {aim: dart.average(values) for aim, dart in self._darts.items()})

    def _note(self, darts: int, remaining: int, visits: dict[str, float]) -> None:
        listed = self._aims.setdefault((darts, remaining), [])
        best = min(visits, key=visits.__getitem__)
        if all(visits.get(aim, _FIRST_GUESS) > visits[best] + _ALIKE for aim in listed):
            listed.append(best)


def _take_lowest(lines: list[_Line]) -> tuple[_Line, ...]:
    """Those that are the lowest one for some number of visits."""
    found = [min(lines)]
    while True:
        now = found[-1]
        flatter = [line for line in lines if line.share < now.share - 1e-12]
        if not flatter:
            return tuple(found)
        found.append(min(flatter, key=lambda line: ((line.fixed - now.fixed) / (now.share - line.share), line.share)))
