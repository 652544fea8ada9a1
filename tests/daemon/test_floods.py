"""A table that is flooded, by its board or with commands: the event loop has its turns, the journal stays small."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import aiohttp
import pytest

from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from daemon.config.sections import TableConfig
from daemon.plugins.rule_guard import RuleGuard
from daemon.table import table as table_module
from daemon.table.table import Table
from drivers.rate_limit import Rate, RateLimits
from protocol.codebook import shipped
from protocol.commands import CommandError
from protocol.events import Garbage
from tests.commanding import give
from tests.daemon.process import configure
from tests.daemon.test_durability import entries, table_in
from tests.simulator.hurry import in_no_time


async def test_what_a_board_floods_with_is_taken_over_many_turns(tmp_path: Path) -> None:
    table = Table(TableConfig(board="sim:x"), shipped("plain-standard"), tmp_path / "main.sqlite3", "run", RuleGuard())
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
        hurried = [table.is_hurried_by("")]
        await asyncio.sleep(60)
        await give(table, {"next": True}, "page")
        assert [*hurried, table.is_hurried_by("")] == [True, False]
    assert len(refusals) >= 1400
    assert len(entries(tmp_path)) < 4 * (2000 - len(refusals))


async def test_clients_of_the_page_take_no_commands_from_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An address has a share, and so has each device behind it that has entered the token."""
    monkeypatch.setattr(table_module, "_COMMANDS", Rate(burst=3, per_s=1e-6))
    (tmp_path / "own").write_text("the treble twenty bed", encoding="utf-8")
    token = {"Authorization": "Bearer the treble twenty bed"}
    config = read_config(configure(tmp_path, web=f'host = "0.0.0.0"\ntoken_file = "{tmp_path}/own"'))
    async with run_daemon(config) as running, AsyncExitStack() as stack:

        async def come(address: str) -> aiohttp.ClientSession:
            connector, jar = aiohttp.TCPConnector(local_addr=(address, 0)), aiohttp.CookieJar(unsafe=True)
            client = aiohttp.ClientSession(running.page, connector=connector, cookie_jar=jar)
            return await stack.enter_async_context(client)

        async def undo(client: aiohttp.ClientSession, **headers: str) -> tuple[int, str | None]:
            async with client.post("/api/table/main/undo", json={}, headers=headers) as answer:
                return answer.status, answer.headers.get("Retry-After")

        program, phone, other_phone, other_program = [await come(f"127.0.0.{n}") for n in (2, 2, 2, 3)]
        for each in (phone, other_phone):
            async with each.post("/api/enter", json={"token": "the treble twenty bed"}) as answer:
                assert answer.status == 200
        for client, headers in ((program, token), (phone, {}), (other_phone, {}), (other_program, token)):
            asked = [await undo(client, **headers) for _ in range(4)]
            assert asked == [*[(409, None)] * 3, (503, "5")], "there is nothing to undo, and then it is too often"
        assert await undo(program, **token, Cookie="oche-0=0123") == (503, "5"), "a cookie of one's own is no device"


@in_no_time
async def test_each_client_has_a_share_and_the_board_needs_none(tmp_path: Path) -> None:
    async with table_in(tmp_path) as table:

        async def is_refused(client: str) -> bool:
            try:
                await give(table, {"game": {}}, "page", client)
            except CommandError as error:
                return error.code == "busy"
            return False

        refused = [await is_refused("greedy") for _ in range(600)]
        assert refused.count(True) > 50
        assert table.is_hurried_by("greedy")
        assert not table.is_hurried_by("broker")
        assert not await is_refused("broker")
        await table.feed(Garbage(time_ns=0, raw=b"?"))
        assert not await is_refused("phone")
        assert table.scorer.status.counts.garbage == 1


def test_the_shares_of_clients_that_have_gone_are_forgotten() -> None:
    limits, now = RateLimits(Rate(burst=2, per_s=1), most=3), 10**9
    assert [limits.take(name, now) for name in "aabbccaa"] == [*[True] * 6, False, False]
    assert [limits.take(name, now) for name in "defa"] == [True, True, False, False], "the others have one together"
    assert [limits.wait_s(name, now) for name in "ag"] == [1.0, 1.0]
    now += 2 * 10**9
    assert limits.wait_s("g", now) == 0.0
    assert [limits.take(name, now) for name in "dddee"] == [True, True, False, True, True], "those have gone"
    for number in range(10_000):
        limits.take(str(number), now)
    assert len(limits) <= 3
    for number in range(10_000):
        now += 2 * 10**9
        assert limits.take(str(number), now)
    assert len(limits) <= 3
