"""The firmware of a Bluetooth LE board: what one on a wire does not have.

It is found, has one link at a time, is subscribed to, falls asleep.

Sans-IO as its base is: the owner of the radio (one in memory, a virtual controller) asks and tells.
"""

from __future__ import annotations

from random import Random

from protocol.codebook import Codebook
from protocol.events import BoardCommand
from protocol.profile import Ble
from protocol.segment import Segment
from simulator.contacts import SOUND, Faults
from simulator.firmware import Firmware
from simulator.habits import PLAIN, Habits

_MS = 1_000_000
_PACKET = 20
"""Bytes that a notification holds unless the host asks for more."""


class BleFirmware(Firmware):
    """The firmware of a board whose profile has a `ble`; raises ValueError for others."""

    def __init__(
        self, codebook: Codebook, faults: Faults = SOUND, rng: Random | None = None, habits: Habits = PLAIN
    ) -> None:
        super().__init__(codebook, faults, rng, habits)
        if codebook.profile.ble is None:
            raise ValueError(f"{codebook.profile.id} is not a Bluetooth LE board")
        self.is_connected = False
        self._ble: Ble = codebook.profile.ble
        self._is_enabled = False
        self._is_heard = False
        self._since = 0
        self._stirred_ns: int | None = None
        """When it was touched last; None: never, its batteries are new."""
        self._found_again_ns = 0

    @property
    def name(self) -> str:
        """The name it advertises."""
        return self._ble.names[0]

    @property
    def is_heard(self) -> bool:
        """Whether a host has subscribed, and not too early."""
        return self._is_heard

    def is_advertising(self, now: int) -> bool:
        """Whether it can be found and connected to now."""
        return not self.is_connected and now >= self._found_again_ns and not self._is_asleep(now)

    def connect(self, now: int) -> bool:
        """A host connects. False: it does not answer (held elsewhere, asleep, or still busy with its last host)."""
        if not self.is_advertising(now):
            return False
        self._stir(now)
        self.is_connected = True
        self._since = now
        self._is_heard = False
        self._is_enabled = not self._ble.enable
        self.on_open(now)
        return True

    def subscribe(self, now: int) -> None:
        """The host subscribes to what the board says."""
        self._is_heard = now - self._since >= self.habits.deaf_ms * _MS

    def hang_up(self, now: int) -> None:
        """The link is gone, ended by either side."""
        if self.is_connected:
            self.is_connected = self._is_heard = self._is_enabled = False
            self._found_again_ns = now + self._ble.release_ms * _MS

    def hit(self, segment: Segment, now: int) -> bool:
        """A dart wakes the board up. Returns False also before the host has enabled it."""
        self._stir(now)
        return self._is_enabled and super().hit(segment, now)

    def miss(self, now: int) -> bool:
        """As any board; see `hit`."""
        self._stir(now)
        return self._is_enabled and super().miss(now)

    def press(self, button: str, now: int) -> bool:
        """As any board; see `hit`."""
        self._stir(now)
        return self._is_enabled and super().press(button, now)

    def feed(self, data: bytes, now: int) -> list[BoardCommand]:
        """What the host writes; a write that enables or disables is no command."""
        if self._ble.enable and data == bytes.fromhex(self._ble.enable):
            self._is_enabled = True
        elif self._ble.disable and data == bytes.fromhex(self._ble.disable):
            self._is_enabled = False
        else:
            return super().feed(data, now)
        return []

    def outgoing(self) -> list[bytes]:
        """The notifications; none while no host has subscribed."""
        packets = super().outgoing()
        if not self._is_heard:
            return []
        return [packet[at : at + _PACKET] for packet in packets for at in range(0, len(packet), _PACKET)]

    def deadline(self) -> int | None:
        """When `tick` wants to be called: falling asleep is one of the times."""
        due = super().deadline()
        asleep = self._asleep_ns() if self.is_connected else None
        return min((time for time in (due, asleep) if time is not None), default=None)

    def tick(self, now: int) -> None:
        """Called at the deadline, or later. It may have hung up afterwards: see `is_connected`."""
        super().tick(now)
        if self.is_connected and self._is_asleep(now):
            self.hang_up(now)

    def _stir(self, now: int) -> None:
        self._stirred_ns = now

    def _asleep_ns(self) -> int | None:
        if not self.habits.sleep_ms or self._stirred_ns is None:
            return None
        return self._stirred_ns + self.habits.sleep_ms * _MS

    def _is_asleep(self, now: int) -> bool:
        asleep = self._asleep_ns()
        return asleep is not None and now >= asleep
