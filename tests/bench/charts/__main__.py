"""`python -m tests.bench.charts`: what the hints of oche come to beside published charts: docs/checkouts.md.

Two measures, from each number with three darts in hand: the chance to finish in this visit, and the visits until the
leg is finished. Who follows a chart takes its bed for what remains and the darts in hand, after a miss too. Where it
has none after a miss, and in all later visits, that is the best one. Who follows oche takes the first bed of its hint.
All scatter alike.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from engine import finish_tables
from engine.finishing import Bull, Finisher, Out, beds, can_finish, finisher, judge_all, least, unpack_landings
from engine.visits import Landings
from protocol.segment import Dartboard

SCATTERS_MM = (8.0, 12.0, 18.0)
DARTS = 3
NUMBERS = range(2, 171)
FACES: Mapping[str, Dartboard] = {"soft tip, 15.5 inches": "soft_15.5", "steel tip": "steel"}
_SELDOM = 0.01
_FOLDER = Path(__file__).parent

Aims = Callable[[int, int], str | None]
"""The bed to aim at for what remains and the darts in hand; None where it says nothing."""


class Chart(NamedTuple):
    """A published chart: its file without the ending, and the rule that it is for."""

    name: str
    out: Out
    bull: Bull


CHARTS = (
    Chart("old_darts_app", "double", "25/50"),
    Chart("darts_zombie_180", "double", "25/50"),
    Chart("dart_counter", "double", "25/50"),
    Chart("darts_mobile", "double", "25/50"),
    Chart("granboard_client", "straight", "50/50"),
)


@cache
def _judge(dartboard: Dartboard, scatter_mm: float, out: Out, bull: Bull) -> Landings:
    table = unpack_landings(finish_tables.TABLES[f"{dartboard} {scatter_mm}"], finish_tables.WHOLE)
    return judge_all(table, out, bull)


class Case(NamedTuple):
    """A player at a face, under a rule."""

    dartboard: Dartboard
    scatter_mm: float
    out: Out = "double"
    bull: Bull = "25/50"

    @property
    def finisher(self) -> Finisher:
        """What oche knows of it."""
        return finisher(self.scatter_mm, self.out, self.bull, self.dartboard)

    @property
    def landings(self) -> Landings:
        """What darts come to."""
        return _judge(*self)


class Worth(NamedTuple):
    """What following some advice comes to from a number: the chance in percent in this visit, and the visits."""

    chance: float
    visits: float


@cache
def read_chart(name: str) -> dict[tuple[int, int], tuple[str, ...]]:
    """Its routes, by the darts in hand and what remains."""
    lines = (_FOLDER / f"{name}.txt").read_text(encoding="ascii").splitlines()
    rows = (line.split() for line in lines if not line.startswith("#"))
    return {(int(darts), int(remaining)): tuple(beds) for darts, remaining, *beds in rows}


def aims_of_chart(name: str) -> Aims:
    """The beds of a chart: of its routes for at most so many darts that with the most."""
    routes = read_chart(name)

    def find(remaining: int, darts: int) -> str | None:
        found = (routes.get((count, remaining)) for count in range(darts, 0, -1))
        return next((beds[0] for beds in found if beds), None)

    return find


def follow_chart(chart: Chart, dartboard: Dartboard, scatter_mm: float) -> dict[int, Worth]:
    """What the chart comes to from each number that it has a way for."""
    aims = aims_of_chart(chart.name)
    case = Case(dartboard, scatter_mm, chart.out, chart.bull)
    return {
        number: _follow(number, case, lambda left, darts, _: aims(left, darts))
        for number in NUMBERS
        if aims(number, DARTS)
    }


def find_gap(number: int, chart: Chart, dartboard: Dartboard, scatter_mm: float) -> int | None:
    """What its followers come to most often and find no way for, though the darts in hand could finish it.

    None where that is in fewer than one of a hundred visits that begin with this number.
    """
    aims, case = aims_of_chart(chart.name), Case(dartboard, scatter_mm, chart.out, chart.bull)
    found: dict[int, float] = defaultdict(float)

    def follow(remaining: int, darts: int, share: float) -> None:
        if can_finish(remaining, darts, case.out, case.bull):
            aim = aims(remaining, darts)
            if aim is None:
                found[remaining] += share
            else:
                for landing in case.landings[aim]:
                    follow(remaining - landing.points, darts - 1, share * landing.share)

    follow(number, DARTS, 1.0)
    return max(found, key=found.__getitem__) if sum(found.values()) > _SELDOM else None


def follow_oche(case: Case) -> dict[int, Worth]:
    """What the hints come to from each number."""
    found = case.finisher

    def aim(remaining: int, darts: int, before: int) -> str | None:
        routes = found.routes(remaining, darts, before=before)
        return routes[0].darts[0] if routes else None

    return {number: _follow(number, case, aim) for number in NUMBERS}


def follow_best(case: Case) -> dict[int, Worth]:
    """The highest chance, and the fewest visits: not to be had by the same darts."""
    found = case.finisher
    return {
        number: Worth(100 * found.best(number, DARTS), found.count_from(number).fewest(number, 0)) for number in NUMBERS
    }


def follow_chance(case: Case) -> dict[int, Worth]:
    """What it comes to to take the highest chance in this visit, whatever a miss leaves."""
    found = case.finisher
    able = [bed.id for bed in beds(case.bull)]

    def aim(remaining: int, darts: int, _: int) -> str | None:
        if not can_finish(remaining, darts, case.out, case.bull):
            return None
        return max(able, key=lambda bed: found.chance(bed, remaining, darts))

    return {number: _follow(number, case, aim) for number in NUMBERS}


def _follow(number: int, case: Case, aims: Callable[[int, int, int], str | None]) -> Worth:
    """What it comes to to take these beds in a visit that begins with this number; else, and after it, the best."""
    found, landings, lowest = case.finisher, case.landings, least(case.out)
    counter = found.count_from(number)

    @cache
    def follow(remaining: int, darts: int) -> tuple[float, float]:
        if not darts:
            return 0.0, counter.fewest(remaining, 0)
        aim = aims(remaining, darts, number)
        if aim is None:
            return found.best(remaining, darts), counter.fewest(remaining, darts % DARTS) - (darts == DARTS)
        chance = visits = 0.0
        for points, may_close, share in landings[aim]:
            left = remaining - points
            if left >= lowest:
                then = follow(left, darts - 1)
                chance, visits = chance + share * then[0], visits + share * then[1]
            elif left == 0 and may_close:
                chance += share
            else:
                visits += share * counter.fewest(number, 0)
        return chance, visits

    chance, visits = follow(number, DARTS)
    return Worth(100 * chance, 1 + visits)


def list_means() -> Iterator[str]:
    """Of each chart, beside what oche comes to for the same numbers."""
    yield "| rule | face | scatter | chart | numbers | chance: oche | chart | visits: oche | chart |"
    yield "|---" * 9 + "|"
    for (face, dartboard), scatter_mm, chart in product(FACES.items(), SCATTERS_MM, CHARTS):
        oche = follow_oche(Case(dartboard, scatter_mm, chart.out, chart.bull))
        worth = follow_chart(chart, dartboard, scatter_mm)
        pairs = [fmean(found[number][place] for number in worth) for place in (0, 1) for found in (oche, worth)]
        yield (
            f"| {chart.out} out, {chart.bull} | {face} | {scatter_mm:.0f} mm | `{chart.name}` | {len(worth)} | "
            f"{pairs[0]:.2f} | {pairs[1]:.2f} | {pairs[2]:.3f} | {pairs[3]:.3f} |"
        )


def list_losses() -> Iterator[str]:
    """What the highest chance in each visit loses, and what of it is won back."""
    yield "| face | scatter | fewest visits | highest chance | hints | won back | costs in chance |"
    yield "|---" * 7 + "|"
    for (face, dartboard), scatter_mm in product(FACES.items(), SCATTERS_MM):
        case = Case(dartboard, scatter_mm)
        best, chance, hints = (
            [fmean(worth[place] for worth in follow(case).values()) for place in (0, 1)]
            for follow in (follow_best, follow_chance, follow_oche)
        )
        won = (chance[1] - hints[1]) / (chance[1] - best[1])
        yield (
            f"| {face} | {scatter_mm:.0f} mm | {best[1]:.4f} | {chance[1]:.4f} | {hints[1]:.4f} | "
            f"{100 * won:.0f} % | {chance[0] - hints[0]:.2f} |"
        )


def list_numbers(face: str, dartboard: Dartboard, scatter_mm: float) -> Iterator[str]:
    """Of every number the hint, and what it and each chart comes to."""
    case, charts = Case(dartboard, scatter_mm), [chart for chart in CHARTS if chart.out == "double"]
    oche, worths = follow_oche(case), [follow_chart(chart, dartboard, scatter_mm) for chart in charts]
    yield f"### {face[0].upper()}{face[1:]}, {scatter_mm:.0f} mm\n"
    yield "| left | hint | oche | " + " | ".join(f"`{chart.name}`" for chart in charts) + " |"
    yield "|---" * (3 + len(charts)) + "|"
    for number in NUMBERS:
        routes = case.finisher.routes(number, DARTS)
        if not routes:
            continue
        way = "-".join(routes[0].darts)
        gaps = [find_gap(number, chart, dartboard, scatter_mm) for chart in charts]
        cells = (
            f"{worth[number].chance:.1f} {worth[number].visits:.3f}"
            if gap is None and number in worth
            else f"no {gap or number}"
            for worth, gap in zip((oche, *worths), (None, *gaps), strict=True)
        )
        yield f"| {number} | {way} | " + " | ".join(cells) + " |"


def main() -> None:
    """Prints the tables of docs/checkouts.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--means", action="store_true", help="only the means")
    given = parser.parse_args()
    print("\n".join((*list_losses(), "", *list_means())))
    if not given.means:
        for (face, dartboard), scatter_mm in product(FACES.items(), SCATTERS_MM):
            print("\n" + "\n".join(list_numbers(face, dartboard, scatter_mm)))


if __name__ == "__main__":
    main()
