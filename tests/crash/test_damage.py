"""Bits are flipped and pages overwritten in the files of a journal, after clean and killed ends: every table plays on.

The match at hand is as it was shown, or the table says in words that it is not. Older matches are there and unchanged,
unless the file has lost its end: those are counted. Only where both the rows and the record of a match are hit can it
be lost, or a bit change it silently: that is one at most.
`make crash ARGS="-k damage"` does two thousand damages and prints what became of them.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
import sys
import zlib
from collections import Counter
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from daemon.config.sections import TableConfig
from daemon.plugins.rule_guard import RuleGuard
from daemon.table.table import Table
from protocol import messages
from protocol.codebook import shipped
from tests.commanding import give
from tests.daemon.process import ended, eventually

MATCHES = 6
JOURNAL = "main.sqlite3"
FILES = {JOURNAL: 4, f"{JOURNAL}-wal": 4, f"{JOURNAL}-shm": 1, f"{JOURNAL}-copy": 1}
"""How often each is damaged, in proportion."""
_PAGE_BYTES = 4096
KINDS = ("one bit", "ten bits", "a page of zeros", "a page of noise", "another page", "its end is missing")
Rows = Mapping[str, list[str]]
"""The header and the inputs of each match, by its id."""


class Scene(NamedTuple):
    """A folder as a daemon left it, what was shown last, and what the journal had."""

    folder: Path
    shown: messages.State
    rows: Rows


@pytest.mark.slow
async def test_sixty_damages(tmp_path: Path, seed: int) -> None:
    await damage_often(tmp_path, seed, 60)


@pytest.mark.long
async def test_many_damages(tmp_path: Path, seed: int, request: pytest.FixtureRequest) -> None:
    await damage_often(tmp_path, seed, request.config.getoption("--kills"))


async def damage_often(folder: Path, seed: int, times: int) -> None:
    """So many damages, and what became of them."""
    rng, table = Random(seed), Counter[tuple[str, str, str]]()
    scenes = await play(folder)
    trial = folder / "trial"
    for number in range(times):
        end = rng.choice(list(scenes))
        shutil.copytree(scenes[end].folder, trial)
        there = {name: often for name, often in FILES.items() if read_size(trial / name)}
        (name,) = rng.choices(list(there), list(there.values()))
        kind = rng.choice(KINDS)
        damage(trial / name, kind, rng)
        try:
            outcome = await judge(trial, scenes[end], is_cut=kind == KINDS[-1])
        except BaseException as error:
            error.add_note(f"damage {number} of seed {seed}: {kind} of {name} after a {end} end; see {trial}")
            raise
        table[name, kind, outcome] += 1
        shutil.rmtree(trial)
    lines = (f"  {count:5} {name}, {kind}: {outcome}\n" for (name, kind, outcome), count in sorted(table.items()))
    sys.stdout.write(f"{times} damages, seed {seed}:\n" + "".join(lines))


async def play(folder: Path) -> dict[str, Scene]:
    """The files of one journal after a clean end and after a kill in the middle of a match."""
    scenes = {end: folder / end for end in ("killed", "clean")}
    for place in scenes.values():
        place.mkdir()
    path = scenes["clean"] / JOURNAL
    table, running = await begin(path)
    for number in range(MATCHES):
        await give(table, {"start": {"game": "x01", "players": ["Ann", "Bo"], "options": {"start": 1501}}}, "page")
        for count in range(40 if number < MATCHES - 1 else 67):
            await give(table, {"next": True} if count % 4 == 3 else {"throw": f"S{count % 20 + 1}"}, "page")
    for name in FILES:
        shutil.copy(path.with_name(name), scenes["killed"])
    shown = table.state()
    await finish(table, running)
    return {end: Scene(place, shown, read_rows(path)) for end, place in scenes.items()}


def damage(path: Path, kind: str, rng: Random) -> None:
    """Damages this file in this way."""
    content = bytearray(path.read_bytes())
    page = rng.randrange(-(-len(content) // _PAGE_BYTES)) * _PAGE_BYTES
    span = slice(page, min(page + _PAGE_BYTES, len(content)))
    size = span.stop - span.start
    match kind:
        case "one bit" | "ten bits":
            for _ in range(1 if kind == "one bit" else 10):
                content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        case "a page of zeros":
            content[span] = bytes(size)
        case "a page of noise":
            content[span] = rng.randbytes(size)
        case "another page":
            other = rng.randrange(max(1, len(content) - size))
            content[span] = content[other : other + size]
        case _:
            del content[page:]
    path.write_bytes(content)


def read_size(path: Path) -> int:
    """The bytes of a file; 0 where there is none."""
    return path.stat().st_size if path.exists() else 0


async def judge(folder: Path, scene: Scene, *, is_cut: bool) -> str:
    """What became of it. Raises AssertionError for a dead table, a silent step back, and for a lost or changed match.

    With `is_cut` the end of a file is missing, and the matches in it may be lost.
    """
    path = folder / JOURNAL
    table, running = await begin(path)
    await eventually(lambda: table.trouble is None or running.done())
    state, remark = table.state(), table.recovery.remark
    match = state.match or ""
    await give(table, {"start": None}, "page")
    await finish(table, running)
    rows = read_rows(path)
    is_back = match != scene.shown.match or state.line < scene.shown.line
    known = scene.rows.get(match, [])
    is_changed = rows.get(match, [])[: len(known)] != known
    assert remark is not None or not (is_back or is_changed), "a silent step back"
    before = [name for name in scene.rows if name != scene.shown.match]
    gone = sum(name not in rows for name in before)
    changed = sum(name in rows and rows[name] != scene.rows[name] for name in before)
    assert is_cut or gone + changed <= 1, f"{gone} older matches lost, {changed} changed"
    hand = "began anew" if match not in scene.rows else "went back" if is_back else "went on"
    said = "said" if remark else "nothing said"
    return f"the match at hand {hand}, {gone} others set aside, {changed} changed; {said}"


async def begin(path: Path) -> tuple[Table, asyncio.Task[None]]:
    """A table on this journal, which is not started again when it falls."""
    table = Table(TableConfig(board="sim:x"), shipped("plain-standard"), path, "run", RuleGuard())
    await table.open()
    return table, asyncio.create_task(table.run())


async def finish(table: Table, running: asyncio.Task[None]) -> None:
    """Ends it. Raises what it has ended with by itself."""
    if running.done():
        running.result()
    await ended(running)
    await table.close()


def read_rows(path: Path) -> Rows:
    """What a journal has, by code of the tests alone."""
    rows: dict[str, list[str]] = {}
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        db.text_factory = lambda text: text.decode(errors="replace")
        numbers = set()
        for table in ("match", "record"):
            with suppress(sqlite3.Error):
                for row in db.execute(f"select number from {table}"):  # noqa: S608  no input
                    numbers.add(row[0])  # up to the error
        for number in numbers:
            with suppress(sqlite3.Error):
                for name, header in db.execute("select id, header from match where number = ?", (number,)).fetchall():
                    lines = db.execute("select input from entry where match = ? order by line", (number,)).fetchall()
                    rows[name] = [header, *(given for (given,) in lines)]
            with suppress(sqlite3.Error, zlib.error):
                for (record,) in db.execute("select cast(record as blob) from record where number = ?", (number,)):
                    name, header, lines, _ = json.loads(zlib.decompress(record))
                    parts = [header, *(given for _, _, given, _, _ in lines)]
                    rows[name] = [json.dumps(part, separators=(",", ":")) for part in parts]
    return rows
