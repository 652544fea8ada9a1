"""The sound packs and the art that a backup had: zips in the state folder, until the next start adds them.

What the owner has changed in between is the later word, and stays. No clock says what that is: many a machine has none
that goes on while it is off. So it is noted which folders there are when the zips have come, each with a tag.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec
from msgspec import Struct

from daemon import files
from daemon.admin.temporary import ART
from daemon.errors import UserError
from daemon.sound_packs import SOUNDS, fold_name, make_tag

log = logging.getLogger("oche")

ZIP_NAME = "{}.{}.zip"
"""The name of such a zip: its kind, which is the folder that it goes into (SOUNDS or ART), and a number."""
NOTED = "{}.noted.json"
"""The file with what is noted, by the kind."""
_NAMES = {SOUNDS: "a sound pack", ART: "art"}


class _Noted(Struct):
    """The zips that a backup had, by their names the numbers of their files; and the folders there, with their tags."""

    zips: dict[str, int]
    folders: dict[str, str]


def list_restored(state: Path, kind: str) -> list[Path]:
    """Returns the zips of this kind in the state folder."""
    return sorted(state.glob(ZIP_NAME.format(kind, "*")))


def note_folders(state: Path) -> None:
    """Notes which packs and art there are beside those that a backup had: from now on a change is the owner's.

    What was noted for these zips stays. Where none is left, nothing is. Raises OSError.
    """
    failed: OSError | None = None
    for kind in _NAMES:
        try:
            _note_kind(state, kind)
        except OSError as error:  # the other kind is noted all the same
            failed = error
    if failed is not None:
        raise failed


def _note_kind(state: Path, kind: str) -> None:
    zips = {zipped.name: zipped.stat().st_ino for zipped in list_restored(state, kind)}
    noted, place = _read_noted(state, kind), state / NOTED.format(kind)
    if not zips:
        files.remove_file(place)
    elif noted is None or not zips.items() <= noted.zips.items():
        content = msgspec.json.encode(_Noted(zips, _tag_all(state / kind)))
        files.replace_file(place, content, mode=0o600, like=state)


def is_changed(state: Path, kind: str, name: str) -> bool:
    """Whether the folder of this name is another one than when the backup was restored, by hand or by an upload."""
    noted = _read_noted(state, kind)
    there = [path for each in (name, fold_name(name)) if (path := state / kind / each).exists()]
    return noted is not None and any(noted.folders.get(each) != tag for each, tag in map(_tag, there))


async def add_each(state: Path, kind: str, add: Callable[[Path], Awaitable[str]]) -> None:
    """Has each zip of this kind added, one after the other; logs what becomes of it, which `add` returns."""
    await _note(state)
    for zipped in await asyncio.to_thread(list_restored, state, kind):
        try:
            log.info("%s", await add(zipped))
        except (UserError, OSError) as error:
            later = "; the next start tries it again" if zipped.exists() else ""
            log.error("%s of the backup cannot be added: %s%s", _NAMES[kind], error, later)
    await _note(state)


async def _note(state: Path) -> None:
    try:
        await asyncio.to_thread(note_folders, state)
    except OSError as error:
        log.error("the sound packs and the art cannot be noted: %s", files.explain(error))


def _read_noted(state: Path, kind: str) -> _Noted | None:
    try:
        return msgspec.json.decode((state / NOTED.format(kind)).read_bytes(), type=_Noted)
    except (FileNotFoundError, ValueError):
        return None


def _tag_all(place: Path) -> dict[str, str]:
    """Returns the name and the tag of all that is in this place, links too. Raises OSError."""
    try:
        return dict(_tag(each) for each in place.iterdir() if not each.name.startswith("."))
    except FileNotFoundError:
        return {}


def _tag(folder: Path) -> tuple[str, str]:
    """Returns the name of this folder, as JSON can have it, and what another content has differently.

    The latter is "" for a folder that cannot be read.
    """
    name = folder.name.encode(errors="replace").decode()
    try:  # a computer that looks into it may leave hidden files
        return name, make_tag(entry for entry in os.scandir(folder) if not entry.name.startswith("."))
    except OSError:
        return name, ""
