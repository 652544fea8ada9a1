"""The bracket of a tournament on a wall, a phone and paper, and its tables live, at a real daemon."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Page, ViewportSize, expect

from tests.commanding import give
from tests.daemon.process import eventually
from tests.daemon.tournament_place import Place, run_place
from tests.page.firefox import start_firefox
from tests.page.test_axe import LOOKS, Findings
from tests.page.test_called import CUT

JSON = Any  # Any: JSON
TURN_MS = 12_000
WALLS = [(800, 480), (1920, 1080), (1080, 1920), (3840, 2160)]
PHONE = ViewportSize(width=360, height=640)
SPILLED = """() => {
  const wall = document.querySelector(".tournament-wall").getBoundingClientRect();
  return [...document.querySelectorAll(".tournament-wall *")].filter((each) => {
    const { bottom, right } = each.getBoundingClientRect();
    return each.checkVisibility() && (bottom > wall.bottom + 1 || right > wall.right + 1);
  }).map((each) => each.outerHTML.slice(0, 80));
}"""
LOST = """() => [...document.querySelectorAll(".live-table :is(.fitted-name i, .score)")].filter((each) => {
  const { height, left, right } = each.getBoundingClientRect();
  const card = each.closest(".live-table").getBoundingClientRect();
  return each.textContent && (height < innerHeight / 100 || left < card.left || right > card.right);
}).map((each) => each.textContent)"""
"""What of the tables is not to be seen, or too small."""
OFF_PAPER = """() => [...document.querySelectorAll(".paper :is(.match-card, tr)")].filter((each) => {
  const box = each.getBoundingClientRect(), paper = each.closest(".paper").getBoundingClientRect();
  return box.bottom > paper.bottom + 1 || box.right > paper.right + 1;
}).map((each) => each.textContent)"""
MATCHES = "[...document.querySelectorAll('[data-match]')].map((each) => each.dataset.match)"
SWIPE = """(way) => {
  const panel = document.querySelector(".shown-panel"), { left, top, width } = panel.getBoundingClientRect();
  const touch = (x) => new Touch({ identifier: 1, target: panel, clientX: left + width / 2 + x, clientY: top + 20 });
  panel.dispatchEvent(new TouchEvent("touchstart", { touches: [touch(0)] }));
  panel.dispatchEvent(new TouchEvent("touchend", { changedTouches: [touch(way * 100)] }));
}"""
NAMES = ("Ann", "Bo", "W" * 24, f"{'W' * 12} {'M' * 11}", "Ed", "Flo", "Gus", "Hal")


async def draw(place: Place, names: Sequence[str] = NAMES, **spec: JSON) -> str:
    """Makes a tournament of these at the table main and one on paper, called by hand, and draws it; returns its id."""
    made = await place.make(**{"seeding": "hand", "third_place": True, "options": {"start": 101}, **spec})
    for seed, name in enumerate(names, 1):
        await place.do(made, "enter", people=[name], seed=seed)
    await place.do(made, "set_tables", tables=[{"name": "main"}, {"name": "Corner", "paper": True}], auto=False)
    proposed = await place.post(f"/api/tournament/{made}/propose", {}, place.setup)
    assert (await place.post(f"/api/tournament/{made}/do", proposed.body, place.setup)).status == 200
    return made


async def win(place: Place, made: str, match: str, winner: int = 0) -> None:
    """Has side 0 or 1 win this match, 2 : 1."""
    shown = next(each for each in (await place.view(made))["matches"] if each["id"] == match)
    legs = [2, 1] if winner == 0 else [1, 2]
    await place.do(made, "result", match=match, sides=shown["sides"], winner=shown["sides"][winner], legs=legs)


async def enter(page: Page, place: Place, made: str, view: str = "", query: str = "lang=en") -> None:
    """Opens a view of the tournament on a device that looks on."""
    await page.goto(f"{place.url}/?lang=en#token={place.look}")
    await expect(page.get_by_test_id("title")).not_to_have_text("oche")
    await page.goto(f"{place.url}/tournament?{query}#/{made}{view and f'/{view}'}")
    await expect(page.get_by_test_id("title")).to_have_text("Friday")


async def turn(page: Page, wanted: str) -> None:
    """Waits until it is the turn of this page of the wall."""
    for _ in range(4):
        await page.clock.run_for(TURN_MS)
        if await page.locator(f".wall-page{wanted}").is_visible():
            break
    await expect(page.locator(f".wall-page{wanted}")).to_be_visible()


async def test_a_wall_shows_all_in_turn_with_no_name_cut_and_the_final_by_itself(
    tmp_path: Path, browser: Browser
) -> None:
    page = await browser.new_page(reduced_motion="reduce")
    async with run_place(tmp_path) as place:
        made = await draw(place)
        await page.clock.install()
        await page.set_viewport_size(ViewportSize(width=800, height=480))
        await enter(page, place, made, query="view=wall&lang=en")
        wall = page.get_by_test_id("wall-page")
        await expect(wall).to_contain_text("Quarter-final")
        await expect(page.get_by_test_id("match-winners-2-1")).to_contain_text("Winner of Quarter-final · 2")
        await expect(page.get_by_test_id("match-winners-1-2").locator(".told")).to_have_text(re.compile(r"^2( · |$)"))
        await win(place, made, "winners-1-1")
        await expect(page.get_by_test_id("match-winners-1-1").locator(".won .score")).to_have_text("2")
        seen: set[str] = set()
        for _ in range(6):
            for width, height in WALLS:
                await page.set_viewport_size(ViewportSize(width=width, height=height))
                await page.evaluate("dispatchEvent(new Event('resize'))")  # which the browser may tell later
                assert await page.evaluate(CUT) == []
                assert await page.evaluate(SPILLED) == []
                seen |= {*await page.evaluate(MATCHES)}
            await page.clock.run_for(TURN_MS)
        assert seen == {each["id"] for each in (await place.view(made))["matches"]}
        for match in ("winners-1-2", "winners-1-3", "winners-1-4", "winners-2-1", "winners-2-2", "third-1"):
            await win(place, made, match)
        await turn(page, ".of-final")
        await win(place, made, "final-1")
        await turn(page, ".of-winner")
        await expect(page.get_by_test_id("champion")).to_have_text("Ann")
        await turn(page, ".of-places")
        await expect(page.get_by_test_id("places").get_by_role("row")).to_have_count(8)
        assert await page.evaluate(CUT) == []
        assert await page.evaluate(SPILLED) == []


async def test_a_wall_shows_all_who_have_entered_beside_the_code(tmp_path: Path, browser: Browser) -> None:
    page = await browser.new_page(reduced_motion="reduce")
    names = {*NAMES, *(f"Player {number}" for number in range(1, 21))}
    async with run_place(tmp_path) as place:
        made = await place.make()
        for name in names:
            await place.do(made, "enter", people=[name])
        await page.clock.install()
        for width, height in WALLS:
            await page.set_viewport_size(ViewportSize(width=width, height=height))
            await enter(page, place, made, query="view=wall&lang=en")
            await page.reload()
            await expect(page.locator(".sign-up-code")).to_be_visible()
            seen: set[str] = set()
            while seen != names:
                assert await page.evaluate(CUT) == []
                assert await page.evaluate(SPILLED) == []
                seen |= {*await page.locator(".wall-entered .fitted-name").all_text_contents()}
                await page.clock.run_for(TURN_MS)


async def test_a_phone_shows_round_by_round_and_follows_a_name(tmp_path: Path, browser: Browser) -> None:
    context = await browser.new_context(viewport=PHONE, has_touch=True)
    page = await context.new_page()
    async with run_place(tmp_path) as place:
        made = await draw(place, formats={"final": {"legs": 2}})
        await win(place, made, "winners-1-1")
        await enter(page, place, made)
        chosen = page.locator("[role=tab][aria-selected=true]")
        await expect(chosen).to_have_text("Quarter-final")
        assert await page.evaluate(CUT) == []
        await page.evaluate(SWIPE, -1)
        await expect(chosen).to_have_text("Semi-final")
        await page.get_by_test_id("match-winners-2-1").get_by_text("Ann").click()
        followed = page.get_by_test_id("followed")
        await expect(followed).to_contain_text("your next match")
        await expect(followed).to_contain_text("Semi-final")
        await expect(page.locator(".on-path")).to_have_count(1)
        await page.reload()
        await expect(followed).to_contain_text("Ann")
        await expect(chosen).to_have_text("Semi-final")  # where the next match is
        await win(place, made, "winners-1-2")
        await place.do(made, "call", match="winners-2-1", table="Corner")
        await expect(followed).to_contain_text("Corner")
        await win(place, made, "winners-2-1", 1)
        await expect(followed).to_contain_text("Match for third place")
        await page.evaluate(SWIPE, 1)
        await expect(chosen).to_have_text("Final")
        assert await page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


async def test_a_phone_that_follows_nobody_sees_the_round_that_is_played_and_at_the_end_all_places(
    tmp_path: Path, browser: Browser
) -> None:
    page = await browser.new_page(viewport=PHONE)
    async with run_place(tmp_path) as place:
        made = await draw(place)
        while (view := await place.view(made))["phase"] != "over":
            final = next(each for each in view["matches"] if each["stage"] == "final")
            ready = next(each for each in view["matches"] if each["status"] == "ready")
            if ready["id"] == final["id"]:
                await enter(page, place, made)
                await expect(page.locator("[role=tab][aria-selected=true]")).to_be_in_viewport(ratio=1)
            await win(place, made, ready["id"])
        await expect(page.locator("[role=tab][aria-selected=true]")).to_have_text("Places")
        await expect(page.get_by_test_id("followed")).to_have_text("Annwins the tournament")
        await expect(page.get_by_test_id("places").get_by_role("row")).to_have_count(8)
        await look_at_paper(page, place, made)


async def look_at_paper(page: Page, place: Place, made: str) -> None:
    """On paper are the places, and no code any more."""
    await enter(page, place, made, "print")
    await expect(page.get_by_test_id("papers").get_by_test_id("places")).to_be_attached()
    await expect(page.locator(".paper .code")).to_have_count(0)


@pytest.mark.parametrize("language", ["de", "en", "es", "fr", "nl"])
async def test_nothing_lies_over_what_a_wall_says(tmp_path: Path, browser: Browser, language: str) -> None:
    page = await browser.new_page(viewport=ViewportSize(width=800, height=480))
    async with run_place(tmp_path) as place:
        made = await draw(place)
        await enter(page, place, made, query=f"view=wall&lang={language}")
        ends = [await there.bounding_box() for there in (page.get_by_test_id("mode"), page.get_by_test_id("wall-page"))]
        assert ends[0]
        assert ends[1]
        assert ends[0]["y"] + ends[0]["height"] <= ends[1]["y"]


async def test_a_large_bracket_is_as_wide_as_a_screen_and_says_which_round_each_column_is(
    tmp_path: Path, browser: Browser
) -> None:
    page = await browser.new_page(viewport=ViewportSize(width=1280, height=720))
    async with run_place(tmp_path) as place:
        made = await draw(
            place, [f"Player {number}" for number in range(1, 34)], kind="double_knock_out", third_place=False
        )
        await enter(page, place, made)
        heads = page.locator(".bracket-tree h3")
        await expect(heads).to_have_text([f"Round {number}" for number in range(1, 7)])
        assert await heads.evaluate_all("all => all.filter((it) => it.scrollWidth > it.clientWidth).length") == 0
        await expect(heads.last).to_be_in_viewport(ratio=1)
        assert await page.evaluate(CUT) == []


async def test_whom_one_has_not_met_has_room_beside_a_long_name(tmp_path: Path, browser: Browser) -> None:
    page = await browser.new_page(viewport=PHONE)
    async with run_place(tmp_path) as place:
        made = await place.make(kind="open")
        for name in NAMES:
            await place.do(made, "enter", people=[name])
        proposed = await place.post(f"/api/tournament/{made}/propose", {}, place.setup)
        assert (await place.post(f"/api/tournament/{made}/do", proposed.body, place.setup)).status == 200
        await enter(page, place, made)
        long, others = page.locator(".not-met dt").nth(2), page.locator(".not-met dd").nth(2)
        await expect(long).to_have_text("W" * 24)
        boxes = [await there.bounding_box() for there in (long, others)]
        assert boxes[0]
        assert boxes[1]
        assert boxes[1]["width"] > boxes[0]["width"]


PLACE = """document.querySelector("[data-testid=match-winners-1-4]").getBoundingClientRect().toJSON()"""
"""Where it is, of what is shown at this moment: it is drawn anew with each result."""


async def test_a_late_result_moves_nothing_but_itself(tmp_path: Path, browser: Browser) -> None:
    page = await browser.new_page(viewport=ViewportSize(width=1280, height=720))
    async with run_place(tmp_path) as place:
        made = await draw(place)
        await enter(page, place, made)
        await expect(page.get_by_test_id("match-winners-1-4")).to_be_visible()
        before = await page.evaluate(PLACE)
        await win(place, made, "winners-1-1")
        await expect(page.get_by_test_id("match-winners-1-1").locator(".won .score")).to_have_text("2")
        assert await page.evaluate(PLACE) == before


async def test_a_group_shows_its_table_and_its_results(tmp_path: Path, browser: Browser) -> None:
    page = await browser.new_page(viewport=ViewportSize(width=1280, height=720))
    async with run_place(tmp_path) as place:
        made = await draw(place, kind="groups", groups=2, through=2)
        first = next(each for each in (await place.view(made))["matches"] if each["status"] == "ready")
        await win(place, made, first["id"])
        await enter(page, place, made)
        await expect(page.locator(".tournament-table tbody tr").first.locator(".of-points")).to_have_text("2")
        await expect(page.locator(".cross-table")).to_contain_text("2:1")
        assert await page.evaluate(CUT) == []
        await page.get_by_test_id("tab-winners").click()
        await expect(page.get_by_test_id("tree")).to_contain_text("Place 1 of group A")


async def test_a_match_of_teams_shows_its_parts(tmp_path: Path, browser: Browser) -> None:
    page = await browser.new_page(viewport=PHONE)
    async with run_place(tmp_path) as place:
        made = await place.make(seeding="hand", slots=[{"home": [0], "away": [1]}, {"home": [1], "away": [0]}])
        for name in ("Red", "Blue"):
            await place.do(made, "enter", people=[f"{name} one", f"{name} two"], name=name)
        proposed = await place.post(f"/api/tournament/{made}/propose", {}, place.setup)
        assert (await place.post(f"/api/tournament/{made}/do", proposed.body, place.setup)).status == 200
        part = next(each for each in (await place.view(made))["matches"] if each["of"])
        await win(place, made, part["id"])
        await enter(page, place, made)
        await expect(page.locator(".match-parts li")).to_have_count(2)
        await expect(page.get_by_test_id(f"part-{part['id']}")).to_contain_text("2:1")


async def test_all_tables_are_live_on_one_screen(tmp_path: Path, browser: Browser) -> None:
    page = await browser.new_page(viewport=ViewportSize(width=800, height=480))
    async with run_place(tmp_path) as place:
        made = await draw(place)
        await enter(page, place, made, "tables", "view=wall&lang=en")
        card = page.get_by_test_id("live-main")
        await expect(card).to_be_visible()
        await place.do(made, "call", match="winners-1-1", table="main")
        await expect(card).to_contain_text("press start")
        table = place.running.tables["main"]
        await eventually(lambda: bool(table.committed.plan.ref))
        await give(table, {"start": None}, "page")
        await give(table, {"throw": "T20"}, "page")
        await expect(card.locator(".up .score")).to_have_text("41")
        await expect(card).to_contain_text(f"{table.state().turn.player} to throw")
        for width, height in WALLS:
            await page.set_viewport_size(ViewportSize(width=width, height=height))
            assert await page.evaluate(CUT) == []
            assert await page.evaluate(LOST) == []
        await expect(page.get_by_test_id("live-Corner")).to_contain_text("free")


async def test_it_is_printed_black_on_white_with_a_page_for_each_sheet(tmp_path: Path, browser: Browser) -> None:
    page = await browser.new_page(viewport=ViewportSize(width=1280, height=720))
    async with run_place(tmp_path) as place:
        made = await draw(place, [f"Player {number}" for number in range(1, 41)])
        await enter(page, place, made, "print")
        papers = page.locator(".paper")
        await expect(page.get_by_test_id("papers")).to_contain_text("Sign-up code")
        await expect(page.get_by_test_id("part-sheets")).to_be_checked()
        for size, box in (("a4", (842, 595)), ("a3", (1191, 842))):
            await page.get_by_test_id("paper-size").select_option(size)
            pdf = await page.pdf(prefer_css_page_size=True)
            boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf)
            assert len(boxes) == await papers.count()
            assert {tuple(round(float(side)) for side in each) for each in boxes} == {box}
        assert await page.evaluate(CUT) == []
        await page.emulate_media(media="print")
        colours = await papers.first.evaluate(
            "it => [getComputedStyle(it).color, getComputedStyle(it).backgroundColor]"
        )
        assert colours == ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]
        await expect(page.locator("header")).to_be_hidden()


@pytest.mark.parametrize(
    ("sides", "a4", "a3"),
    [(10, 1 + 3, 1 + 3), (12, 2 + 4, 2 + 3)],  # the standings and who beat whom, and the rounds
)
async def test_rounds_of_a_table_share_sheets_and_all_of_each_is_printed(
    tmp_path: Path, browser: Browser, sides: int, a4: int, a3: int
) -> None:
    page = await browser.new_page(viewport=ViewportSize(width=1280, height=720))
    names = [*NAMES, *(f"Player {number}" for number in range(9, 13))][:sides]
    async with run_place(tmp_path) as place:
        made = await draw(place, names, kind="round_robin", third_place=False)
        await enter(page, place, made, "print")
        for each in ("bracket", "order", "code", "sheets"):
            await page.get_by_test_id(f"part-{each}").uncheck()
        for size, sheets in (("a4", a4), ("a3", a3)):
            await page.get_by_test_id("paper-size").select_option(size)
            await expect(page.locator(".paper")).to_have_count(sheets)
            assert {*await page.evaluate(MATCHES)} == {each["id"] for each in (await place.view(made))["matches"]}
            assert await page.evaluate(OFF_PAPER) == []


@pytest.mark.long
@pytest.mark.parametrize("look", LOOKS)
async def test_what_everybody_sees_of_a_tournament_is_accessible(tmp_path: Path, examined: Page, look: str) -> None:
    findings = Findings()
    async with run_place(tmp_path) as place:
        made, grouped = await draw(place), await draw(place, kind="groups", groups=2, through=2)
        await win(place, made, "winners-1-1")
        await place.do(made, "call", match="winners-1-2", table="Corner")
        for size in (ViewportSize(width=1280, height=720), PHONE):
            await examined.set_viewport_size(size)
            for view, content in (("", ".match-card"), ("tables", ".live-table"), ("print", ".paper")):
                await enter(examined, place, made, view, look)
                await expect(examined.locator(content).first).to_be_visible()
                await findings.audit(examined, f"{view}, {size}, {look}")
            await enter(examined, place, grouped, "", look)
            await expect(examined.locator(".tournament-table")).to_be_visible()
            await findings.audit(examined, f"groups, {size}, {look}")
        await enter(examined, place, made, "", f"view=wall&{look}")
        await expect(examined.get_by_test_id("wall-page")).to_be_visible()
        await findings.audit(examined, f"wall, {look}")
    assert not findings.all, "\n".join(findings.all)


@pytest.mark.long
async def test_in_firefox_no_name_is_cut_on_walls_phones_and_paper(tmp_path: Path, firefox_path: Path) -> None:
    async with run_place(tmp_path) as place, start_firefox(firefox_path, tmp_path / "firefox") as firefox:
        made, grouped = await draw(place), await draw(place, kind="groups", groups=2, through=2)
        await win(place, made, "winners-1-1")
        await firefox.goto(f"{place.url}/?lang=en#token={place.look}")
        await firefox.until("Boolean(document.querySelector('#strip:not([hidden])'))")
        for (width, height), tournament, view, content in (
            *((size, made, "?view=wall#/{}", ".wall-page") for size in WALLS),
            ((800, 480), made, "?view=wall#/{}/tables", ".live-table"),
            ((360, 640), made, "#/{}", ".match-card"),
            ((360, 640), grouped, "#/{}", ".tournament-table"),
            ((1280, 720), made, "#/{}/print", ".paper"),
        ):
            await firefox.resize(width, height)
            await firefox.goto("about:blank")
            await firefox.goto(f"{place.url}/tournament{view.format(tournament)}")
            await firefox.until(f"Boolean(document.querySelector('{content} .fitted-name'))")
            assert await firefox.run(f"({CUT})()") == [], (width, height, view)
        assert await firefox.problems() == []


@pytest.mark.long
async def test_in_firefox_each_sheet_is_printed_on_a_page_that_lies(tmp_path: Path, firefox_path: Path) -> None:
    async with run_place(tmp_path) as place, start_firefox(firefox_path, tmp_path / "firefox") as firefox:
        made = await draw(place, [f"Player {number}" for number in range(1, 41)])
        await firefox.goto(f"{place.url}/?lang=en#token={place.look}")
        await firefox.until("Boolean(document.querySelector('#strip:not([hidden])'))")
        await firefox.goto(f"{place.url}/tournament#/{made}/print")
        await firefox.until("Boolean(document.querySelector('.paper .sign-up-code'))")
        sheets = await firefox.run("document.querySelectorAll('.paper').length")
        assert await firefox.print_pages() == [(842, 596)] * sheets
