"""`oche replay`: replays a match record and prints the scoreboard, or one JSON line for each line of the record."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterator
from typing import Any, BinaryIO

import click
import msgspec

from daemon.commands.shared import open_input, with_plugins
from daemon.errors import UserError, to_user_error
from daemon.files import read_lines
from daemon.plugins.rule_guard import RuleGuard
from daemon.rules import Guard, RulesFailed
from daemon.snapshot import take_snapshot
from daemon.terminal import render_scoreboard
from engine.games import expand_preset, game
from engine.match import Match, Outcome
from protocol.commands import INPUT_WORDS, IllegalInput, decode_line
from protocol.match_spec import Unreadable, read_header, read_json
from protocol.messages import State

_MOST_LINES = 1_000_000
"""No match has so many; what has no end is read no further."""


@click.command()
@click.argument("file", type=click.Path(allow_dash=True))
@click.option("--json", "as_json", is_flag=True, help="One JSON line for each line of the file.")
@click.option("--reveal", is_flag=True, help="Show hidden hands and their prompts.")
@with_plugins
def command(file: str, as_json: bool, reveal: bool) -> None:
    """Play a match record again. FILE has JSON lines (see docs/playing.md); - is standard input.

    The exit status is 1 if a line was refused, 2 if one could not be read.
    """
    guard, refused = RuleGuard(), list[str]()
    match: Match | None = None
    broken: UserError | None = None
    with open_input(file) as source:
        try:
            for line, match, outcome in _replay(source, file, guard):
                if not outcome.accepted:
                    refused.append(f"line {line} was refused: {outcome.reason}")
                if as_json:
                    answer = {"line": line, "accepted": outcome.accepted, "reason": outcome.reason}
                    _print(msgspec.json.encode({**answer, "state": _take_state(match, reveal, guard)}))
        except UserError as error:
            broken = error
    if match is not None and not as_json:
        _print(render_scoreboard(_take_state(match, reveal, guard)).encode())
        for sentence in refused:
            print(f"oche: {sentence}", file=sys.stderr)
    if broken is not None:
        raise broken
    if match is None:
        raise UserError(f"{_name(file)} is empty: the first line of a match record is its header", status=2)
    if refused:
        sys.exit(1)


def _print(text: bytes) -> None:
    """Prints UTF-8 at once, whatever encoding the terminal has."""
    sys.stdout.buffer.write(text + b"\n")
    sys.stdout.buffer.flush()


def _take_state(match: Match, reveal: bool, guard: Guard) -> State:
    with to_user_error(RulesFailed), guard.call(match.game):
        return take_snapshot(match, reveal=reveal)


def _replay(source: BinaryIO, file: str, guard: Guard) -> Iterator[tuple[int, Match, Outcome]]:
    """Yields each line that is not blank, with the match after it. Raises UserError."""
    match: Match | None = None
    for line, raw in enumerate(read_lines(source, _name(file)), 1):
        if line > _MOST_LINES:
            raise UserError(f"{_name(file)} has more than {_MOST_LINES} lines: this is not a match record", status=2)
        if not raw.strip():
            continue
        try:
            value = read_json(raw)
            if match is None:
                match, outcome = _begin(value, line, guard), Outcome(True)
            else:
                with guard.call(match.game):
                    outcome = match.apply(line, decode_line(value))
        except IllegalInput as refused:
            outcome = Outcome(False, str(refused))
        except Unreadable as error:
            raise UserError(f"{_name(file)}, line {line}: {error}", status=2) from None
        assert match is not None  # a header is never IllegalInput
        yield line, match, outcome


def _begin(value: dict[str, Any], line: int, guard: Guard) -> Match:  # Any: JSON
    if "oche" not in value and any(word in value for word in INPUT_WORDS):
        raise Unreadable("the first line of a match record must be its header, and this is an input")
    header = expand_preset(read_header(value))
    chosen = game(header.game)
    with guard.call(chosen):
        return Match(header, chosen, header.seed if header.seed is not None else secrets.token_hex(8), line)


def _name(file: str) -> str:
    return "standard input" if file == "-" else file
