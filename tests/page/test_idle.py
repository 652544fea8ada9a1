"""A wall at rest: who leads and how to join, until a match begins."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from playwright.async_api import Browser, Page, ViewportSize, expect

from daemon.assemble import run_daemon
from daemon.web.token import make_token
from tests.commanding import give
from tests.daemon.evenings import DAY, Evening
from tests.page.playing import setup

REST_MS = 121_000
SIZES = [(1920, 1080), (800, 480), (1080, 1920)]
SPILLED = """() => {
  const within = document.querySelector("#idle").getBoundingClientRect();
  const seen = [...document.querySelectorAll("#idle *")].filter((each) => each.checkVisibility());
  return seen.filter((each) => {
    const { bottom, left, right, top } = each.getBoundingClientRect();
    return bottom > within.bottom + 1 || top < within.top - 1 || right > within.right + 1 || left < within.left - 1;
  }).map((each) => each.outerHTML.slice(0, 80));
}"""
"""What of it is not within its box."""


async def look(page: Page) -> None:
    """Looks at it on each kind of wall: all is in its place, and a code is large enough for a phone."""
    for width, height in SIZES:
        await page.set_viewport_size(ViewportSize(width=width, height=height))
        assert not await page.evaluate(SPILLED), (width, height)
        box = await page.locator("[data-testid=idle-remote] svg").bounding_box()
        assert box is not None
        assert box["width"] >= 110, (width, height)


async def test_a_wall_at_rest_shows_who_leads_and_how_to_join(
    tmp_path: Path, browser: Browser, unused_tcp_port_factory: Callable[[], int]
) -> None:
    today = (datetime.now(UTC) - DAY).days
    prepared = setup(tmp_path, unused_tcp_port_factory(), unused_tcp_port_factory(), "0.0.0.0", name="oak")
    token = make_token(tmp_path)
    page = await browser.new_page(viewport=ViewportSize(width=1920, height=1080))
    await page.clock.install()
    async with run_daemon(prepared) as running:
        await page.goto(f"{running.page}#token={token}")
        await expect(page.get_by_test_id("player")).to_have_text("Ann")
        await page.clock.run_for(REST_MS)
        await expect(page.get_by_test_id("idle-remote")).to_be_visible()
        await look(page)
        await expect(page.locator("#idle table")).to_have_count(0)
    with Evening(tmp_path) as evening:
        evening.play("T20 S1 D20", day=today - 90, players=["Old"], options={"start": 101})
        for day in range(3):
            evening.play("T20 S1 D20", day=today - 3 - day, players=["Bo", "Ann"], options={"start": 101})
        evening.play("S1 S1 S1 / T20 S1 D20", day=today - 1, players=["Bo", "Ann"], options={"start": 101})
    async with run_daemon(prepared) as running:
        await page.goto(f"{running.page}?lang=en")
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url) if "/api/stats" in request.url else None)
        await expect(page.get_by_test_id("player")).to_have_text("Ann")
        await page.clock.run_for(REST_MS)
        leaders = page.locator("#idle tbody tr")
        await expect(leaders.first).to_contain_text("Bo")
        await expect(leaders).to_have_text(["Bo3/4101 · Average 76.5", "Ann1/4101 · Average 101.0"])
        await look(page)
        await expect(page.get_by_test_id("face")).to_be_hidden()

        table = running.tables["oak"]
        start = {"start": {"game": "x01", "players": ["Ann", "Bo"], "options": {"start": 101}}}
        for hours, questions in ((0, 1), (1, 2)):
            await page.clock.run_for(hours * 3_600_000)
            await give(table, start, "page")
            await expect(page.get_by_test_id("idle")).to_be_hidden()
            await page.clock.run_for(REST_MS)
            await expect(page.get_by_test_id("idle")).to_be_visible()
            await expect(leaders.first).to_contain_text("Bo")
            assert len(asked) == questions, "none within an hour in which no match has ended"
        await give(table, start, "page")
        await expect(page.get_by_test_id("player")).to_have_text("Ann")
        await expect(page.get_by_test_id("idle")).to_be_hidden()
        await expect(page.get_by_test_id("face")).to_be_visible()
        for dart in ("T20", "S1", "D20"):
            await give(table, {"throw": dart}, "page")
        await expect(page.get_by_test_id("last-visit")).to_be_visible()
        await expect(page.get_by_test_id("face")).to_be_visible()
        await page.clock.run_for(REST_MS)
        await expect(leaders).to_have_text(["Bo3/5101 · Average 76.5", "Ann2/5101 · Average 101.0"])
        await look(page)
        await page.get_by_test_id("undo").click()
        await expect(page.get_by_test_id("player")).to_have_text("Ann")
        await expect(page.get_by_test_id("idle")).to_be_hidden()
