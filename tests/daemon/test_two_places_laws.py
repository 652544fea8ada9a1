"""The laws of a match in two places, whatever people do and the network does to it; in virtual time."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.table.effects import Away
from daemon.table.places import PlaceSender
from protocol.commands import Amend, Command, Next, Redo, Retire, Stop, Throw, Total, Undo
from protocol.league_messages import LeagueInput
from tests.daemon.two_places import Network, Place, TwoPlaces

BEDS = ["T20", "O20", "I5", "D1", "MISS", "T19"]


class Step(NamedTuple):
    """Something that happens `after_ms`, at a table or to the network."""

    after_ms: int
    where: Place
    what: str | Command


AFTER_MS = st.sampled_from([0, 40, 150, 310, 700, 1500, 3100, 9000])
DARTS = st.builds(Step, AFTER_MS, st.sampled_from(["north", "south"]), st.sampled_from(BEDS))
COMMANDS = st.builds(
    Step,
    AFTER_MS,
    st.sampled_from(["north", "south"]),
    st.sampled_from(
        [Next(), Undo(), Redo(), Throw("T5"), Total(26), Stop(), Retire(0), Amend(3, Throw("I1")), Amend(5, None)]
    ),
)
EVENTS = st.builds(
    Step,
    st.sampled_from([0, 20, 90, 400, 5000, 130_000]),
    st.sampled_from(["north", "south"]),
    st.sampled_from(["restart", "cut", "heal", "cut", "heal"]),
)
VISITS = st.builds(
    lambda where: [Step(700, where, "T20")] * 3 + [Step(3200, where, "wait")], st.sampled_from(["north", "south"])
)
STEPS = st.lists(
    st.one_of(DARTS.map(lambda x: [x]), VISITS, VISITS, COMMANDS.map(lambda x: [x]), EVENTS.map(lambda x: [x])),
    max_size=30,
).map(lambda several: [step for steps in several for step in steps])
NETWORKS = st.builds(
    lambda seed, loss, twice: Network(Random(seed), (25, 150), loss, twice),
    st.integers(0, 2**32),
    st.sampled_from([0.0, 0.1, 0.4]),
    st.sampled_from([0.0, 0.3]),
)


def do(places: TwoPlaces, step: Step) -> None:
    places.wait(step.after_ms)
    match step.what:
        case "restart":
            places.start_north() if step.where == "north" else places.start_south()
        case "cut":
            places.cut()
        case "heal":
            places.heal()
        case "wait":
            pass
        case str(bed):
            places.hit(step.where, bed)
        case command:
            places.tell(step.where, command)


def play(network: Network, takeout: str, steps: list[Step]) -> TwoPlaces:
    places = TwoPlaces(network, takeout)
    for step in steps:
        do(places, step)
    places.settle()
    places.check()
    return places


@given(NETWORKS, st.sampled_from(["timer", "button", "hits"]), STEPS)
def test_every_dart_counts_once_and_in_its_place(network: Network, takeout: str, steps: list[Step]) -> None:
    play(network, takeout, steps)


@pytest.mark.long
@settings(max_examples=3000, deadline=None)
@given(NETWORKS, st.sampled_from(["timer", "button", "hits"]), STEPS)
def test_every_dart_counts_once_and_in_its_place_at_length(network: Network, takeout: str, steps: list[Step]) -> None:
    play(network, takeout, steps)


def visit(places: TwoPlaces, where: Place, *beds: str) -> None:
    for bed in beds:
        places.wait(800)
        places.hit(where, bed)
    places.wait(4000)


def score(places: TwoPlaces) -> tuple[int, ...]:
    return tuple(side.score for side in places.north.sheet.states.public.sides)


def whole() -> TwoPlaces:
    places = TwoPlaces(Network(Random(1)))
    places.wait(2000)
    return places


def test_the_visits_go_to_and_fro() -> None:
    places = whole()
    visit(places, "north", "T20", "O20", "T19")
    assert places.north.match.position.visit.side == 1
    visit(places, "south", "T20", "T19", "O20")
    assert places.north.match.position.visit.side == 0
    assert [line.source.split(" ")[0] for line in places.lines] == ["board"] * 3 + ["timer"] + ["table"] * 4
    assert score(places) == (301 - 137, 301 - 137)
    places.settle()
    places.check()


def test_a_dart_takes_one_way_there() -> None:
    places = whole()
    visit(places, "north", "T20", "O20", "T19")
    places.hit("south", "T20")
    places.wait(5 + 150)
    assert score(places)[1] == 241


def test_while_the_link_is_cut_a_visit_waits_and_counts_afterwards() -> None:
    places = whole()
    visit(places, "north", "T20", "O20", "T19")
    places.cut()
    visit(places, "south", "T20", "T20", "T20", "T19")
    assert score(places)[1] == 301
    assert [{*each.input} for each in places.inputs.waiting] == [{"throw"}] * 3 + [{"next"}], "the fourth is a ghost"
    places.wait(180_000)
    places.heal()
    places.wait(2000)
    assert score(places)[1] == 121
    assert places.north.match.position.visit.side == 0
    places.settle()
    places.check()


def test_each_dart_that_was_entered_by_hand_takes_one_late_report() -> None:
    """Of a board that is slow, at the table that plays along."""
    places = whole()
    visit(places, "north", "T20", "O20", "T19")
    for bed in ("T20", "T19"):
        assert places.tell("south", Throw(bed)) == "ok"
    for bed in ("T20", "T19", "T18"):
        places.wait(500)
        places.hit("south", bed)
    places.settle()
    places.check()
    assert score(places)[1] == 301 - 60 - 57 - 54


def test_undo_while_the_link_is_cut_leaves_room_for_the_dart_that_it_takes_back() -> None:
    """A visit that the timer has closed is opened by the same undo; what a person's next has filled in stays a miss."""
    places = whole()
    visit(places, "north", "T20", "O20", "T19")
    places.cut()
    visit(places, "south", "T20", "T20", "T20")
    assert places.tell("south", Undo()) == "ok"
    places.hit("south", "T19")
    assert places.inputs.waiting[-1].input == {"throw": "T19"}
    assert places.tell("south", Undo()) == "ok"
    assert places.tell("south", Next()) == "ok"
    assert places.tell("south", Undo()) == "ok"
    assert places.tell("south", Throw("T5")) == "all darts of this visit are thrown: pull them, then press next"
    assert places.tell("south", Undo()) == "ok"
    assert places.tell("south", Throw("T18")) == "ok"
    places.settle()
    places.check()
    assert not places.heard_refused
    assert score(places)[1] == 301 - 60 - 60 - 54


@pytest.mark.parametrize("has_button", [False, True])
def test_after_an_undo_the_timer_rests_until_the_next_input(has_button: bool) -> None:
    places = whole()
    visit(places, "north", "T20", "O20", "T19")
    for bed in ("T20", "T20", "T20"):
        places.wait(800)
        places.hit("south", bed)
    assert places.tell("south", Next()) == "ok"
    places.wait(800)
    if has_button:
        places.press("undo")
    else:
        assert places.tell("south", Undo()) == "ok"
    places.wait(10_000)
    assert (places.north.match.position.visit.side, places.north.match.position.phase) == (1, "takeout")
    if has_button:
        places.hit("south", "T1")  # the darts are pulled
    else:
        assert places.tell("south", Amend(places.lines[-3].number, Throw("T19"))) == "ok"
    places.wait(10_000)
    assert places.north.match.position.visit.side == 0
    places.settle()
    places.check()


@pytest.mark.parametrize("who", ["north", "south", "both"])
def test_a_restart_in_the_middle_loses_nothing(who: str) -> None:
    places = whole()
    visit(places, "north", "T20", "O20", "T19")
    for bed in ("T20", "T20", "T20"):
        places.wait(700)
        places.hit("south", bed)
        places.wait(5)  # it is written
        if who in ("north", "both"):
            places.start_north()
        if who in ("south", "both"):
            places.start_south()
    places.settle()
    places.check()
    assert score(places)[1] == 121


def test_a_dart_whose_acknowledgement_is_lost_in_a_restart_counts_once() -> None:
    places = whole()
    visit(places, "north", "T20", "O20", "T19")
    places.network.deaf = "south"
    places.hit("south", "T20")
    places.wait(400)
    assert score(places)[1] == 241
    places.start_north()
    places.network.deaf = ""
    places.wait(40_000)
    assert (score(places)[1], places.inputs.waiting) == (241, [])
    places.check()


def test_a_dart_that_could_not_be_written_counts_when_it_is_said_again() -> None:
    places = whole()
    visit(places, "north", "T20", "O20", "T19")
    said = LeagueInput(1, "north", "m1", "aaaaaaaa", 2, 2, 1, {"throw": "T20"}, 2)
    sender = PlaceSender("south", "aaaaaaaa", 2, 2, 2)
    before = places.north.checkpoint()
    effects = places.north.obey(Throw("T20"), sender, places.now)
    assert effects.lines
    places.north.roll_back(before, effects)
    assert score(places)[1] == 301
    places.decide(msgspec.json.encode(said))
    assert score(places)[1] == 241


def test_what_is_lost_on_the_way_is_said_again() -> None:
    places = whole()
    visit(places, "north", "T20", "O20", "T19")
    places.network.loss = 0.5
    visit(places, "south", "T20", "T20", "T20")
    places.wait(200_000)
    assert (score(places)[1], places.inputs.waiting) == (121, [])


def test_after_a_restart_the_numbers_of_what_did_not_count_are_missed_by_nobody() -> None:
    places = whole()
    visit(places, "north", "T20", "O20", "T19")
    places.hit("south", "T20")
    places.wait(1000)
    assert places.tell("south", Redo()) == "ok"
    places.wait(1000)
    assert places.heard_refused == {3: "there is nothing to redo"}
    places.start_north()
    places.wait(1000)
    places.hit("south", "T20")
    places.wait(1000)
    assert (score(places)[1], places.inputs.waiting) == (181, [])


def test_a_dart_of_the_other_side_does_not_count() -> None:
    places = whole()
    places.hit("south", "T20")
    places.wait(1000)
    assert places.kept[1:] == []
    visit(places, "north", "T20", "O20", "T19")
    places.hit("north", "T20")
    assert places.tell("north", Throw("T20")) == "Bo plays at the table south"
    assert places.tell("north", Next()) == "Bo plays at the table south"
    assert places.tell("north", Total(60)) == "Bo plays at the table south"
    assert len(places.lines) == 4


def test_each_takes_back_its_own_last_dart_alone() -> None:
    places = whole()
    visit(places, "north", "T20", "O20", "T19")
    places.hit("south", "T20")
    places.wait(1000)
    assert places.tell("north", Undo()) == "Bo plays at the table south"
    assert places.tell("south", Undo()) == "ok"
    places.wait(1000)
    assert score(places) == (301 - 137, 301)
    assert places.tell("south", Undo()) == "ok"
    places.wait(1000)
    assert places.decisions[-1][1] == "Ann plays at the other table"
    assert places.tell("north", Undo()) == "ok"
    assert score(places) == (301 - 80, 301), "the next of the timer goes with the dart"


@pytest.mark.parametrize("command", [Amend(2, Throw("O20")), Retire(0), Stop()])
@pytest.mark.parametrize("first", ["north", "south"])
def test_what_touches_both_needs_both(command: Command, first: Place) -> None:
    places = whole()
    second: Place = "south" if first == "north" else "north"
    visit(places, "north", "T20", "O20", "T19")
    lines = len(places.lines)
    assert places.tell(first, command) == "ok"
    places.wait(1000)
    assert len(places.lines) == lines
    wish = places.state.wish
    assert wish
    assert wish.by == (first,)
    assert places.tell(first, command) == "ok", "one table alone cannot insist"
    places.wait(1000)
    assert len(places.lines) == lines
    assert places.tell(second, command) == "ok"
    places.wait(1000)
    assert len(places.lines) == lines + 1
    assert not places.state.wish
    places.settle()
    places.check()


def test_what_the_other_does_not_agree_to_is_forgotten_after_a_minute() -> None:
    places = whole()
    visit(places, "north", "T20", "O20", "T19")
    places.tell("north", Stop())
    places.wait(60_001)
    assert not places.state.wish
    places.tell("south", Stop())
    places.wait(1000)
    assert not places.north.match.position.over


def test_a_match_can_be_stopped_when_the_other_table_is_gone() -> None:
    places = whole()
    visit(places, "north", "T20", "O20", "T19")
    places.cut()
    places.north.note_away("south", Away(False, places.now))
    places.tell("north", Stop())
    assert not places.north.match.position.over
    places.wait(61_000)
    places.tell("north", Stop())
    assert places.north.match.position.over


def test_who_has_left_holds_no_match_after_a_restart() -> None:
    places = whole()
    visit(places, "north", "T20", "O20", "T19")
    places.hit("south", "T20")
    places.wait(1000)
    places.inputs.add({"leave": True}, places.now)
    places.network.deaf = "south"
    places.start_north()
    assert places.tell("north", Stop()) == "ok"
    assert places.north.match.position.over


def test_a_table_that_was_away_is_asked_again() -> None:
    """It may have lost what it knew, or have left: nobody would agree to anything there."""
    places = whole()
    places.wait(1000)
    places.north.note_away("south", Away(False, places.now))
    places.wait(1000)
    places.north.note_away("south", Away(True, None))
    shown = places.north.show(places.north.sheet.states.public).places
    assert [each.board for each in shown or ()] == ["here", "asked"]


def test_a_match_that_nobody_goes_on_with_there_is_stopped_by_who_asks_twice() -> None:
    places = whole()
    visit(places, "north", "T20", "O20", "T19")
    places.tell("north", Stop())
    places.wait(60_001)
    assert places.tell("north", Stop()) == "ok"
    assert places.north.match.position.over


def test_who_plays_on_has_answered() -> None:
    places = whole()
    visit(places, "north", "T20", "O20", "T19")
    places.tell("north", Stop())
    places.wait(60_001)
    places.hit("south", "T20")
    places.wait(1000)
    places.tell("north", Stop())
    places.wait(1000)
    assert not places.north.match.position.over


def test_a_bot_of_the_lent_table_throws_nothing_in_the_other_match() -> None:
    places = whole()
    visit(places, "north", "T20", "O20", "T19")
    assert places.south.lent
    before = len(places.kept)
    effects = places.south.obey(Throw("T20"), "bot", places.now)
    assert str(effects.reply) == "this table plays along at the table north: end that first"
    places.wait(1000)
    assert len(places.kept) == before
