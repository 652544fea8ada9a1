"""Scolia, over its maker's cloud: Social v1.2 and External v1.4, whose messages are the same.

Each message of the board has an id, by which a repeated one is known and a dart is named. Nothing is sent again after a
reconnect, so darts of that time are lost. A connection can be dead without a word: so the status is asked for, too.

A person's correction is told to the board by the place of the dart in the round. So only darts are corrected whose
round was heard from its beginning: after a reconnect the next takeout has to come first. Until then the people are told
that the board was not.
"""

from __future__ import annotations

import re
from collections import deque
from typing import Any, Final

from protocol.codebook import Codebook
from protocol.dialogue import MS
from protocol.dialogues.web import WebHost
from protocol.events import (
    BoardCommand,
    BoardEvent,
    Cleared,
    Complaint,
    Correct,
    Echo,
    Hit,
    Mend,
    Readiness,
    Remedy,
    TakeoutSeen,
    Unanswered,
)
from protocol.segment import Point, Segment
from protocol.sentence import Sentence, say
from protocol.web_frames import Received, read_number

_SECTOR: Final = re.compile(r"([sSDT])(20|1[0-9]|[1-9])")
_RINGS: Final = {"s": "I", "S": "O", "D": "D", "T": "T"}
"""Case matters: s is between triple ring and bull."""
_OTHERS: Final = {"25": "SB", "Bull": "DB", "None": "MISS"}
_ID: Final = re.compile(r"[0-9A-Za-z-]{1,64}")
_MOST_MM: Final = 250
_MOST_CLOSE: Final = 3
_MOST_DARTS: Final = 3
_REMEMBERED: Final = 64
_MOST_PENDING: Final = 32
_MOST_SHOWN: Final = 64

_ASK_MS: Final = 10_000
_ANSWER_MS: Final = 7_000
_TAKEOUT_MS: Final = 60_000
"""A takeout that lasts longer is stuck, or its end was not seen."""
_HOUR_S: Final = 3600.0
_MINUTE_S: Final = 60.0


class ScoliaHost(WebHost):
    """The host's side."""

    def __init__(self, codebook: Codebook) -> None:
        super().__init__(codebook)
        self._heard: deque[str] = deque(maxlen=_REMEMBERED)
        self._round: list[str] | None = None
        """The keys of the darts in the board; None: it may have darts that were not heard."""
        self._pending: dict[str, str] = {}
        """The type of what was sent, by its id, until the board has answered."""
        self._sent = 0
        self._told: tuple[Sentence | None, Remedy | None] | None = None
        self._ask_at = 0
        self._lost_at: int | None = None
        self._stuck_at: int | None = None
        self._is_untold = False
        """Whether there was a correction that the board could not be told of, which is to be said."""

    def on_open(self, now: int) -> None:
        """Waits for the greeting."""
        self._ask_at = now + _ASK_MS * MS
        self._lost_at = now + _ASK_MS * MS
        self._set_deadline()

    def hear(self, received: Received, now: int) -> list[BoardEvent]:
        """The events in this message."""
        if received.socket is not None:
            return _explain_close(received.code, now) if received.socket == "closed" else []
        message = received.json
        kind, name = (message.get("type"), message.get("id")) if isinstance(message, dict) else (None, None)
        if not isinstance(kind, str) or not isinstance(name, str) or not _ID.fullmatch(name):
            return [self.note_garbage((received.text or "").encode(), now)]
        self._lost_at = None
        if name in self._heard:
            return [Echo(time_ns=now)]
        self._heard.append(name)
        payload = message.get("payload")
        events = self._complain(now) + self._read(kind, name, payload if isinstance(payload, dict) else {}, now)
        self._set_deadline()
        return events

    def tick(self, now: int) -> list[BoardEvent]:
        """Asks for the status; tells of a board that does not answer, and of a takeout without end."""
        events = self._complain(now)
        if self._lost_at is not None and now >= self._lost_at:
            self.deadline = None
            return [*events, Unanswered(said=_SILENT, time_ns=now)]
        if now >= self._ask_at:
            self._ask(now)
        if self._stuck_at is not None and now >= self._stuck_at:
            self._stuck_at = None
            events += self._tell_ready(_STUCK, "reset", now)
        self._set_deadline()
        return events

    def encode(self, command: BoardCommand) -> None:
        """Queues a correction of a dart in the board, or what is to mend it."""
        match command:
            case Correct() if self._round is None:
                self._is_untold = True
                self._say("GET_SBC_STATUS")  # its answer comes at once, and with it what is to be said
            case Correct(key=key, segment=segment) if self._round is not None and key in self._round[:_MOST_DARTS]:
                index = self._round.index(key)
                if segment is None:
                    del self._round[index]
                self._say("DELETE_THROW" if segment is None else "THROW_CORRECTED", {"throwIndex": index})
            case Mend(remedy=remedy):
                self._say("RESET_PHASE" if remedy == "reset" else "RECALIBRATE")

    def _read(self, kind: str, name: str, payload: dict[str, Any], now: int) -> list[BoardEvent]:
        match kind:
            case "THROW_DETECTED":
                return [self._read_dart(name, payload, now)]
            case "TAKEOUT_STARTED":
                self._stuck_at = now + _TAKEOUT_MS * MS
                return [TakeoutSeen(step="started", time_ns=now)]
            case "TAKEOUT_FINISHED":
                return self._end_takeout(payload.get("falseTakeout") is True, now)
            case "HELLO_CLIENT" | "SBC_STATUS" | "SBC_STATUS_CHANGED":
                return self._read_status(payload, now)
            case "ACKNOWLEDGED" | "REFUSED":
                return self._read_answer(kind, payload, now)
        return []

    def _read_dart(self, name: str, payload: dict[str, Any], now: int) -> BoardEvent:
        segment = self._find_segment(payload.get("sector"))
        if payload.get("bounceout") is True:
            segment = self.codebook.layout["MISS"]
        if segment is None:
            return self.note_garbage(name.encode(), now)
        if self._round is not None:
            self._round.append(name)
            del self._round[_REMEMBERED:]
        given = payload.get("sectorSuggestions")
        close = [self._find_segment(each) for each in (given[:_MOST_CLOSE] if isinstance(given, list) else [])]
        return Hit(
            segment=segment,
            point=_find_point(payload.get("coordinates")),
            key=name,
            close=tuple(each for each in close if each is not None),
            time_ns=now,
        )

    def _end_takeout(self, is_false: bool, now: int) -> list[BoardEvent]:
        self._stuck_at = None
        if is_false:  # whether the board sees darts now is not said
            self._ask(now)
            return [TakeoutSeen(step="false", time_ns=now)]
        self._round = []
        events: list[BoardEvent] = [TakeoutSeen(step="finished", time_ns=now)]
        return events + (self._tell_ready(None, None, now) if self._told == (_STUCK, "reset") else [])

    def _read_status(self, payload: dict[str, Any], now: int) -> list[BoardEvent]:
        status, phase = payload.get("boardStatus"), payload.get("boardPhase")
        if status == "Ready":
            if phase != "Takeout":
                self._stuck_at = None
                return self._tell_ready(None, None, now)
            if self._told == (_STUCK, "reset"):
                return []
            self._stuck_at = self._stuck_at or now + _TAKEOUT_MS * MS
            return self._tell_ready(None, None, now)
        self._round = self._stuck_at = None  # it may have forgotten its darts
        if status == "Error":
            said = _ERRORS.get(str(payload.get("errorType")), _ERROR)
            return self._tell_ready(said, "start", now)
        return self._tell_ready(_STATUSES.get(str(status), _UNREADY), None, now)

    def _read_answer(self, kind: str, payload: dict[str, Any], now: int) -> list[BoardEvent]:
        asked = self._pending.pop(str(payload.get("replyTo")), None)
        if asked is None:
            return []
        if kind == "REFUSED":
            if asked == "DELETE_THROW":
                self._round = None  # its count is another one from now on
            why = payload.get("errorMessage")
            return [Complaint(said=_explain_refusal(asked, why if isinstance(why, str) else ""), time_ns=now)]
        if asked != "RESET_PHASE":
            return []
        self._round, self._stuck_at = [], None
        return [Cleared(time_ns=now), *self._tell_ready(None, None, now)]

    def _complain(self, now: int) -> list[BoardEvent]:
        is_untold, self._is_untold = self._is_untold, False
        return [Complaint(said=_UNTOLD, time_ns=now)] if is_untold else []

    def _tell_ready(self, said: Sentence | None, remedy: Remedy | None, now: int) -> list[BoardEvent]:
        if self._told == (said, remedy):
            return []
        self._told = said, remedy
        return [Readiness(said=said, remedy=remedy, time_ns=now)]

    def _find_segment(self, sector: object) -> Segment | None:
        if not isinstance(sector, str):
            return None
        if sector in _OTHERS:
            return self.codebook.layout[_OTHERS[sector]]
        found = _SECTOR.fullmatch(sector)
        return None if found is None else self.codebook.layout[f"{_RINGS[found[1]]}{found[2]}"]

    def _ask(self, now: int) -> None:
        self._say("GET_SBC_STATUS")
        self._ask_at = now + _ASK_MS * MS
        if self._lost_at is None:
            self._lost_at = now + _ANSWER_MS * MS

    def _say(self, kind: str, payload: dict[str, Any] | None = None) -> None:  # Any: JSON
        self._sent += 1
        name = _make_id(self._ask_at, self._sent)
        if kind != "GET_SBC_STATUS" and len(self._pending) < _MOST_PENDING:
            self._pending[name] = kind
        self.tell({"type": kind, "id": name, **({} if payload is None else {"payload": payload})})

    def _set_deadline(self) -> None:
        dues = (self._ask_at, self._lost_at, self._stuck_at)
        self.deadline = min(due for due in dues if due is not None)


def _make_id(time_ns: int, number: int) -> str:
    """An id in the form of a UUID of version 4, of nothing but a time and a running number."""
    digits = f"{time_ns % (1 << 64):016x}{number % (1 << 56):014x}"
    return f"{digits[:8]}-{digits[8:12]}-4{digits[12:15]}-8{digits[15:18]}-{digits[18:]}"


def _find_point(value: object) -> Point | None:
    if not isinstance(value, list) or len(value) != 2:
        return None
    x, y = (read_number(each) for each in value)
    if x is None or y is None or max(abs(x), abs(y)) > _MOST_MM:
        return None
    return round(10 * x), round(10 * y)


def _explain_close(code: int | None, now: int) -> list[BoardEvent]:
    """What the end of the socket means; nothing where its code says no more than that it has ended."""
    if code not in _CLOSED:
        return []
    said, retry_s = _CLOSED[code]
    return [Unanswered(said=said, retry_s=retry_s, time_ns=now)]


def _explain_refusal(asked: str, why: str) -> Sentence:
    shown = "".join(each if each.isprintable() else "?" for each in why[:_MOST_SHOWN])
    what = _COMPLAINTS["RESET_PHASE" if asked in ("RESET_PHASE", "RECALIBRATE") else "THROW_CORRECTED"]
    return say(*what, why=shown or "-")


_SILENT = say("link.scolia_silent", "Scolia does not answer: check the internet connection of this machine")
_STUCK = say(
    "link.scolia_takeout",
    "the board waits for the darts to be pulled: pull them, or have it forget them, and throw again",
)
_UNTOLD = say(
    "link.scolia_untold",
    "Scolia was not told of this correction, because oche has not heard all darts in the board: it may count them "
    "wrongly until they are pulled",
)
_UNREADY = say("link.scolia_unready", "the board sees no darts yet: wait, or look at it in the app of Scolia")
_STATUSES: Final = {
    "Offline": say("link.scolia_offline", "the board is off or without internet: switch it on"),
    "Updating": say("link.scolia_updating", "the board is being updated: wait a few minutes"),
    "Initializing": say("link.scolia_starting", "the board is starting: wait a minute"),
    "Calibrating": say("link.scolia_calibrating", "the board calibrates itself: wait, and keep away from it"),
}
_ERROR = say("link.scolia_error", "the board has an error: have it start again, or look at it in the app of Scolia")
_ERRORS: Final = {
    "Camera": say("link.scolia_camera", "a camera of the board does not work: check its cables, and start it again"),
    "Calibrate": say(
        "link.scolia_uncalibrated",
        "the board could not calibrate itself: pull all darts, light it evenly, and have it start again",
    ),
}
_CLOSED: Final[dict[int, tuple[Sentence, float | None]]] = {
    4000: (_SILENT, 0.0),
    4100: (
        say("link.scolia_serial", "Scolia does not know this serial number: correct it in the address of the board"),
        _HOUR_S,
    ),
    4101: (
        say("link.scolia_taken", "another program is connected to this board: end that one; oche tries again"),
        _MINUTE_S,
    ),
    4102: (
        say(
            "link.scolia_token",
            "Scolia does not accept the token: "
            'enter "Token of the board" again on the page, or correct the board_token_file',
        ),
        _HOUR_S,
    ),
    4103: (say("link.scolia_suspended", "Scolia has suspended the access to this board: ask Scolia"), _HOUR_S),
    4104: (
        say(
            "link.scolia_replaced",
            "another program has taken over this board: end that one, then restart oche, or save the settings of the "
            "table",
        ),
        None,
    ),
}
"""What the codes mean, and how long to wait then: two programs must not fight for a board."""
_COMPLAINTS: Final = {
    "THROW_CORRECTED": (
        "link.scolia_uncorrected",
        "Scolia did not take the correction ({why}): the board may count its darts wrongly until they are pulled",
    ),
    "RESET_PHASE": ("link.scolia_unmended", "Scolia did not do that ({why}): try again when the board is ready"),
}
