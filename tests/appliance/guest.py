"""A computer with Debian, systemd and oche on its disk, which is switched on and off like one at the wall.

The kernel is the rig's. A disk is a copy-on-write file over one that never changes: what the guest has written to its
disk is in that file at once and survives the cut, as on a disk without a cache of its own; what the guest's kernel had
still in its memory is lost. Two serial lines lead out: an agent runs commands on one, and what is shown to players is
written to the other. What has come out of that line was shown, whatever becomes of the guest.
"""

from __future__ import annotations

import json
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Self

from tests.rig.machine import ROOT, Dead, switch_off, switch_on

BOOT_S = 60
_BOOTS = 3
COMMAND_S = 120
SHOWN_LINE = "/dev/ttyS1"
"""In the guest: the line on which is written what players see."""

_MOST = 1000
"""Characters in one piece of a file. A serial line of User Mode Linux falls silent once 4,096 bytes wait in it."""


class Answer(NamedTuple):
    """How a command ended, and what it said."""

    status: int
    output: str


class Guest:
    """`with Guest(kernel, disk, folder) as guest` boots it and waits for its agent.

    With `is_kept` it writes to that disk itself, else the folder keeps what it writes. All of it is for one thread;
    raises Dead when the guest does not answer in time.
    """

    slowness = 1
    """By how much longer it takes than usual; every patience is multiplied by it."""

    def __init__(self, kernel: Path, disk: Path, folder: Path, *, is_kept: bool = False) -> None:
        self.shown: list[str] = []
        """The lines that were shown to players since it was last switched on."""
        self.boot_s = 0.0
        """How long it took to boot."""
        self.hung_boots = 0
        """How often it did not come up."""
        self._kernel = kernel
        self._disk = str(disk) if is_kept else f"{folder}/disk.cow,{disk}"
        self._folder = folder
        self._machine: subprocess.Popen[bytes] | None = None
        self._readers: list[threading.Thread] = []
        self._answers: dict[int, Answer] = {}
        self._news = threading.Condition()
        self._asked = 0
        self._hangs = False

    def __enter__(self) -> Self:
        self.switch_on()
        return self

    def __exit__(self, *_: object) -> None:
        self.cut()

    def switch_on(self) -> None:
        """Boots it from its disk as that is; one that does not come up is switched off and on, as people do.

        A boot hangs now and then, whatever is on the disk: User Mode Linux does that, we do not know why.
        """
        for _ in range(_BOOTS - 1):
            with suppress(Dead):
                self._boot()
                return
            self.hung_boots += 1
            self.cut()
        self._boot()

    def wake(self) -> None:
        """If it hangs, switches it off, and on with the disk of its beginning: a test was broken off in the middle."""
        try:
            self.sh("true", patience_s=10)
        except Dead:
            self.cut()
            (self._folder / "disk.cow").unlink(missing_ok=True)
            self.switch_on()

    def _boot(self) -> None:
        begin = time.monotonic()
        self._answers.clear()
        self._hangs = False
        self.shown = []
        ends = [socket.socketpair() for _ in range(2)]
        theirs = [end.fileno() for _, end in ends]
        self._machine = self._switch_on(theirs)
        for _, end in ends:
            end.close()
        self._agent = ends[0][0]
        self._readers = [
            threading.Thread(target=read, args=(end,), daemon=True)
            for read, (end, _) in zip((self._read_answers, self._read_shown), ends, strict=True)
        ]
        for reader in self._readers:
            reader.start()
        self._answer(0, BOOT_S)
        self.boot_s = time.monotonic() - begin

    def _switch_on(self, lines: list[int]) -> subprocess.Popen[bytes]:
        """Starts its process, with these sockets as its serial lines."""
        return switch_on(
            self._kernel,
            self._folder,
            f"ubd0={self._disk}",
            *("root=/dev/ubda", "rootfstype=ext4", "ssl=null"),
            *(f"ssl{number}=fd:{file}" for number, file in enumerate(lines)),
            lines=lines,
        )

    def cut(self) -> None:
        """The power is gone. All that was shown before is in `shown` afterwards."""
        if self._machine is not None:
            switch_off(self._machine)
            self._machine = None
            for reader in self._readers:
                reader.join()

    def off(self) -> None:
        """Shuts it down as one should. Raises Dead when it hangs, as some boots do."""
        assert self._machine is not None
        self.start("off", "systemctl poweroff")
        try:
            self._machine.wait(BOOT_S)
        except subprocess.TimeoutExpired:
            console = (self._folder / "console").read_text(errors="replace")
            raise Dead(f"it does not shut down; the guest's console:\n{console[-6000:]}") from None
        finally:
            self.cut()

    def sh(self, command: str, text: str = "", *, patience_s: float = COMMAND_S) -> Answer:
        """Runs a line of shell as root, with `text` as its input, unless the guest left a line unanswered before."""
        if self._hangs:
            raise Dead(f"{command}: not asked, as the guest has not answered before")
        self._asked += 1
        order = {"id": self._asked, "run": command, "input": text}
        try:
            self._agent.sendall(json.dumps(order).encode() + b"\n")
        except OSError:  # its kernel has panicked
            patience_s = 0
        return self._answer(self._asked, patience_s, command)

    def said(self, command: str, text: str = "", *, patience_s: float = COMMAND_S) -> str:
        """What a command says that must succeed."""
        status, output = self.sh(command, text, patience_s=patience_s)
        assert status == 0, f"{command}: status {status}\n{output}"
        return output.rstrip("\n")

    def until(self, command: str, *, patience_s: float = COMMAND_S) -> str:
        """Runs this command until it succeeds; what it said then."""
        end = time.monotonic() + patience_s * self.slowness
        while True:
            status, output = self.sh(command)
            if status == 0:
                return output.rstrip("\n")
            assert time.monotonic() < end, f"{command} never succeeded: status {status}\n{output}"
            time.sleep(0.2)

    def until_shown(self, is_so: Callable[[list[str]], bool], *, patience_s: float = COMMAND_S) -> None:
        """Waits until what was shown makes this true."""
        end = time.monotonic() + patience_s * self.slowness
        while not is_so(self.shown):
            if time.monotonic() > end:
                raise Dead(f"this was never so; shown was {self.shown[-3:]}")
            time.sleep(0.05)

    def write(self, file: str, text: str) -> None:
        """Writes a file, as root, in pieces: see `_MOST`."""
        self.said(f"mkdir -p $(dirname {file}) && : >{file}")
        for begin in range(0, len(text), _MOST):
            self.said(f"cat >>{file}", text[begin : begin + _MOST])

    def host(self, *command: str) -> str:
        """The shell's line that runs this command of the host, in the checkout: a simulated board, mostly."""
        mounted = "for d in proc sys dev run; do mountpoint -q /host/$d || mount --rbind /$d /host/$d; done"
        environment = f"env -C {ROOT} PYTHONDONTWRITEBYTECODE=1 PYTHONPATH={ROOT} HOME=/root"
        return f"{mounted}; exec chroot /host {environment} {' '.join(command)}"

    def start(self, unit: str, command: str) -> None:
        """Starts a line of shell in the background, as a service of this name."""
        self.write(f"/run/rig/{unit}", command)
        self.said(f"systemd-run --quiet --collect --unit={unit} /bin/sh /run/rig/{unit}")

    def _answer(self, number: int, patience_s: float, command: str = "the agent") -> Answer:
        patience_s *= self.slowness
        with self._news:
            if self._news.wait_for(lambda: number in self._answers, patience_s):
                return self._answers.pop(number)
        self._hangs = True
        console = (self._folder / "console").read_text(errors="replace")
        raise Dead(f"{command}: no answer in {patience_s:.0f} s; the guest's console:\n{console[-6000:]}")

    def _read_answers(self, line: socket.socket) -> None:
        with suppress(ConnectionResetError), line, line.makefile("rb") as texts:  # cut while we spoke
            for text in texts:
                said = json.loads(text)
                with self._news:
                    self._answers[said["id"]] = Answer(said["status"], said["output"])
                    self._news.notify_all()

    def _read_shown(self, line: socket.socket) -> None:
        with suppress(ConnectionResetError), line, line.makefile("rb") as texts:
            for text in texts:
                if text.endswith(b"\n"):  # half a line has not been read yet
                    self.shown.append(text.decode(errors="replace").rstrip())
