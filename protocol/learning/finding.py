"""What the presses have shown: the contact of every segment, and the mat behind them when it is a known one.

The bulls are judged here, apart from all else. Turns of a mat can differ in nothing but the bulls, and boards of one
mat are known to differ there from its table: so a bull counts where it was pressed, twice if the mat has it elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from msgspec import Struct

from protocol.learning.candidates import BULLS, Cell, Pattern, Variant
from protocol.learning.survey import Contact
from protocol.mat import Wiring, cells, mat
from protocol.standard import NUMBERS

_CONFIRMED = 2
"""So many equal answers for a bull are believed against the mat."""


class Finding(Struct, frozen=True):
    """The contact of every segment. `odd` are bulls that are not where the mat has them."""

    contacts: dict[str, Contact]
    mat: str | None = None
    wiring: Wiring = Wiring()
    odd: tuple[str, ...] = ()

    @property
    def missing(self) -> tuple[str, ...]:
        """Segments without a contact of their own."""
        rings = "DOTI" if any(segment[0] == "I" for segment in self.contacts) else "DST"
        return tuple(s for s in [*(f"{r}{n}" for n in NUMBERS for r in rings), *BULLS] if s not in self.contacts)


class Bulls:
    """The answers for the bulls against a pattern whose lines are known as far as `rows` and `cols` say.

    Both are extended by lines that only the bulls tell, where all turns that agree with the bulls agree on them.
    """

    def __init__(
        self, pattern: Pattern, rows: dict[int, int], cols: dict[int, int], answers: Mapping[str, Counter[Cell]]
    ) -> None:
        self.rows, self.cols = rows, cols
        self.cells = {bull: counts.most_common(1)[0][0] for bull, counts in answers.items()}
        """Where each bull is; of several answers the one that came most often."""
        judged = [(variant, *_agreeing(variant, rows, cols, self.cells)) for variant in pattern.variants]
        most = max(len(agreed) for _, agreed, _, _ in judged)
        best = [each for each in judged if len(each[1]) == most]
        self.variant: Variant = best[0][0]
        self.expected = tuple(bull for bull in BULLS if bull in self.variant.bulls)
        self.odd = tuple(bull for bull in self.cells if bull not in best[0][1])
        self.doubtful = tuple(bull for bull in self.cells if self.odd and _is_doubtful(answers[bull]))
        """Bulls to be pressed again: one is not where it should be, and it may be the other that was misread."""
        if all(each[2:] == best[0][2:] for each in best):
            self.rows, self.cols = best[0][2:]


def found(pattern: Pattern, bulls: Bulls) -> Finding:
    """The finding, when all lines of the pattern are known."""
    contacts: dict[str, Contact] = {}
    straight = cells(mat(bulls.variant.mat), bulls.variant.wiring)
    lines: tuple[dict[int, int], dict[int, int]] = ({}, {})
    for segment, place in straight.items():
        if segment in BULLS:
            cell = bulls.cells.get(segment)
        else:
            row, col = pattern.places[segment]
            cell = bulls.rows[row], bulls.cols[col]
        if cell is not None:
            contacts[segment] = cell
            if segment not in bulls.odd:
                lines[0][place[0]], lines[1][place[1]] = cell
    rows, cols = reversed(lines) if bulls.variant.wiring.transpose else lines
    grid = mat(bulls.variant.mat).grid
    wiring = Wiring(
        turn=bulls.variant.wiring.turn,
        mirror=bulls.variant.wiring.mirror,
        transpose=bulls.variant.wiring.transpose,
        rows=_filled(rows, len(grid)),
        cols=_filled(cols, len(grid[0])),
    )
    return Finding(contacts, bulls.variant.mat, wiring, bulls.odd)


def surveyed(contacts: Mapping[str, Contact]) -> Finding:
    """The finding when every segment was asked for. Of segments with one contact only the first has it."""
    first: dict[Contact, str] = {}
    for segment, contact in contacts.items():
        first.setdefault(contact, segment)
    return Finding({segment: contact for contact, segment in first.items()})


def _agreeing(
    variant: Variant, rows: dict[int, int], cols: dict[int, int], answers: Mapping[str, Cell]
) -> tuple[frozenset[str], dict[int, int], dict[int, int]]:
    """The bulls that are where this variant has them, and the lines with what they tell."""
    rows, cols = dict(rows), dict(cols)
    agreed = set()
    for bull, (row, col) in answers.items():
        place = variant.bulls.get(bull)
        if place is not None and _is(rows, place[0], row) and _is(cols, place[1], col):
            rows[place[0]], cols[place[1]] = row, col
            agreed.add(bull)
    return frozenset(agreed), rows, cols


def _is(lines: Mapping[int, int], line: int, number: int) -> bool:
    """May this line of the mat have this number?"""
    return lines[line] == number if line in lines else number not in lines.values()


def _is_doubtful(counts: Counter[Cell]) -> bool:
    (_, most), *others = counts.most_common(2)
    return most < _CONFIRMED or (bool(others) and others[0][1] == most)


def _filled(known: Mapping[int, int], count: int) -> list[int]:
    """Numbers for all lines; those without any contact get what is left."""
    spare = (number for number in range(2 * count + len(known)) if number not in known.values())
    return [known[line] if line in known else next(spare) for line in range(count)]
