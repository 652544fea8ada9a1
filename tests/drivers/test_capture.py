"""What a session hears is in the recording, and played back it is heard again, in the same order."""

from __future__ import annotations

import asyncio
import json
import os
import random
from collections.abc import Iterable
from pathlib import Path

import pytest

from drivers.capture import CaptureError, Recording, record_links
from drivers.recent_traffic import MOST_BYTES, MOST_LINES, RecentTraffic
from drivers.replay import check_recording
from drivers.schemes import SCHEMES, parse
from drivers.serial_line import open_line
from drivers.session import Session
from protocol.codebook import shipped
from protocol.events import BoardItem, Hit, LinkDown, Status, Write
from simulator.pty_board import PtyBoard
from tests.daemon.process import small_disk
from tests.drivers.listening import PATIENCE_S, SOON, take, take_until
from tests.drivers.tapes import ADDRESS, record

BOOK = shipped("opendarts")


def events(items: Iterable[BoardItem]) -> list[tuple[str, bytes]]:
    """What was said, apart from when: the reasons of a broken link are others."""
    seen = [(type(item).__name__, getattr(item, "raw", b"")) for item in items]
    return [each for n, each in enumerate(seen) if each[0] != "LinkDown" or seen[n - 1] != each]


async def test_a_recorded_session_replays_the_same_events(tmp_path: Path) -> None:
    file = tmp_path / "evening.jsonl"
    rng = random.Random(3)
    then: list[BoardItem] = []
    async with PtyBoard(BOOK, tmp_path / "board") as board:
        with Recording(file, parse(board.address), version="1") as recording:
            async with Session(
                "bar", board.address, BOOK, schemes=record_links(SCHEMES, recording), backoff=SOON
            ) as line:
                for _ in range(3):
                    then += await take_until(line, Status)
                    thrown = rng.choices(BOOK.segments, k=20)
                    for segment in thrown:
                        board.hit(segment)
                        await asyncio.sleep(rng.random() / 200)
                    board.write_raw(b"nonsense\r\n3,")
                    assert await line.send(Write(b"lamp"))
                    then += await take(line, 21)
                    await board.unplug(PATIENCE_S)
                    then += await take_until(line, LinkDown)
                    board.plug()
                then += await take_until(line, Status)
            assert (recording.connections, recording.chunks_out) == (4, 3)
    async with Session("bar", f"replay:{file}", BOOK, backoff=SOON) as line:
        now = [item for _ in range(4) for item in await take_until(line, Status)]
    assert events(now) == events(then)
    assert sum(isinstance(item, Hit) for item in now) == 60


async def test_a_recording_has_the_traffic_and_no_personal_data(tmp_path: Path) -> None:
    file = tmp_path / "evening.jsonl"
    async with PtyBoard(BOOK, tmp_path / "board") as board:
        with Recording(file, parse(board.address), version="1.2", profile="opendarts") as recording:
            async with Session("bar", board.address, BOOK, schemes=record_links(SCHEMES, recording)) as line:
                await take_until(line, Status)
                await line.send(Write(b"lamp"))
                assert await board.commands.get() == Write(b"lamp")
    header, *entries = [json.loads(text) for text in file.read_text(encoding="utf-8").splitlines()]
    assert header.pop("started").endswith("Z")
    assert header == {"oche_capture": 1, "address": board.address, "profile": "opendarts", "version": "1.2"}
    times = [entry.pop("ms") for entry in entries]
    assert times == sorted(times)
    assert b"".join(bytes.fromhex(entry.pop("in")) for entry in entries if "in" in entry) == b"OpenDarts\r\n"
    assert [entry for entry in entries if entry] == [{"link": "up"}, {"out": b"lamp\r\n".hex()}, {"link": "closed"}]


def test_the_same_failure_again_is_not_written_again(tmp_path: Path) -> None:
    happened = ["unavailable", "unavailable", "up", "lost", "unavailable", "unavailable", "up"]
    file = record(tmp_path / "x", *enumerate(happened))
    written = [json.loads(text)["link"] for text in file.read_text(encoding="utf-8").splitlines()[1:]]
    assert written == ["unavailable", "up", "lost", "unavailable", "up"]


def test_a_full_disk_is_one_sentence() -> None:
    with pytest.raises(CaptureError, match="cannot write to /dev/full: no space left on device"):
        Recording(Path("/dev/full"), ADDRESS, version="1")
    assert Path("/dev/full").exists()


def test_a_recording_that_cannot_begin_leaves_no_file(tmp_path: Path) -> None:
    with small_disk(10), pytest.raises(CaptureError, match="cannot write to"):
        Recording(tmp_path / "board.jsonl", ADDRESS, version="1")
    assert not [*tmp_path.iterdir()]


async def test_a_link_that_cannot_be_recorded_is_given_back(tmp_path: Path) -> None:
    os.mkfifo(pipe := tmp_path / "pipe")
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    async with PtyBoard(BOOK) as board:
        with Recording(pipe, parse(board.address), version="1") as recording:
            os.close(reader)
            schemes = record_links(SCHEMES, recording)
            with pytest.raises(CaptureError, match="broken pipe"):
                await schemes["serial"].open(parse(board.address), BOOK.profile)
        await (await open_line(board.path, 9600)).aclose()


def test_a_file_that_is_there_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_text("dear", encoding="utf-8")
    with pytest.raises(FileExistsError):
        Recording(file, ADDRESS, version="1")
    assert file.read_text(encoding="utf-8") == "dear"
    with Recording(file, ADDRESS, version="1", overwrite=True), Recording(Path("/dev/null"), ADDRESS, version="1"):
        pass
    assert "dear" not in file.read_text(encoding="utf-8")


async def test_recent_traffic_is_a_recording_of_the_latest(tmp_path: Path) -> None:
    file = tmp_path / "recent.jsonl"
    recent = RecentTraffic()
    async with PtyBoard(BOOK, tmp_path / "board") as board:
        async with Session("bar", board.address, BOOK, schemes=record_links(SCHEMES, recent), backoff=SOON) as line:
            await take_until(line, Status)
            for segment in BOOK.segments[:5]:
                board.hit(segment)
            then = await take(line, 5)
        file.write_bytes(recent.encode(parse(board.address), "1", "opendarts"))
    async with Session("bar", f"replay:{file}?speed=0", BOOK, backoff=SOON) as line:
        await take_until(line, Status)
        assert events(await take(line, 5)) == events(then)


@pytest.mark.parametrize("size", [1, 10_000, MOST_BYTES + 1])
def test_recent_traffic_has_a_bound_and_begins_with_its_first_line(size: int, tmp_path: Path) -> None:
    now_ms = 0
    recent = RecentTraffic(lambda: now_ms * 1_000_000)
    for now_ms in range(3 * MOST_LINES):  # noqa: B007  read by the clock
        recent.write_received(bytes(size))
    file = tmp_path / "recent.jsonl"
    file.write_bytes(recent.encode(ADDRESS, "1", "opendarts"))
    lines = [json.loads(line) for line in file.read_text().splitlines()[1:]]
    kept = min(MOST_LINES, MOST_BYTES // size)
    assert len(lines) == kept
    assert [line["ms"] for line in lines] == list(range(kept))
    if kept:
        check_recording(file)
