"""Laws of tournaments of all kinds and sizes, with results, corrections and withdrawals as they come."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from random import Random
from typing import get_args

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.tournament.fixtures import OF_TABLE, Drawn
from engine.tournament.journal import replay
from engine.tournament.knockout import count_seats
from engine.tournament.state import Tournament, follow
from engine.tournament.view import find_winner, list_places, make_summary, make_view
from protocol.commands import IllegalInput
from protocol.player_names import name_key
from protocol.tournament import (
    EMPTY,
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
    Entrant,
    Input,
    Kind,
    Leave,
    Outdated,
    Pair,
    Redo,
    Result,
    SeatLate,
    SetTables,
    Settle,
    SetWriter,
    Slot,
    TableUse,
    TakeBack,
    Undo,
)
from tests.engine.tournament.evenings import Evening, is_over, make_spec
from tests.sweep import many

KINDS: tuple[Kind, ...] = get_args(Kind)
SEEDS = st.integers(0, 2**32)
SLOTS = (Slot((0,), (0,)), Slot((1,), (1,)), Slot((2, 3), (2, 3), points=2))


@pytest.mark.slow
@settings(max_examples=many(20, 60), deadline=None)
@given(st.sampled_from(KINDS), st.integers(2, 64), SEEDS)
@example("knock_out", 256, 0)
@example("double_knock_out", 256, 0)
@example("swiss", 63, 0)
def test_everyone_plays_as_the_format_says(kind: Kind, count: int, seed: int) -> None:
    chance = Random(seed)
    if kind == "round_robin":
        count = min(count, 16)
    groups = chance.randint(2, 8)
    spec = make_spec(
        kind,
        third_place=kind in ("knock_out", "groups") and chance.random() < 0.5,
        second_final=chance.random() < 0.5,
        twice=kind in ("round_robin", "groups") and chance.random() < 0.2,
        groups=groups,
        through=chance.randint(1, 3),
    )
    evening = Evening(spec, max(count, 2 * groups) if kind == "groups" else count)
    if kind in ("knock_out", "double_knock_out") and count <= 64 and chance.random() < 0.3:
        seats = [*evening.ids, *[EMPTY] * (count_seats(2 * count) - count)]
        chance.shuffle(seats)
        evening.do(DrawSeats(tuple(seats)))  # by hand, with more empty seats than there have to be
    evening.play_out(chance.choice)
    now = evening.now
    assert is_over(now)
    check_places(now)
    assert [row.entrant for table in now.make_standings() for row in table.rows] or kind not in ("swiss", "open")
    check_losses(now)
    check_tables(now)
    again = replay(spec, evening.journal.lines)
    assert again.tournament == now
    view = make_view("abcd1234", 0, evening.journal, {})
    assert len(view.matches) == len(now.fixtures)
    assert (view.phase == "over") == (kind not in ("ladder", "open"))
    assert make_summary("abcd1234", 0, now).played == len([m for m in view.matches if m.status == "played"])


def check_places(now: Tournament) -> None:
    """The places cover 1 to the number of those who took part, each of them once; a winner where all is played."""
    places = list_places(now)
    if not now.drawn:
        assert not places
        return
    assert [place.first for place in places] == [1, *(place.last + 1 for place in places[:-1])]
    assert places[-1].last == len(now.drawn)
    found = [entrant for place in places for entrant in place.entrants]
    assert len(found) == len(set(found))
    if is_over(now):
        assert set(found) == set(now.drawn)
        if now.spec.kind in ("knock_out", "double_knock_out", "groups"):
            assert find_winner(now, places) == places[0].entrants[0]


def check_losses(now: Tournament) -> None:
    """In a knock-out all but the winner have lost once, in a double one twice."""
    kind, lost = now.spec.kind, Counter[Entrant]()
    played = Counter[Entrant]()
    for fixture in now.fixtures:
        result = now.resolved[fixture.id]
        if fixture.stage not in OF_TABLE and result.how == "played":
            played.update(result.sides)
            lost[result.loser] += fixture.stage != "third"
    if kind == "knock_out":
        assert sorted(lost.values()) == [1] * (len(now.drawn) - 1)
    if kind == "double_knock_out":
        first, second = list_places(now)[:2]
        allowed = {1, 2} if not now.spec.second_final else {2}
        assert lost[second.entrants[0]] in allowed
        assert lost[first.entrants[0]] <= 1
        assert all(lost[each] == 2 for each in now.drawn if each not in (*first.entrants, *second.entrants))
    if kind == "groups":
        seated = set(played)
        assert len(seated) <= now.spec.groups * now.spec.through
        assert sum(lost.values()) == len(seated) - 1 or not seated


def check_tables(now: Tournament) -> None:
    """In a round robin or a group each pair meets as often as it should; in a Swiss tournament each plays or rests."""
    met = Counter(frozenset(now.resolved[each.id].sides) for each in now.fixtures if each.stage in OF_TABLE)
    kind = now.spec.kind
    if kind in ("round_robin", "groups"):
        groups = now.groups if kind == "groups" else (now.drawn,)
        wanted = {frozenset((a, b)) for group in groups for a in group for b in group if a != b}
        assert met == Counter(dict.fromkeys(wanted, 2 if now.spec.twice else 1))
    if kind == "swiss":
        for number in range(1, now.rounds + 1):
            here = [side for each in now.fixtures if each.round == number for side in now.resolved[each.id].sides]
            assert sorted(side for side in here if side != EMPTY) == sorted(now.drawn)
        if now.rounds < len(now.drawn) // 2:
            assert max(met.values()) == 1


class Chaos:
    """An evening on which anything is tried that may be tried; what is refused changes nothing."""

    def __init__(self, spec_kind: Kind, count: int, seed: int, **given: object) -> None:
        self.chance = Random(seed)
        self.evening = Evening(make_spec(spec_kind, **given), count)
        self.evening.draw()
        self.late = 0
        self.attempts: set[tuple[str, int]] = set()

    def try_any(self) -> None:
        """Tries one thing."""
        if not self.evening.now.drawn:
            self.evening.draw()  # its draw was undone
        elif self.evening.now.spec.kind in ("swiss", "ladder", "open") and self.chance.random() < 0.15:
            with suppress(IllegalInput):
                self.evening.draw_more(self.chance.choice)
        given = (
            self._choose_of_match()
            if self.evening.now.fixtures.by_id and self.chance.random() < 0.8
            else self._choose_other()
        )
        before, lines = self.evening.now, len(self.evening.journal.lines)
        is_by_table = isinstance(given, Outdated) or (
            isinstance(given, Result | TakeBack) and given.attempt is not None
        )
        try:
            self.evening.do(given, "table" if is_by_table else "organiser", at_s=lines)
            if isinstance(given, Outdated):
                now = self.evening.now
                assert replace(now, line=before.line, outdated=before.outdated) == before, "it counts nowhere"
            if isinstance(given, Call) and given.table is not None:
                attempt = self.evening.now.play(given.match).attempt
                assert (given.match, attempt) not in self.attempts
                self.attempts.add((given.match, attempt))
                if self.chance.random() < 0.9:
                    self.evening.do(Begin(given.match, attempt), "table")
        except IllegalInput:
            assert self.evening.now is before
            assert len(self.evening.journal.lines) == lines

    def _choose_of_match(self) -> Input:
        now, chance = self.evening.now, self.chance
        match = chance.choice(list(now.list_matches()))
        sides, play = now.find_sides(match), now.play(match)
        by_table = chance.random() < 0.6 and play.called_s is not None
        attempt = max(1, play.attempt) if by_table else None
        winner = chance.choice(sides)
        legs = (3, chance.randint(0, 2)) if winner == sides[0] else (chance.randint(0, 2), 3)
        match chance.choice(["result"] * 6 + ["call"] * 4 + ["back", "settle", "walk", "old", "old goes on"]):
            case "old":
                return Outdated("one", Result(match, sides, winner, legs, attempt=max(1, play.attempt - 1)))
            case "old goes on":
                return Outdated("one", TakeBack(match, max(1, play.attempt - 1)))
            case "result":
                return Result(match, sides, winner, legs, attempt=attempt)
            case "call":
                return Call(match, chance.choice(["one", "two", "one", "two", None]))
            case "back":
                return TakeBack(match, attempt)
            case "settle":
                return Settle(chance.choice([match, *now.disputes]))
        return Result(match, sides, winner, walkover=True)

    def _choose_other(self) -> Input:
        now, chance = self.evening.now, self.chance
        empty = [each.id for each in now.fixtures if Drawn(EMPTY) in each.sides]
        entrant = chance.choice(list(now.entrants))
        joins = now.spec.kind in ("round_robin", "swiss", "ladder", "open")
        match chance.choice(["undo", "redo", "leave", "late", "paid"]):
            case "undo":
                return Undo()
            case "redo":
                return Redo()
            case "leave" if chance.random() < 0.4:
                return Leave(entrant)
            case "late" if (empty or joins) and chance.random() < 0.3:
                self.late += 1
                people = (
                    f"Late {self.late}",
                    *(f"{self.late}.{number}" for number in range(3 if now.spec.slots else 0)),
                )
                late = self.evening.do(Enter(people))
                return SeatLate(late, "" if joins else chance.choice(empty))
        return Change(entrant, paid=True)


TOLD_AGAIN: tuple[Kind, ...] = ("knock_out", "double_knock_out", "round_robin", "groups")
"""The kinds of which all is drawn at once."""


@settings(max_examples=many(20, 60), deadline=None)
@given(st.sampled_from(KINDS), st.integers(4, 14), SEEDS)
def test_any_order_of_events_comes_to_the_corrected_history(kind: Kind, count: int, seed: int) -> None:
    slots = SLOTS if seed % 4 == 0 else ()
    chaos = Chaos(kind, count, seed, groups=2, third_place=kind == "knock_out", slots=slots)
    begun: dict[str, tuple[Entrant, Entrant]] = {}
    for _ in range(80):
        chaos.try_any()
        now = chaos.evening.now
        check_busy(now)
        check_places(now)
        assert all(sides == now.find_sides(name) for name, sides in begun.items() if now.has_begun(name))
        names = (*now.fixtures.by_id, *now.fixtures.parts)
        begun = {name: now.find_sides(name) for name in names if now.has_begun(name)}
    now = chaos.evening.now
    assert follow(now) == now
    assert replay(now.spec, chaos.evening.journal.lines).tournament == now
    if slots or kind not in TOLD_AGAIN or (kind == "round_robin" and len(now.drawn) > count):
        return
    plain, ids = tell_again(now)
    for name, result in now.resolved.items():
        told = plain.resolved[name]
        assert (told.how, *told.sides, told.winner, told.loser) == (
            result.how,
            *(ids.get(side, side) for side in (*result.sides, result.winner, result.loser)),
        )


def check_busy(now: Tournament) -> None:
    """Nobody who is called to a match plays another one, though tables may say that they both play on."""
    busy: dict[str, list[bool]] = {}
    for match, play in now.plays.items():
        if play.active:
            for name in (name for people in now.find_people(match) for name in people):
                busy.setdefault(name_key(name), []).append(now.has_begun(match))
    assert all(len(begun) == 1 or all(begun) for begun in busy.values())


def tell_again(now: Tournament) -> tuple[Tournament, dict[Entrant, Entrant]]:
    """A tournament with the same draw and the results as they now are, in order; and its number of each entrant."""
    evening = Evening(now.spec, 0)
    ids = {each.id: evening.do(Enter(each.people)) for each in now.entrants.values() if each.id in now.drawn}
    ids[EMPTY] = EMPTY
    if now.spec.kind in ("knock_out", "double_knock_out"):
        seats = [source.entrant for each in now.fixtures for source in each.sides if isinstance(source, Drawn)]
        evening.do(DrawSeats(tuple(ids[entrant] for entrant in seats)))
    elif now.spec.kind == "groups":
        evening.do(DrawGroups(tuple(tuple(ids[each] for each in group) for group in now.groups)))
    else:
        evening.do(DrawGroups((tuple(ids[each] for each in now.drawn),)))
    left = sorted(
        (each for each in now.entrants.values() if each.left and each.id in ids), key=lambda each: each.left_on
    )
    for fixture in now.fixtures:
        outcome = now.find_outcome(fixture.id)
        if outcome is not None:
            one, other = (ids[side] for side in outcome.sides)
            winner = None if outcome.winner is None else ids[outcome.winner]
            evening.do(Result(fixture.id, (one, other), winner, outcome.legs, walkover=outcome.walkover))
        elif now.resolved[fixture.id].how in ("walkover", "annulled"):
            sides = now.resolved[fixture.id].sides
            latest = max(now.entrants[side].left_on for side in sides)
            for each in left:  # where both have left it counts who left first
                if each.left_on <= latest and not evening.now.entrants[ids[each.id]].left:
                    evening.do(Leave(ids[each.id]))
    return evening.now, ids


@settings(max_examples=many(15, 40), deadline=None)
@given(st.sampled_from(KINDS), st.integers(4, 10), SEEDS)
def test_undo_and_redo_are_exact(kind: Kind, count: int, seed: int) -> None:
    chaos = Chaos(kind, count, seed, groups=2)
    evening = chaos.evening
    for _ in range(20):
        before, lines = evening.now, len(evening.journal.lines)
        chaos.try_any()
        last, after = evening.journal.lines[-1], evening.now
        if last.number == lines + 2 and last.by == "organiser" and not isinstance(last.input, Undo | Redo):
            evening.do(Undo())
            assert is_same(evening.now, replace(before, calls=evening.now.calls))
            evening.do(Redo())
            assert is_same(evening.now, after)
    states = [evening.now]
    undone = 0
    for _ in range(15):
        before = evening.now
        try:
            evening.do(Undo())
        except IllegalInput:
            assert evening.now is before
            break
        undone += 1
        states.append(evening.now)
    for _ in range(undone):
        assert is_same(evening.now, states.pop())
        evening.do(Redo())
    assert is_same(evening.now, states.pop())
    again = replay(evening.now.spec, evening.journal.lines)
    assert again.tournament == evening.now
    assert (again.find_undo(), again.find_redo()) == (evening.journal.find_undo(), evening.journal.find_redo())


def is_same(one: Tournament, other: Tournament) -> bool:
    return replace(one, line=0) == replace(other, line=0)


@settings(max_examples=many(10, 30), deadline=None)
@given(st.sampled_from(KINDS), st.integers(4, 12), SEEDS)
def test_team_matches_are_won_by_their_slots(kind: Kind, count: int, seed: int) -> None:
    chance = Random(seed)
    evening = Evening(make_spec(kind, slots=SLOTS, reach=12), count)
    evening.play_out(chance.choice)
    now = evening.now
    for fixture in now.fixtures:
        result = now.resolved[fixture.id]
        if result.how != "played":
            continue
        scores = Counter[Entrant]()
        for slot, part in zip(SLOTS, now.list_parts(fixture.id), strict=True):
            outcome = now.find_outcome(part)
            if outcome is not None and outcome.winner is not None:
                scores[outcome.winner] += slot.points
        if result.winner > 0:
            assert scores[result.winner] > scores[result.loser]
        else:
            assert len(set(scores.values())) == 1


WHO = st.integers(-1, 11)
TWO = st.tuples(WHO, WHO)
SOME = st.lists(WHO, max_size=5).map(tuple)
MATCHES = st.sampled_from(
    ["", "winners-1-1", "final-1", "final-2", "losers-1-1", "round-1-1", "group-a-1-1", "round-1-1/1", "final-1/2", "x"]
)
COUNTS = st.tuples(st.integers(0, 3), st.integers(0, 3))
ANYTHING = st.one_of(
    st.builds(Enter, st.lists(st.sampled_from(["Ann", "Bo", "P1", " "]), max_size=4).map(tuple)),
    st.builds(
        Change, WHO, st.none() | st.just(("P1",)), st.none() | st.just("Owls"), confirmed=st.none() | st.booleans()
    ),
    st.builds(Leave, WHO),
    st.builds(DrawSides, st.lists(SOME, max_size=3).map(tuple)),
    st.builds(DrawSeats, SOME),
    st.builds(DrawGroups, st.lists(SOME, max_size=3).map(tuple)),
    st.builds(DrawRound, st.lists(TWO, max_size=3).map(tuple), WHO),
    st.builds(DrawLadder, SOME),
    st.builds(SeatLate, WHO, MATCHES),
    st.builds(Pair, TWO),
    st.builds(SetTables, st.lists(st.builds(TableUse, st.sampled_from(["one", "two"])), max_size=2).map(tuple)),
    st.builds(Call, MATCHES, st.sampled_from([None, "one", "x"]), WHO),
    st.builds(SetWriter, MATCHES, WHO),
    st.builds(Begin, MATCHES, st.integers(1, 2)),
    st.builds(
        Result, MATCHES, TWO, st.none() | WHO, COUNTS, attempt=st.sampled_from([None, 1, 2]), walkover=st.booleans()
    ),
    st.builds(TakeBack, MATCHES, st.sampled_from([None, 1, 2])),
    st.builds(Settle, MATCHES),
    st.sampled_from([End(), Undo(), Redo()]),
)


OF_PEOPLE: tuple[dict[str, object], ...] = ({}, {"slots": SLOTS}, {"side": 2, "drawn": True}, {"side": 2})


@settings(max_examples=many(50, 150), deadline=None)
@given(st.sampled_from(KINDS), st.sampled_from(OF_PEOPLE), st.integers(0, 3), st.lists(ANYTHING, max_size=12))
def test_whatever_is_said_is_done_or_refused(
    kind: Kind, people: dict[str, object], played: int, said: list[Input]
) -> None:
    evening = Evening(make_spec(kind, **people), 8)
    evening.draw()
    for _ in range(played):
        if (step := evening.find_step(lambda among: among[0])) is not None:
            step()
    for each in said:
        before = evening.now
        try:
            evening.do(each)
        except IllegalInput:
            assert evening.now is before
        make_view("abcd1234", 0, evening.journal, {})
        check_places(evening.now)
    assert replay(evening.now.spec, evening.journal.lines).tournament == evening.now
