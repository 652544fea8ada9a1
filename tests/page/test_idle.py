"""A wall at rest: who leads and how to join, until a match begins."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from playwright.async_api import Browser, Locator, Page, ViewportSize, expect

from daemon.admin.players.book import PlayerBook
from daemon.assemble import RunningDaemon, run_daemon
from daemon.web.token import make_token
from tests.commanding import give
from tests.daemon.evenings import DAY, Evening
from tests.page.playing import setup
from tests.png import make_png

REST_MS = 121_000
TURN_MS = 15_000
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


async def see(page: Page, slide: str) -> Locator:
    """Waits until it is the turn of this slide."""
    for _ in range(12):
        if await page.get_by_test_id(slide).is_visible():
            break
        await page.clock.run_for(TURN_MS // 3)
    await expect(page.get_by_test_id(slide).first).to_be_visible()
    await expect(page.locator("#idle .slide:visible")).to_have_count(1)
    return page.locator(f"ol.{slide} li")


async def look(page: Page, *slides: str) -> None:
    """Looks at it on each kind of wall: all is in its place, and a code is large enough for a phone."""
    for slide in slides:
        await see(page, slide)
        for width, height in SIZES:
            await page.set_viewport_size(ViewportSize(width=width, height=height))
            assert not await page.evaluate(SPILLED), (slide, width, height)
            box = await page.locator("[data-testid=idle-remote] svg").bounding_box()
            assert box is not None
            assert box["width"] >= 110, (width, height)


async def test_a_wall_at_rest_shows_guests_who_is_best_and_how_to_join(
    tmp_path: Path, browser: Browser, unused_tcp_port_factory: Callable[[], int]
) -> None:
    now = datetime.now(UTC)
    today = (now - DAY).days
    has_league = f"{(DAY + timedelta(days=today - 1)).astimezone():%Y-%m}" == f"{now.astimezone():%Y-%m}"
    slides = 3 + has_league  # a month that has just begun has none
    prepared = setup(tmp_path, unused_tcp_port_factory(), unused_tcp_port_factory(), "0.0.0.0", name="oak")
    token = make_token(tmp_path)
    page = await browser.new_page(viewport=ViewportSize(width=1920, height=1080))
    await page.clock.install()
    async with run_daemon(prepared) as running:
        await page.goto(f"{running.page}#token={token}")
        await expect(page.get_by_test_id("player")).to_have_text("Ann")
        await page.clock.run_for(REST_MS)
        await expect(page.get_by_test_id("idle-remote")).to_be_visible()
        await look(page, "idle-clock")
        await expect(page.locator("#idle .slide")).to_have_count(1)
        await expect(page.get_by_test_id("idle-asks")).to_have_count(0)  # what to configure is for the owner
        await expect(page.get_by_test_id("broker-warning")).to_be_hidden()
    with Evening(tmp_path) as evening:
        evening.play("T20 S1 D20", day=today - 90, players=["Old"], options={"start": 101})
        for day in range(3):
            evening.play(
                f"{'S1 S1 S1 / ' * 20}T20 S1 D5", day=today - 3 - day, players=["Bo", "Ann"], options={"start": 101}
            )
        evening.play(f"{'S1 S1 S1 / ' * 21}T20 S1 D5", day=today - 1, players=["Bo", "Ann"], options={"start": 101})
        evening.play("T20 S1 D20", day=today - 2, players=["Cy"], options={"start": 101})
    PlayerBook(tmp_path).set_picture("Cy", make_png(8, 8, 2, bytes(192)))
    PlayerBook(tmp_path).set_face("Cy", make_png(480, 480, 2, bytes(3 * 480 * 480)))
    async with run_daemon(prepared) as running:
        await page.goto(f"{running.page}?lang=en")
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url) if "/api/stats/league" in request.url else None)
        await expect(page.get_by_test_id("player")).to_have_text("Ann")
        await page.clock.run_for(REST_MS)
        await expect(page.locator("#idle .slide")).to_have_count(slides)
        best = ["Most winsBo3 of 4", "Best average, 101Bo7.6", "Highest finishBo71"]  # those of Cy are luck
        await expect(await see(page, "idle-best")).to_have_text([f"B{line}" for line in best])
        await expect((await see(page, "idle-lately")).locator("b")).to_have_text(["Bo", "Ann", "Cy"])
        face = page.locator("#idle .idle-lately img.face")
        assert await face.evaluate("face => [face.naturalWidth, face.clientWidth >= 200]") == [480, True]
        await look(page, "idle-best", "idle-lately", "idle-clock", *(["idle-league"] if has_league else []))
        await expect(page.get_by_test_id("face")).to_be_hidden()

        table = running.tables["oak"]
        start = {"start": {"game": "x01", "players": ["Ann", "Bo"], "options": {"start": 101}}}
        before = len(asked)  # it asks again while the matches are read
        for hours, is_old in ((0, False), (1, True)):
            await page.clock.run_for(hours * 3_600_000)
            await give(table, start, "page")
            await expect(page.get_by_test_id("idle")).to_be_hidden()
            await page.clock.run_for(REST_MS)
            await expect(page.get_by_test_id("idle")).to_be_visible()
            await expect(page.locator("#idle .slide")).to_have_count(slides)
            assert (len(asked) > before) == is_old, "none within an hour in which no match has ended"
        await page.get_by_test_id("touch-to-play").click()  # a match waits
        await expect(page.get_by_test_id("idle")).to_be_hidden()
        await expect(page.get_by_test_id("face")).to_be_visible()
        await page.clock.run_for(REST_MS)
        await expect(page.get_by_test_id("idle")).to_be_visible()
        for dart in ("T20", "S1", "D20"):
            await give(table, {"throw": dart}, "page")
        await expect(page.get_by_test_id("last-visit")).to_be_visible()
        await expect(page.get_by_test_id("face")).to_be_visible()
        await page.clock.run_for(REST_MS)
        await expect(page.get_by_test_id("idle")).to_be_visible()
        await expect(page.locator("#idle .slide")).to_have_count(4)
        lately = (await see(page, "idle-lately")).filter(has_text="Ann")
        await expect(lately).to_contain_text("today")
        await expect(lately.locator(".avatar")).to_be_visible()
        await page.locator("#idle .slides").click()  # none waits: one is chosen
        await expect(page.locator("#lobby")).to_be_visible()
        await page.keyboard.press("Escape")
        await page.get_by_test_id("undo").click()
        await expect(page.get_by_test_id("player")).to_have_text("Ann")
        await expect(page.get_by_test_id("idle")).to_be_hidden()


async def test_hints_about_the_configuration_are_for_the_owner(
    page: Page, tmp_path: Path, unused_tcp_port_factory: Callable[[], int]
) -> None:
    await page.clock.install()
    async with run_daemon(setup(tmp_path, unused_tcp_port_factory(), unused_tcp_port_factory())) as running:
        for query, hints, buttons in (("", 1, 1), ("?kiosk=1", 0, 0)):
            await page.goto(f"{running.page}{query}")
            await expect(page.get_by_test_id("player")).to_have_text("Ann")
            await page.clock.run_for(REST_MS)
            await expect(page.get_by_test_id("idle-clock")).to_be_visible()
            await expect(page.get_by_test_id("idle-local")).to_have_count(hints)
            await expect(page.get_by_test_id("touch-to-play")).to_have_count(buttons)
            await expect(page.locator("#broker-warning:visible")).to_have_count(hints)


async def test_its_days_are_those_of_the_wall(browser: Browser, running: RunningDaemon) -> None:
    page = await (await browser.new_context(timezone_id="America/New_York")).new_page()
    await page.clock.install(time="2026-12-01T02:00:00Z")  # there it is the last evening of November
    await page.goto(running.page or "")
    await expect(page.get_by_test_id("player")).to_have_text("Ann")
    async with page.expect_request(lambda asked: "/api/stats?" in asked.url) as found:
        await page.clock.run_for(REST_MS)
    assert (await found.value).url.endswith("?since=2026-11-23T05:00:00.000Z")
