"""What a table makes of a board that sees the darts in it: which of them are new, what it corrects, what people decide.

A dart is known by the key that the board gives it, which stands in its line of the match:

* A key is entered once. What the board says of a dart that it has told before, also of one that did not count or that a
  player has taken back, is no dart.
* A correction of the board amends the line with its key, in this visit or the last one. It touches no dart of a visit
  in which a player has entered, corrected or taken back one.
* A correction of a player, of a dart in this visit or the last one, is told to the board.
* Darts that the board has found when the connection was established are not entered by themselves, unless they are of
  this visit and the connection was gone for less than three seconds. Else the table asks. A dart that is thrown before
  the answer counts at once; to take the others then takes it back, and enters it again after them: in the next visit
  if they were pulled.
* Darts of another visit are only listed.

Pure, as the scorer is that it is a part of; loaded only by tables with such a board. At a table that plays along in a
match at another one, darts go there without their keys, and all else but darts that were pulled is passed over.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import Literal, NamedTuple

from msgspec import UNSET, Struct
from msgspec.structs import replace

from daemon.snapshot import shorten
from daemon.table.board_watch import IDLE
from daemon.table.known_darts import KnownDart, KnownDarts, list_readings, may_be_same
from daemon.table.matches import OpenMatch
from daemon.table.scoresheet import read_dart
from engine.match import Match
from engine.position import Position, Thrown
from protocol import messages
from protocol.commands import Amend, Command, CommandError, Input, Miss, Redo, Sensor, Throw, Total, Undo
from protocol.events import Amended, BoardEvent, Cleared, Correct, Found, Hit, TakeoutSeen, Unread
from protocol.segment import TOTAL
from protocol.sentence import Sentence, say

SHORT_GAP_NS = 3_000_000_000
"""A connection that was gone for less is as one that was not."""
_MOST_LISTED = 9
"""Darts of other visits: those of the three latest."""
UNKNOWN_DART = say(
    "refused.unknown_dart", "the board corrects a dart that is neither in this visit nor in the last one"
)
PLAYER_CHANGED = say("refused.player_changed", "a player has changed this visit, and that stays")
Kind = Literal["found", "cleared", "other"]
_KINDS: tuple[Kind, ...] = ("found", "cleared", "other")
"""The order in which they are asked."""


class Question(Struct, frozen=True):
    """What people are asked in this visit of the match with this id; of `other` darts the visit does not matter.

    `line` is that of the match when it was asked; `is_over`: the darts were pulled since.
    """

    id: str
    kind: Kind
    match: str
    visit: int
    line: int
    darts: tuple[Throw, ...] = ()
    is_over: bool = False


class SensedMemory(Struct, frozen=True):
    """What is known of the darts, and asked about them; one question of a kind at most."""

    darts: KnownDarts = KnownDarts()
    questions: tuple[Question, ...] = ()
    asked: int = 0
    """How many questions there have been."""


class Wanted(NamedTuple):
    """What is to be done: these inputs as the board's, then the visit closed if its darts were pulled.

    `why` the event has no effect on the match; `is_asked`: what people are asked has changed. `is_again`: once the
    visit was closed, the event is to be heard again. `since` are darts that were thrown after it was closed.
    """

    inputs: tuple[Throw | Amend | Undo, ...] = ()
    is_pulled: bool = False
    why: Sentence | None = None
    is_asked: bool = False
    is_again: bool = False
    since: tuple[Throw, ...] = ()


class SensedDarts:
    """Those of one table. Times are nanoseconds of one monotonic clock."""

    def __init__(self) -> None:
        self.memory = SensedMemory()
        self._down_ns: int | None = None
        """When the connection was lost last; None: there was none yet."""
        self._present: set[str] = set()
        """The keys of the darts of the visit in progress, as the board has told of it last."""

    def note_link(self, *, was_online: bool, is_online: bool, since: int) -> None:
        """Notes whether there is a connection, since this time."""
        if was_online and not is_online:
            self._down_ns = since

    def is_repeated(self, event: BoardEvent) -> bool:
        """Whether this is a dart of which the board has told before."""
        return isinstance(event, Hit | Unread) and event.key in self.memory.darts

    def is_pulled(self, opened: OpenMatch) -> bool:
        """Whether darts of this visit were pulled already, and none has come since: it was opened again by an undo."""
        darts, since = self.memory.darts, self.memory.darts.find_emptied(opened.id)
        is_empty = darts.emptied == darts.count and self._find_kind("cleared") is None
        return is_empty and any(dart.line <= since for dart in opened.match.position.visit.darts)

    def hear(self, event: BoardEvent, opened: OpenMatch, now: int) -> Wanted:
        """Returns what follows from an event other than a dart."""
        match event:
            case Amended():
                return self._correct(event, opened)
            case TakeoutSeen(step="finished"):
                self._note_empty(opened)
                return Wanted(is_pulled=True)
            case Cleared():
                return self._clear(opened)
            case Found():
                wanted = self._find(event, opened, now)
                if wanted.is_pulled:
                    self._note_empty(opened)
                return wanted
        return Wanted()

    def note_dart(self, given: Throw, opened: OpenMatch, line: int) -> None:
        """Notes a dart of the board that is on this line now, 0 if it does not count."""
        position = opened.match.position
        last = position.last
        is_last = last is not None and any(dart.line == line for dart in last.darts)
        visit = last.number if last is not None and is_last else position.visit.number
        self._know(given, KnownDart(opened.id, visit, line, opened.match.line, _read(given)))

    def note_command(self, command: Command, opened: OpenMatch, match_id: str, before: Position) -> tuple[Correct, ...]:
        """Notes what a player has changed, by a command that was carried out; returns what to tell the board.

        `match_id` and `before` are where the table stood before it.
        """
        if opened.id != match_id or not isinstance(command, Throw | Miss | Total | Amend | Undo | Redo):
            return ()
        was, now = list_readings(before), list_readings(opened.match.position)
        both = [number for number in was if number in now and was[number] != now[number]]
        if both:
            darts = self.memory.darts.note_changed((match_id, number) for number in both)
            self.memory = replace(self.memory, darts=darts)
        if not isinstance(command, Amend | Undo | Redo):
            return ()
        told = list[Correct]()
        for number in both:
            for line in sorted(was[number].keys() | now[number].keys()):
                reading = now[number].get(line)
                key = self.memory.darts.find_key(match_id, line)
                if key is not None and was[number].get(line) != reading:
                    told += _write_correction(key, line, reading, opened.match)
        return tuple(told)

    def is_told(self, command: Command, opened: OpenMatch) -> bool:
        """Whether this corrects a dart of which the board has told."""
        return isinstance(command, Amend) and self.memory.darts.find_key(opened.id, command.line) is not None

    def answer(self, command: Sensor, opened: OpenMatch) -> Wanted:
        """Returns what follows from an answer to the question that is shown. Raises CommandError."""
        question = self.find_question(opened)
        if question is None or command.question not in (None, question.id):
            raise CommandError(IDLE, "stale" if command.question else "unavailable")
        if command.action == "take" and question.kind != "found":
            said = say("refused.only_listed", "these darts cannot be taken: enter those that count one by one")
            raise CommandError(said, "illegal")
        self._drop(question.kind)
        if command.action == "take":
            return _take(question, self._leave_out_known(question.darts), opened.match)
        self._pass_over(question.darts, question)
        return Wanted(is_asked=True)

    def find_question(self, opened: OpenMatch) -> Question | None:
        """What is asked now: one that ends with its visit comes before the others."""
        position = opened.match.position
        now = [each for each in self.memory.questions if each.match == opened.id and not position.over]
        now = [each for each in now if each.kind == "other" or each.visit == position.visit.number]
        return min(now, key=lambda each: _KINDS.index(each.kind), default=None)

    def show(self, state: messages.State, opened: OpenMatch) -> messages.State:
        """The state of this match with what people are asked."""
        question = self.find_question(opened)
        if question is None:
            return state
        state = replace(state, sensor=_write_question(question))
        return shorten(state) if len(opened.match.seating.players) <= 2 else state

    def resume(self, opened: OpenMatch) -> None:
        """Goes on with a match as the disk has it: darts that are not on it are not known."""
        darts = self.memory.darts.resume(opened.id, opened.match.line, opened.known_darts)
        self.memory = replace(self.memory, darts=darts)

    def roll_back(self, memory: SensedMemory) -> None:
        """Restores what was known then. What the board has made the table ask since then is still asked."""
        is_newer = self.memory.asked > memory.asked
        self.memory = replace(self.memory, darts=memory.darts) if is_newer else memory

    def _correct(self, event: Amended, opened: OpenMatch) -> Wanted:
        match, known = opened.match, self.memory.darts.find(event.key)
        if known is None and any(dart.key == event.key for each in self.memory.questions for dart in each.darts):
            return self._correct_asked(event)
        if known is None or known.match != opened.id:
            return Wanted(why=UNKNOWN_DART)
        darts = self.memory.darts.add(event.key, replace(known, segment=event.segment.id))
        self.memory = replace(self.memory, darts=darts)
        if darts.is_changed(opened.id, known.visit):
            return Wanted(why=PLAYER_CHANGED)
        found = _find_dart(match.position, known.line)
        if found is None or found.sensed is None or not found.sensed.key:
            return Wanted(why=UNKNOWN_DART)
        was, point = found.sensed, event.point
        if point is None and was.point is not None and match.layout.at(*was.point) == event.segment:
            point = was.point
        if found.segment == event.segment and not was.unread and (point is None or was.point is not None):
            return Wanted()
        return Wanted((Amend(known.line, Throw(event.segment.id, point, event.key)),))

    def _correct_asked(self, event: Amended) -> Wanted:
        """The board has corrected a dart that people are asked about."""
        right = Throw(event.segment.id, event.point, event.key)
        self.memory = replace(
            self.memory,
            questions=tuple(
                replace(each, darts=tuple(right if dart.key == event.key else dart for dart in each.darts))
                for each in self.memory.questions
            ),
        )
        return Wanted(is_asked=True)

    def _clear(self, opened: OpenMatch) -> Wanted:
        """The board has forgotten its darts: is the visit over?"""
        position = opened.match.position
        self._note_empty(opened)
        if not position.visit.darts or position.over:
            return Wanted()
        self._ask("cleared", opened)
        return Wanted(is_asked=True)

    def _find(self, found: Found, opened: OpenMatch, now: int) -> Wanted:
        former = self._find_kind("found")
        if former is not None and (former.match, former.visit) != (opened.id, opened.match.position.visit.number):
            self._drop("found")
            self._pass_over(former.darts, former)  # the visit was closed without an answer
            former = None
        keys = {dart.key for dart in found.darts}
        self._present = self._present - keys if found.is_over else keys
        if not found.darts:
            return self._find_empty(opened)
        is_asked = found.is_exact and any(key in self.memory.darts for key in keys) and self._pass_over_older(keys)
        if former is not None and (not found.is_exact or any(dart.key in keys for dart in former.darts)):
            self._drop("found")
            is_asked = True
        wanted, asked = self._compare(found, opened, now), self._find_kind("found")
        if former is not None and asked is not None and asked is not former and _is_same_question(asked, former):
            others = [each for each in self.memory.questions if each is not asked]
            self.memory = replace(self.memory, questions=(*others, replace(asked, id=former.id)))
        return wanted._replace(is_asked=is_asked or wanted.is_asked)

    def _find_empty(self, opened: OpenMatch) -> Wanted:
        """The board has no darts any more: those of this visit were pulled, or it was made to forget them."""
        position = opened.match.position
        if not any(each.is_keyed for each in self.memory.darts.list_visit(opened.id, position.visit)):
            self._note_empty(opened)
            return Wanted()
        return Wanted(is_pulled=True) if position.phase == "takeout" else self._clear(opened)

    def _compare(self, found: Found, opened: OpenMatch, now: int) -> Wanted:
        """What of these darts is new to the match."""
        match, known = opened.match, self.memory.darts
        darts = tuple(read_dart(dart, match.layout) for dart in found.darts)
        if any(dart.segment.id == TOTAL for dart in match.position.visit.darts):
            return Wanted()  # players count this visit
        seen = known.list_visit(opened.id, match.position.visit)
        corrected = tuple[Throw | Amend | Undo, ...]()
        if found.is_exact and any(dart.key in known for dart in darts):
            corrected = self._correct_known(found.darts, opened)
            visits = {(each.match, each.visit) for dart in darts if (each := known.find(dart.key)) is not None}
            new = self._leave_out_known(darts)
            if (opened.id, match.position.visit.number) not in visits:
                return self._list(new, opened)._replace(inputs=corrected)
            since = known.find_emptied(opened.id)
            there = sum(dart.line > since for dart in match.position.visit.darts)
            missing = new[max(0, len(new) - max(0, len(darts) - there)) :]
            self._recognize(new[: len(new) - len(missing)], [each for each in seen if not each.is_keyed])
        elif self._is_seen(seen, darts, found, match):
            self._recognize(darts, seen)
            missing = self._leave_out_known(darts[len(seen) :])
        else:
            return self._compare_former(found, darts, opened, is_seen=bool(seen))
        if not missing:
            return Wanted(corrected, is_pulled=found.is_over)
        is_short = self._down_ns is not None and now - self._down_ns < SHORT_GAP_NS
        if is_short or match.position.phase != "throwing":
            return Wanted((*corrected, *missing), found.is_over)
        self._ask("found", opened, missing, is_over=found.is_over)
        return Wanted(corrected, is_asked=True)

    def _correct_known(self, darts: Sequence[Hit | Unread], opened: OpenMatch) -> tuple[Throw | Amend | Undo, ...]:
        """The corrections of darts that the board reads otherwise than when it told of them."""
        inputs = list[Throw | Amend | Undo]()
        for dart in darts:
            known = self.memory.darts.find(dart.key)
            if isinstance(dart, Hit) and known is not None and known.line and known.segment != dart.segment.id:
                inputs += self._correct(Amended(key=dart.key, segment=dart.segment, point=dart.point), opened).inputs
        return tuple(inputs)

    def _is_seen(self, seen: list[KnownDart], darts: tuple[Throw, ...], found: Found, match: Match) -> bool:
        """Whether these darts, whose names are new, begin with those of the current visit that the board may see."""
        if not (seen and may_be_same(seen, darts) and _may_throw(match)):
            return False
        if any(each.is_keyed for each in seen):
            return not found.is_exact
        former = self.memory.darts.list_latest()
        return found.is_exact or len(darts) > len(former) or not may_be_same(former, darts)

    def _compare_former(self, found: Found, darts: tuple[Throw, ...], opened: OpenMatch, *, is_seen: bool) -> Wanted:
        """The same for darts that cannot be of this visit, unless it has none yet (`is_seen`: it has some)."""
        former = self.memory.darts.list_latest()
        if not found.is_exact and len(darts) <= len(former) and may_be_same(former, darts):
            self._recognize(darts, former)
            return Wanted()
        match, darts = opened.match, self._leave_out_known(darts)
        if found.is_over and self._down_ns is None and not self.memory.darts.has_counted:
            for dart in darts:  # thrown before there was anybody here who could have counted them
                self._know(dart, KnownDart(opened.id, 0, 0, match.line, _read(dart)))
            return Wanted()
        if is_seen and not found.is_over and self._is_pulled_for(opened):
            return Wanted(is_pulled=True, is_again=True)  # the board is in the next visit
        offered = self._find_kind("found")
        is_first = offered is None or (found.is_over and not offered.is_over and self._down_ns is not None)
        if is_seen or not is_first or not darts or match.position.phase != "throwing" or not _may_throw(match):
            return self._list(darts, opened, is_all=not found.is_exact)
        if offered is not None:  # of the visit in progress, which comes after those that ended
            self._list(offered.darts, opened)
        self._ask("found", opened, darts, is_over=found.is_over)
        return Wanted(is_asked=True)

    def _is_pulled_for(self, opened: OpenMatch) -> bool:
        """Whether darts of another visit mean that those of this one were pulled; the board may still see some."""
        position = opened.match.position
        seen = self.memory.darts.list_visit(opened.id, position.visit)
        return position.phase == "takeout" and any(each.is_keyed for each in seen)

    def _recognize(self, darts: Sequence[Throw], known: Sequence[KnownDart]) -> None:
        """Knows these darts under new keys, one by one."""
        for dart, each in zip(darts, known, strict=False):
            if dart.key not in self.memory.darts:
                self._know(dart, replace(each, is_keyed=True))

    def _pass_over_older(self, keys: Container[str]) -> bool:
        """Asks no more for what the board told of before a visit with these keys, which is on the disk.

        It is older, nobody waits for it: visits come in their order, the first one first. Returns whether anything was
        asked.
        """
        if self._down_ns is not None:
            return False
        offered, listed = self._find_kind("found"), self._find_kind("other")
        if offered is not None and (not offered.is_over or any(dart.key in keys for dart in offered.darts)):
            offered = None
        for each in (offered, listed):
            if each is not None:
                self._drop(each.kind)
                self._pass_over(each.darts, replace(each, kind="other"))  # of none of the visits here
        return offered is not None or listed is not None

    def _list(self, darts: Sequence[Throw], opened: OpenMatch, *, is_all: bool = False) -> Wanted:
        """Lists darts of other visits, beside those that are listed already, or as all of them.

        Those of the visit in progress come last: of too many the oldest are left out.
        """
        listed = self._find_kind("other")
        before = () if listed is None or is_all or listed.match != opened.id else listed.darts
        keys = {dart.key for dart in before}
        every = (*before, *(dart for dart in darts if dart.key not in keys))
        now = tuple(sorted(every, key=lambda dart: dart.key in self._present))
        if not now or (
            listed is not None and [each.segment for each in now] == [each.segment for each in listed.darts]
        ):
            return Wanted()
        self._ask("other", opened, now[-_MOST_LISTED:])
        if (asked := self._find_kind("other")) is not None:
            self._pass_over(now[:-_MOST_LISTED], asked)
        return Wanted(is_asked=True)

    def _leave_out_known(self, darts: tuple[Throw, ...]) -> tuple[Throw, ...]:
        return tuple(dart for dart in darts if dart.key not in self.memory.darts)

    def _pass_over(self, darts: Iterable[Throw], question: Question) -> None:
        """Knows these darts of the question from now on as some that do not count."""
        visit = question.visit if question.kind == "found" else 0
        for dart in darts:
            self._know(dart, KnownDart(question.match, visit, 0, question.line, _read(dart)))

    def _note_empty(self, opened: OpenMatch) -> None:
        self.memory = replace(self.memory, darts=self.memory.darts.note_empty(opened.id, opened.match.line))

    def _find_kind(self, kind: str) -> Question | None:
        return next((each for each in self.memory.questions if each.kind == kind), None)

    def _ask(self, kind: Kind, opened: OpenMatch, darts: tuple[Throw, ...] = (), *, is_over: bool = False) -> None:
        """Asks this, in the place of another question of its kind."""
        self._drop(kind)
        memory, match = self.memory, opened.match
        asked = memory.asked + 1
        question = Question(str(asked), kind, opened.id, match.position.visit.number, match.line, darts, is_over)
        self.memory = replace(memory, questions=(*memory.questions, question), asked=asked)

    def _drop(self, kind: Kind) -> None:
        self.memory = replace(self.memory, questions=tuple(each for each in self.memory.questions if each.kind != kind))

    def _know(self, dart: Throw, known: KnownDart) -> None:
        if dart.key:
            self.memory = replace(self.memory, darts=self.memory.darts.add(dart.key, known))


def _write_question(question: Question) -> messages.SensorQuestion:
    """The question as it is shown."""
    darts = tuple(
        messages.SensedDart(
            None if dart.unread else dart.segment,
            UNSET if dart.point is None or question.kind == "other" else dart.point,
        )
        for dart in question.darts
    )
    return messages.SensorQuestion(question.id, question.kind, darts)


def _is_same_question(one: Question, other: Question) -> bool:
    """Whether people are asked the same by both."""
    segments = [[_read(dart) for dart in each.darts] for each in (one, other)]
    return segments[0] == segments[1] and (one.visit, one.is_over) == (other.visit, other.is_over)


def _take(question: Question, darts: tuple[Throw, ...], match: Match) -> Wanted:
    """Enters these darts of it, before those that were thrown since if nothing else has happened.

    Where its darts were pulled, those are of the next visit.
    """
    since = [dart for dart in match.position.visit.darts if dart.line > question.line]
    sensed = [dart.sensed for dart in since if dart.sensed is not None and dart.sensed.key]
    if len(sensed) == len(since) == match.line - question.line:
        undone = [Undo()] * len(since)
        if question.is_over:
            return Wanted((*undone, *darts), is_pulled=True, is_asked=True, since=tuple(sensed))
        return Wanted((*undone, *darts, *sensed), is_asked=True)
    return Wanted(darts, question.is_over, is_asked=True)


def _read(dart: Throw) -> str | None:
    return None if dart.unread else dart.segment


def _find_dart(position: Position, line: int) -> Thrown | None:
    visits = [visit for visit in (position.visit, position.last) if visit is not None]
    return next((dart for visit in visits for dart in visit.darts if line and dart.line == line), None)


def _may_throw(match: Match) -> bool:
    """Whether the player at the oche throws at this board."""
    visit, header = match.position.visit, match.header
    is_here = header.places is None or header.places[visit.side] is None
    return is_here and (header.bots is None or header.bot(visit.seat) is None)


def _write_correction(key: str, line: int, reading: str | None, match: Match) -> Iterable[Correct]:
    """What to tell the board of a dart that is now this; nothing where that is not known, or it only has no effect."""
    if reading is not None:
        return [Correct(key, match.layout[reading])] if reading in match.layout else []
    latest: Input | None = None
    for entry in match.list_entries():
        if entry.line == line or (isinstance(entry.input, Amend) and entry.input.line == line):
            latest = entry.input
    is_void = isinstance(latest, Throw) or (isinstance(latest, Amend) and latest.was is not None)
    return [] if is_void else [Correct(key, None)]
