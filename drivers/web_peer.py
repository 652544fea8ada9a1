"""The far end of a `web:` address: connections to it with deadlines, and what people are told where there is none."""

from __future__ import annotations

import asyncio
import ssl
from typing import NamedTuple

from msgspec import Struct

from drivers.address import Address
from drivers.tcp_line import HostPort, choose_stagger_s, explain_connect_error, parse_host_port, watch_connection
from drivers.transport import LinkError, Refused, Unavailable
from protocol.profile import Profile
from protocol.sentence import say

_BUFFER_BYTES = 16_384
_RECEIVED_BYTES = 65_536
"""Kept by the system. With less than a message, a server on this machine would wait with the rest of it."""
MOST_UNSENT_BYTES = 65_536
"""What waits for a far end that reads nothing."""


class Deadlines(Struct, frozen=True):
    """How long each step may take, in seconds.

    `connect_s` is for the connection with its encryption, `open_s` for the handshake of the WebSocket, `answer_s` for
    a request from its beginning to the end of its answer. A ping goes out every `ping_s`; a board that has answered
    pings is gone when it says nothing for `silent_s`. `retry_s` and `most_retry_s` are the waits between attempts to
    open the socket again while requests are answered. `close_s` is for what was sent last.
    """

    connect_s: float = 10.0
    open_s: float = 10.0
    answer_s: float = 5.0
    ping_s: float = 8.0
    silent_s: float = 25.0
    retry_s: float = 1.0
    most_retry_s: float = 30.0
    close_s: float = 1.0


class Connection(NamedTuple):
    """An open connection, of a socket or of one request."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    @property
    def is_full(self) -> bool:
        """Whether the far end reads too little of what was sent."""
        return self.writer.transport.get_write_buffer_size() > MOST_UNSENT_BYTES

    def abort(self) -> None:
        """Ends it at once."""
        self.writer.transport.abort()


class Peer:
    """The host and port of an address. `name` is for people, `authority` for the header `Host`."""

    def __init__(self, address: Address, profile: Profile, deadlines: Deadlines) -> None:
        """Raises AddressError for an address that names no place, Refused for a profile of another link."""
        host, port = parse_host_port(address)
        if profile.web is None:
            raise Refused(
                say(
                    "settings.other_link",
                    "the profile {name} does not describe a board on {given}: run oche scan to find the one that fits",
                    name=profile.id,
                    given=address.scheme,
                )
            )
        self.host = host
        self.port = profile.web.port if port is None else port
        self.name = str(HostPort(host, self.port))
        self.authority = _encode_authority(host, self.port)
        self.deadlines = deadlines
        self._is_encrypted = profile.web.tls
        self._has_token = "{token}" in profile.web.socket
        self._context: ssl.SSLContext | None = None

    async def connect(self) -> Connection:
        """Connects. Raises Unavailable or Refused, with what to do."""
        try:
            async with asyncio.timeout(self.deadlines.connect_s):
                reader, writer = await asyncio.open_connection(
                    self.host,
                    self.port,
                    ssl=await self._make_context(),
                    limit=_BUFFER_BYTES,
                    happy_eyeballs_delay=choose_stagger_s(self.host),
                )
        except (OSError, UnicodeError) as error:  # of which ssl.SSLError is one
            raise self._explain(error) from None
        watch_connection(writer.get_extra_info("socket"), _RECEIVED_BYTES)
        return Connection(reader, writer)

    def explain_status(self, status: int) -> LinkError:
        """Returns why there is no socket, by the status of the answer."""
        if status in (401, 403):
            return Refused(say(*(_NO_ENTRY if self._has_token else _UNKNOWN_TOKEN), name=self.name, status=status))
        if status >= 500:
            return Unavailable(say(*_NOT_READY, name=self.name, status=status))
        return Refused(say(*_OTHER_SERVICE, name=self.name, status=status))

    async def _make_context(self) -> ssl.SSLContext | None:
        if self._is_encrypted and self._context is None:
            self._context = await asyncio.to_thread(ssl.create_default_context)  # it reads hundreds of certificates
        return self._context

    def _explain(self, error: OSError | UnicodeError) -> LinkError:
        if isinstance(error, ssl.SSLCertVerificationError):
            return Refused(say(*_UNTRUSTED, name=self.name))
        if isinstance(error, ssl.SSLError):
            return Unavailable(say(*_NOT_ENCRYPTED, name=self.name))
        return explain_connect_error(error, self.name, self.host)


def _encode_authority(host: str, port: int) -> str:
    """Host and port as a header may have them: without the zone of an IPv6 address, and in ASCII."""
    try:
        found = str(HostPort(host.partition("%")[0].encode("idna").decode("ascii"), port))
        found.encode("idna")  # as wsproto does with the port at its end, which makes a long name too long
    except UnicodeError:
        return "unknown"
    return found


_NO_ENTRY = (
    "link.web_no_entry",
    (
        "the board at {name} does not accept its token (HTTP {status}): "
        'enter "Token of the board" again on the page, or correct the board_token_file'
    ),
)
_UNKNOWN_TOKEN = (
    "link.web_unknown_token",
    "the board at {name} wants a token (HTTP {status}), and this profile has none: take the profile that has one",
)
_NOT_READY = "link.web_not_ready", "the board at {name} is not ready (HTTP {status}): wait, or start its program again"
_OTHER_SERVICE = (
    "link.web_other_service",
    "what answers at {name} is no board of this profile (HTTP {status}): correct the address, the port or the profile",
)
NO_SOCKET = (
    "link.web_no_socket",
    "what answers at {name} does not speak WebSocket: correct the address, the port or the profile",
)
SLOW = "link.web_slow", "the board at {name} does not answer in time: check its power and its network"
_UNTRUSTED = (
    "link.web_untrusted",
    "the certificate of {name} is not trusted here: set this machine's clock, and correct the address",
)
_NOT_ENCRYPTED = (
    "link.web_not_encrypted",
    "no encrypted connection to {name} is possible: correct the address, the port or the profile",
)
