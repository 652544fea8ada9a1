"""What a board reports, or its link: small frozen values, the same for receiving (Host) and for sending (Board).

`table` and `seq` are stamped by the session that owns the connection; Host leaves them at their defaults. `table` is
the name that the session was given: that of the table, or `board` where a board is captured or learned without one.
Bytes that mean nothing become Garbage: they are counted and shown, they never become an action and they never raise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from msgspec import Struct

from protocol.segment import Point, Segment
from protocol.sentence import Sentence

NO_SENSOR = "none"
"""The address of a table without a sensor, whose darts people enter."""


class BoardEvent(Struct, frozen=True, kw_only=True):
    """An event of a board. `time_ns` is monotonic; `raw` is the frame it came in."""

    table: str = ""
    seq: int = 0
    time_ns: int = 0
    raw: bytes = b""


MOST_KEY = 64
"""Characters of the name that a board gives a dart."""


class Hit(BoardEvent, frozen=True, kw_only=True):
    """A dart hit this segment.

    `point` is where, in tenths of a millimetre from the centre (x right, y up), from boards that measure it. `key` is
    the board's own name of this dart, at most MOST_KEY characters: an Amended with it means the same dart. `close` are
    the segments that the board held possible too, the likeliest first, at most three.
    """

    segment: Segment
    point: Point | None = None
    key: str = ""
    close: tuple[Segment, ...] = ()


class Unread(BoardEvent, frozen=True, kw_only=True):
    """A dart is in the board whose segment the board cannot tell. `key` and `point` as in Hit."""

    key: str
    point: Point | None = None


class Amended(BoardEvent, frozen=True, kw_only=True):
    """The board has corrected the dart with this `key`, or has read one that was Unread. `point` as in Hit."""

    key: str
    segment: Segment
    point: Point | None = None


TakeoutStep = Literal["started", "finished", "false"]


class TakeoutSeen(BoardEvent, frozen=True, kw_only=True):
    """The board sees the darts being pulled. `finished`: they are out. `false`: somebody came close and left them."""

    step: TakeoutStep


class Cleared(BoardEvent, frozen=True, kw_only=True):
    """A person has made the board forget its darts, which are possibly still in it: not a takeout."""


class Found(BoardEvent, frozen=True, kw_only=True):
    """What the board knew of one visit when the connection was established, its first dart first: never new darts.

    `is_over`: those darts were pulled since. `is_exact`: their keys are the same after a reconnect; else the keys are
    new, and only the segments can be compared with what is known. An empty board is told too, without darts.
    """

    darts: tuple[Hit | Unread, ...]
    is_over: bool = False
    is_exact: bool = True


Remedy = Literal["start", "reset"]
"""What a person can have a board do: `start` seeing darts, or `reset`, which forgets its darts and frees a takeout that
does not end."""


class Readiness(BoardEvent, frozen=True, kw_only=True):
    """Whether the board sees darts from now on. `said`: why not, and what to do about it; None: it does.

    `remedy` is offered to people; None: none helps.
    """

    said: Sentence | None = None
    remedy: Remedy | None = None


class Complaint(BoardEvent, frozen=True, kw_only=True):
    """The board has not done what it was told to. `said` says what, and what to do."""

    said: Sentence


class MissSensed(BoardEvent, frozen=True, kw_only=True):
    """A sensor or a button reports that a dart was thrown and scored nothing."""


class Button(BoardEvent, frozen=True, kw_only=True):
    """A key of the board; `name` is what it does: next, undo, or any word of the profile."""

    name: str


class Battery(BoardEvent, frozen=True, kw_only=True):
    """Charge in percent, 0 to 100."""

    percent: int


class Status(BoardEvent, frozen=True, kw_only=True):
    """What the board tells of itself: the greeting by which its kind is known, or a version."""

    text: str


class Stuck(BoardEvent, frozen=True, kw_only=True):
    """The board says that a contact will not open; `segment` is None when it does not say which."""

    segment: Segment | None = None


class Echo(BoardEvent, frozen=True, kw_only=True):
    """A frame that the board repeats, by its own count: never a dart."""


class Unanswered(BoardEvent, frozen=True, kw_only=True):
    """The link is of no use: the board did not answer its handshake in time, or it has sent us away.

    `said` says what to do. `retry_s`: it is not to be tried again for so many seconds; None: not before a person has
    changed something, or restarted oche.
    """

    said: Sentence
    retry_s: float | None = 0.0


class Garbage(BoardEvent, frozen=True, kw_only=True):
    """Bytes (`raw`) that mean nothing."""


_DOUBTS = {
    "ble": "the profile",
    "usb": "the profile",
    "web": "the profile, and whether the program of the board has become newer than this oche",
}
"""What may be wrong by the kind of the link; with all others a wrong baud rate is possible, too."""


def name_doubts(address: str) -> str:
    """What to check where the board at this address says what its profile does not know."""
    return _DOUBTS.get(address.partition(":")[0], "the profile and the baud rate")


Trouble = Literal["unavailable", "lost", "refused"]
"""Why there is no link: the board is not there, it is gone, or it or the system says no, and a person must act."""


class LinkUp(Struct, frozen=True):
    """The link to the board stands from now on. `time_ns` is monotonic; `signal_dbm` is the strength of a radio link.

    Sent again when the board begins to flood (`is_flooding`), and when that is over.
    """

    table: str
    address: str
    time_ns: int
    signal_dbm: int | None = None
    is_flooding: bool = False

    @property
    def text(self) -> str:
        """The link in one sentence, and what to do about a flood."""
        if self.address == NO_SENSOR:
            return "no sensor: darts are entered"
        if not self.is_flooding:
            return f"connected to {self.address}"
        return (
            f"the board at {self.address} sends more than a dartboard does, and has to wait: "
            f"check {name_doubts(self.address)}, or switch it off and on"
        )


class LinkDown(Struct, frozen=True):
    """There is no link to the board; `said` is one sentence that says what to do. Sent again when it changes.

    `unheard_ns` is how long nothing had been heard when that was noticed, where it took long.
    """

    table: str
    said: str | Sentence
    kind: Trouble
    time_ns: int
    unheard_ns: int = 0

    @property
    def reason(self) -> str:
        """The sentence in English."""
        return str(self.said)


BoardItem = BoardEvent | LinkUp | LinkDown
"""What the session of a board yields."""


class Write(Struct, frozen=True):
    """A command to the board: one frame, without its framing."""

    frame: bytes


class Light(Struct, frozen=True):
    """Lights these segments, and no others; without any, all lamps go out. Boards without lamps ignore it."""

    segments: tuple[Segment, ...] = ()


class Flash(Struct, frozen=True):
    """Shows the hit. Boards without lamps ignore it."""

    segment: Segment


class Correct(Struct, frozen=True):
    """A person has corrected the dart with this key; None: there was none. Boards that do not listen ignore it."""

    key: str
    segment: Segment | None


class Mend(Struct, frozen=True):
    """A person has asked for this. Boards without it ignore it."""

    remedy: Remedy


BoardCommand = Write | Light | Flash | Correct | Mend


class Told(NamedTuple):
    """How events of one kind are told: in a word or two, and for programs; None: they are no news of the game."""

    describe: Callable[[Any], str]  # Any: an event of that kind
    encode: Callable[[Any], dict[str, object]] | None = None


TOLD: dict[type[BoardEvent], Told] = {
    Hit: Told(
        lambda hit: hit.segment.id,
        lambda hit: {"hit": hit.segment.id} | ({} if hit.point is None else {"point": hit.point}),
    ),
    Unread: Told(lambda _: "a dart that was not read", lambda _: {"unread": True}),
    Amended: Told(lambda dart: f"corrected to {dart.segment.id}", lambda dart: {"amended": dart.segment.id}),
    TakeoutSeen: Told(lambda seen: f"takeout {seen.step}", lambda seen: {"takeout": seen.step}),
    Cleared: Told(lambda _: "cleared", lambda _: {"cleared": True}),
    Found: Told(
        lambda found: f"found {len(found.darts)} darts",
        lambda found: {"found": [dart.segment.id if isinstance(dart, Hit) else None for dart in found.darts]},
    ),
    Readiness: Told(lambda readiness: str(readiness.said or "ready")),
    Complaint: Told(lambda complaint: str(complaint.said)),
    MissSensed: Told(lambda _: "miss", lambda _: {"miss": True}),
    Button: Told(lambda button: f"button {button.name}", lambda button: {"button": button.name}),
    Battery: Told(lambda battery: f"battery {battery.percent} %", lambda battery: {"battery": battery.percent}),
    Status: Told(lambda status: f"says {status.text}"),
    Stuck: Told(lambda stuck: f"stuck {stuck.segment.id if stuck.segment else ''}"),
    Echo: Told(lambda _: "repeated"),
    Unanswered: Told(lambda _: "unanswered"),
    Garbage: Told(lambda _: "garbage", lambda garbage: {"garbage": garbage.raw.hex()}),
}


def describe_event(event: BoardEvent) -> str:
    """The event in a word or two."""
    return TOLD[type(event)].describe(event)


def encode_event(event: BoardEvent) -> dict[str, object] | None:
    """What happened, for programs; None for what is no news of the game."""
    encode = TOLD[type(event)].encode
    return None if encode is None else encode(event)
