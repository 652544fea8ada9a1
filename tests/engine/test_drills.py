"""What the drills' rules name by themselves: perfect games, shirts, targets, counts."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest

from engine.games import segment_training
from engine.games.jdc import shirt
from engine.games.segment_training import hits
from engine.skill import Skill
from protocol.layouts import find_layout
from protocol.match_spec import Unreadable
from tests.engine.naive_drills import find_beds, find_shirt
from tests.engine.records import Record, header
from tests.engine.test_drills_naive import TARGETS
from tests.engine.test_perft import perft, referee

LAYOUT = find_layout("standard")
ALONE = ("Ann",)


def perfect(game: str, **options: Any) -> Record:
    """The match of a player who always hits the advised aim."""
    given = Record(header(game, ALONE, options=options))
    while given.state["phase"] != "over":
        given.play({"next": True} if given.state["phase"] == "takeout" else {"throw": aim(given)})
    return given


def aim(given: Record, sigma: float = 0) -> str:
    match = given.match
    advised = match.game.advise(match.position.state, match.turn, 0, Skill(LAYOUT, sigma)).aim
    assert advised
    return advised


@pytest.mark.parametrize(
    ("game", "options", "score", "darts"),
    [
        ("bobs_27", {}, 27 + 3 * 2 * sum(range(1, 21)) + 3 * 50, 63),
        ("doubles_420", {}, 420 - 3 * 420 - 150, 63),
        ("jdc_challenge", {}, 3380, 57),
        ("jdc_challenge", {"bull_bonus": False}, 3330, 57),
        ("a1_drill", {}, 45, 45 * 3 - 1),
        ("segment_training", {"target": "S5", "until": "hits", "count": 7}, 7, 7),
        ("segment_training", {"target": "random", "count": 9}, 9, 9),
        ("eagles_eye", {}, 8 * 150, 24),
        ("kill_bull", {}, 0, 4),
    ],
)
def test_who_hits_what_is_advised_plays_the_perfect_game(
    game: str, options: dict[str, Any], score: int, darts: int
) -> None:
    given = perfect(game, **options)
    assert given.state["sides"][0]["score"] == score
    assert given.match.position.tallies[0].darts == darts
    assert given.state["winners"] == [0]


def test_perft_of_the_doubles() -> None:
    """With double 1 hit or not in each of two rounds by one side, then the first darts of round 3."""
    rules = referee("bobs_27", {})
    found = perft(rules, rules.start()[0], ("D1", "D2", "T20"), 7)
    seen = [(p.state.sheet, p.visit.round, p.visit.points) for p in found]
    assert (len(seen), len(set(seen))) == (3**7, 4 * 4 * 2)
    assert {rules.game.score(p.state, 1) for p in found} == {25, 29, 31, 33}


def test_perft_of_the_a1_drill() -> None:
    rules = referee("a1_drill", {"hits": 1})
    found = perft(rules, rules.start()[0], ("S20", "T20", "S19"), 7)
    seen = [(p.state.hits, p.state.at, p.visit.points) for p in found]
    assert (len(seen), len(set(seen))) == (3**7, 4)


def test_perft_of_the_jdc_challenge() -> None:
    """A visit of three 10s: 0 to 90 without a Shanghai, and 160 with it."""
    rules = referee("jdc_challenge", {})
    found = perft(rules, rules.start()[0], ("S10", "D10", "T10", "MISS"), 3)
    scores = [rules.game.score(p.state, 0) for p in found]
    assert sorted(set(scores)) == [*range(0, 100, 10), 160]
    assert scores.count(160) == 6, "six orders of one of each"
    assert scores.count(60) == 3 + 1, "two triples and none, three doubles; not one of each"


def test_every_score_has_its_shirt() -> None:
    assert [shirt(score) for score in range(3381)] == [find_shirt(score) for score in range(3381)]


@pytest.mark.parametrize("target", TARGETS)
def test_what_hits_a_target(target: str) -> None:
    assert {segment.id for segment in LAYOUT if hits(segment, target)} == set(find_beds(target))


def test_the_form_of_a_target_is_what_a_target_can_be() -> None:
    schema = msgspec.json.schema(segment_training.Options)
    form = schema["$defs"]["Options"]["properties"]["target"]["pattern"]
    beds = {f"{ring}{number}" for ring in ("", *"SIOTDXB") for number in (*range(26), "B", "")}
    labels = {"single", "inner", "outer", "double", "triple", "bull", "random", "random_double", "random_triple"}
    for target in beds | labels | {"MISS", "random_bull"}:
        if re.search(form, target):
            Record(header("segment_training", options={"target": target}))
        else:
            with pytest.raises(Unreadable):
                Record(header("segment_training", options={"target": target}))


def test_what_is_advised_in_training_hits_its_target() -> None:
    for target in ("20", "S20", "bull", "inner", "random", "random_triple"):
        training = Record(header("segment_training", options={"target": target}))
        assert hits(LAYOUT[aim(training)], training.state["targets"][0])
        assert aim(training, 40) in LAYOUT
