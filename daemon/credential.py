"""Secrets that the owner gives us: in a systemd credential, else in a file; never in the configuration itself.

They are read each time they are needed, so that a new one counts at once.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from daemon import files
from daemon.errors import UserError


def place(name: str, file: str | None) -> Path | None:
    """Where the secret is, the safest place first: the credential of this name, else this file; None: in neither."""
    folder = os.environ.get("CREDENTIALS_DIRECTORY")
    if folder and os.path.lexists(credential := Path(folder) / name) and not _is_left_out(credential):
        return credential
    return Path(file) if file else None


def read(path: Path, what: str) -> str:
    """The secret in this file; `what` it is, for whoever cannot have it. Raises UserError."""
    try:
        found = path.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise UserError(f"cannot read {what} from {path}: {files.reason(error)}") from None
    except UnicodeDecodeError:
        raise UserError(f"cannot read {what} from {path}: it is not UTF-8 text") from None
    if not found:
        raise UserError(f"cannot read {what} from {path}: the file is empty")
    return found


def _is_left_out(credential: Path) -> bool:
    """What systemd puts in the place of a file that is not there: see SetCredential in systemd/oche.service."""
    with suppress(OSError):
        return credential.read_bytes() == b"\n"
    return False
