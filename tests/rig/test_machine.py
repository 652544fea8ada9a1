"""The machine itself: what a job says and how it ends comes back, and so does the news that there was no end."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rig.machine import ROOT, Dead, run

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
