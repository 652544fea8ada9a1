"""A board as its firmware behaves, habits and faults included: from a dart to the bytes it sends.

Sans-IO like the Board it speaks through: time is an argument (monotonic, ns), what is to come later is a deadline,
and nothing here knows a port, a radio or a loop, so the same firmware sits behind a pty, a socket or a virtual radio.
What a frame looks like is `protocol.endpoint.Board`'s; when it is said, how often and in what pieces is decided here.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import count
from random import Random

from protocol.camera import MAGIC
from protocol.codebook import Codebook
from protocol.endpoint import Board
from protocol.events import BoardCommand, BoardEvent, Button, Hit, MissSensed, Status, Stuck
from protocol.segment import Segment
from simulator.contacts import SOUND, BoardContacts, Faults
from simulator.habits import PLAIN, Habits

_MS = 1_000_000


class Firmware:
    """The board's program. `outgoing` hands out what it wrote, one item a write (or packet)."""

    def __init__(
        self, codebook: Codebook, faults: Faults = SOUND, rng: Random | None = None, habits: Habits = PLAIN
    ) -> None:
        self.faults = faults
        self.habits = habits
        self.charge = habits.charge
        """Of its battery, in percent; None: it has none to tell of."""
        self._codebook = codebook
        self._rng = rng or Random(0)
        self._contacts = BoardContacts(codebook, faults, self._rng)
        self._board = Board(codebook)
        self._writes: list[bytes] = []
        self._gathered = bytearray()
        self._is_gathering = False
        self._later: list[tuple[int, int, Callable[[int], object], bool]] = []
        """What is to come: when, in which order, what, and whether it goes on until the contact is freed."""
        self._order = count()
        self._awake_ns = 0
        """When the controller has started."""
        self._held: Segment | None = None
        """The contact it waits for to open, where it does."""

    def on_open(self, now: int = 0) -> None:
        """A host opened the line: the controller starts anew and greets, if it is a kind that does."""
        self._board = Board(self._codebook)
        self._writes.clear()
        self._gathered.clear()
        self._is_gathering = False
        self._later = [planned for planned in self._later if planned[3]]
        heapq.heapify(self._later)
        self._awake_ns = now + self.habits.wake_ms * _MS
        if self.habits.boot:
            self._writes.append(self.habits.boot)
        if self.habits.wake_ms:
            self._plan(self._awake_ns, self._greet)
        else:
            self._greet(now)

    def hit(self, segment: Segment, now: int) -> bool:
        """A dart lands in this segment. False: the board notices nothing (no contact there, asleep, or too weak)."""
        self.tick(now)
        contact = self._contacts.under(segment)
        if contact is None or not self._notices(now):
            return False
        shake_ms = self.faults.shake_ms
        if shake_ms is not None:
            self._plan(now + max(0, shake_ms) * _MS, self._shake)
        if shake_ms is not None and shake_ms < 0:
            self._plan(now - shake_ms * _MS, lambda due: self._land(contact, due))
        else:
            self._land(contact, now)
        return True

    def miss(self, now: int) -> bool:
        """A dart misses the board. False: this board has no way to tell."""
        self.tick(now)
        return self._shake(now)

    def press(self, button: str, now: int) -> bool:
        """A button is pressed. Returns False where there is none of that name."""
        self.tick(now)
        if now < self._awake_ns:
            return False
        if button == "long" and self.habits.long_ms:
            held_ns = self.habits.long_ms * _MS
            self._plan(now + held_ns, lambda due: self._say(Button(name=button, time_ns=due), due))
            return self._say(Button(name="next", time_ns=now + held_ns), now)  # it is let go after that time
        return self._say(Button(name=button, time_ns=now), now, self.habits.key_again_ms)

    def free(self, now: int = 0) -> None:
        """Opens the contacts that are stuck: the dart is pulled out."""
        self._later = [planned for planned in self._later if not planned[3]]
        heapq.heapify(self._later)
        held, self._held = self._held, None
        if held is not None:
            self._close(held, now)

    def feed(self, data: bytes, now: int) -> list[BoardCommand]:
        """The commands in these bytes from the host; answers are in `outgoing`. A controller that starts is deaf."""
        if now < self._awake_ns:
            return []
        commands = self._board.feed(data, now)
        self._write(self._board.packets(), now)
        return commands

    def outgoing(self) -> list[bytes]:
        """What is to be written now, in order."""
        writes, self._writes = self._writes, []
        return writes

    def deadline(self) -> int | None:
        """When `tick` wants to be called; None: never."""
        planned = self._later[0][0] if self._later else None
        dialogue = self._board.deadline()
        return min((due for due in (planned, dialogue) if due is not None), default=None)

    def tick(self, now: int) -> None:
        """Called at the deadline, or later."""
        while self._later and self._later[0][0] <= now:
            due, _, act, _ = heapq.heappop(self._later)
            act(due)
        dialogue = self._board.deadline()
        if dialogue is not None and dialogue <= now:
            self._board.tick(now)
            self._write(self._board.packets(), now)

    def _plan(self, time_ns: int, act: Callable[[int], object], *, is_stuck: bool = False) -> None:
        heapq.heappush(self._later, (time_ns, next(self._order), act, is_stuck))

    def _notices(self, now: int) -> bool:
        is_weak = self.charge is not None and self.charge < self.habits.weak_percent
        if now < self._awake_ns or self._held is not None or (is_weak and self._rng.random() < 0.5):
            return False
        return self._contacts.is_seen()

    def _greet(self, now: int) -> None:
        packets = [self.habits.greeting] if self.habits.greeting else self._banner()
        if self.habits.keeps_greeting:
            self._gathered += b"".join(packets)
        else:
            self._write(packets, now)

    def _banner(self) -> list[bytes]:
        """The greeting that the profile of a board on a wire knows."""
        text = self._codebook.profile.serial.banner
        if text is None:
            return []
        self._board.send(Status(text=text, raw=text.encode("latin-1")))
        return self._board.packets()

    def _land(self, contact: Segment, now: int) -> None:
        """A dart closes this contact, and whatever the faults make of it."""
        if self.faults.noise:
            self._write(self._codebook.profile.framing.packets(self.faults.noise), now)
        if self.faults.stuck_ms is not None and self.habits.waits_for_release:
            self._held = contact
            return
        self._close(contact, now)
        for bounce_ms in self.faults.bounce_ms:
            self._plan(now + bounce_ms * _MS, lambda due: self._close(contact, due))
        if self.faults.wedge_ms is not None and (touching := self._contacts.touching(contact)):
            self._plan(now + self.faults.wedge_ms * _MS, lambda due: self._close(touching, due))
        if self.faults.stuck_ms is not None:
            self._stick(contact, now)

    def _close(self, contact: Segment, now: int) -> None:
        if now < self._awake_ns:
            return
        for closed in self._contacts.close(contact, now):
            self._say(Hit(segment=closed, time_ns=now), now, self.habits.again_ms)

    def _stick(self, contact: Segment, now: int) -> None:
        """Says it again, or complains if it has a word for that, as long as the contact stays closed."""

        def again(due: int) -> None:
            if not self._say(Stuck(time_ns=due), due):
                self._close(contact, due)
            self._stick(contact, due)

        self._plan(now + (self.faults.stuck_ms or 0) * _MS, again, is_stuck=True)

    def _shake(self, now: int) -> bool:
        return self.habits.tells_misses and now >= self._awake_ns and self._say(MissSensed(time_ns=now), now)

    def _say(self, event: BoardEvent, now: int, again_ms: tuple[int, ...] = ()) -> bool:
        said = self._board.send(event)
        if said:
            packets = [self._dressed(packet, event) for packet in self._board.packets()]
            self._write(packets, now)
            for later_ms in again_ms:
                self._plan(now + later_ms * _MS, lambda due: self._write(packets, due))
        return said

    def _dressed(self, packet: bytes, event: BoardEvent) -> bytes:
        """The packet as this board's version says it, and with its photograph."""
        frame = bytearray(packet)
        for place, byte in self.habits.instead:
            frame[place] = byte
        if self.habits.picture and isinstance(event, Hit):
            inside = self._rng.randbytes(self.habits.picture // 2).replace(b"\xff", b"\xfe")
            frame[-2:-2] = inside + MAGIC + inside  # a photograph may hold anything but its own end
        return bytes(frame)

    def _write(self, packets: list[bytes], now: int) -> None:
        """Puts them on their way, each for itself or together with those around it."""
        for packet in packets:
            self._gathered += packet
            if not self.habits.gather_ms:
                self._flush(now)
            elif not self._is_gathering:
                self._is_gathering = True
                self._plan(now + self.habits.gather_ms * _MS, self._flush)

    def _flush(self, now: int) -> None:
        self._send(bytes(self._gathered))
        self._gathered.clear()
        self._is_gathering = False

    def _send(self, packet: bytes) -> None:
        if len(packet) > 1 and self.habits.cuts and self._rng.random() < self.habits.cuts:
            at = self._rng.randrange(1, len(packet))
            self._writes += [packet[:at], packet[at:]]
            return
        size = self.faults.chunk or len(packet)
        self._writes += [packet[at : at + size] for at in range(0, len(packet), size)]
