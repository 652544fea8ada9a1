"""The files of clips, in a folder of the state folder: each is named after its match, its line there and its content.

oche decodes none of them. It looks at their first bytes, so that what is kept is served as a film or as a picture.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Collection
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, NamedTuple

from msgspec import Struct

from daemon import files
from daemon.admin.players.picture_size import read_size
from daemon.admin.players.player_files import make_digest
from daemon.admin.requests import MOST_CLIP_BYTES
from daemon.errors import UserError
from protocol.sentence import say

FOLDER = "clips"
MOST_STILL_BYTES = 200_000
MOST_BYTES_IN_ALL = 200_000_000
_MOST_PIXELS = 1920
_NAME = re.compile(r"([\w-]{1,64})\.([1-9]\d{0,6})\.([a-z0-9_]{1,40})\.[0-9a-f]{20}\.(webm|mp4|jpg)", re.ASCII)
_TYPES = {"webm": "video/webm", "mp4": "video/mp4", "jpg": "image/jpeg"}


class Clip(Struct, frozen=True):
    """A clip in a list: `clip` is its id, `at` when it was kept (ISO 8601, UTC), `line` that of the moment's dart."""

    clip: str
    match: str
    line: int
    moment: str
    kind: Literal["video", "picture"]
    bytes: int
    at: str


class _File(NamedTuple):
    """A clip on the disk; `stamp` is when it was written."""

    stamp: int
    path: Path
    clip: Clip


def list_clips(state: Path) -> list[Clip]:
    """Returns all clips, the oldest first. Raises OSError."""
    return [found.clip for found in _list_files(state)]


def keep_clip(state: Path, about: tuple[str, int, str], content: bytes, most: int) -> Clip:
    """Keeps a clip of this match, line and moment; of more than `most` the oldest are deleted.

    Raises UserError for what is no clip, and OSError.
    """
    ending = find_ending(content)
    match, line, moment = about
    name = f"{match}.{line}.{moment}.{make_digest(content)}.{ending}"
    if _NAME.fullmatch(name) is None:
        raise UserError(say("clips.moment", "there is no such moment: load the camera page again"), 2)
    folder = state / FOLDER
    files.make_folder(folder, mode=0o700)
    if shutil.disk_usage(folder).free - files.RESERVE_BYTES < len(content):
        raise UserError(say("clips.no_room", "the disk has too little room for a clip: free some space"))
    files.replace_file(folder / name, content, mode=0o600)
    kept = _list_files(state)
    new = next((each.clip for each in kept if each.path.name == name), None)
    if new is None:
        raise UserError(say("clips.none", "this clip is gone already"))
    size = sum(each.clip.bytes for each in kept)
    while len(kept) > most or size > MOST_BYTES_IN_ALL:
        oldest = kept.pop(0)
        oldest.path.unlink(missing_ok=True)
        size -= oldest.clip.bytes
    return new


def read_clip(state: Path, clip: str) -> tuple[str, bytes] | None:
    """Returns the media type and the content of a clip; None: there is none. Raises OSError."""
    found = _NAME.fullmatch(clip)
    if found is None:
        return None
    try:
        descriptor = os.open(state / FOLDER / clip, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            content = file.read(MOST_CLIP_BYTES + 1)
        find_ending(content)  # it may have been put there by hand
    except (FileNotFoundError, UserError):
        return None
    return _TYPES[found[4]], content


def remove_clip(state: Path, clip: str) -> bool:
    """Deletes a clip; returns whether there was one. Raises OSError."""
    path = state / FOLDER / clip
    if _NAME.fullmatch(clip) is None or not os.path.lexists(path):
        return False
    files.remove_file(path)
    return True


def list_filmed(state: Path) -> set[str]:
    """Returns the matches that there are clips of. Raises UserError."""
    with files.explain_errors(f"cannot read the clips in {state / FOLDER}", "; check the disk, and try again"):
        return {each.clip.match for each in _list_files(state)}


def remove_clips_of(state: Path, matches: Collection[str]) -> None:
    """Deletes all clips of these matches. Raises UserError."""
    if not matches:  # and then the folder need not be there to be read
        return
    with files.explain_errors(f"cannot delete clips in {state / FOLDER}", "; check the disk, and try again"):
        for each in _list_files(state):
            if each.clip.match in matches:
                files.remove_file(each.path)


def find_ending(content: bytes) -> str:
    """Returns the ending that a name has for these bytes. Raises UserError for what is no clip, or is too large."""
    if content.startswith(b"\x1aE\xdf\xa3") and b"webm" in content[:64]:
        ending, most = "webm", MOST_CLIP_BYTES
    elif content[4:8] == b"ftyp":
        ending, most = "mp4", MOST_CLIP_BYTES
    elif content.startswith(b"\xff\xd8\xff") and max(read_size(content) or (_MOST_PIXELS + 1,)) <= _MOST_PIXELS:
        ending, most = "jpg", MOST_STILL_BYTES
    else:
        raise UserError(say("clips.no_clip", "this is no clip: send a film (webm or mp4), or a JPEG as a still"), 2)
    if len(content) > most:
        said = say("clips.large", "a clip may have at most {most} kB: choose stills instead", most=most // 1000)
        raise UserError(said, 2)
    return ending


def _list_files(state: Path) -> list[_File]:
    """Returns the files that are clips by their names, the oldest first. Raises OSError."""
    found = []
    try:
        with os.scandir(state / FOLDER) as entries:
            for entry in entries:
                named = _NAME.fullmatch(entry.name)
                if named is None or not entry.is_file(follow_symlinks=False):
                    continue
                try:
                    about = entry.stat(follow_symlinks=False)
                except FileNotFoundError:  # it was deleted meanwhile
                    continue
                at = datetime.fromtimestamp(about.st_mtime, UTC).isoformat(timespec="seconds")
                kind: Literal["video", "picture"] = "picture" if named[4] == "jpg" else "video"
                clip = Clip(entry.name, named[1], int(named[2]), named[3], kind, about.st_size, at)
                found.append(_File(about.st_mtime_ns, Path(entry.path), clip))
    except FileNotFoundError:
        return []
    return sorted(found)
