"""The camera for moments, with one that the browser simulates: clips that play, who said no, and why there is none."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, ViewportSize, async_playwright, expect

from daemon.admin.clips.clip_files import list_clips
from daemon.admin.players.book import PlayerBook
from daemon.assemble import RunningDaemon
from tests.daemon.process import eventually
from tests.daemon.test_clips import filming
from tests.page.conftest import FLAGS
from tests.page.playing import PATIENCE_MS, play
from tests.page.test_axe import AUDIT

FAKE = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream")
WALL, PHONE = ViewportSize(width=1280, height=720), ViewportSize(width=360, height=640)
OTHER = "other.local"
"""This machine by a name that is not its own: no browser takes a page from there for one of its own machine."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def browser(chromium_path: Path) -> AsyncIterator[Browser]:
    expect.set_options(timeout=PATIENCE_MS)
    async with async_playwright() as playwright:
        flags = [*FLAGS, *FAKE, f"--host-resolver-rules=MAP {OTHER} 127.0.0.1"]
        launched = await playwright.chromium.launch(executable_path=chromium_path, args=flags)
        yield launched
        await launched.close()


@pytest_asyncio.fixture(loop_scope="session")
async def running(tmp_path: Path, unused_tcp_port: int) -> AsyncIterator[RunningDaemon]:
    async with filming(tmp_path, unused_tcp_port) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def page(browser: Browser, running: RunningDaemon) -> AsyncIterator[Page]:
    """The page of the camera, which is on."""
    context = await browser.new_context(viewport={"width": 800, "height": 480})
    page = await context.new_page()
    await page.goto(f"{running.page}camera?lang=en")
    await page.get_by_test_id("start").click()
    await expect(page.get_by_test_id("status")).to_have_text("The camera is on.")
    yield page
    await context.close()


async def test_a_180_gives_a_clip_that_plays_on_the_wall_and_beside_the_match(
    page: Page, running: RunningDaemon, tmp_path: Path
) -> None:
    wall = await page.context.new_page()
    await wall.set_viewport_size({"width": 1280, "height": 720})
    await wall.goto(f"{running.page}?lang=en&view=wall")
    await expect(wall.get_by_test_id("score-0")).to_have_text("301")
    await play(running, "T20 T20 T20")
    await eventually(lambda: len(list_clips(tmp_path)) == 1)
    (clip,) = list_clips(tmp_path)
    assert (clip.moment, clip.line, clip.kind) == ("180", 4, "video")
    replay = wall.get_by_test_id("replay").locator("video")
    await expect(replay).to_be_visible()
    await replay.evaluate("film => film.pause()")  # so that it does not come to its own end
    await play(running, "/ T1")
    await expect(wall.get_by_test_id("replay")).to_have_count(0, timeout=12_000)  # it goes by itself after 20 seconds
    await play(running, "/ T20 T19 D2")
    await expect(page.get_by_test_id("status")).to_have_text("Clips sent: 2.")
    await page.goto(f"{running.page}history?match={clip.match}&lang=en")
    shown = page.get_by_test_id("clip")
    await expect(shown).to_have_count(2)
    film = shown.first
    await film.evaluate("film => film.play()")
    await page.wait_for_function("() => document.querySelector('.clips video').currentTime > 0.5")
    assert await film.evaluate("film => film.duration > 0 && film.videoWidth > 0 && film.error === null")
    for _ in range(2):
        await page.get_by_test_id("remove-clip").first.click()
    await expect(shown).to_have_count(1)
    assert [each.moment for each in list_clips(tmp_path)] == ["match_won"]


async def test_each_clip_is_whole_long_after_the_start(page: Page, running: RunningDaemon, tmp_path: Path) -> None:
    """The takes have changed by then. What it begins with is what a film begins with."""
    await page.evaluate("window.begun = performance.now()")
    await page.wait_for_function("() => performance.now() - window.begun > 13000")
    await play(running, "T20 T20 T20")
    await eventually(lambda: len(list_clips(tmp_path)) == 1)
    length = await page.evaluate(
        """async (clip) => {
          const film = document.createElement("video");
          film.muted = true;
          film.src = `api/clips/${clip}`;
          film.playbackRate = 8;
          document.body.append(film);
          await new Promise((done) => { film.onended = done; film.play(); });
          return film.currentTime;
        }""",
        list_clips(tmp_path)[0].clip,
    )
    assert 3 < length < 13


async def test_a_still_is_kept_where_that_was_chosen(page: Page, running: RunningDaemon, tmp_path: Path) -> None:
    await page.get_by_test_id("kind").select_option("still")
    await play(running, "T20 T20 T20")
    await eventually(lambda: [each.kind for each in list_clips(tmp_path)] == ["picture"])


async def test_what_is_taken_back_is_not_kept(page: Page, running: RunningDaemon, tmp_path: Path) -> None:
    await play(running, "T20 T20 T20 undo T1 / T20 T20 T20")
    await expect(page.get_by_test_id("status")).to_have_text("Clips sent: 1.")
    assert [each.line for each in list_clips(tmp_path)] == [10]


async def test_a_guest_says_no_in_two_taps_also_on_a_phone_without_a_camera(
    browser: Browser, page: Page, running: RunningDaemon, tmp_path: Path
) -> None:
    phone = await browser.new_page(viewport={"width": 360, "height": 640})
    await phone.goto((running.page or "").replace("127.0.0.1", OTHER) + "camera?lang=en")
    await expect(phone.get_by_test_id("insecure")).to_contain_text("localhost:")
    await expect(phone.get_by_test_id("start")).to_have_count(0)
    assert await phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
    await page.get_by_test_id("filmed-1").click()
    await page.get_by_test_id("filmed-1").click()
    await expect(page.get_by_test_id("status")).to_have_text("Nothing is filmed in this match: Bo said no.")
    await expect(page.get_by_test_id("preview")).to_be_hidden()
    await play(running, "T20 T20 T20")
    await phone.reload()
    await expect(phone.get_by_test_id("filmed-1")).to_have_text("May be filmed")
    await phone.close()
    assert list_clips(tmp_path) == []


async def test_a_guest_in_the_lobby_says_no_in_two_taps(
    browser: Browser, running: RunningDaemon, tmp_path: Path
) -> None:
    wall = await browser.new_page(viewport={"width": 1280, "height": 720})
    await wall.goto(f"{running.page}?lang=en&lobby=1")
    await wall.get_by_placeholder("Name").first.fill("Gil")
    await wall.get_by_placeholder("Name").first.press("Enter")
    await wall.get_by_test_id("unfilmed").click()
    await expect(wall.get_by_test_id("people").locator("b")).to_have_text(["Ann", "Bo", "Gil"])
    await wall.get_by_test_id("filmed-2").click()
    await expect(wall.get_by_test_id("filmed-2")).to_have_text("May be filmed")
    assert PlayerBook(tmp_path).list_unfilmed() == {"gil"}
    await wall.close()


@pytest.mark.long
async def test_axe_finds_nothing(page: Page, running: RunningDaemon, axe_path: Path) -> None:
    await page.add_init_script(path=axe_path)
    found = []
    for theme, size in (("dark", WALL), ("light", PHONE)):
        await page.set_viewport_size(size)
        await page.goto(f"{running.page}camera?lang=en&theme={theme}&start=1")
        await expect(page.get_by_test_id("status")).to_have_text("The camera is on.")
        await expect(page.get_by_test_id("people").locator("li")).to_have_count(2)
        found += await page.evaluate(AUDIT)
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert found == []


async def test_one_document_may_use_a_camera_and_be_in_no_other(page: Page, running: RunningDaemon) -> None:
    allowed = {}
    for path in ("", "history", "settings", "guide", "take_home", "story", "camera", "?view=overlay"):
        answer = await page.request.get(f"{running.page}{path}")
        assert answer.ok
        allowed[path] = "camera=(self)" in answer.headers["permissions-policy"]
        assert ("frame-ancestors 'none'" in answer.headers["content-security-policy"]) == (path == "camera")
    assert [path for path, is_allowed in allowed.items() if is_allowed] == ["camera"]
