"""The MQTT library (aiomqtt on paho-mqtt), with what it keeps to itself, and without its accidents.

It hides why a publish was refused and why a connection ended; and some packets make it stumble over itself, on the log.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeVar, cast

import aiomqtt
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from daemon.mqtt.inbox import Letter

T = TypeVar("T")

log = logging.getLogger("oche.mqtt")

REFUSAL = 128
"""MQTT 5 numbers what went well below, what was refused from here on."""


class AtOnce(asyncio.Queue[aiomqtt.Message]):
    """Hands on a message as it is read, instead of keeping it.

    A queue would be full of one table's flood when another table's command comes; so the flood waits in the network.
    """

    def __init__(self, take: Callable[[Letter], None], maxsize: int) -> None:
        super().__init__(maxsize)
        self._take = take

    def put_nowait(self, item: aiomqtt.Message) -> None:
        """Never keeps it."""
        text, told = str(item.topic), item.properties
        try:
            self._take(
                Letter(
                    text,
                    item.payload,
                    item.retain,
                    getattr(told, "ResponseTopic", None),
                    getattr(told, "CorrelationData", None),
                )
            )
        except Exception:  # who cannot read it must not take the connection with it
            log.exception("a message on %r could not be dealt with", text)


class Library(aiomqtt.Client):
    """Looks at the callbacks of the library, and keeps its accidents from the log."""

    refusal: ReasonCode | None = None
    """Why the last publish was refused."""
    farewell: ReasonCode | None = None
    """What the broker said when it ended the connection; the library makes one up for those that just broke."""

    def __init__(self, *where: Any, **settings: Any) -> None:  # Any: the library's own
        super().__init__(*where, **settings)
        self._loop = cast("asyncio.AbstractEventLoop", _Loop(self._loop, self._client.socket))
        for end in (self._connected, self._disconnected):
            end.add_done_callback(_see)

    @property
    def is_closed(self) -> bool:
        """There is no connection: the library does not notice one that ends with its beginning."""
        return self._client.socket() is None

    def drop(self) -> None:
        """Closes the socket if it is open still: the library forgets one that nobody answers on."""
        self._client._sock_close()  # noqa: SLF001  it has no other way without a farewell

    def _on_message(self, client: Any, userdata: Any, message: Any) -> None:
        with suppress(ValueError):  # a topic that none can be; the library would read the packet again and again
            super()._on_message(client, userdata, message)

    def _on_publish(
        self, client: Any, userdata: Any, mid: int, reason_code: ReasonCode, properties: Properties
    ) -> None:
        if reason_code.value >= REFUSAL:
            self.refusal = reason_code
        super()._on_publish(client, userdata, mid, reason_code, properties)

    def _on_disconnect(
        self, client: Any, userdata: Any, flags: Any, reason_code: ReasonCode, properties: Properties | None = None
    ) -> None:
        """Without this, a broker that hangs up on our greeting would be waited for until the time is over."""
        if flags.is_disconnect_packet_from_server and reason_code.value >= REFUSAL:
            self.farewell = reason_code
        if not self._connected.done():
            self._connected.set_exception(aiomqtt.MqttCodeError(None, "hung up"))
        if not self._connected.cancelled():
            super()._on_disconnect(client, userdata, flags, reason_code, properties)


class _Loop:
    """The event loop as the library sees it: a socket that was closed before its turn came is not watched."""

    def __init__(self, loop: asyncio.AbstractEventLoop, current: Callable[[], Any]) -> None:  # Any: a socket or like it
        self._loop = loop
        self._current = current

    def __getattr__(self, name: str) -> Any:  # Any: the rest of a loop
        return getattr(self._loop, name)

    def add_reader(self, number: int, callback: Callable[[], None]) -> None:
        if self._is_open(number):
            self._loop.add_reader(number, callback)

    def add_writer(self, number: int, callback: Callable[[], None]) -> None:
        if self._is_open(number):
            self._loop.add_writer(number, callback)

    def _is_open(self, number: int) -> bool:
        current = self._current()
        return current is not None and current.fileno() == number >= 0


def _see(end: asyncio.Future[None]) -> None:
    """Nobody may be waiting for this any more."""
    if not end.cancelled():
        end.exception()


async def whole(call: Awaitable[T]) -> T:
    """The result of a call of the library, or the cancellation that came during it.

    The library waits by asyncio.wait_for, which on Python 3.11 swallows a cancellation that comes together with the
    result; the daemon would then wait for ever for this task to stop.
    """
    task = asyncio.current_task()
    before = task.cancelling() if task else 0
    result = await call
    if task and task.cancelling() > before:
        raise asyncio.CancelledError
    return result
