"""What a board that sees its darts adds to the page: points, darts that it could not read, questions, a remedy."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from msgspec import UNSET
from msgspec.structs import replace
from playwright.async_api import Locator, Page, Route, expect

from daemon.assemble import RunningDaemon, run_daemon
from daemon.table.table import Table
from drivers.session import now_ns
from protocol.codebook import shipped
from protocol.commands import Throw
from protocol.events import BoardEvent, Cleared, Found, Hit, LinkDown, LinkUp, Readiness, Unread
from protocol.sentence import say
from simulator.thrower import Landing
from simulator.web_board import WebBoard
from tests.commanding import give
from tests.daemon.process import eventually
from tests.page.playing import Playing, setup
from tests.page.test_axe import LOOKS, Findings
from tests.page.test_ear import START, hear, listen

JSON = dict[str, Any]  # Any: JSON
VIEWS = {"wall": (800, 480), "remote": (390, 844)}
FOUND: JSON = {"id": "7", "kind": "found", "darts": [{"segment": "T20", "point": [0, 1030]}, {"segment": None}]}
CLEARED: JSON = {"id": "8", "kind": "cleared", "darts": []}
OTHER: JSON = {"id": "9", "kind": "other", "darts": [{"segment": "D16"}]}
_PUT = """([state, more]) => import("./joined/index/store.js")
  .then(({ put, store }) => put({ state: { ...store.state, ...state }, ...more }))"""
_FITS = """() => document.documentElement.scrollHeight <= innerHeight
  && document.documentElement.scrollWidth <= innerWidth
  && [...document.querySelectorAll("#sensed button, #remedy, footer button")].every((each) => !each.checkVisibility()
    || each.getBoundingClientRect().bottom <= innerHeight && each.getBoundingClientRect().right <= innerWidth
    && each.getBoundingClientRect().height >= 44)"""


async def _open(page: Page, url: str | None, view: str = "wall", query: str = "") -> None:
    width, height = VIEWS[view]
    await page.set_viewport_size({"width": width, "height": height})
    await page.goto(f"{url}?lang=en&view={view}{query}")
    await expect(page.locator("#board [data-segment]").first).to_be_attached()


async def _show(page: Page, state: JSON, **more: Any) -> None:  # Any: JSON
    """Changes what the page was told last."""
    await page.evaluate(_PUT, [state, more])


async def _show_darts(page: Page, running: RunningDaemon, *darts: JSON) -> None:
    """Has the darts of this visit told with what a sensor adds to them."""
    told = running.tables["main"].state().turn.darts
    turn = await page.evaluate("import('./joined/index/store.js').then(({ store }) => store.state.turn)")
    lines: Sequence[JSON] = [{"line": dart.line, "segment": dart.segment, "points": dart.points} for dart in told]
    await _show(page, {"turn": {**turn, "darts": [{**line, **dart} for line, dart in zip(lines, darts, strict=True)]}})


async def _record_commands(page: Page, name: str) -> list[JSON]:
    """What is sent as this command, which the table does not get; filled later."""
    sent: list[JSON] = []

    async def answer(route: Route) -> None:
        sent.append(route.request.post_data_json or {})
        await route.fulfill(json={"line": 1, "phase": "throwing"})

    await page.route(f"**/api/table/main/{name}", answer)
    return sent


async def _wait_for_answer(page: Page) -> None:
    await page.wait_for_function("() => !document.body.classList.contains('busy')")


def _at(circle: Locator) -> Any:  # Any: what the page computes
    return circle.evaluate_all("all => all.map(({ cx, cy }) => [cx, cy].map((each) => Math.round(each.baseVal.value)))")


async def test_a_dart_is_drawn_where_it_hit_and_one_beside_the_drawing_at_its_edge(
    page: Page, running: RunningDaemon
) -> None:
    for dart in ("T20", "MISS", "S5"):
        await give(running.tables["main"], {"throw": dart}, "page")
    await _open(page, running.page)
    marks = page.locator("#board .marks circle")
    await expect(marks).to_have_count(2)  # where a miss is, nobody has said
    [*_, plain] = await _at(marks)
    await _show_darts(page, running, {"point": [-40, 1012]}, {"point": [2600, -30]}, {})
    await expect(marks).to_have_count(3)
    exact, beside, unknown = await _at(marks)
    assert exact == [-40, -1012]
    assert unknown == plain
    _, _, width, _ = map(float, (await page.locator("#board").get_attribute("viewBox") or "").split())
    assert width / 2 - 150 < beside[0] < width / 2
    assert beside[1] == 30


async def test_an_unread_dart_asks_what_it_was_and_offers_the_likely_beds(page: Page, running: RunningDaemon) -> None:
    await give(running.tables["main"], {"throw": "MISS"}, "page")
    await _open(page, running.page)
    await _show_darts(page, running, {"unread": True, "point": [-192, 1134], "close": ["S5"]})
    slot = page.get_by_test_id("dart-0")
    await expect(slot).to_have_text(re.compile(r"^\?\s*enter$"))
    await expect(slot).to_have_accessible_name(re.compile("dart 1, not read"))
    await slot.click()
    await expect(page.locator("#correction-was")).to_contain_text("The board could not read it")
    likely = page.locator("#correction-likely button")
    await expect(likely).to_have_text(["5", "T5", "T20", "20", "T12"])
    await page.get_by_test_id("correction-MISS").click()
    await expect(page.locator("#correction-ok")).to_be_enabled()
    assert await page.evaluate("document.querySelector('#correction form').scrollHeight") <= 480
    await likely.nth(2).click()
    await expect(page.locator("#correction")).to_be_hidden()
    await expect(slot).to_contain_text("T20")
    assert [dart.segment for dart in running.tables["main"].state().turn.darts] == ["T20"]


async def test_a_dart_that_was_read_offers_its_neighbours_and_one_without_a_point_none(
    page: Page, running: RunningDaemon
) -> None:
    for dart in ("S20", "S20"):
        await give(running.tables["main"], {"throw": dart}, "page")
    await _open(page, running.page)
    await _show_darts(page, running, {"segment": "O20", "point": [0, 1250]}, {})
    await page.get_by_test_id("dart-1").click()
    await expect(page.locator("#correction")).to_be_visible()
    await expect(page.locator("#correction-likely")).to_be_hidden()
    await page.keyboard.press("Escape")
    await page.get_by_test_id("dart-0").click()
    likely = page.locator("#correction-likely button")
    await expect(likely).to_have_count(5)
    await expect(likely.first).to_have_text("T20")
    await expect(likely.first).to_have_accessible_name("T20: It was triple 20")
    mark = page.locator("#correction-board .marks circle")
    [[x, y]] = await _at(mark)
    assert x == 0
    assert -1969 * 0.82 < y < -1969 * 0.64, "on the face whose rings are as wide as a finger"


@pytest.mark.parametrize("view", VIEWS)
async def test_darts_of_a_time_without_the_board_are_taken_or_left(
    page: Page, running: RunningDaemon, view: str
) -> None:
    await _open(page, running.page, view)
    sent = await _record_commands(page, "sensor")
    await _show(page, {"sensor": FOUND})
    said = page.get_by_test_id("sensed-said")
    await expect(said).to_have_text(
        "While the board was away, these darts were thrown: T20 ? (one the board could not read)."
    )
    await expect(said).to_have_role("status")
    if view != "remote":  # with another warning beside it a remote scrolls
        await page.wait_for_function(_FITS)
    await expect(page.get_by_test_id("next")).to_be_enabled()
    await page.get_by_role("button", name="Take these 2 darts").click()
    await _wait_for_answer(page)
    await page.get_by_role("button", name="Leave them").focus()
    await page.keyboard.press("Enter")
    await _wait_for_answer(page)
    await page.keyboard.press("t")
    await _wait_for_answer(page)
    asked = [(each["sensor"], each["question"]) for each in sent]
    assert asked == [("take", "7"), ("leave", "7"), ("take", "7")]
    await _show(page, {"sensor": None})
    await expect(page.locator("#sensed")).to_be_hidden()
    await expect(page.get_by_test_id("next")).to_be_focused()
    await page.keyboard.press("t")
    assert len(sent) == 3


async def test_a_board_that_was_cleared_by_hand_asks_whether_the_visit_is_over(
    page: Page, running: RunningDaemon
) -> None:
    await _open(page, running.page)
    sent = await _record_commands(page, "sensor")
    await _show(page, {"sensor": CLEARED})
    await page.wait_for_function(_FITS)
    await page.get_by_role("button", name="Go on").click()
    await _wait_for_answer(page)
    assert [(each["sensor"], each["question"]) for each in sent] == [("leave", "8")]
    await page.get_by_role("button", name="Visit over").click()
    await expect(page.get_by_test_id("player")).to_have_text("Bo")


async def test_darts_of_another_visit_are_listed(page: Page, running: RunningDaemon) -> None:
    await _open(page, running.page)
    sent = await _record_commands(page, "sensor")
    await _show(page, {"sensor": OTHER})
    await expect(page.get_by_test_id("sensed-said")).to_contain_text("another visit, which do not count: D16.")
    await page.get_by_role("button", name="OK").click()
    await _wait_for_answer(page)
    assert [(each["sensor"], each["question"]) for each in sent] == [("leave", "9")]


@pytest.mark.parametrize("is_kiosk", [True, False])
async def test_where_nobody_may_answer_it_is_only_said(page: Page, running: RunningDaemon, is_kiosk: bool) -> None:
    await _open(page, running.page, query="&kiosk=1" if is_kiosk else "")
    sent = await _record_commands(page, "sensor")
    board = {"state": "offline", "sensor": True, "stuck": [], "text_said": {"text": "No cameras"}, "trouble_said": None}
    await _show(page, {"sensor": FOUND}, boardStatus={**board, "remedy": "start"}, role="play" if is_kiosk else "look")
    await expect(page.get_by_test_id("sensed-said")).to_be_visible()
    await expect(page.locator("#sensed button")).to_have_count(0)
    await expect(page.locator("#remedy")).to_be_hidden()
    await page.keyboard.press("t")
    assert sent == []


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize(("remedy", "label"), [("start", "Start the cameras"), ("reset", "Reset the board")])
async def test_a_board_that_sees_no_darts_can_be_helped(
    page: Page, match: Playing, view: str, remedy: str, label: str
) -> None:
    await match.wait_for_greeting()  # else the page is told what the board really is after what is made up here
    await _open(page, match.url, view)
    sent = await _record_commands(page, "sensor")
    board = {"sensor": True, "stuck": [], "text_said": {"text": "The cameras do not run"}, "trouble_said": None}
    for state, place in (("offline", "#board-warning"), ("online", "#remedy-warning")):
        await _show(page, {}, boardStatus={**board, "state": state, "remedy": remedy}, isAway=state == "offline")
        await expect(page.locator(place)).to_have_text("The cameras do not run")
        await expect(page.locator("#warnings [role=alert]:not([hidden])")).to_have_count(1)
        if view != "remote":
            await page.wait_for_function(_FITS)
        await page.get_by_role("button", name=label).click()
        await _wait_for_answer(page)
        assert sent.pop()["sensor"] == remedy
    await _show(page, {}, boardStatus={**board, "state": "online"}, isAway=False)
    await expect(page.locator("#remedy")).to_be_hidden()
    await expect(page.locator("#warnings")).to_be_hidden()


async def test_what_is_asked_is_said_to_who_plays_by_ear(page: Page, running: RunningDaemon) -> None:
    await listen(page, running.page, "?ear=full")
    await expect(page.locator("#board [data-segment]").first).to_be_attached()
    await hear(page, START)
    await _show(page, {"sensor": OTHER})
    await hear(page, "The board has darts of another visit, which do not count: D16.")
    await _show(page, {"sensor": FOUND})
    said = await hear(
        page,
        "While the board was away, these darts were thrown: T20 ? (one the board could not read). "
        "Take these 2 darts: T.",
    )
    await _show(page, {"sensor": FOUND, "line": 1})
    assert len(said) == len(await page.evaluate("said")) == 3


@pytest.mark.parametrize("view", ["overlay", "announcer", "wall"])
async def test_no_display_calls_an_unread_dart_a_miss(page: Page, match: Playing, view: str) -> None:
    await match.start("x01", ["Ann", "Bo"])
    await match.sense(Throw("MISS", unread=True), Throw("MISS"))
    await page.goto(f"{match.url}?view={view}&lang=en")
    darts = page.locator(".thrown-darts li, #darts li")
    await expect(darts.nth(1)).to_contain_text("Miss")
    await expect(darts.first).to_contain_text("?")
    await expect(darts.first).not_to_contain_text("Miss")


async def test_a_match_that_ended_unread_is_told_with_a_question_mark(page: Page, match: Playing) -> None:
    unread = Throw("MISS", unread=True)
    await match.start("x01", ["Ann", "Bo"], options={"start": 101})
    await match.sense(Throw("T20"), unread, Throw("S1"))
    await match.throw("/ /")
    await match.sense(unread, Throw("D20"))
    found = await (await page.request.get(f"{match.url}api/match/{match.state['match']}")).json()
    assert found["last"]["darts"] == ["?", "D20"]
    assert found["best_visits"][0]["darts"] == ["T20", "?", "S1"]


@pytest_asyncio.fixture(loop_scope="session")
async def cameras(tmp_path: Path, page: Page, unused_tcp_port: int) -> AsyncIterator[Table]:
    """A table whose board is a camera system, of which the test tells; the page shows it."""
    book: JSON = {"profile": "opendarts-cameras", "takeout": "sensor", "options": {}}
    async with run_daemon(setup(tmp_path, unused_tcp_port, **book)) as running:
        table = running.tables["main"]
        await eventually(lambda: "no serial port" in str(table.board.said))  # which is said once
        await _feed(table, LinkUp("main", "web:cameras", 0))
        await _open(page, running.page)
        yield table


async def _feed(table: Table, *items: LinkUp | LinkDown | BoardEvent, after_s: float = 0.0) -> None:
    """Has the board tell of this, so much later than now."""
    at = now_ns() + round(after_s * 1e9)
    for item in items:
        await table.feed(replace(item, time_ns=at))


async def test_a_visit_at_cameras_is_drawn_asked_about_and_corrected(page: Page, cameras: Table) -> None:
    beds = cameras.codebook.layout
    await _feed(cameras, Hit(segment=beds["T20"], key="a/0", point=(-32, 1012), close=(beds["T5"],)))
    await _feed(cameras, Unread(key="a/1", point=(-190, 1030)))
    marks = page.locator("#board .marks circle")
    await expect(marks).to_have_count(2)
    assert await _at(marks) == [[-32, -1012], [-190, -1030]]
    slot = page.get_by_test_id("dart-1")
    await expect(slot).to_contain_text("?")
    await expect(page.locator("#task")).to_have_text("What was dart 2? Tap it to correct it")
    await expect(page.locator("#log")).to_contain_text("not read")
    await slot.click()
    await page.get_by_test_id("correction-likely-T5").click()
    await expect(slot).to_contain_text("T5")
    await expect(page.locator("#task")).not_to_contain_text("dart 2")
    await page.get_by_test_id("dart-0").click()
    await expect(page.locator("#correction-likely button").first).to_have_text("T5")
    await page.keyboard.press("Escape")
    first, second = cameras.state().turn.darts
    assert (first.segment, first.point, second.segment, second.unread) == ("T20", (-32, 1012), "T5", UNSET)


async def test_what_cameras_saw_while_they_were_away_is_taken_with_one_key(page: Page, cameras: Table) -> None:
    beds = cameras.codebook.layout
    first, second = (Hit(segment=beds[bed], key=f"a/{n}") for n, bed in enumerate(("T20", "O5")))
    await _feed(cameras, first)
    await expect(page.get_by_test_id("dart-0")).to_contain_text("T20")
    await _feed(cameras, LinkDown("main", "the board is away", "lost", 0))
    await _feed(cameras, LinkUp("main", "web:cameras", 0), Found(darts=(first, second)), after_s=4)
    await expect(page.get_by_test_id("sensed-said")).to_have_text(
        "While the board was away, these darts were thrown: 5."
    )
    await expect(page.get_by_role("button", name="Take this dart")).to_be_visible()
    await page.keyboard.press("t")
    await expect(page.get_by_test_id("dart-1")).to_contain_text("5")
    await expect(page.locator("#sensed")).to_be_hidden()
    await _feed(cameras, Cleared(), after_s=5)
    await page.get_by_role("button", name="Visit over").click()
    await expect(page.get_by_test_id("player")).to_have_text("Bo")
    await expect(page.locator("#sensed")).to_be_hidden()
    assert [dart.segment for dart in (cameras.state().last or cameras.state().turn).darts] == ["T20", "O5", "MISS"]


async def test_cameras_that_do_not_run_can_be_started(page: Page, cameras: Table) -> None:
    said = say("opendarts.stopped", "The cameras of the board do not run")
    await _feed(cameras, Readiness(said=said, remedy="start"))
    await expect(page.get_by_role("button", name="Start the cameras")).to_be_visible()
    await expect(page.locator("#board-warning")).to_have_text("The cameras of the board do not run")
    await expect(page.locator("#board-state")).to_have_text("Board offline")
    tap = f"{page.url.partition('?')[0]}api/table/main/tap"
    assert (await page.request.post(tap, data={"segment": "T20"})).ok, "players go on by hand"
    await _feed(cameras, Readiness())
    await expect(page.locator("#remedy")).to_be_hidden()
    await expect(page.locator("#board-state")).to_have_text("Board ready")
    assert (await page.request.post(tap, data={"segment": "T20"})).status == 404


async def test_from_cameras_to_the_page_and_back(page: Page, tmp_path: Path, unused_tcp_port: int) -> None:
    """With the messages that they send, and those that they take."""
    book = shipped("opendarts-cameras")
    async with WebBoard(book) as board:
        about: JSON = {"profile": book.profile.id, "board": board.address, "takeout": "sensor", "options": {}}
        async with run_daemon(setup(tmp_path, unused_tcp_port, **about)) as running:
            await board.wait_until_open()
            await _open(page, running.page)
            board.throw(Landing(-32, 1012, book.layout["T20"]))
            await expect(page.get_by_test_id("dart-0")).to_contain_text("T20")
            board.camera.land_unread((-200, 1030))
            board.tell()
            await page.get_by_test_id("dart-1").filter(has_text="?").click()
            await page.locator("#correction-board [data-segment=T5]").click()
            await page.locator("#correction-ok").click()
            await expect(page.get_by_test_id("dart-1")).to_contain_text("T5")
            await eventually(lambda: board.camera.darts[1].segment == book.layout["T5"])
            assert await _at(page.locator("#board .marks circle").first) == [[-32, -1012]]
            board.pull_darts()
            await expect(page.get_by_test_id("player")).to_have_text("Bo")
            board.camera.stop()
            board.tell()
            await page.get_by_role("button", name="Start the cameras").click()
            await eventually(lambda: board.camera.is_running)
            await expect(page.locator("#remedy")).to_be_hidden()


async def test_a_page_without_such_a_board_loads_nothing_of_it(page: Page, running: RunningDaemon) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    await give(running.tables["main"], {"throw": "T20"}, "page")
    await _open(page, running.page)
    await expect(page.get_by_test_id("dart-0")).to_contain_text("T20")
    assert not [url for url in asked if "sensed" in url or "likely" in url]
    await _show(page, {"sensor": OTHER})
    await expect(page.get_by_test_id("sensed-said")).to_be_visible()
    assert [url for url in asked if "sensed.js" in url]


@pytest.mark.long
@pytest.mark.parametrize("look", LOOKS)
async def test_it_is_accessible(examined: Page, match: Playing, look: str) -> None:
    findings, page = Findings(), examined
    await match.throw("MISS T20")
    for view, (width, height) in VIEWS.items():
        await page.set_viewport_size({"width": width, "height": height})
        await page.goto(f"{match.url}?{look}&view={view}")
        await expect(page.locator("#board [data-segment]").first).to_be_attached()
        turn = match.state["turn"]
        darts = [{**turn["darts"][0], "unread": True, "point": [-170, 1005]}, {**turn["darts"][1], "point": [5, 1020]}]
        board = {"state": "online", "sensor": True, "stuck": [], "text_said": {"text": "No"}, "trouble_said": None}
        for question in (FOUND, CLEARED, OTHER):
            await _show(
                page, {"sensor": question, "turn": {**turn, "darts": darts}}, boardStatus={**board, "remedy": "start"}
            )
            await expect(page.get_by_test_id("sensed-said")).not_to_be_empty()
            await findings.audit(page, f"{view}, {question['kind']}")
        await page.get_by_test_id("dart-0").click()
        await expect(page.locator("#correction-likely")).to_be_visible()
        await findings.audit(page, f"{view}, an unread dart")
    assert not findings.all, "\n".join(findings.all)
