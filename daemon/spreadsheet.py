"""CSV for spreadsheets (RFC 4180, UTF-8): names are untrusted, and a spreadsheet runs what looks like a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

Cell = str | int | float | None

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def rows(head: Sequence[str], lines: Iterable[Sequence[Cell]]) -> Iterator[bytes]:
    """The file, a row at a time; texts that begin like a formula get an apostrophe before them, as spreadsheets do."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    for line in chain([head], lines):
        writer.writerow([_harmless(cell) for cell in line])
        yield text.getvalue().encode()
        text.seek(0)
        text.truncate()


def _harmless(cell: Cell) -> Cell:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
