"""The appliance: oche's package on a Debian with systemd, installed once, and guests that run on copies of it."""

from __future__ import annotations

import fcntl
import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.appliance.guest import Guest
from tests.appliance.setup import BROKER, CONFIG, PASSWORD, PLAYER, config, quick
from tests.figures import figure, pytest_terminal_summary
from tests.rig.conftest import kernel
from tests.rig.machine import Dead

__all__ = ["figure", "kernel", "pytest_terminal_summary"]

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def package() -> Path:
    """The Debian package: OCHE_DEB names it, as `make appliance` does."""
    file = os.environ.get("OCHE_DEB", "")
    if not Path(file).is_file():
        pytest.fail(f"OCHE_DEB is {file!r}, and no package is there: run `make appliance`, or `make deb` first")
    return Path(file).resolve()


@pytest.fixture(scope="session")
def debian() -> Path:
    """A disk without oche; it is never written to."""
    install = subprocess.run([HERE / "install.sh"], capture_output=True, text=True, check=False)
    if install.returncode:
        pytest.fail(install.stderr, pytrace=False)
    return Path(install.stdout.strip())


@pytest.fixture(scope="session")
def appliance(kernel: Path, debian: Path, package: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A disk with oche installed, a broker with a login, and a table on a serial board; it is never written to."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # all workers share one
    disk = folder / "appliance.ext4"
    with (folder / "appliance.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not disk.exists():
            _install(kernel, debian, package, folder)
            (folder / "installing.ext4").rename(disk)
    return disk


def prepare(guest: Guest) -> None:
    """The broker, with a login for oche and one for the player; both have the password."""
    guest.write("/etc/mosquitto/conf.d/rig.conf", BROKER)
    for name in ("oche", PLAYER):
        guest.said(f"touch /etc/mosquitto/passwords; mosquitto_passwd -b /etc/mosquitto/passwords {name} {PASSWORD}")
    guest.write("/root/.config/mosquitto_sub", f"-h 127.0.0.1\n-u {PLAYER}\n-P {PASSWORD}\n")
    guest.said("sed -i '/^persistence/d' /etc/mosquitto/mosquitto.conf; systemctl --quiet enable --now mosquitto")


def _install(kernel: Path, debian: Path, package: Path, folder: Path) -> None:
    disk = folder / "installing.ext4"
    subprocess.run(["cp", "--sparse=always", debian, disk], check=True)
    with Guest(kernel, disk, folder, is_kept=True) as guest:
        prepare(guest)
        guest.said(f"dpkg --install /host{package}")
        guest.write("/etc/oche/mqtt-password", PASSWORD)
        guest.said("chmod 600 /etc/oche/mqtt-password")
        guest.write("/etc/oche/quick.toml", quick())
        guest.write(CONFIG, config("serial"))
        guest.said("systemctl reset-failed oche; systemctl enable oche && systemctl restart oche")
        guest.off()


@pytest.fixture(scope="module")
def running(kernel: Path, appliance: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guest]:
    """The guest of a file of tests."""
    with Guest(kernel, appliance, tmp_path_factory.mktemp("guest")) as guest:
        yield guest


@pytest.fixture
def guest(running: Guest) -> Iterator[Guest]:
    """The guest, with no match begun, and oche as it was installed."""
    running.wake()
    yield running
    with suppress(Dead):  # what is put back here, waking it does as well
        running.said("systemctl stop player oche 2>/dev/null; systemctl reset-failed; rm -rf /var/lib/oche/*")
        running.write(CONFIG, config("serial"))
