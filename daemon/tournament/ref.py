"""The `ref` of a match at a table: which attempt at which match of which tournament it is. Tables never read it."""

from __future__ import annotations

import re
from typing import NamedTuple

_REF = re.compile(r"([a-z0-9]{8})/([a-z0-9/-]{1,40})/([0-9]{1,9})")


class Ref(NamedTuple):
    """The id of a tournament, that of a match in it, and which attempt it is, from 1."""

    tournament: str
    match: str
    attempt: int

    def __str__(self) -> str:
        return f"{self.tournament}/{self.match}/{self.attempt}"


def read_ref(text: object) -> Ref | None:
    """What a ref says; None for one that is not ours, and for what is none."""
    found = _REF.fullmatch(text) if isinstance(text, str) else None
    return None if found is None else Ref(found[1], found[2], int(found[3]))
