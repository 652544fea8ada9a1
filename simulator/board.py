"""The interface of every simulated board: darts and buttons to it, a cable or a radio to lose.

One interface for all of them, so that a test or the demo throws at a GRANBOARD as it throws at a board on a wire or at
cameras. The time is that of the running event loop, so that a loop which makes its own time is enough for a match in no
time.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from random import Random
from types import TracebackType
from typing import Self

from protocol.codebook import Codebook
from protocol.events import BoardCommand
from protocol.segment import Segment
from simulator.ble_firmware import BleFirmware
from simulator.contacts import SOUND, Faults
from simulator.firmware import Firmware
from simulator.habits import PLAIN, Habits
from simulator.thrower import Landing

_KEPT_COMMANDS = 256


class SimulatedBoard(ABC):
    """A board and its link: `async with …(codebook) as board` plugs it in, leaving the block pulls it out.

    All methods belong to the running event loop.
    """

    wake_s: float = 0.0
    """The seconds in which a board that was opened notices no dart."""
    shortest_interval_s: float = 0.0
    """The seconds between two darts that the host needs to tell them apart."""

    def __init__(self, codebook: Codebook) -> None:
        self.codebook = codebook
        self._heard = asyncio.Event()
        """Set when a host has come; a task that waits for one clears it first."""

    async def __aenter__(self) -> Self:
        self.plug()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pull()

    @property
    def token(self) -> str:
        """What a host has to show to reach it; empty: nothing."""
        return ""

    @property
    @abstractmethod
    def address(self) -> str:
        """Where a driver finds the board."""

    @abstractmethod
    def plug(self) -> None:
        """Plugs the board in, or switches it on."""

    @abstractmethod
    async def unplug(self, patience_s: float = 5.0) -> None:
        """Pulls the plug, once the host has read what the board wrote before, or when patience is over.

        0: pulls it in the middle of whatever was on its way.
        """

    @property
    def is_heard(self) -> bool:
        """Whether a host hears what the board says now."""
        return self._is_open()

    @property
    def has_darts(self) -> bool:
        """Whether the board sees darts in it, which no board but one with cameras does."""
        return False

    async def wait_until_open(self) -> None:
        """Waits until a host can hear the board. What it says earlier is lost."""
        while not self._is_open():
            self._heard.clear()
            await self._heard.wait()

    def reported(self, segment: Segment) -> Segment | None:
        """Returns the segment that the board reports for a dart there; None: it sees nothing."""
        return self.codebook.reported(segment)

    def throw(self, landing: Landing) -> bool:
        """A dart comes down there. False: the board notices nothing."""
        return self.miss() if landing.segment == self.codebook.layout.miss else self.hit(landing.segment)

    @abstractmethod
    def hit(self, segment: Segment) -> bool:
        """A dart lands in this segment. False: the board notices nothing."""

    @abstractmethod
    def miss(self) -> bool:
        """A dart misses the board. False: this board has no way to tell."""

    @abstractmethod
    def press(self, button: str) -> bool:
        """A button is pressed. Returns False where there is none of that name."""

    def pull_darts(self) -> bool:
        """The player pulls the darts and tells the board, where it has a button for that. False: it has none."""
        return self.press("next") or self.press("takeout")

    @abstractmethod
    def _is_open(self) -> bool:
        """Whether a host can hear the board."""

    @abstractmethod
    def _pull(self) -> None:
        """Pulls the plug at once, and stops the timer."""


class FirmwareBoard(SimulatedBoard):
    """A board whose frames are in its profile: the program in it, and a link that carries bytes."""

    def __init__(
        self, codebook: Codebook, *, faults: Faults = SOUND, habits: Habits = PLAIN, rng: Random | None = None
    ) -> None:
        super().__init__(codebook)
        self.firmware = make_firmware(codebook, faults, habits, rng)
        self.commands: asyncio.Queue[BoardCommand] = asyncio.Queue(_KEPT_COMMANDS)
        """What the host told the board to do. The oldest is dropped when the queue is full."""
        self._timer: asyncio.TimerHandle | None = None
        timing = codebook.profile.timing
        calm_ms = habits.calm_ms + max(timing.repeat_ms, timing.miss_ms, timing.contact_ms)
        self.shortest_interval_s = calm_ms * 1.25 / 1000
        self.wake_s = habits.wake_ms / 1000

    def hit(self, segment: Segment) -> bool:
        """A dart lands in this segment. False: the board notices nothing."""
        said = self.firmware.hit(segment, self._now())
        self._print()
        return said

    def miss(self) -> bool:
        """A dart misses the board. False: this board has no way to tell."""
        said = self.firmware.miss(self._now())
        self._print()
        return said

    def press(self, button: str) -> bool:
        """A button is pressed. Returns False where there is none of that name."""
        said = self.firmware.press(button, self._now())
        self._print()
        return said

    def write_raw(self, data: bytes) -> None:
        """Puts bytes on the link as they are."""
        self._now()
        self._send([data])

    @abstractmethod
    def _send(self, writes: list[bytes]) -> None:
        """Puts these on the link, if there is one, in order and as pieces of their own."""

    def _now(self) -> int:
        """The time in ns, after taking in what the host did before."""
        return loop_time_ns()

    def _feed(self, data: bytes) -> None:
        """Hands bytes from the host to the firmware, and puts its commands into `commands`."""
        for command in self.firmware.feed(data, loop_time_ns()):
            if self.commands.full():
                self.commands.get_nowait()
            self.commands.put_nowait(command)
        self._print()

    def _print(self) -> None:
        """Sends what the firmware has to say, and looks again when it wants to say more."""
        self._send(self.firmware.outgoing())
        self._rest()
        due = self.firmware.deadline()
        if due is not None:
            self._timer = asyncio.get_running_loop().call_at(due / 1e9, self._tick, due)

    def _tick(self, due: int) -> None:
        self.firmware.tick(max(due, self._now()))
        self._print()

    def _rest(self) -> None:
        """Stops the timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def make_firmware(
    codebook: Codebook, faults: Faults = SOUND, habits: Habits = PLAIN, rng: Random | None = None
) -> Firmware:
    """The firmware of a board of this kind: with the habits of Bluetooth where its profile has that."""
    kind = Firmware if codebook.profile.ble is None else BleFirmware
    return kind(codebook, faults, rng, habits)


def loop_time_ns() -> int:
    """The time of the running event loop, in ns."""
    return int(asyncio.get_running_loop().time() * 1e9)
