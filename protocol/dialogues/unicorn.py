"""Unicorn Smartboard: what switches its reports on is written again until the first dart proves that it listens.

The link itself writes it once when it connects (`ble.enable`), but boards were seen to miss that.
"""

from __future__ import annotations

from typing import Final

from protocol.codebook import Codebook
from protocol.dialogue import MS, BoardDialogue, HostDialogue
from protocol.events import BoardEvent, Hit
from protocol.framing import Frame

_EVERY_MS: Final = 20_000
_TIMES: Final = 3


class UnicornHost(HostDialogue):
    """The host's side."""

    def __init__(self, codebook: Codebook) -> None:
        super().__init__(codebook)
        ble = codebook.profile.ble
        self._enable = bytes.fromhex(ble.enable) if ble else b""
        self._left = _TIMES

    def on_open(self, now: int) -> None:
        if self._enable:
            self.deadline = now + _EVERY_MS * MS

    def read(self, frame: Frame, now: int) -> list[BoardEvent]:
        events = super().read(frame, now)
        if any(isinstance(event, Hit) for event in events):
            self.deadline = None
        return events

    def tick(self, now: int) -> list[BoardEvent]:
        self.say(self._enable)
        self._left -= 1
        self.deadline = now + _EVERY_MS * MS if self._left else None
        return []


class UnicornBoard(BoardDialogue):
    """The board's side: whether it reports depends on what was written to it; see `ble.enable`."""
