"""A match in two places between two daemons over a real broker, where both boards are tapped on their pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from daemon.assemble import run_daemon
from daemon.config.reader import CheckedConfig, read_config
from tests.commanding import give
from tests.daemon.far_line import FarLine
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import configure, eventually
from tests.daemon.test_two_places import AGREED, begin, darts, scores
from tests.page.test_two_places import has_shown, open_table

MARKS = "#board .marks text"
COUNT_MARKS = """
  window.counts = [];
  new MutationObserver(() => window.counts.push(document.querySelectorAll("#board .marks > *").length))
    .observe(document.querySelector("#board"), { childList: true, subtree: true });
"""


def configure_tapped(folder: Path, port: int, name: str, board: str) -> CheckedConfig:
    """The daemon and the table of this name, at which taps throw."""
    folder.mkdir()
    table = f'name = "{name}"\ntakeout = "button"'
    return read_config(
        configure(folder, port, table, board=board, profile="opendarts", bridge=f'name = "{name}"', more=AGREED)
    )


async def tap(page: Page, *beds: str) -> None:
    """A finger on these beds, one after the other."""
    for bed in beds:
        await page.locator(f'#board [data-segment="{bed}"]').first.click(force=True)


@pytest.mark.parametrize("board", ["none", "sim:opendarts"])
async def test_both_tap_on_their_own_pages(tmp_path: Path, browser: Browser, broker: Mosquitto, board: str) -> None:
    async with (
        FarLine(broker.port, 0.1).laid() as line,
        run_daemon(configure_tapped(tmp_path / "n", broker.port, "north", board), takes_taps=True) as one,
        run_daemon(configure_tapped(tmp_path / "s", line.port, "south", board), takes_taps=True) as other,
    ):
        north, south = one.tables["north"], other.tables["south"]
        here, there = [await open_table(browser, each.page, name) for each, name in ((one, "north"), (other, "south"))]
        await begin(north, south)
        for page in (here, there):
            await expect(page.locator("#sides")).to_contain_text("Bo")
            if board == "none":
                await page.get_by_text("Tap the face").click()
        await expect(here.get_by_test_id("next")).to_be_enabled()
        await expect(there.get_by_test_id("next")).to_be_disabled()
        await expect(there.locator("#phase")).to_have_text("Ann is at the oche")
        await tap(there, "T20")
        await expect(there.get_by_test_id("toast")).to_contain_text("Ann is at the oche")

        await tap(here, "T20", "T20", "T20")
        await eventually(lambda: darts(north) == ["T20"] * 3)
        await here.get_by_test_id("next").click()
        await expect(there.get_by_test_id("next")).to_be_enabled()
        await expect(here.get_by_test_id("next")).to_be_disabled()

        await there.evaluate(COUNT_MARKS)
        await tap(there, "T20", "T20", "T19")
        await eventually(lambda: darts(north) == ["T20", "T20", "T19"])
        await expect(there.locator(MARKS)).to_have_count(3)
        assert 0 not in await there.evaluate("window.counts"), "a dart that was on its way left the face"
        await there.get_by_test_id("undo").click()
        await eventually(lambda: darts(north) == ["T20", "T20"])
        await tap(there, "T20")
        await eventually(lambda: darts(north) == ["T20"] * 3)
        await has_shown(there, "180", 2)
        await expect(there.locator(MARKS)).to_have_count(3)
        await there.get_by_test_id("next").click()
        await eventually(lambda: north.committed.public.turn.side == 0)
        assert scores(north) == [121, 121]

        await tap(here, "T20", "T20", "O1")
        await eventually(lambda: north.committed.public.phase == "over")
        await expect(there.locator("#winner")).to_have_text("Ann")
        await expect(there.locator("#again")).to_be_hidden()
        await expect(here.locator("#again")).to_be_visible()
        await here.locator("#again").click()
        await expect(there.get_by_test_id("next")).to_be_enabled()  # Bo begins
        await tap(there, "T20")
        await eventually(lambda: darts(north) == ["T20"])


async def test_the_other_page_draws_the_game_of_the_match(tmp_path: Path, browser: Browser, broker: Mosquitto) -> None:
    """The other table last played another game, which has another face."""
    configs = [configure_tapped(tmp_path / name, broker.port, name, "none") for name in ("north", "south")]
    async with run_daemon(configs[0]) as one, run_daemon(configs[1]) as other:
        there = await open_table(browser, other.page, "south")
        await expect(there.locator("body")).to_have_attribute("data-face", "x01")
        match = {"game": "cricket", "players": ["Ann", "Bo"], "places": ["north", "south"]}
        await give(one.tables["north"], {"start": match}, "page")
        await expect(there.locator("body")).to_have_attribute("data-face", "marks")
        await give(other.tables["south"], {"lend": None}, "page")
        await expect(there.locator("body")).to_have_attribute("data-face", "x01")
