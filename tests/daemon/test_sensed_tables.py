"""Darts that a board sees, at whole tables: on the disk, over MQTT, in what leaves the house, and told to the board."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import UNSET
from msgspec.structs import replace

from daemon.admin.report import write_match
from daemon.assemble import run_daemon
from daemon.board.corrections import Corrections
from daemon.config.reader import read_config
from daemon.config.sections import TableConfig, TakeoutMode
from daemon.journal.lines import Line, StoredMatch, encode_record
from daemon.journal.stored import StoredJournal
from daemon.snapshot import shorten
from daemon.table.lent_inputs import LentInputs
from daemon.table.matches import begin_first, resume
from daemon.table.played_record import make_record
from daemon.table.scorer import Scorer
from daemon.table.table import Table
from engine.games import game
from engine.match import Match
from protocol.bodies import decode_command
from protocol.commands import Amend, CommandError, Sensor, Start, Throw, decode_line
from protocol.events import BoardCommand, BoardEvent, Cleared, Correct, LinkUp, Mend, Readiness
from protocol.match_spec import read_header
from protocol.messages import Answer, Place
from protocol.sentence import say
from simulator.web_board import WebBoard
from tests.commanding import give
from tests.daemon.desk import PULL_S
from tests.daemon.display import Display
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.played import keep_running, open_table
from tests.daemon.process import configure, eventually, journal
from tests.daemon.test_sensed import CAMERAS, PULLED, UP, amend, find, hit, lines, read, sit_down, throw
from tests.plain_guard import PlainGuard

KEY = "visit_1795000000123/0"


@asynccontextmanager
async def seeing(folder: Path, *events: BoardEvent) -> AsyncIterator[Table]:
    """A table with cameras that has told of these, on this disk."""
    table = await open_table(folder, CAMERAS)
    async with keep_running(table):
        await table.feed(LinkUp("main", "web:cameras", 0))
        for event in events:
            await table.feed(event)
        await eventually(lambda: not table.backlog.waiting_s)
        yield table


async def test_the_name_that_a_board_gives_a_dart_leaves_the_journal_nowhere(tmp_path: Path) -> None:
    visit = [hit(KEY, "T20", (-32, 1012)), hit("b", "O1"), hit("c", "O1"), amend(KEY, "T19", (-400, -900))]
    async with seeing(tmp_path, *visit) as table:
        state = table.state()
        moving = make_record(table.committed._replace(public=replace(state, ref="a")), table.guard)
    on_disk = StoredJournal(tmp_path / "main.sqlite3")
    stored = on_disk.match(on_disk.heads()[-1])
    assert [line.input.get("dart") for line in stored.lines] == [KEY, "b", "c", KEY]
    assert moving is not None
    record, report = b"".join(encode_record(stored)), write_match(on_disk).encode()
    for out in (record, report, msgspec.json.encode(moving), msgspec.json.encode(state)):
        assert KEY.encode() not in out
        assert b'"dart"' not in out
        assert b"-400,-900" in out, "where it is goes along"


def test_a_record_with_points_comes_to_the_same_as_one_without() -> None:
    desk = sit_down()
    desk.hear(hit("a", "T20", (-32, 1012), ("I20",)), read("b:?"), hit("c", "O1", (300, 1300)), PULLED)
    desk.hear(amend("b", "D5", (1, 2)), hit("d", "T20", (5, 1000)))
    header = read_header({"oche": 1, "game": "x01", "players": ["Ann", "Bo"], "undo_all": True})
    known = {"throw", "amend", "next"}
    plain = [{key: value for key, value in line.items() if key in known} for line in lines(desk)]
    played = []
    for record in (lines(desk), plain):
        match = Match(header, game("x01"), "", layout=CAMERAS.layout)
        for number, line in enumerate(record, 2):
            assert match.apply(number, decode_line(msgspec.json.decode(msgspec.json.encode(line)))).accepted
        played.append(match)
    assert [match.score(0) for match in played] == [501 - 60 - 10 - 1] * 2
    assert played[0].position.tallies == played[1].position.tallies
    assert decode_line({"throw": "T20", "seen_by": "a newer oche", "dart": 7, "point": "x"}) == Throw("T20")


def restart(desk_lines: list[Line]) -> Scorer:
    """A scorer that goes on with what the disk has."""
    config = TableConfig(board="web:x", players=("Ann", "Bo"), takeout="sensor")
    about = (lambda _: "m"), PlainGuard()
    scorer = Scorer(begin_first(config, CAMERAS.layout, *about), config, CAMERAS, *about)
    header: dict[str, Any] = {"oche": 1, "game": "x01", "players": ["Ann", "Bo"], "undo_all": True}  # Any: JSON
    stored = StoredMatch("m", header, [line._replace(match="m") for line in desk_lines])
    scorer.resume(resume(stored, CAMERAS.layout, PlainGuard(), sees_darts=True), 0)
    scorer.feed(UP, 0)
    return scorer


def test_after_a_restart_the_darts_on_the_disk_are_known() -> None:
    desk = sit_down()
    throw(desk, "a:T20", "b:O1", "c:O5")
    desk.hear(PULLED)
    throw(desk, "d:T20", "e:O1")
    desk.obey(Amend(6, Throw("T19")))
    kept = [line for each in desk.followed for line in each.lines if isinstance(line, Line)]
    again, before = restart(kept), desk.scorer.match.line
    for dart in ("a:T20", "d:T20", "e:O1"):
        assert not again.feed(read(dart), 0).lines
    assert not again.feed(amend("e", "D3"), 0).lines, "a player has changed this visit"
    assert [line.input for line in again.feed(amend("b", "D3"), 0).lines if isinstance(line, Line)] == [
        {"amend": 3, "throw": "D3", "dart": "b"}
    ]
    assert again.match.line == before + 1
    corrected = again.obey(Amend(6, Throw("T18")), "page", 0)
    assert corrected.to_board == (Correct("d", CAMERAS.layout["T18"]),), "its name is known though it was corrected"
    undone = again.obey(decode_command("undo", b"").command, "page", 0)
    assert undone.to_board == (Correct("d", CAMERAS.layout["T19"]),)


@pytest.mark.parametrize("takeout", ["sensor", "timer", "button", "hits"])
def test_after_a_restart_it_is_known_that_the_darts_were_pulled(takeout: TakeoutMode) -> None:
    desk = sit_down(takeout)
    throw(desk, "a:T20", "b:O1", "c:O5")
    desk.hear(PULLED)
    desk.hear(after_s=PULL_S)
    assert desk.player == "Bo"
    kept = [line for each in desk.followed for line in each.lines if isinstance(line, Line)]
    again = restart(kept)
    again.feed(find("x:T20", is_exact=False), 0)
    question = again.show(again.sheet.states.public).sensor
    assert question is not UNSET, "it is no dart of before: a board without names for its darts tells them anew"
    assert (question.kind, [dart.segment for dart in question.darts]) == ("found", ["T20"])


@pytest.mark.parametrize(
    ("body", "understood"),
    [
        ({"throw": "T20", "point": [1, -2], "dart": "x", "unread": True, "close": ["T5"]}, Throw("T20", (1, -2))),
        ({"amend": 3, "throw": "T20", "point": [1, -2], "dart": "x", "unread": True}, Amend(3, Throw("T20"))),
    ],
)
def test_a_program_says_where_a_dart_is_and_nothing_else(body: dict[str, Any], understood: object) -> None:
    assert decode_command("amend" if "amend" in body else "throw", json.dumps(body).encode()).command == understood


@pytest.mark.parametrize("point", ["x", [1], [1.5, 2], [0, 10_001], [True, 1], {"x": 1}])
def test_a_point_that_is_none_is_refused(point: object) -> None:
    with pytest.raises(CommandError, match="point must be two whole numbers"):
        decode_command("throw", json.dumps({"throw": "T20", "point": point}).encode())


def test_a_match_that_moves_brings_points_and_no_names() -> None:
    start = {"game": "x01", "players": ["Ann"], "lines": [{"throw": "T20", "point": [1, 2], "dart": "x"}]}
    command = decode_command("start", json.dumps(start).encode()).command
    assert isinstance(command, Start)
    assert command.lines == (Throw("T20", (1, 2)),)


def test_at_a_table_that_plays_along_darts_go_without_their_names() -> None:
    desk = sit_down()
    inputs = LentInputs("north", "m2", "s")
    desk.scorer.lend(inputs)
    assert desk.scorer.lent is not None
    state = replace(desk.state, match="m2", places=(Place("main", "here", session="s"), Place("north", "online")))
    desk.scorer.lent.see(state, 0)
    desk.hear(PULLED, Cleared())
    desk.hear(hit("a", "T20", (-32, 1012)), read("b:?"), amend("a", "T5"), find("a:T20", "x:O1"), PULLED, PULLED)
    assert [each.input for each in inputs.waiting] == [
        {"throw": "T20", "point": (-32, 1012)},
        {"throw": "MISS", "unread": True},
        {"next": True},
    ]
    assert desk.journal == []


@pytest.mark.parametrize("takeout", ["timer", "button"])
def test_at_a_table_that_plays_along_pulled_darts_start_the_timer_by_the_other_policies(takeout: TakeoutMode) -> None:
    desk = sit_down(takeout)
    inputs = LentInputs("north", "m2", "s")
    desk.scorer.lend(inputs)
    assert desk.scorer.lent is not None
    state = replace(desk.state, match="m2", places=(Place("main", "here", session="s"), Place("north", "online")))
    desk.scorer.lent.see(state, round(desk.now * 1e9))
    throw(desk, "a:T20")
    desk.hear(PULLED, after_s=1.0)
    throw(desk, "b:T20", "c:T20")
    desk.hear(PULLED, after_s=1.0)
    assert len(inputs.waiting) == 3
    desk.hear(after_s=PULL_S)
    assert [each.input for each in inputs.waiting][3:] == [{"next": True}]


def test_at_a_table_that_plays_along_its_own_board_is_started() -> None:
    desk = sit_down()
    desk.scorer.lend(LentInputs("north", "m2", "s"))
    assert desk.scorer.lent is not None
    state = replace(desk.state, match="m2", line=9, places=(Place("main", "here", session="s"),))
    desk.scorer.lent.see(state, 0)
    desk.hear(Readiness(said=say("mine.stopped", "stopped"), remedy="start"))
    effects = desk.scorer.obey(Sensor("start"), "page", round(desk.now * 1e9), at=9)
    assert effects.to_board == (Mend("start"),)
    assert effects.reply == Answer(9, state.phase), "it is the line of the match that is shown there"


async def test_the_board_is_told_once_what_was_corrected_is_on_the_disk(tmp_path: Path) -> None:
    heard, notices = list[BoardCommand](), list[str]()
    answers = iter([True, True, False])

    async def send(command: BoardCommand) -> bool:
        heard.append(command)
        return next(answers)

    corrections = Corrections(send, lambda said: notices.append(str(said)))
    table = await open_table(tmp_path, CAMERAS)
    table.subscribe(corrections)
    async with keep_running(table, corrections.run):
        await table.feed(LinkUp("main", "web:cameras", 0))
        await table.feed(hit("a", "T20"))
        for bed in ("T19", "T18", "T17"):
            await eventually(lambda: not table.backlog.waiting_s)
            await give(table, {"amend": 2, "throw": bed}, "page")
        await eventually(lambda: bool(notices))
    assert heard == [Correct("a", CAMERAS.layout[bed]) for bed in ("T19", "T18", "T17")]
    assert notices == ["the board was not told of this: it is not connected"]


def test_a_state_with_a_question_keeps_to_its_size() -> None:
    desk = sit_down()
    for key in "ab":
        desk.hear(hit(key, "T20", (-1032, -1012), ("I20", "O20", "T19")))
    desk.hear(find(*(f"x{number}:T20" for number in range(9))))
    state = desk.scorer.show(desk.state)
    assert state.sensor is not UNSET
    long = replace(state, title="x" * (4036 - len(msgspec.json.encode(state)) + len(state.title) + 1))
    short = shorten(long)
    assert len(msgspec.json.encode(short)) <= 4036
    assert [dart.segment for dart in short.turn.darts] == ["T20", "T20"]


async def test_a_question_about_found_darts_is_answered_over_mqtt(tmp_path: Path, broker: Mosquitto) -> None:
    checked = read_config(configure(tmp_path, broker.port, board="none", profile="plain-standard"))
    checked = replace(checked, codebooks=(CAMERAS,))  # its board is played by this test
    async with run_daemon(checked) as running, Display(broker.port) as display:
        await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
        table = running.tables["main"]
        for event in (hit("a", "T20", (-32, 1012)), find("a:T20", "b:?", "c:O1")):
            await table.feed(event)
        await display.until(lambda: "sensor" in display.state())
        asked = display.state()["sensor"]
        assert asked == {"id": "1", "kind": "found", "darts": [{"segment": None}, {"segment": "O1"}]}
        await display.say("oche/table/main/cmd/sensor", json.dumps({"sensor": "take", "question": "1"}))
        await display.until(lambda: len(display.state()["turn"]["darts"]) == 3)
        state = display.state()
        assert "sensor" not in state
        assert state["turn"]["darts"][0]["point"] == [-32, 1012]
        assert state["turn"]["darts"][1]["unread"] is True
        answer = await display.ask("sensor", {"sensor": "start"})
        assert answer["error"]["message"] == "the board does not need this now: see what it says of itself"
    assert [line.get("dart") for line in journal(tmp_path)] == ["a", "b", "c"]


async def test_a_visit_at_simulated_cameras_with_a_correction_and_a_gap(tmp_path: Path) -> None:
    async with WebBoard(CAMERAS) as board:
        file = configure(tmp_path, board=board.address, profile="opendarts-cameras")
        async with run_daemon(read_config(file)) as running:
            table = running.tables["main"]
            await eventually(lambda: table.board.online and board.hosts > 0)

            def count() -> int:
                return len(table.state().turn.darts)

            assert board.hit(CAMERAS.layout["T20"])
            await eventually(lambda: count() == 1)
            await give(table, {"amend": 2, "throw": "T19"}, "page")
            await eventually(lambda: [dart.segment.id for dart in board.camera.darts if dart.segment] == ["T19"])
            board.drop()
            assert board.hit(CAMERAS.layout["D5"])
            await eventually(lambda: count() == 2 or table.state().sensor is not UNSET)
            if count() == 1:  # it took long
                await give(table, {"sensor": "take"}, "page")
            await eventually(lambda: board.hosts > 0)
            assert board.hit(CAMERAS.layout["O1"])
            await eventually(lambda: count() == 3)
            assert board.pull_darts()
            await eventually(lambda: table.state().turn.player == "Bo")
            last = table.state().last
    assert last is not None
    assert [dart.segment for dart in last.darts] == ["T19", "D5", "O1"]
    assert [dart.point is UNSET for dart in last.darts] == [True, True, False], "a corrected, and a found one have none"
    assert len([line for line in journal(tmp_path) if "dart" in line]) == 3
