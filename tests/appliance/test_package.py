"""The package comes, is updated in the middle of a match, and goes; nothing but the data is left."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.appliance.conftest import prepare
from tests.appliance.guest import Guest
from tests.appliance.play import journal, leave, play
from tests.appliance.setup import CONFIG, PASSWORD, config, quick
from tests.figures import Figure

pytestmark = pytest.mark.appliance

OF_NOBODY = "/var/log /var/cache /var/lib/dpkg /var/lib/systemd /var/lib/apt /root /tmp /etc/mosquitto /etc/oche"
"""Where a system writes by itself, or the test did."""

ENABLED = "/etc/systemd/system/multi-user.target.wants/oche.service"
"""Stays when a package is removed and goes when it is purged: so Debian remembers whether a service was enabled."""


def newer(package: Path, folder: Path) -> Path:
    """The same package with a higher version."""
    subprocess.run(["dpkg-deb", "--raw-extract", package, folder / "newer"], check=True)
    control = folder / "newer/DEBIAN/control"
    lines = control.read_text().splitlines()
    control.write_text("\n".join(f"{line}.1" if line.startswith("Version:") else line for line in lines) + "\n")
    subprocess.run(["dpkg-deb", "--build", "-Zgzip", "-z1", folder / "newer", folder / "newer.deb"], check=True)
    return folder / "newer.deb"


def files(guest: Guest) -> set[str]:
    """Every file on the disk that a package has to account for."""
    left_out = " -o ".join(f"-path {folder}" for folder in OF_NOBODY.split())
    return set(guest.said(f"find / -xdev \\( {left_out} \\) -prune -o -print | grep -v __pycache__").splitlines())


def test_it_comes_is_updated_and_goes(
    kernel: Path, debian: Path, package: Path, tmp_path: Path, figure: Figure
) -> None:
    (tmp_path / "packages").mkdir()
    update = newer(package, tmp_path / "packages")
    with Guest(kernel, debian, tmp_path) as guest:
        prepare(guest)
        before = files(guest)
        people = guest.said("getent passwd; getent group")
        guest.said(f"dpkg --install /host{package}")
        assert guest.said("systemctl is-enabled oche; systemctl is-active oche") == "enabled\nactive"
        guest.write("/etc/oche/quick.toml", quick())
        guest.write(CONFIG, config("serial"))
        guest.write("/etc/oche/mqtt-password", PASSWORD)
        guest.said("systemctl restart oche")
        play(guest, "serial", "T20", "T19")
        leave(guest)

        first = guest.said("systemctl show oche -p MainPID")
        guest.said(f"dpkg --force-confold --install /host{update}")
        assert guest.said("systemctl is-active oche") == "active"
        assert guest.said("systemctl show oche -p MainPID") != first, "the old version still runs"
        assert guest.said("cat /etc/oche/oche.toml").strip() == config("serial").strip()
        play(guest, "serial", "T18", "next")
        leave(guest)
        lines = journal(guest)
        assert lines[1:] == [{"throw": "T20"}, {"throw": "T19"}, {"throw": "T18"}, {"next": True}]

        guest.said("dpkg --remove oche")
        assert guest.sh("pgrep -u oche").output == ""
        left = {file for file in files(guest) - before if not file.startswith("/var/lib/oche")}
        assert left <= {ENABLED}
        assert journal(guest) == lines, "the data were to stay"
        guest.said("dpkg --purge oche")
        assert journal(guest) == lines
        guest.said("systemctl daemon-reload; systemctl --failed --quiet | grep -c . || true")
        left = {file for file in files(guest) - before if not file.startswith("/var/lib/oche")}
        assert not left
        new_people = set(guest.said("getent passwd; getent group").splitlines()) - set(people.splitlines())
        figure("left after a purge", f"/var/lib/oche, and of users and groups {sorted(new_people)}")
