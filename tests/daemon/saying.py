"""What a command says, and with which status it ends, without a process of its own."""

from __future__ import annotations

import io
import sys
from typing import NamedTuple

import pytest

from daemon.cli import main


class Said(NamedTuple):
    status: int | str | None
    output: str
    errors: str


class Saying:
    """The command line of this test."""

    def __init__(self, captured: pytest.CaptureFixture[bytes], patch: pytest.MonkeyPatch) -> None:
        self._captured = captured
        self._patch = patch

    def raw(self, *arguments: object, typed: str = "") -> tuple[int | str | None, bytes, str]:
        """The same, with what was printed as bytes. `typed` is what somebody types."""
        self._patch.setattr(sys, "argv", ["oche", *map(str, arguments)])
        self._patch.setattr(sys, "stdin", io.StringIO(typed))
        status: int | str | None = 0
        try:
            main()
        except SystemExit as left:
            status = left.code
        output, errors = self._captured.readouterr()
        return status, output, errors.decode()

    def __call__(self, *arguments: object, typed: str = "") -> Said:
        status, output, errors = self.raw(*arguments, typed=typed)
        return Said(status, output.decode(), errors)
