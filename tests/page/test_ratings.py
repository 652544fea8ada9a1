"""Ratings, classes and a fair handicap on the page of the rivals."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio
from playwright.async_api import Page, expect

from daemon.assemble import RunningDaemon, run_daemon
from tests.daemon.evenings import Evening
from tests.daemon.seasons import FINISH
from tests.page.playing import setup


@pytest_asyncio.fixture(loop_scope="session")
async def after(tmp_path: Path, unused_tcp_port: int) -> AsyncIterator[RunningDaemon]:
    """Ann and Bo have thrown many darts, Cy three: against both others."""
    with Evening(tmp_path) as evening:
        for number in range(5):
            evening.throw(number, 24, day=number, options={"start": 301})
        evening.throw(20, 60, day=6, game="cricket")
        evening.play(FINISH, day=7, players=["Cy", "Ann", "Bo"], options={"start": 101})
    async with run_daemon(setup(tmp_path, unused_tcp_port)) as running:
        yield running


async def test_who_is_how_strong_and_a_fair_handicap(page: Page, after: RunningDaemon) -> None:
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    await page.goto(f"{after.page}history?rivals=1&player=Ann&other=Bo")
    rows = page.get_by_test_id("ratings-table").locator("tbody tr")
    await expect(rows).to_have_count(2)
    await expect(rows.first.locator("td").first).to_have_text(re.compile(r"^1\d{3} ± \d{3}$"))
    await expect(
        rows.first.get_by_role("img", name=re.compile("^From 1[0-9]{3} to 1[0-9]{3} in 5 matches$"))
    ).to_be_visible()
    await page.get_by_test_id("rated-game").select_option(label="101: three or more, and teams")
    await expect(rows).to_have_count(3)
    await expect(rows.first.locator("th")).to_contain_text("Cy")
    classes = page.get_by_test_id("classes-table")
    await expect(classes.locator("thead th")).to_have_text(
        ["Player", "PR", "DARTSLIVE 80 %", "PPD, X01", "MPR, Cricket", "DARTSLIVE 100 %", "Phoenix"]
    )
    await expect(classes.locator("tbody tr")).to_have_count(2)
    await expect(classes.locator("tbody tr").first.locator("td").nth(1)).to_have_text(
        re.compile(r"^\d+ \w+ / \d+ \w+$")
    )
    await page.get_by_test_id("find-handicap").click()
    told = page.get_by_test_id("handicap").locator("p")
    await expect(told.first).to_have_text(re.compile(r"^301: Ann starts from \d+, Bo from \d+\.$"))
    await expect(told.nth(1)).to_have_text(re.compile(r"^Ann then wins a leg with (49|50|51).*%; from the same score"))
    await page.get_by_test_id("rival-1").select_option("Cy")
    await page.get_by_test_id("find-handicap").click()
    await expect(told.first).to_have_text("This needs 60 darts of each in games such as 101.")
    await page.set_viewport_size({"width": 360, "height": 640})
    assert await page.evaluate("document.documentElement.scrollWidth") <= 360
    assert not problems


async def test_many_players_are_shown_piece_by_piece(page: Page, tmp_path: Path, unused_tcp_port: int) -> None:
    with Evening(tmp_path) as evening:
        for number in range(101):
            evening.play(FINISH, players=[f"Ann {number}", f"Bo {number}"], options={"start": 101})
    async with run_daemon(setup(tmp_path, unused_tcp_port)) as running:
        for path, table in (("history?rivals=1", "ratings-table"), ("history", "")):
            await page.goto(f"{running.page}{path}")
            rows = (page.get_by_test_id(table) if table else page.locator("#players table")).locator("tbody tr")
            await expect(rows).to_have_count(200)
            more = page.get_by_test_id("show-more").first
            await more.click()
            await expect(rows).to_have_count(202)
            await expect(more).to_be_hidden()
            names = await rows.locator("th a").all_text_contents()
            assert len({*names}) == 202
