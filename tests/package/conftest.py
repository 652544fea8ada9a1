"""A fresh Debian 12 without systemd running, and oche's package installed on it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.package.debian import Debian

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def package() -> Path:
    """The package: OCHE_DEB names it, as `make appliance` does."""
    file = os.environ.get("OCHE_DEB", "")
    if not Path(file).is_file():
        pytest.fail(f"OCHE_DEB is {file!r}, and no package is there: `make deb` builds one", pytrace=False)
    return Path(file).resolve()


@pytest.fixture(scope="session")
def pristine() -> Path:
    """Debian as it was made. Nobody writes to it."""
    made = subprocess.run([HERE / "install.sh"], stdout=subprocess.PIPE, text=True, check=False)
    if made.returncode:
        pytest.fail("there is no Debian to install oche on: see above", pytrace=False)
    return Path(made.stdout.strip())


@pytest.fixture
def fresh(pristine: Path, package: Path, tmp_path: Path) -> Iterator[Debian]:
    """A Debian of one's own, with the package in /root."""
    with _copy(pristine, package, tmp_path / "debian") as debian:
        yield debian


@pytest.fixture(scope="module")
def installed(pristine: Path, package: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Debian]:
    """A Debian with oche, as it is after the installation."""
    with _copy(pristine, package, tmp_path_factory.mktemp("installed") / "debian") as debian:
        debian.said("apt-get install --yes --no-install-recommends /root/oche.deb")
        yield debian


@contextmanager
def _copy(pristine: Path, package: Path, folder: Path) -> Iterator[Debian]:
    subprocess.run(("cp", "-a", pristine, folder), check=True)
    shutil.copy(package, folder / "root" / "oche.deb")
    yield Debian(folder)
    shutil.rmtree(folder)  # it is large
