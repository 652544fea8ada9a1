"""A recording as a link: its chunks at its times, once, and a clear word for a file that cannot be played."""

from __future__ import annotations

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.replay import check_recording, open_replay
from drivers.schemes import parse
from drivers.session import Session
from drivers.transport import Lost, Refused, Transport
from protocol.codebook import shipped
from protocol.events import LinkDown, LinkUp, Status
from tests.drivers.listening import SOON, take, take_until
from tests.drivers.tapes import FOREVER_S, heard, record
from tests.simulator.hurry import hurry, in_no_time

CHUNK = st.tuples(st.integers(0, 60_000), st.binary(min_size=1, max_size=30))


@settings(max_examples=50)
@given(st.lists(st.lists(CHUNK, max_size=8), min_size=1, max_size=5), st.sampled_from(["1", "0.5", "10", "0"]))
def test_any_recording_is_played_chunk_by_chunk_at_its_times(
    connections: list[list[tuple[int, bytes]]], speed: str
) -> None:
    now_ms = 0
    happened: list[tuple[int, bytes | str]] = []
    for chunks in connections:
        happened.append((now_ms, "up"))
        for after_ms, data in chunks:
            happened.append((now_ms := now_ms + after_ms, data))
        happened += [(now_ms := now_ms + 1000, "lost"), (now_ms, "unavailable")]
        now_ms += 2000
    with TemporaryDirectory() as folder:
        said = hurry(heard(record(Path(folder) / "x", *happened), speed=speed))
    wanted = [(ms / float(speed) if float(speed) else 0.0, what) for ms, what in happened if what != "unavailable"]
    assert [what for _, what in said] == [what for _, what in wanted]
    assert [ms for ms, _ in said] == pytest.approx([ms for ms, _ in wanted], abs=0.01)


@in_no_time
async def test_who_comes_late_to_a_connection_hears_it_with_its_own_pauses(tmp_path: Path) -> None:
    file = record(
        tmp_path / "x", (0, "up"), (500, b"a"), (600, "lost"), (700, "up"), (800, b"b"), (1200, b"c"), (1300, b"d")
    )
    address = parse(f"replay:{file}")
    loop = asyncio.get_running_loop()
    first = await open_replay(address)
    assert await first.receive() == b"a"
    await first.aclose()
    await asyncio.sleep(60)
    second = await open_replay(address)
    start_s = loop.time()
    times = []
    for data in (b"b", b"c"):
        assert await second.receive() == data
        times.append(loop.time() - start_s)
    await second.aclose()
    assert times == pytest.approx([0.1, 0.5])


def test_it_is_played_once_and_then_silent(tmp_path: Path) -> None:
    for ending in ([], [(200, "closed")]):
        file = record(tmp_path / "x", (0, "up"), (100, b"a"), *ending)
        assert hurry(heard(file)) == [(0, "up"), (100, b"a")]
    file = record(tmp_path / "x", (0, "up"), (100, b"a"), (200, "lost"))
    assert hurry(heard(file)) == [(0, "up"), (100, b"a"), (200, "lost")], "a board that was gone stays away"


def test_a_link_we_closed_then_is_lost_now(tmp_path: Path) -> None:
    file = record(tmp_path / "x", (0, "up"), (50, "closed"), (70, "up"), (90, b"a"))
    assert hurry(heard(file)) == [(0, "up"), (70, "lost"), (70, "up"), (90, b"a")]


@in_no_time
async def test_a_link_we_close_now_goes_on_where_it_was(tmp_path: Path) -> None:
    file = record(tmp_path / "x", (0, "up"), *((ms, b"%d" % ms) for ms in range(100, 1000, 100)))
    said: list[bytes] = []
    async with asyncio.timeout(FOREVER_S):
        while len(said) < 9:
            link = await open_replay(parse(f"replay:{file}"))
            for _ in range(2):
                try:  # waiting may be given up at any time
                    async with asyncio.timeout(0.07):
                        said.append(await link.receive())
                except TimeoutError:
                    pass
            await link.aclose()
    assert said == [b"%d" % ms for ms in range(100, 1000, 100)]


@in_no_time
async def test_another_session_hears_it_from_the_beginning(tmp_path: Path) -> None:
    file = record(tmp_path / "x", (0, "up"), (100, b"a"), (150, "lost"), (300, "up"), (300, b"b"))
    first = asyncio.create_task(heard(file))
    await asyncio.sleep(0.2)
    second = asyncio.create_task(heard(file))
    assert [what for _, what in await first] == ["up", b"a", "lost", "up", b"b"]
    assert await second == await first


@in_no_time
async def test_the_charge_is_told_where_it_was_told(tmp_path: Path) -> None:
    file = record(tmp_path / "x", (0, "up"), (10, 80), (10, b"a"), (20, "lost"), (30, "up"), (600_000, 70))
    first = await open_replay(parse(f"replay:{file}"))
    asked = asyncio.create_task(first.battery())
    assert await first.receive() == b"a"
    assert asked.done(), "told before the chunk that came after it"
    later = asyncio.create_task(first.battery())
    with pytest.raises(Lost):
        await first.receive()
    await first.aclose()
    second = await open_replay(parse(f"replay:{file}"))
    last = asyncio.create_task(second.battery())
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(second.receive(), FOREVER_S)
    await second.aclose()
    async with asyncio.timeout(FOREVER_S):
        assert [await asked, await later, await last] == [80, None, 70]


async def test_a_lost_link_says_why_it_was_lost(tmp_path: Path) -> None:
    file = record(tmp_path / "x", (0, "up"), (1, b"a"), (2, "lost"))
    link: Transport = await open_replay(parse(f"replay:{file}?speed=0"))
    assert await link.receive() == b"a"
    await link.send(b"anything")
    for _ in range(2):
        with pytest.raises(Lost, match="pulled"):
            await link.receive()
    with pytest.raises(Lost, match="pulled"):
        await link.send(b"anything")
    for _ in range(2):
        await link.aclose()


HEADER = '{"oche_capture": 1, "address": "serial:x", "started": "2026-01-01T00:00:00Z", "version": "1"}\n'


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "x, line 1: this is not the header of a recording; make one with oche capture"),
        ('{"oche": 1, "game": "x01"}\n', "x, line 1: this is not the header of a recording"),
        (HEADER.replace("1", "7", 1), "x, line 1: this is format 7, and this oche plays 1: update oche"),
        (HEADER, " is empty: the board was never reached while it was made"),
        (HEADER + '{"ms": 1, "link": "refused", "why": "no"}\n', "the board was never reached"),
        (HEADER + '{"ms": 1, "in": "00"}\n{"ms": 2, "in": "0', "x, line 3 is cut off: remove this line"),
        (HEADER + '{"ms": 1, "in": "0"}\n', "x, line 2 is damaged: remove this line, and the rest can be played"),
        (HEADER + '{"ms": 1, "in": ""}\n', "x, line 2 is damaged"),
        (HEADER + '{"ms": -1, "in": "00"}\n', "x, line 2 is damaged"),
        (HEADER + '{"in": "00"}\n', "x, line 2 is damaged"),
        (HEADER + '{"ms": 1, "in": "00", "link": "up"}\n', "x, line 2 is damaged"),
        (HEADER + '{"ms": 1, "link": "sideways"}\n', "x, line 2 is damaged"),
        (HEADER + "\n", "x, line 2 is damaged"),
        (HEADER + HEADER, "x, line 2 is damaged"),
        (HEADER + "\0" * 100, "x, line 2 is cut off"),
        (HEADER + '{"ms": 1, "x": ' + "[" * 100_000 + "\n", "x, line 2 is damaged"),
    ],
)
def test_a_file_that_cannot_be_played_names_the_line(tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "x"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(Refused) as caught:
        check_recording(file)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


@settings(max_examples=150)
@given(st.data())
def test_no_damage_raises_anything_else(data: st.DataObject) -> None:
    with TemporaryDirectory() as folder:
        file = record(Path(folder) / "x", (0, "up"), (5, b"abc"), (9, 50), (9, "lost"), (12, "up"), (20, b"d"))
        whole = bytearray(file.read_bytes())
        at = data.draw(st.integers(0, len(whole) - 1))
        whole[at : at + data.draw(st.integers(0, 9))] = data.draw(st.binary(max_size=9))
        file.write_bytes(whole)
        try:
            check_recording(file)
        except Refused:
            return
        hurry(heard(file))


async def test_a_damaged_file_is_refused_and_played_once_it_is_mended(tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_text(HEADER + '{"ms": 1, "in": "0"}\n', encoding="utf-8")
    async with Session("bar", f"replay:{file}", shipped("opendarts"), backoff=SOON, refused_backoff=SOON) as line:
        down = (await take(line, 1))[0]
        assert isinstance(down, LinkDown)
        assert (down.kind, "line 2" in down.reason) == ("refused", True)
        record(file, (0, "up"), (1, b"OpenDarts\r\n"))
        assert [type(item) for item in await take_until(line, Status)] == [LinkUp, Status]


async def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    for place in (tmp_path / "nothing", tmp_path):
        with pytest.raises(Refused, match="there is no recording"):
            await open_replay(parse(f"replay:{place}"))
