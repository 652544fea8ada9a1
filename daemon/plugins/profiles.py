"""A board's profile by its name on the command line or in the configuration.

A name that ends in .toml or has a slash is a file, any other is the id of a shipped profile.
"""

from __future__ import annotations

from pathlib import Path

from daemon import files
from daemon.errors import to_user_error
from protocol.codebook import Codebook, load, shipped
from protocol.profile import Profile
from protocol.source import Source, SourceError
from protocol.spelling import suggest_nearest

ACTING = ("next", "undo", "miss", "takeout")
"""The buttons that do something at a table; see daemon.table.scorer."""

_STREAMS = ("serial", "tcp")


def is_file_name(name: str) -> bool:
    """Whether this name is that of a file."""
    return name.endswith(".toml") or "/" in name


def find_codebook(name: str) -> Codebook:
    """The codebook of a shipped profile, or of one in a TOML file. Raises UserError."""
    with to_user_error(ValueError, status=2), to_user_error(SourceError):
        return load(files.read_source(Path(name))) if is_file_name(name) else shipped(name)


def check_packets(profile: Profile, link: str) -> None:
    """Raises ValueError when the frames are packets and the link is a stream of bytes."""
    if profile.framing.is_packets and link in _STREAMS:
        what = f"the frames of the profile {profile.id} are packets ({profile.framing.kind})"
        raise ValueError(f"{what}, and a {link} link has none: use framing delimited or fixed")


def find_misspelled_buttons(profile: Profile, source: Source) -> list[str]:
    """A sentence for each button that does nothing and whose name is close to that of one that does."""
    names = [name for name in profile.buttons if name not in ACTING]
    meant = {name: suggest_nearest(name.lower(), ACTING, "") for name in names}
    errors = {name: source.error(f"the button {name!r} does nothing{meant[name]}", "buttons", name) for name in names}
    return [str(error) for name, error in errors.items() if meant[name]]
