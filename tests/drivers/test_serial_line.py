"""The serial port itself, on real ptys: nothing lost, nothing blocked, and what people are told when it fails."""

from __future__ import annotations

import asyncio
import os
import select
import subprocess
import sys
import threading
import tty
from collections.abc import Iterator
from contextlib import aclosing, suppress
from pathlib import Path

import pytest
import serial

from drivers.serial_line import SerialLine, open_line
from drivers.transport import Lost, Refused, Unavailable
from tests.drivers.listening import PATIENCE_S


class Cable:
    """The far end of a pty."""

    def __init__(self) -> None:
        self.end, self._port = os.openpty()
        tty.setraw(self._port)
        self.path = os.ttyname(self._port)
        self.is_plugged = True

    def is_unread(self) -> bool:
        return bool(select.select([self._port], [], [], 0)[0])

    def pull(self) -> None:
        if self.is_plugged:
            os.close(self.end)
            os.close(self._port)
            self.is_plugged = False


@pytest.fixture
def cable() -> Iterator[Cable]:
    cable = Cable()
    yield cable
    cable.pull()


async def read(line: SerialLine, size: int) -> bytes:
    data = b""
    async with asyncio.timeout(PATIENCE_S):
        while len(data) < size:
            data += await line.receive()
    return data


async def lost(line: SerialLine) -> tuple[bytes, str]:
    """What still comes before the loss, and the loss's sentence."""
    data = b""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            try:
                data += await line.receive()
            except Lost as error:
                return data, str(error)


async def noticed(line: SerialLine) -> None:
    """Waits until the line knows that it was cut."""
    async with asyncio.timeout(PATIENCE_S):
        with suppress(Lost):
            while True:
                await line.send(b"")
                await asyncio.sleep(0.001)


async def test_bytes_pass_both_ways_as_they_are(cable: Cable) -> None:
    every_byte = bytes(range(256))
    async with aclosing(await open_line(cable.path, 115200)) as line:
        os.write(cable.end, every_byte)
        assert await read(line, 256) == every_byte
        await line.send(every_byte)
        assert os.read(cable.end, 1000) == every_byte


async def test_what_arrived_before_the_cable_was_pulled_is_delivered_before_the_loss(cable: Cable) -> None:
    async with aclosing(await open_line(cable.path, 9600)) as line:
        os.write(cable.end, b"1,2\r\n")
        assert await read(line, 5) == b"1,2\r\n"
        os.write(cable.end, b"3,4\r\n5,")
        while cable.is_unread():  # noqa: ASYNC110  the loop will read it, though nobody asks for it
            await asyncio.sleep(0.001)
        cable.pull()
        await noticed(line)
        data, sentence = await lost(line)
        assert data == b"3,4\r\n5,"
        assert "plug it in again" in sentence
        with pytest.raises(Lost):
            await line.send(b"x")
        with pytest.raises(Lost):
            await line.receive()


async def test_a_waiting_reader_learns_of_the_loss(cable: Cable) -> None:
    async with aclosing(await open_line(cable.path, 9600)) as line:
        waiting = asyncio.create_task(lost(line))
        await asyncio.sleep(0)
        cable.pull()
        assert (await waiting)[0] == b""


async def test_a_cancelled_read_loses_nothing(cable: Cable) -> None:
    async with aclosing(await open_line(cable.path, 9600)) as line:
        sent = b"".join(b"%d,%d\r\n" % (n, n % 7) for n in range(400))
        got = b""
        for at in range(0, len(sent), 50):
            waiting = asyncio.create_task(line.receive())
            await asyncio.sleep(0)
            os.write(cable.end, sent[at : at + 50])
            if at % 100:
                await asyncio.sleep(0.001)
            if waiting.done():
                got += waiting.result()
            else:
                waiting.cancel()
                await asyncio.wait([waiting])
                got += b"" if waiting.cancelled() else waiting.result()
        got += await read(line, len(sent) - len(got))
        assert got == sent


async def test_a_reader_who_takes_his_time_gets_every_byte(cable: Cable) -> None:
    os.set_blocking(cable.end, False)
    unsent = memoryview(os.urandom(600_000))
    sent = bytes(unsent)

    async def write() -> None:
        nonlocal unsent
        while unsent:
            try:
                unsent = unsent[os.write(cable.end, unsent) :]
            except BlockingIOError:
                await asyncio.sleep(0.001)

    async with aclosing(await open_line(cable.path, 115200)) as line:
        writing = asyncio.create_task(write())
        await asyncio.sleep(0.3)
        assert not writing.done(), "more than the line keeps must hold the writer up"
        assert await read(line, len(sent)) == sent
        await writing


async def test_a_board_that_reads_nothing_does_not_stop_the_program(cable: Cable) -> None:
    async with aclosing(await open_line(cable.path, 115200)) as line:

        async def light() -> None:
            for _ in range(1000):
                await line.send(b"lamp on\r\n" * 100)

        with pytest.raises(Lost, match="takes no more bytes"):
            await light()


async def test_what_a_slow_board_is_told_arrives_whole(cable: Cable) -> None:
    sent = b"".join(b"lamp %d\r\n" % n for n in range(5000))
    async with aclosing(await open_line(cable.path, 115200)) as line:
        await line.send(sent)
        got = b""
        async with asyncio.timeout(PATIENCE_S):
            while len(got) < len(sent):
                got += await asyncio.to_thread(os.read, cable.end, 1000)
        assert got == sent


async def test_a_second_program_is_told_that_the_port_is_held(cable: Cable) -> None:
    async with aclosing(await open_line(cable.path, 9600)):
        with pytest.raises(Refused, match=f"another program holds {cable.path}"):
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


async def test_closing_twice_is_harmless_and_ends_the_reading(cable: Cable) -> None:
    line = await open_line(cable.path, 9600)
    await asyncio.gather(line.aclose(), line.aclose())
    await line.aclose()
    with pytest.raises(Lost, match="closed"):
        await line.receive()


async def test_a_closed_line_leaves_whoever_has_its_number_now_alone(cable: Cable) -> None:
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


def test_no_link_library_is_loaded_before_it_is_needed() -> None:
    script = "import sys, drivers.session, drivers.address; print('serial' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
