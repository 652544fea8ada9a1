"""From what was found to a profile that can be used, and to words for the person who pressed.

A board on a known mat gets the mat and its wiring: whoever reads the file sees what it is, and the ghost filter knows
the lines. Where that does not hold (no known mat, a bull of its own) every segment gets the frame that came.
"""

from __future__ import annotations

from msgspec.structs import replace

from protocol.learning.contacts import Contacts
from protocol.learning.finding import Finding
from protocol.profile import Hits, Profile


def learned(base: Profile, finding: Finding, presses: int) -> Profile:
    """The profile of the board that was pressed, on top of what is known of its link and framing."""
    profile = replace(base, confidence=f"learned from the board itself, by {presses} presses", notes=told(finding))
    if finding.mat is not None and not finding.odd:
        return replace(profile, hits=replace(base.hits, mat=finding.mat, wiring=finding.wiring))
    contacts = Contacts(base)
    frames = {segment: contacts.frame(contact) for segment, contact in finding.contacts.items()}
    says_more = base.buttons or base.miss or base.stuck or base.ignore
    if not says_more and not all(32 <= byte < 127 for frame in frames.values() for byte in frame):
        profile = replace(profile, notation="hex")
    names: dict[str, str | list[str]] = {
        segment: frame.hex() if profile.notation == "hex" else frame.decode("latin-1")
        for segment, frame in frames.items()
    }
    return replace(profile, hits=Hits(names=names, ignore_case=base.hits.ignore_case))


def told(finding: Finding) -> str:
    """What was found, in sentences."""
    if finding.mat is None:
        said = f"This is no mat that is known: the {len(finding.contacts)} segments got a table of their own."
    else:
        turn, wiring = finding.wiring.turn, finding.wiring
        said = ", ".join(
            [
                f"This is the mat {finding.mat}",
                *(["its left and right exchanged"] if wiring.mirror else []),
                f"turned by {turn} number{'s' if turn > 1 else ''}" if turn else "not turned",
                *(["its rows the columns of this board"] if wiring.transpose else []),
            ]
        )
        said += "."
    if finding.odd:
        said += f" But not {' and '.join(finding.odd)}, so every segment got a frame of its own."
    if finding.missing:
        said += f" Nothing was found for {', '.join(finding.missing)}."
    return said
