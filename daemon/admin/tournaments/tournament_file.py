"""A tournament as a file that replays: JSON lines, first what it is made of, then a line for each input."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec
from msgspec import Struct

from engine.tournament.journal import TournamentJournal
from protocol.json_depth import check_depth
from protocol.sentence import Refusal, get_reason, say
from protocol.tournament import Line, TournamentSpec, UnixTime


class Head(Struct, frozen=True):
    """The first line: the version of the file, and the tournament."""

    tournament: Literal[1]
    id: str
    made_s: UnixTime
    spec: TournamentSpec


class TournamentFile(Struct, frozen=True):
    """What is in a file."""

    head: Head
    lines: list[Line]


class FileRefused(Refusal):
    """A file that does not replay."""


def write_file(head: Head, lines: Iterable[Line]) -> bytes:
    """Returns the file."""
    return b"".join(msgspec.json.encode(each) + b"\n" for each in (head, *lines))


def read_file(content: bytes) -> TournamentFile:
    """Returns what is in a file, every line of which was done again. Raises FileRefused, which names the line."""
    first, *rest = content.rstrip(b"\n").split(b"\n")
    lines = []
    number = 1
    try:
        check_depth(first)
        head = msgspec.json.decode(first, type=Head)
        journal = TournamentJournal(head.spec)
        for number, text in enumerate(rest, 2):
            check_depth(text)
            line = msgspec.json.decode(text, type=Line)
            if line.number != number:
                raise Refusal(say("tournament.file_order", "it has the number of another line"))
            lines.append(journal.apply(line.at_s, line.by, line.input))
    except ValueError as error:  # IllegalInput too, and what is no JSON or not UTF-8
        said = say("tournament.file", "line {line} of this file: {why}", line=number, why=get_reason(error))
        raise FileRefused(said) from None
    return TournamentFile(head, lines)
