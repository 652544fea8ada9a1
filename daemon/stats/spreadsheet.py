"""CSV for spreadsheets (RFC 4180, UTF-8): names are untrusted, and a spreadsheet runs what looks like a formula.

Our own words are left as they are, so that programs read them back: the segment `-1,0` of a Ground Round board is one.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain

Cell = str | int | float | None

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def rows(head: Sequence[str], untrusted: Collection[str], lines: Iterable[Sequence[Cell]]) -> Iterator[bytes]:
    """The file, a row at a time; what begins like a formula in an untrusted column gets an apostrophe before it."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    for line in chain([head], lines):
        named = zip(head, line, strict=True)
        writer.writerow([_harmless(cell) if column in untrusted else cell for column, cell in named])
        yield text.getvalue().encode()
        text.seek(0)
        text.truncate()


def _harmless(cell: Cell) -> Cell:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
