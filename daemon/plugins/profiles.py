"""A board's profile by its name on the command line or in the configuration, or by the board's address.

A name that ends in .toml or has a slash is a file, any other is the id of a profile that ships or was added.
"""

from __future__ import annotations

from pathlib import Path

from daemon import files
from daemon.errors import to_user_error
from drivers.address import Address
from protocol.codebook import Codebook, load, shipped
from protocol.events import NO_SENSOR
from protocol.sentence import Refusal, say
from protocol.source import SourceError

_USUAL_PROFILE, _FACE_ALONE = "opendarts", "plain-standard"
"""The profile where none is named: of a board, and where there is no sensor."""


def is_file_name(name: str) -> bool:
    """Whether this name is that of a file."""
    return name.endswith(".toml") or "/" in name


def choose_profile(named: str, address: Address) -> str:
    """Returns the name of the profile of the board at this address: `named`, or the usual one where that is "".

    Raises Refusal where there is no usual one.
    """
    if not named and address.scheme in ("ble", "usb", "web"):
        raise Refusal(
            say(
                "settings.needs_profile",
                "the board {given} needs a profile: run oche scan to find the one that fits",
                given=str(address),
            )
        )
    return named or {"sim": address.target, NO_SENSOR: _FACE_ALONE}.get(address.scheme, _USUAL_PROFILE)


def find_codebook(name: str) -> Codebook:
    """The codebook of the profile with this id, or of one in a TOML file. Raises UserError."""
    with to_user_error(ValueError, status=2), to_user_error(SourceError):
        return load(files.read_source(Path(name))) if is_file_name(name) else shipped(name)
