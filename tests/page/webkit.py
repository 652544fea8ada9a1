"""A real WebKit, as all iPhones have it: Debian's, with its small browser and its driver, on a display of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp

from tests.daemon.process import PATIENCE_S, eventually
from tests.page.window import JSON, Window

_PLAIN = "* { min-width: 0; min-height: 0; margin: 0; padding: 0; border-width: 0; font-size: 1px; }"
"""Of the browser's own buttons, which would keep its window wider than a phone."""
_NOTE = """(() => {
  window.problems = [];
  addEventListener("error", ({ message }) => window.problems.push(message));
  addEventListener("unhandledrejection", ({ reason }) => window.problems.push(String(reason)));
  console.error = (...said) => window.problems.push(said.join(" "));
})()"""


class Webkit(Window):
    """One window of it. The driver tells nothing of a console: errors are noted from when the page is loaded."""

    def __init__(self, client: aiohttp.ClientSession, session: str) -> None:
        self._client = client
        self._session = session

    async def send(self, command: str, **params: JSON) -> JSON:
        """Sends a command of the protocol; returns its result. Raises AssertionError where it is refused."""
        async with self._client.post(f"{self._session}/{command}", json=params) as answer:
            told = (await answer.json(content_type=None))["value"]
        assert answer.ok, told
        return told

    async def resize(self, width: int, height: int) -> None:
        frame = await self.run("[outerWidth - innerWidth, outerHeight - innerHeight]")
        await self.send("window/rect", width=width + frame[0], height=height + frame[1])
        await self.until("[innerWidth, innerHeight]", [width, height])

    async def goto(self, url: str) -> None:
        await self.send("url", url=url)
        await self.run(_NOTE)

    async def run(self, script: str) -> JSON:
        plain = f"return Promise.resolve({script}).then((found) => JSON.parse(JSON.stringify(found ?? null)))"
        return await self.send("execute/sync", script=plain, args=[])

    async def perform(self, source: JSON) -> None:
        await self.send("actions", actions=[source])

    async def problems(self) -> list[str]:
        found: list[str] = await self.run("window.problems")
        return found


@asynccontextmanager
async def start_webkit(driver: Path, display: Path, port: int, folder: Path) -> AsyncIterator[Webkit]:
    """Runs it while the block lasts: the driver at this port, the display Xvfb; all that it keeps is in this folder."""
    looks = folder / "gtk-3.0"
    looks.mkdir(parents=True)
    (looks / "gtk.css").write_text(_PLAIN, encoding="ascii")
    screen = await asyncio.create_subprocess_exec(
        *(display, "-displayfd", "1", "-screen", "0", "1920x1200x24", "-nolisten", "tcp"),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    started = [screen]
    try:
        assert screen.stdout is not None
        async with asyncio.timeout(PATIENCE_S):
            number = (await screen.stdout.readline()).decode().strip()
        process = await asyncio.create_subprocess_exec(
            *(driver, "--host=127.0.0.1", f"--port={port}"),
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            env={"HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "PATH": "/usr/bin:/bin", "DISPLAY": f":{number}"},
        )
        started.append(process)
        address = f"http://127.0.0.1:{port}/session"
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(PATIENCE_S)) as client:

            async def listens() -> bool:
                try:
                    async with client.get(f"http://127.0.0.1:{port}/status") as answer:
                        return answer.ok
                except aiohttp.ClientError:
                    assert process.returncode is None, "WebKitWebDriver has ended"
                    return False

            await eventually(listens)
            async with client.post(address, json={"capabilities": {}}) as answer:
                told = (await answer.json(content_type=None))["value"]
                assert answer.ok, told
            session = f"{address}/{told['sessionId']}"
            yield Webkit(client, session)
            async with client.delete(session):  # which ends the browser
                pass
    finally:
        for each in reversed(started):
            each.terminate()
            await each.wait()
