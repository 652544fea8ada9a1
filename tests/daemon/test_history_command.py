"""`oche history`: what was played is listed, shown, exported, and deleted for good."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import shutil
import sqlite3
from contextlib import AsyncExitStack, closing
from pathlib import Path

import pytest

from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from tests.commanding import give
from tests.daemon.evenings import Evening
from tests.daemon.process import Said, Saying, configure

MARKUP = "<b>Cy</b>"


class Past:
    """Ann beats Bo; a match of Ann with another player was stopped; the last one, of Bo and Dee, is still open."""

    def __init__(self, folder: Path, oche: Saying) -> None:
        self.config = configure(folder, 1)  # no command asks the broker
        self.state = folder / "state"
        self._oche = oche
        with Evening(self.state) as evening:
            self.won = evening.play("T20 S1 D20", options={"start": 101})
            self.stopped = evening.play("T20 / T20", {"stop": True}, day=40, players=["Ann", MARKUP])
            self.open = evening.play("T19", day=41, players=["Bo", "Dee"])

    def __call__(self, *arguments: object, typed: str = "") -> Said:
        return self._oche("history", *arguments, "--config", self.config, typed=typed)

    def ids(self) -> list[str]:
        return [json.loads(line)["match"] for line in self("list", "--json").output.splitlines()]


@pytest.fixture
def past(tmp_path: Path, oche: Saying) -> Past:
    return Past(tmp_path, oche)


def test_the_matches_a_line_each(past: Past) -> None:
    head, won, stopped, still_open = past("list").output.splitlines()
    assert head.split() == ["match", "begun", "table", "game", "players"]
    assert won.split()[0] == past.won
    assert won.split()[-6:] == ["main", "101", "Ann,", "Bo", "Ann", "won"]
    assert stopped.endswith(f"Ann, {MARKUP}  stopped")
    assert still_open.split()[-7:] == ["Bo,", "Dee", "not", "over,", "1", "dart", "thrown"]


def test_the_matches_for_programs_and_spreadsheets(past: Past) -> None:
    won, stopped, still_open = map(json.loads, past("list", "--json").output.splitlines())
    assert (won["standing"], won["winners"], won["darts"]) == ("over", ["Ann"], 3)
    assert (stopped["standing"], stopped["winners"], stopped["players"]) == ("stopped", [], ["Ann", MARKUP])
    assert (still_open["standing"], still_open["title"], still_open["darts"]) == ("open", "501", 1)
    rows = list(csv.DictReader(io.StringIO(past("list", "--csv").output, newline="")))
    assert [row["match"] for row in rows] == past.ids()


@pytest.mark.parametrize("erase", [("history", "delete", "--player", "Bo"), ("players", "forget", "Bo")])
def test_who_has_not_thrown_is_in_the_match_all_the_same(tmp_path: Path, oche: Saying, erase: tuple[str, ...]) -> None:
    """Else the name stays in its header when the matches of that player are deleted."""
    config = ("--config", configure(tmp_path, 1))
    with Evening(tmp_path / "state") as evening:
        idle = evening.play({"stop": True}, players=["Ann", "Bo"])
        early = evening.play("T20", {"stop": True}, day=1, players=["Ann", "bo"])
        evening.play("T20", day=2, players=["Cy", "Di"])
    found = [
        json.loads(line) for line in oche("history", "list", "--json", "--player", "Bo", *config).output.splitlines()
    ]
    assert [(each["match"], each["standing"], each["darts"]) for each in found] == [
        (idle, "stopped", 0),
        (early, "stopped", 1),
    ]
    assert [each["players"] for each in found] == [["Ann", "Bo"], ["Ann", "bo"]]
    assert "'Bo' has not finished a match" in oche("stats", "Bo", *config).errors, "it counts only for who has thrown"
    assert oche(*erase, "--yes", *config).status == 0
    for file in (tmp_path / "state").iterdir():
        assert b'"bo"' not in file.read_bytes().lower(), file


@pytest.mark.parametrize(
    ("chosen", "found"),
    [
        (("--player", "ANN"), ["won", "stopped"]),
        (("--player", "Dee"), ["open"]),
        (("--since", "2026-11-01", "--before", "2026-11-13"), ["stopped"]),
        (("--table", "kitchen"), []),
    ],
)
def test_only_some(past: Past, chosen: tuple[str, ...], found: list[str]) -> None:
    said = past("list", "--json", *chosen).output
    assert [json.loads(line)["match"] for line in said.splitlines()] == [getattr(past, name) for name in found]


def test_a_match_is_shown_by_the_beginning_of_its_id(past: Past) -> None:
    assert past("show", past.won[:6]).output.splitlines()[-1] == "Ann won."


def test_a_record_replays(past: Past, oche: Saying, tmp_path: Path) -> None:
    record = tmp_path / "match.jsonl"
    record.write_text(past("export", past.won).output)
    header, *inputs = map(json.loads, record.read_text().splitlines())
    assert (header["oche"], header["game"], header["players"]) == (1, "x01", ["Ann", "Bo"])
    assert inputs[:1] == [{"throw": "T20"}]
    assert oche("replay", record).output == past("show", past.won).output


def test_many_records_go_into_a_folder(past: Past, tmp_path: Path) -> None:
    said = past("export", "--output", tmp_path / "records")
    assert said.errors == f"2 records are in {tmp_path / 'records'}.\n", "the open one is not among them"
    assert sorted(path.name for path in (tmp_path / "records").iterdir()) == [
        f"2026-10-03_x01_{past.won}.jsonl",
        f"2026-11-12_x01_{past.stopped}.jsonl",
    ]


def test_a_single_record_is_one(past: Past, tmp_path: Path) -> None:
    assert past("export", past.won, "--output", tmp_path).errors == f"1 record is in {tmp_path}.\n"


def test_every_dart_as_csv(past: Past) -> None:
    rows = list(csv.DictReader(io.StringIO(past("export", "--csv", "--player", "bo").output, newline="")))
    assert [row["segment"] for row in rows] == ["T20", "S1", "D20"]


@pytest.mark.parametrize("form", [(), ("--csv",)])
def test_an_export_writes_over_a_file_only_with_force(past: Past, tmp_path: Path, form: tuple[str, ...]) -> None:
    output = tmp_path / "darts.csv" if form else tmp_path
    export = ("export", past.won, *form, "--output", output)
    assert past(*export).status == 0
    (file,) = tmp_path.glob("*.csv" if form else "*.jsonl")
    file.write_text("mine")
    said = past(*export)
    assert (said.status, said.errors) == (
        2,
        f"oche: {file} already exists: name another file, or add --force to overwrite it\n",
    )
    assert file.read_text() == "mine"
    file.chmod(0o600)
    file.rename(place := tmp_path / "elsewhere")
    file.symlink_to(place)
    assert past(*export, "--force").status == 0
    assert file.is_symlink()
    assert place.read_text() != "mine"
    assert place.stat().st_mode & 0o777 == 0o600


def test_deleted_for_good(past: Past) -> None:
    assert past.ids() == [past.won, past.stopped, past.open]
    said = past("delete", "--player", MARKUP, "--yes")
    assert (said.status, said.errors) == (0, "Deleted: 1.\n")
    assert past.ids() == [past.won, past.open]
    for path in past.state.iterdir():
        assert MARKUP.encode() not in path.read_bytes(), f"{path.name} still has the name"


def test_deleting_a_match_deletes_it_from_copies_of_the_journal(past: Past) -> None:
    for name in ("copy.sqlite3", "main.sqlite3.damaged-2026-11-01"):
        shutil.copy(past.state / "main.sqlite3", past.state / name)
    said = past("delete", past.won, "--yes")
    (warning,) = said.errors.splitlines()[1:]
    assert warning.startswith(f"oche: {past.state}/main.sqlite3.damaged-2026-11-01 may still contain them")
    assert past.ids() == [past.stopped, past.open]
    (past.state / "main.sqlite3").unlink()
    assert past.ids() == [past.stopped, past.open], "they are those of the copy now"


def test_a_time_that_is_none_costs_nothing_but_itself(past: Past) -> None:
    for number, at in enumerate(("yesterday", "2026-10-03T20:00:00"), 1):
        with closing(sqlite3.connect(past.state / "main.sqlite3")) as db, db:
            db.execute("update match set begun_at = ? where number = ?", (at, number))
    assert past("list").output.count("1970-01-01") == 2
    assert past("export", past.won).status == 0


async def test_no_daemon_starts_while_matches_are_deleted(past: Past, monkeypatch: pytest.MonkeyPatch) -> None:
    """The daemon is started while the question is open: what is at its table stays."""
    async with AsyncExitStack() as started:

        def confirm(*_: object, **__: object) -> bool:
            asyncio.run_coroutine_threadsafe(
                started.enter_async_context(run_daemon(read_config(past.config))), loop
            ).result()
            return True

        loop = asyncio.get_running_loop()
        monkeypatch.setattr("click.confirm", confirm)
        said = await asyncio.to_thread(past, "delete", past.open)
        assert said.status == 1
        assert "is the current match of the table main" in said.errors
    assert past.open in past.ids()


def test_deleting_asks_for_confirmation(past: Past) -> None:
    said = past("delete", past.won, typed="n\n")
    assert said.status == 130
    assert past.won in said.output, "it says what it is about"
    assert past.ids() == [past.won, past.stopped, past.open]
    assert past("delete", past.won, typed="y\n").status == 0
    assert past.ids() == [past.stopped, past.open]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("delete", "--yes"), "nothing is selected: name matches, or select them with --player, --table, --since, "),
        (("delete", "--yes", "--player", "Eve"), "no match fits these options"),
        (("show", "zzz"), "there is no match 'zzz'; oche history list has their ids"),
        (("show", ""), "there is no match ''; oche history list has their ids"),
        (("export",), "2 matches are selected: name one, or name a folder with --output"),
        (("list", "--json", "--csv"), "--json and --csv exclude each other: choose one"),
        (("list", "--since", "then"), "Invalid value for '--since'"),
        (("lst",), "No such command 'lst'"),
    ],
)
def test_a_mistake_is_one_sentence(past: Past, arguments: tuple[str, ...], sentence: str) -> None:
    said = past(*arguments)
    assert said.status in (1, 2)
    assert said.errors.startswith(f"oche: {sentence}")
    assert said.errors.count("\n") == 1


def test_a_match_that_is_not_over_keeps_its_secrets(past: Past) -> None:
    said = past("export", past.open)
    assert (said.status, said.output) == (1, "")
    assert said.errors == f"oche: the match {past.open} is not over yet: stop it, or export it later\n"


async def test_under_a_running_daemon_the_match_at_the_table_stays(past: Past) -> None:
    async with run_daemon(read_config(past.config)) as running:
        table = running.tables["main"]
        said = past("delete", past.open, "--yes")
        assert said.status == 1
        assert said.errors.startswith(
            f"oche: the match {past.open} is the current match of the table main: start another "
        )
        said = past("delete", "--player", "Bo", "--yes")
        assert said.errors.splitlines() == [
            f"oche: {past.open} is not deleted: it is the current match of the table main",
            "Deleted: 1.",
        ]
        await give(table, {"throw": "T20"}, "page")
        assert past.ids() == [past.stopped, past.open]
    async with run_daemon(read_config(past.config)) as running:
        assert running.tables["main"].match_id == past.open
        assert [dart.segment for dart in running.tables["main"].state().turn.darts] == ["T19", "T20"]
