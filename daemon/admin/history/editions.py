"""Two records of one match compared: which of them goes on where the other one ends."""

from __future__ import annotations

from enum import Enum
from typing import Any

import msgspec

from daemon.admin.history.forget import without_titles


class Relation(Enum):
    """What an offered record is to the known one."""

    SAME = "same"
    RENAMED = "renamed"
    """The same inputs by players with other names."""
    LONGER = "longer"
    LONGER_RENAMED = "longer_renamed"
    """It goes on, by players with other names."""
    SHORTER = "shorter"
    """The known one goes on where it ends."""
    OTHER = "other"


def compare(known: bytes, offered: bytes) -> Relation:
    """Returns what the record `offered` is to `known`; both are a header and inputs, each line with its line feed."""
    (known_head, known_inputs), (head, inputs) = (_split(text) for text in (known, offered))
    is_renamed = known_head != head
    if is_renamed and _without_names(known_head) != _without_names(head):
        return Relation.OTHER
    if inputs == known_inputs:
        return Relation.RENAMED if is_renamed else Relation.SAME
    if inputs.startswith(known_inputs):
        return Relation.LONGER_RENAMED if is_renamed else Relation.LONGER
    return Relation.SHORTER if known_inputs.startswith(inputs) else Relation.OTHER


def _split(text: bytes) -> tuple[bytes, bytes]:
    head, _, inputs = text.partition(b"\n")
    return head, inputs


def _without_names(head: bytes) -> dict[str, Any]:  # Any: JSON
    header: dict[str, Any] = msgspec.json.decode(head)  # Any: the same
    header["players"] = len(header["players"])
    header.pop("team_names", None)
    if isinstance(routine := header.get("routine"), dict):
        header["routine"] = without_titles(routine)
    for key in ("ghosts", "like"):
        if isinstance(named := header.get(key), list):
            header[key] = [{**each, "player": None} if isinstance(each, dict) else each for each in named]
    return header
