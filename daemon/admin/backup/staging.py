"""Putting back a backup that was sent to the page: unpacked beside what is there, which then changes places with it.

The service may write its state and the configuration itself, and no other file beside that: plug-ins are code, and
secrets are root's. So those of the backup stay out of it here, and the page names them. Who may come in stays as it is,
too: a token that was given up would count again, and this browser would be out.

The places are changed by renaming while no daemon runs (exchange.py), so that the next start completes what a power
cut has interrupted. What was there before is kept in a folder beside it, until some more backups have been
put back (daemon/admin/settings/staged_backup.py).
"""

from __future__ import annotations

import os
import re
import shutil
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import BinaryIO

import msgspec
from msgspec import Struct

from daemon import files
from daemon.admin.backup.archive import Contents, read_files, unpack
from daemon.admin.backup.databases import check_databases
from daemon.admin.backup.exchange import Exchange, Move, Plan, move
from daemon.admin.backup.names import is_state
from daemon.admin.backup.restore import find_place, has_content, read_state_dir
from daemon.admin.settings.settings_history import BOARD_TOKENS, PASSWORDS
from daemon.admin.settings.staged_backup import StagedBackup
from daemon.admin.temporary import make_work_folder
from daemon.errors import UserError, escape_controls
from daemon.journal.errors import StoreError, Unusable
from daemon.journal.stored import StoredJournal, find_journals
from daemon.remedies import suggest_in_daemon
from daemon.service.lock import lock_folder
from protocol.sentence import say

_STAYS = re.compile(rf"web\..*|({PASSWORDS}|{BOARD_TOKENS}).*")
"""Files of the state that count for the page and the configuration that are there."""

_BEFORE = "before.json"
"""What oche 0.2 has noted instead of an exchange: what was in the state before."""
_AFTER = "after.json"
"""Its note of what was there when it began to take that back."""


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
    failure = say("file.cannot_unpack", "the backup cannot be unpacked in {name}", name=str(state))
    with files.explain_errors(failure, suggest_in_daemon), make_work_folder(state) as work:
        draft = StagedBackup(work / staged.folder.name)  # what is cut off is removed with the work folder
        _check_room(contents, state)
        _unpack_state(source, contents, draft)
        files.replace_file(draft.configuration, contents.configuration, mode=0o600)
        _keep_password(contents, draft)
        beside = tuple(_list_beside(contents, config))
        matches = _count_matches(draft.files, is_strict=True)
        check_databases({Path(name): draft.files / name for name in _list_exchanged(draft.files)})
        now = _count_matches(state, is_strict=False)
        files.rename_draft(draft.folder, staged.folder)
    version = escape_controls(contents.manifest.version)
    return Summary(contents.manifest.at, version, matches, now, tuple(map(escape_controls, beside)))


def restore_staged(staged: StagedBackup) -> None:
    """Puts the files of the state in their places, and what is there aside. Raises UserError.

    It may have been done already, or in part. The folder is removed once the daemon has started with the files; without
    it there is nothing to do.
    """
    if not staged.folder.exists():
        return
    if (staged.folder / _AFTER).exists():
        raise UserError("what was restored is being taken back")
    with _change_places(staged) as exchange:
        _finish(staged, exchange)


def _finish(staged: StagedBackup, exchange: Exchange) -> None:
    if exchange.phase in (None, "drafts"):
        exchange.begin(_make_plan(staged))
    exchange.finish(_list_others(staged, exchange))
    (staged.folder / _BEFORE).unlink(missing_ok=True)


def undo_restore(staged: StagedBackup) -> None:
    """Brings back what was there before: moves back what was moved. Raises UserError; it may be done again then."""
    with _change_places(staged) as exchange:
        if (staged.folder / _AFTER).exists():
            _complete_undo(staged)
        elif (staged.folder / _BEFORE).exists():
            _finish(staged, exchange)  # only a plan says what can be moved back
        if exchange.phase is not None:
            exchange.undo(_list_others(staged, exchange))
            exchange.forget()


def _complete_undo(staged: StagedBackup) -> None:
    """Goes on where oche 0.2 was stopped: what it had restored goes away, and what was there before comes back.

    It began with that also where it could not set everything aside: the rest of it stays, or comes back, too.
    """
    state, former, after = staged.folder.parent.resolve(), staged.folder / _BEFORE, staged.folder / _AFTER
    aside, unused = state / staged.aside.name, state / staged.folder.name / "unused"
    unused.mkdir(mode=0o700, exist_ok=True)
    untouched = {name for name in _read_names(former) if not os.path.lexists(aside / name)}
    gone = {name for name in _read_names(after) - untouched if not os.path.lexists(unused / name)}
    move((str(state / name), str(unused / name)) for name in gone)
    move((str(unused / name), str(state / name)) for name in untouched if not os.path.lexists(state / name))
    if aside.exists():
        move((str(path), str(state / path.name)) for path in [*aside.iterdir()])
        aside.rmdir()


def _read_names(note: Path) -> set[str]:
    return msgspec.json.decode(note.read_bytes(), type=set[str])


def complete_staged(former: Iterable[StagedBackup]) -> None:
    """Completes what was begun and nobody asks for any more, as when the settings were changed by hand meanwhile.

    It is never taken back: with all of it in place there may have been matches since. Raises UserError.
    """
    for staged in former:
        if (staged.folder / _AFTER).exists():
            if staged.aside.exists():  # else it was done, and there may have been matches since
                undo_restore(staged)
        elif _is_unfinished(staged):
            restore_staged(staged)


def _is_unfinished(staged: StagedBackup) -> bool:
    phase = _find_exchange(staged).phase
    is_begun = phase == "put" or (staged.folder / _BEFORE).exists()
    return phase == "aside" or (is_begun and bool(_list_exchanged(staged.files)))


def _find_exchange(staged: StagedBackup) -> Exchange:
    return Exchange(staged.folder / "exchange")


@contextmanager
def _change_places(staged: StagedBackup) -> Iterator[Exchange]:
    state = staged.folder.parent
    failure = (
        f"cannot change files of {state}, where {staged.folder.name} and {staged.aside.name} have the previous ones"
    )
    with lock_folder(state), files.explain_errors(failure, suggest_in_daemon):
        yield _find_exchange(staged)


def _make_plan(staged: StagedBackup) -> Plan:
    """What changes places. Raises OSError."""
    state = staged.folder.parent.resolve()
    folder, aside = state / staged.folder.name / staged.files.name, state / staged.aside.name
    former = there = _list_exchanged(state)
    if (before := staged.folder / _BEFORE).exists():
        former = _read_names(before)
    gone = {name for name in former if os.path.lexists(aside / name)}
    coming = _list_exchanged(folder) | (there - (former - gone))
    moves = tuple(
        Move(
            str(state / name),
            str(folder / name) if name in coming else "",
            str(aside / name) if name in gone | (there & former) else "",
        )
        for name in sorted({*coming, *there, *gone})
    )
    return Plan(str(state), str(aside), moves)


def _list_others(staged: StagedBackup, exchange: Exchange) -> list[Move]:
    """Files that a start has made beside those of the backup, such as the log of a journal: they go with them."""
    plan = exchange.read()
    planned = {each.place for each in plan.moves if each.draft}
    names = {name for folder in (Path(plan.state), staged.files) for name in _list_exchanged(folder)}
    others = [Move(str(Path(plan.state, name)), str(staged.files.resolve() / name)) for name in sorted(names)]
    return [each for each in others if each.place not in planned]


def _list_exchanged(folder: Path) -> set[str]:
    if not folder.exists():  # a removal was interrupted: all that was in it has its place
        return set()
    return {path.name for path in folder.iterdir() if _is_exchanged(path.name) and not path.is_dir()}


def _is_exchanged(name: str) -> bool:
    return is_state(name) and _STAYS.fullmatch(name) is None


def _check_room(contents: Contents, state: Path) -> None:
    needed = sum(each.size for each in contents.state.values()) + files.RESERVE_BYTES
    if needed > (free := shutil.disk_usage(state).free):
        said = say(
            "file.no_room_unpacked",
            "the disk has too little room for the contents of this backup: free some space ({free} MB are free, and "
            "it needs {needed} MB)",
            free=str(free // 1_000_000),
            needed=str(-(-needed // 1_000_000)),
        )
        raise UserError(said)


def _unpack_state(source: BinaryIO, contents: Contents, staged: StagedBackup) -> None:
    staged.folder.mkdir(mode=0o700)
    staged.files.mkdir(mode=0o700)
    for top, path, pieces in read_files(source, contents):
        is_kept = top == "state" and (_is_exchanged(path.name) or path.name.startswith((PASSWORDS, BOARD_TOKENS)))
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
            raise UserError(
                f"the matches of the table {journal.table} were written by a newer oche: update oche here"
            ) from None
    except StoreError:
        pass  # it is mended when it is opened
    return 0
