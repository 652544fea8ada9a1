"""The hints of X01 beside checkout charts that scorers publish: never worse in the mean, by both measures."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from statistics import fmean

import pytest

from engine.finishing import beds, closes
from tests.bench.charts.__main__ import (
    CHARTS,
    DARTS,
    FACES,
    NUMBERS,
    SCATTERS_MM,
    Case,
    Chart,
    aims_of_chart,
    find_gap,
    follow_best,
    follow_chance,
    follow_chart,
    follow_oche,
    list_losses,
    list_means,
    list_numbers,
    read_chart,
)
from tests.sweep import sweep

_DOUBLE_OUT = [chart for chart in CHARTS if chart.out == "double"]
_DOCS = Path("docs/checkouts.md").read_text(encoding="utf-8")
cases = pytest.mark.parametrize(
    ("face", "scatter_mm"), sweep(product(FACES, SCATTERS_MM), lambda case: case == ("steel tip", 12.0))
)
_MOST_STILL_LOST = {8.0: 0.05, 12.0: 0.22, 18.0: 0.42}
"""The share of the visits lost by the highest chance that the hints lose too, by the scatter: docs/checkouts.md."""


@pytest.mark.parametrize("chart", _DOUBLE_OUT, ids=lambda chart: chart.name)
def test_the_routes_of_a_chart_are_finishes(chart: Chart) -> None:
    worth = {bed.id: bed for bed in beds(chart.bull)}
    for (darts, remaining), route in read_chart(chart.name).items():
        assert len(route) <= darts
        assert sum(worth[bed].points for bed in route) == remaining
        assert closes(worth[route[-1]].multiplier, chart.out)


@pytest.mark.slow
@cases
def test_who_follows_the_hints_needs_no_more_visits_than_by_the_best_chart(face: str, scatter_mm: float) -> None:
    oche = follow_oche(Case(FACES[face], scatter_mm))
    for chart in _DOUBLE_OUT:
        worth = follow_chart(chart, FACES[face], scatter_mm)
        assert fmean(oche[number].visits for number in worth) < fmean(each.visits for each in worth.values()) + 0.01
        assert fmean(oche[number].chance for number in worth) > fmean(each.chance for each in worth.values()) + 0.3
        assert all(oche[number].chance > worth[number].chance - 1.3 for number in worth)


@cases
def test_a_chart_needs_fewer_visits_only_where_it_costs_more_than_a_point_of_the_chance(
    face: str, scatter_mm: float
) -> None:
    found = Case(FACES[face], scatter_mm).finisher
    for chart, number in product(_DOUBLE_OUT, NUMBERS):
        theirs, routes = aims_of_chart(chart.name)(number, DARTS), found.routes(number, DARTS)
        if theirs and found.chance(theirs, number, DARTS) >= found.best(number, DARTS) - 0.01:
            hint, counter = routes[0].darts[0], found.count_from(number)
            ours = counter.count([(hint, 0)], number, DARTS)
            assert ours < counter.count([(theirs, 0)], number, DARTS) + 0.002, (chart.name, number)


@pytest.mark.slow
@cases
def test_most_of_the_visits_that_the_highest_chance_loses_are_won_back(face: str, scatter_mm: float) -> None:
    case = Case(FACES[face], scatter_mm)
    best, highest, hints = (list(follow(case).values()) for follow in (follow_best, follow_chance, follow_oche))
    lost, still = (
        fmean(worth.visits for worth in found) - fmean(worth.visits for worth in best) for found in (highest, hints)
    )
    assert lost > 0.004
    assert still < _MOST_STILL_LOST[scatter_mm] * lost
    assert fmean(worth.chance for worth in hints) > fmean(worth.chance for worth in highest) - 0.2


@cases
def test_straight_out_the_hints_are_far_better_than_the_chart(face: str, scatter_mm: float) -> None:
    for chart in CHARTS:
        if chart.out == "straight":
            oche = follow_oche(Case(FACES[face], scatter_mm, chart.out, chart.bull))
            worth = follow_chart(chart, FACES[face], scatter_mm)
            assert fmean(oche[number].visits for number in worth) < fmean(each.visits for each in worth.values()) - 0.03
            assert fmean(oche[number].chance for number in worth) > fmean(each.chance for each in worth.values()) + 2


@pytest.mark.slow
@cases
def test_the_page_shows_every_number(face: str, scatter_mm: float) -> None:
    assert "\n".join(list_numbers(face, FACES[face], scatter_mm)) in _DOCS


@pytest.mark.long
def test_the_page_shows_the_means() -> None:
    assert "\n".join(list_losses()) in _DOCS
    assert "\n".join(list_means()) in _DOCS


def test_where_a_chart_has_no_way_none_is_shown() -> None:
    old = _DOUBLE_OUT[0]
    assert aims_of_chart(old.name)(129, 3) is None
    assert find_gap(129, old, FACES["steel tip"], 12.0) == 129
    assert {find_gap(number, old, FACES["steel tip"], 12.0) for number in (81, 119)} == {62}, "after S19 and after T19"
    rows = [line.split(" | ")[3] for line in _DOCS.splitlines() if line.startswith(("| 81 |", "| 119 |"))]
    assert rows == ["no 62"] * 2 * len(FACES) * len(SCATTERS_MM)
