"""The scorer of a table: what its board, its players and its clock say becomes lines of the match.

It is pure: it knows no queue, disk, network or clock, and calls the rules of games through a guard that is handed in
(daemon/rules.py); `make check` holds it to that, with all it imports. `feed` takes what the board said, `obey` what
a player asked for; both take the time, and return what follows (daemon/table/effects.py). `deadline` is when `tick`
wants to be called if nothing comes before. What was due is done first and as of its own time, so it never matters how
late a call is, or how often `tick` is called. The caller commits the lines; if it cannot, `roll_back` makes it as if
they had not been.

What a board, a phone or a timer means by "next" or "undo" is decided here, always as explicit lines, so that a record
alone tells the whole match. A hit that does not count is always reported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import UNSET, Struct
from msgspec.structs import replace

from daemon.config.sections import TableConfig
from daemon.journal.lines import Line
from daemon.rules import Guard
from daemon.table.board_status import BoardStatus
from daemon.table.board_watch import IDLE, BoardWatch
from daemon.table.effects import Away, Effects
from daemon.table.hand_darts import ENTERED, HandDart, HandDarts
from daemon.table.matches import Draw, OpenMatch
from daemon.table.scoresheet import (
    Scoresheet,
    SeatSender,
    Sender,
    SheetCheckpoint,
    explain_cut_names,
    merge,
    read_dart,
)
from daemon.table.takeout import Takeout, choose_mode
from daemon.table.visit_inputs import BUTTON_REST_NS, VisitInputs, is_timer
from engine.match import Match, Outcome
from protocol import messages
from protocol.codebook import Codebook
from protocol.commands import (
    Amend,
    ChangePlan,
    Choose,
    Command,
    CommandError,
    Input,
    Join,
    Leave,
    Lend,
    Miss,
    Next,
    Sensor,
    Start,
    Throw,
    Total,
    Undo,
)
from protocol.debounce import Debounce, Verdict
from protocol.events import (
    Amended,
    BoardEvent,
    BoardItem,
    Button,
    Cleared,
    Found,
    Hit,
    LinkDown,
    LinkUp,
    MissSensed,
    TakeoutSeen,
    Unread,
)
from protocol.facts import FACTS, BoardHit, Stray, make_event
from protocol.match_spec import Unreadable
from protocol.sentence import Sentence, say

if TYPE_CHECKING:
    from daemon.table.lent_inputs import LentInputs
    from daemon.table.lent_table import LentTable
    from daemon.table.sensed import SensedMemory
    from daemon.table.sensed_inputs import SensedInputs
    from daemon.table.shared_match import SharedMatch


class Checkpoint(Struct, frozen=True):
    """What `roll_back` restores."""

    sheet: SheetCheckpoint
    was_player_seen: bool
    pressed_ns: int
    hand_darts: tuple[HandDart, ...]
    sensed: SensedMemory | None


class Scorer:
    """The scorer of one table. Times are nanoseconds of one monotonic clock.

    Time never goes back: an earlier one is taken as the latest so far. Raises Unreadable for a match that cannot be
    played.
    """

    def __init__(self, opened: OpenMatch, config: TableConfig, codebook: Codebook, draw: Draw, guard: Guard) -> None:
        """`draw` makes the ids and seeds of its matches, whose rules are called through the `guard`."""
        self.sheet = Scoresheet(opened, codebook.layout, draw, guard)
        self.debounce = Debounce(codebook)
        self._takeout = Takeout(choose_mode(config.takeout, codebook.profile), config.takeout_s)
        self._config = config
        self.status = BoardStatus(codebook.profile.id, config.board)
        self.watch: BoardWatch | None = None
        """Told what becomes of each event of the board; None while no page looks."""
        self.lent: LentTable | None = None
        """Takes the darts and commands while the table plays along in a match at another one."""
        self._shared_match: SharedMatch | None = None
        self._has_sensor = config.has_sensor
        self._hand_darts = HandDarts()
        self._inputs = VisitInputs(self.sheet, self._takeout, self._hand_darts, self.status)
        self._sensed: SensedInputs | None = None
        """What a board that sees the darts in it needs; None: it is no such board."""
        if codebook.profile.link == "web":
            from daemon.table.sensed_inputs import SensedInputs  # noqa: PLC0415  only such a board needs it

            self._sensed = SensedInputs(self._inputs)

    @property
    def match(self) -> Match:
        """The current match, to be read only."""
        return self.sheet.match

    @property
    def _now(self) -> int:
        return self._inputs.now

    @property
    def _parts(self) -> list[Effects]:
        """What has followed so far from the current call."""
        return self._inputs.parts

    @property
    def sees_darts(self) -> bool:
        """Whether the board sees the darts in it, and names them."""
        return self._sensed is not None

    @property
    def _shared(self) -> SharedMatch:
        """What a match in two places needs; it is loaded with the first of them."""
        if self._shared_match is None:
            from daemon.table.shared_match import SharedMatch  # noqa: PLC0415

            self._shared_match = SharedMatch(self.sheet, self._config.name)
        return self._shared_match

    def feed(self, item: BoardItem, now: int) -> Effects:
        """Returns what follows from an event of the board, or of the link to it."""
        self._advance(now)
        match item:
            case LinkUp(signal_dbm=signal_dbm):
                self._set_link(True, item.text, signal_dbm)
            case LinkDown(said=said, unheard_ns=unheard_ns):
                self._set_link(False, said, unheard_ns=unheard_ns)
            case BoardEvent():
                if isinstance(item, MissSensed):
                    self._inputs.restart_takeout()  # before it is known whether it counts
                self._take_verdicts(self.debounce.feed(item))
        return self._collect()

    def obey(self, command: Command, sender: Sender, now: int, at: int | None = None) -> Effects:
        """Returns what follows from a command of this sender.

        `at` is the line that its sender saw, None if unknown. `reply` is the match's line and phase after it, or the
        CommandError that it was refused with.
        """
        self._advance(now)
        self._take_verdicts(self.debounce.settle())  # what is held back came before
        if self.lent is not None and not isinstance(command, Lend):
            return self._obey_lent(command, sender, at)
        is_here = isinstance(sender, str | SeatSender)
        try:
            if not isinstance(sender, str | SeatSender):
                self._parts.append(self._shared.decide(sender))
            if _has_places(command):
                command = self._shared.name_here(command)
            if at is not None and at != self.match.line and not isinstance(command, Lend | Sensor):
                said = say(
                    "refused.stale",
                    "the match is at line {line}, not at {at}: check the score, and try again",
                    line=self.match.line,
                    at=at,
                )
                raise CommandError(said, "stale")
            before, match_id = self.match.position, self.sheet.opened.id
            self._obey(command, sender)
            if sender != "bot" and self._sensed is not None:
                self._sensed.note_command(command, match_id, before)
            is_told = self._sensed is not None and self._sensed.darts.is_told(command, self.sheet.opened)
            if is_here and sender != "bot" and not is_told:  # whose darts this board may report
                self._hand_darts.note(command, self.sheet.opened, before, self._now)
        except CommandError as error:
            return self._collect(error)
        except Unreadable as error:  # of the match that was asked for
            return self._collect(CommandError(error.said, "invalid"))
        notice = explain_cut_names(command)
        if notice is not None:
            self._parts.append(Effects(notice=notice))
        answer = messages.Answer(self.match.line, self.match.position.phase, UNSET if notice is None else str(notice))
        return self._collect(answer)

    def deadline(self) -> int | None:
        """When `tick` is to be called if nothing comes before; None: not at any time."""
        takeout = self._takeout if self.lent is None else self.lent.takeout
        due = [time for time in (takeout.due, self.debounce.deadline(), self._wish_end) if time is not None]
        return min(due, default=None)

    @property
    def _wish_end(self) -> int | None:
        """When what the tables of a match in two places were asked for is asked for no longer."""
        places = self.sheet.opened.places
        return None if places is None or places.wanted is None else places.wanted.until

    def tick(self, now: int) -> Effects:
        """Returns what follows from the time alone."""
        self._advance(now)
        return self._collect()

    def resume(self, opened: OpenMatch, now: int) -> None:
        """Goes on with a match as the disk has it. Raises RulesFailed and leaves the current match as it was."""
        self.sheet.open(opened)
        if self._sensed is not None:
            self._sensed.darts.resume(opened)
        self._takeout.restart(self.match, now)

    def resume_withdrawn(self, match_id: str, line: int, now: int) -> bool:
        """Goes on with this match of a withdrawn game, at this line, as it is in memory. False when it is not there."""
        is_there = self.sheet.resume_withdrawn(match_id, line)
        self._takeout.restart(self.match, now)
        return is_there

    def lend(self, inputs: LentInputs | None) -> None:
        """Has the darts and commands become these inputs for another table from now on; None: they are of this one."""
        if inputs is None:
            self.lent = None
            return
        from daemon.table.lent_table import LentTable  # noqa: PLC0415  only a match in two places needs it

        takeout = Takeout(self._takeout.mode, self._config.takeout_s)
        self.lent = LentTable(self._config.name, inputs, takeout, self.match.layout.miss.id)

    def note_away(self, table: str, away: Away) -> Effects:
        """Notes what is known of the link to a table that plays along here."""
        return self._shared.note_away(table, away)

    def show(self, state: messages.State) -> messages.State:
        """The state of this match with the places of its sides, if it is one in two places, and what a board asks."""
        if self.sheet.opened.places is not None:
            state = self._shared.show(state)
        return state if self._sensed is None else self._sensed.darts.show(state, self.sheet.opened)

    def watch_board(self) -> BoardWatch:
        """Returns what keeps what becomes of the events of the board, from the first time that it is asked for."""
        if self.watch is None:
            self.watch = BoardWatch()
        return self.watch

    def end_watch(self) -> None:
        """Keeps no event any more."""
        self.watch = None

    def checkpoint(self) -> Checkpoint:
        """What `roll_back` needs to come back to this moment."""
        sensed = None if self._sensed is None else self._sensed.darts.memory
        return Checkpoint(
            self.sheet.checkpoint(),
            self._takeout.is_player_seen,
            self._inputs.pressed_ns,
            self._hand_darts.kept,
            sensed,
        )

    def roll_back(self, checkpoint: Checkpoint, effects: Effects) -> Effects:
        """Undoes all that was scored since then: `effects` is what followed from it and could not be committed.

        What the board has said stays known (its link, debounce, counts, that darts were pulled). Returns what is left
        to publish: what the board did, each of its darts as one that did not count. The takeout timer rests until the
        next input, or until the match is resumed.
        """
        self.sheet.roll_back(checkpoint.sheet)
        self._takeout.roll_back(was_player_seen=checkpoint.was_player_seen)
        self._inputs.pressed_ns = checkpoint.pressed_ns
        self._hand_darts.kept = checkpoint.hand_darts
        if self._sensed is not None and checkpoint.sensed is not None:
            self._sensed.darts.roll_back(checkpoint.sensed)
        kept = [event for event in effects.events if not FACTS[event.event_type].shared]
        events = list(kept)
        for line in effects.lines:
            if (
                isinstance(line, Line)
                and line.source == "board"
                and "throw" in line.input
                and "amend" not in line.input
            ):
                self.status.counts.stray += 1
                events.append(make_event(Stray(segment=line.input["throw"])))
        if self.watch is not None:
            self.watch.take_back(len(events) - len(kept))
        return Effects(events=tuple(events), is_board_changed=effects.is_board_changed, notice=effects.notice)

    def _advance(self, now: int) -> None:
        """Does what is due by now, each thing as of its own time."""
        self._inputs.parts = []
        while (due := self.deadline()) is not None and due <= now:
            self._inputs.now = max(self._now, due)
            if due == self.debounce.deadline():
                self._take_verdicts(self.debounce.tick(due))
            elif due == self._wish_end:
                self._parts.append(self._shared.end_wish())
            else:
                self._take_verdicts(self.debounce.settle())
                if self.lent is not None:
                    self.lent.close_by_timer(self._now)
                else:
                    self._inputs.close_by_timer(is_pulled=self._sensed is not None and self._sensed.is_empty)
        self._inputs.now = max(self._now, now)

    def _collect(self, reply: messages.Answer | CommandError | None = None) -> Effects:
        effects = merge(self._parts) if self._parts else Effects()
        return effects if reply is None else replace(effects, reply=reply)

    def _obey_lent(self, command: Command, sender: Sender, at: int | None) -> Effects:
        """Has a command become an input for the table where the match is, unless it is meant for the match here."""
        assert self.lent is not None
        try:
            if isinstance(command, Sensor):  # of the board here
                self._obey_sensor(command)
                return self._collect(self.lent.answer)
            number = self.lent.obey(command, sender, self._now, at, is_blind=self._is_blind)
        except CommandError as error:
            return self._collect(error)
        self._hand_darts.note_elsewhere(command, number, self.sheet.opened, self._now)
        return self._collect(self.lent.answer)

    def _obey(self, command: Command, sender: Sender) -> None:
        if self.sheet.opened.places is not None and not isinstance(command, Sensor):
            may_be_done, effects = self._shared.judge(command, sender, self._now)
            self._parts.append(effects)
            if not may_be_done:
                return
        if isinstance(command, Lend | Join | Leave):
            self._parts.append(self._shared.lend(command, is_lent=self.lent is not None))
        elif isinstance(command, Sensor):
            self._obey_sensor(command)
        else:
            self._carry_out(command, sender)

    def _carry_out(self, command: Input | Miss | ChangePlan | Start, sender: Sender) -> None:
        match command:
            case Start():
                self._parts.extend(self.sheet.start(command, sender))
                self._takeout.restart(self.match, self._now)
                self._parts.append(Effects(plan=self.sheet.plan))
            case ChangePlan(wanted):
                self._parts.append(self.sheet.plan_next(wanted))
            case Next():
                self._inputs.close_visit(sender, with_defaults=is_timer(sender) and sender != "timer")
            case Undo():
                self._inputs.undo(sender)
            case Miss():
                self._inputs.enter_or_raise(Throw(self.match.layout.miss.id), sender)
            case Total():
                self._inputs.enter_or_raise(command, sender)
                is_here = isinstance(sender, str | SeatSender)
                if is_here and self._is_blind and self.match.position.phase == "takeout":
                    # one who writes down a total has the darts in hand; undo takes both back
                    self._inputs.close_visit("timer")
            case Amend(_, Choose()) if self.sheet.states.hands:
                raise CommandError(
                    say("refused.secret", "a hidden answer cannot be corrected with amend: use undo"),
                    "illegal",
                )
            case Choose(_, prompt):
                self.sheet.check_answer(prompt, sender)
                self._inputs.enter_or_raise(command, sender)
            case _:
                self._inputs.enter_or_raise(command, sender)

    def _take_verdicts(self, verdicts: list[Verdict]) -> None:
        """Acts on what the debounce lets pass; counts what it drops."""
        self._parts.append(self.status.note_stuck(self.debounce.stuck))
        for event, dropped in verdicts:
            if dropped is None and self._sensed is not None and self._sensed.darts.is_repeated(event):
                dropped = "echo"  # noqa: PLW2901
            if isinstance(event, MissSensed) and dropped != "sensor":  # else a dart shook it, which touches by itself
                self._inputs.note_contact(event.time_ns)
            why = None
            if dropped:
                self.status.counts.drop(dropped)
            else:
                try:
                    why = self._accept(event)
                except CommandError as error:  # it asked for what cannot be
                    self._parts.append(Effects(notice=error.said))
                    why = error.said
            if self.watch is not None:
                self.watch.note(event, dropped, why)

    def _accept(self, event: BoardEvent) -> str | Sentence | None:
        """Acts on an event. Returns why it has no effect on the match; None for all others."""
        match event:
            case Hit() | Unread():
                return self._hit(event)
            case MissSensed():
                if self.match.position.phase != "throwing" and self.lent is None:
                    return IDLE
                miss = self.match.layout.miss.id
                if self._hand_darts.take_report(miss, event.time_ns, self.sheet.opened):
                    return self._inputs.report_stray(miss, ENTERED)
                return self._throw(Throw(miss), event.time_ns).said
            case Button(name=name):
                return None if self._press(name, event.time_ns) else IDLE
            case Amended() | TakeoutSeen() | Cleared() | Found() if self._sensed is not None:
                if self.lent is not None:
                    return None if self.lent.sense(event, self._now) else IDLE
                return self._sensed.take(event)
        self._parts.append(self.status.hear(event))
        return None

    def _hit(self, event: Hit | Unread) -> str | Sentence | None:
        given, at = read_dart(event, self.match.layout), event.time_ns
        self.status.hit(at)
        if isinstance(event, Hit):
            self._parts.append(Effects(events=(make_event(BoardHit(segment=given.segment)),)))
        reported = None if given.unread else given.segment
        if (entered := self._hand_darts.take_report(reported, at, self.sheet.opened)) is not None:
            self._inputs.note_contact(at)
            line = entered.dart if entered.match == self.sheet.opened.id else 0
            outcome = Outcome(accepted=False, said=ENTERED)
        else:
            outcome = self._throw(given, at)
            line = self.match.line if outcome.accepted and self.lent is None else 0
        if self._sensed is not None:
            self._sensed.note_dart(given, line)
        return None if outcome.accepted else self._inputs.report_stray(given.segment, outcome.said or "")

    def _throw(self, given: Throw, at: int) -> Outcome:
        """A dart that a sensor saw at that time. It is no error when it does not count."""
        if self.lent is not None:
            return self.lent.throw(given, at, self._now)
        return self._inputs.throw(given, at, is_pulled=self._sensed is not None and self._sensed.is_pulled)

    def _obey_sensor(self, command: Sensor) -> None:
        """Carries out what people decide about the board and its darts. Raises CommandError."""
        if command.action in ("start", "reset"):
            self._parts.append(self.status.mend(command.action))
        elif self._sensed is None or self.lent is not None:
            raise CommandError(IDLE, "unavailable")
        else:
            self._sensed.answer(command)

    def _press(self, button: str, at: int) -> bool:
        """A button of the board, pressed at that time. Returns False when it does nothing now.

        Raises CommandError when it asks for what cannot be.
        """
        if self.lent is not None:
            return self.lent.press(button, at, self._now, rest_ns=BUTTON_REST_NS)
        phase = self.match.position.phase
        if button == "next":
            rested = at - self._inputs.pressed_ns >= BUTTON_REST_NS
            self._inputs.pressed_ns = at
            if not rested and not self.match.position.visit.darts:
                return False
            self._inputs.close_visit("button", with_defaults=True)
        elif button == "takeout" and phase == "takeout":
            self._takeout.note_player(self._now)
        elif button == "undo":
            self._obey(Undo(), "button")
        elif button == "miss" and phase == "throwing":
            self._inputs.enter_or_raise(Throw(self.match.layout.miss.id), "button")
        else:
            return False
        return True

    def _set_link(self, online: bool, said: str | Sentence, signal_dbm: int | None = None, unheard_ns: int = 0) -> None:
        if self._sensed is not None:
            since = self._now - unheard_ns
            self._sensed.darts.note_link(was_online=self.status.online, is_online=online, since=since)
        self._parts.append(self.status.set_link(online, said, signal_dbm))

    @property
    def _is_blind(self) -> bool:
        """Whether no sensor sees a dart: there is none, or the board is away or sees none."""
        return not (self._has_sensor and self.status.sees_darts)


def _has_places(command: Command) -> bool:
    """Whether it names places for the sides of a match."""
    asked = command.spec if isinstance(command, Start) else None
    return bool(getattr(command.wanted if isinstance(command, ChangePlan) else asked, "places", None))
