"""The process that folds, beside a collector, which ends it: playing matches again takes a whole processor."""

from __future__ import annotations

import asyncio
import logging
import math
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

import psycopg

from daemon.collect.config import read_league_config, set_time_zone
from daemon.collect.database import connect, explain
from daemon.collect.folding import BATCH, fold_all, fold_some, mark_all, mark_stale
from daemon.collect.kept import keep_books, make_stamp
from daemon.collect.migrations import check_tables
from daemon.die_with_parent import die_with
from daemon.errors import UserError
from daemon.plugins import loader
from daemon.release import read_version
from daemon.service import logs
from drivers.backoff import Backoff

log = logging.getLogger("oche.collect")

_LOOK_S = 2.0
_KEEP_S = 60.0
_AGAIN = Backoff(1.0, 60.0)
_CODE = "import sys; sys.path[:] = {path!r}; from daemon.collect.folding_process import main; main({parent}, {file!r})"


async def keep_folding(file: Path) -> None:
    """Has a process fold what the league of this configuration, an absolute path, collects, until cancelled."""
    code = _CODE.format(path=sys.path, parent=os.getpid(), file=str(file))
    random = Random()
    failures = 0
    while True:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-S", "-c", code), stdin=asyncio.subprocess.DEVNULL, process_group=0
        )
        try:
            await process.wait()
        finally:
            with suppress(ProcessLookupError):
                process.kill()  # at any moment: what it had is folded by another one
            await process.wait()  # else its end is found by whoever collects garbage
        failures += 1
        log.error("the folding has ended: it is started again")
        await asyncio.sleep(_AGAIN.delay_s(failures, random))


def main(parent: int, file: str) -> None:
    """Folds as long as the process `parent` is there."""
    if not die_with(parent):
        return
    logs.set_up(identifier="oche-collect")
    path = Path(file)
    for broken in loader.load(path.parent):
        log.warning("%s", broken.said)
    random, failures, trouble = Random(), 0, ""

    def note_success() -> None:
        nonlocal failures, trouble
        failures, trouble = 0, ""

    while True:
        try:
            fold_for_ever(path, note_success)
        except (psycopg.Error, UserError) as error:
            said = explain(error) if isinstance(error, psycopg.Error) else str(error)
            if said != trouble:
                log.error("%s", said)
            failures, trouble = failures + 1, said
            time.sleep(_AGAIN.delay_s(failures, random))


def fold_for_ever(file: Path, note_success: Callable[[], None]) -> None:
    """Folds what there is, and what comes; `note_success` is called once it can. Raises psycopg.Error and UserError."""
    config = read_league_config(file)
    set_time_zone(config.league)
    with connect(config.database) as db:
        with db.transaction():
            check_tables(db)
        version, kept_s = read_version(), -math.inf
        stamp = make_stamp(version, config.league.time_zone)
        mark_stale(db, version)
        note_success()
        while True:
            count = fold_some(db, version)
            if count < BATCH and time.monotonic() > kept_s + _KEEP_S:  # else more wait, which would change it again
                keep_books(db, stamp)
                kept_s = time.monotonic()
            if not count:
                time.sleep(_LOOK_S)


def fold_now(file: Path, *, again: bool) -> int:
    """Folds what there is, everything with `again`; returns how many records. Raises UserError."""
    loader.load(file.parent)
    config = read_league_config(file)
    set_time_zone(config.league)
    try:
        with connect(config.database) as db:
            if again:
                mark_all(db)
            count = fold_all(db)
            keep_books(db, make_stamp(read_version(), config.league.time_zone))
            return count
    except psycopg.Error as error:
        raise UserError(explain(error)) from None
