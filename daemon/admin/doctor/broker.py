"""`oche doctor` on the running daemon and its broker: secrets, name, port, certificate, login.

A daemon that runs is asked by its page what the broker denies. What may be published at the broker: topics.py.
"""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
import time
from collections.abc import AsyncIterator
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from ipaddress import ip_address
from pathlib import Path
from shlex import quote

import msgspec
from msgspec.structs import replace

from daemon.admin.doctor.checks import AS_ROOT, Check, Name, command
from daemon.admin.doctor.topics import DoctorClient
from daemon.admin.process import TypedBroker
from daemon.config.credentials import VARIABLE, SecretError, find_password, make_tls_context, read_password
from daemon.config.reader import CheckedConfig
from daemon.config.sections import BrokerAddress, Config, Mqtt, Web
from daemon.errors import PortTaken, UserError
from daemon.mqtt.attempts import Attempts
from daemon.mqtt.client import Login, UnsupportedVersion, Version
from daemon.mqtt.errors import BrokerError, ErrorKind, classify_socket_error, explain
from daemon.mqtt.local_broker import check_local_broker
from daemon.mqtt.packet_limit import LONGEST
from daemon.mqtt.probe import diagnose_packet_limit, refine_error, refuses_anonymous
from daemon.plugins.rule_guard import RuleGuard
from daemon.service.lock import is_daemon_running, prevent_start
from engine.games import ROUTINES
from protocol.sentence import say, split_advice

_PATIENCE_S = 5.0
_ANSWER_BYTES = 8192
_EXPIRES_SOON_DAYS = 14
_WITH_CREDENTIAL = (
    "sudo systemd-run --pipe --collect -p LoadCredential=mqtt-password:/etc/oche/mqtt-password oche doctor"
)
"""The command of systemd/mosquitto/README.md."""


async def check_running(checked: CheckedConfig, *, is_configured: bool = True) -> AsyncIterator[Check]:
    """Yields the checks of the daemon, and of its broker where one is configured, each as soon as it is done."""
    config = checked.config
    folder = Path(config.bridge.state_dir)
    is_running = is_daemon_running(folder)
    said = await _ask_page(config.web) if is_running is not False else None
    yield _check_daemon(folder, is_running, said)
    if not is_configured:
        text = say(
            "doctor.no_broker",
            "none is configured: oche run uses a broker on this machine; without one you play on the page only",
        )
        yield Check("broker", "ok", text)
        return
    async for check in check_broker(checked, is_running=is_running if said is None else True):
        yield check


def _check_daemon(folder: Path, is_running: bool | None, said: str | None) -> Check:
    """`said` is what its page says of the broker; None when the page does not answer."""
    if said:
        what, _, remedy = said.partition(": ")
        return Check("daemon", "problem", say("doctor.says", "it reports: {what}", what=what), remedy)
    if said == "":
        text = say("doctor.daemon_ok", "it is running, and its connection to the broker is fine")
        return Check("daemon", "ok", text)
    if is_running is None:
        text = say(
            "doctor.daemon_unseen",
            "cannot look into {path}, so the doctor does not know whether it runs",
            path=str(folder),
        )
        return Check("daemon", "warning", text, AS_ROOT)
    if is_running:
        text = say(
            "doctor.daemon_runs", "it is running; see its log for whether the broker accepts everything it publishes"
        )
        return Check("daemon", "ok", text)
    return Check("daemon", "ok", say("doctor.no_daemon", "it is not running"))


class _BrokerStatus(msgspec.Struct):
    """The answer of /api/broker: a sentence, "" when all is well."""

    text: str


async def _ask_page(web: Web) -> str | None:
    """What the daemon says of the broker; None when it has no page, or another program has its port."""
    if not (web.on and web.port):
        return None
    try:
        text = msgspec.json.decode(await asyncio.to_thread(_get, web, "/api/broker"), type=_BrokerStatus).text
    except (OSError, HTTPException, msgspec.DecodeError, RecursionError):
        return None
    return text if text.isprintable() else None


def _get(web: Web, path: str) -> bytes:
    """What the page answers, as far as it is a sentence. Raises OSError and HTTPException."""
    with closing(HTTPConnection(web.host, web.port, timeout=_PATIENCE_S)) as page:
        page.request("GET", path)
        return page.getresponse().read(_ANSWER_BYTES)


async def check_broker(checked: CheckedConfig, *, is_running: bool | None) -> AsyncIterator[Check]:
    """Yields the checks on the way to every broker; then, at the first that is reached, what it lets us do.

    `is_running`: a daemon runs, which may be logged in already; None: that is not known.
    """
    mqtt = checked.config.mqtt
    if not mqtt.on:
        yield Check("broker", "ok", say("doctor.broker_off", "it is switched off (mqtt.on)"))
        return
    own = _check_local(mqtt.port, is_running=is_running) if mqtt.host is None else None
    if own is not None:
        yield own
        return
    may_log_in = True
    if mqtt.username is not None:
        check, may_log_in = _check_password(mqtt, mqtt.username, is_running=is_running is not False)
        yield check
    if mqtt.tls and mqtt.cert_file:
        yield _check_secret("private key", Path(mqtt.key_file or mqtt.cert_file))
    good = None
    for where in mqtt.brokers():
        checks = [check async for check in _check_connection(where, checked)]
        for check in checks:
            yield check
        if good is None and all(check.verdict != "problem" for check in checks):
            good = where
    if good is not None and may_log_in:
        async for check in _check_login(checked, good, Attempts(mqtt).version):
            yield check


async def check_typed_broker(typed: TypedBroker) -> AsyncIterator[Check]:
    """Yields what `check_broker` finds at the broker that was typed, also while it is to be off.

    For a process that does nothing else: the typed password goes into its environment.
    """
    mqtt, running = replace(typed.config.mqtt, on=True), typed.running
    if typed.password:
        os.environ[VARIABLE] = typed.password
        mqtt = replace(mqtt, password_file=None)
    config = replace(typed.config, mqtt=mqtt)
    has_started_it = mqtt.host is None and running.on and (running.host, running.port) == (None, mqtt.port)
    async for check in check_broker(CheckedConfig(config, (), ROUTINES, RuleGuard()), is_running=has_started_it):
        is_typed = check.name == "password" and check.verdict != "problem"
        if not is_typed and check.name not in ("table", "service"):  # these are not about the broker
            yield check


def _check_local(port: int, *, is_running: bool | None) -> Check | None:
    """The check of the broker that the daemon starts; None when it may be running, and be examined like any other."""
    if is_running:
        return None
    try:
        check_local_broker(port)
    except UserError as error:
        if is_running is None and isinstance(error, PortTaken):
            return None
        return Check.from_sentence("broker", "problem", error.said)
    text = say(
        "doctor.own_broker",
        "none is configured, so the daemon starts its own for this machine only ({where})",
        where=f"127.0.0.1:{port}",
    )
    return Check("broker", "ok", text)


def _check_password(mqtt: Mqtt, username: str, *, is_running: bool) -> tuple[Check, bool]:
    """The check of the password, and whether we can log in. A running daemon may have a password that we have not."""
    try:
        found, place = read_password(mqtt), find_password(mqtt)
    except SecretError as error:
        what, remedy = split_advice(error.said)
        if error.is_denied:
            remedy = say(
                "doctor.as_daemon",
                "run oche doctor as root (sudo), or as the daemon's user, who must be able to read it",
            )
        return Check("password", "warning" if is_running else "problem", what, remedy), False
    if found is None:
        text = say("doctor.no_password", "this shell does not know the password of {name}", name=username)
        remedy = say(
            "doctor.with_credential",
            "name a password_file, or run oche doctor with the service's password: {given}",
            given=_WITH_CREDENTIAL,
        )
        return Check("password", "warning", text, remedy), not is_running
    if place is not None:
        return _check_secret("password", place), True
    return Check("password", "ok", say("doctor.variable", "from the environment ({given})", given=VARIABLE)), True


def _check_secret(name: Name, file: Path) -> Check:
    if file.stat().st_mode & 0o004:
        text = say("doctor.open_secret", "every user of this machine can read {path}", path=str(file))
        return Check(name, "warning", text, command(f"sudo chmod o= {quote(str(file))}"))
    return Check(name, "ok", say("doctor.in_file", "in {path}", path=str(file)))


async def _check_connection(where: BrokerAddress, checked: CheckedConfig) -> AsyncIterator[Check]:
    mqtt = checked.config.mqtt
    step: Name = "name"
    try:
        if not _is_address(where.host):
            async with asyncio.timeout(_PATIENCE_S):
                found = await asyncio.get_running_loop().getaddrinfo(*where, type=socket.SOCK_STREAM)
            text = say("doctor.host", "{name} is {given}", name=where.host, given=str(found[0][4][0]))
            yield Check("name", "ok", text)
        step = "port"
        async with asyncio.timeout(_PATIENCE_S):
            _, writer = await asyncio.open_connection(*where)
        writer.transport.abort()
        yield Check("port", "ok", say("doctor.listens", "a server answers at {where}", where=str(where)))
        if mqtt.tls:
            step = "certificate"
            async with asyncio.timeout(_PATIENCE_S):
                _, writer = await asyncio.open_connection(*where, ssl=make_tls_context(mqtt))
            tls: ssl.SSLObject = writer.get_extra_info("ssl_object")
            writer.transport.abort()
            yield _check_certificate(tls)
    except (OSError, UnicodeError) as error:
        trouble = classify_socket_error(error)
        if step == "certificate" and trouble.kind == ErrorKind.NO_ANSWER:
            trouble.kind = ErrorKind.NO_TLS
        yield Check(step, "problem", *explain(trouble, where, mqtt, f"oche-{checked.config.bridge.name}"))


def _check_certificate(tls: ssl.SSLObject) -> Check:
    found = tls.getpeercert() or {}
    days = int((ssl.cert_time_to_seconds(str(found["notAfter"])) - time.time()) // 86400)
    if days < _EXPIRES_SOON_DAYS:
        text = say("doctor.expires", "the broker's certificate expires soon (days left: {days})", days=days)
        return Check("certificate", "warning", text, say("doctor.renew", "renew it in time"))
    text = say(
        "doctor.certificate_ok",
        "the broker's certificate is valid for another {days} days, over {given}",
        days=days,
        given=str(tls.version()),
    )
    return Check("certificate", "ok", text)


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


async def _check_login(checked: CheckedConfig, where: BrokerAddress, version: Version) -> AsyncIterator[Check]:
    """Yields the checks of a client that logs in at this broker. Raises UserError when the password cannot be read."""
    config = checked.config
    client_id = f"oche-{config.bridge.name}_doctor"  # no bridge can have a name with _
    login = Login(client_id, config.mqtt.username, read_password(config.mqtt))
    with prevent_start(Path(config.bridge.state_dir)) as is_running:
        for attempt in dict.fromkeys((version, "3.1.1")):
            client = DoctorClient(config, where, login, attempt)
            try:
                async with client.connection:
                    yield _report_login(where, config.mqtt.username, attempt)
                    yield await _check_anonymous(config, where, client_id, attempt)
                    longest = client.connection.longest
                    if longest is not None and longest < LONGEST:
                        yield Check("topics", "warning", *diagnose_packet_limit(longest, LONGEST))
                    async for check in client.checks(is_alone=is_running is False):
                        yield check
            except UnsupportedVersion as trouble:
                if attempt == "3.1.1":
                    yield await _explain_refusal(trouble, config, where, login)
            except BrokerError as trouble:
                if client.connection.unanswered:
                    yield client.report_hang_up()
                    return
                yield await _explain_refusal(trouble, config, where, login)
                return
            else:
                return


def _report_login(where: BrokerAddress, username: str | None, version: Version) -> Check:
    if username:
        said = "doctor.login", "{where} accepted the login as {name}, MQTT {version}"
        return Check("login", "ok", say(*said, where=str(where), name=username, version=version))
    said = "doctor.login_without", "{where} accepted a login without a user name, MQTT {version}"
    return Check("login", "ok", say(*said, where=str(where), version=version))


async def _explain_refusal(trouble: BrokerError, config: Config, where: BrokerAddress, login: Login) -> Check:
    if trouble.kind == ErrorKind.LOGIN and login.username is not None and login.password is None:
        said = "doctor.refused", "the broker {where} refused {name} without a password"
        text = say(*said, where=str(where), name=login.username)
        return Check("login", "problem", text, say("doctor.see_password", "see password"))
    found = await refine_error(trouble, where, config.mqtt)
    return Check("login", "problem", *explain(found, where, config.mqtt, login.client_id))


async def _check_anonymous(config: Config, where: BrokerAddress, client_id: str, version: Version) -> Check:
    if config.mqtt.username is None:
        text = say("doctor.open_broker", "anyone who can reach the broker can read and command everything")
        remedy = say(
            "doctor.make_logins",
            "give its clients logins, also oche (examples: systemd/mosquitto); until then oche publishes no hands",
        )
        return Check("anonymous", "warning", text, remedy)
    match await refuses_anonymous(where, config.mqtt, client_id, version):
        case True:
            text = say("doctor.private", "no client gets in without a login, so oche may publish players' hands")
            return Check("anonymous", "ok", text)
        case False:
            text = say("doctor.anonymous", "the broker lets in clients without a login")
            remedy = say(
                "doctor.forbid", "forbid that (mosquitto: allow_anonymous false); until then oche publishes no hands"
            )
            return Check("anonymous", "warning", text, remedy)
    text = say("doctor.anonymous_unknown", "could not find out whether clients get in without a login")
    return Check("anonymous", "warning", text, say("doctor.no_hand", "oche publishes no hands"))
