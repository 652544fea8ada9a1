"""The way in for a tablet: with the address of `oche token`, or by typing; and for a phone at a seat, without."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from daemon.assemble import run_daemon
from daemon.web.token import make_token
from tests.page.playing import JSON, setup

DARDS: JSON = {"board": "sim:opendarts", "profile": "opendarts", "game": "dards", "options": {"mode": "dealt"}}


@pytest.mark.long
async def test_a_tablet_enters_once(
    tmp_path: Path, browser: Browser, page: Page, unused_tcp_port_factory: Callable[[], int]
) -> None:
    prepared = setup(tmp_path, unused_tcp_port_factory(), unused_tcp_port_factory(), "0.0.0.0", **DARDS)
    async with run_daemon(prepared) as running:
        address = running.page or ""
        await page.goto(address)
        await expect(page.locator("body")).to_have_text(
            "there is no token yet: run  sudo oche token  on the machine that oche runs on"
        )
        token = make_token(tmp_path)

        await page.goto(address)
        dialog = page.get_by_role("dialog", name="This page asks for a token")
        await expect(dialog).to_contain_text("makes a new one on the machine that oche runs on: sudo oche token")
        assert await dialog.evaluate("dialog => dialog.offsetHeight - dialog.firstChild.offsetHeight") < 60, (
            "it is no taller"
        )
        await page.get_by_test_id("token").fill("T20")
        await page.get_by_test_id("token-ok").click()
        await expect(page.get_by_test_id("token-problem")).to_contain_text("this is not the token of this page")
        await page.get_by_test_id("token").fill(token)
        await page.get_by_test_id("token").press("Enter")
        await expect(page.get_by_test_id("player")).to_have_text("Ann")
        await expect(page.get_by_test_id("token")).to_have_count(0)

        other = await (await browser.new_context()).new_page()
        await other.goto(f"{address}#token={token}")
        await expect(other.get_by_test_id("player")).to_have_text("Ann")
        assert other.url == address, "the token is not left in the address"

        pasted = await (await browser.new_context()).new_page()
        await pasted.goto(address)
        await expect(pasted.get_by_test_id("token")).to_be_visible()
        for _ in range(2):
            await pasted.keyboard.press("Escape")
        await expect(pasted.get_by_test_id("token")).to_be_visible()
        await pasted.goto(f"{address}#token={token}")
        await expect(pasted.get_by_test_id("player")).to_have_text("Ann")

        seat = await other.get_by_test_id("seat-0").get_by_role("link").get_attribute("href")
        phone = await (await browser.new_context()).new_page()
        await phone.goto(seat or "")
        await expect(phone.get_by_test_id("whose")).to_have_text("Ann")
        await expect(phone.locator("#hand button").first).to_be_visible()
        await expect(phone.locator("#board [data-segment]").first).to_be_attached()
        await expect(phone.get_by_test_id("token")).to_have_count(0)
    async with run_daemon(prepared):
        await expect(page.locator("#link-warning")).to_be_hidden()
        await page.goto(f"{address}history")
        await expect(page.get_by_test_id("token")).to_have_count(0)
        await page.goto(address)
        await expect(page.get_by_test_id("player")).to_have_text("Ann")
        make_token(tmp_path)
        await expect(page.get_by_test_id("token")).to_be_visible()
        await expect(phone.get_by_test_id("whose")).to_have_text("Ann")
