"""Somebody else's phone on the same air: a board has one link to give, and it may be taken."""

from __future__ import annotations

from bumble.device import Device
from bumble.hci import Address
from bumble.host import Host

from simulator.ble_board import BleBoard
from simulator.radio import Air, Radio

_PHONE = "C4:00:00:00:00:01"


class Phone:
    """It looks for no board by itself; all methods belong to the running event loop."""

    def __init__(self, air: Air) -> None:
        self._air = air
        self._radio = Radio("phone", air)

    @property
    def is_connected(self) -> bool:
        """Has it a link?"""
        return bool(self._radio.le_connections)

    async def connect(self, board: BleBoard) -> None:
        """Takes the board's link."""
        host = Host()
        host.controller = self._radio
        device = Device(name="phone", address=Address(_PHONE), host=host)
        await device.power_on()
        await device.connect(Address(board.mac))

    def leave(self) -> None:
        """Its owner goes home."""
        self._air.part(self._radio)
