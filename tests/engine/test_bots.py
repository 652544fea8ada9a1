"""Who is a bot stands in the header, and changes nothing in a match: its darts are lines like any other."""

from __future__ import annotations

import re
from statistics import fmean, stdev
from typing import Any, ClassVar

import msgspec
import pytest
from msgspec.structs import replace

from daemon.bots import throw_dart
from engine.bots import make_skill, with_models, without_models
from engine.levels import sigma_mm
from engine.scatter import Scatter
from protocol.aiming import aim_at
from protocol.match_spec import MatchSpec, Unreadable, read_header, write_header
from protocol.throws_like import ThrowsLike
from tests.engine.records import Record, header

LEFT = {"deviation_mm": 19.0, "right_mm": -6.5, "up_mm": 2.0}


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


class Known(dict[str, Any]):  # Any: nothing
    """What is known at a table of Ann, also by another name, who throws to the left, and a little of Bo."""

    scatters: ClassVar = {
        "Annie": Scatter(12, 0.0, 0.0, 5.0),
        "Ann": Scatter(752, -6.5, 2.0, 19.0),
        "Bo": Scatter(34, 0.0, 0.0, 9.0),
    }


@pytest.mark.parametrize(
    ("word", "name", "tempo_s", "short"),
    [
        ("bot:Ann", "Bot Ann", None, "bot:Ann"),
        (" BOT: Ann : .5 ", "Bot Ann", 0.5, "bot:Ann:0.5"),
        ("bot:Ann:2:Marvin", "Marvin", 2.0, "bot:Ann:2:Marvin"),
        ("bot:Ann::7", "7", None, "bot:Ann::7"),
    ],
)
def test_a_bot_throws_like_a_player(word: str, name: str, tempo_s: float | None, short: str) -> None:
    """A match that begins has the numbers; to play the same again they are asked for once more."""
    planned = read_header(header(players=["Bo", word]))
    begun = with_models(planned, Known(), {"annie": "Ann"})
    assert begun.like == (None, ThrowsLike("Ann", 19.0, -6.5, 2.0))
    assert begun.bots == (None, 66)
    assert (begun.players[1], begun.tempo_s(1), begun.short_name(1)) == (name, tempo_s, short)
    kept = write_header(begun)
    assert read_header(kept) == begun == with_models(begun, {})
    assert read_header(header(players=["Bo", short])) == planned
    assert begun.in_order((1, 0)).model(0) == begun.model(1)
    assert without_models(begun, Known(), {"annie": "Ann"}).model(1) == planned.model(1)
    assert without_models(begun, {}) == begun, "who is forgotten is not asked for"


def test_a_bot_scatters_like_its_player_and_aims_no_better() -> None:
    match = Record({**header(players=["bot:60"]), "bots": [60], "like": [{"player": "", **LEFT}]}).match
    darts = (throw_dart(match, replace(match.turn, visit=visit), "T20") for visit in range(4000))
    x, y = zip(*((dart.x / 10, dart.y / 10) for dart in darts), strict=True)
    aim = aim_at(match.layout, "T20")
    assert fmean(x) - aim.x / 10 == pytest.approx(-6.5, abs=1.0)
    assert fmean(y) - aim.y / 10 == pytest.approx(2.0, abs=1.0)
    assert (stdev(x), stdev(y)) == pytest.approx((19.0, 19.0), abs=0.8)
    skill = make_skill(match, 0)
    assert skill is not None
    assert skill.sigma_mm == 19.0
    level = make_skill(Record(header(players=["bot:60"])).match, 0)
    assert level is not None
    assert level.sigma_mm == sigma_mm(60), "as ever"


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("bot:bo", "bo has 34 measured darts; 60 are needed. Or give the bot a level, 20 to 110"),
        ("bot:Cy", "Cy has 0 measured darts; 60 are needed. Or give the bot a level, 20 to 110"),
    ],
)
def test_of_few_darts_no_bot_is_made(word: str, reason: str) -> None:
    with pytest.raises(Unreadable, match=re.escape(reason)):
        with_models(read_header(header(players=["Ann", word])), Known())


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"like": [None]}, "like has 1 entries for 2 players: write null where there is none"),
        ({"like": [None, {"player": "Cy"}]}, "player 2 is in like and is no bot: call this player bot:NAME"),
        ({"bots": [None, 45], "like": [None, {"player": "7"}]}, "player 2 throws like '7'"),
        ({"players": ["Ann", "bot:Bo"], "like": [None, {"player": "Cy"}]}, "give only one of the two"),
    ],
)
def test_a_model_that_cannot_be_is_refused(more: dict[str, Any], reason: str) -> None:
    with pytest.raises(Unreadable, match=re.escape(reason)):
        read_header(header(**more))


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
