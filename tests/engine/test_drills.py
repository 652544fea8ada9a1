"""What the drills' rules name by themselves: perfect games, shirts, targets, streaks, advice, counts."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest

from engine.facts import Bust, Closed, Eliminated
from engine.games import segment_training
from engine.games.jdc import SHIRTS, shirt
from engine.games.segment_training import hits
from engine.record import Unreadable
from engine.skill import Skill
from protocol.layouts import layout
from tests.engine.records import Record, header
from tests.engine.test_perft import perft, referee

FACE = layout("standard")
ALONE = ("Ann",)


def perfect(game: str, **options: Any) -> Record:
    """The match of somebody who hits what he is advised to aim at."""
    given = Record(header(game, ALONE, options=options))
    while given.state["phase"] != "over":
        given.play({"next": True} if given.state["phase"] == "takeout" else {"throw": aim(given)})
    return given


def aim(given: Record, sigma: float = 0) -> str:
    match = given.match
    advised = match.game.advise(match.position.state, match.turn, 0, Skill(FACE, sigma)).aim
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


def test_no_more_than_1437_can_be_made_in_bobs_27() -> None:
    assert perfect("bobs_27").state["sides"][0]["score"] == 1437


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


@pytest.mark.parametrize(
    ("score", "colour"),
    [
        (0, "white"),
        (149, "white"),
        (150, "purple"),
        (299, "purple"),
        (300, "yellow"),
        (450, "green"),
        (599, "green"),
        (600, "blue"),
        (700, "red"),
        (849, "red"),
        (850, "black"),
        (3380, "black"),
    ],
)
def test_shirts(score: int, colour: str) -> None:
    assert shirt(score) == colour
    assert len(SHIRTS) == 6


def test_a_shanghai_is_an_award_and_one_of_another_number_is_none() -> None:
    given = Record(header("jdc_challenge"))
    given.play("T10 S10 D10 / T10 S11 D10 /")
    assert given.match.position.tallies[0].counts["award:shanghai"] == 1
    assert not any(name.startswith("award:") for name in given.match.position.tallies[1].counts)
    given.play("S12 D12 T12 /")
    assert given.match.position.tallies[0].counts["award:shanghai"] == 1


def test_the_advice_for_a_shanghai_is_to_make_it() -> None:
    given = Record(header("jdc_challenge"))
    given.play("T10 S10")
    assert aim(given) == "D10"
    other = Record(header("jdc_challenge"))
    other.play("T10 MISS")
    assert aim(other) == "T10", "no Shanghai is left, so the triple is best"
    assert aim(other, 60) != "T10"


def test_facts() -> None:
    bob = Record(header("bobs_27"))
    bob.play("/ " * 8)
    bob.play("MISS MISS")
    assert Eliminated(side=0) in bob.add({"throw": "MISS"}).facts
    a1 = Record(header("a1_drill", options={"hits": 1}))
    a1.play("S20")
    assert Closed(side=0, target="20") in a1.add({"throw": "T20"}).facts
    kill = Record(header("kill_bull"))
    kill.play("SB / / MISS MISS")
    assert Bust(side=0) in kill.add({"throw": "MISS"}).facts
    clean = Record(header("kill_bull"))
    clean.play("MISS MISS")
    assert Bust(side=0) not in clean.add({"throw": "MISS"}).facts, "nothing was lost"


@pytest.mark.parametrize(("game", "options"), [("bobs_27", {}), ("nine_lives", {"lives": 1})])
def test_whoever_loses_alone_begins_again_until_the_match_is_stopped(game: str, options: dict[str, int]) -> None:
    given = Record(header(game, ALONE, options=options, format={"legs": 2}))
    while given.state["leg"] < 3:
        given.play("/")
    assert (given.state["phase"], given.state["sides"][0]["legs"]) == ("throwing", 0)
    assert given.play({"stop": True})["winners"] == []


def test_success_is_counted_by_target() -> None:
    given = Record(header("bobs_27"))
    given.play("D1 MISS D1 / / D1 D2 MISS")
    counts = given.match.position.tallies[0].counts
    assert {name: n for name, n in counts.items() if ":" in name} == {
        "at:D1": 3,
        "hit:D1": 2,
        "at:D2": 3,
        "hit:D2": 1,
    }
    assert given.state["sides"][0]["detail"]["hits"] == [3, 6]


def test_out_together_the_higher_score_has_won_and_alone_nobody() -> None:
    both = Record(header("bobs_27"))
    assert both.play("/ " * 10)["winners"] == [0, 1], "-3 each"
    ranked = Record(header("bobs_27"))
    state = ranked.play("D1 / / / D2 / " + "/ " * 8)
    assert [side["score"] for side in state["sides"]] == [-11, -7]
    assert state["winners"] == [1]
    alone = Record(header("bobs_27", ALONE, format={"legs": 2}))
    alone.play("/ " * 5)
    assert alone.state["sides"][0]["legs"] == 0


@pytest.mark.parametrize(
    ("target", "beds"),
    [
        ("T20", "T20"),
        ("S5", "S5 I5 O5"),
        ("O5", "S5 O5"),
        ("I5", "I5"),
        ("5", "S5 I5 O5 D5 T5"),
        ("bull", "SB DB"),
        ("SB", "SB"),
        ("DB", "DB"),
    ],
)
def test_what_a_target_means(target: str, beds: str) -> None:
    assert {segment.id for segment in FACE if hits(segment, target)} == set(beds.split())


@pytest.mark.parametrize(
    ("target", "count"), [("double", 21), ("triple", 20), ("single", 60), ("inner", 20), ("outer", 40)]
)
def test_how_many_beds_a_label_means(target: str, count: int) -> None:
    assert sum(hits(segment, target) for segment in FACE) == count


@pytest.mark.parametrize(
    ("target", "meant"),
    [
        ("T21", "; did you mean 'T2'?"),
        ("t20", "; did you mean 'T20'?"),
        ("BULL", "; did you mean 'bull'?"),
        ("20 ", "; did you mean '20'?"),
        ("random_single", "; did you mean 'random_triple'?"),
        ("", ""),
        ("no", ""),
    ],
)
def test_a_target_that_is_none_is_refused_with_what_is_possible(target: str, meant: str) -> None:
    with pytest.raises(Unreadable) as refused:
        Record(header("segment_training", options={"target": target}))
    assert str(refused.value) == (
        f'option target of segment_training is "{target}": this must be a bed (T20, D16, S5, I20, O20, SB, DB), '
        "a number (1 to 20), single, inner, outer, double, triple, bull, random, random_double or random_triple" + meant
    )


def test_a_number_for_a_text_is_told_how_it_is_written() -> None:
    for game in ("segment_training", "darts_at"):
        with pytest.raises(Unreadable, match=f'option target of {game} is 20: this must be a text, written "20"$'):
            Record(header(game, options={"target": 20}))
    for game, number in (("segment_training", True), ("darts_at", 21)):
        with pytest.raises(Unreadable, match=r"this must be a text$"):
            Record(header(game, options={"target": number}))


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


def test_streaks_go_on_from_visit_to_visit_and_the_best_is_kept() -> None:
    given = Record(header("segment_training"))
    given.play("MISS T20 T20 / / T20 T20 S20")
    detail = given.state["sides"][0]["detail"]
    assert (detail["streak"], detail["best_streak"]) == (0, 4)
    given.play({"undo": True})
    assert given.state["sides"][0]["detail"]["streak"] == 4


def test_advice_for_a_number_is_its_fattest_bed() -> None:
    given = Record(header("a1_drill"))
    assert aim(given, 30)[1:] == "20"
    assert aim(given, 10)[0] in "OI"
    for target in ("20", "S20", "bull", "inner", "random", "random_triple"):
        training = Record(header("segment_training", options={"target": target}))
        assert hits(FACE[aim(training)], training.state["targets"][0])
        assert aim(training, 40) in FACE


def test_the_sheet_of_the_longest_drill_stays_small() -> None:
    given = perfect("doubles_420")
    two = Record(header("doubles_420", options={"order": "upwards"}))
    for round in range(1, 21):
        two.play(f"D{round} " * 3 + "/ " + f"D{round} " * 3 + "/")
    assert len(two.encoded()) < 3000
    assert len(msgspec.json.encode(given.state)) < 3000
