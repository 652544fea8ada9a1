"""A backup that is put back while the disk fails or the process is killed at any call: all is as before, or restored.

Nothing is lost then, and nothing is left over, once it was tried again, taken back, or oche was started.
"""

from __future__ import annotations

import asyncio
import errno
import json
import os
import shutil
from collections.abc import Callable, Coroutine
from contextlib import suppress
from io import BytesIO
from itertools import count
from pathlib import Path

import pytest

from daemon.admin.backup.archive import unpack
from daemon.admin.backup.restore import restore, undo_unfinished
from daemon.admin.backup.staging import restore_staged, stage, undo_restore
from daemon.admin.settings.settings_file import SettingsFile
from daemon.admin.settings.staged_backup import StagedBackup, list_staged
from daemon.commands import run
from daemon.errors import UserError
from tests.daemon.backups import MANIFEST, archive
from tests.daemon.failing_calls import Killed, fail_call
from tests.daemon.process import Process, configure

Tree = dict[str, bytes]
FAULTS = pytest.mark.parametrize("number", [None, errno.EIO], ids=["killed", "EIO"])


def read_tree(folder: Path) -> Tree:
    """All that is in it: files with their contents, and folders. Stamps in names are left out."""
    found = {}
    for path in folder.rglob("*"):
        name = "/".join(
            part.partition("before-restore-")[0] + ("ASIDE" if "before-restore-" in part else "")
            for part in path.relative_to(folder).parts
        )
        if path.name != "lock":
            assert name not in found, "set aside once"
            found[name] = path.read_bytes() if path.is_file() else b"folder"
    return found


class Home:
    """A daemon's files, and how they are with a backup put back by the command."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.state = folder / "home", folder / "home/state"
        self.state.mkdir(parents=True)
        self.config = configure(self.folder, 0)
        ours = self.config.read_bytes()
        for name in ("main.sqlite3", "main.sqlite3-wal", "old.sqlite3", "web.token"):
            (self.state / name).write_text(f"before: {name}")
        self.before = read_tree(self.folder)
        self.coming = {name: f"restored: {name}".encode() for name in ("main.sqlite3", "new.sqlite3")}
        changed = ours + b"# restored\n"
        members = {"config/oche.toml": changed, "config/games/new/one.py": b"GAMES = []"}
        members |= {f"state/{name}": content for name, content in self.coming.items()}
        self.backup = archive(folder, {"manifest.json": MANIFEST, **members}).read_bytes()
        moved = {name.removeprefix("state/"): text for name, text in self.before.items() if name.startswith("state/")}
        self.restored = {name: text for name, text in self.before.items() if not name.startswith("state/")} | {
            "oche.toml": changed,
            "oche.toml.ASIDE": ours,
            "games": b"folder",
            "games/new": b"folder",
            "games/new/one.py": b"GAMES = []",
            "state/ASIDE": b"folder",
            **{f"state/{name}": text for name, text in self.coming.items()},
            **{f"state/ASIDE/{name}": text for name, text in moved.items()},
        }

    def restore(self) -> None:
        """As the command does."""
        source = BytesIO(self.backup)
        undo_unfinished(self.config)
        restore(unpack(source), source, self.config, self.state)


def start(file: Path) -> str:
    """The daemon starts until its tables would; returns what it tells of a restore."""
    settings = SettingsFile(file)
    setup, told = run.prepare(settings, file)
    assert setup is not None
    run_to_end(settings.note_start(setup, ""))
    return told


def run_to_end(work: Coroutine[object, object, None]) -> None:
    asyncio.run(work)


def find_difference(found: Tree, *wanted: Tree) -> list[str]:
    """The names of what is another one than in the wanted tree that is the most alike; [] where one is the same."""
    differences = [[name for name in found.keys() | each if found.get(name) != each.get(name)] for each in wanted]
    return min(differences, key=len)


@pytest.mark.slow
@pytest.mark.parametrize(("number", "then"), [(None, "start"), (None, "again"), (errno.EIO, "start")])
def test_a_command_that_is_interrupted(tmp_path: Path, number: int | None, then: str) -> None:
    for fails_at in count(1):
        home = Home(tmp_path / str(fails_at))
        with fail_call(fails_at, number) as calls:
            try:
                home.restore()
                wanted = home.restored
            except UserError:
                wanted = home.before
            except Killed:
                is_over = not find_difference(read_tree(home.folder), home.restored)
                wanted = home.restored if is_over else home.before
        if number is not None:
            assert not find_difference(read_tree(home.folder), wanted), fails_at
        if then == "again" and find_difference(read_tree(home.folder), home.restored):
            home.restore()
            wanted = home.restored
        elif start(home.config) == "an interrupted restore was completed":
            wanted = home.restored
        assert not find_difference(read_tree(home.folder), wanted), fails_at
        if calls.count < fails_at:
            break
    assert fails_at > 30


@pytest.mark.parametrize(("number", "remedy"), [(None, start), (errno.EIO, start), (None, undo_unfinished)])
@pytest.mark.long
def test_what_goes_on_with_an_interrupted_command_is_interrupted_too(
    tmp_path: Path, number: int | None, remedy: Callable[[Path], str]
) -> None:
    """The command is killed with some files in their places, or with some set aside."""
    for killed_at in (33, 40):
        for fails_at in count(1):
            home = Home(tmp_path / f"{killed_at}-{fails_at}")
            with fail_call(killed_at, None), pytest.raises(Killed):
                home.restore()
            assert find_difference(read_tree(home.folder), home.before, home.restored)
            with fail_call(fails_at, number) as calls, suppress(UserError, Killed):
                remedy(home.config)
            start(home.config)
            assert not find_difference(read_tree(home.folder), home.before, home.restored), fails_at
            if calls.count < fails_at:
                break
        assert fails_at > 5


async def test_the_next_start_says_that_it_has_completed_a_restore(tmp_path: Path) -> None:
    home = Home(tmp_path)
    with fail_call(40, None), pytest.raises(Killed):
        home.restore()
    async with Process("run", "--config", home.config) as daemon:
        await daemon.runs()
        assert "an interrupted restore was completed" in daemon.errors
    assert home.config.read_text().endswith("# restored\n")


def test_who_may_not_complete_a_restore_starts_with_nothing_that_is_incomplete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The service may not write in the folder of its configuration."""
    home = Home(tmp_path)
    with fail_call(40, None), pytest.raises(Killed):
        home.restore()
    with monkeypatch.context() as patch:
        patch.setattr(os, "access", lambda _path, mode: mode != os.W_OK)
        with pytest.raises(UserError, match="run  sudo oche restore  with that backup"):
            start(home.config)
    home.restore()
    assert not find_difference(read_tree(home.folder), home.restored)


class Page(Home):
    """The same with the backup put back on the page: the daemon is to start with it."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        (self.state / "settings").mkdir()
        self.before["state/settings"] = b"folder"
        moved = {name for name in self.before if name.startswith("state/") and name.endswith(("sqlite3", "-wal"))}
        self.restored = {
            "state/ASIDE": b"folder",
            **{name.replace("/", "/ASIDE/") if name in moved else name: text for name, text in self.before.items()},
            **{f"state/{name}": text for name, text in self.coming.items()},
        }
        staged = StagedBackup.choose_folder(self.state)
        stage(BytesIO(self.backup), self.config, staged)
        (self.state / "main.sqlite3-shm").unlink(missing_ok=True)  # the journals that are there were counted
        text = self.config.read_text()
        pending = {"file": str(self.config), "before": text, "after": text, "staged": str(staged.folder)}
        (self.state / "settings/pending.json").write_text(json.dumps(pending))


@FAULTS
@pytest.mark.long
def test_a_start_with_what_the_page_puts_back_is_interrupted(tmp_path: Path, number: int | None) -> None:
    for fails_at in count(1):
        page = Page(tmp_path / str(fails_at))
        with fail_call(fails_at, number) as calls, suppress(UserError, Killed):
            start(page.config)
        start(page.config)
        start(page.config)
        assert not find_difference(read_tree(page.folder), page.before, page.restored), fails_at
        if calls.count < fails_at:
            break
    assert fails_at > 20


@FAULTS
@pytest.mark.parametrize("is_edited", [True, False])
@pytest.mark.long
def test_taking_back_what_the_page_has_put_back_is_interrupted(
    tmp_path: Path, number: int | None, is_edited: bool
) -> None:
    """Oche cannot start with it, and has written beside it already; then the owner has changed the file, or not."""
    for fails_at in count(1):
        page = Page(tmp_path / str(fails_at))
        settings = SettingsFile(page.config)
        run.prepare(settings, page.config)
        (page.state / "main.sqlite3-wal").write_text("restored, too")
        with fail_call(fails_at, number) as calls, suppress(UserError, Killed):
            run.undo_failed_change(settings, UserError("the port is taken"))
        if is_edited:
            page.config.write_text(page.config.read_text() + "# edited\n")
        start(page.config)
        for tree in (page.before, page.restored):
            tree["oche.toml"] = page.config.read_bytes()
        page.restored["state/main.sqlite3-wal"] = b"restored, too"
        assert not find_difference(read_tree(page.folder), page.before, page.restored), fails_at
        if calls.count < fails_at:
            break
    assert fails_at > 10


def test_what_was_played_since_a_restore_stays_though_its_folder_is_left_and_the_disk_fails(tmp_path: Path) -> None:
    page = Page(tmp_path)
    start_without_removing(page.config)
    played = page.state / "main.sqlite3"
    for fails_at in count(1):
        played.write_text("played since")
        with fail_call(fails_at, errno.EIO) as calls, suppress(UserError):
            start_without_removing(page.config)
        start_without_removing(page.config)
        assert played.read_text() == "played since", fails_at
        if calls.count < fails_at:
            break
    start(page.config)
    assert not [*page.state.glob("restore-*"), *page.state.glob(".oche-*")]


@pytest.mark.parametrize("number", [None, errno.EIO], ids=["killed", "EIO"])
@pytest.mark.long
def test_what_was_played_since_a_restore_is_not_taken_back_with_it(tmp_path: Path, number: int | None) -> None:
    """The note of the change may be left after the start; what the next start refuses is taken back."""
    for fails_at in count(1):
        page = Page(tmp_path / str(fails_at))
        settings = SettingsFile(page.config)
        setup, _ = run.prepare(settings, page.config)
        assert setup is not None
        with fail_call(fails_at, number) as calls, suppress(Killed):
            run_to_end(settings.note_start(setup, ""))
        (page.state / "main.sqlite3").write_text("played since")
        again = SettingsFile(page.config)
        run.prepare(again, page.config)
        if fails_at > 1:  # before it nothing says that the daemon had started
            run.undo_failed_change(again, UserError("the port is taken"))
        start(page.config)
        assert (page.state / "main.sqlite3").read_text() == "played since", fails_at
        if calls.count < fails_at:
            break
    assert fails_at > 3


def start_without_removing(file: Path) -> None:
    """As a start whose removal of what was unpacked fails."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shutil, "rmtree", lambda *_, **_named: None)
        start(file)


def test_nothing_is_moved_before_the_disk_keeps_what_is_to_be_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = Page(tmp_path)
    (staged,) = list_staged(page.state)
    sync = os.fsync

    def fail(descriptor: int) -> None:
        if Path(f"/proc/self/fd/{descriptor}").readlink() == staged.folder:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        sync(descriptor)

    with monkeypatch.context() as disk:
        disk.setattr(os, "fsync", fail)
        for _ in range(2):  # the second one finds the note, which may be in memory only
            with pytest.raises(UserError, match="input/output error"):
                restore_staged(staged)
            assert (page.state / "main.sqlite3").read_text() == "before: main.sqlite3"
    start(page.config)
    assert not find_difference(read_tree(page.folder), page.restored)


class Former(Page):
    """The same as oche 0.2 has left it when it was stopped: it has noted what was in the state, and no more."""

    def __init__(self, folder: Path, steps: int) -> None:
        super().__init__(folder)
        (self.staged,) = list_staged(self.state)
        names = ["main.sqlite3", "main.sqlite3-wal", "old.sqlite3"]
        (self.staged.folder / "before.json").write_text(json.dumps(names))
        (self.staged.aside).mkdir()
        moves = [(self.state / name, self.staged.aside / name) for name in names]
        moves += [(self.staged.files / name, self.state / name) for name in sorted(self.coming)]
        for source, target in moves[:steps]:
            source.rename(target)

    def take_back(self, steps: int) -> None:
        """So many steps of it."""
        unused, names = self.staged.folder / "unused", sorted(path.name for path in self.state.glob("*.sqlite3*"))
        (self.staged.folder / "after.json").write_text(json.dumps(names))
        unused.mkdir()
        moves = [(self.state / name, unused / name) for name in names]
        moves += [(path, self.state / path.name) for path in sorted(self.staged.aside.iterdir())]
        for source, target in moves[:steps]:
            source.rename(target)
        if steps > len(moves):
            self.staged.aside.rmdir()


@pytest.mark.parametrize(
    ("steps", "then"), [(1, "start"), (4, "start"), (5, "start"), (1, "undo"), (4, "undo"), (4, "edit")]
)
@pytest.mark.long
def test_an_update_goes_on_with_what_its_former_version_has_begun(tmp_path: Path, steps: int, then: str) -> None:
    """The daemon is updated before it has started with what it puts back, and is killed itself."""
    for fails_at in count(1, 3):
        page = Former(tmp_path / str(fails_at), steps)
        wanted = page.before if then == "undo" else page.restored
        if then == "edit":
            page.config.write_text(page.config.read_text() + "# edited\n")
            wanted["oche.toml"] = page.config.read_bytes()
        with fail_call(fails_at, None) as calls, suppress(Killed):
            if then == "undo":
                undo_restore(page.staged)
            else:
                start(page.config)
        if then == "undo":
            undo_restore(page.staged)
            (page.state / "settings/pending.json").unlink()
        start(page.config)
        start(page.config)
        assert not find_difference(read_tree(page.folder), wanted), fails_at
        if calls.count < fails_at:
            break
    assert fails_at > 15


@pytest.mark.parametrize(
    ("steps", "undone", "is_edited"),
    [(5, 0, False), (5, 2, True), (5, 4, False), (5, 7, True), (1, 0, True), (1, 1, False), (1, 4, False)],
)
@pytest.mark.long
def test_an_update_completes_what_its_former_version_was_taking_back(
    tmp_path: Path, steps: int, undone: int, is_edited: bool
) -> None:
    """It took back also what it could not set aside as a whole (one step), and then moved away what was untouched."""
    for fails_at in count(1):
        page = Former(tmp_path / str(fails_at), steps)
        if steps == 5:
            (page.state / "main.sqlite3-wal").write_text("restored, too")
        page.take_back(undone)
        if is_edited:
            page.config.write_text(page.config.read_text() + "# edited\n")
            page.before["oche.toml"] = page.config.read_bytes()
        with fail_call(fails_at, None) as calls, suppress(Killed):
            start(page.config)
        start(page.config)
        start(page.config)
        assert not find_difference(read_tree(page.folder), page.before), fails_at
        if calls.count < fails_at:
            break
