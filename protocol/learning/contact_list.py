"""Learning a board from a list of its contacts instead of presses: what another program, or its owner, wrote down.

A line has a segment and what the board sends for it, `T20 3,7`; a JSON object has `{"T20": "3,7"}` or the row and the
column, `{"T20": [3, 7]}`. All of them are believed: a known mat is named only if it agrees with every one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

import msgspec
from msgspec.structs import replace

from protocol.learning.candidates import Cell
from protocol.learning.contacts import LINES, OPAQUE, FrameContacts
from protocol.learning.finding import Finding, conclude_survey, make_profile
from protocol.learning.forms import FrameForms
from protocol.learning.learner import Learner
from protocol.learning.survey import Contact
from protocol.profile import Profile
from protocol.sentence import Refusal
from protocol.standard import standard

_BED = r"[A-Za-z]+\s+bull|[A-Za-z]+\s+\d+(?=\s*[=:]|\s+\S)|[A-Za-z]+\d*|25|50"
_LINE = re.compile(rf"({_BED})(?:\s*[=:;,]\s*|\s+)(?!#\s)(\S.*?)(?:\s+#.*)?", re.IGNORECASE)
_EXAMPLE = 'write a segment and what the board sends for it on each line, as in T20 3,7, or JSON as in {"T20": [3, 7]}'
_USUAL = "{row},{col}"
"""How a board sends row and column, unless its profile has a frame."""
_MOST = 400

Contacts = Mapping[str, str | Cell]
"""What a board sends for each segment, or its row and column."""


def parse_contacts(text: str) -> dict[str, str | Cell]:
    """The contacts in a list. Raises Refusal with the line or the segment that is wrong."""
    is_json = text.lstrip().startswith("{")
    found: dict[str, str | Cell] = {}
    for where, name, contact in _read_json(text) if is_json else _read_lines(text):
        try:
            segment = standard().find(name).id
        except ValueError as error:
            raise Refusal(f"{where}{error}") from None
        if found.setdefault(segment, contact) != contact:
            raise Refusal(f"{where}{segment} has two contacts: keep one of them")
        other = next(each for each in found if found[each] == contact)
        if other != segment:
            raise Refusal(f"{where}{segment} has the same contact as {other}: correct one of them")
    if not found:
        raise Refusal(f"the list has no contacts: {_EXAMPLE}")
    return found


def learn_contacts(base: Profile, contacts: Contacts) -> tuple[Profile, Finding]:
    """The profile of the board with these contacts, on top of `base`, and what was found.

    Raises Refusal for a contact that does not match the `hits.frame` of the base.
    """
    frame = base.hits.frame
    if frame is None:
        frames = [contact.encode("latin-1", "replace") for contact in contacts.values() if isinstance(contact, str)]
        frame = FrameForms(base).choose(frames, is_sure=True) if frames else _USUAL
        if frame == OPAQUE and len(frames) < len(contacts):
            raise Refusal(
                "some contacts are row and column, others what the board sends: write all of them in the same way"
            )
        base = replace(base, hits=replace(base.hits, frame=frame))
    reader = FrameContacts(base)
    known = {segment: _read(reader, segment, contact, frame) for segment, contact in contacts.items()}
    finding = _recognise(known) if reader.is_matrix else None
    if finding is None or any(finding.contacts.get(segment) != contact for segment, contact in known.items()):
        finding = conclude_survey(known)
    profile = make_profile(base, finding, len(known))
    return replace(profile, confidence=f"from a list of {len(known)} contacts"), finding


def _recognise(known: Mapping[str, Contact]) -> Finding | None:
    """What presses by this list would find; None if that does not end."""
    learner = Learner(by_name=True)
    while (press := learner.press) is not None:
        halves = (f"{half}{press[1:]}" for half in ("O", "I") if press[0] == "S")
        learner.hear(next((known[name] for name in (press, *halves) if name in known), None))
        if learner.is_unknown or len(learner.answers) > _MOST:
            return None
    return learner.finding


def _read(reader: FrameContacts, segment: str, contact: str | Cell, frame: str) -> Contact:
    if not isinstance(contact, str):
        if not reader.is_matrix:
            raise Refusal(f"{segment} has a row and a column, but the frame * has neither: write what the board sends")
        row, col = contact
        said = f"{segment} has the row {row} and the column {col}"
        if not (0 <= row < LINES and 0 <= col < LINES):
            raise Refusal(f"{said}: both must be from 0 to {LINES - 1}")
        try:
            is_said = reader.read(reader.frame(contact)) == contact
        except (ValueError, IndexError):
            is_said = False
        if not is_said:
            raise Refusal(f"{said}, which do not fit the frame {frame!r}: correct one of them")
        return contact
    try:
        found = reader.read(contact.encode("latin-1"))
    except UnicodeEncodeError:
        found = None
    if found is None:
        raise Refusal(
            f"{segment} has the contact {contact!r}, which does not match the frame {frame!r}: correct one of them"
        )
    return found


def _read_lines(text: str) -> Iterator[tuple[str, str, str]]:
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        if not line or line.startswith("#"):
            continue
        found = _LINE.fullmatch(line)
        if found is None:
            raise Refusal(f"line {number} cannot be read: {_EXAMPLE}")
        yield f"line {number}: ", found[1], found[2]


def _read_json(text: str) -> Iterator[tuple[str, str, str | Cell]]:
    try:
        # As a list, because a segment that is there twice is to be refused.
        contacts = msgspec.convert(json.loads(text, object_pairs_hook=list), type=list[tuple[str, str | Cell]])
    except (ValueError, RecursionError):
        raise Refusal(f"the list begins like JSON, but cannot be read: {_EXAMPLE}") from None
    for name, contact in contacts:
        yield "", name, contact
