"""A sound pack that was uploaded as a zip: checked while it is unpacked, and put in its place as a whole.

What is no sound is left out, and said; what is made to do harm is refused (daemon/admin/zip_reading.py).
"""

from __future__ import annotations

import os
import shutil
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO
from zipfile import ZipFile

from msgspec import Struct

from daemon import files
from daemon.admin.restored import is_changed
from daemon.admin.temporary import (
    discard_folder,
    make_work_folder,
    remove_work_folders,
    replace_folder,
    restore_set_aside,
)
from daemon.admin.zip_reading import name_folder, read_zip, show_name
from daemon.errors import UserError, escape_controls
from daemon.sound_packs import (
    MOST_BYTES,
    MOST_FILE_BYTES,
    MOST_FILES,
    SOUNDS,
    find_kind,
    find_packs,
    fold_name,
    is_sound_name,
    list_own_folders,
    list_sounds,
    split_version,
)
from protocol.sentence import say

_THE_ZIP = say("zip.of_pack", "the zip with the pack")
_PATH_MARKS = frozenset("/\\:")
"""What no name has in a zip that is unpacked here."""
_MOST_FOLDER_BYTES = 200
"""Of the name of a folder, which gets something added to it while it is replaced."""
_MOST_TOLD = 20


class Unpacked(Struct, frozen=True):
    """A pack that was added: its name, how many sounds it has, and how many files were left out, with the first few.

    `used_version`: the higher one that stays in use, if there is one.
    """

    pack: str
    files: int
    left_out: int
    left_out_names: tuple[str, ...]
    used_version: int | None = None
    v: int = 1


def add_pack(file: Path, name: str, state: Path) -> Unpacked:
    """Adds the pack in this zip to the state folder, in place of one with the same name. Raises UserError and OSError.

    It is called as the folder in the zip, or without one as the zip, whose `name` is given.
    """
    place = state / SOUNDS
    with _unpack_beside(file, place) as (made, names, inner, left_out):
        folder = name_folder(inner, name, _THE_ZIP)
        # One that was copied by hand may be written otherwise, and would stay the one that is used.
        same = next((each for each in list_own_folders(state) if fold_name(each.name) == folder), place / folder)
        replace_folder(made, same)
    told = tuple(escape_controls(each) for each in left_out[:_MOST_TOLD])
    pack, version = split_version(folder)
    used = find_packs(state)[pack].version
    return Unpacked(pack, len(names), len(left_out), told, used if used > version else None)


@contextmanager
def _unpack_beside(file: Path, place: Path) -> Iterator[tuple[Path, set[str], str, list[str]]]:
    """Yields a new folder with the sounds of a zip, on the disk of this place, and what `_unpack` returns.

    Raises UserError and OSError.
    """
    files.make_folder(place, mode=0o700)
    with make_work_folder(place) as work, file.open("rb") as source:
        made = work / SOUNDS
        made.mkdir(mode=0o700)
        names, inner, left_out = _unpack(source, made, shutil.disk_usage(place).free - files.RESERVE_BYTES)
        if not names:
            said = say(
                "sounds.empty", "this zip contains no sounds: a pack has files such as 180.mp3 (mp3, wav or ogg)"
            )
            raise UserError(said, 2)
        os.sync()  # one for all files: one for each takes a memory card minutes
        yield made, names, inner, left_out


def zip_pack(folder: Path, place: Path) -> Path | None:
    """Zips the pack in this folder for a backup; returns one of its sounds, None where it has none.

    Raises UserError with the end of a sentence for one that could not be added again, and OSError.
    """
    sounds = [each for each in list_sounds(folder) if _PATH_MARKS.isdisjoint(each.name)]
    if not sounds:
        return None
    if not _is_restorable(folder.name):
        said = say(
            "remark.pack_name", "its folder has a name that no backup can have: rename it to letters and figures"
        )
        raise UserError(said)
    if len(sounds) > MOST_FILES or sum(each.stat().st_size for each in sounds) > MOST_BYTES:
        said = say(
            "remark.pack_large",
            "a pack has at most {sounds} sounds and {most} MB: remove some sounds",
            sounds=MOST_FILES,
            most=MOST_BYTES // 1_000_000,
        )
        raise UserError(said)
    with ZipFile(place, "w", zipfile.ZIP_STORED, strict_timestamps=False) as zipped:
        for sound in sounds:
            zipped.write(sound, f"{folder.name}/{sound.name}")
    return sounds[0]


def _is_restorable(folder: str) -> bool:
    """Whether a pack can come back from a backup into a folder of this name: also many that no upload can have."""
    return (
        folder[:1] not in ("", ".")
        and folder.isprintable()
        and _PATH_MARKS.isdisjoint(folder)
        and len(folder.encode()) <= _MOST_FOLDER_BYTES
    )


def add_restored(zipped: Path, state: Path) -> str:
    """Adds a pack that a backup had, in place of one in a folder of the same name, unless that was changed since.

    Returns a sentence that says what was done. Its zip is gone then, and also where it can never be added. Raises
    UserError and OSError.
    """
    place, told = state / SOUNDS, zipped.name
    try:
        with _unpack_beside(zipped, place) as (made, names, folder, left_out):
            told = show_name(folder) or told
            if not _is_restorable(folder):
                raise UserError("no pack can have a folder of this name")
            if is_left := is_changed(state, SOUNDS, folder):
                said = f"the sound pack {told} of the backup was not added: its folder has changed since the restore"
            else:
                replace_folder(made, place / folder)
                said = f"the sound pack {told} of the backup was added (sounds: {len(names)})"
    except UserError as error:
        if shutil.disk_usage(place).free - files.RESERVE_BYTES >= MOST_BYTES:  # else it may be for lack of room
            zipped.unlink(missing_ok=True)
        raise UserError(f"{told}: {error}") from None
    zipped.unlink(missing_ok=True)
    if is_left or not left_out:
        return said
    more = f" and {len(left_out) - _MOST_TOLD} more" if len(left_out) > _MOST_TOLD else ""
    return (
        f"{said}; left out, because not a sound or too long: {', '.join(map(show_name, left_out[:_MOST_TOLD]))}{more}"
    )


def remove_pack(name: str, state: Path) -> bool:
    """Removes the pack of this name from the state folder, in all its versions; returns whether there was one.

    Raises OSError.
    """
    remove_work_folders(state / SOUNDS)
    restore_set_aside(state / SOUNDS)
    is_found = False
    while (pack := find_packs(state).get(name)) is not None and not pack.is_installed:
        discard_folder(pack.folder)
        is_found = True
    return is_found


def _unpack(source: BinaryIO, into: Path, room: int) -> tuple[set[str], str, list[str]]:
    """Unpacks all sounds; returns their names, that of the folder they are in ("": none), and what was left out.

    Raises UserError.
    """
    names, folders, left_out = set[str](), set[PurePosixPath](), list[str]()
    for path, pieces in read_zip(source, MOST_BYTES, room, _THE_ZIP):
        name = fold_name(path.name)
        if is_sound_name(name):
            folders.add(path.parent)
        if len(folders) > 1:
            raise UserError(say("sounds.folders", "this zip contains several packs: zip each folder by itself"), 2)
        is_new = is_sound_name(name) and name not in names
        if not (is_new and _extract(pieces, into / name)):
            left_out.append(str(path))
            continue
        names.add(name)
        if len(names) > MOST_FILES:
            raise UserError(say("sounds.many", "a pack has at most {most} sounds", most=MOST_FILES), 2)
    return names, next(iter(folders), PurePosixPath()).name, left_out


def _extract(pieces: Iterator[bytes], place: Path) -> bool:
    """Writes a sound; returns whether it is one, and short enough. Otherwise nothing stays of it."""
    head = next(pieces, b"")
    if find_kind(head) is None:
        return False
    size = 0
    with place.open("xb") as file:
        for piece in _chain(head, pieces):
            size += len(piece)
            if size > MOST_FILE_BYTES:
                break
            file.write(piece)
    if size > MOST_FILE_BYTES:
        place.unlink()
    return size <= MOST_FILE_BYTES


def _chain(head: bytes, pieces: Iterator[bytes]) -> Iterator[bytes]:
    yield head
    yield from pieces
