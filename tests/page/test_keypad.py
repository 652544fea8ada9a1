"""A scorer's keypad at a table without a sensor: totals, no score, a finish, undo, and the way to the face."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import pytest_asyncio
from playwright.async_api import Page, Route, expect

from daemon.assemble import RunningDaemon, run_daemon
from daemon.config.reader import CheckedConfig
from daemon.table.table import Table
from tests.commanding import give
from tests.page.playing import hold_until, look_at, setup

SIZES = ((1920, 1080), (800, 480), (390, 844))
_FITS = """() => [...document.querySelectorAll("#keypad button")].flatMap((key) => {
    const { left, top, right, bottom, width, height } = key.getBoundingClientRect();
    const foot = document.querySelector("footer").getBoundingClientRect().top;
    const at = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    const isSeen = left >= 0 && top >= 0 && right <= innerWidth && bottom <= foot && key.contains(at);
    return isSeen && width >= 44 && height >= 44 ? [] : [`${key.dataset.testid} ${left} ${top} ${width} ${height}`];
})"""


def without_sensor(folder: Path, port: int, **table: Any) -> CheckedConfig:  # Any: as TableConfig has it
    return setup(folder, port, board="none", takeout_s=600, **table)


@pytest_asyncio.fixture(loop_scope="session")
async def steel(tmp_path: Path, unused_tcp_port: int) -> AsyncIterator[RunningDaemon]:
    prepared = without_sensor(tmp_path, unused_tcp_port, options={"start": 301})
    async with run_daemon(prepared, takes_taps=True) as running:
        yield running


def table_of(running: RunningDaemon) -> Table:
    return running.tables["main"]


async def start(running: RunningDaemon, **header: Any) -> None:  # Any: JSON
    await give(table_of(running), {"start": {"players": ["Ann", "Bo"], **header}}, "page")


async def expect_scores(page: Page, running: RunningDaemon, *scores: int) -> None:
    for side, score in enumerate(scores):
        await expect(page.get_by_test_id(f"score-{side}")).to_have_text(str(score))
    assert [side.score for side in table_of(running).state().sides] == [*scores]


async def tap(page: Page, *keys: object) -> None:
    for key in keys:
        await page.get_by_test_id(f"pad-{key}").click()


async def test_totals_are_tapped_and_typed_and_undone_in_one_press(page: Page, steel: RunningDaemon) -> None:
    await page.goto(steel.page or "")
    await tap(page, 6, 1, "ok")
    await expect_scores(page, steel, 240, 301)
    await expect(page.locator("#player")).to_have_text("Bo")
    await page.keyboard.type("26")
    await expect(page.get_by_test_id("pad-typed")).to_have_text("26")
    await page.keyboard.press("Backspace")
    await page.keyboard.type("2")
    await page.keyboard.press("Enter")
    await expect_scores(page, steel, 240, 279)
    await tap(page, "none")
    await expect(page.locator("#player")).to_have_text("Bo")
    await expect_scores(page, steel, 240, 279)
    await tap(page, "total-180")
    await expect_scores(page, steel, 240, 99)
    await page.locator("#undo").click()
    await expect_scores(page, steel, 240, 279)
    await expect(page.locator("#player")).to_have_text("Bo")
    await expect(page.get_by_test_id("pad-typed")).to_have_text("Total of the visit")


async def test_the_next_total_is_entered_while_the_answer_is_on_its_way(page: Page, steel: RunningDaemon) -> None:
    go = asyncio.Event()

    async def hold_answer(route: Route) -> None:
        answer = await route.fetch()
        await go.wait()
        await route.fulfill(response=answer)

    await page.route("**/total", hold_answer)
    await page.goto(steel.page or "")
    await page.get_by_test_id("pad-total-60").evaluate("key => { key.click(); key.click(); }")  # meant once
    await expect_scores(page, steel, 241, 301)
    await tap(page, 4, 5, "ok")
    go.set()
    await expect_scores(page, steel, 241, 256)


async def test_a_key_pressed_twice_with_one_finger_counts_for_one_player(page: Page, steel: RunningDaemon) -> None:
    await page.add_init_script("globalThis.moment = 1_000; performance.now = () => moment;")
    await page.goto(steel.page or "")
    await tap(page, "total-60")
    await expect_scores(page, steel, 241, 301)
    await tap(page, "total-60", "total-45")
    await expect_scores(page, steel, 241, 256)
    await tap(page, "total-60")
    await expect_scores(page, steel, 181, 256)
    await tap(page, 6, 0, "ok")  # typed, it is meant
    await expect_scores(page, steel, 181, 196)
    await tap(page, "total-100")
    await expect_scores(page, steel, 81, 196)
    await page.evaluate("moment += 1_000")
    await tap(page, "total-100")
    await expect_scores(page, steel, 81, 96)


async def test_an_impossible_total_is_refused_and_stays_to_be_mended(page: Page, steel: RunningDaemon) -> None:
    await page.goto(steel.page or "")
    await tap(page, 1, 7, 9, "ok")
    await expect(page.locator("#toast")).to_have_text("179 cannot be scored with so many darts: 3")
    await expect(page.get_by_test_id("pad-typed")).to_have_text("179")
    await tap(page, "erase", 7, "ok")
    await expect_scores(page, steel, 124, 301)


async def test_a_refused_total_gives_way_to_the_next_digits(page: Page, steel: RunningDaemon) -> None:
    await page.goto(steel.page or "")
    for total, is_typed in ((179, False), (178, True)):
        await page.keyboard.press("Escape")
        await (page.keyboard.type(f"{total}\n") if is_typed else tap(page, *map(int, str(total)), "ok"))
        await expect(page.locator("#toast")).to_have_text(f"{total} cannot be scored with so many darts: 3")
        await page.keyboard.press("6")
        await expect(page.get_by_test_id("pad-typed")).to_have_text("6")
    await page.keyboard.type("0\n")
    await expect_scores(page, steel, 241, 301)
    await page.route("**/total", lambda route: route.abort())  # a key of its own stays, too
    await tap(page, "total-180")
    await expect(page.locator("#toast")).to_be_visible()
    await tap(page, 4, 5)
    await expect(page.get_by_test_id("pad-typed")).to_have_text("45")


async def test_digits_typed_while_a_total_is_on_its_way_are_for_the_next_visit(
    page: Page, steel: RunningDaemon
) -> None:
    go = asyncio.Event()
    await page.route("**/total", hold_until(go))
    await page.goto(steel.page or "")
    await expect(page.locator("#keypad")).to_be_visible()
    await page.keyboard.type("60\n45")
    await expect(page.get_by_test_id("pad-typed")).to_have_text("45")
    go.set()
    await expect_scores(page, steel, 241, 301)
    await expect(page.locator("#player")).to_have_text("Bo")
    await expect(page.get_by_test_id("pad-typed")).to_have_text("45")
    await page.keyboard.press("Enter")
    await expect_scores(page, steel, 241, 256)
    await page.keyboard.type("2")
    await give(table_of(steel), {"total": 26}, "page")  # on another device: what was typed was for that visit
    await expect(page.get_by_test_id("pad-typed")).to_have_text("Total of the visit")


async def test_a_finish_is_asked_for_its_darts_and_a_try_for_those_at_a_double(
    page: Page, steel: RunningDaemon
) -> None:
    await start(steel, game="x01", options={"start": 121})
    await page.goto(steel.page or "")
    await tap(page, 4, 1, "ok")  # the least total after which one may have been at a double is 71
    await expect_scores(page, steel, 80, 121)
    await page.keyboard.type("101\n")
    await expect(page.get_by_test_id("pad-question")).to_have_text("How many darts at the finish (at a double)?")
    await page.keyboard.press("3")  # 121 takes three darts: one at the most
    await page.keyboard.press("1")
    await expect_scores(page, steel, 80, 20)
    await tap(page, 8, 0, "ok")
    await expect(page.get_by_test_id("pad-question")).to_have_text("Finished with how many darts?")
    await expect(page.get_by_test_id("pad-answer-1")).to_have_count(0)
    await tap(page, "back")
    await tap(page, "ok", "answer-3", "answer-2")
    await expect(page.locator("#winner")).to_contain_text("Ann")
    ann, bo = (side.detail for side in table_of(steel).state().sides)
    assert (ann["checkouts"], ann["darts"], bo["checkouts"]) == ([1, 2], 6, [0, 1])
    await page.locator("#undo").click()
    await expect_scores(page, steel, 80, 20)


async def test_a_bust_is_asked_for_its_darts_also_at_exactly_zero(page: Page, steel: RunningDaemon) -> None:
    await start(steel, game="x01", options={"start": 301})
    await page.goto(steel.page or "")
    await expect(page.get_by_test_id("pad-bust")).to_be_disabled()
    await start(steel, game="x01", options={"start": 101})
    await tap(page, "bust")
    await expect(page.get_by_test_id("pad-question")).to_have_text("Bust with how many darts?")
    await expect(page.get_by_test_id("pad-answer-1")).to_have_count(0)
    await tap(page, "answer-2")
    await expect(page.get_by_test_id("pad-question")).to_have_text("How many darts at the finish (at a double)?")
    await tap(page, "answer-1")
    await expect(page.locator("#player")).to_have_text("Bo")
    await expect_scores(page, steel, 101, 101)
    ann = table_of(steel).state().sides[0].detail
    assert (ann["checkouts"], ann["darts"]) == ([0, 1], 2)


async def test_a_total_is_corrected_by_a_keypad(page: Page, steel: RunningDaemon) -> None:
    await page.set_viewport_size({"width": 1280, "height": 800})  # where the visit before has room
    await page.goto(steel.page or "")
    await tap(page, "total-60")
    await expect_scores(page, steel, 241, 301)
    await tap(page, "total-100")
    await expect_scores(page, steel, 241, 201)
    await page.get_by_test_id("last-0").click()
    dialog = page.get_by_test_id("pad-dialog")
    await expect(dialog.locator("h2")).to_have_text("Change 100 to")
    await page.keyboard.type("140")
    await page.keyboard.press("Enter")
    await expect(dialog).to_have_count(0)
    await expect_scores(page, steel, 241, 161)


async def test_a_total_is_corrected_to_a_bust(page: Page, steel: RunningDaemon) -> None:
    await page.set_viewport_size({"width": 1280, "height": 800})
    await page.goto(steel.page or "")
    await tap(page, "total-140")
    await expect_scores(page, steel, 161, 301)
    await tap(page, "total-100")
    await expect_scores(page, steel, 161, 201)
    await tap(page, "total-60")
    await expect_scores(page, steel, 101, 201)
    await page.get_by_test_id("last-0").click()
    await tap(page, "correct-bust")
    await expect(page.get_by_test_id("pad-dialog")).to_have_count(0)
    await expect_scores(page, steel, 161, 201)


async def test_the_face_is_there_for_who_likes_it_and_for_games_that_need_beds(
    page: Page, steel: RunningDaemon
) -> None:
    await page.goto(steel.page or "")
    await expect(page.locator("#keypad")).to_be_visible()
    await expect(page.locator("#board")).to_be_hidden()
    await tap(page, "face")
    await page.locator("#board [data-segment=T20]").click()
    await expect_scores(page, steel, 241, 301)
    await page.reload()  # it is kept
    await page.get_by_test_id("tap-pad").click()
    await tap(page, "total-45")  # with the two darts that are left
    await expect_scores(page, steel, 196, 301)
    await start(steel, game="cricket")
    await expect(page.locator("#board")).to_be_visible()
    await expect(page.locator("#keypad")).to_be_hidden()
    await expect(page.get_by_test_id("tap-pad")).to_be_hidden()


@pytest.mark.parametrize("players", [["Ann", "Bo"], ["Ann", "Bo", "Cy", "Di"], ["Ann", "Bo", "Cy", "Di", "Ed", "Flo"]])
async def test_the_last_visits_are_on_a_chalkboard_and_no_place_waits_for_a_dart(
    page: Page, steel: RunningDaemon, players: list[str]
) -> None:
    await start(steel, game="x01", options={"start": 501}, players=players)
    await page.goto(steel.page or "")
    for total in (60, 26, 180, 41, 100, 45, 140, 95, 30, 180, 59, 22, 26, 45, 60, 41, 5, 81)[: 3 * len(players)]:
        await give(table_of(steel), {"total": total}, "page")
    line = page.get_by_test_id("visits-0").locator("li").last
    visit = table_of(steel).state().sides[0].visits[-1]  # type: ignore[index]
    await expect(line).to_have_text(f"{'–' if visit.bust else visit.points} {visit.score}")
    await expect(page.locator("#darts")).to_be_hidden()
    await expect(page.locator("#miss")).to_be_hidden()
    then = "" if len(players) == 2 else f", then {players[1]}"
    await expect(page.locator("#phase")).to_have_text(f"Ann to throw{then}")
    shown = msgspec.to_builtins(table_of(steel).state())
    for width, height in ((1920, 1080), (1280, 720), (800, 480), (390, 844)) if len(players) < 5 else ((1280, 720),):
        await page.set_viewport_size({"width": width, "height": height})
        assert await look_at(page, shown, is_wall=width > height) == [], (width, height)
    await page.locator("#undo").click()
    await page.reload()
    await expect(page.get_by_test_id("visits-0").locator("li")).to_have_count(3)
    await tap(page, "face")
    await page.locator("#board [data-segment=T20]").click()
    await expect(page.get_by_test_id("dart-2")).to_be_visible()
    await expect(page.locator("#miss")).to_be_visible()


async def test_a_wall_that_is_only_looked_at_has_the_chalkboard_too(page: Page, steel: RunningDaemon) -> None:
    await page.goto(f"{steel.page}?kiosk=1")
    await give(table_of(steel), {"total": 60}, "page")
    await expect(page.get_by_test_id("visits-0")).to_have_text("60 241")
    await expect(page.locator("#darts")).to_be_hidden()
    await give(table_of(steel), {"throw": "T20"}, "page")  # a phone has tapped the face: darts, and places for them
    await expect(page.locator("#darts .slot")).to_have_count(3)


async def test_a_phone_with_keys_has_the_figures_of_who_throws(page: Page, steel: RunningDaemon) -> None:
    await page.set_viewport_size({"width": 390, "height": 844})
    await page.goto(f"{steel.page}?view=remote&lang=en")
    await tap(page, "total-60")
    await expect(page.locator("#player")).to_have_text("Bo")
    await tap(page, "total-45")
    await expect(page.locator("#player")).to_have_text("Ann")
    await expect(page.get_by_test_id("facts-0").get_by_text("60.0").first).to_be_visible()
    await expect(page.locator("#last")).to_have_text("Bo45")  # the total is the sum


@pytest.mark.parametrize("players", [2, pytest.param(4, marks=pytest.mark.long)])
async def test_a_phone_shows_keys_and_chalkboard_without_scrolling(
    tmp_path: Path, page: Page, broker_port: int, players: int
) -> None:
    header = {"game": "x01", "options": {"start": 501}, "format": {"legs": 3, "sets": 3}}
    visits = [page.get_by_test_id(f"visits-{side}").locator("li").last for side in range(2)]
    async with run_daemon(without_sensor(tmp_path, broker_port), takes_taps=True) as steel:
        await start(steel, players=["Ann", "Bo", "Cy", "Di"][:players], **header)
        for total in (60, 26, 180, 41, 100, 45, 140, 95, 30, 41, 59, 22)[: 3 * players]:
            await give(table_of(steel), {"total": total}, "page")
        for width, height in ((390, 844), (360, 640)):
            await page.set_viewport_size({"width": width, "height": height})
            for language in ("en", "de", "nl", "fr", "es"):
                await page.goto(f"{steel.page}?view=remote&lang={language}")
                await expect(page.locator("#keypad")).to_be_visible()
                await expect(page.locator("#broker-warning")).to_be_hidden()
                assert await page.evaluate(_FITS) == [], (height, language)
                assert await page.evaluate("document.documentElement.scrollHeight") == height
                await expect(page.get_by_test_id("pad-face")).to_be_in_viewport(ratio=1)
                for each in visits if players == 2 else []:
                    await expect(each).to_be_in_viewport(ratio=1)


async def test_a_board_with_a_sensor_has_no_keypad(page: Page, running: RunningDaemon) -> None:
    await page.goto(running.page or "")
    await expect(page.locator("#board [data-segment]").first).to_be_visible()
    await expect(page.locator("#keypad")).to_have_count(0)


async def test_every_key_can_be_reached_on_every_screen(page: Page, steel: RunningDaemon) -> None:
    await give(table_of(steel), {"total": 100}, "page")
    for width, height in SIZES:
        await page.set_viewport_size({"width": width, "height": height})
        for language, words in (
            ("en", "Total of the visit"),
            ("de", "Summe der Aufnahme"),
            ("nl", "Totaal van de beurt"),
            ("fr", "Total de la volée"),
            ("es", "Total de la tirada"),
        ):
            await page.goto(f"{steel.page}?lang={language}")
            await expect(page.get_by_test_id("pad-typed")).to_have_text(words)
            await expect(page.get_by_test_id("pad-typed")).to_be_visible()  # the styles are there
            assert await page.evaluate(_FITS) == [], (width, language)
