"""`oche doctor` on the way to the broker: our secrets, the broker's name, its port, its certificate."""

from __future__ import annotations

import asyncio
import socket
import ssl
import time
from collections.abc import AsyncIterator
from ipaddress import ip_address
from pathlib import Path

from daemon.config import Setup
from daemon.doctor.checks import Check, Name, problem
from daemon.doctor.rights import check_rights
from daemon.errors import PortTaken, UserError
from daemon.mqtt import embedded
from daemon.mqtt.address import BrokerAddress
from daemon.mqtt.attempts import Attempts
from daemon.mqtt.credentials import VARIABLE, password, password_place, tls_context
from daemon.mqtt.words import Complaint, explain, of_socket
from daemon.sections import Mqtt

_PATIENCE_S = 5.0
_SOON_DAYS = 14
_AS_THE_SERVICE = (
    "sudo systemd-run --pipe --collect -p LoadCredential=mqtt-password:/etc/oche/mqtt-password oche doctor"
)
"""As systemd/mosquitto/README.md has it."""


async def check_broker(setup: Setup, *, is_running: bool | None) -> AsyncIterator[Check]:
    """All of the way; then, with the first broker that can be reached, what it lets us do.

    `is_running`: there is a daemon, which has gone this way; None: nobody knows.
    """
    mqtt = setup.config.mqtt
    own = _own_broker(mqtt.port, is_running=is_running) if mqtt.host is None else None
    if own is not None:
        yield own
        return
    may_log_in = True
    if mqtt.username is not None:
        check, may_log_in = _password(mqtt, mqtt.username, is_running=is_running is not False)
        yield check
    if mqtt.tls and mqtt.cert_file:
        yield _secret("private key", Path(mqtt.key_file or mqtt.cert_file))
    good = None
    for where in mqtt.brokers():
        checks = [check async for check in _door(where, setup)]
        for check in checks:
            yield check
        if good is None and all(check.verdict != "problem" for check in checks):
            good = where
    if good is not None and may_log_in:
        async for check in check_rights(setup, good, Attempts(mqtt).version):
            yield check


def _own_broker(port: int, *, is_running: bool | None) -> Check | None:
    """None: it listens, or that may be what listens at its port; it can be examined like any other."""
    if is_running:
        return None
    try:
        embedded.check(port)
    except UserError as error:
        if is_running is None and isinstance(error, PortTaken):
            return None
        what, _, remedy = str(error).partition(": ")
        return problem("broker", Complaint(what, remedy))
    text = f"none is configured, so the daemon brings a small one, for this machine only (127.0.0.1:{port})"
    return Check("broker", "ok", text)


def _password(mqtt: Mqtt, username: str, *, is_running: bool) -> tuple[Check, bool]:
    """And can we log in? A daemon that runs may well have what we have not, and tells itself what it lacks."""
    try:
        found, place = password(mqtt), password_place(mqtt)
    except UserError as error:
        remedy = "run oche doctor as root (sudo), or as the daemon's user, who must be able to read it"
        return Check("password", "warning" if is_running else "problem", str(error), remedy), False
    if found is None:
        remedy = f"name a password_file, or run oche doctor with the service's: {_AS_THE_SERVICE}"
        return Check("password", "warning", f"{username}'s is not known to this shell", remedy), not is_running
    if place is not None:
        return _secret("password", place), True
    return Check("password", "ok", f"from the environment ({VARIABLE})"), True


def _secret(name: Name, file: Path) -> Check:
    if file.stat().st_mode & 0o004:
        return Check(name, "warning", f"everybody on this machine can read {file}", f"chmod o= {file}")
    return Check(name, "ok", f"in {file}")


async def _door(where: BrokerAddress, setup: Setup) -> AsyncIterator[Check]:
    """Name, port and certificate, up to the first that is wrong."""
    mqtt = setup.config.mqtt
    step: Name = "name"
    try:
        if not _is_address(where.host):
            async with asyncio.timeout(_PATIENCE_S):
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
        yield problem(step, explain(trouble, where, mqtt, f"oche-{setup.config.bridge.name}"))


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
