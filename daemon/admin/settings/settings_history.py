"""What is kept of the changes that the page makes to the configuration: in the folder `settings` of the state folder.

There are the files from before, so that each change can be taken back. While the daemon has not started with a change,
there is the change itself, too. So after a power cut it is known what was to be written, and what comes back if oche
cannot start with it.
"""

from __future__ import annotations

import hashlib
import os
import re
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from daemon import files
from daemon.config.unconfigured import find_state_folder

_KEPT = 20
"""Changes that can be taken back."""
_NAME = re.compile(r"(?P<number>\d{6})-(?P<after>[0-9a-f]{20})\.toml")
_PENDING = "pending.json"
NO_FILE = "none"
"""The version of a file that is not there."""
PASSWORDS = "mqtt-password-"
"""How the files of passwords that were typed on the page begin."""
BOARD_TOKENS = "board-token-"
"""And those of tokens of boards."""


class Pending(Struct, frozen=True):
    """A change that the daemon has not started with. Of a text, the line ends are those of the file."""

    file: str
    before: str | None
    """None: there was no file."""
    after: str | None
    """None: there is none still, and only the state is restored."""
    made: str = ""
    """The kept file that this change has made of `before`; "" where a change is taken back."""
    used: str = ""
    """The kept file that is brought back; "" where nothing is."""
    staged: str = ""
    """The folder with the state that is put in place of the present one; "" where it stays."""

    @property
    def version(self) -> str:
        """The version of the changed file."""
        return NO_FILE if self.after is None else version_of(self.after)

    def is_torn(self, found: bytes) -> bool:
        """Returns whether a file is a mixture of both texts, as when the power failed while it was written."""
        parts = [(text or "").encode() for text in (self.before, self.after)]
        return all(
            byte == 0 or any(part[at : at + 1] == bytes([byte]) for part in parts) for at, byte in enumerate(found)
        )


def version_of(text: str) -> str:
    """Returns the version of a file with this text, whichever its line ends are."""
    return hashlib.sha256(text.replace("\r\n", "\n").encode()).hexdigest()[:20]


def _locate_copy(file: str) -> list[Path]:
    """Returns where the note of a change of this file is a second time; nowhere, where this user has no home.

    It is found also where the file is torn, and so does not tell where the state folder is.
    """
    try:
        return [find_state_folder() / "settings" / f"pending-{version_of(file)}.json"]
    except RuntimeError:
        return []


class SettingsHistory:
    """The kept files of a daemon with this state folder. Its methods raise OSError."""

    def __init__(self, state: Path) -> None:
        self._state = state
        self._folder = state / "settings"
        self._given = os.environ.get("STATE_DIRECTORY", "").partition(":")[0]
        # What is pending has to be found when the configuration cannot be read, which says where `state` is.
        self._pending = (Path(self._given) / "settings" if self._given else self._folder) / _PENDING

    def find_former(self, version: str) -> Path | None:
        """Returns the file that was there before the one of this version; None: it is not kept."""
        return max((each for each in self.list_kept() if each.name.endswith(f"-{version}.toml")), default=None)

    def choose_name(self, after: str) -> str:
        """Returns the name of the next file to be kept, which a file of the version `after` replaces."""
        kept = self.list_kept()
        number = int(kept[-1].name.partition("-")[0]) + 1 if kept else 1
        return f"{number:06}-{after}.toml"

    def keep(self, name: str, text: str) -> None:
        """Keeps this text, of a file that is about to be replaced."""
        self._folder.mkdir(mode=0o700, exist_ok=True)
        files.replace_file(self._folder / name, text.encode(), mode=0o600)

    def begin(self, pending: Pending) -> None:
        """Notes a change before anything of it is written, so that what a kill leaves of it is known."""
        content = msgspec.json.encode(pending)
        self._pending.parent.mkdir(mode=0o700, exist_ok=True)
        files.replace_file(self._pending, content, mode=0o600)
        if not self._given and not os.access(Path(pending.file).resolve().parent, os.W_OK):  # it can be torn
            for copy in _locate_copy(pending.file):
                with suppress(OSError):
                    copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                    files.replace_file(copy, content, mode=0o600)

    def read_pending(self, file: Path) -> Pending | None:
        """Returns the change of this file that the daemon has not started with; None: there is none."""
        for place in (self._pending, *_locate_copy(str(file.absolute()))):
            with suppress(OSError, msgspec.DecodeError, msgspec.ValidationError):
                pending = msgspec.json.decode(place.read_bytes(), type=Pending)
                if pending.file == str(file.absolute()):
                    return pending
        return None

    def end(self, pending: Pending, *, is_applied: bool) -> None:
        """Notes that the daemon runs with the change, or that the file is again as it was before."""
        if name := pending.used if is_applied else pending.made:
            files.remove_file(self._folder / name)
        for copy in _locate_copy(pending.file):
            with suppress(OSError):
                files.remove_file(copy)
        files.remove_file(self._pending)

    def forget_old(self, written: str) -> None:
        """Removes the kept files but the newest, and typed secrets that neither those nor the text `written` name."""
        kept = self.list_kept()
        for old in kept[:-_KEPT]:
            old.unlink(missing_ok=True)
        secrets = [each for start in (PASSWORDS, BOARD_TOKENS) for each in self._state.glob(f"{start}*")]
        texts = [written, *(each.read_text("utf-8") for each in kept[-_KEPT:])] if secrets else []
        for secret in secrets:
            if not any(secret.name in text for text in texts):
                secret.unlink(missing_ok=True)

    def list_kept(self) -> list[Path]:
        """Returns the files from before, the oldest first."""
        return sorted(each for each in self._folder.glob("*.toml") if _NAME.fullmatch(each.name))
