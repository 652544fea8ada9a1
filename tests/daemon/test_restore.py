"""A backup put back over HTTP: a real daemon checks it, sets aside what is there, starts anew, and takes it back."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import socket
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import cast

import aiohttp
import pytest

from daemon.admin.backup.backups import Backups
from daemon.admin.process import WorkerProcess
from daemon.admin.requests import KeepBackup, StageBackup
from daemon.admin.settings.settings_file import SettingsFile
from daemon.admin.settings.settings_history import version_of
from daemon.admin.settings.staged_backup import StagedBackup
from daemon.config.reader import read_config
from daemon.errors import UserError
from daemon.journal.journal_file import TABLES
from daemon.web.token import make_setup_token
from protocol.layouts import find_layout
from tests.daemon.backups import MANIFEST, NEWER, archive, everything, play_evening
from tests.daemon.process import eventually
from tests.daemon.test_care import JSON, fetch
from tests.daemon.test_settings import overwrite, post, read, serve, started_anew, write_file, written
from tests.daemon.test_sounds import MP3
from tests.manners.guest import ANYWHERE


@pytest.fixture
def file(tmp_path: Path, unused_tcp_port: int) -> Path:
    return write_file(tmp_path, unused_tcp_port)


async def send(client: aiohttp.ClientSession, backup: bytes) -> tuple[int, JSON]:
    """Returns the status and the answer to an upload."""
    async with client.post("/api/care/restore", data=backup) as answer:
        return answer.status, await answer.json()


async def score(client: aiohttp.ClientSession) -> int:
    async with client.get("/api/table/main/state") as state:
        return int((await state.json())["sides"][0]["score"])


def move_all(source: Path, into: Path) -> None:
    for path in source.iterdir():
        path.replace(into / path.name)


async def put_back(client: aiohttp.ClientSession, found: JSON, *parts: str) -> JSON:
    """Has it put back; returns the settings of the daemon that has started with it."""
    body = {"version": (await read(client))["version"], "restore": found["restore"], "parts": parts}
    status, answer = await post(client, "/api/settings/restore", body)
    assert status == 200, answer
    return await started_anew(client, answer["run"])


@pytest.mark.slow
async def test_a_backup_is_put_back_and_what_was_there_is_kept(file: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    async with serve(file) as client:
        assert (await post(client, "/api/table/main/throw", {"throw": "T20"}))[0] == 200
        backup = await fetch(client, "/api/care/backup")
        assert (await post(client, "/api/table/main/throw", {"throw": "T19"}))[0] == 200
        overwrite(file, text := written(file).replace("[web]", "# changed\n[web]"))
        status, found = await send(client, backup)
        assert status == 200, found
        assert (found["matches"], found["matches_now"]) == ({"main": 1}, {"main": 1})
        assert (found["config_trouble"], found["beside"]) == (None, [])
        assert await score(client) == 384, "nothing is changed before it is wanted"
        assert (await post(client, "/api/table/main/throw", {"throw": "D20"}))[0] == 200

        settings = await put_back(client, found, "state")
        assert (settings["notice"], await score(client), written(file)) == (None, 441, text)
        aside = Path(found["aside"])
        assert aside.parent == state
        assert [path.name for path in state.glob("restore-*")] == []
        settings = await put_back(client, (await send(client, backup))[1], "config")
        assert "# changed" not in written(file)
        assert settings["can_revert"]
        assert await score(client) == 441
    move_all(aside, state)
    async with serve(file) as client:
        assert await score(client) == 344, "the darts that were thrown until the end are there"


@pytest.mark.slow
async def test_sound_packs_that_were_asked_for_are_back_after_the_start(file: Path, tmp_path: Path) -> None:
    sound = tmp_path / "state/sounds/mine/180.mp3"
    sound.parent.mkdir(parents=True)
    sound.write_bytes(MP3)
    sound.with_name("140.mp3").symlink_to("gone")  # which is no sound
    async with serve(file) as client:
        async with client.post("/api/care/backup", json={"sounds": True}) as answer:
            backup = await answer.read()
        sound.unlink()
        await put_back(client, (await send(client, backup))[1], "state")
        await eventually(lambda: sound.exists() and not any((tmp_path / "state").glob("sounds.*")))
        assert sound.read_bytes() == MP3


@pytest.mark.long
async def test_a_stop_does_not_wait_for_restored_sounds(file: Path, tmp_path: Path) -> None:
    sounds = tmp_path / "state/sounds"
    sounds.mkdir(parents=True)
    os.mkfifo(zipped := tmp_path / "state/sounds.1.zip")  # which nobody writes to
    async with serve(file):
        await eventually(lambda: any(sounds.glob(".oche-backup-*")))
    assert zipped.exists()


@pytest.mark.parametrize("is_told", [True, False], ids=["told", "gone before"])
@pytest.mark.long
async def test_what_is_not_put_back_is_removed_after_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_told: bool
) -> None:
    monkeypatch.setattr("daemon.admin.backup.backups._STAGED_S", 0)
    file = play_evening(tmp_path)
    settings, state = SettingsFile(file), file.parent / "state"
    await settings.note_start(read_config(file), "")
    worker = WorkerProcess(state, {"main": find_layout("standard")}, file)
    backups = Backups(settings, state, worker)
    try:
        kept = cast("JSON", await backups.ask(KeepBackup()))
        asking = asyncio.create_task(backups.ask(StageBackup(Path(kept["file"]))))
        await asyncio.sleep(0)  # it removes what was staged before
        assert settings.writing.locked()
        async with settings.writing:
            await eventually(lambda: any(state.glob("restore-*")))
            if is_told:
                await asking
            else:
                asking.cancel()
                await asyncio.wait([asking])
            (staged,) = state.glob("restore-*")
        await eventually(lambda: not staged.exists())
        version = settings.read()[1]
        with pytest.raises(UserError, match="this backup is no longer there: choose it again"):
            await settings.restore(version, staged.name, ["state"])
    finally:
        await backups.close()
        await worker.close()


@pytest.mark.long
async def test_with_a_configuration_that_cannot_start_all_is_as_it_was(
    file: Path, unused_tcp_port: int, tmp_path: Path
) -> None:
    text = written(file)
    async with serve(file) as client:
        assert (await post(client, "/api/table/main/throw", {"throw": "T20"}))[0] == 200
        with socket.create_server(("127.0.0.1", 0)) as other:
            overwrite(file, text.replace(f"port = {unused_tcp_port} ", f"port = {other.getsockname()[1]} "))
            backup = await fetch(client, "/api/care/backup")
            overwrite(file, text)
            assert (await post(client, "/api/table/main/throw", {"throw": "T19"}))[0] == 200
            settings = await put_back(client, (await send(client, backup))[1], "config", "state")
        assert "the change was taken back, because oche cannot start with it: the page" in settings["notice"]["text"]
        assert (written(file), await score(client)) == (text, 384)
        assert not [*(tmp_path / "state").glob("*restore-*")]


@pytest.mark.long
async def test_what_was_set_aside_the_last_three_times_is_kept(file: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    async with serve(file) as client:
        backup = await fetch(client, "/api/care/backup")
        by_hand = state / "before-restore-20201231T000000Z"
        tomorrow = state / "before-restore-99991231T000000Z-000000"
        for folder in (by_hand, tomorrow):
            folder.mkdir()
        asides = []
        for _ in range(4):
            found = (await send(client, backup))[1]
            await put_back(client, found, "state")
            asides.append(Path(found["aside"]))
        kept = {*state.glob("before-restore-*")}
    assert kept == {by_hand, tomorrow, *asides[-2:]}, (
        "a name of the future counts as the newest, but the last one stays"
    )


def make_backup_with_trigger(file: Path, folder: Path) -> bytes:
    journal = folder / "odd.sqlite3"
    with closing(sqlite3.connect(journal)) as db:
        db.executescript(TABLES)
        db.execute("create trigger x after insert on entry begin delete from match; end")
    members = {"manifest.json": MANIFEST, "config/oche.toml": file.read_bytes()}
    return archive(folder, {**members, "state/main.sqlite3": journal.read_bytes()}).read_bytes()


@pytest.mark.slow
async def test_control_characters_of_a_backup_are_shown_escaped(file: Path, tmp_path: Path) -> None:
    about = MANIFEST.replace(b'"9"', b'"9\\u001b[2J"')
    async with serve(file) as client:
        members = {"manifest.json": about, "config/oche.toml": written(file).encode(), "config/games/\x1b[2J.py": b""}
        status, found = await send(client, archive(tmp_path, members).read_bytes())
        assert (status, found["oche"], found["beside"]) == (200, "9\\x1b[2J", ["games/\\x1b[2J.py"])
        newer = about.replace(b'"oche_backup": 1', b'"oche_backup": 2')
        _, answer = await send(client, archive(tmp_path, {**members, "manifest.json": newer}).read_bytes())
        assert answer["error"]["message"] == "this backup was made by oche 9\\x1b[2J: update oche here first"


@pytest.mark.slow
async def test_what_is_no_backup_changes_nothing(file: Path, unused_tcp_port: int, tmp_path: Path) -> None:
    bomb = gzip.compress(b"\0" * (200 << 20))
    async with serve(file) as client:
        whole = await fetch(client, "/api/care/backup")
        await read(client)  # notes which version was seen
        before = everything(tmp_path / "state")
        for content, sentence in (
            (b"", "this is not an oche backup"),
            (b"PK\3\4" * 100_000, "this is not an oche backup"),
            (bomb, "this is not an oche backup"),
            (whole[: len(whole) // 2], "this is not an oche backup, or it is damaged"),
            (archive(tmp_path, {"manifest.json": NEWER}).read_bytes(), "made by oche 9: update oche here first"),
            (archive(tmp_path, {"manifest.json": MANIFEST, "state/../../x": b""}).read_bytes(), "its name leads out"),
            (
                make_backup_with_trigger(file, tmp_path),
                "main.sqlite3 contains the trigger 'x', which oche never writes",
            ),
        ):
            status, answer = await send(client, content)
            assert (status, answer["error"]["code"]) == (503, "unavailable")
            assert sentence in answer["error"]["message"]
        with socket.create_connection(("127.0.0.1", unused_tcp_port)) as half:
            half.sendall(b"POST /api/care/restore HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999\r\n\r\nabc")
        headers = b"POST /api/care/restore HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n"
        with socket.create_connection(("127.0.0.1", unused_tcp_port)) as large:
            large.sendall(headers)

        async def is_free() -> bool:
            return bool((await send(client, b""))[1]["error"]["code"] == "unavailable")

        await eventually(is_free)
        body = {"version": (await read(client))["version"], "restore": "../state", "parts": ["state"]}
        status, answer = await post(client, "/api/settings/restore", body)
        assert (status, answer["error"]["code"]) == (503, "unavailable")
        assert everything(tmp_path / "state") == before


@pytest.mark.slow
async def test_a_configuration_that_leads_to_other_secrets_is_not_put_back(file: Path) -> None:
    text = written(file)
    async with serve(file) as client:
        overwrite(file, text.replace("on = false", 'on = false\nusername = "x"\npassword_file = "oche.toml"'))
        backup = await fetch(client, "/api/care/backup")
        overwrite(file, text)
        _, found = await send(client, backup)
        assert found["config_trouble"]["text"] == (
            "change mqtt.password_file in the file itself: files with secrets can only be named there"
        )
        body = {"version": (await read(client))["version"], "restore": found["restore"], "parts": ["config"]}
        status, answer = await post(client, "/api/settings/restore", body)
        assert (status, answer["error"]["code"]) == (400, "invalid")
        assert written(file) == text


@pytest.mark.long
async def test_secrets_that_were_typed_are_put_back_with_their_broker_and_board(file: Path, tmp_path: Path) -> None:
    def find_secrets() -> list[Path]:
        return [path for start in ("mqtt-password", "board-token") for path in (tmp_path / "state").glob(f"{start}-*")]

    text = written(file)
    async with serve(file) as client:
        board = {"board": "web:127.0.0.1:9", "profile": "opendartboard-apaiko", "board_token": "t0ken"}
        changes = [
            {"path": ["mqtt", "username"], "value": "oche"},
            *({"path": ["table", 0, key], "value": each} for key, each in board.items()),
        ]
        version = (await read(client))["version"]
        status, answer = await post(
            client, "/api/settings", {"version": version, "changes": changes, "password": "s3cret"}
        )
        assert status == 200, answer
        await started_anew(client, answer["run"])
        backup = await fetch(client, "/api/care/backup")
    overwrite(file, text)
    for kept in find_secrets():
        kept.unlink()
    async with serve(file) as client:
        await put_back(client, (await send(client, backup))[1], "config", "state")
        assert [kept.read_text() for kept in find_secrets()] == ["s3cret\n", "t0ken\n"]
        assert all(str(kept) in written(file) for kept in find_secrets())


@pytest.mark.slow
async def test_the_token_counts_once_its_backup_is_put_back(tmp_path: Path, unused_tcp_port: int) -> None:
    file = write_file(tmp_path, unused_tcp_port, web=ANYWHERE)
    setup = make_setup_token(tmp_path / "state")
    async with serve(file, Authorization=f"Bearer {setup}") as client:
        found = (await send(client, await fetch(client, "/api/care/backup")))[1]
        assert (await put_back(client, found, "config", "state"))["notice"] is None


@pytest.mark.slow
async def test_nothing_is_put_back_while_the_file_cannot_be_read(file: Path) -> None:
    text = written(file)
    async with serve(file) as client:
        backup = await fetch(client, "/api/care/backup")
        overwrite(file, "[[[")
        status, found = await send(client, backup)
        assert status == 200
        assert "is not TOML" in found["config_trouble"]["text"]
        version = version_of("[[[")
        for part in ("config", "state"):
            body = {"version": version, "restore": found["restore"], "parts": [part]}
            status, answer = await post(client, "/api/settings/restore", body)
            assert status in (400, 503), answer
        overwrite(file, text)
        await put_back(client, found, "state")


def test_a_start_after_a_kill_puts_it_back(file: Path, tmp_path: Path) -> None:
    """What was wanted before the power failed is known at the next start."""
    (tmp_path / "state").mkdir()
    settings = SettingsFile(file)
    settings.complete_pending_change()
    assert settings.staged is None
    pending = {"file": str(file.absolute()), "before": written(file), "after": written(file), "staged": "/x"}
    (tmp_path / "state" / "settings").mkdir()
    (tmp_path / "state" / "settings" / "pending.json").write_text(json.dumps(pending))
    settings.complete_pending_change()
    assert settings.staged == StagedBackup(Path("/x"))
