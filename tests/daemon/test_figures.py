"""The figures that are kept of matches: whatever has happened to journals and cache, they are those counted anew."""

from __future__ import annotations

import sqlite3
import subprocess
from collections.abc import AsyncIterator, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from daemon.admin.history.forget import delete_matches
from daemon.admin.history.history import History
from daemon.admin.history.match_cache import FILE
from daemon.admin.history.played_matches import PlayedMatch
from daemon.assemble import RunningDaemon, run_daemon
from daemon.config.reader import read_config
from daemon.release import read_version
from daemon.table.effects import Update
from engine.games import GAMES
from protocol.facts import Award
from protocol.layouts import find_layout
from tests.commanding import give
from tests.daemon.evenings import Evening
from tests.daemon.process import configure, eventually

RENAMED, MERGED, FORGOTTEN = ('"Ann"', '"Anna"'), ('"Bo"', '"Ann"'), ('"Ann"', '"player 1"')
STEPS = ["play", "end", "go on", "rename", "merge", "forget", "delete", "new rules", "damage", "lose", "read"]


def history(folder: Path) -> History:
    return History(folder, {"main": find_layout("standard")}, read_version())


def count_anew(folder: Path) -> list[PlayedMatch]:
    """What the journals come to where there is no cache."""
    with TemporaryDirectory() as name:
        # In a process of its own: in this one the end of the copying would end SQLite's locks of the daemon's journal.
        if files := [*folder.glob("*.sqlite3*")]:
            subprocess.run(["cp", *files, name], check=True)
        return [*history(Path(name)).all_matches()]


def rewrite_headers(folder: Path, old: str, new: str) -> None:
    with closing(sqlite3.connect(folder / "main.sqlite3")) as db, db:
        db.execute("update match set header = replace(header, ?, ?)", (old, new))


class Club:
    """A journal in which any of STEPS happens."""

    def __init__(self, folder: Path, evening: Evening, rules: pytest.MonkeyPatch) -> None:
        self.folder, self.evening, self.rules = folder, evening, rules
        self.lines: dict[str, int] = {}
        """How many lines each match has."""

    def do(self, step: str) -> None:
        cache, latest = self.folder / FILE, next(reversed(self.lines), "none")
        match step:
            case "play":
                latest = self.evening.play("T20 S1", day=len(self.lines), options={"start": 101})
                self.lines[latest] = 3
            case "go on" if self.lines:  # over, undone, over again
                end = {"throw": "D20"} if self.lines[latest] % 2 else {"undo": True}
                self.lines[latest] += 1
                self.evening.go_on(latest, end, line=self.lines[latest])
            case "end":
                history(self.folder).write_figures("main", latest)
            case "rename" | "merge" | "forget":
                pairs = {"rename": RENAMED, "merge": MERGED, "forget": FORGOTTEN}
                rewrite_headers(self.folder, *pairs[step])
            case "delete" if self.lines:
                del self.lines[latest]
                delete_matches(self.folder, {latest})
            case "new rules":
                x01 = GAMES["x01"]
                self.rules.setattr(type(x01), "rules", x01.rules + 1)
                self.rules.setattr(type(x01), "title", lambda self, options: f"by rules {self.rules}")
            case "damage" if cache.exists():
                cache.write_bytes(cache.read_bytes()[: -len(step)].replace(b"Ann", b"\xff", 1))
            case "lose":
                cache.unlink(missing_ok=True)
            case "read":
                [*history(self.folder).all_matches()]


@pytest.mark.slow
@given(st.lists(st.sampled_from(STEPS), max_size=12))
def test_kept_figures_equal_figures_counted_anew(steps: Sequence[str]) -> None:
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as rules, Evening(Path(name)) as evening:
        club = Club(Path(name), evening, rules)
        for step in ["play", "go on", "end", *steps]:
            club.do(step)
        assert [*history(club.folder).all_matches()] == count_anew(club.folder)
        assert [*history(club.folder).all_matches()] == count_anew(club.folder), "what the first reading has kept"


def test_a_match_whose_figures_were_written_is_not_replayed(tmp_path: Path) -> None:
    """As for a match that was read: its lines are taken away, and it still counts."""
    with Evening(tmp_path) as evening:
        match = evening.play("T20 S1 D20", options={"start": 101})
        history(tmp_path).write_figures("main", match)
        before = count_anew(tmp_path)
    with closing(sqlite3.connect(tmp_path / "main.sqlite3")) as db, db:
        db.execute("update entry set input = '{}' where line = 2")
    assert [*history(tmp_path).all_matches()] == before
    rewrite_headers(tmp_path, *RENAMED)
    assert [played.problem is None for played in history(tmp_path).all_matches()] == [False], "its header is another"


def test_a_match_deleted_while_all_are_read_stays_out_of_the_cache(tmp_path: Path) -> None:
    with Evening(tmp_path) as evening:
        matches = [evening.play("T20 S1 D20", day=day, options={"start": 101}) for day in range(2)]
        reading = history(tmp_path).all_matches()
        next(reading)
        delete_matches(tmp_path, {matches[0]})
        assert len([*reading]) == 1
    cache = (tmp_path / FILE).read_text()
    assert [match in cache for match in matches] == [False, True]


@pytest.fixture
async def running(tmp_path: Path, unused_tcp_port: int) -> AsyncIterator[RunningDaemon]:
    with Evening(tmp_path / "state") as evening:
        evening.throw(1)
        evening.play("MISS MISS MISS", game="eagles_eye", players=["Ann"], options={"rounds": 1})
    async with run_daemon(read_config(configure(tmp_path, unused_tcp_port))) as running:
        yield running


async def test_the_daemon_writes_them_when_a_match_is_over(running: RunningDaemon, tmp_path: Path) -> None:
    """With the first also those of an evening before; nothing while a match goes on."""
    table, cache = running.tables["main"], tmp_path / "state" / FILE
    for _ in range(2):
        await give(table, {"start": {"game": "x01", "options": {"start": 101}, "players": ["Ann", "Bo"]}}, "page")
        assert table.match_id not in (cache.read_text() if cache.exists() else "")
        for dart in ("T20", "S1", "D20"):
            await give(table, {"throw": dart}, "page")
        await eventually(lambda: cache.exists() and table.match_id in cache.read_text())
    assert [each.id in cache.read_text() for each in count_anew(tmp_path / "state")] == [True] * 4


async def test_an_award_of_a_match_that_is_gone_or_corrected_is_no_news(running: RunningDaemon) -> None:
    table, told = running.tables["main"], list[Update]()

    class Ear:
        def publish(self, update: Update) -> None:
            told.append(update)

    table.subscribe(Ear())
    line = table.committed.public.line
    assert not table.award("gone", line, [(0, Award(award="personal_best"))])
    assert not table.award(table.match_id, line - 1, [(0, Award(award="personal_best"))])
    assert not told
    assert table.award(table.match_id, line, [(0, Award(award="personal_best"))])
    assert [len(update.events) for update in told] == [1]


@pytest.mark.slow
async def test_a_personal_best_is_told_after_the_match_and_no_equal_result(running: RunningDaemon) -> None:
    table, told = running.tables["main"], list[tuple[object, ...]]()

    class Ear:
        def publish(self, update: Update) -> None:
            told.extend((event.match, event.player, event.award) for event in update.events if event.award is not UNSET)

    table.subscribe(Ear())
    matches = []
    for first, second in (("SB", "MISS"), ("SB", "MISS"), ("DB", "MISS")):
        await give(table, {"start": {"game": "eagles_eye", "options": {"rounds": 1}, "players": ["Ann"]}}, "page")
        for dart in (first, second, "MISS"):
            await give(table, {"throw": dart}, "page")
        assert table.match.position.over
        matches.append(table.match_id)
        if len(matches) != 2:  # the table tells it as long as the match is there
            await eventually(lambda: bool(told) and told[-1][0] == matches[-1])
    assert told == [(match, "Ann", "personal_best") for match in matches[::2]]
