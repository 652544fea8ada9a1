"""Files in the state folder that are there for a moment: /tmp may be in memory. And where those that stay can be."""

from __future__ import annotations

import asyncio
import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO

from daemon.files import open_descriptor, rename_draft
from daemon.sound_packs import SOUNDS

_WORK_PREFIX = ".oche-backup-"
"""How the folder begins that a backup that came is kept in, that the journals are copied into for one, or that goes."""
_TEMPORARY_PREFIX = ".oche-temporary-"
"""How a file begins that loses its name at once, where the disk knows no files without one."""
_FOLDER = os.O_DIRECTORY | os.O_NOFOLLOW
_ASIDE_PREFIX = ".oche-aside-"
"""How the name of a folder begins while another one takes its place."""
BACKUPS = "backups"
"""The folder in the state folder for backups that were asked for over MQTT."""
ART = "art"
"""The folder in the state folder for the owner's art; it may be a link, also to another disk."""

TOURNAMENTS = "tournaments.db"
"""The file in the state folder with the tournaments. What reads it (daemon/tournament/) is loaded only where it is."""

LEAGUE = "league.db"
"""The file in the state folder with what others have taken of the matches; the same goes for daemon/league/."""
LEAGUE_SINCE = "league.since"
"""The file in the state folder that is there once there was a league."""


@contextmanager
def make_work_folder(place: Path | None) -> Iterator[Path]:
    """Yields a folder for a backup, in this place or where TMPDIR says, which is gone when the block ends.

    What former ones have left in the place is removed, as far as it can be. Raises OSError.
    """
    if place is not None:
        remove_work_folders(place)
    told = place or os.environ.get("TMPDIR")  # the library would first write a file there to try it
    with ExitStack() as made:
        while True:
            work = Path(made.enter_context(TemporaryDirectory(None, _WORK_PREFIX, told, ignore_cleanup_errors=True)))
            with suppress(FileNotFoundError):
                folder = made.enter_context(open_descriptor(work, _FOLDER))
                fcntl.flock(folder, fcntl.LOCK_SH)  # until this process ends, however it does
                if work.exists():  # else one that removes what is left has come before the lock
                    break
        yield work


def name_work_folder(folder: Path) -> Path:
    """Returns the name that a folder gets where it is, so that it is removed as those are that were cut off."""
    return folder.with_name(f"{_WORK_PREFIX}{folder.name}")


def discard_folder(folder: Path) -> None:
    """Removes a folder, if it is there: it is gone at once, and its files a little later. Raises OSError."""
    doomed = name_work_folder(folder)
    with suppress(FileNotFoundError):
        folder.rename(doomed)
        shutil.rmtree(doomed, ignore_errors=True)


def replace_folder(made: Path, folder: Path) -> None:
    """Puts a folder that was made in the place of another one, if that is there. Raises OSError.

    The former one is removed last. Where this is cut off, `restore_set_aside` finishes it. Both must be on one disk.
    """
    restore_set_aside(folder.parent)
    aside = folder.with_name(f"{_ASIDE_PREFIX}{folder.name}")
    with suppress(FileNotFoundError):
        folder.rename(aside)
    try:
        rename_draft(made, folder)
    finally:
        restore_set_aside(folder.parent)


def restore_set_aside(place: Path) -> None:
    """Gives the folders in this place that were set aside their names again; removes those that have been replaced."""
    for aside in place.glob(f"{_ASIDE_PREFIX}*"):
        folder = aside.with_name(aside.name.removeprefix(_ASIDE_PREFIX))
        if folder.exists() and aside.is_symlink():  # a pack that somebody keeps elsewhere: it is theirs
            with suppress(OSError):
                aside.unlink()
        elif folder.exists():
            shutil.rmtree(aside, ignore_errors=True)
        else:
            with suppress(OSError):
                aside.rename(folder)


def remove_work_folders(place: Path) -> None:
    """Removes the folders in this place of backups that were cut off; what cannot be removed stays."""
    for work in place.glob(f"{_WORK_PREFIX}*"):
        with suppress(OSError), open_descriptor(work, _FOLDER) as folder:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)  # else another backup is at work
            shutil.rmtree(work, ignore_errors=True)


def remove_cut_off(folder: Path) -> None:
    """Removes the folders of work that was cut off from this state folder, and puts back what such work set aside."""
    for place in (folder, folder / BACKUPS, folder / SOUNDS, folder / ART):
        remove_work_folders(place)
    for place in (folder / SOUNDS, folder / ART):
        restore_set_aside(place)


def remove_unfinished(folder: Path) -> None:
    """Removes what backups have left in this state folder that were cut off; what cannot be removed stays."""
    remove_cut_off(folder)
    for draft in (*(folder / BACKUPS).glob("*.tar.gz.new"), *folder.glob(f"{_TEMPORARY_PREFIX}*")):
        with suppress(OSError):
            draft.unlink()


def make_temporary(folder: Path) -> IO[bytes]:
    """Returns a file without a name in this folder. Raises OSError."""
    return TemporaryFile(dir=folder, prefix=_TEMPORARY_PREFIX)


def close_beside(file: IO[bytes]) -> None:
    """Closes a file without waiting for it: to let go a large one takes the disk a while."""
    asyncio.get_running_loop().run_in_executor(None, file.close)


def choose_place(folder: Path, name: str, ending: str) -> Path:
    """Returns where a new file of this name can be, in a folder that only this user reads. Raises OSError."""
    folder.mkdir(mode=0o700, exist_ok=True)
    stem = f"{name}-{datetime.now(UTC):%Y-%m-%d-%H%M%S}"
    numbers = (f"-{number}" for number in range(2, 1000))
    return next(place for more in ("", *numbers) if not (place := folder / f"{stem}{more}{ending}").exists())
