"""A table goes on with a match of older rules as it was begun, and keeps its result with their version."""

from __future__ import annotations

import json
from pathlib import Path
from secrets import token_hex

import aiohttp

from daemon.admin.history.history import History
from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from daemon.journal.journal_file import JournalFile
from daemon.journal.lines import Begin, Line
from daemon.journal.stored import StoredJournal
from daemon.table.matches import begin
from engine.games import GAMES
from protocol.layouts import find_layout
from protocol.match_spec import read_header
from tests.commanding import give
from tests.daemon.process import configure, eventually
from tests.daemon.test_durability import table_in
from tests.engine.test_older_rules import read_lines, read_outcomes, stored
from tests.plain_guard import PlainGuard

AT = "2026-11-20T20:00:00.000+00:00"


def write_journal(folder: Path, name: str, leave: int) -> None:
    """The journal of the table main with this match, but for its last inputs."""
    folder.mkdir()
    header, *inputs = read_lines(name)
    lines = [Line("aaaaaaaaaaaa", number, dict(line), "page", AT) for number, line in enumerate(inputs, 2)]
    store = JournalFile(folder / "main.sqlite3")
    store.write([Begin("aaaaaaaaaaaa", dict(header), AT), *lines[: len(lines) - leave]])
    store.close()


@stored
async def test_it_goes_on_as_it_was_begun(tmp_path: Path, name: str) -> None:
    header, *inputs = read_lines(name)
    expected, leave = read_outcomes(name), 4
    write_journal(tmp_path / "state", name, leave)
    async with table_in(tmp_path / "state") as table:
        assert (table.trouble, table.recovery.remark) == (None, None)
        for wanted, given in zip(expected[-leave - 1 :], [*inputs[-leave:], None], strict=True):
            shown = table.state()
            assert [shown.phase, [side.score for side in shown.sides], [*shown.winners]] == [wanted[0], *wanted[2::2]]
            if given is not None:
                await give(table, dict(given), "page")
        if table.state().phase == "over":
            journal = StoredJournal(tmp_path / "state" / "main.sqlite3")
            await eventually(lambda: journal.result(1, len(inputs)) is not None)
            kept = journal.result(1, len(inputs))
            assert kept is not None
            assert (kept.rules, [*kept.scores]) == (header["rules"], expected[-1][2])
        await give(table, {"undo": True}, "page")
        assert [side.score for side in table.state().sides] == expected[-2][2]
        await give(table, {"start": None}, "page")
        assert table.match.header.rules == GAMES[header["game"]].rules
        assert set(table.match.header.options) == set(GAMES[header["game"]].options_type.__struct_encode_fields__)


async def test_the_page_shows_the_options_that_there_still_are(tmp_path: Path) -> None:
    write_journal(tmp_path / "state", "cricket_2_places", 4)
    async with (
        run_daemon(read_config(configure(tmp_path))) as running,
        aiohttp.ClientSession(running.page) as web,
        web.get("/api/table/main/rules") as answer,
    ):
        sheet = await answer.json()
    assert set(sheet["chosen"]) == set(sheet["names"]) == set(sheet["options"]["properties"])
    assert "won_by_others" not in sheet["chosen"]


def test_the_history_counts_it_by_its_own_rules(tmp_path: Path) -> None:
    write_journal(tmp_path / "state", "cricket_count_up_1", 0)
    history = History(tmp_path / "state", {}, "test")
    (played,) = history.counted_matches()
    assert (history.problems, played.variant) == ([], "cricket_count_up (order free)")
    assert [part.tally.points for part in played.parts] == [893]


def test_a_new_match_is_begun_by_the_newest_rules() -> None:
    """Also of a header that names older ones, as a client sends that starts a stored match once more."""
    header = dict(read_lines("cricket_2_places")[0])
    opened = begin(read_header(header), find_layout("standard"), token_hex, PlainGuard())
    assert opened.match.rules == opened.match.header.rules == GAMES["cricket"].rules
    assert json.dumps(opened.match.header.options) == json.dumps(header["options"])
