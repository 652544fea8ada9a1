"""Everything that makes this oche: what belongs into a backup, and what of it cannot be in there.

Beside the configuration these are the files that it names, the secrets that the service is given, and all that is in
the folders of games and boards; of the state the journals, each as it is at one moment, and the small files beside
them. What can be made anew (the cache of the statistics, the lock) is left out.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from daemon import access
from daemon.archive import Member, unreadable
from daemon.errors import UserError
from daemon.lock import FILE as LOCK
from daemon.mqtt import credentials
from daemon.sections import Config
from daemon.stats.tally_cache import FILE as CACHE

_LEFT_OUT = re.compile(rf"{re.escape(CACHE)}.*|{LOCK}|.*\.new|.*\.sqlite3-(wal|shm|journal)")
_MADE_ANEW = ("__pycache__", ".git")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
"""How Python spells a byte of a name that is no UTF-8."""
_SET_ASIDE = re.compile(r".*\.new|.*\.before-restore-\w+")
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_REMEDIES = {
    sqlite3.SQLITE_FULL: "; make room there",
    sqlite3.SQLITE_CANTOPEN: "; run this as root (sudo)",
    sqlite3.SQLITE_READONLY: "; run this as root (sudo)",
}


def belongings(file: Path, config: Config, folder: Path) -> tuple[list[Member], list[str]]:
    """What belongs into the backup of the daemon that this file configures, and a sentence for all that is odd.

    The journals are copied into `folder` for it. Raises UserError.
    """
    file = file.absolute()
    members, remarks = [Member(f"config/{file.name}", file, file)], []
    try:
        for path in _named(file.parent, config):
            place = _below(file.parent, path)
            if place is None:
                remarks.append(f"{path} is not in it, because it is not below {file.parent}")
            elif path.is_file():
                members.append(Member(f"config/{place.as_posix()}", path, path))
        for name in ("games", "boards"):
            members += [
                Member(f"config/{path.relative_to(file.parent)}", path, path) for path in _all(file.parent / name)
            ]
        for path in _kept(Path(config.bridge.state_dir).absolute()):
            copy = _copied(path, folder) if path.suffix == ".sqlite3" else path
            members.append(Member(f"state/{path.name}", copy or path, path))
            if copy is None:
                remarks.append(f"{path} is damaged: it is in the backup as it lies there")
                log = path.with_name(f"{path.name}-wal")
                members += [Member(f"state/{log.name}", log, log)] if log.is_file() else []
    except OSError as error:
        raise unreadable(Path(error.filename or file.parent), error) from None
    for odd in [member for member in members if _SURROGATE.search(member.name)]:
        members.remove(odd)
        remarks.append(f"{str(odd.like).encode(errors='replace').decode()} is not in it, because its name is not UTF-8")
    return list({member.name: member for member in members}.values()), remarks


def _named(folder: Path, config: Config) -> Iterator[Path]:
    """The files of the configuration that have a name in it, or have one by which the service finds them."""
    mqtt, web = config.mqtt, config.web
    names = [mqtt.password_file, mqtt.ca_file, mqtt.cert_file, mqtt.key_file, web.token_file]
    names += [name for table in config.table for name in (table.profile, table.face) if name and _is_file(name)]
    yield from (folder / name for name in dict.fromkeys(filter(None, names)))
    yield from (folder / name for name in (credentials.CREDENTIAL, access.CREDENTIAL))


def _is_file(name: str) -> bool:
    return name.endswith((".toml", ".json")) or "/" in name


def _below(folder: Path, path: Path) -> Path | None:
    """The path as seen from the folder, by its name or else by where that leads; None: it is elsewhere."""
    for plain in (os.path.normpath, os.path.realpath):
        if (found := Path(plain(path))).is_relative_to(plain(folder)):
            return found.relative_to(plain(folder))
    return None


def _all(folder: Path) -> Iterator[Path]:
    """All files of the plug-ins in this folder, with what lies in their packages. Raises OSError."""
    if not folder.is_dir():
        return
    for top in sorted(folder.iterdir()):
        if top.is_file() and not _SET_ASIDE.fullmatch(top.name):
            yield top
        elif top.is_dir() and top.name not in _MADE_ANEW:
            for where, folders, names in os.walk(top, onerror=_raise):
                folders[:] = sorted(set(folders) - set(_MADE_ANEW))
                kept = (Path(where, name) for name in sorted(names) if not _SET_ASIDE.fullmatch(name))
                yield from (path for path in kept if path.is_file())


def _raise(error: OSError) -> None:
    raise error


def _kept(folder: Path) -> list[Path]:
    """What of the state is worth keeping. Raises OSError."""
    if not folder.exists():
        return []
    return [path for path in sorted(folder.iterdir()) if path.is_file() and not _LEFT_OUT.fullmatch(path.name)]


def _copied(path: Path, folder: Path) -> Path | None:
    """A copy of a journal as it is at this moment, whoever writes it; None: it is damaged.

    Raises OSError when it cannot be read, and UserError when it cannot be copied: as it lies there it would be without
    the matches that are still in its log.
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
