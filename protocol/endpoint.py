"""The two ends of a board's wire, by one profile: Host is ours, Board is the board's.

Neither knows a socket, a port or a clock. Time is an argument in nanoseconds, timers are deadlines the caller keeps,
and `feed` never raises, whatever comes in. They are mirrors: what one sends the other understands, which is what the
simulator is made of. That proves consistency, not truth; truth comes from real captures in the tests.
"""

from __future__ import annotations

from typing import Final, Generic

from protocol import dialogue
from protocol.codebook import Codebook
from protocol.dialogue import BoardDialogue, DialogueEnd, Heard, HostDialogue
from protocol.dialogues import darts_connect, granboard, pikado, sdb_bt, unicorn
from protocol.events import BoardCommand, BoardEvent, Hit
from protocol.framing import Framer
from protocol.profile import Dialogue, Profile

_HOSTS: Final[dict[Dialogue, type[HostDialogue]]] = {
    "plain": dialogue.HostDialogue,
    "granboard": granboard.GranboardHost,
    "sdb-bt": sdb_bt.SdbBtHost,
    "unicorn": unicorn.UnicornHost,
    "darts-connect": darts_connect.DartsConnectHost,
    "pikado": pikado.PikadoHost,
}


def _find_host(kind: Dialogue) -> type[HostDialogue]:
    """The host's side of a dialogue; those of cameras are loaded by the tables that have one."""
    match kind:
        case "opendarts-cameras":
            from protocol.dialogues.opendarts_cameras import OpendartsHost  # noqa: PLC0415

            return OpendartsHost
        case "autodarts":
            from protocol.dialogues.autodarts import AutodartsHost  # noqa: PLC0415

            return AutodartsHost
        case "opendartboard":
            from protocol.dialogues.opendartboard import OpendartboardHost  # noqa: PLC0415

            return OpendartboardHost
        case "scolia":
            from protocol.dialogues.scolia import ScoliaHost  # noqa: PLC0415

            return ScoliaHost
    return _HOSTS[kind]


_BOARDS: Final[dict[Dialogue, type[BoardDialogue]]] = {
    "plain": dialogue.BoardDialogue,
    "granboard": granboard.GranboardBoard,
    "sdb-bt": sdb_bt.SdbBtBoard,
    "unicorn": unicorn.UnicornBoard,
    "darts-connect": darts_connect.DartsConnectBoard,
    "pikado": pikado.PikadoBoard,
}


class _End(Generic[Heard]):
    """What both ends share: packets that wait to be written, and a deadline."""

    _side: DialogueEnd[Heard]

    def packets(self) -> list[bytes]:
        """Removes and returns the packets that are to be written now."""
        packets = [packet for packet in self._side.packets if packet]
        self._side.packets.clear()
        return packets

    def outgoing(self) -> bytes:
        """All packets joined, for links that carry a stream of bytes."""
        return b"".join(self.packets())

    def deadline(self) -> int | None:
        """When `tick` wants to be called (monotonic, ns); None: never."""
        return self._side.deadline

    def tick(self, now: int) -> list[Heard]:
        """Called at the deadline, or later; earlier it does nothing."""
        due = self._side.deadline
        return [] if due is None or now < due else self._side.tick(now)


def has_lamps(profile: Profile) -> bool:
    """Returns whether a board of this profile can be told what to light."""
    return _find_host(profile.dialogue).has_lamps


class Host(_End[BoardEvent]):
    """The host's end of one connection: bytes from a board become events, commands become bytes for it.

    After a lost connection, use a new Host: half a frame of the old connection must not be joined to the next one.
    """

    def __init__(self, codebook: Codebook) -> None:
        self._side: HostDialogue = _find_host(codebook.profile.dialogue)(codebook)
        self._framer = Framer(codebook.profile.framing)

    def on_open(self, now: int) -> None:
        """The connection stands: queues what the board has to be told first. Called once, before anything else."""
        self._side.on_open(now)

    def feed(self, data: bytes, now: int) -> list[BoardEvent]:
        """The events in these bytes, in order. `now` is monotonic, in ns."""
        if data:
            self._side.on_bytes(now)
        return [event for frame in self._framer.feed(data) for event in self._side.read(frame, now)]

    def send(self, command: BoardCommand) -> None:
        """Queues a command; `outgoing` hands its bytes out. A command that this board does not know queues nothing."""
        self._side.encode(command)


class Board(_End[BoardCommand]):
    """The board's end: events become bytes, bytes from the host become commands.

    Raises ValueError for a board with HTTP and WebSocket: it is a server, and no frame says what happened.
    """

    def __init__(self, codebook: Codebook) -> None:
        if codebook.profile.web is not None:
            raise ValueError(f"{codebook.profile.id} has no frames to send: its messages are those of a web server")
        self._side: BoardDialogue = _BOARDS[codebook.profile.dialogue](codebook)
        self._framer = Framer(self._side.host_framing)

    def feed(self, data: bytes, now: int) -> list[BoardCommand]:
        """The commands in these bytes; answers of the board wait in `outgoing`."""
        return [command for frame in self._framer.feed(data) for command in self._side.read(frame, now)]

    def send(self, event: BoardEvent) -> bool:
        """Queues an event; Status and Garbage are sent as their `raw`, the others are encoded by their meaning.

        Returns False, and queues nothing, when this board has no frame for it (mostly a miss). A frame that follows
        later (the release of a button) is due from the event's `time_ns` on.
        """
        return self._side.encode(event)


def connect(host: Host, board: Board, now: int) -> list[BoardEvent]:
    """Opens the connection and exchanges all packets that follow from that; returns the host's events."""
    events: list[BoardEvent] = []
    host.on_open(now)
    while asked := host.packets():
        for packet in asked:
            board.feed(packet, now)
        for packet in board.packets():
            events += host.feed(packet, now)
    return events


def check_round_trip(codebook: Codebook) -> None:
    """Sends every segment from a board to a host. Raises ValueError for the first that does not come back.

    Of a board with HTTP and WebSocket there is nothing to send: what it says is in its dialogue, not in its profile.
    """
    if codebook.profile.web is not None:
        return
    board, host = Board(codebook), Host(codebook)
    connect(host, board, 0)
    for count, segment in enumerate(codebook.segments, 1):
        now = count * 1_000_000_000  # apart, so that none is taken for a quick repetition
        board.send(Hit(segment=segment, time_ns=now))
        heard = [event for packet in board.packets() for event in host.feed(packet, now)]
        if [event.segment for event in heard if isinstance(event, Hit)] != [segment]:
            raise ValueError(f"{segment.id} does not come back as it was sent: {heard}")
