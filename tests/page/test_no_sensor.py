"""A table without a sensor: what is tapped and typed on the page is thrown, and nothing is said to be missing."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from playwright.async_api import Page, Route, expect

from daemon.assemble import run_daemon
from daemon.config.reader import read_config

CONFIG = """[[table]]
board = "none"
game = "{}"
players = ["Ann", "Bo"]
profile = "{}"
takeout_s = 600

[mqtt]
on = false

[bridge]
state_dir = "{}"

[web]
port = {}
"""
_TAP_THREE_TIMES = """(bed) => {
    const { left, top, width, height } = bed.getBoundingClientRect();
    const at = { bubbles: true, clientX: left + width / 2, clientY: top + height / 2 };
    for (let tap = 0; tap < 3; tap += 1) bed.dispatchEvent(new MouseEvent("click", at));
}"""


async def test_darts_are_entered_where_there_is_no_sensor(tmp_path: Path, page: Page, unused_tcp_port: int) -> None:
    (tmp_path / "oche.toml").write_text(
        CONFIG.format("x01", "pikado", tmp_path / "state", unused_tcp_port), encoding="utf-8"
    )
    async with run_daemon(read_config(tmp_path / "oche.toml"), takes_taps=True) as running:
        table = running.tables["main"]
        await page.goto(running.page or "")
        await expect(page.locator("#board-state")).to_have_text("Enter the darts")
        await expect(page.locator("#board-warning")).to_be_hidden()
        await page.get_by_test_id("pad-face").click()
        for typed in ("t20", "19", "60"):
            await page.locator("#tap-id").fill(typed)
            await page.keyboard.press("Enter")
            await expect(page.locator("#tap-id")).to_have_value("")
        await expect(page.get_by_test_id("score-0")).to_have_text("362")
        # The first opens Bo's visit, which the page does not show yet when the second comes, but before it is answered.
        bed, opened = page.locator("#board [data-segment=T1]"), asyncio.Event()

        async def answer_late(route: Route) -> None:
            answer = await route.fetch()
            await opened.wait()
            await route.fulfill(response=answer)

        await page.route("**/tap", answer_late, times=1)
        await bed.evaluate(_TAP_THREE_TIMES)
        await expect(page.get_by_test_id("player")).to_have_text("Bo")
        opened.set()
        await expect(page.get_by_test_id("score-1")).to_have_text("492")
        assert [side.score for side in table.state().sides] == [362, 492]


_EXAMPLE = """(field) => {
    const { clientWidth, placeholder } = field;
    field.value = placeholder;
    const fits = field.scrollWidth <= clientWidth + 1; // it is rounded
    field.value = "";
    return [placeholder, fits];
}"""
"""What the empty field shows, and whether it has room for that."""


@pytest.mark.parametrize(
    ("game", "profile", "example"),
    [
        ("x01", "pikado", "T20"),
        ("around_the_world", "pikado", "1"),
        ("yatzy_dart", "plain-yatzy", ""),
        ("ground_round", "plain-ground-round", ""),
    ],
)
async def test_enter_in_the_empty_field_is_next_and_its_example_can_be_typed(
    tmp_path: Path, page: Page, unused_tcp_port: int, game: str, profile: str, example: str
) -> None:
    file = tmp_path / "oche.toml"
    file.write_text(CONFIG.format(game, profile, tmp_path / "state", unused_tcp_port), encoding="utf-8")
    async with run_daemon(read_config(file), takes_taps=True) as running:
        await page.goto(running.page or "")
        field = page.locator("#tap-id")
        for width, height, lang in ((800, 480, "en"), (390, 844, "de"), (360, 640, "en")):
            await page.set_viewport_size({"width": width, "height": height})
            await page.goto(f"{running.page}?lang={lang}")
            await page.locator("#tap-id, [data-testid=pad-face]").locator("visible=true").first.wait_for()
            if await page.get_by_test_id("pad-face").is_visible():
                await page.get_by_test_id("pad-face").click()
            await expect(field).to_be_visible()
            shown, fits = await field.evaluate(_EXAMPLE)
            assert fits, f"{shown} in {lang}"
            assert example in ("", shown)
        await field.fill(await field.get_attribute("placeholder") or "")
        await field.press("Enter")
        await expect(page.locator(".slot.thrown")).to_have_count(1)
        await expect(page.locator("#toast")).to_be_hidden()
        await page.locator("#tap-ok").click()  # which throws what is typed: nothing
        async with page.expect_request("**/next"):
            await field.press("Enter")
