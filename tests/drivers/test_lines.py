"""What goes for a serial port and for a connection over the network: nothing lost, nothing blocked, every loss told."""

from __future__ import annotations

import asyncio
import os
from contextlib import aclosing

import pytest

from drivers.transport import Lost
from tests.drivers.far_ends import Cable, End, NetBoard, lost, noticed, read


@pytest.fixture(params=["serial", "tcp"])
async def end(request: pytest.FixtureRequest, cable: Cable, net_board: NetBoard) -> End:
    return cable if request.param == "serial" else net_board


async def test_bytes_pass_both_ways_as_they_are(end: End) -> None:
    every_byte = bytes(range(256))
    async with aclosing(await end.connect()) as line:
        await end.write(every_byte)
        assert await read(line, 256) == every_byte
        await line.send(every_byte)
        assert await end.hear(256) == every_byte


async def test_pieces_arrive_when_they_come(end: End) -> None:
    async with aclosing(await end.connect()) as line:
        for piece in (b"3", b",", b"4\r", b"\n"):
            await end.write(piece)
            assert await read(line, 1) == piece


@pytest.mark.parametrize(
    ("loss", "sentence"),
    [("pull", "plug it in again"), ("hang up", "ended the connection"), ("reset", "ended the connection")],
)
async def test_what_arrived_before_the_end_is_delivered_before_the_loss(
    cable: Cable, net_board: NetBoard, loss: str, sentence: str
) -> None:
    end: End = cable if loss == "pull" else net_board
    async with aclosing(await end.connect()) as line:
        await end.write(b"1,2\r\n")
        assert await read(line, 5) == b"1,2\r\n"
        await end.write(b"3,4\r\n5,")
        if loss == "reset":
            net_board.reset()
        else:
            await end.hang_up()
        await noticed(line)
        data, said = await lost(line)
        assert data == b"3,4\r\n5,"
        assert sentence in said
        with pytest.raises(Lost):
            await line.send(b"x")
        with pytest.raises(Lost):
            await line.receive()


async def test_a_waiting_reader_learns_of_the_loss(end: End) -> None:
    async with aclosing(await end.connect()) as line:
        waiting = asyncio.create_task(lost(line))
        await asyncio.sleep(0)
        await end.hang_up()
        assert (await waiting)[0] == b""


async def test_a_cancelled_read_loses_nothing(end: End) -> None:
    async with aclosing(await end.connect()) as line:
        sent = b"".join(b"%d,%d\r\n" % (n, n % 7) for n in range(400))
        got = b""
        for at in range(0, len(sent), 50):
            waiting = asyncio.create_task(line.receive())
            await asyncio.sleep(0)
            await end.write(sent[at : at + 50])
            if at % 100:
                await asyncio.sleep(0.001)
            waiting.cancel()
            await asyncio.wait([waiting])
            got += b"" if waiting.cancelled() else waiting.result()
        assert got + await read(line, len(sent) - len(got)) == sent


async def test_a_slow_reader_makes_the_board_wait_and_gets_every_byte(end: End) -> None:
    sent = os.urandom(600_000 if isinstance(end, Cable) else 12_000_000)
    async with aclosing(await end.connect()) as line:
        writing = asyncio.create_task(end.write(sent))
        await asyncio.sleep(0.3)
        assert not writing.done(), "more than line and system keep must hold the writer up"
        assert await read(line, len(sent)) == sent
        await writing


async def test_a_board_that_reads_nothing_does_not_stop_the_program(end: End) -> None:
    async with aclosing(await end.connect()) as line:

        async def light() -> None:
            for _ in range(1_000):
                await line.send(bytes(100_000))

        with pytest.raises(Lost, match="accepts no more bytes"):
            await light()
        with pytest.raises(Lost, match="accepts no more bytes"):
            await line.receive()


async def test_what_a_slow_board_is_told_arrives_whole(end: End) -> None:
    sent = b"".join(b"lamp %d\r\n" % n for n in range(5000))
    async with aclosing(await end.connect()) as line:
        await line.send(sent)
        assert await end.hear(len(sent)) == sent


async def test_closing_twice_is_harmless_and_ends_the_reading(end: End) -> None:
    line = await end.connect()
    waiting = asyncio.create_task(lost(line))
    await asyncio.sleep(0)
    await asyncio.gather(line.aclose(), line.aclose())
    await line.aclose()
    assert "closed" in (await waiting)[1]
    with pytest.raises(Lost, match="closed"):
        await line.send(b"x")
    if isinstance(end, NetBoard):
        assert await asyncio.get_running_loop().sock_recv(end.end, 10) == b""
