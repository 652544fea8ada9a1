"""The finished matches in a real browser: the list, and one side by side, dart by dart, shared and kept as a file."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Page, ViewportSize, expect

from daemon.assemble import run_daemon
from tests.daemon.evenings import Evening
from tests.page.playing import setup
from tests.sweep import sweep

LEGS = "T20 S1 D20 / S20 S20 S20 / T20 S1 MISS / S1 S1 S1 / D20"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def address(
    tmp_path_factory: pytest.TempPathFactory, unused_tcp_port_factory: Callable[[], int]
) -> AsyncIterator[str]:
    """The address of a daemon with three matches: two legs of 101, Cricket, and one that was stopped and may go on."""
    folder = tmp_path_factory.mktemp("evening")
    with Evening(folder) as evening:
        evening.play(LEGS, options={"start": 101}, format={"legs": 2})
        evening.throw(2, day=1, game="cricket", players=["Ann", "Maximiliane", "Cy"])
        evening.play("T20 T20 T20 / S1", {"stop": True}, day=2)
    async with run_daemon(setup(folder, unused_tcp_port_factory())) as running:
        yield running.page or ""


async def test_a_match_is_opened_and_gone_through_by_keys(page: Page, address: str) -> None:
    await page.goto(f"{address}history")
    await page.get_by_test_id("list").click()
    await expect(page.locator("#matches tbody tr")).to_have_count(3)
    row = page.locator("#matches tbody tr").nth(2)
    await expect(row.locator("td").nth(1)).to_have_text("Ann 2Bo 0Legs")
    await expect(row.locator(".won")).to_have_text("Ann 2")
    await expect(row.locator("td").first).to_contain_text(re.compile(r"Oct 3, 2026, \d+:00"))
    await expect(page.locator("#matches tbody tr").first).to_contain_text("stopped")
    await page.get_by_role("button", name="Darts").click()
    await expect(page.locator("#matches tbody tr").last).to_contain_text("stopped")
    row = page.locator("#matches tbody tr", has_text="101").first
    await row.get_by_role("link").click()
    await expect(page.get_by_test_id("said")).to_contain_text("won by Ann · Ann: D20 = 40")
    await expect(page.get_by_role("table", name="Leg by leg, Average").locator("tbody tr")).to_have_count(2)
    now, step = page.get_by_test_id("now"), page.get_by_role("slider", name="Position in the match")
    await expect(now).to_have_text("Round 1 · Ann: –")
    await step.focus()
    await page.keyboard.press("ArrowRight")
    await page.keyboard.press("ArrowRight")
    await expect(now).to_have_text("Round 1 · Ann: T20 1 = 61")
    await expect(step).to_have_attribute("aria-valuetext", "Round 1 · Ann: T20 1 = 61")
    await expect(page.get_by_test_id("standing").locator("li")).to_have_text(["1Annlegs 0 · 40", "2Bolegs 0 · 101"])
    await expect(page.locator("#replay-board .mark")).to_have_count(2)
    await page.get_by_role("button", name="Back").click()
    await expect(now).to_have_text("Round 1 · Ann: T20 = 60")
    await page.get_by_role("slider").press("End")
    await expect(now).to_have_text("Round 2 · Ann: D20 = 40")
    await expect(page.get_by_role("button", name="On")).to_be_disabled()


async def test_a_match_is_shared_and_kept(page: Page, address: str) -> None:
    await page.goto(f"{address}history?matches=1&player=Bo&lang=de")
    await expect(page.locator("#matches tbody tr")).to_have_count(2)
    await page.locator("#matches a").last.click()
    await expect(page.get_by_test_id("now")).to_have_text("Runde 1 · Ann: –")
    await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")  # as it is without TLS
    await page.get_by_role("button", name="Teilen").click()
    link = await page.get_by_role("textbox", name="Der Link zu diesem Match").input_value()
    async with page.expect_download() as downloaded:
        await page.get_by_test_id("record").click()
    record = await downloaded.value
    assert record.suggested_filename.endswith(f"{link.split('match=')[1]}.jsonl")
    await page.goto(link)
    await expect(page.get_by_test_id("said")).to_contain_text("Ann: D20 = 40")
    await expect(page.get_by_role("rowheader", name="PPD")).to_contain_text("points per dart")


async def test_a_match_that_may_go_on_keeps_its_darts(page: Page, address: str) -> None:
    await page.goto(f"{address}history?matches=1")
    await page.get_by_test_id("match-0").click()
    await expect(page.get_by_test_id("said")).to_contain_text("stopped")
    await expect(page.get_by_text("Its darts are shown once another match has started")).to_be_visible()
    await expect(page.get_by_test_id("record")).to_have_count(0)
    await page.goto(f"{address}history?match=nothing")
    await expect(page.get_by_test_id("said")).to_have_text("There is no finished match with this link.")


@pytest.mark.parametrize(
    ("width", "height"), sweep([(390, 844), (800, 480), (1920, 1080)], lambda size: size[0] == 390)
)
async def test_it_fits_in_width(page: Page, address: str, width: int, height: int) -> None:
    await page.set_viewport_size(ViewportSize(width=width, height=height))
    await page.goto(f"{address}history?matches=1")
    await expect(page.get_by_test_id("match-1")).to_be_visible()
    assert await page.evaluate("document.documentElement.scrollWidth") <= width
    await page.get_by_test_id("match-1").click()
    await expect(page.get_by_test_id("now")).to_be_visible()
    assert await page.evaluate("document.documentElement.scrollWidth") <= width


async def test_a_page_of_many_matches_says_that_a_heading_orders_these(
    page: Page, tmp_path: Path, unused_tcp_port: int
) -> None:
    with Evening(tmp_path) as evening:
        for day in range(51):
            evening.play("T20 S1 D20", day=day, players=["Ann", "Bo"], options={"start": 101})
    async with run_daemon(setup(tmp_path, unused_tcp_port)) as running:
        said = page.get_by_test_id("only-these")
        await page.goto(f"{running.page}history?matches=1")
        await expect(said).to_have_text("These are 50 of all matches; a tap on a heading puts them in order.")
        await page.get_by_test_id("earlier").click()
        await expect(page.locator("#matches .only")).to_have_count(1)  # one alone has no heading to tap
        await expect(said).to_have_count(0)
