"""Finding the board of a table on the settings page: a real daemon, a pty board, and who presses it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from simulator.pty_board import PtyBoard
from tests.daemon.process import eventually, journal, throw
from tests.daemon.test_settings import write_file
from tests.page.test_axe import LOOKS, VIEWS, Findings
from tests.page.test_settings import PATIENCE_MS, run, save

LOOKED = re.compile(r"Found so far|Nothing is plugged in|Bisher gefunden|Nichts ist angesteckt")
"""What is found depends on the machine."""


@pytest.mark.parametrize("look", ["", "?lang=de&theme=light"])
async def test_a_board_is_tried_out_and_then_played_with(
    tmp_path: Path, unused_tcp_port: int, page: Page, board: PtyBoard, look: str
) -> None:
    async with run(write_file(tmp_path, unused_tcp_port)) as address:
        await page.goto(f"{address}settings{look}")
        await page.get_by_test_id("set-table.0.board").fill(board.address)
        await page.get_by_test_id("set-table.0.profile").fill("opendarts")
        await page.get_by_test_id("try-0").click()
        await board.wait_until_open()
        said = page.get_by_test_id("try-said")
        await expect(said).to_contain_text("Drück" if look else "Press any segment", timeout=PATIENCE_MS)
        throw(board, "T20")
        await expect(said).to_contain_text("T20", timeout=PATIENCE_MS)
        face = page.get_by_test_id("try-face")
        shape = await face.locator("[data-segment=T20]").first.get_attribute("d")
        await expect(face.locator(".hits path")).to_have_attribute("d", shape or "")
        await page.get_by_test_id("find-0").click()
        await expect(page.get_by_test_id("found-said-0")).to_have_text(LOOKED, timeout=PATIENCE_MS)
        await page.get_by_test_id("found-close-0").click()
        await save(page, "gelten jetzt" if look else "The settings are applied.")

        async def plays() -> bool:
            throw(board, "T19")
            return {"throw": "T19"} in journal(tmp_path)

        await eventually(plays)


@pytest.mark.long
@pytest.mark.parametrize("look", LOOKS)
async def test_it_is_accessible(
    tmp_path: Path, unused_tcp_port: int, browser: Browser, axe_path: Path, board: PtyBoard, look: str
) -> None:
    findings = Findings()
    context = await browser.new_context(reduced_motion="reduce")
    await context.add_init_script(path=axe_path)
    page = await context.new_page()
    async with run(write_file(tmp_path, unused_tcp_port)) as address:
        for view, size in VIEWS.items():
            await page.set_viewport_size(size)
            await page.goto(f"{address}settings?{look}")
            await page.get_by_test_id("find-0").focus()
            await page.keyboard.press("Enter")
            await expect(page.get_by_test_id("found-said-0")).to_have_text(LOOKED, timeout=PATIENCE_MS)
            await findings.audit(page, f"{view}, found")
            await page.get_by_test_id("set-table.0.board").fill(board.address)
            await page.get_by_test_id("try-0").click()
            await expect(page.get_by_test_id("try-stop")).to_be_visible()
            await findings.audit(page, f"{view}, tried")
    await context.close()
    assert not findings.all, "\n".join(findings.all)
