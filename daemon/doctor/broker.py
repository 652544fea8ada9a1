"""`oche doctor` on the way to the broker: from its name to whether a command would arrive.

The doctor has a client id of its own, so a daemon that runs stays connected. While one runs nothing is published where
a display would see it, and what the broker denies is asked of the daemon, which knows.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import time
from collections.abc import AsyncIterator
from ipaddress import ip_address
from pathlib import Path

from daemon.config import Setup
from daemon.doctor.checkup import Check, problem
from daemon.doctor.rights import check_rights
from daemon.lock import is_locked
from daemon.mqtt.address import BrokerAddress
from daemon.mqtt.attempts import Attempts
from daemon.mqtt.credentials import tls_context
from daemon.mqtt.words import explain, of_socket

_PATIENCE_S = 5.0
_SOON_DAYS = 14


async def check_broker(setup: Setup) -> AsyncIterator[Check]:
    """Each broker's name, port and certificate; then, with the first that has all of them, what it lets us do."""
    config = setup.config
    is_running = is_locked(Path(config.bridge.state_dir))
    if config.mqtt.host is None and not is_running:
        yield _own_broker(config.mqtt.port)
        return
    attempts = Attempts(config.mqtt)
    good = None
    for where in config.mqtt.brokers():
        checks = [check async for check in _door(where, setup)]
        for check in checks:
            yield check
        if good is None and all(check.verdict != "problem" for check in checks):
            good = where
    if good is not None:
        async for check in check_rights(setup, good, attempts.version, is_running=is_running):
            yield check


def _own_broker(port: int) -> Check:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            remedy = 'to use that one set mqtt.host = "127.0.0.1", else set another mqtt.port'
            return Check("broker", "problem", f"port {port} is in use, perhaps by another broker", remedy)
    text = f"none is configured, so the daemon brings a small one, for this machine only (127.0.0.1:{port})"
    return Check("broker", "ok", text)


async def _door(where: BrokerAddress, setup: Setup) -> AsyncIterator[Check]:
    """Name, port and certificate, up to the first that is wrong."""
    mqtt = setup.config.mqtt
    client_id = f"oche-{setup.config.bridge.name}"
    step = "name"
    try:
        async with asyncio.timeout(_PATIENCE_S):
            if not _is_address(where.host):
                found = await asyncio.get_running_loop().getaddrinfo(*where, type=socket.SOCK_STREAM)
                yield Check("name", "ok", f"{where.host} is {found[0][4][0]}")
        step = "port"
        async with asyncio.timeout(_PATIENCE_S):
            _, writer = await asyncio.open_connection(*where)
            writer.transport.abort()
        yield Check("port", "ok", f"something listens at {where}")
        if mqtt.tls:
            step = "certificate"
            async with asyncio.timeout(_PATIENCE_S):
                _, writer = await asyncio.open_connection(*where, ssl=tls_context(mqtt))
            tls: ssl.SSLObject = writer.get_extra_info("ssl_object")
            writer.transport.abort()
            yield _certificate(tls)
    except (OSError, UnicodeError) as error:
        trouble = of_socket(error)
        if step == "certificate" and trouble.kind == "hung_up":
            trouble.kind = "no_tls"
        yield problem(step, explain(trouble, where, mqtt, client_id))


def _certificate(tls: ssl.SSLObject) -> Check:
    found = tls.getpeercert() or {}
    days = int((ssl.cert_time_to_seconds(str(found["notAfter"])) - time.time()) // 86400)
    if days < _SOON_DAYS:
        return Check("certificate", "warning", f"the broker's certificate expires in {days} days", "renew it in time")
    return Check("certificate", "ok", f"the broker's certificate is good for {days} days more, over {tls.version()}")


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
