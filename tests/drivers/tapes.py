"""Recordings as a few words of a test, and all that is heard of them when they are played."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from drivers.capture import Recording
from drivers.replay import open_replay
from drivers.schemes import parse
from drivers.transport import Lost, Unavailable

ADDRESS = parse("serial:/dev/ttyUSB0")
FOREVER_S = 1e6


def record(path: Path, *happened: tuple[int, Any]) -> Path:  # Any: bytes, or what Recording calls it
    """A recording of (milliseconds, what happened): bytes that came, or the name of what befell the link."""
    now_ms = 0
    with Recording(path, ADDRESS, version="1", overwrite=True, clock=lambda: now_ms * 1_000_000) as recording:
        for at_ms, what in happened:
            now_ms = at_ms
            match what:
                case bytes():
                    recording.write_received(what)
                case int():
                    recording.write_charge(what)
                case "up":
                    recording.write_up()
                case "unavailable":
                    recording.write_failure(Unavailable("plug it in"))
                case _:
                    recording.write_down(what, "pulled")
    return path


async def heard(path: Path, *, speed: str = "1", patience_s: float = FOREVER_S) -> list[tuple[float, bytes | str]]:
    """All that a replay says before it falls silent, and when: milliseconds after it began."""
    address = parse(f"replay:{path}?speed={speed}")
    said: list[tuple[float, bytes | str]] = []
    loop = asyncio.get_running_loop()
    start_s = loop.time()

    def note(what: bytes | str) -> None:
        said.append((round((loop.time() - start_s) * 1000, 3), what))

    try:
        async with asyncio.timeout(patience_s):
            while True:
                link = await open_replay(address)
                note("up")
                try:
                    while True:
                        note(await link.receive())
                except Lost:
                    note("lost")
                finally:
                    await link.aclose()
    except TimeoutError:
        return said
