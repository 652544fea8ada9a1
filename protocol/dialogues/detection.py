"""What the dialogues of boards with cameras share: points, and the sentences about detection that is off or disturbed.

The sentences name no maker, so each is translated once.
"""

from __future__ import annotations

from typing import Final

from protocol.segment import Layout, Point, Segment
from protocol.sentence import Sentence, say
from protocol.web_frames import Received, read_number

_FARTHEST: Final = 10_000
"""A metre, in tenths of a millimetre: a point farther off is none."""

STOPPED: Final = say("camera.stopped", "the board is not detecting darts: start detection")
STANDBY: Final = say("camera.standby", "the board stopped detecting darts after a quiet time: start detection")
OFFLINE: Final = say(
    "camera.offline",
    "the board is not detecting darts, and this version starts only after it has reached its maker's server: "
    "check the internet connection of the board, then start detection",
)
STARTING: Final = say("camera.starting", "the board is starting: wait a moment")
CALIBRATING: Final = say("camera.calibrating", "the board is calibrating its cameras: wait until it is done")
SETTING_UP: Final = say("camera.setting_up", "the board is being set up: finish that on its own page")
FAULTY: Final = say("camera.faulty", "the board reports an error: look at its own page")
CAMERA_ERROR: Final = say("camera.camera_error", "a camera of the board has failed: check the cameras and their cables")
NO_CAPTURE: Final = say("camera.no_capture", "the board gets no live pictures: check the cameras on its own page")
STUCK: Final = say("camera.stuck", "the board is stuck in a takeout and counts no darts: reset it")


def say_not_started(received: Received) -> Sentence:
    """Returns that detection was not started, with the answer."""
    return say(
        "camera.not_started",
        "the board did not start detection ({why}): start it on its own page",
        why=_name_answer(received),
    )


def say_not_reset(received: Received) -> Sentence:
    """Returns that the board was not reset, with the answer."""
    return say(
        "camera.not_reset", "the board was not reset ({why}): reset it on its own page", why=_name_answer(received)
    )


def say_closed_off(received: Received) -> Sentence:
    """Returns that the board refuses to be read, although it has no login."""
    return say(
        "camera.closed_off",
        "something in front of the board asks for a login (status {given}): give oche a direct way to the board",
        given=str(received.status),
    )


def say_other_page(name: str) -> Sentence:
    """Returns that what answers is no board of this name."""
    return say("camera.other_page", "what answers at this address is not {name}: check the address", name=name)


def say_not_corrected(received: Received) -> Sentence:
    """Returns that a correction was not passed on to the board, and why."""
    match received.status:
        case 404:
            return say("camera.dart_gone", "the correction stays in oche: the board no longer has this dart")
        case 409:
            return say("camera.locked", "the correction stays in oche: the board is locked at the moment")
        case 400:
            return say("camera.correction_refused", "the correction stays in oche: the board does not accept it")
    return say(
        "camera.not_corrected",
        "the correction stays in oche ({why}): correct this dart on the board's own page too",
        why=_name_answer(received),
    )


def is_done(received: Received) -> bool:
    """Whether this answer says that the request was carried out."""
    return received.status is not None and 200 <= received.status < 300


def read_whole(value: object) -> int | None:
    """The whole number that a board has written, also as text; None for anything else."""
    number = read_number(value)
    return int(number) if number is not None and number.is_integer() else None


def read_point(x: object, y: object, tenths: float) -> Point | None:
    """The point in tenths of a millimetre, one unit being so many; None for anything else, and a metre off."""
    at = read_number(x), read_number(y)
    if at[0] is None or at[1] is None:
        return None
    point = round(at[0] * tenths), round(at[1] * tenths)
    return point if max(map(abs, point)) <= _FARTHEST else None


def find_segment(layout: Layout, segment_id: str | None) -> Segment | None:
    """The segment of that id; None: the layout has none."""
    return layout[segment_id] if segment_id is not None and segment_id in layout else None


def _name_answer(received: Received) -> Sentence:
    if received.failed is not None or received.status is None:
        return say("camera.no_answer", "no answer")
    return say("camera.status", "status {given}", given=str(received.status))
