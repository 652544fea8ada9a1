"""What the jobs share: the system's D-Bus, bluetoothd, an adapter."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from simulator.kernel.radio import Adapter, Air
from tests.daemon.process import PATIENCE_S, eventually

_BUS = Path("/run/dbus/system_bus_socket")


class BluetoothService:
    """bluetoothd as a process, which can be killed and started again."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Starts it and waits until it has an adapter that is switched on."""
        self._process = await asyncio.create_subprocess_exec("bluetoothd", "-n")
        await eventually(self._is_powered)

    async def kill(self) -> None:
        """Ends it without a farewell."""
        if self._process is not None:
            self._process.kill()
            await self._process.wait()
            self._process = None

    async def _is_powered(self) -> bool:
        return "succeeded" in await told("power", "on")


async def told(*command: str) -> str:
    """What bluetoothctl answers; it waits for the service by itself, and its exit status tells nothing."""
    process = await asyncio.create_subprocess_exec(
        "bluetoothctl", *command, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(PATIENCE_S):
        output, _ = await process.communicate()
    return output.decode()


@pytest.fixture(scope="session")
def bus() -> Iterator[None]:
    """The system's D-Bus."""
    _BUS.parent.mkdir(exist_ok=True)
    process = subprocess.Popen(["dbus-daemon", "--system", "--nofork", "--nopidfile"])
    yield
    process.kill()
    process.wait()


@pytest.fixture
async def air() -> Air:
    """Where boards and adapters hear each other."""
    return Air()  # type: ignore[no-untyped-call]  # bumble's has no annotations


@pytest.fixture
async def adapter(air: Air) -> AsyncIterator[Adapter]:
    """A Bluetooth adapter on that air."""
    async with Adapter(air) as adapter:
        yield adapter


@pytest.fixture
async def bluetooth(bus: None, adapter: Adapter) -> AsyncIterator[BluetoothService]:
    """The service, with that adapter."""
    await eventually(_BUS.exists)
    service = BluetoothService()
    await service.start()
    yield service
    await service.kill()
