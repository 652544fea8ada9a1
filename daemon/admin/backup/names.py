"""The names that files have in a backup: none of them leads out of the two folders, or to a file that is not oche's."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from daemon.admin.settings.settings_history import BOARD_TOKENS, PASSWORDS
from daemon.config import credentials
from daemon.web import token

_MOST_CHARACTERS = 1024
_PLUGINS = ("games", "boards")
_CREDENTIALS = (credentials.CREDENTIAL, token.CREDENTIAL)
_STATE = re.compile(
    r"[^.].*\.sqlite3.*|"
    r"(bridge|players|profile|seats|web|said|watchdog|statistics|discovery|week|league|tournaments)\.[\w.-]+|"
    rf"({PASSWORDS}|{BOARD_TOKENS})[0-9a-f]+|(sounds|art)\.\d{{1,5}}\.zip"
)
"""The files of the state but its lock: journals, also damaged ones, and what is kept beside them, also
passwords and tokens that were typed on the page, and sound packs and art that are to be added."""

_DRAFT = ".restore-"
_OF_SQLITE = ("-shm", "-journal")
"""What no backup has beside a journal: SQLite would make the journal another one than the one that was checked."""


def is_state(name: str) -> bool:
    """Whether oche keeps a file of this name in the folder of its state."""
    return _STATE.fullmatch(name) is not None


def name_draft(name: str) -> str:
    """The name that a file of the state has while a backup is put back; that of a log still fits to its journal's."""
    log = "-wal" if name.endswith("-wal") else ""
    return f"{_DRAFT}{name.removesuffix(log)}.new{log}"


def is_plugin_or_secret(path: PurePosixPath) -> bool:
    """Whether this path beside the configuration is oche's, whatever the configuration names."""
    return (path.parts[0] in _PLUGINS and len(path.parts) > 1) or str(path) in _CREDENTIALS


class NotOurs(ValueError):
    """No file of oche has such a name, so it is left out; older backups may have one."""


class MemberNames:
    """The names in one backup."""

    def __init__(self) -> None:
        self._files: set[str] = set()
        self._folders: set[str] = set()

    def add(self, name: str) -> tuple[str, PurePosixPath]:
        """Adds a name; returns its top folder ("config" or "state") and the path below it.

        Raises ValueError with the end of a sentence when no backup can have it, or not besides the others, and NotOurs
        when it is to be left out.
        """
        path = PurePosixPath(name)
        top, *parts = path.parts or ("",)
        if (
            top not in ("config", "state")
            or not parts
            or "\0" in name
            or ".." in parts
            or (top == "state" and len(parts) > 1)
        ):
            raise ValueError("its name leads out of the folder")
        inner = PurePosixPath(*parts)
        if re.search(r"[\ud800-\udfff]", name):  # how Python decodes a byte that is not UTF-8
            raise ValueError("its name is not UTF-8")
        if len(name) > _MOST_CHARACTERS or any(len(part.encode()) > 255 for part in parts):
            raise ValueError("its name is too long")
        if name.endswith(".new") or (top == "state" and (not is_state(parts[0]) or parts[0].endswith(_OF_SQLITE))):
            raise NotOurs("it is not a file of oche")
        if top == "config" and not is_plugin_or_secret(inner) and any(part.startswith(".") for part in parts):
            raise NotOurs("its name begins with a dot")
        self._add_once(path)
        return top, inner

    def _add_once(self, path: PurePosixPath) -> None:
        """Raises ValueError for the name of another file or folder; some disks do not tell upper from lower case."""
        file, *folders = (str(each).casefold() for each in (path, *path.parents))
        if file in self._files | self._folders or not self._files.isdisjoint(folders):
            raise ValueError("another file has the same name apart from upper and lower case")
        self._files.add(file)
        self._folders.update(folders)
