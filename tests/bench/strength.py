"""`python -m tests.bench.strength`: the share of legs that today's bots win against those of oche 0.1.0.

Both scatter alike and play by today's rules; only where they aim differs. Who sits where, and with it who begins, goes
round.
"""

from __future__ import annotations

import argparse
from itertools import combinations
from random import Random
from typing import NamedTuple

from engine.game import Advice, Turn
from engine.games import expand_preset, game
from engine.games.cricket_family import Marks
from engine.games.cricket_marks import MarksState, Rules, Use
from engine.games.killer import KillerState
from engine.games.tactics import Tactics
from engine.levels import sigma_mm
from engine.match import Match
from engine.skill import Skill
from protocol.commands import Choose, Next, Throw
from protocol.match_spec import MatchSpec
from protocol.segment import Segment
from simulator.thrower import Thrower

_LONGEST = 20_000
"""Inputs of a leg; no players of these levels need so many."""


class Duel(NamedTuple):
    """A game or preset, the level of all, and how many play: half of them are of today."""

    name: str
    level: int
    players: int = 2


DUELS = (
    *(Duel("cricket", level) for level in (45, 70, 95)),
    *(Duel(name, 60) for name in ("cut_throat", "hidden_cricket", "tactics", "cricket_down")),
    Duel("cut_throat", 60, 4),
    *(Duel("killer", level, 4) for level in (20, 45, 70, 95)),
)
EVEN = (Duel("no_score_cricket", 60), Duel("killer", 45))
"""Where there is no rival to choose and there are no points: today's bots play no worse."""


def share_of_legs(duel: Duel, legs: int) -> float:
    """What part of the legs today's bots win."""
    seats = [frozenset(of_today) for of_today in combinations(range(duel.players), duel.players // 2)]
    won = 0.0
    for leg in range(legs):
        winners = _play(duel, seats[leg % len(seats)], f"{duel}/{leg // len(seats)}")
        won += sum(side in seats[leg % len(seats)] for side in winners) / len(winners) if winners else 0.5
    return won / legs


def _play(duel: Duel, of_today: frozenset[int], seed: str) -> tuple[int, ...]:
    """The winners of a leg."""
    names = tuple(f"player {seat}" for seat in range(duel.players))
    spec = expand_preset(MatchSpec(duel.name, names, seed=seed))
    match = Match(spec, game(spec.game), seed)
    skill = Skill(match.layout, sigma_mm(duel.level, match.layout.dartboard))
    thrower = Thrower(skill.sigma_mm, Random(seed), match.layout)
    for line in range(2, _LONGEST):
        position = match.position
        if position.over:
            return position.winners
        if position.phase == "takeout":
            match.apply(line, Next())
            continue
        advice = match.advice(skill) if position.visit.seat in of_today else advise_as_0_1_0(match, skill)
        if position.prompts:
            assert advice.answer is not None
            match.apply(line, Choose(advice.answer, position.prompts[0].id))
        else:
            assert advice.aim is not None
            match.apply(line, Throw(thrower.throw(advice.aim).segment.id))
    raise RuntimeError(f"no end of {duel}")


def advise_as_0_1_0(match: Match, skill: Skill) -> Advice:
    """What oche 0.1.0 advised in the games of marks and in Killer."""
    state, turn = match.position.state, match.turn
    if isinstance(state, KillerState):
        if turn.side not in state.killers:
            return match.advice(skill)  # it is the same
        aims = [f"D{state.numbers[side]}" for side in turn.playing if side != turn.side and state.lives[side]]
        return Advice(aim=skill.best(lambda bed: _harm(state, bed, turn), among=aims))
    assert isinstance(match.game, Marks)
    assert isinstance(state, MarksState)
    return _advise_on_marks(match.game, state, turn, skill)


def _harm(state: KillerState, segment: Segment, turn: Turn) -> float:
    victim = state.whose(segment, turn)
    if victim is None:
        return 0.0
    lives, has = state.takes(segment), state.lives[victim]
    return (min(lives, has) + (lives >= has)) * (-4 if victim == turn.side else 3 if victim in state.killers else 1)


_MARK = {"bull": 35.0, "double": 45.0, "triple": 65.0, **{str(number): number + 10.0 for number in range(1, 21)}}


def _advise_on_marks(rules: Marks[Rules], state: MarksState, turn: Turn, skill: Skill) -> Advice:
    if state.asked:
        uses = {state.rows[using.row]: using for using in rules.uses(state, turn.darts[-1], turn)}
        return Advice(answer=max(uses, key=lambda row: _value_of(state, turn, uses[row]), default=state.asked[0]))
    untried = [number for number in range(20, 0, -1) if state.hidden and str(number) not in state.tried]

    def value(segment: Segment) -> float:
        if segment.value in untried:
            return segment.multiplier * _MARK[str(segment.value)] * len(state.hidden) / len(untried)
        return max((_value_of(state, turn, using) for using in rules.uses(state, segment, turn)), default=0.0)

    numbers = [label for label in state.rows if label.isdigit() and label not in state.hidden]
    numbers += [str(number) for number in untried]
    rings = "TD" if isinstance(rules, Tactics) else "T" if state.hidden else "TO"
    return Advice(
        aim=skill.best(value, among=[*(f"{ring}{number}" for ring in rings for number in numbers), "DB", "SB"])
    )


def _value_of(state: MarksState, turn: Turn, using: Use) -> float:
    opponents = [side for side in turn.playing if side != turn.side]
    is_denied = any(state.marks[side][using.row] == state.need for side in opponents)
    value = using.closing * _MARK[state.rows[using.row]] * (1.3 if is_denied else 1.0)
    if not using.points:
        return value
    rivals = using.to if state.rules.scoring == "cut_throat" else opponents
    gaps = [state.standing(side) - state.standing(turn.side) + 20 for side in rivals]
    if state.rules.scoring != "cut_throat":
        gaps = [max(gaps)]
    needed = [min(using.points, max(gap, 0)) for gap in gaps]
    return value + sum(1.5 * points + 0.1 * (using.points - points) for points in needed)


def main() -> None:
    """Prints a line a duel."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--legs", type=int, default=1000)
    given = parser.parse_args()
    print("| game | level | players | won by today's bots |\n|---|---|---|---|")
    for duel in (*DUELS, *EVEN):
        print(f"| `{duel.name}` | {duel.level} | {duel.players} | {share_of_legs(duel, given.legs):.1%} |", flush=True)


if __name__ == "__main__":
    main()
