"""How an input gets on the scoresheet of a table: darts are entered, visits closed and undone, as explicit lines.

What follows from an input (the takeout timer, which of the darts that were entered by hand are undone) is seen to with
each. Pure, as the scorer is that it is a part of.
"""

from __future__ import annotations

from daemon.table.board_status import BoardStatus
from daemon.table.effects import Effects
from daemon.table.hand_darts import HandDarts
from daemon.table.scoresheet import Scoresheet, SeatSender, Sender, explain_stray
from daemon.table.takeout import Takeout
from engine.match import Match, Outcome
from protocol.commands import Choose, CommandError, Input, Next, Throw, Undo
from protocol.facts import Stray, Undone, make_event
from protocol.sentence import Sentence, say

BUTTON_REST_NS = 1_000_000_000
"""A button that bounces, is pressed twice or held down must not skip a player, however short the board's own times."""


class VisitInputs:
    """The inputs of one table. Times are nanoseconds of one monotonic clock; `now` is set by the scorer.

    `parts` is what has followed so far from its current call.
    """

    def __init__(self, sheet: Scoresheet, takeout: Takeout, hand_darts: HandDarts, status: BoardStatus) -> None:
        self.sheet = sheet
        self.takeout = takeout
        self.status = status
        self.now = 0
        self.pressed_ns = -BUTTON_REST_NS
        """When a player last asked for the next visit, also when it was refused."""
        self.parts: list[Effects] = []
        self._hand_darts = hand_darts

    @property
    def match(self) -> Match:
        """The current match, to be read only."""
        return self.sheet.match

    def enter(self, given: Input, sender: Sender) -> Outcome:
        """Rules on one line, which is written down when it is accepted."""
        outcome, effects = self.sheet.enter(given, sender)
        self.parts.append(effects)
        if outcome.accepted:
            self.takeout.restart(self.match, self.now)
            self._hand_darts.follow(outcome.facts, self.sheet.opened.id)
        return outcome

    def enter_or_raise(self, given: Input, sender: Sender) -> Outcome:
        """The same for one that must be accepted. Raises CommandError."""
        outcome = self.enter(given, sender)
        if not outcome.accepted:
            raise CommandError(outcome.said or "", "illegal")
        return outcome

    def throw(self, given: Throw, at: int, *, is_pulled: bool) -> Outcome:
        """A dart that a sensor saw at that time. It is no error when it does not count.

        `is_pulled`: the darts of the visit were pulled, so that this is one of the next.
        """
        try:
            if self.match.position.phase == "takeout":
                if self.takeout.opens_next_visit(at):
                    self.close_visit("hits")
                elif is_pulled:
                    self.close_visit("sensor")
            outcome = self.enter(given, "board")
        except CommandError as error:  # the visit before it cannot be closed
            outcome = Outcome(accepted=False, said=error.said)
        self.note_contact(at)
        return outcome

    def report_stray(self, segment_id: str, why: str | Sentence) -> str | Sentence:
        """Says that a dart which the board has reported does not count. Returns why."""
        self.status.counts.stray += 1
        events = (make_event(Stray(segment=segment_id)),)
        self.parts.append(Effects(events=events, notice=explain_stray(segment_id, why)))
        return why

    def note_contact(self, at: int) -> None:
        """Notes that something hit the board."""
        self.takeout.note_contact(at)
        self.restart_takeout()

    def restart_takeout(self) -> None:
        """Restarts the takeout timer, unless darts are awaited: something moves at the board."""
        if self.match.position.phase != "throwing":
            self.takeout.restart(self.match, self.now)

    def close_visit(self, sender: Sender, *, with_defaults: bool = False) -> None:
        """Closes the visit. Darts that no sensor saw are written down as misses first, so that they can be corrected.

        `with_defaults` answers open questions that have a default, for a button or timer, which cannot answer. With
        darts left it answers what ends the visit: those are not thrown, and no misses.
        """
        self.sheet.check_next(sender)
        before = self.match.line
        stop = next((p for p in self.match.position.prompts if p.ends_visit), None)
        if with_defaults and stop is not None and stop.default is not None:
            self.enter_or_raise(Choose(stop.default, stop.id), sender)
        while True:
            position = self.match.position
            prompt = position.blocking
            if position.phase == "throwing":
                self.enter_or_raise(Throw(self.match.layout.miss.id), sender)
            elif prompt is not None and with_defaults and prompt.default is not None:
                self.enter_or_raise(Choose(prompt.default, prompt.id), sender)
                self._note_timer(sender)
            else:
                break
        if self.match.line > before and (position.over or prompt is not None):
            return  # the misses ended the match, or raised a question that keeps the visit open
        self.enter_or_raise(Next(), sender)
        if sender != "button":
            self.pressed_ns = self.now
        self._note_timer(sender)

    def undo(self, sender: Sender) -> None:
        """Takes back one input; a `next` that only the timer wrote goes together with the input before it."""
        if self.match.position.stopped and not self.match.header.undo_all:  # a dart would go, and the match stay over
            raise CommandError(
                say("refused.stays_stopped", "the match was stopped, and undo does not bring it back: start a new one"),
                "illegal",
            )
        while True:
            outcome = self.enter_or_raise(Undo(), sender)
            undone = next((fact.line for fact in outcome.facts if isinstance(fact, Undone)), None)
            if undone not in self.sheet.opened.timer_lines:
                break
        self.takeout.suspend()

    def close_by_timer(self, *, is_pulled: bool) -> None:
        """Closes the visit as the darts are pulled by now, if that can be.

        `is_pulled`: the board has seen it. That is written down, so that it is known after a restart.
        """
        self.takeout.due = None
        try:
            self.close_visit("sensor" if is_pulled else "timer", with_defaults=True)
        except CommandError as error:
            self.parts.append(Effects(notice=error.said))

    def _note_timer(self, sender: Sender) -> None:
        if is_timer(sender):
            self.sheet.opened.timer_lines.add(self.match.line)


def is_timer(sender: Sender) -> bool:
    """Whether no person wrote it, here or at another table."""
    return sender in ("timer", "sensor") or (not isinstance(sender, str | SeatSender) and sender.is_timer)
