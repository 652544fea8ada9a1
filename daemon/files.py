"""Files that a person named: whatever is wrong with one is said in a sentence, before anything is done with it."""

from __future__ import annotations

from pathlib import Path

from daemon.errors import UserError
from protocol.source import Source


def source(path: Path, remedy: str = "") -> Source:
    """The text of this TOML file. Raises UserError (status 2), which ends with the remedy if it cannot be read."""
    try:
        return Source(path.read_text(encoding="utf-8"), str(path))
    except OSError as error:
        raise UserError(f"cannot read {path}: {(error.strerror or str(error)).lower()}{remedy}", 2) from None
    except UnicodeDecodeError:
        raise UserError(f"{path} is not UTF-8 text: save it as UTF-8", 2) from None
