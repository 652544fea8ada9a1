"""Rivals on the page: the league, head to head, goals with their calendar, and practice at doubles that are missed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest_asyncio
from playwright.async_api import Page, expect

from daemon.admin.players.book import PlayerBook
from daemon.admin.players.colours import choose_colour
from daemon.admin.requests import ChangePlayer, Goal
from daemon.assemble import RunningDaemon, run_daemon
from tests.commanding import give
from tests.daemon.evenings import DAY, Evening
from tests.page.playing import setup

MARKUP = "<b onclick=x>Cy</b>"
MISSES = "MISS MISS MISS / " * 3


@pytest_asyncio.fixture(loop_scope="session")
async def after(tmp_path: Path, unused_tcp_port: int) -> AsyncIterator[RunningDaemon]:
    """Ann has won twice against Cy and once lost, all in October; yesterday she practised doubles."""
    with Evening(tmp_path) as evening:
        for day, darts in enumerate(("T20 S1 D20", "MISS / T20 S1 D20", "T20 S1 D20")):
            evening.play(darts, day=day, players=["Ann", MARKUP], options={"start": 101})
        evening.play("S1 S1 S1 / S1 S1 S1", day=3, game="count_up", players=[MARKUP, "Ann"], options={"rounds": 1})
        for double, hits in (("D1", "D1 "), ("D2", "")):
            evening.play(
                f"{hits or 'MISS '}MISS MISS / {MISSES}".removesuffix("/ "),
                day=(datetime.now(UTC) - DAY).days,
                game="segment_training",
                players=["Ann"],
                options={"target": double, "count": 12},
            )
    PlayerBook(tmp_path).change(ChangePlayer("Ann", goals=(Goal(kind="days", amount=30),)))
    async with run_daemon(setup(tmp_path, unused_tcp_port)) as running:
        yield running


async def test_two_players_head_to_head_and_the_league_of_a_month(page: Page, after: RunningDaemon) -> None:
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    await page.goto(f"{after.page}history?player=Ann")
    await page.get_by_test_id("compare").click()
    await expect(page.get_by_test_id("rival-0")).to_have_value("Ann")
    await page.get_by_test_id("rival-1").select_option(MARKUP)
    await expect(page.get_by_test_id("leads")).to_have_text("Ann leads 2 : 1 · 1 drawn")
    await expect(page.get_by_test_id("tally")).to_have_text("2 : 1")
    latest = page.get_by_test_id("compared").locator(".latest").first
    await expect(latest).to_have_attribute("aria-label", f"Latest matches, oldest first: Ann, {MARKUP}, Ann, drawn")
    games = page.get_by_test_id("by-game").locator("tbody tr")
    await expect(games.locator("th")).to_have_text(["101", "Count-Up · count_up (rounds 1)"])
    await page.reload()
    await expect(page.get_by_test_id("leads")).to_be_visible()  # it is in the address
    await page.get_by_test_id("league-month").select_option("2026-10")
    rows = page.get_by_test_id("league-table").locator("tbody tr")
    await expect(rows).to_have_count(2)
    await expect(rows.first.locator("td")).to_have_text(["7", "4", "2", "1", "1", "3 : 1", "67.33"])
    await page.set_viewport_size({"width": 360, "height": 640})
    assert await page.evaluate("document.documentElement.scrollWidth") <= 360
    await rows.first.get_by_role("link").click()
    await expect(page.get_by_test_id("title")).to_have_text("Ann")
    assert not problems


async def test_a_chosen_colour_stays_where_the_rival_was_given_the_same(
    page: Page, after: RunningDaemon, tmp_path: Path
) -> None:
    PlayerBook(tmp_path).change(ChangePlayer(MARKUP, colour=choose_colour("Ann")))
    await page.goto(f"{after.page}history?player=Ann")
    await page.get_by_test_id("compare").click()
    await page.get_by_test_id("rival-1").select_option(MARKUP)
    await expect(page.locator(".duel > div")).to_have_class(["side-2", "side-1"])


async def test_a_goal_is_set_in_the_profile_and_shown_on_the_card(page: Page, after: RunningDaemon) -> None:
    await page.goto(f"{after.page}history?players=1&player=Ann")
    await page.get_by_test_id("add-goal").click()
    await page.get_by_test_id("goal-kind").last.select_option("average")
    await page.get_by_test_id("goal-amount").last.fill("50.5")
    await page.get_by_test_id("goal-game").last.select_option("101")
    for _ in range(3):
        await page.get_by_test_id("add-goal").click()
    await expect(page.get_by_test_id("add-goal")).to_be_disabled()
    await page.get_by_role("button", name="Remove this goal").last.click()
    await page.get_by_test_id("save-profile").click()
    await expect(page.get_by_test_id("said")).to_have_text("Saved.")
    await page.goto(f"{after.page}history?player=Ann")
    goals = page.get_by_test_id("goals").locator("li")
    await expect(goals).to_have_count(4)
    await expect(goals.nth(1)).to_have_text("Average, 10167.3 of 50.5, reached")
    calendar = page.get_by_role("table", name="Darts on each day of the last twelve weeks")
    await expect(calendar.locator(".level-4")).to_have_count(1)
    await expect(calendar.locator(".level-4 span")).to_have_text("24")
    await expect(calendar.get_by_role("columnheader")).to_have_count(12)
    await expect(calendar.get_by_role("rowheader")).to_have_count(7)


async def test_practice_begins_with_one_tap_and_with_a_question_where_a_match_is_played(
    page: Page, after: RunningDaemon
) -> None:
    table = after.tables["main"]
    await page.goto(f"{after.page}history?player=Ann")
    await expect(page.get_by_test_id("practice").locator("li")).to_have_text(["D2: 0 of 12", "D1: 1 of 12"])
    await page.get_by_test_id("start-practice").click()
    await expect(page.get_by_test_id("progress")).to_contain_text("exercise 1 of 2")
    assert (table.state().title, table.match.seating.players) == ("Segment Training: D2", ("Ann",))
    await give(table, {"throw": "T20"}, "page")
    await page.goto(f"{after.page}history?player=Ann")
    await page.get_by_test_id("start-practice").click()
    await expect(page.get_by_test_id("practice")).to_contain_text("Segment Training: D2 is being played at this table.")
    first = table.state().match
    await page.get_by_test_id("stop-and-practise").click()
    await expect(page.get_by_test_id("progress")).to_contain_text("exercise 1 of 2")
    assert table.state().match != first


async def test_the_lobby_proposes_practice_among_the_routines(page: Page, after: RunningDaemon) -> None:
    table = after.tables["main"]
    await page.goto(f"{after.page}?lobby=1")
    await page.locator("#lobby .chips button", has_text="Cy").click()
    await page.get_by_test_id("lobby").locator("summary", has_text="Routines").click()
    proposed = page.get_by_test_id("proposed")
    await expect(proposed.get_by_role("button")).to_have_text(["Ann: D2, D1"])
    await proposed.get_by_role("button").click()
    await expect(page.get_by_test_id("lobby")).to_be_hidden()
    await expect(page.get_by_test_id("progress")).to_contain_text("exercise 1 of 2")
    assert table.match.seating.players == ("Ann", MARKUP), "all who are chosen in the lobby"
