"""Learning an unknown board on the settings page: a real daemon, a pty board of a secret wiring, and who presses it."""

from __future__ import annotations

import asyncio
import re
import tomllib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from daemon.plugins.profiles import find_codebook
from protocol.standard import merged, standard
from simulator.pty_board import PtyBoard
from tests.daemon.process import eventually, journal
from tests.daemon.test_learn_command import frames, secret
from tests.daemon.test_settings import overwrite, written
from tests.page.playing import hold_until, run
from tests.page.test_axe import LOOKS, VIEWS, Findings

SECRET = secret("gran_12x7", 9, mirror=True)


class Finger:
    """Presses what the page asks for, and counts presses and taps."""

    def __init__(self, page: Page, board: PtyBoard) -> None:
        self._page = page
        self._board = board
        self._beds = {segment.id for segment in board.codebook.segments}
        self.presses = 0
        self.taps = 0

    async def tap(self, name: str) -> None:
        """Taps what has this name."""
        self.taps += 1
        await self._page.get_by_test_id(name).click()

    async def asked(self) -> str:
        """Waits until a press is asked for; returns its segment, "" once all is known."""
        press = self._page.get_by_test_id("learn-press")
        await expect(press).to_have_text(re.compile(r" – | segment"))
        found = re.search(r"Press (\w+) –", await press.inner_text())
        return "" if found is None else found[1]

    async def press(self, segment: str) -> None:
        """Presses this, and waits until the page shows another state."""
        learn = self._page.locator("#learn")
        before = await learn.inner_text()
        self.presses += 1
        assert self._board.hit(standard()[segment if segment in self._beds else merged(segment)])
        await expect(learn).not_to_have_text(before, use_inner_text=True)

    async def press_all(self, most: int = 100) -> None:
        """Presses whatever is asked for."""
        while most and (asked := await self.asked()):
            await self.press(asked)
            most -= 1


@asynccontextmanager
async def opened(page: Page, address: str, look: str = "") -> AsyncIterator[Page]:
    """The part of the settings page, unfolded."""
    await page.goto(f"{address}settings{look}#all")
    await page.get_by_test_id("learn").locator("summary").first.click()
    yield page


def put_board(file: Path, board: PtyBoard) -> None:
    """Has the table play on it."""
    overwrite(file, written(file).replace("sim:opendarts", board.address))


async def test_an_unknown_board_is_learned_by_taps_and_plays(file: Path, tmp_path: Path, page: Page) -> None:
    async with PtyBoard(SECRET, tmp_path / "port") as board:
        put_board(file, board)
        async with run(file) as address:
            await board.wait_until_open()
            await page.goto(address)
            finger = Finger(page, board)
            for name in ("menu", "settings", "door-board", "learn-title"):
                await finger.tap(name)
            await expect(page.get_by_test_id("learn-board")).to_have_value(board.address)
            await page.get_by_test_id("learn-name").fill("Garage 1")
            await finger.tap("learn-start")
            first = await finger.asked()
            await expect(page.locator(".targets path").first).to_be_attached()
            await finger.press("T1")
            await expect(page.get_by_test_id("learn-heard")).to_contain_text(f"{first}: heard")
            await finger.tap("learn-undo")
            await expect(page.get_by_test_id("learn-progress")).to_contain_text("Press 1 of")
            assert await finger.asked() == first
            await finger.press_all(4)
            asked = await finger.asked()
            await page.reload()
            await page.get_by_test_id("learn").locator("summary").first.click()
            assert await finger.asked() == asked, "goes on where it was"
            await board.unplug()
            await expect(page.get_by_test_id("learn-press")).to_contain_text("plug it in again")
            board.plug()
            assert await finger.asked() == asked
            await finger.press_all()
            await expect(page.get_by_test_id("learn-progress")).to_contain_text("This is the mat gran_12x7, turned by")
            await expect(page.get_by_test_id("learn-save")).to_be_disabled()
            for bed in ("T20", "D3", "DB"):
                await finger.press(bed)
                await expect(page.get_by_test_id("learn-heard")).to_contain_text(bed)
                await expect(page.locator(".hits path").first).to_be_attached()
            await finger.tap("learn-save")
            saved = tmp_path / "state" / "profile.garage-1.toml"
            await expect(page.get_by_test_id("learn-saved")).to_contain_text(str(saved))
            await expect(page.get_by_test_id("learn-saved")).to_be_focused()
            await expect(page.get_by_test_id("learn-start")).to_be_visible()
            await expect(page.locator("#learn button.go:visible")).to_have_text(["Play with it at the table"])
            async with page.expect_download() as coming:
                await page.get_by_test_id("learn-download").click()
            assert (await coming.value).suggested_filename == "garage-1.toml"
            assert frames(find_codebook(str(saved))) == frames(SECRET)
            await finger.tap("learn-use-0")
            await expect(page.get_by_test_id("said")).to_contain_text("now uses this profile")
            assert tomllib.loads(written(file))["table"][0]["profile"] == str(saved)
            await board.wait_until_open()
            board.hit(standard()["T19"])
            await eventually(lambda: journal(tmp_path) == [{"throw": "T19"}])
            assert (finger.presses, finger.taps) == (14 + 1 + 3, 7 + 1), "docs/boards.md tells these figures"


async def test_a_bed_that_is_not_there_is_skipped_and_one_heard_twice_is_told(
    file: Path, tmp_path: Path, page: Page
) -> None:
    async with PtyBoard(SECRET) as board, run(file) as address, opened(page, address, "?lang=en"):
        finger = Finger(page, board)
        await page.get_by_test_id("learn-board").fill(board.address)
        await finger.tap("learn-start")
        first = await finger.asked()
        await finger.press(first)
        second = await finger.asked()
        await asyncio.sleep(1.1)  # or it would be the contact of before that is still closed
        await finger.press(first)
        await expect(page.get_by_test_id("learn-notes")).to_contain_text(f"{second} sends the same as {first}")
        await finger.tap("learn-undo")
        await finger.tap("learn-skip")  # the press that is asked for anew
        await expect(page.get_by_test_id("learn-heard")).to_have_text(f"{second}: not on this board")
        await finger.tap("learn-stop")
        await expect(page.get_by_test_id("learn-resume")).to_contain_text("Continue with my-board (2 presses)")
        await finger.tap("learn-resume")
        await finger.asked()
        await page.goto(f"{address}settings?lang=de#all")
        await page.get_by_test_id("learn").locator("summary").first.click()
        await expect(page.get_by_test_id("learn-press")).to_contain_text("Drücke ")
        await expect(page.get_by_test_id("learn-heard")).to_have_text(f"{second}: gibt es auf diesem Board nicht")
        await board.unplug()
        await expect(page.get_by_test_id("learn-press")).to_contain_text(": steck ")
        await expect(page.get_by_test_id("learn-notes")).to_contain_text("Kein Board: Das Kabel")


async def test_what_is_tapped_fast_is_done_in_turn(file: Path, page: Page) -> None:
    sent: list[str] = []
    go = asyncio.Event()
    await page.route("**/api/learn/undo", hold_until(go))
    page.on("request", lambda request: sent.append(request.url.rpartition("/")[2]))
    page.on("requestfinished", lambda request: sent.append(f"{request.url.rpartition('/')[2]} answered"))
    async with PtyBoard(SECRET) as board, run(file) as address, opened(page, address, "?lang=en"):
        finger = Finger(page, board)
        await page.get_by_test_id("learn-board").fill(board.address)
        await finger.tap("learn-start")
        first = await finger.asked()
        await finger.press(first)
        await expect(page.get_by_test_id("learn-heard")).to_contain_text(f"{first}: heard")
        await finger.tap("learn-undo")
        await finger.tap("learn-skip")
        go.set()
        await expect(page.get_by_test_id("learn-heard")).to_have_text(f"{first}: not on this board")
        await finger.tap("learn-stop")
        await expect(page.get_by_test_id("learn-resume")).to_contain_text("Continue with my-board (1 press)")
        assert sent.index("undo answered") < sent.index("skip")


async def test_a_trial_that_lit_the_wrong_bed_leads_to_learning_that_board(
    file: Path, tmp_path: Path, page: Page
) -> None:
    async with PtyBoard(SECRET, tmp_path / "port") as board, run(file) as address:
        await page.goto(f"{address}settings?lang=en#all")
        await page.get_by_test_id("set-table.0.board").fill(board.address)
        await page.get_by_test_id("try-0").click()
        await board.wait_until_open()
        await expect(page.get_by_test_id("try-said")).to_contain_text("Press any segment")
        await expect(page.get_by_test_id("try-wrong")).to_be_hidden()
        board.hit(standard()["T20"])
        await page.get_by_role("button", name="Wrong: learn it").click()
        await expect(page.get_by_test_id("learn-board")).to_be_focused()
        await expect(page.get_by_test_id("learn-board")).to_have_value(board.address)
        await page.get_by_test_id("learn-start").click()
        assert await Finger(page, board).asked() == "D20"


@pytest.mark.long
@pytest.mark.parametrize("look", LOOKS)
async def test_it_is_accessible_by_keyboard_and_fits(examined: Page, file: Path, look: str) -> None:
    findings, page = Findings(), examined
    async with PtyBoard(SECRET) as board, run(file) as address:
        for view, size in VIEWS.items():
            await page.set_viewport_size(size)
            await page.goto("about:blank")  # the same address would not be loaded again
            await page.goto(f"{address}settings?{look}#all")
            await expect(page.get_by_test_id("learn")).to_be_visible()
            await page.get_by_test_id("learn").locator("summary").first.focus()
            await page.keyboard.press("Enter")
            await expect(page.get_by_test_id("learn-start")).to_be_visible()
            await findings.audit(page, f"{view}, the form")
            await page.get_by_test_id("learn-board").fill(board.address)
            await page.keyboard.press("Enter")
            await expect(page.get_by_test_id("learn-press")).to_contain_text("D20")
            await expect(page.get_by_test_id("learn-stop")).to_be_focused()
            await findings.audit(page, f"{view}, asked for a press")
            assert await page.evaluate("document.documentElement.scrollWidth") <= size["width"]
            await page.keyboard.press("Enter")
            await expect(page.get_by_test_id("learn-start")).to_be_visible()
    assert not findings.all, "\n".join(findings.all)
