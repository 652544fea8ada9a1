"""What is carried out once in a process of its own, as the doctor, reports, backups, and the look for boards.

Each is done by what the command of oche does it with.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import msgspec
from msgspec import Raw

from daemon.admin import requests
from daemon.admin.answers import Checks, Json, Refused
from daemon.admin.backup.collect import write_backup
from daemon.admin.backup.staging import stage
from daemon.admin.doctor.broker import check_typed_broker
from daemon.admin.doctor.checks import Check
from daemon.admin.doctor.examine import examine
from daemon.admin.process import AddRestoredArt, AddRestoredSounds, FetchMatches, Given
from daemon.admin.report import make_report
from daemon.admin.scan import SECONDS, find_games, list_wanted_profiles
from daemon.admin.settings.staged_backup import StagedBackup
from daemon.admin.sounds.unpack import add_pack, add_restored
from daemon.admin.temporary import BACKUPS, choose_place, make_work_folder
from daemon.config.reader import DEFAULT_FILE, CheckedConfig, read_config
from daemon.config.sections import League
from daemon.errors import UserError, escape_controls
from daemon.files import RESERVE_BYTES, explain_errors, open_file, open_replacement, rename_draft
from daemon.plugins import loader
from daemon.remedies import suggest_in_daemon
from daemon.sound_packs import list_own_folders, list_sounds
from drivers.network_scan import list_known_hosts
from drivers.scan import format_json, scan_all
from protocol.sentence import say, write_said, write_sentence

Errand = (
    requests.HealthCheck
    | requests.TryBroker
    | requests.MakeReport
    | requests.BackupRequest
    | requests.AddSounds
    | AddRestoredSounds
    | requests.AddArt
    | AddRestoredArt
    | requests.FindBoards
    | FetchMatches
)


def carry_out(request: Errand, given: Given, out: BinaryIO | None) -> Checks | Json | None:
    """Returns the answer, or writes it into the file. Raises Refused, UserError and OSError."""
    match request:
        case requests.HealthCheck():
            return asyncio.run(_collect(examine(given.file)))
        case requests.TryBroker():
            assert given.broker is not None
            return asyncio.run(_collect(check_typed_broker(given.broker)))
        case requests.MakeReport():
            assert out is not None
            out.write(asyncio.run(make_report(given.file, lambda _: given.traffic)).packed)
        case requests.MakeBackup(sounds):
            assert out is not None
            _check_room(given.folder, sounds=sounds)
            remarks = write_backup(given.file or DEFAULT_FILE, _read_checked(given), out, given.folder, sounds=sounds)
            return {"remarks": [*map(write_sentence, remarks)]}
        case requests.KeepBackup():
            return _keep(given)
        case requests.StageBackup(file):
            return _stage(file, given)
        case requests.AddSounds() | requests.AddArt():
            return _add(request, given.folder)
        case AddRestoredSounds() | AddRestoredArt():
            return _add_restored(request, given.folder)
        case requests.FindBoards() | FetchMatches():
            loader.load_again(given.sources)
            return _find_boards(given) if isinstance(request, requests.FindBoards) else _fetch(request.league, given)
    return None


async def _collect(examination: AsyncIterator[Check]) -> Checks:
    return Checks(checks=[Raw(msgspec.json.encode(check.write())) async for check in examination])


def _read_checked(given: Given) -> CheckedConfig | None:
    return None if given.file is None else read_config(given.file)


def _keep(given: Given) -> Json:
    _check_room(given.folder)
    file = choose_place(given.folder / BACKUPS, "oche-backup", ".tar.gz")
    with explain_errors(f"cannot write {file}", suggest_in_daemon), make_work_folder(file.parent) as work:
        with open_replacement(work / file.name, mode=0o600) as out:
            remarks = write_backup(given.file or DEFAULT_FILE, _read_checked(given), out, file.parent)
        rename_draft(work / file.name, file)  # so that nothing of one that is cut off stays beside the others
    return {"file": str(file), "bytes": file.stat().st_size, "remarks": [*map(str, remarks)]}


def _check_room(folder: Path, *, sounds: bool = False) -> None:
    """Raises Refused for a backup of the state folder that might fill the disk that it is on, and OSError."""
    sizes = {file: file.stat().st_size for file in folder.iterdir() if file.is_file()}
    copies = sum(size for file, size in sizes.items() if file.suffix in (".sqlite3", ".db"))  # which it is made of
    loud = _measure_packs(folder) if sounds else 0
    needed = sum(sizes.values()) + copies + 2 * loud + RESERVE_BYTES  # packs are zipped first
    if needed <= (free := shutil.disk_usage(folder).free):
        return
    said = say(
        "care.no_room",
        "the disk has too little room to make a backup there first: {free} MB are free, and it "
        "may need {needed} MB. Free some space, or run  oche backup FILE  on the machine, with "
        "FILE on another disk",
        free=str(free // 1_000_000),
        needed=str(-(-needed // 1_000_000)),
    )
    raise Refused("unavailable", said)


def _measure_packs(folder: Path) -> int:
    """Returns the bytes of the sound packs that can be read: those are in a backup."""
    size = 0
    with suppress(OSError):
        for pack in list_own_folders(folder):
            with suppress(OSError):
                size += sum(sound.stat().st_size for sound in list_sounds(pack))
    return size


def _stage(file: Path, given: Given) -> Json:
    """Returns what is in the backup, and where it was staged."""
    staged = StagedBackup.choose_folder(given.folder)
    try:
        with open_file(file) as source:
            summary = stage(source, given.file or DEFAULT_FILE, staged)
    except UserError as error:
        said = escape_controls(error.said) if isinstance(error.said, str) else error.said
        raise Refused("unavailable", write_sentence(said)) from None
    told: Json = msgspec.to_builtins(summary)
    return {**told, "v": 1, "restore": staged.folder.name, "aside": str(staged.aside)}


def _add(request: requests.AddSounds | requests.AddArt, folder: Path) -> Json:
    from daemon.admin.art.unpack import add_art  # noqa: PLC0415  hardly ever needed, as below

    add = add_pack if isinstance(request, requests.AddSounds) else add_art
    try:
        told: Json = msgspec.to_builtins(add(request.file, request.name, folder))
    except UserError as error:
        raise Refused("invalid", write_sentence(error.said)) from None
    return told


def _add_restored(request: AddRestoredSounds | AddRestoredArt, folder: Path) -> Json:
    from daemon.admin.art.unpack import add_restored_art  # noqa: PLC0415

    add = add_restored if isinstance(request, AddRestoredSounds) else add_restored_art
    return {"done": add(request.file, folder)}


def _find_boards(given: Given) -> Json:
    profiles = list_wanted_profiles(given.profiles)
    found = asyncio.run(scan_all(profiles, SECONDS, list_known_hosts(), heard=given.heard))
    return dict(msgspec.json.decode(format_json(found, find_games(profiles))))


def _fetch(league: League, given: Given) -> Json:
    from daemon.admin.history.fetch import fetch_known_more  # noqa: PLC0415  only where there is a league

    found = [*fetch_known_more(given.folder, league, given.layouts)]
    failed = [each for each in found if each.trouble]
    return {
        "fetched": len(found) - len(failed),
        "failed": [{"table": each.table, "match": each.match, **write_said("reason", each.trouble)} for each in failed],
    }
