"""After the match, in a real browser: what its sides came to, who throws first, who has left, practice."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Page, ViewportSize, expect

from daemon.assemble import RunningDaemon, run_daemon
from tests.commanding import give
from tests.page.playing import Playing, play, setup
from tests.sweep import sweep

SIZES = [(390, 844), (800, 480), (1920, 1080)]
LEGS = "D20 / S20 S20 S20 / T20 S1 MISS / S1 S1 S1 / D20"
"""Two legs of 101 for Ann, after 60 and 1: she throws first, then Bo."""
SPILLED = """() => {
  const within = document.querySelector("#result").getBoundingClientRect();
  const cells = [...document.querySelectorAll("#summary .figures-table td")];
  const edge = Math.max(...cells.map((each) => each.getBoundingClientRect().right));
  const legs = document.querySelector("#summary .legs-table")?.getBoundingClientRect();
  const first = cells[0].getBoundingClientRect();
  if (legs?.width && legs.left < edge && legs.top < first.bottom) return ["the tables are over each other"];
  const link = document.querySelector("#summary a").getBoundingClientRect();
  const rows = [...document.querySelectorAll("#summary td")].filter((each) => each.checkVisibility());
  const end = Math.max(...rows.map((each) => each.getBoundingClientRect().bottom));
  if (link.height && end > link.top + 1) return ["the link is over a table"];
  const all = document.querySelectorAll("#result :not(.head-name, .standings + .course *)");
  const seen = [...all].filter((each) => each.checkVisibility());
  return seen.filter((each) => {
    const { bottom, left, right, top } = each.getBoundingClientRect();
    return bottom > within.bottom + 1 || top < within.top - 1 || right > within.right + 1 || left < within.left - 1;
  }).map((each) => each.outerHTML.slice(0, 80));
}"""
"""What of the result is not within its box."""
GOLD = """body => {
  const sample = Object.assign(document.createElement("i"), { style: "color: var(--gold)" });
  body.append(sample);
  return getComputedStyle(sample).color;
}"""
PRACTICE_SPILLED = """() => {
  const within = document.querySelector("#result").getBoundingClientRect();
  const all = [...document.querySelectorAll("#result :is(p, h2, td, th, a, button, text)")];
  const seen = all.filter((each) => each.checkVisibility());
  const boxes = seen.map((each) => [each.textContent, each.getBoundingClientRect()]);
  const line = document.querySelector("#summary svg")?.getBoundingClientRect();
  const link = document.querySelector("#summary a").getBoundingClientRect();
  if (line?.bottom > link.top + 1) return ["the link is over the line"];
  return boxes.filter(([, box]) => box.bottom > within.bottom + 1 || box.top < within.top - 1 ||
    box.right > within.right + 1 || box.left < within.left - 1).map(([text]) => text);
}"""


async def test_a_match_that_is_over_is_summed_up(tmp_path: Path, page: Page, unused_tcp_port: int) -> None:
    async with run_daemon(setup(tmp_path, unused_tcp_port)) as running:
        header = {"game": "x01", "players": ["Ann", "Bo"], "options": {"start": 101}, "format": {"legs": 2}}
        await give(running.tables["main"], {"start": header}, "page")
        await page.set_viewport_size(ViewportSize(width=1920, height=1080))
        await page.goto(running.page or "")
        await play(running, f"T20 S1 {LEGS}")
        figures = page.get_by_role("table", name="Side by side")
        await expect(figures.get_by_role("row", name="Legs")).to_have_text("Legs20")
        await expect(figures.get_by_role("row", name="First nine")).to_have_text("First nine86.5731.50")
        await expect(figures.get_by_role("row", name="Checkouts")).to_have_text("Checkouts2/30/1")
        legs = page.get_by_role("table", name="Leg by leg, Average").locator("tbody tr")
        await expect(legs).to_have_text(["1101.00–3101", "275.7531.50440"])
        await expect(page.get_by_test_id("last-visit")).to_have_text("Ann: D20 = 40")
        await expect(page.locator("#board .hits path")).to_have_count(1)
        await expect(page.locator("#board .mark-number")).to_have_text("1")
        await expect(page.get_by_test_id("again")).to_have_text("Play again: Bo throws first")

        await page.get_by_test_id("undo").click()
        await expect(page.get_by_test_id("summary")).to_be_hidden()
        await play(running, "S20 D10")
        await expect(page.get_by_test_id("last-visit")).to_have_text("Ann: 20 D10 = 40")
        await page.goto(f"{running.page}?lang=de")
        await expect(page.get_by_test_id("again")).to_have_text("Noch einmal: Bo beginnt")
        await expect(page.get_by_role("table", name="Nebeneinander")).to_be_visible()
        await page.get_by_test_id("again").click()
        await expect(page.get_by_test_id("player")).to_have_text("Bo")
        await expect(page.get_by_test_id("summary")).to_be_hidden()


@pytest.mark.parametrize(("width", "height"), sweep(SIZES, lambda size: size[0] == 800))
@pytest.mark.parametrize("sides", [2, 3, 6])
async def test_the_summary_fits(page: Page, match: Playing, width: int, height: int, sides: int) -> None:
    names = ["Ann", "Bo", "Maximiliane", "Dee", "Eve", "Finn"][:sides]
    await page.set_viewport_size(ViewportSize(width=width, height=height))
    await match.start("x01", names, options={"start": 301}, format={"legs": 3 if sides == 2 else 2})
    await match.go_on(2000)
    await page.goto(match.url)
    await expect(page.get_by_test_id("last-visit")).to_be_visible()
    assert await page.evaluate(SPILLED) == []
    assert await page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(
    ("lang", "ask", "wins", "on"),
    sweep(
        [
            ("en", "Bo has left: Ann wins, or play on?", "Ann wins", "Play on"),
            ("de", "Bo hat aufgehört: Ann gewinnt, oder weiterspielen?", "Ann gewinnt", "Weiterspielen"),
        ],
        lambda one: one[0] == "en",
    ),
)
async def test_who_is_left_alone_is_asked_whether_to_play_on(
    page: Page, running: RunningDaemon, lang: str, ask: str, wins: str, on: str
) -> None:
    table = running.tables["main"]
    await page.goto(f"{running.page}?lang={lang}")
    question = page.get_by_test_id("left-alone")
    await play(running, "T20")
    await expect(page.get_by_test_id("dart-0")).to_contain_text("T20")
    await expect(question).to_have_count(0)
    await give(table, {"retire": 1}, "page")
    await expect(question.locator(".question")).to_have_text(ask)
    await expect(question.get_by_role("button")).to_have_text([wins, on])
    await play(running, "S1")  # a wall that nobody touches: the match goes on
    await expect(page.locator("#prompts")).to_be_hidden()
    await play(running, "undo")
    await expect(question).to_be_visible()
    await page.get_by_test_id("play-on").click()
    await expect(page.locator("#prompts")).to_be_hidden()
    await page.get_by_test_id("menu").click()  # it may end like that later, too
    concede = page.get_by_test_id("menu-concede")
    await expect(concede).to_have_text(wins)
    await page.get_by_test_id("menu-close").click()

    await play(running, "undo")
    await expect(page.locator(".side.out")).to_have_count(0)
    await give(table, {"retire": 1}, "page")
    await expect(question).to_be_visible()
    await page.get_by_test_id("concede").click()
    await expect(page.locator("#winner")).to_have_text("Ann")
    assert table.state().winners == (0,)
    await page.get_by_test_id("undo").click()
    await expect(question).to_be_visible()
    await play(running, "/")
    await expect(question).to_have_count(0)


async def test_a_device_that_only_watches_is_not_asked(page: Page, running: RunningDaemon) -> None:
    await page.goto(f"{running.page}?kiosk=1")
    await expect(page.get_by_test_id("player")).to_have_text("Ann")
    await give(running.tables["main"], {"retire": 1}, "page")
    await expect(page.locator(".side.out")).to_have_count(1)
    await expect(page.get_by_test_id("left-alone")).to_have_count(0)
    facts = page.get_by_test_id("facts-1")
    await expect(facts).to_contain_text("out")
    assert await facts.evaluate("({ clientHeight, scrollHeight }) => scrollHeight <= clientHeight"), "it is cut"


@pytest.mark.parametrize(
    ("players", "teams", "question"),
    [
        (["Ann", "Bo", "Cy"], None, "Bo and Cy have left: Ann wins, or play on?"),
        (["Ann", "Bo", "Cy", "Di"], [[0, 2], [1, 3]], "Bo & Di have left: Ann & Cy win, or play on?"),
    ],
)
async def test_all_who_have_left_are_named(
    page: Page, running: RunningDaemon, players: list[str], teams: list[list[int]] | None, question: str
) -> None:
    table, header = running.tables["main"], {"game": "x01", "players": players}
    await give(table, {"start": {**header, **({"teams": teams} if teams else {})}}, "page")
    await page.goto(f"{running.page}?lang=en")
    for side in range(1, len(teams or players)):
        await give(table, {"retire": side}, "page")
    await expect(page.get_by_test_id("left-alone").locator(".question")).to_have_text(question)
    thrower = running.tables["main"].state().turn.player
    assert f"then {thrower}" not in (await page.get_by_test_id("phase").text_content() or "")


async def test_an_order_stands_until_its_match_begins(page: Page, running: RunningDaemon) -> None:
    await page.clock.install()
    await page.goto(f"{running.page}?view=wall&lang=en")
    header = {"game": "x01", "players": ["Ann", "Bo"]}
    await give(running.tables["main"], {"start": header, "order": "bull"}, "page")
    score = page.get_by_test_id("score")
    await expect(score).to_have_text("Bull")
    await expect(page.get_by_test_id("score-0")).to_have_text("–")
    await play(running, "SB")
    await expect(score).to_have_text("outer bull")
    await play(running, "/ SB / ")
    await expect(score).to_have_text("Bull")  # they are level, and throw again
    await expect(page.get_by_test_id("score-0")).to_have_text("outer bull")
    await play(running, "DB / T1")
    for _ in range(2):
        await expect(page.locator("#result-kind")).to_have_text("Throws first")
        await expect(page.locator("#winner")).to_have_text("Bo")
        await expect(page.locator("#result-score")).to_have_text("then Ann")
        await expect(page.get_by_test_id("score-1")).to_have_text("bullseye")
        await expect(page.get_by_test_id("score-0")).to_have_text("triple")
        opened = page.locator("link:is([href$='summary.css'], [href$='idle.css'])")
        await expect(opened).to_have_count(0)  # each comes at once when what takes the place of the order is opened
        await page.clock.fast_forward("03:00")
    await expect(page.get_by_test_id("phase")).to_have_text("Start 501")
    await give(running.tables["main"], {"start": None}, "page")
    await expect(page.locator("#result")).to_be_hidden()


async def test_an_order_that_no_match_waits_for_leads_to_the_choice_of_one(page: Page, running: RunningDaemon) -> None:
    await page.goto(f"{running.page}?view=wall&lang=en")
    await give(running.tables["main"], {"start": {"game": "bull_off", "players": ["Ann", "Bo"]}}, "page")
    await play(running, "DB / SB")
    await expect(page.get_by_test_id("phase")).to_have_text("Choose a game to begin")
    other, again = page.get_by_test_id("other"), page.get_by_test_id("again")
    colours = [await each.evaluate("each => getComputedStyle(each).backgroundColor") for each in (other, again)]
    assert colours[0] == await page.locator("body").evaluate(GOLD)
    assert colours[1] != colours[0]


async def test_practice_alone_ends_with_the_result_and_what_came_before(page: Page, match: Playing) -> None:
    await page.goto(f"{match.url}?lang=en")
    for darts in ("S1 S1 S1", "T20 S1 S1", "S2 S2 S2", "S3 S3 S3", "S4 S4 S4", "S5 S5 S5", "T20 T20 S1"):
        await match.start("count_up", ["Ann"], options={"rounds": 1})
        await match.throw(darts)
        if darts == "S1 S1 S1":
            await expect(page.get_by_test_id("came-to")).to_have_text("3")
            await expect(page.get_by_test_id("best-so-far")).to_have_count(0)
    await expect(page.locator("#result-kind")).to_have_text("Result")
    await expect(page.get_by_test_id("came-to")).to_have_text("121")
    await expect(page.get_by_test_id("best-so-far")).to_have_text("A new best")
    five = page.get_by_test_id("last-five").get_by_role("img")
    await expect(five).to_have_accessible_name("Last 5: 6, 9, 12, 15, 121")
    await expect(page.get_by_text("3-dart average")).to_have_count(0)
    await match.start("count_up", ["Ann"], options={"rounds": 1})
    await match.throw("S20 S20 S20")
    await expect(page.get_by_test_id("best-so-far")).to_have_text("Best so far: 121")
    await expect(five).to_have_accessible_name("Last 5: 9, 12, 15, 121, 60")
    await match.start("x01", ["Ann"], options={"start": 101})
    await match.throw("T20 S1 D20")
    await expect(page.get_by_test_id("came-to")).to_have_text("3 darts")
    await expect(page.get_by_test_id("best-so-far")).to_have_count(0)
    await match.start("count_up", ["Ann"], options={"rounds": 1})
    await match.say({"stop": True})
    await expect(page.get_by_test_id("whole-match")).to_be_visible()
    await expect(page.get_by_test_id("practice")).to_have_count(0)


@pytest.mark.parametrize(("width", "height"), sweep(SIZES, lambda size: size[0] == 800))
async def test_what_practice_came_to_fits(page: Page, match: Playing, width: int, height: int) -> None:
    await page.set_viewport_size(ViewportSize(width=width, height=height))
    await page.goto(match.url)
    for _ in range(2):
        await match.start("warm_up", ["Maximiliane"])
        for exercise in range(3):
            await match.go_on(900)
            if exercise < 2:
                await match.say({"start": None})
    await expect(page.get_by_test_id("last-five")).to_be_visible()
    await expect(page.get_by_test_id("routine")).to_be_visible()
    assert await page.evaluate(PRACTICE_SPILLED) == []
    assert await page.evaluate("document.documentElement.scrollWidth") <= width
