"""Darts Connect: it wants to hear from us, it answers, and its red button says everything twice.

A board that has not said a word for 15 s, answers to our heartbeats included, is gone, whatever TCP thinks.
"""

from __future__ import annotations

from typing import Final

from protocol.dialogue import MS, BoardDialogue, HostDialogue, decode_frame
from protocol.events import BoardCommand, BoardEvent, Button, Echo, Unanswered
from protocol.framing import Frame
from protocol.sentence import say

_BEAT: Final = bytes.fromhex("23080000 ff000000 00000000 00000000 00000000")
_ANSWER: Final = bytes.fromhex("23080000 ff000000 01010000 08000000 00305040 01000000 00000000")
_KIND: Final = slice(4, 8)
_HEARTBEAT: Final = bytes.fromhex("ff000000")
_EVERY_MS: Final = 10_000
_PATIENCE_MS: Final = 15_000
_TWICE_MS: Final = 50


class DartsConnectHost(HostDialogue):
    """The host's side."""

    _beat_ns = 0
    _heard_ns = 0
    _next_ns: int | None = None

    def on_open(self, now: int) -> None:
        self._heard_ns = now
        self._beat(now)

    def on_bytes(self, now: int) -> None:
        self._heard_ns = now
        if self.deadline is not None:
            self._rest()

    def read(self, frame: Frame, now: int) -> list[BoardEvent]:
        events = decode_frame(self.codebook, frame, now)
        if any(isinstance(event, Button) for event in events):
            if self._next_ns is not None and now - self._next_ns < _TWICE_MS * MS:
                return [Echo(raw=frame.data, time_ns=now)]
            self._next_ns = now
        elif events:
            self._next_ns = None  # with a throw between, it is no repetition
        return events

    def tick(self, now: int) -> list[BoardEvent]:
        if now - self._heard_ns >= _PATIENCE_MS * MS:
            self.deadline = None
            said = say("link.fallen_silent", "the board has gone silent: switch it off and on again")
            return [Unanswered(said=said, time_ns=now)]
        if now >= self._beat_ns:
            self._beat(now)
        self._rest()
        return []

    def _beat(self, now: int) -> None:
        self.say(_BEAT)
        self._beat_ns = now + _EVERY_MS * MS
        self._rest()

    def _rest(self) -> None:
        self.deadline = min(self._beat_ns, self._heard_ns + _PATIENCE_MS * MS)


class DartsConnectBoard(BoardDialogue):
    """The board's side."""

    def read(self, frame: Frame, now: int) -> list[BoardCommand]:
        if not frame.broken and frame.data[_KIND] == _HEARTBEAT:
            self.packets.append(_ANSWER)
            return []
        return super().read(frame, now)
