"""Sounds that rules name: the screens of the table that speak play them, after the call of what has happened."""

from __future__ import annotations

from collections.abc import Callable

from daemon.config.outlets import Rule
from daemon.outlets.rules import Happening


class RuleSounds:
    """An action of the outlets. `play` has the screens of a table play the sound with a key."""

    def __init__(self, play: Callable[[str, str], None]) -> None:
        self._play = play

    def take(self, rule: Rule, given: Happening) -> None:
        """Has the sound played that the rule names, if it names one."""
        if rule.then.sound is not None:
            self._play(given.table, rule.then.sound)
