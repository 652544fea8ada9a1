"""What became of a command: read from what it printed, and shown in a table."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SUMMARY = re.compile(r"^=*\s*((?:\d+ [a-z]+(?:, )?)+) in [\d.]+s", re.MULTILINE)
_FAILED = re.compile(r"^(?:FAILED|ERROR) .*$", re.MULTILINE)
_HEAD = ("system", "Python", "who", "command", "seconds", "passed", "skipped", "failed", "")


@dataclass(frozen=True)
class Counts:
    """How many tests; an error counts as failed."""

    passed: int
    skipped: int
    failed: int


@dataclass(frozen=True)
class Outcome:
    """A command that has ended. `fault` says in a few words what was wrong; None when all was as it should be."""

    system: str
    python: str
    who: str
    command: str
    seconds: float
    counts: Counts | None = None
    fault: str | None = None


def read_counts(output: str) -> Counts | None:
    """The counts in pytest's last line; None where there is no such line."""
    found = _SUMMARY.findall(output)
    if not found:
        return None
    numbers = {word: int(number) for number, word in re.findall(r"(\d+) ([a-z]+)", found[-1])}
    failed = sum(numbers.get(word, 0) for word in ("failed", "error", "errors"))
    return Counts(numbers.get("passed", 0), numbers.get("skipped", 0), failed)


def read_failures(output: str) -> list[str]:
    """The lines of pytest's summary that name a test that failed, with the reason."""
    return _FAILED.findall(output)


def judge_play(status: int) -> str | None:
    """What was wrong with `make play`, which is to end by itself."""
    return f"status {status}" if status else None


def judge_test(status: int, counts: Counts | None) -> str | None:
    """What was wrong with `make test`."""
    if counts is None:
        return "no test was run"
    return f"status {status}" if status or counts.failed or not counts.passed else None


def judge_refusal(status: int, output: str) -> str | None:
    """What was wrong with a command where python3-venv is missing: it is to fail, with one sentence that names it."""
    said = [line for line in output.splitlines() if not line.startswith("make")]
    if status == 0:
        return "it did not fail"
    if len(said) != 1 or "install the Debian package python3-venv" not in said[0]:
        return "it does not say in one line to install python3-venv"
    return None


def format_table(outcomes: list[Outcome]) -> str:
    """One line for each, under a head."""
    rows = [_HEAD, *map(_row, outcomes)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


def _row(outcome: Outcome) -> tuple[str, ...]:
    counts = outcome.counts
    numbers = (str(counts.passed), str(counts.skipped), str(counts.failed)) if counts else ("-", "-", "-")
    about = (outcome.system, outcome.python, outcome.who, outcome.command, f"{outcome.seconds:.0f}")
    return (*about, *numbers, outcome.fault or "ok")
