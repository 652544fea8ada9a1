"""Every game that a board can play, on every kind of screen: what is shown is so, and nothing of it is lost.

One window goes through the sizes while a match is played by its own state; tests/page/look.js says what it sees.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from playwright.async_api import Browser, ConsoleMessage, Page

from engine.games import GAMES, is_shipped
from tests.page.playing import Playing, look_at

SIZES = {
    "phone": (390, 844),
    "wall tablet": (800, 480),
    "television": (1920, 1080),
    "television at 200 %": (960, 540),
    "television upright": (1080, 1920),
    "4K": (3840, 2160),
}
LONG = "Maximiliane von Hohenfels"[:24]
MARKUP = "<img src=x onerror=a()>!"
CROWD = [LONG, MARKUP, "Bo", "Åsa", "Dee", "Eve"]
PLIES = (1, 3, 20)
"""How far a match goes between two looks."""


class Window:
    """A guest's window, and all that was wrong in it."""

    def __init__(self, page: Page, address: str) -> None:
        self.problems: list[str] = []
        self._page = page
        self._address = address
        page.on("pageerror", lambda error: self.problems.append(f"the page failed: {error}"))
        page.on("console", self._said)
        page.on("request", lambda request: self._asked(request.url))

    async def look(self, match: Playing, when: str, sizes: Iterable[str] = SIZES) -> None:
        """Goes through these sizes."""
        for name in sizes:
            width, height = SIZES[name]
            await self._page.set_viewport_size({"width": width, "height": height})
            seen = await look_at(self._page, match.state, is_wall=name != "phone")
            self.problems += [f"{name}, {when}: {each}" for each in seen]

    def _said(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.problems.append(f"the page said: {message.text}")

    def _asked(self, url: str) -> None:
        if not url.startswith((self._address, "data:", "blob:")):
            self.problems.append(f"the page asked for {url}")


async def _open(browser: Browser, match: Playing, query: str = "") -> Window:
    page = await browser.new_page(reduced_motion="reduce")
    window = Window(page, match.url)
    await page.goto(f"{match.url}{query}")
    return window


async def _through(
    match: Playing, window: Window, name: str, players: list[str], plies: Iterable[int], sizes: Iterable[str] = SIZES
) -> None:
    await match.start(name, players)
    for count in plies:
        await match.go_on(count)
        await window.look(match, f"{len(players)} at line {match.state['line']}", sizes)
    assert not window.problems, "\n".join(window.problems)


@pytest.mark.long
@pytest.mark.parametrize("game", [name for name in GAMES if is_shipped(name)])
async def test_every_game_on_every_screen(browser: Browser, match: Playing, game: str) -> None:
    window = await _open(browser, match)
    sides = GAMES[game].sides
    await _through(match, window, game, ["Ann", "Bo"], PLIES)
    crowd = CROWD[: min(len(CROWD), sides[-1])]
    await _through(match, window, game, crowd, (2, 21))
    if 1 in sides:
        await _through(match, window, game, [MARKUP], (8,))


@pytest.mark.parametrize("game", ["burma_road", "dards", "d20_elimination", "yatzy_dart", "ground_round"])
async def test_the_founding_games_are_shown_as_they_are_in_german(browser: Browser, match: Playing, game: str) -> None:
    window = await _open(browser, match, "?lang=de")
    await _through(match, window, game, ["Ann", "Bo"], (7,), ["television"])


async def test_a_match_is_shown_as_it_is_on_every_screen(browser: Browser, match: Playing) -> None:
    window = await _open(browser, match)
    await _through(match, window, "x01", CROWD, (9,))


async def test_what_differs_from_usual_has_room_on_every_screen(browser: Browser, match: Playing) -> None:
    window = await _open(browser, match, "?lang=de")
    await _through(match, window, "soft_1501", CROWD, (2,))
    await _through(match, window, "soft_501", ["Ann", "Bo"], (2,))


async def test_sixteen_sides_have_room_on_a_small_wall_and_an_upright_one(browser: Browser, match: Playing) -> None:
    window = await _open(browser, match, "?lang=de")
    sides = [f"{LONG[:21]} {number}" for number in range(16)]
    await _through(match, window, "killer", sides, (2, 33), ["wall tablet", "television upright"])
