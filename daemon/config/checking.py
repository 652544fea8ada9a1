"""What the readers of the two configurations share, the daemon's and that of a league."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from daemon.config.credentials import BadCredential, check_credentials
from daemon.config.sections import Mqtt
from daemon.errors import UserError
from protocol.sentence import Sentence, get_reason
from protocol.source import Source, SourceError

T = TypeVar("T", bound=Struct)


class Place(Protocol):
    """A file, or a section of one."""

    def error(self, reason: str | Sentence, *keys: str) -> SourceError:
        """Returns the error for this key."""


@contextmanager
def located(place: Place, *path: str) -> Iterator[None]:
    """Raises SourceError, with the line of this path, for a UserError or ValueError in the block."""
    try:
        yield
    except SourceError:
        raise
    except (UserError, ValueError) as error:
        raise place.error(get_reason(error), *path) from None


def check_login(mqtt: Mqtt, source: Source) -> None:
    """Raises SourceError where a file or an option of the login at the broker cannot be used."""
    try:
        check_credentials(mqtt)
    except BadCredential as error:
        raise source.error(error.said, "mqtt", error.key) from None


def name_files(section: T, folder: Path) -> T:
    """Returns the section with the files that it names relative to this folder by their absolute paths."""
    named = {key: getattr(section, key) for key in section.__struct_fields__ if key.endswith("_file")}
    return replace(section, **{key: str(folder / name) for key, name in named.items() if name})
