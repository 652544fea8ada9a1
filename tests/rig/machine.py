"""A machine for one job: our own kernel as a program, which boots in a second and is forgotten afterwards.

It sees the files of this machine as they are, so a job is an ordinary command in this checkout; what it writes stays
in its memory. It is root in there and may do to its kernel what must not be done to a real one.
"""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

RIG = Path(__file__).parent
ROOT = RIG.parents[1]

_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class Dead(Exception):
    """The machine ended without a word about its job: a panic, or its time was over. `str()` ends with its console."""


class Outcome(NamedTuple):
    """What became of a job: its exit status, what it said, and the kernel's own log."""

    status: int
    output: str
    console: str


def run(
    kernel: Path, command: Sequence[str | Path], folder: Path, *, limit_s: float, options: Sequence[str] = ()
) -> Outcome:
    """Boots, runs this command in the checkout as root, switches off. `folder` is empty and of the machine alone.

    `options` go to the kernel; with `time-travel` its clock jumps whenever every process in it sleeps. Raises Dead.
    """
    (folder / "job").write_text(
        f"export PATH={_PATH} HOME=/root LANG=C.UTF-8 PYTHONDONTWRITEBYTECODE=1\n"
        f"cd {shlex.quote(str(ROOT))}\n"
        f"exec {shlex.join(map(str, command))}\n"
    )
    host_root = ("root=none", "rootfstype=hostfs", "rootflags=/", "ro", f"init={RIG}/init.sh")
    machine = switch_on(kernel, folder, *host_root, f"OCHE_RIG={folder}", f"OCHE_CHECKOUT={ROOT}", *options)
    try:
        machine.wait(limit_s)
        end = "ended before its job did"
    except subprocess.TimeoutExpired:
        end = f"was switched off after {limit_s:.0f} s"
    finally:
        switch_off(machine)
    said = (folder / "console").read_text(errors="replace")
    output = _text(folder / "output")
    status = _text(folder / "status").strip()
    if not status:
        if "Kernel panic" in said:
            end = "has panicked"
        raise Dead(f"the machine {end}; its job had said:\n{output}\nits console:\n{said[-6000:]}")
    return Outcome(int(status), output, said)


def switch_on(kernel: Path, folder: Path, *options: str, lines: Sequence[int] = ()) -> subprocess.Popen[bytes]:
    """Boots; its console goes to the file `console` in this folder. `lines`: files that `options` name, by number."""
    command = [str(kernel), "mem=768M", "con=null", "con0=null,fd:1", "oops=panic", f"uml_dir={folder}", *options]
    with (folder / "console").open("ab") as console:
        return subprocess.Popen(  # its own group: a kernel is many processes
            command, stdin=subprocess.DEVNULL, stdout=console, stderr=console, start_new_session=True, pass_fds=lines
        )


def switch_off(machine: subprocess.Popen[bytes]) -> None:
    """Cuts its power, if it runs."""
    if machine.poll() is None:
        os.killpg(machine.pid, signal.SIGKILL)
        machine.wait()


def _text(file: Path) -> str:
    return file.read_text(errors="replace") if file.exists() else ""
