"""A table that is flooded, by its board or with commands: the event loop has its turns, the journal stays small."""

from __future__ import annotations

import asyncio
from pathlib import Path

from daemon.config.sections import TableConfig
from daemon.table.table import Table
from protocol.codebook import shipped
from protocol.commands import CommandError
from protocol.events import Garbage
from tests.commanding import give
from tests.daemon.test_durability import entries, table_in
from tests.simulator.hurry import in_no_time


async def test_what_a_board_floods_with_is_taken_over_many_turns(tmp_path: Path) -> None:
    table = Table(TableConfig(board="sim:x"), shipped("plain-standard"), tmp_path / "main.sqlite3", "session")
    await table.open()
    for number in range(1000):
        await table.feed(Garbage(time_ns=number, raw=b"?"))
    running, turns = asyncio.create_task(table.run()), 0
    while len(table.backlog):
        await asyncio.sleep(0)
        turns += 1
    running.cancel()
    await asyncio.wait([running])
    await table.close()
    assert turns > 1000 // 20


@in_no_time
async def test_next_and_undo_at_full_speed_are_refused_until_they_come_slower(tmp_path: Path) -> None:
    refusals: list[str] = []
    async with table_in(tmp_path) as table:
        for number in range(2000):
            try:
                await give(table, {"undo": True} if number % 2 else {"next": True}, "page")
            except CommandError as error:
                refusals.append(error.code)
        assert set(refusals) == {"busy"}
        hurried = [table.is_hurried]
        await asyncio.sleep(60)
        await give(table, {"next": True}, "page")
        assert [*hurried, table.is_hurried] == [True, False]
    assert len(refusals) >= 1400
    assert len(entries(tmp_path)) < 4 * (2000 - len(refusals))
