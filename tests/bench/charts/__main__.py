"""`python -m tests.bench.charts`: the chance to finish from each number, by oche's hints and by published charts.

Who follows a chart takes its bed for what remains and the darts in hand, after a miss too; where the chart has none the
best one. Who follows oche takes the first bed of its hint. Both scatter alike, on a steel face.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from engine import finish_tables
from engine.finishing import Bull, Out, can_finish, finisher, judge_all, least, unpack_landings
from protocol.standard import STEEL, standard

SCATTERS_MM = (8.0, 12.0, 18.0)
DARTS = 3
_FOLDER = Path(__file__).parent
_RADIUS = standard(STEEL).radius

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


def aims_of_oche(scatter_mm: float, out: Out, bull: Bull) -> Aims:
    """The beds of the hints."""
    found = finisher(scatter_mm, out, bull, _RADIUS)

    def find(remaining: int, darts: int) -> str | None:
        routes = found.routes(remaining, darts)
        return routes[0].darts[0] if routes else None

    return find


def chances(aims: Aims, scatter_mm: float, out: Out, bull: Bull) -> dict[int, float]:
    """The chance in percent to finish from each number that three darts can finish, for who follows these aims."""
    best = finisher(scatter_mm, out, bull, _RADIUS)
    table = unpack_landings(finish_tables.TABLES[f"{_RADIUS} {scatter_mm}"], finish_tables.WHOLE)
    landings = judge_all(table, out, bull)
    lowest = least(out)

    @cache
    def chance(remaining: int, darts: int) -> float:
        if not can_finish(remaining, darts, out, bull):
            return 0.0
        aim = aims(remaining, darts)
        if aim is None:
            return best.best(remaining, darts)
        left = ((remaining - hit.points, hit) for hit in landings[aim])
        return sum(
            hit.share * (chance(after, darts - 1) if after >= lowest else after == 0 and hit.closes)
            for after, hit in left
        )

    return {number: 100 * chance(number, DARTS) for number in range(2, 181) if can_finish(number, DARTS, out, bull)}


def compare(scatter_mm: float, out: Out, bull: Bull) -> tuple[dict[int, float], dict[str, dict[int, float]]]:
    """The chances of oche, and those of each chart for this rule."""
    names = [chart.name for chart in CHARTS if (chart.out, chart.bull) == (out, bull)]
    return (
        chances(aims_of_oche(scatter_mm, out, bull), scatter_mm, out, bull),
        {name: chances(aims_of_chart(name), scatter_mm, out, bull) for name in names},
    )


def main() -> None:
    """Prints a table for docs: of each rule the means, of double out every number."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--means", action="store_true", help="only the means")
    given = parser.parse_args()
    print("| rule | scatter | oche | charts | most that oche is below one |\n|---|---|---|---|---|")
    for out, bull in dict.fromkeys((chart.out, chart.bull) for chart in CHARTS):
        for scatter_mm in SCATTERS_MM:
            oche, charts = compare(scatter_mm, out, bull)
            means = ", ".join(f"`{name}` {fmean(chart.values()):.2f}" for name, chart in charts.items())
            below = max(chart[number] - oche[number] for chart in charts.values() for number in oche)
            print(f"| {out} out, {bull} | {scatter_mm:.0f} mm | {fmean(oche.values()):.2f} | {means} | {below:.2f} |")
    if given.means:
        return
    found = [compare(scatter_mm, "double", "25/50") for scatter_mm in SCATTERS_MM]
    print("\n| left | " + " | ".join(f"{scatter_mm:.0f} mm: oche | best chart" for scatter_mm in SCATTERS_MM) + " |")
    print("|---" * (1 + 2 * len(found)) + "|")
    for number in found[0][0]:
        cells = (f"{oche[number]:.1f} | {max(c[number] for c in charts.values()):.1f}" for oche, charts in found)
        print(f"| {number} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
