"""The README's two commands, and the slow tests, on Debians as they come: `make test-debian`.

    make test-debian ARGS="13 user test"    only these: 12, 13, forky, 3.12; root, user; play, test, test-slow

Each Debian is minimal and fresh, with git, make, python3 and nothing else, and the commands are typed in a new clone
of HEAD: by root; and by an ordinary user, who is told in one sentence to install python3-venv, and gets it then. 3.12,
which no Debian has, is that Python on this machine, from PATH or from pyenv. Everything printed is kept in
build/test-debian. The Debians need root; this program needs Python's standard library only.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from tests.debian.machine import HOMES, Machine, make_debian
from tests.debian.outcome import (
    Outcome,
    format_table,
    judge_play,
    judge_refusal,
    judge_test,
    read_counts,
    read_failures,
)

ROOT = Path(__file__).resolve().parents[2]
LOGS = ROOT / "build" / "test-debian"
BUNDLE = LOGS / "oche.bundle"
"""HEAD with its history in one file, which a user there clones."""

RELEASES = {"12": "bookworm", "13": "trixie", "forky": "forky"}
PYTHONS = ("3.12",)
COMMANDS = {"play": 'make play ARGS="--speed 100 --port 0"', "test": "make test", "test-slow": "make test-slow"}
LIMITS_S = {"play": 900, "test": 3600, "test-slow": 3600}
CLONE = "git -c advice.detachedHead=false clone --quiet /oche.bundle oche"
ADD_VENV = "apt-get update && apt-get install --yes --no-install-recommends python3-venv"


class Choice(NamedTuple):
    """What is run."""

    systems: list[str]
    people: list[str]
    commands: list[str]


def main(arguments: list[str]) -> int:
    """Runs what is chosen, prints the table, and returns the exit status."""
    try:
        choice = choose(arguments)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    shutil.rmtree(LOGS, ignore_errors=True)
    LOGS.mkdir(parents=True)
    if _git("status", "--porcelain"):
        print("What is not committed is not tested: the commands are typed in a clone of HEAD.", flush=True)
    _git("bundle", "create", "--quiet", str(BUNDLE), "HEAD")
    outcomes: list[Outcome] = []
    missing: list[str] = []
    for system in choice.systems:
        if system in RELEASES:
            outcomes += run_debian(system, choice)
        elif python := find_python(system):
            outcomes += run_here(system, python, choice.commands)
        else:
            missing.append(f"Not run: Python {system}, which is neither on PATH nor among pyenv's versions.")
    BUNDLE.unlink()
    print("", format_table(outcomes), *missing, f"What the commands printed is in {LOGS}.", sep="\n")
    return 1 if any(outcome.fault for outcome in outcomes) else 0


def choose(words: list[str]) -> Choice:
    """Without a word of a kind: Debian 12 and 13, both users, all commands. Raises ValueError on any other word."""
    systems, people, commands = [*RELEASES, *PYTHONS], list(HOMES), list(COMMANDS)
    known = [*systems, *people, *commands]
    if unknown := [word for word in words if word not in known]:
        raise ValueError(f"make test-debian does not know {unknown[0]!r}: use some of {', '.join(known)}")
    chosen = [[word for word in kind if word in words] for kind in (systems, people, commands)]
    return Choice(chosen[0] or ["12", "13"], chosen[1] or people, chosen[2] or commands)


def run_debian(system: str, choice: Choice) -> list[Outcome]:
    """What becomes of the commands there. Two users are at it at the same time, which spares a third of it."""
    make_debian(RELEASES[system])
    with ThreadPoolExecutor() as pool:
        return [
            outcome
            for outcomes in pool.map(lambda who: run_as(system, who, choice.commands), choice.people)
            for outcome in outcomes
        ]


def run_as(system: str, who: str, commands: list[str]) -> list[Outcome]:
    """What becomes of the commands on a fresh machine. The ordinary user gets python3-venv when its lack was told."""
    outcomes = []
    with Machine(RELEASES[system], who) as machine:
        about = (f"Debian {system}", machine.python())
        machine.put(BUNDLE, "oche.bundle")
        _prepare(machine, who, CLONE, LOGS / f"{system}-{who}-clone.log")
        if who != "root":
            for command in commands:
                log = LOGS / f"{system}-{who}-{command}-without-venv.log"
                status, seconds = machine.type(who, COMMANDS[command], log, folder="oche", limit_s=LIMITS_S[command])
                fault = judge_refusal(status, log.read_text(encoding="utf-8"))
                outcomes.append(_tell(Outcome(*about, f"{who} without python3-venv", command, seconds, fault=fault)))
            _prepare(machine, "root", ADD_VENV, LOGS / f"{system}-{who}-python3-venv.log")
        for command in commands:
            log = LOGS / f"{system}-{who}-{command}.log"
            status, seconds = machine.type(who, COMMANDS[command], log, folder="oche", limit_s=LIMITS_S[command])
            outcomes.append(_tell(_judge(about, who, command, status, seconds, log)))
    return outcomes


def run_here(version: str, python: str, commands: list[str]) -> list[Outcome]:
    """What becomes of the tests with this Python, in a clone of its own on this machine."""
    said = subprocess.run([python, "-V"], stdout=subprocess.PIPE, text=True, check=True).stdout
    about, who = ("this machine", said.split()[1]), "root" if os.geteuid() == 0 else "user"
    outcomes = []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "clone", "--quiet", BUNDLE, folder], check=True)
        for command in commands:
            if command == "play":
                continue
            log = LOGS / f"{version}-{command}.log"
            started = time.monotonic()
            with log.open("w", encoding="utf-8") as output:
                status = subprocess.run(
                    ["make", command, f"PYTHON={python}"],
                    cwd=folder,
                    env={
                        name: os.environ[name] for name in os.environ if name != "ARGS" and not name.startswith("MAKE")
                    },
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    timeout=LIMITS_S[command],
                    check=False,
                ).returncode
            outcomes.append(_tell(_judge(about, who, command, status, time.monotonic() - started, log)))
    return outcomes


def find_python(version: str) -> str | None:
    """A Python of that version on PATH, or of pyenv's; None where there is none that runs."""
    name = f"python{version}"
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    for candidate in (shutil.which(name), *map(str, sorted(pyenv.glob(f"{version}.*/bin/{name}")))):
        # What pyenv has put on PATH may be a shim for a version that is not switched on.
        if candidate and subprocess.run([candidate, "-c", ""], stderr=subprocess.DEVNULL, check=False).returncode == 0:
            return candidate
    return None


def _prepare(machine: Machine, who: str, line: str, log: Path) -> None:
    if machine.type(who, line, log).status:
        sys.exit(f"{line} did not work: {log} tells why.")


def _judge(about: tuple[str, str], who: str, command: str, status: int, seconds: float, log: Path) -> Outcome:
    if command == "play":
        return Outcome(*about, who, command, seconds, fault=judge_play(status))
    output = log.read_text(encoding="utf-8")
    counts = read_counts(output)
    # The log stays on the machine that ran it; what CI keeps is what is printed here.
    for line in read_failures(output):
        print(f"{about[0]}, {who}: {line}", flush=True)
    return Outcome(*about, who, command, seconds, counts, judge_test(status, counts))


def _tell(outcome: Outcome) -> Outcome:
    """Prints it at once, because the table comes late."""
    print(f"{outcome.system}, {outcome.who}: make {outcome.command}, {outcome.fault or 'ok'}", flush=True)
    return outcome


def _git(*arguments: str) -> str:
    """What git says, also in a checkout that belongs to another user than root."""
    command = ("git", "-c", f"safe.directory={ROOT}", "-C", str(ROOT), *arguments)
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
