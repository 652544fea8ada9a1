"""What `make test-debian` makes of its arguments and of what the commands print."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.debian.__main__ import choose, find_python, run_here
from tests.debian.machine import pass_on
from tests.debian.outcome import Counts, judge_refusal, judge_test, read_counts, read_failures

NO_VENV = "python3 cannot make a virtual environment: install the Debian package python3-venv and try again."
MAKE_ENDED = "make: *** [Makefile:231: .venv/bin/pip] Error 1"


@pytest.mark.parametrize(
    ("line", "counts"),
    [
        ("=========== 6 failed, 5391 passed, 335 skipped in 702.03s (0:11:42) ============", Counts(5391, 335, 6)),
        ("======================= 5732 passed in 186.77s (0:03:06) =======================", Counts(5732, 0, 0)),
        ("=== 1 failed, 2 passed, 1 skipped, 4 deselected, 2 errors in 0.10s ===", Counts(2, 1, 3)),
        ("===== 3 passed, 1 error in 0.10s =====", Counts(3, 0, 1)),
        ("===== 3 passed, 1 flaky in 9.10s =====", Counts(3, 0, 0)),
        ("make: *** [Makefile:48: check] Error 1", None),
    ],
)
def test_counts_are_those_of_pytests_last_line(line: str, counts: Counts | None) -> None:
    assert read_counts(f"10 passed of ten thousand\n{line}\nmake: *** [Makefile:48: test] Error 1\n") == counts


def test_failures_are_the_lines_of_pytests_summary() -> None:
    summary = ["FAILED tests/test_units.py::test_one - assert 1 == 2", "ERROR tests/test_docs.py::test_two - OSError"]
    output = "\n".join(["E   FAILED is not", *summary, "== 1 failed, 9 passed, 1 error in 2.00s =="])
    assert read_failures(output) == summary


@pytest.mark.parametrize(
    ("status", "counts", "is_right"),
    [
        (0, Counts(5, 0, 0), True),
        (0, None, False),
        (0, Counts(0, 5, 0), False),
        (2, Counts(5, 0, 0), False),
        (0, Counts(5, 0, 1), False),
    ],
)
def test_a_suite_is_right_when_its_tests_were_run_and_passed(
    status: int, counts: Counts | None, is_right: bool
) -> None:
    assert (judge_test(status, counts) is None) is is_right


@pytest.mark.parametrize(
    ("status", "output", "is_right"),
    [
        (2, f"{NO_VENV}\n{MAKE_ENDED}\n", True),
        (0, f"{NO_VENV}\n", False),
        (2, f"{MAKE_ENDED}\n", False),
        (2, f"Traceback (most recent call last):\n{NO_VENV}\n{MAKE_ENDED}\n", False),
        (2, f"Install python3-pip and try again.\n{MAKE_ENDED}\n", False),
    ],
)
def test_a_missing_package_is_told_in_one_sentence(status: int, output: str, is_right: bool) -> None:
    assert (judge_refusal(status, output) is None) is is_right


def test_what_was_flaky_there_is_told_here_with_the_machine(tmp_path: Path) -> None:
    inner, outer = tmp_path / "inner", tmp_path / "outer"
    pass_on(inner, outer, "bookworm, user")  # where nothing was flaky there is no folder
    inner.mkdir()
    outer.mkdir()
    for test in ("a", "b"):
        (inner / "flaky").write_text(f"FLAKY: {test}\n    why\n\n", encoding="utf-8")
        pass_on(inner, outer, "bookworm, user")
    told = "FLAKY: {} (bookworm, user)\n    why\n\n"
    assert (outer / "flaky").read_text(encoding="utf-8") == told.format("a") + told.format("b")
    assert not list(inner.iterdir())


def test_words_choose_and_what_they_leave_open_is_all() -> None:
    assert choose([]) == (["12", "13"], ["root", "user"], ["play", "test", "test-slow"])
    assert choose(["user", "forky", "13"]) == (["13", "forky"], ["user"], ["play", "test", "test-slow"])
    with pytest.raises(
        ValueError, match=r"does not know '14': use some of 12, 13, forky, 3.12, root, user, play, test, test-slow"
    ):
        choose(["13", "14"])


def test_another_python_runs_the_slow_tests_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.debian.__main__.LOGS", tmp_path)
    monkeypatch.setattr("tests.debian.__main__.BUNDLE", tmp_path / "oche.bundle")
    made = "test:\n\techo 2 passed in 0.10s\ntest-slow:\n\techo 1 failed in 0.10s\n"
    (tmp_path / "Makefile").write_text(made, encoding="ascii")
    git = "git -c user.name=x -c user.email=x@localhost"
    steps = f"git init -q && git add Makefile && {git} commit -qm x && git bundle create -q oche.bundle HEAD"
    subprocess.run(steps, shell=True, cwd=tmp_path, check=True)
    done = run_here("3.x", sys.executable, ["play", "test", "test-slow"])
    assert [(each.command, each.fault) for each in done] == [("test", None), ("test-slow", "status 0")]


def test_a_python_is_found_on_path_and_among_those_of_pyenv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that does not run is passed over, as a shim of pyenv for a version that is switched off does not."""
    shim, real = tmp_path / "shims/python9.9", tmp_path / "versions/9.9.1/bin/python9.9"
    for program, script in ((shim, "exit 127"), (real, "exit 0")):
        program.parent.mkdir(parents=True)
        program.write_text(f"#!/bin/sh\n{script}\n", encoding="ascii")
        program.chmod(0o755)
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    monkeypatch.setenv("PATH", str(shim.parent), prepend=os.pathsep)
    assert find_python("9.9") == str(real)
    assert find_python("9.8") is None
