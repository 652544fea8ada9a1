"""The jobs, each a pytest module with a machine of its own; and the machine, which tells how a job ended."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.rig.machine import RIG, ROOT, Dead, run

pytestmark = pytest.mark.rig


def test_a_jobs_output_and_status_come_back(kernel: Path, tmp_path: Path) -> None:
    outcome = run(kernel, ["sh", "-c", "pwd; id -u; uname -m; exit 3"], tmp_path, limit_s=60)
    assert outcome.status == 3
    assert outcome.output.split() == [str(ROOT), "0", "x86_64"]


def test_what_a_job_writes_is_forgotten(kernel: Path, tmp_path: Path) -> None:
    job = ["sh", "-c", "echo mine >tests/rig/mine && rm pyproject.toml && cat tests/rig/mine"]
    assert run(kernel, job, tmp_path, limit_s=60).output == "mine\n"
    assert not (ROOT / "tests/rig/mine").exists()
    assert (ROOT / "pyproject.toml").exists()


def test_a_panic_is_told(kernel: Path, tmp_path: Path) -> None:
    with pytest.raises(Dead, match=r"(?s)the machine has panicked.*before the end.*sysrq triggered crash"):
        run(kernel, ["sh", "-c", "echo before the end; echo c >/proc/sysrq-trigger"], tmp_path, limit_s=60)


def test_a_job_without_end_is_switched_off(kernel: Path, tmp_path: Path) -> None:
    with pytest.raises(Dead, match=r"(?s)was switched off after 5 s; its job had said:\nhere"):
        run(kernel, ["sh", "-c", "echo here; sleep 1000"], tmp_path, limit_s=5)


def test_the_clock_jumps_when_everybody_sleeps(kernel: Path, tmp_path: Path) -> None:
    job = ["sh", "-c", "date +%s; sleep 86400; date +%s"]
    before, after = run(kernel, job, tmp_path, limit_s=60, options=["time-travel"]).output.split()
    assert int(after) - int(before) >= 86400


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
