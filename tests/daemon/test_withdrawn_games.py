"""Rules that do not come to an end: the limit of a block of code, and games that are withdrawn by it."""

from __future__ import annotations

import asyncio
import logging
import os
import random
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from daemon.admin.history.history import History
from daemon.admin.players.doubles import FavouriteDoubles
from daemon.admin.requests import Change
from daemon.admin.settings.settings_file import SettingsFile
from daemon.assemble import open_tables, run_daemon
from daemon.config.reader import CheckedConfig, check
from daemon.config.sections import Bridge, Config, TableConfig
from daemon.journal.errors import StoreError
from daemon.journal.journal_file import JournalFile
from daemon.journal.lines import Begin, Line
from daemon.plugins import rule_guard
from daemon.plugins.rule_guard import Limit, Overrun, RuleGuard
from daemon.rules import RulesFailed
from daemon.table import journal_recovery
from engine.games import GAMES, ROUTINES
from protocol.codebook import shipped
from protocol.commands import CommandError
from protocol.layouts import find_layout
from protocol.source import Source
from tests.commanding import give
from tests.daemon.process import PATIENCE_S, configure, journal
from tests.daemon.test_bots import Evening, evening
from tests.daemon.test_broken_rules import added, fail, leave, loop, withdrawn, wrong
from tests.simulator.hurry import in_no_time


def busy(seconds: float) -> None:
    ends_s = time.perf_counter() + seconds
    while time.perf_counter() < ends_s:
        pass


def test_a_limit_is_of_its_own_thread_and_leaves_nothing_behind() -> None:
    ended = []

    def work() -> None:
        try:
            with Limit(0.1):
                busy(1000.0)
        except Overrun:
            ended.append("by the watcher")
        time.sleep(0.3)  # it must not come again
        ended.append("whole")

    thread = threading.Thread(target=work)
    thread.start()
    with Limit(1000.0):
        thread.join()
    assert ended == ["by the watcher", "whole"]
    assert [each.name for each in threading.enumerate() if each.name == "overrun"] == []


def test_an_overrun_at_any_moment_stays_in_its_block(monkeypatch: pytest.MonkeyPatch) -> None:
    """The block is made longer or shorter, so that on any machine the tick often falls on its end."""
    real = signal.setitimer

    def early(which: int, first: float, again: float = 0.0) -> tuple[float, float]:
        return real(which, 0.0003 if first else 0.0, again)

    monkeypatch.setattr(signal, "setitimer", early)
    game, chance = GAMES["x01"], random.Random(5)
    fell = whole = 0
    block_s = 0.00027
    monkeypatch.setattr(rule_guard, "LIMIT_S", 0.0001)
    for _ in range(300):
        kept: Exception | None = None
        try:
            with RuleGuard().call(game):
                busy(block_s + chance.uniform(-0.00003, 0.00003))
            whole, block_s = whole + 1, block_s + 5e-6
        except RulesFailed as error:
            kept, fell, block_s = error, fell + 1, block_s - 5e-6
        assert real(signal.ITIMER_REAL, 0.0) == (0.0, 0.0), f"it is left armed, {kept}"
    assert fell, "it was always too late"
    assert whole, "it was always too early"


def test_a_process_that_was_frozen_is_not_blamed() -> None:
    """It is frozen for thirty ticks. Of them one counts; some more may, where it is not frozen at once."""
    freeze = f"kill -STOP {os.getpid()}; sleep 1.5; kill -CONT {os.getpid()}"
    limit, began_s = Limit(1000.0), time.monotonic()
    with limit:
        granted = limit.ticks_left
        with subprocess.Popen(["sh", "-c", freeze]) as freezer:
            while freezer.poll() is None:
                time.sleep(0.02)
        counted = granted - limit.ticks_left
    awake_s = time.monotonic() - began_s - 1.5
    assert counted <= awake_s / 0.05 + 10


def test_who_waits_for_ever_is_interrupted() -> None:
    with pytest.raises(Overrun), Limit(0.1):
        threading.Event().wait()


def test_a_block_within_a_block_sets_no_alarm(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    real = signal.setitimer
    with Limit(1000.0):
        monkeypatch.setattr(signal, "setitimer", lambda *_: calls.append("setitimer"))
        monkeypatch.setattr(signal, "getsignal", lambda *_: calls.append("getsignal"))
        with RuleGuard().call(GAMES["x01"]), Limit(0.01):
            pass
        assert calls == []
        monkeypatch.setattr(signal, "setitimer", real)
    with Limit(1000.0):
        pass
    assert calls == [], "the handler is looked up once"


X01 = {"start": {"game": "x01", "players": ["Ann", "Bo"]}}
FRAGILE = {"start": {"game": "fragile", "players": ["Ann", "Bo"]}}
PEOPLE = ("Ann", "Bo")
LIMIT_S = 1.0
"""Long for rules that come to an end, however busy the machine is, and soon over for those that do not."""


@pytest.fixture(autouse=True)
def _game(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(rule_guard, "_TICK_S", 0.05)
    with added():
        yield


class FailingDisk:
    """Refuses to write so many times."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, times: int = 1) -> None:
        self.times, real = times, JournalFile.write

        def write(store: JournalFile, news: Sequence[Begin | Line]) -> None:
            if self.times > 0:
                self.times -= 1
                raise StoreError("disk I/O error")
            real(store, news)

        monkeypatch.setattr(JournalFile, "write", write)


async def refused(ours: Evening, command: dict[str, Any]) -> str:  # Any: JSON
    with pytest.raises(CommandError) as refusal:
        await give(ours.table, command, "page")
    return str(refusal.value)


@pytest.mark.parametrize("is_still_broken", [True, False])
@in_no_time
@pytest.mark.long
async def test_a_failed_write_keeps_the_match_of_a_withdrawn_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_still_broken: bool
) -> None:
    async with evening(tmp_path, game="fragile", players=PEOPLE) as ours:
        await give(ours.table, {"throw": "T20"}, "page")
        await withdrawn(ours)
        if not is_still_broken:
            wrong.clear()
        FailingDisk(monkeypatch)
        assert "disk I/O error" in await refused(ours, X01)
        await ours.until(lambda: ours.table.trouble is None)
        assert (ours.table.state().game, ours.table.state().sides[0].score) == ("fragile", 60)
        assert "withdrawn" in await refused(ours, {"throw": "T20"})
        assert journal(tmp_path) == [{"throw": "T20"}], "it can be played on after a restart"
        await give(ours.table, X01, "page")
        await give(ours.table, {"throw": "T20"}, "page")
        assert ours.table.state().sides[0].score == 441


@in_no_time
async def test_a_match_of_a_game_withdrawn_elsewhere_is_resumed(tmp_path: Path) -> None:
    guard = RuleGuard()
    async with evening(tmp_path, guard=guard, game="fragile", players=PEOPLE) as ours:
        await give(ours.table, {"throw": "T20"}, "page")
        await withdrawn(ours)
    wrong.clear()
    async with evening(tmp_path, guard=guard, game="fragile", players=PEOPLE) as ours:
        assert (ours.table.state().game, ours.table.state().sides[0].score) == ("fragile", 60)
        assert "withdrawn" in await refused(ours, {"throw": "T20"})
    assert journal(tmp_path) == [{"throw": "T20"}]


@in_no_time
async def test_a_game_that_fails_at_one_table_is_withdrawn_at_all(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        tables, _ = await open_tables(setup(tmp_path, 2), stack, FavouriteDoubles(tmp_path))
        one, other = map(Evening, tables.values())
        one.go_on()
        other.go_on()
        await give(other.table, {"throw": "T20"}, "page")
        await withdrawn(one)
        wrong.clear()
        assert "withdrawn" in await refused(other, {"throw": "T20"})
        assert "withdrawn" in str(other.table.board.info.trouble)
        await one.stall()
        await other.stall()


def test_what_one_guard_withdraws_another_may_play() -> None:
    guard, other, game = RuleGuard(), RuleGuard(), GAMES["fragile"]
    for _ in range(3):
        with pytest.raises(RulesFailed, match="it was not counted"), guard.call(game):
            fail()
    with pytest.raises(RulesFailed, match="withdrawn until oche restarts"), guard.call(game):
        pass
    with other.call(game), guard.call(game, even_withdrawn=True):
        pass


@in_no_time
async def test_a_failing_start_does_not_count_towards_withdrawal(tmp_path: Path) -> None:
    guard = RuleGuard()
    async with (
        evening(tmp_path / "a", guard=guard, game="fragile", players=PEOPLE) as ours,
        evening(tmp_path / "b", guard=guard, players=PEOPLE) as theirs,
    ):
        for method in ("setup", "title", "view"):
            wrong[method] = fail
            assert "RuntimeError" in await refused(theirs, FRAGILE)
            await give(theirs.table, {"game": {"game": "fragile"}}, "page")
            wrong.clear()
        await give(ours.table, {"throw": "T20"}, "page")
        assert theirs.table.state().game == "x01"


@pytest.mark.slow
@in_no_time
async def test_a_start_that_does_not_come_to_an_end_withdraws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rule_guard, "LIMIT_S", LIMIT_S)
    async with evening(tmp_path, players=PEOPLE) as ours:
        wrong["setup"] = loop
        assert "does not finish" in await refused(ours, FRAGILE)
        assert "withdrawn" in await refused(ours, FRAGILE)


@in_no_time
@pytest.mark.long
async def test_a_game_that_ships_is_withdrawn_for_the_second_overrun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rule_guard, "LIMIT_S", LIMIT_S)
    monkeypatch.setattr(rule_guard, "is_shipped", lambda _: True)
    async with evening(tmp_path, game="fragile", players=PEOPLE) as ours:
        wrong["dart"] = loop
        assert "does not finish" in await refused(ours, {"throw": "T20"})
        wrong.clear()
        await give(ours.table, {"throw": "T20"}, "page")
        wrong["dart"] = loop
        assert "does not finish" in await refused(ours, {"throw": "T20"})
        assert "withdrawn" in await refused(ours, {"throw": "T20"})


@in_no_time
@pytest.mark.long
async def test_a_long_match_has_more_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rule_guard, "LIMIT_S", 0.1)
    monkeypatch.setattr(rule_guard, "_LINE_S", 1000.0)
    monkeypatch.setattr(rule_guard, "_WAITING", 1000)
    async with evening(tmp_path, game="fragile", players=PEOPLE) as ours:
        await asyncio.sleep(0.1)  # the table has said what there is to say at its start
        wrong["prompts"] = lambda: tuple(range(3_000_000))[:0]  # a step that takes longer than a tick
        await give(ours.table, {"throw": "T20"}, "page")
        wrong.clear()


def setup(folder: Path, count: int) -> CheckedConfig:
    """So many tables that begin with the fragile game."""
    folder.mkdir(exist_ok=True)
    tables = [
        TableConfig(board="sim:plain-standard", name=f"t{n}", game="fragile", players=PEOPLE) for n in range(count)
    ]
    config = Config(bridge=Bridge(state_dir=str(folder)), table=tables)
    return CheckedConfig(config, (shipped("plain-standard"),) * count, ROUTINES, RuleGuard())


def test_what_was_withdrawn_when_the_configuration_was_read_is_so_in_its_daemon_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rule_guard, "LIMIT_S", 0.1)
    wrong["setup"] = loop
    config, game = setup(tmp_path, 1).config, GAMES["fragile"]
    read = check(config, Source("", "test"))
    wrong.clear()
    assert "withdrawn" in (read.guard.find_withdrawal_reason(game) or "")
    again = check(config, Source("", "test"))
    assert (again.guard.find_withdrawal_reason(game), again.config.table[0].game) == (None, "fragile")


def test_a_check_beside_a_daemon_asks_nothing_withdrawn_and_withdraws_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(rule_guard, "LIMIT_S", 0.1)
    config, game, running, asked = setup(tmp_path, 2).config, GAMES["fragile"], RuleGuard(), list[str]()

    def ask() -> None:
        asked.append("setup")
        loop()

    wrong["setup"] = ask
    for _ in range(2):
        found = check(config, Source("", "test"), running)
        assert [table.game for table in found.config.table] == ["x01", "x01"]
    assert len(asked) == 2, "once in each check"
    assert running.find_withdrawal_reason(game) is None
    assert not [said for said in caplog.messages if "withdrawn" in said]

    with pytest.raises(RulesFailed), running.call(game):
        loop()
    assert [said for said in caplog.messages if "withdrawn" in said] == [running.find_withdrawal_reason(game)]
    asked.clear()
    found = check(config, Source("", "test"), running)
    assert not asked
    assert all(str(remark).endswith(str(running.find_withdrawal_reason(game))) for remark in found.remarks)
    assert [table.game for table in found.config.table] == ["x01", "x01"]


async def test_a_change_of_the_settings_asks_no_game_that_the_daemon_has_withdrawn(
    tmp_path: Path, unused_tcp_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new start asks it again: its author may have mended it."""
    monkeypatch.setattr(rule_guard, "LIMIT_S", 0.1)
    settings, asked = SettingsFile(configure(tmp_path, unused_tcp_port)), list[str]()
    change = Change(("table", 0, "game"), "fragile")
    for is_withdrawn in (True, False):
        read = settings.load()
        assert read is not None
        async with run_daemon(read, settings):
            await settings.note_start(read, "")
            with added():  # reading has forgotten it
                if is_withdrawn:
                    with pytest.raises(RulesFailed), read.guard.call(GAMES["fragile"]):
                        loop()
                wrong["setup"] = lambda: asked.append("setup")
                await settings.preview(settings.read()[1], [change])
                assert bool(asked) != is_withdrawn


@pytest.mark.parametrize("broken", [fail, pytest.param(loop, marks=pytest.mark.long)])
def test_no_plug_in_stops_the_daemon_at_its_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: Callable[[], None]
) -> None:
    monkeypatch.setattr(rule_guard, "LIMIT_S", LIMIT_S)
    monkeypatch.setattr(journal_recovery, "_OPENING_S", PATIENCE_S)

    async def start() -> dict[str, tuple[str, str | None]]:
        async with AsyncExitStack() as stack:
            usable, unusable = await open_tables(setup(tmp_path, 3), stack, FavouriteDoubles(tmp_path))
            assert unusable == {}
            return {name: (table.match.game.id, table.recovery.remark) for name, table in usable.items()}

    for name in ("t0", "t1", "t2"):
        store = JournalFile(tmp_path / f"{name}.sqlite3")
        header = {"oche": 1, "game": "fragile", "players": list(PEOPLE), "seed": "x"}
        store.write([Begin("m", header, ""), Line("m", 2, {"throw": "T20"}, "page", "")])
        store.close()
    wrong["dart"] = broken
    for game, remark in asyncio.run(start()).values():
        assert game in ("fragile", "x01")
        assert "stays in the journal" in str(remark)
        assert game == "fragile" or "begins with x01: " in str(remark)
    wrong["setup"] = broken
    assert {game for game, _ in asyncio.run(start()).values()} == {"x01"}


def test_a_rule_that_exits_does_not_end_the_statistics(tmp_path: Path) -> None:
    store = JournalFile(tmp_path / "main.sqlite3")
    header = {"oche": 1, "game": "fragile", "players": list(PEOPLE), "seed": "x"}
    store.write([Begin("m", header, ""), Line("m", 2, {"throw": "T20"}, "page", "")])
    store.close()
    wrong["dart"] = leave
    history = History(tmp_path, {"main": find_layout("standard")}, "1")
    assert [*history.counted_matches()] == []
    assert "does not count" in history.problems[0]


@in_no_time
async def test_a_bot_says_once_that_the_disk_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with evening(tmp_path, players=("bot:45", "Ann")):
        FailingDisk(monkeypatch, 1000)
        await asyncio.sleep(60.0)
    said = [record for record in caplog.records if record.name == "oche.bots" and record.levelno >= logging.WARNING]
    assert len(said) == 1
