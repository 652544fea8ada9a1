"""`oche doctor` at the broker: are we let in, and are strangers kept out? Then it looks around (visit.py)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

from daemon.config import Setup
from daemon.doctor.checks import Check, problem
from daemon.doctor.visit import Visit
from daemon.lock import guarded
from daemon.mqtt.address import BrokerAddress
from daemon.mqtt.client import Login, OldBroker, Version
from daemon.mqtt.credentials import password
from daemon.mqtt.knock import look_closer, refuses_strangers
from daemon.mqtt.words import Complaint, Trouble, explain
from daemon.sections import Config


async def check_rights(setup: Setup, where: BrokerAddress, version: Version) -> AsyncIterator[Check]:
    """The checks behind the door of this broker. Raises UserError when the password cannot be read."""
    config = setup.config
    client_id = f"oche-{config.bridge.name}_doctor"  # no bridge can have a name with _
    login = Login(client_id, config.mqtt.username, password(config.mqtt))
    with guarded(Path(config.bridge.state_dir)) as is_running:
        for attempt in dict.fromkeys((version, "3.1.1")):
            visit = Visit(config, where, login, attempt)
            try:
                async with visit.connection:
                    who = config.mqtt.username or "anybody"
                    yield Check("login", "ok", f"{where} let us in as {who}, MQTT {attempt}")
                    yield await _strangers(config, where, client_id, attempt)
                    async for check in visit.checks(is_alone=is_running is False):
                        yield check
            except OldBroker as trouble:
                if attempt == "3.1.1":
                    yield await _refused(trouble, config, where, login)
            except Trouble as trouble:
                yield await _refused(trouble, config, where, login)
                return
            else:
                return


async def _refused(trouble: Trouble, config: Config, where: BrokerAddress, login: Login) -> Check:
    if trouble.kind == "login" and login.username is not None and login.password is None:
        what = f"the broker {where} refused {login.username} without a password"
        return problem("login", Complaint(what, "see password"))
    found = await look_closer(trouble, where, config.mqtt)
    return problem("login", explain(found, where, config.mqtt, login.client_id))


async def _strangers(config: Config, where: BrokerAddress, client_id: str, version: Version) -> Check:
    if config.mqtt.username is None:
        remedy = "give it logins, and us one; until then hands stay off it (examples: systemd/mosquitto)"
        return Check("strangers", "warning", "whoever reaches the broker can read and command everything", remedy)
    match await refuses_strangers(where, config.mqtt, client_id, version):
        case True:
            return Check("strangers", "ok", "nobody gets in without a login, so players' hands may be published")
        case False:
            remedy = "forbid it (mosquitto: allow_anonymous false); until then hands stay off it"
            return Check("strangers", "warning", "the broker lets in whoever has no login", remedy)
    return Check("strangers", "warning", "whether strangers get in could not be seen", "hands stay off the broker")
