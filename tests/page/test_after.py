"""After the match, in a real browser: what its sides came to, and who throws first when it is played again."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Page, ViewportSize, expect

from daemon.assemble import run_daemon
from tests.commanding import give
from tests.page.playing import Playing, play, setup
from tests.sweep import sweep

SIZES = [(390, 844), (800, 480), (1920, 1080)]
LEGS = "D20 / S20 S20 S20 / T20 S1 MISS / S1 S1 S1 / D20"
"""Two legs of 101 for Ann, after 60 and 1: she throws first, then Bo."""
SPILLED = """() => {
  const within = document.querySelector("#result").getBoundingClientRect();
  const cells = [...document.querySelectorAll("#summary .figures-table td")];
  const edge = Math.max(...cells.map((each) => each.getBoundingClientRect().right));
  const legs = document.querySelector("#summary .legs-table")?.getBoundingClientRect();
  const first = cells[0].getBoundingClientRect();
  if (legs && legs.left < edge && legs.top < first.bottom) return ["the tables are over each other"];
  const link = document.querySelector("#summary a").getBoundingClientRect();
  const rows = [...document.querySelectorAll("#summary td")].filter((each) => each.checkVisibility());
  const end = Math.max(...rows.map((each) => each.getBoundingClientRect().bottom));
  if (link.height && end > link.top + 1) return ["the link is over a table"];
  const seen = [...document.querySelectorAll("#result :not(.head-name)")].filter((each) => each.checkVisibility());
  return seen.filter((each) => {
    const { bottom, left, right, top } = each.getBoundingClientRect();
    return bottom > within.bottom + 1 || top < within.top - 1 || right > within.right + 1 || left < within.left - 1;
  }).map((each) => each.outerHTML.slice(0, 80));
}"""
"""What of the result is not within its box."""


async def test_a_match_that_is_over_is_summed_up(tmp_path: Path, page: Page, unused_tcp_port: int) -> None:
    async with run_daemon(setup(tmp_path, unused_tcp_port)) as running:
        header = {"game": "x01", "players": ["Ann", "Bo"], "options": {"start": 101}, "format": {"legs": 2}}
        await give(running.tables["main"], {"start": header}, "page")
        await page.goto(running.page or "")
        await play(running, f"T20 S1 {LEGS}")
        figures = page.get_by_role("table", name="Side by side")
        await expect(figures.get_by_role("row", name="Legs")).to_have_text("Legs20")
        await expect(figures.get_by_role("row", name="First nine")).to_have_text("First nine86.5731.50")
        await expect(figures.get_by_role("row", name="Checkouts")).to_have_text("Checkouts2 of 30 of 1")
        legs = page.get_by_role("table", name="Leg by leg, Average").locator("tbody tr")
        await expect(legs).to_have_text(["1101.00–3101", "275.7531.50440"])
        await expect(page.get_by_test_id("last-visit")).to_have_text("Ann: D20 = 40")
        await expect(page.locator("#board .hits path")).to_have_count(1)
        await expect(page.locator("#board .mark-number")).to_have_text("1")
        await expect(page.get_by_test_id("again")).to_have_text("Play again: Bo throws first")

        await page.get_by_test_id("undo").click()
        await expect(page.get_by_test_id("summary")).to_be_hidden()
        await play(running, "S20 D10")
        await expect(page.get_by_test_id("last-visit")).to_have_text("Ann: 20 D10 = 40")
        await page.goto(f"{running.page}?lang=de")
        await expect(page.get_by_test_id("again")).to_have_text("Noch einmal: Bo beginnt")
        await expect(page.get_by_role("table", name="Nebeneinander")).to_be_visible()
        await page.get_by_test_id("again").click()
        await expect(page.get_by_test_id("player")).to_have_text("Bo")
        await expect(page.get_by_test_id("summary")).to_be_hidden()


@pytest.mark.parametrize(("width", "height"), sweep(SIZES, lambda size: size[0] == 800))
@pytest.mark.parametrize("sides", [2, 3, 6])
async def test_the_summary_fits(page: Page, match: Playing, width: int, height: int, sides: int) -> None:
    names = ["Ann", "Bo", "Maximiliane", "Dee", "Eve", "Finn"][:sides]
    await page.set_viewport_size(ViewportSize(width=width, height=height))
    await match.start("x01", names, options={"start": 301}, format={"legs": 3 if sides == 2 else 2})
    await match.go_on(2000)
    await page.goto(match.url)
    await expect(page.get_by_test_id("last-visit")).to_be_visible()
    assert await page.evaluate(SPILLED) == []
    assert await page.evaluate("document.documentElement.scrollWidth") <= width
