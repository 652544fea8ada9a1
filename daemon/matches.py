"""How a match begins: from a header, from the disk after a restart, or as the same again."""

from __future__ import annotations

import secrets
from typing import Any, NamedTuple

import msgspec

from daemon.config import TableConfig
from daemon.store import StoredMatch, StoreError
from engine.games import game
from engine.match import Match, read_options
from engine.record import Header, Refused, Unreadable, read_header, read_input


class Opened(NamedTuple):
    """A match and what it is called. `timer_lines` are the lines of `next` that no person wrote."""

    id: str
    match: Match
    timer_lines: set[int]


def begin(header: Header) -> Opened:
    """A new match of this header, every option, the rules and the seed written out. Raises Unreadable."""
    try:
        chosen = game(header.game)
    except ValueError as error:
        raise Unreadable(str(error)) from None
    options: dict[str, Any] = msgspec.to_builtins(read_options(chosen, header.options))  # Any: JSON
    whole = msgspec.structs.replace(
        header,
        players=list(header.seating.players),
        options=options,
        seed=header.seed if header.seed is not None else secrets.token_hex(16),
        rules=chosen.rules,
    )
    return Opened(secrets.token_hex(6), Match(whole, chosen, whole.seed or ""), set())


def first(config: TableConfig) -> Opened:
    """The match a table opens with when its journal has none. Raises Unreadable."""
    return begin(
        Header(
            oche=1,
            game=config.game,
            players=list(config.players),
            options=config.options,
            teams=config.teams,
            seed=config.seed,
        )
    )


def same_again(old: Header, next_game: str | None) -> Header:
    """The same people once more, with another seed; a game chosen meanwhile brings its own defaults."""
    same = next_game in (None, old.game)
    return msgspec.structs.replace(
        old, game=next_game or old.game, options=old.options if same else {}, seed=None, rules=None
    )


def resume(stored: StoredMatch) -> Opened:
    """The match on disk, played again line by line. Raises StoreError when it cannot be."""
    try:
        header = read_header(stored.header)
        match = Match(header, game(header.game), header.seed or "")
        for line in stored.lines:
            outcome = match.apply(line.number, read_input(line.input))
            if not outcome.accepted:
                raise StoreError(f"line {line.number} of the stored match {stored.id} is refused: {outcome.reason}")
    except (Unreadable, Refused, ValueError) as error:
        raise StoreError(f"the stored match {stored.id} cannot be read: {error}") from error
    timer_lines = {line.number for line in stored.lines if line.source == "timer" and "next" in line.input}
    return Opened(stored.id, match, timer_lines)
