"""oche as it is at a venue, for one process that watches it from outside: started in forks, asked over HTTP, looked at.

It has read all modules once, so that a start costs some hundredths of a second. Nothing here waits in an event loop:
what a daemon has told before it was killed can still be read.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from daemon.cli import main
from tests.crash.counter import Counter

JSON = Any  # JSON
PATIENCE_S = 60
_PR_SET_PDEATHSIG = 1
_PAGE = re.compile(r"running; tables: .*; page: (\S+)")
_OF_A_LIFE = ("session", "seq", "match")


class Gone(Exception):
    """The daemon has ended, or was killed."""


class Child(NamedTuple):
    """A process of oche; its standard output and errors are in files."""

    pid: int
    output: Path
    errors: Path


class World:
    """`home` has the configuration and the state; `beside` what does not belong to it.

    `sabotage` is done to each process of oche.
    """

    def __init__(self, folder: Path, counter: Counter, sabotage: Callable[[], None] = lambda: None) -> None:
        self.home, self.beside = folder / "home", folder / "beside"
        self.beside.mkdir(parents=True, exist_ok=True)
        self.counter = counter
        self._sabotage = sabotage
        self.daemon: Child | None = None
        self.said = ""
        """The last refusal."""
        self.stack = ExitStack()
        """Of what is to stay open, as a port that is taken."""
        self.environment: dict[str, str] = {}
        """Of each process of oche, besides ours."""
        self.board = -1
        """Where a test writes what a board says."""
        self.headers: dict[str, str] = {}
        """Of each request."""
        self._events: socket.socket | None = None
        self.log = ""
        """What former processes have said since `restore`."""

    @property
    def file(self) -> Path:
        """The configuration."""
        return self.home / "oche.toml"

    @property
    def state(self) -> Path:
        """The state folder."""
        return self.home / "state"

    def restore(self, scene: Path) -> None:
        """Makes the home one as in this folder."""
        shutil.rmtree(self.home, ignore_errors=True)
        shutil.copytree(scene, self.home, symlinks=True)
        self.log = ""

    # Processes

    def fork(self, *arguments: str) -> Child:
        """Starts `oche` with these arguments."""
        self.log += self.errors
        output, errors = (self.beside / f"{name}" for name in ("output", "errors"))
        for file in (output, errors):
            file.unlink(missing_ok=True)
        sys.stdout.flush()
        pid = os.fork()
        if pid == 0:
            status = 70
            try:
                os.setpgid(0, 0)
                if self.counter.is_on:
                    self.counter.kill_with(os.getpid())
                ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
                os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
                os.dup2(os.open(output, os.O_WRONLY | os.O_CREAT, 0o600), 1)
                os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), 2)
                os.environ |= self.environment
                self._sabotage()
                sys.argv = ["oche", *arguments]
                status = _call_main()
            except BaseException:  # noqa: BLE001  a fork must not go on as its parent
                traceback.print_exc()
            finally:
                with suppress(BaseException):
                    sys.stdout.flush()
                os._exit(status)
        return Child(pid, output, errors)

    def command(self, *arguments: str, is_bare: bool = False) -> bool | None:
        """Runs a command to its end; whether it ended well, None when it was killed. A bare one takes no --config."""
        child = self.fork(*arguments, *(() if is_bare else ("--config", str(self.file))))
        end = time.monotonic() + PATIENCE_S
        while not (found := os.waitpid(child.pid, os.WNOHANG))[0]:
            if time.monotonic() > end:
                os.kill(child.pid, signal.SIGKILL)
                os.waitpid(child.pid, 0)
                raise TimeoutError
            time.sleep(0.003)
        status = found[1]
        if os.WIFSIGNALED(status):
            return None
        self.said = child.errors.read_text("utf-8", "replace").strip()
        return os.waitstatus_to_exitcode(status) == 0

    def start(self) -> bool | None:
        """Starts the daemon, and waits until it runs; False when it has ended by itself, None when it was killed."""
        if self.daemon is not None:
            return True
        self.daemon = self.fork("run", "--config", str(self.file))
        try:
            self.wait_for_run(1)
        except Gone as gone:
            return None if gone.args[0] else False
        return True

    def wait_for_run(self, times: int) -> None:
        """Until the daemon runs so many times, counted from its start. Raises Gone, with whether it was killed."""
        self.until(lambda: len(self._pages()) >= times)

    def until(self, is_so: Callable[[], object], patience_s: float = PATIENCE_S) -> None:
        """Until it is, as long as the daemon lives. Raises Gone, and TimeoutError."""
        end = time.monotonic() + patience_s
        while not is_so():
            self.check_alive()
            if time.monotonic() > end:
                raise TimeoutError
            time.sleep(0.003)

    def check_alive(self) -> None:
        """Raises Gone, with whether it was killed."""
        if self.daemon is None:
            raise Gone(False)
        pid, status = os.waitpid(self.daemon.pid, os.WNOHANG)
        if pid:
            self.said = self.errors.strip()
            self.daemon = None
            raise Gone(os.WIFSIGNALED(status))

    @property
    def errors(self) -> str:
        """What the daemon has logged."""
        with suppress(OSError):
            return (self.beside / "errors").read_text("utf-8", "replace")
        return ""

    def runs(self) -> int:
        """How often it has begun to run in this process."""
        return len(self._pages())

    def _pages(self) -> list[str]:
        return _PAGE.findall(self.errors)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> None:
        """Ends the daemon, if it runs, with all of its processes."""
        if (daemon := self.daemon) is not None:
            end = time.monotonic() + PATIENCE_S
            with suppress(Gone, ProcessLookupError):
                os.kill(daemon.pid, number)
                while time.monotonic() < end:
                    self.check_alive()
                    time.sleep(0.002)
                os.kill(daemon.pid, signal.SIGKILL)
                self.until(lambda: False)
        self.close_events()

    def kill(self) -> None:
        """Without a farewell."""
        self.stop(signal.SIGKILL)

    # The page

    def ask(self, method: str, path: str, body: object = None) -> tuple[int, JSON]:
        """The status of an answer, and the answer. Raises Gone."""
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        while True:
            self.check_alive()
            page = urlsplit(self._pages()[-1])
            try:
                with closing(HTTPConnection("127.0.0.1", page.port or 80, timeout=PATIENCE_S)) as connection:
                    connection.request(method, path, data, self.headers)
                    answer = connection.getresponse()
                    text = answer.read()
            except TimeoutError:
                raise
            except (OSError, HTTPException):
                self._wait_for_end()
                continue
            if answer.status == 429:
                time.sleep(float(answer.headers.get("Retry-After", 1)))
                continue
            told = json.loads(text) if "json" in answer.headers.get("Content-Type", "") else text
            return answer.status, told

    def _wait_for_end(self) -> None:
        """Why there was no answer: it has ended, or starts anew. Raises Gone."""
        for _ in range(20):
            self.check_alive()
            time.sleep(0.01)

    def get(self, path: str) -> JSON:
        """What must be there."""
        status, told = self.ask("GET", path)
        assert status == 200, f"{path}: {status} {told}"
        return told

    def post(self, path: str, body: object = None) -> bool | None:
        """Whether this was done; None when the daemon was killed before it has answered."""
        try:
            status, told = self.ask("POST", path, body)
        except Gone:
            return None
        if status != 200:
            self.said = f"{status} {told['error'].get('key') or told['error']['message'] if 'error' in told else told}"
        return status == 200

    def watch(self) -> None:
        """Has what the table shows noted from now on."""
        page = urlsplit(self._pages()[-1])
        self._events = socket.create_connection(("127.0.0.1", page.port or 80), PATIENCE_S)
        more = "".join(f"{name}: {value}\r\n" for name, value in self.headers.items())
        request = f"GET /api/table/main/events HTTP/1.1\r\nHost: 127.0.0.1:{page.port}\r\n{more}\r\n"
        self._events.sendall(request.encode())
        self._heard = b""
        while b"event: plan" not in self._heard:
            self._heard += self._events.recv(1 << 16)
        self._heard = b""

    def list_shown(self) -> list[tuple[str, JSON]]:
        """What it has shown since: "state" and "plan", and each as `look` has it."""
        if self._events is None:
            return []
        self._events.settimeout(0)
        with suppress(OSError):
            while piece := self._events.recv(1 << 16):
                self._heard += piece
        found = re.findall(rb"event: (state|plan)\r?\ndata: (.*)", self._heard)
        return [(name.decode(), normalise(name.decode(), json.loads(data))) for name, data in found]

    def close_events(self) -> None:
        """Notes no more."""
        if self._events is not None:
            self._events.close()
            self._events = None

    # What is so

    def look(self) -> dict[str, JSON]:
        """What everybody sees of a daemon that runs, and what its journal has, read by code of the tests alone."""
        players = {each["name"]: each for each in self.get("/api/players")}
        for each in players.values():
            each.pop("last", None)
        return {
            "state": normalise("state", self.get("/api/table/main/state")),
            "plan": normalise("plan", self.get("/api/table/main/plan")),
            "players": players,
            "configuration": shorten(self.file.read_text("utf-8")) if self.file.exists() else None,
            "matches": read_matches(self.state / "main.sqlite3"),
        }

    def list_names(self) -> set[str]:
        """The names of all files and folders, without the numbers in them."""
        return {shorten(str(path.relative_to(self.home))) for path in self.home.rglob("*")}


def _call_main() -> int:
    try:
        main()
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else int(left.code is not None)
    return 0


def normalise(name: str, told: JSON) -> JSON:
    """Without what is another one each time."""
    if name == "state":
        return {key: value for key, value in told.items() if key not in _OF_A_LIFE}
    return {key: value for key, value in told.items() if key not in ("session", "seq")}


def shorten(name: str) -> str:
    """Without numbers that are drawn, or of the time."""
    name = re.sub(r"\d{4}-\d{2}-\d{2}(-\d{6})?(\.\d+|-\d)?|\d{8}T\d{6}Z(-\d{6})?", "#", name)
    return re.sub(r"(?<![a-z])[0-9a-f]{6,}(?![a-z])", "#", name)


def read_matches(journal: Path) -> list[JSON]:
    """The header and the inputs of each match, in their order."""
    if not journal.exists():
        return []
    found = []
    with closing(sqlite3.connect(f"file:{journal}?mode=ro", uri=True, timeout=PATIENCE_S)) as db:
        for number, _, header in list(_rows(db)):
            lines = db.execute("select input from entry where match = ? order by line", (number,)).fetchall()
            known = {key: value for key, value in json.loads(header).items() if key != "seed"}
            found.append([known, *(json.loads(given) for (given,) in lines)])
    return found


def _rows(db: sqlite3.Connection) -> Iterator[tuple[int, str, str]]:
    yield from db.execute("select number, id, header from match order by number")
