"""Requests about boards: finding, trying, recording and learning them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from msgspec import Meta, Struct

from daemon.admin.answers import File
from daemon.admin.requests.asked import Asked, Request


class FindBoards(Request, frozen=True):
    """Looks for boards that are plugged in, on Bluetooth or on the network, and for profiles that fit."""


class TryBoard(Request, frozen=True):
    """Tries out a board; this ends another tryout. `profile` as in the configuration of a table.

    `token`: that of the board, where it asks for one; without it, that of the table which plays on this board.
    """

    board: str
    profile: str = ""
    token: Annotated[str, Meta(max_length=512)] = ""


class _LongPoll(Request, frozen=True):
    """With the version of an earlier answer as `since`, the answer comes once there is a newer version."""

    since: str = ""


class ReadTryout(_LongPoll, frozen=True):
    """What the board that is tried out has sent; with `since`, waits for more."""


class StopTryout(Request, frozen=True):
    """Stops trying out a board."""


class _AtTable(Request, frozen=True):
    table: Annotated[str, Meta(min_length=1, max_length=40)]


class Capture(_AtTable, frozen=True):
    """Starts or stops recording the raw traffic of a table's board; it stops by itself after `seconds`."""

    capture: Literal["start", "stop"]
    seconds: Annotated[int, Meta(ge=1, le=3600)] = 300


class Identify(_AtTable, frozen=True):
    """Makes the board and the page of a table show which they are."""


class BoardDescription(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    r"""What its owner knows of a board that oche learns. `name` is the name of the new profile.

    `frame` is what the board sends for a hit, as in `{row},{col}`, or `*` for any message; None: the presses show it.
    `end` is what ends a message, with backslashes as in `\r`; None: a new line. `size`: each message has this many
    bytes. `profile` is a profile in which only the mat is wrong.
    """

    board: str
    name: Annotated[str, Meta(min_length=1, max_length=40)]
    frame: str | None = None
    end: str | None = None
    size: Annotated[int, Meta(ge=1, le=64)] | None = None
    profile: str | None = None


class ReadLearning(_LongPoll, frozen=True):
    """How far learning a board has come, and what to press next; with `since`, waits for a change."""


class ReadProfile(Request, frozen=True):
    """The profile of a learned board, as a file."""

    name: str


class StartLearning(BoardDescription, Request, frozen=True):
    """Starts learning a board."""


class ResumeLearning(Request, frozen=True):
    """Resumes learning a board after the stored presses."""


class UndoPress(Request, frozen=True):
    """Takes back the last press."""


class SkipPress(Request, frozen=True):
    """Skips the current bed: the board does not have it."""


class SaveProfile(Request, frozen=True):
    """Writes the profile of the board, which ends learning."""


class StopLearning(Request, frozen=True):
    """Stops learning a board; the presses stay stored."""


BoardRequest = FindBoards | TryBoard | ReadTryout | StopTryout | Capture | Identify

LearnRequest = (
    ReadLearning | ReadProfile | StartLearning | ResumeLearning | UndoPress | SkipPress | SaveProfile | StopLearning
)
BOARDS: Mapping[type[Request], Asked] = {
    FindBoards: Asked("setup", "POST /api/boards/scan", command="scan"),
    TryBoard: Asked("setup", "POST /api/boards/try", changes=True),
    ReadTryout: Asked("setup", "GET /api/boards/try"),
    StopTryout: Asked("setup", "POST /api/boards/stop", changes=True),
    Capture: Asked("setup", mqtt="capture", command="capture", changes=True),
    Identify: Asked("setup", mqtt="identify"),
    ReadLearning: Asked("setup", "GET /api/learn"),
    ReadProfile: Asked("setup", "GET /api/learn/profile/{name}", answer=File),
    StartLearning: Asked("setup", "POST /api/learn/start", command="boards learn", changes=True),
    ResumeLearning: Asked("setup", "POST /api/learn/resume", command="boards learn", changes=True),
    UndoPress: Asked("setup", "POST /api/learn/undo", changes=True),
    SkipPress: Asked("setup", "POST /api/learn/skip", changes=True),
    SaveProfile: Asked("setup", "POST /api/learn/save", changes=True),
    StopLearning: Asked("setup", "POST /api/learn/stop", changes=True),
}
