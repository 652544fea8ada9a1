"""The programs that are measured, each a process of its own, as they run at home; none outlives its block.

They get sessions of their own, so that a Ctrl-C reaches the bench alone and it is the bench that ends them.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import tty
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from random import Random
from typing import Self

from protocol.codebook import shipped

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 30.0
PAUSE_S = (0.025, 0.065)
"""Between two hits: at least and at most."""


class BenchError(Exception):
    """The bench cannot go on; the text is one sentence."""


@contextmanager
def process(*command: str, log: Path) -> Iterator[subprocess.Popen[str]]:
    """A program while the block lasts; its standard output can be read, what it complains of is in the log."""
    with log.open("w", encoding="utf-8") as complaints, ExitStack() as ends:
        with _holding_back(signal.SIGINT, signal.SIGTERM):  # amid the start they would leave the program behind
            running = subprocess.Popen(
                command,
                cwd=ROOT,
                text=True,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=complaints,
                start_new_session=True,
            )
            ends.enter_context(running)  # closes the pipes
            ends.callback(_end, running)
        yield running


@contextmanager
def _holding_back(*signals: signal.Signals) -> Iterator[None]:
    """Lets these signals take effect only after the block."""
    held: list[int] = []
    handlers = {each: signal.signal(each, lambda number, _: held.append(number)) for each in signals}
    try:
        yield
    finally:
        for each, handler in handlers.items():
            signal.signal(each, handler)
    for number in held:
        signal.raise_signal(number)


def _end(running: subprocess.Popen[str]) -> None:
    running.terminate()
    try:
        running.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        running.kill()


def python(*arguments: str, log: Path) -> AbstractContextManager[subprocess.Popen[str]]:
    """The same for a program of this very interpreter."""
    return process(sys.executable, *arguments, log=log)


def daemon(config: Path) -> AbstractContextManager[subprocess.Popen[str]]:
    """The daemon with this configuration; its log is beside it."""
    return python("-m", "daemon.cli", "run", "--config", str(config), log=config.with_name("oche.log"))


@contextmanager
def pass_through(wire: Wire, port: int, topic: str, folder: Path, *journal: str) -> Iterator[subprocess.Popen[str]]:
    """The bare script of tests.bench.pass_through, ready for lines from the wire. Raises BenchError."""
    log = folder / f"{topic.replace('/', '-')}.log"
    with python("-m", "tests.bench.pass_through", wire.path, str(port), topic, *journal, log=log) as script:
        if script.stdout is None or script.stdout.readline() != "ready\n":
            raise BenchError(f"the script does not start: {complaint(log)}")
        yield script


@contextmanager
def broker(folder: Path) -> Iterator[int]:
    """A mosquitto as it comes, on the loopback; gives its port."""
    port, log = find_port(), folder / "mosquitto.log"
    with process(str(find_mosquitto()), "-p", str(port), log=log) as running:
        give_up = time.monotonic() + PATIENCE_S
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                if running.poll() is not None or time.monotonic() > give_up:
                    raise BenchError(f"mosquitto does not start: {complaint(log)}") from None
                time.sleep(0.02)
        yield port


def run_ms(pid: int) -> float:
    """The time of a processor that all threads of a program have had."""
    return sum(int(task.read_text().split()[0]) for task in Path(f"/proc/{pid}/task").glob("*/schedstat")) / 1e6


def find_mosquitto() -> Path:
    """The broker's program. Debian keeps it where only root's PATH leads."""
    program = shutil.which("mosquitto", path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin")
    if program is None:
        raise BenchError("mosquitto is missing: install the Debian package mosquitto.")
    return Path(program)


def find_port() -> int:
    """A port on the loopback that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def complaint(log: Path) -> str:
    """The last thing a program said."""
    said = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return said[-1] if said else "it does not say why"


class Wire:
    """A pty in place of a board's cable. We hold the far end too, so that programs may come and go."""

    def __init__(self) -> None:
        self._ours, self._theirs = os.openpty()
        tty.setraw(self._theirs)
        self.path = os.ttyname(self._theirs)
        self.address = f"serial:{self.path}"

    def write(self, data: bytes) -> int:
        """Puts a whole message on the wire; gives the moment before its bytes left (monotonic, ns)."""
        at = time.monotonic_ns()
        os.write(self._ours, data)
        return at

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._ours)
        os.close(self._theirs)


def shuffle_hits() -> list[bytes]:
    """What the board that is played on puts on the wire for each segment, in an order that is always the same."""
    codebook = shipped("opendarts")
    frames = [codebook.profile.framing.wrap(f) for meaning, f in codebook.frames.items() if meaning.kind == "hit"]
    Random(180).shuffle(frames)
    return frames


def daemon_config(folder: Path, board: str, port: int, profile: str = "opendarts", table: str = "main") -> Path:
    """A configuration as a user has it at home: one board, at this address, a broker, the page.

    A daemon whose table is not `main` has the same name in topics as the table.
    """
    file = folder / "oche.toml"
    file.write_text(
        f"""
[bridge]
name = "{"oche" if table == "main" else table}"
state_dir = "{folder}/state"

[mqtt]
host = "127.0.0.1"
port = {port}

[web]
port = 0

[[table]]
name = "{table}"
board = "{board}"
profile = "{profile}"
""",
        encoding="utf-8",
    )
    return file
