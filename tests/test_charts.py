"""The hints of X01 beside checkout charts that scorers publish: never much worse, and better in the mean."""

from __future__ import annotations

from statistics import fmean

import pytest

from engine.finishing import beds, closes
from tests.bench.charts.__main__ import CHARTS, SCATTERS_MM, Chart, compare, read_chart

_DOUBLE_OUT = [chart for chart in CHARTS if chart.out == "double"]


@pytest.mark.parametrize("chart", _DOUBLE_OUT, ids=lambda chart: chart.name)
def test_the_routes_of_a_chart_are_finishes(chart: Chart) -> None:
    worth = {bed.id: bed for bed in beds(chart.bull)}
    for (darts, remaining), route in read_chart(chart.name).items():
        assert len(route) <= darts
        assert sum(worth[bed].points for bed in route) == remaining
        assert closes(worth[route[-1]].multiplier, chart.out)


@pytest.mark.parametrize("scatter_mm", SCATTERS_MM)
def test_who_follows_the_hints_finishes_as_often_as_by_the_best_chart(scatter_mm: float) -> None:
    oche, charts = compare(scatter_mm, "double", "25/50")
    for chart in charts.values():
        assert all(oche[number] >= chart[number] - 0.3 for number in oche)
        assert fmean(oche.values()) > fmean(chart.values()) + 0.4


def test_straight_out_the_hints_finish_far_more_often_than_the_chart() -> None:
    for scatter_mm in SCATTERS_MM:
        oche, charts = compare(scatter_mm, "straight", "50/50")
        assert all(oche[number] >= chart[number] - 0.3 for chart in charts.values() for number in oche)
        assert all(fmean(oche.values()) > fmean(chart.values()) + 2 for chart in charts.values())
