"""A board nobody has a table of: every segment is asked for, number by number around the board.

A person reads one number and presses it from the rim to the bull, then goes on clockwise. Ring by ring would be
as long, but there one slip shifts all presses that follow it, silently; here a slip stays within one number and shows
at once, because a contact comes twice. Whether inner and outer singles differ is asked first: it is the difference
between 62 and 82 presses. The last answer for a segment counts, unless another came more often.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from protocol.learning.candidates import BULLS, Cell
from protocol.standard import NUMBERS, merged

Contact = Cell | str
"""What closed: a row and a column, or a frame that is not understood."""
Answer = tuple[str, Contact | None]
"""A segment that was asked for and what came; None when the board has no contact there."""

_SURE = 2
"""How much more often singles must differ than agree, or the other way round."""
_TIRED = 3
"""After so many equal answers for one segment two segments do have one contact."""


def is_split(answers: Sequence[Answer]) -> bool | None:
    """Are inner and outer singles two contacts? None: not known yet."""
    table = _table(answers)
    lead = 0
    for number in NUMBERS:
        inner, outer = table.get(f"I{number}"), table.get(f"O{number}")
        if inner is not None and outer is not None:
            lead += 1 if inner != outer else -1
    return None if abs(lead) < _SURE else lead > 0


def order(split: bool | None) -> list[str]:
    """Every segment, in the order they are asked for."""
    singles = [f"{half}{number}" for number in NUMBERS for half in "IO"] if split is None else []
    rings = "DST" if split is False else "DOTI"
    return [*singles, *(f"{ring}{number}" for number in NUMBERS for ring in rings), *BULLS]


def next_press(answers: Sequence[Answer]) -> str | None:
    """What to ask for now; None when every segment is known."""
    split = is_split(answers)
    table = contacts(answers)
    last = answers[-1][0] if answers else ""
    twins = _twins(answers, table)
    if twins:
        return min(twins, key=lambda segment: (_count(answers, segment), segment == last))
    known = set(table) | {segment for segment, contact in answers if contact is None}
    if split is False:
        known |= {merged(segment) for segment in known}
    return next((segment for segment in order(split) if segment not in known), None)


def left(answers: Sequence[Answer]) -> int:
    """How many presses are to come, if none is wrong."""
    split = is_split(answers)
    known = set(contacts(answers)) | {segment for segment, contact in answers if contact is None}
    return max(1, len(set(order(split)) - known)) if next_press(answers) else 0


def contacts(answers: Sequence[Answer]) -> dict[str, Contact]:
    """The contact of each segment, as far as it is known; singles by the name that goes with this board."""
    split = is_split(answers)
    table = _table(answers)
    if split is False:
        return {merged(segment): contact for segment, contact in table.items()}
    return {segment: contact for segment, contact in table.items() if segment[0] != "S" or segment in BULLS}


def _table(answers: Sequence[Answer]) -> dict[str, Contact]:
    said: dict[str, Counter[Contact]] = {}
    table: dict[str, Contact] = {}
    for segment, contact in answers:
        if contact is None:
            table.pop(segment, None)
            said.pop(segment, None)
            continue
        counts = said.setdefault(segment, Counter())
        counts[contact] += 1
        if segment not in table or counts[contact] >= counts[table[segment]]:
            table[segment] = contact
    return table


def _twins(answers: Sequence[Answer], table: dict[str, Contact]) -> list[str]:
    """Segments that share a contact with another one, and are not known well enough for that to be true."""
    owners: dict[Contact, list[str]] = {}
    for segment, contact in table.items():
        owners.setdefault(contact, []).append(segment)
    return [
        segment
        for shared in owners.values()
        if len(shared) > 1
        for segment in shared
        if not _is_half_of_all(segment, shared) and _count(answers, segment) < _TIRED
    ]


def _is_half_of_all(segment: str, shared: list[str]) -> bool:
    """An inner and an outer single of one number, before it is known whether they differ."""
    return segment[0] in "IO" and {merged(other) for other in shared} == {merged(segment)}


def _count(answers: Sequence[Answer], segment: str) -> int:
    return sum(1 for asked, contact in answers if asked == segment and contact is not None)
