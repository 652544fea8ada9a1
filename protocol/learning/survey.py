"""A board whose table is unknown: every segment is asked for, number by number around the board.

A person reads one number and presses it from the rim to the bull, then goes on clockwise. Ring by ring would be
as long, but there one slip shifts all presses that follow it, silently; here a slip stays within one number and shows
at once, because a contact comes twice. Whether inner and outer singles differ is asked first: it is the difference
between 62 and 82 presses. The last answer for a segment counts, unless another came more often.

A program (`by_name`) knows beds by the names of its own table only, and to one whose singles are not split I20 is none.
So it is asked for the singles as S20, for which one with split singles presses either half; for a half only when all
else is known. No contact for the first half says that there are none, no contact for S20 that there may be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

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


def has_halves(answers: Sequence[Answer]) -> bool:
    """Whether any inner or outer single was answered by a contact."""
    return any(segment[0] in "IO" and contact is not None for segment, contact in answers)


def takes_halves(answers: Sequence[Answer]) -> bool:
    """Whether a program can be asked for I20: it pressed an inner or outer single before, or had none for S20."""
    return has_halves(answers) or any(
        segment[0] == "S" and segment not in BULLS and contact is None for segment, contact in answers
    )


def is_split(answers: Sequence[Answer], *, by_name: bool = False) -> bool | None:
    """Whether inner and outer singles are two contacts; None: not known yet."""
    if by_name and not has_halves(answers) and any(segment[0] in "IO" for segment, _ in answers):
        return False
    table = _table(answers)
    lead = 0
    for number in NUMBERS:
        inner, outer = table.get(f"I{number}"), table.get(f"O{number}")
        if inner is not None and outer is not None:
            lead += 1 if inner != outer else -1
    return None if abs(lead) < _SURE else lead > 0


def list_order(split: bool | None, *, halves_last: bool = False) -> list[str]:
    """Every segment, in the order they are asked for; while it is not known, the halves first or last."""
    singles = [f"{half}{number}" for number in NUMBERS for half in "IO"] if split is None else []
    rings = "DST" if split is False or halves_last else "DOTI"
    others = [*(f"{ring}{number}" for number in NUMBERS for ring in rings), *BULLS]
    return [*others, *singles] if halves_last else [*singles, *others]


def find_next_press(answers: Sequence[Answer], *, by_name: bool = False) -> str | None:
    """The segment to ask for now; None when every segment is known."""
    table = map_contacts(answers, by_name=by_name)
    last = answers[-1][0] if answers else ""
    twins = _twins(answers, table)
    if twins:
        return min(twins, key=lambda segment: (_count(answers, segment), segment == last))
    return next(iter(_unknown(answers, table, by_name=by_name)), None)


def count_left(answers: Sequence[Answer]) -> int:
    """How many presses are to come, if none is wrong."""
    return max(1, len(_unknown(answers, map_contacts(answers)))) if find_next_press(answers) else 0


def map_contacts(answers: Sequence[Answer], *, by_name: bool = False) -> dict[str, Contact]:
    """The contact of each segment, as far as it is known; singles by the name that goes with this board."""
    split = is_split(answers, by_name=by_name)
    table = _table(answers)
    if split is False:
        return {merged(segment): contact for segment, contact in table.items()}
    if split is None and by_name:
        return table
    return {segment: contact for segment, contact in table.items() if segment[0] != "S" or segment in BULLS}


def _unknown(answers: Sequence[Answer], table: Mapping[str, Contact], *, by_name: bool = False) -> list[str]:
    """The segments that nothing is known of, in order."""
    split = is_split(answers, by_name=by_name)
    halves_last = split is None and by_name and not takes_halves(answers)
    known = set(table) | {segment for segment, contact in answers if contact is None}
    return list(dict.fromkeys(s for s in list_order(split, halves_last=halves_last) if s not in known))


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
    """Singles of one number, before it is known whether they differ."""
    return segment[0] in "IOS" and {merged(other) for other in shared} == {merged(segment)}


def _count(answers: Sequence[Answer], segment: str) -> int:
    return sum(1 for asked, contact in answers if asked == segment and contact is not None)
