"""Brings what a board says to its table, over whatever link the configuration names."""

from __future__ import annotations

from daemon.errors import UserError
from daemon.simulated import reaching, simulated
from daemon.table import Table
from drivers.address import AddressError
from drivers.session import Session
from protocol.events import Command


class Listener:
    """The ear of a table; run it as a task."""

    def __init__(self, table: Table) -> None:
        self.table = table
        try:
            self.board = simulated(table.config.board, table.codebook)
            self.session = self._session()
        except AddressError as error:
            raise UserError(f"table {table.name}: {error}", 2) from None

    async def run(self) -> None:
        """Listens until cancelled."""
        self.session = self._session()
        async with self.session as session:
            async for item in session:
                await self.table.feed(item)

    async def send(self, command: Command) -> bool:
        """Tells the board something. False while it cannot be heard."""
        return await self.session.send(command)

    def _session(self) -> Session:
        config = self.table.config
        return Session(self.table.name, config.board, self.table.codebook, schemes=reaching(self.board))
