"""A match of NewTon's organiser at a table: by its text or a photograph, and back as the code that the table shows."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import segno
from msgspec.structs import replace
from playwright.async_api import Browser, Page, ViewportSize, expect

from daemon.admin.tournaments.photo import read_qr_code
from daemon.assemble import RunningDaemon
from protocol.newton import Assignment, NewtonResult, check_result, decode, encode, pack_leg
from tests.commanding import give

ASSIGNED = Assignment(mid="FS-1-3", tid="1790000000000", sid="0a1b2c3d4e5f", p1="Jürgen", p2="Zoë", sc=101, bo=1, ts=0)
_MAKE_GREY = """async (picture) => {
  const { makeGrey } = await import("/static/tournament/photo.js");
  const grey = await makeGrey(new Blob([Uint8Array.from(atob(picture), (each) => each.charCodeAt(0))]));
  let text = "";
  for (let at = 0; at < grey.length; at += 8192) text += String.fromCharCode(...grey.subarray(at, at + 8192));
  return btoa(text);
}"""


async def test_it_is_planned_by_a_photograph_and_the_wall_shows_its_result(
    running: RunningDaemon, page: Page, browser: Browser, tmp_path: Path
) -> None:
    table = next(iter(running.tables.values()))
    await page.set_viewport_size(ViewportSize(width=360, height=640))
    await page.goto(f"{running.page}tournament")
    await page.get_by_test_id("newton").locator("summary").click()
    await page.get_by_test_id("newton-text").fill(encode(ASSIGNED).replace("Zoë", "Zoe"))
    await page.get_by_test_id("newton-read").click()
    await expect(page.get_by_test_id("newton-said")).to_contain_text("arrived with a mistake")
    await page.get_by_test_id("newton-text").fill(encode(replace(ASSIGNED, mid="FS-1-2")))
    await page.get_by_test_id("newton-read").click()
    await expect(page.get_by_test_id("newton-planned")).to_contain_text("Jürgen – Zoë, 101: planned at")
    await expect(page.get_by_test_id("newton-said")).to_be_empty()
    segno.make(encode(ASSIGNED), error="m", micro=False).save(str(tmp_path / "photo.png"), scale=4)
    async with page.expect_response(re.compile("/api/newton")) as answered:
        await page.get_by_test_id("newton-photo").set_input_files(tmp_path / "photo.png")
    assert (await answered.value).ok
    assert "FS-1-3" in (table.committed.plan.ref or "")
    assert not await page.evaluate("document.documentElement.scrollWidth > innerWidth")

    wall = await (await browser.new_context(viewport=ViewportSize(width=1280, height=720))).new_page()
    await wall.goto(f"{running.page}?view=wall")
    await give(table, {"start": None}, "page")
    for dart in "MISS MISS MISS / S20 S20 S20 / T20 S1 D20".split():
        await give(table, {"next": True} if dart == "/" else {"throw": dart}, "page")
    shown = wall.get_by_test_id("newton-code")
    await expect(shown).to_be_visible()
    before = await wall.get_by_test_id("newton-result").input_value()
    await give(table, {"amend": 6, "throw": "S19"}, "page")
    await expect(wall.get_by_test_id("newton-result")).not_to_have_value(before)
    result = decode(await wall.get_by_test_id("newton-result").input_value())
    assert isinstance(result, NewtonResult)
    assert (check_result(result, ASSIGNED), result.w) == ((), 1)
    assert result.legs == (pack_leg(1, ([0, 101], [59]), 3),)
    room = await shown.locator("svg").bounding_box()
    assert room is not None
    assert room["y"] + room["height"] <= 720
    assert room["width"] > 200, "its points are seen by a phone"

    await page.goto(f"{running.page}history?match={table.state().match}")
    await expect(page.get_by_test_id("newton-code")).to_be_visible()
    seen = base64.b64encode(await page.get_by_test_id("newton-code").locator("svg").screenshot()).decode()
    assert read_qr_code(base64.b64decode(await page.evaluate(_MAKE_GREY, seen))) == encode(result)
    assert not await page.evaluate("document.documentElement.scrollWidth > innerWidth")
    await give(table, {"start": None}, "page")
    await expect(shown).to_be_hidden()
