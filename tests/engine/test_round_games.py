"""Shanghai, baseball and golf: their facts, figures, prompts, presets, and what a player is told to do."""

from __future__ import annotations

import pytest

from engine.facts import Award, PromptOpened
from engine.games import PRESETS
from engine.skill import Skill
from tests.engine.records import Record, header

PRACTISED, BEGINNER = 8.0, 45.0
"""Scatter in millimetres."""


def awards(given: Record, line: dict[str, object]) -> list[str]:
    return [fact.award for fact in given.add(line).facts if isinstance(fact, Award)]


def advice(given: Record, sigma_mm: float = 0.0) -> tuple[str | None, str | None]:
    found = given.match.advice(Skill(given.match.layout, sigma_mm))
    return found.aim, found.answer


@pytest.mark.parametrize("shanghai", ["wins", "bonus", "off"])
def test_a_shanghai_is_celebrated_and_counted_once(shanghai: str) -> None:
    given = Record(header("shanghai", options={"shanghai": shanghai}))
    given.play("T1 S1")
    assert awards(given, {"throw": "D1"}) == ["shanghai"]
    assert given.state["sides"][0]["detail"]["shanghais"] == 1
    assert (given.state["phase"] == "over") == (shanghai == "wins")


def test_three_triples_of_the_number_are_three_in_a_bed() -> None:
    given = Record(header("shanghai"))
    given.play("T1 T1")
    assert awards(given, {"throw": "T1"}) == ["three_in_a_bed"]
    given.play("/ T2 T2")
    assert awards(given, {"throw": "T2"}) == []


@pytest.mark.parametrize("start", [5, 10, 15])
def test_shanghai_from_a_number_goes_to_the_20(start: int) -> None:
    rows = Record(header(f"shanghai_from_{start}")).state["board"]["rows"]
    assert rows == [str(number) for number in range(start, 21)]


def test_who_never_misses_makes_a_shanghai_where_it_wins() -> None:
    given, thrown = Record(header("shanghai")), []
    while not given.match.position.over:
        thrown.append(advice(given)[0])
        given.play({"throw": thrown[-1]})
    assert thrown == ["T1", "D1", "O1"]
    given = Record(header("shanghai", options={"shanghai": "off"}))
    given.play("T1 D1")
    assert advice(given)[0] == "T1"


def test_a_beginner_aims_at_the_fat_single() -> None:
    for game in ("shanghai", "baseball"):
        assert advice(Record(header(game)), BEGINNER)[0] in {"I1", "O1"}
        assert advice(Record(header(game)), PRACTISED)[0] == "T1"


def test_baseball_counts_runs_an_inning() -> None:
    given = Record(header("baseball"))
    given.play("T1 T1 S1 /", "/", "S2")
    assert given.state["sides"][0]["detail"]["average"] == 6.0, "eight runs in four darts"
    assert given.state["sides"][0]["detail"]["best_inning"] == 7
    assert given.state["sides"][0]["score"] == 8


def test_two_who_never_miss_share_a_game_of_baseball() -> None:
    given = Record(header("baseball", options={"innings": 1, "extra_innings": 2}))
    while not given.match.position.over:
        given.play("/" if given.state["phase"] == "takeout" else {"throw": advice(given)[0]})
    assert given.state["winners"] == [0, 1]
    assert given.state["sides"][0]["detail"]["cells"] == [9, 6, 6]


@pytest.mark.parametrize("preset", ["golf_18", "golf_maker", "golf_hole_out", "baseball_6"])
def test_presets_are_options(preset: str) -> None:
    known = PRESETS[preset]
    assert Record(header(preset)).encoded() == Record(header(known.game, options=known.options)).encoded()


def test_the_stop_is_offered_from_the_first_dart_to_the_last_but_one() -> None:
    given = Record(header("golf"))
    assert not given.match.position.prompts
    opened = [fact.id for fact in given.add({"throw": "S1"}).facts if isinstance(fact, PromptOpened)]
    assert opened == ["stop@1"]
    opened = [fact.id for fact in given.add({"throw": "I1"}).facts if isinstance(fact, PromptOpened)]
    assert not opened, "it has been open all the time"
    assert given.match.position.prompts[0].ends_visit
    given.play("S5")
    assert not given.match.position.prompts
    assert given.state["sides"][0]["score"] == 5


@pytest.mark.parametrize("scoring", ["maker", "hole_out"])
def test_nobody_stops_where_the_last_dart_is_nothing_special(scoring: str) -> None:
    given = Record(header("golf", options={"scoring": scoring}))
    given.play("S1")
    assert not given.match.position.prompts


def test_the_inner_single_is_worth_more_than_the_outer_and_a_merged_one_is_the_outer() -> None:
    scores = []
    for dart in ("D1", "T1", "I1", "O1", "S1", "S2", "MISS"):
        given = Record(header("golf"))
        scores.append(given.play({"throw": dart})["sides"][0]["score"])
    assert scores == [1, 2, 3, 4, 4, 5, 5]


@pytest.mark.parametrize(("scoring", "dart"), [("classic", "D1"), ("maker", "T1"), ("hole_out", "T1")])
def test_a_hole_in_one_ends_the_visit_and_is_celebrated(scoring: str, dart: str) -> None:
    given = Record(header("golf", options={"scoring": scoring}))
    assert awards(given, {"throw": dart}) == ["hole_in_one"]
    assert given.state["phase"] == "takeout"
    assert given.state["sides"][0]["detail"]["holes_in_one"] == 1


def test_three_in_a_bed_beside_the_hole_is_nothing() -> None:
    given = Record(header("golf"))
    given.play("T5 T5")
    assert awards(given, {"throw": "T5"}) == []
    given.play("/ T1 T1")
    assert awards(given, {"throw": "T1"}) == ["three_in_a_bed"]


def test_golfers_aim_at_the_double_until_they_cannot_hit_it() -> None:
    given = Record(header("golf"))
    assert [advice(given, scatter) for scatter in (0.0, PRACTISED, BEGINNER)] == [
        ("D1", None),
        ("D1", None),
        ("O1", None),
    ]


@pytest.mark.parametrize(
    ("scatter", "dart", "stops"),
    [
        (0.0, "T1", [False, False]),  # who never misses throws on
        (8.0, "T1", [False, True]),  # a 2 is risked with two darts left, and kept with one
        (15.0, "T1", [True, True]),
        (15.0, "I1", [False, True]),
        (27.0, "I1", [True, True]),
        (20.0, "O1", [False, False]),
        (35.0, "O1", [False, True]),
        (45.0, "O1", [True, True]),
        (60.0, "S5", [False, False]),  # nobody keeps a 5
    ],
)
def test_what_stands_is_kept_when_throwing_on_is_expected_to_be_worse(
    scatter: float, dart: str, stops: list[bool]
) -> None:
    given, answers = Record(header("golf")), []
    for _ in range(2):
        given.play({"throw": dart})
        answers.append(advice(given, scatter)[1])
    assert answers == ["stop" if stop else None for stop in stops]


def test_golf_goes_on_at_the_next_numbers_and_begins_again_after_the_20() -> None:
    given = Record(header("golf", options={"holes": 18, "playoff": 18}))
    given.play(*["/"] * 36)
    assert given.state["targets"] == ["19"]
    given.play(*["/"] * 4)
    assert given.state["targets"] == ["1"]
    assert given.state["board"]["rows"][-3:] == ["19", "20", "1"]


def test_strokes_per_hole_leave_out_the_hole_at_play() -> None:
    given = Record(header("golf", ("Ann",), options={"scoring": "hole_out"}))

    def per_hole() -> float:
        found: float = given.state["sides"][0]["detail"]["per_hole"]
        return found

    given.play("S1 S1")
    assert per_hole() == 0.0
    given.play("S1")
    assert per_hole() == 3.0
    given.play("/ S2 S2 MISS")
    assert (given.state["phase"], per_hole()) == ("throwing", 3.0)
    given.play("S2")
    assert per_hole() == 3.5


@pytest.mark.parametrize("game", ["baseball", "golf", "shanghai", "burma_road", "halve_it", "bermuda"])
def test_nothing_is_lit_while_the_darts_are_pulled(game: str) -> None:
    given = Record(header(game))
    assert given.state["targets"]
    given.play("MISS MISS MISS")
    assert (given.state["phase"], given.state["targets"]) == ("takeout", [])
