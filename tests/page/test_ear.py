"""Play by ear on the page: sentences in the browser's voice or for a screen reader, and the keys that answer."""

from __future__ import annotations

import aiohttp
import pytest
from playwright.async_api import Page, expect

from daemon.assemble import RunningDaemon
from tests.commanding import give
from tests.page.playing import Playing

RECORDER = """window.said = []; window.lines = [];
  window.heard = [];
  const parse = JSON.parse;
  JSON.parse = (text) => {
    const found = parse(text);
    if (found?.drops !== undefined) window.heard.push(found.text);
    return found;
  };
  SpeechSynthesis.prototype.speak = (spoken) => {
    if (spoken.text) window.said.push([spoken.lang, spoken.rate, spoken.text]);
    setTimeout(() => spoken.onend?.());
  };
  new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes) {
      if (target.id === "log") window.lines.push(...[...addedNodes].map((each) => each.textContent));
    }
  }).observe(document, { childList: true, subtree: true });
"""
START = "301. Round 1. Ann: 301. Bo: 301. Ann throws: 3 darts. Get 301 to 0 on a double. Aim at triple 20."
FIRST = "Single 5, to the left."
NEXT = "2 darts. Get 296 to 0 on a double. Aim at triple 20."


async def listen(page: Page, address: str | None, query: str) -> None:
    await page.add_init_script(RECORDER)
    await page.goto(f"{address}{query}")
    await expect(page.get_by_test_id("link")).to_have_attribute("data-state", "live")


async def hear(page: Page, text: str, where: str = "said.map((each) => each[2])") -> list[str]:
    """Waits until this was said last; all that was said."""
    await page.wait_for_function(f"(text) => {where}.at(-1) === text", arg=text)
    said: list[str] = await page.evaluate(where)
    return said


async def test_where_one_stands_and_each_dart_are_said_once(page: Page, running: RunningDaemon) -> None:
    await listen(page, running.page, "?ear=1&pace=1.5")
    await hear(page, START)
    await give(running.tables["main"], {"throw": "S5"}, "page")
    assert await hear(page, NEXT) == [START, FIRST, NEXT]
    assert {tuple(each[:2]) for each in await page.evaluate("said")} == {("en-GB", 1.5)}
    assert await page.evaluate("lines") == [START, FIRST, NEXT], "in the live region, which tells nothing besides"
    assert await page.locator("#log").get_attribute("aria-live") == "off", "a voice says it already"

    await page.keyboard.press("r")
    await page.wait_for_function("() => said.length === 4")
    await page.keyboard.press("i")
    await hear(
        page,
        START.replace("Ann: 301", "Ann: 296")
        .replace("Ann throws: 3", "Ann has thrown single 5. Ann throws: 2")
        .replace("Get 301", "Get 296"),
    )
    await page.keyboard.press("u")
    said = await hear(page, "3 darts. Get 301 to 0 on a double. Aim at triple 20.")
    assert said[3] == NEXT
    assert said[-2] == "Taken back: single 5."


async def test_a_visit_that_is_corrected_at_once_is_called_once(page: Page, running: RunningDaemon) -> None:
    table = running.tables["main"]
    await page.clock.install()
    await listen(page, running.page, "?ear=brief")
    await hear(page, START)
    await page.clock.pause_at(await page.evaluate("Date.now() / 1000 + 1"))
    for dart in ("T20", "T20", "S20"):
        await give(table, {"throw": dart}, "page")
    await give(table, {"amend": 4, "throw": "T20"}, "page")
    while "180 points." not in await page.evaluate("heard"):
        pass
    await page.clock.run_for(10_000)
    said = await page.evaluate("said.map((each) => each[2])")
    assert said[-2:] == ["Triple 20.", "180 points."]
    assert "140 points." not in said


async def test_a_win_that_is_corrected_at_once_and_what_is_thrown_already_are_not_said(
    page: Page, running: RunningDaemon
) -> None:
    table = running.tables["main"]
    await give(table, {"start": {"game": "x01", "players": ["Ann", "Bo"], "options": {"start": 101}}}, "page")
    await page.clock.install()
    await listen(page, running.page, "?ear=1")
    await page.wait_for_function("() => said.length === 1")
    await page.clock.pause_at(await page.evaluate("Date.now() / 1000 + 1"))
    for dart in ("T20", "S1", "D20"):
        await give(table, {"throw": dart}, "page")
    await give(table, {"amend": 4, "throw": "S20"}, "page")
    while "81 points. Ann: 20. Pull your darts." not in await page.evaluate("heard"):
        pass
    await page.clock.run_for(60_000)
    said = await page.evaluate("said.map((each) => each[2])")
    assert said[-2:] == ["Single 20.", "81 points. Ann: 20. Pull your darts."]
    assert not [text for text in said[1:] if "win" in text or "Get" in text]


async def test_a_screen_reader_reads_it_in_german(page: Page, running: RunningDaemon) -> None:
    await listen(page, running.page, "?ear=1&reader=1&lang=de&pace=9")
    await page.wait_for_function("() => lines.length === 1")
    await give(running.tables["main"], {"throw": "S5"}, "page")
    lines = await hear(page, "2 Darts. Von 296 mit Doppel auf 0. Ziele auf Triple 20.", "lines")
    assert lines[-2] == "Single 5, links davon."
    assert await page.evaluate("said") == []
    assert await page.locator("#log").get_attribute("aria-live") == "polite"


@pytest.mark.parametrize("game", ["yatzy_dart"])
async def test_a_question_is_answered_by_its_number(page: Page, match: Playing) -> None:
    await listen(page, match.url, "?ear=1")
    for dart in ("56i", "56i", "56i"):
        await match.say({"throw": dart})
    await page.wait_for_function("() => said.at(-1)?.[2].includes('Which row takes this visit? 1: Ones, 0.')")
    for key in ("1", "5", "Enter"):
        await page.keyboard.press(key)
    await page.wait_for_function("() => said.some(([, , text]) => text === 'Chance taken.')")
    assert match.state["sides"][0]["detail"]["rows"] == {"chance": 54}
    await page.keyboard.press("n")
    await page.wait_for_function("() => said.at(-1)?.[2].startsWith('Bo: 0. 3 darts.')")


@pytest.mark.parametrize("game", ["d20_elimination"])
async def test_numbers_are_typed_as_an_answer(page: Page, match: Playing) -> None:
    await match.start("d20_elimination", ["Ann", "Bo"], options={"dice": "manual"})
    await listen(page, match.url, "?ear=1")
    await page.wait_for_function("() => said.at(-1)?.[2].includes('Answer with numbers from 1 to 20: 3 of them.')")
    for key in "7 12 20":
        await page.keyboard.press(key)
    await page.keyboard.press("Enter")
    await page.wait_for_function("() => said.at(-1)?.[2].includes('Hit 7, 12, 20')")
    assert match.state["board"]["roll"] == (7, 12, 20)


@pytest.mark.parametrize("game", ["ground_round"])
async def test_a_number_answers_the_question_that_was_read_out(page: Page, match: Playing) -> None:
    await listen(page, match.url, "?ear=1")
    await match.throw("-1,-1 -2,1")
    await page.wait_for_function("() => said.some(([, , text]) => text.includes('Open questions: 2.'))")
    assert [prompt["id"] for prompt in match.state["prompts"]] == ["place@1", "cancel@1"]
    await page.keyboard.press("q")
    await page.wait_for_function("() => said.at(-1)?.[2].includes('1: throw again.')")
    await page.keyboard.press("1")
    await page.wait_for_function("() => said.at(-1)?.[2].startsWith('2 darts.')")
    assert "cancel@1" not in [prompt["id"] for prompt in match.state["prompts"]]


@pytest.mark.parametrize("game", ["tactics"])
async def test_a_key_that_does_nothing_and_a_refusal_are_said(page: Page, match: Playing) -> None:
    await listen(page, match.url, "?ear=1")
    await match.say({"throw": "T17"})
    await page.wait_for_function("() => said.at(-1)?.[2].includes('What does triple 17 count as?')")
    await page.keyboard.press("n")
    await hear(page, "That does nothing right now.")
    await page.keyboard.press("u")
    await page.wait_for_function("() => said.at(-1)?.[2].startsWith('3 darts.')")
    await page.keyboard.press("u")
    await page.wait_for_function("() => /nothing to undo/i.test(said.at(-1)?.[2])")


async def test_nobody_else_is_told_sentences(running: RunningDaemon) -> None:
    async def read_kinds(stream: aiohttp.ClientResponse, facts: int) -> list[str]:
        """The kinds of events up to the second sentence, or up to so many facts."""
        kinds: list[str] = []
        async for line in stream.content:
            kinds += [line[7:].decode().strip()] if line.startswith(b"event: ") else []
            if kinds.count("ear") == 2 or kinds.count("fact") == facts:
                break
        return kinds

    events = "/api/table/main/events"
    async with (
        aiohttp.ClientSession(running.page) as web,
        web.get(events) as plain,
        web.get(f"{events}?ear=full&lang=xx") as asked,
    ):
        await give(running.tables["main"], {"throw": "S5"}, "page")
        assert (await read_kinds(asked, 9))[-3:] == ["fact", "ear", "ear"], "after what they are about"
        await give(running.tables["main"], {"throw": "S1"}, "page")
        assert "ear" not in await read_kinds(plain, 2)
