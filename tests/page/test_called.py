"""What the displays of a table say while a tournament runs: who is called to it, who comes next, and how to begin."""

from __future__ import annotations

from pathlib import Path

import msgspec
from playwright.async_api import Browser, ViewportSize, expect

from daemon.admin.players.book import PlayerBook
from protocol.tournament import End
from tests.daemon.evenings import Evening
from tests.daemon.process import eventually
from tests.daemon.tournament.playing import begin, find_match, planned, run_desk, throw, win
from tests.daemon.tournament.unplayed import configure_tables
from tests.page.playing import look_at
from tests.png import make_png

WIDE = "W" * 24
RESULT_MS, REST_MS, TURN_MS, WINNER_MS = 20_000, 121_000, 6_000, 1_800_000
CUT = """() => [...document.querySelectorAll(".fitted-name")].filter((name) => {
  const box = name.getBoundingClientRect();
  return name.checkVisibility() && [...name.querySelectorAll("i")].some((half) => {
    const { bottom, left, right, top } = half.getBoundingClientRect();
    return left < box.left - 1 || right > box.right + 1 || top < box.top - 2 || bottom > box.bottom + 2;
  });
}).map((name) => name.textContent)"""
"""The names that are not within their boxes."""
COVERED = """() => {
  const [tables, call] = ["#tables", "#called"].map((each) => document.querySelector(each).getBoundingClientRect());
  return Math.max(0, tables.bottom - call.top);
}"""
"""How much of the links to the other tables lies below the call, in pixels."""
SIZES = [(800, 480), (1920, 1080), (360, 640)]


async def test_a_table_calls_the_next_match_and_begins_it(tmp_path: Path, browser: Browser) -> None:
    async with run_desk(configure_tables(tmp_path)) as (running, desk):
        found = await begin(desk, ("Ann", "Bo", WIDE, f"{WIDE[1:]}V"), ("main", "second"))
        table = running.tables["main"]
        await planned(table, found)
        sides = [each.name for each in found.view.entrants if each.name in table.committed.plan.players]
        page = await browser.new_page(viewport=ViewportSize(width=800, height=480))
        await page.clock.install()
        await page.goto(f"{running.page}?lang=en")
        called = page.get_by_test_id("called")
        await expect(called).to_contain_text("press start")
        await expect(called.locator(".round")).to_have_text("Semi-final")
        for name in sides:
            await expect(called).to_contain_text(name)
        strip = page.get_by_test_id("strip")
        await expect(strip).to_contain_text(": you are next")  # at the other table
        for width, height in SIZES:
            await page.set_viewport_size(ViewportSize(width=width, height=height))
            assert await page.evaluate(CUT) == []
            assert await page.evaluate(COVERED) == 0
        await page.set_viewport_size(ViewportSize(width=800, height=480))

        await page.get_by_test_id("start-called").click()
        await expect(called).to_be_hidden()
        assert await look_at(page, msgspec.to_builtins(table.state()), is_wall=True) == []
        while table.state().phase != "over":
            is_ann = table.state().turn.player == min(sides)
            await throw(table, *(("T20", "S1", "D20") if is_ann else ("S1", "MISS", "MISS", "next")))
        await win(running.tables["second"], min({"Ann", "Bo", WIDE, f"{WIDE[1:]}V"} - {*sides}))
        await eventually(lambda: find_match(found, "final-1").status == "called")
        final = find_match(found, "final-1")
        await page.goto(f"{running.page}?lang=en&table={final.table}")
        await expect(page.get_by_test_id("winner")).to_be_visible()
        await expect(page.get_by_test_id("again")).to_have_text("Start: Ann – Bo")
        await expect(called).to_be_hidden()  # the result has just come
        await page.clock.run_for(RESULT_MS + TURN_MS)
        await expect(called.locator(".round")).to_have_text("Final")
        await page.get_by_test_id("not-now").click()
        await expect(called).to_be_hidden()
        await desk.do(found.id, End(), "organiser")
        await expect(strip).to_be_hidden()


async def test_who_is_called_is_seen_with_a_picture_beside_a_name_that_is_not_cut(
    tmp_path: Path, browser: Browser
) -> None:
    with Evening(tmp_path / "state", table="second") as evening:
        evening.play("T20 S1 D20", options={"start": 101}, players=["Ann", WIDE])
    for each in ("Ann", WIDE):
        PlayerBook(tmp_path / "state").set_picture(each, make_png(8, 8, 2, bytes(192)))
    async with run_desk(configure_tables(tmp_path)) as (running, desk):
        found = await begin(desk, ("Ann", WIDE), ("main",))
        await planned(running.tables["main"], found)
        page = await browser.new_page(viewport=ViewportSize(width=800, height=480))
        await page.goto(f"{running.page}?lang=en")
        face = page.get_by_test_id("called").locator("img.avatar")
        await expect(face).to_have_count(2)
        for width, height in SIZES:
            await page.set_viewport_size(ViewportSize(width=width, height=height))
            assert await page.evaluate(CUT) == []
            box = await face.last.bounding_box()
            assert box is not None
            assert box["width"] == box["height"] > 40
            assert box["x"] >= 0


async def test_a_wall_at_rest_shows_the_bracket_while_a_tournament_runs_and_asks_for_nothing_without(
    tmp_path: Path, browser: Browser
) -> None:
    async with run_desk(configure_tables(tmp_path)) as (running, desk):
        page = await browser.new_page(viewport=ViewportSize(width=800, height=480))
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        await page.clock.install()
        await page.goto(f"{running.page}?lang=en")
        await expect(page.get_by_test_id("score-0")).to_be_visible()
        await page.clock.run_for(REST_MS)
        await expect(page.get_by_test_id("idle-clock")).to_be_visible()
        assert not [url for url in asked if "tournament" in url or "called" in url]

        found = await begin(desk, ("Ann", "Bo", "Cy", "Dee"), ("main", "second"))
        bracket = page.get_by_test_id("idle-bracket")
        await expect(bracket).to_contain_text("Semi-final")
        await expect(page.get_by_test_id("called")).to_be_visible()  # above it
        await page.get_by_test_id("not-now").click()
        await expect(bracket).to_be_visible()
        assert await page.evaluate(CUT) == []
        await desk.do(found.id, End(), "organiser")
        await expect(page.get_by_test_id("strip")).to_be_hidden()
        await expect(bracket).to_be_visible()  # who has won is seen for a while
        await page.clock.fast_forward(WINNER_MS)
        await expect(page.get_by_test_id("idle-clock")).to_be_visible()
        await expect(bracket).to_have_count(0)
