"""A disk that fails at the last step: what is done by then is told as done, and what is refused is as before."""

from __future__ import annotations

import asyncio
import errno
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from daemon import files
from daemon.admin.learning.page_learning import PageLearning
from daemon.admin.learning.press_file import PressFile
from daemon.admin.requests import BoardDescription, Change
from daemon.admin.settings.settings_file import SettingsFile
from daemon.admin.settings.write import SettingsChanged
from daemon.errors import UserError
from daemon.web.devices import Devices
from daemon.web.token import locate_setup_hash, locate_token_hash, make_setup_token, make_token
from tests.daemon.process import Saying
from tests.daemon.test_settings import overwrite, write_file, write_in_place_only, written

TITLE = Change(("table", 0, "title"), "The Oak")
USER = Change(("mqtt", "username"), "oche")


@pytest.fixture(params=[1, 1000], ids=["once", "always"])
def folder_sync(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[None]]:
    """The sync of a folder fails so often; a list of how often it did."""
    failed: list[None] = []
    sync = os.fsync

    def fail(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode) and len(failed) < request.param:
            failed.append(None)
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", fail)
    yield failed
    assert failed


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "state").mkdir()
    return write_file(tmp_path, 0)


async def start(file: Path) -> SettingsFile:
    settings = SettingsFile(file)
    settings.complete_pending_change()
    await start_anew(settings)
    return settings


async def start_anew(settings: SettingsFile) -> None:
    setup = settings.load()
    assert setup is not None
    await settings.note_start(setup, "")


async def save(settings: SettingsFile, *changes: Change, password: str | None = None) -> None:
    await settings.save(settings.read()[1], changes, password)


async def test_a_change_is_told_as_made_and_can_be_taken_back(file: Path, folder_sync: list[None]) -> None:
    settings, before = await start(file), written(file)
    await save(settings, USER, TITLE, password="s3cret")
    await start_anew(settings)
    assert written(Path(settings.running.mqtt.password_file or "")) == "s3cret\n"
    assert settings.can_revert
    await settings.revert(settings.read()[1])
    await start_anew(settings)
    assert written(file) == before
    assert not settings.can_revert


async def test_a_change_in_place_is_told_as_made_too(
    file: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    settings = await start(file)
    write_in_place_only(file, monkeypatch)
    sync = os.fsync

    def fail(descriptor: int) -> None:
        if Path(f"/proc/self/fd/{descriptor}").readlink() == file:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", fail)
    await save(settings, USER, TITLE, password="s3cret")
    await start_anew(settings)
    assert settings.can_revert
    assert written(Path(settings.running.mqtt.password_file or "")) == "s3cret\n"
    assert f"{file} was changed, but a power cut may undo that: input/output error" in caplog.text


@pytest.mark.parametrize("fails", ["sync", "write"])
def test_what_the_disk_failed_to_keep_is_written_once_more_or_not_told_as_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, fails: str
) -> None:
    """As with Linux, the next sync of what the disk failed to keep succeeds, and does nothing."""
    (file := tmp_path / "oche.toml").write_bytes(b"former")
    kept, dirty, failed, write = [b"former"], [False], list[str](), os.pwrite

    def note_write(descriptor: int, content: bytes, at: int) -> int:
        dirty[0] = True
        if fails == "write" and not failed:
            failed.append("write")
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(descriptor, content, at)

    def fail_once(_: int) -> None:
        was_dirty, dirty[0] = dirty[0], False
        if "sync" not in failed:
            failed.append("sync")
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        if was_dirty:
            kept.append(file.read_bytes())

    monkeypatch.setattr(os, "pwrite", note_write)
    monkeypatch.setattr(os, "fsync", fail_once)
    if fails == "write":  # the way back may be lost: what is noted of the change is needed
        with pytest.raises(files.HalfWritten):
            files.write_in_place(file, b"changed")
    else:
        files.write_in_place(file, b"changed")
        assert kept == [b"former", b"changed"]
        assert "a power cut may undo that: input/output error" in caplog.text


def fail_writing(file: Path, monkeypatch: pytest.MonkeyPatch, times: int) -> None:
    """Of what is written into the file, the first bytes arrive, and then so many attempts fail."""
    failed: list[None] = []
    write = os.pwrite

    def fail(descriptor: int, content: bytes, at: int) -> int:
        if Path(f"/proc/self/fd/{descriptor}").readlink() != file or len(failed) == times:
            return write(descriptor, content, at)
        if at == 0 and not failed:
            return write(descriptor, content[: len(content) // 2], at)
        failed.append(None)
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "pwrite", fail)


async def test_a_change_in_place_that_fails_midway_is_refused_and_undone(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, before = await start(file), written(file)
    write_in_place_only(file, monkeypatch)
    fail_writing(file, monkeypatch, 1)
    with pytest.raises(UserError, match="input/output error"):
        await save(settings, USER, password="s3cret")
    assert written(file) == before
    assert not [*file.parent.glob("state/mqtt-password-*")]
    await save(settings, TITLE)
    assert "The Oak" in written(file)


async def test_a_file_that_stays_half_written_is_completed_at_the_next_start(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STATE_DIRECTORY", str(file.parent / "state"))
    settings, before = await start(file), written(file)
    with monkeypatch.context() as disk:
        write_in_place_only(file, disk)
        fail_writing(file, disk, 2)
        with pytest.raises(UserError, match=r"was only partly written: input/output error.*restart oche"):
            await save(settings, Change(("table", 0, "name"), "cellar"), USER, password="s3cret")
    settings = await start(file)
    assert settings.running.table[0].name == "cellar"
    assert written(Path(settings.running.mqtt.password_file or "")) == "s3cret\n"
    await settings.revert(settings.read()[1])
    assert written(file) == before


async def test_a_new_token_counts(tmp_path: Path, folder_sync: list[None]) -> None:
    for make, locate in ((make_token, locate_token_hash), (make_setup_token, locate_setup_hash)):
        former = make(tmp_path)
        hashed = written(locate(tmp_path))
        assert make(tmp_path) != former
        assert written(locate(tmp_path)) != hashed


def test_a_token_that_finds_no_room_leaves_the_devices_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_token(tmp_path)
    devices = Devices(tmp_path)
    devices.add("fingerprint", is_secure=False, agent="")
    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(UserError, match="no space left on device"):
        make_token(tmp_path)
    assert len(devices.list()) == 1


def refuse(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_device_that_is_revoked_is_out_though_an_old_one_could_not_be_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    devices = Devices(tmp_path)
    for _ in range(200):
        devices.add("fingerprint", is_secure=False, agent="")
    for old in (tmp_path / "web.devices").iterdir():
        os.utime(old, (0, 0))
    with monkeypatch.context() as disk:
        disk.setattr(os, "unlink", refuse_unlink(os.unlink))
        cookie = devices.add("fingerprint", is_secure=False, agent="")
    assert devices.find(cookie, ["fingerprint"])
    devices.revoke(cookie[:8])
    assert not devices.find(cookie, ["fingerprint"])


def refuse_unlink(unlink: Callable[[Path], None]) -> Callable[[Path], None]:
    """Of drafts none is refused: there is none."""

    def fail(path: Path) -> None:
        if path.exists():
            refuse()
        unlink(path)

    return fail


def test_presses_and_a_backup_are_kept(tmp_path: Path, folder_sync: list[None], oche: Saying, file: Path) -> None:
    presses = PressFile(tmp_path / "profile", None)
    presses.write([("T20", None)])
    assert presses.read() == [("T20", None)]
    presses.remove()
    assert oche("backup", tmp_path / "all.tar.gz", "--config", file).status == 0
    assert oche("report", tmp_path / "report.zip", "--config", file).status == 0


async def test_a_press_that_cannot_be_taken_back_on_the_disk_is_not_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    presses = PressFile(tmp_path / "profile", None)
    learning = PageLearning(BoardDescription("tcp:127.0.0.1:1", "mine", frame="row,col"), presses, ())
    await learning.skip()
    heard = learning.shown["heard"]
    assert heard
    with monkeypatch.context() as disk:
        disk.setattr(os, "replace", refuse)
        with pytest.raises(UserError, match="no space left on device"):
            await learning.undo()
    await learning.skip()
    assert len(learning.shown["heard"]) == 2
    assert [[press, contact] for press, contact in presses.read()] == learning.shown["heard"]


@pytest.mark.parametrize("in_place", [False, True])
async def test_an_edit_by_hand_in_the_moment_of_a_save_is_not_written_over(
    file: Path, monkeypatch: pytest.MonkeyPatch, *, in_place: bool
) -> None:
    settings = await start(file)
    by_hand = f"{written(file)}# by hand\n"
    if in_place:
        write_in_place_only(file, monkeypatch)
    sync = os.fsync

    def edit(descriptor: int) -> None:
        overwrite(file, by_hand)  # while what is kept is written, last the draft itself
        sync(descriptor)

    with monkeypatch.context() as disk:
        disk.setattr(os, "fsync", edit)
        with pytest.raises(SettingsChanged):
            await save(settings, USER, password="s3cret")
    assert written(file) == by_hand
    assert list_files(file.parent) == ["oche.toml", "quick.toml"]
    await save(settings, TITLE)
    assert "The Oak" in written(file)
    assert "# by hand" in written(file)


def test_a_file_that_is_made_by_hand_in_the_moment_of_a_save_is_not_written_over(tmp_path: Path) -> None:
    (place := tmp_path / "oche.toml").write_bytes(b"# by hand\n")
    with pytest.raises(files.FileChanged):
        files.replace_keeping_owner(place, b"# the page\n", expected=None)
    assert place.read_bytes() == b"# by hand\n"


async def test_two_threads_that_write_one_file_leave_a_whole_one(tmp_path: Path) -> None:
    contents = [bytes([65 + number]) * 50_000 for number in range(8)]
    await asyncio.gather(*(asyncio.to_thread(files.replace_file, tmp_path / "file", each) for each in contents))
    assert (tmp_path / "file").read_bytes() in contents
    assert list_files(tmp_path) == ["file"]


def list_files(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.rglob("*") if each.is_file())
