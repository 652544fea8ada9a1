"""A real Firefox without a window, spoken to over WebDriver BiDi: Debian's, as it is, with no driver beside it."""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
import re
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Self

import aiohttp

from tests.daemon.process import PATIENCE_S
from tests.page.window import JSON, Window

_PREFERENCES = {
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "app.update.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "extensions.update.enabled": False,
    "remote.active-protocols": 1,
}


class Firefox(Window):
    """One window of it."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._problems: list[str] = []
        self._socket = socket
        self._numbers = itertools.count(1)
        self._answers: dict[int, asyncio.Future[JSON]] = {}
        self._window = ""

    async def open(self) -> Self:
        """Begins a session with a window in it."""
        await self.send("session.new", capabilities={})
        await self.send("session.subscribe", events=["log.entryAdded"])
        self._window = (await self.send("browsingContext.create", type="tab"))["context"]
        return self

    async def send(self, method: str, **params: JSON) -> JSON:
        """Sends a command of the protocol; returns its result. Raises AssertionError where it is refused."""
        number = next(self._numbers)
        self._answers[number] = asyncio.get_running_loop().create_future()
        await self._socket.send_json({"id": number, "method": method, "params": params})
        async with asyncio.timeout(PATIENCE_S):
            return await self._answers[number]

    async def listen(self) -> None:
        """Takes what comes, until the connection ends."""
        async for message in self._socket:
            said = json.loads(message.data)
            if said["type"] == "event":
                entry = said["params"]
                if entry.get("level") == "error":
                    self._problems.append(entry["text"])
            elif (answer := self._answers.pop(said["id"], None)) is not None and not answer.done():
                if said["type"] == "error":
                    answer.set_exception(AssertionError(f"{said['error']}: {said['message']}"))
                else:
                    answer.set_result(said["result"])

    async def resize(self, width: int, height: int) -> None:
        await self.send(
            "browsingContext.setViewport", context=self._window, viewport={"width": width, "height": height}
        )

    async def goto(self, url: str) -> None:
        await self.send("browsingContext.navigate", context=self._window, url=url, wait="complete")

    async def answer(self, path: str, told: JSON) -> None:
        """Has pages that are opened from now on get this answer to what they fetch at this path."""
        answer = f"Promise.resolve(Response.json({json.dumps(told)}))"
        asks = f"new URL(asked[0], document.baseURI).pathname === {json.dumps(path)}"
        script = f"() => {{ const ask = fetch; window.fetch = (...asked) => {asks} ? {answer} : ask(...asked); }}"
        await self.send("script.addPreloadScript", functionDeclaration=script)

    async def run(self, script: str) -> JSON:
        found = await self.send(
            "script.evaluate",
            expression=f"Promise.resolve({script}).then((found) => JSON.stringify(found ?? null))",
            target={"context": self._window},
            awaitPromise=True,
        )
        assert found["type"] == "success", found
        return json.loads(found["result"]["value"])

    async def print_pages(self) -> list[tuple[int, int]]:
        """Prints on A4 that stands; returns how wide and high each page came out, in points."""
        paper = {"width": 21.0, "height": 29.7}
        printed = await self.send("browsingContext.print", context=self._window, page=paper, shrinkToFit=False)
        packed = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", base64.b64decode(printed["data"]), re.DOTALL)
        text = b"".join(zlib.decompressobj().decompress(each) for each in packed if each[:1] == b"x")
        return [(int(wide), int(high)) for wide, high in re.findall(rb"/MediaBox\s*\[ 0 0 (\d+) (\d+) \]", text)]

    async def perform(self, source: JSON) -> None:
        await self.send("input.performActions", context=self._window, actions=[source])

    async def problems(self) -> list[str]:
        return self._problems


@asynccontextmanager
async def start_firefox(program: Path, folder: Path) -> AsyncIterator[Firefox]:
    """Runs it while the block lasts, with a profile of its own in this folder."""
    profile = folder / "profile"
    profile.mkdir(parents=True)
    lines = (f'user_pref("{name}", {json.dumps(value)});\n' for name, value in _PREFERENCES.items())
    (profile / "user.js").write_text("".join(lines), encoding="utf-8")
    process = await asyncio.create_subprocess_exec(
        *(program, "--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        env={"HOME": str(folder), "PATH": "/usr/bin:/bin", "MOZ_CRASHREPORTER_DISABLE": "1"},
    )
    assert process.stderr is not None
    try:
        async with asyncio.timeout(PATIENCE_S):
            while not (found := re.search(rb"WebDriver BiDi listening on (ws://\S+)", await process.stderr.readline())):
                assert process.returncode is None, "Firefox has ended"
        drain = asyncio.create_task(process.stderr.read())
        async with aiohttp.ClientSession() as client, client.ws_connect(f"{found[1].decode()}/session") as socket:
            firefox = Firefox(socket)
            listening = asyncio.create_task(firefox.listen())
            yield await firefox.open()
            listening.cancel()
        drain.cancel()
    finally:
        process.terminate()
        await process.wait()
