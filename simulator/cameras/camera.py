"""Cameras at a steel-tip board, as their makers' programs behave: from a dart to what they say.

Sans-IO: the time is set by the caller, and what is to be said waits in `outgoing`. So one server carries all of them,
and a test can look at what is said without one. The shapes of the messages are those that their makers or their users
have published; each is a file of its own. Quirks are data, switched on one by one.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from datetime import UTC, datetime
from random import Random
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from uuid import UUID

from msgspec import UNSET, Struct

from protocol.segment import Layout, Point, Segment

Json = dict[str, Any]  # Any: JSON
DARTS = 3
"""No camera reports a fourth."""
SURROUND = 2250
"""As far from the centre (tenths of a millimetre) a dart stays in the surround; what is farther off fell down."""


class Quirks(Struct, frozen=True):
    """What this board does beside what it should; the default is a board that does nothing odd.

    Some are of one maker alone. `repeats`: each message comes so many times more. `jitter_mm`: a dart that stands still
    is somewhere else by up to so much in the next snapshot (Autodarts). `is_text`: numbers are written as text where
    that was seen (opendarts, OpenDartboard). `leaves_out`: keys are absent or null where they may be. `keeps_darts`:
    the message that ends the visit still has its darts (opendarts). `is_late`: the first message of a dart still has
    the event before it (Autodarts). `is_torn`: before each snapshot comes one that counts a dart more than it lists
    (Autodarts). `sticks`: after a takeout the next one begins at once, and does not end until the board is reset
    (Autodarts 2.0.2). `chatter`: messages that mean nothing to a game come in between, some with what looks like a
    secret. `odd_bulls`: the bulls as one program writes them (Autodarts).
    `names_misses`: a dart beside the board is told with a bed all the same (Scolia).
    """

    repeats: int = 0
    jitter_mm: float = 0.0
    is_text: bool = False
    leaves_out: bool = False
    keeps_darts: bool = False
    is_late: bool = False
    is_torn: bool = False
    sticks: bool = False
    chatter: bool = False
    odd_bulls: bool = False
    names_misses: bool = False


PLAIN = Quirks()
"""A board that does nothing odd."""


class Seen(Struct):
    """A dart in the board. `segment` is None where it could not be read; `point` None where it is not known."""

    segment: Segment | None
    point: Point | None
    at_s: float
    is_corrected: bool = False
    is_bounce: bool = False


class Asked(Struct, frozen=True):
    """A request of the host: its path is without the query."""

    method: str
    path: str
    query: Mapping[str, str] = {}
    body: Any = UNSET  # Any: JSON; UNSET: none, or none that is JSON


class Answer(Struct, frozen=True):
    """The board's answer: JSON, or text."""

    status: int
    value: Any = None  # Any: JSON
    text: str | None = None


NOT_FOUND = Answer(404, {"error": "not found"})
OK = Answer(200, {"ok": True})


class Camera(ABC):
    """A board that sees its darts. Set `now_s` (Unix time) before anything else is called."""

    socket: str
    """The path of its WebSocket."""
    beat_s: float = 0.0
    """How often it says something although nothing happens; 0: never."""
    ping_s: float = 0.0
    """How often it looks whether a host is still there; 0: never."""
    tells_singles: bool = True
    """Whether it tells the inner single from the outer one."""
    asked_first: str | None = None
    """The path that tells what is in the board, where the socket does not; a host that asks needs no socket."""

    def __init__(self, layout: Layout, quirks: Quirks = PLAIN, rng: Random | None = None) -> None:
        self.layout = layout
        self.quirks = quirks
        self.now_s = 0.0
        self.darts: list[Seen] = []
        """Those in the board that it has seen."""
        self.is_running = True
        self.is_taking_out = False
        self.rng = rng or Random(0)
        self._said: list[Json] = []

    # What the server does

    def refuses(self, asked: Asked) -> int | None:
        """Why a host gets no socket: the HTTP status, or the code (from 4000) with which the socket is closed."""
        return None

    def greet(self) -> list[Json]:
        """What a host is told first."""
        return []

    def hear(self, message: Json) -> list[Json]:
        """Takes what a host says in the socket; returns the answer to it."""
        return []

    @abstractmethod
    def answer(self, asked: Asked) -> Answer:
        """Answers a request."""

    def beat(self) -> None:
        """Called every `beat_s` seconds."""

    def outgoing(self) -> list[Json]:
        """Removes and returns what is to be said to every host."""
        said, self._said = self._said, []
        return said

    # What happens at the board

    def land(self, point: Point) -> bool:
        """A dart comes down there (tenths of a millimetre). False: it is not seen, nor ever will be."""
        if math.hypot(*point) > SURROUND:
            return self.bounce()
        return self._see(Seen(self.layout.landed(*point), point, self.now_s))

    def land_unread(self, point: Point) -> bool:
        """The same for a dart that cannot be read. False: this board knows no such thing."""
        return False

    def bounce(self) -> bool:
        """A dart falls down. False: this board does not see that."""
        return False

    @abstractmethod
    def begin_takeout(self) -> None:
        """A hand comes to the board."""

    @abstractmethod
    def pull_one(self) -> None:
        """The dart thrown last is pulled, while a takeout goes on."""

    @abstractmethod
    def end_takeout(self) -> None:
        """The board is empty, and the hand is gone."""

    @abstractmethod
    def break_off_takeout(self) -> None:
        """The hand is gone and has left the darts."""

    def correct(self, index: int, segment: Segment) -> None:
        """The board, or a person in front of it, reads this dart otherwise. Most boards never do."""

    def forget(self) -> None:
        """A person makes the board forget its darts."""

    def start(self) -> None:
        """It begins to see darts."""

    def stop(self) -> None:
        """It sees no darts any longer."""

    @abstractmethod
    def restart(self) -> None:
        """Its program starts anew: what was in memory is gone."""

    # For the makers

    @abstractmethod
    def _see(self, dart: Seen) -> bool:
        """Takes a new dart. False: it goes unseen."""

    def _is_deaf(self) -> bool:
        """Whether a dart now goes unseen."""
        return not self.is_running or self.is_taking_out or len(self.darts) >= DARTS

    def _say(self, *messages: Json) -> None:
        for message in messages:
            self._said += [message] * (1 + self.quirks.repeats)

    def _uuid(self) -> str:
        return str(UUID(bytes=self.rng.randbytes(16), version=4))

    def _iso(self, at_s: float | None = None, unit: str = "microseconds") -> str:
        return datetime.fromtimestamp(self.now_s if at_s is None else at_s, UTC).isoformat(timespec=unit)


def read_target(method: str, target: str, body: Any = UNSET) -> Asked:  # Any: JSON
    """The request of this target, such as `/api/live/recent?limit=3`."""
    parts = urlsplit(target)
    return Asked(method, parts.path, dict(parse_qsl(parts.query, keep_blank_values=True)), body)


def as_text(number: int, is_text: bool) -> int | str:
    """The number, or the same as text."""
    return str(number) if is_text else number
