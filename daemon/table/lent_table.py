"""A table that plays along in a match at another one: what its darts, buttons and commands mean there.

Its board, debounce and takeout are its own; the match is the other table's, of which it knows the last state that it
has seen, and what it has sent since. A dart while another side throws, or while darts are pulled, stays here; all else
becomes an input that the other table decides on. Pure, as the scorer is that it is a part of.
"""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, Struct
from msgspec.structs import replace

from daemon.table.lent_inputs import LentInput, LentInputs
from daemon.table.scoresheet import SeatSender, Sender
from daemon.table.takeout import Takeout
from engine.match import Outcome
from protocol.commands import (
    ChangePlan,
    Command,
    CommandError,
    Join,
    Leave,
    Lend,
    Miss,
    Next,
    Start,
    Throw,
    Total,
    Undo,
    encode_line,
)
from protocol.events import BoardEvent, TakeoutSeen
from protocol.messages import Answer, State
from protocol.sentence import Sentence, say


class _View(Struct, frozen=True):
    """Where the match is, with what was sent since the last state: whether a side here throws, and its darts left."""

    is_ours: bool
    darts_left: int


class LentTable:
    """The table `own`, whose inputs go to the table of `inputs`. Times are nanoseconds of one monotonic clock.

    `miss` is the segment that no dart hits.
    """

    def __init__(self, own: str, inputs: LentInputs, takeout: Takeout, miss: str) -> None:
        self.inputs = inputs
        self.takeout = takeout
        self.state: State | None = None
        """The match as it was seen last."""
        self._own = own
        self._miss = miss
        self._unseen = [*inputs.waiting]
        """What was sent and may not be in that state yet."""
        self._pressed_ns = 0
        self._rests = False
        """Whether the takeout timer rests: since an undo nothing has moved here, a player is correcting something."""

    @property
    def answer(self) -> Answer:
        """Where the match is, as far as it is known here."""
        return Answer(1, "takeout") if self.state is None else Answer(self.state.line, self.state.phase)

    @property
    def visit(self) -> int | None:
        """The number of the visit that is thrown there, as far as it is known here."""
        return None if self.state is None else self.state.turn.visit

    @property
    def line(self) -> int:
        """The line that the match has there once all that was sent has counted."""
        written = [each for each in self._unseen if not {"join", "leave"} & each.input.keys()]
        return self.answer.line + len(written)

    def see(self, state: State, now: int) -> None:
        """Takes the newest state of the match."""
        if state.match != self.inputs.match or self._is_former(state):
            return
        self.state = state
        for place in () if state.places is UNSET else state.places:
            if place.table == self._own and place.session == self.inputs.session:
                self._unseen = [each for each in self._unseen if each.seq > place.seq]
        self._restart_takeout(now)

    def _is_former(self, state: State) -> bool:
        """Whether a later one was seen: the lines of a match only become more."""
        known = self.state
        if known is None or state.line > known.line:
            return False
        if state.session != known.session or state.seq is UNSET or known.seq is UNSET:
            return state.line < known.line
        return state.seq < known.seq

    def forget(self, decided: LentInput, now: int) -> None:
        """Notes that this input did not count."""
        self._unseen = [each for each in self._unseen if each.seq != decided.seq]
        self._rests = self._rests and "undo" not in decided.input
        self._restart_takeout(now)

    def throw(self, given: Throw, at: int, now: int) -> Outcome:
        """A dart that a sensor saw at that time. It is no error when it does not count. Its key stays here."""
        why = self._explain_no_dart()
        if why is None:
            self._send(replace(given, key=""), now)
        self.takeout.note_contact(at)
        self._rests = False  # something moves at the board
        self._restart_takeout(now)
        return Outcome(accepted=why is None, said=why)

    def _explain_no_dart(self) -> Sentence | None:
        state, view = self.state, self._view()
        if state is None:
            return say("refused.lent_waits", "there is no connection with the table {table} yet", table=self.inputs.to)
        if state.phase == "over":
            return say("refused.over", "the match is over: undo, or start a new one")
        if not view.is_ours:
            return say("refused.player_throws", "{name} is at the oche", name=state.turn.player)
        if view.darts_left <= 0:
            return say("refused.thrown", "all darts of this visit are thrown: pull them, then press next")
        return None

    def press(self, button: str, at: int, now: int, *, rest_ns: int) -> bool:
        """A button of the board, pressed at that time. Returns False when it does nothing now."""
        view = self._view()
        if self.state is None:
            return False
        if button == "next":
            is_rested = at - self._pressed_ns >= rest_ns
            self._pressed_ns = at
            if not view.is_ours or not (is_rested or view.darts_left < 3):
                return False
            self._send(Next(), now, timer=True)
        elif button == "takeout":
            return self._note_player(view, now)
        elif button == "undo":
            self._send(Undo(), now)
        elif button == "miss" and self._explain_no_dart() is None:
            self._send(Throw(self._miss), now)
        else:
            return False
        self._restart_takeout(now)
        return True

    def _note_player(self, view: _View, now: int) -> bool:
        """A player is at the board. Returns False when no darts are to be pulled."""
        if not view.is_ours or view.darts_left > 0:
            return False
        self._rests = False
        self.takeout.note_player(now)
        return True

    def sense(self, event: BoardEvent, now: int) -> bool:
        """What a board says that sees the darts in it, and is no dart: only that they were pulled means something.

        Returns False when it does nothing now.
        """
        if not (isinstance(event, TakeoutSeen) and event.step == "finished"):
            return False
        view, state = self._view(), self.state
        if self.takeout.mode != "sensor":
            return self._note_player(view, now)
        if state is None or not view.is_ours or state.phase == "over":
            return False
        if view.darts_left > 0 and not state.turn.darts and not any("throw" in each.input for each in self._unseen):
            return False
        self._send(Next(), now, timer=True)
        self._restart_takeout(now)
        return True

    def obey(self, command: Command, sender: Sender, now: int, at: int | None, *, is_blind: bool) -> int:
        """Takes a command that was given here; returns the number of its input. Raises CommandError.

        `at` is the line that its sender saw. Bots, and other tables, mean the match of this table. After a total, where
        no sensor sees a dart (`is_blind`), the visit is closed.
        """
        is_person = isinstance(sender, SeatSender) or sender in ("page", "mqtt")
        if not is_person or isinstance(command, Start | ChangePlan | Join | Leave | Lend):
            raise CommandError(self._explain_end_first(), "illegal")
        if self.state is None or not (at is None or self.state.line <= at <= self.line):
            raise CommandError(
                say(
                    "refused.lent_stale",
                    "the match at the table {table} has gone on: check the score, and try again",
                    table=self.inputs.to,
                ),
                "stale",
            )
        if isinstance(command, Throw | Miss | Total) and (why := self._explain_no_dart()) is not None:
            raise CommandError(why, "illegal")
        if isinstance(command, Next) and not self._view().is_ours:
            raise CommandError(
                say("refused.player_throws", "{name} is at the oche", name=self.state.turn.player), "illegal"
            )
        sent = self._send(Throw(self._miss) if isinstance(command, Miss) else command, now)
        if isinstance(command, Total) and is_blind and self._view().darts_left <= 0:
            self._send(Next(), now, timer=True)
        self._restart_takeout(now)
        return sent.seq

    def _explain_end_first(self) -> Sentence:
        """Why nothing is done in the match of this table."""
        return say("refused.lent", "this table plays along at the table {table}: end that first", table=self.inputs.to)

    def close_by_timer(self, now: int) -> None:
        """The darts are pulled."""
        self.takeout.due = None
        self._send(Next(), now, timer=True)

    def _send(self, command: Any, now: int, *, timer: bool = False) -> LentInput:  # Any: an Input
        visit = None
        if self.state is not None and isinstance(command, Throw | Total | Next):
            visit = self.state.turn.visit
        sent = self.inputs.add(encode_line(command), now, visit, timer=timer)
        self._unseen.append(sent)
        self._rests = isinstance(command, Undo)
        return sent

    def _view(self) -> _View:
        state = self.state
        if state is None or state.places is UNSET:
            return _View(is_ours=False, darts_left=0)
        is_ours = state.phase != "over" and state.places[state.turn.side].table == self._own
        view = _View(is_ours, state.turn.darts_left if state.phase in ("throwing", "deciding") else 0)
        before: list[tuple[_View, bool]] = []  # each line that is written there, and whether the timer writes it
        for each in self._unseen:
            if "undo" in each.input:
                is_timer = True
                while is_timer:  # what that wrote goes with the line before it
                    thrown = view.is_ours and bool(state.turn.darts)
                    view, is_timer = before.pop() if before else (_View(view.is_ours, view.darts_left + thrown), False)
                continue
            if not {"throw", "total", "next"} & each.input.keys() or "amend" in each.input:
                continue
            if "next" in each.input:  # darts that are not thrown become misses there
                before += [(_View(view.is_ours, left), False) for left in range(view.darts_left, 0, -1)]
                before.append((_View(view.is_ours, 0), each.timer))
                view = _View(is_ours=False, darts_left=0)
            else:
                before.append((view, False))
                darts = 1 if "throw" in each.input else each.input.get("darts", view.darts_left)
                view = _View(view.is_ours, view.darts_left - darts)
        return view

    def _restart_takeout(self, now: int) -> None:
        view, state = self._view(), self.state
        waiting = (
            not self._rests
            and view.is_ours
            and view.darts_left <= 0
            and state is not None
            and state.phase != "deciding"
        )
        self.takeout.wait(now, waiting=waiting, no_hit_opens=True)
