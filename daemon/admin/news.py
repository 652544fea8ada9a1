"""What is new since the version whose news a person has seen: sections of the changelog, in its own words.

The state folder has that version in a small file, so that an update is noticed however it was installed. Where there is
no such file, nothing is new: it is written when the settings are first looked at.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from daemon.files import explain, replace_file
from daemon.release import read_changelog, read_version

FILE = "web.seen"
_VERSION = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9}){0,3}(?:\.?[a-z]{1,9}[0-9]{0,9})?(?:\+[0-9A-Za-z.]{1,40})?")
_HEADING = re.compile(r"^## \[(.+?)\](.*)$", re.MULTILINE)
_FOLD = re.compile(r"\n +(?![*-] |\s)")
"""Where a line of the file goes on: a screen has another width."""
_UNRELEASED = "Unreleased"


class Section(NamedTuple):
    """What is new in one version; `text` is Markdown."""

    title: str
    text: str


def read_news(folder: Path) -> list[Section]:
    """Returns the sections of the changelog since the version that was seen last, the newest first."""
    running = read_version()
    try:
        seen = (folder / FILE).read_text("ascii").strip()
    except (OSError, ValueError):
        seen = ""
    if not _VERSION.fullmatch(seen):
        mark_seen(folder)
        return []
    return [] if seen == running else list_sections(read_changelog(), seen, running)


def mark_seen(folder: Path) -> str | None:
    """Notes that the news of the version that runs have been seen. Returns why it cannot be noted; None: it is."""
    try:
        replace_file(folder / FILE, f"{read_version()}\n".encode())
    except OSError as error:
        return f"cannot write {folder / FILE}: {explain(error)}"
    return None


def list_sections(changelog: str, seen: str, running: str) -> list[Section]:
    """Returns the sections after the version `seen`, up to `running`; one for trial has what is unreleased, too."""
    parts = _HEADING.split(changelog)
    found = zip(parts[1::3], parts[2::3], parts[3::3], strict=True)
    return [
        Section(f"{version}{date}", _FOLD.sub(" ", text.strip()))
        for version, date, text in found
        if text.strip() and _is_after(version, seen, running)
    ]


def _is_after(version: str, seen: str, running: str) -> bool:
    """Whether the section of this version is of what came after `seen`."""
    if version == _UNRELEASED:
        return _order(running)[1] == 0 and _order(running) >= _order(seen)
    return _VERSION.fullmatch(version) is not None and _order(seen) < _order(version) <= _order(running)


def _order(version: str) -> tuple[tuple[int, ...], int]:
    """What versions are compared by; one for trial (0.2.0.dev0) comes before its release."""
    public = version.partition("+")[0]
    numbers = re.match(r"[0-9.]*[0-9]", public)
    is_release = re.fullmatch(r"[0-9.]+", public) is not None
    return tuple(int(each) for each in numbers[0].split(".")) if numbers else (), int(is_release)
