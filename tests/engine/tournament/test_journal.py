"""What is ruled on each kind of input, by example."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from engine.tournament.journal import TournamentJournal, replay
from engine.tournament.match_header import find_format, find_order, make_header, read_result
from engine.tournament.view import TableNow, list_places, list_possible, make_view
from protocol.commands import IllegalInput
from protocol.match_spec import Format
from protocol.sentence import Sentence
from protocol.tournament import (
    EMPTY,
    UNKNOWN,
    Begin,
    Call,
    Change,
    DrawGroups,
    DrawLadder,
    DrawRound,
    DrawSeats,
    DrawSides,
    End,
    Enter,
    Input,
    Kind,
    Leave,
    Pair,
    Place,
    Redo,
    Result,
    SeatLate,
    SetTables,
    Settle,
    SetWriter,
    Slot,
    TableUse,
    TakeBack,
    TournamentSpec,
    Undo,
)
from tests.engine.tournament.evenings import Evening, make_spec


def begin_evening(kind: Kind = "knock_out", count: int = 4, **given: object) -> Evening:
    evening = Evening(make_spec(kind, **given), count)
    evening.draw()
    return evening


def refuse_key(evening: Evening, given: Input, by: str = "organiser") -> str:
    """Why this is refused; it changes nothing."""
    before, lines = evening.now, len(evening.journal.lines)
    with pytest.raises(IllegalInput) as refused:
        evening.do(given, by)  # type: ignore[arg-type]
    assert evening.now is before
    assert len(evening.journal.lines) == lines
    said = refused.value.said
    return said.key if isinstance(said, Sentence) else said


def test_who_was_drawn_into_a_side_is_renamed_in_it() -> None:
    evening = begin_evening("knock_out", 4, side=2, drawn=True)
    one, other, third = evening.ids[:3]
    assert evening.now.entrants[one].people == ("P1", "P2")
    evening.do(Change(other, people=("p2",)))
    assert refuse_key(evening, Change(other, people=("P1",))) == "tournament.name_taken"
    assert refuse_key(evening, Change(other, people=("P4",))) == "tournament.name_taken"
    evening.do(Change(other, people=("Zoe",)))
    assert (evening.now.entrants[one].people, evening.now.entrants[other].people) == (("P1", "Zoe"), ("Zoe",))
    assert evening.now.entrants[third].people == ("P3", "P4")
    evening.call("final-1")
    assert refuse_key(evening, Change(other, people=("Bo",))) == "tournament.plays_now"


def test_names_are_unique_in_any_spelling() -> None:
    evening = Evening(make_spec("knock_out"), 2)
    assert refuse_key(evening, Enter((" p1 ",))) == "tournament.name_taken"
    assert refuse_key(evening, Change(evening.ids[1], people=("P1",))) == "tournament.name_taken"
    evening.do(Leave(evening.ids[0]))
    assert evening.do(Enter(("P1",))) in evening.now.entrants


@pytest.mark.parametrize(
    ("kind", "count", "given", "key"),
    [
        ("knock_out", 256, {}, "full"),
        ("round_robin", 64, {}, "all_meet"),
        ("round_robin", 128, {"side": 2, "drawn": True}, "all_meet"),
        ("groups", 64, {"groups": 2}, "all_meet"),
        ("groups", 256, {"groups": 9}, "full"),
    ],
)
def test_no_more_enter_than_have_room(kind: Kind, count: int, given: dict[str, int], key: str) -> None:
    evening = Evening(make_spec(kind, **given), count)
    assert refuse_key(evening, Enter(("One more",))) == f"tournament.{key}"


def test_groups_and_round_robins_that_are_too_large_are_no_draw() -> None:
    evening = Evening(make_spec("groups", groups=2), 40)
    ids = tuple(evening.ids)
    assert refuse_key(evening, DrawGroups((ids[:33], ids[33:]))) == "tournament.groups"
    evening.do(DrawGroups((ids[:32], ids[32:])))
    evening = Evening(make_spec("round_robin", side=2, drawn=True), 65)
    evening.do(DrawSides(tuple((each,) for each in evening.ids)))
    assert refuse_key(evening, DrawGroups((tuple(evening.ids),))) == "tournament.round_robin"


def test_who_is_not_confirmed_is_not_drawn() -> None:
    evening = Evening(make_spec("knock_out"), 2)
    guest = evening.do(Enter(("Guest",), confirmed=False), "sign_up")
    seats = (*evening.ids, guest, EMPTY)
    assert refuse_key(evening, DrawSeats(seats)) == "tournament.all_once"
    evening.do(Change(guest, confirmed=True))
    evening.do(DrawSeats(seats))
    assert evening.now.find_status("winners-1-2") == "bye"


def test_a_bye_goes_through_at_once() -> None:
    evening = begin_evening(count=3)
    assert evening.now.find_sides("final-1") == (evening.ids[0], UNKNOWN)


def test_nobody_plays_twice_at_once() -> None:
    evening = begin_evening("round_robin")
    one, *_ = evening.now.list_matches()
    evening.do(Call(one, "one"))
    other = next(
        m for m in evening.list_by("ready") if set(evening.now.find_sides(m)) & set(evening.now.find_sides(one))
    )
    assert refuse_key(evening, Call(other, "two")) == "tournament.plays_now"
    apart = next(
        m for m in evening.list_by("ready") if not set(evening.now.find_sides(m)) & set(evening.now.find_sides(one))
    )
    assert refuse_key(evening, Call(apart, "one")) == "tournament.table_used"
    evening.do(Call(apart, "two"))


def test_someone_else_may_keep_the_score() -> None:
    evening = begin_evening("round_robin")
    match, *_ = evening.now.list_matches()
    playing, *free = evening.now.find_sides(match)[0], *set(evening.ids) - set(evening.now.find_sides(match))
    assert refuse_key(evening, SetWriter(match, free[0])) == "tournament.not_called"
    attempt = evening.call(match)
    assert refuse_key(evening, SetWriter(match, playing)) == "tournament.plays_now"
    assert refuse_key(evening, SetWriter(match, 99)) == "tournament.no_entrant"
    for writer in (free[0], EMPTY):
        evening.do(SetWriter(match, writer))
        assert evening.now.play(match).writer == writer
    evening.do(Undo())
    evening.win(match, playing, attempt)  # the match goes on as it was called
    assert evening.now.play(match).writer == free[0]


def test_a_table_is_heard_only_of_its_latest_call() -> None:
    evening = begin_evening()
    evening.call("winners-1-1")
    evening.do(Call("winners-1-1", "two"))
    winner, _ = sides = evening.now.find_sides("winners-1-1")
    old = Result("winners-1-1", sides, winner, (1, 0), attempt=1)
    assert refuse_key(evening, old, "table") == "tournament.old_attempt"
    evening.do(Call("winners-1-1", None))
    assert refuse_key(evening, Begin("winners-1-1", 2), "table") == "tournament.old_attempt"
    evening.do(Undo())
    evening.do(Undo())
    evening.do(Call("winners-1-1", "two"))
    assert evening.now.play("winners-1-1").attempt == 4


def test_attempts_go_on_after_a_new_draw() -> None:
    evening = begin_evening()
    evening.do(Call("winners-1-1", "one"))
    evening.draw()
    assert evening.list_by("called") == []
    evening.do(Call("winners-1-1", "one"))
    assert evening.now.play("winners-1-1").attempt == 2


def test_a_new_draw_is_refused_once_a_dart_is_thrown() -> None:
    evening = begin_evening()
    evening.call("winners-1-1")
    assert refuse_key(evening, DrawSeats(tuple(evening.ids))) == "tournament.has_begun"


def test_a_correction_is_refused_once_a_dependent_match_has_begun() -> None:
    evening = begin_evening()
    one, other = evening.now.find_sides("winners-1-1")
    evening.play("winners-1-1", one)
    evening.win("winners-1-1", other)  # none depends on it yet
    evening.win("winners-1-1", one)
    evening.play("winners-1-2", evening.ids[1])
    evening.call("final-1")
    wrong = Result("winners-1-1", (one, other), other, (0, 1))
    with pytest.raises(IllegalInput, match="P1 – P2 has begun"):
        evening.do(wrong)
    assert refuse_key(evening, TakeBack("winners-1-1")) == "tournament.has_begun"
    evening.do(Result("winners-1-1", (one, other), one, (5, 4)))  # figures may follow
    assert evening.now.outcomes["winners-1-1"].legs == (5, 4)


def dispute() -> Evening:
    """The table of the first match says another winner after the final has begun."""
    evening = begin_evening()
    one, other = evening.now.find_sides("winners-1-1")
    attempt = evening.call("winners-1-1")
    evening.win("winners-1-1", one, attempt)
    evening.play("winners-1-2", evening.ids[1])
    evening.call("final-1")
    evening.win("winners-1-1", other, attempt)
    assert evening.now.find_status("winners-1-1") == "disputed"
    assert evening.now.find_sides("final-1")[0] == one
    return evening


def test_a_disputed_result_stands_until_the_later_match_is_taken_back() -> None:
    evening = dispute()
    evening.do(TakeBack("final-1"))
    _, other = evening.now.find_sides("winners-1-1")
    assert evening.now.find_status("winners-1-1") == "played"
    assert evening.now.find_sides("final-1")[0] == other
    evening.do(Undo())
    assert evening.now.find_status("winners-1-1") == "disputed"


def test_a_disputed_result_may_be_let_stand() -> None:
    evening = dispute()
    evening.do(Settle("winners-1-1"))
    one, _ = evening.now.find_sides("winners-1-1")
    assert evening.now.find_status("winners-1-1") == "played"
    assert evening.now.resolved["winners-1-1"].winner == one
    assert refuse_key(evening, Settle("winners-1-1")) == "tournament.no_dispute"


def test_a_dispute_ends_when_the_table_says_the_first_winner_again() -> None:
    evening = dispute()
    one, _ = evening.now.find_sides("winners-1-1")
    evening.win("winners-1-1", one, 1)
    assert evening.now.disputes == {}


def test_a_match_that_its_table_reopens_is_played_on() -> None:
    evening = begin_evening()
    one, other = evening.now.find_sides("winners-1-1")
    evening.win("winners-1-1", one, evening.call("winners-1-1"))
    evening.do(TakeBack("winners-1-1", 1), "table")
    assert evening.now.find_status("winners-1-1") == "playing"
    evening.win("winners-1-1", other, 1)
    assert evening.now.resolved["winners-1-1"].winner == other


def test_a_match_that_its_table_reopens_calls_its_people_back_from_the_next() -> None:
    evening = begin_evening("round_robin")
    first, *rest = evening.list_by("ready")
    evening.win(first, evening.now.find_sides(first)[0], evening.call(first))
    after = next(m for m in rest if set(evening.now.find_sides(m)) & set(evening.now.find_sides(first)))
    evening.do(Call(after, "two"))
    evening.do(TakeBack(first, 1), "table")
    assert (evening.list_by("playing"), evening.list_by("called")) == ([first], [])


def test_what_a_table_still_says_of_a_match_that_was_taken_back_counts_nowhere() -> None:
    evening = begin_evening()
    one, other = sides = evening.now.find_sides("winners-1-1")
    evening.win("winners-1-1", one, evening.call("winners-1-1"))
    evening.do(TakeBack("winners-1-1"))
    corrected = Result("winners-1-1", sides, other, (0, 1), attempt=1)
    assert refuse_key(evening, corrected, "table") == "tournament.old_attempt"


def test_a_walkover_is_disputed_by_a_table_that_plays_on() -> None:
    evening = begin_evening()
    one, other = sides = evening.now.find_sides("winners-1-1")
    evening.call("winners-1-1")
    evening.do(Result("winners-1-1", sides, one, walkover=True))
    assert not evening.now.has_begun("winners-1-1")
    evening.play("winners-1-2", evening.ids[1])
    evening.call("final-1", "two")
    evening.win("winners-1-1", other, 1)
    assert evening.now.find_status("winners-1-1") == "disputed"
    assert evening.now.has_begun("winners-1-1")


def test_a_draw_in_a_knock_out_is_decided_by_one_leg() -> None:
    evening = begin_evening(format=Format(legs=3))
    sides = evening.now.find_sides("winners-1-1")
    assert refuse_key(evening, Result("winners-1-1", sides, None)) == "tournament.no_draw"
    attempt = evening.call("winners-1-1")
    evening.do(Result("winners-1-1", sides, None, (2, 2), points=(100, 90), attempt=attempt), "table")
    assert evening.now.find_status("winners-1-1") == "ready"
    assert make_header(evening.now, "winners-1-1", "r").format == Format()
    attempt = evening.call("winners-1-1")
    evening.do(Result("winners-1-1", sides, sides[1], (0, 1), points=(10, 20), attempt=attempt), "table")
    outcome = evening.now.outcomes["winners-1-1"]
    assert (outcome.legs, outcome.points) == ((2, 3), (110, 110))
    evening.do(Result("winners-1-1", sides, sides[0], (1, 0), points=(20, 20), attempt=attempt), "table")
    assert evening.now.outcomes["winners-1-1"].legs == (3, 2)


def test_others_walk_over_when_a_side_leaves() -> None:
    evening = begin_evening("double_knock_out")
    evening.do(Leave(evening.ids[0]))
    assert evening.now.find_status("winners-1-1") == "walkover"
    assert evening.now.find_status("losers-1-1") == "waiting"
    evening.play_out(lambda among: among[0])
    assert list_places(evening.now)[-1].entrants == (evening.ids[0],)
    assert refuse_key(evening, Leave(evening.ids[0])) == "tournament.has_left"


def test_who_went_on_and_leaves_later_keeps_the_matches_that_were_played() -> None:
    evening = begin_evening("knock_out", 8)
    gone, on = evening.now.find_sides("winners-1-1")
    evening.do(Leave(gone))
    evening.play("winners-1-2", evening.now.find_sides("winners-1-2")[0])
    sides = evening.now.find_sides("winners-2-1")
    assert on in sides
    evening.play("winners-2-1", on)
    evening.do(Leave(on))
    assert evening.now.find_sides("winners-2-1") == sides
    assert evening.now.find_status("winners-2-1") == "played"


def test_a_deciding_leg_that_has_not_begun_gives_its_table_back() -> None:
    """Its drawn match was thrown, but at its table nobody has begun."""
    evening = begin_evening("knock_out")
    first = evening.call("winners-1-1")
    evening.win("winners-1-1", evening.ids[0], first)
    sides = evening.now.find_sides("winners-1-2")
    drawn = evening.call("winners-1-2")
    evening.do(Result("winners-1-2", sides, None, (2, 2), attempt=drawn), "table")
    evening.do(Call("winners-1-2", "one"), "desk")
    evening.do(TakeBack("winners-1-1", first), "table")
    assert evening.now.find_status("winners-1-1") == "playing"
    assert evening.now.find_status("winners-1-2") == "ready"
    evening.do(Call("winners-1-2", "two"), "desk")
    evening.do(End())
    assert evening.list_by("called") == []


@pytest.mark.parametrize(("count", "played", "left"), [(4, 1, "annulled"), (4, 2, "walkover"), (5, 2, "walkover")])
def test_matches_of_who_leaves_a_table_early_are_annulled(count: int, played: int, left: str) -> None:
    evening = begin_evening("round_robin", count, withdrawn="annul")
    for match in evening.list_by("ready"):
        if evening.ids[0] in evening.now.find_sides(match) and played:
            evening.play(match, evening.ids[0])
            played -= 1
    evening.do(Leave(evening.ids[0]))
    found = {
        evening.now.find_status(match)
        for match in evening.now.list_matches()
        if evening.ids[0] in evening.now.find_sides(match)
    }
    assert found == ({"annulled"} if left == "annulled" else {"played", "walkover"})
    evening.play_out(lambda among: among[0])
    (table,) = evening.now.make_standings()
    assert sorted(row.entrant for row in table.rows) == sorted(evening.ids)


def test_a_latecomer_gets_the_seat_beside_a_bye_until_that_side_has_begun() -> None:
    evening = begin_evening("double_knock_out", 6)
    first, second = (evening.do(Enter((name,))) for name in ("Late", "Later"))
    evening.play("winners-1-2", evening.ids[3])
    evening.call("winners-2-1")
    assert refuse_key(evening, SeatLate(first, "winners-1-1")) == "tournament.has_begun"
    assert refuse_key(evening, SeatLate(first, "winners-1-2")) == "tournament.no_seat"
    evening.do(SeatLate(first, "winners-1-3"))
    assert evening.now.find_sides("winners-1-3") == (evening.ids[1], first)
    assert list_places(evening.now)[-1].last == 7
    assert second not in evening.now.drawn


@pytest.mark.parametrize("kind", ["round_robin", "swiss", "ladder", "open"])
def test_a_latecomer_joins_a_table_at_its_end(kind: Kind) -> None:
    evening = begin_evening(kind)
    late = evening.do(Enter(("Late",)))
    evening.do(SeatLate(late))
    evening.play_out(lambda among: among[-1])
    assert late in {side for each in evening.now.resolved.values() for side in each.sides}
    assert list_places(evening.now)[-1].last == 5


def test_the_knock_out_is_seated_as_soon_as_a_group_is_over() -> None:
    evening = begin_evening("groups", 8)
    assert evening.now.find_sides("winners-1-1") == (UNKNOWN, UNKNOWN)
    view = make_view("abcd1234", 0, evening.journal, {})
    assert next(m for m in view.matches if m.id == "winners-1-1").awaits == (("place", "1-1"), ("place", "2-2"))
    for match in evening.list_by("ready"):
        if match.startswith("group-a"):
            evening.play(match, min(evening.now.find_sides(match)))
    assert evening.now.find_sides("winners-1-1") == (evening.ids[0], UNKNOWN)
    evening.play_out(min)
    assert [place.last for place in list_places(evening.now)] == [1, 2, 4, 6, 8]


def test_the_organiser_may_seat_the_knock_out_after_the_groups() -> None:
    evening = begin_evening("groups", 8)
    assert refuse_key(evening, DrawSeats(tuple(evening.ids[:4]))) == "tournament.groups_open"
    for match in evening.list_by("ready"):
        evening.play(match, min(evening.now.find_sides(match)))
    evening.do(DrawSeats(tuple(evening.ids[4:])))
    assert evening.now.find_sides("winners-1-1") == tuple(evening.ids[4:6])
    evening.play_out(min)
    assert [place.last for place in list_places(evening.now)] == [1, 2, 4, 6, 8]


def test_a_correction_in_a_group_is_refused_once_it_would_move_who_has_begun() -> None:
    evening = begin_evening("groups", 8)
    for match in evening.list_by("ready"):
        evening.play(match, min(evening.now.find_sides(match)))
    evening.call("winners-1-1")
    one, other = sorted(evening.now.groups[0])[:2]
    match = next(m for m in evening.now.list_matches() if set(evening.now.find_sides(m)) == {one, other})
    sides = evening.now.find_sides(match)
    assert refuse_key(evening, Result(match, sides, other)) == "tournament.has_begun"


def test_a_ladder_is_climbed_by_beating_those_within_reach() -> None:
    evening = begin_evening("ladder", 4)
    a, b, c, d = evening.ids
    assert refuse_key(evening, Pair((d, a))) == "tournament.reach"
    assert refuse_key(evening, Pair((a, b))) == "tournament.reach"
    evening.do(Pair((d, b)))
    assert refuse_key(evening, Pair((c, b))) == "tournament.has_match"
    evening.play("round-1-1", d)
    assert evening.now.find_ladder() == (a, d, b, c)
    evening.win("round-1-1", b)
    assert evening.now.find_ladder() == (a, b, c, d)
    evening.do(End())
    assert evening.now.phase == "over"
    assert refuse_key(evening, Pair((c, b))) == "tournament.over"


def test_what_has_begun_counts_after_the_end_too() -> None:
    evening = begin_evening()
    attempt = evening.call("winners-1-1")
    evening.do(Call("winners-1-2", "two"))
    evening.do(End())
    assert evening.list_by("called", "playing") == ["winners-1-1"]
    one, other = evening.now.find_sides("winners-1-1")
    evening.win("winners-1-1", one, attempt)
    evening.do(TakeBack("winners-1-1", attempt), "table")
    evening.win("winners-1-1", other, attempt)
    late = Result("winners-1-2", evening.now.find_sides("winners-1-2"), evening.ids[1])
    assert refuse_key(evening, late) == "tournament.over"
    evening.do(Undo())
    assert evening.now.phase == "playing"


def test_a_swiss_round_is_drawn_again_only_without_a_dart() -> None:
    evening = begin_evening("swiss", 4)
    a, b, c, d = evening.ids
    evening.do(DrawRound(((a, b), (c, d))))
    assert evening.now.find_sides("round-1-1") == (a, b)
    evening.play("round-1-1", a)
    assert refuse_key(evening, DrawRound(((a, b), (c, d)))) == "tournament.round_open"
    evening.play("round-1-2", c)
    evening.do(DrawRound(((a, c), (b, d))))
    assert evening.now.rounds == 2
    evening.play_out(min)
    assert refuse_key(evening, DrawRound(((a, d), (b, c)))) == "tournament.rounds"
    assert evening.now.phase == "over"


def test_drawn_sides_play_as_one() -> None:
    evening = Evening(make_spec("knock_out", side=2, drawn=True), 0)
    ids = [evening.do(Enter((name,))) for name in ("Ann", "Bo", "Cy", "Di")]
    assert refuse_key(evening, DrawSeats((ids[0], ids[1]))) == "tournament.sides_first"
    evening.do(DrawSides(((ids[0], ids[2]), (ids[1], ids[3]))))
    evening.do(DrawSides(((ids[3], ids[0]), (ids[1], ids[2]))))
    evening.do(DrawSeats((ids[3], ids[1])))
    evening.do(SetTables((TableUse("one"),)))
    assert evening.now.find_people("final-1") == (("Di", "Ann"), ("Bo", "Cy"))
    header = make_header(evening.now, "final-1", "r")
    assert header.players == ("Di", "Ann", "Bo", "Cy")
    assert header.teams == ((0, 1), (2, 3))
    assert refuse_key(evening, Leave(ids[0])) == "tournament.in_side"
    assert list_places(evening.now) == [Place(1, 1, ()), Place(2, 2, ())]


def test_the_parts_of_a_team_match_are_played_each_by_itself() -> None:
    slots = Slot((0,), (0,)), Slot((1,), (1,), game="cricket"), Slot((0, 1), (0, 1), points=2)
    evening = Evening(make_spec("knock_out", slots=slots, options={"start": 301}), 0)
    one = evening.do(Enter(("Ann", "Bo"), name="Owls"))
    other = evening.do(Enter(("Cy", "Di"), name="Cats"))
    evening.do(SetTables((TableUse("one"), TableUse("two"))))
    evening.do(DrawSeats((one, other)))
    assert refuse_key(evening, Call("final-1", "one")) == "tournament.parts"
    evening.do(Call("final-1/1", "one"))
    evening.do(Call("final-1/2", "two"))
    assert refuse_key(evening, Call("final-1/3", "two")) == "tournament.table_used"
    assert make_header(evening.now, "final-1/2", "r").game == "cricket"
    assert make_header(evening.now, "final-1/1", "r").options == {"start": 301}
    evening.win("final-1/1", one, 1)
    assert evening.now.find_status("final-1") == "playing"
    evening.win("final-1/2", other, 1)
    evening.play("final-1/3", other)
    assert evening.now.find_status("final-1") == "played"
    view = make_view("abcd1234", 0, evening.journal, {})
    assert view.winner == other
    assert [m.score for m in view.matches] == [(1, 3), (2, 1), (1, 2), (1, 2)]
    evening.do(TakeBack("final-1/3"))
    assert evening.now.find_status("final-1") == "playing"


def test_a_part_that_has_begun_is_played_to_its_end() -> None:
    slots = Slot((0,), (0,), points=3), Slot((1,), (1,))
    evening = Evening(make_spec("knock_out", slots=slots), 0)
    ids = evening.do(Enter(("Ann", "Bo"))), evening.do(Enter(("Cy", "Di")))
    evening.do(SetTables((TableUse("one"), TableUse("two"))))
    evening.do(DrawSeats(ids))
    first, other = evening.call("final-1/1"), evening.call("final-1/2", "two")
    evening.win("final-1/1", ids[0], first)
    assert evening.now.resolved["final-1"].winner == ids[0]
    assert evening.now.find_status("final-1/2") == "playing"
    evening.win("final-1/2", ids[1], other)
    assert evening.now.sums["final-1"].legs == (3, 1)


def test_a_handicap_stays_with_its_side_whoever_throws_first() -> None:
    evening = begin_evening(options={"starts": [501, 301]})
    headers = []
    for match in ("winners-1-1", "winners-1-2"):
        evening.do(Call(match, "one"))
        headers.append((make_header(evening.now, match, "r"), evening.now.find_people(match)[0][0]))
        evening.do(Call(match, None))
    assert {header.players[0] == home for header, home in headers} == {True, False}
    assert all(dict(zip(h.players, h.options["starts"], strict=True))[home] == 501 for h, home in headers)


def test_first_throws_are_dealt_evenly_and_stay_with_the_match() -> None:
    for kind, most in (("round_robin", 1), ("swiss", 2)):
        evening = begin_evening(kind, 16)  # type: ignore[arg-type]
        evening.play_out(min)
        firsts = dict.fromkeys(evening.ids, 0)
        for play in evening.now.plays.values():
            firsts[play.first] += 1
        assert max(firsts.values()) - min(firsts.values()) <= most
    other = begin_evening()
    other.do(Call("winners-1-1", "one"))
    first = make_header(other.now, "winners-1-1", "r").players[0]
    other.do(Call("winners-1-1", "two"))
    assert make_header(other.now, "winners-1-1", "r").players[0] == first


def test_a_result_is_told_by_people_in_any_order() -> None:
    evening = begin_evening(format=Format(legs=2, sets=3))
    one, other = sides = evening.now.find_sides("winners-1-1")
    header = make_header(evening.now, "winners-1-1", "r")
    names = [evening.now.entrants[side].people[0] for side in sides]
    turned = replace(header, players=(names[1].lower(), names[0]))
    found = read_result(evening.now, "winners-1-1", turned, [0], [1, 2], [3, 1], [500, 400], [30, 33], 1, "m1")
    assert found == Result("winners-1-1", sides, other, (2, 1), (1, 3), (400, 500), (33, 30), 1, "m1")
    assert read_result(evening.now, "winners-1-1", turned, [], [1, 1], [0, 0], [0, 0], [0, 0]).winner is None
    with pytest.raises(IllegalInput):
        read_result(
            evening.now, "winners-1-1", replace(turned, players=("X", "Y")), [0], [1, 0], [0, 0], [0, 0], [0, 0]
        )
    assert one == evening.ids[0]


def test_a_round_may_have_its_own_format() -> None:
    longer, short = Format(legs=7), Format(legs=1)
    evening = begin_evening(count=8, formats={"last-2": longer, "winners-1": short}, format=Format(legs=3))
    found = [find_format(evening.now, name).legs for name in ("winners-1-1", "winners-2-1", "final-1")]
    assert found == [1, 3, 7]
    assert find_order(evening.now) is None
    assert find_order(Evening(make_spec("open", first="bull"), 2).now) == "bull"


def test_tables_show_what_is_there() -> None:
    evening = begin_evening("round_robin")
    first, *_ = evening.list_by("ready")
    evening.call(first)
    away = TableNow("Board 2", is_board_away=True)
    idle = make_view(
        "abcd1234", 0, begin_evening().journal, {"one": away, "two": TableNow("Board 1")}, None, ("x", "y")
    )
    assert [(t.board_away, t.next) for t in idle.tables] == [(True, "y"), (False, "x")]
    tables = {"one": TableNow("Board 1"), "two": TableNow("Board 2", "else")}
    view = make_view("abcd1234", 0, evening.journal, tables, None, ("x",))
    assert [(t.title, t.status, t.match) for t in view.tables] == [
        ("Board 1", "playing", first),
        ("Board 2", "else", None),
    ]


def test_what_the_organiser_is_offered() -> None:
    evening = Evening(make_spec("knock_out"), 4)
    assert {"enter", "draw_seats", "undo"} <= set(list_possible(evening.journal))
    assert "end" not in list_possible(evening.journal)
    evening.draw()
    evening.win("winners-1-1", evening.ids[0], evening.call("winners-1-1"))
    offered = set(list_possible(evening.journal))
    assert {"call", "result", "take_back", "end"} <= offered
    assert not {"draw_seats", "settle", "seat_late", "redo"} & offered
    evening.do(End())
    offered = set(list_possible(evening.journal))
    assert {"result", "take_back", "undo"} <= offered
    assert not {"enter", "call", "end"} & offered


def test_undo_skips_what_tables_and_sign_ups_said() -> None:
    evening = Evening(make_spec("knock_out"), 4)
    evening.draw()
    guest = evening.do(Enter(("Guest",), confirmed=False), "sign_up")
    evening.do(Undo())
    assert evening.now.fixtures.by_id == {}
    assert guest in evening.now.entrants
    evening.do(Redo())
    attempt = evening.call("winners-1-1")
    assert refuse_key(evening, Undo()) == "tournament.has_begun"
    evening.win("winners-1-1", evening.ids[0], attempt)
    assert evening.journal.find_undo() == next(x for x in evening.journal.lines if isinstance(x.input, Call))
    assert replay(evening.now.spec, evening.journal.lines).tournament == evening.now


def test_who_has_gone_on_meanwhile_does_not_leave_before_by_redo() -> None:
    evening = begin_evening("knock_out", 8)
    stays = evening.ids[0]
    evening.do(Leave(stays))
    evening.do(Undo())
    for match in ("winners-1-1", "winners-1-2", "winners-2-1"):
        evening.do(Call(match, "one"), "desk")
        attempt = evening.now.play(match).attempt
        evening.do(Begin(match, attempt), "table")
        evening.win(match, evening.now.find_sides(match)[0], attempt)
    assert evening.now.entrants[stays].id in evening.now.find_sides("winners-2-1")
    assert refuse_key(evening, Redo()) == "tournament.has_begun"


def test_a_new_input_leaves_nothing_to_redo() -> None:
    evening = Evening(make_spec("knock_out"), 2)
    evening.do(Undo())
    evening.do(Change(evening.ids[0], paid=True))
    assert refuse_key(evening, Redo()) == "tournament.nothing_undone"


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ({"kind": "swiss", "third_place": True}, "tournament.no_third"),
        ({"kind": "knock_out", "twice": True}, "tournament.no_twice"),
        ({"kind": "knock_out", "rounds": 3}, "tournament.no_rounds"),
        ({"kind": "knock_out", "drawn": True}, "tournament.drawn_alone"),
        ({"kind": "open", "slots": (Slot((0,), (0,)),), "side": 2}, "tournament.slots_alone"),
        ({"kind": "open", "slots": (Slot((0, 0), (0,)),)}, "tournament.slot_twice"),
        ({"kind": "groups", "groups": 32, "through": 16}, "tournament.too_many_through"),
        ({"kind": "open", "formats": {"quarter": Format()}}, "tournament.no_round"),
        ({"kind": "open", "tie_breaks": ("wins", "wins")}, "tournament.tie_break_twice"),
        ({"kind": "open", "game": "darts"}, "refused.no_game"),
        ({"kind": "open", "options": {"start": 7}}, "refused.option"),
        ({"kind": "open", "game": "yatzy_dart", "side": 2}, "refused.members"),
    ],
)
def test_a_spec_that_contradicts_itself_is_refused(given: dict[str, object], key: str) -> None:
    with pytest.raises(IllegalInput) as refused:
        TournamentJournal(TournamentSpec("An evening", **given))  # type: ignore[arg-type]
    assert isinstance(refused.value.said, Sentence)
    assert refused.value.said.key == key


def test_a_preset_may_be_played() -> None:
    TournamentJournal(make_spec("open", game="master_501"))


def test_lines_of_another_tournament_are_refused() -> None:
    evening = Evening(make_spec("ladder"), 2)
    evening.do(DrawLadder(tuple(evening.ids)))
    with pytest.raises(IllegalInput):
        replay(make_spec("swiss"), evening.journal.lines)
