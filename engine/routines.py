"""The routines that ship, one for the doubles that a player hits seldom, and what a side came to in an exercise."""

from __future__ import annotations

from collections.abc import Mapping

from engine.match import Match
from protocol.routine import Exercise, Routine

SHIPPED = (
    Routine(
        "warm_up",
        "Warm-up",
        (
            Exercise("around_the_world"),
            Exercise("eagles_eye", {"rounds": 4}),
            Exercise("count_up", {"rounds": 5}),
        ),
    ),
    Routine(
        "scoring_drill",
        "Scoring drill",
        (
            Exercise("darts_at", {"target": "20", "rounds": 10}),
            Exercise("darts_at", {"target": "19", "rounds": 10}),
            Exercise("count_up"),
        ),
    ),
    Routine(
        "finishing_drill",
        "Finishing drill",
        (
            Exercise("bobs_27", {"allow_negative": True}),
            Exercise("random_checkout"),
            Exercise("checkout_121", {"turns": 10}),
            Exercise("catch_40"),
        ),
    ),
)


_FEWEST_DARTS = 10
"""At a double: of fewer darts nobody knows how often it is hit."""
_WEAKEST = 3


def propose_doubles(targets: Mapping[str, tuple[int, int]]) -> Routine | None:
    """Returns a routine at the doubles that are hit most seldom; None if too few darts were thrown at each.

    `targets` are hits and darts by target. Of two doubles that are hit as often, the one with more darts comes first.
    """
    known = {
        name: (hits, darts) for name, (hits, darts) in targets.items() if name[0] == "D" and darts >= _FEWEST_DARTS
    }
    weakest = sorted(known, key=lambda name: (known[name][0] / known[name][1], -known[name][1], name))[:_WEAKEST]
    if not weakest:
        return None
    exercises = tuple(Exercise("segment_training", {"target": name}) for name in weakest)
    return Routine("weak_doubles", ", ".join(weakest), exercises)


def list_results(match: Match) -> tuple[int | None, ...]:
    """What each side came to in a match that is over: its result where the game has such, else its score.

    None for a side without a result, for one that has left, and for all where the match was stopped or conceded.
    """
    position, game = match.position, match.game
    if position.stopped or position.conceded:
        return (None,) * len(match.seating.sides)
    has_result = game.better(match.options) is not None
    return tuple(
        None
        if index in position.retired
        else game.result(position.state, index, position.tallies[side.seats[0]])
        if has_result and len(side.seats) == 1
        else game.score(position.state, index)
        for index, side in enumerate(match.seating.sides)
    )
