"""Art that was uploaded as a zip: all of it is checked first, and put in its place as a whole."""

from __future__ import annotations

import os
import shutil
import zipfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from zipfile import ZipFile

from msgspec import Struct

from daemon import files
from daemon.admin.art.packs import (
    ABOUT,
    CHECKED,
    MOST_ART,
    MOST_BYTES,
    OWN,
    PICTURES,
    SHEET,
    SHIPPED,
    check_amount,
    check_file,
    digest,
    is_art_name,
    list_files,
    list_own_art,
    read_small,
)
from daemon.admin.restored import is_changed
from daemon.admin.temporary import (
    ART,
    discard_folder,
    make_work_folder,
    remove_work_folders,
    replace_folder,
    restore_set_aside,
)
from daemon.admin.zip_reading import name_folder, read_zip, show_name
from daemon.errors import UserError, escape_controls
from daemon.sound_packs import fold_name
from protocol.sentence import say

_THE_ZIP = say("zip.of_art", "the zip with the art")
_MOST_TOLD = 20
_TAKEN = (OWN, "plain", "off", "0", "1")
"""Names that mean something else where art is chosen."""


class AddedArt(Struct, frozen=True):
    """Art that was added: its name, how many files it has, and how many were left out, with the first few."""

    art: str
    files: int
    left_out: int
    left_out_names: tuple[str, ...]
    v: int = 1


def add_art(file: Path, name: str, state: Path) -> AddedArt:
    """Adds the art in this zip to the state folder, in place of that with the same name. Raises UserError and OSError.

    It is called as the folder in the zip, or without one as the zip, whose `name` is given.
    """
    contents, inner, left_out = _read(file, state)
    art = name_folder(inner, name, _THE_ZIP).replace(" ", "-")
    if art in _TAKEN or (SHIPPED / art).exists():
        raise UserError(
            say("art.taken", "art cannot be called {name}, that name is taken: rename the folder", name=art), 2
        )
    _put(art, _check(contents), state)
    told = tuple(escape_controls(each) for each in left_out[:_MOST_TOLD])
    return AddedArt(art, len(contents), len(left_out), told)


def add_restored_art(zipped: Path, state: Path) -> str:
    """Adds art that a backup had, in place of that in a folder of the same name, unless that was changed since.

    Returns a sentence that says what was done. Its zip is gone then, and also where it can never be added. Raises
    UserError and OSError.
    """
    told = zipped.name
    try:
        contents, folder, _ = _read(zipped, state)
        told = show_name(folder) or told
        if folder != name_folder(folder, "", _THE_ZIP).replace(" ", "-"):
            raise UserError("no art can have a folder of this name", 2)
        if is_changed(state, ART, folder):
            said = f"the art {told} of the backup was not added: its folder has changed since the restore"
        else:
            _put(folder, _check(contents), state)
            said = f"the art {told} of the backup was added (files: {len(contents)})"
    except UserError as error:
        if shutil.disk_usage(state).free - files.RESERVE_BYTES >= MOST_BYTES:  # else it may be for lack of room
            zipped.unlink(missing_ok=True)
        raise UserError(f"{told}: {error}") from None
    zipped.unlink(missing_ok=True)
    return said


def zip_art(folder: Path, place: Path) -> Path | None:
    """Zips the art in this folder for a backup; returns one of its files, None where it has none.

    Raises UserError for art that could not be added again, and OSError.
    """
    listed = list_files(folder)
    if not listed:
        return None
    check_amount(len(listed), sum(each.stat().st_size for each in listed))  # more was put there by hand
    found = [Path(each.path) for each in listed]
    with ZipFile(place, "w", zipfile.ZIP_STORED, strict_timestamps=False) as zipped:
        for each in found:
            zipped.write(each, f"{folder.name}/{each.name}")
    return found[0]


def set_event_file(event: str, ending: str, content: bytes, state: Path) -> None:
    """Keeps a picture or a sound for an event in the folder of single files, in place of the former one.

    b"" removes it. Raises UserError and OSError.
    """
    folder = state / ART / OWN
    contents = {each.name: read_small(Path(each.path), MOST_BYTES) for each in _list_event_files(folder)}
    is_picture = ending in PICTURES
    for name in [*contents]:
        if Path(name).stem == event and (Path(name).suffix in PICTURES) == is_picture:
            del contents[name]
    if content:
        name = f"{event}{ending}"
        check_file(name, content)
        contents[name] = content
    check_amount(len(contents), sum(map(len, contents.values())))
    _put(OWN, contents, state)


def remove_art(name: str, state: Path) -> bool:
    """Removes the owner's art of this name; returns whether there was such. Raises OSError."""
    place = state / ART
    remove_work_folders(place)
    restore_set_aside(place)
    folder = next((each for each in list_own_art(state) if each.name == name), None)
    if folder is not None:
        discard_folder(folder)
    return folder is not None


def _list_event_files(folder: Path) -> list[os.DirEntry[str]]:
    try:
        return [each for each in list_files(folder) if each.name not in (SHEET, ABOUT)]
    except FileNotFoundError:
        return []


def _read(file: Path, state: Path) -> tuple[dict[str, bytes], str, list[str]]:
    """Returns the files in a zip, the folder that they are in ("": none), and what was left out. Raises UserError."""
    contents, folders, left_out = dict[str, bytes](), set[PurePosixPath](), list[str]()
    room = shutil.disk_usage(state).free - files.RESERVE_BYTES
    with file.open("rb") as source:
        for path, pieces in read_zip(source, MOST_BYTES, room, _THE_ZIP):
            name = fold_name(path.name)
            if not _is_wanted(name) or name in contents:
                left_out.append(str(path))
                continue
            folders.add(path.parent)
            contents[name] = b"".join(pieces)
            check_amount(len(contents), 0)
            if len(folders) > 1:
                raise UserError(
                    say("art.folders", "{zip} contains several folders: zip one by itself", zip=_THE_ZIP), 2
                )
    if not contents.keys() - {ABOUT}:
        said = say("art.empty", "this zip contains no art: it has files such as art.css, 180.gif and match_won.mp3")
        raise UserError(said, 2)
    return contents, next(iter(folders), PurePosixPath()).name, left_out


def _is_wanted(name: str) -> bool:
    return is_art_name(name) or (name.endswith(".css") and is_art_name(f"{name}.png"))


def _check(contents: Mapping[str, bytes]) -> dict[str, bytes]:
    """Returns the files as they are kept. Raises UserError."""
    from daemon.admin.art.style_sheet import check_sheets  # noqa: PLC0415  it loads a library

    kept = {name: content for name, content in contents.items() if not name.endswith(".css")}
    for name, content in kept.items():
        if name != ABOUT:
            check_file(name, content)
    sheets = {name: content for name, content in sorted(contents.items()) if name.endswith(".css")}
    if sheets:
        kept[SHEET] = check_sheets(sheets, kept).encode()
    check_amount(len(kept), sum(map(len, kept.values())))  # as a backup brings them back
    return kept


def _put(art: str, contents: Mapping[str, bytes], state: Path) -> None:
    """Puts these files into the folder of this art, which replaces the former one as a whole. Raises OSError."""
    place = state / ART
    files.make_folder(place, mode=0o700)
    own = list_own_art(state)
    if len(own) >= MOST_ART and not (place / art).exists():
        raise UserError(say("art.most", "at most {most} pieces of art can be kept: remove one first", most=MOST_ART), 2)
    with make_work_folder(place) as work:
        made = work / ART
        made.mkdir(mode=0o700)
        for name, content in contents.items():
            (made / name).write_bytes(content)
        if SHEET in contents:
            (made / CHECKED).write_bytes(digest(contents[SHEET]))
        os.sync()
        replace_folder(made, place / art)
