"""The configuration file as the page changes it: read, checked by the reader of the daemon, written, and taken back.

The former file is kept in the state folder, so that each change can be taken back. A file that its owner has changed
meanwhile is not written over. The daemon applies a change by restarting within its process
(daemon/commands/run.py); if it cannot start with it, the former file comes back, also after a power cut.

A file is replaced as a whole where its folder may be written. The folder of the service may not: who could make files
there would choose what systemd gives the service as its secrets. There the file is written in place, and what a power
cut has torn is written again at the next start.
"""

from __future__ import annotations

import asyncio
import io
import os
import secrets
import tomllib
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

from daemon import files
from daemon.admin.requests import Change
from daemon.admin.settings.board_tokens import take_tokens
from daemon.admin.settings.fixed import check_fixed, with_password
from daemon.admin.settings.settings_history import NO_FILE, PASSWORDS, Pending, SettingsHistory, version_of
from daemon.admin.settings.staged_backup import StagedBackup, end_staged, find_staged, forget_set_aside, forget_staged
from daemon.admin.settings.toml_edit import change_text
from daemon.admin.settings.write import SettingsChanged, encode_text, say_unwritten, write_change, write_text
from daemon.admin.turn import finish_in_turn
from daemon.config.reader import CheckedConfig, check_text, read_config
from daemon.config.sections import Bridge, Config
from daemon.config.unconfigured import find_state_folder
from daemon.errors import UserError
from daemon.remedies import is_read_only, suggest_for_read_only, suggest_in_daemon
from daemon.rules import Guard
from protocol.sentence import Sentence, get_reason, say
from protocol.source import Source, SourceError

RestoredPart = Literal["config", "state"]
"""What is put back of a backup: the configuration, or the matches with what is kept beside them."""
Prepare = Callable[[Config], None]
"""Called with what will be configured before anything is written; it may raise UserError."""
_ANSWER_S = 0.3
"""What asked for the change is answered before the daemon stops."""


class _Changed(NamedTuple):
    """The text of a changed file: as it is checked, without the files of typed tokens, and as it is written.

    `secrets` are those tokens by the paths of their files.
    """

    checked: str
    written: str
    secrets: Sequence[tuple[str, str]] = ()


class SettingsFile:
    """The file that a daemon runs with.

    `notice` says what became of the last change; None: there was none.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self.notice: Sentence | None = None
        self._guard: Guard | None = None
        """That of the daemon: what it has withdrawn is not asked when a change is checked."""
        self.run = ""
        """Tells one start of the daemon from the next."""
        self.changed = asyncio.Event()
        """Set when the daemon is to restart."""
        self._running = Config(table=[])
        self._read_version = self._version = NO_FILE
        self._found = ""
        self.writing = asyncio.Lock()
        """Held while the file is written, which is a mixture of both for a moment where that is done in place."""
        self._pending: Pending | None = None
        """The change that the daemon is to start with; None when it has."""
        self._is_starting = False
        """Whether the daemon is to restart, and has not."""
        self.started = asyncio.Event()
        """Set when the daemon runs with what was loaded last, and can be asked for changes."""

    @property
    def running(self) -> Config:
        """The configuration that the daemon runs with."""
        return self._running

    @property
    def runs_with_file(self) -> bool:
        """Whether the daemon runs with the file as it is now."""
        return self._version == self.read()[1]

    @property
    def trouble(self) -> Sentence | None:
        """Why the file cannot be changed here; None when it can."""
        place = self.file.resolve()
        if place.exists() and not place.is_file():
            return say("settings.no_file", "{name} is not a file", name=str(self.file))
        is_there = place.exists()
        may_write = os.access(place.parent, os.W_OK) or (is_there and os.access(place, os.W_OK))
        if not may_write and is_read_only(place):
            return say(
                "settings.read_only",
                "oche cannot write {name}, because it is read-only: {remedy}; or change it by hand",
                name=str(self.file),
                remedy=suggest_for_read_only(place),
            )
        if not may_write or (is_there and not os.access(place, os.R_OK)):
            return say(
                "settings.no_right",
                "oche may not write {name}: give the file to the user that oche runs as, and restart "
                "oche; or change it by hand",
                name=str(self.file),
            )
        return None

    @property
    def lacks_board(self) -> bool:
        """Whether no table has been given a board yet, and the file can be changed here to give it one."""
        if self.trouble:
            return False
        if not os.path.lexists(self.file):
            return True
        try:
            tables = self.read_values().get("table", [])
        except UserError:
            return False
        return isinstance(tables, list) and not any(isinstance(each, dict) and "board" in each for each in tables)

    @property
    def staged(self) -> StagedBackup | None:
        """The backup that the daemon is to start with the state of; None: with that which is there."""
        return StagedBackup(Path(self._pending.staged)) if self._pending is not None and self._pending.staged else None

    @property
    def can_revert(self) -> bool:
        """Whether the file is still as the last change has left it, and the one before is kept."""
        return self._history.find_former(self.read()[1]) is not None

    def complete_pending_change(self) -> None:
        """Goes on with a change that the daemon had not started with when it ended; completes a file that is torn."""
        self._running = Config(table=[], bridge=Bridge(state_dir=str(self._find_state())))
        pending = self._history.read_pending(self.file)
        if pending is None:
            return
        with suppress(OSError):  # the change may have been cut off before its draft took the place of the file
            place = self.file.resolve()
            place.with_name(f"{place.name}{files.DRAFT}").unlink(missing_ok=True)
        with files.explain_errors(say_unwritten(self.file), suggest_in_daemon):
            found = files.read_bytes(self.file) if self.file.exists() else None
            before, after = (None if text is None else text.encode() for text in (pending.before, pending.after))
            if found is not None and found not in (before, after) and pending.is_torn(found):
                write_text(self.file, pending.after, found)
                found = after
                self._running = Config(table=[], bridge=Bridge(state_dir=str(self._find_state())))
            if found == after:
                self._pending = pending
            else:
                self._history.end(pending, is_applied=False)

    def load(self, *, is_needed: bool = False) -> CheckedConfig | None:
        """Returns what is configured; None where there is no file and none `is_needed`. Raises UserError."""
        self._read_version = NO_FILE
        self.started.clear()
        if not is_needed and not os.path.lexists(self.file):
            return None
        with suppress(UserError):  # the reader says better what to do
            self._read_version = self.read()[1]
        return read_config(self.file)

    async def note_start(self, checked: CheckedConfig, found: str) -> None:
        """Notes what the daemon runs with. `found` stands for a file where there is none."""
        async with self.writing:
            self._running, self._guard = checked.config, checked.guard
            self._found, self.run = found, secrets.token_hex(4)
            self._version = self._read_version
            pending, self._pending = self._pending, None
            self._is_starting = False
            self.changed.clear()
            await asyncio.to_thread(self._forget, pending)
            self.started.set()

    def _forget(self, pending: Pending | None) -> None:
        """Removes what is needed no longer, now that the daemon has started with this change."""
        if pending is not None and pending.staged:
            with suppress(OSError):  # first of all: from now on there are new matches, which nothing may take back
                end_staged(StagedBackup(Path(pending.staged)))
        with suppress(OSError, UserError):  # what is left is removed after the next start
            if pending is not None:
                self._history.end(pending, is_applied=True)
            self._history.forget_old(self.read()[0])
        forget_staged(self.state)
        if pending is not None and pending.staged:
            forget_set_aside(StagedBackup(Path(pending.staged)))

    def read(self) -> tuple[str, str]:
        """Returns the text of the file, and its version; what was found where there is no file. Raises UserError."""
        if not os.path.lexists(self.file):
            return self._found, NO_FILE
        text = files.read_source(self.file).text
        return text, version_of(text)

    def read_values(self) -> dict[str, Any]:  # Any: TOML
        """Returns what is written in the file. Raises UserError."""
        try:
            return tomllib.loads(self.read()[0])
        except tomllib.TOMLDecodeError as error:
            raise UserError(
                say("settings.no_toml", "{name} is not TOML: {details}", name=str(self.file), details=str(error))
            ) from None

    async def save(
        self, version: str, changes: Sequence[Change], password: str | None = None, prepare: Prepare | None = None
    ) -> Config:
        """Writes changes of the file of this version, and has the daemon start with them; returns what it will be.

        `password` is the broker's, which is kept in a file of its own; "" takes away the one that is kept. So are the
        tokens of boards that were typed (board_tokens.py). Raises
        SettingsChanged, SourceError for what the reader refuses and what cannot be changed, and UserError where it
        cannot be written or the daemon is just starting.
        """
        return await finish_in_turn(self.writing, partial(self._save, version, changes, password, prepare))

    async def preview(self, version: str, changes: Sequence[Change], password: str | None = None) -> Config:
        """Returns what `save` would make of the file, and writes nothing. Raises as it does."""
        async with self.writing:
            text = await asyncio.to_thread(self._check_version, version)
            changed = await asyncio.to_thread(change_text, text, changes)
            source, _ = await asyncio.to_thread(self._check_changed, text, _Changed(changed, changed), password)
            return await asyncio.to_thread(self._check_text, source.text)

    async def revert(self, version: str) -> Config:
        """Brings back the file before the last change. Raises SettingsChanged, SourceError and UserError."""
        return await finish_in_turn(self.writing, partial(self._revert, version))

    async def check_staged(self, staged: StagedBackup) -> str | Sentence | None:
        """Returns why the configuration of a backup cannot be put back here; None when it can."""
        try:
            await asyncio.to_thread(self._check_text, await asyncio.to_thread(self._read_staged, staged))
        except SourceError as error:
            return error.reason
        except UserError as error:
            return error.said
        return None

    def _read_staged(self, staged: StagedBackup) -> str:
        """Returns what the file would be with the configuration of a backup. Raises SourceError and UserError."""
        text = self.read()[0]
        if self.trouble:
            raise UserError(self.trouble)
        self.read_values()
        return self._check_changed(text, *self._read_restored(staged, text))[0].text

    def _read_restored(self, staged: StagedBackup, text: str) -> tuple[_Changed, str | None]:
        """Returns what becomes of this text of the file with the configuration of a backup, and the password in it."""
        restored, password, tokens = staged.read_configuration(text)
        return self._change(restored, tokens), password

    def _change(self, text: str, changes: Sequence[Change]) -> _Changed:
        """Raises SourceError."""
        typed = take_tokens(changes, self.state)
        bare = change_text(text, typed.bare)
        return _Changed(bare, change_text(text, typed.named) if typed.files else bare, typed.files)

    async def restore(
        self, version: str, name: str, parts: Collection[RestoredPart], prepare: Prepare | None = None
    ) -> Config:
        """Has the daemon start with these parts of the backup that is staged under this name. Raises as `save` does."""
        return await finish_in_turn(self.writing, partial(self._restore, version, name, parts, prepare))

    async def forget_staged(self) -> None:
        """Removes backups that are staged. Raises UserError while oche is restarting, perhaps with one of them."""
        await finish_in_turn(self.writing, self._forget_staged)

    async def _forget_staged(self) -> None:
        self._check_started()
        await asyncio.to_thread(forget_staged, self.state)

    async def start_anew(self) -> None:
        """Has the daemon restart with the file as it is now.

        Raises UserError where it could not read it, and where oche is restarting already.
        """
        await finish_in_turn(self.writing, self._start_anew)

    async def _start_anew(self) -> None:
        self._check_started()
        await asyncio.to_thread(self._check_file)
        self._announce_start()

    def _announce_start(self) -> None:
        """Has the daemon restart; until it has, nothing is changed."""
        self.notice, self._is_starting = None, True
        asyncio.get_running_loop().call_later(_ANSWER_S, self.changed.set)

    def _check_file(self) -> None:
        """Raises UserError where the daemon could not start with the file as it is now."""
        if os.path.lexists(self.file):
            try:
                self._check_text(files.read_source(self.file).text)
            except SourceError as error:
                said = say(
                    "settings.no_start", "oche could not start with the file as it is now: {why}", why=error.said
                )
                raise UserError(said) from None

    def undo_failed_change(self, error: Exception) -> bool:
        """Brings back the former file, if the daemon was to start with a changed one and could not for this reason.

        Returns whether it did.
        """
        pending, self._pending = self._pending, None
        if pending is None or self.read()[1] != pending.version:
            return False
        with files.explain_errors(say_unwritten(self.file), suggest_in_daemon):
            try:
                write_text(self.file, pending.before, encode_text(pending.after))
            except files.FileChanged:
                return False
            self._history.end(pending, is_applied=False)
        self.notice = say(
            "settings.undone",
            "the change was taken back, because oche cannot start with it: {details}",
            details=get_reason(error),
        )
        return True

    @property
    def state(self) -> Path:
        """The state folder."""
        return Path(self._running.bridge.state_dir)

    @property
    def _history(self) -> SettingsHistory:
        return SettingsHistory(self.state)

    def _find_state(self) -> Path:
        """Returns the state folder that the file names, the usual one where that cannot be read."""
        if not os.path.lexists(self.file):
            return find_state_folder()
        named = None
        with suppress(UserError, AttributeError):
            named = self.read_values().get("bridge", {}).get("state_dir")
        return Path(named if isinstance(named, str) else Bridge().state_dir)

    async def _save(
        self, version: str, changes: Sequence[Change], password: str | None, prepare: Prepare | None
    ) -> Config:
        text = await asyncio.to_thread(self._check_version, version)
        changed = await asyncio.to_thread(self._change, text, changes)
        return await self._write_checked(text, changed, password, prepare)

    async def _restore(
        self, version: str, name: str, parts: Collection[RestoredPart], prepare: Prepare | None
    ) -> Config:
        text = await asyncio.to_thread(self._check_version, version)
        if (staged := find_staged(self.state, name)) is None:
            raise UserError(say("settings.no_backup", "this backup is no longer there: choose it again"))
        folder = str(staged.folder.absolute()) if "state" in parts else ""
        if "config" in parts:
            self.read_values()
            restored, password = await asyncio.to_thread(self._read_restored, staged, text)
            return await self._write_checked(text, restored, password, prepare, folder)
        former = await asyncio.to_thread(self._read_as_written, text)
        config = self._running if former is None else await asyncio.to_thread(self._check_text, text)
        return await self._put(Pending(str(self.file.absolute()), former, former, staged=folder), config)

    async def _write_checked(
        self, text: str, changed: _Changed, password: str | None, prepare: Prepare | None, staged: str = ""
    ) -> Config:
        """Checks what is made of this text of the file, and writes it. Raises SourceError and UserError."""
        source, name = await asyncio.to_thread(self._check_changed, text, changed, password)
        former = await asyncio.to_thread(self._read_as_written, text)
        after = source.text.replace("\n", "\r\n") if former is not None and "\r\n" in former else source.text
        kept = [*changed.secrets, *([(name, password)] if name and password else [])]
        return await self._replace(former, after, "", prepare, kept, staged)

    def _check_changed(self, text: str, changed: _Changed, password: str | None) -> tuple[Source, str | None]:
        """Returns what is to be written, and the file that the password gets. Raises SourceError for what is fixed."""
        source = Source(changed.written, str(self.file))
        check_fixed(Source(text, source.file), source._replace(text=changed.checked), password)
        name = str(self.state / f"{PASSWORDS}{secrets.token_hex(4)}") if password else None
        if (password_change := with_password(source, name, password)) is not None:
            source = source._replace(text=change_text(source.text, [password_change]))
        return source, name

    async def _revert(self, version: str) -> Config:
        before, after, used = await asyncio.to_thread(self._read_former, version)
        return await self._replace(before, after, used)

    def _read_former(self, version: str) -> tuple[str | None, str, str]:
        """Returns the file of this version, the one before the last change, and the name by which that is kept."""
        before = self._read_as_written(self._check_version(version))
        kept = self._history.find_former(version)
        if kept is None:
            raise SettingsChanged
        return before, kept.read_bytes().decode(), kept.name

    def _check_version(self, version: str) -> str:
        """Returns the text of the file. Raises SettingsChanged, and UserError while the daemon is starting."""
        text, found = self.read()
        if found != version:
            raise SettingsChanged
        self._check_started()
        if self.trouble:
            raise UserError(self.trouble)
        return text

    def _check_started(self) -> None:
        """Raises UserError while the daemon is to start: a change would not be what it starts with, or not alone."""
        if self._is_starting:
            raise UserError(say("settings.starting", "oche is restarting: try again in a moment"))

    async def _replace(
        self,
        before: str | None,
        after: str,
        used: str,
        prepare: Prepare | None = None,
        kept: Sequence[tuple[str, str]] = (),
        staged: str = "",
    ) -> Config:
        """Checks the text `after` and writes it. Raises SourceError and UserError."""
        config = await asyncio.to_thread(self._check_text, after.replace("\r\n", "\n"))
        if prepare is not None:
            await asyncio.to_thread(prepare, config)
        return await self._put(
            Pending(str(self.file.absolute()), before, after, used=used, staged=staged), config, kept
        )

    def _check_text(self, text: str) -> Config:
        """Returns the configuration in this text. Raises SourceError."""
        return check_text(Source(text, str(self.file)), self._guard).config

    async def _put(self, pending: Pending, config: Config, kept: Sequence[tuple[str, str]] = ()) -> Config:
        self._pending = pending = await asyncio.to_thread(write_change, self._history, self.state, pending, kept)
        self._announce_start()
        return config

    def _read_as_written(self, text: str) -> str | None:
        """Returns this text of the file with the line ends that it has there; None: there is no file.

        Raises SettingsChanged where it is another text by now, and UserError.
        """
        if not os.path.lexists(self.file):
            if text != self._found:
                raise SettingsChanged
            return None
        failure = say("file.cannot_read", "cannot read {name}", name=str(self.file))
        with files.explain_errors(failure, suggest_in_daemon):
            found = files.read_bytes(self.file).decode()
        if io.StringIO(found, newline=None).read() != text:
            raise SettingsChanged
        return found
