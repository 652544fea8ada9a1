"""How boards on the network take hosts, and send all of them away in the end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


async def serve_until_cancelled(server: asyncio.Server, drop: Callable[[], None]) -> None:
    """Takes connections. In the end it closes the server, and `drop` is called once those that were taken have begun.

    asyncio loses a connection whose server is closed in the turn of the event loop after the one in which it was taken.
    """
    async with server:
        try:
            await server.start_serving()
            await asyncio.Event().wait()
        finally:
            for each in server.sockets:
                asyncio.get_running_loop().remove_reader(each)
            try:
                for _ in range(3):  # a transport is made, its protocol told, and the task of that begun
                    await asyncio.sleep(0)
            finally:
                drop()
