"""A disk that is full while settings are saved or a backup is sent to the page: one sentence, and nothing is left."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.daemon.backups import MANIFEST, archive, everything
from tests.daemon.test_care import fetch
from tests.daemon.test_restore import put_back, score, send
from tests.daemon.test_settings import change, post, read, run, started_anew, write_file, written
from tests.disk.conftest import SmallDisk

pytestmark = pytest.mark.long

ROOM_MB = 64
"""Fifty are left free for the darts."""
PIECE = os.urandom(1 << 20)
LARGE = bytes(20 << 20)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    """Where the state is; the configuration is beside it."""
    if "namespaces" in os.environ.get("OCHE_WITHOUT", "").split(","):
        pytest.skip("needs root, or name spaces of a user")
    with SmallDisk(tmp_path / "state", ROOM_MB) as disk:
        yield disk


async def test_settings_that_find_no_room_are_refused_and_the_match_goes_on(
    tmp_path: Path, unused_tcp_port: int, disk: SmallDisk
) -> None:
    file = write_file(tmp_path, unused_tcp_port)
    async with run(file, unused_tcp_port, disk.inside) as (daemon, client):
        assert (await post(client, "/api/table/main/throw", {"throw": "T20"}))[0] == 200
        version = (await read(client))["version"]
        before, text = everything(disk.seen), written(file)
        disk.fill()
        changes = [{"path": ["mqtt", "username"], "value": "ann"}]
        body = {"version": version, "changes": changes, "password": "hunter2"}
        status, told = await post(client, "/api/settings", body)
        assert (status, told["error"]["key"]) == (503, "file.failed"), told
        sentence = f"cannot write {tmp_path}/state: no space left on device; free some space on that disk"
        assert told["error"]["message"] == sentence
        disk.make_room()
        assert (everything(disk.seen), written(file)) == (before, text)
        assert (await post(client, "/api/table/main/throw", {"throw": "T19"}))[0] == 200
        assert await score(client) == 384
        status, told = await change(client, (["table", 0, "title"], "The Oak"))
        assert status == 200, told
        await started_anew(client, told["run"])
        assert "Traceback" not in daemon.errors


async def send_pieces(count: int, disk: SmallDisk | None = None) -> AsyncIterator[bytes]:
    """Yields so many; in the middle of them the `disk` is filled."""
    for number in range(count):
        if disk is not None and number == count // 2:
            await asyncio.to_thread(disk.fill)
        yield PIECE


async def test_a_backup_that_finds_no_room_is_refused_and_the_match_goes_on(
    tmp_path: Path, unused_tcp_port: int, disk: SmallDisk
) -> None:
    file = write_file(tmp_path, unused_tcp_port)
    async with run(file, unused_tcp_port, disk.inside) as (daemon, client):
        assert (await post(client, "/api/table/main/throw", {"throw": "T20"}))[0] == 200
        backup = await fetch(client, "/api/care/backup")
        members = {"manifest.json": MANIFEST, "config/oche.toml": file.read_bytes(), "state/main.sqlite3": LARGE}
        large = archive(tmp_path, members).read_bytes()
        await read(client)
        before = everything(disk.seen)
        for content, key in (
            (large, "file.no_room_unpacked"),
            (send_pieces(ROOM_MB), "care.no_room_here"),
            (send_pieces(8, disk), "file.unkept"),
        ):
            async with client.post("/api/care/restore", data=content) as answer:
                told = await answer.json()
            assert (answer.status, told["error"].get("key")) == (503, key), told
        disk.make_room()
        assert everything(disk.seen) == before
        assert (await post(client, "/api/table/main/throw", {"throw": "T19"}))[0] == 200
        await put_back(client, (await send(client, backup))[1], "state")
        assert await score(client) == 441
        assert "Traceback" not in daemon.errors
