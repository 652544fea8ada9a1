"""The scorer of a table: writes what the board saw and what people asked for on the scoresheet, line by line.

It works in memory and never waits. What a board, a phone or a timer means
by "next" or "undo" is decided here, always as explicit lines, so that a record alone tells the whole match.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from daemon import rights, rules
from daemon.batch import Batch
from daemon.matches import Opened
from daemon.scoresheet import Scoresheet
from daemon.takeout import Takeout
from daemon.updates import Events
from engine.facts import Undone
from engine.match import Match, Outcome
from engine.record import Choose, Input, Next, Refused, Throw, Undo, Unreadable, read_input
from protocol import messages
from protocol.commands import CommandError

_BUTTON_REST_S = 1.0
"""A button that bounces, is pressed twice or held down must not skip a player, however short the board's own times."""


class Scorer:
    """The scorer of one table. `clock` gives monotonic seconds; commands raise CommandError when refused."""

    def __init__(self, opened: Opened, events: Events, takeout: Takeout, clock: Callable[[], float]) -> None:
        self._sheet = Scoresheet(opened, events)
        self._takeout = takeout
        self._clock = clock
        self._pressed_at = -_BUTTON_REST_S
        """When somebody last asked for the next visit, in vain or not."""
        self._takeout.rule(self.match, clock())

    @property
    def trouble(self) -> str | None:
        """Why nothing can be written down now; then every input is refused for it."""
        return self._sheet.trouble

    @trouble.setter
    def trouble(self, trouble: str | None) -> None:
        self._sheet.trouble = trouble

    @property
    def match(self) -> Match:
        """The match at hand."""
        return self._sheet.match

    @property
    def match_id(self) -> str:
        """What it is called."""
        return self._sheet.match_id

    @property
    def plan(self) -> messages.Plan:
        """The match that the next start begins."""
        return self._sheet.plan

    def resume(self, opened: Opened) -> None:
        """Goes on with a match as the disk has it."""
        self._sheet.take_up(opened)
        self._takeout.rule(self.match, self._clock())

    def stay(self, match_id: str, line: int) -> bool:
        """Goes on with this match, of a withdrawn game, at this line as it is in memory. False: it is not there."""
        is_there = self._sheet.stay(match_id, line)
        self._takeout.rule(self.match, self._clock())
        return is_there

    @property
    def seen(self) -> rules.Seen:
        """How the match at hand looks after its last line, without the numbers that it is published with."""
        return self._sheet.seen

    def open(self, batch: Batch) -> None:
        """Notes the beginning of the match at hand."""
        self._sheet.open(batch)
        self._takeout.rule(self.match, self._clock())

    def obey(self, command: dict[str, Any], source: str, batch: Batch) -> None:
        """A player's command (see protocol.commands)."""
        at = command.get("at")
        if at is not None and at != self.match.line:
            raise CommandError(f"the match is at line {self.match.line} and not at {at}: look again", "stale")
        if "choose" in command and "amend" in command and self._sheet.seen.hands:
            raise CommandError("an answer that others may not see is corrected by undo, not by amend", "illegal")
        if "choose" in command and "amend" not in command:
            rights.check_answer(self.match, command.get("prompt"), source)
        if "start" in command:
            self._start(command["start"], command.get("order"), source, batch)
        elif "game" in command:
            self._plan(command["game"], batch)
        elif "next" in command:
            self.next(batch, source)
        elif "undo" in command:
            self.undo(batch, source)
        elif "miss" in command:
            self._must(Throw(self.match.layout.miss.id), source, batch)
        else:
            try:
                self._must(read_input(command), source, batch)
            except (Refused, Unreadable) as error:
                raise CommandError(str(error), "invalid") from None

    def throw(self, segment_id: str, at: float, batch: Batch) -> Outcome:
        """A dart that a sensor saw at that time. It is no error when it does not count."""
        if self.trouble is None and self.match.position.phase == "takeout" and self._takeout.hit_opens(at):
            self.next(batch, "hits")
        outcome = self._enter(Throw(segment_id), "board", batch)
        self.touch(at)
        return outcome

    def touch(self, at: float) -> None:
        """Something hit the board at that time."""
        self._takeout.touch(at)
        self.wait()

    def wait(self) -> None:
        """Something stirs at the board. While darts are pulled, the next visit waits until that is over."""
        if self.match.position.phase != "throwing":
            self._takeout.rule(self.match, self._clock())

    def press(self, button: str, at: float, batch: Batch) -> None:
        """A button of the board, pressed at that time."""
        phase = self.match.position.phase
        if button == "next":
            rested = at - self._pressed_at >= _BUTTON_REST_S
            self._pressed_at = at
            if rested or self.match.position.visit.darts:
                self.next(batch, "button", with_defaults=True)
        elif button == "takeout" and phase == "takeout":
            self._takeout.pull(self._clock())
        elif button == "undo":
            self.undo(batch, "button")
        elif button == "miss" and phase == "throwing":
            self._must(Throw(self.match.layout.miss.id), "button", batch)

    def next(self, batch: Batch, source: str, *, with_defaults: bool = False) -> None:
        """Closes the visit. Darts nobody saw are written down as misses first, so that they can be corrected.

        `with_defaults` answers open questions that have a default, for those who have no way to answer. With darts
        left it answers what ends the visit: those are not thrown, and no misses.
        """
        rights.check_next(self.match, source)
        already = len(batch.written)
        stop = next((p for p in self.match.position.prompts if p.ends_visit), None)
        if with_defaults and stop is not None and stop.default is not None:
            self._must(Choose(stop.default, stop.id), source, batch)
        while True:
            position = self.match.position
            prompt = position.blocking
            if position.phase == "throwing":
                self._must(Throw(self.match.layout.miss.id), source, batch)
            elif prompt is not None and with_defaults and prompt.default is not None:
                self._must(Choose(prompt.default, prompt.id), source, batch)
                self._note_timer(source)
            else:
                break
        if len(batch.written) > already and (position.over or prompt is not None):
            return  # the misses ended the match, or raised a question that keeps the visit open
        self._must(Next(), source, batch)
        if source != "button":
            self._pressed_at = self._clock()
        self._note_timer(source)

    def time_is_up(self, batch: Batch) -> None:
        """Nobody has pressed next for long enough."""
        self._takeout.due = None
        try:
            self.next(batch, "timer", with_defaults=True)
        except CommandError as error:
            batch.notice = str(error)

    def undo(self, batch: Batch, source: str) -> None:
        """Takes back one input; a `next` that only the timer wrote goes together with the dart before it."""
        if self.match.position.stopped:  # the dart before would go, and the match not come back
            raise CommandError("the match was stopped, and undo does not bring it back: start another", "illegal")
        while True:
            outcome = self._must(Undo(), source, batch)
            undone = next((fact.line for fact in outcome.facts if isinstance(fact, Undone)), None)
            if undone not in self._sheet.timer_lines:
                break
        self._takeout.rest()

    def _note_timer(self, source: str) -> None:
        if source == "timer":
            self._sheet.timer_lines.add(self.match.line)

    def _start(self, wanted: dict[str, Any] | None, order: str | None, source: str, batch: Batch) -> None:
        """A new match: of this header, or the planned one. It may be another that decides its `order` first."""
        try:
            self._sheet.start(wanted, order, source, batch)
        except Unreadable as error:
            raise CommandError(str(error), "invalid") from None
        self._takeout.rule(self.match, self._clock())
        batch.plan = self.plan

    def _plan(self, wanted: object, batch: Batch) -> None:
        try:
            self._sheet.plan_next(wanted if isinstance(wanted, dict) else {"game": wanted})
        except Unreadable as error:
            raise CommandError(str(error), "invalid") from None
        batch.plan = self.plan

    def _must(self, given: Input, source: str, batch: Batch) -> Outcome:
        outcome = self._enter(given, source, batch)
        if not outcome.accepted:
            raise CommandError(outcome.reason or "", "illegal")
        return outcome

    def _enter(self, given: Input, source: str, batch: Batch) -> Outcome:
        outcome = self._sheet.enter(given, source, batch)
        if outcome.accepted:
            self._takeout.rule(self.match, self._clock())
        return outcome
