"""The result as a headline: who has won and with what, readable from the oche; how it went; the last visit again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.async_api import Page, ViewportSize, expect

from daemon.admin.players.book import PlayerBook
from daemon.admin.requests import ChangePlayer
from tests.page.cap_heights import measure_letters
from tests.page.playing import Playing
from tests.page.test_after import SPILLED
from tests.sweep import sweep

LEAST_PX = 50
"""16 minutes of arc on 24 inches at 3 m: see cap_heights."""
LEAST_LOW_PX = 44
"""On a low wall, which hangs nearer than a television does."""
TURNED = "S20 S20 S1 / T20 S1 MISS / S20 MISS MISS / D20"
"""Of 101: Bo leads, then they are level at 40, and he finishes with his fourth dart."""
RECORD = """() => {
  const seen = [];
  const note = () => {
    const counting = document.querySelector("#summary .counting");
    const now = `${document.querySelectorAll("#board .mark-number").length} ${counting?.textContent}`;
    if (counting?.textContent && seen.at(-1) !== now) document.body.dataset.seen = `${seen.push(now) && seen}`;
  };
  new MutationObserver(note).observe(document.body, { characterData: true, childList: true, subtree: true });
}"""
"""Keeps what is seen while the last visit comes again: how many darts are on the board, and the number beside it."""
WALLS = [(1920, 1080), (800, 480), (3840, 2160), (1024, 768)]
PHONES = [(390, 844), (360, 640)]
OVER_EACH_OTHER = """() => {
  const parts = ["#result-kind", "#winner", ".faces .face", ".won-by", ".last-visit", ".great", ".course", ".more"];
  const boxes = parts.map((part) => [part, document.querySelector(`#result ${part}`).getBoundingClientRect()]);
  const meets = (one, other) => one.left < other.right - 2 && one.right > other.left + 2
    && one.top < other.bottom - 2 && one.bottom > other.top + 2;
  return boxes.flatMap(([part, box], place) => boxes.slice(place + 1)
    .filter(([, other]) => meets(box, other)).map(([other]) => `${part} and ${other}`));
}"""
"""Which parts of the headline are over each other."""


async def start(match: Playing, names: list[str] | None = None) -> None:
    await match.start("x01", names or ["Ann", "Bo"], options={"start": 101})


@pytest.mark.parametrize(("width", "height"), sweep(WALLS, lambda size: size[0] != 3840))
async def test_a_wall_shows_who_has_won_with_what_and_how(page: Page, match: Playing, width: int, height: int) -> None:
    await page.set_viewport_size(ViewportSize(width=width, height=height))
    await start(match)
    await match.throw(TURNED)
    await page.goto(f"{match.url}?view=wall&lang=en")
    await expect(page.get_by_test_id("winner-face").locator(".avatar")).to_have_text("B")
    await expect(page.get_by_test_id("won-by").locator("span")).to_have_text(["40 out", "4 darts"])
    await expect(page.get_by_test_id("last-visit")).to_have_text("Bo: D20 = 40")
    await expect(page.locator("#board .hits path")).to_have_count(1)
    figures = page.get_by_role("table", name="Side by side")
    await expect(figures.get_by_role("row", name="Average")).to_have_text("Average30.5075.75")
    await expect(page.get_by_test_id("turning")).to_have_text("Turning point: Round 2")
    await expect(page.get_by_test_id("best-visits").locator("li")).to_have_text(["61 Bo", "41 Ann", "40 Bo"])
    await expect(page.get_by_test_id("match-darts-missed").locator("li")).to_have_text(["2 Ann", "1 Bo"])
    assert await page.evaluate(SPILLED) == []
    if width * 9 == height * 16:
        for part in (".great td:not(:empty)", ".great tbody th", ".won-by span"):
            assert await measure_letters(page, f"#summary {part}") >= LEAST_PX, part


@pytest.mark.parametrize(("width", "height"), [(800, 480), (1920, 1080), (1080, 1920)])
async def test_long_names_and_upright_walls_have_room(
    page: Page, match: Playing, tmp_path: Path, width: int, height: int
) -> None:
    PlayerBook(tmp_path).change(ChangePlayer(name="Ann", colour=5))
    await page.set_viewport_size(ViewportSize(width=width, height=height))
    await page.goto(f"{match.url}?view=wall&lang=en&scenes=off")
    turned = f"MISS MISS MISS / {TURNED.split(' / ', maxsplit=1)[0]} / / D20 D10"
    for darts, side, name in (
        ("T20 S1 D20", 0, "Maximilian Oberhuber"),
        (turned, 1, "Maximilian Oberhuber"),
        (turned, 1, "W" * 24),
    ):
        await start(match, ["Ann", name])
        await match.throw(darts)
        await expect(page.get_by_test_id("best-visits")).to_be_visible()
        await expect(page.locator("#winner")).to_have_text(name if side else "Ann")
        assert await page.evaluate(SPILLED) == []
        assert await page.evaluate(OVER_EACH_OTHER) == []
        assert await page.get_by_test_id("again").evaluate("(button) => button.scrollWidth - button.clientWidth") == 0
        await expect(page.get_by_test_id("winner-face").locator(".face")).to_have_class(re.compile(rf"\bside-{side}\b"))


async def test_its_letters_are_as_large_in_every_language(page: Page, match: Playing) -> None:
    await page.set_viewport_size(ViewportSize(width=1920, height=1080))
    await start(match)
    await match.throw(TURNED)
    for language in ("de", "nl", "fr", "es"):
        await page.goto(f"{match.url}?view=wall&lang={language}&scenes=off")
        await expect(page.get_by_test_id("best-visits")).to_be_visible()
        assert await page.evaluate(SPILLED) == [], language
        for part in (".great td:not(:empty)", ".great tbody th", ".won-by span"):
            assert await measure_letters(page, f"#summary {part}") >= LEAST_PX, (language, part)


MANY = ["Maximilian Oberhuber", "Bo", "Anna-Katharina Weidenfeller", "Dee", "Elisabeth", "Flo", "Gus", "Hal"]
VISITS = ["T20 S1 MISS", "T20", "S20 S20", "S5 S1", "T19", "S19 S2 S3", "S1", "MISS S7"]
"""Of 101: what each of them throws before the first finishes."""
ORDER = ["Maximilian Oberhuber", "Bo", "Elisabeth", "Anna-Katharina Weidenfeller", "Flo", "Hal", "Dee", "Gus"]


@pytest.mark.parametrize("language", sweep(["en", "de", "nl", "fr", "es"], lambda language: language == "de"))
@pytest.mark.parametrize(("width", "height"), sweep([*WALLS, (1280, 720), (1080, 1920)], lambda size: size[0] < 1920))
async def test_a_wall_lists_many_sides_so_that_they_are_read_from_the_oche(
    page: Page, match: Playing, width: int, height: int, language: str
) -> None:
    await page.set_viewport_size(ViewportSize(width=width, height=height))
    await page.goto(f"{match.url}?view=wall&lang={language}&scenes=off")
    for sides in (3, 4, 6, 8):
        await match.start("x01", MANY[:sides], options={"start": 101})
        await match.throw(" / ".join([*VISITS[:sides], "D20"]))
        await expect(page.get_by_test_id("winner-face").locator(".avatar")).to_have_text("M")
        lines = page.locator("#summary .standings tbody tr")
        await expect(lines.locator("th")).to_have_text([name for name in ORDER if name in MANY[:sides]])
        for place in range(sides):
            await expect(lines.nth(place)).to_be_in_viewport(ratio=0.99)
        await expect(lines.first).to_have_text(re.compile(r"^Maximilian Oberhuber075[.,]75$"))
        await expect(page.get_by_test_id("sides")).to_be_hidden()
        assert await page.evaluate(SPILLED) == []
        assert await page.evaluate(OVER_EACH_OTHER) == []
        face = await page.locator("#summary .faces .face").bounding_box()
        assert face is not None
        assert face["width"] >= 0.15 * min(width, height)
        if (width, height) != (1024, 768):  # where letters follow the width
            for part in (".standings td:not(:empty)", ".standings tbody tr:nth-child(2) .head-name"):
                least = LEAST_PX if height > 640 else LEAST_LOW_PX
                assert round(await measure_letters(page, f"#summary {part}")) >= least, part


async def test_sides_stand_in_the_order_in_which_they_came_in(page: Page, match: Playing) -> None:
    """By what makes one win: few points, many, or legs; where the scores do not say it, as they threw."""
    await page.goto(f"{match.url}?view=wall&lang=en&scenes=off")
    names = page.locator("#summary .standings .head-name")
    await match.start("count_up", ["Ann", "Bo", "Cy"], options={"rounds": 1})
    await match.throw("S1 S1 S1 / T20 T20 T20 / S2 S2 S2")
    await expect(names).to_have_text(["Bo", "Cy", "Ann"])
    await match.start("x01", ["Ann", "Bo", "Cy"], options={"start": 101}, format={"legs": 2})
    await match.throw("T20 S1 D20 / T20 S1 D20 / MISS MISS MISS / MISS MISS MISS / T20 S1 D20")
    await expect(names).to_have_text(["Bo", "Ann", "Cy"])
    heads = page.get_by_role("table", name="Side by side").get_by_role("columnheader")
    await expect(heads).to_have_text(["Legs", "Average"])
    await start(match, ["Ann", "Bo", "Cy"])
    await match.throw("T20")
    await match.say({"stop": True})
    await expect(page.locator("#summary:not(.great)").get_by_test_id("whole-match")).to_be_visible()
    await expect(names).to_have_count(0)


@pytest.mark.parametrize(("width", "height"), PHONES)
async def test_a_phone_scrolls_through_the_same(page: Page, match: Playing, width: int, height: int) -> None:
    await page.set_viewport_size(ViewportSize(width=width, height=height))
    await start(match)
    await match.throw(TURNED)
    await page.goto(f"{match.url}?lang=en")
    await expect(page.get_by_test_id("won-by")).to_have_text("40 out · 4 darts")
    for part in ("winner-face", "curve", "best-visits", "match-darts-missed", "last-visit-again", "whole-match"):
        await page.get_by_test_id(part).scroll_into_view_if_needed()
        await expect(page.get_by_test_id(part)).to_be_in_viewport()
    assert await page.evaluate("document.documentElement.scrollWidth") <= width


async def test_games_that_are_not_checked_out_tell_their_scores(page: Page, match: Playing) -> None:
    await match.start("count_up", ["Ann", "Bo"], options={"rounds": 1})
    await match.throw("S20 S20 S20 / T20 T20 T20")
    await page.goto(f"{match.url}?lang=en")
    await expect(page.get_by_test_id("won-by")).to_have_text("180 : 60")
    await match.start("count_up", ["Ann", "Bo"], options={"rounds": 1})
    await match.throw("S20 S20 S20 / S20 S20 S20")
    await expect(page.locator("#winner")).to_contain_text("Ann")
    await expect(page.get_by_test_id("winner-face").locator(".avatar")).to_have_text(["A", "B"])
    await start(match)
    await match.throw("T20")
    await match.say({"stop": True})
    await expect(page.get_by_test_id("whole-match")).to_be_visible()
    await expect(page.get_by_test_id("won-by")).to_have_count(0)
    await expect(page.get_by_test_id("last-visit-again")).to_have_count(0)


async def test_the_last_visit_comes_again_by_itself_and_ends_with_an_undo(page: Page, match: Playing) -> None:
    await page.clock.install()
    await start(match)
    await match.throw("T20 S1 MISS / MISS MISS MISS / S20 D10")
    await page.goto(f"{match.url}?view=wall&lang=en")
    marks, counting = page.locator("#board .mark-number"), page.get_by_test_id("counting")
    await expect(page.get_by_test_id("last-visit-again")).to_be_visible()
    await expect(marks).to_have_text(["1", "2"])
    await page.evaluate(RECORD)
    await page.clock.fast_forward(9_000)
    await expect(page.locator("body")).to_have_attribute("data-seen", re.compile(",2 0$"))
    await expect(counting).to_have_count(0)
    seen = (await page.locator("body").get_attribute("data-seen") or "").split(",")
    assert seen[0] == "0 40"
    assert seen.index("1 20") < seen.index("2 20")
    assert len(seen) > 10, "it does not count"

    await page.get_by_test_id("last-visit-again").click()
    await expect(counting).to_be_visible()
    await match.say({"undo": True})
    await expect(counting).to_have_count(0)
    await expect(marks).to_have_text(["1"])
    await page.clock.fast_forward(9_000)
    await expect(page.locator("#hero")).to_be_visible()
    await expect(marks).to_have_text(["1"])


async def test_where_motion_is_unwelcome_the_last_visit_comes_only_when_asked(page: Page, match: Playing) -> None:
    await page.emulate_media(reduced_motion="reduce")
    await page.clock.install()
    await start(match)
    await match.throw("T20 S1 D20")
    await page.goto(f"{match.url}?view=wall&lang=en")
    again = page.get_by_test_id("last-visit-again")
    await expect(again).to_be_visible()
    await page.evaluate(RECORD)
    await page.clock.fast_forward(30_000)
    await again.click()
    await expect(page.locator("body")).to_have_attribute("data-seen", "0 101,1 41,2 40,3 0")
    await again.click()
    await expect(page.get_by_test_id("counting")).to_be_visible()
    await start(match)
    await expect(page.locator("#result")).to_be_hidden()
    await page.clock.fast_forward(5_000)
    await expect(page.locator("#board .mark-number")).to_have_count(0)
