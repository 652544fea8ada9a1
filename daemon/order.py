"""In which order the sides of a match throw, where another match decides that before it.

The other match keeps in its own options what it is played for, so a restart between the two forgets nothing: what comes
next is always worked out from the match at hand, and a correction there is one here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from daemon import rules
from engine.game import Game
from engine.games import ORDERS, game, spelled_out
from engine.match import Match
from engine.options import read_options
from engine.record import Header, Unreadable, read_header
from engine.sequel import Sequel
from protocol.spelling import nearest

T = TypeVar("T")

_PEOPLE = ("players", "teams", "team_names", "bots")


def deciding(wanted: Header, how: str) -> Header | None:
    """The match that decides the order for this one; None where there is nothing to decide. Raises Unreadable."""
    if how not in ORDERS:
        raise Unreadable(f"there is no order {how!r}{nearest(how, [*ORDERS])}")
    if len(wanted.seating.sides) < 2 or wanted.game == ORDERS[how]:
        return None
    kept: dict[str, Any] = msgspec.to_builtins(wanted)  # Any: JSON
    people = {key: kept.pop(key) for key in _PEOPLE}
    then = {key: value for key, value in kept.items() if value is not None}
    return Header(oche=1, game=ORDERS[how], options={"then": then}, **people)


def sequel(match: Match) -> Header | None:
    """What this match is played for, with the sides in the order known so far; None: it is played for itself."""
    if type(match.game).sequel is Game.sequel:  # most are: not even the clock is set for them
        return None
    try:
        with rules.asking(match.game, is_vital=False, even_withdrawn=True):
            found = match.game.sequel(match.options, match.position.state)
            return None if found is None else _ordered(match.header, found)
    except Unreadable:  # no such game any more, or not with these options, or the rules fail: the same can be had again
        return None


def _ordered(played: Header, found: Sequel) -> Header:
    """The header with the sides in that order: of those who play alone the players, else the teams. Raises Unreadable.

    Lists among the options go with whom they are for.
    """
    people = {key: value for key in _PEOPLE if (value := getattr(played, key)) is not None}
    wanted = {key: value for key, value in found.header.items() if key not in _PEOPLE}
    header = read_header({"oche": 1, **wanted, **people})
    sides = found.order
    if header.teams is None:
        header = replace(header, players=_by(sides, header.players), bots=header.bots and _by(sides, header.bots))
    else:
        header = replace(header, teams=_by(sides, header.teams))
    header = replace(header, team_names=header.team_names and _by(sides, header.team_names))
    spelled = spelled_out(header)
    chosen = game(spelled.game)
    read_options(chosen, spelled.options)  # whoever wrote them may have written anything
    lists = chosen.by_side | (chosen.by_player if header.teams is None else frozenset())
    own = {
        name: _by(sides, value)
        for name, value in header.options.items()
        if name in lists and isinstance(value, list) and len(value) == len(sides)
    }
    return replace(header, options={**header.options, **own})


def _by(order: Sequence[int], values: Sequence[T]) -> list[T]:
    return [values[at] for at in order]
