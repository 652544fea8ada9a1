"""A program that plugs USB boards in: it obeys one JSON object a line and answers each with one.

It is run by the system's Python, which umockdev's bindings come with, under `umockdev-wrapper`. Its first line is the
folder of its test bed: a process that has that as UMOCKDEV_DIR sees its boards.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from gi.repository import (  # type: ignore[import-not-found, import-untyped, unused-ignore]  # the system's
    GLib,
    UMockdev,
)

from tests.drivers.umockdev_board import Board  # first asks for the right version of the bindings


class Bench:
    """Obeys the lines of its standard input."""

    def __init__(self) -> None:
        self.bed = UMockdev.Testbed.new()
        self.loop = GLib.MainLoop()
        self.boards: dict[str, Board] = {}
        self.plugged = 0
        self.answer(self.bed.get_root_dir())

    def run(self) -> None:
        GLib.io_add_watch(sys.stdin.fileno(), GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, self.obey)
        self.loop.run()

    def obey(self, *_: Any) -> bool:
        line = sys.stdin.readline()
        if not line:
            self.loop.quit()
            return False
        said = json.loads(line)
        board = self.boards.get(said["port"])
        if said["do"] == "plug":
            self.plugged += 1
            self.boards[said["port"]] = Board(self.bed, self.plugged + 1, said)
            self.answer(self.boards[said["port"]].node)
            return True
        assert board is not None, said
        match said["do"]:
            case "unplug":
                board.unplug()
                del self.boards[said["port"]]
            case "say":
                board.say(bytes.fromhex(said["data"]))
            case "fail":
                board.faults.setdefault(said["call"], []).extend([said["errno"]] * said["times"])
        reading = sum(len(opener.waiting) for opener in board.openers.values())
        self.answer(
            {
                "driver": board.driver,
                "held": board.holder is not None,
                "log": board.log,
                "reading": reading,
                "waiting": len(board.reports),
            }
        )
        return True

    def answer(self, what: object) -> None:
        sys.stdout.write(json.dumps(what) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    Bench().run()
