"""The serial port itself, on real ptys: who may have it when, and what people are told when it fails."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterator
from contextlib import aclosing, suppress
from pathlib import Path

import pytest
import serial

from drivers.serial_line import open_line
from drivers.transport import Lost, Refused, Unavailable
from tests.drivers.far_ends import Cable
from tests.drivers.listening import PATIENCE_S


async def test_a_second_program_is_told_that_the_port_is_held(cable: Cable) -> None:
    async with aclosing(await open_line(cable.path, 9600)):
        with pytest.raises(Refused, match=f"another program uses {cable.path}"):
            await open_line(cable.path, 9600)
    await (await open_line(cable.path, 9600)).aclose()


async def test_a_port_whose_opening_was_given_up_is_free_again(cable: Cable) -> None:
    for turns in range(20):
        opening = asyncio.create_task(open_line(cable.path, 9600))
        for _ in range(turns):
            await asyncio.sleep(0)
        opening.cancel()
        await asyncio.wait([opening])
        if not opening.cancelled():
            await opening.result().aclose()
        await (await open_line(cable.path, 9600)).aclose()


async def test_giving_an_opening_up_ends_when_the_port_is_free(cable: Cable, monkeypatch: pytest.MonkeyPatch) -> None:
    at_once, before = serial.Serial.open, set(ports(cable.path))
    may = threading.Event()

    def slowly(port: serial.Serial) -> None:
        may.wait()
        at_once(port)

    monkeypatch.setattr(serial.Serial, "open", slowly)
    opening = asyncio.create_task(open_line(cable.path, 9600))
    for _ in range(3):
        await asyncio.sleep(0.01)
        opening.cancel()
    still_opening = not opening.done()
    may.set()
    await asyncio.wait([opening])
    assert still_opening
    assert opening.cancelled()
    assert set(ports(cable.path)) == before


async def test_a_closed_line_leaves_the_new_owner_of_its_descriptor_alone(cable: Cable) -> None:
    others, far = os.pipe()
    before = set(ports(cable.path))
    line = await open_line(cable.path, 9600)
    (number,) = set(ports(cable.path)) - before
    await line.aclose()
    os.dup2(far, number)
    told = asyncio.Event()
    asyncio.get_running_loop().add_writer(number, told.set)
    try:
        with pytest.raises(Lost, match="closed"):
            await line.send(b"x")
        async with asyncio.timeout(PATIENCE_S):
            await told.wait()
        os.set_blocking(others, False)
        with pytest.raises(BlockingIOError):
            os.read(others, 1)
    finally:
        asyncio.get_running_loop().remove_writer(number)
        for end in {others, far, number}:
            os.close(end)


def ports(path: str) -> Iterator[int]:
    """The descriptors this program has of the port."""
    for link in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            if str(link.readlink()) == path:
                yield int(link.name)


async def test_a_port_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="plug the board in"):
        await open_line(str(tmp_path / "ttyUSB0"), 9600)


async def test_something_that_is_no_port(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no port")
    for path in (tmp_path, tmp_path / "notes.txt"):
        with pytest.raises(Refused, match="cannot be used as a serial port"):
            await open_line(str(path), 9600)


async def test_a_speed_no_port_has(cable: Cable) -> None:
    for baud in (10**30, 2**40):
        with pytest.raises(Refused, match="correct baud"):
            await open_line(cable.path, baud)


async def test_a_port_one_may_not_use_names_the_group(cable: Cable) -> None:
    await asyncio.to_thread(Path(cable.path).chmod, 0)
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(65534)
    try:
        with pytest.raises(Refused, match="join the group dialout"):
            await open_line(cable.path, 9600)
    finally:
        if is_root:
            os.seteuid(0)
