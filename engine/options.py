"""May it be played like this? What a header says of a game, held against what the game allows.

Every refusal is one sentence that names what was given and what is possible.
"""

from __future__ import annotations

from typing import Any

import msgspec

from engine.game import Game, Seating
from engine.record import Unreadable
from protocol.spelling import nearest, readable


def read_options(game: Game[Any, Any], given: dict[str, Any]) -> Any:  # Any: each game has its own options
    """The game's options from a header; raises Unreadable with the option, what is possible, the nearest spelling."""
    known = [field.encode_name for field in msgspec.structs.fields(game.options_type)]
    for key in given:
        if key not in known:
            hint = nearest(key, known) if known else "; it has none"
            raise Unreadable(f"{game.id} has no option {key!r}{hint}")
    try:
        return msgspec.convert(given, game.options_type)
    except msgspec.ValidationError as error:
        reason, path = readable(error, game.options_type)
        name = str(path[0]) if path else "?"
        raise Unreadable(f"option {name} of {game.id} is {given.get(name)!r}: {reason}") from None


def check_seating(game: Game[Any, Any], seating: Seating) -> None:
    """Can so many sides, of these sizes, play it? Raises Unreadable."""
    if len(seating.sides) not in game.sides:
        raise Unreadable(f"{game.id} is for {_span(game.sides, 'side')}, not for {len(seating.sides)}")
    for side in seating.sides:
        if len(side.seats) not in game.team_size:
            raise Unreadable(
                f"{side.name} has {len(side.seats)} members; {game.id} is for teams of "
                f"{_span(game.team_size, 'member')}"
            )


def _span(allowed: range, what: str) -> str:
    low, high = allowed[0], allowed[-1]
    return f"{low} to {high} {what}s" if low != high else f"{low} {what}{'' if low == 1 else 's'}"
