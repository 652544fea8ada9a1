"""Who is a bot stands in the header, and changes nothing in a match: its darts are lines like any other."""

from __future__ import annotations

import msgspec
import pytest

from engine.record import Header, Unreadable, read_header, write_header
from tests.engine.records import Record, header


def test_a_header_says_who_is_a_bot() -> None:
    given = header(players=["Ann", "Bot 45"], bots=[None, 45])
    read = read_header(given)
    assert [read.bot(seat) for seat in (0, 1)] == [None, 45]
    assert write_header(read)["bots"] == [None, 45]
    assert read_header(write_header(read)) == read


def test_without_bots_everybody_is_a_person() -> None:
    read = read_header(header())
    assert [read.bot(seat) for seat in (0, 1)] == [None, None]
    assert "bots" not in write_header(read)


@pytest.mark.parametrize("name", ["bot:45", "Bot:45", " BOT: 45 ", "bot:045"])
def test_a_bot_is_written_as_one_word(name: str) -> None:
    read = read_header(header(players=["Ann", name]))
    assert (read.players, read.bots) == (["Ann", "Bot 45"], [None, 45])
    assert read_header(write_header(read)) == read


def test_a_bot_may_be_written_both_ways_when_they_agree() -> None:
    read = read_header(header(players=["bot:60", "Marvin"], bots=[60, 45]))
    assert (read.players, read.bots) == (["Bot 60", "Marvin"], [60, 45])


def test_a_name_that_only_begins_like_a_bots_is_a_persons() -> None:
    assert read_header(header(players=["Bothe", "Bot 45"])).bots is None


@pytest.mark.parametrize(
    ("players", "bots", "sentence"),
    [
        (["Ann", "Bo"], [45], "bots has 1 levels for 2 players: write null for a person"),
        (["Ann", "Bo"], [None, 45, 45], "bots has 3 levels for 2 players: write null for a person"),
        (["Ann", "Bo"], [None, 19], "player 2 is a bot of level '19': a level is a three-dart average, 20 to 110"),
        (["Ann", "Bo"], [111, None], "player 1 is a bot of level '111': a level is a three-dart average, 20 to 110"),
        (["bot:-5"], None, "player 1 is a bot of level '-5': a level is a three-dart average, 20 to 110"),
        (["bot:"], None, "player 1 is a bot of level '': a level is a three-dart average, 20 to 110"),
        (["bot:45.5"], None, "player 1 is a bot of level '45.5': a level is a three-dart average, 20 to 110"),
        (["Ann", "bot:pro"], None, "player 2 is a bot of level 'pro': a level is a three-dart average, 20 to 110"),
        (["bot:45"], [60], "player 1 is 'bot:45' and has the level 60 in bots: give one of them"),
        (["Ann", "Bo"], ["45", None], "header: bots.0 must be a whole number or null"),
        (["Ann", "Bo"], 45, "header: bots must be a list or null"),
    ],
)
def test_a_mistake_is_named(players: list[str], bots: object, sentence: str) -> None:
    with pytest.raises(Unreadable) as refusal:
        read_header({"oche": 1, "game": "x01", "players": players, "bots": bots})
    assert str(refusal.value) == sentence


def test_a_match_with_bots_replays_without_them() -> None:
    """The same lines give the same states, whoever threw them."""
    darts = "T20 T20 T20 / MISS S1 DB / S20"
    people = Record(header(players=["Ann", "Bot 45"]))
    bots = Record(header(players=["Ann", "bot:45"]))
    assert people.play(darts) == bots.play(darts)
    assert bots.match.header.bots == [None, 45]
    assert msgspec.json.encode(bots.resumed().position.visit) == msgspec.json.encode(people.match.position.visit)


def test_a_header_made_in_a_program_has_no_bots_unless_it_says_so() -> None:
    assert Header(1, "x01", ["bot:45"]).bot(0) is None
