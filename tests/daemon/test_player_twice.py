"""One person twice in a match: a new one is refused wherever it may come from, and one that is stored goes on."""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path
from secrets import token_hex
from typing import Any

import aiohttp
import pytest

from daemon.admin.doctor.configuration import check_configuration, read_configuration
from daemon.admin.players.book import PlayerBook
from daemon.admin.players.doubles import FavouriteDoubles
from daemon.admin.requests import ChangePlayer
from daemon.assemble import run_daemon
from daemon.config.reader import DEFAULT_FILE, read_config
from daemon.config.sections import TableConfig
from daemon.plugins.rule_guard import RuleGuard
from daemon.table.journal_recovery import remark_merged
from daemon.table.matches import begin_first
from daemon.table.table import Table
from protocol.codebook import shipped
from protocol.commands import CommandError
from tests.commanding import give
from tests.daemon.process import Saying, configure
from tests.daemon.test_durability import table_in
from tests.plain_guard import PlainGuard

TWICE = '"Ann" and "ann" are the same player: remove one of them, or enter another name'
PAGE, LANGUAGES = (Path(__file__).parents[2] / "daemon" / folder for folder in ("web/page", "languages"))
X01 = {"game": "x01", "players": ["Ann", "ann"]}


@asynccontextmanager
async def stored_table(folder: Path, header: dict[str, Any]) -> AsyncIterator[Table]:  # Any: JSON
    """A table that resumes a match with this in its header."""
    async with table_in(folder) as table:
        await give(table, {"start": {"game": "x01", "players": ["Ann", "Bo"], "options": {"start": 101}}}, "page")
    with closing(sqlite3.connect(folder / "main.sqlite3")) as db, db:
        ((number, stored),) = db.execute("select number, header from match order by number desc limit 1")
        db.execute(
            "update match set header = ? where number = ?", (json.dumps({**json.loads(stored), **header}), number)
        )
    (folder / "main.sqlite3-copy").unlink(missing_ok=True)
    async with table_in(folder) as table:
        assert table.recovery.remark is None
        yield table


@pytest.mark.parametrize(
    "words",
    [{"start": X01}, {"start": X01, "order": "bull"}, {"game": X01}, {"game": {"players": ["Ann", "ann"]}}],
)
async def test_a_command_for_one_player_twice_is_refused(tmp_path: Path, words: dict[str, Any]) -> None:
    async with table_in(tmp_path) as table:
        match, plan = table.match_id, table.committed.plan
        with pytest.raises(CommandError) as refused:
            await give(table, words, "mqtt")
        assert (str(refused.value), refused.value.code) == (TWICE, "invalid")
        assert (table.match_id, table.committed.plan) == (match, plan)


async def test_bots_of_one_name_are_numbered_when_they_are_planned_and_begin(tmp_path: Path) -> None:
    async with table_in(tmp_path) as table:
        await give(table, {"game": {"players": ["Ann", "bot:45", "bot:45"]}}, "mqtt")
        assert table.committed.plan.players == ("Ann", "bot:45", "bot:45:Bot 45 2")
        await give(table, {"start": None}, "mqtt")
        assert table.match.seating.players == ("Ann", "Bot 45", "Bot 45 2")
        await give(table, {"start": {"game": "x01", "players": ["Ann", "Ann", "ANN"], "bots": [None, 30, 40]}}, "mqtt")
        assert table.match.seating.players == ("Ann", "Ann 2", "ANN 3")


async def test_a_stored_match_of_one_player_twice_goes_on_and_is_not_begun_again(tmp_path: Path) -> None:
    async with stored_table(tmp_path, {"players": ["Ann", "ann"]}) as table:
        for bed in ("T20", "S1"):
            await give(table, {"throw": bed}, "page")
        assert table.state().sides[0].score == 40
        assert table.committed.plan.problem == TWICE
        with pytest.raises(CommandError, match="are the same player"):
            await give(table, {"start": None}, "page")
        await give(table, {"throw": "D20"}, "page")
        assert table.match.position.over
        with pytest.raises(CommandError, match="are the same player"):
            await give(table, {"start": None}, "page")
        await give(table, {"game": "cricket"}, "page")
        assert table.committed.plan.problem is not None
        await give(table, {"game": {"players": ["Ann", "Bo"]}}, "page")
        await give(table, {"start": None}, "page")
        assert (table.match.game.id, table.match.seating.players) == ("cricket", ("Ann", "Bo"))


async def test_what_a_stored_bull_off_of_one_player_twice_is_for_is_refused(tmp_path: Path) -> None:
    bull_off = {"game": "bull_off", "players": ["Ann", "ann"], "options": {"then": {"game": "x01"}}, "rules": 1}
    async with stored_table(tmp_path, bull_off) as table:
        for bed in ("DB", "MISS"):
            await give(table, {"throw": bed}, "page")
            if not table.match.position.over:
                await give(table, {"next": True}, "page")
        assert table.match.position.over
        with pytest.raises(CommandError, match="are the same player"):
            await give(table, {"start": None}, "page")
        await give(table, {"start": {"game": "x01", "players": ["Ann", "Bo"]}}, "page")
        assert table.match.game.id == "x01"


def test_a_configuration_with_one_player_twice_is_refused_with_its_line(tmp_path: Path, oche: Saying) -> None:
    file = configure(tmp_path)
    file.write_text(file.read_text(encoding="utf-8").replace('"Bo"', '"ann"'), encoding="utf-8")
    line = file.read_text(encoding="utf-8").splitlines().index('players = ["Ann", "ann"]') + 1
    assert oche("config", "check", file) == (2, "", f"oche: {file}, line {line}: {TWICE}\n")


def test_play_with_one_player_twice_is_refused(tmp_path: Path, oche: Saying) -> None:
    demo = oche("play", "--no-open", "--players", "Ann,ann", "--config", configure(tmp_path))
    assert (demo.status, demo.errors) == (2, f"oche: {TWICE}\n")


@pytest.mark.parametrize("language", ["en", "de", "nl", "fr", "es"])
def test_the_page_says_the_sentence_of_the_daemon(language: str) -> None:
    words = (PAGE / f"words/words_{language}.js").read_text(encoding="utf-8")
    (said,) = re.findall(r"twice: \(one, other\) => `(.*)`", words)
    sentences = json.loads((LANGUAGES / f"{language}.json").read_text(encoding="utf-8"))
    assert said.replace("${one}", "{{name}}").replace("${other}", "{{given}}") == sentences["refused"]["twice"]


async def test_two_names_that_were_merged_are_one_player(tmp_path: Path) -> None:
    async with run_daemon(read_config(configure(tmp_path))) as running, aiohttp.ClientSession(running.page) as web:
        table = running.tables["main"]
        both = {"start": {"game": "x01", "players": ["Ann", "Annie"]}}
        await give(table, both, "page")
        async with web.post("/api/players/merge", json={"name": "Annie", "to": "Ann"}) as answer:
            assert answer.status == 200, await answer.text()
        with pytest.raises(CommandError, match=r'^"Ann" and "Annie" are the same player: '):
            await give(table, both, "page")
        with pytest.raises(CommandError, match=r'^"Ann" and "Annie" are the same player: '):
            await give(table, {"start": None}, "page")
        async with web.post("/api/players/split", json={"name": "Annie"}) as answer:
            assert answer.status == 200
        await give(table, both, "page")


async def test_what_oche_players_changes_is_known_to_the_next_match(tmp_path: Path, oche: Saying) -> None:
    file = configure(tmp_path)
    both = {"game": "x01", "players": ["Ann", "Annie"]}
    async with run_daemon(read_config(file)) as running:
        table = running.tables["main"]
        await give(table, {"start": both}, "page")
        await give(table, {"throw": "T20"}, "page")
        assert oche("players", "merge", "Annie", "Ann", "--yes", "--config", file).status == 0
        for words in ({"start": both}, {"game": both}, {"start": None}):
            with pytest.raises(CommandError, match=r'^"Ann" and "Annie" are the same player: '):
                await give(table, words, "mqtt")
        assert oche("players", "split", "Annie", "--config", file).status == 0
        await give(table, {"game": both}, "mqtt")
        await give(table, {"start": None}, "mqtt")
        await asyncio.to_thread(PlayerBook(tmp_path / "state").change, ChangePlayer(name="Annie", doubles=(16,)))
        await give(table, {"start": both}, "mqtt")
        assert table.match.header.options["doubles"] == ((), (16,))


async def test_a_damaged_book_stops_no_match_and_is_said_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with run_daemon(read_config(configure(tmp_path))) as running:
        await asyncio.to_thread((tmp_path / "state/players.db").write_bytes, b"no database" * 100)
        for _ in range(2):
            await give(running.tables["main"], {"start": {"game": "x01", "players": ["Cy", "Di"]}}, "page")
        assert running.tables["main"].match.seating.players == ("Cy", "Di")
    assert sum("until then the tables use the previous list of players" in each.message for each in caplog.records) == 1


@asynccontextmanager
async def table_that_reads(
    folder: Path, refresh: Callable[[], object], may_go_on: threading.Event | None = None
) -> AsyncIterator[Table]:
    """A table that plays, and reads the names by this; what that waits for is set at the end at the latest."""
    config, codebook = TableConfig(board="sim:x"), shipped("plain-standard")
    table = Table(config, codebook, folder / "main.sqlite3", "run", RuleGuard(), refresh=refresh)
    await table.open()
    playing = asyncio.create_task(table.run())
    try:
        yield table
    finally:
        if may_go_on is not None:
            may_go_on.set()
        playing.cancel()
        await asyncio.wait([playing])
        await table.close()


async def test_names_are_read_for_a_new_match_alone_and_beside_the_event_loop(tmp_path: Path) -> None:
    threads: list[threading.Thread] = []
    async with table_that_reads(tmp_path, lambda: threads.append(threading.current_thread())) as table:
        given = [give(table, words, "page") for words in ({"throw": "T20"}, {"start": None}, {"throw": "S5"})]
        await asyncio.gather(*given)
        assert len(threads) == 1
        await give(table, {"game": "cricket"}, "page")
        assert len(threads) == 2
        assert threading.main_thread() not in threads
        for words in ({"throw": "T20"}, {"undo": True}, {"next": True}, {"stop": True}):
            await give(table, words, "page")
        assert len(threads) == 2


@pytest.mark.slow
async def test_a_dart_before_a_new_match_does_not_wait_for_the_names(tmp_path: Path) -> None:
    may_go_on = threading.Event()
    async with table_that_reads(tmp_path, may_go_on.wait, may_go_on) as table:
        dart, start = give(table, {"throw": "T20"}, "page"), give(table, {"start": None}, "page")
        assert (await dart).line == 2
        assert not start.done()
        await start  # however long that takes
        assert not may_go_on.is_set()


async def test_one_thread_at_most_waits_for_the_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    may_go_on, threads = threading.Event(), list[threading.Thread]()

    def read() -> None:
        threads.append(threading.current_thread())
        may_go_on.wait()

    async with table_that_reads(tmp_path, read, may_go_on) as table:
        monkeypatch.setattr("daemon.table.table._NAMES_S", 0.1)
        for _ in range(3):
            await give(table, {"start": None}, "page")
        assert len(threads) == 1
        may_go_on.set()
        monkeypatch.setattr("daemon.table.table._NAMES_S", 60)
        await give(table, {"start": None}, "page")
        assert len(threads) == 2, "what was read while the disk hung may be old"


def test_the_names_are_replaced_as_a_whole(tmp_path: Path) -> None:
    """A match may begin in the event loop while a thread reads them."""
    book, known = PlayerBook(tmp_path), FavouriteDoubles(tmp_path)
    doubles = known.add_table({"Bo": (20,)})
    for name in ("Ann", "Annie"):
        book.change(ChangePlayer(name=name, doubles=(16,)))
    known.read()
    readings = iter(known.aliases), iter(doubles)
    first = [next(each) for each in readings]
    book.merge("Annie", "Ann")
    book.change(ChangePlayer(name="Cy", doubles=(8,)))
    known.refresh()
    seen = [{before, *others} for before, others in zip(first, readings, strict=True)]
    assert seen == [{"ann", "annie"}, {"Ann", "Annie", "Bo"}]
    assert (known.aliases["annie"], doubles["Cy"], doubles["Bo"]) == ("Ann", (8,), (20,))


def test_a_table_whose_configured_players_were_merged_begins_with_others() -> None:
    config, layout = TableConfig(board="sim:x", players=("Ann", "Annie")), shipped("plain-standard").layout
    aliases = {"ann": "Ann", "annie": "Ann"}
    assert begin_first(config, layout, token_hex, PlainGuard(), aliases).match.seating.players == ("Home", "Guest")
    assert remark_merged(config, aliases, None) == (
        'the table begins with Home and Guest: players of the table main in the configuration has "Ann" and "Annie", '
        "who were merged into one player: write another name there, or separate the two with oche players split "
        "Annie; then begin a match for the right players"
    )
    assert begin_first(config, layout, token_hex, PlainGuard()).match.seating.players == ("Ann", "Annie")
    assert remark_merged(config, {}, None) is None
    config = TableConfig(board="sim:x", players=("Ann Lee", "Cy", "Ann"), doubles={})
    files = None, DEFAULT_FILE, Path("/srv/my board/oche.toml")
    told = [remark_merged(config, {"ann": "Ann", "ann lee": "Ann"}, file) or "" for file in files]
    assert [each.partition("separate the two with ")[2].partition("; then ")[0] for each in told] == [
        "oche players split 'Ann Lee'",  # the name that is no player's own
        "sudo oche players split 'Ann Lee'",
        "oche players split 'Ann Lee' --config '/srv/my board/oche.toml'",
    ]


async def test_a_table_says_the_same_command_as_the_doctor(tmp_path: Path) -> None:
    (tmp_path / "my board").mkdir()
    file = configure(tmp_path / "my board")
    (tmp_path / "my board" / "state").mkdir()
    PlayerBook(tmp_path / "my board" / "state").merge("Ann", "Bo")
    (said,) = check_configuration(file, read_configuration(file), None)
    async with run_daemon(read_config(file)) as running:
        remark = str(running.tables["main"].recovery.remark)
    assert said.commands == (f"oche players split Ann --config '{file}'",)
    assert f"separate the two with {said.commands[0]}; then" in remark


def test_the_doctor_and_config_check_say_that_configured_players_were_merged(tmp_path: Path, oche: Saying) -> None:
    file = configure(tmp_path)
    (tmp_path / "state").mkdir()
    book = PlayerBook(tmp_path / "state")
    book.merge("Ann", "Bo")
    (said,) = check_configuration(file, read_configuration(file), None)
    assert (said.name, said.verdict, said.repair) == ("config", "warning", "table")
    assert str(said.text) == 'players of the table main has "Bo" and "Ann", who were merged into one player'
    split = f"oche players split Ann --config {file}"
    assert (str(said.remedy), said.commands) == (f"write another name in {file}, or {split}", (split,))
    checked = oche("config", "check", file)
    assert (checked.status, checked.errors) == (0, f"oche: {said.text}: {said.remedy}\n")
    book.split("Ann")
    assert oche("config", "check", file).errors == ""
    (said,) = check_configuration(file, read_configuration(file), None)
    assert said.verdict == "ok"
    (tmp_path / "state/players.db").write_bytes(b"no database" * 100)
    (said,) = check_configuration(file, read_configuration(file), None)
    assert said.verdict == "ok", "the book is no part of the configuration"
