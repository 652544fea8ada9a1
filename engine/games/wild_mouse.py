"""Wild Mouse: cricket with rows for doubles, triples and beds. A bed takes back what its three darts did one by one."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta
from msgspec.structs import replace

from engine.game import Advice, Panel, Preset, Prompt, Seating, Step, Turn
from engine.games.cricket_family import Marks, find_purpose, value_of
from engine.games.cricket_marks import MarksState, Rules, Use, apply_use, find_use
from engine.games.tactics import Multiples, list_uses, say_open, say_which
from engine.luck import Luck
from engine.skill import Skill
from protocol.segment import Layout, Segment
from protocol.sentence import Sentence, say

_ROWS = (*map(str, range(20, 14, -1)), "double", "triple", "bed", "bull")
_BED_DARTS = 3
_DARTS = "darts"
"""The answer that leaves the darts of a bed what they are one by one."""
_FOLLOW = (0.0, 12.0, 150.0)
"""What another dart in the number of those before it is worth to an aim, in about points, by how many these are."""


class Options(Rules, frozen=True, forbid_unknown_fields=True):
    """`multiples`: which doubles, triples and beds count. `beds`: how many close their row."""

    rounds: Annotated[int, Meta(ge=1, le=1000)] | None = 100
    multiples: Multiples = "slop"
    beds: Literal["three", "one"] = "three"


class WildMouse(Marks[Options]):
    """Cricket with three more rows: doubles, triples, and beds (three darts in one number).

    The rows are 20 to 15, Doubles, Triples, Beds and the bull. Three marks close a row for your side. On a number a
    single is one mark, a double two, a triple three; on the bull the outer part is one mark and the inner two. Any
    double is one mark on Doubles, any triple one mark on Triples; the inner bull is a double. Three darts of a visit in
    the same number, in any rings, or all in the bull are one mark on Beds. `Doubles and triples count`: with `On
    numbers in play` only those of 20 to 15 and of the bull count in these three rows (Marty Mouse). `Beds to close`:
    with `One` the first bed closes the row, and beds score nothing.

    A dart counts once. If a double or triple could count in two rows, you choose one of them. After the third dart of a
    bed you choose too: either the bed is a mark on Beds and what its darts did one by one is taken back, or the darts
    stay what they were. Without an answer the choice with more points counts.

    Marks beyond the third score points while an opponent has the row open: on a number its value for each mark, on the
    bull 25 for each, on Doubles and Triples what the dart hit, on Beds what its three darts hit. You win when all your
    rows are closed and no opponent has more points. The members of a team share their marks.

    `Scoring`: with `Cut throat` the points go to every opponent who has the row open, and you win when all your rows
    are closed and no opponent has fewer points. With `No score` the first side to close all rows wins, and the wall
    shows the number of marks.

    `Largest lead` limits the lead: a side may have at most this many points more than its lowest opponent. A mark that
    would exceed the limit does not count. This is for `Standard` scoring only.

    `Marks` says how many marks close a row, usually 3. `Marks for the inner bull`: with `One` either part of the bull
    is one mark.

    With `Play on for places` the side that would have won takes first place, and the others play on for as long as two
    are left. With a limit of rounds, those still playing get their places by points, then by marks.

    After a hundred `Rounds` the better points win; at equal points the side with more marks wins. `When level`: sides
    that are still level share the win; with `One more round` another round is thrown until one side is ahead.

    Source: Wild Mouse and Marty Mouse as crowsdarts.com prints their rules; one bed to close is a house rule of oche.
    """

    id = "wild_mouse"
    group = "cricket"
    options_type = Options
    rules = 2

    def title(self, options: Options) -> str:
        return "Wild Mouse" if options.multiples == "slop" else "Marty Mouse"

    def resolve_older(self, options: Options, rules: int) -> Options | None:
        return super().resolve_older(options, rules + 1)  # the first version was the second one of the family

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> MarksState:
        count = len(seating.sides)
        return MarksState(options, _ROWS, ((0,) * len(_ROWS),) * count, (0,) * count)

    def begin(self, state: MarksState, turn: Turn, luck: Luck) -> Step[MarksState]:
        step = super().begin(state, turn, luck)
        return replace(step, state=replace(step.state, before=(step.state.marks, step.state.points)))

    def uses(self, state: MarksState, segment: Segment, turn: Turn) -> tuple[Use, ...]:
        return list_uses(state, segment, turn, _options(state).multiples)

    def dart(self, state: MarksState, segment: Segment, turn: Turn, luck: Luck) -> Step[MarksState]:
        if self._bed(state, turn) is None:
            return super().dart(state, segment, turn, luck)
        rows = [state.rows[using.row] for using in self.uses(state, segment, turn)]
        return Step(replace(state, asked=(*(rows or (_DARTS,)), "bed")))

    def _bed(self, state: MarksState, turn: Turn) -> Use | None:
        """What the three darts do as a bed; None where they are none, or it does nothing."""
        numbers = {dart.value for dart in turn.darts}
        is_bed = len(turn.darts) == _BED_DARTS and len(numbers) == 1 and all(dart.multiplier for dart in turn.darts)
        options = _options(state)
        in_play = ("bull" if 25 in numbers else str(turn.darts[-1].value)) in state.rows
        if not is_bed or not (in_play or options.multiples == "slop"):
            return None
        row = state.rows.index("bed")
        if options.beds == "one":
            left = state.need - state.marks[turn.side][row]
            return find_use(_undone(state, turn), turn, row, left, 1) if left else None
        return find_use(_undone(state, turn), turn, row, 1, sum(dart.points for dart in turn.darts))

    def prompts(self, state: MarksState, turn: Turn) -> tuple[Prompt, ...]:
        if not state.asked:
            return ()
        values = {row: _points(using) for row, using in self._offered(state, turn).items()}
        values |= {row: 0 for row in state.asked if row not in values}
        if "bed" in state.asked:
            kept = turn.points if state.rules.scoring != "no_score" else 0
            values |= {row: values[row] + kept for row in state.asked if row != "bed"}
        best = self._choose(state, turn)
        default = max(state.asked, key=lambda row: (values[row], row == best))  # silence throws no points away
        prompt_id = turn.prompt_id("use", len(turn.darts))
        text = say("prompt.wild_mouse_use", "What does {value} count as?", value=turn.darts[-1].id).text
        return (Prompt(prompt_id, turn.seat, text, state.asked, None, values, default),)

    def decide(self, state: MarksState, prompt: Prompt, answer: str, turn: Turn, luck: Luck) -> Step[MarksState]:
        chosen = self._offered(state, turn).get(answer)
        if chosen is None:  # the darts stay what they are, or whom it scored on has left
            return Step(replace(state, asked=()))
        if answer != "bed":
            return apply_use(state, turn, chosen)
        step = apply_use(_undone(state, turn), replace(turn, points=0), chosen)
        return replace(step, counts={"marks": step.counts["marks"] - state.in_visit})

    def _offered(self, state: MarksState, turn: Turn) -> dict[str, Use]:
        """What the latest dart, or the bed that it completes, may count as."""
        offered = {state.rows[using.row]: using for using in self.uses(state, turn.darts[-1], turn)}
        bed = self._bed(state, turn)
        return {**offered, "bed": bed} if bed else offered

    def _choose(self, state: MarksState, turn: Turn) -> str:
        """The answer that helps most: a bed that closes goes before what its darts did."""
        offered = self._offered(state, turn)
        if "bed" in offered and offered["bed"].closing:
            return "bed"
        rows = [row for row in state.asked if row in offered and row != "bed"]
        return max(rows, key=lambda row: value_of(state, turn, offered[row]), default=state.asked[0])

    def view(self, state: MarksState, turn: Turn, seat: int | None) -> Panel:
        """Of the doubles and triples those are lit that count."""
        panel = super().view(state, turn, seat)
        if _options(state).multiples == "slop":
            return panel
        numbers = [row for row in state.rows if row.isdigit()]
        doubles, triples = (tuple(ring + number for number in numbers) for ring in "DT")
        counting = {"double": (*doubles, "DB"), "triple": triples}
        return replace(panel, targets=tuple(bed for each in panel.targets for bed in counting.get(each, (each,))))

    def targets(self, state: MarksState, turn: Turn) -> tuple[str, ...]:
        return tuple(target for target in super().targets(state, turn) if target != "bed")

    def task(self, state: MarksState, turn: Turn, panel: Panel) -> Sentence:
        left = [label for label in state.rows if state.mine(turn, state.rows.index(label)) < state.need]
        if left == ["bed"]:
            return say("wild_mouse.bed", "Three darts in one number close the beds")
        targets = self.targets(state, turn)
        return say_open(state, turn, targets) or super().task(state, turn, replace(panel, targets=targets))

    def question(self, state: MarksState, turn: Turn) -> Sentence | None:
        if "bed" in state.asked:
            return say("wild_mouse.which_bed", "What counts: the bed, or its darts one by one?")
        return say_which(state, turn)

    def advise(self, state: MarksState, turn: Turn, seat: int, skill: Skill) -> Advice:
        if state.asked:
            return Advice(answer=self._choose(state, turn))
        numbers = {dart.value for dart in turn.darts if dart.multiplier}
        follows = len(numbers) == 1 and state.mine(turn, state.rows.index("bed")) < state.need
        options = _options(state)

        def value(segment: Segment) -> float:
            worth = max((value_of(state, turn, using) for using in self.uses(state, segment, turn)), default=0.0)
            return worth + (_FOLLOW[len(turn.darts)] if follows and segment.value in numbers else 0.0)

        usual = (20, 19, 18, 17, 16, 15) if options.multiples == "strict" else range(20, 0, -1)
        beds = [f"{ring}{number}" for ring in "TDO" for number in usual]
        aim = skill.best(value, among=[*beds, "DB", "SB"])
        return Advice(aim=aim, purpose=find_purpose(state, turn, self.uses(state, skill.layout[aim], turn)))


def _options(state: MarksState) -> Options:
    assert isinstance(state.rules, Options)
    return state.rules


def _undone(state: MarksState, turn: Turn) -> MarksState:
    """The state as if the darts of the visit had not counted."""
    assert state.before is not None
    marks, points = state.before
    eighty = None if state.eighty == turn.visit else state.eighty
    return replace(state, marks=marks, points=points, in_visit=0, asked=(), eighty=eighty)


def _points(using: Use) -> int:
    return using.points * len(using.to)


GAMES = (WildMouse(),)
PRESETS = (
    Preset(
        "marty_mouse",
        "wild_mouse",
        {"multiples": "strict"},
        "Wild Mouse where only doubles and triples of 20 to 15 and of the bull count.",
    ),
)
