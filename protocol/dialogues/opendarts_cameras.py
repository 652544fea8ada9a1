"""opendarts (richiela/opendarts): snapshots of the visit in progress, and the visits before on request.

A snapshot is the truth, and visit and index name a dart for ever; so a message that comes twice or never does no harm.
THROW_DETECTED comes just before the snapshot that has the dart. It is no dart by itself: only its point is used, and
only where it names the same bed.

A dart whose fields contradict each other is Unread, not Garbage: it is in the board and takes its place in the visit,
and a person says what it was.

A visit that is gone without a word (its last message was lost) is looked up among the visits before: there it was
completed, else it was reset by hand. A dart of the next visit cannot wait for that: then the visit counts as completed.
"""

from __future__ import annotations

import re
from collections import deque
from typing import Any, Final, Literal, TypeGuard
from urllib.parse import quote

from msgspec import UNSET, Struct

from protocol.codebook import Codebook
from protocol.dialogues.detection import (
    CAMERA_ERROR,
    NO_CAPTURE,
    STARTING,
    STOPPED,
    find_segment,
    is_done,
    read_point,
    read_whole,
    say_not_corrected,
    say_not_reset,
    say_not_started,
)
from protocol.dialogues.web import WebHost
from protocol.events import (
    MOST_KEY,
    Amended,
    BoardCommand,
    BoardEvent,
    Cleared,
    Complaint,
    Correct,
    Found,
    Hit,
    Mend,
    Readiness,
    Remedy,
    TakeoutSeen,
    Unread,
)
from protocol.segment import Layout, Point, Segment
from protocol.sentence import Sentence
from protocol.standard import merged
from protocol.web_frames import Received, is_given, read_number

_MOST_DARTS: Final = 3
_MOST_POINTS: Final = 8
_MOST_VISITS: Final = 16
"""More than the board keeps, which is 12."""
_MOST_ASKED: Final = 16
_TENTHS: Final = 10
"""In a millimetre."""

_RINGS: Final = {"treble": "T", "double": "D", "single_inner": "I", "single_outer": "O"}
_OTHERS: Final = {"bull": (25, "DB"), "outer_bull": (25, "SB"), "miss": (0, "MISS")}
_UNREAD: Final = "failed to score"
_LABEL: Final = re.compile(r"[TDS][0-9]{1,2}")
_LABELS: Final = {"BULL": "DB", "25": "SB", "MISS": "MISS"}
_CORRECTED: Final = {"T": "treble", "D": "double", "I": "single_inner", "O": "single_outer", "S": "single_outer"}
"""The ring of a correction, by the letter. It has no word for a single whose half is not known: it gets the larger."""
_CORRECTED_OTHERS: Final = {"DB": "bull", "SB": "outer_bull", "MISS": "outside"}
"""What is said without a sector. A miss is `miss` when it is read, and `outside` when it is corrected."""

_REASONS: Final[dict[str, tuple[Sentence | None, Remedy | None]]] = {
    "throw": (None, None),
    "takeout": (None, None),
    "stopped": (STOPPED, "start"),
    "connecting": (STARTING, None),
    "camera_error": (CAMERA_ERROR, None),
    "no_live_capture": (NO_CAPTURE, None),
}
_COMPLAINTS: Final = {"correct": say_not_corrected, "start": say_not_started, "reset": say_not_reset}


class _Snapshot(Struct, frozen=True):
    """The visit in progress. `event` is what the board tells with it."""

    visit: str | None
    darts: list[Any]  # Any: JSON
    event: object
    status: object


class OpendartsHost(WebHost):
    """The host's side."""

    def __init__(self, codebook: Codebook) -> None:
        super().__init__(codebook)
        self._is_new = True
        """Whether the next snapshot says what was there before."""
        self._visit: str | None = None
        self._told: list[Segment | None] = []
        """The darts of this visit that were told; None: not readable."""
        self._is_over = False
        self._in_takeout = False
        self._is_gone = False
        """The visit is gone without a word, and the visits before are asked for it."""
        self._visits: deque[str] = deque(maxlen=_MOST_VISITS)
        """Those of this connection, which `recent` has no news of."""
        self._points: dict[tuple[str, int], tuple[str | None, Point]] = {}
        """What THROW_DETECTED said, by visit and index: bed, None where it could not be read, and point."""
        self._recent: Literal["gaps", "gone"] | None = None
        """What the visits before are being asked for."""
        self._reason: tuple[Sentence | None, Remedy | None] | None = None
        self._is_resetting = False
        self._asked: deque[tuple[str, str]] = deque(maxlen=_MOST_ASKED)
        """What was asked for, by the source of its answer."""

    def hear(self, received: Received, now: int) -> list[BoardEvent]:
        if received.socket is not None:
            if received.socket == "open":
                self._is_new = True
            return []
        if received.source == self.web.socket:
            return self._hear_live(received, now)
        if received.source == f"GET {self.web.paths.get('recent')}":
            return self._hear_recent(received.json, now)
        return self._hear_answer(received, now)

    def encode(self, command: BoardCommand) -> None:
        match command:
            case Correct(key=key, segment=Segment() as segment):
                self._correct(key, segment)
            case Mend(remedy=remedy):
                self._is_resetting = self._request(remedy, self.web.paths.get(remedy)) and remedy == "reset"

    def _request(self, what: str, path: str | None, body: dict[str, str] | None = None) -> bool:
        """Asks the board to do something; False: the profile has no path for it."""
        if path is None:
            return False
        self._asked.append((self.ask(path, "POST", UNSET if body is None else body), what))
        return True

    def _correct(self, key: str, segment: Segment) -> None:
        visit, _, index = key.rpartition("/")
        path = self.web.paths.get("correct")
        letter, number = segment.id[0], segment.id[1:]
        if path is None or not _is_visit(visit) or index not in ("0", "1", "2"):
            return
        if segment.id in _CORRECTED_OTHERS:
            body = {"ring": _CORRECTED_OTHERS[segment.id]}
        elif letter in _CORRECTED and number.isdecimal():
            body = {"ring": _CORRECTED[letter], "sector": number}
        else:
            return
        path = path.replace("{visit}", quote(visit, safe="")).replace("{index}", index)
        self._request("correct", path, body)

    def _hear_answer(self, received: Received, now: int) -> list[BoardEvent]:
        asked = next((each for each in self._asked if each[0] == received.source), None)
        if asked is None:
            return []
        self._asked.remove(asked)
        if is_done(received):
            return []
        if asked[1] == "reset":
            self._is_resetting = False
        return [Complaint(said=_COMPLAINTS[asked[1]](received), time_ns=now)]

    def _hear_live(self, received: Received, now: int) -> list[BoardEvent]:
        said = received.json
        if not isinstance(said, dict):
            return [self.note_garbage(received.source.encode(), now)]
        kind = said.get("type")
        if kind == "THROW_DETECTED":
            self._note_point(said)
        if kind != "state":
            return []
        snapshot = _read_snapshot(said)
        if snapshot is None:
            return [self.note_garbage(received.source.encode(), now)]
        events = self._find(snapshot, now) if self._is_new else self._compare(snapshot, now)
        return events + self._note_status(said, now)

    def _note_point(self, said: dict[str, Any]) -> None:  # Any: JSON
        visit, index, at = said.get("visit_id"), read_whole(said.get("visit_index")), said.get("board_xy_mm")
        if not _is_visit(visit) or index is None or not isinstance(at, list) or len(at) != 2:
            return
        point = read_point(at[0], at[1], _TENTHS)
        if point is not None:
            is_read = said.get("ok") is not False
            self._points.pop((visit, index), None)
            self._points[visit, index] = (_find_id(said.get("ring"), said.get("sector")) if is_read else None, point)
            if len(self._points) > _MOST_POINTS:
                del self._points[next(iter(self._points))]

    def _note_status(self, said: dict[str, Any], now: int) -> list[BoardEvent]:  # Any: JSON
        status = said.get("status")
        if said.get("running") is False and status in ("throw", "takeout"):
            status = "stopped"
        reason = _REASONS.get(status) if isinstance(status, str) else None
        if reason is None or reason == self._reason:
            return []
        self._reason = reason
        return [Readiness(said=reason[0], remedy=reason[1], time_ns=now)]

    def _find(self, snapshot: _Snapshot, now: int) -> list[BoardEvent]:
        """The first snapshot of a connection."""
        self._is_new = self._in_takeout = self._is_gone = False
        visit, darts = snapshot.visit, snapshot.darts
        if self._visit is not None and not self._is_over and self._visit != visit and self._visit in self._visits:
            self._visits.remove(self._visit)  # it ended while there was no connection
        self._visit, self._told, self._is_over = visit, [], False
        if visit is not None and visit not in self._visits:
            self._visits.append(visit)
        if snapshot.event == "manual_reset":
            darts, self._is_over = [], True
        elif snapshot.event == "visit_complete":
            self._is_over = True
        found = self._tell_new(visit or "", darts, now)
        self._ask_recent("gaps")
        return [Found(darts=tuple(found), is_over=bool(found) and self._is_over, time_ns=now)]

    def _compare(self, snapshot: _Snapshot, now: int) -> list[BoardEvent]:
        visit, darts, event = snapshot.visit, snapshot.darts, snapshot.event
        if visit != self._visit and visit in self._visits:
            return []  # a message from before
        is_open = bool(self._told) and not self._is_over
        if event in ("visit_complete", "manual_reset"):
            if is_open and visit != self._visit:  # the next one is shown already
                return self._end(event == "visit_complete", now) + self._advance(visit, darts, now)
            return self._advance(visit, darts, now) + self._end(event == "visit_complete", now)
        events: list[BoardEvent] = []
        if is_open and visit != self._visit:
            if not darts:
                if snapshot.status in ("throw", "takeout"):
                    self._is_gone = True
                    self._ask_recent("gone")
                return []
            events += self._end(is_completed=True, now=now)
        self._is_gone = False
        if self._in_takeout and snapshot.status == "throw":
            self._in_takeout = False
            events.append(TakeoutSeen(step="false", time_ns=now))
        events += self._advance(visit, darts, now)
        if event == "takeout_started" and self._told and not self._is_over and not self._in_takeout:
            self._in_takeout = True
            events.append(TakeoutSeen(step="started", time_ns=now))
        return events

    def _end(self, is_completed: bool, now: int) -> list[BoardEvent]:
        """The visit is over; what is told of it for the first time."""
        is_ours = self._is_resetting and not is_completed
        if not is_completed:
            self._is_resetting = False
        if self._is_over or not self._told:
            return []
        self._is_over, self._in_takeout, self._is_gone = True, False, False
        if is_completed:
            return [TakeoutSeen(step="finished", time_ns=now)]
        return [] if is_ours else [Cleared(time_ns=now)]

    def _advance(self, visit: str | None, darts: list[Any], now: int) -> list[BoardEvent]:  # Any: JSON
        """What is new in this visit."""
        if visit is None:
            return []
        if visit != self._visit:
            self._visit, self._told, self._is_over = visit, [], False
            self._in_takeout = self._is_resetting = False
            self._visits.append(visit)
        if self._is_over:
            return []
        events: list[BoardEvent] = []
        for index, dart in enumerate(darts[: len(self._told)]):
            segment = _read_dart(self.codebook.layout, dart)
            if segment is not None and segment != self._told[index]:
                self._told[index] = segment
                events.append(Amended(key=f"{visit}/{index}", segment=segment, time_ns=now))
        return [*events, *self._tell_new(visit, darts, now)]

    def _tell_new(self, visit: str, darts: list[Any], now: int) -> list[Hit | Unread]:  # Any: JSON
        """The darts that were not told yet, which they are now."""
        events: list[Hit | Unread] = []
        for index in range(len(self._told), len(darts)):
            segment = _read_dart(self.codebook.layout, darts[index])
            self._told.append(segment)
            events.append(self._make_event(visit, index, segment, now))
        return events

    def _make_event(self, visit: str, index: int, segment: Segment | None, now: int) -> Hit | Unread:
        key = f"{visit}/{index}"
        segment_id, point = self._points.get((visit, index), (None, None))
        if segment_id != (None if segment is None else segment.id):
            point = None
        if segment is None:
            return Unread(key=key, point=point, time_ns=now)
        return Hit(segment=segment, key=key, point=point, time_ns=now)

    def _ask_recent(self, what: Literal["gaps", "gone"]) -> None:
        """Asks for the visits before, unless they are being asked for."""
        path = self.web.paths.get("recent")
        if path is not None and self._recent is None:
            self._recent = what
            self.ask(path)

    def _hear_recent(self, said: object, now: int) -> list[BoardEvent]:
        what, self._recent = self._recent, None
        if what is None:
            return []
        visits = said.get("visits") if isinstance(said, dict) else None
        completed: dict[str, list[Any]] = {}  # Any: JSON
        for each in visits[-_MOST_VISITS:] if isinstance(visits, list) else []:
            if not isinstance(each, dict) or each.get("reason", "takeout") != "takeout":
                continue
            visit, darts = each.get("visit"), each.get("darts")
            if _is_visit(visit) and isinstance(darts, list) and 0 < len(darts) <= _MOST_DARTS:
                completed[visit] = darts
        events: list[BoardEvent] = []
        if what == "gone":
            if self._is_gone:
                events += self._end(self._visit in completed, now)
            return events
        for visit, darts in completed.items():
            if visit not in self._visits:
                read = [_read_dart(self.codebook.layout, dart) for dart in darts]
                found = tuple(self._make_event(visit, index, segment, now) for index, segment in enumerate(read))
                events.append(Found(darts=found, is_over=True, time_ns=now))
        if self._is_gone:  # this answer may be from before that
            self._ask_recent("gone")
        return events


def _read_snapshot(said: dict[str, Any]) -> _Snapshot | None:  # Any: JSON
    """The snapshot in this message; None: it contradicts itself, and nothing of it is used."""
    visit, darts, count = said.get("visit"), said.get("darts"), said.get("n_darts")
    if darts is None:
        darts = []
    if not isinstance(darts, list) or len(darts) > _MOST_DARTS:
        return None
    if is_given(count) and read_number(count) != len(darts):
        return None
    if not (_is_visit(visit) or (visit is None and not darts)):
        return None
    return _Snapshot(visit, darts, said.get("event"), said.get("status"))


def _is_visit(visit: object) -> TypeGuard[str]:
    """Whether a key can be made of this, with the index of a dart."""
    return isinstance(visit, str) and 0 < len(visit) <= MOST_KEY - 2 and visit.isprintable()


def _find_id(ring: object, sector: object) -> str | None:
    """The id of the segment of these; None: there is none."""
    number = read_whole(sector)
    if not isinstance(ring, str):
        return None
    if ring in _OTHERS:
        return _OTHERS[ring][1] if number == _OTHERS[ring][0] else None
    return f"{_RINGS[ring]}{number}" if ring in _RINGS and number is not None else None


def _read_dart(layout: Layout, dart: object) -> Segment | None:
    """The segment of a dart; None: the board could not read it, or contradicts itself."""
    if not isinstance(dart, dict):
        return None
    segment = find_segment(layout, _find_id(dart.get("ring"), dart.get("sector")))
    label, value = dart.get("label"), dart.get("value")
    if segment is None or label == _UNREAD or (is_given(value) and read_number(value) != segment.points):
        return None
    if not isinstance(label, str) or not (label in _LABELS or _LABEL.fullmatch(label)):
        return segment
    return segment if _LABELS.get(label, label) == merged(segment.id) else None
