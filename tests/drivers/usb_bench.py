"""The bench with USB boards as a test handles it; what lies on it is another process, see umockdev_bench.py."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, Self  # Any: JSON

import msgspec

_CHECKOUT = Path(__file__).parents[2]


class Board:
    """A board on the bench, as a test handles it."""

    def __init__(self, bench: Bench, port: str, said: dict[str, Any]) -> None:  # Any: JSON
        self._bench, self._port, self._said = bench, port, said
        self.node = ""

    def plug(self) -> Self:
        self.node = self._do("plug", **self._said)
        return self

    def unplug(self) -> None:
        self._do("unplug")

    def say(self, *reports: bytes) -> None:
        for report in reports:
            self._do("say", data=report.hex())

    def fail(self, what: str, code: int, times: int = 1) -> None:
        self._do("fail", call=what, errno=code, times=times)

    @property
    def driver(self) -> str | None:
        """The kernel's driver that is bound to it."""
        return self._do("ask")["driver"]  # type: ignore[no-any-return]  # JSON

    @property
    def is_held(self) -> bool:
        return bool(self._do("ask")["held"])

    @property
    def reading(self) -> int:
        return int(self._do("ask")["reading"])

    @property
    def waiting(self) -> int:
        """Reports that were not read."""
        return int(self._do("ask")["waiting"])

    @property
    def log(self) -> list[list[Any]]:
        """What it was sent, in order."""
        return self._do("ask")["log"]  # type: ignore[no-any-return]  # JSON

    def _do(self, what: str, **said: Any) -> Any:
        return self._bench.ask({"do": what, "port": self._port, **said})


class Bench:
    """The other process."""

    def __init__(self) -> None:
        command = ["/usr/bin/python3", "-B", "-m", "tests.drivers.umockdev_bench"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=_CHECKOUT)
        self._boards: list[Board] = []
        self.folder = Path(self._answer())
        os.environ["UMOCKDEV_DIR"] = str(self.folder)

    def plug(self, port: str = "1-1", **said: Any) -> Board:
        return Board(self, port, said).plug()

    def ask(self, what: dict[str, Any]) -> Any:
        assert self._process.stdin is not None
        self._process.stdin.write(msgspec.json.encode(what) + b"\n")
        self._process.stdin.flush()
        return self._answer()

    def shut(self, node: str) -> None:
        """Takes the permission to use this node from all users; every user may use what belongs to umockdev."""
        for place in (self.folder, *(self.folder / "ioctl").rglob("*")):
            place.chmod(0o777)
        (self.folder / node[1:]).chmod(0)

    def close(self) -> None:
        self._process.communicate()
        shutil.rmtree(self.folder)

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        return msgspec.json.decode(self._process.stdout.readline())
