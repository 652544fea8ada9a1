"""The link to the broker: publishes what the shadow holds, listens for commands, and comes back by itself.

`online` is said last after a connect, so whoever sees it can trust everything else; a clean stop says `offline` itself,
because a clean disconnect suppresses the last will.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from types import MappingProxyType

from daemon.errors import UserError
from daemon.mqtt.address import BrokerAddress
from daemon.mqtt.attempts import Attempts
from daemon.mqtt.client import Connection, Login
from daemon.mqtt.echo import Echo, echo_topics, ways_in
from daemon.mqtt.inbox import Inbox, Letter
from daemon.mqtt.knock import keeps_strangers_out, look_closer
from daemon.mqtt.leftovers import Leftovers
from daemon.mqtt.memory import Memory, Said
from daemon.mqtt.shadow import Message, Shadow
from daemon.mqtt.standing import Standing
from daemon.mqtt.words import Trouble, explain
from daemon.sections import Mqtt
from daemon.supervisor import ended
from daemon.table import Table
from daemon.updates import Update
from protocol.topics import topic

_AGAIN_S = 60.0
"""How often what the broker denies is tried again."""
_SLOW_S = 3.0
"""A cluster without a leader takes this long, and then acknowledges what it did not keep (NATS: 4 s)."""


class MqttLink:
    """One connection for all tables. An Outlet; run it as a task. `unusable` are further tables, with the reason."""

    def __init__(
        self,
        config: Mqtt,
        bridge: str,
        tables: Mapping[str, Table],
        password: Callable[[], str | None],
        memory: Memory,
        unusable: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.reconnects = 0
        self.shadow = Shadow(config.base)
        """What is said: whoever says something says it here."""
        self.shadow.say("bridge_state", "online", bridge=bridge)
        self._config = config
        self._bridge = bridge
        self._client_id = f"oche-{bridge}"
        self._tables = tables
        self._password = password
        self._attempts = Attempts(config)
        self._listeners: dict[str, Callable[[bytes], None]] = {}
        self._is_private = False
        """The broker was seen to refuse somebody without a login, so a hand may be published."""
        self._has_stood = False
        """All was said on the connection that is there, or has just ended."""
        self._was_slow = False
        """What we have just said may not have been kept."""
        self._echo = Echo(())
        self._inbox = Inbox(tables, unusable, config.base, config.discovery_prefix, self.shadow.reply)
        self._names = (*tables, *unusable)
        self.standing = Standing(config, bridge, self._names)
        self._leftovers = Leftovers(memory, Said(config.base, bridge, self._names), self.shadow)

    @property
    def status(self) -> str:
        """One sentence on the broker, for people."""
        return self.standing.sentence

    @property
    def where(self) -> BrokerAddress:
        """The broker it is connected to, or tries next."""
        return self._attempts.where

    def publish(self, update: Update) -> None:
        """Takes news; they are sent as soon as the broker can be reached."""
        self.shadow.tell(update)
        if update.state is not None:
            self._tell_seats(self._tables[update.table])

    def _tell_seats(self, table: Table) -> None:
        """Each hand to its own topic while the match goes on, where strangers are kept out."""
        shown = self._is_private and table.state().phase != "over"
        self.shadow.tell_seats(table.name, table.hands if shown else [])

    def listen(self, kind: str, listener: Callable[[bytes], None], **names: str) -> None:
        """Hands on what comes in on this topic, retained or not; to be said before the link runs."""
        self._listeners[topic(kind, self._config.base, **names)] = listener

    async def run(self) -> None:
        """Stays connected until cancelled."""
        while True:
            since = time.monotonic()
            self._has_stood = False
            error = (await ended(self._until_it_fails(), "a connection to the broker")).result()
            if self._attempts.falls_back(error, has_stood=self._has_stood):
                continue
            stood_s = time.monotonic() - since if self._has_stood else 0.0
            self.reconnects += self._has_stood
            if isinstance(error, Trouble):
                error = await look_closer(error, self._attempts.where, self._config)
                self.standing.say(str(explain(error, self._attempts.where, self._config, self._client_id)))
            else:
                self.standing.say(str(error))
            await asyncio.sleep(self._attempts.wait_s(error, stood_s))

    async def _until_it_fails(self) -> Trouble | UserError:
        """One connection; gives what ended it."""
        found: list[Trouble | UserError] = []
        try:
            await self._connect()
        except* (Trouble, UserError) as group:
            found += _leaves(group)
        return found[0]

    async def _connect(self) -> None:
        """One connection, to its end; raises (groups of) Trouble and UserError."""
        availability = topic("bridge_state", self._config.base, bridge=self._bridge)
        offline = Message(availability, b"offline", retain=True, qos=1)
        login = Login(self._client_id, self._config.username, self._password())
        link = Connection(
            self._attempts.where, self._config, login, self._attempts.version, take=self._take, will=offline
        )
        async with link:
            try:
                async with asyncio.TaskGroup() as both:  # who listens is the first to learn of a lost connection
                    both.create_task(link.until_it_ends())
                    both.create_task(self._talk(link))
            except asyncio.CancelledError:
                for last in (partial(self._send, link), partial(link.publish, offline)):
                    with suppress(Trouble, TimeoutError):
                        async with asyncio.timeout(2):  # each: a backlog must not take the farewell's time
                            await last()
                raise

    async def _talk(self, link: Connection) -> None:
        """All there is to say, and then all news."""
        where, version = self._attempts.where, self._attempts.version
        self._is_private = await keeps_strangers_out(where, self._config, self._client_id, version)
        for table in self._tables.values():
            self._tell_seats(table)
        self.standing.restart()
        self.shadow.restart()  # before anything can come in: the answer to it is news
        hands = self._leftovers.restart()
        self._was_slow = False
        self._echo = Echo(echo_topics(self._config.base, self._bridge, self._tables, private=self._is_private))
        ways = ways_in(self._config.base, self._bridge, self._names, private=self._is_private)
        for wanted in (*ways, *self._leftovers.watched):
            await link.subscribe(wanted, is_live=True)
        for wanted in self._listeners:
            await link.subscribe(wanted)
        for wanted in hands:
            await link.subscribe(wanted, qos=0)
        await self._call(link)
        await self._send(link)
        self._leftovers.forget()
        self._has_stood = True
        self.standing.connected()
        async with asyncio.TaskGroup() as both:
            both.create_task(self._listen_for_echoes(link))
            both.create_task(self._tell_news(link))

    async def _tell_news(self, link: Connection) -> None:
        while True:
            await self.shadow.news.wait()
            await self._send(link)
            self.standing.connected()

    async def _listen_for_echoes(self, link: Connection) -> None:
        """While something is denied, all is tried again now and then: an ACL can be mended at any time."""
        while True:
            self.standing.judge(self._echo.topics, await self._echo.missing())
            self.standing.connected()
            await asyncio.sleep(_AGAIN_S)
            if not self.standing.is_free:
                self.shadow.repeat()
                await self._call(link)

    async def _call(self, link: Connection) -> None:
        for message in self._echo.messages():
            await link.publish(message)

    async def _send(self, link: Connection) -> None:
        self.shadow.news.clear()
        for message in self.shadow.take():
            await self._publish(link, message)

    async def _publish(self, link: Connection, message: Message) -> None:
        since = time.monotonic()
        self.standing.note(message, is_taken=await link.publish(message))
        if message.qos:  # else nobody answers
            was_slow, self._was_slow = self._was_slow, time.monotonic() - since > _SLOW_S
            if was_slow and not self._was_slow:
                self.shadow.repeat()

    def _take(self, letter: Letter) -> None:
        if letter.topic in self._listeners:
            self._listeners[letter.topic](letter.body)
        elif letter.topic in self._leftovers.watched and not letter.body:
            self.shadow.repeat()
        elif not self._echo.heard(letter):
            self._inbox.take(letter)
            if letter.retained:
                self._leftovers.take(letter.topic, letter.body)


def _leaves(error: BaseException) -> list[Trouble | UserError]:
    """The single errors in a group of groups."""
    if isinstance(error, BaseExceptionGroup):
        return [leaf for inner in error.exceptions for leaf in _leaves(inner)]
    return [error] if isinstance(error, Trouble | UserError) else []
