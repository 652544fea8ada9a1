"""When the next visit opens: by the button, by a timer, by hits; and what the darts pulled out do meanwhile."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from daemon.config import read_config
from daemon.service import running
from protocol.codebook import shipped
from simulator.firmware import Faults
from simulator.pty_board import PtyBoard
from tests.daemon.display import JSON, Display
from tests.daemon.house import configure, journal, throw
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.patience import eventually

SECONDS = 0.5
TIMER = f"takeout = 'timer'\ntakeout_s = {SECONDS}"
HITS = f"takeout = 'hits'\ntakeout_s = {SECONDS}"
MISSES = [{"throw": "MISS"}] * 3


@asynccontextmanager
async def playing(folder: Path, broker: Mosquitto, board: PtyBoard, table: str = "") -> AsyncIterator[Display]:
    """A daemon with this board, and a display of it."""
    async with Display(broker.port) as display, running(read_config(configure(folder, broker.port, table))):
        await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
        await board.opened()
        yield display


async def until_phase(display: Display, phase: str, visit: int) -> JSON:
    """The state, once this visit is in this phase."""

    def is_so() -> bool:
        state = display.state()
        return (state["phase"], state["turn"]["visit"]) == (phase, visit)

    await display.until(is_so)
    return display.state()


async def say(display: Display, command: str) -> JSON:
    seq = display.state()["seq"]
    await display.say(f"oche/table/main/cmd/{command}")
    await display.until(lambda: display.state()["seq"] > seq)
    return display.state()


async def test_a_button_that_bounces_skips_nobody(tmp_path: Path, broker: Mosquitto, board: PtyBoard) -> None:
    async with playing(tmp_path, broker, board) as display:
        board.write_raw(b"next\r\nnext\r\nnext\r\n")
        throw(board, "T20")
        state = await display.until_line(6)
        assert (state["turn"]["player"], state["turn"]["visit"], state["turn"]["darts_left"]) == ("Bo", 2, 2)
        assert journal(tmp_path) == [*MISSES, {"next": True}, {"throw": "T20"}]


async def test_a_key_that_repeats_itself_is_one_press(tmp_path: Path, broker: Mosquitto, board: PtyBoard) -> None:
    """With the shipped board's own times, which are those of a key held down."""
    file = configure(tmp_path, broker.port, profile="opendarts")
    async with Display(broker.port) as display, running(read_config(file)):
        await board.opened()
        throw(board, "T20", "DB", "I1")
        board.write_raw(b"undo\r\nundo\r\n")
        throw(board, "O12")
        state = await display.until_line(6)
        assert [dart["segment"] for dart in state["turn"]["darts"]] == ["T20", "DB", "O12"]


async def test_darts_nobody_saw_are_written_down_before_the_next(
    tmp_path: Path, broker: Mosquitto, board: PtyBoard
) -> None:
    async with playing(tmp_path, broker, board) as display:
        throw(board, "T20")
        board.press("next")
        state = await display.until_line(5)
        assert journal(tmp_path) == [{"throw": "T20"}, *MISSES[:2], {"next": True}]
        assert [dart["segment"] for dart in state["last"]["darts"]] == ["T20", "MISS", "MISS"]
        await display.say("oche/table/main/cmd/amend", '{"amend": 4, "throw": "DB"}')
        assert (await display.until_line(6))["last"]["points"] == 110
        await display.until(lambda: len(display.events("corrected")) == 1)


async def test_hits_in_takeout_are_strays(tmp_path: Path, broker: Mosquitto, board: PtyBoard) -> None:
    """Pulling darts out makes ghost hits: refused, counted, said."""
    async with playing(tmp_path, broker, board) as display:
        throw(board, "T20", "T20", "T20", "D5", "I1")
        await display.until(lambda: len(display.events("stray")) == 2)
        assert [event["segment"] for event in display.events("stray")] == ["D5", "I1"]
        assert [event["award"] for event in display.events("award")] == ["180"]
        assert len(display.events("hit")) == 5
        assert len(display.events("dart")) == 3
        assert display.state()["phase"] == "takeout"
        assert len(journal(tmp_path)) == 3


async def test_the_timer_closes_a_visit(tmp_path: Path, broker: Mosquitto, board: PtyBoard) -> None:
    async with playing(tmp_path, broker, board, TIMER) as display:
        throw(board, "T20", "T20", "T20")
        state = await until_phase(display, "throwing", 2)
        assert state["turn"]["player"] == "Bo"
        assert journal(tmp_path)[3:] == [{"next": True}]
        throw(board, "I1")
        state = await display.until_line(6)
        assert state["phase"] == "throwing", "only a visit that is thrown is closed"


async def test_the_timer_rests_after_an_undo(tmp_path: Path, broker: Mosquitto, board: PtyBoard) -> None:
    async with playing(tmp_path, broker, board, TIMER) as display:
        board.write_raw(b"".join(line(name) for name in ("T20", "T20", "T20")) + b"next\r\n")
        await until_phase(display, "throwing", 2)
        await say(display, "undo")
        await asyncio.sleep(3 * SECONDS)
        assert display.state()["phase"] == "takeout"
        throw(board, "I1")  # a ghost hit: somebody is at the board again
        await until_phase(display, "throwing", 2)


@pytest.mark.parametrize("restarts", [False, True])
async def test_an_undo_of_the_timers_next_takes_the_dart_too(
    tmp_path: Path, broker: Mosquitto, board: PtyBoard, restarts: bool
) -> None:
    async with playing(tmp_path, broker, board, TIMER) as display:
        throw(board, "T20", "T20", "T20")
        await until_phase(display, "throwing", 2)
        state = {} if restarts else await say(display, "undo")
    if restarts:
        async with playing(tmp_path, broker, board, TIMER) as display:
            state = await say(display, "undo")
    assert (state["phase"], state["turn"]["visit"], state["turn"]["darts_left"]) == ("throwing", 1, 1)
    assert journal(tmp_path)[4:] == [{"undo": True}, {"undo": True}]


async def test_a_persons_next_is_undone_alone(tmp_path: Path, broker: Mosquitto, board: PtyBoard) -> None:
    async with playing(tmp_path, broker, board) as display:
        throw(board, "T20", "T20", "T20")
        board.press("next")
        await until_phase(display, "throwing", 2)
        board.press("undo")
        assert (await until_phase(display, "takeout", 1))["turn"]["darts_left"] == 0


async def test_after_a_quiet_while_a_hit_opens_the_next_visit(
    tmp_path: Path, broker: Mosquitto, board: PtyBoard
) -> None:
    async with playing(tmp_path, broker, board, HITS) as display:
        board.write_raw(b"".join(line(name) for name in ("T20", "T20", "T20", "D5")))
        await display.until(lambda: [event["segment"] for event in display.events("stray")] == ["D5"])
        await asyncio.sleep(2 * SECONDS)
        throw(board, "DB")
        state = await until_phase(display, "throwing", 2)
        assert [dart["segment"] for dart in state["turn"]["darts"]] == ["DB"]
        assert journal(tmp_path)[3:] == [{"next": True}, {"throw": "DB"}]


async def test_a_contact_that_chatters_is_one_dart(tmp_path: Path, broker: Mosquitto) -> None:
    """The debounce of the shipped profile, at work: bounces are dropped, and a contact that stays closed is named."""
    faults = Faults(bounce_ms=(1, 3), stuck_ms=20)
    async with PtyBoard(shipped("opendarts"), tmp_path / "board", faults=faults) as board:
        file = configure(tmp_path, broker.port, profile="opendarts")
        async with Display(broker.port) as display, running(read_config(file)) as house:
            await board.opened()
            throw(board, "T20")
            await display.until(lambda: bool(display.events("board_problem")))
            assert display.events("board_problem")[0] | {"session": "", "seq": 0} == {
                "event_type": "board_problem",
                "session": "",
                "seq": 0,
                "segment": "T20",
                "problem": "stuck",
            }
            await display.until(lambda: stuck(display) == (["T20"], ["T20"]))
            dropped = house.tables["main"].counts.dropped
            await eventually(lambda: house.tables["main"].counts.dropped >= dropped + 10)
            board.firmware.free()
            await display.until(lambda: stuck(display) == ([], []))
            throw(board, "DB")
            await display.until_line(3)
            assert len(display.events("board_problem")) == 1, "said once, not with every repeat"
    assert journal(tmp_path) == [{"throw": "T20"}, {"throw": "DB"}]


async def test_garbage_is_counted_and_explained_once(
    tmp_path: Path, broker: Mosquitto, board: PtyBoard, caplog: pytest.LogCaptureFixture
) -> None:
    async with Display(broker.port) as display, running(read_config(configure(tmp_path, broker.port))) as house:
        await board.opened()
        board.write_raw(b"99,99\r\n\xff\xfe\r\nnonsense\r\n" * 50)
        throw(board, "T20")
        await display.until_line(2)
        assert house.tables["main"].counts.garbage == 150
    told = [record.getMessage() for record in caplog.records if "does not know" in record.getMessage()]
    sentence = (
        "main: the board sends what profile opendarts does not know (39 39 2c 39 39): "
        "check the profile and the baud rate; more of it is only counted"
    )
    assert told == [sentence]


def stuck(display: Display) -> tuple[list[str], list[str]]:
    """What is stuck, as the topics of the board and of the bridge's health name it."""
    info = json.loads(display.now["oche/table/main/board/info"])
    health = json.loads(display.now["oche/bridge/oche/health"])
    return info["stuck"], health["tables"]["main"]["stuck"]


def line(segment_id: str) -> bytes:
    """What the board says for a hit there."""
    book = shipped("opendarts")
    meaning = next(meaning for meaning in book.frames if meaning.segment and meaning.segment.id == segment_id)
    return book.profile.framing.wrap(book.frames[meaning])
