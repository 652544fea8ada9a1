"""A broker for this machine alone, where the configuration names none: mosquitto as a child, else the embedded one.

mosquitto is the better one (MQTT 5, many times the speed, a few megabytes), so it is taken wherever it is installed. It
keeps nothing on disk: oche sends everything again at each connect, and an SD card wears out. The child must not outlive
the daemon, or it would hold the port for ever (daemon/die_with_parent.py). The embedded broker is the library amqtt,
which is imported only when it is used.
"""

from __future__ import annotations

import asyncio
import logging
import os
import pwd
import shutil
import sys
import traceback
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from daemon.errors import PortTaken, UserError
from daemon.free_port import is_free
from daemon.service.supervisor import keep_running
from protocol.sentence import advise, say

log = logging.getLogger("oche.broker")

_DIE_WITH_PARENT = str(Path(__file__).parents[1] / "die_with_parent.py")  # not imported: the daemon needs no ctypes
_PATH = "/usr/sbin:/usr/local/sbin:/usr/bin:/bin"
"""Searched besides the user's PATH: Debian keeps daemons where only root's PATH leads."""
_START_S = 30.0
_STOP_S = 2.0
_ARGUMENTS = ["-c", "/dev/stdin"]
"""Those of the mosquitto that oche starts, by which it is known."""
_LISTENS = " running"
"""How the line of mosquitto's log ends that says that its port is open."""
_CONFIGURATION = """\
listener {port} 127.0.0.1
allow_anonymous true
persistence false
log_dest stderr
log_type error
log_type warning
log_type information
connection_messages false
# What follows an event does not wait until the display's kernel has acknowledged that, which can take 40 ms.
set_tcp_nodelay true
# A display that hangs must not fill the memory.
max_queued_messages 1000
message_size_limit {longest}
"""
_LONGEST = 1_000_000
"""Bytes of a message, for either broker."""
_CONNECT = 1
_MQTT_5 = b"\x00\x04MQTT\x05"
_UNSUPPORTED_VERSION = b"\x20\x03\x00\x84\x00"
"""A CONNACK of MQTT 5 with the reason code 0x84 and no properties."""


@asynccontextmanager
async def run_local_broker(port: int) -> AsyncIterator[str]:
    """A broker on 127.0.0.1 at this port while the block lasts: "mosquitto" or "amqtt".

    Raises PortTaken, and UserError when there can be none.
    """
    check_local_broker(port)
    async with AsyncExitStack() as stack:
        program = _find_mosquitto()
        if program is not None:
            try:
                await stack.enter_async_context(_keep_mosquitto(program, port))
            except PortTaken:
                raise
            except UserError as error:
                if find_spec("amqtt") is None:
                    raise
                log.warning("%s; oche uses the embedded broker instead", error)
            else:
                yield "mosquitto"
                return
        await stack.enter_async_context(run_embedded_broker(port))
        yield "amqtt"


def check_local_broker(port: int) -> None:
    """Raises PortTaken where another program has the port, UserError where neither broker is installed."""
    if _find_mosquitto() is None and find_spec("amqtt") is None:
        raise UserError(
            advise(
                say("broker.none", "no broker is configured and none is installed"),
                say(
                    "broker.install",
                    "sudo apt install mosquitto, or in oche's checkout pip install '.[broker]', or set "
                    "mqtt.host in the configuration",
                ),
            )
        )
    _check_port(port)


def is_local_broker_at(port: int) -> bool:
    """Returns whether what listens at this port of 127.0.0.1 is a mosquitto that an oche has started."""
    here = _list_listeners(Path("/proc/net/tcp"), port)
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended
            program, *arguments = (process / "cmdline").read_text(errors="replace").rstrip("\0").split("\0")
            if Path(program).name == "mosquitto" and arguments == _ARGUMENTS:
                user = str(process.stat().st_uid)
                # The sockets of another container are not those that listen here.
                if any(uid == user for uid, _ in here & _list_listeners(process / "net" / "tcp", port)):
                    return True
    return False


def _list_listeners(table: Path, port: int) -> set[tuple[str, str]]:
    """Returns the sockets of IPv4 that listen at this port, as user and inode."""
    lines = [line.split() for line in table.read_text(encoding="ascii").splitlines()[1:]]
    return {(line[7], line[9]) for line in lines if line[3] == "0A" and int(line[1].partition(":")[2], 16) == port}


def _find_mosquitto() -> str | None:
    return shutil.which("mosquitto", path=f"{os.environ.get('PATH', os.defpath)}:{_PATH}")


def _choose_user() -> str:
    """Returns the user that mosquitto runs as where the daemon is root; "" where it is not."""
    if os.geteuid() != 0:
        return ""
    names = {entry.pw_name for entry in pwd.getpwall()}
    return next((name for name in ("mosquitto", "nobody") if name in names), "")


@asynccontextmanager
async def _keep_mosquitto(program: str, port: int) -> AsyncIterator[None]:
    """Runs mosquitto while the block lasts, started again when it dies. Raises UserError when it does not start."""
    started = [await _start(program, port)]

    async def run() -> None:
        try:
            child = started.pop() if started else await _start(program, port)
        except UserError as error:
            log.error("%s", error)
            return
        await child.run()

    log.info("mosquitto listens at 127.0.0.1:%d, for this machine only", port)
    keeper = asyncio.create_task(keep_running("the broker of this machine", run))
    try:
        yield
    finally:
        keeper.cancel()
        await asyncio.wait({keeper})
        for child in started:
            await child.stop()


async def _start(program: str, port: int) -> _Child:
    """Starts mosquitto; returns it when its port is open. Raises UserError."""
    # In memory: the disk may be full, and mosquitto's user may not enter our folders.
    with os.fdopen(os.memfd_create("mosquitto.conf"), "r+b", buffering=0) as file:
        file.write(_CONFIGURATION.format(port=port, longest=_LONGEST).encode())
        file.seek(0)
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-S", _DIE_WITH_PARENT, str(os.getpid()), _choose_user()),
            *(program, *_ARGUMENTS),
            stdin=file,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is not for the broker: `offline` is still to be published on it
            env={"PATH": _PATH},  # no password, and no socket of systemd
        )
    child = _Child(process)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(child.stop)
        try:
            async with asyncio.timeout(_START_S):
                while await child.read_line():
                    if child.last_line.endswith(_LISTENS):
                        stack.pop_all()
                        return child
        except TimeoutError:
            child.last_line = "it wrote nothing"
    _check_port(port)  # another program was quicker
    raise UserError(f"mosquitto does not start: {child.last_line or 'it ended at once'}")


class _Child:
    """A mosquitto that was started; `last_line` is the last of its log."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.last_line = ""
        self._process = process

    async def run(self) -> None:
        """Waits until it ends, and stops it when cancelled."""
        try:
            while await self.read_line():
                pass
            status = await self._process.wait()
            log.warning("mosquitto ended with status %d; its last line: %s", status, self.last_line or "nothing")
        finally:
            await self.stop()

    async def stop(self) -> None:
        """Terminates it, or kills it after two seconds."""
        try:
            async with asyncio.timeout(_STOP_S):
                with suppress(ProcessLookupError):
                    self._process.terminate()
                await self._process.wait()
        except TimeoutError:
            with suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()

    async def read_line(self) -> bool:
        """Reads the next line of its log. Returns False at the end."""
        assert self._process.stderr is not None
        line = (await self._process.stderr.readline()).decode(errors="replace")
        if line:
            time, _, text = line.strip().partition(": ")
            self.last_line = text if time.isdecimal() else line.strip()
            log.debug("mosquitto: %s", self.last_line)
        return bool(line)


@asynccontextmanager
async def run_embedded_broker(port: int) -> AsyncIterator[None]:
    """The embedded broker (the library amqtt), where mosquitto is not installed. Raises PortTaken.

    It speaks MQTT 3.1.1 and keeps nothing for clients that are away: good enough to see the board on a display, not for
    a home that depends on it, and the log says so.
    """
    _check_port(port)
    from amqtt.adapters import StreamReaderAdapter, StreamWriterAdapter  # noqa: PLC0415
    from amqtt.broker import Broker  # noqa: PLC0415  it takes long to import
    from amqtt.errors import BrokerError  # noqa: PLC0415
    from amqtt.session import Session  # noqa: PLC0415

    for name in ("amqtt", "transitions"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # tracebacks of clients that left

    class StreamFrom(StreamReaderAdapter):
        """A stream that begins with bytes which were already read."""

        def __init__(self, reader: asyncio.StreamReader, first: bytes) -> None:
            super().__init__(reader)
            self._first = first
            self._is_refused = False

        async def read(self, n: int = -1) -> bytes:
            """Returns the next `n` bytes; none ever after a packet that is too long."""
            if n > _LONGEST or self._is_refused:
                self._is_refused = True
                raise asyncio.IncompleteReadError(b"", n)
            part, self._first = (self._first[:n], self._first[n:]) if self._first else (b"", b"")
            return part + await super().read(n - len(part))

    class OurBroker(Broker):
        """Refuses MQTT 5, and tells a client what is retained where it listens.

        The library (0.12) waits for the rest of a CONNECT in MQTT 5, and tells a client what is retained anywhere.
        """

        async def stream_connected(
            self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, listener_name: str
        ) -> None:
            first = await _read_connect(reader)
            if first[-7:] == _MQTT_5:
                await _refuse_version(reader, writer)
            else:
                await self._client_connected(listener_name, StreamFrom(reader, first), StreamWriterAdapter(writer))

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
    asyncio.get_running_loop().set_exception_handler(_log_exception)
    try:
        await broker.start()
    except BrokerError:  # another program was quicker
        raise _make_port_taken(port) from None
    log.info("the embedded broker listens at 127.0.0.1:%d; for everyday use install mosquitto", port)
    try:
        yield
    finally:
        with suppress(TimeoutError):  # it waits for clients that have gone; we end now, and it with us
            async with asyncio.timeout(_STOP_S):
                await broker.shutdown()


async def _read_connect(reader: asyncio.StreamReader) -> bytes:
    """Returns the bytes of a CONNECT up to the version of MQTT; of anything else at most the first five."""
    first = b""
    try:
        first += await reader.readexactly(2)
        while first[-1] & 0x80 and len(first) < 5:  # more of the packet's length
            first += await reader.readexactly(1)
        if first[0] >> 4 == _CONNECT:
            first += await reader.readexactly(len(_MQTT_5))
    except asyncio.IncompleteReadError as error:
        first += error.partial
    except OSError:
        pass
    return first


async def _refuse_version(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answers that the version is not supported; closes when the client has, or after two seconds."""
    with suppress(OSError):  # time-outs too
        async with asyncio.timeout(_STOP_S):
            writer.write(_UNSUPPORTED_VERSION)
            await writer.drain()
            writer.write_eof()
            while await reader.read(4096):  # to close a socket with something unread would take the answer back
                pass
    writer.close()


def _check_port(port: int) -> None:
    if not is_free(port):
        raise _make_port_taken(port)


def _make_port_taken(port: int) -> PortTaken:
    return PortTaken(
        advise(
            say("broker.port_taken", "port {port} is in use, perhaps by another broker", port=port),
            say(
                "broker.use_it",
                'to use that broker write host = "127.0.0.1" below [mqtt]; otherwise set another mqtt.port',
            ),
        )
    )


def _log_exception(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:  # Any: as asyncio has it
    """Logs at debug level what the library leaves to the loop: clients that left, or did not finish their CONNECT."""
    error = context.get("exception")
    frames = traceback.walk_tb(error.__traceback__) if error else ()
    if any(frame.f_globals.get("__name__", "").startswith(("amqtt.", __name__)) for frame, _ in frames):
        log.debug("the embedded broker: %r", error)
    else:
        loop.default_exception_handler(context)
