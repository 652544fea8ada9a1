"""Requests about art: how the scoreboard looks, and what it shows and plays at an event."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from daemon.admin.answers import Answer, Sound
from daemon.admin.requests.asked import Asked, Request

MOST_EVENT_FILE_BYTES = 1_000_000


class ListArt(Request, frozen=True):
    """The art that there is, each with its files for events."""


class ReadArt(Request, frozen=True):
    """A file of art: a picture, a sound, or its style sheet `art.css`."""

    art: str
    """Its name."""
    name: str
    tag: str = ""
    """That of the list in which its name was found."""


class AddArt(Request, frozen=True):
    """Adds the art in a zip that is uploaded, in place of one with the same name."""

    file: Path
    name: str = ""


class SetEventFile(Request, frozen=True):
    """Stores one's own picture (`kind` is "picture") or sound ("sound") for an event; empty content removes it."""

    event: str
    kind: str
    content: bytes = b""


class RemoveArt(Request, frozen=True):
    """Removes art."""

    art: str
    """Its name."""


ArtRequest = ListArt | ReadArt | AddArt | SetEventFile | RemoveArt
ART: Mapping[type[Request], Asked] = {
    ListArt: Asked("look", "GET /api/art"),
    ReadArt: Asked("look", "GET /art/{art}/{name}", answer=Sound),
    AddArt: Asked("setup", "POST /api/art", alone=True, body="file"),
    SetEventFile: Asked(
        "setup",
        "POST /api/art/event",
        changes=True,
        body="content",
        most_bytes=MOST_EVENT_FILE_BYTES,
        answer=Answer,
    ),
    RemoveArt: Asked("setup", "POST /api/art/remove", changes=True, answer=Answer),
}
