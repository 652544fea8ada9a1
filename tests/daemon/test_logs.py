"""What the log says, read from a real socket and from real lines: an event with its fields, and no text forges one."""

from __future__ import annotations

import asyncio
import io
import logging
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from daemon.service.logs import MOST_KEPT, JournaldHandler, LatestLines, OneLine, is_on_journal, set_up
from simulator.pty_board import PtyBoard
from tests.commanding import give
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import Process, Saying, configure, run, throw

FORGED = "Ann\nERROR main: the disk is full\x1b[2J\u202e\r\x85"


class Journald:
    """Reads what comes into its socket."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(path))
        self._socket.settimeout(0)

    def next(self) -> dict[str, str]:
        """The fields of the next event."""
        message, passed, _, _ = socket.recv_fds(self._socket, 1 << 20, 1)
        for number in passed:
            with os.fdopen(number, "rb") as file:
                file.seek(0)
                message = file.read()
        fields = {}
        while message:
            line, _, message = message.partition(b"\n")
            name, is_short, value = line.partition(b"=")
            if not is_short:
                size = int.from_bytes(message[:8], "little")
                value, message = message[8 : 8 + size], message[9 + size :]
            fields[name.decode()] = value.decode()
        return fields

    def close(self) -> None:
        """Goes, as it does when it is updated."""
        self._socket.close()


@pytest.fixture
def lines() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def log(tmp_path: Path, lines: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> Iterator[logging.Logger]:
    """One that speaks to a socket in this folder, and to `lines` where it cannot."""
    plain = logging.StreamHandler(lines)
    plain.setFormatter(OneLine("%(levelname)s %(message)s"))
    log = logging.getLogger("oche.evening")
    log.addHandler(journal := JournaldHandler(tmp_path / "socket", plain))
    monkeypatch.setattr(log, "propagate", False)
    log.setLevel(logging.INFO)
    yield log
    log.removeHandler(journal)


@pytest.fixture
def journald(tmp_path: Path) -> Iterator[Journald]:
    journald = Journald(tmp_path / "socket")
    yield journald
    journald.close()


def test_an_event_has_its_fields(log: logging.Logger, journald: Journald) -> None:
    log.warning("%s: board: %s", "main", "gone", extra={"table": "main", "board": "serial:auto", "secret": "x"})
    event = journald.next()
    assert {name: event[name] for name in ("MESSAGE", "PRIORITY", "SYSLOG_IDENTIFIER", "LOGGER")} == {
        "MESSAGE": "main: board: gone",
        "PRIORITY": "4",
        "SYSLOG_IDENTIFIER": "oche",
        "LOGGER": "oche.evening",
    }
    assert {name: value for name, value in event.items() if name.startswith("OCHE_")} == {
        "OCHE_TABLE": "main",
        "OCHE_BOARD": "serial:auto",
    }


def test_each_program_is_known_by_its_own_name(tmp_path: Path, journald: Journald) -> None:
    root, handler = logging.getLogger(), JournaldHandler(tmp_path / "socket", logging.NullHandler())
    root.addHandler(handler)
    try:
        set_up(identifier="oche-league")
        root.warning("x")
    finally:
        root.removeHandler(handler)
    assert journald.next()["SYSLOG_IDENTIFIER"] == "oche-league"


def test_a_log_text_cannot_forge_an_event(log: logging.Logger, journald: Journald, lines: io.StringIO) -> None:
    log.info("%s has won", FORGED, extra={"table": f"main\nPRIORITY=0\n{FORGED}"})
    event = journald.next()
    assert event["PRIORITY"] == "6"
    assert event["MESSAGE"] == "Ann\\nERROR main: the disk is full\\x1b[2J\\u202e\\r\\x85 has won"
    assert event["OCHE_TABLE"] == f"main\nPRIORITY=0\n{FORGED}", "the length says where a field ends"
    journald.close()
    log.info("%s has won", FORGED)
    assert lines.getvalue() == "INFO Ann\\nERROR main: the disk is full\\x1b[2J\\u202e\\r\\x85 has won\n"


def test_a_mistake_of_ours_is_a_sentence_with_a_traceback(
    log: logging.Logger, journald: Journald, lines: io.StringIO
) -> None:
    def fail() -> None:
        try:
            raise ValueError(FORGED)
        except ValueError:
            log.exception("the rules failed")

    fail()
    event = journald.next()
    assert (event["MESSAGE"], event["PRIORITY"]) == ("the rules failed", "3")
    assert "in fail" in event["EXCEPTION_TEXT"]
    journald.close()
    fail()
    assert [line for line in lines.getvalue().splitlines() if not line.startswith("    ")] == ["ERROR the rules failed"]


def test_what_is_too_long_for_a_datagram_arrives(log: logging.Logger, journald: Journald) -> None:
    log.error("x" * 1_000_000)
    assert journald.next()["MESSAGE"] == "x" * 1_000_000


def test_a_journal_that_is_too_busy_costs_a_line_and_no_time(log: logging.Logger, journald: Journald) -> None:
    for number in range(2000):
        log.info("%d", number)
    assert journald.next()["MESSAGE"] == "0"


def test_only_the_managers_own_stream_is_the_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (tmp_path / "stream").open("w") as stream:
        monkeypatch.setattr("sys.stderr", stream)
        found = (tmp_path / "stream").stat()
        for named, is_ours in ((f"{found.st_dev}:{found.st_ino}", True), (f"{found.st_dev}:1", False), ("", False)):
            monkeypatch.setenv("JOURNAL_STREAM", named)
            assert is_on_journal() is is_ours


@pytest.mark.long
async def test_an_evening_is_a_few_lines_without_names_of_players(
    tmp_path: Path, broker: Mosquitto, board: PtyBoard
) -> None:
    file = configure(tmp_path, broker.port, "options = { start = 101 }")
    async with Process("run", "--config", file) as daemon:
        await daemon.runs()
        await board.wait_until_open()
        throw(board, "T20", "O1", "D20")
        await daemon.said("main: a match of x01 is over")
        await daemon.said("broker: connected")
        assert await daemon.stop() == 0
    assert "Ann" not in daemon.errors
    assert all(line.startswith("INFO ") for line in daemon.errors.splitlines()), daemon.errors


async def test_a_match_that_ends_is_logged_with_its_own_game(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Also where the start of others stops it, and two come at once; and after a restart."""
    caplog.set_level(logging.INFO, "oche.table")
    file = configure(tmp_path)
    async with run_daemon(read_config(file)) as running:
        table = running.tables["main"]
        first = table.state().match
        games = ("cricket", "shanghai")
        await asyncio.gather(*(give(table, {"start": {"game": game, "players": ["Ann"]}}, "page") for game in games))
    async with run_daemon(read_config(file)) as running:
        last = running.tables["main"].state().match
        await give(running.tables["main"], {"start": {"game": "x01", "players": ["Ann"]}}, "page")
    told = [record for record in caplog.records if "a match of" in record.getMessage()]
    assert [record.getMessage() for record in told] == [
        "main: a match of x01 was stopped",
        "main: a match of cricket begins",
        "main: a match of cricket was stopped",
        "main: a match of shanghai begins",
        "main: a match of shanghai was stopped",
        "main: a match of x01 begins",
    ]
    fields = [(vars(record)["match"], vars(record)["game"]) for record in told]
    assert fields[0] == (first, "x01")
    assert fields[4] == (last, "shanghai")


@pytest.mark.parametrize(("option", "levels"), [("-v", {"DEBUG", "INFO", "ERROR"}), ("-q", {"ERROR"})])
async def test_how_much_is_logged_is_chosen_before_the_command(tmp_path: Path, option: str, levels: set[str]) -> None:
    """A plug-in that cannot be read is an error, and what exactly is wrong with it is for a bug report."""
    file = configure(tmp_path, web="on = false")
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "odd.py").write_text("GAMES = [1]\n", encoding="utf-8")
    async with Process(option, "run", "--config", file) as daemon:
        await daemon.until((tmp_path / "state" / "main.sqlite3").exists)
        assert await daemon.stop() == 0
    assert {line.split()[0] for line in daemon.errors.splitlines() if not line.startswith(" ")} - {"WARNING"} == levels


async def test_where_a_command_has_failed_is_told_on_demand(oche: Saying) -> None:
    plain, more = oche("games", "501x"), await run("-v", "games", "501x")
    assert "Traceback" not in plain.errors
    assert "Traceback" in more.errors
    assert more.errors.endswith(plain.errors)


def test_the_latest_lines_follow_a_number_or_are_all_told_after_a_restart() -> None:
    lines = LatestLines()
    for number in range(MOST_KEPT + 2):
        lines.emit(logging.makeLogRecord({"msg": f"line\n{number}", "levelname": "INFO"}))
    assert [line.number for line in lines.list_since(MOST_KEPT)] == [MOST_KEPT + 1, MOST_KEPT + 2]
    assert lines.list_since(0)[0].text == "line\\n2", "one line each, and no more than are kept"
    assert len(lines.list_since(9_999)) == MOST_KEPT
