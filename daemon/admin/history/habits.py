"""What a player makes a habit of: the days with darts, how far the goals are, and the doubles that need practice.

A match belongs to the local day on which it began. Matches that were stopped count: their darts were thrown.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from itertools import count

from msgspec import Struct

from daemon.admin.history.player_figures import WINDOW, Appearance, choose_main_figure, group_by_variant, pool_figures
from daemon.admin.requests import Goal
from engine.routines import propose_doubles
from engine.statistics import collect_figures
from engine.tally import Figure, pool_tallies
from protocol.routine import Routine

DAYS = 84
"""So many days are shown, today among them."""
_WEEK = timedelta(days=7)


class GoalProgress(Goal, frozen=True, kw_only=True):
    """How far a goal is: `value` of its `amount`; None: the game has not been played.

    `label` is what the game is called, and `figure` which figure of it is meant.
    """

    value: float | None
    is_reached: bool
    label: str | None = None
    figure: Figure | None = None


class WeakDouble(Struct, frozen=True):
    """A double that is hit seldom: hits, and darts at it."""

    target: str
    hits: int
    darts: int


class Practice(Struct, frozen=True):
    """A routine at the weakest doubles. A match of the `game` with these `options` and the `routine` begins it."""

    doubles: tuple[WeakDouble, ...]
    game: str
    options: Mapping[str, str]
    routine: Routine


class Habits(Struct, frozen=True):
    """`days` has the darts of each of the last DAYS days that has any, oldest first.

    `practice` is None if too few darts were thrown at doubles.
    """

    days: Mapping[str, int]
    goals: tuple[GoalProgress, ...]
    practice: Practice | None


def find_habits(appearances: Sequence[Appearance], goals: Iterable[Goal], today: date) -> Habits:
    """Returns the habits of the player of all these appearances, as they are today."""
    darts: dict[date, int] = {}
    for match, part in appearances:
        day = datetime.fromisoformat(match.at).astimezone().date()
        if part.tally.darts:
            darts[day] = darts.get(day, 0) + part.tally.darts
    return Habits(
        days={day.isoformat(): n for day, n in sorted(darts.items()) if today - timedelta(days=DAYS) < day <= today},
        goals=tuple(_measure(goal, appearances, darts, today) for goal in goals),
        practice=_propose(appearances),
    )


def _measure(goal: Goal, appearances: Sequence[Appearance], darts: Mapping[date, int], today: date) -> GoalProgress:
    value: float | None
    label, figure = None, None
    match goal.kind:
        case "darts":
            week = _start_of_week(today)
            value = sum(n for day, n in darts.items() if week <= day <= today)
        case "days":
            value = _count_streak(darts.keys(), today, timedelta(days=1))
        case "weeks":
            value = _count_streak({_start_of_week(day) for day in darts}, _start_of_week(today), _WEEK)
        case "average":
            value, label, figure = _find_figure(goal.game, appearances)
    return GoalProgress(
        kind=goal.kind,
        amount=goal.amount,
        game=goal.game,
        value=value,
        is_reached=value is not None and value >= goal.amount,
        label=label,
        figure=figure,
    )


def _start_of_week(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _count_streak(played: Collection[date], now: date, step: timedelta) -> int:
    """How many in a row until now; the present one need not be among them yet."""
    last = now if now in played else now - step
    return next(n for n in count() if last - n * step not in played)


def _find_figure(variant: str, appearances: Sequence[Appearance]) -> tuple[float | None, str | None, Figure | None]:
    """The figure over the latest matches of this variant that were not stopped, as the trend has it; and its names."""
    those = next((each for each in group_by_variant([*appearances]) if each[0].match.variant == variant), None)
    if those is None:
        return None, None, None
    figure = choose_main_figure(those[-1])
    recent = [each for each in those if each.part.tally.darts and not each.match.was_stopped][-WINDOW:]
    value = pool_figures(recent).value(figure) if recent else None
    return value, those[-1].match.label, figure


def _propose(appearances: Iterable[Appearance]) -> Practice | None:
    targets = collect_figures(pool_tallies(part.tally for _, part in appearances)).targets
    routine = propose_doubles(targets)
    if routine is None:
        return None
    first = routine.exercise
    chosen = [str(exercise.options["target"]) for exercise in routine.exercises]
    return Practice(
        doubles=tuple(WeakDouble(target, *targets[target]) for target in chosen),
        game=first.game,
        options=first.options,
        routine=routine,
    )
