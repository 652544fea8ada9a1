"""What a board that sees the darts in it makes its table do: enter and correct darts, and close the visit they were of.

daemon/table/sensed.py decides what that is. Pure, as the scorer is that it is a part of; loaded only by tables with
such a board.
"""

from __future__ import annotations

from daemon.table.effects import Effects
from daemon.table.sensed import SensedDarts, Wanted
from daemon.table.takeout import may_be_pulled
from daemon.table.visit_inputs import VisitInputs
from engine.position import Position
from protocol.commands import Command, CommandError, Sensor, Throw
from protocol.events import BoardEvent
from protocol.sentence import Sentence, say


class SensedInputs:
    """The inputs of one such board, while the match is at its own table."""

    def __init__(self, inputs: VisitInputs) -> None:
        self.darts = SensedDarts()
        self._inputs = inputs

    @property
    def is_pulled(self) -> bool:
        """Whether the next dart is one of the next visit: the board has seen that the darts of this one were pulled."""
        inputs = self._inputs
        return inputs.match.position.phase == "takeout" and inputs.takeout.mode == "sensor" and self.is_empty

    @property
    def is_empty(self) -> bool:
        """Whether the board has seen that the darts of this visit were pulled, and none since."""
        return self.darts.is_pulled(self._inputs.sheet.opened)

    def take(self, event: BoardEvent) -> str | Sentence | None:
        """Acts on what the board says that is no dart. Returns why it has no effect on the match."""
        wanted = self.darts.hear(event, self._inputs.sheet.opened, self._inputs.now)
        if wanted.why is not None:
            self._inputs.status.counts.drop("refused")
            return wanted.why
        why = self._do(wanted)
        if wanted.is_again:
            why = self._do(self.darts.hear(event, self._inputs.sheet.opened, self._inputs.now))
        return why

    def answer(self, command: Sensor) -> None:
        """Carries out what people decide about the darts that the board sees. Raises CommandError."""
        self._do(self.darts.answer(command, self._inputs.sheet.opened))

    def note_dart(self, given: Throw, line: int) -> None:
        """Notes a dart of the board that is on this line now; at most 0: it does not count."""
        if given.key:
            self.darts.note_dart(given, self._inputs.sheet.opened, max(0, line))

    def note_command(self, command: Command, match_id: str, before: Position) -> None:
        """Has the board told what a player has changed by this command, before which the match stood at `before`."""
        told = self.darts.note_command(command, self._inputs.sheet.opened, match_id, before)
        self._inputs.parts.append(self._inputs.status.correct(told))

    def _do(self, wanted: Wanted) -> str | Sentence | None:
        """Does what follows from the darts that the board sees. Returns why the latest of it has no effect."""
        inputs = self._inputs
        why: str | Sentence | None = None
        for given in wanted.inputs:
            if isinstance(given, Throw):
                why = self._enter(given)
            elif not (outcome := inputs.enter(given, "board")).accepted:
                why = say("refused.correction", "the board has corrected a dart: {why}", why=outcome.said or "")
                inputs.parts.append(Effects(notice=why))
        if wanted.is_pulled and may_be_pulled(inputs.match):
            if inputs.takeout.mode == "sensor":
                why = self._close_pulled() or why
            elif inputs.match.position.phase == "takeout":
                inputs.takeout.note_player(inputs.now)
        for given in wanted.since:
            why = self._enter(given)
        if wanted.is_asked:
            inputs.parts.append(Effects(is_state_changed=True))
        return why

    def _enter(self, given: Throw) -> str | Sentence | None:
        """Enters a dart that was found. Returns why it does not count."""
        outcome = self._inputs.throw(given, self._inputs.now, is_pulled=self.is_pulled)
        self.note_dart(given, self._inputs.match.line if outcome.accepted else 0)
        return None if outcome.accepted else self._inputs.report_stray(given.segment, outcome.said or "")

    def _close_pulled(self) -> str | Sentence | None:
        """Closes the visit whose darts were pulled. Returns why it stays open; None: it does not."""
        try:
            self._inputs.close_visit("sensor", with_defaults=True)
        except CommandError as error:
            self._inputs.parts.append(Effects(notice=error.said))
            return error.said
        return None
