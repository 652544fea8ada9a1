"""All Fives: the total of a visit counts when it can be divided by five."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from engine.game import Advice, Bust, Game, Panel, Seating, Step, Turn, put
from engine.luck import Luck
from engine.ranking import leaders
from engine.skill import Skill
from protocol.segment import Layout, Segment
from protocol.sentence import Sentence, say


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """`must_score`: which darts of the visit may not be a miss. `end`: may the target be passed?"""

    target: Annotated[int, Meta(ge=51, le=91)] = 51
    must_score: Literal["last", "every"] = "last"
    end: Literal["pass", "exact"] = "pass"


class AllFivesState(Struct, frozen=True):
    """Fives by side."""

    options: Options
    scores: tuple[int, ...]


class AllFives(Game[Options, AllFivesState]):
    """Fifty-one by fives: a visit that can be divided by five scores its fives; first to 51.

    Every side throws three darts a visit; the members of a team take turns, one a visit. If the total of the three
    darts can be divided by five, the side gets one point for every five in it: 20 + 10 + 5 is 35, which is 7 points.
    Any other visit counts nothing. The bull is 25 and 50.

    The last dart of the visit must score. If the third dart misses, the visit counts nothing, even if its total can be
    divided by five. `Must score`: with `Every dart` no dart of the visit may miss.

    The first side to reach or pass the target wins at once (`Target score`: 51, or 61, 71, 81, 91, or anything
    between). `The target must be`: with `Hit exactly` a visit that would pass the target counts nothing.

    Source: the manual of Triumph's Lumen-X 100 (All Fives); the strict readings are those of dartboards180.com.
    """

    id = "all_fives"
    group = "rounds"
    options_type = Options
    team_size = range(1, 9)

    def title(self, options: Options) -> str:
        return f"{options.target} by Fives"

    def setup(self, options: Options, seating: Seating, layout: Layout, luck: Luck) -> AllFivesState:
        return AllFivesState(options, (0,) * len(seating.sides))

    def dart(self, state: AllFivesState, segment: Segment, turn: Turn, luck: Luck) -> Step[AllFivesState]:
        if turn.darts_left:
            return Step(state)
        options, total = state.options, _total(turn)
        misses = any(not dart.points for dart in turn.darts) if options.must_score == "every" else not segment.points
        score = state.scores[turn.side] + total // 5
        if misses or total % 5 or (options.end == "exact" and score > options.target):
            return Step(state, (Bust(side=turn.side),), points=0)
        state = replace(state, scores=put(state.scores, turn.side, score))
        won = score >= options.target
        made, winners = total // 5, (turn.side,) if won else None
        return Step(state, points=made, winners=winners, counts={"fives": 1}, highs={"round": made})

    def dart_counts(self, state: AllFivesState, segment: Segment, turn: Turn, step: Step[AllFivesState]) -> bool:
        return segment.multiplier > 0

    def leading(self, state: AllFivesState, sides: tuple[int, ...]) -> tuple[int, ...]:
        return leaders(sides, lambda side: state.scores[side])

    def score(self, state: AllFivesState, side: int) -> int:
        return state.scores[side]

    def view(self, state: AllFivesState, turn: Turn, seat: int | None) -> Panel:
        """`total` is the sum of the darts of a visit until it is known what that comes to."""
        detail = tuple(
            {
                "average": tally.average,
                "best": tally.highs.get("round", 0),
                "visits": [tally.counts.get("fives", 0), tally.counts.get("visits", 0)],
            }
            for tally in turn.tallies
        )
        board: dict[str, Any] = {"target": state.options.target, "notes": [dart.points for dart in turn.darts]}
        if turn.darts_left:
            board["total"] = _total(turn)
        return Panel("plain", detail, targets=_find_fits(state, turn), board=board)

    def task(self, state: AllFivesState, turn: Turn, panel: Panel) -> Sentence:
        if not turn.darts:
            return _say_first(state.options)
        total = _total(turn)
        if state.options.must_score == "every":
            if not all(dart.points for dart in turn.darts):
                return say("all_fives.none", "A dart has missed: this visit makes no points")
            if turn.darts_left > 1:
                return say(
                    "all_fives.so_far_every", "Make it divisible by 5: {total} so far; no dart may miss", total=total
                )
        elif turn.darts_left > 1:
            return say(
                "all_fives.so_far",
                "Make it divisible by 5: {total} so far; your third dart must hit the board",
                total=total,
            )
        if not panel.targets:
            return say("all_fives.over_target", "More would go over {target}: no points", target=state.options.target)
        if total % 5 == 0:
            return say("all_fives.stays", "Hit what is lit: your {total} stays divisible by 5", total=total)
        return say("all_fives.last", "Hit what is lit: it makes your {total} divisible by 5", total=total)

    def reason(self, state: AllFivesState, turn: Turn, bust: bool) -> Sentence | None:
        total = _total(turn)
        if not bust:
            return None
        if total % 5:
            return say("all_fives.bust", "No points: {total} is not divisible by 5", total=total)
        if all(dart.points for dart in turn.darts):
            return say("all_fives.over", "No points: that would go over {target}", target=state.options.target)
        return say("all_fives.missed", "No points: a dart missed")

    def advise(self, state: AllFivesState, turn: Turn, seat: int, skill: Skill) -> Advice:
        """What the visit may come to, by the chance that the darts after this one make it divisible."""
        total, left, options = _total(turn), turn.darts_left - 1, state.options
        most = 5 * (options.target - state.scores[turn.side]) if options.end == "exact" else 1000
        chance = _chances(skill, left)

        def worth(segment: Segment) -> float:
            now = total + segment.points
            if not segment.points and (not left or options.must_score == "every"):
                return 0.0
            return chance[now % 5] * (now + _USUAL * left) if now + left <= most else 0.0

        return Advice(aim=skill.best(worth, _BEDS))


def _say_first(options: Options) -> Sentence:
    """The task of a visit before its first dart."""
    if options.must_score == "every":
        what = say("all_fives.every", "Make a total divisible by 5, with no dart that misses")
    else:
        what = say("all_fives.third", "Make a total divisible by 5; your third dart must hit the board")
    if options.end == "exact":
        return say("all_fives.exact", "{what}; exactly {target} wins", what=what, target=options.target)
    return what


_USUAL = 10
"""Points of an average dart, for the darts that only have to make the total fit."""
_BEDS = (
    *("T20", "DB", "T15", "SB", "D20", "T10", "T19", "T18", "T17", "T16"),
    *(f"S{number}" for number in (20, 15, 10, 5, *range(19, 15, -1), *range(14, 10, -1), *range(9, 5, -1), 4, 3, 2, 1)),
)


def _chances(skill: Skill, darts: int) -> tuple[float, ...]:
    """The chance that so many darts make the total divisible by five, by the remainder that it has now."""
    chances: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0, 0.0)
    shares = [_shares(skill, aim) for aim in _BEDS] if darts else []
    for _ in range(darts):
        chances = tuple(
            max(sum(share * chances[(had + n) % 5] for n, share in enumerate(of)) for of in shares) for had in range(5)
        )
    return chances


def _shares(skill: Skill, aim: str) -> list[float]:
    """How often a dart aimed there scores, by the remainder of its points divided by five."""
    shares = [0.0] * 5
    for segment, share in skill.chances(aim):
        shares[segment.points % 5] += share if segment.points else 0.0
    return shares


def _find_fits(state: AllFivesState, turn: Turn) -> tuple[str, ...]:
    """Where the last dart makes the visit count; nothing before it, for then any bed may."""
    options, total = state.options, _total(turn)
    if turn.darts_left != 1 or (options.must_score == "every" and not all(dart.points for dart in turn.darts)):
        return ()
    most = 5 * (options.target - state.scores[turn.side]) - total if options.end == "exact" else 60
    beds = {f"{ring}{n}": times * n for times, ring in enumerate("SDT", 1) for n in range(20, 0, -1)}
    beds |= {"SB": 25, "DB": 50}
    return tuple(bed for bed, points in beds.items() if (total + points) % 5 == 0 and points <= most)


def _total(turn: Turn) -> int:
    return sum(dart.points for dart in turn.darts)


GAMES = (AllFives(),)
