"""A player who has had enough: the board's own button answers what ends the visit, instead of throwing darts away."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from daemon.config import read_config
from daemon.service import running
from simulator.pty_board import PtyBoard
from tests.daemon.display import Display
from tests.daemon.house import configure, journal, throw
from tests.daemon.mosquitto import Mosquitto

STOP = {"choose": "stop", "prompt": "stop@1"}
MISS, NEXT = {"throw": "MISS"}, {"next": True}


@pytest.fixture
async def display(tmp_path: Path, broker: Mosquitto, board: PtyBoard) -> AsyncIterator[Display]:
    file = configure(tmp_path, broker.port, "game = 'golf'\noptions = { holes = 1 }")
    async with Display(broker.port) as display, running(read_config(file)):
        await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
        await board.opened()
        yield display


async def test_the_button_stops_and_its_undo_gives_the_darts_back(
    tmp_path: Path, board: PtyBoard, display: Display
) -> None:
    throw(board, "I1")
    board.press("next")
    state = await display.until_line(4)
    assert journal(tmp_path) == [{"throw": "I1"}, STOP, NEXT]
    assert [side["score"] for side in state["sides"]] == [3, 0]
    assert [dart["segment"] for dart in state["last"]["darts"]] == ["I1"]
    await display.say("oche/table/main/cmd/undo")
    assert (await display.until_line(5))["phase"] == "takeout"
    await display.say("oche/table/main/cmd/undo")
    state = await display.until_line(6)
    assert (state["phase"], state["turn"]["darts_left"], state["prompts"][0]["id"]) == ("throwing", 2, "stop@1")
    throw(board, "D1")
    assert (await display.until_line(7))["sides"][0]["score"] == 1


async def test_a_button_before_the_first_dart_gives_the_hole_up(
    tmp_path: Path, board: PtyBoard, display: Display
) -> None:
    """There is nothing to keep: the darts that nobody saw are misses."""
    board.press("next")
    state = await display.until_line(5)
    assert journal(tmp_path) == [MISS, MISS, MISS, NEXT]
    assert [side["score"] for side in state["sides"]] == [5, 0]


async def test_a_stop_by_the_button_can_end_the_match(tmp_path: Path, board: PtyBoard, display: Display) -> None:
    throw(board, "I1")
    board.press("next")
    await display.until_line(4)
    throw(board, "T1")
    await display.until_line(5)
    board.press("next")
    state = await display.until_line(6)
    assert (state["phase"], state["winners"]) == ("over", [1])
    assert journal(tmp_path)[3:] == [{"throw": "T1"}, {"choose": "stop", "prompt": "stop@2"}]


@pytest.mark.parametrize("command", ["next", "choose"])
async def test_a_phone_says_what_it_means(tmp_path: Path, board: PtyBoard, display: Display, command: str) -> None:
    throw(board, "I1")
    await display.until_line(2)
    await display.say(f"oche/table/main/cmd/{command}", "stop" if command == "choose" else "")
    if command == "next":
        state = await display.until_line(5)
        assert journal(tmp_path) == [{"throw": "I1"}, MISS, MISS, NEXT]
        assert state["sides"][0]["score"] == 5
    else:
        state = await display.until_line(3)
        assert (state["phase"], state["sides"][0]["score"]) == ("takeout", 3)
