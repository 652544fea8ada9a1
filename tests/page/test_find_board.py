"""Finding the board of a table on the settings page: a real daemon, a pty board, and who presses it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from playwright.async_api import Page, Route, expect

from daemon.languages import translate
from drivers.bluez import NO_BUS
from protocol.codebook import shipped
from protocol.sentence import write_sentence
from simulator.pty_board import PtyBoard
from simulator.tcp_board import TcpBoard
from simulator.web_board import WebBoard
from tests.daemon.process import eventually, journal, throw
from tests.daemon.test_settings import write_file, written
from tests.page.playing import JSON, run
from tests.page.test_axe import LOOKS, VIEWS, Findings
from tests.page.test_guide import find
from tests.page.test_settings import save

LOOKED = re.compile(r"Found so far|No board is plugged in|Bisher gefunden|Kein Board ist angesteckt")
"""What is found depends on the machine."""


async def without_bluetooth(route: Route) -> None:
    """What is found, as on a machine whose Bluetooth is not there."""
    response = await route.fetch()
    await route.fulfill(response=response, json={**await response.json(), "notes_said": [write_sentence(NO_BUS)]})


async def test_what_says_nothing_of_itself_is_named_in_the_language_of_the_page(page: Page, address: str) -> None:
    silent: JSON = {"what": "", "fits": [], "table": None}
    found = [{**silent, "address": "serial:/dev/ttyAMA0"}, {**silent, "address": "ble:C0:11:22:33:44:55"}]
    await page.route("**/api/boards/scan", lambda route: route.fulfill(json={"v": 1, "notes_said": [], "found": found}))
    await page.goto(f"{address}settings?lang=de#board")
    await page.get_by_test_id("find-0").click()
    names = page.get_by_test_id("found-0").locator("b")
    await expect(names.first).to_contain_text("Serielle Schnittstelle · ")
    await expect(names.last).to_contain_text("ble:C0:11:22:33:44:55 · ")


async def test_cameras_say_whether_they_see_darts_and_ask_for_their_token(page: Page, address: str) -> None:
    camera: JSON = {"what": "Autodarts 1.0.7", "fits": [{"profile": "autodarts", "sure": "likely"}], "table": None}
    found = [
        {**camera, "address": "web:10.0.0.7:3180", "state": "stopped", "wants_token": False},
        {**camera, "address": "web:10.0.0.8:3180", "state": "silent", "wants_token": True},
        {**camera, "address": "web:10.0.0.9:3180", "state": None, "wants_token": False},
    ]
    await page.route("**/api/boards/scan", lambda route: route.fulfill(json={"v": 1, "notes_said": [], "found": found}))
    await page.goto(f"{address}settings#board")
    await page.get_by_test_id("find-0").click()
    listed = page.get_by_test_id("found-0").locator("li")
    await expect(listed.locator("b")).to_have_text(
        [
            "Autodarts 1.0.7 · probably autodarts · stopped: start it there or on the scoreboard",
            "Autodarts 1.0.7 · probably autodarts · does not answer",
            "Autodarts 1.0.7 · probably autodarts",
        ]
    )
    await expect(page.get_by_test_id("found-token")).to_have_count(1)
    await expect(listed.nth(1).get_by_label("Token of the board")).to_be_visible()
    await expect(listed.get_by_test_id("found-learn")).to_have_count(0)


async def test_a_board_that_asks_for_its_token_is_set_up_with_it(
    page: Page, address: str, file: Path, tmp_path: Path
) -> None:
    """On the guide; in the settings the token is replaced and removed. No answer has it, and no page shows it."""

    def list_kept() -> list[str]:
        (table,) = tomllib.loads(written(file))["table"]
        kept = table.get("board_token_file")
        return [] if kept is None else [written(Path(kept)).strip()]

    async with WebBoard(shipped("opendartboard-apaiko")) as cameras:
        await page.goto(f"{address}guide?step=board")
        await page.get_by_test_id("guide-other").locator("summary").click()
        await page.get_by_test_id("guide-address").fill(cameras.address)
        typed, told = page.get_by_test_id("guide-token"), page.get_by_test_id("try-said")
        await expect(typed).to_be_hidden()
        await page.get_by_test_id("guide-profile").select_option("opendartboard-apaiko")
        for token, said in (("wrong", 'enter "Token of the board" again'), (cameras.token, "Throw a dart")):
            await typed.fill(token)
            await page.get_by_test_id("guide-try").click()
            await expect(told).to_contain_text(said)
        await page.get_by_test_id("try-use").click()
        await expect(page.get_by_test_id("lobby")).to_be_visible()
        assert list_kept() == [cameras.token]
        assert str(tmp_path / "state") in written(file)

        await page.goto(f"{address}settings#board")
        field = page.get_by_test_id("set-table.0.board_token")
        await expect(field).to_be_visible()
        await expect(field).to_have_value("")
        await expect(page.get_by_text("A token is saved.")).to_be_visible()
        assert cameras.token not in await page.content()
        await page.get_by_test_id("try-0").click()
        await expect(told).to_contain_text("Throw a dart")
        await field.fill("another")
        await save(page)
        assert list_kept() == ["another"]
        fits = [{"profile": "opendartboard-apaiko", "sure": "sure"}]
        boards = [{"address": each, "what": "", "fits": fits, "table": None} for each in ("web:other", cameras.address)]
        answer = {"v": 1, "notes_said": [], "found": boards}
        await page.route("**/api/boards/scan", lambda route: route.fulfill(json=answer))
        forget = page.get_by_test_id("forget-table.0.board_token")
        for at, is_forgotten in enumerate(("true", "false")):
            await page.get_by_test_id("find-0").click()
            await page.get_by_test_id("found-use").nth(at).click()
            await expect(forget).to_have_attribute("aria-pressed", is_forgotten)
        await page.get_by_test_id("set-table.0.board").fill("none")
        await page.get_by_test_id("set-table.0.profile").fill("")
        await forget.click()
        await save(page)
        assert list_kept() == []
        await expect(field).to_be_hidden()


async def test_where_oche_would_go_online_for_a_board_is_said(page: Page, address: str) -> None:
    await page.goto(f"{address}settings#all")
    cloud = page.get_by_test_id("cloud-0")
    await expect(cloud).to_have_text("")
    await page.get_by_test_id("set-table.0.profile").fill("scolia")
    await expect(cloud).to_contain_text(
        "Scolia works only over its maker’s servers. It is the one board for which oche goes"
    )
    await page.get_by_test_id("set-table.0.profile").fill("autodarts")
    await expect(cloud).to_have_text("")
    await page.goto(f"{address}guide?step=board")
    await page.get_by_test_id("guide-name").fill("scolia")
    await page.get_by_test_id("known-scolia").click()
    about = page.get_by_test_id("known-about")
    await expect(about).to_contain_text("the one board for which oche goes online")
    await expect(page.get_by_test_id("guide-token")).to_be_visible()


async def test_a_board_is_tried_out_and_then_played_with(
    page: Page, address: str, tmp_path: Path, board: PtyBoard
) -> None:
    """In German, of which the daemon says a part; the guide's tests do the same in English."""
    await page.goto(f"{address}settings?lang=de&theme=light#all")
    await page.get_by_test_id("set-table.0.profile").fill("")
    said = page.get_by_test_id("try-said")
    await page.get_by_test_id("set-table.0.board").fill("serial:/dev/none")
    await page.get_by_test_id("try-0").click()
    await expect(said).to_contain_text("Schnittstelle /dev/none gibt es nicht: steck")
    await page.get_by_test_id("set-table.0.board").fill(board.address)
    await page.get_by_test_id("try-0").click()
    await board.wait_until_open()
    await expect(said).to_contain_text("Drück")
    throw(board, "T20")
    await expect(said).to_contain_text("T20")
    face = page.get_by_test_id("try-face")
    shape = await face.locator("[data-segment=T20]").first.get_attribute("d")
    await expect(face.locator(".hits path")).to_have_attribute("d", shape or "")
    await page.route("**/api/boards/scan", without_bluetooth)
    await page.get_by_test_id("find-0").click()
    await expect(page.get_by_test_id("found-said-0")).to_have_text(LOOKED)
    note = translate(NO_BUS, "de")
    assert note != str(NO_BUS)
    await expect(page.get_by_test_id("found-notes-0")).to_have_text(note)
    await page.get_by_test_id("found-close-0").click()
    await save(page, "gelten jetzt")

    async def plays() -> bool:
        throw(board, "T19")
        return {"throw": "T19"} in journal(tmp_path)

    await eventually(plays)


async def test_another_board_has_nothing_of_the_one_before(tmp_path: Path, unused_tcp_port: int, page: Page) -> None:
    file = write_file(tmp_path, unused_tcp_port, table='mat = "philharlow_8x11"\nwiring = { turn = 3, mirror = true }')
    async with run(file) as address:
        await page.goto(f"{address}settings#all")
        await page.get_by_test_id("find-0").click()
        await page.get_by_test_id("found-sim-0").click()
        await save(page)
        (table,) = tomllib.loads(written(file))["table"]
        assert table["board"] == "sim:granboard"
        assert not {"profile", "mat", "wiring"} & table.keys()


async def test_it_is_told_that_oche_does_not_answer(page: Page, address: str) -> None:
    await page.goto(f"{address}settings#all")
    for path in (r"/boards/try$", r"/layout/", r"/boards/try\?since="):
        await page.route(unanswered := re.compile(path), lambda route: route.abort())
        await page.get_by_test_id("try-0").click()
        await expect(page.get_by_test_id("try-said")).to_contain_text("did not answer")
        await page.unroute(unanswered)


async def test_the_focus_and_a_chosen_profile_stay_while_more_is_found(page: Page, address: str) -> None:
    fits = [{"profile": profile, "sure": "possible"} for profile in ("opendarts", "fynn")]
    looks = 0

    async def tell(route: Route) -> None:
        nonlocal looks
        looks += 1
        first = {"address": "serial:/dev/none1", "what": f"look {looks}", "fits": fits, "table": None}
        second = {**first, "address": "serial:/dev/none2", "what": "the second"}
        await route.fulfill(json={"v": 1, "notes_said": [], "found": [second, first] if looks > 2 else [first]})

    await page.route("**/api/boards/scan", tell)
    await page.goto(f"{address}settings#all")
    await page.get_by_test_id("find-0").click()
    item = page.get_by_test_id("found-0").locator("li", has_text="look")
    trying = item.get_by_test_id("found-try")
    await item.get_by_test_id("found-profile").select_option("fynn")
    await trying.focus()
    await expect(item).to_contain_text("look 2")
    await expect(trying).to_be_focused()
    await expect(page.get_by_test_id("found-0").locator("li")).to_have_count(2)
    await expect(trying).to_be_focused()
    await expect(item.get_by_test_id("found-profile")).to_have_value("fynn")
    await page.keyboard.press("Enter")
    await page.get_by_test_id("try-stop").focus()
    await page.keyboard.press("Enter")
    await expect(trying).to_be_focused()
    await page.get_by_test_id("found-close-0").focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_test_id("find-0")).to_be_focused()


async def test_a_board_on_the_network_is_shown_and_tried_out_like_any_other(page: Page, address: str) -> None:
    book = shipped("darts-connect")
    async with TcpBoard(book) as board:
        await find(page, board.address, "possible", "darts-connect")
        for look, told in (("?lang=de", "antwortet auf Port"), ("", "answers on port")):
            await page.goto(f"{address}settings{look}#all")
            await page.get_by_test_id("find-0").click()
            await expect(page.get_by_test_id("found-0")).to_contain_text(f"{told} {board.port} ·")
        await page.get_by_test_id("found-try").click()
        await board.wait_until_open()
        assert board.hit(book.layout["T20"])
        await expect(page.get_by_test_id("try-said")).to_contain_text("T20")
        await page.get_by_test_id("found-use").click()
        await expect(page.get_by_test_id("set-table.0.board")).to_have_value(board.address)
        await expect(page.get_by_test_id("set-table.0.profile")).to_have_value("darts-connect")


@pytest.mark.long
@pytest.mark.parametrize("look", LOOKS)
async def test_it_is_accessible(examined: Page, address: str, board: PtyBoard, look: str) -> None:
    findings, page = Findings(), examined
    for view, size in VIEWS.items():
        await page.set_viewport_size(size)
        await page.goto(f"{address}settings?{look}#all")
        await page.get_by_test_id("find-0").focus()
        await page.keyboard.press("Enter")
        await expect(page.get_by_test_id("found-said-0")).to_have_text(LOOKED)
        await findings.audit(page, f"{view}, found")
        await page.get_by_test_id("set-table.0.board").fill(board.address)
        await page.get_by_test_id("try-0").click()
        await expect(page.get_by_test_id("try-stop")).to_be_visible()
        await findings.audit(page, f"{view}, tried")
    assert not findings.all, "\n".join(findings.all)
