"""A backup that was sent to the page: unpacked and checked in a folder of the state folder, and not used yet.

What is put back from it is decided on the page; the files change places while the daemon restarts
(daemon/admin/backup/staging.py). So a backup that is none, or a full disk, is found while the matches go on.
"""

from __future__ import annotations

import re
import shutil
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

from daemon import files
from daemon.admin.requests import Change
from daemon.admin.settings.board_tokens import KEY
from daemon.admin.settings.fixed import FIXED_IN_TABLE
from daemon.admin.settings.settings_history import BOARD_TOKENS
from daemon.admin.settings.toml_edit import change_text
from daemon.admin.temporary import name_work_folder, remove_work_folders

_PREFIX = "restore-"
_KEPT_FORMER = 2
"""Beside the latest: the wrong backup may have been put back first."""
_NAME = re.compile(rf"{_PREFIX}\d{{8}}T\d{{6}}Z-\d{{6}}")


class StagedBackup(Struct, frozen=True):
    """The folder of such a backup, and what is where in it."""

    folder: Path

    @classmethod
    def choose_folder(cls, state: Path) -> StagedBackup:
        """Returns one whose folder, in the state folder, is not there yet. Names sort by time, to the microsecond."""
        return cls(state / datetime.now(UTC).strftime(f"{_PREFIX}%Y%m%dT%H%M%SZ-%f"))

    @property
    def files(self) -> Path:
        """The folder of the files that go into the state folder."""
        return self.folder / "state"

    @property
    def configuration(self) -> Path:
        """The configuration that was in the backup."""
        return self.folder / "oche.toml"

    @property
    def password(self) -> Path:
        """The password of the broker, where it was typed on the page and so was in the backup; else missing."""
        return self.folder / "mqtt-password"

    @property
    def aside(self) -> Path:
        """The folder that what is in the state folder now is kept in."""
        return self.folder.with_name(f"before-{self.folder.name}")

    def read_configuration(self, present: str) -> tuple[str, str | None, list[Change]]:
        """Returns the configuration that was in the backup, and the password that it names if that was typed.

        Such a password gets a file of its own again: until then the one of the `present` configuration is named. So do
        tokens of boards, which are returned as the changes by which they are typed. Raises UserError and SourceError.
        """
        restored, password = files.read_source(self.configuration).text, None
        if self.password.exists():
            password = files.read_source(self.password).text.strip()
            mqtt = tomllib.loads(present).get("mqtt")
            kept = mqtt.get("password_file") if isinstance(mqtt, dict) else None
            restored = change_text(restored, [Change(("mqtt", "password_file"), kept)])
        return restored, password, [*self._find_tokens(restored)]

    def _find_tokens(self, restored: str) -> Iterator[Change]:
        """Yields the tokens of boards that were typed on the page and so were in the backup, for their tables."""
        tables = tomllib.loads(restored).get("table")
        for index, table in enumerate(tables if isinstance(tables, list) else ()):
            file = table.get(FIXED_IN_TABLE) if isinstance(table, dict) else None
            name = Path(file).name if isinstance(file, str) else ""
            if name.startswith(BOARD_TOKENS) and (self.folder / name).exists():
                yield Change(("table", index, KEY), files.read_source(self.folder / name).text)


def forget_set_aside(latest: StagedBackup) -> None:
    """Removes what was set aside for former backups but the latest ones; what cannot be removed stays.

    The clock may have been wrong, so the name does not say that this one is the newest.
    """
    state = latest.folder.parent
    former = [each for each in sorted(state.glob(f"before-{_PREFIX}*")) if _is_set_aside(each) and each != latest.aside]
    for folder in former[:-_KEPT_FORMER]:
        shutil.rmtree(folder, ignore_errors=True)


def _is_set_aside(folder: Path) -> bool:
    """Whether a staged backup has set this aside; what `oche restore` has set aside has a shorter name."""
    return _NAME.fullmatch(folder.name.removeprefix("before-")) is not None


def find_staged(state: Path, name: str) -> StagedBackup | None:
    """Returns the one of this name in the state folder; None: there is none."""
    found = StagedBackup(state / name)
    return found if _NAME.fullmatch(name) and found.folder.is_dir() else None


def list_staged(state: Path) -> list[StagedBackup]:
    """Returns all that are in the state folder."""
    return [StagedBackup(folder) for folder in sorted(state.glob(f"{_PREFIX}*")) if _NAME.fullmatch(folder.name)]


def end_staged(staged: StagedBackup) -> None:
    """Gives its folder a name that nobody asks for: what was put back from it is not put back or taken back again.

    To remove it is then no step that could be cut off: half a folder might look like one that is not done with. Raises
    OSError where it has its name still.
    """
    files.rename_draft(staged.folder, name_work_folder(staged.folder))


def forget_staged(state: Path) -> None:
    """Removes all of them, and what former removals have left; what cannot be removed stays."""
    for staged in list_staged(state):
        with suppress(OSError):
            end_staged(staged)
    remove_work_folders(state)
