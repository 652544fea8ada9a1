"""What is seen while oche is set up on the page, for the docs: taken by `make pictures`, as those of play are."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import NamedTuple

from playwright.async_api import Browser, Page, Route, ViewportSize, expect

from daemon.config.reader import DEFAULT_FILE
from daemon.web.token import make_token
from protocol.codebook import shipped
from simulator.pty_board import PtyBoard
from tests.bench.processes import find_port
from tests.page.playing import run, throw
from tests.page.test_guide import write_fresh

PHONE, TABLET, TELEVISION = (
    ViewportSize(width=390, height=844),
    ViewportSize(width=800, height=480),
    ViewportSize(width=1280, height=720),
)
_PORT = "serial:/dev/serial/by-id/usb-OpenDarts-if00"
_FOUND = {
    "v": 1,
    "notes_said": [],
    "found": [
        {
            "address": "ble:C0:11:22:33:44:55",
            "what": "GRANBOARD, -61 dBm",
            "fits": [{"profile": "granboard", "sure": "sure"}],
            "table": None,
        },
        {"address": _PORT, "what": "OpenDarts", "fits": [{"profile": "opendarts", "sure": "likely"}], "table": None},
    ],
}
"""What the daemon answers on a machine with two boards; all that follows is real."""


class Setting(NamedTuple):
    """A daemon that is to be set up: its page, its configuration, its board, and the token of its page."""

    address: str
    file: Path
    board: PtyBoard
    token: str


Scene = Callable[[Setting, Page], Coroutine[None, None, None]]


class SetupPicture(NamedTuple):
    """A file and the size of the screen; `scene` does what is done up to what is seen. `is_open`: to the network."""

    name: str
    size: ViewportSize
    scene: Scene
    is_open: bool = False


async def _first_visit(there: Setting, page: Page) -> None:
    await page.goto(there.address)
    await expect(page.get_by_test_id("card-shown")).to_be_visible()


async def _find(there: Setting, page: Page) -> None:
    await page.route("**/api/boards/scan", lambda route: route.fulfill(json=_FOUND))
    await page.goto(f"{there.address}guide?step=board")
    await expect(page.get_by_test_id("found-try").last).to_be_visible()


async def _try(there: Setting, page: Page) -> None:
    """The cable of the board ends in the folder of this run."""

    async def lead(route: Route) -> None:
        if route.request.post_data is None:
            await route.continue_()
        else:
            told = {**json.loads(route.request.post_data), "board": there.board.address}
            await route.continue_(post_data=json.dumps(told))

    await page.route("**/api/boards/try", lead)
    await _find(there, page)
    await page.get_by_test_id("found-try").last.click()
    await there.board.wait_until_open()
    await expect(page.get_by_test_id("try-said")).to_contain_text("Press any segment")
    throw(there.board, "T20")
    await expect(page.get_by_test_id("try-said")).to_contain_text("T20")
    await page.get_by_test_id("try-said").scroll_into_view_if_needed()


async def _settings(there: Setting, page: Page) -> None:
    """The file is in the folder of this run; the page names the usual one."""

    async def rename(route: Route) -> None:
        response = await route.fetch()
        await route.fulfill(response=response, body=(await response.text()).replace(str(there.file), str(DEFAULT_FILE)))

    await page.route("**/api/settings", rename)
    await page.goto(f"{there.address}settings#all")
    await page.get_by_test_id("set-table.0.board").fill("ble:C0:11:22:33:44:55")
    await page.get_by_test_id("set-table.0.profile").fill("granboard")
    await page.evaluate("document.activeElement.blur()")


async def _rules(there: Setting, page: Page) -> None:
    await page.goto(f"{there.address}settings#all")
    await page.get_by_test_id("section-outlets").locator("summary").first.click()
    await page.get_by_test_id("add-outlets.rule").click()
    rule = "set-outlets.rule.0"
    await page.get_by_test_id(f"{rule}.on").select_option("visit")
    await page.get_by_test_id(f"{rule}.points.min").fill("100")
    await page.get_by_test_id(f"{rule}.then.light").select_option("green")
    await page.evaluate("document.activeElement.blur()")
    await page.get_by_test_id(f"{rule}.on").evaluate(
        "(field) => field.closest('fieldset, section, details').scrollIntoView()"
    )


async def _doors(there: Setting, page: Page) -> None:
    await page.goto(f"{there.address}settings")
    await expect(page.get_by_test_id("door-home")).to_be_visible()
    await expect(page.get_by_test_id("door-players").locator("small")).to_be_visible()


async def _join(there: Setting, page: Page) -> None:
    await page.goto(f"{there.address}#token={there.token}")
    await expect(page.get_by_test_id("score-0")).to_be_visible()
    await page.get_by_test_id("join").click()
    await expect(page.get_by_test_id("join-spectator")).to_be_visible()


SCENES = (
    SetupPicture("first-visit", TABLET, _first_visit),
    SetupPicture("find-board", TABLET, _find),
    SetupPicture("try-board", PHONE, _try),
    SetupPicture("doors", TELEVISION, _doors),
    SetupPicture("settings", TELEVISION, _settings),
    SetupPicture("rules", TELEVISION, _rules),
    SetupPicture("join", TABLET, _join, is_open=True),
)


async def take(picture: SetupPicture, browser: Browser, folder: Path) -> bytes:
    """Returns the screenshot."""
    file = _write_file(folder, is_open=picture.is_open)
    token = make_token(folder / "state")
    async with PtyBoard(shipped("opendarts"), folder / "board") as board, run(file) as address:
        context = await browser.new_context(viewport=picture.size, reduced_motion="reduce", locale="en")
        page = await context.new_page()
        await picture.scene(Setting(address, file, board, token), page)
        taken = await page.screenshot(animations="disabled")
        await context.close()
    return taken


def _write_file(folder: Path, *, is_open: bool) -> Path:
    folder.mkdir(parents=True)
    file = write_fresh(folder, find_port())
    if is_open:
        opened = 'host = "0.0.0.0"\nnames = ["oche.lan"]\nport = '
        text = file.read_text(encoding="utf-8").replace('host = "127.0.0.1"\nport = ', opened)
        file.write_text(text, encoding="utf-8")
    return file
