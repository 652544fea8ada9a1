"""What the machine can be asked for: one type for each request, who may make it, and in which of three ways.

The mirror of protocol/commands.py, which has what a table can be asked for. The routes of the page and the topics of
the bridge are made from it (daemon/admin/faces/), and so is the table in docs/architecture.md. A face only decodes,
asks (daemon/admin/admin.py) and encodes; what carries a request out knows neither HTTP nor MQTT.

The fields of a request are those of its JSON body. Those of one that is read (a GET) come in its address, as texts,
which what carries it out has to check.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from daemon.admin.answers import Answer, Checks, File, Picture, SetupGrant, Sound, StillReading
from daemon.config.sections import Doubles
from protocol.player_names import MAX_NAME

MOST_RECORDED_NAME_BYTES = 200_000


class Asked(Struct, frozen=True):
    """How a request can be made, and what it answers.

    * `role`: the right that a client of the page needs.
    * `page`: the method and the path on the page; `mqtt`: the name in the topic of the bridge; `command`: the
      subcommand of `oche` for the same purpose, which needs no daemon. "": it cannot be made in this way.
    * `changes`: it changes what is stored or what runs; otherwise it only reads. Changes of players wait for each
      other, and so do those of the configuration, and those of sound packs; none waits for anything else.
    * `alone`: only one request with this mark runs at a time; a backup counts as running until it is sent.
    * `body`: what the body of a POST is. "json": all fields. Otherwise it is the content of the field of this name, and
      the other fields are in the address; a "file" can be large, and is received before the request is made.
    * `most_bytes`: how long a body can be that is no "file"; None: as that of any request.
    * `answer`: the type of the answer.
    """

    role: Literal["setup", "play", "look"]
    page: str = ""
    mqtt: str = ""
    command: str = ""
    changes: bool = False
    alone: bool = False
    body: Literal["json", "content", "file"] = "json"
    most_bytes: int | None = None
    answer: type | UnionType = dict


class Request(Struct, frozen=True, forbid_unknown_fields=True):
    """A request to this machine."""


class _MatchSelection(Request, frozen=True):
    """Which matches count; None: all."""

    game: str | None = None
    since: str | None = None
    table: str | None = None


class _FiguresSelection(_MatchSelection, frozen=True):
    """Which players count; with `bots` "1" bots too."""

    bots: str | None = None


class ListFigures(_FiguresSelection, frozen=True):
    """The statistics of all players, one line for each."""


class ReadFigures(_FiguresSelection, frozen=True):
    """All statistics of a player, game by game."""

    name: str = ""


class ListMatches(_MatchSelection, frozen=True):
    """The finished matches, latest first."""

    player: str | None = None
    before: str | None = None


class _OneMatch(Request, frozen=True):
    match: str
    """Its id."""


class ReadMatch(_OneMatch, frozen=True):
    """The result of a match, leg by leg."""


class ReadSteps(_OneMatch, frozen=True):
    """The states of a match in order, from the state number `first` on."""

    first: str = "0"


class ReadRecord(_OneMatch, frozen=True):
    """The record of a match, as a file."""


class ListPlayers(Request, frozen=True):
    """The known players, the latest to play first."""


class ReadPicture(Request, frozen=True):
    """The picture of a player."""

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


class SetPicture(Request, frozen=True):
    """Stores the picture of a player; empty content removes it."""

    name: str = ""
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


class Change(Struct, frozen=True, forbid_unknown_fields=True):
    """A change of the configuration: sets the value at this path, such as `["table", 0, "takeout"]`; None: the default.

    The number after the last element of a list adds an element; an element without a value is removed.
    """

    path: tuple[str | int, ...]
    value: Any = None  # Any: TOML


class OptionChange(Struct, frozen=True):
    """Sets the value at this path of the configuration; None: the default. See POST /api/settings in web.md."""

    path: Annotated[tuple[str | int, ...], Meta(min_length=1)]
    value: Any = None  # Any: TOML


class ReadSettings(Request, frozen=True):
    """The configuration as in its file and as in use, the form for it, and whether it can be changed."""


class ReadHomeAssistant(Request, frozen=True):
    """What is announced to Home Assistant."""


class _AtVersion(Request, frozen=True):
    version: str
    """The version of the configuration that the client has seen; if it has changed since, the request is refused."""


class _SettingsChanges(_AtVersion, frozen=True):
    changes: tuple[Change, ...] = ()
    password: str | None = None
    """The password for the broker; None: unchanged."""


class ChangeSettings(_SettingsChanges, frozen=True):
    """Changes the configuration, and restarts with it."""


class ChangeOptions(Request, frozen=True):
    """Changes the configuration; without `changes` it only answers with the version.

    With a `version`, the request is refused if the configuration has another version by now.
    """

    changes: tuple[OptionChange, ...] = ()
    version: str | UnsetType | None = UNSET


class RevertSettings(_AtVersion, frozen=True):
    """Takes back the last change of the configuration."""


class RestoreBackup(_AtVersion, frozen=True):
    """Restores parts of the backup that was uploaded and checked under the name `restore`."""

    restore: str
    parts: Annotated[tuple[Literal["config", "state"], ...], Meta(min_length=1)]


class TryBroker(_SettingsChanges, frozen=True):
    """Runs the doctor's check of the broker with these changes; nothing is written."""


class MakeToken(Request, frozen=True):
    """Makes a new token for the page or for the setup; the old one is no longer valid."""

    role: Literal["play", "setup"]


class ReadTraffic(Request, frozen=True):
    """The latest bytes of each board, as a recording."""


class WatchBoards(Request, frozen=True):
    """The same bytes, and what happened to each event in them."""


class ReadLog(Request, frozen=True):
    """The latest lines of the log, after the line with the number `since`."""

    since: str = "0"


class ReadNews(Request, frozen=True):
    """The changes since the version whose news were last marked as seen."""


class MarkNews(Request, frozen=True):
    """Marks the news as seen."""


class MakeReport(Request, frozen=True):
    """Makes a file with what a bug report needs."""


class HealthCheck(Request, frozen=True):
    """Runs the doctor on this machine."""


class Restart(Request, frozen=True):
    """Restarts the daemon; matches go on."""


class MakeBackup(Request, frozen=True):
    """Makes a backup file with everything: configuration, matches, keys; with `sounds` also the sound packs."""

    sounds: bool = False


class KeepBackup(Request, frozen=True):
    """Writes a backup into a folder beside the journals."""


class StageBackup(Request, frozen=True):
    """Uploads a backup and checks all of it; the answer says what is in it. Nothing is changed."""

    file: Path


class FindBoards(Request, frozen=True):
    """Looks for boards that are plugged in, on Bluetooth or on the network, and for profiles that fit."""


class TryBoard(Request, frozen=True):
    """Tries out a board; this ends another tryout. `profile` as in the configuration of a table."""

    board: str
    profile: str = ""


class FindLights(Request, frozen=True):
    """Looks for lights among the hosts of the network that this machine knows."""


class TryLight(_AtVersion, frozen=True):
    """Shows each scene on the light with this number in the configuration, with these changes, and puts the light back.

    Nothing is written. The changes are those of `[[outlets.light]]` and `[[outlets.scene]]` only. With `scene` only
    that one is shown. One light is tried at a time, for a minute at most; the answer names the scenes that were shown.
    """

    light: Annotated[int, Meta(ge=0)]
    changes: tuple[Change, ...] = ()
    scene: str | None = None


class StopLight(Request, frozen=True):
    """Ends the trial of a light, which answers once the light is back."""


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


class ListSounds(Request, frozen=True):
    """The sound packs."""


class _OnePack(Request, frozen=True):
    pack: str
    """Its name."""


class ReadSounds(_OnePack, frozen=True):
    """The files of a sound pack, by their keys."""


class ReadSound(_OnePack, frozen=True):
    """A file of a sound pack."""

    name: str
    tag: str = ""
    """That of the index in which its name was found."""


class AddSounds(Request, frozen=True):
    """Adds the sound pack in a zip that is uploaded, in place of one with the same name."""

    file: Path
    name: str = ""


class RemoveSounds(_OnePack, frozen=True):
    """Removes a sound pack."""


FiguresRequest = ListFigures | ReadFigures | ListMatches | ReadMatch | ReadSteps | ReadRecord
BookChange = ChangePlayer | SetPicture | SetRecordedName | RenamePlayer | MergePlayers | SplitPlayer
"""Requests that change only the list of players."""
PlayerRequest = ListPlayers | ReadPicture | ReadRecordedName | ForgetPlayer | BookChange
SettingsRequest = ReadSettings | ChangeSettings | ChangeOptions | RevertSettings | RestoreBackup | TryBroker | MakeToken
CareRequest = ReadTraffic | WatchBoards | ReadLog | ReadNews | MarkNews | MakeReport | HealthCheck | Restart
BackupRequest = MakeBackup | KeepBackup | StageBackup
SoundRequest = ListSounds | ReadSounds | ReadSound | AddSounds | RemoveSounds
BoardRequest = FindBoards | TryBoard | ReadTryout | StopTryout | Capture | Identify
LightRequest = FindLights | TryLight | StopLight
LearnRequest = (
    ReadLearning | ReadProfile | StartLearning | ResumeLearning | UndoPress | SkipPress | SaveProfile | StopLearning
)
ASKED: Mapping[type[Request], Asked] = {
    # statistics and matches
    ListFigures: Asked("look", "GET /api/stats", command="stats", answer=Raw | StillReading),
    ReadFigures: Asked("look", "GET /api/stats/player", command="stats", answer=Raw | StillReading),
    ListMatches: Asked("look", "GET /api/matches", command="history list", answer=Raw | StillReading),
    ReadMatch: Asked("look", "GET /api/match/{match}", command="history show", answer=Raw),
    ReadSteps: Asked("look", "GET /api/match/{match}/steps", answer=Raw),
    ReadRecord: Asked("look", "GET /api/match/{match}/record", command="history export", answer=File),
    # players
    ListPlayers: Asked("look", "GET /api/players", command="players list", answer=list),
    ReadPicture: Asked("look", "GET /api/players/picture/{picture}", answer=Picture),
    ChangePlayer: Asked("play", "POST /api/players", changes=True, answer=Answer),
    SetPicture: Asked("play", "POST /api/players/picture", changes=True, body="content", answer=Answer),
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
    # settings
    ReadSettings: Asked("setup", "GET /api/settings"),
    ReadHomeAssistant: Asked("setup", "GET /api/settings/home_assistant", answer=Struct),
    ChangeSettings: Asked("setup", "POST /api/settings", changes=True, answer=dict | SetupGrant),
    ChangeOptions: Asked("setup", mqtt="options", changes=True),
    RevertSettings: Asked("setup", "POST /api/settings/revert", changes=True, answer=dict | SetupGrant),
    RestoreBackup: Asked(
        "setup", "POST /api/settings/restore", command="restore", changes=True, answer=dict | SetupGrant
    ),
    TryBroker: Asked("setup", "POST /api/settings/broker", answer=Checks),
    MakeToken: Asked("setup", "POST /api/settings/token", command="token", changes=True, answer=dict | SetupGrant),
    # care
    ReadTraffic: Asked("setup", "GET /api/care/traffic"),
    WatchBoards: Asked("setup", "GET /api/care/watch"),
    ReadLog: Asked("setup", "GET /api/care/log"),
    ReadNews: Asked("setup", "GET /api/care/news"),
    MarkNews: Asked("setup", "POST /api/care/news", changes=True, answer=Answer),
    MakeReport: Asked("setup", "POST /api/care/report", command="report", alone=True, answer=File),
    HealthCheck: Asked("setup", "POST /api/care/doctor", "health_check", "doctor", alone=True, answer=Checks),
    Restart: Asked("setup", "POST /api/care/restart", "restart", changes=True, answer=Answer),
    # backups
    MakeBackup: Asked("setup", "POST /api/care/backup", command="backup", alone=True, answer=File),
    KeepBackup: Asked("setup", mqtt="backup", alone=True),
    StageBackup: Asked("setup", "POST /api/care/restore", alone=True, body="file"),
    # sound packs
    ListSounds: Asked("look", "GET /api/sounds"),
    ReadSounds: Asked("look", "GET /api/sounds/{pack}", answer=Struct),
    ReadSound: Asked("look", "GET /sounds/{pack}/{name}", answer=Sound),
    AddSounds: Asked("setup", "POST /api/sounds", alone=True, body="file"),
    RemoveSounds: Asked("setup", "POST /api/sounds/remove", changes=True, answer=Answer),
    # boards
    FindBoards: Asked("setup", "POST /api/boards/scan", command="scan"),
    TryBoard: Asked("setup", "POST /api/boards/try", changes=True),
    ReadTryout: Asked("setup", "GET /api/boards/try"),
    StopTryout: Asked("setup", "POST /api/boards/stop", changes=True),
    Capture: Asked("setup", mqtt="capture", command="capture", changes=True),
    Identify: Asked("setup", mqtt="identify"),
    # lights
    FindLights: Asked("setup", "POST /api/lights/scan", command="scan"),
    TryLight: Asked("setup", "POST /api/lights/try", command="lights try"),
    StopLight: Asked("setup", "POST /api/lights/stop"),
    # learning a board
    ReadLearning: Asked("setup", "GET /api/learn"),
    ReadProfile: Asked("setup", "GET /api/learn/profile/{name}", answer=File),
    StartLearning: Asked("setup", "POST /api/learn/start", command="boards learn", changes=True),
    ResumeLearning: Asked("setup", "POST /api/learn/resume", command="boards learn", changes=True),
    UndoPress: Asked("setup", "POST /api/learn/undo", changes=True),
    SkipPress: Asked("setup", "POST /api/learn/skip", changes=True),
    SaveProfile: Asked("setup", "POST /api/learn/save", changes=True),
    StopLearning: Asked("setup", "POST /api/learn/stop", changes=True),
}
"""All requests, each with how it can be made: the faces are made from this table."""
