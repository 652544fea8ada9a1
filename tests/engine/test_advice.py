"""Where to aim in Cricket and Killer, and what for: in the state as bots have it, and better than it was in 0.1.0."""

from __future__ import annotations

from typing import Any

import pytest

from engine.game import Advice
from engine.levels import sigma_mm
from engine.skill import Skill
from tests.bench.strength import DUELS, Duel, share_of_legs
from tests.engine.contract import check
from tests.engine.records import Record, header

_CUT, _DOWN = {"scoring": "cut_throat"}, {"order": "down"}


@pytest.mark.parametrize(
    ("darts", "options", "players", "segment", "purpose"),
    [
        pytest.param("", {}, 2, "T20", "close", id="nothing is closed"),
        pytest.param("T20 T19 T19 / T18 T18 T18 /", {}, 2, "T20", "score", id="behind"),
        pytest.param("T20 T20 T20 / T18 /", {}, 2, "T19", "close", id="ahead"),
        pytest.param("T20 / T20 T19 /", _DOWN, 2, "T19", "defend", id="it can be scored on"),
        pytest.param("T20 / T20 T19 /", _DOWN | {"scoring": "no_score"}, 2, "T19", "close", id="without points"),
        pytest.param("T20 / T18 T18 T18 /", _CUT, 2, "T20", "attack", id="it was given points"),
    ],
)
def test_cricket_says_where_to_aim(
    darts: str, options: dict[str, Any], players: int, segment: str, purpose: str
) -> None:
    given = Record(header("cricket", ("Ann", "Bo", "Cy")[:players], options=options))
    state = given.play(darts)
    assert state["advice"] == {"segment": segment, "purpose": purpose}
    check(given.encoded(), players)


def test_killer_says_who_can_strike_back() -> None:
    given = Record(header("killer", ("Ann", "Bo", "Cy")))
    assert "advice" not in given.state, "any number is as good"
    given.play("S20 / S19 / S18 /")
    assert given.state["advice"] == {"segment": "D20", "purpose": "arm"}
    assert given.play("D20")["advice"] == {"segment": "D19", "purpose": "attack"}
    assert given.play("D19")["advice"] == {"segment": "D18", "purpose": "attack"}, "who has the most lives"
    given.play("/ MISS MISS MISS / D18 MISS MISS /")
    assert given.state["advice"] == {"segment": "D18", "purpose": "defend"}
    assert "advice" not in given.play("MISS MISS MISS")


def test_there_is_no_advice_after_the_end() -> None:
    given = Record(header("killer"))
    given.play("S20 / S19 / D20", {"retire": 0})
    assert given.match.position.over
    assert given.match.advice() == Advice()


def test_a_bot_does_what_is_shown_for_its_level() -> None:
    given = Record(header("cricket", ("bot:20", "Ann")))
    skill = Skill(given.match.layout, sigma_mm(20), points=128)
    assert given.state["advice"]["segment"] == given.match.advice(skill).aim
    person = Record(header("cricket", ("Bo", "Ann")))
    assert person.state["advice"] != given.state["advice"]


def test_other_games_say_nothing() -> None:
    assert all("advice" not in Record(header(name)).state for name in ("x01", "shanghai", "blind_killer"))


@pytest.mark.long
@pytest.mark.parametrize(
    "duel", [duel for duel in DUELS if duel.level > 90], ids=lambda duel: f"{duel.name} {duel.level} {duel.players}"
)
def test_bots_beat_those_of_0_1_0(duel: Duel) -> None:
    """The quickest of those that python -m tests.bench.strength measures."""
    assert share_of_legs(duel, 1000) > 0.5
