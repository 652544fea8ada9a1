"""Ctrl-C and SIGTERM before the daemon is ready: it ends at once, with one line at most and no traceback."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.daemon.process import PATIENCE_S, ROOT, configure

CODE = """
import os, signal, sys
name, number = sys.argv[1], int(sys.argv[2])
class Interrupting:
    def find_spec(self, wanted, path=None, target=None):
        if wanted == name:
            os.kill(os.getpid(), number)
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Interrupting())
sys.argv[:] = ["oche", *sys.argv[3:]]
from daemon.launch import main
main()
"""
"""Runs the command, and sends the signal when this module is imported."""
CLEAN = "INFO stopped before it was ready"


@pytest.mark.parametrize(
    ("module", "number", "status", "said"),
    [
        ("click", signal.SIGINT, 130, "oche: stopped"),
        ("daemon.commands.run", signal.SIGINT, 130, "oche: stopped"),
        ("daemon.admin.settings.settings_file", signal.SIGINT, 130, "oche: stopped"),
        ("daemon.assemble", signal.SIGINT, 0, CLEAN),
        ("daemon.web.taps", signal.SIGINT, 0, CLEAN),
        ("click", signal.SIGTERM, -signal.SIGTERM, ""),
        ("daemon.assemble", signal.SIGTERM, 0, CLEAN),
    ],
)
def test_it_ends_with_one_line(tmp_path: Path, module: str, number: signal.Signals, status: int, said: str) -> None:
    file = configure(tmp_path)
    oche = subprocess.run(
        [sys.executable, "-c", CODE, module, str(int(number)), "run", "--config", file],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert (oche.returncode, oche.stderr.strip(), oche.stdout) == (status, said, "")
