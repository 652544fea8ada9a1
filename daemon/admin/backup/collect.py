"""Which files go into a backup, and complete copies of the journals, taken while the daemon writes them."""

from __future__ import annotations

import asyncio
import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

from daemon import files
from daemon.admin.art.packs import list_own_art
from daemon.admin.art.unpack import zip_art
from daemon.admin.backup.archive import Member, pack
from daemon.admin.backup.names import MemberNames
from daemon.admin.history.match_cache import FILE as CACHE
from daemon.admin.restored import ZIP_NAME
from daemon.admin.sounds.unpack import zip_pack
from daemon.admin.temporary import ART, LEAGUE, make_work_folder
from daemon.config import credentials
from daemon.config.reader import CheckedConfig
from daemon.config.sections import Config, Mqtt
from daemon.config.unconfigured import find_config, find_state_folder
from daemon.errors import PortTaken, UserError
from daemon.mqtt.local_broker import check_local_broker
from daemon.plugins.profiles import is_file_name
from daemon.remedies import suggest_remedy
from daemon.service.lock import FILE as LOCK
from daemon.sound_packs import SOUNDS, list_own_folders
from daemon.web import token
from protocol.sentence import Sentence, get_reason, say

_LEFT_OUT = re.compile(
    rf"{re.escape(CACHE)}.*|{LOCK}|.*\.new|\.restore-.*|.*\.(sqlite3|db)-(wal|shm|journal|copy)"
    r"|(sounds|art)\..*\.(zip|json)|light\..*\.json"  # what waits to be added, and what lights showed before
    rf"|{LEAGUE}"  # without it all is offered once more: who has a newer record than the backup says so
)
_NO_PLUGIN = ("__pycache__", ".git")
_NOT_IN_USE = re.compile(r".*\.new|.*\.before-restore-\w+")
_KINDS = {SOUNDS: (list_own_folders, zip_pack), ART: (list_own_art, zip_art)}
"""How each kind of folder in the state folder is listed and zipped."""
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_REMEDIES = {
    sqlite3.SQLITE_FULL: "; make room there",
    sqlite3.SQLITE_CANTOPEN: "; run this as root (sudo)",
    sqlite3.SQLITE_READONLY: "; run this as root (sudo)",
}


def write_backup(
    file: Path, checked: CheckedConfig | None, out: BinaryIO, beside: Path | None, *, sounds: bool = False
) -> list[Sentence]:
    """Writes the backup of this configuration; returns remarks for the user. Raises UserError and OSError.

    `checked` is None where there is no such file. The journals are copied beside the backup: /tmp may be in memory. Of
    one for standard output (`beside` is None) they are copied where TMPDIR says. `sounds`: with the sound packs.
    """
    with make_work_folder(beside) as folder:
        written = file
        if checked is None:
            written = folder / file.name
            checked = _write_config(written)
        members, remarks = list_members(file, written, checked.config, folder, sounds=sounds)
        pack(members, out)
    return remarks


def keep_backup(file: Path, checked: CheckedConfig | None, place: Path, *, sounds: bool = False) -> list[Sentence]:
    """Writes the same to this place, where it is complete or not there at all."""
    with files.open_replacement(place, mode=0o600) as out:
        return write_backup(file, checked, out, place.parent, sounds=sounds)


def _write_config(file: Path) -> CheckedConfig:
    """Writes the configuration that does what `oche run` does without one, for the backup."""
    found = asyncio.run(find_config(find_state_folder()))
    try:
        check_local_broker(Mqtt().port)
    except PortTaken:
        pass  # perhaps by the daemon's own broker
    except UserError:
        found = found.with_broker(Mqtt(on=False))
    file.write_text(found.lines, encoding="utf-8")
    return found.checked


def list_members(
    file: Path, content: Path, config: Config, folder: Path, *, sounds: bool = False
) -> tuple[list[Member], list[Sentence]]:
    """The members of a backup of this daemon, and remarks on files that are left out or damaged. Raises UserError.

    `file` is the configuration, and `content` the file that has its text. The journals are copied into `folder`,
    and with `sounds` the sound packs are zipped into it.
    """
    file = file.absolute()
    members, remarks = [Member(f"config/{file.name.lstrip('.')}", content, content)], list[Sentence]()
    try:
        members += _list_beside(file.parent, config, remarks)
        state = Path(config.bridge.state_dir).absolute()
        members += _list_state(state, folder, remarks)
        for kind in (SOUNDS, ART) if sounds else (ART,):
            members += _zip_folders(kind, state, folder, remarks)
    except OSError as error:
        what = error.filename or file.parent
        raise UserError(f"cannot read {what}: {files.explain(error)}{suggest_remedy(error)}") from None
    names, kept = MemberNames(), []
    for member in {member.name: member for member in members}.values():
        try:
            names.add(member.name)
            kept.append(member)
        except ValueError as reason:
            name = _make_printable(member.like)
            remarks.append(say("remark.no_file", "{name} is not in it, because {why}", name=name, why=str(reason)))
    return kept, remarks


def _list_beside(folder: Path, config: Config, remarks: list[Sentence]) -> Iterator[Member]:
    """Yields what is in the folder of the configuration; adds remarks on what is elsewhere. Raises OSError."""
    for path in list_named_files(folder, config):
        place = find_relative_path(folder, path)
        if place is None:
            names = {"name": _make_printable(path), "folder": _make_printable(folder)}
            remarks.append(
                say("remark.outside", "{name} is not in the backup, because it is not below {folder}", **names)
            )
        elif path.is_file():
            yield Member(f"config/{place.as_posix()}", _find_content(path), path)
    for name in ("games", "boards"):
        for path in _find_plugin_files(folder / name):
            yield Member(f"config/{path.relative_to(folder)}", path, path)


def _list_state(state: Path, folder: Path, remarks: list[Sentence]) -> Iterator[Member]:
    """Yields the files of the state, journals copied into the folder; adds remarks on damaged ones. Raises OSError."""
    for path in _find_state_files(state):
        copy = _copy_database(path, folder) if path.suffix in (".sqlite3", ".db") else path
        yield Member(f"state/{path.name}", copy or path, path)
        if copy is None:
            name = _make_printable(path)
            remarks.append(say("remark.damaged", "{name} is damaged: the backup has it unchanged", name=name))
            log = path.with_name(f"{path.name}-wal")
            if log.is_file():
                yield Member(f"state/{log.name}", log, log)


def _find_content(path: Path) -> Path:
    """Returns the file itself, or the copy of it that systemd has given to a service which may not read it."""
    copy = credentials.find_secret(path.name, None)
    return path if copy is None or os.access(path, os.R_OK) else copy


def _make_printable(path: Path) -> str:
    return str(path).encode(errors="replace").decode()


def list_named_files(folder: Path, config: Config) -> Iterator[Path]:
    """Yields the files that the configuration names, and those of the service's credentials."""
    mqtt, web = config.mqtt, config.web
    names = [mqtt.password_file, mqtt.ca_file, mqtt.cert_file, mqtt.key_file, web.token_file]
    names += [table.profile for table in config.table if is_file_name(table.profile)]
    names += [table.face for table in config.table]
    names += [table.board_token_file for table in config.table]
    names += [proxy.key_file for proxy in config.proxy]
    names += [webhook.secret_file for webhook in config.outlets.webhook]
    yield from (folder / name for name in dict.fromkeys(filter(None, names)))
    yield from (folder / name for name in (credentials.CREDENTIAL, token.CREDENTIAL))


def find_relative_path(folder: Path, path: Path) -> Path | None:
    """The path relative to the folder, by its name or else by where links lead; None when it is not below it."""
    for plain in (os.path.normpath, os.path.realpath):
        if (found := Path(plain(path))).is_relative_to(plain(folder)):
            return found.relative_to(plain(folder))
    return None


def _find_plugin_files(folder: Path) -> Iterator[Path]:
    if not folder.is_dir():
        return
    for top in sorted(folder.iterdir()):
        if top.is_file() and not _NOT_IN_USE.fullmatch(top.name):
            yield top
        elif top.is_dir() and top.name not in _NO_PLUGIN:
            for where, folders, names in os.walk(top, onerror=_raise):
                folders[:] = sorted(set(folders) - set(_NO_PLUGIN))
                kept = (Path(where, name) for name in sorted(names) if not _NOT_IN_USE.fullmatch(name))
                yield from (path for path in kept if path.is_file())


def _raise(error: OSError) -> None:
    raise error


def _find_state_files(folder: Path) -> list[Path]:
    if not folder.exists():
        return []
    return [path for path in sorted(folder.iterdir()) if path.is_file() and not _LEFT_OUT.fullmatch(path.name)]


def _zip_folders(kind: str, state: Path, folder: Path, remarks: list[Sentence]) -> Iterator[Member]:
    """Yields the owner's sound packs, or all art, each zipped into the folder; adds remarks on what is left out.

    What cannot be read keeps no match out of a backup. Raises OSError where the zips cannot be written.
    """
    list_folders, zip_folder = _KINDS[kind]
    with _explain_left_out(kind, state / kind, remarks):
        for number, each in enumerate(list_folders(state), 1):  # any folder of sounds has a number that fits
            with _explain_left_out(kind, each, remarks):
                zipped = folder / ZIP_NAME.format(kind, number)
                if (file := zip_folder(each, zipped)) is not None:
                    yield Member(f"state/{zipped.name}", zipped, file)


@contextmanager
def _explain_left_out(kind: str, place: Path, remarks: list[Sentence]) -> Iterator[None]:
    """Adds a remark if this folder cannot be in the backup. Raises OSError for a disk that is full or read-only."""
    try:
        yield
    except UserError as error:
        why = get_reason(error)
    except OSError as error:
        if files.is_disk_refusing(error):
            raise
        name = _make_printable(Path(error.filename or place))
        why = say("remark.unreadable", "{name} cannot be read: {why}", name=name, why=files.say_reason(error))
    else:
        return
    name = _make_printable(place)
    if kind == SOUNDS:
        remarks.append(say("remark.no_pack", "the sound pack {name} is not in it, because {why}", name=name, why=why))
    else:
        remarks.append(say("remark.no_art", "the art {name} is not in it, because {why}", name=name, why=why))


def _copy_database(path: Path, folder: Path) -> Path | None:
    """Copies a database as it is at this moment, while it may be written; returns None when it is damaged.

    Raises OSError when it cannot be read, and UserError when it cannot be copied: the file alone would lack the matches
    that are still in its log.
    """
    with path.open("rb"):
        pass  # SQLite does not say why it cannot read a file
    copy = folder / path.name
    try:
        with (
            closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as db,
            closing(sqlite3.connect(copy)) as to,
        ):
            db.backup(to)
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in _DAMAGED:
            return None
        raise UserError(f"cannot copy {path} into {folder.parent}: {error}{_REMEDIES.get(code, '')}") from None
    return copy
