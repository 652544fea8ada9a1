"""A dart that the board has missed, and all darts while it is away, are entered by hand, on the wall and on a phone."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from daemon.assemble import RunningDaemon, run_daemon
from simulator.pty_board import PtyBoard
from tests.commanding import give
from tests.page.playing import enter_total, hold_until, look_at, playing, setup, throw
from tests.page.test_axe import LOOKS, Findings

VIEWS = {"wall": (800, 480), "remote": (390, 844)}
AWAY_MS = 10_000


async def _open(page: Page, running: RunningDaemon, view: str) -> None:
    width, height = VIEWS[view]
    await page.set_viewport_size({"width": width, "height": height})
    await page.goto(f"{running.page}?lang=en&view={view}")
    await expect(page.locator("#board [data-segment]").first).to_be_attached()


def _darts(running: RunningDaemon) -> list[str]:
    """Those of this visit."""
    return [dart.segment for dart in running.tables["main"].state().turn.darts]


@pytest.mark.parametrize("view", VIEWS)
async def test_an_empty_place_takes_a_dart_by_a_tap_by_keys_and_by_typing(
    page: Page, board: PtyBoard, shown: RunningDaemon, view: str
) -> None:
    await _open(page, shown, view)
    throw(board, "T20")
    await expect(page.get_by_test_id("dart-0")).to_contain_text("T20")
    await expect(page.get_by_test_id("dart-1")).to_contain_text("enter")
    await page.get_by_test_id("dart-1").click()
    await expect(page.locator("#correction-title")).to_have_text("Enter dart 2")
    await expect(page.locator("#correction-none")).to_be_hidden()
    await expect(page.locator("#correction-ok")).to_be_disabled()
    await page.locator("#correction-board [data-segment=T19]").click()
    await page.locator("#correction-ok").click()
    await expect(page.get_by_test_id("dart-1")).to_contain_text("T19")
    await page.get_by_test_id("dart-2").click()
    await page.get_by_test_id("correction-ring-D").click()
    await page.get_by_test_id("correction-number-16").click()
    await page.locator("#correction-ok").click()
    await expect(page.get_by_test_id("dart-2")).to_contain_text("D16")
    await expect(page.get_by_test_id("score-0")).to_have_text("352")
    await page.get_by_test_id("next").click()
    await expect(page.get_by_test_id("player")).to_have_text("Bo")
    first = page.get_by_test_id("dart-0")
    await expect(first).to_have_accessible_name(re.compile("^Dart 1 not thrown yet. Enter the next dart$"))
    await first.press("Enter")
    await page.keyboard.type("bull")
    await page.keyboard.press("Enter")
    await expect(page.get_by_test_id("score-1")).to_have_text("451")
    assert _darts(shown) == ["DB"]


async def test_the_boards_own_dart_ends_what_is_being_entered(
    page: Page, board: PtyBoard, shown: RunningDaemon
) -> None:
    await page.get_by_test_id("dart-0").click()
    await page.locator("#correction-board [data-segment=T19]").click()
    throw(board, "T19")
    await expect(page.locator("#correction")).to_be_hidden()
    await expect(page.locator("#toast")).to_contain_text("Another dart has come in")
    # And where the page has not heard of it yet, the table refuses what was entered.
    go = asyncio.Event()
    await page.route("**/throw", hold_until(go))
    await page.get_by_test_id("dart-1").click()
    await page.locator("#correction-board [data-segment=T18]").click()
    await page.locator("#correction-ok").click()
    throw(board, "T18")
    await expect(page.get_by_test_id("dart-1")).to_contain_text("T18")
    go.set()
    await expect(page.locator("#toast")).to_contain_text("Another device was faster")
    assert _darts(shown) == ["T19", "T18"]


async def test_a_tap_on_the_face_is_no_dart_while_the_board_is_there(
    page: Page, board: PtyBoard, shown: RunningDaemon
) -> None:
    await page.locator("#board [data-segment=T20]").click()
    throw(board, "T19")
    await expect(page.get_by_test_id("score-0")).to_have_text("444")
    assert _darts(shown) == ["T19"]
    answer = await page.request.post(f"{shown.page}api/table/main/tap", data={"segment": "T20"})
    assert answer.status == 404


async def test_a_display_that_may_not_throw_enters_no_dart(page: Page, shown: RunningDaemon) -> None:
    await page.evaluate("import('./joined/index/store.js').then(({ put }) => put({ role: 'look' }))")
    await expect(page.get_by_test_id("dart-0")).to_be_disabled()
    await page.evaluate("import('./joined/index/store.js').then(({ put }) => put({ role: 'play', isAway: true }))")
    await expect(page.get_by_test_id("dart-0")).to_be_enabled()
    await expect(page.locator("#by-hand")).to_be_visible()
    await page.evaluate("import('./joined/index/store.js').then(({ put }) => put({ role: 'look' }))")
    await expect(page.locator("#by-hand")).to_be_hidden()


@pytest.mark.long
@pytest.mark.parametrize("look", LOOKS)
async def test_it_is_accessible(examined: Page, tmp_path: Path, broker_port: int, look: str) -> None:
    findings, page = Findings(), examined
    async with playing(tmp_path, "x01", broker_port, is_away=True) as match:
        await match.start("501", ["Ann", "Bo", "Cy", "Dee"], teams=[[0, 2], [1, 3]])
        for view, size in VIEWS.items():
            await page.set_viewport_size({"width": size[0], "height": size[1]})
            await page.goto(f"{match.url}?{look}&view={view}")
            await page.get_by_test_id("dart-0").click()
            await expect(page.locator("#correction")).to_be_visible()
            await findings.audit(page, f"{view}, a dart is entered")
            await page.keyboard.press("Escape")
            await expect(page.locator("#by-hand")).to_be_visible()
            await findings.audit(page, f"{view}, by hand is offered")
            await page.locator("#by-hand").press("Enter")
            await expect(page.locator("#keypad")).to_be_visible()
            await findings.audit(page, f"{view}, by hand")
            assert await page.evaluate("document.documentElement.scrollWidth") <= size[0]
            assert await look_at(page, match.state, is_wall=view == "wall") == []
            await page.locator("#by-board").press("Enter")
            await expect(page.locator("#by-hand")).to_be_visible()
    assert not findings.all, "\n".join(findings.all)


@pytest_asyncio.fixture(loop_scope="session")
async def away(tmp_path: Path, browser: Browser, unused_tcp_port: int) -> AsyncIterator[tuple[RunningDaemon, Page]]:
    """The daemon whose board is not plugged in, and a page whose clock is set by hand."""
    page = await browser.new_page()
    await page.clock.install()
    async with run_daemon(setup(tmp_path, unused_tcp_port)) as running:
        yield running, page


@pytest.mark.parametrize("view", VIEWS)
async def test_without_the_board_x01_goes_on_with_the_keypad(away: tuple[RunningDaemon, Page], view: str) -> None:
    running, page = away
    await _open(page, running, view)
    await expect(page.locator("#board-warning")).to_be_visible()
    await page.clock.run_for(AWAY_MS - 1_500)
    await expect(page.locator("#by-hand")).to_be_hidden()
    await page.clock.run_for(1_600)
    await page.get_by_role("button", name="Go on by hand").click()

    async def tap(name: str) -> None:
        await page.get_by_test_id(name).click()

    await enter_total(tap, "60")
    await expect(page.get_by_test_id("score-0")).to_have_text("241")
    await expect(page.get_by_test_id("player")).to_have_text("Bo")
    await tap("pad-face")
    await page.locator("#board [data-segment=T20]").click()
    await expect(page.get_by_test_id("score-1")).to_have_text("241")
    await page.get_by_role("button", name="Wait for the board").click()
    await expect(page.locator("#tap")).to_be_hidden()
    await page.locator("#board [data-segment=T20]").click()
    await expect(page.get_by_test_id("dart-1")).to_have_text("enter")
    assert [side.score for side in running.tables["main"].state().sides] == [241, 241]


async def test_without_the_board_other_games_go_on_with_the_face_until_it_is_back(
    tmp_path: Path, away: tuple[RunningDaemon, Page]
) -> None:
    running, page = away
    await give(running.tables["main"], {"start": {"game": "cricket", "players": ["Ann", "Bo"]}}, "page")
    await _open(page, running, "wall")
    await page.clock.run_for(AWAY_MS + 100)
    await page.get_by_role("button", name="Go on by hand").click()
    await expect(page.locator("#tap-text")).to_have_text("Tap the board to throw a dart")
    for bed in ("T20", "T19", "T18", "T17"):  # the fourth opens Bo's visit
        await page.locator(f"#board [data-segment={bed}]").click()
    await expect(page.get_by_test_id("player")).to_have_text("Bo")
    await expect(page.get_by_test_id("dart-0")).to_contain_text("T17")
    async with PtyBoard(running.tables["main"].codebook, tmp_path / "board") as board:
        await board.wait_until_open()
        await expect(page.locator("#toast")).to_have_text("The board is back. You can throw.")
        await expect(page.locator("#by-hand")).to_be_hidden()
        await expect(page.locator("#tap")).to_be_hidden()
        await page.locator("#board [data-segment=T16]").click()
        throw(board, "T15")
        await expect(page.get_by_test_id("dart-1")).to_contain_text("T15")
