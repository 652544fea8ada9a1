"""`oche stats` as people, programs and spreadsheets read it."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from pathlib import Path

import pytest

from daemon.admin.history.history import History
from daemon.admin.history.text import draw_sparkline
from daemon.assemble import run_daemon
from daemon.commands.shared import read_history
from daemon.config.reader import read_config
from protocol.layouts import find_layout
from tests.commanding import give
from tests.daemon.evenings import Evening
from tests.daemon.process import Said, Saying, configure

FORMULA = '=HYPERLINK("http://evil.example","Ann")'
START_101 = {"start": 101}


class Stats:
    """A configuration, and what `oche stats` says of its history."""

    def __init__(self, folder: Path, oche: Saying) -> None:
        self.config = configure(folder, 1)  # no command asks the broker
        self.state = folder / "state"
        self._oche = oche

    def __call__(self, *arguments: str) -> Said:
        return self._oche("stats", "--config", self.config, *arguments)

    def rows(self, *arguments: str) -> list[dict[str, str]]:
        said = self(*arguments, "--csv")
        assert (said.status, said.errors) == (0, "")
        assert said.output.endswith("\r\n")
        assert "\n" not in said.output.replace("\r\n", "")
        return list(csv.DictReader(io.StringIO(said.output, newline="")))


@pytest.fixture
def empty(tmp_path: Path, oche: Saying) -> Stats:
    """No match was played."""
    return Stats(tmp_path, oche)


@pytest.fixture
def stats(empty: Stats) -> Stats:
    """Ann beats Bo twice at 101 and plays once against a name that is a formula."""
    with Evening(empty.state) as evening:
        evening.play("T20 S1 D20", options=START_101)
        evening.play("S20 S20 S20 / MISS MISS MISS / S1 D20", day=1, options=START_101)
        evening.play("T20 / T20 T20 T20", {"stop": True}, day=40, players=["Ann", FORMULA])
    return empty


def test_stats_lists_every_player_in_a_line(stats: Stats) -> None:
    said = stats()
    assert (said.status, said.errors) == (0, "")
    head, ann, bo, formula = said.output.splitlines()
    assert head.split() == ["player", "matches", "won", "legs", "darts", "last", "mostly"]
    assert ann.split() == ["Ann", "3", "2", "2/2", "11", "2026-11-12", "101,", "average", "75.75"]
    assert bo.split()[:5] == ["Bo", "2", "0", "0/2", "3"]
    assert formula.startswith(FORMULA), "harmless on a terminal"


def test_a_player_game_by_game(stats: Stats) -> None:
    said = stats("ann")
    assert said.output.splitlines()[0] == "Ann: 3 matches, 2 won and 1 stopped, the last on 2026-11-12"
    for line in (
        "101: 2 matches, 2 won",
        "  darts       8 in 3 visits, high visit 101",
        "  figures     average 75.75, PPD 25.25, first nine 75.75",
        "  legs        2 of 2 won, the best in 3 darts",
        "  months      2026-10 75.75 (2)",
        "501: 1 match, 0 won and 1 stopped",
    ):
        assert line in said.output.splitlines(), said.output
    assert "checkouts   2 of 2 darts (100.0 %), high finish 101" in said.output
    assert "trend       █▁  the last 2 matches; 5 matches pooled: 101.00 to 75.75" in said.output
    assert "most hit    S20      37.5 %  ████████████████████████ 3" in said.output


def test_a_drill_tells_how_often_its_targets_were_hit(empty: Stats) -> None:
    with Evening(empty.state) as evening:
        evening.play("D1 D1 MISS / D2 S2 MISS /", {"stop": True}, players=["Ann"], game="bobs_27")
        evening.play("S10 MISS T10 /", {"stop": True}, players=["Ann"], game="jdc_challenge")
    said = empty("ann").output
    assert "  doubles     D1 2 of 3, D2 1 of 3" in said.splitlines(), said
    assert "  targets     10 2 of 3" in said.splitlines(), said
    assert "hit:" not in said
    figures = json.loads(empty("ann", "--json").output)["games"][0]["figures"]
    assert (figures["targets"], figures["more"]) == ({"D1": [2, 3], "D2": [1, 3]}, {})


def test_a_bed_that_begins_like_a_formula_is_left_as_it_is(empty: Stats) -> None:
    """The beds of a Ground Round board are places: `-1,0` is one, and programs look for it."""
    with Evening(empty.state, layout=find_layout("ground_round")) as evening:
        evening.throw(1, stop_after=30, players=[FORMULA, "-1,0"], game="ground_round")
    format_csv = empty.rows("--throws")
    assert {row["player"] for row in format_csv} == {f"'{FORMULA}", "'-1,0"}
    segments = {row["segment"] for row in format_csv}
    assert any(segment.startswith("-") for segment in segments), segments


def test_only_some_matches(stats: Stats) -> None:
    assert [row["title"] for row in stats.rows("--game", "501")] == ["501", "501"]
    assert {row["player"] for row in stats.rows("--since", "2026-11-01")} == {"Ann", f"'{FORMULA}"}
    assert len(stats.rows("--since", "0001-01-01")) == 4
    assert stats.rows("--since", "9999-12-31") == []
    assert [row["variant"] for row in stats.rows("--game", "x01")] == ["101", "501", "101", "501"]
    assert stats.rows("--table", "kitchen") == []
    assert "There are no finished matches" in stats("--table", "kitchen").output


def test_players_as_rows(stats: Stats) -> None:
    format_csv = stats.rows()
    assert [(row["player"], row["title"], row["matches"], row["won"]) for row in format_csv] == [
        ("Ann", "101", "2", "2"),
        ("Ann", "501", "1", "0"),
        ("Bo", "101", "2", "0"),
        (f"'{FORMULA}", "501", "1", "0"),
    ]
    assert format_csv[0]["average"] == "75.75"
    assert (format_csv[0]["finished"], format_csv[0]["at_finish"], format_csv[0]["legs_won"]) == ("2", "2", "2")
    assert (format_csv[1]["legs"], format_csv[1]["visits_60+"]) == ("", "1")
    assert format_csv[3]["awards"] == "180:1"


def test_the_matches_of_a_player_as_rows(stats: Stats) -> None:
    format_csv = stats.rows("ANN")
    assert [(row["date"][:10], row["won"], row["stopped"], row["average"]) for row in format_csv] == [
        ("2026-10-03", "1", "0", "101.0"),
        ("2026-10-04", "1", "0", "60.6"),
        ("2026-11-12", "", "1", "60.0"),
    ]


def test_for_programs(stats: Stats) -> None:
    ann, *_ = json.loads(stats("--json").output)
    assert (ann["name"], ann["matches"], ann["value"]) == ("Ann", 3, 75.75)
    found = json.loads(stats("ann", "--json").output)
    assert found["games"][0]["figures"]["hits"]["S20"] == 3


def test_where_a_board_has_measured_the_darts(empty: Stats) -> None:
    with Evening(empty.state) as evening:
        match = evening.play("T20", players=["Ann"])
        evening.go_on(match, {"throw": "T20", "point": [-32, 1012]}, {"throw": "MISS", "unread": True}, line=3)
        evening.go_on(match, {"stop": True}, line=5)
    rows = empty.rows("--throws")
    assert [*rows[0]][-2:] == ["x_mm", "y_mm"]
    assert [(row["segment"], row["x_mm"], row["y_mm"]) for row in rows] == [("T20", "", ""), ("T20", "-3.2", "101.2")]
    assert "spread" not in empty("ann").output, "two darts are no scatter"


def test_how_the_darts_of_a_player_scatter(empty: Stats) -> None:
    with Evening(empty.state) as evening:
        for seed in range(8):
            evening.throw(seed, 12.0, off=(0, -120), players=["Ann"])
    lines = empty("ann").output.splitlines()
    about = next(line for line in lines if "aimed" in line)
    assert re.search(r"all: \d\.\d mm (left|right), 1\d\.\d mm low, spread 1\d\.\d mm \(\d+ darts\)", about)
    assert any("T20:" in line and "spread" in line for line in lines)
    assert any("between two darts" in line for line in lines)


def test_every_dart_as_a_row(stats: Stats) -> None:
    format_csv = stats.rows("--throws")
    assert len(format_csv) == 3 + 8 + 6
    first = format_csv[0]
    assert (first["player"], first["segment"], first["points"], first["visit_points"]) == ("Ann", "T20", "60", "101")
    assert (first["table"], first["game"], first["title"], first["leg"], first["dart"]) == (
        "main",
        "x01",
        "101",
        "1",
        "1",
    )
    assert format_csv[-1]["player"] == f"'{FORMULA}"
    assert [row["segment"] for row in stats.rows("bo", "--throws")] == ["MISS"] * 3
    lines = stats("bo", "--throws", "--json").output.splitlines()
    assert [json.loads(line)["visit"] for line in lines] == [2, 2, 2]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("Anne",), "'Anne' has not finished a match; did you mean 'Ann'?"),
        (("Ann", "--game", "cricket"), "'Ann' has not finished a match of 'cricket'; finished: 101"),
        (
            ("ann", "--since", "2027-01-01", "--table", "main"),
            "'ann' has not finished a match since 2027-01-01 at the table 'main'; finished: 101",
        ),
        (("Zoltan",), f"'Zoltan' has not finished a match; possible here: {FORMULA}, Ann, Bo"),
        (("--game", "x1"), "there is no game 'x1'; did you mean 'x01'?"),
        (("--game", "zzzzz"), "there is no game 'zzzzz'; possible here: 101, 501\n"),
        (("--json", "--csv"), "--json and --csv exclude each other: choose one"),
        (("--throws",), "--throws is for programs and spreadsheets: add --csv or --json"),
        (("--since", "yesterday"), "Invalid value for '--since'"),
        (("--config", "nowhere.toml"), "cannot read nowhere.toml: no such file or directory"),
    ],
)
def test_a_mistake_is_one_sentence(stats: Stats, arguments: tuple[str, ...], sentence: str) -> None:
    said = stats(*arguments)
    assert said.status in (1, 2)
    assert said.errors.startswith(f"oche: {sentence}")
    assert said.errors.count("\n") == 1
    assert said.output == ""


def test_without_a_match_it_says_so(empty: Stats) -> None:
    assert empty() == Said(0, "There are no finished matches.\n", "")
    assert empty("Ann").errors == "oche: 'Ann' has not finished a match\n"
    assert empty("--game", "zzzzz").errors == "oche: there is no game 'zzzzz'; oche games lists them\n"


def test_a_bot_needs_an_option(empty: Stats) -> None:
    with Evening(empty.state) as evening:
        evening.throw(1, players=["Ann", "Bot"], bots=[None, 45], options=START_101)
    assert empty("Bot").errors == "oche: 'Bot' is a bot: add --bots\n"


def test_an_unreadable_journal_is_reported_beside_the_figures(stats: Stats) -> None:
    (stats.state / "noise.sqlite3").write_bytes(b"no database at all " * 500)
    said = stats()
    assert (said.status, said.errors.count("\n")) == (0, 1)
    assert said.errors.startswith(f"oche: cannot read the journal {stats.state / 'noise.sqlite3'}: ")
    assert said.output.splitlines()[1].startswith("Ann")


async def test_the_daemon_may_be_running(empty: Stats) -> None:
    async with run_daemon(read_config(empty.config)) as running:
        table = running.tables["main"]
        await give(table, {"start": {"game": "x01", "players": ["Ann", "Bo"], "options": START_101}}, "page")
        for segment in ("T20", "S1"):
            await give(table, {"throw": segment}, "page")
        assert empty.rows() == [], "the match is not over, and none was before it"
        await give(table, {"throw": "D20"}, "page")
        ann, bo = empty.rows()
        assert (ann["player"], ann["won"], ann["average"]) == ("Ann", "1", "101.0")
        assert (bo["player"], bo["won"], bo["average"]) == ("Bo", "0", "")
        await give(table, {"undo": True}, "page")
        assert empty.rows() == []
        await give(table, {"throw": "S20"}, "page")
        assert table.state().line == 6


class Terminal(io.StringIO):
    """What a user looks at."""

    def isatty(self) -> bool:
        return True


def test_a_long_reading_is_shown(stats: Stats, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", screen := Terminal())
    history = History(stats.state, {}, "1")
    assert len(list(read_history(history, history.counted_matches, is_quiet=False, after_s=0.0))) == 3
    assert "Reading matches" in screen.getvalue()
    assert "100%" in screen.getvalue()


@pytest.mark.parametrize("arguments", [("--json",), ("--csv",), ("--csv", "--throws"), ()])
def test_a_bar_is_for_who_waits_for_it(stats: Stats, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str]) -> None:
    monkeypatch.setattr(sys, "stderr", screen := Terminal())
    assert stats(*arguments).status == 0
    assert screen.getvalue() == "", "programs never, people after a second"


def test_bars() -> None:
    assert draw_sparkline([1.0, 2.0, 8.0]) == "▁▂█"
    assert draw_sparkline([5.0, 5.0]) == "▄▄"


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "a,b", 'a"b', "Ann"])
def test_a_cell_is_harmless_and_reads_back(name: str) -> None:
    from daemon.admin.history.spreadsheet import format_csv

    text = b"".join(format_csv(["name", "n", "segment"], {"name"}, [[name, -5, name]])).decode()
    (row,) = csv.DictReader(io.StringIO(text, newline=""))
    assert row["segment"] == name, "our own word"
    assert row["name"] == (name if name[0].isalpha() else f"'{name}")
    assert row["n"] == "-5", "a number is no formula"
