"""A change of the settings until the daemon has started with it: cut off, refused, taken back, or one of many."""

from __future__ import annotations

import asyncio
import gc
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from daemon import files
from daemon.admin.requests import Change
from daemon.admin.settings.settings_file import SettingsFile
from daemon.admin.settings.settings_history import Pending, SettingsHistory
from daemon.admin.settings.staged_backup import StagedBackup
from daemon.commands.run import run as run_daemon_anew
from daemon.errors import UserError
from daemon.table.table import Table
from protocol.codebook import read_shipped
from tests.daemon.process import PATIENCE_S
from tests.daemon.test_settings import overwrite, read, serve, write_file, write_in_place_only, written

NOBODY = 65534
TITLE = Change(("table", 0, "title"), "The Oak")


@pytest.fixture
def file(tmp_path: Path, unused_tcp_port: int) -> Path:
    (tmp_path / "state").mkdir()
    return write_file(tmp_path, unused_tcp_port)


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that another program has."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def read_bytes(file: Path) -> bytes:
    return file.read_bytes()


def overwrite_bytes(file: Path, content: bytes) -> None:
    file.write_bytes(content)


async def start(file: Path) -> SettingsFile:
    """Returns the settings of a daemon that has started with the file."""
    settings = SettingsFile(file)
    settings.complete_pending_change()
    await start_anew(settings)
    return settings


async def start_anew(settings: SettingsFile) -> None:
    setup = settings.load()
    assert setup is not None
    await settings.note_start(setup, "")


async def save(settings: SettingsFile, *changes: Change, password: str | None = None) -> None:
    await settings.save(settings.read()[1], changes or [TITLE], password)


async def test_after_a_kill_a_port_that_is_taken_is_taken_back(file: Path, taken: int) -> None:
    before = written(file)
    await save(await start(file), Change(("web", "port"), taken))
    assert str(taken) in written(file)
    async with serve(file) as client:  # another process
        assert (
            "the change was taken back, because oche cannot start with it: the page"
            in (await read(client))["notice"]["text"]
        )
    assert written(file) == before


async def test_after_a_kill_what_the_reader_refuses_is_taken_back(file: Path) -> None:
    before, mine = written(file), file.with_name("mine.toml")
    overwrite(mine, read_shipped("opendarts").text)
    await save(await start(file), Change(("table", 0, "profile"), "mine.toml"))
    mine.unlink()
    async with serve(file) as client:
        found = await read(client)
        assert "cannot read" in found["notice"]["text"]
        assert not found["can_revert"]
    assert written(file) == before


async def test_after_a_start_a_change_is_not_taken_back(file: Path) -> None:
    settings = await start(file)
    await save(settings)
    await start_anew(settings)
    again = SettingsFile(file)
    again.complete_pending_change()
    assert not again.undo_failed_change(UserError("no room"))
    assert "The Oak" in written(file)


async def test_after_a_kill_what_was_changed_by_hand_stays(file: Path) -> None:
    await save(await start(file))
    overwrite(file, text := f"{written(file)}# by hand\n")
    settings = SettingsFile(file)
    settings.complete_pending_change()
    assert not [*(file.parent / "state" / "settings").iterdir()]
    assert not settings.undo_failed_change(UserError("no room"))
    assert written(file) == text


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
@pytest.mark.parametrize("is_longer", [True, False])
@pytest.mark.parametrize("is_service", [True, False])
def test_a_file_that_a_power_cut_has_torn_is_completed(
    file: Path, monkeypatch: pytest.MonkeyPatch, share: float, *, is_longer: bool, is_service: bool
) -> None:
    """As where it is written in place; what it says of the state folder cannot be read then."""
    write_in_place_only(file, monkeypatch)
    if is_service:
        monkeypatch.setenv("STATE_DIRECTORY", str(file.parent / "state"))
    else:
        monkeypatch.delenv("STATE_DIRECTORY", raising=False)
        monkeypatch.setenv("XDG_STATE_HOME", str(file.parent / "home"))
    before = written(file)
    after = before.replace("[[table]]", "# more\n[[table]]") if is_longer else before.replace("# The house.\n", "")
    SettingsHistory(file.parent / "state").begin(Pending(str(file), before, after))
    room = before.encode().ljust(len(after), b"\0")
    done = int(share * len(after))
    file.write_bytes(after.encode()[:done] + room[done:])
    settings = SettingsFile(file)
    settings.complete_pending_change()
    if done:
        assert written(file) == after
        assert settings.undo_failed_change(UserError("the port is taken"))
        assert not [*file.parent.rglob("pending*")]
    elif is_longer:
        assert written(file) == after
    else:
        assert not settings.undo_failed_change(UserError("nothing was written"))
        assert written(file) == before


async def test_drafts_that_a_kill_has_left_go_at_the_next_start(file: Path) -> None:
    await save(await start(file))  # and the daemon is killed before it has started with it
    state = file.parent / "state"
    (state / "web.devices").mkdir()
    ours = [state / name for name in ("web.token.new", "web.devices/0a0b0c0d.new", "settings/pending.json.new")]
    theirs = [state / "notes.new", file.with_name("mine.toml.new")]
    for each in (*ours, *theirs, draft := file.with_name("oche.toml.new")):
        overwrite(each, "half")
    async with serve(file):
        assert [each for each in (*ours, *theirs, draft) if each.exists()] == theirs
        overwrite(draft, "mine")
    async with serve(file):
        assert written(draft) == "mine", "no change was cut off"


async def test_a_second_change_waits_for_the_start_with_the_first(file: Path) -> None:
    settings, before = await start(file), written(file)
    await save(settings)
    with pytest.raises(UserError, match="oche is restarting: try again in a moment"):
        await save(settings, Change(("table", 0, "title"), "The Elm"))
    with pytest.raises(UserError, match="oche is restarting"):
        await settings.revert(settings.read()[1])
    assert settings.undo_failed_change(UserError("the port is taken"))
    assert written(file) == before


async def test_the_notice_of_a_failed_change_goes_with_the_next_one(file: Path) -> None:
    settings = await start(file)
    await save(settings)
    assert settings.undo_failed_change(UserError("the port is taken"))
    await start_anew(settings)
    assert settings.notice is not None
    await save(settings)
    await start_anew(settings)
    assert settings.notice is None


async def test_a_new_start_ends_the_notice_and_waits_for_the_file(file: Path) -> None:
    settings = await start(file)
    await save(settings)
    assert settings.undo_failed_change(UserError("the port is taken"))
    await start_anew(settings)
    await settings.writing.acquire()
    starting = asyncio.create_task(settings.start_anew())
    await asyncio.sleep(0)
    assert settings.notice is not None
    settings.writing.release()
    await starting
    assert settings.notice is None


async def test_nothing_is_changed_between_the_wish_to_start_anew_and_the_start(file: Path) -> None:
    """It would be taken for what the daemon has started with."""
    settings, before = await start(file), written(file)
    staged = StagedBackup.choose_folder(settings.state)
    staged.files.mkdir(parents=True)
    _, version = settings.read()
    await settings.start_anew()
    for change in (save(settings), settings.restore(version, staged.folder.name, ["state"]), settings.start_anew()):
        with pytest.raises(UserError, match="oche is restarting: try again in a moment"):
            await change
    assert settings.staged is None
    assert written(file) == before
    async with asyncio.timeout(PATIENCE_S):
        await settings.changed.wait()
    await start_anew(settings)
    await save(settings)


async def test_a_backup_that_is_being_put_back_does_not_make_room_for_another_one(file: Path) -> None:
    settings = await start(file)
    staged = StagedBackup.choose_folder(settings.state)
    staged.files.mkdir(parents=True)
    restoring = asyncio.create_task(settings.restore(settings.read()[1], staged.folder.name, ["state"]))
    while not settings.writing.locked():  # noqa: ASYNC110  it has no event for this
        await asyncio.sleep(0)
    with pytest.raises(UserError, match="oche is restarting"):
        await settings.forget_staged()
    await restoring
    assert settings.staged == staged
    assert staged.folder.exists()


async def test_a_wish_to_start_anew_waits_for_a_change_that_is_being_written_and_is_that_start(file: Path) -> None:
    settings = await start(file)
    saving, starting = asyncio.create_task(save(settings)), asyncio.create_task(settings.start_anew())
    await saving
    with pytest.raises(UserError, match="oche is restarting"):
        await starting


async def test_a_revert_that_cannot_start_takes_no_step_of_the_history(file: Path) -> None:
    settings, texts = await start(file), [written(file)]
    for title in ("The Oak", "The Elm"):
        await save(settings, Change(("table", 0, "title"), title))
        await start_anew(settings)
        texts.append(written(file))
    await settings.revert(settings.read()[1])
    assert settings.undo_failed_change(UserError("the port is taken"))
    assert written(file) == texts.pop()
    await start_anew(settings)
    while texts:
        await settings.revert(settings.read()[1])
        await start_anew(settings)
        assert written(file) == texts.pop()
    assert not settings.can_revert


async def test_a_change_whose_sender_goes_away_is_applied_all_the_same(file: Path) -> None:
    settings, before = await start(file), written(file)
    sending = asyncio.create_task(save(settings))
    await asyncio.sleep(0)
    sending.cancel()
    async with asyncio.timeout(PATIENCE_S):
        await settings.changed.wait()
    assert sending.cancelled()
    assert "The Oak" in written(file)
    assert settings.undo_failed_change(UserError("the port is taken"))
    assert written(file) == before


async def test_the_line_ends_of_windows_stay(file: Path) -> None:
    before = written(file).replace("\n", "\r\n").encode()
    overwrite_bytes(file, before)
    settings = await start(file)
    await save(settings)
    await start_anew(settings)
    assert read_bytes(file).replace(b'title = "The Oak"\r\n', b"") == before
    assert settings.can_revert
    await settings.revert(settings.read()[1])
    assert read_bytes(file) == before


async def test_a_file_of_another_name_in_the_folder_of_former_ones_is_left_alone(file: Path) -> None:
    (file.parent / "state" / "settings").mkdir()
    overwrite(foreign := file.parent / "state" / "settings" / "notes.toml", "x")
    settings = await start(file)
    await save(settings)
    await start_anew(settings)
    assert settings.can_revert
    assert foreign.exists()


async def test_what_was_changed_by_hand_while_it_started_is_not_what_it_runs_with(file: Path) -> None:
    settings = SettingsFile(file)
    setup = settings.load()
    assert setup is not None
    overwrite(file, f"{written(file)}# by hand\n")
    await settings.note_start(setup, "")
    assert not settings.runs_with_file


async def test_the_password_is_taken_back_with_its_change(file: Path) -> None:
    settings, kept = await start(file), file.parent / "state"
    user = Change(("mqtt", "username"), "oche")
    await save(settings, user, password="first")
    await start_anew(settings)
    await save(settings, password="second")
    await start_anew(settings)

    def read_password() -> str:
        return written(Path(settings.running.mqtt.password_file or ""))

    assert read_password() == "second\n"
    await settings.revert(settings.read()[1])
    await start_anew(settings)
    assert read_password() == "first\n"
    assert len([*kept.glob("mqtt-password-*")]) == 1
    await save(settings, Change(("mqtt", "username")))
    await start_anew(settings)
    assert "password_file" not in written(file)
    for _ in range(20):  # until the change that knew it can no longer be taken back
        await save(settings, Change(("table", 0, "title"), os.urandom(4).hex()))
        await start_anew(settings)
    assert not [*kept.glob("mqtt-password-*")]


IN_PLACE = """
import asyncio, ctypes, os, sys
from pathlib import Path
from daemon.admin.settings.settings_file import SettingsFile
from daemon.admin.requests import Change
async def main(file):
    settings = SettingsFile(file)
    await settings.note_start(settings.load(), "")
    await asyncio.to_thread(int)  # its modules may lie where only root reads
    if os.geteuid() == 0:
        os.setresuid(65534, 65534, 65534)
    assert not settings.trouble, settings.trouble
    assert "oche may not write" in str(SettingsFile(Path("/proc/version")).trouble)
    await settings.save(settings.read()[1], [Change(("table", 0, "title"), "The Oak")])
asyncio.run(main(Path(sys.argv[1])))
"""


def test_the_file_is_written_in_place_where_its_folder_may_not_be() -> None:
    """As in /etc/oche: the daemon may write its file, and not make another one there."""
    with tempfile.TemporaryDirectory() as name:
        (state := Path(name) / "state").mkdir()
        file = write_file(folder := Path(name), 0)
        if os.geteuid() == 0:
            for each in (file, state):
                os.chown(each, NOBODY, NOBODY)
        folder.chmod(0o555)
        before = file.stat()
        try:
            told = subprocess.run([sys.executable, "-c", IN_PLACE, file], capture_output=True, text=True, check=False)
        finally:
            folder.chmod(0o755)
        assert told.returncode == 0, told.stderr
        assert "The Oak" in written(file)
        after = file.stat()
        assert (after.st_ino, after.st_uid, after.st_mode) == (before.st_ino, before.st_uid, before.st_mode)
        assert not folder.joinpath("oche.toml.new").exists()


def test_a_file_is_written_over_with_a_longer_and_a_shorter_text(tmp_path: Path) -> None:
    (file := tmp_path / "file").write_bytes(b"abc")
    for text in (b"abcdef" * 9000, b"x", b""):
        files.write_in_place(file, text)
        assert file.read_bytes() == text


async def wait_for(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not is_so():  # noqa: ASYNC110  it has no event for this
            await asyncio.sleep(0.05)


@pytest.mark.slow
async def test_a_start_anew_leaves_nothing_of_the_former_daemon(file: Path) -> None:
    settings = SettingsFile(file)
    gc.unfreeze()
    gc.collect()
    others = len([each for each in gc.get_objects() if isinstance(each, Table)])
    running = asyncio.create_task(run_daemon_anew(settings.load(), settings))
    try:
        await wait_for(lambda: bool(settings.running.table))
        for _ in range(5):
            settings.changed.set()
            await wait_for(lambda: not settings.changed.is_set())
        gc.unfreeze()
        assert len([each for each in gc.get_objects() if isinstance(each, Table)]) == others + 1
    finally:
        gc.enable()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
