"""What is known of a board before its segments are learned: where it is, what it sends, what ends that."""

from __future__ import annotations

import re

from msgspec.structs import replace

from daemon.admin.requests import BoardDescription
from daemon.config.schemes import SCHEMES
from daemon.errors import UserError, to_user_error
from daemon.plugins.profiles import find_codebook
from drivers.address import AddressError
from drivers.schemes import parse_board
from protocol.framing import Framing
from protocol.learning.contacts import is_hex, template
from protocol.profile import Hits, Profile, Serial, Timing
from protocol.sentence import say

_ESCAPES = (("\\r", "\r"), ("\\n", "\n"), ("\\t", "\t"), ("\\0", "\0"))


def make_id(name: str) -> str:
    """Returns the id of the profile of this name."""
    return re.sub("[^a-z0-9]+", "-", name.lower()).strip("-") or "board"


def make_blank_profile(described: BoardDescription) -> Profile:
    """Returns the profile without a mat. Raises UserError."""
    with to_user_error(AddressError, status=2):
        where = parse_board(described.board, SCHEMES)
    frame, end, size = described.frame, described.end, described.size
    if described.profile is not None:
        found = find_codebook(described.profile).profile
        base = replace(found, id=make_id(described.name), name=described.name, sources=[])
        frame = template(frame) if frame is not None else base.hits.frame
        base = replace(base, hits=Hits(frame=frame, keys=base.hits.keys, ignore_case=base.hits.ignore_case))
    elif where.scheme in ("ble", "usb", "web"):
        said = say(
            "learn.no_profile_given",
            "a {name}: address does not say what to open on the board: name a profile that does",
            name=where.scheme,
        )
        raise UserError(said, 2)
    else:
        base = Profile(
            id=make_id(described.name),
            name=described.name,
            hits=Hits(frame=None if frame is None else template(frame)),
            notation="hex" if size is not None and frame is not None and is_hex(template(frame)) else "text",
            serial=Serial(baud=where.number("baud", Serial().baud)),
            timing=Timing(repeat_ms=600),  # some controllers repeat a closed contact every half second
        )
    if size is not None:
        return replace(base, framing=Framing(kind="fixed", size=size))
    if end is not None:
        for written, meant in _ESCAPES:
            end = end.replace(written, meant)
        return replace(base, framing=replace(base.framing, kind="delimited", end=end))
    return base
