"""Puts the files of a backup back. What was there before is set aside, never overwritten.

The configuration that is there and the command line say where they go, never by the backup alone.

All files are written under other names before the first of them takes its place, so that a full disk changes nothing.
What is done is noted beside the configuration (exchange.py): when it is cut off, the next start of the daemon
completes it.
"""

from __future__ import annotations

import errno
import grp
import hashlib
import os
import pwd
import tomllib
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from itertools import count
from pathlib import Path, PurePosixPath
from typing import BinaryIO

import msgspec

from daemon import files
from daemon.admin.backup.archive import ArchivedFile, Contents, read_files
from daemon.admin.backup.collect import find_relative_path, list_named_files
from daemon.admin.backup.databases import check_databases
from daemon.admin.backup.exchange import Exchange, Move, Plan, find_exchange
from daemon.admin.backup.names import is_plugin_or_secret, is_state, name_draft
from daemon.admin.restored import note_folders
from daemon.config.sections import Bridge, Config
from daemon.config.unconfigured import find_state_folder
from daemon.errors import UserError
from daemon.remedies import suggest_remedy
from daemon.service.lock import lock_folder

_Moves = dict[tuple[str, PurePosixPath], Move]
"""What becomes of each file, by its top folder in the backup and its path below that."""


def find_folder(contents: Contents, config: Path, named: Path | None) -> Path:
    """Returns the folder that the state goes into: the one that is `named`, or else that of the configuration.

    Where there is no configuration that can be read, it is the one in the backup if oche uses it without a
    configuration too. Raises UserError when it would be the backup's word alone.
    """
    wanted = read_state_dir(contents.configuration)
    if named is not None:
        return named.absolute()
    present = _read_present(config)
    known = [Path(Bridge().state_dir), find_state_folder()] if present is None else [Path(present.bridge.state_dir)]
    if wanted.absolute() in [folder.absolute() for folder in known]:
        return wanted.absolute()
    theirs = f"the configuration in this backup keeps its matches in {wanted}"
    ours = f"and {config} in {known[0]}" if present is not None else "which is not the usual folder"
    raise UserError(f"{theirs}, {ours}: say where they go, as in --state-dir {wanted}", 2)


def restore(contents: Contents, source: BinaryIO, config: Path, folder: Path) -> list[str]:
    """Puts back the configuration as `config`, with the files beside it, and the state into the folder.

    `contents` are those of the `source`. Returns remarks for the user. Raises UserError when a file that is not oche's
    is in the way, the daemon runs, or a file cannot be written; nothing is changed then.
    """
    _check_strangers(contents, config)
    with lock_folder(folder, _find_state_owner(contents)), _begin(contents, config, folder) as (exchange, moves):
        for top, name, pieces in read_files(source, contents):
            if (move := moves.get((top, name))) is not None:
                _write_draft(move, (contents.state if top == "state" else contents.config)[name], pieces)
        check_databases({Path(move.place): Path(move.draft) for (top, _), move in moves.items() if top == "state"})
        exchange.finish()
        exchange.forget()
        with suppress(OSError):  # the next start does it
            note_folders(folder)
    wanted = read_state_dir(contents.configuration)
    remarks = [f"{name!r} in the backup is left out, because {reason}" for name, reason in contents.left_out.items()]
    if wanted.absolute() != folder:
        remarks.append(f'{config} names another folder, {wanted}: write state_dir = "{folder}" there')
    return remarks


def finish_interrupted_restore(config: Path) -> str:
    """Completes a restore that was interrupted, or undoes it; returns what was done, "" for nothing.

    Raises UserError when neither can be done.
    """
    exchange = find_exchange(config)
    if (phase := exchange.phase) is None:
        return ""
    may_write = os.access(config.absolute().parent, os.W_OK)
    again = f"run  {'' if may_write else 'sudo '}oche restore  with that backup again"
    with (
        files.explain_errors("a restore was interrupted, and some files are not in their places", f"; {again}"),
        lock_folder(Path(exchange.read().state)),
    ):
        if phase == "drafts":
            with suppress(PermissionError):  # what is left is in nobody's way
                exchange.discard()
            return f"a restore was interrupted before it changed anything: {again}"
        if not may_write:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        try:
            exchange.finish()
            exchange.forget()
        except OSError as error:
            exchange.discard()
            return f"an interrupted restore could not be completed and was undone ({files.explain(error)}): {again}"
    return "an interrupted restore was completed"


def undo_unfinished(config: Path) -> str:
    """Undoes a restore that was interrupted; returns what was done, "" for nothing. Raises UserError.

    So what the next one sets aside is what was there before both.
    """
    exchange = find_exchange(config)
    if exchange.phase is None:
        exchange.forget()
        return ""
    with (
        files.explain_errors("cannot undo the restore that was interrupted", None),
        lock_folder(Path(exchange.read().state)),
    ):
        exchange.discard()
    return "an earlier restore was interrupted, and was undone first"


@contextmanager
def _begin(contents: Contents, config: Path, folder: Path) -> Iterator[tuple[Exchange, _Moves]]:
    """Yields the exchange, and the moves whose drafts are to be written; it is taken back when the block fails.

    Raises UserError for an OSError.
    """
    exchange, made = find_exchange(config), list[Path]()
    left = "; nothing was changed"
    try:
        try:
            made = files.make_folder(config.absolute().parent)
            plan, moves = _make_plan(contents, config, folder, made)
            exchange.begin(plan)
            yield exchange, moves
        except BaseException:
            left = "; run the same command again: some files are not in place yet"
            exchange.discard()
            for path in reversed(made):
                with suppress(OSError):
                    path.rmdir()
            left = "; nothing was changed"
            raise
    except OSError as error:
        what = error.filename or folder
        sentence = f"cannot write {what}: {files.explain(error)}{suggest_remedy(error)}{left}"
        raise UserError(sentence) from None


def _make_plan(contents: Contents, config: Path, folder: Path, made: list[Path]) -> tuple[Plan, _Moves]:
    """What changes places. Raises OSError."""
    state = folder.resolve()
    there = {path.name for path in state.iterdir() if is_state(path.name) and not path.is_dir()}
    names = sorted({*map(PurePosixPath, there), *contents.state})
    beside = {name: find_place(name, contents, config).absolute() for name in sorted(contents.config)}
    changed = {name: path for name, path in beside.items() if not has_content(path, contents.config[name])}
    places = {name: path.parent.resolve() / path.name for name, path in changed.items()}
    stamp = _choose_stamp([state, *(place.parent for place in places.values())])
    moves = {
        ("config", name): _make_move(place, f"{place.name}.new", place.with_name(f"{place.name}.{stamp}"))
        for name, place in places.items()
    } | {
        ("state", name): _make_move(
            state / name, name_draft(name.name) if name in contents.state else "", state / stamp / name
        )
        for name in names
    }
    missing = {folder for place in places.values() for folder in place.parents if not folder.exists()}
    folders = sorted({*missing, *made}, key=lambda path: len(path.parts))
    return Plan(str(state), str(state / stamp), tuple(moves.values()), tuple(map(str, folders))), moves


def _choose_stamp(folders: Collection[Path]) -> str:
    """A name that nothing in these folders ends with: what was set aside in the same second is not written over."""
    at = datetime.now(UTC).strftime("before-restore-%Y%m%dT%H%M%SZ")
    stamps = (f"{at}_{number}" if number else at for number in count())
    taken = {path.name for folder in {*folders} if folder.is_dir() for path in folder.iterdir()}
    return next(stamp for stamp in stamps if not any(name.endswith(stamp) for name in taken))


def _make_move(place: Path, draft: str, aside: Path) -> Move:
    there = str(aside) if os.path.lexists(place) else ""
    return Move(str(place), str(place.with_name(draft)) if draft else "", there)


def find_place(name: PurePosixPath, contents: Contents, config: Path) -> Path:
    """The path of a file beside the configuration, which may have another name now."""
    return config if str(name) == contents.manifest.config else config.parent / name


def _check_strangers(contents: Contents, config: Path) -> None:
    """Raises UserError for a file in the way that is neither oche's nor named by the configuration that is there."""
    if config.name != contents.manifest.config and PurePosixPath(config.name) in contents.config:
        raise UserError(
            f"the backup has another {config.name} in it: restore it as --config {contents.manifest.config}", 2
        )
    present, beside = _read_present(config), config.absolute().parent
    named = [] if present is None else [find_relative_path(beside, path) for path in list_named_files(beside, present)]
    for name, kept in contents.config.items():
        path = find_place(name, contents, config)
        is_ours = path == config or is_plugin_or_secret(name) or Path(name) in named
        if not is_ours and os.path.lexists(path) and not has_content(path, kept):
            raise UserError(f"{path} is in the way and does not belong to oche: move it elsewhere first")


def has_content(path: Path, kept: ArchivedFile) -> bool:
    """Whether a file has this content. Raises OSError."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest() == kept.digest


def _read_present(config: Path) -> Config | None:
    """The configuration that is there; None when there is none, or it cannot be read."""
    try:
        return files.read_source(config).read(Config)
    except (UserError, ValueError):
        return None


def _write_draft(move: Move, kept: ArchivedFile, pieces: Iterator[bytes]) -> None:
    """Writes what comes, with the owner and mode that the file had. Raises OSError."""
    draft = Path(move.draft)
    try:
        files.make_folder(draft.parent)
        with files.draft_file(draft, mode=0o600, owner=_find_owner(kept) or files.read_owner(draft.parent)) as file:
            os.fchmod(file.fileno(), kept.mode)
            file.writelines(pieces)
    except OSError as error:
        error.filename = move.place
        raise


def read_state_dir(configuration: bytes) -> Path:
    """The state folder of that configuration. Its other sections may need a board or a library that is not here yet."""
    try:
        bridge = tomllib.loads(configuration.decode()).get("bridge", {})
        return Path(msgspec.convert(bridge, Bridge).state_dir)
    except (ValueError, AttributeError, RecursionError) as error:
        raise UserError(f"the configuration in this backup cannot be read: {error}", 2) from None


def _find_state_owner(contents: Contents) -> files.Owner | None:
    """The owner of a journal, or else of another file of the state; None when this machine does not know them."""
    kept = sorted(contents.state.items(), key=lambda item: item[0].suffix != ".sqlite3")
    return _find_owner(kept[0][1]) if kept else None


def _find_owner(kept: ArchivedFile) -> files.Owner | None:
    """The file's owner; None when this machine has no such user or group."""
    try:
        return pwd.getpwnam(kept.user).pw_uid, grp.getgrnam(kept.group).gr_gid
    except KeyError:
        return None
