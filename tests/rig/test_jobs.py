"""The jobs: each is a pytest module for which a machine of its own is switched on."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.rig.machine import RIG, run

JOBS = sorted((RIG / "jobs").glob("job_*.py"))
LIMIT_S = 400
PYTEST = (sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-o", "faulthandler_timeout=0", "-v")
"""In there an hour may be a second, so a test that takes long is none that hangs."""


@pytest.mark.rig
@pytest.mark.parametrize("job", JOBS, ids=[job.stem for job in JOBS])
def test_job(kernel: Path, tmp_path: Path, job: Path) -> None:
    outcome = run(kernel, [*PYTEST, str(job)], tmp_path, limit_s=LIMIT_S, options=["time-travel"])
    print(outcome.output)  # noqa: T201  pytest shows it when asked
    assert outcome.status == 0, "the job failed; its report is above"
