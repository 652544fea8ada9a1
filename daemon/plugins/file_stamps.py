"""The files of the plug-ins beside the configuration, as they are now, to tell later whether they have changed."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def stamp_files(folder: Path) -> frozenset[tuple[str, int, int]]:
    """Returns the path, the time of the last change in ns and the size of each file; `folder` has the configuration."""
    found = set()
    for file in (*(folder / "games").rglob("*"), *(folder / "boards").rglob("*")):
        with suppress(OSError):  # it has just been removed
            about = file.stat()
            found.add((str(file), about.st_mtime_ns, about.st_size))
    return frozenset(found)
