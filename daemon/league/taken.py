"""Which records were taken by whoever asked for them, in the file `league.json`.

It is there as long as there may be something to offer. To lose it only means that records are offered once more, so
nothing waits for it: what cannot be read or written is logged. Everything here waits for the disk.
"""

from __future__ import annotations

import logging
from pathlib import Path

import msgspec

from daemon import files

log = logging.getLogger("oche.league")

FILE = "league.json"
Taken = dict[str, str]
"""The checksums of the records that were taken, by the ids of their matches."""


def read_taken(folder: Path) -> Taken:
    """What the file in this folder says; {} where it is not there, or damaged."""
    try:
        return msgspec.json.decode((folder / FILE).read_bytes(), type=Taken)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        log.warning("%s cannot be read, so results are offered once more: %s", folder / FILE, error)
        return {}


def write_taken(folder: Path, taken: Taken) -> None:
    """Writes the file."""
    try:
        files.replace_file(folder / FILE, msgspec.json.encode(taken))
    except OSError as error:
        log.error("cannot write %s: %s", folder / FILE, files.explain(error))


def remove_taken(folder: Path) -> None:
    """Removes the file: nothing is left to offer."""
    try:
        (folder / FILE).unlink(missing_ok=True)
    except OSError as error:
        log.error("cannot remove %s: %s", folder / FILE, files.explain(error))
