"""The codes that a wall shows to phones: each leads where it says, or says that no phone gets there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Browser, Page, Route, expect

from daemon.assemble import RunningDaemon, run_daemon
from daemon.web.token import make_token
from tests.page.playing import Playing, setup


async def read_link(wall: Page, test: str) -> str:
    return await wall.get_by_test_id(test).get_by_role("link").get_attribute("href") or ""


async def open_phone(browser: Browser, url: str) -> Page:
    page = await (await browser.new_context(viewport={"width": 390, "height": 844})).new_page()
    await page.goto(url)
    return page


async def test_codes_of_this_machine_alone_say_so(page: Page, running: RunningDaemon) -> None:
    await page.goto(running.page or "")
    await page.get_by_test_id("join").click()
    await expect(page.get_by_test_id("join-local")).to_contain_text("only work on this machine")
    await expect(page.get_by_test_id("join-asks")).to_have_count(0)
    assert await read_link(page, "join-remote") == f"{running.page}?view=remote"
    await page.get_by_test_id("join-close").click()
    await page.keyboard.press("j")
    await expect(page.get_by_test_id("join-spectator")).to_be_visible()


async def test_a_press_before_the_page_is_let_in_is_kept(page: Page, running: RunningDaemon) -> None:
    held, go_on = asyncio.Event(), asyncio.Event()

    async def hold(route: Route) -> None:
        held.set()
        await go_on.wait()
        await route.continue_()

    await page.route("**/api/tables", hold)
    await page.goto(running.page or "")
    await held.wait()
    async with page.expect_response("**/words/stream_*.js"):  # the last of what it loads
        await page.get_by_test_id("join").click()
    go_on.set()
    await expect(page.get_by_test_id("join-remote")).to_be_visible()


async def test_phones_come_as_a_remote_or_to_look_on(
    tmp_path: Path, browser: Browser, unused_tcp_port_factory: Callable[[], int]
) -> None:
    prepared = setup(tmp_path, unused_tcp_port_factory(), unused_tcp_port_factory(), "0.0.0.0")
    token = make_token(tmp_path)
    wall = await (await browser.new_context(viewport={"width": 1280, "height": 720})).new_page()
    async with run_daemon(prepared) as running:
        await wall.goto(f"{running.page}#token={token}")
        await expect(wall.get_by_test_id("player")).to_have_text("Ann")
        await wall.get_by_test_id("join").click()
        await expect(wall.get_by_test_id("join-asks")).to_contain_text(
            "A remote has to enter the token of the page once"
        )
        await expect(wall.get_by_test_id("join-local")).to_have_count(0)
    async with run_daemon(prepared, phone_token=token) as running:
        address = running.page or ""
        await wall.goto(address)
        await expect(wall.get_by_test_id("player")).to_have_text("Ann")
        await wall.get_by_test_id("join").click()
        await expect(wall.get_by_test_id("join-remote")).to_be_visible()
        await expect(wall.get_by_test_id("join-asks")).to_have_count(0)
        pages = {}
        for view in ("remote", "spectator"):
            there = urlsplit(await read_link(wall, f"join-{view}"))
            assert there.hostname != "127.0.0.1"
            pages[view] = await open_phone(browser, there._replace(netloc=urlsplit(address).netloc).geturl())
            await expect(pages[view].get_by_test_id("player")).to_have_text("Ann")
        await pages["remote"].get_by_test_id("miss").click()
        await expect(pages["spectator"].get_by_test_id("dart-0")).to_contain_text("Miss")
        await expect(pages["spectator"].get_by_test_id("miss")).to_be_hidden()
        await look_on(pages["spectator"], running)
        await pages["spectator"].goto(f"{address}?view=remote#token={token}")
        await expect(pages["spectator"].locator("html")).to_have_attribute("data-role", "play")
        await pages["spectator"].get_by_test_id("undo").click()
        await expect(pages["remote"].get_by_test_id("dart-0")).to_have_text("enter")
        assert "token" not in pages["spectator"].url


async def look_on(phone: Page, running: RunningDaemon) -> None:
    """Tries what a device that only looks on might, out of its kiosk."""
    line = running.tables["main"].state().line
    await phone.keyboard.press("Escape")
    await expect(phone.get_by_test_id("menu")).to_be_visible()
    for button in ("miss", "next", "undo", "redo", "tap-ok"):
        await expect(phone.get_by_test_id(button)).to_be_hidden()
    await expect(phone.get_by_test_id("dart-0")).to_be_disabled()
    for key in "mnurg":
        await phone.keyboard.press(key)
    await phone.locator("#board [data-segment=T20]").first.click()
    await phone.get_by_test_id("menu").click()
    await expect(phone.get_by_test_id("menu-start")).to_have_count(0)
    await phone.get_by_test_id("menu-join").click()
    await expect(phone.get_by_test_id("join-spectator")).to_be_visible()
    await expect(phone.get_by_test_id("join-remote")).to_have_count(0)
    await phone.get_by_test_id("join-close").click()
    await expect(phone.get_by_test_id("lobby")).to_have_count(0)
    await phone.get_by_test_id("menu").click()
    await phone.get_by_test_id("menu-enter").click()
    await expect(phone.get_by_test_id("token")).to_be_visible()
    await phone.keyboard.press("Escape")
    await expect(phone.get_by_test_id("token")).to_have_count(0)
    assert running.tables["main"].state().line == line


@pytest.mark.parametrize("game", ["dards"])
async def test_hands_have_their_codes_beside_the_others(browser: Browser, match: Playing) -> None:
    await match.start("dards", ["Ann", "Bo"], options={"mode": "dealt"})
    wall = await (await browser.new_context(viewport={"width": 800, "height": 480})).new_page()
    await wall.goto(match.url)
    await expect(wall.get_by_test_id("seats-text")).to_contain_text("only work on this machine")
    await wall.get_by_test_id("seats-close").click()
    await wall.get_by_test_id("join").click()
    await expect(wall.get_by_test_id("join-dialog").get_by_role("listitem")).to_have_count(4)
    phone = await open_phone(browser, await read_link(wall, "join-seat-1"))
    await expect(phone.get_by_test_id("whose")).to_have_text("Bo")
