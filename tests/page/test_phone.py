"""The phone as people hold it: what the host needs is at hand, darts are corrected, questions answered, a hand seen."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Page, ViewportSize, expect

from engine.games import GAMES, PRESETS, is_shipped
from tests.engine.test_complete import FOR_PAIRS
from tests.page.playing import Playing, hold_until, look_at, playing, reach
from tests.sweep import sweep

PHONES = [ViewportSize(width=w, height=h) for w, h in ((390, 844), (360, 640), (844, 390))]
ALWAYS = ("player", "score", "dart-0", "dart-1", "dart-2", "score-1", "undo", "redo", "miss", "next")
LOST = """names => names.filter(name => {
  const element = [...document.querySelectorAll(`[data-testid="${name}"]`)].find(each => each.checkVisibility());
  if (!element) return true;
  const { left, right, top, bottom } = element.getBoundingClientRect();
  const inside = left >= 0 && top >= 0 && right <= innerWidth + 1 && bottom <= innerHeight + 1;
  const above = document.elementsFromPoint((left + right) / 2, bottom - 2);
  return !inside || !above.includes(element) || (above[0].closest("footer") && !element.closest("footer"));
})"""
"""Those that are not on the screen, or are covered by the buttons."""
UNDER_BUTTONS = """() => {
  const foot = document.querySelector("footer");
  const below = (element) => element.getBoundingClientRect().bottom > foot.getBoundingClientRect().top + 1;
  const held = [...document.querySelectorAll("header *, main *")].filter((each) => {
    scrollBy(0, each.getBoundingClientRect().bottom - innerHeight); // where only its scrolling helps
    each.focus();
    return each === document.activeElement && below(each);
  });
  scrollTo(0, document.documentElement.scrollHeight);
  return [...held, ...[...document.querySelectorAll("main *")].filter((each) => each.checkVisibility() && below(each))]
    .map((each) => each.id || each.dataset.testid || each.tagName);
}"""
"""What the buttons cover while it has the focus, or when one has scrolled to the end."""
WHOLE_PX = """() => {
  const [board, foot] = ["#board", "footer"].map((name) => document.querySelector(name).getBoundingClientRect());
  const isSeen = scrollY === 0 && board.top >= 0 && board.bottom <= foot.top + 1;
  return isSeen ? Math.round(Math.min(board.width, board.height)) : 0;
}"""
"""How large the board is, where it is seen whole without scrolling."""
LEAST_PX, LEAST_LETTER_PX = 180, 12
SMALL = """(least) => [...document.querySelectorAll("main *:not(svg, svg *)")].filter((each) => {
  const isText = [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  return isText && each.checkVisibility() && parseFloat(getComputedStyle(each).fontSize) < least;
}).map((each) => `${each.textContent}: ${getComputedStyle(each).fontSize}`)"""
"""What is written in smaller letters than that."""
IN_A_HURRY = ("x01", "cricket", "golf", "yatzy_dart", "ground_round")
"""What `make test-page` has of all games."""

DARTS = {
    "x01": ("T20 T20 T20 / MISS MISS MISS / T20 T20 T20 / T20 / T20", ()),
    "dards": ("T20", ("dards-target",)),
    "yatzy_dart": ("6i STAR", ()),
    "ground_round": ("1,-1 2,-2", ("board",)),
}


async def hold(browser: Browser, match: Playing, size: ViewportSize = PHONES[0], query: str = "") -> Page:
    """A phone that shows this match."""
    page = await (await browser.new_context(viewport=size, has_touch=True, reduced_motion="reduce")).new_page()
    await page.goto(f"{match.url}?view=remote{query}")
    await expect(page.locator("#board [data-segment]").first).to_be_attached()
    await expect(page.locator("#broker-warning")).to_be_hidden()
    return page


async def shown(page: Page, match: Playing) -> None:
    """Waits until the page shows the state of now."""
    darts = match.state["turn"]["darts"]
    await expect(page.locator(".slot.thrown")).to_have_count(len(darts))
    await expect(page.get_by_test_id("player")).to_have_text(match.state["turn"]["player"])


@pytest.mark.parametrize("game", ["x01", *(pytest.param(n, marks=pytest.mark.long) for n in DARTS if n != "x01")])
async def test_what_the_host_needs_is_at_hand(browser: Browser, match: Playing, game: str) -> None:
    await match.start(game, ["Ann", "Bo"])
    darts, own = DARTS[game]
    await match.throw(darts)
    page = await hold(browser, match)
    for size in PHONES:
        await page.set_viewport_size(size)
        await shown(page, match)
        parts = [*ALWAYS, *own, *(["last-0"] if game == "x01" else [])]
        if game == "yatzy_dart":
            parts = [part for part in parts if not part.startswith("score-")]  # they stand in its sheet
        assert await page.evaluate(LOST, parts) == [], size


async def see_boards(browser: Browser, match: Playing, names: list[str]) -> list[str]:
    """Where the board is not seen whole, or is too small, until the third dart."""
    found = []
    for name in names:
        sides = GAMES[PRESETS[name].game if name in PRESETS else name].sides
        pairs: dict[str, Any] = {"teams": [[0, 2], [1, 3]]} if name in FOR_PAIRS else {}  # Any: JSON
        players = 4 if pairs else 2 if 2 in sides else min(sides)
        await match.start(name, ["Ann", "Bo", "Cy", "Dee"][:players], **pairs)
        page = await hold(browser, match)
        for darts in range(3):
            if match.state["phase"] == "over":
                break
            for size in PHONES[:2]:
                await page.set_viewport_size(size)
                await shown(page, match)
                pixels = await page.evaluate(WHOLE_PX)
                if pixels < LEAST_PX:
                    found.append(f"{name}, {darts} darts, {size['width']} x {size['height']}: {pixels} px")
                found += [f"{name}: {each}" for each in await page.evaluate(SMALL, LEAST_LETTER_PX)]
            await match.go_on(1)
        await page.context.close()
    return found


@pytest.mark.parametrize("game", IN_A_HURRY)
async def test_the_whole_board_is_seen_without_scrolling(browser: Browser, match: Playing, game: str) -> None:
    assert await see_boards(browser, match, [game]) == []


@pytest.mark.long
@pytest.mark.parametrize("game", [name for name in GAMES if is_shipped(name)])
async def test_the_whole_board_of_every_game_is_seen(browser: Browser, match: Playing, game: str) -> None:
    names = [game, *(name for name, preset in PRESETS.items() if preset.game == game)]
    assert await see_boards(browser, match, names) == []


CROWDS = [("bermuda", 4), ("killer", 8), ("halve_it", 6), ("x01", 16), ("cricket", 8), ("yatzy_dart", 6)]


@pytest.mark.parametrize(("game", "players"), sweep(CROWDS, lambda crowd: crowd in CROWDS[:2]))
async def test_a_crowd_leaves_the_board_its_room(browser: Browser, match: Playing, game: str, players: int) -> None:
    names = ["Maximiliane von Hohenfels", "Maximilian Huber", *(f"Player {number}" for number in range(3, players + 1))]
    await match.start(game, names)
    await match.go_on(7)
    page = await hold(browser, match, query="&lang=de")
    for size in PHONES[:2]:
        await page.set_viewport_size(size)
        await shown(page, match)
        assert await page.evaluate(WHOLE_PX) >= LEAST_PX, size
        assert await page.evaluate(SMALL, LEAST_LETTER_PX) == [], size
        assert await page.evaluate("document.documentElement.scrollHeight") == size["height"], "nothing below the board"
        assert await look_at(page, match.state, is_wall=False) == []


@pytest.mark.parametrize("game", ["yatzy_dart"])
async def test_the_rows_of_a_sheet_are_seen_with_the_board(browser: Browser, match: Playing, game: str) -> None:
    await match.start(game, ["Ann", "Bo"])
    await match.throw("6i")
    page = await hold(browser, match)
    for size in PHONES[:2]:
        await page.set_viewport_size(size)
        await shown(page, match)
        assert (
            await page.evaluate(LOST, ["board", "total", *(f"row-{row}" for row in match.state["board"]["rows"])]) == []
        )


@pytest.mark.parametrize(
    ("game", "darts", "told"),
    [
        ("prisoner", "S1", "1 step"),  # its great figure is the target
        ("tic_tac_toe", "S1", "0 numbers"),  # it has none
        ("killer", "S20", "№ 20"),
        ("count_up", "T20 / / T20", "avg"),
    ],
)
async def test_what_is_said_of_the_thrower_stands_with_the_name(
    browser: Browser, match: Playing, game: str, darts: str, told: str
) -> None:
    await match.start(game, ["Ann", "Bo"])
    await match.throw(darts)
    page = await hold(browser, match)
    await shown(page, match)
    await expect(page.get_by_test_id("own-facts")).to_contain_text(told)
    await expect(page.locator(".side.up")).to_be_hidden()
    assert await page.get_by_test_id("own-facts").evaluate("it => it.clientHeight < 30"), "one line"


@pytest.mark.parametrize(
    ("game", "is_asked"),
    [("golf", True), pytest.param("yatzy_dart", True, marks=pytest.mark.long), ("random_cricket", False)],
)
async def test_a_phone_among_three_and_more_shows_what_can_be_answered_without_scrolling(
    browser: Browser, match: Playing, game: str, is_asked: bool
) -> None:
    await match.start(
        game, ["Ann", "Bo", "Cy", "Dee"][: 3 if game == "yatzy_dart" else 4], format={"legs": 3, "sets": 3}
    )
    await match.throw("/ / / O1" if game == "golf" else "6i STAR 3o" if is_asked else "T20 / T19 / T18 / T17 T16")
    assert bool(match.state["prompts"]) == is_asked
    page = await hold(browser, match, query="&lang=de")
    for size in PHONES[:2]:
        await page.set_viewport_size(size)
        await shown(page, match)
        assert await page.locator("header").evaluate("it => it.clientHeight") < 60, "one line"
        options = [f"option-{each}" for prompt in match.state["prompts"] for each in prompt["options"]]
        assert await page.evaluate(LOST, ["menu", "next", *options]) == [], size
        if game != "yatzy_dart":
            assert await page.evaluate(WHOLE_PX) >= LEAST_PX, size


CUT = """() => [...document.querySelectorAll("footer button, header button, .slot")].filter((each) => {
  const { left, right, width, height } = each.getBoundingClientRect();
  const isWhole = left >= 0 && right <= innerWidth && each.scrollWidth <= each.clientWidth;
  const isLarge = width >= 40 && height >= 40 && parseFloat(getComputedStyle(each).fontSize) >= 10;
  return each.checkVisibility() && !(isWhole && isLarge);
}).map((each) => each.dataset.testid)"""
"""The buttons that are cut, or too small to be read or touched."""


@pytest.mark.parametrize("game", ["x01", "cricket", pytest.param("yatzy_dart", marks=pytest.mark.long)])
async def test_a_phone_zoomed_to_twice_its_size_cuts_no_button(browser: Browser, match: Playing, game: str) -> None:
    await match.start(game, ["Ann", "Bo"])
    await match.throw("6i STAR" if game == "yatzy_dart" else "T20 T19")
    page = await hold(browser, match, query="&lang=de")
    for size in (ViewportSize(width=195, height=422), ViewportSize(width=180, height=320)):
        await page.set_viewport_size(size)
        await shown(page, match)
        assert await page.evaluate(CUT) == [], size
        assert await page.evaluate("document.documentElement.scrollWidth") == size["width"]
        assert await page.evaluate(UNDER_BUTTONS) == [], size


async def test_everything_is_said_once(browser: Browser, match: Playing) -> None:
    await match.start("x01", ["Ann", "Bo", "Cy"], format={"legs": 3})
    await match.throw("T20 T20 T20 / / / T20 T20 T20 / T20 / /")
    page = await hold(browser, match)
    for size in PHONES:
        await page.set_viewport_size(size)
        await shown(page, match)
        await expect(page.locator(".slot.advised b")).to_have_text(["T20", "T19", "D12"])
        await expect(page.get_by_test_id("hint")).to_be_hidden()
        await expect(page.get_by_test_id("score")).to_have_text("141")
        await expect(page.get_by_test_id("score-0")).to_be_hidden()
        assert await page.evaluate(LOST, ["score-1", "score-2"]) == [], size
    await page.set_viewport_size(PHONES[0])
    await expect(page.get_by_test_id("own-facts").locator("span").first).to_have_text("legs 0")
    await expect(page.locator(".figures")).to_be_hidden()
    await match.throw("/")
    await expect(page.get_by_test_id("score-0")).to_have_text("141")
    await expect(page.get_by_test_id("score-0")).to_be_visible()
    await expect(page.get_by_test_id("score-1")).to_be_hidden()
    assert await page.locator("footer").evaluate("it => getComputedStyle(it).backgroundColor") == "rgb(11, 15, 22)"


async def test_a_phone_marks_the_leader_also_while_they_throw(browser: Browser, match: Playing) -> None:
    await match.start("x01", ["Ann", "Bo", "Cy"])
    await match.throw("T20 T20 T20 / / /")
    page = await hold(browser, match)
    await expect(page.locator("#player .crown")).to_be_visible()
    await match.throw("/")
    await expect(page.get_by_test_id("player")).to_have_text("Bo")
    await expect(page.locator("#player .crown")).to_have_count(0)


UNTIMED = """
  const later = setTimeout;
  window.timed = [];
  window.setTimeout = (act, ms, ...given) => later(act, 500 < ms && ms <= 5000 ? timed.push(ms) && 1e8 : ms, ...given);
"""
"""What is said does not go by itself; `timed` has after how many milliseconds it would."""


FLASHES = "timed.filter((ms) => ms === 800).length"
"""How many moments end after 0.8 s; the page times other things too."""


async def hold_untimed(browser: Browser, match: Playing) -> Page:
    page = await browser.new_page(viewport=PHONES[0], reduced_motion="reduce")
    await page.add_init_script(UNTIMED)
    await page.goto(f"{match.url}?view=remote")
    await expect(page.locator("#board [data-segment]").first).to_be_attached()
    await shown(page, match)
    return page


async def test_a_moment_leaves_the_name_of_the_next_player(browser: Browser, match: Playing) -> None:
    await match.start("x01", ["Ann", "Bo"])
    page = await hold_untimed(browser, match)
    moment = page.locator("#moment:not([hidden])")
    await match.throw("T20 T20 T20")
    await expect(moment).to_have_text("180")
    assert await page.evaluate(FLASHES) == 1
    await match.throw("/")
    await expect(page.get_by_test_id("player")).to_have_text("Bo")
    await expect(moment).to_have_count(0)
    await match.start("burma_road", ["Ann", "Bo"])
    await match.throw("MISS /")  # ends the visit, which is halved
    await expect(page.get_by_test_id("player")).to_have_text("Bo")
    await expect(moment).to_have_text("Halved")
    assert await page.evaluate(FLASHES) == 2


async def test_what_is_said_is_dropped_when_it_is_not_so(browser: Browser, match: Playing) -> None:
    await match.start("x01", ["Ann", "Bo"])
    page = await hold_untimed(browser, match)
    await page.route("**/next", lambda route: route.abort())
    await page.get_by_test_id("next").click()
    await expect(page.get_by_test_id("toast")).to_have_text("The scoreboard did not answer. Please try again.")
    await match.throw("T20")
    await expect(page.get_by_test_id("toast")).to_be_hidden()


async def test_the_buttons_cover_nothing(browser: Browser, match: Playing) -> None:
    await match.start("x01", ["Ann", "Bo", "Cy", "Dee", "Ed", "Flo"])
    await match.throw("T20 T20 T20 / T20 T20 T20 / T20 T20 T20 / T20")
    page = await hold(browser, match)
    for size in (*PHONES, ViewportSize(width=800, height=480)):
        await page.set_viewport_size(size)
        await shown(page, match)
        assert await page.evaluate(UNDER_BUTTONS) == [], size


@pytest.mark.long
@pytest.mark.parametrize(("game", "darts"), [("yatzy_dart", "6i STAR 3o"), ("ground_round", "1,-1 2,-2 1,1")])
async def test_a_blocking_question_is_seen_without_scrolling(
    browser: Browser, match: Playing, game: str, darts: str
) -> None:
    await match.start(game, ["Ann", "Bo"])
    await match.throw(darts)
    page = await hold(browser, match)
    prompt = next(each for each in match.state["prompts"] if each["blocking"])
    for size in PHONES:
        await page.set_viewport_size(size)
        await shown(page, match)
        parts = ["undo", *(f"option-{option}" for option in prompt["options"])]
        assert await page.evaluate(LOST, parts) == [], size


async def test_a_dart_is_corrected_by_thumb_by_keys_and_on_the_board(browser: Browser, match: Playing) -> None:
    await match.start("x01", ["Ann", "Bo"])
    await match.throw("T20 O5 O1")
    page = await hold(browser, match)
    dialog, score = page.locator("#correction"), page.get_by_test_id("score-0")
    await shown(page, match)

    await page.get_by_test_id("dart-0").click()
    await expect(page.get_by_test_id("correction-ok")).to_be_disabled()
    await page.get_by_test_id("correction-ring-S").click()
    await expect(page.get_by_test_id("correction-ok")).to_have_text("It was single 20 · 20")
    await page.get_by_test_id("correction-number-19").click()
    await expect(page.get_by_test_id("correction-ok")).to_have_text("It was single 19 · 19")
    await page.get_by_test_id("correction-ok").click()
    await expect(score).to_have_text(str(501 - 19 - 6))

    await page.get_by_test_id("dart-1").focus()
    await page.keyboard.press("Enter")
    await page.keyboard.type("t20")
    await expect(page.get_by_test_id("correction-ok")).to_have_text("It was triple 20 · 60")
    await page.keyboard.press("Enter")
    await expect(score).to_have_text(str(501 - 19 - 60 - 1))
    await expect(page.get_by_test_id("dart-1")).to_be_focused()
    await page.keyboard.press("Enter")
    await page.keyboard.type("d1")
    await page.keyboard.press("Escape")
    await expect(dialog).to_be_hidden()
    await expect(page.get_by_test_id("dart-1")).to_be_focused()
    await expect(score).to_have_text(str(501 - 19 - 60 - 1))

    await match.throw("/")
    await page.get_by_test_id("last-2").click()
    ring = await page.locator("#correction-board [data-segment=T6]").bounding_box()
    assert ring is not None
    assert ring["width"] > 18, "as wide as a finger needs it"
    await page.locator("#correction-board [data-segment=T6]").click()
    await page.get_by_test_id("correction-ok").click()
    await expect(score).to_have_text(str(501 - 19 - 60 - 18))

    await match.throw("T5")
    await expect(page.get_by_test_id("score-1")).to_have_text("486")
    await page.get_by_test_id("dart-0").click()
    await page.get_by_test_id("correction-none").click()
    await expect(page.get_by_test_id("score-1")).to_have_text("501")
    await expect(page.locator(".slot.thrown")).to_have_count(0)


async def test_two_phones_do_not_fight(browser: Browser, match: Playing) -> None:
    await match.start("x01", ["Ann", "Bo", "Cy"])
    await match.throw("T20 T20 T20")
    one, two = await hold(browser, match), await hold(browser, match)
    for page in (one, two):
        await shown(page, match)
    for name, player in (("next", "Bo"), ("undo", "Ann")):
        go = asyncio.Event()
        await two.route(f"**/{name}", hold_until(go))
        async with two.expect_request(f"**/{name}"):
            await two.get_by_test_id(name).click()
        await one.get_by_test_id(name).click()
        await expect(one.get_by_test_id("player")).to_have_text(player)
        go.set()
        await expect(two.get_by_test_id("toast")).to_contain_text("Another device was faster")
        assert match.state["turn"]["player"] == player
        await expect(two.get_by_test_id("player")).to_have_text(player)
        await two.unroute(f"**/{name}")

    await one.get_by_test_id("next").dblclick()
    await expect(one.get_by_test_id("player")).to_have_text("Bo")
    await one.get_by_test_id("undo").click()
    await expect(one.get_by_test_id("player")).to_have_text("Ann")


async def by_keyboard(page: Page, name: str) -> None:
    """Tab until the focus is there, then Enter."""
    await reach(page, page.get_by_test_id(name))
    await page.keyboard.press("Enter")


async def answered(match: Playing, line: int) -> dict[str, Any]:  # Any: JSON
    """The state, once a player has answered."""
    for _ in range(6_000):
        if match.state["line"] != line:
            break
        await asyncio.sleep(0.01)
    return match.state


@pytest.mark.long
async def test_questions_of_every_kind_are_answered_by_keyboard(
    tmp_path: Path, browser: Browser, broker_port: int
) -> None:
    async with playing(tmp_path / "cards", "dards", broker_port) as match:
        await match.start("dards", ["Ann", "Bo"], options={"cards": "manual"})
        page = await hold(browser, match)
        line = match.state["line"]
        await by_keyboard(page, "rank-7")
        await by_keyboard(page, "suit-H")
        assert (await answered(match, line))["board"]["card"] == "7H"

        go = asyncio.Event()
        await page.route("**/three_dice.js", hold_until(go))
        await match.start("d20_elimination", ["Ann", "Bo"], options={"dice": "manual"})
        line = match.state["line"]
        await page.get_by_test_id("answer-0").focus()
        await page.keyboard.type("20")
        go.set()
        await expect(page.locator("body")).to_have_attribute("data-face", "three_dice")
        await expect(page.get_by_test_id("answer-0")).to_have_value("20")  # the face came meanwhile
        await expect(page.get_by_test_id("answer-1")).to_be_focused()
        await page.keyboard.type("7")
        await page.keyboard.press("Tab")
        await page.keyboard.type("3")
        await page.keyboard.press("Enter")
        assert tuple((await answered(match, line))["board"]["roll"]) == (20, 7, 3)
    async with playing(tmp_path / "yatzy", "yatzy_dart", broker_port) as match:
        await match.start("yatzy_dart", ["Ann", "Bo"])
        await match.throw("6i STAR 3o")
        page = await hold(browser, match)
        line = match.state["line"]
        await by_keyboard(page, "option-chance")
        assert (await answered(match, line))["sides"][0]["score"] > 0
    async with playing(tmp_path / "map", "ground_round", broker_port) as match:
        await match.start("ground_round", ["Ann", "Bo"])
        await match.throw("1,-1 2,-2 1,1")
        page = await hold(browser, match)
        line = match.state["line"]
        await by_keyboard(page, "option-1,1")
        state = await answered(match, line)
        assert state["board"]["cells"]["1,1"]["pins"]
        for _ in range(2):
            await match.say({"next": True})
        move = next(each for each in match.state["prompts"] if any(">" in option for option in each["options"]))
        assert not move["blocking"]
        await shown(page, match)
        assert await page.evaluate(LOST, ["next", "miss", "undo"]) == []
        start, end = move["options"][0].split(">")
        line = match.state["line"]
        await by_keyboard(page, f"option-{start}")
        await by_keyboard(page, f"option-{move['options'][0]}")
        assert (await answered(match, line))["board"]["cells"][end]["pins"]
