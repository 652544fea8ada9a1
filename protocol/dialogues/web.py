"""What the dialogues of boards with HTTP and WebSocket have in common: messages in JSON, and requests by their names.

The connection is the link's: it opens the socket of the profile, says when it stands, and carries out what is asked for
here. See protocol/web_frames.py.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from msgspec import UNSET

from protocol.dialogue import HostDialogue
from protocol.events import BoardCommand, BoardEvent, Garbage
from protocol.framing import Frame
from protocol.profile import Web
from protocol.web_frames import Method, Received, Wanted, decode_received, encode_packet

_MOST_GARBAGE = 64
"""Of a message that is not understood no more is kept: it may hold a secret."""

_NOWHERE = Web(port=1, socket="")


class WebHost(HostDialogue):
    """The host's side."""

    @property
    def web(self) -> Web:
        """How the board is reached; without a table [web] in its profile, by no path at all."""
        return self.codebook.profile.web or _NOWHERE

    def on_open(self, now: int) -> None:
        """Called once the socket stands."""

    def read(self, frame: Frame, now: int) -> list[BoardEvent]:
        received = None if frame.broken else decode_received(frame.data)
        return [self.note_garbage(frame.data, now)] if received is None else self.hear(received, now)

    @abstractmethod
    def hear(self, received: Received, now: int) -> list[BoardEvent]:
        """The events in this message. Never raises, whatever the message is."""

    def encode(self, command: BoardCommand) -> None:
        """Queues what has the board carry out this command; nothing when it does not know it."""

    def tick(self, now: int) -> list[BoardEvent]:
        self.deadline = None
        return []

    def ask(self, path: str, method: Method = "GET", body: Any = UNSET) -> str:  # Any: JSON
        """Queues a request of this path, and returns the `source` of its answer."""
        self.say(encode_packet(Wanted(method, path, body)))
        return f"{method} {path}"

    def tell(self, value: dict[str, Any]) -> None:  # Any: JSON
        """Queues a message for the socket."""
        self.say(encode_packet(Wanted(say=value)))

    def note_garbage(self, data: bytes, now: int) -> Garbage:
        """The event of a message that means nothing."""
        return Garbage(raw=data[:_MOST_GARBAGE], time_ns=now)
