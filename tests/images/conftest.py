"""The images, podman to run them, and Debian packages that are looked into and not installed."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.conftest import skip_without

ROOT = Path(__file__).resolve().parents[2]


@cache
def build(arch: str) -> Path:
    """Returns the image of the checkout for this machine."""
    for package in ("debhelper", "mmdebstrap"):
        skip_without(package)
    command = ("make", "-s", "image", f"ARCH={arch}")
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return ROOT / done.stdout.splitlines()[-1]


class Podman:
    """Runs the image on the network of this machine, as docs/container.md says, in a storage of its own."""

    def __init__(self, folder: str) -> None:
        storage = ("--root", f"{folder}/storage", "--runroot", f"{folder}/run")
        self._command = ("podman", *storage, "--runtime", "runc")

    def __call__(self, *words: str | Path) -> str:
        done = subprocess.run(
            (*self._command, *words), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
        assert done.returncode == 0, done.stdout
        return done.stdout


@pytest.fixture
def podman() -> Iterator[Podman]:
    skip_without("podman runc")
    if os.geteuid() != 0:
        pytest.skip("podman needs root here: as another user it would need ids of its own")
    with TemporaryDirectory() as folder:  # podman takes no path of more than 50 characters
        podman = Podman(folder)
        yield podman
        podman("rm", "--all", "--force")
        podman("system", "reset", "--force")


@pytest.fixture
def unpack(tmp_path: Path) -> Callable[[str], Path]:
    """Fetches a Debian package and gives the folder it is unpacked in: some, installed, change how a machine starts."""

    def unpack(package: str) -> Path:
        folder = tmp_path / package
        folder.mkdir()
        subprocess.run(("apt-get", "download", "-qq", package), cwd=folder, check=True)
        [file] = folder.glob("*.deb")
        subprocess.run(("dpkg-deb", "--extract", file, folder), check=True)
        return folder

    return unpack
