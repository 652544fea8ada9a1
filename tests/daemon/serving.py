"""What serves HTTP for a test of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from daemon.http.connection import open_port
from daemon.http.limits import ConnectionLimit
from daemon.http.messages import Respond


@asynccontextmanager
async def serve_http(respond: Respond, limit: ConnectionLimit, host: str = "127.0.0.1") -> AsyncIterator[int]:
    """Serves there while the block lasts; yields the port."""
    async with open_port(host, 0) as port, port.serve(respond, limit):
        yield port.number
