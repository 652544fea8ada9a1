"""Old matches stay readable: the journals of every form there has been are resumed, listed and played again."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from daemon.config import read_config
from daemon.service import running
from daemon.stats.history import History
from daemon.store import SCHEMA
from engine.games import GAMES
from tests.daemon.house import ROOT, configure, journal
from tests.daemon.old_journals import journal_file, told

SCHEMAS = range(1, SCHEMA + 1)


@pytest.mark.parametrize("schema", SCHEMAS)
def test_it_is_as_it_was(tmp_path: Path, schema: int) -> None:
    """A form that has no file yet needs one: see old_journals.py."""
    file = shutil.copy(journal_file(schema), tmp_path)
    with closing(sqlite3.connect(file)) as db:
        assert db.execute("pragma user_version").fetchone() == (schema,)
    before = json.loads(journal_file(schema).with_suffix(".json").read_text(encoding="utf-8"))
    for then, now in zip(before, told(Path(file)), strict=True):
        assert now["id"] == then["id"]
        if GAMES[then["game"]].rules == then["rules"]:  # newer rules may score it otherwise
            assert now == then


@pytest.mark.parametrize("schema", SCHEMAS)
def test_all_that_were_finished_are_in_the_history(tmp_path: Path, schema: int) -> None:
    shutil.copy(journal_file(schema), tmp_path / "main.sqlite3")
    history = History(tmp_path, {}, "test")
    played = [match.id for match in history.played()]
    finished = [match["id"] for match in told(tmp_path / "main.sqlite3") if match["phase"] == "over"]
    assert (played, history.problems) == (finished, [])


@pytest.mark.parametrize("schema", SCHEMAS)
async def test_the_match_that_was_on_goes_on(tmp_path: Path, unused_tcp_port: int, schema: int) -> None:
    config = read_config(configure(tmp_path, unused_tcp_port))
    (tmp_path / "state").mkdir()
    shutil.copy(journal_file(schema), tmp_path / "state" / "main.sqlite3")
    last = told(tmp_path / "state" / "main.sqlite3")[-1]
    async with running(config) as house:
        table = house.tables["main"]
        assert (table.trouble, table.remark) == (None, None)
        shown = table.state()
        assert (shown.match, shown.line, [side.score for side in shown.sides]) == (
            last["id"],
            last["line"],
            last["scores"],
        )
        await table.command({"throw": "O5"}, "test")
    assert journal(tmp_path)[-1] == {"throw": "O5"}


def test_what_the_page_on_journals_says_can_be_asked_is_answered(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "journal.md").read_text(encoding="utf-8")
    queries = re.findall(r"```sql\n(.+?)```", page, re.DOTALL)
    assert queries
    with closing(sqlite3.connect(shutil.copy(journal_file(SCHEMA), tmp_path))) as db:
        for query in queries:
            assert db.execute(query).fetchall()
        for table in ("match", "entry"):
            columns = [name for _, name, *_ in db.execute(f"pragma table_info({table})")]
            for column in columns:
                assert f"| `{table}` | `{column}` |" in page
