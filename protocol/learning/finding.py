"""What the presses have shown: the contact of every segment, the mat behind them when it is a known one, the profile.

The bulls are judged here, apart from all else. Turns of a mat can differ in nothing but the bulls, and boards of one
mat are known to differ there from its table: so a bull counts where it was pressed, twice if the mat has it elsewhere.
A board on a known mat gets the mat and its wiring: a reader of the profile sees what it is, and the debounce filter
knows the lines. Where that does not hold (no known mat, a bull of its own) every segment gets the frame that came.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import tomli_w
from msgspec import NODEFAULT, Struct, to_builtins
from msgspec.structs import fields, replace

from protocol.learning.candidates import BULLS, Cell, Pattern, Variant
from protocol.learning.contacts import FrameContacts
from protocol.learning.survey import Contact
from protocol.mat import Wiring, load_mat, locate_segments
from protocol.profile import Hits, Profile
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


class BullAnswers:
    """The answers for the bulls against a pattern whose lines are known as far as `rows` and `cols` say.

    Both are extended by lines that only the bulls tell, where all turns that agree with the bulls agree on them.
    """

    def __init__(
        self, pattern: Pattern, rows: dict[int, int], cols: dict[int, int], answers: Mapping[str, Counter[Cell]]
    ) -> None:
        self.rows, self.cols = rows, cols
        self.cells = {bull: counts.most_common(1)[0][0] for bull, counts in answers.items()}
        """Where each bull is; of several answers the one that came most often."""
        variants = pattern.variants if answers else pattern.variants[:1]  # without answers each agrees as well
        judged = [(variant, *_agreeing(variant, rows, cols, self.cells)) for variant in variants]
        most = max(len(agreed) for _, agreed, _, _ in judged)
        best = [each for each in judged if len(each[1]) == most]
        self.variant: Variant = best[0][0]
        self.expected = tuple(bull for bull in BULLS if bull in self.variant.bulls)
        self.odd = tuple(bull for bull in self.cells if bull not in best[0][1])
        self.doubtful = tuple(bull for bull in self.cells if self.odd and _is_doubtful(answers[bull]))
        """Bulls to be pressed again: one is not where it should be, and it may be the other that was misread."""
        if all(each[2:] == best[0][2:] for each in best):
            self.rows, self.cols = best[0][2:]


def conclude_pattern(pattern: Pattern, bulls: BullAnswers) -> Finding:
    """The finding, when all lines of the pattern are known."""
    contacts: dict[str, Contact] = {}
    straight = locate_segments(load_mat(bulls.variant.mat), bulls.variant.wiring)
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
    grid = load_mat(bulls.variant.mat).grid
    wiring = Wiring(
        turn=bulls.variant.wiring.turn,
        mirror=bulls.variant.wiring.mirror,
        transpose=bulls.variant.wiring.transpose,
        rows=_filled(rows, len(grid)),
        cols=_filled(cols, len(grid[0])),
    )
    return Finding(contacts, bulls.variant.mat, wiring, bulls.odd)


def conclude_survey(contacts: Mapping[str, Contact]) -> Finding:
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
    """Whether this line of the mat may have this number."""
    return lines[line] == number if line in lines else number not in lines.values()


def _is_doubtful(counts: Counter[Cell]) -> bool:
    (_, most), *others = counts.most_common(2)
    return most < _CONFIRMED or (bool(others) and others[0][1] == most)


def _filled(known: Mapping[int, int], count: int) -> list[int]:
    """A number for each of `count` lines; lines without any contact get the numbers that are left."""
    spare = (number for number in range(2 * count + len(known)) if number not in known.values())
    return [known[line] if line in known else next(spare) for line in range(count)]


def make_profile(base: Profile, finding: Finding, presses: int) -> Profile:
    """The profile of the board that was pressed, on top of what is known of its link and framing."""
    profile = replace(
        base, confidence=f"learned from the board itself, by {presses} presses", notes=describe_finding(finding)
    )
    if finding.mat is not None and not finding.odd:
        return replace(profile, hits=replace(base.hits, mat=finding.mat, wiring=finding.wiring))
    contacts = FrameContacts(base)
    frames = {segment: contacts.frame(contact) for segment, contact in finding.contacts.items()}
    says_more = base.buttons or base.miss or base.stuck or base.ignore
    if not says_more and not all(32 <= byte < 127 for frame in frames.values() for byte in frame):
        profile = replace(profile, notation="hex")
    names: dict[str, str | list[str]] = {
        segment: frame.hex() if profile.notation == "hex" else frame.decode("latin-1")
        for segment, frame in frames.items()
    }
    return replace(profile, hits=Hits(names=names, ignore_case=base.hits.ignore_case))


def describe_finding(finding: Finding) -> str:
    """What was found, in sentences."""
    if finding.mat is None:
        said = f"This is not a known mat: the profile lists what each of the {len(finding.contacts)} segments sends."
    else:
        turn, wiring = finding.wiring.turn, finding.wiring
        said = ", ".join(
            [
                f"This is the mat {finding.mat}",
                *(["mirrored"] if wiring.mirror else []),
                f"turned by {turn} number{'s' if turn > 1 else ''}" if turn else "not turned",
                *(["with rows and columns swapped"] if wiring.transpose else []),
            ]
        )
        said += "."
    if finding.odd:
        said += f" But {' and '.join(finding.odd)} differ from it, so the profile lists what each segment sends."
    if finding.missing:
        said += f" No contact was found for {', '.join(finding.missing)}."
    return said


def format_profile(profile: Profile) -> str:
    """The profile as TOML text, as a person would have written it: only what differs from the defaults."""
    return tomli_w.dumps(_changed_fields(profile))


def _changed_fields(value: Struct) -> dict[str, Any]:  # Any: TOML values
    """The fields that differ from their defaults."""
    changed: dict[str, Any] = {}
    for field in fields(value):
        given = getattr(value, field.name)
        default = field.default_factory() if field.default is NODEFAULT and callable(field.default_factory) else None
        if given is None or given == (default if field.default is NODEFAULT else field.default):
            continue
        changed[field.encode_name] = _changed_fields(given) if isinstance(given, Struct) else to_builtins(given)
    return changed


def find_place(segment: str) -> str:
    """The segment to press for this one: for a single without a half, one of its halves.

    Pressing one half or the other in turn tells boards with merged singles from boards with two of each.
    """
    if segment[0] != "S" or segment in BULLS:
        return segment
    return f"{'I' if NUMBERS.index(int(segment[1:])) % 2 else 'O'}{segment[1:]}"


def describe_bed(segment: str) -> str:
    """The segment's name, and where it is on the board."""
    if segment in BULLS:
        return f"{segment}, the {'middle' if segment == 'DB' else 'outer ring'} of the bull"
    half = "between triple and bull" if find_place(segment)[0] == "I" else "between double and triple"
    where = {
        "D": "the double, at the rim",
        "T": "the triple, the narrow ring halfway in",
        "O": "the outer single, between double and triple",
        "I": "the inner single, between triple and bull",
        "S": f"the single, {half}",
    }
    return f"{segment}, {where[segment[0]]}"
