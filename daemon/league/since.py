"""From which day on matches are sent to the league, in the file `league.since`: it is not lost with `league.db`."""

from __future__ import annotations

import logging
from datetime import date, datetime
from pathlib import Path

import msgspec
from msgspec import Struct

from daemon import files

log = logging.getLogger("oche.league")

FILE = "league.since"


class Since(Struct, frozen=True):
    """`day` is a day of this machine (ISO 8601). `is_chosen`: somebody has chosen it on the page."""

    day: str
    is_chosen: bool = False


def read_since(folder: Path) -> Since | None:
    """What the file in this folder says; None: oche never ran with a league, or the file is damaged."""
    try:
        found = msgspec.json.decode((folder / FILE).read_bytes(), type=Since)
        date.fromisoformat(found.day)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        log.warning("%s cannot be read: %s", folder / FILE, error)
        return None
    return found


def write_since(folder: Path, since: Since) -> None:
    """Writes the file. Raises OSError."""
    files.replace_file(folder / FILE, msgspec.json.encode(since))


def find_since(folder: Path, configured: str) -> Since:
    """From when on matches are sent: as configured, or as kept; without a file from today on, which is kept then.

    Waits for the disk; where it cannot be written, the next start has a later day.
    """
    found = read_since(folder)
    if found is None:
        found = Since(datetime.now().astimezone().date().isoformat())
        try:
            write_since(folder, found)
        except OSError as error:
            log.error("cannot write %s: %s", folder / FILE, files.explain(error))
    return Since(configured, is_chosen=True) if configured else found


def find_moment(day: str) -> datetime:
    """When this day began here. Raises ValueError."""
    return datetime.fromisoformat(f"{date.fromisoformat(day)}T00:00").astimezone()
