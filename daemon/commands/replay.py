"""`oche replay`: a match record in, a scoreboard out; or, for programs, one line of JSON for each line of it."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import click
import msgspec

from daemon import rules
from daemon.commands.own import with_plugins
from daemon.errors import UserError
from daemon.scoreboard import scoreboard
from daemon.snapshot import snapshot
from engine.games import game, spelled_out
from engine.match import Match, Outcome
from engine.record import Refused, Unreadable, read_header, read_input, read_json
from protocol.messages import State


@click.command()
@click.argument("file", type=click.Path(allow_dash=True))
@click.option("--json", "as_json", is_flag=True, help="One JSON line for every line of the file.")
@click.option("--reveal", is_flag=True, help="Show hidden hands and their prompts.")
@with_plugins
def command(file: str, as_json: bool, reveal: bool) -> None:
    """Play a match record again. FILE is JSON lines (see the README), - reads standard input.

    Exits with 1 when a line was refused, with 2 when one could not be read.
    """
    refused: list[str] = []
    match: Match | None = None
    broken: _Broken | None = None
    with _open(file) as source:
        try:
            for line, match, outcome in _replay(source):
                if not outcome.accepted:
                    refused.append(f"line {line} was refused: {outcome.reason}")
                if as_json:
                    answer = {
                        "line": line,
                        "accepted": outcome.accepted,
                        "reason": outcome.reason,
                        "state": _state(match, reveal),
                    }
                    _print(msgspec.json.encode(answer))
        except _Broken as error:
            broken = error
    if match is not None and not as_json:
        _print(scoreboard(_state(match, reveal)).encode())
        for sentence in refused:
            print(f"oche: {sentence}", file=sys.stderr)
    if broken is not None:
        raise UserError(f"{_name(file)}, line {broken.line}: {broken}", status=2)
    if match is None:
        raise UserError(f"{_name(file)} is empty: the first line of a match record is its header", status=2)
    if refused:
        sys.exit(1)


def _print(text: bytes) -> None:
    """A line, or a few, at once. As bytes: a record is UTF-8 whatever the terminal claims to be."""
    sys.stdout.buffer.write(text + b"\n")
    sys.stdout.buffer.flush()


class _Broken(Exception):
    def __init__(self, line: int, reason: object) -> None:
        super().__init__(str(reason))
        self.line = line


def _state(match: Match, reveal: bool) -> State:
    try:
        with rules.asking(match.game):
            return snapshot(match, reveal=reveal)
    except rules.RulesFailed as failure:
        raise UserError(str(failure)) from None


def _replay(source: BinaryIO) -> Iterator[tuple[int, Match, Outcome]]:
    """Each line that is not blank, with the match after it; raises _Broken."""
    match: Match | None = None
    for line, raw in enumerate(iter(source.readline, b""), 1):
        if not raw.strip():
            continue
        try:
            value = read_json(raw)
            if match is None:
                match, outcome = _begin(value, line), Outcome(True)
            else:
                with rules.asking(match.game):
                    outcome = match.apply(line, read_input(value))
        except Refused as refused:
            outcome = Outcome(False, str(refused))
        except Unreadable as error:
            raise _Broken(line, error) from None
        assert match is not None  # a header is never Refused
        yield line, match, outcome


def _begin(value: dict[str, Any], line: int) -> Match:  # Any: JSON
    header = spelled_out(read_header(value))
    chosen = game(header.game)
    with rules.asking(chosen):
        return Match(header, chosen, header.seed if header.seed is not None else secrets.token_hex(8), line)


def _open(file: str) -> BinaryIO:
    if file == "-":
        return sys.stdin.buffer
    try:
        return Path(file).open("rb")
    except OSError as error:
        raise UserError(f"cannot read {file}: {(error.strerror or str(error)).lower()}", status=2) from None


def _name(file: str) -> str:
    return "standard input" if file == "-" else file
