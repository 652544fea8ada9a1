"""A table without a sensor: what is tapped and typed on the page is thrown, and nothing is said to be missing."""

from __future__ import annotations

from pathlib import Path

from playwright.async_api import Page, expect

from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from daemon.web.taps import enable_taps

CONFIG = """[[table]]
board = "none"
players = ["Ann", "Bo"]
profile = "pikado"
takeout_s = 600

[mqtt]
on = false

[bridge]
state_dir = "{}"

[web]
port = {}
"""


async def test_darts_are_entered_where_there_is_no_sensor(tmp_path: Path, page: Page, unused_tcp_port: int) -> None:
    (tmp_path / "oche.toml").write_text(CONFIG.format(tmp_path / "state", unused_tcp_port), encoding="utf-8")
    async with run_daemon(read_config(tmp_path / "oche.toml")) as running:
        table = running.tables["main"]
        enable_taps(running.web.taps, table, None)
        await page.goto(running.page or "")
        await expect(page.locator("#board-state")).to_have_text("Enter the darts")
        await expect(page.locator("#board-warning")).to_be_hidden()
        await page.get_by_test_id("pad-face").click()
        for typed in ("t20", "19", "60"):
            await page.locator("#tap-id").fill(typed)
            await page.keyboard.press("Enter")
            await expect(page.locator("#tap-id")).to_have_value("")
        await expect(page.get_by_test_id("score-0")).to_have_text("362")
        bed = page.locator("#board [data-segment=T1]")
        for _ in range(3):  # the first opens Bo's visit, and the page may not show it yet when the second comes
            await bed.click()
        await expect(page.get_by_test_id("score-1")).to_have_text("492")
        assert [side.score for side in table.state().sides] == [362, 492]
