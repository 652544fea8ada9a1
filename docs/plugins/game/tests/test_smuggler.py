"""Smuggler against its rule sheet, with nothing but an installed oche."""

from typing import Any

from oche_smuggler import GAMES

from engine.match import Match
from engine.record import read_header
from engine.skill import Skill
from engine.trial import trial
from protocol.commands import decode_line

(SMUGGLER,) = GAMES
HEADER = {"oche": 1, "game": "smuggler", "players": ["Ann", "Bo"], "seed": "moon", "options": {"goal": 300}}


def begun() -> Match:
    return Match(read_header(dict(HEADER)), SMUGGLER, "moon")


def play(match: Match, *lines: str | dict[str, Any]) -> list[int]:  # Any: JSON
    """Darts, "/" for next, or whole lines of a record; the scores after them."""
    for given in lines:
        one = given if isinstance(given, dict) else {"next": True} if given == "/" else {"throw": given}
        outcome = match.apply(match.line + 1, decode_line(one))
        assert outcome.accepted, outcome.reason
    return [match.score(side) for side in range(2)]


def patrolled(match: Match) -> tuple[int, ...]:
    return tuple(match.panel().board["patrolled"])


def free(match: Match) -> str:
    return next(f"S{number}" for number in range(20, 0, -1) if number not in patrolled(match))


def test_the_laws_that_hold_for_every_game_hold_for_it() -> None:
    trial(SMUGGLER)


def test_the_second_dart_counts_twice_and_the_third_three_times() -> None:
    match = begun()
    assert play(match, "DB", "DB", "DB") == [300, 0]
    assert (match.position.phase, match.position.winners) == ("over", (0,))


def test_a_patrolled_number_takes_all_and_ends_the_visit() -> None:
    match = begun()
    assert len(patrolled(match)) == 3
    assert play(match, "DB", f"T{patrolled(match)[1]}") == [0, 0]
    assert match.position.phase == "takeout"


def test_a_dart_beside_the_layout_takes_all_too() -> None:
    assert play(begun(), "DB", "MISS") == [0, 0]


def test_whoever_lands_keeps_it() -> None:
    match = begun()
    dart = free(match)
    assert play(match, dart, {"choose": "land"}) == [int(dart[1:]), 0]
    assert match.position.phase == "takeout"


def test_a_visit_that_is_ended_early_is_lost() -> None:
    assert play(begun(), "DB", "/") == [0, 0], "darts that were not thrown are beside the board"


def test_the_patrol_moves() -> None:
    match = begun()
    seen = {patrolled(match)}
    for _ in range(6):
        play(match, "/")
        seen.add(patrolled(match))
    assert len(seen) > 2


def test_its_advice_is_bold_for_the_good_and_careful_for_the_rest() -> None:
    match = begun()
    play(match, *match.panel().hint * 2)
    assert match.advice(Skill(match.layout)).answer is None, "who hits what he aims at throws on"
    assert match.advice(Skill(match.layout, 100.0)).answer == "land"
