"""The configuration file as the page changes it: read, checked by the reader of the daemon, written, and taken back.

The former file is kept in the state folder, so that each change can be taken back. A file that its owner has changed
meanwhile is not written over. The daemon applies a change by starting anew within its process
(daemon/commands/run.py); if it cannot start with it, the former file comes back.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from daemon import files
from daemon.config.reader import check_text
from daemon.config.sections import Config
from daemon.config.toml_edit import Change, change_text
from daemon.errors import UserError
from engine.games import set_routines
from protocol.sentence import Sentence, say
from protocol.source import Source, SourceError

NO_FILE = "none"
"""The version of a file that is not there."""
_FORMER = "settings"
_PASSWORD = "mqtt-password"
_KEPT = 20
"""Changes that can be taken back."""
_ANSWER_S = 0.3
"""What asked for the change is answered before the daemon stops."""


class SettingsChanged(Exception):
    """The file is another one than that which was read."""


class SettingsFile:
    """The file that a daemon runs with. `notice` says what became of the last change; None: there was none."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.notice: Sentence | None = None
        self.changed = asyncio.Event()
        """Set when the daemon is to start anew."""
        self._running = Config(table=[])
        self._version = NO_FILE
        self._found = ""
        self._writing = asyncio.Lock()
        self._undo: str | None = None
        self._pending = ""
        """The version that the daemon is to start with; "" when it has."""

    @property
    def running(self) -> Config:
        """The configuration that the daemon runs with."""
        return self._running

    @property
    def runs_with_file(self) -> bool:
        """Whether the daemon runs with the file as it is now."""
        return self._version == self.read()[1]

    @property
    def trouble(self) -> str:
        """Why the file cannot be changed here, in a sentence; "" when it can."""
        place = self.file.resolve()
        if place.exists() and not place.is_file():
            return f"{self.file} is no file"
        if not os.access(place.parent, os.W_OK) or (place.exists() and not os.access(place, os.R_OK)):
            return (
                f"oche may not write {self.file}: give its folder to the user that oche runs as, or change it by hand"
            )
        return ""

    @property
    def can_revert(self) -> bool:
        """Whether the file is still as the last change has left it, and the one before is kept."""
        return self._find_former(self.read()[1]) is not None

    def has_started(self, config: Config, found: str) -> None:
        """Notes what the daemon runs with, and the file's text. `found` stands for a file where there is none."""
        self._running, self._found = config, found
        self._version = self.read()[1]
        self._pending = ""
        self.changed.clear()

    def read(self) -> tuple[str, str]:
        """Returns the text of the file, and its version; what was found where there is no file. Raises UserError."""
        if not os.path.lexists(self.file):
            return self._found, NO_FILE
        text = files.read_source(self.file).text
        return text, hashlib.sha256(text.encode()).hexdigest()[:20]

    def read_values(self) -> dict[str, Any]:  # Any: TOML
        """Returns what is written in the file. Raises UserError."""
        try:
            return tomllib.loads(self.read()[0])
        except tomllib.TOMLDecodeError as error:
            raise UserError(f"{self.file} is not TOML: {error}") from None

    async def save(self, version: str, changes: Sequence[Change], password: str | None = None) -> Config:
        """Writes changes of the file of this version, and has the daemon start with them; returns what it will be.

        `password` is the broker's, which is kept in a file of its own. Raises SettingsChanged, SourceError for what the
        reader refuses, ValueError for what cannot be changed, and UserError where it cannot be written.
        """
        if any(change.path[:2] in (("bridge",), ("bridge", "state_dir")) for change in changes):
            raise ValueError(
                "bridge.state_dir is changed in the file itself: what was played stays in the former folder"
            )
        if password is not None:
            changes = [*changes, Change(("mqtt", "password_file"), str(self._state / _PASSWORD))]
        async with self._writing:
            text, found = self.read()
            if found != version:
                raise SettingsChanged
            return await self._replace(change_text(text, changes), found, password=password)

    async def revert(self, version: str) -> Config:
        """Puts back the file before the last change. Raises SettingsChanged, SourceError and UserError."""
        async with self._writing:
            _, found = self.read()
            former = self._find_former(found)
            if found != version or former is None:
                raise SettingsChanged
            config = await self._replace(former.read_text("utf-8"), found, is_kept=False)
            former.unlink(missing_ok=True)
            return config

    def start_anew(self) -> None:
        """Has the daemon start anew with the file as it is now. Raises UserError where it could not read it."""
        if os.path.lexists(self.file):
            try:
                check_text(files.read_source(self.file))
            except SourceError as error:
                raise UserError(f"oche could not start with the file as it is now: {error}") from None
            finally:  # the reader has set those of the text
                set_routines([routine.routine() for routine in self._running.routine])
        asyncio.get_running_loop().call_later(_ANSWER_S, self.changed.set)

    def put_back(self, error: Exception) -> bool:
        """Puts back the former file, if the daemon was to start with a changed one and could not for this reason.

        Returns whether it did.
        """
        pending, self._pending = self._pending, ""
        if not pending or self.read()[1] != pending:
            return False
        former = self._find_former(pending)
        if self._undo is None:
            self.file.unlink(missing_ok=True)
        else:
            self._write(self._undo)
        if former is not None:
            former.unlink(missing_ok=True)
        self.notice = say(
            "settings.put_back", "taken back, for oche cannot start with it: {details}", details=str(error)
        )
        return True

    @property
    def _state(self) -> Path:
        return Path(self._running.bridge.state_dir)

    async def _replace(self, text: str, version: str, *, is_kept: bool = True, password: str | None = None) -> Config:
        """Checks this text and writes it. Raises SourceError and UserError."""
        if self.trouble:
            raise UserError(self.trouble)
        try:
            config = check_text(Source(text, str(self.file))).config
        finally:  # the reader has set those of the text
            set_routines([routine.routine() for routine in self._running.routine])
        former = self.read()[0] if version != NO_FILE else None
        if password is not None:
            await asyncio.to_thread(self._write_password, password)
        await asyncio.to_thread(self._keep_and_write, former if is_kept else None, text)
        self._undo, self._pending = former, self.read()[1]
        asyncio.get_running_loop().call_later(_ANSWER_S, self.changed.set)
        return config

    def _keep_and_write(self, former: str | None, text: str) -> None:
        with files.explain_errors(f"cannot write {self.file}", None):
            if former is not None:
                folder = self._state / _FORMER
                folder.mkdir(mode=0o700, exist_ok=True)
                kept = sorted(folder.glob("*.toml"))
                number = int(kept[-1].name.partition("-")[0]) + 1 if kept else 1
                after = hashlib.sha256(text.encode()).hexdigest()[:20]
                files.write(folder / f"{number:06}-{after}.toml", former.encode(), mode=0o600)
                for old in kept[: 1 - _KEPT]:
                    old.unlink(missing_ok=True)
            self._write(text)

    def _write(self, text: str) -> None:
        """Replaces the file atomically, with the same owner and rights. Raises OSError."""
        place = self.file.resolve()
        found = place.stat() if place.exists() else place.parent.stat()
        mode = found.st_mode & 0o777 if place.exists() else 0o644
        with files.open_replacement(place, mode=mode, owner=(found.st_uid, found.st_gid)) as file:
            os.fchmod(file.fileno(), mode)
            file.write(text.encode())

    def _write_password(self, password: str) -> None:
        path = self._state / _PASSWORD
        with files.explain_errors(f"cannot write {path}", None):
            files.write(path, f"{password}\n".encode(), mode=0o600)

    def _find_former(self, version: str) -> Path | None:
        """Returns the file that was there before the one of this version."""
        return max((self._state / _FORMER).glob(f"*-{version}.toml"), default=None)
