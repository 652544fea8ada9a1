"""A board's profile by the name a person gives it on the command line."""

from __future__ import annotations

from pathlib import Path

from daemon.errors import UserError
from daemon.files import source
from protocol.codebook import Codebook, load, shipped
from protocol.source import SourceError


def named(name: str) -> Codebook:
    """A shipped profile by its id, or one in a TOML file. Raises UserError."""
    try:
        if not name.endswith(".toml"):
            return shipped(name)
        return load(source(Path(name)))
    except SourceError as error:
        raise UserError(str(error)) from None
    except ValueError as error:
        raise UserError(str(error), 2) from None
