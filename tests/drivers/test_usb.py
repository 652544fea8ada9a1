"""USB boards: sentences here, and the scenes with boards in a pytest of their own under umockdev.

umockdev stands in for the kernel by a preloaded library, which must be there when a process starts.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from drivers.udev import make_rule
from tests.conftest import skip_without

GUARD_S = 300


@pytest.fixture(scope="session")
def umockdev_wrapper() -> Path:
    """The program that preloads umockdev; its bindings and libusb are looked for as well."""
    packages = "umockdev gir1.2-umockdev-1.0 python3-gi libusb-1.0-0"
    skip_without(packages)
    found = shutil.which("umockdev-wrapper")
    script = "import ctypes, gi; gi.require_version('UMockdev', '1.0'); ctypes.CDLL('libusb-1.0.so.0')"
    if found is None or subprocess.call(["/usr/bin/python3", "-c", script], stderr=subprocess.DEVNULL):
        pytest.fail(f"This test needs the Debian packages {packages}: install them.", pytrace=False)
    return Path(found)


@pytest.mark.long
def test_boards_on_a_mocked_bus(umockdev_wrapper: Path) -> None:
    scenes = Path(__file__).with_name("usb_scenes.py")
    command: list[str | Path] = [umockdev_wrapper, sys.executable, *"-m pytest -q -p no:cacheprovider".split(), scenes]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=GUARD_S)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
    assert " skipped" not in done.stdout


def test_the_rule_is_one_line_that_names_the_board() -> None:
    assert make_rule(0x2341, 0x0036) == (
        'SUBSYSTEM=="usb", ENV{DEVTYPE}=="usb_device", ATTR{idVendor}=="2341", ATTR{idProduct}=="0036", '
        'MODE="0660", GROUP="plugdev", TAG+="uaccess", ENV{ID_MM_DEVICE_IGNORE}="1"'
    )
    assert 'ATTR{product}=="A ??? of 20?*", MODE' in make_rule(0x2341, 0x0036, 'A "*" of 20|')


def test_without_libusb_the_package_is_named(tmp_path: Path) -> None:
    (tmp_path / "libusb-1.0.so.0").write_text("no library")
    script = """
from drivers.usb_board import UsbBoard
from drivers.usb_devices import UsbDevice
from protocol.profile import Usb
try:
    UsbBoard(UsbDevice(1, 2, None, None, None, "1-1", "/dev/bus/usb/001/002"), Usb(ids=[]))
except Exception as error:
    print(type(error).__name__, error)
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "LD_LIBRARY_PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "Refused USB boards need libusb: install the Debian package libusb-1.0-0"
    assert not done.stderr
