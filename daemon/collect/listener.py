"""The connection of a collector to the brokers: what the daemons say to the league comes in, the answers go out.

Nothing is kept here: what gets lost is said again.
"""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import Callable, Iterable, Iterator

import msgspec

from daemon.collect.config import LeagueConfig
from daemon.collect.intake import Answer
from daemon.collect.received import Sender
from daemon.config.credentials import read_password
from daemon.errors import UserError
from daemon.mqtt.attempts import Attempts
from daemon.mqtt.client import Connection, Login, Version
from daemon.mqtt.errors import BrokerError, explain
from daemon.mqtt.message import IncomingMessage, OutgoingMessage
from protocol.topics import TOPICS, TopicError, check_base, check_name, make_filter, parse, topic

log = logging.getLogger("oche.league")

KINDS = ("league_offer", "league_players", "league_forget", "league_results")
_GROUP = "$share/oche-collect"
_MOST_WAITING = 2_000
"""Answers that wait for the broker; further ones are dropped, and what they would answer is offered again."""


def list_filters(bases: Iterable[str], *, is_shared: bool) -> Iterator[str]:
    """Yields what is subscribed to."""
    for base in bases:
        for kind in KINDS:
            wanted = make_filter(kind, base)
            yield f"{_GROUP}/{wanted}" if is_shared else wanted


def find_sender(text: str, bases: Iterable[str]) -> tuple[str, Sender] | None:
    """Returns which kind of message comes on this topic, and from which daemon; None: it is none for a league."""
    levels = text.split("/")
    for base in bases:
        wanted = base.split("/")
        found = levels[: len(wanted)]
        if all(level in ("+", name) for level, name in zip(wanted, found, strict=False)):
            address = parse(text, "/".join(found))
            if address is None or address.kind not in KINDS:
                continue
            try:
                name = check_name(address.names["bridge"], "bridge")
                return address.kind, Sender(check_base("/".join(found)), name)
            except TopicError:
                continue
    return None


class Listener:
    """Stays connected; `take` is called with the kind, the payload and the daemon of each message."""

    def __init__(self, config: LeagueConfig, take: Callable[[str, bytes, Sender], None]) -> None:
        self._config = config
        self._take = take
        self._client_id = f"oche-collect-{uuid.uuid4().hex[:12]}"
        self._link: Connection | None = None
        self._waiting = 0
        """Answers that the broker has not acknowledged."""

    def send(self, answers: Iterable[Answer]) -> None:
        """Publishes these answers, as far as there is a connection that takes them."""
        link = self._link
        if link is None:
            return
        try:
            for each in answers:
                if self._waiting < _MOST_WAITING:
                    link.send(_make_message(each), self._note_done)
                    self._waiting += 1
            link.flush()
        except BrokerError:  # that the connection has ended is said elsewhere
            return

    def _note_done(self, _: bool) -> None:
        self._waiting -= 1

    async def run(self) -> None:
        """Stays connected until cancelled."""
        attempts = Attempts(self._config.mqtt)
        said = ""
        while True:
            since_s = time.monotonic()
            broker = attempts.broker
            error, was_established = await self._connect_once(attempts)
            if attempts.fall_back(error, was_established=was_established):
                continue
            sentence = (
                str(explain(error, broker, self._config.mqtt, self._client_id))
                if isinstance(error, BrokerError)
                else str(error)
            )
            if was_established or sentence != said:
                log.error("%s", sentence)
            said = sentence
            lasted_s = time.monotonic() - since_s if was_established else 0.0
            await asyncio.sleep(attempts.advance(error, lasted_s))

    async def _connect_once(self, attempts: Attempts) -> tuple[BrokerError | UserError, bool]:
        """Keeps one connection to its end; returns what ended it, and whether it was established."""
        broker, version = attempts.broker, attempts.version
        was_established = False
        try:
            login = Login(self._client_id, self._config.mqtt.username, read_password(self._config.mqtt))
            async with Connection(broker, self._config.mqtt, login, version, on_message=self._receive) as link:
                self._link, self._waiting = link, 0
                await self._subscribe(link, version)
                was_established = True
                log.info("listening at %s", broker)
                await link.wait_closed()
        except (BrokerError, UserError) as error:
            return error, was_established
        finally:
            self._link = None
        raise AssertionError("a connection ends by an error")

    async def _subscribe(self, link: Connection, version: Version) -> None:
        is_shared = self._config.collect.share and version == "5"
        for wanted in list_filters(self._config.bases, is_shared=is_shared):
            if not await link.subscribe(wanted, qos=0):
                log.error("the broker lets this login not read %s: allow it in the broker's access list", wanted)

    def _receive(self, message: IncomingMessage) -> None:
        if (found := find_sender(message.topic, self._config.bases)) is not None:
            self._take(found[0], message.payload, found[1])


def _make_message(answer: Answer) -> OutgoingMessage:
    where = topic(answer.kind, answer.sender.base, bridge=answer.sender.name)
    return OutgoingMessage(where, msgspec.json.encode(answer.message), retain=False, qos=TOPICS[answer.kind].qos)
