"""What the unit forbids is forbidden, even to a curious root inside it, and what oche needs it may."""

from __future__ import annotations

import json

import pytest

from tests.appliance.guest import Guest
from tests.figures import Figure

pytestmark = pytest.mark.appliance

PROBE = """
import ctypes, errno, json, mmap, os, socket
def tried(what):
    try:
        what()
    except OSError as error:
        return errno.errorcode[error.errno]
    return "ok"
def written(file):
    with open(file, "w") as f:
        f.write("x")
    os.unlink(file)
libc = ctypes.CDLL(None, use_errno=True)
def called(name, *arguments):
    if getattr(libc, name)(*arguments) < 0:
        raise OSError(ctypes.get_errno(), name)
print(json.dumps({
    **{f"open {node}": tried(lambda: os.close(os.open(node, os.O_RDWR | os.O_NONBLOCK)))
       for node in ("/dev/ubda", "/dev/kmsg", "/dev/uhid", "/dev/vhci", "/dev/ttyS1", "/dev/null")},
    **{f"write {folder}": tried(lambda: written(folder + "/probe"))
       for folder in ("/etc", "/etc/oche", "/etc/oche/games", "/etc/oche/boards", "/usr",
                      "/boot", "/sys/kernel", "/var/lib", "/var/lib/oche", "/tmp")},
    "write oche.toml": tried(lambda: os.close(os.open("/etc/oche/oche.toml", os.O_RDWR))),
    "see processes": str(sum(name.isdigit() for name in os.listdir("/proc"))),
    "see neighbours": tried(lambda: open("/proc/self/net/arp").close()),
    "see root": tried(lambda: os.listdir("/root")),
    "mount": tried(lambda: called("mount", b"none", b"/tmp", b"tmpfs", 0, None)),
    "new user namespace": tried(lambda: called("unshare", 0x10000000)),
    "memory to run code in": tried(lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)),
    "raw packets": tried(lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW)),
    "take less of a processor": tried(lambda: os.nice(19)),
    "take more of a processor": tried(lambda: os.nice(-39)),
    "network": tried(lambda: socket.socket(socket.AF_INET)),
    "set the clock": tried(lambda: called("settimeofday", b"\\0" * 16, None)),
}))
"""

REPLACED = "Type ExecStart Restart RestartSec RestartPreventExitStatus WatchdogSec NotifyAccess TimeoutStartSec".split()


def probed(guest: Guest, *more: str, unit: str = "oche") -> dict[str, str]:
    """What a program finds under oche's own unit, or another one, with these lines added."""
    guest.write("/usr/local/lib/rig/probe.py", PROBE)
    own = ("Type=oneshot", "ExecStart=/usr/bin/python3 /usr/local/lib/rig/probe.py", "StandardOutput=file:/run/probe")
    lines = [line for line in guest.said(f"systemctl cat {unit}").splitlines() if line.split("=")[0] not in REPLACED]
    begin = lines.index("[Service]")
    lines[begin + 1 : begin + 1] = own
    end = lines.index("[Install]")
    lines[end:end] = more  # after those it overrules
    guest.write("/run/systemd/system/probe.service", "\n".join(lines) + "\n")
    guest.said("rm -f /run/probe; systemctl daemon-reload; systemctl start probe")
    found: dict[str, str] = json.loads(guest.said("cat /run/probe"))
    return found


def test_a_program_under_the_unit_may_what_oche_needs_and_no_more(guest: Guest, figure: Figure) -> None:
    found = probed(guest)
    figure("under the unit", found)
    may = {"open /dev/null", "write oche.toml", "write /var/lib/oche", "write /tmp", "network", "open /dev/ttyS1"}
    assert {what for what, how in found.items() if how == "ok"} == may | {"see neighbours", "take less of a processor"}
    assert int(found["see processes"]) == 1, "it sees only its own"


def test_the_device_filter_denies_root_too(guest: Guest, figure: Figure) -> None:
    root = ("User=root", "Group=root", "PrivateUsers=no", "CapabilityBoundingSet=~", "AmbientCapabilities=~")
    found = probed(guest, *root)
    denied = {what for what, how in found.items() if what.startswith("open") and how == "EPERM"}
    assert denied == {"open /dev/ubda", "open /dev/uhid", "open /dev/vhci"}
    figure("the device filter denies root", ", ".join(sorted(denied)))
    without = probed(guest, *root, "DevicePolicy=auto", "DeviceAllow=")
    assert {without[what] for what in denied} == {"ok"}, "it was something else that denied them"


def test_etc_is_read_only_for_root_too(guest: Guest) -> None:
    found = probed(guest, "User=root", "Group=root", "PrivateUsers=no", "CapabilityBoundingSet=~")
    assert {found[f"write {folder}"] for folder in ("/etc", "/etc/oche", "/etc/oche/games", "/usr", "/boot")} == {
        "EROFS"
    }
    assert found["write /var/lib/oche"] == "ok"


@pytest.mark.parametrize("unit", ["oche-collect", "oche-league"])
def test_a_program_of_a_league_may_even_less(guest: Guest, figure: Figure, unit: str) -> None:
    found = probed(guest, unit=unit)
    figure(f"under {unit}", found)
    assert {what for what, how in found.items() if how == "ok"} == {
        "open /dev/null", "write /tmp", "network", "see neighbours",
    }  # fmt: skip
    assert int(found["see processes"]) == 1, "it sees only its own"
