"""The package for arm64 on the machine it is for, emulated: Debian's own kernel, systemd, and one gigabyte of memory.

Everything comes from the disk: the files for a Raspberry Pi, which Debian's cloud-init reads where Raspberry Pi OS does
and which install it, the signed repository of the release that updates it, the package of 0.1.0 that a leg is begun
with, and the container image.
"""

from __future__ import annotations

import json
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.appliance.guest import Guest
from tests.figures import Figure
from tests.release.conftest import BuildOld, Shown

pytestmark = pytest.mark.release

HERE = Path(__file__).parent
SLOWNESS = 10  # of the emulator, on a machine that others use as well

CARD = "/boot/firmware"
SEED = "/var/lib/cloud/seed/nocloud"
APT = "DEBIAN_FRONTEND=noninteractive apt-get -qq --yes"
SERVICE = "systemctl start --wait oche"
CONTAINER = "podman run --rm --network host --read-only --cap-drop all --volume oche:/var/lib/oche oche"
STARTED = "systemctl show --value -p ExecMainStartTimestampMonotonic oche"
UPTIME = "cut -d ' ' -f 1 /proc/uptime"
MEMORY = r"""
procs=$(sed 's,.*,/proc/&/smaps_rollup,' /sys/fs/cgroup/system.slice/oche.service/cgroup.procs)
sum() { awk -v name="$1:" '$1 == name { kb += $2 } END { print int(kb / 1024) }' $procs; }
sum Rss; sum Pss
"""


class Arm64(Guest):
    """`with Arm64(made, disk, folder) as guest`: `made` is the folder of make.sh; `disk` is a tar, seen as /dev/vdb.

    What it writes is lost when it is switched off.
    """

    slowness = SLOWNESS

    def __init__(self, made: Path, tar: Path, folder: Path) -> None:
        super().__init__(made, made / "disk", folder)
        self._tar = tar

    def _switch_on(self, lines: list[int]) -> subprocess.Popen[bytes]:
        made = self._kernel
        command = [str(HERE / "arm64/run.sh"), str(made), f"{made}/disk,format=raw,snapshot=on", ""]
        for number, file in enumerate(lines):
            command += ["-chardev", f"socket,id=line{number},fd={file}", "-device", f"pci-serial,chardev=line{number}"]
        command += ["-drive", f"if=none,id=tar,format=raw,readonly=on,file={self._tar}"]
        command += ["-device", "virtio-blk-pci,drive=tar"]
        with (self._folder / "console").open("ab") as console:
            return subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=console,
                start_new_session=True,
                pass_fds=lines,
            )

    def plays(self, *actions: str, daemon: str = SERVICE) -> Shown:
        """What is shown of these actions; see player.py."""
        *_, last = self.said(f"cd /run && python3 /srv/player.py '{daemon}' {' '.join(actions)}").splitlines()
        return Shown(**json.loads(last))


@pytest.fixture
def guest(dist: Path, build_old: BuildOld, tmp_path: Path) -> Iterator[Arm64]:
    """The machine, with the release in /srv."""
    made = subprocess.run((HERE / "arm64/make.sh",), stdout=subprocess.PIPE, text=True, check=False)
    if made.returncode:
        pytest.fail("no arm64 machine could be made: what make.sh said above tells why", pytrace=False)
    with tarfile.open(tmp_path / "srv.tar", "w") as tar:
        tar.add(dist / "apt", "apt")
        tar.add(next(dist.glob("*-raspberry-pi.tar")), "card.tar")
        tar.add(next(dist.glob("*-oci-arm64.tar")), "image.tar")
        tar.add(build_old("arm64", "13"), "old.deb")
        tar.add(HERE / "player.py", "player.py")
    with Arm64(Path(made.stdout.strip()), tmp_path / "srv.tar", tmp_path) as guest:
        guest.said("tar -x -f /dev/vdb -C /srv")
        guest.write("/etc/apt/sources.list.d/oche.list", "deb [signed-by=/srv/apt/oche.asc] file:/srv/apt trixie main")
        yield guest


def test_the_files_for_a_raspberry_pi_the_package_and_the_image_play_a_leg(guest: Arm64, figure: Figure) -> None:
    assert guest.said("uname -m") == "aarch64"
    guest.until("systemctl is-active mosquitto")
    hear = f"mosquitto_sub -t oche/table/main/state -C 1 >/dev/null && {UPTIME} >/run/heard"
    guest.start("first-state", hear)
    guest.said(f"mkdir -p {CARD} && tar -x -C {CARD} --strip-components 1 -f /srv/card.tar")
    guest.said(f"mkdir -p $(dirname {SEED}) && ln -s {CARD} {SEED}")
    assert "Valid schema" in guest.said(f"cloud-init schema --config-file {CARD}/user-data")
    assert "Valid schema" in guest.said(f"cloud-init schema --schema-type network-config -c {CARD}/network-config")
    begun = float(guest.said(UPTIME))
    # At the start there was no card, so that cloud-init had nothing to do and is asked again.
    guest.said("rm -r /run/cloud-init && systemctl daemon-reload && systemctl start --no-block cloud-init.target")
    heard = float(guest.until("test -s /run/heard && cat /run/heard"))
    shown = guest.plays("start", "T20", "S1", "D20")
    assert (shown.state["phase"], shown.state["winners"]) == ("over", [0])
    resident, proportional = guest.said(MEMORY).split()
    figure(
        "on an emulated arm64, seconds from the start to the first state",
        round(heard - int(guest.said(STARTED)) / 1e6, 1),
    )
    figure("by the files for a Raspberry Pi there, seconds from their start to the first state", round(heard - begun))
    figure("memory there in MB, RSS and PSS", f"{resident}, {proportional}")
    figure("seconds until that machine is up", round(guest.boot_s))

    guest.until("test -e /var/lib/oche-first-start.done")
    assert guest.said("cloud-init status --wait").endswith("status: done")
    assert guest.said("hostname && cat /etc/timezone && id -nG darts").splitlines() == [
        "oche",
        "Europe/Berlin",
        "darts adm dialout sudo plugdev",
    ]

    guest.said(f"{APT} purge oche && rm -r /var/lib/oche /etc/oche && dpkg --install /srv/old.deb")
    assert score(guest, "start", "T20") == 41
    guest.said(f"{APT} install oche")
    assert score(guest, "S1") == 40
    guest.said("dpkg --install /srv/old.deb")
    assert score(guest, "D20") == 0

    guest.said(f"{APT} purge oche && podman tag $(podman load --quiet --input /srv/image.tar | cut -d ' ' -f 3) oche")
    guest.said("mosquitto_pub --retain --null-message --topic oche/table/main/state")  # of the package
    shown = guest.plays("start", "T20", "S1", "D20", daemon=CONTAINER)
    assert (shown.state["phase"], shown.state["winners"]) == ("over", [0])
    figure("by the container image there, seconds from the start to the first state", shown.seconds)


def score(guest: Arm64, *actions: str) -> int:
    """Ann's, after these."""
    return int(guest.plays(*actions).state["sides"][0]["score"])
