"""What a test has measured, told at the end of the run: for the conftest.py of a folder, which imports both names."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Figure = Callable[[str, object], None]


@pytest.fixture
def figure(record_property: Figure) -> Figure:
    """For what a test has measured: a name and a value."""
    return record_property


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The figures."""
    reports = [report for kind in ("passed", "failed") for report in terminalreporter.stats.get(kind, [])]
    lines = [f"{name}: {value}" for report in reports for name, value in report.user_properties]
    if lines:
        terminalreporter.section("figures")
        terminalreporter.write("\n".join(lines) + "\n")
