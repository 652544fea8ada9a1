"""Tactics and Mickey Mouse: cricket with more numbers and with rows for doubles and triples.

A double or triple that could count in two rows counts in one of them, so its player is asked which; never when one of
the two would count nothing.
"""

from __future__ import annotations

from typing import Literal

from msgspec.structs import replace

from engine.game import Advice, Panel, Preset, Prompt, Seating, Step, Turn
from engine.games.cricket_family import Marks, value_of
from engine.games.cricket_marks import VALUES, MarksState, Rules, Use, apply_use, find_use
from engine.luck import Luck
from engine.skill import Skill
from protocol.segment import Layout, Segment
from protocol.sentence import Sentence, say

_RINGS = {2: "double", 3: "triple"}
_MOST_NAMED = 5
"""How many open rows a sentence names one by one."""
Multiples = Literal["slop", "strict"]
"""Which doubles and triples count in their rows: any, or those of numbers in play."""


class Options(Rules, frozen=True, forbid_unknown_fields=True):
    """`lowest`: the numbers run from 20 down to this. `multiples`: which doubles and triples count in their rows.

    `rings`: which of these two rows there are.
    """

    lowest: Literal[10, 12, 13, 15] = 10
    multiples: Multiples = "slop"
    rings: Literal["both", "double", "triple", "none"] = "both"


class Tactics(Marks[Options]):
    """Cricket on 20 to 10 and the bull, with two more rows: doubles and triples.

    The rows are the numbers from 20 down to 10 (`Lowest number`: or down to 12, 13 or 15), Doubles, Triples and the
    bull. Three marks close a row for your side. On a number a single is one mark, a double two, a triple three; on the
    bull the outer part is one mark and the inner two. Any double is one mark on Doubles, any triple one mark on
    Triples; the inner bull is a double. `Doubles and triples count`: with `On numbers in play` only the doubles and
    triples of numbers in play count there, and the inner bull. `Rows for doubles and triples`: with `Double` there is
    only the row Doubles, with `Triple` only the row Triples, and with `None` neither, as in the Tactics of Autodarts.

    A double or triple counts once: either as its number, or as one mark on Doubles or Triples. If only one of these is
    possible, it counts as that. If both are possible, you are asked which; without an answer it counts where it scores
    more points.

    Marks beyond the third score points while an opponent has the row open: on a number its value for each mark, on the
    bull 25 for each, on Doubles and Triples what the dart hit (a triple 18 scores 54). You win when all your rows are
    closed and no opponent has more points. The members of a team share their marks.

    `Scoring`: with `Cut throat` the points go to every opponent who has the row open, and you win when all your rows
    are closed and no opponent has fewer points. With `No score` the first side to close all rows wins, and the wall
    shows the number of marks; Mickey Mouse is played like this, from 20 to 12.

    `Largest lead` limits the lead: a side may have at most this many points more than its lowest opponent. A mark that
    would exceed the limit does not count. This is for `Standard` scoring only.

    `Marks` says how many marks close a row, usually 3. `Marks for the inner bull`: with `One` either part of the bull
    is one mark.

    With `Play on for places` the side that would have won takes first place, and the others play on for as long as two
    are left. With a limit of rounds, those still playing get their places by points, then by marks.

    With a limit of `Rounds` the better points win after the last round; at equal points the side with more marks wins.
    `When level`: sides that are still level share the win; with `One more round` another round is thrown until one side
    is ahead.

    For the marks per round (mpr) and for awards, only marks that close or score count. mpr_80 leaves out every visit
    after the one in which the first side had 80 % of its rows closed.

    Source: DartsMind (20 to 15), chinadart.com (Mickey Mouse), Autodarts; all else is a house rule of oche.
    """

    id = "tactics"
    group = "cricket"
    options_type = Options

    def title(self, options: Options) -> str:
        return "Mickey Mouse" if (options.lowest, options.scoring) == (12, "no_score") else "Tactics"

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> MarksState:
        count = len(seating.sides)
        rings = tuple(ring for ring in _RINGS.values() if options.rings in ("both", ring))
        rows = (*map(str, range(20, options.lowest - 1, -1)), *rings, "bull")
        return MarksState(options, rows, ((0,) * len(rows),) * count, (0,) * count)

    def uses(self, state: MarksState, segment: Segment, turn: Turn) -> tuple[Use, ...]:
        """The uses of this dart: as its number, and as a double or triple, as far as they count."""
        assert isinstance(state.rules, Options)
        return list_uses(state, segment, turn, state.rules.multiples)

    def prompts(self, state: MarksState, turn: Turn) -> tuple[Prompt, ...]:
        if not state.asked:
            return ()
        dart = turn.darts[-1]
        uses = {state.rows[using.row]: using for using in self.uses(state, dart, turn)}
        values = {row: uses[row].points * len(uses[row].to) if row in uses else 0 for row in state.asked}
        best = _best_row(state, turn, uses)
        default = max(state.asked, key=lambda row: (values[row], row == best))  # silence throws no points away
        prompt_id = turn.prompt_id("use", len(turn.darts))
        text = say("prompt.tactics_use", "What does {value} count as?", value=dart.id).text
        return (Prompt(prompt_id, turn.seat, text, state.asked, None, values, default),)

    def decide(self, state: MarksState, prompt: Prompt, answer: str, turn: Turn, luck: Luck) -> Step[MarksState]:
        uses = self.uses(state, turn.darts[-1], turn)
        chosen = next((using for using in uses if state.rows[using.row] == answer), None)
        if chosen is None:  # whom it scored on has left
            return Step(replace(state, asked=()))
        return apply_use(state, turn, chosen)

    def task(self, state: MarksState, turn: Turn, panel: Panel) -> Sentence:
        return say_open(state, turn, panel.targets) or super().task(state, turn, panel)

    def question(self, state: MarksState, turn: Turn) -> Sentence | None:
        return say_which(state, turn)

    def advise(self, state: MarksState, turn: Turn, seat: int, skill: Skill) -> Advice:
        if state.asked:
            uses = {state.rows[using.row]: using for using in self.uses(state, turn.darts[-1], turn)}
            return Advice(answer=_best_row(state, turn, uses))
        return super().advise(state, turn, seat, skill)


def list_uses(state: MarksState, segment: Segment, turn: Turn, multiples: Multiples) -> tuple[Use, ...]:
    """The uses of this dart, as its number and as a double or triple, as far as they count."""
    number, ring = "bull" if segment.value == 25 else str(segment.value), _RINGS.get(segment.multiplier)
    in_play = number in state.rows
    found = []
    if in_play:
        found.append(find_use(state, turn, state.rows.index(number), state.marks_of(segment), segment.value))
    if ring in state.rows and (in_play or multiples == "slop"):
        found.append(find_use(state, turn, state.rows.index(ring), 1, segment.points))
    return tuple(using for using in found if using)


def say_which(state: MarksState, turn: Turn) -> Sentence | None:
    """The question in which of two rows the latest dart counts; None where it is not asked."""
    if not state.asked:
        return None
    bed, (first, second) = turn.darts[-1].id, state.asked
    return say("tactics.which", "Which row gets the {bed}: {first} or {second}?", bed=bed, first=first, second=second)


def say_open(state: MarksState, turn: Turn, targets: tuple[str, ...]) -> Sentence | None:
    """What to do while more rows are open than one can take in; None where they are named one by one.

    `targets` are the rows on which a mark would count. The number that is advised is named if it has marks. In which
    row a double or triple counts is told when its player is asked.
    """
    left = {label: state.need - state.mine(turn, row) for row, label in enumerate(state.rows)}
    is_open = tuple(label for label, marks in left.items() if marks)
    if len(is_open) <= _MOST_NAMED or state.need == 1 or state.rules.scoring == "cut_throat":
        return None
    if score := tuple(label for label in targets if label not in is_open):
        return say("tactics.or_score", "Hit an open number, or score on {score}", score=score)
    numbers = [label for label in is_open if label.isdigit() or label == "bull"]
    target = max(numbers, key=lambda label: _worth_of_best_bed(state, turn, label))
    if left[target] < state.need:
        return say("tactics.needs", "Hit an open number: {target} needs {left} more", target=target, left=left[target])
    return say("tactics.open", "Hit any open number: {need} marks close it", need=state.need)


def _worth_of_best_bed(state: MarksState, turn: Turn, label: str) -> float:
    """What the triple of a number, or the inner bull, would do for the thrower on that row."""
    marks = 3 if label.isdigit() else 2
    using = find_use(state, turn, state.rows.index(label), marks, VALUES[label])
    return value_of(state, turn, using) if using else 0.0


def _best_row(state: MarksState, turn: Turn, uses: dict[str, Use]) -> str:
    """The row that helps most; the first one asked about where none helps because a side has left."""
    return max(uses, key=lambda row: value_of(state, turn, uses[row]), default=state.asked[0])


GAMES = (Tactics(),)
PRESETS = (
    Preset("tactics_15", "tactics", {"lowest": 15}, "Tactics on 20 to 15, doubles, triples and the bull."),
    Preset(
        "mickey_mouse",
        "tactics",
        {"lowest": 12, "scoring": "no_score"},
        "The first side to close 20 to 12, doubles, triples and the bull wins.",
    ),
)
