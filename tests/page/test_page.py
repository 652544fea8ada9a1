"""The scoreboard in a real browser: darts go in as bytes on a pty, and what people see is read off the page."""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from daemon.assemble import RunningDaemon, run_daemon
from protocol.events import Hit
from protocol.standard import standard
from simulator.pty_board import PtyBoard
from tests.page.playing import Playing, look_at, play, setup, throw
from tests.sweep import sweep

LEAVING = """async (leave) => {
  const { store } = await import("./joined/index/store.js");
  const { render } = await import("./joined/index/wall/scoreboard.js");
  render({ ...store.state, leave });
  return document.querySelectorAll("#darts .leaving").length;
}"""
"""How many slots say what to leave; counted at once, since a state that comes meanwhile is drawn over this one."""
PAINTED = """() => {
  const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const light = (colour) => {
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    const [red, green, blue] = context.getImageData(0, 0, 1, 1).data;
    return Math.round((red + green + blue) / 3);
  };
  const areas = [...document.querySelectorAll("#board > .area")];
  const sampled = (animation, name) => {
    const group = animation.effect.target; // or one area
    const { delay, duration } = animation.effect.getComputedTiming();
    animation.pause();
    return (group.children.length ? [...group.children] : [group]).map((lit) => {
      const below = areas.find((area) => area.getAttribute("d") === lit.getAttribute("d"));
      const [over, under] = [lit, below].map((it) => light(getComputedStyle(it)[name]));
      return Array.from({ length: 21 }, (_, step) => {
        animation.currentTime = delay + duration * Math.min(step / 20, 0.999);
        const opacity = Number(getComputedStyle(group).opacity);
        return opacity * over + (1 - opacity) * under;
      });
    });
  };
  const names = { glow: "fill", beckon: "stroke" };
  const running = document.getAnimations().filter((each) => each.animationName in names);
  const animated = document.getAnimations().flatMap((each) => each.effect.getKeyframes()).flatMap(Object.keys);
  return { lit: running.flatMap((each) => sampled(each, names[each.animationName])), animated };
}"""
"""How light each area that is lit is (0 to 255), all through its animation; and what any animation changes."""
LUMINANCE = """bed => getComputedStyle(bed).fill.match(/\\d+/g).map(Number)
  .map((each) => each / 255).map((each) => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4)
  .reduce((sum, each, index) => sum + each * [0.2126, 0.7152, 0.0722][index], 0)"""
WIRES = """() => {
  const degrees = (x, y) => Math.atan2(y, x) * 180 / Math.PI;
  const legs = document.querySelector("#board > path.wire").getAttribute("d").match(/M[^MLZ]+L[^MLZ]+(?=M|$)/g);
  const numbers = [...document.querySelectorAll("#board > .number")];
  return [legs.map((leg) => degrees(...leg.slice(1).split("L")[1].split(" ").map(Number))),
    numbers.map((text) => degrees(...["x", "y"].map((axis) => +text.getAttribute(axis))))];
}"""
"""The directions in which wires stand out beyond the areas, and those of the numbers, in degrees."""
CHEAP = {"opacity", "transform", "offset", "computedOffset", "easing", "composite"}
"""What Chromium animates without painting anything anew, and what else a keyframe has."""


@pytest.mark.usefixtures("shown")
@pytest.mark.parametrize("theme", ["dark", "light"])
async def test_wedges_are_told_from_their_neighbours(page: Page, theme: str) -> None:
    """By 4.5 to 1, as text is from its ground (WCAG 2.2, 1.4.3)."""
    await page.goto(f"{page.url}?theme={theme}")
    tones = [page.locator(f"#board .bed.{tone}").first for tone in ("dark", "light")]
    darkest, lightest = sorted([await tone.evaluate(LUMINANCE) for tone in tones])
    assert (lightest + 0.05) / (darkest + 0.05) >= 4.5


@pytest.mark.usefixtures("shown")
async def test_the_board_has_wires_that_stand_out_between_its_numbers_and_take_no_tap(page: Page) -> None:
    await expect(page.locator("#board > path.wire")).to_have_count(1)
    legs, numbers = await page.evaluate(WIRES)
    assert len(legs) == len(numbers) == 20
    assert min(abs((leg - number + 180) % 360 - 180) for leg in legs for number in numbers) == pytest.approx(9, abs=0.5)
    at_the_edge = "path => { const { x, y } = path.getPointAtLength(0); const at = new DOMPoint(x, y)"
    at_the_edge += (
        ".matrixTransform(path.getScreenCTM()); return document.elementFromPoint(at.x, at.y).dataset.segment }"
    )
    assert await page.locator("#board > path.wire").evaluate(at_the_edge)


async def test_the_page_heals_after_a_restart_and_says_what_is_wrong_meanwhile(
    tmp_path: Path, board: PtyBoard, page: Page, unused_tcp_port_factory: Callable[[], int]
) -> None:
    prepared = setup(tmp_path, unused_tcp_port_factory(), unused_tcp_port_factory(), options={})
    async with run_daemon(prepared) as running:
        await board.wait_until_open()
        await page.goto(f"{running.page}?lang=de")
        throw(board, "T20")
        await expect(page.get_by_test_id("score-0")).to_have_text("441")
        await board.unplug()
        await expect(page.locator("#board-warning")).to_contain_text("steck ")
    await expect(page.locator("#link-warning")).to_be_visible()
    async with run_daemon(prepared):
        await expect(page.locator("#link-warning")).to_be_hidden()
        await expect(page.get_by_test_id("score-0")).to_have_text("441")
        board.plug()
        await expect(page.locator("#board-warning")).to_be_hidden()


async def test_cricket_shows_the_marks_of_all_eight(
    tmp_path: Path, board: PtyBoard, page: Page, unused_tcp_port: int
) -> None:
    names = tuple("Ann Bo Cy Di Ed Flo Gus Hal".split())
    async with run_daemon(setup(tmp_path, unused_tcp_port, options={}, game="cricket", players=names)) as running:
        await page.set_viewport_size({"width": 1920, "height": 1080})
        await page.goto(running.page or "")
        await play(running, " / ".join(["T20 S19 S19"] * 7 + ["S20"]))
        slate = page.get_by_role("table")
        await expect(slate.get_by_role("rowheader")).to_have_text(names)
        await expect(slate.get_by_test_id("cell-7-0").locator("path")).to_have_count(1)
        for side in range(7):
            await expect(slate.get_by_test_id(f"cell-{side}-0").locator("circle")).to_be_in_viewport(ratio=0.95)
            await expect(slate.get_by_test_id(f"cell-{side}-1").locator("path")).to_have_count(2)
        row = slate.get_by_test_id("row-0")
        await expect(row).not_to_have_class("closed")
        await play(running, "D20")
        await expect(row).to_have_css("text-decoration-line", "line-through")


@pytest.mark.parametrize(
    ("game", "darts", "shown"),
    [
        ("tactics", "S20", "20 19 18 17 16 15 14 13 12 11 10 Doubles Triples Bull"),
        ("scram", "S20", " ".join(map(str, range(20, 0, -1)))),
        ("prisoner", "S1", "1 18 4 13 6 10 15 2 17 3 19 7 16 8 11 14 9 12 5 20"),
        ("shanghai_20", "S1", "1 2 3 4 5 6 7 8 9 …"),
        ("shanghai_20", "/ " * 24 + "S13", "… 9 10 11 12 13 14 15 16 …"),
    ],
)
async def test_a_sheet_is_whole_or_says_that_there_is_more(
    page: Page, match: Playing, game: str, darts: str, shown: str
) -> None:
    await page.goto(match.url)
    await match.start(game, ["Ann", "Bo"])
    await match.throw(darts)
    await expect(page.get_by_test_id("dart-0")).to_have_attribute("data-segment", darts[-3:].strip())
    names = page.locator("#panel :is([data-testid^=row-], [data-testid^=step-], li:not(.roles li), thead td)").filter(
        has_text=re.compile(".")
    )
    await expect(names).to_have_count(len(shown.split()))
    assert sorted(await names.all_inner_texts()) == sorted(shown.split())
    assert await look_at(page, match.state, is_wall=True) == []


async def test_a_dart_a_visit_and_a_score_say_what_the_game_counts(page: Page, match: Playing) -> None:
    await page.goto(match.url)
    await match.start("golf", ["Ann", "Bo"])
    await match.throw("T1")
    await expect(page.get_by_test_id("dart-0")).to_have_text(re.compile(r"^T1\s+2$"))
    await expect(page.get_by_test_id("score-0")).to_have_attribute("data-unit", "strokes")
    await match.start("knockout", ["Ann", "Bo"])
    await match.throw("T20 S5")
    await expect(page.locator("#visit-points")).to_have_text("= 65")


async def test_darts_that_leave_a_finish_stand_in_the_slots_and_on_the_board(page: Page, match: Playing) -> None:
    await page.goto(match.url)
    await match.start("checkout_121", ["Ann", "Bo"])
    await match.throw("S19")
    await expect(page.locator("#darts .leaving b")).to_have_text(["T20", "10"])
    await expect(page.locator("#board .later")).to_have_count(2)  # both singles of the 10
    assert await look_at(page, match.state, is_wall=True) == []
    await match.start("x01", ["Ann", "Bo"], options={"start": 301})
    await expect(page.get_by_test_id("score-0")).to_have_text("301")
    assert match.state["leave"]["needs"] == 3
    await expect(page.locator("#darts .advised")).to_have_count(0)
    for left, count in ((100, 1), (150, 0)):  # of a game that does not say how many darts that needs
        assert await page.evaluate(LEAVING, {"darts": ["T20"], "left": left}) == count


async def test_a_grid_takes_the_place_of_the_score(page: Page, match: Playing) -> None:
    await page.goto(match.url)
    await match.start("tic_tac_toe", ["Ann", "Bo"])
    await expect(page.get_by_test_id("cell-8")).to_be_visible()
    await expect(page.get_by_test_id("score")).to_be_hidden()


@pytest.mark.long
async def test_a_dart_that_does_not_count_and_a_stuck_segment_are_loud(
    board: PtyBoard, page: Page, shown: RunningDaemon
) -> None:
    throw(board, "T20", "I5", "O1", "D14")
    await expect(page.locator("#stray:not([hidden])")).to_have_text("D14 does not count")
    size = await page.locator("#stray").evaluate("it => parseFloat(getComputedStyle(it).fontSize)")
    assert size > 60, "in letters that are read from the oche on a small tablet"

    started = time.monotonic_ns()
    for n in range(5):
        stuck = Hit(segment=standard()["D7"], time_ns=started + n * 550_000_000)
        await shown.tables["main"].feed(stuck)
    await expect(page.locator("#stuck-warning")).to_contain_text("D7 is stuck")
    await expect(page.locator("#stuck-warning")).to_be_hidden()


@pytest.mark.long
@pytest.mark.usefixtures("shown")
async def test_a_journal_that_cannot_be_written_is_loud_until_it_can(
    tmp_path: Path, board: PtyBoard, page: Page
) -> None:
    warning = page.locator("#trouble-warning")
    with closing(sqlite3.connect(tmp_path / "main.sqlite3", isolation_level=None)) as db:
        db.execute("begin immediate")
        throw(board, "T20")
        await expect(warning).to_contain_text("Darts do not count right now – cannot write the journal")
        throw(board, "DB")
        await expect(page.locator("#stray:not([hidden])")).to_have_text("Bull does not count")
        await expect(page.get_by_test_id("score-0")).to_have_text("501")
        await page.goto(f"{page.url}?lang=de")
        await expect(warning).to_contain_text("Gerade zählt kein Dart – das Journal ")
    await expect(warning).to_be_hidden()
    throw(board, "T19")
    await expect(page.get_by_test_id("score-0")).to_have_text("444")


async def test_the_round_at_play_is_gold_only_where_its_head_is_the_target(page: Page, match: Playing) -> None:
    await page.goto(match.url)
    for game, at_play in (("baseball", "now target"), ("low_ball", "now"), ("darts_at", "now")):
        await match.start(game, ["Ann", "Bo"])
        await expect(page.get_by_test_id("row-0")).to_have_class(at_play)
        await expect(page.get_by_test_id("row-1")).to_have_class("")


async def test_what_does_not_count_is_dimmed_where_most_does(page: Page, match: Playing) -> None:
    await page.goto(match.url)
    of = {name: page.locator(f"#board .lights .{name}") for name in ("target", "dimmed")}
    for game, lit, dimmed in (
        ("cricket", 6 * 4 + 2, 0),
        ("scram", 1, 2),  # the bull does not; lit is what is advised
        ("tactics", 1, 9 * 2),  # not the singles of 1 to 9
        ("count_up", 0, 0),
    ):
        await match.start(game, ["Ann", "Bo"])
        await expect(of["target"]).to_have_count(lit)
        await expect(of["dimmed"]).to_have_count(dimmed)
    await match.start("scram_cricket", ["Ann", "Bo"])
    await expect(of["target"]).to_have_count(6 * 4 + 2)


@pytest.mark.parametrize("game", sweep(["cricket", "killer", "ground_round"], lambda game: game == "cricket"))
async def test_what_to_aim_at_never_goes_dark(page: Page, match: Playing, game: str) -> None:
    await match.start(game, ["Ann", "Bo"])
    if game == "ground_round":  # its map asks where a pin goes
        cells = match.state["board"]["cells"]
        await match.throw(next(each for each in match.state["targets"] if cells[each]["symbol"] == "pin"))
    while game == "killer" and len(match.state["targets"]) != 1:
        await match.go_on(1)
    for theme in ("dark", "light"):
        await page.goto(f"{match.url}?theme={theme}")
        await expect(page.locator("#board").locator(".target, .choice").first).to_be_attached()
        found = await page.evaluate(PAINTED)
        assert found["lit"]
        for lightness in found["lit"]:
            assert min(lightness) >= 0.6 * lightness[0], lightness
        assert set(found["animated"]) <= CHEAP | ({"stroke"} if game == "ground_round" else set())
