"""Which rules of `[[outlets.rule]]` an event meets: a pure question to the event and to what it led to."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property

from msgspec import Struct

from daemon.config.names import Names, list_names
from daemon.config.outlets import Range, Rule
from protocol.facts import Event
from protocol.messages import State
from protocol.moments import find_moment
from protocol.segment import Layout
from protocol.standard import merged


class Happening(Struct, frozen=True, dict=True):
    """An event at a table, and what it led to; `state` is None where that is of another match.

    `is_leg_over`: what it led to is of the next leg already. `is_lent`: this table plays along at another one, which
    tells of it too.
    """

    table: str
    event: Event
    state: State | None
    layout: Layout
    is_leg_over: bool = False
    is_lent: bool = False

    @cached_property
    def names(self) -> frozenset[str]:
        """The names that a rule can be `on`: the type of the event, and the moment that it makes."""
        moment = find_moment(self.event)
        if moment is not None and self.is_unread and (moment.least, moment.most) != (None, None):
            moment = None
        return frozenset([self.event.event_type] if moment is None else [self.event.event_type, moment.name])

    @cached_property
    def players(self) -> tuple[str, ...]:
        """Whose event it is: the player's, or those who have won."""
        event = self.event
        if event.player:
            return (event.player,)
        if self.state is None:
            return ()
        return tuple([name for side in event.winners or () for name in self.state.sides[side].players])

    @property
    def score(self) -> int | None:
        """The score of its side afterwards; None where it is nobody's, or the next leg has begun."""
        if isinstance(score := self.event.score, int):
            return score
        side = self.event.side
        if self.state is None or self.is_leg_over or not isinstance(side, int):
            return None
        return self.state.sides[side].score

    @cached_property
    def beds(self) -> Collection[str]:
        """The segment that the event names, and the groups that it is in. S20 is also each half of that single.

        None of a dart that the board could not read.
        """
        segment = self.event.segment
        if not isinstance(segment, str) or self.is_unread:
            return ()
        return {segment, merged(segment), *(self.layout[segment].groups if segment in self.layout else ())}

    @cached_property
    def is_unread(self) -> bool:
        """Whether its dart, or one of its visit, could not be read by the board: each is entered as a miss."""
        event, state = self.event, self.state
        visits = [] if state is None else [visit for visit in (state.turn, state.last) if visit is not None]
        if not isinstance(event.darts, tuple):
            return any(dart.unread for visit in visits for dart in visit.darts if dart.line == event.line)
        visit = next((each for each in visits if tuple([dart.segment for dart in each.darts]) == event.darts), None)
        return visit is not None and any(dart.unread for dart in visit.darts)


def is_met(rule: Rule, given: Happening) -> bool:
    """Whether the event is one that the rule is on, and all its conditions hold."""
    event = given.event
    points = event.points if isinstance(event.points, int) and not given.is_unread else None
    darts = event.darts if isinstance(event.darts, tuple) and not given.is_unread else None
    return (
        not given.names.isdisjoint(list_names(rule.on))
        and _holds(rule.points, points)
        and (rule.score is None or _holds(rule.score, given.score))
        and _fits(rule.bed, given.beds)
        and (rule.darts is None or (darts is not None and _are_these(rule.darts, darts)))
        and _fits(rule.player, given.players)
        and _fits(rule.table, (given.table,))
        and _fits(rule.game, () if given.state is None else (given.state.game,))
    )


def _holds(wanted: int | Range | None, number: int | None) -> bool:
    if wanted is None:
        return True
    if number is None:
        return False
    if isinstance(wanted, int):
        return number == wanted
    return (wanted.min is None or number >= wanted.min) and (wanted.max is None or number <= wanted.max)


def _are_these(wanted: tuple[str, ...], darts: tuple[str, ...]) -> bool:
    return sorted(wanted) in (sorted(darts), sorted(map(merged, darts)))


def _fits(wanted: Names | None, there: Collection[str]) -> bool:
    return wanted is None or any(name in there for name in list_names(wanted))
