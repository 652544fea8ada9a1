"""A board's profile by the name a person gives it, on the command line or in the configuration.

A shipped one has an id; a file is what ends in .toml or has a slash in it, since no id does.
"""

from __future__ import annotations

from pathlib import Path

from daemon import files
from daemon.errors import UserError
from protocol.codebook import Codebook, load, shipped
from protocol.profile import Profile
from protocol.source import Source, SourceError
from protocol.spelling import nearest

ACTING = ("next", "undo", "miss", "takeout")
"""The buttons that do something at a table; see daemon.scorer."""

_STREAMS = ("serial", "tcp")


def is_file(name: str) -> bool:
    """Whether this names a file, and no shipped profile."""
    return name.endswith(".toml") or "/" in name


def named(name: str) -> Codebook:
    """A shipped profile by its id, or one in a TOML file. Raises UserError."""
    try:
        return load(files.source(Path(name))) if is_file(name) else shipped(name)
    except SourceError as error:
        raise UserError(str(error)) from None
    except ValueError as error:
        raise UserError(str(error), 2) from None


def check_packets(profile: Profile, link: str) -> None:
    """Raises ValueError for frames that are packets, on a link that runs them together."""
    if profile.framing.is_packets and link in _STREAMS:
        raise ValueError(
            f"the frames of the profile {profile.id} are packets ({profile.framing.kind}), and a {link} link has none: "
            "use framing delimited or fixed"
        )


def doubts(profile: Profile, source: Source) -> list[str]:
    """What is possible and probably not meant, a sentence each: buttons that do nothing, and nearly would."""
    names = [name for name in profile.buttons if name not in ACTING]
    meant = {name: nearest(name.lower(), ACTING, "") for name in names}
    return [
        str(source.error(f"the button {name!r} does nothing{meant[name]}", "buttons", name))
        for name in names
        if meant[name]
    ]
