"""The shape of everything that runs beside the tables, so that putting the daemon together is a list of parts.

A table itself knows of a part only that it takes news: `Outlet` in daemon/table/effects.py.
"""

from __future__ import annotations

from daemon.table.effects import Update


class Part:
    """A part of the daemon. What a part does not define does nothing."""

    def publish(self, update: Update) -> None:
        """Takes the news of a table. Does not wait: a part that is slow keeps its own bounded backlog."""

    async def run(self) -> None:
        """Runs until cancelled."""

    async def close(self) -> None:
        """Ends what was begun for a client, when the daemon ends. All parts still run."""
