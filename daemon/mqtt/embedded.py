"""A broker of our own, for a first evening without any set-up. It listens on the loopback only.

It speaks MQTT 3.1.1 and keeps nothing for clients that are away: good enough to see the board on a display, not for
a home that depends on it; the log says so and names the way on. The library is loaded only when it is used.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib.util import find_spec
from typing import Any

from daemon.errors import PortTaken, UserError

log = logging.getLogger("oche.broker")

_SHUTDOWN_S = 2.0


@asynccontextmanager
async def embedded_broker(port: int) -> AsyncIterator[None]:
    """A broker on 127.0.0.1 at this port while the block lasts. Raises UserError when there can be none."""
    check(port)
    from amqtt.broker import Broker  # noqa: PLC0415  only who uses it waits for it
    from amqtt.errors import BrokerError  # noqa: PLC0415
    from amqtt.session import Session  # noqa: PLC0415

    for name in ("amqtt", "transitions"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # tracebacks of clients that left

    class OurBroker(Broker):
        """Tells a client what is retained where it listens; the library (0.12) tells it what anybody listens to."""

        async def _publish_retained_messages_for_subscription(
            self, subscription: tuple[str, int], session: Session
        ) -> None:
            if any(listener is session for listener, _ in self._subscriptions.get(subscription[0], ())):
                await super()._publish_retained_messages_for_subscription(subscription, session)

    broker = OurBroker(
        {
            "listeners": {"default": {"type": "tcp", "bind": f"127.0.0.1:{port}"}},
            "plugins": {"amqtt.plugins.authentication.AnonymousAuthPlugin": {"allow_anonymous": True}},
        }
    )
    asyncio.get_running_loop().set_exception_handler(_quietly)
    try:
        await broker.start()
    except BrokerError:  # somebody was quicker
        raise _taken(port) from None
    log.info("the embedded broker listens at 127.0.0.1:%d; for everyday use install mosquitto", port)
    try:
        yield
    finally:
        with suppress(TimeoutError):  # it waits for clients that have gone; we end now, and it with us
            async with asyncio.timeout(_SHUTDOWN_S):
                await broker.shutdown()


def check(port: int) -> None:
    """Raises UserError when there can be no broker of our own at this port."""
    if find_spec("amqtt") is None:
        raise UserError(
            "no broker is configured and the embedded one is not installed: "
            "set mqtt.host in the configuration, or pip install 'oche[broker]'"
        )
    if not _is_free(port):
        raise _taken(port)


def _taken(port: int) -> PortTaken:
    return PortTaken(
        f"port {port} is in use, perhaps by another broker: "
        'to use that one set mqtt.host = "127.0.0.1", else set another mqtt.port'
    )


def _quietly(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:  # Any: as asyncio has it
    """A client that leaves, or does not finish its greeting, is an error nobody takes care of in the library."""
    error = context.get("exception")
    frames = traceback.walk_tb(error.__traceback__) if error else ()
    if any(frame.f_globals.get("__name__", "").startswith("amqtt.") for frame, _ in frames):
        log.debug("the embedded broker: %r", error)
    else:
        loop.default_exception_handler(context)


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
