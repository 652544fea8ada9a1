"""Laws that hold for every game and know the rules of none: what may happen to a match, whatever it is told.

A game that is registered gets them for nothing. The toy is among them for what the games that ship do not have.
"""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from daemon.snapshot import take_snapshot
from engine.game import Game
from engine.games import GAMES
from engine.luck import Luck
from tests.bench.payloads import ON_PURPOSE, any_move
from tests.engine.contract import LIMIT_BYTES, check
from tests.engine.moves import Move, headers, line_of, moves, record
from tests.engine.records import Line, Record, header
from tests.engine.toy import TOY, State
from tests.sweep import IS_LONG, many

ALL = {**GAMES, TOY.id: TOY}
games = pytest.mark.parametrize("game", ALL)
LONGEST = 60
law = settings(max_examples=40 if IS_LONG else 2, print_blob=True)
"""A few examples of every game each time; `make long` tries as many as find the rare ones."""


def drawn(data: st.DataObject, game: str) -> tuple[Record, list[Move]]:
    return record(data.draw(headers(ALL[game])), ALL[game]), data.draw(moves(LONGEST))


@games
@law
@given(data=st.data())
def test_a_match_stays_valid_and_a_refusal_changes_nothing(data: st.DataObject, game: str) -> None:
    given, told = drawn(data, game)
    check(given.encoded(), len(given.first["players"]))
    for move in told:
        line, phase, before, position = (
            line_of(move, given),
            given.state["phase"],
            given.encoded(),
            given.match.position,
        )
        outcome = given.add(line)
        if outcome.accepted:
            assert outcome.reason is None
            check(given.encoded(), len(given.first["players"]))
            assert given.state["line"] == given.line
        else:
            assert outcome.reason
            assert "\n" not in outcome.reason
            assert given.encoded() == before
            assert given.match.position == position
        if move.kind == "throw":
            assert outcome.accepted == (phase == "throwing")
        elif move.kind == "next":
            assert outcome.accepted == (phase in {"throwing", "takeout"})


@games
@law
@given(data=st.data())
def test_undo_and_redo_are_exact(data: st.DataObject, game: str) -> None:
    given, told = drawn(data, game)
    for move in told:
        line, before = line_of(move, given), given.but_line()
        if not given.add(line).accepted:
            continue
        after = given.but_line()
        undo, redo = {"undo": True}, {"redo": True}
        if "undo" in line:
            undo, redo = redo, undo
        if ("retire" in line or "stop" in line) and not given.first["undo_all"]:
            continue
        given.play(undo)
        assert given.but_line() == before
        given.play(redo)
        assert given.but_line() == after


@games
@law
@given(data=st.data())
def test_everything_can_be_undone_and_brought_back(data: st.DataObject, game: str) -> None:
    given, told = drawn(data, game)
    started = given.but_line()
    for move in told:
        if given.first["undo_all"] or move.kind not in {"retire", "stop"}:
            given.add(line_of(move, given))
    ended = given.but_line()
    undone = 0
    while given.add({"undo": True}).accepted:
        undone += 1
    assert given.but_line() == started
    for _ in range(undone):
        given.play({"redo": True})
    assert given.but_line() == ended


@games
@law
@given(data=st.data())
def test_replay_is_exact(data: st.DataObject, game: str) -> None:
    given, told = drawn(data, game)
    again = record(given.first, given.game)
    for move in told:
        line = line_of(move, given)
        assert again.add(line) == given.add(line)
    assert again.encoded() == given.encoded()
    resumed = given.resumed()
    assert msgspec.json.encode(take_snapshot(resumed)) == given.encoded()
    assert resumed.position == given.match.position


@games
@law
@given(data=st.data())
def test_an_amend_to_the_same_or_one_undone_changes_nothing(data: st.DataObject, game: str) -> None:
    given, told = drawn(data, game)
    told_once: dict[int, Line] = {}
    for move in told:
        line, before = line_of(move, given), given.but_line()
        if not given.add(line).accepted:
            continue
        if "amend" in line:
            told_once.pop(line["amend"], None)
            given.play({"undo": True})
            assert given.but_line() == before
        elif "throw" in line or "choose" in line:
            told_once[given.line] = line
    for number, line in told_once.items():
        before = given.but_line()
        if given.add({"amend": number, **line}).accepted:
            assert given.but_line() == before
    state = given.state
    for dart in (*state["turn"]["darts"], *(state["last"] or state["turn"])["darts"]):
        before = given.but_line()
        if given.add({"amend": dart["line"], "throw": dart["segment"]}).accepted:
            assert given.but_line() == before


@games
@law
@given(data=st.data())
def test_a_dart_stays_in_the_visit_it_was_thrown_in(data: st.DataObject, game: str) -> None:
    given, told = drawn(data, game)
    thrown: dict[int, tuple[Any, ...]] = {}  # Any: JSON

    def look() -> None:
        state = given.state
        whose = state["turn"]["seat"], state["leg"], state["set"]
        for visit in filter(None, (state["turn"], state["last"])):
            for dart in visit["darts"]:
                assert thrown[dart["line"]][:2] == (visit["visit"], visit["side"])
        for dart in state["turn"]["darts"]:
            assert thrown[dart["line"]][2:] == whose

    for move in told:
        state, line = given.state, line_of(move, given)
        if given.add(line).accepted and {"throw", "total", "next"} & {*line} and "amend" not in line:
            turn = state["turn"]
            thrown[given.line] = (turn["visit"], turn["side"], turn["seat"], state["leg"], state["set"])
        look()
    while given.add({"undo": True}).accepted:
        look()


@pytest.mark.parametrize("game", [name for name, each in GAMES.items() if type(each).totals is not Game.totals])
@pytest.mark.parametrize("seed", range(many(3, 30)))
def test_a_total_scores_what_its_darts_would(game: str, seed: int) -> None:
    chance, options = Random(seed), {"strike": "visit"} if game == "gotcha" else {}
    darts, totals = Record(header(game, options=options)), Record(header(game, options=options))
    while not darts.match.position.over and darts.line < 200:
        before, thrown = darts.state["sides"], list[str]()
        while darts.state["phase"] == "throwing":
            thrown.append(chance.choice(["T20", "T19", "D20", "D1", "S20", "S5", "S1", "DB", "MISS"]))
            darts.play({"throw": thrown[-1]})
        turn, points = darts.state["turn"], sum(darts.match.layout[each].points for each in thrown)
        if game == "x01" and turn["bust"] and points == before[turn["side"]]["score"]:
            points = 0  # as a scorer writes what came to zero in a bed that is no double
        totals.play({"total": points, "darts": len(thrown)})
        for key in ("score", "legs", "out"):
            assert [side[key] for side in totals.state["sides"]] == [side[key] for side in darts.state["sides"]]
        assert totals.state["winners"] == darts.state["winners"]
        if not darts.match.position.over:
            darts.play({"next": True})
            totals.play({"next": True})


@pytest.mark.parametrize("game", GAMES)
def test_no_state_of_a_long_match_of_two_is_too_large(game: str) -> None:
    """Both players have the longest names there are, in characters of four bytes; options are usual, then greatest."""
    for options in ({}, greatest_options(game)):
        chance, given = Random(game), Record(header(game, ON_PURPOSE[:2], options=options))
        for line in range(2, many(100, 400)):
            given.match.apply(line, any_move(given.match, chance))
            assert len(given.encoded()) <= LIMIT_BYTES, options


def greatest_options(game: str) -> dict[str, int]:
    """The greatest number of each option that has one."""
    schema = msgspec.json.schema(GAMES[game].options_type)
    about = schema["$defs"][GAMES[game].options_type.__name__]["properties"]
    return {name: each["maximum"] for name, each in about.items() if "maximum" in each}


def test_a_large_state_leaves_out_repeated_questions_then_the_last_darts() -> None:
    asked = thrown = 0
    for number in (10, 26, 29, 33):  # with these there are several pins to place
        chance, given = Random(number), Record(header("ground_round", ON_PURPOSE[:2], options={"darts": 9}))
        for line in range(2, 200):
            given.match.apply(line, any_move(given.match, chance))
            position, state = given.match.position, given.state
            asked += len(state["prompts"]) < len(position.prompts)
            thrown += position.last is not None and len(state["last"]["darts"]) < len(position.last.darts)
            assert {prompt["text"] for prompt in state["prompts"]} == {prompt.text for prompt in position.prompts}
    assert min(asked, thrown) > 0


@law
@given(data=st.data())
def test_luck_knows_the_visit_and_nothing_else(data: st.DataObject) -> None:
    given, told = drawn(data, TOY.id)
    for move in told:
        given.add(line_of(move, given))
        state, visit = given.match.position.state, given.match.position.visit
        if state.options.dice == "rolled" and state.roll is not None:
            assert state.roll == Luck(given.first["seed"], visit.number).die("roll", 1, 6)


@law
@given(data=st.data())
def test_what_a_seat_cannot_see_does_not_change_its_view(data: st.DataObject) -> None:
    given, told = drawn(data, TOY.id)
    for move in told:
        given.add(line_of(move, given))
    match, people = given.match, range(len(given.first["players"]))
    before = {seat: given.encoded(seat) for seat in (None, *people)}
    state: State = match.position.state
    mine = data.draw(st.sampled_from(people))
    hands = tuple(hand if seat == mine else ("9",) * len(hand) for seat, hand in enumerate(state.hands))
    changed = replace(state, hands=hands)
    prompts = match.position.prompts and TOY.prompts(changed, match.turn)
    match.position = replace(match.position, state=changed, prompts=prompts)
    assert given.encoded(mine) == before[mine]
    assert given.encoded(None) == before[None]
    if any(state.hands):
        seen = msgspec.json.decode(before[mine])["board"]["hand"]
        assert seen == sorted(state.hands[mine])


@pytest.mark.long
def test_the_moves_reach_what_they_are_meant_to_reach() -> None:
    """Laws over moves that are all refused would prove nothing. The rare ones are not among the first 150 examples."""
    both = ["throw", "next", "answer", "undo", "redo", "amend", "ghost", "retire", "concede", "stop", "amend_answer"]
    wanted = {f"{kind} {how}" for kind in both for how in ("accepted", "refused")}
    wanted |= {"throwing", "deciding", "takeout", "over", "roll", "card", "times", "name", "again", "out", "won"}
    for number in range(20):
        wanted -= _reached(number)
        if not wanted:
            return
    raise AssertionError(wanted)


def _reached(number: int) -> set[str]:
    """What 150 examples come to: moves accepted and refused, phases, questions, sides that are out, a match won."""
    reached: set[str] = set()

    @seed(number)
    @settings(max_examples=150, database=None)
    @given(data=st.data())
    def look(data: st.DataObject) -> None:
        given, told = drawn(data, TOY.id)
        for move in told:
            line = line_of(move, given)
            accepted = given.add(line).accepted
            reached.add(f"{move.kind} {'accepted' if accepted else 'refused'}")
            reached.add(given.state["phase"])
            reached.update(prompt["id"].partition("@")[0] for prompt in given.state["prompts"])
            reached.update("out" for side in given.state["sides"] if side["out"])
            reached.update("won" for _ in given.state["winners"])

    look()
    return reached
