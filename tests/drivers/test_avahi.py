"""Asking Avahi over a real D-Bus: what it knows, and the ways in which it does not answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from drivers.announced import find_announced
from drivers.avahi import AvahiMissingError, browse
from drivers.mdns import Announced
from tests.drivers.avahi import Avahi, Service
from tests.drivers.listening import PATIENCE_S
from tests.drivers.system_bus import system_bus

BOARD, CAMERAS = "_autodarts-board._tcp", "_opendartboard._tcp"
DARTS = Service("darts", BOARD, 3180, {0: "192.168.0.7", 1: "fd00::7"}, ["id=0123456789abcdef", "cams=3"])
CELLAR = Service("The \x1bcellar", CAMERAS, 13520, {1: "fe80::9"}, ["auth=token"])
PRINTER = Service("printer", "_http._tcp", 80, {0: "192.168.0.8"})
FOUND = Announced(BOARD, "darts", "192.168.0.7", 3180, {"id": "0123456789abcdef", "cams": "3"})


async def test_it_tells_what_it_knows(dbus_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with system_bus(dbus_path, tmp_path) as bus, Avahi(bus, DARTS, CELLAR, PRINTER) as avahi:
        monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", bus)
        found = await find_announced([BOARD, CAMERAS], PATIENCE_S)
    cellar = Announced(CAMERAS, "The ?cellar", "fe80::9%lo", 13520, {"auth": "token"})
    assert sorted(found) == [FOUND, cellar], "each once, by the address that is the easiest to type"
    asked = [body[2] for member, body in avahi.calls if member == "ServiceBrowserNew"]
    assert asked == [BOARD, CAMERAS]
    asked = [body[1] for member, body in avahi.calls if member == "ResolveService" and body[2] == "darts"]
    assert asked == [0], "an address of the other version may take Avahi seconds, and is not needed"


async def test_hosts_that_are_not_on_the_local_network_are_left_out(
    dbus_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = Service("far", BOARD, 3180, {0: "203.0.114.9"})
    async with system_bus(dbus_path, tmp_path) as bus, Avahi(bus, DARTS, far):
        monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", bus)
        assert await browse([BOARD], PATIENCE_S) == [FOUND]


async def test_what_it_knows_counts_though_it_goes_on_looking(
    dbus_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with system_bus(dbus_path, tmp_path) as bus, Avahi(bus, DARTS, is_slow=True):
        monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", bus)
        found = list[Announced]()
        for seconds in (0.2, 2.0, 20.0, PATIENCE_S):
            if found := await browse([BOARD], seconds):
                break
    assert found == [FOUND]


@pytest.mark.parametrize("refuses", [True, False])
async def test_where_it_does_not_answer_it_is_missing(
    dbus_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refuses: bool
) -> None:
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", f"unix:path={tmp_path}/nothing")
    with pytest.raises(AvahiMissingError):
        await browse([BOARD], PATIENCE_S)
    async with system_bus(dbus_path, tmp_path) as bus:
        monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", bus)
        if not refuses:
            with pytest.raises(AvahiMissingError):
                await browse([BOARD], PATIENCE_S)
            return
        async with Avahi(bus, DARTS, refuses=True):
            with pytest.raises(AvahiMissingError):
                await browse([BOARD], PATIENCE_S)
