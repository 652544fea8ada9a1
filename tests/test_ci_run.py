"""What `.ci/run` makes of its commands: which are run, what ends it, and what is told at its end."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.test_make import Machine

DEBIANS = ["test-debian ARGS=12 user", "test-debian ARGS=13 root"]
FLAKY = "FLAKY: tests/test_it.py::test_it\n    why\n"


ALL = ["test", "test-slow", "sweep", "test-page", DEBIANS[0], "rig", "appliance CUTS=3"]
LONG = "long ARGS=--fifth 3"
HEAD = f"{8:040x}"
"""The hash of the commit, whose turns these are."""


class Gate(Machine):
    """`.ci/run` with a `make` that only notes what it is asked for, and does what a test wants."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.log = folder / "made.log"
        self.let_root_install()
        self.commit(HEAD)
        self.make("")

    def commit(self, head: str) -> None:
        self.put("git", f"#!/bin/sh\necho {head}\n")

    def make(self, script: str) -> None:
        self.put("make", f'#!/bin/bash\necho "$@" >>{self.log}\n{script}\n')

    def start(self, **env: str) -> subprocess.CompletedProcess[str]:
        return self.run(".ci/run", OCHE_RIG_KERNEL="/at/hand", **env)

    def made(self) -> list[str]:
        return self.log.read_text(encoding="ascii").splitlines() if self.log.exists() else []


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    return Gate(tmp_path)


def test_all_is_run_and_what_was_flaky_comes_last(gate: Gate) -> None:
    gate.make(f"[[ $1 != rig ]] || printf '%s' '{FLAKY}' >>$OCHE_CI/flaky")
    done = gate.start()
    assert (done.returncode, done.stderr) == (0, "")
    assert gate.made() == [*ALL, LONG]
    told = f"Not run: make {DEBIANS[1]}\nNot run: make long but for fifth 3 of 0 to 4\n"
    assert done.stdout == f"{told}\nFLAKY\n{FLAKY}"


@pytest.mark.slow
def test_commits_take_turns_with_the_debians_and_the_fifths(gate: Gate) -> None:
    made = set()
    for number in range(10):
        gate.commit(f"{number:040x}")
        assert gate.start().returncode == 0
        made.add(tuple(each for each in gate.made()[-len(ALL) - 1 :] if each.startswith(("test-debian", "long"))))
    assert made == {(debian, f"long ARGS=--fifth {fifth}") for debian in DEBIANS for fifth in range(5)}


def test_a_failure_ends_it_and_what_was_flaky_is_told_all_the_same(gate: Gate) -> None:
    gate.make(f"[[ $1 = test ]] || exit 2\nprintf '%s' '{FLAKY}' >>$OCHE_CI/flaky")
    done = gate.start()
    assert (done.returncode, done.stdout) == (2, f"\nFLAKY\n{FLAKY}")
    assert gate.made() == ALL[:2]


@pytest.mark.parametrize(("count", "status"), [(5, 0), (6, 1)])
def test_more_than_five_flaky_tests_in_all_are_too_many(gate: Gate, count: int, status: int) -> None:
    first, second = FLAKY * 3, FLAKY * (count - 3)
    gate.make(f"case $1 in test) told='{first}';; rig) told='{second}';; esac\nprintf '%s' \"$told\" >>$OCHE_CI/flaky")
    done = gate.start()
    assert done.returncode == status
    assert ("6 tests failed once: five are the most that may.\n" in done.stdout) == (count == 6)
    assert len(gate.made()) == len(ALL) + 1


def test_what_is_left_out_for_want_of_time_is_named(gate: Gate) -> None:
    done = gate.start(LIMIT_S="0")
    assert (done.returncode, gate.made()) == (0, [])
    left_out = [line for line in done.stdout.splitlines() if "the time was up" in line]
    assert left_out == [f"Not run, the time was up: make {command}" for command in [*ALL, LONG]]


def test_what_does_not_end_after_that_hangs_and_is_red(gate: Gate) -> None:
    """The program that ends it is told how long it may take: from the limit on ten minutes more."""
    gate.put("timeout", f'#!/bin/sh\necho "$@" >>{gate.log}\nexit 124\n')
    done = gate.start(LIMIT_S="100000")
    assert (done.returncode, done.stderr) == (124, "make test hangs: it did not end when the time was up.\n")
    options, patience_s, *command = gate.made()[0].split()
    assert (options, command) == ("--kill-after=30", ["make", "test"])
    assert 90_000 < int(patience_s) <= 100_600


def test_a_user_is_told_what_was_not_run(gate: Gate) -> None:
    gate.put("id", "#!/bin/sh\necho 1000\n")
    gate.make("[[ $1 != needs-rig ]] || { echo 'make rig needs gcc.'; exit 2; }")
    done = gate.start()
    assert done.returncode == 0
    assert "Not run: make rig needs gcc.\n" in done.stdout
    assert [command for command in gate.made() if not command.startswith("needs-")] == [*ALL[:5], *ALL[6:], LONG]
