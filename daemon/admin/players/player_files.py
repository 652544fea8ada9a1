"""Pictures of players and recordings of their names: what is kept, and what tells one from any other."""

from __future__ import annotations

import hashlib

from msgspec import Struct

from daemon.admin.players.picture_size import read_size
from daemon.admin.requests import MOST_FACE_BYTES, MOST_RECORDED_NAME_BYTES
from daemon.errors import UserError
from daemon.sound_packs import find_kind as find_kind_of_sound
from protocol.sentence import Sentence, say


class PictureLimits(Struct, frozen=True):
    """How many bytes a picture may have, and how many pixels each way."""

    most_bytes: int
    most_pixels: int


SMALL = PictureLimits(8000, 1024)
"""For lists."""
LARGE = PictureLimits(MOST_FACE_BYTES, 480)
_KINDS = {b"\xff\xd8\xff": "image/jpeg", b"\x89PNG\r\n\x1a\n": "image/png", b"RIFF": "image/webp"}
"""How pictures begin."""
_PHONES = ((0, b"\x1aE\xdf\xa3", "audio/webm"), (4, b"ftyp", "audio/mp4"))
"""How recordings of browsers and phones begin beside those that sound packs have: from this byte on, with these."""


class PlayerRefused(UserError):
    """What is asked for cannot be; `said` is why."""

    def __init__(self, said: Sentence) -> None:
        super().__init__(str(said), 2)
        self.said = said


def find_kind(content: bytes, limits: PictureLimits) -> str:
    """The media type of a picture. Raises UserError for what is none, is too large, or moves."""
    if len(content) > limits.most_bytes:
        raise PlayerRefused(
            say("players.large", "a picture may have at most {most} bytes: make it smaller", most=limits.most_bytes)
        )
    kind = next((kind for begin, kind in _KINDS.items() if content.startswith(begin)), None)
    if kind is None or (kind == "image/webp" and content[8:12] != b"WEBP"):
        raise PlayerRefused(say("players.no_picture", "this is not a picture: choose a JPEG, a PNG or a WebP"))
    if max(read_size(content) or (limits.most_pixels + 1,)) > limits.most_pixels:
        raise PlayerRefused(
            say(
                "players.pixels",
                "a picture may be at most {most} pixels wide and high, and not animated: choose another one",
                most=limits.most_pixels,
            )
        )
    return kind


def name_picture(content: bytes | None, limits: PictureLimits = SMALL) -> str | None:
    """What tells this picture from any other; None: there is none that is shown."""
    if content is None:
        return None
    try:
        find_kind(content, limits)
    except PlayerRefused:
        return None
    return make_digest(content)


def find_sound_kind(content: bytes) -> str:
    """The media type of the recording of a name. Raises UserError for what is none, or is too large."""
    if len(content) > MOST_RECORDED_NAME_BYTES:
        raise PlayerRefused(
            say(
                "players.long_recording",
                "a recorded name may have at most {most} bytes: record the name alone",
                most=MOST_RECORDED_NAME_BYTES,
            )
        )
    kind = find_kind_of_sound(content) or next(
        (kind for place, mark, kind in _PHONES if content.startswith(mark, place)), None
    )
    if kind is None:
        said = say("players.no_recording", "this is not a recording: choose an mp3, wav, ogg, webm or mp4 file")
        raise PlayerRefused(said)
    return kind


def make_digest(content: bytes) -> str:
    """Returns what tells this file from any other."""
    return hashlib.sha256(content).hexdigest()[:20]
