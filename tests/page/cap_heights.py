"""How high the letters of a duel and of a slate are: `python -m tests.page.cap_heights` prints it as tables.

Of a screen of 24 inches (16:9) that is looked at from 3 m, 50 px of 1080 are 16 minutes of arc. A screen that hangs
upright is as wide as another one is high, so the shorter side is what 1080 px are.
"""

from __future__ import annotations

import asyncio
import math
import shutil
import sys
import tempfile
from pathlib import Path

from playwright.async_api import Page, async_playwright, expect

from tests.page.conftest import FLAGS
from tests.page.pictures import local_broker
from tests.page.playing import Playing, playing

SIZES = {"1080p": (1920, 1080), "4K": (3840, 2160), "1080p at 200 %": (960, 540)}
DARTS = "T20 T20 T20 / T20 T20 T20 / T20 T20 T20 / MISS MISS MISS / T20"
"""Of 501: she has 81 left, and her way out is T19, D12."""
_PARTS = {
    "score of the thrower": ["#score", ".side.up .points"],
    "score of the other": [".side:not(.up) .points"],
    "name of the thrower": ["#player", ".side.up .name b"],
    "darts of this visit": [".slot.thrown b"],
    "way out": [".slot.advised b", "#hint .item"],
    "task, where there is no way out": ["#task"],
    "legs and sets": [".facts span:nth-child(-n + 2)"],
}
"""What is measured: the first of these that is to be seen."""
_MEASURE = """(selectors) => {
  const context = new OffscreenCanvas(1, 1).getContext("2d");
  const measure = (element) => {
    const { fontFamily, fontSize, fontWeight } = getComputedStyle(element);
    context.font = `${fontWeight} ${fontSize} ${fontFamily}`;
    return context.measureText("H").actualBoundingBoxAscent;
  };
  const seen = (selector) => [...document.querySelectorAll(selector)].filter((each) => each.checkVisibility());
  const found = selectors.map(seen).find((each) => each.length) ?? [];
  return found.length ? Math.min(...found.map(measure)) * 1080 / Math.min(innerWidth, innerHeight) : 0;
}"""
_MEASURE_MARKS = """() => {
  const drawn = (mark) => {
    const lines = [...mark.children].map((line) => line.getBoundingClientRect());
    const isWhole = lines.length > 2; // the circle is around the cross
    const width = parseFloat(getComputedStyle(mark).strokeWidth) * mark.getBoundingClientRect().height / 24;
    return Math.max(...lines.map(({ height }) => height)) + (isWhole ? width : width * Math.SQRT1_2);
  };
  const marks = [...document.querySelectorAll(".slate .strokes")];
  return Math.min(...marks.map(drawn)) * 1080 / Math.min(innerWidth, innerHeight);
}"""
_SLATE = {"numbers of the rows": ".slate [data-testid^=row-]", "names": ".slate th[title]", "points": ".slate .points"}
PLAYERS = ["Maximiliane von Hohenfel", "Bo", "Cy", "Dee", "Elisabeth", "Flo", "Gus", "Hal"]
_INCHES = (24, 43, 55)
_READ_ARC_MINUTES = 16
_ARC_MINUTES_PER_PX = math.degrees(24 * 25.4 * 9 / math.hypot(16, 9) / 1080 / 3000) * 60


async def measure(match: Playing, page: Page) -> dict[str, float]:
    """Cap heights in px of 1080: the smallest of each part of a duel; 0 of what is not there."""
    await match.start("501", ["Di", "Bo"], format={"legs": 2, "sets": 2})
    # Not the match before, which looks alike; and the game's own face, which the page loads after the first state.
    await expect(page.locator("body.duel .side.up .name b")).to_have_text("Di")
    found = {"task, where there is no way out": await page.evaluate(_MEASURE, ["#task"])}
    await match.throw(DARTS)
    await expect(page.get_by_test_id("score-0")).to_have_text("81")
    await expect(page.get_by_test_id("score-1")).to_have_text("321")
    return {name: found.get(name) or await page.evaluate(_MEASURE, parts) for name, parts in _PARTS.items()}


async def measure_letters(page: Page, selector: str) -> float:
    """The cap height of what is to be seen of this, in px of 1080; 0 of nothing."""
    height: float = await page.evaluate(_MEASURE, [selector])
    return height


async def measure_sheet(match: Playing, page: Page) -> float:
    """The cap height of what is written on a sheet of two sides, in px of 1080."""
    await match.start("baseball", ["Ann", "Bo"])
    await match.throw("S1 S1 S1 /")
    await expect(page.get_by_test_id("cell-0-0")).to_have_text("3")
    height: float = await page.evaluate(_MEASURE, [".lines td.now"])
    return height


async def measure_slate(match: Playing, page: Page, name: str, players: int, size: tuple[int, int]) -> dict[str, float]:
    """Heights on the slate of a game with marks, in px of 1080: of its letters in capitals, and of its lowest mark."""
    await page.set_viewport_size({"width": size[0], "height": size[1]})
    await match.start(name, PLAYERS[:players])
    await match.throw(" / ".join(["T20 D19 S18" if name != "tactics" else "S20 S19 S18"] * players + ["S17"]))
    await expect(page.get_by_test_id("cell-0-3").locator("path")).to_have_count(1)
    found = {part: await page.evaluate(_MEASURE, [selector]) for part, selector in _SLATE.items()}
    return found | {"marks": await page.evaluate(_MEASURE_MARKS)}


def _reach(height: float, inches: int) -> str:
    """From how far this is 16 minutes of arc high on such a screen."""
    return f"{height * inches / 24 * _ARC_MINUTES_PER_PX / _READ_ARC_MINUTES * 3:.1f} m"


async def _print_table(mosquitto: Path, chromium: str) -> None:
    with tempfile.TemporaryDirectory(prefix="oche-heights-") as name:
        async with (
            local_broker(mosquitto, Path(name)) as port,
            playing(Path(name), "x01", port) as match,
            async_playwright() as playwright,
        ):
            browser = await playwright.chromium.launch(executable_path=chromium, args=FLAGS)
            page = await browser.new_page(viewport={"width": 1920, "height": 1080}, locale="en")
            await page.goto(match.url)
            heights = await measure(match, page)
            slates = {
                (name, players): await measure_slate(match, page, game, players, SIZES["1080p"])
                for game, name in (("cricket", "Cricket"), ("tactics", "Tactics"))
                for players in (2, 4, 6, 8)
            }
            await browser.close()
    sys.stdout.write("| A duel at 1080p | Cap height | From 3 m on 24 inches |\n| --- | ---: | ---: |\n")
    for part, height in heights.items():
        sys.stdout.write(f"| {part} | {height:.0f} px | {height * _ARC_MINUTES_PER_PX:.0f} minutes of arc |\n")
    heads = "".join(f" {inches} inches |" for inches in _INCHES)
    sys.stdout.write(
        f"\n| A slate at 1080p | Letters |{heads} Marks |\n| --- | ---: |{' ---: |' * len(_INCHES)} ---: |\n"
    )
    for (name, players), found in slates.items():
        height = min(found[part] for part in _SLATE)
        reaches = "".join(f" {_reach(height, inches)} |" for inches in _INCHES)
        sys.stdout.write(f"| {name} of {players} | {height:.0f} px |{reaches} {found['marks']:.0f} px |\n")


def main() -> int:
    """Prints the table; gives the exit status."""
    mosquitto, chromium = shutil.which("mosquitto", path="/usr/sbin:/usr/bin"), shutil.which("chromium-headless-shell")
    if mosquitto is None or chromium is None:
        sys.stderr.write("The heights need the Debian packages mosquitto and chromium-headless-shell.\n")
        return 1
    asyncio.run(_print_table(Path(mosquitto), chromium))
    return 0


if __name__ == "__main__":
    sys.exit(main())
