"""Asks the daemons of a league to offer again what it has taken: after it has lost some of that."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import uuid4

import msgspec

from daemon.collect.bridges import Bridge
from daemon.collect.config import LeagueConfig
from daemon.config.credentials import read_password
from daemon.errors import UserError
from daemon.mqtt.attempts import Attempts
from daemon.mqtt.client import Connection, Login
from daemon.mqtt.errors import BrokerError, explain
from daemon.mqtt.message import OutgoingMessage
from protocol.league_messages import LeagueTaken
from protocol.topics import TOPICS, topic

_KIND = "league_taken"


async def ask_again(config: LeagueConfig, bridges: Iterable[Bridge]) -> None:
    """Asks these daemons. Raises UserError where no broker takes it."""
    attempts = Attempts(config.mqtt)
    client_id = f"oche-collect-{uuid4().hex[:12]}"
    login = Login(client_id, config.mqtt.username, read_password(config.mqtt))
    payload = msgspec.json.encode(LeagueTaken("", "", by="league", again=True))
    wheres = [topic(_KIND, each.base, bridge=each.name) for each in bridges]
    said = ""
    for _ in range(2 * len(config.mqtt.brokers())):  # each in both versions of MQTT
        broker = attempts.broker
        try:
            async with Connection(broker, config.mqtt, login, attempts.version) as link:
                for where in wheres:
                    await link.publish(OutgoingMessage(where, payload, retain=False, qos=TOPICS[_KIND].qos))
                return
        except BrokerError as error:
            said = str(explain(error, broker, config.mqtt, client_id))
            if not attempts.fall_back(error, was_established=False):
                attempts.advance(error, 0.0)
    raise UserError(said)
