"""The stage of a wall: a scene for each great moment, over nothing that is pressed, gone with the next dart."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Page, ViewportSize, expect

from daemon.admin.players.book import PlayerBook
from tests.page.firefox import start_firefox
from tests.page.playing import Playing, hold_until
from tests.png import make_png

HELD = """
  const later = setTimeout;  // a scene does not go by itself here, and the stage is there at once
  const wait = (ms) => ms === 2000 ? 0 : ms >= 1200 && ms <= 12000 ? 1e8 : ms;
  window.setTimeout = (act, ms, ...given) => later(act, wait(ms), ...given);
"""
TIMED = """
  const later = setTimeout;
  window.timed = [];
  window.setTimeout = (act, ms, ...given) => (timed.push(ms), later(act, ms === 2000 ? 0 : ms, ...given));
"""
"""The stage is there at once; `timed` has after how many milliseconds something goes by itself."""
EIGHT = [*"ABCDEFGH"]
WIDE = {"Ann": "W" * 24, "Bo": "M" * 24, "Cy": "Q" * 24, **{each: each * 24 for each in EIGHT}}
NAMES: dict[str, dict[str, str]] = {"short": {}, "wide": WIDE}
"""What people are called in place of these names."""
LEGS = {"legs": 3}
MAXIMUM, MISSED = "T20 T20 T20", "Match dart missed"
ANN_NEXT, BO_NEXT = "Ann to throw legs 2", "Bo to throw legs 1"
DUEL = (
    ("", "walk_on", "Ann Bo", "Ann to throw 501"),
    ("T20 T20 T20", "180", "180", "Bo to throw 501"),
    ("/ T19 T19 T19", "three_in_a_bed", "T19 T19 T19", "Ann to throw 321"),
    ("/ T20 T20 T20 / / T20 T19 D12", "nine_darter", "9", "Bo to throw legs 0"),
    (
        f"/ {MAXIMUM} / / {MAXIMUM} / {MAXIMUM} / / {MAXIMUM} / MISS / T20 T19 D12",
        "comeback",
        "Comeback, Ann!",
        ANN_NEXT,
    ),
    (f"/ MISS / {MAXIMUM} / MISS / {MAXIMUM} / MISS / T20 T20 S1 / MISS / D10", "leg_won", "Leg to Bo", BO_NEXT),
    (f"/ / {MAXIMUM} / / {MAXIMUM} / / T20 S1 D20 / / MISS MISS MISS", "match_dart_missed", MISSED, "Bo to throw 501"),
    ("/ / D20", "match_won", "Ann wins!", ""),
)
"""What is thrown, the scene that comes of it, its great text, and who throws next."""
ONES: tuple[tuple[str, list[str], dict[str, Any], str, str, str, str], ...] = (  # Any: JSON
    ("501", ["Ann", "Bo"], {}, "T20 T20 T20 / / T20 T20 S20 / / S11 / / T20 T20 DB", "big_fish", "170", ""),
    ("cricket", ["Ann", "Bo", "Cy"], {}, "T20 T19 T18", "white_horse", "White Horse", "Bo to throw 0"),
    ("cricket", EIGHT, {}, "DB DB DB", "award", "Three in the Black", "B to throw 0"),
    ("shanghai", ["Ann", "Bo"], {}, "S1 D1 T1", "shanghai", "Shanghai", ""),
)
MADE_UP = (
    ({"badge": "first_leg", "tier": 1}, "first_leg", "First leg"),
    ({"badge": "maximums", "tier": 3}, "badge", "180s"),
)
SIZES = {"tablet": (800, 480), "1080p": (1920, 1080), "4k": (3840, 2160), "upright": (1080, 1920)}
LOOKS = {
    "dark": "",
    "light": "&theme=light",
    "kiosk": "&kiosk=1",
    "short": "&kiosk=1&scenes=short",
    "chalk": "&kiosk=1&art=chalk",
}
WRONG = """(() => {
  const box = (element) => element.getBoundingClientRect(), stage = document.querySelector("#stage");
  const isIn = (one, other) =>
    one.left >= other.left - 1 && one.right <= other.right + 1
    && one.top >= other.top - 1 && one.bottom <= other.bottom + 1;
  const meets = (one, other) =>
    one.left < other.right - 1 && one.right > other.left + 1
    && one.top < other.bottom - 1 && one.bottom > other.top + 1;
  const plate = stage.querySelector(".plate"), number = plate.querySelector(".number"), found = [];
  const screen = new DOMRect(0, 0, innerWidth, innerHeight);
  for (const each of [plate, ...plate.querySelectorAll(".number, .face, .crown, .next-thrower, .month, .between")]) {
    if (!isIn(box(each), screen)) found.push(`${each.getAttribute("class")} is off the screen`);
    if (!isIn(box(each), box(plate))) found.push(`${each.getAttribute("class")} is off the plate`);
  }
  const isTouched = document.documentElement.dataset.kiosk !== "1";
  for (const each of isTouched ? document.querySelectorAll("button:enabled") : []) {
    const isCovered = each.checkVisibility() && meets(box(plate), box(each));
    if (isCovered) found.push(`${each.id || each.dataset.testid} is covered`);
  }
  const next = plate.querySelector(".next-thrower");
  stage.style.pointerEvents = "auto"; // so that it is known what is above what
  for (const part of next?.children ?? []) {
    if (part.scrollWidth > part.clientWidth + 1) found.push(`${part.textContent} has no room`);
    const { left, top, width, height } = box(part);
    const above = document.elementFromPoint(left + width / 2, top + height / 2);
    if (!next.contains(above)) found.push(`${above?.className} is over who throws next`);
  }
  stage.style.pointerEvents = "";
  if (next && meets(box(next), box(number))) found.push("the great text meets who throws next");
  if (box(plate).width > 4 * box(plate).height) found.push("the plate is a strip");
  const { fontSize, scale } = getComputedStyle(number), taller = parseFloat(scale.split(" ").at(-1)) || 1;
  if (parseFloat(fontSize) * taller < Math.min(innerHeight, innerWidth) / 40) found.push("the great text is small");
  const name = (each) => each.className.split(" ")[0] || each.textContent;
  const parts = [...plate.querySelectorAll(":scope > .face, .number span, .walker > *, .hero-name > *, .next-thrower")]
    .filter((each) => each.textContent || each.childElementCount);
  for (const [at, each] of parts.entries()) {
    for (const other of parts.slice(at + 1)) {
      if (meets(box(each), box(other))) found.push(`${name(other)} is over ${name(each)}`);
    }
    const isCut = each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).display !== "inline";
    const isLong = /(.)\\1{19}/.test(each.parentElement.textContent); // names of people that are called so are cut
    const least = isLong ? 4 * parseFloat(getComputedStyle(each).fontSize) : Infinity;
    if (isCut && each.clientWidth < least) found.push(`${name(each)} is cut`);
    if (!isIn(box(each), box(each.parentElement))) found.push(`${name(each)} is hidden`);
  }
  if (document.documentElement.scrollWidth > innerWidth) found.push("the page is too wide");
  return found;
})()"""
"""What is not as it should be on the scene that is shown, as sentences."""
BEDS = """[...document.querySelectorAll("#stage .flight")].map((each) => {
  const layer = each.parentElement, { left, top } = document.querySelector("main").getBoundingClientRect();
  const [x, y] = [left + layer.offsetLeft + each.offsetLeft, top + layer.offsetTop + each.offsetTop]; // its point
  return document.elementsFromPoint(x, y).map((found) => found.dataset?.segment).find(Boolean);
})"""
"""The beds that the flights stick in."""
AT_FIRST = """() => {
  const stage = document.querySelector("#stage");
  const watch = new MutationObserver(() => {
    if (!stage.querySelector('[data-scene="180"]')) return;
    window.at_first = stage.querySelectorAll(".flight").length;
    watch.disconnect();
  });
  watch.observe(stage, { childList: true });
}"""
"""From then on `at_first` says with how many flights a scene comes."""
WATCH = """() => {
  window.taken = [];
  new MutationObserver((changes) => taken.push(...changes.flatMap(({ removedNodes }) => [...removedNodes]).map(String)))
    .observe(document.querySelector("#stage"), { childList: true, subtree: true });
}"""
"""Has `taken` tell what is taken off the stage, if only to be put there again: where things move, it moves anew."""
DRAWN = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
TEXTS = """(() => {
  const parts = (each) => each.children.length ? [...each.children] : [each];
  const find = (selector) => [...document.querySelectorAll(`#stage ${selector}`)];
  const read = (selector) => find(selector).flatMap(parts).map((each) => each.textContent).join(" ");
  return [read(".number"), read(".next-thrower")];
})()"""
SHOW = """async (facts) => {
  const { showMoment } = await import("./joined/index/wall/moments.js");
  for (const fact of facts) showMoment(fact);
}"""
"""Facts that no dart here provokes, as if they were told; no others come in between."""


async def open_wall(browser: Browser, url: str, look: str = "", size: tuple[int, int] = (1280, 720)) -> Page:
    """A wall with its stage, on which scenes stay until something ends them, without movement."""
    viewport = ViewportSize(width=size[0], height=size[1])
    page = await browser.new_page(viewport=viewport, reduced_motion="reduce")
    await page.add_init_script(HELD)
    await page.goto(f"{url}?lang=en{look}")
    await expect(page.locator("#board [data-segment]").first).to_be_attached()
    await expect(page.locator("#stage")).to_be_attached()
    if "art=" in look:
        await expect(page.locator("html[data-art]")).to_be_attached()
    return page


async def check(page: Page, scene: str, number: str, following: str) -> None:
    """Asserts that this scene is shown, as it should be."""
    await expect(page.locator(f"#stage [data-scene='{scene}']")).to_be_visible()
    assert await page.evaluate(TEXTS) == [number, following], scene
    assert await page.evaluate(f"{DRAWN}.then(() => {WRONG})") == [], scene
    assert await page.evaluate("document.getAnimations().length") == 0
    assert await page.locator("#moment:not([hidden])").count() == 0


def _cases() -> list[Any]:  # Any: as pytest has them
    usual = {
        ("tablet", "dark", "short"),
        ("tablet", "light", "wide"),
        ("1080p", "kiosk", "short"),
        ("upright", "light", "short"),
    }
    return [
        pytest.param(size, look, names, marks=() if (size, look, names) in usual else pytest.mark.long)
        for size in SIZES
        for look in LOOKS
        for names in NAMES
    ]


@pytest.mark.parametrize(("size", "look", "names"), _cases())
async def test_each_great_moment_has_a_scene_that_hides_nothing(
    browser: Browser, match: Playing, size: str, look: str, names: str
) -> None:
    def rename(text: str) -> str:
        return re.sub(r"\w+", lambda word: NAMES[names].get(word[0], word[0]), text)

    page = await open_wall(browser, match.url, LOOKS[look], SIZES[size])
    await match.start("501", [*map(rename, ("Ann", "Bo"))], format=LEGS)
    for darts, scene, number, following in DUEL:
        await match.throw(darts)
        if scene != "walk_on" or look != "short":
            await check(page, scene, rename(number), rename(following))
    for game, players, header, darts, scene, number, following in ONES:
        await match.start(game, [*map(rename, players)], **header)
        await match.throw(darts)
        await check(page, scene, rename(number), rename(following))
    for line, (fact, scene, number) in enumerate(MADE_UP):
        about = {
            "event_type": "badge",
            "match": "made up",
            "line": line + 1,
            "player": rename("Ann"),
            "side": 0,
            **fact,
        }
        await page.evaluate(SHOW, [{"event_type": "undone", "line": 1}, about])  # which ends the one before
        await check(page, scene, number, "")


async def test_darts_stick_in_the_beds_that_were_hit(browser: Browser, match: Playing) -> None:
    page = await open_wall(browser, match.url)
    await match.start("501", ["Ann", "Bo"])
    await match.throw("T20 T20 T20")
    await expect(page.locator("#stage .flight")).to_have_count(3)
    assert await page.evaluate(BEDS) == ["T20"] * 3


async def test_darts_fly_in_once_the_rest_of_a_scene_is_drawn(browser: Browser, match: Playing) -> None:
    """Both in one frame would take a small machine too long."""
    page = await open_wall(browser, match.url)
    await match.start("501", ["Ann", "Bo"])
    await page.evaluate(AT_FIRST)
    await match.throw("T20 T20 T20")
    await expect(page.locator("#stage .flight")).to_have_count(3)
    assert await page.evaluate("window.at_first") == 0


async def test_darts_stay_in_their_beds_as_a_face_comes_in(browser: Browser, match: Playing, tmp_path: Path) -> None:
    """The board then moves to a corner of its place, which stays as large as it is; nothing slams or flies in again."""
    book = PlayerBook(tmp_path)
    book.set_picture("Di", make_png(8, 8, 2, bytes(192)))
    book.set_face("Di", make_png(480, 480, 2, bytes(3 * 480 * 480)))
    page = await open_wall(browser, match.url, size=SIZES["1080p"])
    await page.route("**/api/players", hold_until(go := asyncio.Event()))
    await match.start("501", ["Di", "Bo"])
    await match.throw("T20 T20 T20")
    await expect(page.locator("#stage .flight")).to_have_count(3)
    await expect(page.get_by_test_id("thrower")).to_have_count(0)
    await page.evaluate(WATCH)
    go.set()
    await expect(page.get_by_test_id("thrower")).to_be_visible()
    assert await page.evaluate(BEDS) == ["T20"] * 3
    assert await page.evaluate("taken") == []


async def test_a_scene_ends_with_the_next_dart_an_undo_or_a_correction(browser: Browser, match: Playing) -> None:
    page = await open_wall(browser, match.url)
    stage = page.locator("#stage .scene")
    await match.start("501", ["Ann", "Bo"])
    await expect(stage).to_have_attribute("data-scene", "walk_on")
    await match.throw("S1")
    await expect(stage).to_have_count(0)
    for ended in ({"undo": True}, {"amend": 4, "throw": "T19"}, {"next": True}, None):
        await match.start("501", ["Ann", "Bo"])
        await match.throw("T20 T20 T20")
        await expect(stage).to_have_attribute("data-scene", "180")
        if ended is None:
            await page.get_by_test_id("next").click()  # nothing is in the way of a finger
        else:
            await match.say(ended)
        await expect(stage).to_have_count(0)


async def test_a_corrected_or_redone_dart_shows_the_winner_alone(browser: Browser, match: Playing) -> None:
    page = await open_wall(browser, match.url)
    await page.evaluate("""() => {
      window.scenes = [];
      new MutationObserver((changes) => {
        scenes.push(...changes.flatMap(({ addedNodes }) => [...addedNodes]).map(({ dataset }) => dataset.scene));
      }).observe(document.querySelector("#stage"), { childList: true });
    }""")
    scene = page.locator("#stage .scene")
    await match.start("501", ["Ann", "Bo"])
    await expect(scene).to_have_attribute("data-scene", "walk_on")
    await match.throw("T20 T20 S20")
    await match.say({"amend": 4, "throw": "T20"})
    await match.throw("/ T20 T20 T20")
    await expect(scene).to_have_attribute("data-scene", "180")
    third = page.get_by_test_id("dart-2")
    await match.say({"undo": True})
    await expect(third).not_to_contain_text("T20")
    await match.say({"redo": True})
    await expect(third).to_contain_text("T20")
    await page.evaluate(SHOW, [{"event_type": "stray", "segment": "S1", "line": 0}])  # what came before is shown by now
    await match.start("101", ["Ann", "Bo"])
    await expect(scene).to_have_attribute("data-scene", "walk_on")
    await match.throw("T20 S1 S20")
    await match.say({"amend": 4, "throw": "D20"})
    await expect(scene).to_have_attribute("data-scene", "match_won")
    assert await page.evaluate("scenes") == ["walk_on", "180", "walk_on", "match_won"]


async def test_scenes_can_be_short_or_off_and_are_for_walls_alone(browser: Browser, match: Playing) -> None:
    short, off, phone = [
        await browser.new_page(viewport={"width": 390, "height": 844} if at == 2 else None) for at in range(3)
    ]
    await short.add_init_script(TIMED)
    await short.goto(f"{match.url}?lang=en&scenes=short")
    await off.add_init_script(HELD)
    await off.goto(f"{match.url}?lang=en&scenes=off")
    await phone.add_init_script(HELD)
    await phone.goto(f"{match.url}?lang=en")
    for page in (short, off):
        await expect(page.locator("#stage")).to_be_attached()
    await match.start("501", ["Ann", "Bo"])
    await match.throw("T20 T20 T20")
    await expect(off.locator("#moment:not([hidden])")).to_have_text("180")
    await expect(phone.get_by_test_id("own-facts")).to_be_visible()
    await short.wait_for_function("timed.includes(1200)")
    await expect(short.locator("#stage .scene")).to_have_count(0)  # by itself
    assert await off.locator("#stage .scene").count() == 0
    assert await phone.locator("#stage").count() == 0
    await off.get_by_test_id("menu").click()
    await off.get_by_test_id("menu-scenes").select_option("full")
    assert await off.evaluate("localStorage['oche.scenes']") == "full"


async def test_the_walk_on_tells_what_was_between_two(browser: Browser, match: Playing) -> None:
    for darts in ("T20 S1 D20", "/ T20 S1 D20", "T20 S1 D20"):
        await match.start("101", ["Kim", "Lee"])
        await match.throw(darts)
    page = await open_wall(browser, match.url)
    await match.start("501", ["Kim", "Lee"])
    await expect(page.get_by_test_id("between")).to_have_text("Kim leads 2 : 1last 3KLK")
    await expect(page.get_by_test_id("walker-0")).to_contain_text("Average this month")
    await expect(page.locator("#stage .next-thrower")).to_have_text("Kim to throw 501")
    assert await page.evaluate(WRONG) == []
    await match.start("501", ["Kim"])
    await expect(page.locator("#stage .scene")).to_have_count(0)  # alone nobody walks on
    await match.start("501", ["Kim", "Lee"])
    await expect(page.locator("#stage .scene")).to_be_visible()
    await page.reload()
    await expect(page.locator("#stage")).to_be_attached()
    assert await page.locator("#stage .scene").count() == 0  # it has begun long ago


async def test_the_month_of_the_walk_on_is_that_of_the_wall(browser: Browser, match: Playing) -> None:
    page = await (await browser.new_context(timezone_id="America/New_York")).new_page()
    await page.clock.set_fixed_time("2026-12-01T02:00:00Z")  # there it is the last evening of November
    await page.goto(f"{match.url}?lang=en")
    await expect(page.locator("#stage")).to_be_attached()
    async with page.expect_request(lambda asked: "/api/stats?" in asked.url) as found:
        await match.start("501", ["Kim", "Lee"])
    assert (await found.value).url.endswith("?since=2026-11-01")


@pytest.mark.long
async def test_a_wall_keeps_nothing_of_two_thousand_darts(browser: Browser, match: Playing) -> None:
    """Its nodes and listeners, as Chromium counts them once what can be let go is."""
    page = await browser.new_page()
    await page.goto(match.url)
    await expect(page.locator("#stage")).to_be_attached()
    network = await page.context.new_cdp_session(page)

    async def count() -> tuple[int, int]:
        await match.start("1501", ["Ann", "Bo"])
        await match.throw("T20 T20 T20")
        await expect(page.locator("#stage [data-scene='180']")).to_be_visible()
        await match.throw("/")
        await expect(page.locator("#stage .scene")).to_have_count(0)
        await network.send("HeapProfiler.collectGarbage")
        found = await network.send("Memory.getDOMCounters")
        return found["nodes"], found["jsEventListeners"]

    await count()
    nodes, listeners = await count()
    visit = [{"throw": "T20"}] * 3
    for client in map(str, range(84)):
        await match.start("1501", ["Ann", "Bo"])
        for _ in range(4):
            await match.say(*visit, client=client)
            await asyncio.sleep(0.05)  # the facts of one input are taken together: each is shown
            await match.say({"next": True}, *visit, {"next": True}, client=client)
    after = await count()
    assert after[0] < nodes * 1.1, "nodes"
    assert after[1] < listeners * 1.1 + 20, "listeners"


@pytest.mark.long
async def test_the_scenes_of_a_leg_in_firefox(tmp_path: Path, firefox_path: Path, match: Playing) -> None:
    async with start_firefox(firefox_path, tmp_path / "firefox") as firefox:
        await firefox.send("script.addPreloadScript", functionDeclaration=f"() => {{ {HELD} }}")
        for look in ("", "&theme=light&kiosk=1"):
            for size in ((800, 480), (1920, 1080)):
                await firefox.resize(*size)
                await firefox.goto(f"{match.url}?lang=en{look}")
                await firefox.until("Boolean(document.querySelector('#stage'))")
                await match.start("501", ["Ann", "Bo"], format=LEGS)
                for darts, scene, number, following in DUEL:
                    await match.throw(darts)
                    await firefox.until("document.querySelector('#stage .scene')?.dataset.scene", scene)
                    assert await firefox.run(TEXTS) == [number, following]
                    await firefox.until(
                        "document.getAnimations().filter((each) => each.playState === 'running').length", 0
                    )
                    assert await firefox.run(WRONG) == []
        assert not await firefox.problems()
