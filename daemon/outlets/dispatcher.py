"""What the rules of `[outlets]` lead to: each event of a table is compared with them, and what they name is done.

The table never waits. `publish` puts an update into a queue of 100, from which the oldest go when it is full; a task
takes them from there. Whatever is done (a web hook, a light) has a queue and a task of its own, so that none waits for
another. Nothing of this wing is loaded where the configuration has no `[outlets]`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from daemon.config.names import list_names
from daemon.config.outlets import Rule
from daemon.outlets.backlog import Backlog
from daemon.outlets.rules import Happening, is_met
from daemon.part import Part
from daemon.table.effects import Update
from protocol.messages import State
from protocol.segment import Layout


class Action(Protocol):
    """Something that a rule can do."""

    def take(self, rule: Rule, given: Happening) -> None:
        """Does what the rule names of this kind, if it names any. Does not wait, and does not raise."""


class Dispatcher(Part):
    """Has these actions done by these rules. A Part for all tables, whose layouts are given by name.

    Each of `followers` is called with every update, before the rules are looked at for it.
    """

    def __init__(
        self,
        rules: Sequence[Rule],
        layouts: Mapping[str, Layout],
        actions: Sequence[Action],
        followers: Sequence[Callable[[Update], None]] = (),
    ) -> None:
        self._rules: dict[str, dict[int, Rule]] = {}
        """The rules by what they are on and by their places."""
        for place, rule in enumerate(rules):
            for name in list_names(rule.on):
                self._rules.setdefault(name, {})[place] = rule
        self._layouts = layouts
        self._actions = actions
        self._followers = followers
        self._waiting = Backlog[Update]("the check of the rules")
        self._states: dict[str, State] = {}

    def publish(self, update: Update) -> None:
        """Notes the update; `run` looks at it."""
        if update.state is not None or update.events:
            self._waiting.put(update)

    async def run(self) -> None:
        """Does what the rules say until cancelled."""
        while True:
            self._do(await self._waiting.take())
            await asyncio.sleep(0)  # the tables have their turn between two updates

    def _do(self, update: Update) -> None:
        table = update.table
        before = self._states.get(table)
        state = update.state or before
        if state is not None:
            self._states[table] = state
        for follow in self._followers:
            follow(update)
        is_leg_over = before is not None and state is not None and _name_leg(before) != _name_leg(state)
        for event in update.events:
            is_known = state is not None and event.match == state.match
            about = self._layouts[table], is_leg_over, update.is_lent
            given = Happening(table, event, state if is_known else None, *about)
            possible = {place: rule for name in given.names for place, rule in self._rules.get(name, {}).items()}
            for _, rule in sorted(possible.items(), key=lambda found: found[0]):
                if is_met(rule, given):
                    for action in self._actions:
                        action.take(rule, given)


def _name_leg(state: State) -> tuple[str | None, int, int]:
    return state.match, state.set, state.leg
