"""`oche scan`: lines that the daemon takes as they are, whatever is missing on the machine."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import msgspec
import pytest

from daemon.commands.scan import _profiles, as_json, as_toml
from daemon.config import check
from daemon.sections import Config
from drivers.around import Around
from drivers.discovery import Fit, Found
from protocol.source import Source
from tests.daemon.house import ROOT, run
from tests.drivers.bluetoothd import BleBoard, Bluetoothd
from tests.drivers.system_bus import system_bus

GRAN = "442f157{}-8a00-9a28-cbe1-e1d4212d53eb"

AROUND = Around(
    [
        Found("ble:C0:11:22:33:44:55", "GRANBOARD, -61 dBm", (Fit("granboard", "sure"),)),
        Found("usb:2341:8036", "Arduino Leonardo", (Fit("pydarts-leonardo", "likely"),)),
        Found(
            'serial:/dev/serial/by-id/usb-"odd"-port0',
            "/dev/ttyUSB0, CH340",
            (Fit("opendarts", "possible"), Fit("fynn", "possible")),
        ),
        Found("serial:/dev/ttyAMA0", "a serial port of this machine"),
        Found("ble:C0:11:22:33:44:56", ""),
        Found("ble:C0:11:22:33:44:57", ""),
    ],
    ["there is no Bluetooth adapter: plug one in"],
)


def test_what_is_printed_can_be_pasted() -> None:
    text = as_toml(AROUND)
    for table, found in zip(tomllib.loads(text)["table"], AROUND.found, strict=False):
        check(msgspec.convert({"table": [table]}, Config), Source("", "pasted"))
        assert (table["board"], table["profile"]) == (found.address, found.fits[0].profile)
    assert len(tomllib.loads(text)["table"]) == 3
    assert text.index("GRANBOARD") < text.index("CH340") < text.index("ttyAMA0")
    assert 'profile = "opendarts"  # or fynn' in text
    assert text.endswith("#   and 2 Bluetooth devices without a name")


def test_nothing_is_said_to_be_nothing() -> None:
    assert as_toml(Around([], [])) == (
        "# No board was found: plug it in, or switch it on, press a button of it and try again."
    )


def test_programs_read_the_same() -> None:
    said = json.loads(as_json(AROUND))
    assert said["notes"] == AROUND.notes
    assert said["found"][2]["fits"] == [
        {"profile": "opendarts", "sure": "possible"},
        {"profile": "fynn", "sure": "possible"},
    ]
    assert said["found"][0]["config"] == AROUND.found[0].lines()
    assert [each["address"] for each in said["found"]] == [each.address for each in AROUND.found]


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """A machine whose system bus is not there, and so no Bluetooth."""
    return {"PATH": "/usr/bin", "TERM": "xterm", "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={tmp_path}/nothing"}


OWN = """
id = "pub"
name = "The board of the pub"
hits.frame = "{id}"
link = "ble"

[ble]
names = ["Pub"]
service = "fff0"
notify = "fff1"
"""


async def test_a_board_with_a_profile_of_ones_own_is_found_and_its_lines_are_a_configuration(
    env: dict[str, str], dbus_path: Path, tmp_path: Path
) -> None:
    (own := tmp_path / "my pub.toml").write_text(OWN, encoding="utf-8")
    board = BleBoard("C2:A4:CF:00:00:02", "Pub dartboard", "fff0", "fff1")
    async with system_bus(dbus_path, tmp_path) as address, Bluetoothd(address, board):
        arguments = ("scan", "--seconds", "1", "--profile", own)
        told = await run(*arguments, env={**env, "DBUS_SYSTEM_BUS_ADDRESS": address})
    assert (told.process.returncode, told.errors) == (0, "")
    table = tomllib.loads(told.output)["table"][0]
    assert table == {"board": "ble:C2:A4:CF:00:00:02", "profile": str(own)}
    check(msgspec.convert({"table": [table]}, Config), Source("", "pasted"))


@pytest.mark.parametrize(("file", "sentence"), [("granboard", "ending in .toml"), ("/none.toml", "no such file")])
async def test_a_profile_that_is_no_file_is_one_sentence(env: dict[str, str], file: str, sentence: str) -> None:
    told = await run("scan", "--profile", file, env=env)
    assert (told.process.returncode, told.errors.count("\n")) == (2, 1)
    assert sentence in told.errors


def test_the_usual_profile_is_named_first_where_any_may_be_right() -> None:
    assert _profiles(())[0].id == "opendarts"


async def test_without_bluetooth_the_rest_is_searched_with_a_bar_for_whoever_waits(env: dict[str, str]) -> None:
    master, terminal = os.openpty()
    arguments = ("-m", "daemon.cli", "scan", "--seconds", "0.5")
    process = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=terminal
    )
    output, _ = await process.communicate()
    shown = os.read(master, 65536).decode()
    os.close(master)
    os.close(terminal)
    assert process.returncode == 0
    assert tomllib.loads(output.decode()) is not None
    assert "Looking around" in shown
    assert "100%" in shown
    assert "oche: Bluetooth needs D-Bus" in shown


async def test_a_bluetooth_board_in_reach_is_found_and_programs_see_no_bar(
    env: dict[str, str], dbus_path: Path, tmp_path: Path
) -> None:
    gran = BleBoard("C2:A4:CF:00:00:01", "GRANBOARD", GRAN.format(0), GRAN.format(1), GRAN.format(2))
    async with system_bus(dbus_path, tmp_path) as address, Bluetoothd(address, gran):
        told = await run("scan", "--seconds", "1", "--json", env={**env, "DBUS_SYSTEM_BUS_ADDRESS": address})
    assert (told.process.returncode, told.errors) == (0, "")
    said = json.loads(told.output)
    assert said["notes"] == []
    assert said["found"][0]["address"] == "ble:C2:A4:CF:00:00:01"
    assert said["found"][0]["fits"] == [{"profile": "granboard", "sure": "sure"}]
