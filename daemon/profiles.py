"""A board's profile by the name a person gives it on the command line."""

from __future__ import annotations

from pathlib import Path

from daemon.errors import UserError
from protocol.codebook import Codebook, load, shipped
from protocol.source import Source, SourceError


def named(name: str) -> Codebook:
    """A shipped profile by its id, or one in a TOML file. Raises UserError."""
    try:
        if not name.endswith(".toml"):
            return shipped(name)
        return load(Source(Path(name).read_text(encoding="utf-8"), name))
    except OSError as error:
        raise UserError(f"cannot read {name}: {(error.strerror or str(error)).lower()}", 2) from None
    except UnicodeDecodeError:
        raise UserError(f"{name} is not UTF-8 text", 2) from None
    except SourceError as error:
        raise UserError(str(error)) from None
    except ValueError as error:
        raise UserError(str(error), 2) from None
