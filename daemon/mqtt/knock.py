"""Knocks at a broker's door: what is behind a port where nobody answers as a broker does, and are strangers let in?"""

from __future__ import annotations

import asyncio
import logging
import ssl

from msgspec.structs import replace

from daemon.mqtt.address import BrokerAddress
from daemon.mqtt.client import Connection, Login, Version
from daemon.mqtt.credentials import tls_context
from daemon.mqtt.words import Trouble, of_socket
from daemon.sections import Mqtt

log = logging.getLogger("oche.mqtt")

_PATIENCE_S = 5.0
_ALERT_S = 1.0
"""In TLS 1.3 a broker looks at our certificate after we are through, so what it thinks of it comes a little later."""


async def look_closer(trouble: Trouble, where: BrokerAddress, mqtt: Mqtt) -> Trouble:
    """The reason why this broker hung up or was silent, as far as TLS can be the reason; else what it was before."""
    if trouble.kind not in ("hung_up", "silent"):
        return trouble
    if not mqtt.tls:
        return Trouble("tls") if await _speaks_tls(where) else trouble
    try:
        async with asyncio.timeout(_PATIENCE_S):
            reader, writer = await asyncio.open_connection(*where, ssl=tls_context(mqtt))
    except ConnectionError:
        return Trouble("no_tls")  # what speaks no TLS takes our greeting for garbage
    except OSError as error:  # time-outs too
        return of_socket(error)
    try:
        async with asyncio.timeout(_ALERT_S):
            await reader.read(1)
    except TimeoutError:
        return trouble
    except ssl.SSLError as error:
        return of_socket(error)
    except ConnectionError:
        pass
    finally:
        writer.transport.abort()
    return trouble


async def _speaks_tls(where: BrokerAddress) -> bool:
    """Whether it shows a certificate, which need not be one that we trust: nothing is said to it."""
    try:
        async with asyncio.timeout(_PATIENCE_S):
            _, writer = await asyncio.open_connection(*where, ssl=ssl.create_default_context())
    except ssl.SSLCertVerificationError:
        return True
    except OSError as error:
        return of_socket(error).kind == "own_certificate"
    writer.transport.abort()
    return True


async def refuses_strangers(where: BrokerAddress, mqtt: Mqtt, client_id: str, version: Version) -> bool | None:
    """Knocks without a login, and without our certificate. None: nobody knows, for there was no answer."""
    bare = replace(mqtt, cert_file=None, key_file=None)
    stranger = Connection(where, bare, Login(f"{client_id}_stranger"), version, timeout_s=_PATIENCE_S)
    try:
        async with stranger:
            return False
    except Trouble as trouble:
        found = await look_closer(trouble, where, bare)
        return True if found.kind in ("login", "own_certificate") else None


async def keeps_strangers_out(where: BrokerAddress, mqtt: Mqtt, client_id: str, version: Version) -> bool:
    """Was it seen? A broker that lets strangers in must not have anybody's hand."""
    if mqtt.username is None:
        return False
    refuses = await refuses_strangers(where, mqtt, client_id, version)
    if refuses is False:
        log.warning("the broker lets strangers in, so no hand is published: players see theirs on the page only")
    return refuses is True
