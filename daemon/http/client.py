"""A client of small requests to the web servers of others: web hooks, and lights on the house's own network.

One connection a request, one deadline for all of it, a bound for the answer, no redirections: an address that was
written down is the only one that is asked. A certificate is checked against the system's authorities.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from functools import cache
from urllib.parse import urlsplit

import h11
from msgspec import Struct

_BLOCK = 16_384


class Reply(Struct, frozen=True):
    """What a server has answered; of a long body only the beginning."""

    status: int
    body: bytes


class RequestError(Exception):
    """The server did not answer as a web server does; the text says how, as the end of a sentence."""


async def send_request(
    method: str,
    url: str,
    body: bytes = b"",
    headers: Mapping[str, str] | None = None,
    *,
    timeout_s: float = 5.0,
    most_bytes: int = 4096,
) -> Reply:
    """Sends this request to an http or https address and returns the answer, whatever its status is.

    Of the body at most so many bytes are read. Raises RequestError when there is no answer within the time.
    """
    try:
        async with asyncio.timeout(timeout_s):
            return await _send(method, url, body, headers or {}, most_bytes)
    except TimeoutError:
        raise RequestError(f"it did not answer within {timeout_s:g} s") from None
    except ssl.SSLCertVerificationError as error:
        raise RequestError(error.verify_message) from None
    except h11.LocalProtocolError:  # whose text has what was to be sent, and that may be a secret
        raise RequestError("the request cannot be sent: check its address and headers") from None
    except h11.RemoteProtocolError as error:
        raise RequestError(f"it does not answer as a web server: {error}") from None
    except (OSError, ValueError) as error:  # a name or a port that is none raises ValueError
        raise RequestError(str(error)) from None


@cache
def _load_authorities() -> ssl.SSLContext:
    return ssl.create_default_context()


async def _send(method: str, url: str, body: bytes, headers: Mapping[str, str], most_bytes: int) -> Reply:
    address = urlsplit(url)
    context = await asyncio.to_thread(_load_authorities) if address.scheme == "https" else None  # a file of 200 kB
    reader, writer = await asyncio.open_connection(
        address.hostname, address.port or (443 if context else 80), ssl=context
    )
    try:
        connection = h11.Connection(h11.CLIENT)
        path = (address.path or "/") + (f"?{address.query}" if address.query else "")
        host = address.netloc.rpartition("@")[2]
        known = {"Host": host, "Connection": "close", "Content-Length": str(len(body)), "User-Agent": "oche"}
        request = h11.Request(method=method, target=path, headers=[*{**known, **headers}.items()])
        for event in (request, h11.Data(data=body), h11.EndOfMessage()):
            writer.write(connection.send(event) or b"")
        await writer.drain()
        return await _read(reader, connection, most_bytes)
    finally:
        writer.transport.abort()  # an orderly end would wait for the server, beyond the deadline


async def _read(reader: asyncio.StreamReader, connection: h11.Connection, most_bytes: int) -> Reply:
    status, found = 0, bytearray()
    while True:
        event = connection.next_event()
        if event is h11.NEED_DATA:
            connection.receive_data(await reader.read(_BLOCK))
        elif isinstance(event, h11.Response):
            status = event.status_code
        elif isinstance(event, h11.Data):
            found += event.data
            if len(found) >= most_bytes:
                return Reply(status, bytes(found[:most_bytes]))
        elif isinstance(event, h11.EndOfMessage):
            return Reply(status, bytes(found))
        elif isinstance(event, h11.ConnectionClosed):
            raise RequestError("it closed the connection")
