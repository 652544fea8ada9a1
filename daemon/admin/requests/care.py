"""Requests for maintenance: doctor, log, report, backup, sound packs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from daemon.admin.answers import Answer, Checks, File, Sound
from daemon.admin.requests.asked import Asked, Request


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


CareRequest = ReadTraffic | WatchBoards | ReadLog | ReadNews | MarkNews | MakeReport | HealthCheck | Restart

BackupRequest = MakeBackup | KeepBackup | StageBackup

SoundRequest = ListSounds | ReadSounds | ReadSound | AddSounds | RemoveSounds
CARE: Mapping[type[Request], Asked] = {
    ReadTraffic: Asked("setup", "GET /api/care/traffic"),
    WatchBoards: Asked("setup", "GET /api/care/watch"),
    ReadLog: Asked("setup", "GET /api/care/log"),
    ReadNews: Asked("setup", "GET /api/care/news"),
    MarkNews: Asked("setup", "POST /api/care/news", changes=True, answer=Answer),
    MakeReport: Asked("setup", "POST /api/care/report", command="report", alone=True, answer=File),
    HealthCheck: Asked("setup", "POST /api/care/doctor", "health_check", "doctor", alone=True, answer=Checks),
    Restart: Asked("setup", "POST /api/care/restart", "restart", changes=True, answer=Answer),
    MakeBackup: Asked("setup", "POST /api/care/backup", command="backup", alone=True, answer=File),
    KeepBackup: Asked("setup", mqtt="backup", alone=True),
    StageBackup: Asked("setup", "POST /api/care/restore", alone=True, body="file"),
    ListSounds: Asked("look", "GET /api/sounds"),
    ReadSounds: Asked("look", "GET /api/sounds/{pack}", answer=Struct),
    ReadSound: Asked("look", "GET /sounds/{pack}/{name}", answer=Sound),
    AddSounds: Asked("setup", "POST /api/sounds", changes=True, body="file"),
    RemoveSounds: Asked("setup", "POST /api/sounds/remove", changes=True, answer=Answer),
}
