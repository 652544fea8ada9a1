"""The page without a server of its own: mqtt.js as npm brings it, a real Chromium, a broker that speaks websockets."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from aiohttp import web
from playwright.async_api import async_playwright, expect

from simulator.pty_board import PtyBoard
from tests.daemon.display import Display
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import Process, configure, throw
from tests.displays.example import DISPLAYS
from tests.displays.test_pages import WITH_LOGINS

pytestmark = pytest.mark.long


async def test_a_browser_needs_nothing_but_the_broker(
    tmp_path: Path,
    mosquitto_path: Path,
    chromium_path: Path,
    node_modules: Path,
    board: PtyBoard,
    unused_tcp_port: int,
    unused_tcp_port_factory: Callable[[], int],
) -> None:
    site = tmp_path / "site"
    shutil.copytree(DISPLAYS / "browser", site)
    shutil.copy(node_modules / "mqtt" / "dist" / "mqtt.min.js", site)
    app = web.Application()
    app.router.add_static("/", site)
    server = web.AppRunner(app)
    await server.setup()
    await (place := web.TCPSite(server, "127.0.0.1", 0)).start()
    port = unused_tcp_port_factory()
    listener = WITH_LOGINS.replace("9001", f"{port} 127.0.0.1").splitlines()
    broker = Mosquitto(mosquitto_path, tmp_path / "mosquitto", unused_tcp_port, more=listener)
    config = configure(tmp_path, unused_tcp_port, bridge='name = "north"')
    try:
        async with broker, Process("run", "--config", config) as daemon, async_playwright() as playwright:
            await daemon.runs()
            browser = await playwright.chromium.launch(
                executable_path=chromium_path, args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
            )
            page = await browser.new_page()
            await board.wait_until_open()
            throw(board, "T20", "T19")
            async with Display(unused_tcp_port) as display:
                await display.until_line(3)
            address = f"{place.name}/index.html?broker=ws://127.0.0.1:{port}"
            await page.goto(address)
            await expect(page.locator("#player")).to_have_text("offline")  # `oche`, a daemon that is not there
            await page.goto(f"{address}&bridge=north")
            await expect(page.locator("#player")).to_have_text("Ann")
            await expect(page.locator("#score")).to_have_text("384")
            await expect(page.locator("#darts")).to_have_text("T20 T19")

            await broker.kill()
            await expect(page.locator("#player")).to_have_text("offline")
            await broker.start()
            throw(board, "I1")
            await expect(page.locator("#score")).to_have_text("383", timeout=30_000)
            await daemon.kill()
            await expect(page.locator("#player")).to_have_text("offline")
            await expect(page.locator("#score")).to_have_text("")
            await browser.close()
    finally:
        await server.cleanup()
