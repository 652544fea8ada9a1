"""Sound packs: folders of recordings, in the layout in which people have them.

The name of a file up to the first `+`, in lower case, is its key: `180.mp3`, `180+2.mp3` and `180+loud.wav` are three
takes of `180`. The name of a folder in lower case is the pack's name, and `-v3` at its end the version: of packs with
the same name the highest version is used. The owner's packs are in the state folder. A voice that was installed with
oche is in a folder of the system, and one of the owner's with the same name wins.
"""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

SOUNDS = "sounds"
"""The folder in the state folder for packs; it may be a link, also to another disk."""
INSTALLED = Path("/usr/share/oche/sounds")
"""Where the package of a voice puts its pack."""
MOST_FILE_BYTES = 2_000_000
MOST_FILES = 5_000
MOST_BYTES = 200_000_000
"""Of a pack, as it is on the disk."""
ENDINGS = (".mp3", ".wav", ".ogg")
_VERSION = re.compile(r"-v(\d{1,6})$")
_MOST_NAME_BYTES = 200


class Pack(NamedTuple):
    """A pack: its name without the version, the version (0: none), and its folder."""

    name: str
    version: int
    folder: Path
    is_installed: bool


class PackSummary(Struct, frozen=True):
    """A pack in a list. `installed`: it came with a package, and is removed with that."""

    pack: str
    version: int
    files: int
    bytes: int
    installed: bool


class PackIndex(Struct, frozen=True):
    """The files of a pack by their keys; another `tag` stands for other files."""

    pack: str
    tag: str
    keys: Mapping[str, tuple[str, ...]]
    v: int = 1


def find_packs(state: Path, installed: Path = INSTALLED) -> dict[str, Pack]:
    """Returns the packs that are used, by name. Raises OSError."""
    found: dict[str, Pack] = {}
    for place, is_installed in ((installed, True), (state / SOUNDS, False)):
        own: dict[str, Pack] = {}
        for folder in sorted(list_folders(place)):
            name, version = split_version(folder.name)
            if name not in own or own[name].version < version:
                own[name] = Pack(name, version, folder, is_installed)
        found |= own
    return found


def list_own_folders(state: Path) -> list[Path]:
    """Returns the folders of the owner's packs, in all their versions. Raises OSError."""
    return sorted(list_folders(state / SOUNDS))


def list_folders(place: Path) -> Iterator[Path]:
    """Yields the folders in this one that are neither hidden nor a link; none if it is not there. Raises OSError."""
    try:
        entries = [*os.scandir(place)]
    except FileNotFoundError:
        return
    for entry in entries:
        if not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False):
            yield Path(entry.path)


def make_tag(entries: Iterable[os.DirEntry[str]]) -> str:
    """Returns what is another text once one of these files has another content, or another name. Raises OSError."""
    marks = hashlib.sha256()
    for entry in sorted(entries, key=lambda entry: entry.name):
        stamp = entry.stat(follow_symlinks=False)
        marks.update(f"{stamp.st_ino} {stamp.st_size} {stamp.st_mtime_ns} {entry.name}\n".encode(errors="replace"))
    return marks.hexdigest()[:20]


def split_version(folder: str) -> tuple[str, int]:
    """Returns the name of the pack in a folder of this name, and its version; 0: it names none."""
    name = fold_name(folder)
    version = _VERSION.search(name)
    return (name, 0) if version is None else (name[: version.start()], int(version[1]))


def fold_name(name: str) -> str:
    """Returns what the names of files or folders have in common that are the same."""
    return unicodedata.normalize("NFC", name).lower()  # macOS writes an accent as a character of its own


def summarize(pack: Pack) -> PackSummary:
    """Returns what a list says of this pack. Raises OSError."""
    sizes = [entry.stat(follow_symlinks=False).st_size for entry in _list_sounds(pack.folder)]
    return PackSummary(pack.name, pack.version, len(sizes), sum(sizes), pack.is_installed)


def read_index(pack: Pack) -> PackIndex:
    """Returns what is in this pack. Raises OSError."""
    keys: dict[str, list[str]] = {}
    sounds = sorted(_list_sounds(pack.folder), key=lambda entry: entry.name)
    for entry in sounds:
        keys.setdefault(find_key(entry.name), []).append(entry.name)
    return PackIndex(pack.name, make_tag(sounds), {key: tuple(names) for key, names in keys.items()})


def list_sounds(folder: Path) -> list[Path]:
    """Returns the sounds of the pack in this folder. Raises OSError."""
    return sorted(Path(entry.path) for entry in _list_sounds(folder))


def _list_sounds(folder: Path) -> Iterator[os.DirEntry[str]]:
    for entry in os.scandir(folder):
        if is_sound_name(entry.name) and entry.is_file(follow_symlinks=False):
            yield entry


def is_sound_name(name: str) -> bool:
    """Whether a file of a pack can have this name."""
    return (
        not name.startswith(".")
        and find_key(name) != ""
        and name.lower().endswith(ENDINGS)
        and "/" not in name
        and name.isprintable()
        and len(name.encode(errors="replace")) <= _MOST_NAME_BYTES
    )


def find_key(name: str) -> str:
    """Returns the key of a file of this name."""
    return fold_name(name).rpartition(".")[0].partition("+")[0].strip()


def read_sound(pack: Pack, name: str) -> tuple[str, bytes] | None:
    """Returns the media type and the content of a file of this pack; None: it has no such sound. Raises OSError."""
    if not is_sound_name(name):
        return None
    try:
        descriptor = os.open(pack.folder / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        content = file.read(MOST_FILE_BYTES + 1)
    kind = find_kind(content)
    return None if kind is None or len(content) > MOST_FILE_BYTES else (kind, content)


def find_kind(head: bytes) -> str | None:
    """Returns the media type of a sound that begins so; None: it is none that is known here."""
    if head.startswith(b"OggS"):
        return "audio/ogg"
    if head.startswith(b"RIFF") and head[8:12] == b"WAVE":
        return "audio/wav"
    is_frame = len(head) > 1 and head[0] == 0xFF and head[1] & 0xE0 == 0xE0 and head[1] & 0x06 != 0
    return "audio/mpeg" if is_frame or head.startswith(b"ID3") else None
