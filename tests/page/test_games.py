"""Each founding game played on the page in a real browser by tapping, its questions answered by touch."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, Route, ViewportSize, expect

from tests.daemon.process import Process
from tests.page.playing import Playing, look_at
from tests.sweep import sweep

JSON = dict[str, Any]  # Any: JSON
PHONE, WALL = ViewportSize(width=390, height=844), ViewportSize(width=800, height=480)

UNHURRIED = ["--game", "x01", "--speed", "0.1"]
"""The table waits for long before it goes on by itself."""


class Play:
    """A match of people at a page: `oche play --human`, the page, and what an independent reader sees of it."""

    def __init__(self, page: Page, url: str, reader: aiohttp.ClientSession) -> None:
        self.page = page
        self.url = url
        self._reader = reader

    async def state(self) -> JSON:
        async with self._reader.get(f"{self.url}api/table/main/state") as answer:
            found: JSON = json.loads(await answer.text())
            return found

    async def beyond(self, line: int) -> JSON:
        """The state, once the match has gone on."""
        async with asyncio.timeout(20):
            while True:
                state = await self.state()
                if state["line"] > line:
                    return state
                await asyncio.sleep(0.05)  # so many questions a second are as many as are answered

    async def tap(self, segment: str) -> JSON:
        """A dart at the middle of a segment, with a finger on the drawn board."""
        line = (await self.state())["line"]
        await self.page.mouse.click(*await self.place(segment))
        return await self.beyond(line)

    async def place(self, segment: str) -> tuple[float, float]:
        """The middle of a segment on the screen."""
        async with self._reader.get(f"{self.url}api/table/main/layout") as answer:
            layout = json.loads(await answer.text())
        ring = next(s for s in layout["segments"] if s["id"] == segment)["outline"][0]
        x, y = (sum(values) / len(ring) for values in zip(*ring, strict=True))
        on_screen = (
            "(svg, p) => { const q = new DOMPoint(...p).matrixTransform(svg.getScreenCTM()); return [q.x, q.y] }"
        )
        place = await self.page.locator("#board").evaluate(on_screen, [x, -y])
        return place[0], place[1]

    async def post(self, command: str, **body: object) -> int:
        """What another display sends; gives the status of the answer."""
        async with self._reader.post(f"{self.url}api/table/main/{command}", json=body) as answer:
            return answer.status

    async def press(self, name: str) -> JSON:
        line = (await self.state())["line"]
        await self.page.get_by_test_id(name).click()
        return await self.beyond(line)


@pytest_asyncio.fixture(loop_scope="session")
async def play(request: pytest.FixtureRequest, browser: Browser) -> AsyncIterator[Play]:
    async with Process("play", "--human", "--port", "0", "--seed", "a", *request.param) as process:
        await process.said("Seed")
        url = process.output.split("Scoreboard", 1)[1].split()[0]
        page = await browser.new_page(viewport=WALL)
        await page.goto(url)
        await expect(page.get_by_test_id("board-state")).to_have_text("Board ready")
        await expect(page.locator("#board .marks")).to_be_attached()  # a player who taps sees a board
        async with aiohttp.ClientSession() as reader:
            yield Play(page, url, reader)
        await process.stop()


@pytest.mark.parametrize("play", [["--game", "x01"]], indirect=True)
async def test_a_tap_is_a_dart(play: Play) -> None:
    state = await play.tap("T20")
    assert state["turn"]["darts"][0]["segment"] == "T20"
    assert state["sides"][0]["score"] == 441
    await expect(play.page.get_by_test_id("score-0")).to_have_text("441")
    await expect(play.page.get_by_test_id("progress")).to_have_text("Round 1")  # of sets and legs there is one


@pytest.mark.parametrize(
    "play",
    sweep(
        [[*UNHURRIED, *board] for board in ([], ["--board", "granboard"], ["--board", "darts-connect"])],
        UNHURRIED.__eq__,
    ),
    indirect=True,
)
async def test_three_quick_taps_are_three_darts_and_the_fourth_is_loud(play: Play) -> None:
    """On a pty, a radio in memory and a socket."""
    place = await play.place("T20")
    for _ in range(3):
        await play.page.mouse.click(*place)
    await expect(play.page.locator("#board .mark")).to_have_count(3)  # at once, those on their way too
    await expect(play.page.get_by_test_id("phase")).to_contain_text("Pull your darts")
    assert [dart["segment"] for dart in (await play.state())["turn"]["darts"]] == ["T20"] * 3
    await expect(play.page.locator("#board .mark:not(.coming)")).to_have_count(3)
    await play.page.mouse.click(*place)
    await expect(play.page.get_by_test_id("stray")).to_have_text("T20 does not count")
    await expect(play.page.get_by_test_id("toast")).to_contain_text("pull them, then press next")
    assert len((await play.state())["turn"]["darts"]) == 3


@pytest.mark.parametrize("play", [UNHURRIED], indirect=True)
async def test_next_comes_after_the_taps_before_it(play: Play) -> None:
    place = await play.place("T20")
    for _ in range(2):
        await play.page.mouse.click(*place)
    await play.page.get_by_test_id("next").click()
    await expect(play.page.get_by_test_id("player")).to_have_text("Bo")
    state = await play.state()
    assert [dart["segment"] for dart in state["last"]["darts"]] == ["T20", "T20", "MISS"]
    assert state["turn"]["darts"] == []


@pytest.mark.parametrize("play", [UNHURRIED], indirect=True)
async def test_two_pages_throw_at_one_board(play: Play, browser: Browser) -> None:
    other = await browser.new_page(viewport=WALL)
    await other.goto(play.url)
    await expect(other.locator("#board .marks")).to_be_attached()
    place = await play.place("T20")
    await asyncio.gather(*(page.mouse.click(*place) for page in (play.page, other, play.page)))
    for page in (play.page, other):
        await expect(page.get_by_test_id("phase")).to_contain_text("Pull your darts")
        await expect(page.locator("#board .mark")).to_have_count(3)
    assert [dart["segment"] for dart in (await play.state())["turn"]["darts"]] == ["T20"] * 3


@pytest.mark.parametrize("play", [["--game", "x01"]], indirect=True)
async def test_an_evening_from_the_lobby_to_the_statistics(play: Play) -> None:
    """A throw for the bull, the match, the same again: nothing of it ends the evening, and what was played is there."""
    page = play.page
    lobby = page.get_by_test_id("lobby")
    await page.locator("#other").evaluate("button => button.click()")  # as the menu does while a match is on
    start = lobby.get_by_role("button", name=re.compile("^(Start|Stop 501 and start)$"))
    await expect(start).to_be_enabled()
    await lobby.get_by_label("Search").fill("101")
    await lobby.locator("label:has([value='101'])").click()
    await lobby.get_by_label("Throw for the bull").check()
    await start.click()
    await expect(page.get_by_test_id("title")).to_have_text("Bull-off")

    await play.tap("T20")
    await play.press("next")
    assert (await play.tap("DB"))["winners"] == [1]
    again = page.locator("#again")
    await again.click()
    await expect(page.get_by_test_id("title")).to_have_text("101")

    for first in ("Bo", "Ann"):
        for dart in ("T17", "O18", "D16"):
            await play.tap(dart)
        await expect(page.locator("#winner")).to_have_text(first)
        await expect(page.locator("#link-warning")).to_be_hidden()
        await again.click()
        await expect(page.locator("#result")).to_be_hidden()

    await page.goto(f"{play.url}history")
    row = page.get_by_role("row").filter(has_text="Bo")
    await expect(row.get_by_role("cell").nth(0)).to_have_text("2")
    await expect(row.get_by_role("cell").nth(1)).to_have_text("1")


@pytest.mark.long
@pytest.mark.parametrize("play", [["--game", "x01"]], indirect=True)
async def test_a_kiosk_takes_no_taps(play: Play) -> None:
    await play.page.goto(f"{play.url}?kiosk=1")
    await expect(play.page.locator("#board .marks")).to_be_attached()
    await expect(play.page.get_by_test_id("tap-text")).to_be_hidden()
    box = await play.page.locator("#board").bounding_box()
    assert box is not None
    await play.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    await play.page.keyboard.press("Escape")
    assert len((await play.tap("T20"))["turn"]["darts"]) == 1, "the first dart is the one after the kiosk"


@pytest.mark.long
@pytest.mark.parametrize("play", [["--game", "x01"]], indirect=True)
async def test_a_tap_on_a_slow_link_is_not_the_next_players(play: Play) -> None:
    """The first of two is lost on the way, and the second reaches the table when the next player is there."""
    asked = 0
    is_over = asyncio.Event()

    async def hold(route: Route) -> None:
        nonlocal asked
        asked += 1
        if asked == 1:
            await is_over.wait()
            await route.abort()
        else:
            await route.continue_()

    await play.page.route("**/tap", hold)
    field = play.page.locator("#tap-id")
    for _ in range(2):
        await field.fill("T20")
        await field.press("Enter")
    await play.page.wait_for_function("document.getElementById('tap-id').value === ''")
    assert await play.post("next") == 200
    await expect(play.page.get_by_test_id("player")).to_have_text("Bo")
    is_over.set()
    await expect(play.page.get_by_test_id("toast")).to_contain_text("Another device was faster")
    assert asked == 2
    assert (await play.state())["turn"]["darts"] == []


SEEN = [
    ("d20_elimination", "T13", "visit-points", "+3"),
    ("d20_elimination", "T13", "factor-1", "1 of 3 hit×1"),
    ("dards", "T8", "dards-way", "6 back from 20"),
    ("yatzy_dart", "56i", "row-sixes", "Sixes(18)"),
    (
        "ground_round",
        "0,0",
        "task",
        "This dart takes any hexagon with a symbol, whatever its shield: a flag is best, all three win",
    ),
    ("a1_drill", "T20", "dart-0", "T20 1 of 2"),
    ("checkout_121", "S20", "facts-0", "left 101from 121darts 1"),
    ("bull_off", "", "phase", "1 dart to throw"),
    ("bull_off", "T20", "score", "triple"),
    ("burma_road", "S20 D20", "score-0", "92"),
    ("halve_it", "S15", "cell-0-0", "15"),
    ("jdc_challenge", "T10", "row-6", "D1– D3"),
    ("jdc_challenge", "S1 S2 S3", "facts-0", "rank whitenext rank from 150hits 0/3"),
    ("snooker", "S11 S20", "value-16", "16 yellow 2 points"),
    ("snooker", "S11 S20", "dart-1", "20"),  # the pink: six points, not the twenty of the bed
    ("hammer_cricket", "S20 S20", "dart-1", "20 40"),
    ("tic_tac_toe", "S1 S1", "cell-6", "12/4"),
    ("killer", "S11", "task", "11 is yours: later, hit D11 to become a killer"),
    ("killer", "S1", "score", "lives 3"),
    ("round_the_clock", "S1 S2", "score", "3"),
    ("prisoner", "I1", "dart-0", "1 inner"),
    ("fifteen_contracts", "S20", "row-2", "sum 57"),
    ("x01", "S1 S2", "score", "498"),
]


@pytest.mark.parametrize(("game", "darts", "place", "text"), sweep(SEEN, SEEN[7:].__contains__))
async def test_what_a_dart_did_is_seen_before_the_visit_ends(
    page: Page, match: Playing, game: str, darts: str, place: str, text: str
) -> None:
    await match.start(game, ["Ann", "Bo"])
    await page.goto(match.url)
    await match.throw(darts)
    await expect(page.get_by_test_id(place)).to_have_text(text)
    await expect(page.locator("#task.reason")).to_have_count(0)  # it is no loss


async def test_of_checkouts_the_points_are_large_and_a_visit_that_failed_says_so(page: Page, match: Playing) -> None:
    await match.start("random_checkout", ["Ann", "Bo"], options={"lowest": 40, "highest": 40})
    await page.goto(match.url)
    await match.throw("D20 / S1 S1 S1 /")
    await expect(page.get_by_test_id("score-0")).to_have_text("1")
    await expect(page.get_by_test_id("score-0")).to_have_attribute("data-unit", "point")
    await expect(page.get_by_test_id("score-0")).not_to_have_class(re.compile("named"))
    await expect(page.get_by_test_id("facts-0")).to_contain_text("left 40")
    await expect(page.locator("#last .sum")).to_have_text("failed")


async def test_what_decides_nothing_is_small(page: Page, match: Playing) -> None:
    await match.start("blind_killer", ["Ann", "Bo", "Cy"], options={"lives": 1})
    await page.goto(match.url)
    number = match.state["targets"][0]
    await match.throw(f"S{number}")
    await expect(page.get_by_test_id("facts-0")).to_contain_text("lives taken 1")
    for index, side in enumerate(match.state["sides"]):
        await expect(page.get_by_test_id(f"score-{index}")).to_have_text("out" if side["out"] else "still in")


async def test_what_compares_visits_is_shown_from_the_second_round_on(page: Page, match: Playing) -> None:
    await match.start("count_up", ["Ann", "Bo"])
    await page.goto(match.url)
    await match.throw("T20 / S20")
    await expect(page.get_by_test_id("score-1")).to_have_text("20")
    await expect(page.get_by_test_id("facts-0")).to_have_text("")
    await match.throw("/")
    await expect(page.get_by_test_id("facts-0")).to_contain_text("avg 60.0")
    await expect(page.get_by_test_id("facts-0")).to_contain_text("best round 60")


async def test_a_halved_score_is_said_once(page: Page, match: Playing) -> None:
    await match.start("halve_it", ["Ann", "Bo"])
    await page.goto(match.url)
    await match.throw("S15 / S1 S1 S1")
    await expect(page.get_by_test_id("cell-1-0")).to_have_text("½")
    facts = page.get_by_test_id("facts-1")
    await expect(facts).to_have_text(re.compile("^halved once"))
    await expect(page.get_by_test_id("facts-0")).not_to_contain_text("halved")


async def test_figures_of_a_sheet_stand_apart(page: Page, match: Playing) -> None:
    await page.set_viewport_size(ViewportSize(width=1280, height=720))
    await match.start("count_up", ["Ann", "Bo"])
    await page.goto(match.url)
    await match.throw("T20 T20 T20 / / T20 T20 T20")
    await expect(page.get_by_test_id("cell-0-1")).to_have_text("180")
    assert await page.get_by_test_id("cell-0-1").evaluate(_ROOM_BESIDE) > 3


_ROOM_BESIDE = """(cell) => {
  const figure = new Range();
  figure.selectNodeContents(cell);
  const [inner, outer] = [figure, cell].map((each) => each.getBoundingClientRect());
  return Math.min(inner.left - outer.left, outer.right - inner.right);
}"""
"""The free px beside the text of an element, on the side where there is less."""


async def test_the_hound_stands_on_the_board(page: Page, match: Playing) -> None:
    await match.start("fox_hunt", ["Ann", "Bo"])
    await page.goto(match.url)
    await match.throw("D20")
    await expect(page.locator("#board .stand")).to_have_text(["2"])
    await expect(page.locator(".rounds li")).to_have_count(len(match.state["board"]["steps"]))
    await expect(page.get_by_test_id("facts-1")).to_contain_text("numbers behind 2")


async def test_rows_that_one_side_closes_stand_once_and_each_side_says_what_it_does(page: Page, match: Playing) -> None:
    await match.start("scram", ["Ann", "Bo"])
    await page.goto(match.url)
    await match.throw("S20 T5 / T19")
    await expect(page.locator(".closing li")).to_have_count(20)
    await expect(page.locator(".closing .done")).to_have_text(["20", "5"])
    await expect(page.locator(".roles li")).to_have_text(["Ann0closes numbers", "Bo57scores"])
    await match.throw("/")
    await expect(page.locator(".roles .up")).to_have_text("Ann0closes numbers")
    await match.start("scram_cricket", ["Ann", "Bo"])
    await match.throw("D20 T19")
    await expect(page.get_by_test_id("cell-0")).to_have_text("202/3")
    await expect(page.locator(".closing .done")).to_have_text(["19"])
    await page.set_viewport_size(PHONE)  # which has no cards beside a face with marks
    await page.goto(f"{match.url}?view=remote")
    for side in (0, 1):
        await expect(page.get_by_test_id(f"points-{side}")).to_be_in_viewport(ratio=1)


_IS_WHOLE = "it => it.scrollHeight < it.clientHeight + 2 && it.scrollWidth < it.clientWidth + 2"


async def test_names_that_begin_alike_are_told_apart_on_a_slate(page: Page, match: Playing) -> None:
    names = ["Ann Marie Huber", "Ann Marie Weber", "Bo"]
    await match.start("cricket", names)
    for size, view in ((WALL, "wall"), (PHONE, "remote")):
        await page.set_viewport_size(size)
        await page.goto(f"{match.url}?view={view}")
        for name in names:
            shown = page.locator(".slate th[title] span", has_text=name).first
            assert await shown.evaluate(_IS_WHOLE), (view, name)


async def test_a_sheet_whose_heads_are_words_shows_fewer_columns(page: Page, match: Playing) -> None:
    await match.start("fifteen_contracts", ["Ann", "Bo"])
    await page.goto(f"{match.url}?lang=de")
    await expect(page.locator(".lines thead th")).to_have_count(7)  # and a sign that there are more


async def test_a_cell_that_makes_a_line_is_framed_and_owned_ones_carry_the_sign_of_their_side(
    page: Page, match: Playing
) -> None:
    await match.start("tic_tac_toe", ["Ann", "Bo"], options={"numbers": "classic"})
    await page.goto(match.url)
    await expect(page.get_by_test_id("cell-4")).to_have_text("Bull")
    await match.throw("T12 S12 S20 / T7 S7 SB / T20")
    await expect(page.locator(".owned .drawn")).to_have_count(3)
    await expect(page.locator(".owned .drawn").first).to_have_css("background-color", "rgba(0, 0, 0, 0)")
    await expect(page.locator(".completes")).to_have_count(1)
    await expect(page.get_by_test_id("cell-2")).to_have_class(re.compile("completes"))
    await expect(page.get_by_test_id("task")).to_have_text("Take 18: it makes three in a line and wins")
    await match.throw("/")
    await expect(page.get_by_test_id("task")).to_have_text("Take 18, or Ann can win with it")


async def test_a_dart_left_in_the_board_is_drawn_where_it_is(page: Page, match: Playing) -> None:
    await match.start("prisoner", ["Ann", "Bo"])
    await page.goto(match.url)
    await expect(page.locator("#board .number").first).to_be_attached()
    await expect(page.locator("#board .caught")).to_have_count(0)
    await match.throw("S1 I18 SB")
    assert match.state["board"]["caught"] == ["I18", "DB"]
    await expect(page.locator("#board .caught")).to_have_count(2)
    await expect(page.get_by_test_id("facts-0")).to_have_text("1 of 201 dart a visit")
    await match.throw("/ DB")
    await expect(page.locator("#board .caught")).to_have_count(1)
    await expect(page.get_by_test_id("facts-1")).to_contain_text("darts freed 1")
    await expect(page.locator("#last .sum")).to_have_text("1 step")


@pytest.mark.long
@pytest.mark.parametrize("play", [["--game", "ground_round"]], indirect=True)
async def test_ground_round_is_taken_on_the_map(play: Play) -> None:
    await play.tap("1,-1")
    state = await play.tap("2,-2")
    assert state["board"]["cells"]["2,-2"]["side"] == 0
    assert state["sides"][0]["score"] == 1
    state = await play.tap("1,1")
    prompt = state["prompts"][0]
    assert (prompt["id"].split("@")[0], prompt["blocking"]) in {("place", True), ("cancel", False)}
    placed = next(p for p in state["prompts"] if p["id"].startswith("place"))
    await play.page.get_by_test_id(f"option-{placed['options'][0]}").first.click()
    state = await play.beyond(state["line"])
    assert any(cell["pins"] for cell in state["board"]["cells"].values())


@pytest.mark.parametrize("play", [["--game", "dards", "--players", "Ann,Bo,Cy"]], indirect=True)
async def test_a_hand_is_played_from_the_phone_of_its_seat(play: Play, browser: Browser) -> None:
    async with aiohttp.ClientSession() as reader, reader.get(f"{play.url}api/table/main/seats") as answer:
        url = json.loads(await answer.text())[0]["url"]
    phone = await browser.new_page(viewport=PHONE)
    await phone.goto(url)
    cards = phone.locator("[data-testid^=hand-]")
    await expect(cards).to_have_count(6)
    card = (await cards.first.get_attribute("data-testid") or "").removeprefix("hand-")
    await expect(play.page.locator("body")).not_to_contain_text(card)
    await cards.first.click()
    state = await play.beyond(1)
    assert state["board"]["card"] == card
    await play.page.get_by_test_id("seats-close").click()
    target = state["board"]["target"]
    at_target = f"""tip => {{
        const [text] = [...document.querySelectorAll("#board .number")].filter(it => it.textContent === "{target}");
        const [x, y] = tip.getAttribute("d").match(/[-.\\de]+/g);
        return Math.hypot(x - text.getAttribute("x"), y - text.getAttribute("y"));
    }}"""
    assert await play.page.locator("#board .tip").evaluate(at_target) < 200, "the arrow around the board ends there"
    state = await play.tap(f"T{target}")
    assert state["sides"][0]["score"] == 3 * target * state["board"]["multiplier"]
    assert await play.post("start", game="x01", players=["Ann", "Bo"]) == 200
    await expect(phone.get_by_test_id("link-warning")).to_contain_text("no longer valid")
    await expect(cards.first).to_be_hidden()


@pytest.mark.parametrize(
    ("language", "task", "chooses"),
    [
        ("en", "Which row gets the T20: 20 or any triple?", "Ann chooses"),
        ("de", "Welche Zeile bekommt T20: 20 oder jedes Triple?", "Ann wählt"),
    ],
)
async def test_what_the_task_asks_is_asked_once(
    browser: Browser, match: Playing, language: str, task: str, chooses: str
) -> None:
    await match.start("tactics", ["Ann", "Bo"])
    await match.throw("T20")
    for width, height, view in ((1280, 720, "wall"), (360, 640, "remote")):
        page = await browser.new_page(viewport={"width": width, "height": height})
        await page.goto(f"{match.url}?lang={language}&view={view}")
        await expect(page.get_by_test_id("option-triple")).to_be_visible()
        await expect(page.locator("#task")).to_contain_text(task)
        await expect(page.locator("#task")).to_be_visible()
        await expect(page.get_by_test_id("phase")).to_have_text(chooses)
        box = await page.locator("#prompts .question").bounding_box()
        assert box
        assert box["width"] * box["height"] <= 1, "it is for who hears the page"
        assert await look_at(page, match.state, is_wall=view == "wall") == []
