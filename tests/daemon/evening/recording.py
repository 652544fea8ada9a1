"""The recording of the evening: a line for each question, then one for each kind of what was published."""

from __future__ import annotations

import json
from collections.abc import Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from tests.daemon.evening.shape import compare

JSON = Any  # Any: JSON
FILE = Path(__file__).with_name("recording.jsonl")


def read_recording() -> list[JSON]:
    """Its lines."""
    return [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


def write_recording(lines: Sequence[JSON]) -> None:
    """Writes it anew."""
    FILE.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")


def find_differences(before: Sequence[JSON], after: Sequence[JSON]) -> list[str]:
    """What is different, a sentence each."""
    names, found = [[_name(line) for line in lines] for lines in (before, after)], []
    for kind, first, end, begin, last in SequenceMatcher(a=names[0], b=names[1], autojunk=False).get_opcodes():
        if kind == "equal":
            for old, new in zip(before[first:end], after[begin:last], strict=True):
                found += [f"{_name(new)} {each}" for each in compare(old, new)]
        else:
            found += [f"{each}: is not there any more" for each in names[0][first:end]]
            found += [f"{each}: is new" for each in names[1][begin:last]]
    return found


def _name(line: JSON) -> str:
    """What tells a line from most others."""
    keys = ("ask", "request", "say", "published", "stream", "event", "about")
    return " ".join(line[key] for key in keys if key in line) or "files"
