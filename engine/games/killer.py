"""Killer: every side has a number, and killers take the lives of others by hitting theirs.

Until all sides have a number, only those without one throw, so play starts for all at once, and a side that leaves
before it has one does not hold the others up. The game with hidden numbers is blind_killer.py.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from engine.game import Advice, Claimed, Game, Panel, Reason, Seating, Step, Turn, put
from engine.games.survival import Lives, last_in, lose
from engine.luck import Luck
from engine.skill import Skill
from protocol.segment import Layout, Segment
from protocol.sentence import Sentence, say

NUMBERS = tuple(range(1, 21))
_BEDS = {"double": "D", "triple": "T", "any": ""}
"""What counts of a number, as the first letter of its bed."""


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """`numbers`: how they are found. `ring`: the part of one that counts. `multi`: the lives that a hit takes."""

    numbers: Literal["thrown", "drawn"] = "thrown"
    ring: Literal["double", "triple", "any"] = "double"
    multi: Literal["ring", "one"] = "ring"
    lives: Lives = 3
    self_hit: Literal["life", "lose_killer", "off"] = "life"
    places: bool = False


class KillerState(Struct, frozen=True):
    """By side: its number (None: still to be thrown), its lives, and whether it is a killer.

    `fallen` are the sides that are out, in the order in which they went; `ranks` the places, once they are known.
    `chose`: the current visit has found its number.
    """

    options: Options
    numbers: tuple[int | None, ...]
    lives: tuple[int, ...]
    killers: frozenset[int] = frozenset()
    fallen: tuple[int, ...] = ()
    ranks: tuple[int, ...] = ()
    chose: bool = False

    def takes(self, segment: Segment) -> int:
        """How many lives a dart here takes from the side whose number it is."""
        if self.options.ring != "any":
            return int(self.options.ring in segment.groups)
        return segment.multiplier if self.options.multi == "ring" else 1

    def whose(self, segment: Segment, turn: Turn) -> int | None:
        """The side still in that has this number, or None."""
        sides = (side for side in turn.playing if self.lives[side])
        return next((side for side in sides if self.numbers[side] == segment.value), None)


class Killer(Game[Options, KillerState]):
    """Hit your own double to become a killer, then hit the others' doubles to take their lives.

    First every side gets a number. `Numbers`: with `Thrown` it is the first free number that the side hits. After a
    miss, the bull or a taken number the side throws again, with its remaining darts and then in the next round. Players
    usually throw these darts with the other hand. Once a side has its number, its visit ends, and it waits until all
    sides have one. With `Drawn` the numbers are drawn at random.

    Only the double of a number counts; with the `Ring` `Triple` only its triple, with `Any` every ring. Hit your own
    number, and you are a killer from that dart on. A killer who hits another side's number takes one of its lives,
    whether that side is a killer or not. Each side has three lives (`Lives`: 1 to 9). `Lives a hit takes` matters when
    any ring counts: with `By the ring` a single takes one life, a double two and a triple three; with `One life` every
    ring takes one.

    `Hitting your own number`: with `Costs lives` a killer who hits their own number again loses as many lives as the
    hit takes. With `No longer a killer` they stop being a killer until they hit it once more. With `Nothing happens`
    the hit changes nothing.

    A side without lives, or one that leaves the match, is out, and its number no longer counts. The last side left
    wins. The members of a team share its number and its lives, and take turns.

    With `Play on for places` the wall shows the places at the end: the side that went out last is second.

    Source: Killer as darting.com prints it; its variants are house rules of oche.
    """

    id = "killer"
    group = "lives"
    tile = 4
    options_type = Options
    sides = range(2, 17)
    team_size = range(1, 9)
    alone_wins = True
    shows_advice = True

    def title(self, options: Options) -> str:
        return "Killer"

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> KillerState:
        count = len(seating.sides)
        drawn = options.numbers == "drawn"
        numbers = luck.shuffled("number", NUMBERS)[:count] if drawn else (None,) * count
        return KillerState(options, numbers, (options.lives,) * count)

    def order(self, state: KillerState, round: int, sides: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(side for side in sides if state.numbers[side] is None) or sides

    def begin(self, state: KillerState, turn: Turn, luck: Luck) -> Step[KillerState]:
        return Step(replace(state, chose=False) if state.chose else state, winners=last_in(self.out(state), turn))

    def dart(self, state: KillerState, segment: Segment, turn: Turn, luck: Luck) -> Step[KillerState]:
        side, alone = turn.side, last_in(self.out(state), turn)
        if alone is not None:  # the others are out or have left, and nothing is lost any more
            return Step(state, winners=alone)
        if state.numbers[side] is None:
            return self._choose_number(state, segment, side)
        victim, lives = state.whose(segment, turn), state.takes(segment)
        if victim is None or not lives:
            return Step(state)
        if side not in state.killers:
            return Step(replace(state, killers=state.killers | {side}) if victim == side else state)
        if victim != side:
            return self._hit_number(state, victim, lives, turn)
        match state.options.self_hit:
            case "life":
                return self._hit_number(state, side, lives, turn)
            case "lose_killer":
                return Step(replace(state, killers=state.killers - {side}))
        return Step(state)

    def visit_over(self, state: KillerState, turn: Turn, luck: Luck) -> Step[KillerState]:
        return Step(state, winners=last_in(self.out(state), turn))

    def out(self, state: KillerState) -> frozenset[int]:
        return frozenset(side for side, lives in enumerate(state.lives) if not lives)

    def ranks(self, state: KillerState) -> tuple[int, ...] | None:
        """All places once a killer has taken the last life; until then none."""
        return state.ranks if state.options.places else None

    def score(self, state: KillerState, side: int) -> int:
        return state.lives[side]

    def view(self, state: KillerState, turn: Turn, seat: int | None) -> Panel:
        detail = tuple(
            {"lives": lives, "number": number, "killer": side in state.killers, "taken": tally.points}
            for side, (number, lives, tally) in enumerate(zip(state.numbers, state.lives, turn.tallies, strict=True))
        )
        choosing = any(state.numbers[side] is None for side in turn.playing)
        board = {"lives": state.options.lives, "choosing": choosing, "unit": "lives"}
        return Panel("lives", detail, targets=self._targets(state, turn), board=board)

    def task(self, state: KillerState, turn: Turn, panel: Panel) -> Sentence:
        if state.numbers[turn.side] is None:
            return say("killer.number", "Hit a free number with your other hand: it will be yours")
        if turn.side not in state.killers:
            return say("killer.become", "Hit your own {targets} to become a killer", targets=panel.targets)
        return say("killer.take", "You are a killer, take lives: hit {targets}", targets=panel.targets)

    def reason(self, state: KillerState, turn: Turn, bust: bool) -> Reason | None:
        number = state.numbers[turn.side]
        if not state.chose or number is None:
            return None
        target = f"{_BEDS[state.options.ring]}{number}"
        said = say(
            "killer.chosen", "{number} is yours: later, hit {target} to become a killer", number=number, target=target
        )
        return Reason(said, "neutral")

    def advise(self, state: KillerState, turn: Turn, seat: int, skill: Skill) -> Advice:
        side, number = turn.side, state.numbers[turn.side]
        if number is None:
            free = [n for n in NUMBERS if n not in state.numbers]
            return Advice(aim=skill.best(lambda segment: segment.value in free, among=[f"O{n}" for n in free]))
        beds = {"double": "D", "triple": "T", "any": "TO"}[state.options.ring]
        if side not in state.killers:
            own = [f"{bed}{number}" for bed in beds]
            return Advice(
                aim=skill.best(lambda bed: state.takes(bed) > 0 and state.whose(bed, turn) == side, among=own),
                purpose="arm",
            )
        theirs = [f"{bed}{state.numbers[other]}" for other in self._others(state, turn) for bed in beds]
        if not theirs:  # all have left, and the next dart ends it
            return Advice()
        aim = skill.best(lambda bed: _harm(state, bed, turn), among=theirs)
        victim = state.whose(skill.layout[aim], turn)
        return Advice(aim=aim, purpose="defend" if victim in state.killers else "attack")

    def _choose_number(self, state: KillerState, segment: Segment, side: int) -> Step[KillerState]:
        if segment.value not in NUMBERS or segment.value in state.numbers:
            return Step(state)
        chosen = replace(state, numbers=put(state.numbers, side, segment.value), chose=True)
        return Step(chosen, (Claimed(side=side, cell=str(segment.value)),), ends_visit=True)

    def _hit_number(self, state: KillerState, victim: int, lives: int, turn: Turn) -> Step[KillerState]:
        """A killer's hit. The lives that it takes from others are the points of the visit."""
        taken = min(lives, state.lives[victim])
        state = replace(state, lives=put(state.lives, victim, state.lives[victim] - taken))
        dead = not state.lives[victim]
        facts = lose(victim, taken, state.lives[victim])
        points = turn.points + taken * (victim != turn.side)
        ends = dead and victim == turn.side
        if dead:
            state = replace(state, fallen=(*state.fallen, victim))
        winners = last_in(self.out(state), turn)
        if winners is not None:
            state = replace(state, ranks=(*winners, *reversed(state.fallen)))
        return Step(state, facts, points, ends_visit=ends, winners=winners)

    def _others(self, state: KillerState, turn: Turn) -> tuple[int, ...]:
        return tuple(side for side in turn.playing if side != turn.side and state.lives[side])

    def _targets(self, state: KillerState, turn: Turn) -> tuple[str, ...]:
        if not turn.darts_left:
            return ()
        if state.numbers[turn.side] is None:
            return tuple(str(n) for n in NUMBERS if n not in state.numbers)
        bed = _BEDS[state.options.ring]
        aims = self._others(state, turn) if turn.side in state.killers else (turn.side,)
        return tuple(f"{bed}{state.numbers[side]}" for side in aims)


def _harm(state: KillerState, segment: Segment, turn: Turn) -> float:
    """The worth of a killer's dart here: lives of others, threefold where they are killers, less its own.

    Among equals it is for the side with the most lives, then for the side that throws next.
    """
    victim = state.whose(segment, turn)
    if victim is None:
        return 0.0
    takes, has, count = state.takes(segment), state.lives[victim], len(turn.playing)
    if victim == turn.side:
        worth = {"life": 7.0 * min(takes, has), "lose_killer": 4.0 * (takes > 0), "off": 0.0}
        return -worth[state.options.self_hit]
    wait = (turn.playing.index(victim) - turn.playing.index(turn.side)) % count
    return min(takes, has) * (3 if victim in state.killers else 1) * (1 + 0.3 * has - 0.25 * wait / count)


GAMES = (Killer(),)
