"""What was played of a match that may move: said while it goes on, and entered at another table by `start`."""

from __future__ import annotations

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from daemon.rules import Guard, RulesFailed
from daemon.table.committed import Committed
from engine.moving import list_lines
from protocol.commands import encode_line, strip_line
from protocol.match_spec import write_header
from protocol.messages import Record

_MOST_BYTES = 65_536


def make_record(committed: Committed, guard: Guard) -> Record | None:
    """What was played so far; None of a match without a `ref`, and where it is over, too long, or cannot move."""
    match, ref = committed.match, committed.public.ref
    if ref is UNSET:
        return None
    try:
        with guard.call(match.game, is_vital=False):
            lines = list_lines(match)
    except RulesFailed:
        return None
    if lines is None:
        return None
    header = write_header(replace(match.header.same_again, ref=ref, continues=committed.match_id))
    record = Record(1, committed.match_id, ref, header, tuple(strip_line(encode_line(line)) for line in lines))
    return record if len(msgspec.json.encode(record)) <= _MOST_BYTES else None
