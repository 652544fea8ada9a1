"""What a stream shows: opaque over the picture, large enough, complete at once, and with nobody to ask."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Page, Route, expect

from daemon.assemble import run_daemon
from daemon.config.reader import CheckedConfig, read_config
from daemon.web.token import make_token
from protocol.naming import name_bed
from tests.commanding import give
from tests.daemon.process import PATIENCE_S, configure
from tests.page.playing import Playing, hold_until, playing, setup
from tests.sweep import sweep

JSON = Any  # Any: JSON
SIZES = {"full": (1920, 1080), "strip": (1920, 200)}
OBS = "body { background-color: rgba(0, 0, 0, 0); margin: 0px auto; overflow: hidden; }"
"""What OBS adds to every page."""
GREEN, MAGENTA = {"r": 0, "g": 255, "b": 0, "a": 1}, {"r": 255, "g": 0, "b": 255, "a": 1}
LEAST_PX = 28
GAMES = {"x01": 31, "cricket": 40, "halve_it": 20, "yatzy_dart": 25, "dards": 11, "killer": 20, "tic_tac_toe": 16,
         "d20_elimination": 9, "ground_round": 30, "round_the_clock": 26, "snooker": 15, "prisoner": 15}  # fmt: skip
"""One of each kind of face, and how far into a match there is something on it."""
USUAL = {"x01", "cricket", "yatzy_dart"}
FOR_TWO = {"tic_tac_toe"}
_COMPARE = """async ({ pictures, boxes }) => {
  const [green, magenta] = await Promise.all(pictures.map(async (data) => {
    const picture = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
    const context = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
    context.drawImage(picture, 0, 0);
    return context.getImageData(0, 0, picture.width, picture.height);
  }));
  const { width, height } = green;
  const is = (image, at, colour) => colour.every((value, channel) => image.data[at + channel] === value);
  const found = { mixed: 0, panel: 0, bare: 0, holes: 0, spilled: 0 };
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) {
    const at = 4 * (y * width + x);
    const isPanel = [0, 1, 2].every((channel) => green.data[at + channel] === magenta.data[at + channel]);
    const isBare = is(green, at, [0, 255, 0]) && is(magenta, at, [255, 0, 255]);
    found[isPanel ? "panel" : isBare ? "bare" : "mixed"] += 1;
    const isIn = (slack) => boxes.some(({ bottom, left, right, top }) =>
      x >= left + slack && x < right - slack && y >= top + slack && y < bottom - slack);
    if (isBare && isIn(1)) found.holes += 1;
    if (isPanel && !isIn(-1)) found.spilled += 1;
  }
  return found;
}"""
"""What becomes of the points of two pictures of the same panels, over green and over magenta."""
_BOXES = """() => [...document.querySelectorAll(".column > *, .gamebox")].filter((each) => each.checkVisibility())
  .map((each) => (({ left, right, top, bottom }) => ({ left, right, top, bottom }))(each.getBoundingClientRect()))"""
_SMALL = """(least) => {
  const walker = document.createTreeWalker(document.querySelector("#stream"), NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const { parentElement: parent, textContent: text } = walker.currentNode;
    if (!text.trim() || parent.closest("svg") || !parent.checkVisibility()) continue;
    const size = parseFloat(getComputedStyle(parent).fontSize);
    if (size < least - .1) found.push(`${text}: ${size}`);
  }
  return found;
}"""
_OVER_EACH_OTHER = """() => {
  const boxes = [...document.querySelectorAll(".column > *, .gamebox")].filter((each) => each.checkVisibility())
    .map((each) => each.getBoundingClientRect());
  const isOut = ({ bottom, left, right, top }) =>
    left < -.5 || top < -.5 || right > innerWidth + .5 || bottom > innerHeight + .5;
  const isBefore = (one, other) => one.right < other.left + .5 || one.bottom < other.top + .5;
  const isOver = (one, other) => !isBefore(one, other) && !isBefore(other, one);
  return boxes.some(isOut) || boxes.some((one, at) => boxes.slice(at + 1).some((other) => isOver(one, other)))
    || document.documentElement.scrollWidth > innerWidth || document.documentElement.scrollHeight > innerHeight;
}"""
_RECORD = """globalThis.drawn = [];
const look = () => {
  const text = document.querySelector("#stream:not([hidden])")?.innerText;
  if (text && drawn.at(-1) !== text) drawn.push(text);
  requestAnimationFrame(look);
};
look();"""
"""Collects what is seen, picture by picture."""


async def open_overlay(browser: Browser, url: str, query: str = "", size: tuple[int, int] = (1920, 1080)) -> Page:
    """An overlay as a source of OBS has it; it is there when its sides are."""
    width, height = size
    page = await browser.new_page(viewport={"width": width, "height": height}, bypass_csp=True)
    await page.goto(f"{url}?view=overlay&lang=en{query}")
    await page.add_style_tag(content=OBS)
    await expect(page.locator("#stream .entry").first).to_be_attached()
    return page


async def start(match: Playing, game: str) -> None:
    """A match of as many as have room in it."""
    await match.start(game, ["Ann", "Bo"] if game in FOR_TWO else ["Ann", "Bo", "Cy"])


async def photograph(page: Page, colour: dict[str, int]) -> str:
    """The page over a picture of this colour."""
    network = await page.context.new_cdp_session(page)
    await network.send("Emulation.setDefaultBackgroundColorOverride", {"color": colour})
    return base64.b64encode(await page.screenshot()).decode()


async def compare(browser: Browser, page: Page) -> dict[str, int]:
    """Counts the points of the overlay: what is panel, what is bare, and what is wrong."""
    pictures = [await photograph(page, colour) for colour in (GREEN, MAGENTA)]
    boxes = await page.evaluate(_BOXES)
    blank = await browser.new_page()
    found: dict[str, int] = await blank.evaluate(_COMPARE, {"pictures": pictures, "boxes": boxes})
    await blank.close()
    return found


@pytest.mark.parametrize("shape", SIZES)
@pytest.mark.parametrize("game", sweep(GAMES, lambda game: game in USUAL))
async def test_no_point_of_a_panel_mixes_with_the_picture(
    browser: Browser, match: Playing, game: str, shape: str
) -> None:
    """Half transparent ones are grey on bright video; and letters are read in it."""
    await start(match, game)
    await match.go_on(GAMES[game])
    while match.state["phase"] == "throwing" and not match.state["turn"]["darts"]:
        await match.go_on(1)  # there is a sum
    page = await open_overlay(browser, match.url, f"&shape={shape}", SIZES[shape])
    await expect(page.locator("body")).to_have_attribute("data-link", "live")
    thrown = 0 if match.state["phase"] == "over" else len(match.state["turn"]["darts"])
    await expect(page.locator(".thrown-darts .thrown:visible")).to_have_count(thrown)
    found = await compare(browser, page)
    assert (found["mixed"], found["holes"], found["spilled"]) == (0, 0, 0), found
    assert found["panel"] > 20_000
    assert found["bare"] > (20_000 if shape == "full" else 0)
    assert await page.evaluate(_SMALL, LEAST_PX) == []
    assert not await page.evaluate(_OVER_EACH_OTHER)


@pytest.mark.parametrize("query", ["&size=150", "&size=60&side=right", "&shape=strip&side=right&parts=title,scores"])
async def test_its_size_and_side_are_in_the_address(browser: Browser, match: Playing, query: str) -> None:
    """At another size of the source, too: the picture is the same, smaller."""
    await match.start("501", ["Ann", "Bo"], format={"legs": 3, "sets": 2})
    await match.throw("T20 T20 T20 / T19 S5")
    page = await open_overlay(browser, match.url, query, (1280, 720))
    boxes = await page.evaluate(_BOXES)
    assert not await page.evaluate(_OVER_EACH_OTHER)
    assert (await compare(browser, page))["mixed"] == 0
    width = max(box["right"] for box in boxes) - min(box["left"] for box in boxes)
    if "strip" in query:
        assert (width, max(box["bottom"] for box in boxes)) == (1280, pytest.approx(1280 * 200 / 1920, abs=1))
        await expect(page.get_by_test_id("visit")).to_have_count(0)
    else:
        size = 1.5 if "150" in query else 0.6
        assert width == pytest.approx(34 * 1280 / 96 * size, abs=1)
        assert (min(box["left"] for box in boxes) > 640) == ("right" in query)


async def test_many_sides_have_room(browser: Browser, match: Playing) -> None:
    await match.start("501", [f"Player {number}" for number in range(1, 17)])
    for shape, size in SIZES.items():
        page = await open_overlay(browser, match.url, f"&shape={shape}", size)
        await expect(page.locator(".entry")).to_have_count(16)
        assert await page.evaluate(_SMALL, LEAST_PX) == []
        assert not await page.evaluate(_OVER_EACH_OTHER)


async def test_it_comes_complete(browser: Browser, match: Playing) -> None:
    """Programs load it anew at each change of scenes: what it shows first is all, with the names before a dart."""
    await match.start("501", ["Ann", "Bo"])
    page = await browser.new_page(viewport={"width": 1920, "height": 1080})
    await page.add_init_script(_RECORD)
    is_told = asyncio.Event()
    await page.route("**/layout", hold_until(is_told))
    async with page.expect_request("**/layout"):  # by then the page has the state
        await page.goto(f"{match.url}?view=overlay&lang=en")
    assert await page.evaluate("drawn") == []
    is_told.set()
    await expect(page.get_by_test_id("score-1")).to_have_text("501")
    assert await page.get_by_test_id("name-0").inner_text() == "Ann"
    await expect(page.get_by_test_id("told-0")).to_be_empty()  # no figure is decided
    await match.throw("T20 T20 T20 / S5")
    await expect(page.get_by_test_id("score-1")).to_have_text("496")
    await expect(page.get_by_test_id("told-0")).to_contain_text("darts 3")
    await page.reload()
    await expect(page.get_by_test_id("score-1")).to_have_text("496")
    drawn = await page.evaluate("drawn")
    assert len(drawn) == 1
    assert "321" in drawn[0]


async def test_a_moment_is_shown_and_nothing_is_heard(browser: Browser, match: Playing) -> None:
    """Although this browser plays tones on the scoreboard."""
    await match.start("501", ["Ann", "Bo"])
    page = await browser.new_page(viewport={"width": 1920, "height": 1080})
    await page.add_init_script("""localStorage["oche.sound"] = localStorage["oche.speech"] = "1";
      globalThis.made = 0;
      AudioContext = class extends AudioContext { constructor() { super(); made += 1; } };
      const wait = setTimeout;
      setTimeout = (then, ms, ...rest) => (ms > 2000 && ms < 5000 ? 0 : wait(then, ms, ...rest)); // it stays""")
    await page.goto(f"{match.url}?view=overlay&lang=en")
    await expect(page.get_by_test_id("score-0")).to_have_text("501")
    await page.mouse.click(100, 100)
    await match.throw("T20 T20 T20")
    await expect(page.locator("#moment")).to_have_text("180")
    assert await page.evaluate("made") == 0
    assert (await compare(browser, page))["mixed"] == 0
    assert await page.evaluate("getComputedStyle(document.documentElement).cursor") == "none"


async def test_of_a_team_it_shows_who_throws(browser: Browser, match: Playing) -> None:
    await match.start("501", ["Ann", "Bo", "Cy", "Dee"], teams=[[0, 1], [2, 3]], team_names=["Lions", "Foxes"])
    page = await open_overlay(browser, match.url)
    await expect(page.get_by_test_id("name-0")).to_have_text("Lions")
    await expect(page.get_by_test_id("told-0")).to_contain_text("Ann")
    await match.throw("T20 T20 T20 / S5 S5 S5 /")
    await expect(page.get_by_test_id("told-0")).to_contain_text("Bo")


async def test_the_winner_is_shown_once_there_is_one(browser: Browser, match: Playing) -> None:
    await match.start("101", ["Ann", "Bo"])
    page = await open_overlay(browser, match.url)
    await expect(page.get_by_test_id("ended")).to_be_hidden()
    await match.throw("T20 S1 D20")
    await expect(page.get_by_test_id("ended")).to_have_text("Winner: Ann")
    await match.say({"undo": True})
    await expect(page.get_by_test_id("ended")).to_be_hidden()


async def test_what_is_wrong_with_the_address_is_said(browser: Browser, match: Playing) -> None:
    page = await browser.new_page()
    await page.goto(f"{match.url}?view=overlay&lang=en&parts=score&side=top")
    await expect(page.locator("#note")).to_have_text(
        "There is no part “score”. Put some of these into the address: "
        "title, scores, visit, aim, game, moments, board. "
        "side=top is not possible. Put one of these into the address: left, right."
    )
    await page.goto(f"{match.url}?view=overlay&lang=en&table=oak")
    await expect(page.locator("#note")).to_have_text(
        "There is no table “oak”. Put one of these into the address: main."
    )
    await page.goto(f"{match.url}?view=overlay&lang=en")
    await expect(page.get_by_test_id("score-0")).to_be_visible()
    await expect(page.locator("#note")).to_be_hidden()


async def test_it_asks_nobody_for_a_token(
    tmp_path: Path, browser: Browser, unused_tcp_port_factory: Callable[[], int]
) -> None:
    """And it comes back after a restart: nobody presses anything."""
    token = make_token(tmp_path)
    prepared = setup(tmp_path, unused_tcp_port_factory(), unused_tcp_port_factory(), "0.0.0.0")
    page = await browser.new_page()
    async with run_daemon(prepared) as running:
        address = f"{running.page}?view=overlay&lang=en"
        await page.goto(address)
        await expect(page.locator("#note")).to_have_text(
            "This address needs a token: copy the link that Join shows on the scoreboard."
        )
        await expect(page.locator("dialog")).to_have_count(0)
        wall = await (await browser.new_context()).new_page()
        await wall.goto(f"{running.page}?lang=en#token={token}")
        await wall.get_by_test_id("join").click()
        link = await wall.get_by_test_id("stream-overlay").get_attribute("href") or ""
        assert "#token=look-" in link
        await page.goto("about:blank")
        await page.goto(link)
        await expect(page.get_by_test_id("score-0")).to_have_text("301")
        await expect(page.locator("#note")).to_be_hidden()
    await expect(page.locator("body")).to_have_attribute("data-link", "lost")
    async with run_daemon(prepared) as running:
        await give(running.tables["main"], {"throw": "T20"}, "page")
        await expect(page.get_by_test_id("score-0")).to_have_text("241")
        await expect(page.locator("body")).to_have_attribute("data-link", "live")


@pytest.mark.parametrize("view", ["overlay", "announcer", "tables"])
async def test_it_loads_itself_anew_after_an_update(page: Page, match: Playing, view: str) -> None:
    versions = iter(range(99))

    async def answer(route: Route) -> None:
        body = f'event: page\ndata: {{"version": "{next(versions)}"}}\n\n'
        await route.fulfill(body=body, content_type="text/event-stream")

    await page.route("**/events", answer)
    await page.goto(f"{match.url}?view={view}")
    await page.wait_for_event("load")  # the second one
    await page.unroute("**/events")
    await expect(page.locator("#stream")).to_contain_text("501")


async def test_the_announcer_has_everything(page: Page, match: Playing) -> None:
    await match.start("301", ["Ann", "Bo"], format={"legs": 2})
    await page.goto(f"{match.url}?view=announcer&lang=en")
    await match.throw("T20 T20 T20 / S5 S1 MISS /")
    await expect(page.get_by_test_id("player")).to_have_text("Ann")
    await expect(page.get_by_test_id("left")).to_have_text("3 darts to throw")
    await expect(page.get_by_test_id("next")).to_have_text("Next: Bo")
    await expect(page.get_by_test_id("last")).to_have_text("Previous · Bo: 5 1 Miss = 6")
    await expect(page.get_by_test_id("about")).to_have_text("Leg 1 · Round 2")
    routes = match.state["routes"]
    way = "".join(name_bed(bed) for bed in routes[0]["darts"])
    await expect(page.get_by_test_id("aim").locator("p")).to_have_count(len(routes))
    await expect(page.get_by_test_id("aim").locator("p").first).to_have_text(
        f"Checkout{way}{round(routes[0]['chance'])} %"
    )
    await match.throw("S1")
    await expect(page.get_by_test_id("left")).to_have_text("2 darts to throw")
    await expect(page.get_by_test_id("aim")).to_have_text("TargetT2020leaves 40")
    card = page.get_by_test_id("side-0")
    await expect(card.get_by_test_id("score-0")).to_have_text("120")
    for told in ("legs 0", "avg 135.8", "darts 4"):
        await expect(card.get_by_test_id("told-0")).to_contain_text(told)
    await expect(card.locator("tbody tr")).to_have_text(["180121"])
    assert await page.locator("button, input, select").count() == 0
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("game", sweep(GAMES, lambda game: game in {"cricket", "yatzy_dart"}))
async def test_the_announcer_has_every_game(page: Page, match: Playing, game: str) -> None:
    await start(match, game)
    await page.goto(f"{match.url}?view=announcer&lang=en")
    for _ in range(GAMES[game]):
        await match.go_on(1)
    name = match.state["turn"]["player"] if match.state["phase"] != "over" else "Winner"
    await expect(page.get_by_test_id("player")).to_contain_text(name)
    await expect(page.locator("article")).to_have_count(2 if game in FOR_TWO else 3)
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")


async def test_all_tables_are_live_on_one_page(tmp_path: Path, unused_tcp_port: int, page: Page) -> None:
    """More than a browser has connections for: all come in one stream."""
    names = ["main", *(f"board-{number}" for number in range(2, 9))]
    more = "\n".join(f'[[table]]\nname = "{name}"\nboard = "none"\nplayers = ["Cy", "Di"]' for name in names[1:])
    async with run_daemon(read_config(configure(tmp_path, unused_tcp_port, more, board="none"))) as running:
        await page.goto(f"{running.page}?view=tables&lang=en")
        await expect(page.locator("article")).to_have_count(len(names))
        for name in names:
            await expect(page.get_by_test_id(f"{name}-1")).to_contain_text("501")
        await page.set_viewport_size({"width": 1920, "height": 1080})
        assert await page.evaluate("document.documentElement.scrollHeight <= innerHeight"), "they stand side by side"
        await give(running.tables["board-8"], {"throw": "T20"}, "page")
        card = page.get_by_test_id("table-board-8")
        await expect(card.get_by_test_id("board-8-0")).to_contain_text("441")
        await expect(card).to_contain_text("501 · Round 1")
        await expect(card).to_contain_text("Cy to throw")
        await give(running.tables["board-8"], {"start": {"game": "cricket", "players": ["Cy", "Di"]}}, "page")
        await expect(card).to_contain_text("Cricket")
        await expect(page.get_by_test_id("main-0")).to_contain_text("501")


async def test_a_table_that_is_added_is_shown_after_a_restart(
    tmp_path: Path, unused_tcp_port_factory: Callable[[], int], page: Page
) -> None:
    port, broker = unused_tcp_port_factory(), unused_tcp_port_factory()

    def write(*names: str) -> CheckedConfig:
        more = "\n".join(f'[[table]]\nname = "{name}"\nboard = "none"' for name in names)
        file = configure(tmp_path, broker, more, board="none")
        file.write_text(file.read_text().replace("port = 0\n", f"port = {port}\n"))
        return read_config(file)

    async with run_daemon(write("old")) as running:
        await page.goto(f"{running.page}?view=tables&lang=en")
        await expect(page.get_by_test_id("old-0")).to_contain_text("501")
    async with run_daemon(write("new", "other")):
        await expect(page.get_by_test_id("other-0")).to_contain_text("501", timeout=PATIENCE_S * 1000)
        await expect(page.get_by_test_id("table-old")).to_have_count(0)


async def test_what_is_shown_elsewhere_is_not_heavier(tmp_path: Path, browser: Browser, broker_port: int) -> None:
    """The scoreboard asks for nothing of these views."""
    page = await browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    async with playing(tmp_path, "x01", broker_port) as match:
        await page.goto(match.url)
        await expect(page.locator("#board [data-segment]").first).to_be_attached()
        assert not [url for url in asked if "stream" in url]
