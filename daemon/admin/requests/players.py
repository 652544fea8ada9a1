"""Requests about players and their profiles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from daemon.admin.answers import Answer, Picture, Sound
from daemon.admin.requests.asked import Asked, Request
from daemon.config.sections import Doubles
from protocol.player_names import MAX_NAME

MOST_FACE_BYTES = 48_000
"""Of the large picture of a player."""
MOST_RECORDED_NAME_BYTES = 200_000
MOST_GOALS = 5


class Goal(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """`darts` to throw in a week, `days` or `weeks` to play in a row, or an `average` to reach in a game.

    In games that are compared by marks it is the marks per round. `game` is the variant, as statistics have it.
    """

    kind: Literal["darts", "days", "weeks", "average"]
    amount: Annotated[float, Meta(gt=0)]
    game: Annotated[str, Meta(max_length=120)] = ""


Goals = Annotated[tuple[Goal, ...], Meta(max_length=MOST_GOALS)]


class ListPlayers(Request, frozen=True):
    """The known players, the latest to play first."""


class ListMeasured(Request, frozen=True):
    """The players of whom boards have measured enough darts for a bot that throws like them."""


class ReadPicture(Request, frozen=True):
    """The picture of a player, small or large."""

    picture: str


class ChangePlayer(Request, frozen=True):
    """Changes some fields of a player's profile, or adds the player."""

    name: str
    nickname: Annotated[str, Meta(max_length=MAX_NAME)] | UnsetType = UNSET
    colour: Annotated[int, Meta(ge=0, le=7)] | UnsetType | None = UNSET
    doubles: Annotated[Doubles, Meta(max_length=5)] | UnsetType = UNSET
    hand: Literal["", "left", "right"] | UnsetType = UNSET
    sound: Literal["", "name", "rising", "fanfare", "bell", "drum"] | UnsetType = UNSET
    counts: bool | UnsetType = UNSET
    filmed: bool | UnsetType = UNSET
    goals: Goals | UnsetType = UNSET


class SetPicture(Request, frozen=True):
    """Stores a picture of a player: the small one, which removes the large one, then that; empty content removes it."""

    name: str = ""
    size: Literal["small", "large"] = "small"
    content: bytes = b""


class ReadRecordedName(Request, frozen=True):
    """The recording of a player's name."""

    recorded_name: str


class SetRecordedName(Request, frozen=True):
    """Stores the recording of a player's name; empty content removes it."""

    name: str = ""
    content: bytes = b""


class _TwoNames(Request, frozen=True):
    name: str
    to: str


class RenamePlayer(_TwoNames, frozen=True):
    """Renames the player `name` to `to`, in all past matches too."""


class MergePlayers(_TwoNames, frozen=True):
    """Merges the players `name` and `to` into one player called `to`."""


class SplitPlayer(Request, frozen=True):
    """Undoes a merge: `name` is a separate player again."""

    name: str


class ForgetPlayer(Request, frozen=True):
    """Deletes a player for good; without `sure`, only counts the player's matches."""

    name: str
    sure: bool = False


BookChange = ChangePlayer | SetPicture | SetRecordedName | RenamePlayer | MergePlayers | SplitPlayer
"""Requests that change only the list of players."""

PlayerRequest = ListPlayers | ListMeasured | ReadPicture | ReadRecordedName | ForgetPlayer | BookChange
PLAYERS: Mapping[type[Request], Asked] = {
    ListPlayers: Asked("look", "GET /api/players", command="players list", answer=list),
    ListMeasured: Asked("look", "GET /api/players/measured", answer=list),
    ReadPicture: Asked("look", "GET /api/players/picture/{picture}", answer=Picture),
    ChangePlayer: Asked("play", "POST /api/players", changes=True, answer=Answer),
    SetPicture: Asked(
        "play",
        "POST /api/players/picture",
        changes=True,
        body="content",
        most_bytes=MOST_FACE_BYTES,
        answer=Answer,
    ),
    ReadRecordedName: Asked("look", "GET /api/players/recorded_name/{recorded_name}", answer=Sound),
    SetRecordedName: Asked(
        "play",
        "POST /api/players/recorded_name",
        changes=True,
        body="content",
        most_bytes=MOST_RECORDED_NAME_BYTES,
        answer=Answer,
    ),
    RenamePlayer: Asked("setup", "POST /api/players/rename", command="players rename", changes=True, answer=Answer),
    MergePlayers: Asked("setup", "POST /api/players/merge", command="players merge", changes=True, answer=Answer),
    SplitPlayer: Asked("setup", "POST /api/players/split", command="players split", changes=True, answer=Answer),
    ForgetPlayer: Asked("setup", "POST /api/players/forget", command="players forget", changes=True),
}
