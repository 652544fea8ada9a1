"""Files of Debian packages that are looked into and not installed: some would change how this machine starts."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def unpack(tmp_path: Path) -> Callable[[str], Path]:
    """Fetches a Debian package and gives the folder that it is unpacked in."""

    def unpack(package: str) -> Path:
        folder = tmp_path / package
        folder.mkdir()
        subprocess.run(("apt-get", "download", "-qq", package), cwd=folder, check=True)
        [file] = folder.glob("*.deb")
        subprocess.run(("dpkg-deb", "--extract", file, folder), check=True)
        return folder

    return unpack
