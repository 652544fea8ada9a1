"""Prisoner: round the clock with darts that can be lost in the board, and won by the side that hits their number.

Which dart is whose does not matter, only how many each side has. The board and `next` tell nothing of a dart that was
not thrown, so it counts as one that fell beside the board.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from engine.game import Advice, Claimed, Eliminated, Fact, Game, Panel, Seating, Step, Turn, put
from engine.games.survival import last_in
from engine.games.targets import BULL, beds
from engine.luck import Luck
from engine.ranking import leaders
from engine.skill import Skill
from protocol.segment import Layout, Segment
from protocol.sentence import Sentence, say
from protocol.standard import NUMBERS

_WAY = (*NUMBERS[1:], 20)
_OWN = 3
_BAND = "OTD"
"""The rings of a number that count."""
_LOST, _WON = 0.6, 0.4
"""What a dart lost and a dart won are worth, in steps."""


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """`sits_out`: a dart beside the board is missing in the next visit."""

    sits_out: bool = True


class PrisonerState(Struct, frozen=True):
    """By side the steps done, the darts it has, and how many of them sit out its next visit; `resting` are those that
    fell beside the board in the current visit. `prisoners`: the numbers (25: the bull) of the darts that are lost
    there.
    """

    options: Options
    at: tuple[int, ...]
    darts: tuple[int, ...]
    absent: tuple[int, ...]
    prisoners: tuple[int, ...] = ()
    resting: int = 0


class Prisoner(Game[Options, PrisonerState]):
    """Round the clock; a dart near the bull is a prisoner: whoever hits its number wins it.

    Every side has to hit the numbers clockwise: 1, 18, 4, 13 and so on to 20, one dart in each. Only the band from the
    triple to the double counts: triple, outer single, double. A dart takes at most one step; after a hit the remaining
    darts go for the next number. The members of a team take turns.

    Each side starts with three darts. A dart in an inner single or in the bull stays in the board as a prisoner: from
    the next visit on, its side has one dart fewer. A side that hits the band of a number with a prisoner in it gets
    that dart and throws it too from the next visit on; each hit gets one dart. This number need not be the one that the
    side has to hit. If there is a prisoner in the bull, a dart in the bull frees it and does not become one itself, so
    the bull never holds more than one.

    A dart that misses the board, or that is not thrown, sits out one visit: the side throws one dart fewer in its next
    visit, but always at least one. With `Missed darts sit out` off, such darts cost nothing.

    Some boards cannot tell the two singles of a number apart. There, every single is in the band.

    The first side to hit the 20 as its last number wins at once. A side without darts is out; the last side left wins.

    Source: Prisoner as darts501.mobi prints it; the bull and the last side's win as gldproducts.com does.
    """

    id = "prisoner"
    group = "races"
    options_type = Options
    sides = range(2, 17)
    team_size = range(1, 9)
    alone_wins = True

    def title(self, options: Options) -> str:
        return "Prisoner"

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> PrisonerState:
        count = len(seating.sides)
        return PrisonerState(options, (0,) * count, (_OWN,) * count, (0,) * count)

    def darts(self, state: PrisonerState, turn: Turn) -> int:
        return max(1, state.darts[turn.side] - state.absent[turn.side])

    def begin(self, state: PrisonerState, turn: Turn, luck: Luck) -> Step[PrisonerState]:
        return Step(replace(state, resting=0), winners=last_in(self.out(state), turn))

    def dart(self, state: PrisonerState, segment: Segment, turn: Turn, luck: Luck) -> Step[PrisonerState]:
        side = turn.side
        if not segment.points:
            return Step(replace(state, resting=state.resting + 1))
        facts: tuple[Fact, ...] = ()
        counts: dict[str, int] = {}
        if _is_cell(segment) and not (segment.value == BULL and BULL in state.prisoners):
            state = _with_darts(state, side, -1)
            state = replace(state, prisoners=(*state.prisoners, segment.value))
            return Step(state, counts={"lost": 1})
        if segment.value in state.prisoners:
            place = state.prisoners.index(segment.value)
            state = _with_darts(state, side, 1)
            state = replace(state, prisoners=(*state.prisoners[:place], *state.prisoners[place + 1 :]))
            facts = (Claimed(side=side, cell="bull" if segment.value == BULL else str(segment.value)),)
            counts = {"won": 1}
        if segment.value != _WAY[state.at[side]]:
            return Step(state, facts, counts=counts)
        state = replace(state, at=put(state.at, side, state.at[side] + 1))
        done = state.at[side] == len(_WAY)
        winners = (side,) if done else None
        return Step(state, facts, points=turn.points + 1, ends_visit=done, winners=winners, counts=counts)

    def visit_over(self, state: PrisonerState, turn: Turn, luck: Luck) -> Step[PrisonerState]:
        side = turn.side
        alone = last_in(self.out(state) - {side}, turn)
        if alone is not None:
            return Step(state, winners=alone)
        resting = state.resting if state.options.sits_out else 0
        state = replace(state, absent=put(state.absent, side, resting))
        facts = () if state.darts[side] else (Eliminated(side=side),)
        return Step(state, facts, winners=last_in(self.out(state), turn))

    def out(self, state: PrisonerState) -> frozenset[int]:
        return frozenset(side for side, darts in enumerate(state.darts) if not darts)

    def leading(self, state: PrisonerState, sides: tuple[int, ...]) -> tuple[int, ...]:
        return leaders(sides, lambda side: state.at[side])

    def score(self, state: PrisonerState, side: int) -> int:
        return state.at[side]

    def view(self, state: PrisonerState, turn: Turn, seat: int | None) -> Panel:
        detail = tuple(
            {"at": at, "darts": darts, "taken": tally.counts.get("won", 0)}
            for at, darts, tally in zip(state.at, state.darts, turn.tallies, strict=True)
        )
        prisoners = ["bull" if number == BULL else str(number) for number in sorted({*state.prisoners})]
        caught = ["DB" if number == BULL else f"I{number}" for number in sorted({*state.prisoners})]
        steps = [str(number) for number in _WAY]
        board = {"steps": steps, "prisoners": prisoners, "caught": caught, "unit": "steps", "split_singles": True}
        ahead = _WAY[state.at[turn.side] :][: min(1, turn.darts_left)]
        return Panel(
            "track", detail, targets=tuple(bed for number in ahead for bed in beds(number, _BAND)), board=board
        )

    def task(self, state: PrisonerState, turn: Turn, panel: Panel) -> Sentence:
        target, prisoners = _WAY[state.at[turn.side]], panel.board["prisoners"]
        if target in state.prisoners:
            return say(
                "prisoner.both",
                "Hit {target}, triple to double: a step, and you win the dart there",
                target=target,
            )
        if prisoners:
            return say(
                "prisoner.free",
                "Hit {target}, triple to double; in {prisoners} you win a dart",
                target=target,
                prisoners=tuple(prisoners),
            )
        return say(
            "prisoner.hit",
            "Hit {target}, triple to double; nearer the bull you lose the dart",
            target=target,
        )

    def advise(self, state: PrisonerState, turn: Turn, seat: int, skill: Skill) -> Advice:
        target = _WAY[state.at[turn.side]]

        def worth(segment: Segment) -> float:
            if not segment.points:
                return 0
            if _is_cell(segment) and not (segment.value == BULL and BULL in state.prisoners):
                return -_LOST
            return float(segment.value == target) + _WON * (segment.value in state.prisoners)

        numbers = [target, *sorted({*state.prisoners} - {target, BULL})]
        among = [bed for number in numbers for bed in beds(number, _BAND)]
        return Advice(aim=skill.best(worth, [*among, "DB"] if BULL in state.prisoners else among))


def _is_cell(segment: Segment) -> bool:
    """Whether a dart there becomes a prisoner."""
    return "inner" in segment.groups or "bull" in segment.groups


def _with_darts(state: PrisonerState, side: int, more: int) -> PrisonerState:
    return replace(state, darts=put(state.darts, side, state.darts[side] + more))


GAMES = (Prisoner(),)
