"""Yatzy-Dart: the best game there is, the most of every row, and how long a state can be."""

from __future__ import annotations

from itertools import combinations_with_replacement

import msgspec
import pytest

from engine.games.yatzy_dart import MOST, Area, Options, YatzyDart, values
from protocol.layouts import find_layout
from tests.engine.records import Record, header
from tests.engine.test_yatzy_naive import ROWS

LAYOUT = find_layout("yatzy")


@pytest.mark.long
def test_every_row_can_reach_its_most_and_all_of_them_518() -> None:
    found = [values(tuple(map(Area.of, three)), Options()) for three in combinations_with_replacement(LAYOUT, 3)]
    most = dict(zip(ROWS, map(max, zip(*found, strict=True)), strict=True))
    assert most == MOST
    assert sum(most.values()) + 50 == 518


def test_who_follows_the_advice_and_never_misses_plays_the_best_game() -> None:
    given = Record(header("yatzy_dart", ("Ann",)))
    while given.match.position.phase != "over":
        advice = given.match.advice()
        if given.match.position.phase == "throwing":
            assert advice.aim is not None
            assert LAYOUT[advice.aim].outline, "an aim needs an area"
            assert given.state["targets"] == [advice.aim]
        answer = {"choose": advice.answer} if advice.answer else {"next": True}
        given.play({"throw": advice.aim} if advice.aim else answer)
    assert given.state["sides"][0]["score"] == 518


def test_there_are_no_secrets_and_the_longest_state_is_short() -> None:
    given = Record(header("yatzy_dart", ("N" * 40, "M" * 40), options={"star_in_chance": True}))
    longest = 0
    for row in ROWS:
        for darts in ("456i 456i 456i", "OFF OFF 456i STAR STAR"):
            given.play(darts)
            assert given.encoded(0) == given.encoded(1) == given.encoded()
            longest = max(longest, len(given.encoded()))
            given.play({"choose": row})
            if given.state["phase"] != "over":
                given.play("/")
    assert 1500 < longest < 4096


def test_open_rows_tell_what_they_are_worth_so_far() -> None:
    given = Record(header("yatzy_dart", ("Ann",)))
    assert "so_far" not in given.state["board"]
    assert given.play("56i")["board"]["so_far"] == {
        "fives": 15,
        "sixes": 18,
        "pair": 12,
        "three_kind": 18,
        "chance": 18,
    }
    assert "so_far" not in given.play("56i 56i")["board"], "now the question has them"
    given.play({"choose": "sixes"})
    assert "sixes" not in given.play("/ 56i")["board"]["so_far"]


def test_the_options_are_those_of_the_page() -> None:
    match = Record(header("yatzy_dart")).match
    written = msgspec.to_builtins(match.options)
    assert written == {"star_in_chance": False, "straight": "any", "rethrows": None, "foul": "dart"}
    assert msgspec.json.decode(msgspec.json.encode(match.position.state))["row"] is None
    assert YatzyDart.layouts == ("yatzy",)
