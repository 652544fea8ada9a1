"""Not written yet."""

from __future__ import annotations

from protocol.dialogues.web import WebHost
from protocol.events import BoardEvent
from protocol.web_frames import Received


class OpendartsHost(WebHost):
    """The host's side."""

    def hear(self, received: Received, now: int) -> list[BoardEvent]:
        return []
