"""A game that is withdrawn, or cannot begin: a matter of its own table, which keeps its match, or plays another."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from daemon import overrun, rules
from daemon.config import Setup
from daemon.opening import open_tables
from daemon.sections import Bridge, Config, TableConfig
from daemon.stats.history import History
from daemon.store import Begin, Line, Store, StoreError
from protocol.codebook import shipped
from protocol.commands import CommandError
from protocol.layouts import layout
from tests.daemon.fragile import added, wrong
from tests.daemon.house import journal
from tests.daemon.test_bots import Evening, evening
from tests.daemon.test_broken_rules import fail, leave, loop, withdrawn
from tests.simulator.hurry import hurry

X01 = {"start": {"game": "x01", "players": ["Ann", "Bo"]}}
FRAGILE = {"start": {"game": "fragile", "players": ["Ann", "Bo"]}}
PEOPLE = ("Ann", "Bo")


@pytest.fixture(autouse=True)
def _game(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(overrun, "_TICK_S", 0.05)
    with added():
        yield


class FailingDisk:
    """Refuses to write so many times."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, times: int = 1) -> None:
        self.times, real = times, Store.write

        def write(store: Store, news: Sequence[Begin | Line]) -> None:
            if self.times > 0:
                self.times -= 1
                raise StoreError("disk I/O error")
            real(store, news)

        monkeypatch.setattr(Store, "write", write)


async def refused(ours: Evening, command: dict[str, Any]) -> str:  # Any: JSON
    with pytest.raises(CommandError) as refusal:
        await ours.table.command(command, "page")
    return str(refusal.value)


@pytest.mark.parametrize("is_still_broken", [True, False])
def test_a_failed_write_keeps_the_match_of_a_withdrawn_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_still_broken: bool
) -> None:
    async def main() -> None:
        async with evening(tmp_path, game="fragile", players=PEOPLE) as ours:
            await ours.table.command({"throw": "T20"}, "page")
            await withdrawn(ours)
            if not is_still_broken:
                wrong.clear()
            FailingDisk(monkeypatch)
            assert "disk I/O error" in await refused(ours, X01)
            await ours.until(lambda: ours.table.trouble is None)
            assert (ours.table.state().game, ours.table.state().sides[0].score) == ("fragile", 60)
            assert "withdrawn" in await refused(ours, {"throw": "T20"})
            assert journal(tmp_path) == [{"throw": "T20"}], "it can be played on after a restart"
            await ours.table.command(X01, "page")
            await ours.table.command({"throw": "T20"}, "page")
            assert ours.table.state().sides[0].score == 441

    hurry(main())


def test_a_table_resumes_a_match_of_a_game_that_another_one_had_withdrawn(tmp_path: Path) -> None:
    async def main() -> None:
        async with evening(tmp_path, game="fragile", players=PEOPLE) as ours:
            await ours.table.command({"throw": "T20"}, "page")
            await withdrawn(ours)
        wrong.clear()
        async with evening(tmp_path, game="fragile", players=PEOPLE) as ours:
            assert (ours.table.state().game, ours.table.state().sides[0].score) == ("fragile", 60)
            assert "withdrawn" in await refused(ours, {"throw": "T20"})
        assert journal(tmp_path) == [{"throw": "T20"}]

    hurry(main())


def test_starts_that_fail_are_held_against_nobody(tmp_path: Path) -> None:
    async def main() -> None:
        async with (
            evening(tmp_path / "a", game="fragile", players=PEOPLE) as ours,
            evening(tmp_path / "b", players=PEOPLE) as theirs,
        ):
            for method in ("setup", "title", "view"):
                wrong[method] = fail
                assert "RuntimeError" in await refused(theirs, FRAGILE)
                await theirs.table.command({"game": {"game": "fragile"}}, "page")
                wrong.clear()
            await ours.table.command({"throw": "T20"}, "page")
            assert theirs.table.state().game == "x01"

    hurry(main())


def test_a_start_that_does_not_come_to_an_end_withdraws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "LIMIT_S", 0.1)

    async def main() -> None:
        async with evening(tmp_path, players=PEOPLE) as ours:
            wrong["setup"] = loop
            assert "does not come to an end" in await refused(ours, FRAGILE)
            assert "withdrawn" in await refused(ours, FRAGILE)

    hurry(main())


def test_a_game_that_ships_is_withdrawn_for_the_second_overrun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "LIMIT_S", 0.1)
    monkeypatch.setattr(rules, "is_shipped", lambda _: True)

    async def main() -> None:
        async with evening(tmp_path, game="fragile", players=PEOPLE) as ours:
            wrong["dart"] = loop
            assert "does not come to an end" in await refused(ours, {"throw": "T20"})
            wrong.clear()
            await ours.table.command({"throw": "T20"}, "page")
            wrong["dart"] = loop
            assert "does not come to an end" in await refused(ours, {"throw": "T20"})
            assert "withdrawn" in await refused(ours, {"throw": "T20"})

    hurry(main())


def test_a_long_match_has_more_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "LIMIT_S", 0.1)
    monkeypatch.setattr(rules, "_LINE_S", 1000.0)
    monkeypatch.setattr(overrun, "_WAITING", 1000)

    async def main() -> None:
        async with evening(tmp_path, game="fragile", players=PEOPLE) as ours:
            await asyncio.sleep(0.1)  # the table has said what there is to say at its start
            wrong["prompts"] = lambda: tuple(range(3_000_000))[:0]  # a step that takes longer than a tick
            await ours.table.command({"throw": "T20"}, "page")
            wrong.clear()

    hurry(main())


def setup(folder: Path, count: int) -> Setup:
    """So many tables that begin with the fragile game."""
    folder.mkdir(exist_ok=True)
    tables = [TableConfig(board="sim:x", name=f"t{n}", game="fragile", players=PEOPLE) for n in range(count)]
    return Setup(Config(bridge=Bridge(state_dir=str(folder)), table=tables), (shipped("plain-standard"),) * count)


@pytest.mark.parametrize("broken", [fail, loop])
def test_no_plug_in_stops_the_daemon_at_its_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: Callable[[], None]
) -> None:
    monkeypatch.setattr(rules, "LIMIT_S", 0.1)

    async def start() -> dict[str, tuple[str, str | None]]:
        async with AsyncExitStack() as stack:
            usable, unusable = await open_tables(setup(tmp_path, 3), stack)
            assert unusable == {}
            return {name: (table.match.game.id, table.remark) for name, table in usable.items()}

    for name in ("t0", "t1", "t2"):
        store = Store(tmp_path / f"{name}.sqlite3")
        header = {"oche": 1, "game": "fragile", "players": list(PEOPLE), "seed": "x"}
        store.write([Begin("m", header, ""), Line("m", 2, {"throw": "T20"}, "page", "")])
        store.close()
    wrong["dart"] = broken
    for game, remark in asyncio.run(start()).values():
        assert game in ("fragile", "x01")
        assert "stays in the journal" in str(remark)
        assert game == "fragile" or "begins with x01: " in str(remark)
    rules.readmit()
    wrong["setup"] = broken
    assert {game for game, _ in asyncio.run(start()).values()} == {"x01"}


def test_what_ends_the_program_ends_no_statistics(tmp_path: Path) -> None:
    store = Store(tmp_path / "main.sqlite3")
    header = {"oche": 1, "game": "fragile", "players": list(PEOPLE), "seed": "x"}
    store.write([Begin("m", header, ""), Line("m", 2, {"throw": "T20"}, "page", "")])
    store.close()
    wrong["dart"] = leave
    history = History(tmp_path, {"main": layout("standard")}, "1")
    assert [*history.played()] == []
    assert "does not count" in history.problems[0]


def test_a_bot_says_once_that_the_disk_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def main() -> None:
        async with evening(tmp_path, players=("bot:45", "Ann")):
            FailingDisk(monkeypatch, 1000)
            await asyncio.sleep(60.0)

    hurry(main())
    said = [record for record in caplog.records if record.name == "oche.bots" and record.levelno >= logging.WARNING]
    assert len(said) == 1
