"""A match in two places in a real browser: planned at one table, agreed to at the other, and seen at both."""

from __future__ import annotations

from pathlib import Path

from playwright.async_api import Browser, Page, expect

from daemon.assemble import run_daemon
from tests.commanding import give
from tests.daemon.process import eventually
from tests.daemon.test_two_places import configure_one, darts, hit
from tests.page.test_moments import RECORDER

SOUTH = '[[table]]\nname = "south"\nboard = "serial:/dev/oche-none"\ntakeout = "button"'


async def open_table(browser: Browser, address: str | None, table: str) -> Page:
    """The page of a table, without scenes; it keeps what is flashed and sounded."""
    page = await browser.new_page()
    await page.add_init_script(RECORDER)
    await page.goto(f"{address}?lang=en&table={table}&scenes=off&sound=on")
    return page


async def has_shown(page: Page, moment: str, times: int = 1) -> None:
    """Waits until this moment was flashed, and something sounded; it was so often, and no more."""
    count = "moment => window.shown.filter((each) => each === moment).length"
    await page.wait_for_function(
        f"([moment, times]) => ({count})(moment) >= times && window.tones", arg=[moment, times]
    )
    assert await page.evaluate(count, moment) == times


async def plan_it(page: Page) -> None:
    """By the lobby: Bo plays at the other table."""
    lobby = page.get_by_test_id("lobby")
    await page.locator("#other").evaluate("button => button.click()")
    await expect(lobby).to_be_visible()
    await lobby.get_by_label("Plays at another table").select_option(label="Bo")
    await lobby.get_by_test_id("far-tables").get_by_role("button", name="south").click()
    await lobby.get_by_role("button", name="Start", exact=True).click()
    await expect(lobby).to_be_hidden()


async def test_a_match_is_planned_agreed_to_played_and_ended_at_two_tables(tmp_path: Path, browser: Browser) -> None:
    async with run_daemon(configure_one(tmp_path, 0, "north", SOUTH)) as running:
        north, south = running.tables["north"], running.tables["south"]
        await give(north, {"start": {"game": "x01", "players": ["Ann", "Bo"], "options": {"start": 301}}}, "page")
        here, there = [await open_table(browser, running.page, name) for name in ("north", "south")]
        ours, theirs = here.get_by_test_id("two-places"), there.get_by_test_id("two-places")
        await expect(here.locator("#sides")).to_contain_text("Ann")
        await expect(theirs).to_have_count(0)
        await plan_it(here)
        await expect(ours).to_contain_text("The table south was asked to play along.")
        await expect(theirs).to_contain_text("The table north wants to play a match with you here.")
        await there.get_by_test_id("agree-lend").click()
        await expect(theirs).to_contain_text("You play along at the table north.")
        await expect(there.locator("#sides")).to_contain_text("Bo")
        await hit(north, "T20", "T20", "T20")
        await eventually(lambda: len(darts(north)) == 3)
        await has_shown(here, "180")
        await has_shown(there, "180")
        await here.get_by_test_id("next").click()
        await expect(there.locator("#sides")).to_contain_text("121")
        await hit(south, "T19")
        await eventually(lambda: darts(north) == ["T19"])
        await expect(here.locator("#sides")).to_contain_text("244")
        await expect(there.locator("#sides")).to_contain_text("244")
        await there.get_by_test_id("undo").click()
        await expect(here.locator("#sides")).to_contain_text("301")
        await there.set_viewport_size({"width": 800, "height": 480})
        await expect(there.get_by_test_id("end-lend")).to_be_visible()
        await give(north, {"retire": 0}, "page")
        await expect(theirs).to_contain_text("The table north asks: a side retires (Ann)")
        await expect(there.get_by_test_id("end-lend")).to_have_count(0)
        heights = "strip => [strip.offsetHeight, Math.max(...[...strip.children].map(each => each.offsetHeight))]"
        height, highest = await theirs.evaluate(heights)
        assert height < 2 * highest, "the scores have no room below two rows"
        await give(north, {"stop": True}, "page")
        await expect(ours).to_contain_text("The other table was asked: end the match")
        await expect(theirs).to_contain_text("The table north asks: end the match")
        await there.get_by_test_id("agree-wish").click()
        await eventually(lambda: north.committed.public.phase == "over")
        await there.get_by_test_id("end-lend").click()
        await expect(theirs).to_be_hidden()
        await expect(there.locator("#sides")).not_to_contain_text("Bo 301")
