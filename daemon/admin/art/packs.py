"""Art: folders of CSS, pictures and sounds, those that come with oche and the owner's.

A file that is named after an event (`180.gif`, `match_won.mp3`) is shown or played at it. The style sheets of a folder
become one, `art.css`, when it is added. Beside it is the digest of what was written then: only that is served.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from daemon.admin.art.drawing import find_fault
from daemon.admin.art.gif import read_gif
from daemon.admin.players.picture_size import read_size
from daemon.admin.temporary import ART
from daemon.errors import UserError
from daemon.sound_packs import find_kind, list_folders, make_tag
from protocol.sentence import Sentence, say

SHIPPED = Path(__file__).with_name("shipped")
OWN = "own"
"""The folder of single files for events, which are shown with whichever art."""
SHEET = "art.css"
CHECKED = ".checked"
ABOUT = "about.txt"
MOST_BYTES = 2_000_000
"""Of one art, as it is on the disk."""
MOST_FILES = 100
MOST_ART = 20
MOST_PIXELS = 1_024
"""Width and height of a GIF."""
MOST_SECONDS = 10
_MOST_PICTURE_PIXELS = 4_096
_MOST_GIF_PICTURES = 300
SOUNDS = (".mp3", ".wav", ".ogg")
PICTURES: Mapping[str, str] = {
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".webp": "image/webp",
    ".gif": "image/gif",
}
_BEGIN = {"image/png": b"\x89PNG\r\n\x1a\n", "image/jpeg": b"\xff\xd8\xff", "image/webp": b"RIFF"}
_FOLDER = re.compile(r"\w[\w-]{0,59}")
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,79}")


class Art(NamedTuple):
    """Art: its name, its folder, and whether it comes with oche."""

    name: str
    folder: Path
    is_shipped: bool


class EventFiles(Struct, frozen=True, omit_defaults=True):
    """The names of the files for an event; None: there is none."""

    picture: str | None = None
    sound: str | None = None


class ArtSummary(Struct, frozen=True):
    """Art in a list. `tag` is another one when its files are; `has_sheet`: it changes how the page looks."""

    art: str
    title: str
    shipped: bool
    files: int
    bytes: int
    tag: str
    has_sheet: bool
    events: Mapping[str, EventFiles]


def find_art(state: Path) -> dict[str, Art]:
    """Returns all art by name, first that which comes with oche. Raises OSError."""
    found = {path.name: Art(path.name, path, is_shipped=True) for path in _list_art(SHIPPED)}
    for path in list_own_art(state):
        found.setdefault(path.name, Art(path.name, path, is_shipped=False))
    return found


def list_own_art(state: Path) -> list[Path]:
    """Returns the folders of the owner's art. Raises OSError."""
    return _list_art(state / ART)[:MOST_ART]


def _list_art(place: Path) -> list[Path]:
    """Returns the folders in this one that can be art: `__pycache__` is none. Raises OSError."""
    folders = list_folders(place)
    return sorted(each for each in folders if _FOLDER.fullmatch(each.name) and not each.name.startswith("__"))


def list_files(folder: Path) -> list[os.DirEntry[str]]:
    """Returns the files of art in this folder that can be served or read, by name. Raises OSError."""
    found = [each for each in os.scandir(folder) if is_art_name(each.name) and each.is_file(follow_symlinks=False)]
    return sorted(found, key=lambda each: each.name)[:MOST_FILES]


def is_art_name(name: str) -> bool:
    """Whether a file of art can have this name."""
    ending = Path(name).suffix
    return _NAME.fullmatch(name) is not None and (ending in (*PICTURES, *SOUNDS) or name in (SHEET, ABOUT))


def summarize(art: Art) -> ArtSummary:
    """Returns what a list says of this art. Raises OSError."""
    events: dict[str, EventFiles] = {}
    files = list_files(art.folder)
    for entry in files:
        stem, ending = Path(entry.name).stem, Path(entry.name).suffix
        known = events.get(stem, EventFiles())
        if ending in PICTURES:
            events[stem] = EventFiles(entry.name, known.sound)
        elif ending in SOUNDS:
            events[stem] = EventFiles(known.picture, entry.name)
    has_sheet = any(entry.name == SHEET for entry in files)
    size = sum(entry.stat(follow_symlinks=False).st_size for entry in files)
    return ArtSummary(art.name, _read_title(art), art.is_shipped, len(files), size, make_tag(files), has_sheet, events)


def _read_title(art: Art) -> str:
    """Returns the first line of its text about itself, else its name."""
    try:
        text = read_small(art.folder / ABOUT, 2_000).decode(errors="replace")
    except OSError:
        return art.name
    line = "".join(each for each in text.partition("\n")[0] if each.isprintable()).strip()
    return line[:60] or art.name


def find_ending(content: bytes, kind: str) -> str | None:
    """Returns how the name of a file with this content ends: a "picture" or a "sound"; None: it is neither."""
    if kind == "sound":
        media_type = find_kind(content)
        return {"audio/mpeg": ".mp3", "audio/wav": ".wav", "audio/ogg": ".ogg"}.get(media_type or "")
    if content[:6] in (b"GIF87a", b"GIF89a"):
        return ".gif"
    if content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return ".svg"
    found = next((each for each, begin in _BEGIN.items() if content.startswith(begin)), None)
    return next((ending for ending, each in PICTURES.items() if each == found), None)


def read_art(art: Art, name: str) -> tuple[str, bytes] | None:
    """Returns the media type and the content of a file of this art, checked again. None: there is none such.

    Raises UserError for a file that cannot be served, and OSError.
    """
    if not is_art_name(name) or name == ABOUT:
        return None
    try:
        content = read_small(art.folder / name, MOST_BYTES + 1)
        if name != SHEET:
            return check_file(name, content), content
        checked = b"" if art.is_shipped else read_small(art.folder / CHECKED, 100)
    except FileNotFoundError:
        return None
    if not art.is_shipped and checked.strip() != digest(content):
        raise UserError(say("art.by_hand", "this style sheet was changed by hand: add the folder as a zip"), 2)
    return "text/css; charset=utf-8", content


def digest(content: bytes) -> bytes:
    """Returns what is written beside a style sheet that was checked."""
    return hashlib.sha256(content).hexdigest().encode()


def read_small(path: Path, most: int) -> bytes:
    """Returns a file, no link and no device, up to this many bytes. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        return file.read(most)


def check_file(name: str, content: bytes) -> str:
    """Returns the media type of a picture or a sound of this name. Raises UserError for one that cannot be used."""
    check_amount(1, len(content))
    ending = Path(name).suffix
    if ending in SOUNDS:
        if (sound := find_kind(content)) is None:
            raise UserError(say("art.sound", "{file} is not a sound: use mp3, wav or ogg", file=name), 2)
        return sound
    kind = PICTURES[ending]
    if kind == "image/svg+xml":
        if (fault := find_fault(content)) is not None:
            raise UserError(_describe_fault(name, *fault), 2)
    elif kind == "image/gif":
        _check_gif(name, content)
    else:
        _check_still(name, kind, content)
    return kind


def check_amount(files: int, size: int) -> None:
    """Raises UserError for more files or bytes than art may have."""
    if files > MOST_FILES or size > MOST_BYTES:
        most = MOST_BYTES // 1_000_000
        raise UserError(say("art.large", "art has at most {files} files and {most} MB", files=MOST_FILES, most=most), 2)


def _describe_fault(name: str, line: int, found: str) -> Sentence:
    if not found:
        return say("art.no_svg", "{file}, line {line}: this is not SVG", file=name, line=line)
    return say(
        "art.svg",
        "{file}, line {line}: {given} is not allowed. Save it as plain SVG, without scripts, links, clones or movement",
        file=name,
        line=line,
        given=found,
    )


def _check_gif(name: str, content: bytes) -> None:
    gif = read_gif(content)
    if gif is None:
        raise UserError(say("art.no_picture", "{file} is not a picture of the kind that its name says", file=name), 2)
    is_large = max(gif.width, gif.height) > MOST_PIXELS
    if is_large or gif.seconds > MOST_SECONDS or gif.pictures > _MOST_GIF_PICTURES:
        said = say(
            "art.gif",
            "{file}: a GIF may be at most {most} pixels wide and high, and {seconds} seconds long",
            file=name,
            most=MOST_PIXELS,
            seconds=MOST_SECONDS,
        )
        raise UserError(said, 2)


def _check_still(name: str, kind: str, content: bytes) -> None:
    is_webp = kind != "image/webp" or content[8:12] == b"WEBP"
    if not content.startswith(_BEGIN[kind]) or not is_webp:
        raise UserError(say("art.no_picture", "{file} is not a picture of the kind that its name says", file=name), 2)
    size = read_size(content)
    if size is None or max(size) > _MOST_PICTURE_PIXELS:
        said = say(
            "art.still",
            "{file}: a picture may be at most {most} pixels wide and high, and only a GIF may move",
            file=name,
            most=_MOST_PICTURE_PIXELS,
        )
        raise UserError(said, 2)
