"""Yatzy-Dart: three darts are the dice, and every visit fills one row of a score sheet.

A visit has no value of its own: each row values the same three darts in its own way, as good as it can be for the
player. So the rules are one function, from darts to the values of all rows, and the game around it asks which row.
It is asked anew whenever a dart is corrected, and the row that was chosen keeps its place with its new value.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from engine.facts import Award, Claimed, Fact
from engine.game import Advice, Game, Panel, Prompt, Seating, Step, Turn
from engine.games.yatzy_rows import ROWS, Area, Options, Sheet, bonus, gain, open_rows, total, upper, values
from engine.luck import Luck
from engine.skill import Skill
from engine.tuples import put
from protocol.segment import Layout, Segment


class State(Struct, frozen=True):
    """The sheets by side, and the row that this visit has filled. `aims` are the areas worth aiming at."""

    options: Options
    sheets: tuple[Sheet, ...]
    aims: tuple[Area, ...]
    row: str | None = None


class YatzyDart(Game[Options, State]):
    """Yatzy with darts on a board of six overlapping circles.

    The board has six overlapping circles, numbered 1 to 6, and a star in the middle. Fifteen visits of three darts
    fill the fifteen rows of the score sheet, one row a visit; whoever has the most points then wins, and a tie is
    shared.

    A dart counts for the circle it lies in: three times in the inner ring, twice in the middle ring, once in the
    outer ring. It may be taken for fewer times. A dart where circles overlap counts for one of them. The game takes
    every dart as it is best for the row. The score is taken when all three darts are thrown, from where they lie
    then: a dart that was pushed by a later one is corrected, and the rows are valued anew.

    After the third dart the player chooses any open row, one worth nothing too, and each row only once.

    Ones to Sixes: all of that number. More than 100 points in these six rows earn a bonus of 50.
    Pair: two of a number. Two Pairs: two each of two numbers. Three of a Kind: three of a number. Villa: three each
    of two numbers. What counts is what the row asks for: a pair of sixes is 12, whatever else there is.
    Single, Double and Triple Straight: three darts in three numbers that follow each other (such as 3, 4, 5), at
    least once, twice or three times each, in any throwing order; with `straight` = thrown the lowest first.
    Yatzy: a dart in the star, 50 points. In every other row the star is worth nothing; with `star_in_chance` each
    star is worth 50 in Chance.
    Chance: everything, each dart for its highest number.

    A dart that fell off the board is thrown again, as often as it takes, or as often in a visit as `rethrows` says;
    after that it is a miss. A dart that stuck in no circle or outside the outer ring is a miss. A dart thrown with a
    foot over the line is a foul and counts nothing; with `foul` = visit the whole visit counts nothing.

    Source: Yatzy-Dart, rules of the game, Tvikstaps Spel (www.tvikstaspel.se).
    """

    id = "yatzy_dart"
    options_type = Options
    layouts = ("yatzy",)

    def title(self, options: Options) -> str:
        return "Yatzy-Dart"

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> State:
        # The inner ring is always worth most; where circles overlap there is more to choose from. Most room first.
        inner = [area for area in map(Area.of, layout.group("inner")) if len(area.numbers) > 1]
        aims = sorted(inner, key=lambda area: (len(area.numbers), -sum(area.numbers)))
        return State(options, ((None,) * len(ROWS),) * len(seating.sides), tuple(aims))

    def begin(self, state: State, turn: Turn, luck: Luck) -> Step[State]:
        return Step(replace(state, row=None))

    def dart(self, state: State, segment: Segment, turn: Turn, luck: Luck) -> Step[State]:
        limit, fallen = state.options.rethrows, sum(dart.id == "OFF" for dart in turn.darts)
        again = segment.id == "OFF" and (limit is None or fallen <= limit)
        return Step(state, extra_darts=int(again))

    def prompts(self, state: State, turn: Turn) -> tuple[Prompt, ...]:
        if turn.darts_left or state.row is not None:
            return ()
        worth = open_rows(state.sheets[turn.side], values(_areas(turn), state.options))
        best = max(worth, key=lambda row: worth[row])
        text = "Which row takes this visit?"
        return (Prompt(turn.prompt_id("row"), turn.seat, text, options=tuple(worth), values=worth, default=best),)

    def decide(self, state: State, prompt: Prompt, answer: str, turn: Turn, luck: Luck) -> Step[State]:
        before, row = state.sheets[turn.side], ROWS.index(answer)
        value = values(_areas(turn), state.options)[row]
        sheet = put(before, row, value)
        facts: list[Fact] = [Claimed(side=turn.side, cell=answer)]
        if answer == "yatzy" and value:
            facts.append(Award(side=turn.side, award="yatzy"))
        if bonus(sheet) > bonus(before):
            facts.append(Award(side=turn.side, award="bonus"))
        state = replace(state, sheets=put(state.sheets, turn.side, sheet), row=answer)
        return Step(state, tuple(facts), points=total(sheet) - total(before))

    def round_over(self, state: State, turn: Turn, luck: Luck) -> Step[State]:
        if turn.round < len(ROWS):
            return Step(state)
        best = max(self.score(state, side) for side in turn.playing)
        return Step(state, winners=tuple(side for side in turn.playing if self.score(state, side) == best))

    def score(self, state: State, side: int) -> int:
        return total(state.sheets[side])

    def view(self, state: State, turn: Turn, seat: int | None) -> Panel:
        detail = tuple(
            {
                "rows": {row: value for row, value in zip(ROWS, sheet, strict=True) if value is not None},
                "upper": upper(sheet),
                "bonus": bonus(sheet),
            }
            for sheet in state.sheets
        )
        aim = self._aim(state, turn)
        return Panel("yatzy", detail, targets=(aim,) if aim else ())

    def advise(self, state: State, turn: Turn, seat: int, skill: Skill) -> Advice:
        if turn.darts_left or state.row is not None:
            return Advice(aim=self._aim(state, turn, skill))
        worth = open_rows(state.sheets[turn.side], values(_areas(turn), state.options))
        return Advice(answer=max(worth, key=lambda row: gain(row, worth[row])))

    def _aim(self, state: State, turn: Turn, skill: Skill | None = None) -> str | None:
        """The area that would pay best if every dart left landed where this one does; without a skill, right in it.

        The star is small, so it is the last resort.
        """
        if not turn.darts_left:
            return None

        def worth(area: Area) -> float:
            rows = values((*_areas(turn), *(area,) * turn.darts_left), state.options)
            return max(gain(row, value) for row, value in open_rows(state.sheets[turn.side], rows).items())

        areas = {area.id: area for area in state.aims}
        best = max(state.aims, key=worth)
        if skill is not None:
            best = areas[skill.best(lambda landed: worth(Area.of(landed)), areas)]
        return "STAR" if worth(best) <= 0 and state.sheets[turn.side][ROWS.index("yatzy")] is None else best.id


def _areas(turn: Turn) -> tuple[Area, ...]:
    return tuple(map(Area.of, turn.darts))


GAMES = (YatzyDart(),)
