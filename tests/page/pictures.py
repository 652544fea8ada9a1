"""`make pictures`: what the page looks like, for the README and docs, from matches that are always the same."""

from __future__ import annotations

import asyncio
import base64
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from playwright.async_api import Browser, Page, ViewportSize, async_playwright, expect

from protocol.commands import Throw
from tests.bench.processes import find_port
from tests.daemon.mosquitto import Mosquitto
from tests.page import setup_pictures, take_home_pictures, tournament_pictures
from tests.page.conftest import FLAGS
from tests.page.playing import PATIENCE_MS, Playing, playing
from tests.page.setup_pictures import PHONE, TABLET, TELEVISION
from tests.png import make_png

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
MOST_BYTES = 120_000
COUPLE, THREE, FOUR = ["Ann", "Bo"], ["Ann", "Bo", "Cy"], ["Ann", "Bo", "Cy", "Dee"]
SIX = [*FOUR, "Ed", "Flo"]
LEG = "T20 T20 S20 / T19 S19 S19 / T20 S20 S20 / T20 T20 S5 / T20 T20 S1 / T20 S20 S20 / T20"
"""Of 501: she has 80 left, and the way out is shown."""

_CHOOSE = """async (source) => {
  const picture = await createImageBitmap(await (await fetch(source)).blob());
  const { width, height } = picture;
  const canvas = new OffscreenCanvas(width, height).getContext("2d");
  canvas.drawImage(picture, 0, 0);
  const { data } = canvas.getImageData(0, 0, width, height);
  const STEP = 4; // colours nearer than that are one: what is left of a gradient's noise
  const of = (at) => [...data.subarray(at, at + 3)].map((each) => Math.min(255, STEP * Math.round(each / STEP)));
  const counts = new Map();
  for (let at = 0; at < data.length; at += 4) {
    const key = of(at).join();
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const colours = [...counts].sort((one, other) => other[1] - one[1]).map(([key]) => key.split(",").map(Number));
  const palette = colours.slice(0, 256);
  const far = (one, other) => one.reduce((sum, each, index) => sum + (each - other[index]) ** 2, 0);
  const nearest = new Map(colours.map((colour) => [colour.join(),
    palette.reduce((best, each, index) => (far(each, colour) < far(palette[best], colour) ? index : best), 0)]));
  let pixels = "";
  for (let at = 0; at < data.length; at += 4) pixels += String.fromCharCode(nearest.get(of(at).join()));
  return { width, height, palette: palette.flat(), pixels: btoa(pixels) };
}"""
"""The pixels of a picture in 256 colours: the browser chooses them, for it is quick at counting pixels."""

_GIVE_FACE = """async ([name, ground, hair]) => {
  const draw = (side) => {
    const canvas = new OffscreenCanvas(side, side), pen = canvas.getContext("2d");
    pen.scale(side / 100, side / 100);
    const fill = (colour, path) => { pen.fillStyle = colour; pen.fill(new Path2D(path)); };
    fill(ground, "M0 0H100V100H0Z");
    fill("#223", "M8 100Q10 74 50 72 90 74 92 100Z");
    fill("#e8b58d", "M42 62H58V80Q50 86 42 80Z");
    fill("#e8b58d", "M50 18C70 18 72 38 69 52 66 66 57 72 50 72 43 72 34 66 31 52 28 38 30 18 50 18Z");
    fill(hair, "M28 46C22 16 40 8 54 10 74 10 78 28 72 46 70 34 62 28 50 30 38 28 31 34 28 46Z");
    fill("#223", "M41 44a3 3 0 1 0 .1 0ZM59 44a3 3 0 1 0 .1 0ZM42 58Q50 66 58 58 50 62 42 58Z");
    return canvas.convertToBlob({ type: "image/jpeg", quality: 0.8 });
  };
  for (const [size, side] of [["small", 96], ["large", 480]]) {
    const path = `api/players/picture?name=${name}&size=${size}`;
    await fetch(path, { method: "POST", headers: { "Content-Type": "image/jpeg" }, body: await draw(side) });
  }
}"""
"""Gives a player a drawn picture."""

Scene = Callable[[Playing, Page], Coroutine[None, None, None]]


class Picture(NamedTuple):
    """A file, the game and the size of the screen; `scene` plays up to what is seen. `is_away`: without a board."""

    name: str
    game: str
    size: ViewportSize
    scene: Scene
    look: str = ""
    scale: float = 1
    is_away: bool = False


def _play(plies: int, players: list[str], seed: str = "oche") -> Scene:
    async def scene(match: Playing, page: Page) -> None:
        await match.start(match.state["game"], players, seed)
        await match.go_on(plies)

    return scene


async def _leg(match: Playing, page: Page) -> None:
    await match.start("x01", COUPLE)
    await match.throw(LEG)


async def _duel(match: Playing, page: Page) -> None:
    await match.start("501", COUPLE, format={"legs": 3, "sets": 2})
    await match.throw(
        "T20 T20 T20 / T20 T20 S20 / T20 T20 T20 / T20 S20 S5 / T20 T19 D12 / T20 T20 T20 / T20 T20 S20 /"
    )
    await match.throw("T20 T20 T20 / T19 S19 S3 / T20")


async def _worn(match: Playing, page: Page) -> None:
    """With art, whose style sheet comes after the page."""
    await _duel(match, page)
    await expect(page.locator("html[data-art]")).to_be_attached()


async def _overlay(match: Playing, page: Page) -> None:
    """Over green, which stands for the picture of a stream."""
    network = await page.context.new_cdp_session(page)
    await network.send("Emulation.setDefaultBackgroundColorOverride", {"color": {"r": 0, "g": 177, "b": 64, "a": 1}})
    await _duel(match, page)


async def _four(match: Playing, page: Page) -> None:
    await match.start("x01", FOUR)
    await match.throw(
        "T20 T20 S20 / T19 S19 S19 / S20 S5 T20 / T20 S20 S20 / T20 T20 S5 / T20 S20 S1 / T18 S18 S18 / T20 T20"
    )


async def _walk_on(match: Playing, page: Page) -> None:
    """Both have met before, and have pictures."""
    for each in (["Ann", "#6cc0f5", "#7a3b10"], ["Bo", "#f0a830", "#222"]):
        await page.evaluate(_GIVE_FACE, each)
    for darts in ("T20 S1 D20", "/ T20 S1 D20", "T20 S1 D20", "T20 S1 D20", "/ T20 S1 D20"):
        await match.start("101", COUPLE)
        await match.throw(darts)
    await page.reload()
    await expect(page.get_by_test_id("stage")).to_be_attached()
    await match.start("501", COUPLE)
    await expect(page.get_by_test_id("between")).to_contain_text("last 5")
    await expect(page.get_by_test_id("walker-1")).to_contain_text("this month")
    await expect(page.locator("#stage .face")).to_have_count(2)


async def _hundred_and_eighty(match: Playing, page: Page) -> None:
    await expect(page.get_by_test_id("stage")).to_be_attached()
    await match.start("501", COUPLE)
    await match.throw("T20 T20 S20 / T19 S19 S19 / T20 T20")
    await expect(page.get_by_test_id("dart-1")).to_contain_text("T20")
    await match.throw("T20")
    await expect(page.locator("#stage .number")).to_be_visible()


async def _nine_darter(match: Playing, page: Page) -> None:
    await expect(page.get_by_test_id("stage")).to_be_attached()
    await match.start("501", COUPLE, format={"legs": 2})
    await match.throw("T20 T20 T20 / T19 S19 S19 / T20 T20 T20 / S20 S20 S20 / T20 T19 D12")
    await expect(page.locator("#stage .nth")).to_have_count(9)


async def _correction(match: Playing, page: Page) -> None:
    await _leg(match, page)
    await page.get_by_test_id("dart-0").click()
    await page.locator("#correction-board [data-segment=T7]").first.click()


async def _unread(match: Playing, page: Page) -> None:
    """Cameras have seen where her darts are, and could not read one."""
    await match.start("x01", COUPLE)
    await match.throw(LEG.removesuffix(" T20"))
    await match.sense(
        Throw("T20", point=(85, 1165)),
        Throw("MISS", point=(-205, 1120), unread=True, close=("T5",)),
    )


async def _unread_corrected(match: Playing, page: Page) -> None:
    await _unread(match, page)
    await page.get_by_test_id("dart-1").click()


async def _missed(match: Playing, page: Page) -> None:
    """The board has not seen her second dart."""
    await _leg(match, page)
    await page.get_by_test_id("dart-1").click()


async def _missed_tap(match: Playing, page: Page) -> None:
    await _missed(match, page)
    await page.locator("#correction-board [data-segment=D10]").click()


async def _missed_keys(match: Playing, page: Page) -> None:
    await _missed(match, page)
    await page.get_by_test_id("correction-ring-D").click()
    await page.get_by_test_id("correction-number-10").click()


async def _missed_typed(match: Playing, page: Page) -> None:
    await _missed(match, page)
    await expect(page.locator("#correction")).to_be_visible()
    await page.keyboard.type("d10")


async def _by_hand(match: Playing, page: Page) -> None:
    await match.start("x01", COUPLE)
    await match.throw("T20 T20 S20 / T19 S19 S19 / T20 S20 S20 /")
    await page.locator("#by-hand").click()  # offered after ten seconds
    for key in "60":
        await page.get_by_test_id(f"pad-{key}").click()


async def _killer(match: Playing, page: Page) -> None:
    await match.start("killer", FOUR)
    await match.throw("S20 / S19 / S18 / S17 / D20")


async def _result(match: Playing, page: Page) -> None:
    await match.start("501", COUPLE, format={"legs": 2})
    await match.go_on(1000)
    await expect(page.locator("#summary")).to_be_visible()
    await expect(page.locator("#moment")).to_be_hidden()


async def _badges(match: Playing, page: Page) -> None:
    for _ in range(5):
        await match.start("x01", COUPLE, options={"start": 170})
        await match.throw("T20 T20 DB")
    await match.start("501", COUPLE)
    await match.throw("T20 T20 T20 / T19 T19 T19 / T20 T20 T20 / S20 S20 S5 / T20 T19 D12")
    await page.goto(f"{match.url}history?player=Ann")
    await page.locator("#badges li").first.scroll_into_view_if_needed()
    await page.locator("#badges").evaluate("element => element.scrollIntoView()")


async def _lobby(match: Playing, page: Page) -> None:
    await _leg(match, page)
    await match.say({"stop": True})
    await page.get_by_test_id("other").click()
    await expect(page.locator("#lobby input[type=radio]:checked").first).to_be_visible()


async def _seat(match: Playing, page: Page) -> None:
    await _play(10, THREE)(match, page)
    answer = await page.request.get(f"{match.url}api/table/main/seats")
    await page.goto((await answer.json())[match.state["turn"]["seat"]]["url"])
    await expect(page.locator("[data-testid^=hand-]").first).to_be_visible()


MOMENTS = (_walk_on, _hundred_and_eighty, _nine_darter)

SCENES = (
    Picture("wall", "x01", TABLET, _leg),
    Picture("wall-light", "x01", TELEVISION, _four, "theme=light"),
    Picture("duel", "x01", TELEVISION, _duel),
    Picture("cricket", "cricket", TELEVISION, _play(118, SIX)),
    Picture("killer", "killer", TELEVISION, _killer),
    Picture("result", "x01", TELEVISION, _result),
    Picture("wall-4k", "x01", ViewportSize(width=3840, height=2160), _leg, scale=0.25),
    Picture("halve-it", "burma_road", TELEVISION, _play(86, THREE)),
    Picture("dards", "dards", TELEVISION, _play(28, THREE)),
    Picture("dice", "d20_elimination", TELEVISION, _play(22, FOUR)),
    Picture("yatzy", "yatzy_dart", TELEVISION, _play(48, COUPLE)),
    Picture("territory", "ground_round", TELEVISION, _play(13, THREE)),
    Picture("walk_on", "x01", TELEVISION, _walk_on, "kiosk=1"),
    Picture("180", "x01", TELEVISION, _hundred_and_eighty, "kiosk=1"),
    Picture("nine_darter", "x01", TELEVISION, _nine_darter, "kiosk=1"),
    Picture("remote", "x01", PHONE, _leg),
    Picture("seat", "dards", PHONE, _seat),
    Picture("correction", "x01", PHONE, _correction),
    Picture("unread", "x01", TABLET, _unread, "scenes=off"),
    Picture("unread-phone", "x01", PHONE, _unread_corrected),
    Picture("missed-tap", "x01", TABLET, _missed_tap),
    Picture("missed-keys", "x01", PHONE, _missed_keys),
    Picture("missed-typed", "x01", TABLET, _missed_typed),
    Picture("by-hand", "x01", TABLET, _by_hand, is_away=True),
    Picture("overlay", "x01", ViewportSize(width=1920, height=1080), _overlay, "view=overlay", scale=0.5),
    Picture("art-chalk", "x01", TELEVISION, _worn, "art=chalk"),
    Picture("art-neon", "x01", TELEVISION, _worn, "art=neon"),
    Picture("announcer", "x01", TELEVISION, _duel, "view=announcer"),
    Picture("badges", "x01", TABLET, _badges),
    Picture("lobby", "x01", TELEVISION, _lobby),
    Picture("lobby-phone", "x01", PHONE, _lobby),
)


async def _take(picture: Picture, browser: Browser, port: int, folder: Path) -> bytes:
    async with playing(folder, picture.game, port, is_away=picture.is_away) as match:
        page = await browser.new_page(
            viewport=picture.size, device_scale_factor=picture.scale, reduced_motion="reduce", locale="en"
        )
        await page.goto(f"{match.url}?{picture.look}")
        await expect(page.locator("#board [data-segment]").first).to_be_attached()
        await picture.scene(match, page)
        if picture.scene is not _badges:
            await _settled(match, page, is_moment=picture.scene in MOMENTS)
        taken = await page.screenshot(animations="disabled")
        await page.close()
    return await _keep(picture.name, browser, taken)


async def _keep(name: str, browser: Browser, taken: bytes) -> bytes:
    small = await reduced(browser, taken)
    await asyncio.to_thread((PICTURES / f"{name}.png").write_bytes, small)
    return small


async def _settled(match: Playing, page: Page, *, is_moment: bool) -> None:
    """Until the state is on the page, and what was told in passing is gone."""
    if not is_moment:
        await expect(page.get_by_test_id("moment")).to_be_hidden()
    for index, side in enumerate(match.state["sides"]):
        await expect(page.get_by_test_id(f"score-{index}")).to_have_text(str(side["score"]))
    await expect(page.locator("#toast")).to_be_hidden()


async def take(mosquitto: str, chromium: str, wanted: list[str]) -> None:
    """Takes all pictures, or those that are wanted."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="oche-pictures-")))
        port = await stack.enter_async_context(local_broker(Path(mosquitto), folder))
        playwright = await stack.enter_async_context(async_playwright())
        browser = await playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        for picture in (*SCENES, *setup_pictures.SCENES, *take_home_pictures.SCENES, *tournament_pictures.SCENES):
            if wanted and picture.name not in wanted:
                continue
            if isinstance(picture, Picture):
                small = await _take(picture, browser, port, folder / picture.name)
            elif isinstance(picture, take_home_pictures.TakeHomePicture):
                taken = await take_home_pictures.take(picture, browser, folder / picture.name, port)
                small = await _keep(picture.name, browser, taken)
            elif isinstance(picture, tournament_pictures.TournamentPicture):
                taken = await tournament_pictures.take(picture, browser, folder / picture.name)
                small = await _keep(picture.name, browser, taken)
            else:
                taken = await setup_pictures.take(picture, browser, folder / picture.name)
                small = await _keep(picture.name, browser, taken)
            is_small = len(small) <= MOST_BYTES
            sys.stdout.write(f"{picture.name}.png: {len(small):,} bytes{'' if is_small else ' – too big'}\n")
        await browser.close()


@asynccontextmanager
async def local_broker(mosquitto: Path, folder: Path) -> AsyncIterator[int]:
    """So that no warning of one that lacks is in the picture."""
    async with Mosquitto(mosquitto, folder / "broker", port := find_port()):
        yield port


def main() -> int:
    """Takes those that are named on the command line, or all; gives the exit status."""
    mosquitto, chromium = shutil.which("mosquitto", path="/usr/sbin:/usr/bin"), shutil.which("chromium-headless-shell")
    if mosquitto is None or chromium is None:
        sys.stderr.write("The pictures need the Debian packages mosquitto and chromium-headless-shell.\n")
        return 1
    PICTURES.mkdir(parents=True, exist_ok=True)
    expect.set_options(timeout=PATIENCE_MS)
    asyncio.run(take(mosquitto, chromium, sys.argv[1:]))
    return 0


async def reduced(browser: Browser, picture: bytes) -> bytes:
    """The same as a PNG with a palette: a third of the size."""
    page = await browser.new_page()
    found = await page.evaluate(_CHOOSE, f"data:image/png;base64,{base64.b64encode(picture).decode()}")
    await page.close()
    palette = (b"PLTE", bytes(found["palette"]))
    return make_png(found["width"], found["height"], 3, base64.b64decode(found["pixels"]), palette)


if __name__ == "__main__":
    sys.exit(main())
