"""Drafts of files that a kill or a power cut has left in the state folder: removed before the daemon begins.

Only those that oche itself writes (`open_replacement` in daemon/files.py), by their names: what else lies in the folder
is not ours. Those of journals are none of these: they may be all that is left of a match.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from daemon.files import DRAFT

_DRAFTS = {
    ".": re.compile(
        r"(web\.(token|setup|seen)|said\.json|seats\.(key|claimed)|bridge\.uuid|statistics\.cache|"
        r"league\.since|profile\.presses|profile\.[a-z0-9-]+\.toml|light\.([a-z0-9_-]+|TRIED(-[0-9a-f]{16})?)\.json|(sounds|art)\.noted\.json|"
        r"(mqtt-password|board-token)-[0-9a-f]{8})"
        rf"{re.escape(DRAFT)}"
    ),
    "web.devices": re.compile(rf"[0-9a-f]{{8}}{re.escape(DRAFT)}"),
    "clips": re.compile(
        rf"[\w-]{{1,64}}\.[0-9]{{1,7}}\.[a-z0-9_]{{1,40}}\.[0-9a-f]{{20}}\.(webm|mp4|jpg){re.escape(DRAFT)}"
    ),
    "settings": re.compile(rf"([0-9]{{6}}-[0-9a-f]{{20}}\.toml|pending(-[0-9a-f]{{20}})?\.json){re.escape(DRAFT)}"),
}


def find_drafts(state: Path) -> Iterator[Path]:
    """Yields the drafts in the state folder, while none is being written. Never raises OSError."""
    for folder, names in _DRAFTS.items():
        with suppress(OSError):
            yield from [each for each in (state / folder).iterdir() if names.fullmatch(each.name) and each.is_file()]


def remove_drafts(state: Path) -> None:
    """Removes them; what cannot be removed stays."""
    for draft in find_drafts(state):
        with suppress(OSError):
            draft.unlink()
