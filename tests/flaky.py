"""The gate of `.ci/run`, which one unlucky test cannot close: what fails once is run once more, by itself.

Where OCHE_CI names a folder, each test that failed is run again in a pytest of its own, without workers. One that
passes then counts as flaky, not as failed, and is written to the file `flaky` there with the output of its first
failure. More than five failures, and all that is no failed test (a collection, a worker that died, pytest itself, what
several tests have left open together), are final.

From OCHE_UNTIL on, in seconds since 1970, no further test is begun: the file `not_run` there tells so, and only what
had failed by then counts. Without OCHE_CI, or where it is empty, none of this happens.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from textwrap import indent
from xml.etree import ElementTree

import pytest

MOST_FAILURES = 5
_TIME_IS_UP = "the time is up"


def pytest_configure(config: pytest.Config) -> None:
    """What the tests start is no part of the gate, so the variables go, where no worker needs them any more."""
    if folder := os.environ.get("OCHE_CI"):
        until = float(os.environ.get("OCHE_UNTIL", "inf"))
        config.pluginmanager.register(Gate(config, Path(folder), until))
    if is_worker(config) or not getattr(config.option, "tx", None):
        os.environ.pop("OCHE_CI", None)
        os.environ.pop("OCHE_UNTIL", None)


def is_worker(config: pytest.Config) -> bool:
    """Whether this process runs tests for another."""
    return hasattr(config, "workerinput")


class Gate:
    """One run of pytest. In a worker it only watches the time."""

    def __init__(self, config: pytest.Config, folder: Path, until: float) -> None:
        self._config = config
        self._folder = folder
        self._until = until
        self._failures: dict[str, list[pytest.TestReport]] = {}
        self._is_broken = False
        self._ended: set[str] = set()
        self._flaky: list[str] = []

    @pytest.hookimpl
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        self._session = session

    @pytest.hookimpl
    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._is_broken |= report.failed

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._ended.add(report.nodeid)
        if report.failed:
            self._failures.setdefault(report.nodeid, []).append(report)
            self._is_broken |= report.when not in ("setup", "call", "teardown")
            self._is_broken |= ("shared", True) in report.user_properties
        if report.passed and report.when == "call" and time.time() >= self._until:
            self._session.shouldstop = _TIME_IS_UP

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Before the summary, when the workers have ended."""
        if is_worker(self._config):
            return
        is_cut_off = exitstatus == pytest.ExitCode.INTERRUPTED and session.shouldstop == _TIME_IS_UP
        if self._is_broken or session.shouldfail or not (is_cut_off or exitstatus == pytest.ExitCode.TESTS_FAILED):
            return
        if is_cut_off:
            self._write("not_run", f"Not finished: pytest {' '.join(self._config.invocation_params.args)}: ")
            self._write("not_run", f"the time was up after {len(self._ended)} tests.\n")
        if len(self._failures) <= MOST_FAILURES:
            self._flaky = [test for test in self._failures if self._passes_alone(test)]
        for test in self._flaky:
            self._write("flaky", f"FLAKY: {test}\n{indent(self._first_output(test), '    ')}\n")
        self._count_as_flaky()
        is_red = len(self._flaky) < len(self._failures)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED if is_red else pytest.ExitCode.OK

    @pytest.hookimpl
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._flaky:
            terminalreporter.section("flaky: failed, and passed by itself")
        for test in self._flaky:
            terminalreporter.write_line(f"{test}\n{self._first_output(test)}")

    def _count_as_flaky(self) -> None:
        """Neither the summary nor the counts in the last line call them failed."""
        stats = self._config.pluginmanager.getplugin("terminalreporter").stats
        for category in ("failed", "error"):
            reports = stats.pop(category, [])
            if failed := [report for report in reports if report.nodeid not in self._flaky]:
                stats[category] = failed
            if flaky := [report for report in reports if report.nodeid in self._flaky]:
                stats["flaky"] = [*stats.get("flaky", []), *flaky]

    def _passes_alone(self, test: str) -> bool:
        """Whether it passes, which is more than not failing: it is not skipped either."""
        chosen = self._config.invocation_params.args
        options = [argument for argument in chosen if argument not in self._config.args]
        test = f"{self._config.rootpath}/{test}"
        environment = {name: value for name, value in os.environ.items() if name != "OCHE_UNTIL"}
        environment["OCHE_CI"] = ""  # no gate, but the same examples of Hypothesis
        with tempfile.TemporaryDirectory() as folder:
            told = Path(folder, "told.xml")
            report = (f"--junitxml={told}", "--override-ini=junit_family=xunit1")  # the other has no `record_property`
            command = (sys.executable, "-m", "pytest", *options, test, "--numprocesses=0", *report)
            sys.stdout.write(f"\n\nOnce more, by itself: {test}\n")
            sys.stdout.flush()
            where = self._config.invocation_params.dir
            if subprocess.run(command, cwd=where, env=environment, check=False).returncode:
                return False
            suite = ElementTree.parse(told).getroot().find("testsuite")
            return suite is not None and (suite.get("tests"), suite.get("skipped")) == ("1", "0")

    def _first_output(self, test: str) -> str:
        reports = self._failures[test]
        captured = [f"{title}:\n{text}" for title, text in reports[-1].sections]
        return "\n".join([*(report.longreprtext for report in reports), *captured])

    def _write(self, name: str, text: str) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        with (self._folder / name).open("a", encoding="utf-8") as file:
            file.write(text)
