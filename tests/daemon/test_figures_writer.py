"""What is done when a match is over: the history is read for it once, and what was told is not told again.

Also over a restart: what a former run of the daemon has told follows from the journal.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from msgspec.structs import replace

from daemon import assemble
from daemon.admin.history import figures_writer, played_matches
from daemon.admin.history.figures_writer import learn_models
from daemon.admin.history.played_matches import replay_match
from daemon.admin.history.reader import HistoryReader
from daemon.admin.players.doubles import Scatters
from daemon.admin.process import CountMatch, FindEarned, FindScatters, HistoryRequest, ReadHistory, WorkerProcess
from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from daemon.journal.lines import StoredMatch
from daemon.table.effects import Update
from daemon.table.table import Table
from engine.match import Match
from engine.scatter import Scatter
from protocol.commands import CommandError
from protocol.facts import BadgeEarned
from protocol.layouts import find_layout
from protocol.match_spec import write_header
from tests.commanding import give
from tests.daemon.evenings import Evening
from tests.daemon.process import configure, eventually

OUT_101 = "T20 S1 D20"
START = {"start": {"game": "x01", "options": {"start": 101}, "players": ["Ann", "Bo"]}}


class Playing:
    """A daemon's table, with the badges that were told at it."""

    def __init__(self, table: Table, page: str | None) -> None:
        self.table = table
        self.page = page
        self.told: list[tuple[object, str]] = []
        table.subscribe(self)

    def publish(self, update: Update) -> None:
        self.told += [(each.player, each.badge) for each in update.events if each.event_type == "badge"]

    async def give(self, *given: dict[str, Any] | str) -> None:  # Any: JSON
        """A text is a dart."""
        for each in given:
            await give(self.table, {"throw": each} if isinstance(each, str) else each, "page")


@pytest.fixture
def config(tmp_path: Path, unused_tcp_port: int) -> Path:
    return configure(tmp_path, unused_tcp_port)


@asynccontextmanager
async def playing(config: Path) -> AsyncIterator[Playing]:
    async with run_daemon(read_config(config)) as running:
        yield Playing(running.tables["main"], running.page)


@pytest.mark.slow
async def test_an_end_that_was_told_before_a_restart_is_not_told_again(config: Path) -> None:
    """Though it is taken back and comes again; only what is new is told then."""
    async with playing(config) as before:
        await before.give(START, "T20", "S1", "MISS", {"next": True}, "SB", "MISS", "MISS", {"next": True}, "D20")
        await eventually(lambda: ("Ann", "first_leg") in before.told)
    async with playing(config) as after:
        await after.give({"undo": True}, "D20")
        await after.give({"amend": 7, "throw": "SB"}, {"amend": 8, "throw": "SB"})  # Bo has hit three of them
        await eventually(lambda: ("Bo", "hat_tricks") in after.told)
        assert set(after.told) == {("Bo", "hat_tricks")}


async def test_the_hints_of_the_next_match_know_how_the_darts_of_its_players_scatter(config: Path) -> None:
    with Evening(config.parent / "state") as evening:
        for seed in range(8):
            evening.throw(seed, 20.0, day=seed, off=(0, 0), players=["ann"])
    async with playing(config) as match:
        await match.give(START, "T20")
        assert not match.table.match.header.options["scatter"]
        await eventually(lambda: bool(match.table.config.doubles.scatters))  # type: ignore[attr-defined]
        await match.give({"start": {**START["start"], "players": ["Bo", "ann"]}})
        bo, ann = match.table.match.header.options["scatter"]
        assert bo == 12
        assert 16 < ann < 24
        match.table.config.doubles.scatters.now = {"ann": Scatter(60, 1, 2, 9.5), "Bo": Scatter(99, 0, 0, 30.0)}  # type: ignore[attr-defined]
        await match.give({"start": True})
        header = match.table.match.header
        assert (*header.players, *header.options["scatter"]) == ("Bo", "ann", 30.0, 9.5), "the same again, as of now"
        await match.give({"game": {"players": ["Cy"]}}, {"start": True})
        assert match.table.match.header.players == ("Cy",)
        assert not match.table.match.header.options["scatter"]


@pytest.mark.slow
async def test_a_bot_throws_like_a_player_of_whom_enough_was_measured(config: Path) -> None:
    """Its match has the numbers, and goes on with them after a restart; what is forgotten is not said again."""
    with Evening(config.parent / "state") as evening:
        for seed in range(8):
            evening.throw(seed, 20.0, day=seed, off=(-60, 20), players=["ann"])
        evening.throw(8, 20.0, day=8, stop_after=9, off=(0, 0), players=["Bo"])
    async with playing(config) as match, aiohttp.ClientSession(match.page) as web:
        async with web.get("/api/players/measured") as answer:
            (ann,) = await answer.json()
        assert ann["name"] == "ann"
        assert ann["scatter"]["darts"] >= 60
        with pytest.raises(CommandError, match=r"Bo has \d measured darts; 60 are needed"):
            await match.give({"start": {"game": "x01", "players": ["Cy", "bot:Bo"]}})
        await match.give({"game": {"players": ["Cy", "bot:Bo"]}})
        assert "60 are needed" in str(match.table.committed.plan.problem)
        await match.give({"start": {"game": "x01", "players": ["Cy", "bot:Ann"]}})
        begun = match.table.match.header
        (model,) = filter(None, begun.like or ())
        assert (model.player, model.deviation_mm) == ("Ann", ann["scatter"]["deviation_mm"])
        assert model.right_mm == pytest.approx(-6, abs=4)
        assert begun.players == ("Cy", "Bot Ann")
        assert begun.is_bot == (False, True)
        assert match.table.committed.plan.players == ("Cy", "bot:Ann"), "the same again"
    async with playing(config) as match, aiohttp.ClientSession(match.page) as web:
        assert write_header(match.table.match.header) == write_header(begun)
        async with web.get("/api/players/measured") as answer:
            assert [each["name"] for each in await answer.json()] == ["ann"]
        async with web.post("/api/players/rename", json={"name": "ann", "to": "Anne"}) as answer:
            assert answer.status == 200
        async with web.get("/api/players/measured") as answer:
            assert [each["name"] for each in await answer.json()] == ["Anne"], "before the history is read again"
        async with web.post("/api/players/rename", json={"name": "Anne", "to": "ann"}) as answer:
            assert answer.status == 200
        async with web.post("/api/players/forget", json={"name": "ann", "sure": True}) as answer:
            assert "Ann plays at the table" in str(await answer.json())
        await match.give({"stop": True})
        async with web.post("/api/players/forget", json={"name": "ann", "sure": True}) as answer:
            assert answer.status == 200
        forgotten = match.table.match.header
        assert forgotten.like == (None, replace(model, player=""))
        assert "ann" not in str(forgotten).lower().replace("forgotten", "")
        async with web.get("/api/players/measured") as answer:
            assert await answer.json() == []
        await match.give({"start": True})
        assert match.table.match.header.like == forgotten.like, "its numbers are nobody's any more"


@pytest.mark.slow
async def test_a_bot_of_the_configuration_throws_like_a_player_in_the_first_match(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with Evening(tmp_path / "state", "other") as evening:
        for seed in range(8):
            evening.throw(seed, 20.0, day=seed, off=(-60, 20), players=["Ann"])
    file = configure(tmp_path)
    file.write_text(file.read_text("utf-8").replace('"Ann", "Bo"', '"Cy", "bot:Ann"'), encoding="utf-8")
    for known, players in ((True, ("Cy", "Bot Ann")), (False, ("Home", "Guest"))):
        async with playing(file) as match:
            assert match.table.match.header.players == players
            told = "60 are needed" in caplog.text
            assert told is not known
            await match.give({"stop": True})
            async with (
                aiohttp.ClientSession(match.page) as web,
                web.post("/api/players/forget", json={"name": "Ann"}) as answer,
            ):
                assert (await answer.json())["configured"], "who forgets Ann is told that the file still names her"
        scatters = Scatters({})
        await learn_models(read_config(file), scatters)
        assert not scatters.is_read, "the match on the disk has the numbers"
        for journal in (tmp_path / "state").glob("*.sqlite3*"):
            journal.unlink()


async def test_how_a_forgotten_player_scatters_is_not_known_any_more(config: Path) -> None:
    with Evening(config.parent / "state") as evening:
        for seed in range(8):
            evening.throw(seed, 20.0, day=seed, off=(0, 0), players=["Cy"])
    async with run_daemon(read_config(config)) as running, aiohttp.ClientSession(running.page) as web:
        await give(running.tables["main"], START, "page")
        doubles = running.tables["main"].config.doubles
        await eventually(lambda: bool(doubles.scatters))  # type: ignore[attr-defined]
        async with web.post("/api/players/forget", json={"name": "cy", "sure": True}) as answer:
            assert answer.status == 200
        assert not doubles.scatters  # type: ignore[attr-defined]


async def test_an_end_that_is_corrected_before_it_is_told_is_told_once(config: Path) -> None:
    async with playing(config) as match:
        await match.give(START, "T20", "S1", "D20", {"undo": True}, "D20")
        await eventually(lambda: ("Ann", "first_leg") in match.told)
        await match.give({"undo": True}, "D20", START, "T20", "S1", "MISS", {"next": True}, "T20", "S1", "D20")
        await eventually(lambda: ("Bo", "first_leg") in match.told)
        assert match.told.count(("Ann", "first_leg")) == 1


def test_what_an_end_gave_is_known_from_its_record(tmp_path: Path) -> None:
    with Evening(tmp_path) as evening:
        match = evening.play(OUT_101, {"undo": True}, "D20", options={"start": 101})  # over with the lines 4 and 6
    reader = HistoryReader(tmp_path, {"main": find_layout("standard")})

    def find(told: int) -> set[str]:
        earned = reader.answer(FindEarned("main", match, told), lambda _: None)
        assert isinstance(earned, list)
        return {fact.badge for _, fact in earned if isinstance(fact, BadgeEarned)}

    assert find(told=0) == find(told=3) >= {"first_match", "first_leg"}
    assert find(told=4) == find(told=5) == find(told=6) == set()


def test_only_ends_are_looked_at_again_of_a_match_that_was_corrected_often(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With each of its many corrections a long match would be replayed as a whole."""
    with Evening(tmp_path) as evening:
        corrected: list[dict[str, Any] | str] = [{"undo": True}, "MISS"]  # Any: JSON
        match = evening.play("MISS", *9 * corrected, "/ / T20 S1 D20", {"undo": True}, "D20", options={"start": 101})
    history = HistoryReader(tmp_path, {"main": find_layout("standard")})
    replayed = []

    def replay(stored: StoredMatch, *given: Any) -> Match:  # Any: as it is there
        replayed.append(len(stored.lines))
        return replay_match(stored, *given)

    monkeypatch.setattr(played_matches, "replay_match", replay)
    history.answer(FindEarned("main", match, 32), lambda _: None)
    assert replayed == [31, 29, 31], "the match, and its ends"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[type[HistoryRequest]]:
    """What the daemon asks of the history."""
    found: list[type[HistoryRequest]] = []

    class Noting(WorkerProcess):
        async def read(self, request: HistoryRequest) -> Any:  # Any: as it is there
            found.append(type(request))
            return await super().read(request)

    monkeypatch.setattr(assemble, "WorkerProcess", Noting)
    return found


async def test_the_history_is_read_while_the_first_match_is_played(
    config: Path, tmp_path: Path, asked: list[type[HistoryRequest]]
) -> None:
    """At its end its players do not wait for what an update made stale."""
    with Evening(tmp_path / "state") as evening:
        match_id = evening.play(OUT_101, options={"start": 101})
    cache = tmp_path / "state" / "statistics.cache"
    async with playing(config) as match:
        assert not cache.exists()
        await match.give(START, "T20")
        await eventually(lambda: cache.exists() and match_id in cache.read_text())
        await eventually(lambda: asked == [ReadHistory, FindScatters])
        await match.give("S1", "D20", START, "T20", "S1", "D20")  # no board measures darts here: not asked again
        await eventually(lambda: asked == [ReadHistory, FindScatters, *2 * (CountMatch, FindEarned)])


async def test_with_cameras_it_is_read_before_the_first_dart(
    tmp_path: Path, asked: list[type[HistoryRequest]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """So a bot can throw like a player in the first match."""
    monkeypatch.setattr(figures_writer, "_PATIENCE_S", 0)
    async with playing(configure(tmp_path, board="web:127.0.0.1:9", profile="opendarts-cameras")):
        await eventually(lambda: asked == [ReadHistory, FindScatters])


async def test_the_first_end_of_all_reads_it_once(
    config: Path, tmp_path: Path, asked: list[type[HistoryRequest]]
) -> None:
    with Evening(tmp_path / "state") as evening:
        evening.play("T20 S1", options={"start": 101})
    async with playing(config) as match:
        await match.give("D20")
        await eventually(lambda: ("Ann", "first_leg") in match.told)
        await eventually(lambda: asked == [CountMatch, FindEarned, FindScatters])
