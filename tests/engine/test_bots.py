"""Who is a bot stands in the header, and changes nothing in a match: its darts are lines like any other."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest

from protocol.match_spec import MatchSpec, Unreadable, read_header, write_header
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


@pytest.mark.parametrize(
    ("word", "name", "tempo_s", "short"),
    [
        ("bot:45:2.5", "Bot 45", 2.5, "bot:45:2.5"),
        ("bot:45:Marvin", "Marvin", None, "bot:45:Marvin"),
        (" BOT: 45 : .5 : Marvin", "Marvin", 0.5, "bot:45:0.5:Marvin"),
        ("bot:45::7", "7", None, "bot:45::7"),
        ("bot:45:2:3:4", "3:4", 2.0, "bot:45:2:3:4"),
        ("bot:45:", "Bot 45", None, "bot:45"),
    ],
)
def test_a_bot_has_its_tempo_and_its_name(word: str, name: str, tempo_s: float | None, short: str) -> None:
    read = read_header(header(players=["Ann", word]))
    assert (read.players[1], read.bot(1), read.tempo_s(1)) == (name, 45, tempo_s)
    assert (read.short_name(0), read.short_name(1)) == ("Ann", short)
    assert read_header(header(players=["Ann", short])) == read
    assert read_header(write_header(read)) == read
    turned = read.in_order((1, 0))
    assert (turned.bot(0), turned.tempo_s(0)) == (45, tempo_s)


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"players": ["Ann", "bot:45:99"]}, "player 2 takes 99 s per dart: a bot takes 0.001 to 60"),
        ({"bots": [None, 45], "tempos": [2]}, "tempos has 1 times for 2 players: write null for a person"),
    ],
)
def test_a_tempo_that_cannot_be_is_refused(more: dict[str, Any], reason: str) -> None:
    with pytest.raises(Unreadable, match=re.escape(reason)):
        read_header(header(**more))


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
