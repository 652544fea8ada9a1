"""The darts of a match that moved to another table count once, though both tables have them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from daemon.admin.history.history import History
from daemon.admin.history.played_matches import PlayedMatch
from daemon.journal.stored import StoredJournal
from protocol.match_spec import Unreadable, read_header
from protocol.tournament import Call
from tests.commanding import give
from tests.daemon.desk import Desk
from tests.daemon.evenings import Evening
from tests.daemon.process import eventually
from tests.daemon.test_ref import ASKED
from tests.daemon.tournament.playing import begin, find_match, planned, run_desk, throw, win
from tests.daemon.tournament.unplayed import configure_tables

SHORT: dict[str, Any] = {"options": {"start": 101}, "players": ["Ann", "Bo"]}  # Any: JSON
MOVED = "T20 MISS MISS /"


def read(folder: Path) -> History:
    return History(folder, {}, "1")


def count_darts(matches: list[PlayedMatch]) -> dict[str, int]:
    """How many darts of each player count."""
    found: dict[str, int] = {}
    for part in (part for match in matches for part in match.parts):
        found[part.player] = found.get(part.player, 0) + part.tally.darts
    return found


async def test_a_real_move_between_two_tables_of_a_daemon(tmp_path: Path) -> None:
    checked = configure_tables(tmp_path, 3)
    names = "main", "second", "third"
    async with run_desk(checked) as (running, desk):
        found = await begin(desk, ("Ann", "Bo"), names)
        one, other, third = (running.tables[name] for name in names)
        await planned(one, found)
        await give(one, {"start": None}, "page")
        await throw(one, "T20", "MISS", "MISS", "next")
        for attempt, (name, table) in enumerate((("second", other), ("third", third)), 2):
            await eventually(lambda: find_match(found, "final-1").status == "playing")
            await desk.do(found.id, Call("final-1", name), "organiser")
            ref = f"{found.id}/final-1/{attempt}"
            await eventually(lambda: table.state().ref == ref)  # noqa: B023
            await throw(table, "MISS", "MISS", "MISS", "next")
        await win(third, next(side.name for side in third.state().sides if side.score == 101), is_started=True)
        folder = Path(checked.config.bridge.state_dir)
        moved = [table.committed.match_id for table in (one, other)]
        for table in (one, other):
            await give(table, {"start": {"oche": 1, "game": "501", "players": ["Cy"]}}, "page")
    journals = [StoredJournal(folder / f"{name}.sqlite3") for name in names]
    headers = dict(each for journal in journals for each in journal.all_headers().values())
    last = next(name for name, header in headers.items() if header.get("continues") == moved[1])
    assert headers[moved[1]]["continues"] == moved[0]
    assert "continues" not in headers[moved[0]]
    matches = [match for match in read(folder).counted_matches() if match.darts]
    assert [match.id for match in matches] == [last]
    assert sum(count_darts(matches).values()) == matches[0].darts
    assert sorted(match.id for match in read(folder).all_matches() if match.went_on) == sorted(moved)


def test_only_a_stopped_match_is_left_out_and_only_while_another_continues_it(tmp_path: Path) -> None:
    with Evening(tmp_path) as evening, Evening(tmp_path, "other") as other:
        moved = evening.play(MOVED, {"stop": True}, **SHORT)
        evening.play(MOVED, {"stop": True}, **SHORT)
        won = evening.play("T20 S1 D20", **SHORT)
        other.play(MOVED, "MISS MISS MISS / S1 D20", continues=moved, **SHORT)
        other.play("T20 S1 D20", continues=won, **SHORT)
    history = read(tmp_path)
    for _ in range(2):  # replayed, and from the cache
        matches = list(history.counted_matches())
        assert (len(matches), moved in {match.id for match in matches}) == (4, False)
        assert count_darts(matches) == {"Ann": 14, "Bo": 3}
    wanted = {match.id: frozenset(match.players) for match in history.all_matches()}
    assert len(wanted) == 5
    assert len(list(history.list_throws(wanted))) == 17
    (tmp_path / "other.sqlite3").unlink()
    assert count_darts(list(read(tmp_path).counted_matches())) == {"Ann": 9, "Bo": 0}, "it counts again"


def test_it_is_in_the_header_of_the_match_alone() -> None:
    desk = Desk()
    desk.give(start={**ASKED, "continues": "c6dd54027c31"})
    assert desk.headers[-1]["continues"] == "c6dd54027c31"
    assert not hasattr(desk.plan, "continues")
    desk.give(stop=True)
    desk.give(start=None)
    assert "continues" not in desk.headers[-1]


@pytest.mark.parametrize("given", ["", "x" * 65, "two\nlines", 7])
def test_it_is_a_short_line_of_text(given: object) -> None:
    with pytest.raises(Unreadable, match="continues"):
        read_header({"oche": 1, "game": "501", "players": ["Ann"], "continues": given})
