"""The routines that ship, and what a side came to in one of their exercises."""

from __future__ import annotations

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
