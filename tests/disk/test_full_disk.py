"""A disk that fills up in the middle of a match, and one that is full from the start: a real one, of a megabyte."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from simulator.pty_board import PtyBoard
from tests.daemon.display import Display
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import Process, configure, journal, throw
from tests.disk.conftest import KITCHEN, SmallDisk, goes_on, is_stopped

pytestmark = pytest.mark.long

LONG = "options = {start = 1501, out = 'straight'}\ntakeout = 'hits'\ntakeout_s = 0.1"


async def test_the_match_stops_while_the_disk_is_full_and_goes_on(
    tmp_path: Path, broker: Mosquitto, board: PtyBoard, small_disk: SmallDisk
) -> None:
    file = configure(tmp_path, broker.port, LONG, more=KITCHEN)
    (tmp_path / "roomy").mkdir()
    (small_disk.seen / "kitchen.sqlite3").symlink_to(tmp_path / "roomy" / "kitchen.sqlite3")
    async with Display(broker.port) as display:
        async with Process("run", "--config", file, inside=small_disk.inside) as daemon:
            await daemon.runs()
            await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
            await board.wait_until_open()
            for times in range(3):
                filling = asyncio.create_task(keep_full(small_disk))
                refused = 0
                while refused < 20:  # first, what the journal has reserved is used up
                    refused = refused + 1 if (await display.ask("start", {}))["status"] == "error" else 0
                sentence = await is_stopped(display)
                assert sentence.endswith("; free some space, or check the disk")
                before = display.state()
                throw(board, "T20", "T19")
                await strays(display, 2 * times + 2)
                error = (await display.ask("throw", {"throw": "DB"}))["error"]
                assert error.pop("values")["remedy"]["key"] == "journal.make_room"
                assert error == {
                    "code": "unavailable",
                    "message": await is_stopped(display),
                    "key": "journal.failed",
                }
                assert display.state() == before, "what is shown is what the disk has"
                assert len(journal_of(small_disk, tmp_path / "copy")) == before["line"] - 1
                told = await display.ask("throw", {"throw": "T20"}, table="kitchen")
                assert told["status"] == "ok", "another table on another disk"
                filling.cancel()
                await asyncio.wait([filling])
                small_disk.make_room()
                await goes_on(display)
                assert display.state()["match"] == before["match"]
                throw(board, "O1")
                await display.until_line(before["line"] + 1)
            await display.until(lambda: len(display.events("dart")) == 3)
            assert "Traceback" not in daemon.errors
            last = display.state()
            assert await daemon.stop() == 0  # after a kill there would still be the room of its log
        small_disk.fill()
        async with Process("run", "--config", file, inside=small_disk.inside) as daemon:
            await display.until(lambda: display.now["oche/bridge/oche/state"] == "offline")
            await display.until(lambda: display.now["oche/bridge/oche/state"] == "online")
            await is_stopped(display)
            shown = display.state()
            assert [shown[key] for key in ("match", "line", "turn")] == [last[key] for key in ("match", "line", "turn")]
            told = await display.ask("next", {}, table="kitchen")
            assert told["status"] == "ok", told
            small_disk.make_room()
            await goes_on(display)
            await board.wait_until_open()
            throw(board, "O2")
            await display.until(lambda: display.events("dart")[-1]["segment"] == "O2")
            assert "Traceback" not in daemon.errors
            assert await daemon.stop() == 0
    counted = [event["segment"] for event in display.events("dart") if event["match"] == last["match"]]
    written = [line["throw"] for line in journal_of(small_disk, tmp_path / "copy") if "throw" in line]
    assert written == counted, "nothing lost, nothing doubled"


@pytest.mark.parametrize("is_read_only", [False, True])
async def test_a_start_without_a_disk_to_write_on_is_no_end(
    tmp_path: Path,
    unused_tcp_port: int,
    mosquitto_path: Path,
    board: PtyBoard,
    small_disk: SmallDisk,
    is_read_only: bool,
) -> None:
    file = configure(tmp_path, unused_tcp_port, LONG)
    file.write_text(file.read_text(encoding="utf-8").replace('host = "127.0.0.1"\n', "", 1), encoding="utf-8")
    small_disk.set_read_only() if is_read_only else small_disk.fill()
    async with Process("run", "--config", file, inside=small_disk.inside) as daemon:
        await daemon.runs()
        async with Display(unused_tcp_port) as display:
            sentence = await is_stopped(display)
            assert ("; the file system is read-only: sudo dmesg shows why" in sentence) == is_read_only, sentence
            assert ("free some space" in sentence) != is_read_only, sentence
            small_disk.set_writable() if is_read_only else small_disk.make_room()
            await goes_on(display)
            await board.wait_until_open()
            throw(board, "T20")
            await display.until_line(2)
        async with Process("run", "--config", file, inside=small_disk.inside) as second:
            assert await second.ended() == 1
        assert second.errors.splitlines()[-1].startswith(f"oche: another oche daemon uses {tmp_path}/state: stop it")
        assert "Traceback" not in daemon.errors
        key = next(line for line in daemon.errors.splitlines() if "seats.key" in line)
        assert ("; free some space on that disk, or configure" in key) != is_read_only, key
        assert (
            "; sudo dmesg shows why, and sudo reboot makes the system check the disk, or configure" in key
        ) == is_read_only, key
        assert await daemon.stop() == 0
    assert journal_of(small_disk, tmp_path / "copy") == [{"throw": "T20"}]


async def test_a_folder_that_the_disk_refuses_is_made_when_it_heals(
    tmp_path: Path, broker: Mosquitto, small_disk: SmallDisk
) -> None:
    file = configure(tmp_path, broker.port)
    file.write_text(file.read_text(encoding="utf-8").replace("/state", "/state/oche", 1), encoding="utf-8")
    small_disk.set_read_only()
    async with Process("run", "--config", file, inside=small_disk.inside) as daemon, Display(broker.port) as display:
        await daemon.runs()
        sentence = await is_stopped(display)
        assert "cannot make the folder" in sentence
        assert "read-only file system; sudo dmesg shows why" in sentence
        small_disk.set_writable()
        await goes_on(display)
        assert "Traceback" not in daemon.errors
        assert await daemon.stop() == 0
    assert (small_disk.seen / "oche" / "main.sqlite3").exists()


async def keep_full(disk: SmallDisk) -> None:
    """Another program takes all room that the journal gives back, until cancelled."""
    while True:
        disk.fill()
        await asyncio.sleep(0.005)


async def strays(display: Display, count: int) -> None:
    """Waits until there have been so many."""
    await display.until(lambda: len(display.events("stray")) == count)


def journal_of(disk: SmallDisk, copy: Path) -> list[dict[str, object]]:
    """The lines that are on it; SQLite finds its way into no other name space."""
    shutil.rmtree(copy, ignore_errors=True)
    (copy / "state").mkdir(parents=True)
    for part in disk.seen.glob("main.sqlite3*"):
        if not part.name.endswith("-shm"):
            shutil.copy(part, copy / "state")
    return journal(copy)
