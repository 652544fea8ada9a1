"""How a match begins: from a header, from the disk after a restart, or as the same again."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from daemon.config import TableConfig, first_header
from daemon.store import StoredMatch, StoreError
from engine.game import Game
from engine.games import game, spelled_out
from engine.match import Match
from engine.record import Header, Refused, Unreadable, read_header, read_input
from protocol.segment import Layout

Favourites = Mapping[str, Sequence[int]]
"""Favourite doubles by the names of players."""
NOBODY: Favourites = {}


class Opened(NamedTuple):
    """A match and what it is called. `timer_lines` are the lines that the timer wrote, `doubles` the host's list."""

    id: str
    match: Match
    timer_lines: set[int]
    doubles: Favourites = NOBODY


def begin(header: Header, face: Layout, doubles: Favourites = NOBODY) -> Opened:
    """A new match of this header on this board face, with every option, the rules and the seed written out.

    `doubles` are the favourites of whoever may be among the players. Raises Unreadable.
    """
    header = spelled_out(header)
    chosen = game(header.game)
    header = _with_doubles(header, chosen, doubles)
    seed = header.seed if header.seed is not None else secrets.token_hex(16)
    draft = _match(header, chosen, seed, face)
    options: dict[str, Any] = msgspec.to_builtins(draft.options)  # Any: JSON
    players = list(header.seating.players)
    whole = msgspec.structs.replace(header, players=players, options=options, seed=seed, rules=chosen.rules)
    return Opened(secrets.token_hex(6), _match(whole, chosen, seed, face), set(), doubles)


def first(config: TableConfig, face: Layout) -> Opened:
    """The match a table opens with when its journal has none. Raises Unreadable."""
    return begin(first_header(config), face, config.doubles)


def same_again(old: Header, next_game: str | None) -> Header:
    """The same people once more, with another seed; a game chosen meanwhile brings its own defaults."""
    same = next_game in (None, old.game)
    return msgspec.structs.replace(
        old, game=next_game or old.game, options=old.options if same else {}, seed=None, rules=None
    )


def resume(stored: StoredMatch, face: Layout, doubles: Favourites = NOBODY) -> Opened:
    """The match on disk, played again line by line. Raises StoreError when it cannot be."""
    try:
        header = read_header(stored.header)
        match = _match(header, game(header.game), header.seed or "", face)
        for line in stored.lines:
            outcome = match.apply(line.number, read_input(line.input))
            if not outcome.accepted:
                raise Refused(f"line {line.number} is refused: {outcome.reason}")
    except ValueError as error:  # Unreadable, Refused, and a game that is gone
        raise StoreError(
            f"the stored match {stored.id} cannot be played again ({error}): "
            "move its journal out of bridge.state_dir, and a new one is begun"
        ) from error
    timer_lines = {line.number for line in stored.lines if line.source == "timer" and "throw" not in line.input}
    return Opened(stored.id, match, timer_lines, doubles)


def _with_doubles(header: Header, chosen: Game[Any, Any], doubles: Favourites) -> Header:  # Any: as in _match
    """With the players' favourite doubles, where the game has an option for them and the header says nothing of it."""
    has_option = any(field.encode_name == "doubles" for field in msgspec.structs.fields(chosen.options_type))
    players = header.seating.players
    if not has_option or header.options.get("doubles") or not any(name in doubles for name in players):
        return header
    options = {**header.options, "doubles": [list(doubles.get(name, ())) for name in players]}
    return msgspec.structs.replace(header, options=options)


def _match(header: Header, chosen: Game[Any, Any], seed: str, face: Layout) -> Match:  # Any: each has its own options
    if face.name not in chosen.layouts:
        wanted = " or ".join(chosen.layouts)
        raise Unreadable(f"{chosen.id} is played on the {wanted} face, and this board has the {face.name} face")
    return Match(header, chosen, seed, face=face)
