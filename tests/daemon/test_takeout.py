"""When the next visit opens, and what the darts pulled out do meanwhile: once through the daemon, the rest without."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from daemon.assemble import RunningDaemon, run_daemon
from daemon.config.reader import read_config
from drivers.session import now_ns
from protocol.codebook import shipped
from protocol.commands import Choose, Next, Undo
from protocol.events import Garbage, Stuck
from simulator.pty_board import PtyBoard
from tests.commanding import give
from tests.daemon.desk import PULL_S, Desk
from tests.daemon.display import JSON, DirectDisplay, Display
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import configure, journal
from tests.daemon.test_bots import evening
from tests.simulator.hurry import in_no_time


async def test_the_timer_closes_a_visit_that_is_thrown_and_pulled(
    tmp_path: Path, broker: Mosquitto, board: PtyBoard
) -> None:
    """From the bytes of a board to the broker. Pulling darts out makes ghost hits: refused, counted, said."""
    file = configure(tmp_path, broker.port, "takeout = 'timer'\ntakeout_s = 0.5")
    async with Display(broker.port) as display, run_daemon(read_config(file)):
        await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
        await board.wait_until_open()
        board.write_raw(b"".join(line(name) for name in ("T20", "T20", "T20", "D5", "I1")))
        state = await display.until_line(5)
        assert (state["phase"], state["turn"]["player"]) == ("throwing", "Bo")
        assert journal(tmp_path) == [{"throw": "T20"}] * 3 + [{"next": True}]
        assert [event["segment"] for event in display.events("stray")] == ["D5", "I1"]
        assert [event["award"] for event in display.events("award")] == ["180"]
        assert (len(display.events("hit")), len(display.events("dart"))) == (5, 3)
        await display.say("oche/table/main/cmd/undo")
        first_visit: JSON = {"phase": "throwing", "player": "Ann", "darts_left": 1}
        await display.until(
            lambda: {"phase": display.state()["phase"], **display.state()["turn"]}.items() >= first_visit.items()
        )


def line(segment_id: str) -> bytes:
    """What the board says for a hit there."""
    book = shipped("opendarts")
    meaning = next(meaning for meaning in book.frames if meaning.segment and meaning.segment.id == segment_id)
    return book.profile.framing.wrap(book.frames[meaning])


def test_a_key_that_repeats_itself_is_one_press() -> None:
    """With the shipped board's own times, which are those of a key held down."""
    desk = Desk(shipped("opendarts"))
    desk.throw("T20", "DB", "I1")
    desk.hear("undo", "undo", after_s=1.0)
    desk.throw("O12")
    assert [dart.segment for dart in desk.state.turn.darts] == ["T20", "DB", "O12"]


def test_the_timer_leaves_a_visit_alone_that_is_not_thrown() -> None:
    desk = Desk(takeout="timer")
    desk.throw("T20")
    desk.hear(after_s=10 * PULL_S)
    assert (desk.phase, desk.player, desk.journal) == ("throwing", "Ann", ["T20"])


def test_the_timer_rests_after_an_undo_until_something_hits_the_board() -> None:
    desk = Desk(takeout="timer")
    desk.throw("T20", "T20", "T20")
    desk.hear("next", after_s=1.0)
    desk.obey(Undo())
    desk.hear(after_s=3 * PULL_S)
    assert desk.phase == "takeout"
    desk.hear("I1")  # a ghost hit: a player is at the board again
    desk.hear(after_s=PULL_S)
    assert (desk.phase, desk.player) == ("throwing", "Bo")


@in_no_time
async def test_the_timer_and_the_age_of_a_hit_go_by_one_clock(tmp_path: Path) -> None:
    async with evening(tmp_path, players=("Ann", "Bo"), takeout="timer", takeout_s=2.0) as ours:
        began = asyncio.get_running_loop().time()
        await give(ours.table, {"throw": "T20"}, "page")
        for segment_id in ("D5", "I1"):
            await ours.hit(segment_id)
        await ours.until_turn("Bo")
        assert asyncio.get_running_loop().time() - began == pytest.approx(2.0)
        assert ours.table.board.info.last_hit_s == 2


@in_no_time
async def test_an_undo_of_the_timers_next_takes_the_dart_too_after_a_restart(tmp_path: Path) -> None:
    wanted: JSON = {"players": ("Ann", "Bo"), "takeout": "timer", "takeout_s": 2.0}
    async with evening(tmp_path, **wanted) as ours:
        for segment_id in ("T20", "D5", "I1"):
            await ours.hit(segment_id)
        await ours.until_turn("Bo")
    async with evening(tmp_path, **wanted) as ours:
        await give(ours.table, {"undo": True}, "page")
        turn = ours.table.state().turn
        assert (ours.phase, turn.visit, turn.darts_left) == ("throwing", 1, 1)
    assert journal(tmp_path)[4:] == [{"undo": True}, {"undo": True}]


def test_a_persons_next_is_undone_alone() -> None:
    desk = Desk()
    desk.throw("T20", "T20", "T20")
    desk.hear("next", after_s=1.0)
    desk.hear("undo", after_s=1.0)
    turn = desk.state.turn
    assert (desk.phase, turn.visit, turn.darts_left) == ("takeout", 1, 0)


@in_no_time
@pytest.mark.parametrize(
    ("board", "what"),
    [
        ("serial:/dev/board", "the profile and the baud rate"),
        ("ble:board", "the profile"),
        ("web:board", "the profile, and whether the program of the board has become newer than this oche"),
    ],
)
async def test_garbage_is_counted_and_explained_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, board: str, what: str
) -> None:
    async with evening(tmp_path, players=("Ann", "Bo"), board=board) as ours:
        for _ in range(150):
            await ours.table.feed(Garbage(raw=b"99,99", time_ns=now_ns()))
        await ours.hit("T20")
        await ours.until_turn("Ann", 1)
        assert ours.table.scorer.status.counts.garbage == 150
    told = [record.getMessage() for record in caplog.records if "does not know" in record.getMessage()]
    sentence = (
        "main: the board sends data that profile plain-standard does not know (39 39 2c 39 39): "
        f"check {what}; further data of this kind is only counted"
    )
    assert told == [sentence]


async def test_what_is_stuck_stands_on_the_board_and_in_the_health(
    running: RunningDaemon, display: DirectDisplay
) -> None:
    await running.tables["main"].feed(Stuck(time_ns=time.monotonic_ns()))

    def said(topic: str, text: str) -> bool:
        return any(text in m.text for m in display.messages if m.topic == topic)

    await display.until(lambda: said("oche/table/main/board/info", '"stuck":["?"]'))
    await display.until(lambda: said("oche/bridge/oche/health", '"stuck":["?"]'))
    assert display.events("board_problem")[0]["problem"] == "stuck"


def begin(*segment_ids: str) -> Desk:
    desk = Desk(game="golf", options={"holes": 1})
    desk.throw(*segment_ids)
    return desk


def scores(desk: Desk) -> list[object]:
    return [side.score for side in desk.state.sides]


def test_the_button_stops_and_its_undo_gives_the_darts_back() -> None:
    desk = begin("I1")
    desk.hear("next")
    assert desk.journal == ["I1", "stop", "next"]
    assert scores(desk) == [3, 0]
    last = desk.state.last
    assert last is not None
    assert [dart.segment for dart in last.darts] == ["I1"]
    desk.obey(Undo())
    assert desk.phase == "takeout"
    desk.obey(Undo())
    assert (desk.phase, desk.state.turn.darts_left, desk.state.prompts[0].id) == ("throwing", 2, "stop@1")
    desk.throw("D1")
    assert scores(desk)[0] == 1


def test_a_button_before_the_first_dart_gives_the_hole_up() -> None:
    """There is nothing to keep: the darts that no board saw are misses."""
    desk = begin()
    desk.hear("next")
    assert (desk.journal, scores(desk)) == (["MISS", "MISS", "MISS", "next"], [5, 0])


def test_a_stop_by_the_button_can_end_the_match() -> None:
    desk = begin("I1")
    desk.hear("next")
    desk.throw("T1")
    desk.hear("next", after_s=1.0)
    assert (desk.phase, desk.state.winners, desk.journal[3:]) == ("over", (1,), ["T1", "stop"])


def test_a_phones_next_throws_the_darts_away() -> None:
    desk = begin("I1")
    desk.obey(Next())
    assert (desk.journal, scores(desk)[0]) == (["I1", "MISS", "MISS", "next"], 5)


def test_a_phones_stop_ends_the_visit() -> None:
    desk = begin("I1")
    desk.obey(Choose("stop"))
    assert (desk.phase, scores(desk)[0]) == ("takeout", 3)
