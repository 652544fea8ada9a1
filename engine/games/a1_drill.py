"""The A1 drill: nine numbers in turn, where a single dart in the number is not yet a hit.

It has a limit of rounds, because a weak player may never close the bull.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from engine.game import Advice, Better, Closed, Fact, Game, Panel, Seating, Step, Turn, put
from engine.games.targets import beds, legend, rate, shorten_label, tried
from engine.luck import Luck
from engine.ranking import leaders
from engine.skill import Skill
from engine.tally import Tally
from protocol.segment import Layout, Segment
from protocol.sentence import Sentence, say

ENOUGH = 2
"""Darts of a visit in the number that make a hit."""


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """`order`: from the 20 down or from the 13 up. `hits`: how many close a number. `rounds`: the limit."""

    order: Literal["down", "up"] = "down"
    hits: Annotated[int, Meta(ge=1, le=10)] = 5
    rounds: Annotated[int, Meta(ge=1, le=500)] = 100


class A1DrillState(Struct, frozen=True):
    """By side: hits of each number of the order, the darts used, and where in the order the last visit was begun."""

    options: Options
    numbers: tuple[str, ...]
    hits: tuple[tuple[int, ...], ...]
    darts: tuple[int, ...]
    at: tuple[int, ...]


class A1Drill(Game[Options, A1DrillState]):
    """Nine numbers in turn: two of three darts in one are a hit, and five hits close it.

    The numbers are 20 19 18 17 16 15 14 13 and the bull (`Order` with `Up`: 13 to 20, then the bull). Throw each visit
    at the next number that you have not closed. After the last number, begin again with the first one that is open.

    Two or three darts of the visit in the number, in any ring, are one hit. One dart or none is no hit. Five hits
    close a number (`Hits to close`).

    A side has finished with the dart that closes its last number. The others then throw the round to its end. Of those
    who have finished, the side with the fewest darts wins; equal numbers of darts share the win. If nobody has
    finished after 100 rounds (`Rounds`), the most hits win.

    Source: a house rule of oche, after the A1 routine of George Silberzahn.
    """

    id = "a1_drill"
    group = "practice"
    options_type = Options
    team_size = range(1, 9)

    def title(self, options: Options) -> str:
        return "A1 Drill"

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> A1DrillState:
        upwards = tuple(str(number) for number in range(13, 21))
        numbers = (*(upwards if options.order == "up" else upwards[::-1]), "bull")
        count = len(seating.sides)
        return A1DrillState(options, numbers, ((0,) * len(numbers),) * count, (0,) * count, (-1,) * count)

    def begin(self, state: A1DrillState, turn: Turn, luck: Luck) -> Step[A1DrillState]:
        """On to the next number that is open; to the same when it is the only one."""
        at, hits, count = state.at[turn.side], state.hits[turn.side], len(state.numbers)
        places = ((at + step) % count for step in range(1, count + 1))
        after = next((place for place in places if hits[place] < state.options.hits), at)
        return Step(replace(state, at=put(state.at, turn.side, after)))

    def dart(self, state: A1DrillState, segment: Segment, turn: Turn, luck: Luck) -> Step[A1DrillState]:
        side, at = turn.side, state.at[turn.side]
        number, hits = state.numbers[at], state.hits[turn.side]
        hit = number in segment.groups
        counts = tried(number, hit)
        state = replace(state, darts=put(state.darts, side, state.darts[side] + 1))
        if not hit or _in_number(state, turn) != ENOUGH:
            return Step(state, counts=counts)
        hits = put(hits, at, hits[at] + 1)
        state = replace(state, hits=put(state.hits, side, hits))
        closed = hits[at] == state.options.hits
        facts: tuple[Fact, ...] = (Closed(side=side, target=number),) if closed else ()
        return Step(state, facts, points=1, ends_visit=_has_finished(state, side), counts={**counts, "drill_hits": 1})

    def round_over(self, state: A1DrillState, turn: Turn, luck: Luck) -> Step[A1DrillState]:
        done = [side for side in turn.playing if _has_finished(state, side)]
        if done:
            return Step(state, winners=leaders(done, lambda side: -state.darts[side]))
        if turn.round < state.options.rounds:
            return Step(state)
        return Step(state, winners=leaders(turn.playing, lambda side: sum(state.hits[side])))

    def dart_counts(self, state: A1DrillState, segment: Segment, turn: Turn, step: Step[A1DrillState]) -> bool:
        return _number(state, turn) in segment.groups

    def leading(self, state: A1DrillState, sides: tuple[int, ...]) -> tuple[int, ...]:
        if done := [side for side in sides if _has_finished(state, side)]:
            return leaders(done, lambda side: -state.darts[side])
        return leaders(sides, lambda side: sum(state.hits[side]))

    def score(self, state: A1DrillState, side: int) -> int:
        return sum(state.hits[side])

    def better(self, options: Options) -> Better:
        return "low"

    def result(self, state: A1DrillState, side: int, tally: Tally) -> int | None:
        """The darts that it took to close all numbers."""
        is_done = all(hits >= state.options.hits for hits in state.hits[side])
        return state.darts[side] if is_done else None

    def view(self, state: A1DrillState, turn: Turn, seat: int | None) -> Panel:
        detail = tuple(
            {"marks": hits, "darts": darts, "drill": [tally.counts.get("drill_hits", 0), tally.counts.get("visits", 0)]}
            | {"hits": rate(tally)}
            for hits, darts, tally in zip(state.hits, state.darts, turn.tallies, strict=True)
        )
        rows = [*map(shorten_label, state.numbers)]
        targets = (_number(state, turn),) if turn.darts_left else ()
        board: dict[str, Any] = {"rows": rows, "row": state.at[turn.side], "need": state.options.hits, "unit": "hits"}
        board |= {"legend": legend(rows), "notes": _note_darts(state, turn)}
        return Panel("marks", detail, targets=targets, board=board)

    def task(self, state: A1DrillState, turn: Turn, panel: Panel) -> Sentence:
        at, made = state.at[turn.side], _in_number(state, turn)
        target, left = state.numbers[at], state.options.hits - state.hits[turn.side][at]
        if made >= ENOUGH:
            return say(
                "a1_drill.made",
                "That is a hit in {target}; hits to close it: {left}",
                target=target,
                left=left,
            )
        if made + turn.darts_left < ENOUGH:
            return say(
                "a1_drill.missed",
                "No hit in {target} any more in this visit; hits to close it: {left}",
                target=target,
                left=left,
            )
        if made:
            return say(
                "a1_drill.more",
                "One more dart in {target} makes the hit; hits to close it: {left}",
                target=target,
                left=left,
            )
        return say(
            "a1_drill.hit",
            "Two darts in {target} make one hit; hits to close it: {left}",
            target=target,
            left=left,
        )

    def advise(self, state: A1DrillState, turn: Turn, seat: int, skill: Skill) -> Advice:
        number = _number(state, turn)
        return Advice(aim=skill.best(lambda segment: number in segment.groups, among=beds(number)))


def _number(state: A1DrillState, turn: Turn) -> str:
    """The number of this visit."""
    return state.numbers[state.at[turn.side]]


def _in_number(state: A1DrillState, turn: Turn) -> int:
    """How many darts of this visit are in its number."""
    return sum(_number(state, turn) in dart.groups for dart in turn.darts)


def _note_darts(state: A1DrillState, turn: Turn) -> list[int | str]:
    """What each dart is of a hit: half of it, or the whole with it; a third one is nothing."""
    notes: list[int | str] = []
    made = 0
    for dart in turn.darts:
        hits = _number(state, turn) in dart.groups
        made += hits
        notes.append({1: "half_hit", ENOUGH: "whole_hit"}.get(made, 0) if hits else 0)
    return notes


def _has_finished(state: A1DrillState, side: int) -> bool:
    return all(hits >= state.options.hits for hits in state.hits[side])


GAMES = (A1Drill(),)
