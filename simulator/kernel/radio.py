"""A radio in software: an adapter the kernel takes for real (over /dev/vhci), and the air between it and boards.

The kernel's Bluetooth, bluetoothd and bleak are then the real ones; only the radio waves are ours, by bumble's
controllers. Those are put right here where they are kinder or stranger than a real one, since what a daemon has to
survive is mostly a connection that fails halfway.
"""

from __future__ import annotations

import asyncio
from typing import Self

from bumble.controller import Connection, Controller
from bumble.core import PhysicalTransport
from bumble.hci import (
    HCI_LE_EXTENDED_CREATE_CONNECTION_COMMAND,
    HCI_LE_SET_EXTENDED_SCAN_ENABLE_COMMAND,
    HCI_LE_SET_EXTENDED_SCAN_PARAMETERS_COMMAND,
    Address,
    HCI_ErrorCode,
    HCI_LE_Advertising_Report_Event,
    HCI_LE_Connection_Complete_Event,
    HCI_LE_Create_Connection_Cancel_Command,
    HCI_StatusReturnParameters,
    LeFeatureMask,
    Role,
)
from bumble.link import LocalLink
from bumble.ll import AdvExtInd, AdvInd, ControlPdu
from bumble.transport import open_transport
from bumble.transport.common import Transport

_NEWER = LeFeatureMask.LE_EXTENDED_ADVERTISING | LeFeatureMask.LE_PERIODIC_ADVERTISING | LeFeatureMask.LL_PRIVACY
"""Privacy above all: a kernel that is told of it waits for an event bumble never sends, until its patience is over."""
_NEWER_COMMANDS = {
    HCI_LE_SET_EXTENDED_SCAN_PARAMETERS_COMMAND,
    HCI_LE_SET_EXTENDED_SCAN_ENABLE_COMMAND,
    HCI_LE_EXTENDED_CREATE_CONNECTION_COMMAND,
}
_RSSI_DBM = -50
_MEETING_S = 0.03
"""Between two moments in which connected controllers listen to each other."""


class Air(LocalLink):
    """What the controllers in reach of each other share."""

    def send_acl_data(
        self, sender_controller: Controller, destination_address: Address, transport: PhysicalTransport, data: bytes
    ) -> None:
        """Delivers data under the address the connection was made with.

        bumble takes the sender's present one; but a host that looks around gives itself a new one, and the other end
        would not know whom the data is from.
        """
        receiver = self.find_le_controller(destination_address)
        connection = sender_controller.le_connections.get(destination_address)
        if receiver is not None and connection is not None:
            asyncio.get_running_loop().call_soon(receiver.on_link_acl_data, connection.self_address, transport, data)

    def send_ll_control_pdu(self, sender_address: Address, receiver_address: Address, packet: ControlPdu) -> None:
        """Delivers a word between controllers when they meet next; what is said to one that has gone is lost.

        At once would be too soon: no radio is done with a connection before the host has heard that there is one, and
        bluetoothd takes it amiss.
        """

        def deliver() -> None:
            if self.find_le_controller(receiver_address) is not None:
                LocalLink.send_ll_control_pdu(self, sender_address, receiver_address, packet)

        asyncio.get_running_loop().call_later(_MEETING_S, deliver)

    def lose(self, controller: Controller) -> None:
        """Every connection of this controller breaks off, at both ends, without a word to the peer."""
        for connection in list(controller.le_connections.values()):
            for other in self.controllers:
                far = other.le_connections.get(connection.self_address)
                if far is not None and far.self_address == connection.peer_address:
                    _time_out(other, far)
            _time_out(controller, connection)

    def part(self, controller: Controller) -> None:
        """This controller is out of reach from now on."""
        self.lose(controller)
        self.remove_controller(controller)


class VirtualRadio(Controller):
    """A controller of the older kind (Bluetooth 4), as a Raspberry Pi and most adapters have it."""

    le_features = Controller.le_features & ~_NEWER

    def __init__(self, name: str, air: Air, *, address: str | None = None, transport: Transport | None = None) -> None:
        source, sink = (transport.source, transport.sink) if transport else (None, None)
        super().__init__(name, host_source=source, host_sink=sink, link=air, public_address=address)
        self.supported_commands = self.supported_commands - _NEWER_COMMANDS

    def on_advertising_pdu(self, pdu: AdvInd | AdvExtInd) -> None:
        """Reports what is heard, the answer to a scan on its own (bumble would repeat the advertisement)."""
        sender = self.link.find_le_controller(pdu.advertiser_address)
        if self.le_scan_enable and sender is not None:
            kinds = HCI_LE_Advertising_Report_Event.EventType
            answer = sender.le_legacy_advertiser.scan_response_data
            for kind, data in ((kinds.ADV_IND, pdu.data), (kinds.SCAN_RSP, answer)):
                report = HCI_LE_Advertising_Report_Event.Report(
                    event_type=kind,
                    address_type=pdu.advertiser_address.address_type,
                    address=pdu.advertiser_address,
                    data=data,
                    rssi=_RSSI_DBM,
                )
                self.send_hci_packet(HCI_LE_Advertising_Report_Event([report]))
        wanted = self.pending_le_connection
        if wanted is not None and wanted.peer_address == pdu.advertiser_address:
            self.create_le_connection(pdu.advertiser_address)

    def on_hci_le_create_connection_cancel_command(
        self, _command: HCI_LE_Create_Connection_Cancel_Command
    ) -> HCI_StatusReturnParameters:
        """Gives up connecting, and says so (bumble would still connect when the board is heard again)."""
        wanted, self.pending_le_connection = self.pending_le_connection, None
        if wanted is None:
            return HCI_StatusReturnParameters(HCI_ErrorCode.COMMAND_DISALLOWED_ERROR)
        asyncio.get_running_loop().call_soon(
            self.send_hci_packet,
            HCI_LE_Connection_Complete_Event(
                status=HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR,
                connection_handle=0,
                role=Role.CENTRAL,
                peer_address_type=wanted.peer_address.address_type,
                peer_address=wanted.peer_address,
                connection_interval=0,
                peripheral_latency=0,
                supervision_timeout=0,
                central_clock_accuracy=0,
            ),
        )
        return HCI_StatusReturnParameters(HCI_ErrorCode.SUCCESS)


class Adapter:
    """A Bluetooth adapter the kernel sees: `async with Adapter(air)` plugs it in, leaving the block pulls it out."""

    def __init__(self, air: Air, address: str = "C0:FF:EE:00:00:01") -> None:
        self._air = air
        self._address = address
        self._radio: VirtualRadio | None = None
        self._transport: Transport | None = None

    async def __aenter__(self) -> Self:
        await self.plug()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.pull()

    async def plug(self) -> None:
        """Plugs it in; raises OSError when this kernel has no /dev/vhci, or we no right to use it."""
        self._transport = await open_transport("vhci")
        self._radio = VirtualRadio("adapter", self._air, address=self._address, transport=self._transport)

    async def pull(self) -> None:
        """Pulls it out, with every link it had."""
        if self._radio is not None and self._transport is not None:
            await self._transport.close()  # first, so that the kernel is not told that its links broke off
            self._air.part(self._radio)
            self._radio = None


def _time_out(controller: Controller, connection: Connection) -> None:
    controller.on_le_disconnected(connection, HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR)
