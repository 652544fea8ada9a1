"""What is thrown in each match of a tournament: laid down before it begins, whoever throws first and wherever it is.

Of two people one wins, by what they are called and the match they meet in: 301, straight out, in three visits. The
other one scores, and never as much.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

JSON = dict[str, Any]  # Any: JSON

GAME: JSON = {"game": "x01", "options": {"start": 301, "out": "straight"}}
_WINS = (("T20", "T20", "T20"), ("T20", "O20", "I13"), ("D10", "O7", "I1"))
"""301 in three visits: 180, 93 and 28."""
_SCORES = ("O1", "T1", "I5", "O20", "D5", "I12", "T7")

WRONG = "O9"
"""A dart that nobody throws."""


def choose_winner(match: str, people: Sequence[str]) -> str:
    """Who wins this match."""
    return Random(f"{match} {sorted(people)}").choice(sorted(people))


def list_darts(match: str, player: str, winner: str, round: int) -> tuple[str, ...]:
    """The darts of this player in a visit, by the round of the leg (from 1)."""
    if player == winner:
        return _WINS[round - 1]
    rng = Random(f"{match} {player} {round}")
    return tuple(rng.choice(_SCORES) for _ in range(3))


def list_lines(match: str, players: Sequence[str]) -> Iterator[JSON]:
    """The record of a match between these players, of whom the first throws first: its lines after the header."""
    winner = choose_winner(match, players)
    for round in range(1, len(_WINS) + 1):
        for player in players:
            yield from ({"throw": bed} for bed in list_darts(match, player, winner, round))
            if player == winner and round == len(_WINS):
                return
            yield {"next": True}
