"""The pictures of matches that were played, for the docs: what players take home, and where a player's darts landed.

Taken by `make pictures`.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace
from playwright.async_api import Browser, ViewportSize, expect

from daemon.assemble import run_daemon
from tests.daemon.evenings import Evening
from tests.page.playing import setup


class TakeHomePicture(NamedTuple):
    """A file, the window, what is opened in it, what is pressed there, and what of it is seen."""

    name: str
    size: ViewportSize
    path: str
    press: str
    seen: str


SCENES = (
    TakeHomePicture("card", ViewportSize(width=520, height=800), "take_home?match={match}", "upright", "canvas"),
    TakeHomePicture("card-wide", ViewportSize(width=900, height=640), "take_home?match={match}", "wide", "canvas"),
    TakeHomePicture("heat", ViewportSize(width=760, height=1300), "history?player=Dora", "", "#heat"),
    TakeHomePicture("story", ViewportSize(width=1000, height=1250), "story?day=2026-10-03", "", "body"),
)


def _play(folder: Path) -> str:
    """Plays an evening, a match of the week before, and before that some at a board that measures the darts.

    Returns the id of the evening's first match.
    """
    folder.mkdir(parents=True)
    with Evening(folder) as evening:
        for seed in range(10):
            evening.throw(seed, sigma_mm=15, day=seed - 40, off=(40, -90), players=["Dora"], options={"start": 501})
        evening.throw(2, sigma_mm=20, day=-7, players=["Ann", "Bo"], options={"start": 501})
        match = evening.throw(3, sigma_mm=14, players=["Ann", "Bo"], options={"start": 501}, format={"legs": 3})
        evening.throw(2, sigma_mm=18, game="cricket", players=["Ann", "Cy", "Dee"])
        players, teams = ["Ann", "Bo", "Cy", "Dee"], [[0, 1], [2, 3]]
        evening.throw(5, sigma_mm=18, players=players, teams=teams, options={"start": 301})
    return match


async def take(picture: TakeHomePicture, browser: Browser, folder: Path, port: int) -> bytes:
    """Returns the screenshot."""
    match = _play(folder)
    checked = setup(folder, port)
    web = replace(checked.config.web, venue="The Crooked Flight")
    async with run_daemon(replace(checked, config=replace(checked.config, web=web))) as running:
        page = await browser.new_page(viewport=picture.size, locale="en")
        await page.goto(f"{running.page}{picture.path.format(match=match)}")
        await expect(page.get_by_test_id("said")).to_be_empty()
        if picture.press:
            await page.get_by_test_id(picture.press).click()
        taken = await page.locator(picture.seen).first.screenshot(animations="disabled")
        await page.close()
    return taken
