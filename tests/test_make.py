"""What `make` asks of a machine: packages that root gets and others are told of, and a Python that can be used."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
APT = '#!/bin/sh\necho "$@" >>{log}\n[ {status} = 0 ] || exit {status}\n'


class Machine:
    """A folder of programs in front of the real ones: who the user is, what apt-get does, which Python there is."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._log = folder / "apt.log"
        self.put("id", "#!/bin/sh\necho 1000\n")
        self.put("apt-get", APT.format(log=self._log, status=1))

    def put(self, name: str, script: str) -> None:
        program = self._folder / name
        program.write_text(script, encoding="ascii")
        program.chmod(0o755)

    def let_root_install(self, status: int = 0) -> None:
        self.put("id", "#!/bin/sh\necho 0\n")
        self.put("apt-get", APT.format(log=self._log, status=status))

    def apt_calls(self) -> list[str]:
        return self._log.read_text(encoding="ascii").splitlines() if self._log.exists() else []

    def run(self, *command: str | Path, **env: str) -> subprocess.CompletedProcess[str]:
        path = f"{self._folder}:/usr/bin:/bin"
        return subprocess.run(
            command,
            cwd=ROOT,
            env={"PATH": path, **env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_a_user_is_told_all_missing_packages_in_one_sentence(machine: Machine) -> None:
    done = machine.run(".ci/packages.sh", "need", "rig", "sh:dash", "no-such:bison", "include/no-such.h:libc6-dev")
    told = "make rig needs the Debian packages bison libc6-dev: install them and try again.\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", told)
    assert machine.apt_calls() == []


def test_what_is_there_is_neither_told_nor_installed(machine: Machine) -> None:
    machine.let_root_install()
    done = machine.run(".ci/packages.sh", "need", "rig", "sh:dash", "bin/env:coreutils")
    assert (done.returncode, done.stdout + done.stderr, machine.apt_calls()) == (0, "", [])


def test_root_gets_the_packages_after_one_update(machine: Machine) -> None:
    machine.let_root_install()
    done = machine.run(".ci/packages.sh", "need", "rig", "no-such:bison", "no-such-either:flex")
    assert done.returncode == 0
    assert [call.split()[0] for call in machine.apt_calls()] == ["update", "install", "install"]
    assert [call.split()[-1] for call in machine.apt_calls()[1:]] == ["bison", "flex"]


def test_root_is_told_what_apt_could_not_install(machine: Machine) -> None:
    machine.let_root_install(status=100)
    done = machine.run(".ci/packages.sh", "need", "rig", "no-such:bison")
    assert done.returncode == 1
    assert done.stderr.endswith("make rig needs the Debian packages bison: install them and try again.\n")


def test_tests_do_without_what_is_missing(machine: Machine, tmp_path: Path) -> None:
    programs = tmp_path / "programs.txt"
    programs.write_text(
        "# for tests: these\nsh:dash\nno-such:chromium libatomic1\nno-npm:nodejs npm\n", encoding="ascii"
    )
    assert machine.run(".ci/packages.sh", "lacking", programs).stdout == "chromium,nodejs\n"
    known = machine.run(".ci/packages.sh", "lacking", programs, OCHE_WITHOUT="nodejs,strace")
    assert known.stdout == "nodejs,strace,chromium\n"


def test_root_gets_all_packages_of_a_program(machine: Machine, tmp_path: Path) -> None:
    machine.let_root_install()
    programs = tmp_path / "programs.txt"
    programs.write_text("no-such:chromium libatomic1\n", encoding="ascii")
    assert machine.run(".ci/packages.sh", "lacking", programs).stdout == "\n"
    assert machine.apt_calls()[-1].endswith(" chromium libatomic1")


def test_a_machine_without_python_is_told_so(machine: Machine, tmp_path: Path) -> None:
    done = machine.run(".ci/environment.sh", tmp_path / "venv", PYTHON="python9.9")
    told = "There is no python9.9: install the Debian packages python3 and python3-venv and try again.\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", told)


def test_a_python_without_venv_is_told_in_one_sentence(machine: Machine, tmp_path: Path) -> None:
    machine.put("python3", '#!/bin/sh\n[ "$1" != -c ]\n')
    done = machine.run(".ci/environment.sh", tmp_path / "venv", "library")
    told = "python3 cannot make a virtual environment: install the Debian package python3-venv and try again.\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", told)


def test_an_environment_that_is_whole_is_not_made_again(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "venv" / "bin").mkdir(parents=True)
    (tmp_path / "venv" / "bin" / "pip").touch()
    done = machine.run(".ci/environment.sh", tmp_path / "venv", PYTHON="python9.9")
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@pytest.mark.long
def test_an_environment_is_made(machine: Machine, tmp_path: Path) -> None:
    """Nothing is fetched: the library that is asked for is there already."""
    folder = tmp_path / "venv"
    done = machine.run(".ci/environment.sh", folder, "pip", PYTHON=sys.executable, PIP_NO_INDEX="1")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"Setting up {folder}: this takes a minute, once.\n"
    assert (folder / "bin" / "pip").exists()


@pytest.mark.slow
def test_libraries_that_cannot_be_installed_are_told_of(machine: Machine) -> None:
    """In the environment that the tests run in: pip looks nowhere for what is not in it."""
    done = machine.run(".ci/environment.sh", Path(sys.prefix), "no-such-library", PIP_NO_INDEX="1")
    assert done.returncode == 1
    assert done.stderr.endswith("could not be installed: see the lines above, mend what they name and try again.\n")
