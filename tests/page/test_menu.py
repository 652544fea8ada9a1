"""The menu, the keys and the focus, in a real browser."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from daemon.assemble import RunningDaemon
from tests.commanding import give
from tests.page.playing import hold_until, play

PAGE = Path(__file__).parents[2] / "daemon" / "web" / "page"
AWAKE = """
  window.awake = [];
  Object.defineProperty(navigator, "wakeLock", { value: { request: async (what) => {
    window.awake.push(what);
    return { release: () => window.awake.pop() };
  } } });
"""


def test_a_sign_means_the_same_as_a_key_and_on_a_button() -> None:
    found = re.search(r"KEYS = .+?\({(.+?)}\)", (PAGE / "wall/screen.js").read_text(encoding="utf-8"))
    assert found is not None
    keys = dict(re.findall(r'"?([\w?])"?: "(\w+)"', found[1]))
    assert keys["?"] == "menu"
    buttons = re.findall(r'<button id="([\w-]+)"[^>]*>([^<]+)<', (PAGE / "index.html").read_text(encoding="utf-8"))
    assert "rules" in dict(buttons)
    for button, sign in buttons:
        assert keys.get(sign.lower(), button) == button, f"the key {sign} presses another button"


async def test_keys_play_unless_something_is_typed(page: Page, running: RunningDaemon) -> None:
    await page.goto(running.page or "")
    await expect(page.get_by_test_id("player")).to_have_text("Ann")
    dart = page.locator("body:not(.busy)").get_by_test_id("dart-0")  # one command at a time
    await page.keyboard.press("m")
    await expect(dart).to_contain_text("Miss")
    await page.keyboard.press("u")
    await expect(dart).to_have_text("enter")
    await page.keyboard.press("r")
    await expect(dart).to_contain_text("Miss")
    await page.get_by_test_id("dart-0").click()
    await page.keyboard.press("n")  # its parts are on their way
    await page.locator("#correction-id").press_sequentially("n")
    await page.locator("#correction-cancel").click()  # Escape may close the list of suggestions alone
    await page.keyboard.press("?")
    await expect(page.get_by_test_id("no-voice")).to_be_visible()  # this browser has none
    await page.evaluate(
        "speechSynthesis.getVoices = () => [{}]; speechSynthesis.dispatchEvent(new Event('voiceschanged'))"
    )
    await expect(page.get_by_test_id("no-voice")).to_be_hidden()
    await page.get_by_test_id("menu-keys").uncheck()
    await page.get_by_test_id("menu-close").click()
    await page.keyboard.press("u")
    await play(running, "T20")
    await expect(page.get_by_test_id("dart-1")).to_contain_text("T20")
    await expect(page.get_by_test_id("dart-0")).to_contain_text("Miss")


@pytest.mark.long
async def test_the_focus_stays_while_darts_land(page: Page, running: RunningDaemon) -> None:
    await page.goto(running.page or "")
    await play(running, "T20")
    dart = page.get_by_test_id("dart-0")
    await expect(dart).to_contain_text("T20")
    await expect(dart).to_be_enabled()  # it is, once the face is drawn
    await dart.focus()
    await play(running, "T19")
    await expect(page.get_by_test_id("dart-1")).to_contain_text("T19")
    await expect(dart).to_be_focused()
    await play(running, "/")  # there is no first dart any more
    await expect(page.get_by_test_id("player")).to_have_text("Bo")
    assert await page.evaluate("document.activeElement.tagName") == "BUTTON"
    await page.get_by_test_id("menu").focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_test_id("menu-dialog")).to_be_visible()
    await play(running, "T20")
    assert await page.evaluate("document.activeElement.closest('#menu-dialog') !== null")
    await page.keyboard.press("Escape")
    await expect(page.get_by_test_id("menu")).to_be_focused()


async def test_what_ends_the_match_is_asked_twice_and_undo_takes_it_back(page: Page, running: RunningDaemon) -> None:
    await page.goto(running.page or "")
    await play(running, "T20")
    await page.get_by_test_id("menu").click()
    await page.get_by_test_id("menu-leave-1").dblclick()
    await expect(page.get_by_test_id("menu-leave-1")).to_have_text("Bo leaves? Press again")
    assert running.tables["main"].state().phase == "throwing"
    await page.get_by_test_id("menu-leave-1").click()
    await expect(page.get_by_test_id("facts-1")).to_contain_text("out")
    await expect(page.get_by_test_id("menu-dialog")).to_have_count(0)
    await page.get_by_test_id("undo").click()
    await expect(page.get_by_test_id("facts-1")).not_to_contain_text("out")
    await expect(page.get_by_test_id("dart-0")).to_contain_text("T20")
    await page.get_by_test_id("redo").click()
    await expect(page.get_by_test_id("facts-1")).to_contain_text("out")

    await page.get_by_test_id("menu").click()
    await expect(page.get_by_test_id("menu-leave-1")).to_have_count(0)
    await page.get_by_test_id("menu-stop").click()
    await page.get_by_test_id("menu-stop").click()
    await expect(page.get_by_test_id("winner")).to_have_text("No winner")
    await page.get_by_test_id("undo").click()
    await expect(page.get_by_test_id("winner")).to_be_hidden()
    await expect(page.get_by_test_id("dart-0")).to_contain_text("T20")
    await page.get_by_test_id("redo").click()
    await expect(page.get_by_test_id("winner")).to_have_text("No winner")
    await page.get_by_test_id("menu").click()
    await expect(page.get_by_test_id("menu-stop")).to_have_count(0)
    await page.get_by_test_id("menu-start").click()
    await expect(page.get_by_test_id("score-0")).to_have_text("301")
    await expect(page.get_by_test_id("live")).to_contain_text("A match begins.")
    said = await page.get_by_test_id("live").inner_text()
    assert said.count("Match stopped.") == 1, "a redo that brings the stop back is not told as another one"


@pytest.mark.long
async def test_the_menu_is_of_the_match_at_hand(page: Page, running: RunningDaemon) -> None:
    """Another phone begins another match while it is open: none of its players leaves by a button of the one before."""
    table = running.tables["main"]
    await page.goto(running.page or "")
    await expect(page.get_by_test_id("player")).to_have_text("Ann")
    await page.get_by_test_id("menu").click()
    leaves = page.get_by_test_id("menu-leave-1")
    await leaves.click()
    await expect(leaves).to_have_text("Bo leaves? Press again")
    await give(table, {"start": {"game": "x01", "players": ["Cy", "Dee"]}, "order": "bull"}, "page")
    await expect(leaves).to_have_text("Dee leaves")
    assert await page.evaluate("document.activeElement.dataset.testid") == "menu-close"
    await expect(page.get_by_test_id("menu-start")).to_have_text("Start 501")
    await page.route("**/retire", lambda route: route.abort())
    await leaves.click()
    await leaves.click()
    await expect(page.get_by_test_id("menu-dialog")).to_have_count(0)  # else it would cover what is said
    await expect(page.get_by_test_id("toast")).to_be_visible()
    assert [side.out for side in table.state().sides] == [False, False]


@pytest.mark.long
async def test_next_after_an_undo_is_meant(page: Page, running: RunningDaemon) -> None:
    await page.goto(running.page or "")
    calm = page.locator("body:not(.busy)")
    await expect(page.get_by_test_id("player")).to_have_text("Ann")
    await calm.get_by_test_id("next").evaluate("next => { next.click(); }")
    await expect(calm.get_by_test_id("player")).to_have_text("Bo")
    await calm.get_by_test_id("undo").evaluate("undo => { undo.click(); }")
    await expect(calm.get_by_test_id("phase")).to_have_attribute("data-phase", "takeout")
    await calm.get_by_test_id("next").evaluate("next => { next.click(); }")
    await expect(calm.get_by_test_id("player")).to_have_text("Bo")


@pytest.mark.long
async def test_an_address_that_asks_for_what_there_is_not_gets_the_usual(page: Page, running: RunningDaemon) -> None:
    await page.goto(f"{running.page}?theme=pink&view=side&lang=../x")
    await expect(page.get_by_test_id("score-0")).to_have_text("301")
    root = page.locator("html")
    assert [await root.get_attribute(name) for name in ("data-theme", "data-view", "lang")] == ["dark", "wall", "en"]


async def test_a_screen_with_a_short_side_is_a_phone(page: Page, running: RunningDaemon) -> None:
    await page.goto(running.page or "")
    for width, height, view in ((460, 900, "wall"), (459, 900, "remote"), (900, 460, "wall"), (900, 459, "remote")):
        await page.set_viewport_size({"width": width, "height": height})
        await expect(page.locator("html")).to_have_attribute("data-view", view)


@pytest.mark.long
async def test_what_this_device_was_told_stays(page: Page, running: RunningDaemon) -> None:
    await page.goto(f"{running.page}?theme=dark")
    root = page.locator("html")
    await page.get_by_test_id("menu").click()
    await page.get_by_test_id("menu-theme").select_option("light")
    await expect(root).to_have_attribute("data-theme", "light")
    await page.get_by_test_id("menu-view").select_option("remote")
    await expect(root).to_have_attribute("data-view", "remote")
    await page.get_by_test_id("menu-sound").check()
    await page.get_by_test_id("menu-lang").select_option("de")
    await expect(page.get_by_test_id("next")).to_have_text("Nächster")
    assert [await root.get_attribute(f"data-{name}") for name in ("theme", "view")] == ["light", "remote"]
    await expect(root).to_have_attribute("lang", "de")
    await page.get_by_test_id("menu").click()
    await expect(page.get_by_test_id("menu-sound")).to_be_checked()
    await page.get_by_test_id("history").click()
    await expect(page.get_by_test_id("title")).to_have_text("Statistik")


@pytest.mark.long
async def test_a_link_keeps_what_the_address_says(page: Page, running: RunningDaemon) -> None:
    await page.goto(f"{running.page}?table=main&lang=de&theme=light")
    await page.get_by_test_id("menu").click()
    await page.get_by_test_id("history").click()
    await expect(page.get_by_test_id("title")).to_have_text("Statistik")
    await page.get_by_test_id("back").click()
    await expect(page.get_by_test_id("next")).to_have_text("Nächster")
    assert page.url == f"{running.page}?table=main&lang=de&theme=light"


@pytest.mark.long
async def test_the_last_miss_leads_to_the_next_visit(page: Page, running: RunningDaemon) -> None:
    await page.goto(running.page or "")
    await expect(page.get_by_test_id("player")).to_have_text("Ann")
    await page.get_by_test_id("miss").focus()
    for dart in range(3):
        await page.keyboard.press("Enter")
        await expect(page.locator("body:not(.busy)").get_by_test_id(f"dart-{dart}")).to_contain_text("Miss")
    await expect(page.get_by_test_id("next")).to_be_focused()


async def test_what_is_pressed_while_another_is_on_its_way_follows_it(page: Page, running: RunningDaemon) -> None:
    go = asyncio.Event()
    await page.route("**/miss", hold_until(go))  # some milliseconds after this a request may still pass it by
    await page.goto(running.page or "")
    await play(running, "T20 T20")
    await expect(page.get_by_test_id("dart-1")).to_contain_text("T20")
    await page.keyboard.press("m")
    await page.keyboard.press("u")
    await page.keyboard.press("u")
    await page.get_by_test_id("dart-0").click()
    await expect(page.locator("#correction")).to_be_visible()
    await page.keyboard.type("S5")
    await page.keyboard.press("Enter")
    await expect(page.get_by_test_id("dart-2")).to_have_text("enter")
    go.set()
    await expect(page.get_by_test_id("dart-0")).to_contain_text("5")
    await expect(page.get_by_test_id("dart-1")).to_have_text("enter")
    await expect(page.get_by_test_id("toast")).to_be_hidden()


@pytest.mark.long
async def test_what_follows_a_refused_press_is_not_sent(page: Page, running: RunningDaemon) -> None:
    sent = []
    page.on("request", lambda request: sent.append(request.url.rpartition("/")[2]))
    await page.route("**/miss", lambda route: route.abort())
    await page.goto(running.page or "")
    await expect(page.get_by_test_id("player")).to_have_text("Ann")
    await page.evaluate("document.querySelector('#miss').click(), document.querySelector('#next').click()")
    await expect(page.get_by_test_id("toast")).to_contain_text("did not answer")
    await expect(page.locator("body:not(.busy)")).to_be_attached()
    assert "miss" in sent
    assert "next" not in sent


@pytest.mark.long
async def test_next_pressed_again_before_its_answer_is_said_and_sent_once(page: Page, running: RunningDaemon) -> None:
    go = asyncio.Event()
    await page.route("**/next", hold_until(go))
    await page.goto(running.page or "")
    await expect(page.get_by_test_id("player")).to_have_text("Ann")
    await page.keyboard.press("n")
    toast = page.get_by_test_id("toast")
    while await toast.is_hidden():
        await page.keyboard.press("n")
    await expect(toast).to_have_text("Sent. Waiting for the scoreboard to answer.")
    go.set()
    await expect(page.get_by_test_id("player")).to_have_text("Bo")
    await expect(page.locator("body:not(.busy)")).to_be_attached()
    assert running.tables["main"].state().turn.visit == 2


@pytest.mark.long
async def test_a_kiosk_stays_awake_and_can_be_left(page: Page, running: RunningDaemon) -> None:
    await page.add_init_script(AWAKE)
    await page.goto(f"{running.page}?kiosk=1")
    root = page.locator("html")
    await expect(root).to_have_attribute("data-kiosk", "1")
    await page.wait_for_function("awake.length === 1")
    await play(running, "T20")
    dart = page.get_by_test_id("dart-0")
    await expect(dart).to_contain_text("T20")
    box = await dart.bounding_box()
    assert box is not None
    await page.mouse.click(box["x"] + 5, box["y"] + 5)
    await page.keyboard.press("m")
    await play(running, "T19")
    await expect(page.get_by_test_id("dart-1")).to_contain_text("T19")
    await expect(page.locator("#correction")).to_be_hidden()
    await play(running, "T18")
    await expect(page.get_by_test_id("phase")).to_have_text("Pull your darts")  # it has no button to ask for
    await page.keyboard.press("Escape")
    await expect(page.get_by_test_id("phase")).to_have_text("Pull your darts, then Next")
    await expect(root).to_have_attribute("data-kiosk", "")
    await page.wait_for_function("awake.length === 0")
    await page.reload()
    await expect(root).to_have_attribute("data-kiosk", "")


@pytest.mark.long
async def test_bots_in_a_hurry_leave_a_screen_reader_no_queue(page: Page, running: RunningDaemon) -> None:
    """Twenty visits in a blink: what is said of them is short enough to be heard."""
    await page.goto(running.page or "")
    await expect(page.get_by_test_id("score-0")).to_have_text("301")
    await play(running, "S1 S1 S1 / " * 20)
    await expect(page.get_by_test_id("score-1")).to_have_text("271")
    await page.evaluate("new Promise((done) => setTimeout(done, 1000))")
    said = await page.locator("#log").inner_text()
    assert 0 < len(said) < 1000
