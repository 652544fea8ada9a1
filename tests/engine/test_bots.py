"""Who is a bot stands in the header, and changes nothing in a match: its darts are lines like any other."""

from __future__ import annotations

import msgspec
import pytest

from protocol.match_spec import MatchSpec, read_header, write_header
from tests.engine.records import Record, header


def test_a_header_says_who_is_a_bot() -> None:
    given = header(players=["Ann", "Bot 45"], bots=[None, 45])
    read = read_header(given)
    assert [read.bot(seat) for seat in (0, 1)] == [None, 45]
    assert write_header(read)["bots"] == [None, 45]
    assert read_header(write_header(read)) == read


def test_without_bots_every_player_is_a_person() -> None:
    read = read_header(header())
    assert [read.bot(seat) for seat in (0, 1)] == [None, None]
    assert "bots" not in write_header(read)


@pytest.mark.parametrize("name", ["bot:45", "Bot:45", " BOT: 45 ", "bot:045"])
def test_a_bot_is_written_as_one_word(name: str) -> None:
    read = read_header(header(players=["Ann", name]))
    assert (read.players, read.bots) == (("Ann", "Bot 45"), (None, 45))
    assert read_header(write_header(read)) == read


def test_a_bot_may_be_written_both_ways_when_they_agree() -> None:
    read = read_header(header(players=["bot:60", "Marvin"], bots=[60, 45]))
    assert (read.players, read.bots) == (("Bot 60", "Marvin"), (60, 45))


def test_a_name_that_only_begins_like_a_bots_is_a_persons() -> None:
    assert read_header(header(players=["Bothe", "Bot 45"])).bots is None


def test_a_match_with_bots_replays_without_them() -> None:
    """The same lines give the same states, whether a bot or a person threw them."""
    darts = "T20 T20 T20 / MISS S1 DB / S20"
    people = Record(header(players=["Ann", "Bot 45"]))
    bots = Record(header(players=["Ann", "bot:45"]))
    assert people.play(darts) == bots.play(darts)
    assert bots.match.header.bots == (None, 45)
    assert msgspec.json.encode(bots.resumed().position.visit) == msgspec.json.encode(people.match.position.visit)


def test_a_header_made_in_a_program_has_no_bots_by_itself() -> None:
    assert MatchSpec("x01", ("bot:45",)).bot(0) is None
