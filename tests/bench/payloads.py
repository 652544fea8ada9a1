"""How large is what the broker keeps of a match? Prints the largest payload of each kind of topic over all games.

Run it with `python -m tests.bench.payloads`. In every game that takes so many, two and eight players throw anywhere and
answer anything, a few hundred inputs each: once with the names of friends, and once with names made on purpose, as long
as a name can be and of characters that take four bytes.
"""

from __future__ import annotations

from random import Random
from secrets import token_hex
from typing import Any

import msgspec
from msgspec.structs import replace

from daemon.snapshot import take_snapshot
from daemon.table.matches import begin, describe_plan
from engine.game import Game
from engine.games import GAMES
from engine.match import Match
from protocol.commands import Choose, Input, Next, Throw
from protocol.layouts import find_layout
from protocol.match_spec import MatchSpec
from protocol.messages import SeatState, SeatView, make_attributes
from tests.plain_guard import PlainGuard

INPUTS = 300
FRIENDS = ("Ann", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Hal")
ON_PURPOSE = tuple(chr(0x1F600 + n) * 40 for n in range(8))
KINDS = ("state", "seat/<n>/state", "next", "attr/<name>")
Most = dict[str, tuple[int, str]]
"""By kind of topic: the most bytes, and the game that needs them."""


def main() -> None:
    """Prints the table."""
    print(f"{'bytes':34}" + "".join(f"{kind:>30}" for kind in KINDS))
    for players in (2, 8):
        for what, names in (("friends", FRIENDS), ("on purpose", ON_PURPOSE)):
            most: Most = {}
            for game in GAMES.values():
                if players in game.sides:
                    _play(game, names[:players], most)
            row = "".join(f"{f'{most[kind][1]} {most[kind][0]:,}':>30}" for kind in KINDS)
            print(f"{players} players, {what:22}{row}")


def _play(game: Game[Any, Any], names: tuple[str, ...], most: Most) -> None:  # Any: each has its own options
    chance, layout = Random(game.id), find_layout(game.layouts[0])
    opened = begin(MatchSpec(game.id, names, seed="oche"), layout, token_hex, PlainGuard())
    match = opened.match
    _note(most, "next", game, describe_plan(match.header, layout, PlainGuard()))
    for line in range(2, INPUTS + 2):
        if match.position.over:
            break
        match.apply(line, any_move(match, chance))
        state = replace(take_snapshot(match, opened.id), session="0123abcd", seq=100_000)
        _note(most, "state", game, state)
        for value in make_attributes(state).values():
            _note(most, "attr/<name>", game, value)
        for seat in range(len(names)):
            seen = take_snapshot(match, opened.id, seat=seat)
            own = tuple(prompt for prompt in seen.prompts if prompt.seat == seat)
            view = SeatView(seen.targets, seen.hint, seen.board)
            _note(most, "seat/<n>/state", game, SeatState(seat, opened.id, line, view, own))


def any_move(match: Match, chance: Random) -> Input:
    """Anything that can be done now."""
    prompt = match.position.blocking or next(iter(match.position.prompts), None)
    if prompt is not None and (match.position.blocking or chance.random() < 0.3):
        options = tuple(prompt.options or ()) or (prompt.default or "",)
        return Choose(chance.choice(options), prompt.id)
    if match.position.phase == "takeout":
        return Next()
    return Throw(chance.choice(match.layout.segments).id)


def _note(most: Most, kind: str, game: Game[Any, Any], value: object) -> None:  # Any: as above
    size = len(value.encode() if isinstance(value, str) else msgspec.json.encode(value))
    if size > most.get(kind, (-1, ""))[0]:
        most[kind] = size, game.id


if __name__ == "__main__":
    main()
