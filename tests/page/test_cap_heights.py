"""A duel is read from three metres on every wall, in each language and at every zoom of the browser."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, expect

from tests.page import test_matrix
from tests.page.cap_heights import DARTS, PLAYERS, SIZES, measure, measure_sheet, measure_slate
from tests.page.playing import Playing, look_at
from tests.page.test_page import LUMINANCE
from tests.sweep import sweep

LEAST_PX, LEAST_SCORE_PX = 50, 160
SIDES = [".side.up", ".side:not(.up)"]
STYLE = "(element, name) => getComputedStyle(element)[name]"


@pytest.mark.parametrize("language", ["en", "de", "nl", "fr", "es"])
@pytest.mark.parametrize("size", sweep(SIZES, lambda size: size in {"1080p", "1080p at 200 %"}))
async def test_a_duel_is_read_from_three_metres(browser: Browser, match: Playing, size: str, language: str) -> None:
    width, height = SIZES[size]
    page = await browser.new_page(viewport={"width": width, "height": height}, reduced_motion="reduce")
    await page.goto(f"{match.url}?lang={language}")
    heights = await measure(match, page)
    low = {part: round(px) for part, px in heights.items() if px < (LEAST_SCORE_PX if "score" in part else LEAST_PX)}
    assert not low, f"px of 1080: {low}"
    assert await look_at(page, match.state, is_wall=True) == []

    digits = [await page.locator(f"{side} .points").evaluate(STYLE, "fontSize") for side in SIDES]
    await match.start("501", ["Ann", "Bo"], format={"legs": 2, "sets": 2})
    await expect(page.get_by_test_id("score-0")).to_have_text("501")
    digits += [await page.locator(f"{side} .points").evaluate(STYLE, "fontSize") for side in SIDES]
    assert len(set(digits)) == 1, "one size of digits, whatever else is to be read"
    up, other = [float(await page.locator(f"{side} .points").evaluate(STYLE, "opacity")) for side in SIDES]
    assert up > other, "the thrower's is brighter"
    assert await look_at(page, match.state, is_wall=True) == []


async def test_a_sheet_has_high_lines_where_there_is_room(browser: Browser, match: Playing) -> None:
    page = await browser.new_page(viewport={"width": 1920, "height": 1080}, reduced_motion="reduce")
    await page.goto(match.url)
    assert await measure_sheet(match, page) >= 40
    assert await look_at(page, match.state, is_wall=True) == []


@pytest.mark.parametrize("players", [2, 4, 6])
async def test_the_heads_of_a_sheet_are_30_px(browser: Browser, match: Playing, players: int) -> None:
    page = await browser.new_page(viewport={"width": 1920, "height": 1080}, reduced_motion="reduce")
    await page.goto(match.url)
    for game in ("halve_it", "fifteen_contracts"):
        await match.start(game, PLAYERS[:players])
        await expect(page.get_by_test_id("title")).to_have_text(match.state["title"])
        await expect(page.locator(".lines thead th").first).to_be_visible()
        heads = await page.locator(".lines thead th").evaluate_all(
            "all => all.map((each) => parseFloat(getComputedStyle(each).fontSize))"
        )
        assert heads
        assert min(heads) >= 30, game
        await expect(page.locator(".lines caption")).to_have_count(1 if players > 4 else 0)


async def test_a_name_that_is_cut_says_so(browser: Browser, match: Playing) -> None:
    page = await browser.new_page(viewport={"width": 1280, "height": 720}, reduced_motion="reduce")
    await page.goto(match.url)
    for players, header in ((6, {"legs": 3, "sets": 3}), (8, {})):
        await match.start("mickey_mouse", PLAYERS[:players], format=header)
        await expect(page.locator(".slate.lying tbody tr")).to_have_count(players)
        for at in range(players):
            name = page.locator(".slate th[title] span").nth(at)
            assert await name.evaluate("it => getComputedStyle(it).textOverflow") == "ellipsis"
            px = await name.evaluate("it => it.clientWidth / parseFloat(getComputedStyle(it).fontSize)")
            assert px >= 2, "room for four letters"


_WALLS = {name: size for name, size in test_matrix.SIZES.items() if name != "phone"}
_UPRIGHT_MANY_PX = 48
"""Where names, points and all numbers share the width of a screen that hangs upright."""


@pytest.mark.parametrize("players", [2, 4, 6, 8])
@pytest.mark.parametrize("size", sweep(_WALLS, lambda size: size in {"television", "wall tablet"}))
async def test_a_slate_is_read_from_three_metres(browser: Browser, match: Playing, size: str, players: int) -> None:
    page = await browser.new_page(reduced_motion="reduce")
    await page.goto(match.url)
    heights = await measure_slate(match, page, "cricket", players, _WALLS[size])
    is_narrow = "upright" in size and players > 4
    least = {"marks": 55 if is_narrow else 60}
    low = {
        part: round(px)
        for part, px in heights.items()
        if round(px) < least.get(part, _UPRIGHT_MANY_PX if is_narrow else LEAST_PX)
    }
    assert not low, f"px of 1080: {low}"
    for side in range(players):
        await expect(page.locator(".slate th[title]").nth(side)).to_be_in_viewport(ratio=0.95)
        await expect(page.get_by_test_id(f"cell-{side}-6")).to_be_in_viewport(ratio=0.95)
    assert await look_at(page, match.state, is_wall=True) == []


@pytest.mark.parametrize("players", [2, 4, 6, 8])
@pytest.mark.parametrize("size", sweep(_WALLS, lambda size: size == "television"))
async def test_a_long_slate_has_high_rows(browser: Browser, match: Playing, size: str, players: int) -> None:
    page = await browser.new_page(reduced_motion="reduce")
    await page.goto(match.url)
    heights = await measure_slate(match, page, "tactics", players, _WALLS[size])
    least = 29 if "upright" in size else 36
    assert {part: round(px) for part, px in heights.items() if round(px) < least} == {}
    assert await look_at(page, match.state, is_wall=True) == []


@pytest.mark.parametrize("size", [(390, 844), (360, 640)])
@pytest.mark.parametrize("players", [2, 6, 8, 16])
async def test_a_phone_shows_the_marks_of_all_and_the_whole_board(
    browser: Browser, match: Playing, size: tuple[int, int], players: int
) -> None:
    page = await browser.new_page(reduced_motion="reduce", viewport={"width": size[0], "height": size[1]})
    await page.goto(match.url)
    names = [f"Maximiliane von Ho {number}" for number in range(1, players + 1)]
    await match.start("cricket", names)
    await match.throw(" / ".join(["T20 D19 S18"] * (players - 1) + ["S20"]))
    await expect(page.get_by_test_id("dart-0")).to_have_attribute("data-segment", "S20")
    for side in range(players - 1):
        await expect(page.get_by_test_id(f"cell-{side}-0").locator("circle")).to_be_in_viewport(ratio=0.8)
    await expect(page.get_by_test_id("sides")).to_be_hidden()
    board, footer = await page.locator("#board").bounding_box(), await page.locator("footer").bounding_box()
    assert board is not None
    assert footer is not None
    assert board["y"] + board["height"] <= footer["y"], "the buttons are over the board"
    assert min(board["width"], board["height"]) >= 148
    assert await look_at(page, match.state, is_wall=False) == []


async def test_the_question_of_a_game_is_the_task_and_points_are_named(browser: Browser, match: Playing) -> None:
    page = await browser.new_page(reduced_motion="reduce", viewport={"width": 1280, "height": 720})
    await page.goto(f"{match.url}?lang=de")
    await match.start("tactics", ["Ann", "Bo"])
    await match.throw("T20")
    await expect(page.get_by_test_id("task")).to_have_text("Welche Zeile bekommt T20: 20 oder jedes Triple?")
    await match.say({"choose": "20", "prompt": match.state["prompts"][0]["id"]})
    await expect(page.get_by_test_id("visit-points")).to_have_text("3 Marken")
    await match.throw("S20")
    await expect(page.get_by_test_id("visit-points")).to_have_text("20 Punkte")
    await match.throw("T20")
    await expect(page.get_by_test_id("option-20")).to_have_text("2060 Punkte")
    await expect(page.get_by_test_id("option-triple")).to_have_text("Triple")


async def test_the_whole_way_out_is_on_the_board_its_first_bed_the_brightest(browser: Browser, match: Playing) -> None:
    page = await browser.new_page(viewport={"width": 1920, "height": 1080}, reduced_motion="reduce")
    await page.goto(match.url)
    await match.start("501", ["Ann", "Bo"])
    await match.throw(DARTS)
    await expect(page.locator("#darts .advised b")).to_have_text(["T19", "D12"])
    first, later = page.locator("#board .target"), page.locator("#board .later")
    await expect(first).to_have_count(1)
    await expect(later).to_have_count(1)
    assert await first.evaluate(LUMINANCE) > 3 * await later.evaluate(LUMINANCE)
    await expect(page.locator("#board .hit").first).to_have_css("fill", "none")  # the bed of a dart outshines no target
    await match.throw("T19")
    await expect(later).to_have_count(0)
