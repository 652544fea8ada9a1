"""`oche doctor` on a real system: it says nothing wrong of one that is right, and finds what is, with its cure."""

from __future__ import annotations

import json
from typing import NamedTuple

import pytest

from tests.appliance.guest import Guest
from tests.appliance.play import leave, throw
from tests.appliance.setup import CONFIG, config

pytestmark = pytest.mark.appliance


class Said(NamedTuple):
    """One of its lines."""

    name: str
    verdict: str
    text: str
    remedy: str


def examine(guest: Guest) -> list[Said]:
    """Its problems."""
    lines = guest.sh("oche doctor --json").output.splitlines()
    said = [json.loads(line) for line in lines if line.startswith("{")]
    assert said, lines
    found = [Said(each["name"], each["verdict"], each["text"], each.get("remedy") or "") for each in said]
    return [each for each in found if each.verdict == "problem"]


def plug(guest: Guest, kind: str) -> None:
    """A board of this kind, and oche with a table for it; no dart is thrown."""
    guest.write(CONFIG, config(kind))
    throw(guest, kind)
    guest.said("udevadm settle; systemctl restart oche")


def test_nothing_is_wrong_with_an_installed_one(guest: Guest) -> None:
    plug(guest, "serial")
    guest.until("systemctl show oche -p StatusText | grep 'main online'")
    assert [said for said in examine(guest) if said.name != "clock"] == []  # this guest has no time server
    leave(guest)


def test_bluetooth_is_switched_off(guest: Guest) -> None:
    plug(guest, "bluetooth")
    guest.until("bluetoothctl power on | grep succeeded")
    guest.until("systemctl show oche -p StatusText | grep 'main online'")
    guest.said("bluetoothctl power off")
    found = [said for said in examine(guest) if said.name == "bluetooth"]
    assert found
    assert "off" in found[0].text
    assert "power on" in found[0].remedy
    leave(guest)


def test_the_rule_of_udev_is_missing(guest: Guest) -> None:
    rules = "/usr/lib/udev/rules.d/70-oche.rules"
    guest.said(f"mv {rules} /root/rules && udevadm control --reload")
    plug(guest, "usb")
    guest.until("grep -q 2341 /sys/bus/usb/devices/*/idVendor")
    found = [said for said in examine(guest) if said.name == "usb"]
    leave(guest)
    guest.said(f"mv /root/rules {rules} && udevadm control --reload")
    assert found
    assert "no permission" in found[0].text
    assert 'ATTR{idVendor}=="2341"' in found[0].remedy


def test_the_group_is_missing(guest: Guest) -> None:
    unit = "/etc/systemd/system/oche.service.d/groups.conf"
    guest.said("gpasswd --delete oche dialout")
    guest.write(unit, "[Service]\nSupplementaryGroups=\nSupplementaryGroups=plugdev bluetooth\n")
    guest.said("systemctl daemon-reload")
    plug(guest, "serial")
    guest.until("test -e /dev/ttyUSB0")
    found = examine(guest)
    leave(guest)
    guest.said(f"gpasswd --add oche dialout; rm {unit}; systemctl daemon-reload")
    assert any("usermod -aG dialout oche" in said.remedy for said in found), found
