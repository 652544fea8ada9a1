"""Old matches stay readable: the journals of every form there has been are resumed, listed and played again."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from daemon.admin.history.history import History
from daemon.journal.stored import SCHEMA
from engine.games import GAMES
from protocol.commands import CommandError
from tests.commanding import give
from tests.daemon.old_journals import FOLDER, journal_file, told
from tests.daemon.process import ROOT, journal
from tests.daemon.test_durability import table_in

NAMES = sorted(path.stem for path in FOLDER.glob("*.sqlite3"))


def test_every_form_has_its_journal() -> None:
    """A form that has no file yet needs one: see old_journals.py."""
    assert {f"v{schema}" for schema in range(1, SCHEMA + 1)} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_it_is_as_it_was(tmp_path: Path, name: str) -> None:
    file = shutil.copy(journal_file(name), tmp_path)
    with closing(sqlite3.connect(file)) as db:
        (schema,) = db.execute("pragma user_version").fetchone()
    assert f"v{schema}" == name.partition("_")[0]
    before = json.loads(journal_file(name).with_suffix(".json").read_text(encoding="utf-8"))
    for then, now in zip(before, told(Path(file)), strict=True):
        assert now["id"] == then["id"]
        if GAMES[then["game"]].rules == then["rules"]:  # newer rules may score it otherwise
            assert now | then == now


def test_stop_and_retire_are_final_where_the_header_lacks_undo_all(tmp_path: Path) -> None:
    """The same inputs twice: as 0.1.0 wrote them, and under a header that says so."""
    found = told(Path(shutil.copy(journal_file("v1_undo_all"), tmp_path)))
    seen = [(match["out"], match["scores"], match["phase"], match["stopped"], match["winners"]) for match in found]
    assert seen[:5] == [
        ([False, True, False], [481, 501, 441], "throwing", False, []),  # the undo took the S5 of Bo, who stays out
        ([False, True, False], [481, 496, 501], "over", True, []),  # the S1, the S5, and the S5 again
        ([False, True], [0, 0], "over", False, [0]),
        ([False, False], [0, 101], "over", False, [0]),
        ([False, False], [40, 101], "over", True, []),
    ]
    assert (
        seen[5:10]
        == [
            ([False, False, False], [481, 436, 501], "throwing", False, []),  # Bo is back, and throws on
            ([False, False, False], [481, 495, 501], "over", True, []),
            ([False, False], [0, 0], "throwing", False, []),
            *seen[3:5],
        ]
    )


@pytest.mark.parametrize("name", NAMES)
def test_all_that_were_finished_are_in_the_history(tmp_path: Path, name: str) -> None:
    shutil.copy(journal_file(name), tmp_path / "main.sqlite3")
    history = History(tmp_path, {}, "test")
    played = [match.id for match in history.counted_matches()]
    finished = [match["id"] for match in told(tmp_path / "main.sqlite3") if match["phase"] == "over"]
    assert (played, history.problems) == (finished, [])


@pytest.mark.parametrize("name", NAMES)
async def test_the_match_that_was_on_goes_on(tmp_path: Path, name: str) -> None:
    (tmp_path / "state").mkdir()
    shutil.copy(journal_file(name), tmp_path / "state" / "main.sqlite3")
    last = told(tmp_path / "state" / "main.sqlite3")[-1]
    async with table_in(tmp_path / "state") as table:
        assert (table.trouble, table.recovery.remark) == (None, None)
        shown = table.state()
        assert (shown.match, shown.line, [side.score for side in shown.sides]) == (
            last["id"],
            last["line"],
            last["scores"],
        )
        await give(table, {"throw": "O5"}, "page")
        await give(table, {"stop": True}, "page")
        if name == "v1":  # begun before undo took back a stop
            with pytest.raises(CommandError, match="the match was stopped, and undo does not bring it back"):
                await give(table, {"undo": True}, "page")
        else:
            await give(table, {"undo": True}, "page")
            assert table.state().phase == "takeout"
        assert {"throw": "O5"} in journal(tmp_path)
        await give(table, {"start": None}, "page")
        assert table.match.header.undo_all


def test_what_the_page_on_journals_says_can_be_asked_is_answered(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "journal.md").read_text(encoding="utf-8")
    queries = re.findall(r"```sql\n(.+?)```", page, re.DOTALL)
    assert queries
    with closing(sqlite3.connect(shutil.copy(journal_file(f"v{SCHEMA}"), tmp_path))) as db:
        for query in queries:
            assert db.execute(query).fetchall()
        for table in ("match", "entry"):
            columns = [name for _, name, *_ in db.execute(f"pragma table_info({table})")]
            for column in columns:
                assert f"| `{table}` | `{column}` |" in page
