"""Snooker on a dartboard: reds and colours by turns, then the colours in order.

A break goes on for as long as balls are potted, but a player has only three darts. So a side that has potted with all
three throws the next visit too: `order` gives each round to one side alone.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from engine.game import Advice, Claimed, Fact, Game, Panel, Prompt, Seating, Step, Turn, put
from engine.games.targets import RINGS, beds
from engine.luck import Luck
from engine.ranking import in_contention, leaders
from engine.skill import Skill
from protocol.segment import Layout, Segment
from protocol.sentence import Sentence, say

COLOURS = {"16": 2, "17": 3, "18": 4, "19": 5, "20": 6, "bull": 7}
"""Yellow, green, brown, blue, pink and black, and what each is worth."""
NAMES = dict(zip(COLOURS, ("yellow", "green", "brown", "blue", "pink", "black"), strict=True))
_PAINTS = {
    "red": "#d8322b",
    "yellow": "#f4d03f",
    "green": "#1e8a4a",
    "brown": "#8b5a2b",
    "blue": "#2f6fd6",
    "pink": "#f29ac1",
    "black": "#111111",
}
"""The colours of the balls, for the eye."""
REDS = tuple(str(number) for number in range(1, 16))
_FOUL = 4
"""The least that a foul costs."""


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """`nominate`: a colour must be named before its dart. `fouls`: a wrong ball gives points to the opponents."""

    nominate: bool = False
    fouls: bool = False
    visit: Literal["break", "three"] = "break"
    tie: Literal["black", "share"] = "black"


class SnookerState(Struct, frozen=True):
    """Points by side and the balls on the table. `side` is at the table (None before the first visit).

    `free`: a colour of one's choice is due, the `named` one if that was asked for. `called` counts the questions of
    this visit. `run` is the break. `contenders` may still win (on a re-spotted black those who are level).
    """

    options: Options
    scores: tuple[int, ...]
    contenders: tuple[int, ...]
    reds: tuple[str, ...] = REDS
    colours: tuple[str, ...] = tuple(COLOURS)
    side: int | None = None
    free: bool = False
    named: str | None = None
    called: int = 0
    run: int = 0


class Snooker(Game[Options, SnookerState]):
    """Red, colour, red, colour: 1 to 15 are the reds, 16 to 20 and the bull are the colours.

    The fifteen reds are the numbers 1 to 15, one point each. A red that is hit, in any ring, is gone for all sides. The
    colours are the 16 (yellow, 2 points), 17 (green, 3), 18 (brown, 4), 19 (blue, 5), 20 (pink, 6) and the whole bull
    (black, 7), in any ring.

    A break begins with a red. After every red you throw at a colour of your choice, which stays on the table, and then
    at a red again. With `Name the colour` you name the colour before the dart, and no other colour counts. Without it
    any colour that you hit counts.

    A break goes on as long as every dart pots a ball. After three darts pull them and throw on: the same side has the
    next visit, and if a colour was due, it still is. (In a team the next member continues the break.) The first dart
    that pots nothing ends the break and the visit. `Break ends after`: with `Three darts` the break also ends after a
    whole visit.

    After the last red and the throw at its colour, the colours are potted in order and do not come back: yellow, green,
    brown, blue, pink, black. After the black the most points win. `When level`: with `The black decides` the sides that
    are level throw at the black alone, one visit after the other, and the first to hit it wins; with `Share the win`
    they share the win. The highest possible break is 147.

    With `Count fouls` a dart in the wrong ball is a foul if that ball is still on the table. Every opponent gets the
    points of that ball or of the colour that was due, whichever is more, and at least 4. A dart that hits no ball is
    only a miss.

    If all other sides leave the match, the last one wins.

    Source: Snooker as Darts Corner prints it, where the colour is named; fouls are a house rule of oche.
    """

    id = "snooker"
    group = "races"
    options_type = Options
    sides = range(1, 9)
    team_size = range(1, 9)
    notes_all_darts = True
    alone_wins = True

    def title(self, options: Options) -> str:
        return "Snooker"

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> SnookerState:
        count = len(seating.sides)
        return SnookerState(options, (0,) * count, tuple(range(count)))

    def order(self, state: SnookerState, round: int, sides: tuple[int, ...]) -> tuple[int, ...]:
        """The side at the table alone, or the next one that has not left."""
        if state.side is None:
            return sides[:1]
        first, count = state.side, len(state.scores)
        there = sorted(in_contention(state.contenders, sides), key=lambda side: (side - first) % count)
        return tuple(there[:1])

    def begin(self, state: SnookerState, turn: Turn, luck: Luck) -> Step[SnookerState]:
        state = replace(state, called=0)
        return Step(state if state.side == turn.side else _begin_break(state, turn.side))

    def dart(self, state: SnookerState, segment: Segment, turn: Turn, luck: Luck) -> Step[SnookerState]:
        ball, side = _ball_hit(segment), turn.side
        on = _balls_on(state)
        if ball is None or ball not in on:
            given = _foul_points(state, ball, on) if state.options.fouls else 0
            scores = tuple(had + given * (index != side) for index, had in enumerate(state.scores))
            return Step(_begin_break(replace(state, scores=scores), side + 1), ends_visit=True)
        worth = COLOURS.get(ball, 1)
        run = state.run + worth
        scores = put(state.scores, side, state.scores[side] + worth)
        state = replace(_pot_ball(state, ball), scores=scores, run=run)
        facts: tuple[Fact, ...] = (Claimed(side=side, cell=NAMES.get(ball, ball)),)
        step = Step(state, facts, points=turn.points + worth, highs={"break": run}, counts={"pots": 1})
        return step if state.colours else self._clear_table(state, step, turn)

    def _clear_table(self, state: SnookerState, step: Step[SnookerState], turn: Turn) -> Step[SnookerState]:
        """The black is potted: the winners, or a re-spotted black for the sides that are level."""
        best = leaders(in_contention(state.contenders, turn.playing), lambda side: state.scores[side])
        if len(best) == 1 or state.options.tie == "share":
            return replace(step, winners=best, ends_visit=True)
        again = _begin_break(replace(state, colours=("bull",), contenders=best), turn.side + 1)
        return replace(step, state=again, ends_visit=True)

    def visit_over(self, state: SnookerState, turn: Turn, luck: Luck) -> Step[SnookerState]:
        is_over = state.options.visit == "three" and state.side == turn.side
        return Step(_begin_break(state, turn.side + 1) if is_over else state)

    def prompts(self, state: SnookerState, turn: Turn) -> tuple[Prompt, ...]:
        if not (state.options.nominate and state.free and state.named is None and turn.darts_left):
            return ()
        asked = turn.prompt_id("colour", state.called + 1)
        text = say("prompt.snooker_colour", "Which colour?").text
        return (Prompt(asked, turn.seat, text, tuple(COLOURS), values=COLOURS, default="20"),)

    def decide(self, state: SnookerState, prompt: Prompt, answer: str, turn: Turn, luck: Luck) -> Step[SnookerState]:
        return Step(replace(state, named=answer, called=state.called + 1))

    def leading(self, state: SnookerState, sides: tuple[int, ...]) -> tuple[int, ...]:
        return leaders(in_contention(state.contenders, sides), lambda side: state.scores[side])

    def score(self, state: SnookerState, side: int) -> int:
        return state.scores[side]

    def view(self, state: SnookerState, turn: Turn, seat: int | None) -> Panel:
        detail = tuple(
            {
                "break": state.run if side == state.side else 0,
                "highest_break": tally.highs.get("break", 0),
                "pots": [tally.counts.get("pots", 0), tally.darts],
            }
            for side, tally in enumerate(turn.tallies)
        )
        board = {
            "reds": len(state.reds),
            "left": _points_left(state),
            "on": _name_ball_on(state),
            "values": _list_balls(state),
        }
        return Panel("plain", detail, targets=_balls_on(state) if turn.darts_left else (), board=board)

    def task(self, state: SnookerState, turn: Turn, panel: Panel) -> Sentence:
        on = _balls_on(state)
        if state.free and not state.named:
            return say("snooker.colour", "Pot a colour for 2 to 7 points: hit {targets}", targets=on)
        if state.reds and not state.free:
            return say("snooker.red", "Pot a red for a point: hit a number from 1 to 15 that is left")
        return say("snooker.ball", "Pot the {ball}: hit {targets}", ball=NAMES[on[0]], targets=on)

    def advise(self, state: SnookerState, turn: Turn, seat: int, skill: Skill) -> Advice:
        """The ball with the most points to expect."""
        if self.prompts(state, turn):
            return Advice(answer=max(COLOURS, key=lambda ball: COLOURS[ball] * _chance(skill, ball)))
        on = _balls_on(state)

        def worth(segment: Segment) -> float:
            ball = _ball_hit(segment)
            if ball in on:
                return COLOURS.get(ball, 1)
            return -_foul_points(state, ball, on) if state.options.fouls else 0.0

        rings = "O" if len(on) > 1 else RINGS
        return Advice(aim=skill.best(worth, [bed for ball in on[::-1] for bed in beds(ball, rings)]))


def _ball_hit(segment: Segment) -> str | None:
    return "bull" if "bull" in segment.groups else str(segment.value) if segment.value else None


def _balls_on(state: SnookerState) -> tuple[str, ...]:
    """The balls that may be hit now."""
    if state.free:
        return (state.named,) if state.named else tuple(COLOURS)
    return state.reds or state.colours[:1]


def _pot_ball(state: SnookerState, ball: str) -> SnookerState:
    """Without this ball, unless it stays on the table."""
    if state.free:
        return replace(state, free=False, named=None)
    if state.reds:
        return replace(state, reds=tuple(red for red in state.reds if red != ball), free=True)
    return replace(state, colours=state.colours[1:])


def _begin_break(state: SnookerState, side: int) -> SnookerState:
    """With a new break, by this side."""
    return replace(state, side=side % len(state.scores), free=False, named=None, run=0)


def _foul_points(state: SnookerState, ball: str | None, on: tuple[str, ...]) -> int:
    """The points that hitting this ball gives to the opponents, when another one is on."""
    if ball is None or ball not in (*state.reds, *state.colours):
        return 0
    due = COLOURS.get(on[0], 0) if len(on) == 1 else 0
    return max(_FOUL, due, COLOURS.get(ball, 0))


def _points_left(state: SnookerState) -> int:
    """The points that are still on the table."""
    black = COLOURS["bull"]
    return len(state.reds) * (1 + black) + black * state.free + sum(COLOURS[ball] for ball in state.colours)


def _list_balls(state: SnookerState) -> list[dict[str, str | int | bool]]:
    """The balls on the table: where each is hit, its name, its colour for the eye, its points, and whether it is on."""
    on = _balls_on(state)
    found = [("1-15", "red", 1, state.reds == on)] if state.reds else []
    found += [(ball, NAMES[ball], COLOURS[ball], ball in on) for ball in state.colours]
    return [
        {"target": target, "name": name, "colour": _PAINTS[name], "points": points, "on": is_on}
        for target, name, points, is_on in found
    ]


def _name_ball_on(state: SnookerState) -> str | None:
    """The ball that is on, in a word: red, colour, or which colour."""
    on = _balls_on(state)
    if state.free:
        return NAMES[on[0]] if state.named else "colour"
    return "red" if state.reds else NAMES[on[0]] if on else None


def _chance(skill: Skill, ball: str) -> float:
    return max(skill.worth(bed, lambda segment: _ball_hit(segment) == ball) for bed in beds(ball))


GAMES = (Snooker(),)
