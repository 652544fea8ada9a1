"""What the machine can be asked for: one type for each request, with who may ask it, and on which of three ways.

The mirror of protocol/commands.py, which has what a table can be asked for. The routes of the page and the topics of
the bridge are made from it (daemon/admin/faces/), and so is the table in docs/architecture.md. A face only decodes,
asks (daemon/admin/admin.py) and encodes; what carries a request out knows neither HTTP nor MQTT.

What comes in a query is a text as it was written. What takes a body has the fields of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import UnionType
from typing import IO, Annotated, Any, Literal, NamedTuple

from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from daemon.config.sections import Doubles
from protocol.player_names import MAX_NAME
from protocol.sentence import Sentence, say

Json = dict[str, Any]  # Any: JSON
Code = Literal["invalid", "unknown", "illegal", "changed", "busy", "unavailable", "stale"]


class Refused(Exception):
    """A request that is not carried out: `said` is why, also as `write_sentence` has written it.

    `wait_s` is when to try again, 0.0 where that is not known.
    """

    def __init__(self, code: Code, said: str | Sentence | Mapping[str, Any], wait_s: float = 0.0) -> None:
        super().__init__(code, said)
        self.code: Code = code
        self.said = said
        self.wait_s = wait_s


BUSY = say("care.busy", "another report, backup or examination is being made: try again when it is there")
"""Why nothing is carried out that is to be carried out alone."""


class File(NamedTuple):
    """An answer that is a file of this name and media type, as its content or to be read from its beginning.

    One that is `secret` is kept by no client that does not save it.
    """

    name: str
    kind: str
    content: bytes | IO[bytes]
    secret: bool = True


class Picture(NamedTuple):
    """An answer that is a picture of this media type; another one has another `id`."""

    id: str
    kind: str
    content: bytes


class Entry(NamedTuple):
    """An answer to a client that gets the right of the setup by it, also where the page moves to this port."""

    told: Json
    port: int = 0


class Answer(Struct, kw_only=True):
    """An answer in JSON."""

    v: int = 1


class Reading(Answer, kw_only=True):
    """What is read has so many of so many parts by now: ask again."""

    reading: Mapping[str, int]


class Checks(Answer, kw_only=True):
    """What the doctor says, a JSON object for each thing that was looked at."""

    checks: Sequence[Raw]


class Asked(NamedTuple):
    """How a request is asked for.

    `role` is what a client of the page needs for it. `page` is a method and a path, `mqtt` the name in the topic of a
    bridge, `command` what is typed after `oche`; "" where it is not to be had like that. It `changes` what is kept or
    what runs, or only reads. Of those that are `alone` one is carried out at a time, until its answer is sent.
    `body` is what the page sends with a POST: the fields as JSON, or what the field of this name is to have, as it is;
    the other fields are in the query then, and a `file`, which may be large, is received before it is asked.
    """

    role: Literal["setup", "play", "look"]
    page: str = ""
    mqtt: str = ""
    command: str = ""
    changes: bool = False
    alone: bool = False
    body: Literal["json", "content", "file"] = "json"
    answer: type | UnionType = dict


class Request(Struct, frozen=True, forbid_unknown_fields=True):
    """Something that the machine is asked for."""


class _Selected(Request, frozen=True):
    game: str | None = None
    since: str | None = None
    table: str | None = None
    bots: str | None = None


class ListFigures(_Selected, frozen=True):
    """Who has played and how well, a line for each player."""


class ReadFigures(_Selected, frozen=True):
    """All figures of a player, game by game."""

    name: str = ""


class ListMatches(Request, frozen=True):
    """The matches that are over, the latest first."""

    player: str | None = None
    game: str | None = None
    table: str | None = None
    since: str | None = None
    before: str | None = None


class ReadMatch(Request, frozen=True):
    """What the sides of a match came to, leg by leg."""

    match: str


class ReadSteps(Request, frozen=True):
    """The states of a match, one after the other, from this one on."""

    match: str
    first: str = "0"


class ReadRecord(Request, frozen=True):
    """The record of a match."""

    match: str


class ListPlayers(Request, frozen=True):
    """Who is known here, the latest first."""


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
    """Keeps the picture of a player; without content it is removed."""

    name: str = ""
    content: bytes = b""


class RenamePlayer(Request, frozen=True):
    """Calls a player by another name, in all that was played, too."""

    name: str
    to: str


class MergePlayers(Request, frozen=True):
    """Makes two players one, who is called `to`."""

    name: str
    to: str


class SplitPlayer(Request, frozen=True):
    """Makes a name that was merged a player of its own again."""

    name: str


class ForgetPlayer(Request, frozen=True):
    """Forgets a player for good; counts the matches of the player where it is not `sure`."""

    name: str
    sure: bool = False


class Change(Struct, frozen=True, forbid_unknown_fields=True):
    """The value at this path, such as `["table", 0, "takeout"]`; None leaves it out, so that it has its default.

    At the number after the last of a list a value is added; an element of a list that is left out is removed.
    """

    path: tuple[str | int, ...]
    value: Any = None  # Any: TOML


class OptionChange(Struct, frozen=True):
    """The value of the configuration at this path; without one the default. See POST /api/settings in web.md."""

    path: Annotated[tuple[str | int, ...], Meta(min_length=1)]
    value: Any = None  # Any: TOML


class ReadSettings(Request, frozen=True):
    """What is written in the configuration and what it comes to, the form, and whether it can be changed."""


class ReadHomeAssistant(Request, frozen=True):
    """What Home Assistant is told of."""


class _Changed(Request, frozen=True):
    version: str
    changes: tuple[Change, ...] = ()
    password: str | None = None
    """The broker's."""


class ChangeSettings(_Changed, frozen=True):
    """Changes the configuration, and starts anew with it."""


class ChangeOptions(Request, frozen=True):
    """Changes the configuration; without `changes` only its version is told.

    With a `version` it is changed only while it is this one.
    """

    changes: tuple[OptionChange, ...] = ()
    version: str | UnsetType | None = UNSET


class RevertSettings(Request, frozen=True):
    """Takes back the last change of the configuration."""

    version: str


class RestoreBackup(Request, frozen=True):
    """Puts back parts of the backup that was staged under this name."""

    version: str
    restore: str
    parts: Annotated[tuple[Literal["config", "state"], ...], Meta(min_length=1)]


class TryBroker(_Changed, frozen=True):
    """What the doctor says of a broker as it was typed; nothing is written."""


class MakeToken(Request, frozen=True):
    """Makes another token of the page, or of the setup; the former one ends."""

    role: Literal["play", "setup"]


class ReadTraffic(Request, frozen=True):
    """The latest bytes of each board, as a recording."""


class WatchBoards(Request, frozen=True):
    """The same bytes, and what became of the events in them."""


class ReadLog(Request, frozen=True):
    """The latest lines of the log; those after the line with the number `since`."""

    since: str = "0"


class ReadNews(Request, frozen=True):
    """What is new since the version that was seen last."""


class MarkNews(Request, frozen=True):
    """Notes that the news have been seen."""


class MakeReport(Request, frozen=True):
    """What a bug report needs, in one file."""


class HealthCheck(Request, frozen=True):
    """Has the doctor look."""


class Restart(Request, frozen=True):
    """Starts the daemon anew."""


class MakeBackup(Request, frozen=True):
    """Everything into one file: configuration, matches, keys."""


class KeepBackup(Request, frozen=True):
    """Writes a backup beside the journals."""


class StageBackup(Request, frozen=True):
    """Checks a backup as a whole, and tells what is in it; nothing is changed."""

    file: IO[bytes]


class FindBoards(Request, frozen=True):
    """What is plugged in or in the air, and which profile fits."""


class TryBoard(Request, frozen=True):
    """Listens to a board, in the place of one before; without a `profile` by that of a table that names none."""

    board: str
    profile: str = ""


class ReadTrial(Request, frozen=True):
    """What the board has said that is tried out; with `since` once it is of another version."""

    since: str = ""


class StopTrial(Request, frozen=True):
    """Ends the trial of a board."""


_Table = Annotated[str, Meta(min_length=1, max_length=40)]


class Capture(Request, frozen=True):
    """Begins to record the raw traffic of a table's board, for at most so many seconds, or ends that."""

    table: _Table
    capture: Literal["start", "stop"]
    seconds: Annotated[int, Meta(ge=1, le=3600)] = 300


class Identify(Request, frozen=True):
    """Shows which board and page are those of a table."""

    table: _Table


class Described(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    r"""A board as its owner describes it. `name` is what its profile will be called.

    `frame` is what it sends for a hit, as in `{row},{col}`, or `*` for frames of any kind; None: the presses show it.
    `end` is what ends a frame, with backslashes as in `\r`; None: a new line. `size`: frames of so many bytes.
    `profile` is one that has all but the mat right.
    """

    board: str
    name: Annotated[str, Meta(min_length=1, max_length=40)]
    frame: str | None = None
    end: str | None = None
    size: Annotated[int, Meta(ge=1, le=64)] | None = None
    profile: str | None = None


class ReadLearning(Request, frozen=True):
    """What is so with the board that is learned; with `since` once it is of another version."""

    since: str = ""


class ReadProfile(Request, frozen=True):
    """A profile that was written."""

    name: str


class StartLearning(Described, Request, frozen=True):
    """Begins to learn a board, from the first press on."""


class ResumeLearning(Request, frozen=True):
    """Goes on with the presses that are kept."""


class UndoPress(Request, frozen=True):
    """Takes the last press back."""


class SkipPress(Request, frozen=True):
    """Notes that the board has no such bed."""


class SaveProfile(Request, frozen=True):
    """Writes the profile of the board that is learned, and ends."""


class StopLearning(Request, frozen=True):
    """Ends; the presses are kept."""


FiguresRequest = ListFigures | ReadFigures | ListMatches | ReadMatch | ReadSteps | ReadRecord
BookChange = ChangePlayer | SetPicture | RenamePlayer | MergePlayers | SplitPlayer
"""What changes the book of players alone."""
PlayerRequest = ListPlayers | ReadPicture | ForgetPlayer | BookChange
SettingsRequest = (
    ReadSettings
    | ReadHomeAssistant
    | ChangeSettings
    | ChangeOptions
    | RevertSettings
    | RestoreBackup
    | TryBroker
    | MakeToken
)
CareRequest = ReadTraffic | WatchBoards | ReadLog | ReadNews | MarkNews | MakeReport | HealthCheck | Restart
BackupRequest = MakeBackup | KeepBackup | StageBackup
BoardRequest = FindBoards | TryBoard | ReadTrial | StopTrial | Capture | Identify
LearnRequest = (
    ReadLearning | ReadProfile | StartLearning | ResumeLearning | UndoPress | SkipPress | SaveProfile | StopLearning
)
ASKED: Mapping[type[Request], Asked] = {
    # statistics and matches
    ListFigures: Asked("look", "GET /api/stats", command="stats", answer=Raw | Reading),
    ReadFigures: Asked("look", "GET /api/stats/player", command="stats", answer=Raw | Reading),
    ListMatches: Asked("look", "GET /api/matches", command="history list", answer=Raw | Reading),
    ReadMatch: Asked("look", "GET /api/match/{match}", command="history show", answer=Raw),
    ReadSteps: Asked("look", "GET /api/match/{match}/steps", answer=Raw),
    ReadRecord: Asked("look", "GET /api/match/{match}/record", command="history export", answer=File),
    # players
    ListPlayers: Asked("look", "GET /api/players", command="players list", answer=list),
    ReadPicture: Asked("look", "GET /api/players/picture/{picture}", answer=Picture),
    ChangePlayer: Asked("play", "POST /api/players", changes=True, answer=Answer),
    SetPicture: Asked("play", "POST /api/players/picture", changes=True, body="content", answer=Answer),
    RenamePlayer: Asked("setup", "POST /api/players/rename", command="players rename", changes=True, answer=Answer),
    MergePlayers: Asked("setup", "POST /api/players/merge", command="players merge", changes=True, answer=Answer),
    SplitPlayer: Asked("setup", "POST /api/players/split", command="players split", changes=True, answer=Answer),
    ForgetPlayer: Asked("setup", "POST /api/players/forget", command="players forget", changes=True),
    # settings
    ReadSettings: Asked("setup", "GET /api/settings"),
    ReadHomeAssistant: Asked("setup", "GET /api/settings/home_assistant", answer=Struct),
    ChangeSettings: Asked("setup", "POST /api/settings", changes=True, answer=dict | Entry),
    ChangeOptions: Asked("setup", mqtt="options", changes=True),
    RevertSettings: Asked("setup", "POST /api/settings/revert", changes=True, answer=dict | Entry),
    RestoreBackup: Asked("setup", "POST /api/settings/restore", command="restore", changes=True, answer=dict | Entry),
    TryBroker: Asked("setup", "POST /api/settings/broker", answer=Checks),
    MakeToken: Asked("setup", "POST /api/settings/token", command="token", changes=True, answer=dict | Entry),
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
    # boards
    FindBoards: Asked("setup", "POST /api/boards/scan", command="scan"),
    TryBoard: Asked("setup", "POST /api/boards/try", changes=True),
    ReadTrial: Asked("setup", "GET /api/boards/try"),
    StopTrial: Asked("setup", "POST /api/boards/stop", changes=True),
    Capture: Asked("setup", mqtt="capture", command="capture", changes=True),
    Identify: Asked("setup", mqtt="identify"),
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
"""How each of them is asked for."""
