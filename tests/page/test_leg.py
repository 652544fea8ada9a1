"""A leg on the page, by bytes on a pty and by a mouse: the short form of the tests that `make test-page` has."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, Page, expect

from daemon.assemble import RunningDaemon
from simulator.pty_board import PtyBoard
from tests.page.playing import play, throw


@pytest.mark.usefixtures("shown")
async def test_the_score_that_was_thrown_stands_on_the_page(board: PtyBoard, page: Page) -> None:
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


@pytest.mark.usefixtures("shown")
async def test_a_dart_is_corrected_by_a_tap(board: PtyBoard, page: Page) -> None:
    throw(board, "T20")
    await expect(page.get_by_test_id("dart-0")).to_contain_text("T20")
    await page.get_by_test_id("dart-0").click()
    await page.locator("#correction-board [data-segment=T5]").first.click()
    await page.locator("#correction-ok").click()
    await expect(page.get_by_test_id("score-0")).to_have_text("486")
    await expect(page.get_by_test_id("live")).not_to_be_empty()


async def test_a_leg_is_played_to_its_end_before_a_wall_and_a_phone(
    board: PtyBoard, browser: Browser, page: Page, shown: RunningDaemon
) -> None:
    phone = await browser.new_page(viewport={"width": 390, "height": 844})
    await phone.goto(shown.page or "")
    throw(board, "T20", "T19", "T18")
    await expect(phone.get_by_test_id("score-0")).to_have_text("330")
    await phone.get_by_test_id("next").click()
    await expect(page.get_by_test_id("player")).to_have_text("Bo")
    await page.get_by_test_id("next").click()
    await expect(phone.get_by_test_id("player")).to_have_text("Ann")
    await play(shown, "T20 T19 T18 / / T20 S20 S19 / /")
    throw(board, "I20", "D20")
    for shows in (page, phone):
        await expect(shows.get_by_test_id("winner")).to_contain_text("Ann")
    await page.get_by_test_id("again").click()
    for shows in (page, phone):
        await expect(shows.get_by_test_id("score-0")).to_have_text("501")
