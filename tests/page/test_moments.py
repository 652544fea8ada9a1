"""The great moments in a real browser: shown, sounded and said once, whatever is corrected afterwards."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from playwright.async_api import Browser, Page, expect

from daemon.assemble import RunningDaemon, run_daemon
from protocol.codebook import expand
from protocol.layouts import with_dartboard
from protocol.segment import Dartboard
from tests.commanding import give
from tests.page.playing import Playing, play, setup

RECORDER = """
  const later = setTimeout;  // a moment does not go by itself here: one that goes was taken back
  window.setTimeout = (act, ms, ...given) => later(act, [2300, 4000].includes(ms) ? 1e8 : ms, ...given);
  window.shown = []; window.said = []; window.cancelled = 0; window.tones = 0;
  new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes) {
      if (target.id === "moment" && addedNodes.length) window.shown.push(target.textContent);
    }
  }).observe(document, { childList: true, subtree: true });
  SpeechSynthesis.prototype.speak = (spoken) => window.said.push([spoken.lang, spoken.text]);
  SpeechSynthesis.prototype.cancel = () => window.cancelled++;
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (...when) { window.tones++; return start.apply(this, when); };
"""

COVERED = """() => {
  const box = document.querySelector("#moment b").getBoundingClientRect();
  return [...document.querySelectorAll("button")].filter((each) => each.checkVisibility()).filter((each) => {
    const { left, right, top, bottom } = each.getBoundingClientRect();
    return left < box.right && right > box.left && top < box.bottom && bottom > box.top;
  }).map((each) => each.id || each.dataset.testid);
}"""

OVER_THE_BOARD = """() => {
  const [moment, board] = ["#moment b", "#board"].map((it) => document.querySelector(it).getBoundingClientRect());
  return moment.right > board.left && moment.bottom > board.top && moment.top < board.bottom;
}"""


async def watch(page: Page, address: str | None, query: str = "") -> None:
    """Looks at a scoreboard without scenes, and keeps what is flashed, said and sounded."""
    await page.add_init_script(RECORDER)
    await page.goto(f"{address}{query or '?'}&scenes=off")
    await expect(page.get_by_test_id("link")).to_have_attribute("data-state", "live")
    await expect(page.get_by_test_id("score-0")).to_have_text("301")
    await expect(page.locator("#board .marks")).to_be_attached()  # what a visit is called depends on the board


async def test_a_moment_comes_once_whatever_is_corrected(page: Page, running: RunningDaemon) -> None:
    await watch(page, running.page)
    moment = page.locator("#moment:not([hidden])")
    await play(running, "T20 T20 T20")
    await expect(moment).to_have_text("180")
    await play(running, "3=T19")
    await expect(moment).to_have_count(0)  # it was none
    await play(running, "3=T20 undo redo undo redo")
    await play(running, "undo undo undo")  # what was amended, and then the dart
    await play(running, "T20")
    await expect(moment).to_have_text("180")  # thrown anew
    await play(running, "/")
    await expect(moment).to_have_count(0)  # the board is the next player's
    await play(running, "T20 T20 T20 / T20 T20")
    await expect(moment).to_have_text("Bust")
    assert await page.evaluate("shown") == ["180", "180", "180", "Bust"]


@pytest.mark.parametrize(
    ("dartboard", "language", "darts", "text"),
    [
        ("steel", "en", "T20 T20 S20", "One hundred and forty"),
        ("steel", "de", "T20 T17 S14", "Hundert\u00adfünfund\u00adzwanzig"),
        ("steel", "en", "T20 T20 T17", "One hundred and seventy-one"),
        ("steel", "en", "SB SB DB", "Three bulls"),
        ("soft_15.5", "en", "T20 T20 S20", "Low Ton"),
        ("soft_15.5", "de", "T19 T19 T19", "Drei in einem Feld"),
    ],
)
async def test_an_award_has_the_word_of_its_board(
    tmp_path: Path,
    page: Page,
    unused_tcp_port_factory: Callable[[], int],
    dartboard: Dartboard,
    language: str,
    darts: str,
    text: str,
) -> None:
    prepared = setup(tmp_path, unused_tcp_port_factory())
    book = prepared.codebooks[0]
    book = expand(book.profile, layout=with_dartboard(book.layout, dartboard))
    prepared = replace(prepared, codebooks=(book,))
    async with run_daemon(prepared) as running:
        await watch(page, running.page, f"?lang={language}")
        await play(running, darts)
        await expect(page.locator("#moment:not([hidden])")).to_have_text(text)


async def test_a_badge_waits_until_the_end_of_its_match_was_shown(page: Page, running: RunningDaemon) -> None:
    """And is called by nobody."""
    await page.add_init_script(RECORDER.replace("1e8", "ms"))
    await page.goto(f"{running.page}?speech=1&scenes=off")
    await expect(page.get_by_test_id("score-0")).to_have_text("301")
    await play(running, "T20 T20 T20 / / T20 T7 D20")
    await expect(page.locator("#moment:not([hidden]) b")).to_have_text("A badge for Ann")
    assert await page.evaluate("shown") == ["180", "Ann wins!", "A badge for Ann"]
    assert not [text for _, text in await page.evaluate("said") if "badge" in text]


@pytest.mark.long
async def test_an_end_comes_once_and_the_greatest_of_what_came_with_it(page: Page, running: RunningDaemon) -> None:
    await watch(page, running.page)
    await play(running, "T20 T20 T20 / / T20 T7 D20")
    await expect(page.locator("#moment b")).to_have_text("Ann wins!")
    await play(running, "undo")
    await expect(page.locator("#moment")).to_be_hidden()
    await play(running, "D20")
    await expect(page.locator("#moment:not([hidden])")).to_have_text("Ann wins!")
    await play(running, "undo redo")
    await give(running.tables["main"], {"start": None}, "page")
    await play(running, "T20 T20 T20")
    await expect(page.locator("#moment:not([hidden])")).to_have_text("180")
    assert await page.evaluate("shown") == ["180", "Ann wins!", "Ann wins!", "180"]


@pytest.mark.long
async def test_who_throws_first_has_not_won(page: Page, running: RunningDaemon) -> None:
    await watch(page, running.page, "?speech=1")
    await give(running.tables["main"], {"start": {"game": "x01", "players": ["Ann", "Bo"]}, "order": "bull"}, "page")
    await play(running, "SB / DB")
    await expect(page.locator("#moment:not([hidden])")).to_have_text("Throws first: Bo")
    await page.wait_for_function("() => `${said.at(-1)}` === 'en-GB,Throws first: Bo'")
    await page.get_by_test_id("title").click()
    assert await page.evaluate("said.at(-1)") == ["", ""], "with a touch, so that a phone lets it speak later"


@pytest.mark.long
async def test_a_stream_that_heals_repeats_nothing(
    tmp_path: Path, page: Page, unused_tcp_port_factory: Callable[[], int]
) -> None:
    prepared = setup(tmp_path, unused_tcp_port_factory(), unused_tcp_port_factory())
    async with run_daemon(prepared) as running:
        await watch(page, running.page)
        await play(running, "T20 T20 T20")
        await expect(page.locator("#moment b")).to_have_text("180")
    await expect(page.locator("#link-warning")).to_be_visible()
    async with run_daemon(prepared) as running:
        await expect(page.locator("#link-warning")).to_be_hidden()
        await play(running, "undo redo / T20 T20 T20 / T20 T20")
        await expect(page.locator("#moment:not([hidden])")).to_have_text("Bust")
    assert await page.evaluate("shown") == ["180", "180", "Bust"]


@pytest.mark.long
async def test_the_caller_says_what_was_scored_and_who_requires_what(browser: Browser, running: RunningDaemon) -> None:
    english, german = [await browser.new_page() for _ in range(2)]
    await watch(english, running.page, "?speech=1&lang=en")
    await watch(german, running.page, "?speech=1&lang=de")
    for count, inputs in enumerate(("T20 T20 T20", "/", "MISS MISS MISS", "/", "T20 T20"), 1):
        await play(running, inputs)
        for each in (english, german):
            await each.wait_for_function(f"() => said.length === {count}")
    tasks = "Get 301 to 0 on a double", "Bust: 1 left, and no dart finishes that"
    said = await english.evaluate("said")
    assert said == [["en-GB", text] for text in ("180", tasks[0], "No score", "Ann requires 121", tasks[1])]
    tasks = "Von 301 mit Doppel auf 0", "Überworfen: Rest 1, den kein Dart ausmacht"
    said = await german.evaluate("said")
    assert said == [["de-DE", text] for text in ("180", tasks[0], "Keine Punkte", "Ann, Rest 121", tasks[1])]

    before = await english.evaluate("cancelled")
    await play(running, "undo D1 D1 /")
    await expect(english.get_by_test_id("player")).to_have_text("Bo")
    await english.wait_for_function("() => `${said.at(-1)}` === 'en-GB,64'")
    assert await english.evaluate("cancelled") > before, "by what was undone"


@pytest.mark.long
async def test_the_caller_says_what_is_left_where_scores_go_up(page: Page, running: RunningDaemon) -> None:
    await watch(page, running.page, "?speech=1")
    gotcha = {"game": "gotcha", "players": ["Ann", "Bo"], "options": {"target": 101}}
    await give(running.tables["main"], {"start": gotcha}, "page")
    await play(running, "T20 S1 S1 / MISS MISS MISS /")
    await page.wait_for_function("() => said.at(-1)?.[1] === 'Ann requires 39'")
    await give(running.tables["main"], {"start": {"game": "jdc_challenge", "players": ["Ann"]}}, "page")
    await play(running, "/ / / / / /")  # to the doubles, whose hint is no way out
    await page.wait_for_function("() => said.at(-1)?.[1].startsWith('One dart at each')")


@pytest.mark.long
async def test_tones_are_for_those_who_ask(browser: Browser, running: RunningDaemon) -> None:
    loud, silent = [await browser.new_page() for _ in range(2)]
    problems: list[str] = []
    loud.on("pageerror", lambda error: problems.append(str(error)))
    await watch(loud, running.page, "?sound=1")
    await watch(silent, running.page)
    await play(running, "T20")  # before the page was touched
    await expect(loud.get_by_test_id("score-0")).to_have_text("241")
    await loud.get_by_test_id("title").click()
    await play(running, "T20 T20")
    await loud.wait_for_function("tones > 0")
    await expect(silent.locator("#moment b")).to_have_text("180")
    assert await silent.evaluate("[tones, said]") == [0, []]
    assert not problems


@pytest.mark.parametrize("game", ["ground_round"])
async def test_a_moment_leaves_the_board_free_while_there_are_darts(page: Page, match: Playing) -> None:
    await page.add_init_script(RECORDER)
    await match.start("ground_round", ["Ann", "Bo"])
    for width, height in ((800, 480), (1920, 1080), (390, 844)):
        await page.set_viewport_size({"width": width, "height": height})
        await page.goto(match.url)
        await expect(page.locator("#board .marks")).to_be_attached()
        await match.throw("0,0")
        await expect(page.locator("#moment b")).to_have_text("Ann takes C3")
        assert await page.evaluate(OVER_THE_BOARD) is False, (width, height)
        await match.say({"undo": True})


@pytest.mark.long
async def test_a_moment_covers_no_control(page: Page, running: RunningDaemon) -> None:
    await page.emulate_media(reduced_motion="reduce")
    await watch(page, running.page)
    await play(running, "T20 T20 T20")
    await expect(page.locator("#moment b")).to_be_visible()
    for width, height in ((800, 480), (390, 844)):
        await page.set_viewport_size({"width": width, "height": height})
        assert await page.evaluate(COVERED) == []
    assert await page.locator("#moment").evaluate("(it) => getComputedStyle(it).pointerEvents") == "none"
    assert await page.evaluate("document.getAnimations().length") == 0
