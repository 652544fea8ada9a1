"""The page below the path of a proxy that has asked for a login, such as Home Assistant: it plays without a token."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace
from playwright.async_api import Page, expect

from daemon.assemble import run_daemon
from tests.page.playing import play, setup
from tests.page.test_seats import in_front


async def test_it_plays_below_a_path_without_a_token(
    tmp_path: Path, page: Page, broker_port: int, unused_tcp_port_factory: Callable[[], int]
) -> None:
    served = setup(tmp_path, broker_port, unused_tcp_port_factory(), host="0.0.0.0")
    web = replace(served.config.web, proxies=("127.0.0.1",))  # the reader refuses it: all of this machine come from it
    async with (
        run_daemon(replace(served, config=replace(served.config, web=web))) as running,
        in_front(str(running.page), unused_tcp_port_factory()) as address,
    ):
        await page.goto(address)
        await expect(page.get_by_test_id("score-0")).to_have_text("301")
        await play(running, "T20")
        await expect(page.get_by_test_id("score-0")).to_have_text("241")
        await page.get_by_role("button", name="Undo").click()
        await expect(page.get_by_test_id("score-0")).to_have_text("301")
        await page.goto(f"{address}history")
        await expect(page.locator("#said")).not_to_have_text("…")
        await page.close()
