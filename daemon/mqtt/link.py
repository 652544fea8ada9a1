"""The link to the broker: publishes what the outbox holds, listens for commands, and reconnects by itself.

`online` is published last after a connect, so a display that sees it can trust everything else. A clean stop publishes
`offline` itself, however often it is cancelled meanwhile; a connection that could not do so ends without a DISCONNECT,
so that the broker publishes the last will.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

import msgspec
from msgspec import UNSET

from daemon.config.sections import Mqtt
from daemon.errors import UserError
from daemon.mqtt.attempts import Attempts
from daemon.mqtt.bridge_inbox import BridgeInbox, Take
from daemon.mqtt.broker_status import BrokerStatus
from daemon.mqtt.client import Connection, Login
from daemon.mqtt.errors import BrokerError, ErrorKind, explain
from daemon.mqtt.inbox import Inbox
from daemon.mqtt.message import IncomingMessage, OutgoingMessage
from daemon.mqtt.outbox import Outbox
from daemon.mqtt.packet_limit import estimate_bytes
from daemon.mqtt.probe import (
    EchoTest,
    diagnose_hang_up,
    diagnose_packet_limit,
    hangs_up_on,
    is_private,
    refine_error,
)
from daemon.mqtt.stale import PublishedFile, PublishedNames, StaleTopics
from daemon.mqtt.takeovers import Takeovers, is_takeover
from daemon.part import BrokerTrouble, Part
from daemon.service.supervisor import run_to_end, run_uncancelled
from daemon.table.effects import Update
from daemon.table.table import Table
from protocol.messages import explain_failure
from protocol.sentence import advise
from protocol.topics import KEPT_S, TopicNames, list_command_filters, list_echo_topics, make_filter, parse, topic

log = logging.getLogger("oche.mqtt")

_RETEST_S = 60.0
"""How often what the broker denies is tried again."""
_RETRY_S = 600.0
"""How often a subscription that the broker has hung up on is tried again: some bar clients that come too often."""
_LAST_S = 2.0
_RECORD_EVENTS = frozenset(
    ("match_started", "takeout_started", "turn_changed", "corrected", "undone", "retired", "match_won", "match_stopped")
)
"""A visit is thrown, another one begins, or what was played has changed."""
_MOST_HANG_UPS = 2
"""After so many in a row in place of an answer to a subscription it is left out; one may be an accident."""
_SLOW_S = 3.0
"""A cluster without a leader takes this long, and then acknowledges what it did not keep (NATS: 4 s)."""


class MqttLink(Part):
    """The connection of all tables. A Part. What is in the outbox is published; `trouble` is called when it cannot be.

    `unusable` are further tables, with the reason, and `take` takes what the bridge is asked. `listeners` are called
    with each payload on their topics, retained or not; the topics in `clear_first` are emptied at the first connect.
    `is_spoken`: there is what is said aloud.
    """

    def __init__(
        self,
        config: Mqtt,
        bridge: str,
        tables: Mapping[str, Table],
        password: Callable[[], str | None],
        published: PublishedFile,
        outbox: Outbox,
        trouble: BrokerTrouble,
        unusable: Mapping[str, str] = MappingProxyType({}),
        take: Take | None = None,
        listeners: Mapping[str, Callable[[bytes], None]] = MappingProxyType({}),
        clear_first: Iterable[str] = (),
        *,
        is_spoken: bool = False,
    ) -> None:
        self.reconnects = 0
        self.outbox = outbox
        self.published = published
        self.outbox.put("bridge_state", "online", bridge=bridge)
        self.attempts = Attempts(config)
        self._takeovers = Takeovers()
        self._recorded = set[str]()
        """The tables that have a record at the broker."""
        self._config = config
        self._bridge = bridge
        self._client_id = f"oche-{bridge}"
        self._tables = tables
        self._password = password
        self._listeners = listeners
        self._followed: dict[str, _Followed] = {}
        """What other parts take beside that, by topic filter."""
        self._link: Connection | None = None
        """The connection, from when it subscribes on."""
        self._subscribing: set[asyncio.Task[None]] = set()
        self._hang_ups: Counter[str] = Counter()
        """How many connections in a row have ended without an answer to the subscription to each filter."""
        self._unanswered: frozenset[str] = frozenset()
        """The subscriptions to which the last connection has brought no answer."""
        self._is_private = False
        """The broker was seen to refuse an anonymous client, so hands may be published."""
        self._is_established = False
        """Everything was sent on the present, or the last, connection."""
        self._echo = EchoTest(())
        self._inbox = Inbox(
            tables, unusable, config.base, config.discovery_prefix, self.outbox.put_response, config.response_topics
        )
        self.bridge_inbox = BridgeInbox(bridge, config.base, self._inbox.replies, self.outbox.put_response, take)
        self._names = (*tables, *unusable)
        self.status = BrokerStatus(config, bridge, self._names, trouble)
        names = PublishedNames(config.base, bridge, self._names, is_spoken)
        self._stale = StaleTopics(published, names, outbox, clear_first)
        for table in tables.values():  # the broker may have lost it, or still have what an earlier run could not empty
            if table.committed.public.ref is not UNSET:
                self._put_record(table, table.everything)

    def publish(self, update: Update) -> None:
        """Takes an update; it is sent as soon as the broker can be reached."""
        self.outbox.put_update(update)
        if update.state is not None:
            self._put_hands(self._tables[update.table])
            if update.state.ref is not UNSET or update.table in self._recorded:
                self._put_record(self._tables[update.table], update)

    def _put_hands(self, table: Table) -> None:
        """Publishes each hand on its own topic while the match goes on, if the broker is private."""
        is_shown = self._is_private and table.state().phase != "over"
        self.outbox.put_hands(table.name, table.committed.hands if is_shown else [])

    def _put_record(self, table: Table, update: Update) -> None:
        """Publishes what was played of a match that may move, when a visit is thrown or anything is corrected."""
        if update.events and not any(event.event_type in _RECORD_EVENTS for event in update.events):
            return
        from daemon.table.played_record import make_record  # noqa: PLC0415  only what organises matches needs it

        record = make_record(table.committed, table.guard)
        (self._recorded.discard if record is None else self._recorded.add)(table.name)
        self.outbox.put("record", "" if record is None else record, table=table.name)

    def follow(self, kind: str, take: Callable[[IncomingMessage, TopicNames], None], **names: str) -> None:
        """Calls this with each message of this kind and these names from now on, retained or not.

        It is also called with the names in the topic; where it raises, the message alone is lost.
        """
        wanted = make_filter(kind, self._config.base, **names)
        self._followed[wanted] = _Followed(kind, names, take)
        if self._link is not None:
            task = asyncio.create_task(self._subscribe(self._link, wanted), name=f"the subscription to {wanted}")
            self._subscribing.add(task)
            task.add_done_callback(self._subscribing.discard)

    async def _subscribe(self, link: Connection, wanted: str) -> None:
        with suppress(BrokerError):  # the next connection subscribes to all
            await link.subscribe(wanted)

    def refused(self, table: str) -> int:
        """Returns how many commands of this table were refused."""
        return self._inbox.refusals.counts[table]

    async def close(self) -> None:
        """Ends the requests to the bridge that are being carried out."""
        await self.bridge_inbox.close()

    async def run(self) -> None:
        """Stays connected until cancelled."""
        while True:
            since = time.monotonic()
            self._is_established = False
            error = (await run_to_end(self._connect_once(), "a connection to the broker")).result()
            if self.attempts.fall_back(error, was_established=self._is_established):
                continue
            lasted_s = time.monotonic() - since if self._is_established else 0.0
            self.reconnects += self._is_established
            error = self._takeovers.judge(error, lasted_s)
            self.status.forget_takeover()
            if isinstance(error, BrokerError):
                broker = self.attempts.broker
                error = await refine_error(error, broker, self._config)
                if self._unanswered and error.kind == ErrorKind.LOGIN:  # the code of a broker that denies them
                    error = BrokerError(ErrorKind.LOST)
                found = explain(error, broker, self._config, self._client_id)
                if max((self._hang_ups[each] for each in self._unanswered), default=0) >= _MOST_HANG_UPS:
                    found = diagnose_hang_up(self._unanswered, self._config, self._bridge, self._names)
                (self.status.report_takeover if is_takeover(error) else self.status.report)(str(found))
            else:
                self.status.report(str(error))
            await asyncio.sleep(self.attempts.advance(error, lasted_s))

    async def _connect_once(self) -> BrokerError | UserError:
        """Keeps one connection to its end; returns what ended it."""
        availability = topic("bridge_state", self._config.base, bridge=self._bridge)
        offline = OutgoingMessage(availability, b"offline", retain=True, qos=1)
        broker, version = self.attempts.broker, self.attempts.version
        errors: list[Exception] = []
        self._unanswered = frozenset()
        try:
            login = Login(self._client_id, self._config.username, self._password())
            self.outbox.unread.clear()
            unread = self.outbox.unread
            async with Connection(
                broker, self._config, login, version, on_message=self._receive, unread=unread, will=offline
            ) as link:
                sender = OutboxSender(self.outbox, link, self.status)
                try:
                    async with asyncio.TaskGroup() as tasks:  # the first to learn of a lost connection ends the others
                        tasks.create_task(link.wait_closed())
                        tasks.create_task(self._communicate(link, sender, login, tasks))
                except asyncio.CancelledError:
                    await run_uncancelled(
                        self._publish_offline(link, sender), "the end of the connection to the broker"
                    )
                    raise
                finally:
                    self._link = None
                    self._note_unanswered(link.unanswered)
                    sender.stop()
        except* (BrokerError, UserError) as group:
            errors += group.exceptions
        assert isinstance(errors[0], BrokerError | UserError)
        return errors[0]

    def _note_unanswered(self, wanted: Collection[str]) -> None:
        """Notes which subscriptions had no answer when a connection ended; where all had one, none is left out next."""
        self._unanswered = frozenset(wanted)
        if wanted:
            self._hang_ups.update(self._unanswered)
        else:
            self._hang_ups.clear()

    async def _publish_offline(self, link: Connection, sender: OutboxSender) -> None:
        """Sends what is left, and `offline`, which nothing may follow."""
        for last in (sender.send_all, link.publish_will):
            with suppress(BrokerError, TimeoutError):
                async with asyncio.timeout(_LAST_S):  # each: a backlog must not take the time of `offline`
                    await last()
            sender.stop()

    async def _communicate(
        self, link: Connection, sender: OutboxSender, login: Login, tasks: asyncio.TaskGroup
    ) -> None:
        """Subscribes, sends everything, and starts the tasks that test what is denied."""
        broker, version = self.attempts.broker, self.attempts.version
        self._is_private = await is_private(broker, self._config, self._client_id, version)
        for table in self._tables.values():
            self._put_hands(table)
        self.status.forget()
        self.outbox.begin_connection()  # before anything can come in: the answer to it is news
        self._stale.clear()
        base, bridge = self._config.base, self._bridge
        taken = {"private": self._is_private, "requests": self._config.requests}
        self._echo = EchoTest(list_echo_topics(base, bridge, self._tables, **taken))
        commands = list_command_filters(base, bridge, self._names, **taken)
        for wanted in (*commands, *self._stale.watched):
            await link.subscribe(wanted, is_live=True)
        self._link = link
        left_out = set[str]()
        for wanted in (*self._listeners, *self._followed):
            if self._hang_ups[wanted] >= _MOST_HANG_UPS:
                left_out.add(wanted)
            else:
                await link.subscribe(wanted)
                del self._hang_ups[wanted]
        for wanted in self._stale.hands:
            await link.subscribe(wanted, qos=0)
        await self._send_echoes(link)
        await sender.send_all()
        await self._stale.mark_cleared()
        self.status.denied |= left_out
        self._is_established = True
        self.status.report_connected()
        tasks.create_task(self._test_echoes(link))
        tasks.create_task(self._retry(link, login, left_out))
        if version == "5":
            tasks.create_task(self._renew())

    async def _renew(self) -> None:
        """Says every `online` again before the broker forgets it."""
        while True:
            await asyncio.sleep(KEPT_S / 2)
            self.outbox.renew()

    async def _retry(self, link: Connection, login: Login, left_out: set[str]) -> None:
        """Subscribes to what was left out once the broker takes it from another client: this connection stays."""
        broker, version = self.attempts.broker, self.attempts.version
        while left_out:
            await asyncio.sleep(_RETRY_S)
            for wanted in sorted(left_out):
                if not await hangs_up_on(wanted, broker, self._config, login, version):
                    await link.subscribe(wanted)
                    left_out.remove(wanted)
                    self.status.denied.discard(wanted)
                    self.status.report_connected()

    async def _test_echoes(self, link: Connection) -> None:
        """While something is denied, everything is tried again now and then: an ACL can be mended at any time."""
        since_s = time.monotonic()
        while True:
            if time.monotonic() - since_s > _RETEST_S / 2:
                self.status.forget_takeover()
            missing = await self._echo.find_missing()
            self.status.record_echoes(self._echo.topics, missing)
            self.status.report_connected()
            await asyncio.sleep(_RETEST_S)
            if self.status.denied:
                self.outbox.resend()
                await self._send_echoes(link)

    async def _send_echoes(self, link: Connection) -> None:
        for message in self._echo.messages():
            await link.publish(message)

    def _receive(self, message: IncomingMessage) -> None:
        if self._followed and (address := parse(message.topic, self._config.base)) is not None:
            for each in [*self._followed.values()]:
                if each.kind == address.kind and each.names.items() <= address.names.items():
                    each.take(message, address)
        if message.topic in self._listeners:
            self._listeners[message.topic](message.payload)
        elif message.topic in self._stale.watched and not message.payload:
            self.outbox.resend()
        elif not self._echo.receive(message):
            self._inbox.receive(message)
            if self._config.requests:
                self.bridge_inbox.receive(message)
            if message.retained:
                self._stale.receive(message)


class _Followed(NamedTuple):
    """A kind of topic, the names in it that are wanted, and what takes its messages."""

    kind: str
    names: dict[str, str]
    take: Callable[[IncomingMessage, TopicNames], None]


class OutboxSender:
    """Sends what the outbox holds over one connection, from `send_all` on until `stop`.

    Several messages are on their way at a time, but one of a topic: what a slow broker has not acknowledged yet is
    followed by the newest value alone. A state leaves at once, the rest at the end of this turn of the event loop.
    """

    def __init__(self, outbox: Outbox, link: Connection, status: BrokerStatus) -> None:
        self._outbox = outbox
        self._link = link
        self._status = status
        self._busy: set[str] = set()
        """Topics of messages that are not acknowledged."""
        self._in_flight = 0
        self._was_slow = False
        """The broker may not have kept what was just sent."""
        self._is_due = False
        self._is_stopped = False

    async def send_all(self) -> None:
        """Returns when the broker has everything that was waiting; news are sent by themselves from now on."""
        self._outbox.follow(self._take_note)
        self._send()
        await self._outbox.delivered.wait()

    def stop(self) -> None:
        """Sends nothing more, also when what is in flight is acknowledged."""
        self._is_stopped = True
        self._outbox.follow(None)

    def _take_note(self, is_state: bool) -> None:
        if is_state:
            self._send()
        elif not self._is_due:
            self._is_due = True
            asyncio.get_running_loop().call_soon(self._send_due)

    def _send_due(self) -> None:
        self._is_due = False
        self._send()

    def _send(self) -> None:
        if self._is_stopped:
            return
        with suppress(BrokerError):  # that the connection has ended is said elsewhere
            while self._in_flight < self._link.most_in_flight and (message := self._outbox.take(self._busy)):
                if not self._link.fits(message):
                    message = self._replace_too_long(message)
                    if message is None:
                        continue
                self._in_flight += 1  # before: what cannot be sent never counts as delivered
                self._link.send(message, partial(self._note_done, message, time.monotonic()))
                if message.qos:
                    self._busy.add(message.topic)
        self._link.flush()
        self._note_delivered()

    def _replace_too_long(self, message: OutgoingMessage) -> OutgoingMessage | None:
        """Returns the error that goes to who waits for this response; None for what nobody has asked for."""
        longest = self._link.longest or 0
        if message.response is None:
            self._status.record_too_long(message, longest)
            return None
        said = advise(*diagnose_packet_limit(longest, estimate_bytes(message), message.topic))
        error = explain_failure("unavailable", said)
        response = msgspec.structs.replace(message.response, status="error", data={}, error=error)
        shorter = message._replace(payload=msgspec.json.encode(response))
        return shorter if self._link.fits(shorter) else None

    def _note_done(self, message: OutgoingMessage, since_s: float, is_accepted: bool) -> None:
        self._in_flight -= 1
        self._busy.discard(message.topic)
        self._status.record_publish(message, is_accepted=is_accepted)
        if message.qos:  # else there is no acknowledgement
            was_slow, self._was_slow = self._was_slow, time.monotonic() - since_s > _SLOW_S
            if was_slow and not self._was_slow:
                self._outbox.resend()
        if not self._outbox.is_empty:
            self._take_note(is_state=False)
        else:
            self._note_delivered()

    def _note_delivered(self) -> None:
        if self._outbox.is_empty and not self._in_flight:
            self._outbox.delivered.set()
            self._status.report_connected()
