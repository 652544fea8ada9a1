"""Killer: everybody has a number, and whoever is a killer takes the lives of others by hitting theirs.

Until everybody has a number a round is thrown by those alone who lack one, so play starts for all at once, and a side
that leaves before it has one holds nobody up. The game with hidden numbers is another (blind_killer.py).
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from engine.facts import Claimed, Eliminated, Fact
from engine.game import Advice, Game, Panel, Seating, Step, Turn
from engine.games.survival import Lives, last_in
from engine.luck import Luck
from engine.skill import Skill
from engine.tuples import put
from protocol.segment import Layout, Segment

NUMBERS = tuple(range(1, 21))


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """`numbers`: how they are found. `ring`: what of a number counts. `multi`: what a ring takes, when any counts."""

    numbers: Literal["thrown", "drawn"] = "thrown"
    ring: Literal["double", "triple", "any"] = "double"
    multi: Literal["ring", "one"] = "ring"
    lives: Lives = 3
    self_hit: Literal["life", "lose_killer", "off"] = "life"


class State(Struct, frozen=True):
    """Numbers (None: still to be thrown), lives and who is a killer, by side."""

    options: Options
    numbers: tuple[int | None, ...]
    lives: tuple[int, ...]
    killers: frozenset[int] = frozenset()

    def takes(self, segment: Segment) -> int:
        """So many lives are what a dart here takes of whose number it is."""
        if self.options.ring != "any":
            return int(self.options.ring in segment.groups)
        return segment.multiplier if self.options.multi == "ring" else 1

    def whose(self, segment: Segment, turn: Turn) -> int | None:
        """The side still in whose number it is."""
        sides = (side for side in turn.playing if self.lives[side])
        return next((side for side in sides if self.numbers[side] == segment.value), None)


class Killer(Game[Options, State]):
    """Hit your own double to be a killer, then take the others' lives by hitting theirs.

    First every side finds its number. With `numbers` = thrown it is the first number that it hits and that nobody has
    yet: the bull, a miss or a taken number is thrown again, with the darts left and then in the next round; among
    people the other hand throws. With the number found the visit is over, and who has one waits until everybody has.
    With `numbers` = drawn luck gives them.

    What counts of a number is its double; with `ring` = triple its triple, with `ring` = any all of it. Whoever hits
    their own is a killer from that dart on. A killer who hits the number of another takes a life of them, killer or
    not; everybody has three (option `lives`: 1 to 9). When any ring counts a single takes one life, a double two and a
    triple three; with `multi` = one each takes one.

    A killer who hits their own number again loses as many lives themselves; with `self_hit` = lose_killer they are
    no killer until they hit it once more, with `self_hit` = off nothing happens.

    A side without lives is out, and its number counts no more. The last one in wins. The members of a team share its
    number and its lives, and take turns. A side that leaves is out; when one is left by that, it has won.

    Source: Killer as pub leagues play it, with the variants of home electronic boards.
    """

    id = "killer"
    options_type = Options
    sides = range(2, 17)
    team_size = range(1, 9)
    alone_wins = True

    def title(self, options: Options) -> str:
        return "Killer"

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> State:
        count = len(seating.sides)
        drawn = options.numbers == "drawn"
        numbers = luck.shuffled("number", NUMBERS)[:count] if drawn else (None,) * count
        return State(options, numbers, (options.lives,) * count)

    def order(self, state: State, round: int, sides: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(side for side in sides if state.numbers[side] is None) or sides

    def begin(self, state: State, turn: Turn, luck: Luck) -> Step[State]:
        return Step(state, winners=last_in(self.out(state), turn))

    def dart(self, state: State, segment: Segment, turn: Turn, luck: Luck) -> Step[State]:
        side, alone = turn.side, last_in(self.out(state), turn)
        if alone is not None:  # the others are out or have left, and nothing is lost any more
            return Step(state, winners=alone)
        if state.numbers[side] is None:
            return self._choose(state, segment, side)
        victim, lives = state.whose(segment, turn), state.takes(segment)
        if victim is None or not lives:
            return Step(state)
        if side not in state.killers:
            return Step(replace(state, killers=state.killers | {side}) if victim == side else state)
        if victim != side:
            return self._take(state, victim, lives, turn)
        match state.options.self_hit:
            case "life":
                return self._take(state, side, lives, turn)
            case "lose_killer":
                return Step(replace(state, killers=state.killers - {side}))
        return Step(state)

    def visit_over(self, state: State, turn: Turn, luck: Luck) -> Step[State]:
        return Step(state, winners=last_in(self.out(state), turn))

    def out(self, state: State) -> frozenset[int]:
        return frozenset(side for side, lives in enumerate(state.lives) if not lives)

    def score(self, state: State, side: int) -> int:
        return state.lives[side]

    def view(self, state: State, turn: Turn, seat: int | None) -> Panel:
        detail = tuple(
            {"lives": lives, "number": number, "killer": side in state.killers, "taken": tally.points}
            for side, (number, lives, tally) in enumerate(zip(state.numbers, state.lives, turn.tallies, strict=True))
        )
        choosing = any(state.numbers[side] is None for side in turn.playing)
        board = {"lives": state.options.lives, "choosing": choosing}
        return Panel("lives", detail, targets=self._targets(state, turn), board=board)

    def advise(self, state: State, turn: Turn, seat: int, skill: Skill) -> Advice:
        if not turn.darts_left:
            return Advice()
        side, number = turn.side, state.numbers[turn.side]
        if number is None:
            free = [n for n in NUMBERS if n not in state.numbers]
            return Advice(aim=skill.best(lambda segment: segment.value in free, among=[f"O{n}" for n in free]))
        beds = {"double": "D", "triple": "T", "any": "TO"}[state.options.ring]
        if side not in state.killers:
            own = [f"{bed}{number}" for bed in beds]
            return Advice(
                aim=skill.best(lambda bed: state.takes(bed) > 0 and state.whose(bed, turn) == side, among=own)
            )
        return Advice(
            aim=skill.best(
                lambda bed: _harm(state, bed, turn),
                among=[f"{bed}{state.numbers[other]}" for other in self._others(state, turn) for bed in beds],
            )
        )

    def _choose(self, state: State, segment: Segment, side: int) -> Step[State]:
        if segment.value not in NUMBERS or segment.value in state.numbers:
            return Step(state)
        chosen = replace(state, numbers=put(state.numbers, side, segment.value))
        return Step(chosen, (Claimed(side=side, cell=str(segment.value)),), ends_visit=True)

    def _take(self, state: State, victim: int, lives: int, turn: Turn) -> Step[State]:
        """A killer's hit; what it takes of others is the visit's worth."""
        taken = min(lives, state.lives[victim])
        state = replace(state, lives=put(state.lives, victim, state.lives[victim] - taken))
        dead = not state.lives[victim]
        facts: tuple[Fact, ...] = (Eliminated(side=victim),) if dead else ()
        points = turn.points + taken * (victim != turn.side)
        ends = dead and victim == turn.side
        return Step(state, facts, points, ends_visit=ends, winners=last_in(self.out(state), turn))

    def _others(self, state: State, turn: Turn) -> tuple[int, ...]:
        return tuple(side for side in turn.playing if side != turn.side and state.lives[side])

    def _targets(self, state: State, turn: Turn) -> tuple[str, ...]:
        if not turn.darts_left:
            return ()
        if state.numbers[turn.side] is None:
            return tuple(str(n) for n in NUMBERS if n not in state.numbers)
        bed = {"double": "D", "triple": "T", "any": ""}[state.options.ring]
        aims = self._others(state, turn) if turn.side in state.killers else (turn.side,)
        return tuple(f"{bed}{state.numbers[side]}" for side in aims)


def _harm(state: State, segment: Segment, turn: Turn) -> float:
    """What a killer's dart here does to others, or to itself; whoever can strike back counts threefold."""
    victim = state.whose(segment, turn)
    if victim is None:
        return 0.0
    lives, has = state.takes(segment), state.lives[victim]
    if victim == turn.side and state.options.self_hit != "life":
        return -2.0 * (lives > 0 and state.options.self_hit == "lose_killer")
    harm = min(lives, has) + (lives >= has)
    return harm * (-4 if victim == turn.side else 3 if victim in state.killers else 1)


GAMES = (Killer(),)
