"""How a result is said: as a ratio against a named baseline, the absolute numbers beside it, as a table in Markdown.

Ratios of numbers from one run mean the same on every machine; the numbers themselves do not.
"""

from __future__ import annotations

import statistics
from typing import NamedTuple


class Row(NamedTuple):
    """One comparison. `ratio` says how many times as dear oche is: 2.0 is twice the time or memory, half the speed."""

    what: str
    ratio: float
    oche: str
    baseline: str
    against: str


def cost(what: str, oche: float, baseline: float, unit: str, against: str) -> Row:
    """Something that is better when it is small."""
    return Row(what, oche / baseline, f"{oche:,.2f} {unit}".strip(), f"{baseline:,.2f} {unit}".strip(), against)


def cost_percentiles(what: str, oche: list[float], baseline: list[float], against: str) -> list[Row]:
    """The median and the 99th percentile of times in ms."""
    ours, theirs = (statistics.quantiles(times, n=100, method="inclusive") for times in (oche, baseline))
    return [cost(f"{what}p{p}", ours[p - 1], theirs[p - 1], "ms", against) for p in (50, 99)]


def speed(what: str, oche: float, baseline: float, against: str) -> Row:
    """Something that is better when it is big: so many a second."""
    return Row(what, baseline / oche, f"{oche:,.0f}/s", f"{baseline:,.0f}/s", against)


def table(rows: list[Row], *notes: str) -> str:
    """The rows of one measurement, aligned with those of all others, and what is to be known of them."""
    lines = [_line("", "ratio", "oche", "baseline", "against"), f"|{'---|' * 5}"]
    lines += [_line(row.what, f"{row.ratio:,.2f}", *row[2:]) for row in rows]
    return "\n".join([*lines, "", *(f"* {note}" for note in notes)])


def _line(what: str, ratio: str, oche: str, baseline: str, against: str) -> str:
    return f"| {what:32} | {ratio:>7} | {oche:>14} | {baseline:>14} | {against:22} |"
