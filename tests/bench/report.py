"""How a result is said: as a ratio against a named baseline, the absolute numbers beside it.

Ratios of numbers from one run mean the same on every machine; the numbers themselves do not.
"""

from __future__ import annotations

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
    return Row(what, oche / baseline, f"{oche:,.2f} {unit}", f"{baseline:,.2f} {unit}", against)


def speed(what: str, oche: float, baseline: float, against: str) -> Row:
    """Something that is better when it is big: so many a second."""
    return Row(what, baseline / oche, f"{oche:,.0f}/s", f"{baseline:,.0f}/s", against)


def show(rows: list[Row], *notes: str) -> None:
    """Prints the rows of one measurement, aligned with those of all others."""
    print(f"  {'':28}{'ratio':>8}{'oche':>15}{'baseline':>15}   against")
    for row in rows:
        print(f"  {row.what:28}{row.ratio:7.2f}×{row.oche:>15}{row.baseline:>15}   {row.against}")
    for note in notes:
        print(f"  {note}")
    print(flush=True)
