"""Plug-ins that would end the daemon or keep it from starting: a sentence each, and everything else is there.

Each is loaded by oche as a process, because it is first tried in a child of that.
"""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.daemon.process import PATIENCE_S, ROOT, Process, configure
from tests.daemon.test_plugins import DART, NEAREST

ENDLESS = r"it does not finish within 5 seconds"
LOST = r"it closes or replaces sys\.{}, which plug-ins may not do"
SWALLOW = "while True:\n    try:\n        time.sleep(1)\n    except BaseException:\n        pass\n"
WAITING_THREAD = "import threading\nthreading.Thread(target=threading.Event().wait).start()\n"
HOSTILE = {
    "sleeps": ("import time\ntime.sleep(3600)\n", ENDLESS),
    "sleeps whatever is raised": (f"import time\n{SWALLOW}", ENDLESS),
    "calculates": ("while True:\n    pass\n", r"line \d: it does not finish|" + ENDLESS),
    "calculates in C": ("sum(range(10**15))\n", ENDLESS),
    "starts a thread": (WAITING_THREAD, r"it starts a thread, which games may not do"),
    "interrupts": ("raise KeyboardInterrupt\n", r"line 1: KeyboardInterrupt"),
    "exits": ("raise SystemExit(1)\n", r"line 1: SystemExit: 1"),
    "raises anything": ("raise BaseException('no')\n", r"line 1: BaseException: no"),
    "ends the process": ("import os\nos._exit(0)\n", r"it ends the process that loads it"),
    "kills the process": ("import os\nos.kill(os.getpid(), 9)\n", r"it ends the process that loads it"),
    "interrupts in a rule": (NEAREST.replace(DART, "raise KeyboardInterrupt"), r"line \d+: KeyboardInterrupt"),
    "closes standard output": (f"import sys\nsys.stdout.close()\n{NEAREST}", LOST.format("stdout")),
    "closes it and fails": ("import sys\nsys.stdout.close()\nraise ValueError\n", LOST.format("stdout")),
    "closes its number": (f"import os\nos.close(1)\n{NEAREST}", LOST.format("stdout")),
    "opens a file in its place": (f"import os\nos.close(2)\nopen('/dev/zero')\n{NEAREST}", LOST.format("stderr")),
    "closes all of them": (f"import os\nos.closerange(0, 3)\n{NEAREST}", LOST.format("stdin")),
    "replaces standard output": (f"import io, sys\nsys.stdout = io.StringIO()\n{NEAREST}", LOST.format("stdout")),
    "closes it in a rule": (NEAREST.replace(DART, "import sys; sys.stdout.close()"), LOST.format("stdout")),
    "ends the process in a rule": (
        NEAREST.replace(DART, "import os; os._exit(0)"),
        r"it ends the process that loads it",
    ),
}


KEEPS_WAITING = {what for what, (_, reason) in HOSTILE.items() if ENDLESS in reason}


@pytest.mark.slow
@pytest.mark.parametrize(
    "kinds",
    [
        HOSTILE.keys() - KEEPS_WAITING,
        pytest.param(KEEPS_WAITING - {"calculates in C"}, marks=pytest.mark.long),
        pytest.param({"calculates in C"}, marks=pytest.mark.long),
    ],
    ids=["at once", "endless", "endless in C"],
)
def test_each_hostile_plugin_is_one_sentence_and_the_others_are_used(tmp_path: Path, kinds: set[str]) -> None:
    """Each has a child of its own, so that none has an effect on the next."""
    (tmp_path / "games").mkdir()
    names = {what: what.replace(" ", "_").lower() for what in kinds}
    for what, name in names.items():
        text = HOSTILE[what][0].replace('id = "nearest"', f'id = "{name}"')
        (tmp_path / "games" / f"{name}.py").write_text(text, encoding="utf-8")
    (tmp_path / "games" / "nearest.py").write_text(NEAREST, encoding="utf-8")
    oche = subprocess.run(
        [sys.executable, "-m", "daemon.cli", "games", "--config", tmp_path / "oche.toml"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert oche.returncode == 0
    assert "\nnearest " in oche.stdout
    told = dict(re.findall(r"^oche: the plug-in (\w+) is not used \((.*)\)$", oche.stderr, re.MULTILINE))
    assert len(oche.stderr.splitlines()) == len(told)
    assert told.keys() == {*names.values()}
    for what, name in names.items():
        file = re.escape(str(tmp_path / "games" / f"{name}.py"))
        assert re.fullmatch(f"{file}(: |, )({HOSTILE[what][1]})", told[name]), what


def test_a_good_plugin_is_loaded_where_the_end_of_children_is_ignored(tmp_path: Path) -> None:
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "nearest.py").write_text(NEAREST, encoding="utf-8")
    command = [sys.executable, "-m", "daemon.cli", "games", "--config", f"{tmp_path}/oche.toml"]
    oche = subprocess.run(
        ["env", "--ignore-signal=CHLD", *command], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "\nnearest " in oche.stdout
    assert not oche.stderr


def test_a_plugin_that_is_being_tried_ends_with_oche(tmp_path: Path) -> None:
    (tmp_path / "games").mkdir()
    reading, writing = os.pipe()
    waiting = f"import os, time\nos.write({writing}, b'+')\n{SWALLOW}"
    (tmp_path / "games" / "waiting.py").write_text(waiting, encoding="utf-8")
    with os.fdopen(reading, "rb", buffering=0) as pipe:
        oche = subprocess.Popen(
            [sys.executable, "-m", "daemon.cli", "games", "--config", tmp_path / "oche.toml"],
            cwd=ROOT,
            pass_fds=[writing],
        )
        os.close(writing)
        assert pipe.read(1) == b"+"
        oche.terminate()
        assert oche.wait(PATIENCE_S) == -signal.SIGTERM
        assert select.select([pipe], [], [], PATIENCE_S)[0], "the child still has its end of the pipe"
        assert pipe.read(1) == b""


def test_a_plugin_is_loaded_untried_where_no_process_can_be_started() -> None:
    limit = "resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))\nif os.geteuid() == 0:\n    os.setuid(65534)"
    begin = "import os, resource\nfrom daemon.plugins.trial_process import try_in_child"
    code = f"{begin}\n{limit}\nprint(try_in_child(int, str))"
    oche = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert oche.stdout == "None\n"
    assert oche.stderr.startswith("plug-ins are loaded without a trial: no process could be started (")


async def test_the_daemon_starts_beside_hostile_plugins(tmp_path: Path) -> None:
    (tmp_path / "games").mkdir()
    for name in ("starts a thread", "interrupts", "ends the process", "closes standard output"):
        (tmp_path / "games" / f"{name.replace(' ', '_')}.py").write_text(HOSTILE[name][0], encoding="utf-8")
    config = configure(tmp_path, board="sim:granboard", profile="granboard")
    async with Process("run", "--config", config) as daemon:
        await daemon.runs()
        assert await daemon.stop() == 0
