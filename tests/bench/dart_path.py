"""Which of our files does one dart pass, from the bytes of a board to its state at the broker?

Run it with `python -m tests.bench.dart_path`: a board on a pty, a daemon whose only way out is MQTT, the second dart of
a visit of 501. For each file: how often it was called from another file. A coroutine that goes on where it had waited
was not called: that is counted apart. The dart is thrown and undone several times, and the one with the fewest files is
shown, because something else (a health report) may fall into the same moment.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path
from types import FrameType

import aiomqtt
import msgspec

from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from protocol.codebook import shipped
from protocol.topics import topic
from simulator.pty_board import PtyBoard
from tests.bench.processes import broker
from tests.daemon.process import ROOT, configure, throw

ROOMS = ("drivers", "protocol", "engine", "daemon")
DARTS = 6


class Footprints:
    """The files that were called while it `is_on`, and those in which a coroutine went on."""

    def __init__(self) -> None:
        self.is_on = False
        self.calls: Counter[str] = Counter()
        self.resumed: Counter[str] = Counter()

    @property
    def files(self) -> set[str]:
        """All of them."""
        return {*self.calls, *self.resumed}

    def note(self, frame: FrameType, event: str, _: object) -> None:
        """A profile function, as in sys.setprofile."""
        code = frame.f_code
        if not self.is_on or event != "call" or (frame.f_back and frame.f_back.f_code.co_filename == code.co_filename):
            return
        name = code.co_filename.removeprefix(f"{ROOT}/")
        if name.startswith(ROOMS):
            goes_on = code.co_code[frame.f_lasti + 1] & 3  # of RESUME: 0 is the beginning of a function
            (self.resumed if goes_on else self.calls)[name] += 1


async def walk(folder: Path, port: int) -> Footprints:
    """The footprints of one dart."""
    darts = [Footprints() for _ in range(DARTS)]

    def note(frame: FrameType, event: str, argument: object) -> None:
        for found in darts:
            found.note(frame, event, argument)

    threading.setprofile(note)  # the journal's thread has not begun yet
    config = read_config(configure(folder, port, "lamps = false", web="on = false"))
    async with PtyBoard(shipped("opendarts"), folder / "board") as board, run_daemon(config) as running:
        running.tables["main"].outlets[:] = [running.mqtt]
        async with aiomqtt.Client("127.0.0.1", port) as display:
            await display.subscribe(topic("state", table="main"), qos=1)
            await _shown(display, 1)
            throw(board, "T20")
            for line, found in zip(range(2, 2 + 2 * DARTS, 2), darts, strict=True):
                await _shown(display, line)
                throw(board, "T19")
                found.is_on = True
                sys.setprofile(found.note)
                await _shown(display, line + 1)
                found.is_on = False
                sys.setprofile(None)
                board.press("undo")
    return min(darts, key=lambda found: len(found.files))


async def _shown(display: aiomqtt.Client, line: int) -> None:
    async for message in display.messages:
        if msgspec.json.decode(message.payload)["line"] == line:
            return


def main() -> None:
    """Prints the table."""
    with tempfile.TemporaryDirectory() as name, broker(Path(name)) as port:
        found = asyncio.run(walk(Path(name), port))
    for room in ROOMS:
        own = sorted(file for file in found.files if file.startswith(room))
        print(f"{room}: {len(own)} files")
        for file in own:
            print(f"  {found.calls[file]:>4} calls {found.resumed[file]:>3} resumed  {file}")
    print(f"all: {len(found.files)} files")


if __name__ == "__main__":
    main()
