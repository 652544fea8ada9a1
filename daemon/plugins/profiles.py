"""A board's profile by its name on the command line or in the configuration.

A name that ends in .toml or has a slash is a file, any other is the id of a shipped profile.
"""

from __future__ import annotations

from pathlib import Path

from daemon import files
from daemon.errors import to_user_error
from protocol.codebook import Codebook, load, shipped
from protocol.source import SourceError


def is_file_name(name: str) -> bool:
    """Whether this name is that of a file."""
    return name.endswith(".toml") or "/" in name


def find_codebook(name: str) -> Codebook:
    """The codebook of a shipped profile, or of one in a TOML file. Raises UserError."""
    with to_user_error(ValueError, status=2), to_user_error(SourceError):
        return load(files.read_source(Path(name))) if is_file_name(name) else shipped(name)
