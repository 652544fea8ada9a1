"""A match in two places at the table that keeps it: its part of the scorer, loaded with the first such match.

Which side throws where, and what has been decided, is in daemon/table/places.py; here it is applied to the scoresheet.
Pure, as the scorer is.
"""

from __future__ import annotations

from msgspec import UNSET
from msgspec.structs import replace

from daemon.table.effects import Away, Effects
from daemon.table.places import (
    Places,
    PlaceSender,
    ask_again,
    describe_places,
    describe_wish,
    end_wish,
    judge,
    name_here,
    take,
)
from daemon.table.scoresheet import Scoresheet, Sender
from protocol import messages
from protocol.commands import ChangePlan, Command, CommandError, Join, Leave, Lend, Start
from protocol.sentence import say


class SharedMatch:
    """The matches in two places on this scoresheet, of the table `own`."""

    def __init__(self, sheet: Scoresheet, own: str) -> None:
        self._sheet = sheet
        self._own = own
        self._away: dict[str, Away] = {}
        """The links to other tables that play along here."""

    @property
    def _places(self) -> Places:
        """Those of the current match, which is one in two places."""
        places = self._sheet.opened.places
        assert places is not None
        return places

    def _set_places(self, places: Places) -> Effects:
        self._sheet.set_places(places)
        return Effects(is_state_changed=True)

    def name_here(self, command: Command) -> Command:
        """The command, where it names this table among the places of a match, with None for it."""
        if isinstance(command, Start) and command.spec is not None:
            return replace(command, spec=name_here(command.spec, self._own))
        return ChangePlan(name_here(command.wanted, self._own)) if isinstance(command, ChangePlan) else command

    def decide(self, sender: PlaceSender) -> Effects:
        """Notes that this input of another table is decided now. Raises CommandError if it must not be."""
        places = take(self._sheet.opened.places, sender)
        if places is None:  # it was before, or others come first
            raise CommandError(say("refused.decided", "this was decided before"), "stale")
        return self._set_places(places)

    def judge(self, command: Command, sender: Sender, now: int) -> tuple[bool, Effects]:
        """Whether the tables of the match agree to a command; else it is noted that it is asked for.

        Raises CommandError when it is for another table to give.
        """
        places = self._places
        after, may_be_done = judge(places, self._sheet.match, command, sender, now, self._away)
        effects = Effects() if after == places else self._set_places(after)
        if not may_be_done and after.wanted is not None:
            said = say("refused.wish", "the other table was asked; it is done when both have asked for the same")
            effects = replace(effects, notice=said)
        return may_be_done, effects

    def end_wish(self) -> Effects:
        """Once the time is over in which the others could agree to what was asked for."""
        return self._set_places(end_wish(self._places))

    def lend(self, command: Lend | Join | Leave, *, is_lent: bool) -> Effects:
        """Returns that the board of this table is asked for. Raises CommandError when that cannot be."""
        match = self._sheet.match
        if not isinstance(command, Lend):
            raise CommandError(say("refused.no_places", "this match is not played in two places"), "illegal")
        if command.to == self._own:
            raise CommandError(say("refused.lend_own", "a table cannot be lent to itself"), "invalid")
        if command.to is not None and match.line > 1 and not match.position.over and not is_lent:
            raise CommandError(say("refused.goes_on", "a match is in progress: end it first"), "illegal")
        return Effects(lend=command)

    def note_away(self, table: str, away: Away) -> Effects:
        """Notes what is known of the link to a table that plays along here."""
        was, self._away[table] = self._away.get(table, Away()), away
        if (places := self._sheet.opened.places) is not None and was.since_ns is not None and away.since_ns is None:
            self._sheet.set_places(ask_again(places, table))
        return Effects(is_state_changed=True)

    def show(self, state: messages.State) -> messages.State:
        """The state of the match with the places of its sides."""
        places = self._places
        wish = describe_wish(places, self._own) or UNSET
        return replace(state, places=describe_places(places, self._own, self._away), wish=wish)
