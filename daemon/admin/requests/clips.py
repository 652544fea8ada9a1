"""Requests about clips: what a camera page keeps of a moment."""

from __future__ import annotations

from collections.abc import Mapping

from daemon.admin.answers import Answer, Sound
from daemon.admin.requests.asked import Asked, Request

MOST_CLIP_BYTES = 3_000_000


class ListClips(Request, frozen=True):
    """The clips of a match, or without one all, the oldest first; and how many are kept, 0: none."""

    match: str = ""


class ReadClip(Request, frozen=True):
    """A clip: a film or a still."""

    clip: str


class AddClip(Request, frozen=True):
    """Keeps a clip of the current match of a table; `line` is that of the moment's dart. The oldest clips go for it."""

    match: str = ""
    line: str = ""
    moment: str = ""
    content: bytes = b""


class RemoveClip(Request, frozen=True):
    """Deletes a clip."""

    clip: str


ClipRequest = ListClips | ReadClip | AddClip | RemoveClip
CLIPS: Mapping[type[Request], Asked] = {
    ListClips: Asked("look", "GET /api/clips"),
    ReadClip: Asked("look", "GET /api/clips/{clip}", answer=Sound),
    AddClip: Asked("play", "POST /api/clips", changes=True, body="content", most_bytes=MOST_CLIP_BYTES),
    RemoveClip: Asked("play", "POST /api/clips/remove", changes=True, answer=Answer),
}
"""Clips: what a camera saw of a moment."""
