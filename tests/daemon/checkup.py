"""What the tests of `oche doctor` share: what it says as lines, other people, other programs, made-up files."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from daemon.admin.doctor.checks import Check
from daemon.admin.doctor.service import Account
from daemon.admin.doctor.system import System

HERE = System()
NOBODY = Account("nobody", 65534, frozenset({65534}), frozenset({65534}), is_service=False, is_caller=False)
ROOT_USER = Account("root", 0, frozenset({0}), frozenset({0}), is_service=False, is_caller=True)
SERVICE = NOBODY._replace(name="oche", is_service=True)


def lines(checks: Iterable[Check]) -> list[str]:
    return [" ".join(str(check).split()) for check in checks]


def only(checks: Iterable[Check]) -> str:
    (line,) = lines(checks)
    return line


def write(root: Path, path: str, text: str) -> Path:
    file = root / path.lstrip("/")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


@contextmanager
def program(code: str, *arguments: object) -> Iterator[int]:
    """Another program that runs this and then waits; its process."""
    command = [sys.executable, "-c", f"import sys\n{code}\nprint(flush=True)\nsys.stdin.read()"]
    with subprocess.Popen([*command, *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process.pid
        process.communicate()


@contextmanager
def as_another_user() -> Iterator[None]:
    """Root may look into everything."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(user)
