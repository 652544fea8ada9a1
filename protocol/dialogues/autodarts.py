"""Autodarts Board Manager: snapshots of the darts in the board, which have no ids.

The first snapshot, and the first after a gap, is a baseline: it has no new darts. The others are compared; see
darts_in_board.py.

**Two ways to the same state.** The socket brings each change at once; beside it the state is polled. An answer that was
asked for before the socket's latest state is dropped. Beside a socket that speaks, an answer that differs is believed
the second time only: the change is mostly on its way. Where polls have run ahead of the socket, what it says then may
be old: each of its states is a reason to poll, until an answer says the same. A socket that was opened before the first
answer is behind it, too, so its first dart takes the time of one poll.

**Nothing secret is read.** `/api/config` and `/api/system` hold the key of the board, so neither is ever asked for: the
version alone tells the generation.
"""

from __future__ import annotations

import re
from collections import deque
from typing import Final, Literal

from protocol.codebook import Codebook
from protocol.dialogue import MS
from protocol.dialogues.autodarts_state import State, read_state
from protocol.dialogues.darts_in_board import IN_TAKEOUT, DartsInBoard
from protocol.dialogues.detection import (
    CALIBRATING,
    FAULTY,
    OFFLINE,
    SETTING_UP,
    STANDBY,
    STARTING,
    STOPPED,
    STUCK,
    is_done,
    say_closed_off,
    say_not_reset,
    say_not_started,
    say_other_page,
)
from protocol.dialogues.web import WebHost
from protocol.events import BoardCommand, BoardEvent, Complaint, Mend, Readiness, Remedy, Status
from protocol.segment import Segment
from protocol.sentence import Sentence
from protocol.web_frames import Received

_NAME: Final = "Autodarts Board Manager"
_MOST_ASKED: Final = 16

_GAP_MS: Final = 5_000
"""After so long without a word a visit may have ended and another begun."""
_LOST_MS: Final = 15_000
"""An answer that has not come by then never will."""
_STUCK_MS: Final = 10_000
_MOST_TRIES: Final = 3

_VERSION: Final = re.compile(r"v?([0-9]{1,3})(?:\.[0-9A-Za-z-]{1,12}){0,3}")

_NOT_READY: Final[dict[str, tuple[Sentence, Remedy | None]]] = {
    "Starting": (STARTING, None),
    "Calibrating": (CALIBRATING, None),
    "Calibration": (CALIBRATING, None),
    "Setup": (SETTING_UP, None),
    "Error": (FAULTY, None),
    "Stopping": (STOPPED, "start"),
    "Stopped": (STOPPED, "start"),
    "Offline": (STOPPED, "start"),
}
_READY: Final[tuple[Sentence | None, Remedy | None]] = (None, None)


class AutodartsHost(WebHost):
    """The host's side."""

    def __init__(self, codebook: Codebook) -> None:
        super().__init__(codebook)
        self._board = DartsInBoard()
        self._is_new = True
        """Whether the next snapshot is a baseline."""
        self._is_first = True
        """Whether there was none yet."""
        self._version = 0
        self._reason: tuple[Sentence | None, Remedy | None] | None = None

        self._heard_ns = 0
        self._frame_ns = 0
        self._is_open = False
        self._frames = 0
        """States that the socket has brought."""
        self._polled_ns = 0
        self._polling: int | None = None
        """`_frames` when the poll was asked whose answer is awaited."""
        self._doubtful: list[Segment | None] | None = None
        """The beds of a poll that is to be confirmed."""
        self._is_ahead = False
        """Whether polls know more than the socket has said."""
        self._latest: object = None
        """What the socket has said since, the last of it: a poll is to confirm it."""
        self._latest_ns = 0

        self._stuck_ns: int | None = None
        """When a takeout of an empty board will have lasted too long."""
        self._tries = 0
        self._has_given_up = False
        self._asked: deque[tuple[str, Literal["start", "old_start", "reset", "free"]]] = deque(maxlen=_MOST_ASKED)
        """What was asked for, by the source of its answer."""

    def on_open(self, now: int) -> None:
        self._heard_ns = now
        version = self.web.paths.get("version")
        if version is not None:
            self.ask(version)
        self._poll(now)

    def hear(self, received: Received, now: int) -> list[BoardEvent]:
        if received.failed is None and received.socket != "closed":
            if now - self._heard_ns > _GAP_MS * MS:
                self._is_new = True
            self._heard_ns = now
        events = self._hear(received, now)
        self._set_deadline()
        return events

    def tick(self, now: int) -> list[BoardEvent]:
        events: list[BoardEvent] = []
        if self._stuck_ns is not None and now >= self._stuck_ns:
            events = self._free(now)
        if now >= self._next_poll():
            if self._latest is not None:
                events += self._believe_latest(now)
            self._poll(now)
        self._set_deadline()
        return events

    def encode(self, command: BoardCommand) -> None:
        match command:
            case Mend(remedy="start"):
                self._request("start")
            case Mend(remedy="reset"):
                self._board.reset_ns = self._heard_ns
                self._request("reset")

    def _hear(self, received: Received, now: int) -> list[BoardEvent]:
        if received.socket is not None:
            self._is_open = received.socket == "open"
            self._frame_ns, self._is_ahead, self._latest = now, not self._is_first, None
            return []
        paths = self.web.paths
        match received.source:
            case self.web.socket:
                return self._hear_frame(received.json, now)
            case source if source == f"GET {paths.get('state')}":
                return self._hear_poll(received, now)
            case source if source == f"GET {paths.get('version')}":
                return self._hear_version(received, now)
        return self._hear_answer(received, now)

    # What is asked for

    def _poll(self, now: int) -> None:
        path = self.web.paths.get("state")
        if path is not None:
            self.ask(path)
            self._polling, self._polled_ns = self._frames, now
            self._set_deadline()

    def _next_poll(self) -> int:
        """When to poll again: seldom beside a socket that speaks, and often beside one that does not."""
        soon = self.web.poll_ms * MS
        if self._latest is not None:
            return self._latest_ns + soon
        if self._polling is not None:
            return self._polled_ns + _LOST_MS * MS
        if self._doubtful is not None or not self._is_open:
            return self._polled_ns + soon
        return min(self._polled_ns + self.web.quiet_poll_ms * MS, max(self._polled_ns, self._frame_ns) + soon)

    def _set_deadline(self) -> None:
        poll = self._next_poll() if "state" in self.web.paths else None
        self.deadline = min((at for at in (poll, self._stuck_ns) if at is not None), default=None)

    def _request(self, what: Literal["start", "old_start", "reset", "free"]) -> None:
        path = self.web.paths.get("reset" if what == "free" else what)
        if path is not None:
            self._asked.append((self.ask(path, "PUT" if "start" in what else "POST"), what))

    def _hear_answer(self, received: Received, now: int) -> list[BoardEvent]:
        asked = next((each for each in self._asked if each[0] == received.source), None)
        if asked is None:
            return []
        self._asked.remove(asked)
        if is_done(received) or asked[1] == "free":
            return []
        if asked[1] == "start" and received.status in (404, 405) and "old_start" in self.web.paths:
            self._request("old_start")
            return []
        if asked[1] == "reset":
            self._board.reset_ns = None
            return [Complaint(said=say_not_reset(received), time_ns=now)]
        return [Complaint(said=say_not_started(received), time_ns=now)]

    def _hear_version(self, received: Received, now: int) -> list[BoardEvent]:
        text = received.text if received.text is not None else received.json
        found = _VERSION.fullmatch(str(text).strip()) if isinstance(text, str | float) else None
        if not is_done(received) or found is None:
            return []
        self._version = int(found[1])
        return [Status(text=f"{_NAME} {found[0].removeprefix('v')}", time_ns=now)]

    def _free(self, now: int) -> list[BoardEvent]:
        """A takeout of an empty board has lasted too long."""
        if self._tries < _MOST_TRIES:
            self._tries += 1
            self._stuck_ns = now + _STUCK_MS * MS
            self._request("free")
            return []
        self._stuck_ns, self._has_given_up = None, True
        return self._note_reason((STUCK, "reset"), now)

    # Which snapshots count

    def _hear_frame(self, said: object, now: int) -> list[BoardEvent]:
        self._is_open, self._frame_ns = True, now
        kind = said.get("type") if isinstance(said, dict) else None
        data = said.get("data") if isinstance(said, dict) else None
        has_hand = kind == "motion_state" and isinstance(data, dict) and data.get("isHand") is True
        if has_hand and self._stuck_ns is not None:
            self._stuck_ns = now + _STUCK_MS * MS
        if kind != "state":
            return [] if isinstance(kind, str) else [self.note_garbage(self.web.socket.encode(), now)]
        state = read_state(self.codebook.layout, data)
        if state is None:
            return [self.note_garbage(self.web.socket.encode(), now)]
        self._frames += 1
        self._doubtful = None
        if not self._is_ahead:
            return self._apply(state, now)
        self._latest, self._latest_ns = data, now
        if self._polling is None:
            self._poll(now)
        return []

    def _hear_poll(self, received: Received, now: int) -> list[BoardEvent]:
        asked, self._polling = self._polling, None
        state = read_state(self.codebook.layout, received.json) if is_done(received) else None
        if state is None and self._latest is not None:
            return self._believe_latest(now)
        if asked is None or state is None:
            return [] if received.failed is not None else self._note_bad_answer(received, now)
        if asked != self._frames:
            if self._is_ahead:
                self._poll(now)
            return []
        beds = state.beds
        is_news = self._is_new or (self._judge(state) is None and beds != self._board.beds)
        if self._is_ahead:
            self._is_ahead = received.json != self._latest
        elif is_news:
            is_live = self._is_open and now - self._frame_ns < self.web.poll_ms * MS
            if is_live and not self._is_new and self._doubtful != beds:
                self._doubtful = beds
                return []
            self._is_ahead = True
        self._latest = None
        self._doubtful = None
        return self._apply(state, now)

    def _believe_latest(self, now: int) -> list[BoardEvent]:
        """No poll has an answer: what the socket said last is the best there is."""
        state = read_state(self.codebook.layout, self._latest)
        self._is_ahead, self._latest = False, None
        return [] if state is None else self._apply(state, now)

    def _note_bad_answer(self, received: Received, now: int) -> list[BoardEvent]:
        """A poll was answered, and not with a state. What a socket says that speaks is worth more."""
        if self._is_open and self._frames:
            return []
        match received.status:
            case 401 | 403:
                return self._note_reason((say_closed_off(received), None), now)
            case 503:
                return self._note_reason((STARTING, None), now)
        if isinstance(received.json, dict) and isinstance(received.json.get("running"), bool):
            return [self.note_garbage(received.source.encode(), now)]
        return self._note_reason((say_other_page(_NAME), None), now)

    # What a snapshot says

    def _apply(self, state: State, now: int) -> list[BoardEvent]:
        self._note_stuck(state, now)
        reason = self._judge(state)
        if reason is not None:
            self._board.was_off = True
            return self._note_reason(reason, now)
        events = self._board.find(state, now) if self._is_new else self._board.compare(state, now)
        self._is_new = self._is_first = False
        return [*events, *self._note_reason((STUCK, "reset") if self._has_given_up else _READY, now)]

    def _note_stuck(self, state: State, now: int) -> None:
        is_stuck = state.is_running and state.status == IN_TAKEOUT and not state.darts
        if not is_stuck:
            self._stuck_ns, self._has_given_up = None, False
        elif self._stuck_ns is None and not self._has_given_up:
            self._stuck_ns = now + _STUCK_MS * MS
        if state.darts:
            self._tries = 0

    def _judge(self, state: State) -> tuple[Sentence, Remedy | None] | None:
        """Why the darts of this snapshot do not count; None: they do."""
        known = _NOT_READY.get(state.status)
        if state.is_running or (known is not None and known[1] is None):
            return known
        if state.event.startswith("Standby"):
            return (STANDBY, "start")
        if self._version >= 2 and state.is_connected is False:
            return (OFFLINE, "start")
        return (STOPPED, "start")

    def _note_reason(self, reason: tuple[Sentence | None, Remedy | None], now: int) -> list[BoardEvent]:
        if reason == self._reason:
            return []
        self._reason = reason
        return [Readiness(said=reason[0], remedy=reason[1], time_ns=now)]
