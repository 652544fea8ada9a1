"""Putting back a backup that was sent to the page: unpacked beside what is there, which then changes places with it.

The service may write its state and the configuration itself, and no other file beside that: plug-ins are code, and
secrets are root's. So those of the backup stay out of it here, and the page names them. Who may come in stays as it is,
too: a token that was given up would count again, and this browser would be out.

The places are changed by renaming while no daemon runs. Which files were there is written down first, so that the next
start completes what a power cut has interrupted. What was there before is kept in a folder beside it, until some more
backups have been put back (daemon/config/staged_backup.py).
"""

from __future__ import annotations

import os
import re
import shutil
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import BinaryIO

import msgspec
from msgspec import Struct

from daemon import files
from daemon.backup.archive import Contents, read_files, unpack
from daemon.backup.names import is_state
from daemon.backup.restore import find_place, has_content, read_state_dir
from daemon.config.settings_history import PASSWORDS
from daemon.config.staged_backup import StagedBackup
from daemon.errors import UserError
from daemon.service.lock import lock_folder
from daemon.table.journal_errors import StoreError, Unusable
from daemon.table.stored_journal import StoredJournal, find_journals
from protocol.sentence import say

_STAYS = re.compile(rf"web\..*|{PASSWORDS}.*")
"""Files of the state that count for the page and the configuration that are there."""


class Summary(Struct, frozen=True):
    """What a backup has in it, and how many matches there are now, by table."""

    at: datetime
    oche: str
    matches: dict[str, int]
    matches_now: dict[str, int]
    beside: tuple[str, ...]
    """Files beside the configuration that are missing here, or are others, and are put back on the machine only."""


def stage(source: BinaryIO, config: Path, staged: StagedBackup) -> Summary:
    """Checks a backup as a whole and unpacks it into this new folder. Raises UserError, and leaves no folder then."""
    contents = unpack(source)
    read_state_dir(contents.configuration)
    state = staged.folder.parent
    try:
        failure = say("file.cannot_unpack", "the backup cannot be unpacked in {name}", name=str(state))
        with files.explain_errors(failure, None):
            _check_room(contents, state)
            _unpack_state(source, contents, staged)
            files.replace_file(staged.configuration, contents.configuration, mode=0o600)
            _keep_password(contents, staged)
            beside = tuple(_list_beside(contents, config))
        matches = _count_matches(staged.files, is_strict=True)
    except BaseException:
        shutil.rmtree(staged.folder, ignore_errors=True)
        raise
    now = _count_matches(state, is_strict=False)
    return Summary(contents.manifest.at, contents.manifest.version, matches, now, beside)


def restore_staged(staged: StagedBackup) -> None:
    """Puts the files of the state in their places, and what is there aside. Raises UserError.

    It may have been done already, or in part. The folder is removed once the daemon has started with the files; without
    it there is nothing to do.
    """
    if not staged.folder.exists():
        return
    with _change_places(staged):
        if _list_of(staged, "after").exists():
            raise UserError("what was restored is being taken back")
        _exchange(staged.folder.parent, staged.files, staged.aside, _list_of(staged, "before"))


def undo_restore(staged: StagedBackup) -> None:
    """Brings back what was there before. Raises UserError; it may be done again then."""
    with _change_places(staged):
        if _list_of(staged, "before").exists():
            _exchange(staged.folder.parent, staged.aside, staged.folder / "unused", _list_of(staged, "after"))
            staged.aside.rmdir()


def _list_of(staged: StagedBackup, when: str) -> Path:
    return staged.folder / f"{when}.json"


@contextmanager
def _change_places(staged: StagedBackup) -> Iterator[None]:
    state = staged.folder.parent
    failure = f"cannot change files of {state}, where {staged.folder.name} and {staged.aside.name} have those of before"
    with lock_folder(state), files.explain_errors(failure, None):
        yield


def _exchange(state: Path, source: Path, aside: Path, listing: Path) -> None:
    """Moves the files of the state aside, and those of the source into their place. Raises OSError.

    A second call goes on where the first was interrupted: the listing says what was there at the beginning.
    """
    if not listing.exists():
        names = [path.name for path in state.iterdir() if _is_exchanged(path.name) and not path.is_dir()]
        files.replace_file(listing, msgspec.json.encode(sorted(names)), mode=0o600)
    aside.mkdir(mode=0o700, exist_ok=True)
    source.mkdir(mode=0o700, exist_ok=True)
    for name in msgspec.json.decode(listing.read_bytes(), type=list[str]):
        if os.path.lexists(state / name) and not os.path.lexists(aside / name):
            (state / name).rename(aside / name)
    _sync(aside)
    for path in sorted(source.iterdir()):
        path.rename(state / path.name)
    _sync(state)


def _sync(folder: Path) -> None:
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _is_exchanged(name: str) -> bool:
    return is_state(name) and _STAYS.fullmatch(name) is None


def _check_room(contents: Contents, state: Path) -> None:
    needed = sum(each.size for each in contents.state.values()) + files.RESERVE_BYTES
    if needed > (free := shutil.disk_usage(state).free):
        said = say(
            "file.no_room_unpacked",
            "the disk has too little room for what is in this backup: {free} MB are free, and it needs {needed} MB",
            free=str(free // 1_000_000),
            needed=str(-(-needed // 1_000_000)),
        )
        raise UserError(said)


def _unpack_state(source: BinaryIO, contents: Contents, staged: StagedBackup) -> None:
    staged.folder.mkdir(mode=0o700)
    staged.files.mkdir(mode=0o700)
    for top, path, pieces in read_files(source, contents):
        is_kept = top == "state" and (_is_exchanged(path.name) or path.name.startswith(PASSWORDS))
        if is_kept:
            folder = staged.files if _is_exchanged(path.name) else staged.folder
            with files.draft_file(folder / path.name, mode=0o600) as file:
                file.writelines(pieces)
        else:
            for _ in pieces:
                pass


def _keep_password(contents: Contents, staged: StagedBackup) -> None:
    """Keeps the password that the configuration names, if it was typed on the page: then it is in the state."""
    named = tomllib.loads(contents.configuration.decode()).get("mqtt", {})
    file = named.get("password_file") if isinstance(named, dict) else None
    name = Path(file).name if isinstance(file, str) else ""
    if name.startswith(PASSWORDS) and PurePosixPath(name) in contents.state:
        (staged.folder / name).rename(staged.password)


def _list_beside(contents: Contents, config: Path) -> Iterator[str]:
    for name, kept in contents.config.items():
        path = find_place(name, contents, config)
        is_there = False
        with suppress(OSError):  # a secret that root alone may read
            is_there = str(name) == contents.manifest.config or has_content(path, kept)
        if not is_there:
            yield str(name)


def _count_matches(folder: Path, *, is_strict: bool) -> dict[str, int]:
    """Returns the matches by table. Raises UserError for a journal of a newer oche; a damaged one counts as none."""
    return {each.table: _count_in(each, is_strict=is_strict) for each in find_journals(folder)}


def _count_in(journal: StoredJournal, *, is_strict: bool) -> int:
    try:
        return journal.count_matches()
    except Unusable:
        if is_strict:
            raise UserError(f"the matches of the table {journal.table} are of a newer oche: update this one") from None
    except StoreError:
        pass  # it is mended when it is opened
    return 0
