"""A daemon that an old backup was put back for fetches what the league knows more of."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from daemon.admin.history.fetch import Fetched, fetch_known_more
from daemon.admin.history.played_matches import count_match
from daemon.admin.players.book import PlayerBook
from daemon.admin.requests import ChangePlayer
from daemon.admin.settings.settings_file import SettingsFile
from daemon.assemble import RunningDaemon, run_daemon
from daemon.config.sections import League
from daemon.journal.journal_file import add_lines
from daemon.journal.lines import Line, StoredMatch, encode_record
from daemon.journal.stored import StoredJournal
from daemon.league import offers
from daemon.league.records import Taken
from daemon.league.store import LeagueStatus, LeagueStore
from protocol.layouts import find_layout
from tests.commanding import give
from tests.daemon.evenings import Evening
from tests.daemon.league.playing import OPTIONS, WON
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import Process, configure, eventually, run
from tests.league.offering import write_config
from tests.league.pages import configure_league, make_token, open_client, serve_league
from tests.league.postgres import Postgres
from tests.league.test_whole_league import FalseLeague

JSON = Any  # Any: JSON
PLAYERS = ("Ann", "Bo")
CORRECTED: tuple[JSON, ...] = (
    {"undo": True},
    {"throw": "S20"},
    {"next": True},
    {"throw": "S1"},
    {"next": True},
    {"throw": "D10"},
)
"""The last dart of a match was another one, so that it goes on, to another end."""
LAYOUTS = {"main": find_layout("standard")}


def read_match(folder: Path, match: str) -> StoredMatch:
    """What the journal in this folder has of it."""
    journal = StoredJournal(folder / "main.sqlite3")
    return journal.match(journal.heads(match)[0])


def play(folder: Path, matches: int) -> list[str]:
    """Plays so many matches of 101, one a day."""
    with Evening(folder) as evening:
        return [evening.play(WON, day=day, options=OPTIONS, players=PLAYERS) for day in range(matches)]


@asynccontextmanager
async def run_board(folder: Path) -> AsyncIterator[RunningDaemon]:
    """The daemon in this folder, with its settings."""
    settings = SettingsFile(folder / "oche.toml")
    setup = settings.load()
    assert setup is not None
    async with run_daemon(setup, settings) as running:
        await settings.note_start(setup, "")
        yield running


def count_answers(folder: Path, answer: str) -> int:
    return sum(each.answer == answer for each in LeagueStore(folder / "state").read().taken.values())


@pytest.mark.slow
@pytest.mark.parametrize("by", ["page", pytest.param("command", marks=pytest.mark.long)])
async def test_an_old_backup_catches_up_with_the_league(
    tmp_path: Path,
    broker: Mosquitto,
    postgres: Postgres,
    league_database: str,
    by: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(offers, "_PLAYERS_S", 0.1)
    state, old = tmp_path / "state", tmp_path / "old"
    first, second, latest = play(state, 3)
    PlayerBook(state).change(ChangePlayer("Bo", counts=False))
    shutil.copytree(state, old)
    with Evening(state) as evening:
        for match in (first, latest):
            evening.go_on(match, *CORRECTED, line=5)
    whole = {match: read_match(state, match) for match in (first, second, latest)}
    (tmp_path / "league").mkdir()
    (tmp_path / "collect").mkdir()
    pages = configure_league(tmp_path / "league", postgres, league_database)
    collecting = write_config(tmp_path / "collect", broker.port, postgres, league_database)
    async with serve_league(pages) as url, Process("collect", "--config", collecting) as collector:
        await collector.said("listening")
        league = f'[league]\non = true\nsince = "2026-10-01"\nurl = "{url}"\ntoken_file = "token"'
        configure(tmp_path, broker.port, more=league)
        (tmp_path / "token").write_text("none yet", encoding="utf-8")
        async with run_board(tmp_path):
            await eventually(lambda: count_answers(tmp_path, "kept") == 3)
        (tmp_path / "token").write_text(await make_token(pages, "oche"), encoding="utf-8")
        for file in (*state.glob("main.sqlite3*"), *state.glob("league.db*")):
            file.unlink()
        shutil.copy(old / "main.sqlite3", state)

        async with run_board(tmp_path) as running, open_client(running.page or "") as web:
            await eventually(lambda: count_answers(tmp_path, "known_more") == 2)

            async def fetch() -> JSON:
                if by == "command":
                    done = await run("history", "fetch", "--config", tmp_path / "oche.toml")
                    return done.process.returncode, done.output, done.errors
                async with web.post("/api/league/fetch", json={}) as answer:
                    assert answer.status == 200, await answer.text()
                    return await answer.json()

            async def count_darts() -> JSON:  # asked for: reading a journal in this process would take its locks away
                async with web.get("/api/matches") as answer:
                    return {each["match"]: each["darts"] for each in (await answer.json())["matches"]}

            found = await fetch()
            if by == "command":
                assert (found[0], found[1]) == (1, f"{first} at main: 6 inputs added\n")
                assert f"{latest} at main is not fetched: it is the current match of the table main" in found[2]
            else:
                assert (found["fetched"], [each["match"] for each in found["failed"]]) == (1, [latest])
                assert found["failed"][0]["reason_said"]["key"] == "league.fetch_current"
            assert await count_darts() == {first: 7, second: 3, latest: 3}
            await eventually(lambda: (count_answers(tmp_path, "kept"), count_answers(tmp_path, "known_more")) == (2, 1))

            start = {"oche": 1, "game": "x01", "players": [*PLAYERS], "options": OPTIONS}
            await give(running.tables["main"], {"start": start}, "page")
            await fetch()
            await eventually(lambda: (count_answers(tmp_path, "kept"), count_answers(tmp_path, "known_more")) == (3, 0))
            assert await count_darts() == {first: 7, second: 3, latest: 7}
            await give(running.tables["main"], {"throw": "T20"}, "page")
        async with run_board(tmp_path) as running:
            going_on = read_match(state, running.tables["main"].match_id)
            assert [line.input for line in going_on.lines] == [{"throw": "T20"}]
    for match, expected in whole.items():
        found = read_match(state, match)
        assert [*encode_record(found)] == [*encode_record(expected)], "with the names that the league has not"


def write(stored: StoredMatch, *more: JSON, **header: object) -> bytes:
    """The record of the league of this match, which goes on with these inputs."""
    text = b"".join(encode_record(stored._replace(header={**stored.header, **header})))
    return text + b"".join(msgspec.json.encode(each) + b"\n" for each in more)


def test_lines_are_only_added_to_a_match_that_is_as_it_was_read_and_not_the_latest(tmp_path: Path) -> None:
    state = tmp_path / "state"
    first, latest = play(state, 2)
    lines = [Line(first, number, given, "league", "") for number, given in enumerate(CORRECTED, 5)]
    for match in (latest, first):
        read = read_match(state, match)
        more = [line._replace(match=match) for line in lines]
        assert add_lines(state / "main.sqlite3", read, more) == (match == first)
        assert not add_lines(state / "main.sqlite3", read, more), "it was changed meanwhile"
    assert read_match(state, first).lines[3:] == lines
    assert len(read_match(state, latest).lines) == 3
    assert not add_lines(state / "main.sqlite3", read_match(state, first)._replace(id="gone"), lines)


async def test_what_cannot_be_fetched_is_said_and_changes_nothing(tmp_path: Path) -> None:
    state = tmp_path / "state"
    match, *_ = play(state, 2)
    (tmp_path / "token").write_text("bridge-token", encoding="utf-8")
    before, store = read_match(state, match), LeagueStore(state)
    known = Taken("league", "main", match, "1", "0", "known_more", 9)
    store.note([known, Taken("league", "main", "gone", "1", "0", "known_more", 9)], LeagueStatus(), "")

    async with FalseLeague() as false:
        league = League(on=True, url=false.url, token_file=str(tmp_path / "token"))

        async def fetch(used: League = league) -> dict[str, Fetched]:
            found = await asyncio.to_thread(lambda: [*fetch_known_more(state, used, LAYOUTS)])
            return {each.match: each for each in found}

        false.say(b"", "503 Unavailable")
        told = await fetch()
        assert "it was deleted here" in str(told["gone"].trouble)
        assert "status 503" in str(told[match].trouble)
        assert [*store.read().taken] == [known.key], "what is gone is told once"
        for body, status, said in (
            (b"", "404 Not Found", "no such match"),
            (b"", "403 Forbidden", "league.token_file"),
            (b"<html>", "200 OK", "no match"),
            (b"\xff\n", "200 OK", "no match"),
            (b"[]\n", "200 OK", "no match"),
            (write(before, {"undo": True}), "200 OK", "is not over"),
            (write(before, {"undo": True}, {"throw": "S99"}), "200 OK", "refuse"),
            (write(before._replace(lines=before.lines[1:]), *CORRECTED), "200 OK", "another way"),
            (write(before, *CORRECTED, options={"start": 301}), "200 OK", "another way"),
        ):
            false.say(body, status)
            told = await fetch()
            assert said in str(told[match].trouble), (body, told)
            assert (read_match(state, match), [*store.read().taken]) == (before, [known.key])
        false.say(write(before, *CORRECTED, players=["Forgotten player 1", "Forgotten player 2"]))
        assert await fetch() == {match: Fetched("main", match, 6)}
    whole = read_match(state, match)
    assert whole.header == before.header
    assert [line.input for line in whole.lines[len(before.lines) :]] == [*CORRECTED]
    assert count_match(whole, "main", LAYOUTS["main"]).darts == 7
    assert not store.read().taken
    store.note([known], LeagueStatus(), "")
    told = await fetch()
    assert "nothing can be fetched from the league" in str(told[match].trouble), "it is gone"
    with pytest.raises(Exception, match=r"set league\.url"):
        await fetch(League(on=True))
