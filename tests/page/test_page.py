"""The scoreboard in a real browser: darts go in as bytes on a pty, and what people see is read off the page."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path

import pytest
import pytest_asyncio
from msgspec.structs import replace
from playwright.async_api import Page, expect

from daemon.config import Setup
from daemon.sections import Bridge, Config, Mqtt, TableConfig, Web
from daemon.service import running
from protocol.codebook import Codebook, shipped
from protocol.events import Hit
from protocol.standard import standard
from simulator.pty_board import PtyBoard
from tests.sweep import sweep

VIEWS = {"wall tablet": (800, 480), "television": (1920, 1080), "phone": (390, 844)}


@pytest.fixture
def codebook() -> Codebook:
    return shipped("opendarts")


@pytest_asyncio.fixture(loop_scope="session")
async def board(tmp_path: Path, codebook: Codebook) -> AsyncIterator[PtyBoard]:
    async with PtyBoard(codebook, tmp_path / "board") as board:
        yield board


def setup(tmp_path: Path, codebook: Codebook, broker_port: int, **table: object) -> Setup:
    config = Config(
        table=[TableConfig(board=f"serial:{tmp_path}/board", **table)],  # type: ignore[arg-type]
        bridge=Bridge(state_dir=str(tmp_path)),
        mqtt=Mqtt(host="127.0.0.1", port=broker_port),  # nobody answers there: the page does not wait for a broker
        web=Web(port=0),
    )
    return Setup(config, (codebook,))


def throw(board: PtyBoard, *segments: str) -> None:
    """Darts, as the bytes a board sends."""
    for segment in segments:
        board.hit(standard()[segment])


async def test_the_score_that_was_thrown_stands_on_the_page(
    tmp_path: Path, codebook: Codebook, board: PtyBoard, page: Page, unused_tcp_port: int
) -> None:
    async with running(setup(tmp_path, codebook, unused_tcp_port, players=("Ann", "Bo"))) as house:
        await board.opened()
        await page.goto(house.page or "")
        await expect(page.get_by_test_id("score-0")).to_have_text("501")
        await expect(page.get_by_test_id("player")).to_have_text("Ann")
        await expect(page.get_by_test_id("broker-warning")).to_contain_text("Broker: no broker answers at 127.0.0.1")

        throw(board, "T20", "I5", "O1")
        await expect(page.get_by_test_id("score-0")).to_have_text("435")
        await expect(page.get_by_test_id("dart-0")).to_contain_text("T20")
        await expect(page.get_by_test_id("phase")).to_contain_text("Pull your darts")

        board.press("next")
        await expect(page.get_by_test_id("player")).to_have_text("Bo")

        await page.get_by_test_id("undo").click()
        await page.get_by_test_id("undo").click()
        await expect(page.get_by_test_id("score-0")).to_have_text("436")
        await page.get_by_test_id("redo").click()
        await expect(page.get_by_test_id("score-0")).to_have_text("435")


async def test_a_dart_is_corrected_by_a_tap(
    tmp_path: Path, codebook: Codebook, board: PtyBoard, page: Page, unused_tcp_port: int
) -> None:
    async with running(setup(tmp_path, codebook, unused_tcp_port)) as house:
        await board.opened()
        await page.goto(house.page or "")
        throw(board, "T20")
        await page.get_by_test_id("dart-0").click()
        await page.locator("#correction-board [data-segment=T5]").first.click()
        await page.locator("#correction-ok").click()
        await expect(page.get_by_test_id("score-0")).to_have_text("486")
        await expect(page.get_by_test_id("live")).not_to_be_empty()


async def test_the_page_heals_after_a_restart_and_says_what_is_wrong_meanwhile(
    tmp_path: Path, codebook: Codebook, board: PtyBoard, page: Page, unused_tcp_port_factory: Callable[[], int]
) -> None:
    prepared = setup(tmp_path, codebook, unused_tcp_port_factory())
    web = Web(port=unused_tcp_port_factory())
    prepared = Setup(replace(prepared.config, web=web), prepared.codebooks)
    async with running(prepared) as house:
        await board.opened()
        await page.goto(house.page or "")
        throw(board, "T20")
        await expect(page.get_by_test_id("score-0")).to_have_text("441")
        await board.unplug()
        await expect(page.locator("#board-warning")).to_be_visible()
    await expect(page.locator("#link-warning")).to_be_visible()
    async with running(prepared):
        await expect(page.locator("#link-warning")).to_be_hidden(timeout=15_000)
        await expect(page.get_by_test_id("score-0")).to_have_text("441")
        board.plug()
        await expect(page.locator("#board-warning")).to_be_hidden(timeout=15_000)


@pytest.mark.long
async def test_burma_road_to_its_end(
    tmp_path: Path, codebook: Codebook, board: PtyBoard, page: Page, unused_tcp_port: int
) -> None:
    names = ("<b>Ann</b>", "Bo")
    async with running(setup(tmp_path, codebook, unused_tcp_port, game="burma_road", players=names)) as house:
        await board.opened()
        await page.goto(house.page or "")
        await expect(page.get_by_test_id("row-0")).to_have_class("now")
        await expect(page.get_by_test_id("name-0")).to_have_text("<b>Ann</b>")
        table = house.tables["main"]
        for _ in range(11):
            await table.command({"next": True}, "test")
            await table.command({"next": True}, "test")
        throw(board, "SB")
        await expect(page.get_by_test_id("dart-0")).to_contain_text("25")
        await table.command({"next": True}, "test")
        await table.command({"next": True}, "test")
        await expect(page.get_by_test_id("winner")).to_contain_text("<b>Ann</b>")
        await page.get_by_test_id("again").click()
        await expect(page.get_by_test_id("score-0")).to_have_text("32")


@pytest.mark.parametrize("view", sweep(VIEWS, lambda view: view == "wall tablet"))
async def test_nothing_is_lost_at_any_size(
    tmp_path: Path, codebook: Codebook, board: PtyBoard, page: Page, unused_tcp_port: int, view: str
) -> None:
    names = ("Ann", "Bo", "Maximiliane", "Dee", "Eve", "Finn")
    width, height = VIEWS[view]
    await page.set_viewport_size({"width": width, "height": height})
    async with running(setup(tmp_path, codebook, unused_tcp_port, players=names)) as house:
        await board.opened()
        await page.goto(house.page or "")
        throw(board, "T20", "I5", "O1")
        await expect(page.get_by_test_id("score-0")).to_have_text("435")
        wide, high = await page.evaluate(
            "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
        )
        assert wide <= width
        if view != "phone":
            assert high <= height
        for name in ("score", "player", "next", "score-5"):
            box = await page.get_by_test_id(name).bounding_box()
            assert box is not None
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width + 1


@pytest.mark.long
async def test_a_dart_that_does_not_count_and_a_stuck_segment_are_loud(
    tmp_path: Path, codebook: Codebook, board: PtyBoard, page: Page, unused_tcp_port: int
) -> None:
    async with running(setup(tmp_path, codebook, unused_tcp_port)) as house:
        await board.opened()
        await page.goto(house.page or "")
        await expect(page.get_by_test_id("score-0")).to_have_text("501")  # it listens: what is told once is heard
        throw(board, "T20", "I5", "O1", "D14")
        await expect(page.locator("#stray:not([hidden])")).to_have_text("D14 does not count")
        size = await page.locator("#stray").evaluate("it => parseFloat(getComputedStyle(it).fontSize)")
        assert size > 60, "in letters that are read from the oche on a small tablet"

        started = time.monotonic_ns()
        for n in range(5):
            stuck = Hit(segment=standard()["D7"], time_ns=started + n * 550_000_000)
            await house.tables["main"].feed(stuck)
        await expect(page.locator("#stuck-warning")).to_contain_text("D7 is stuck")
        await expect(page.locator("#stuck-warning")).to_be_hidden(timeout=15_000)


@pytest.mark.long
async def test_a_journal_that_cannot_be_written_is_loud_until_it_can(
    tmp_path: Path, codebook: Codebook, board: PtyBoard, page: Page, unused_tcp_port: int
) -> None:
    async with running(setup(tmp_path, codebook, unused_tcp_port)) as house:
        await board.opened()
        await page.goto(house.page or "")
        await expect(page.get_by_test_id("score-0")).to_have_text("501")
        warning = page.locator("#trouble-warning")
        with closing(sqlite3.connect(tmp_path / "main.sqlite3", isolation_level=None)) as somebody:
            somebody.execute("begin immediate")
            throw(board, "T20")
            await expect(warning).to_contain_text("No dart counts now – cannot write the journal", timeout=15_000)
            throw(board, "DB")
            await expect(page.locator("#stray:not([hidden])")).to_have_text("DB does not count")
            await expect(page.get_by_test_id("score-0")).to_have_text("501")
        await expect(warning).to_be_hidden(timeout=15_000)
        throw(board, "T19")
        await expect(page.get_by_test_id("score-0")).to_have_text("444")
