"""A Debian 12 in a folder, without systemd running, with oche's package installed: what is typed, what is on disk."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

# Processes, mounts and a loopback of its own: the ports of the configuration as it ships are free there, and nothing
# is left when the command has ended.
_ENTER = """
ip link set lo up
mount -t proc proc "$1/proc"
mount --bind /dev "$1/dev"
exec chroot "$1" /bin/sh -c "$2"
"""
_CHANGES_BY_ITSELF = ("proc", "dev", "run", "tmp", "root", "var/cache", "var/log", "var/lib/apt", "var/lib/dpkg")
_ACCOUNTS = ("etc/passwd", "etc/group", "etc/shadow", "etc/gshadow")


class Debian:
    """The Debian in this folder."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def path(self, place: str) -> Path:
        """Where this place is on this machine."""
        return self.root / place.lstrip("/")

    def typed(self, command: str) -> subprocess.CompletedProcess[str]:
        """This line in a shell of root's, ended: its output with its errors, and its status."""
        alone = ("unshare", "--mount", "--pid", "--net", "--fork", "--kill-child")
        return subprocess.run(
            (*alone, "sh", "-ec", _ENTER, "sh", str(self.root), command),
            env={"HOME": "/root", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )

    def said(self, command: str) -> str:
        """What a line says that must work."""
        done = self.typed(command)
        if done.returncode:
            pytest.fail(f"{command}\n{done.stdout}", pytrace=False)
        return done.stdout

    def disk(self) -> dict[str, str]:
        """Every file by its path, as kind, mode, owner and size; accounts by file and line."""
        skipped = " -o ".join(f"-path ./{place}" for place in _CHANGES_BY_ITSELF)
        found = self.said(f"cd /; find . \\( {skipped} \\) -prune -o -printf '%p\\t%y %m %u %s\\n'")
        files = dict(line.split("\t") for line in found.splitlines())
        for file in _ACCOUNTS:
            files |= {f"{file}: {line}": "" for line in self.path(file).read_text().splitlines()}
            # Its size and that of its backup follow from the lines.
            files.pop(f"./{file}", None)
            files.pop(f"./{file}-", None)
        return {path: about.rsplit(" ", 1)[0] if about.startswith("d") else about for path, about in files.items()}


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
    """Debian as it was made; it is never written to."""
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
