"""The tables of other daemons, over the broker, as a tournament has them.

Nothing of it is asked of the other daemon but what its displays see: what it publishes of its bridge and its tables,
the requests that any client may send, and the offers of results. While it is away its tables play on, and it offers
their results afterwards. A result is acknowledged when the desk has dealt with it: an offer is said again until then.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET
from msgspec.structs import fields

from daemon.mqtt.link import MqttLink
from daemon.mqtt.message import IncomingMessage
from daemon.part import Part
from daemon.rules import Guard
from daemon.table.matches import Unplayable
from daemon.tournament.offered import read_offer
from daemon.tournament.published import Board, Bridge, BridgeInfo, Known, decode, is_begun, make_header
from daemon.tournament.tables import LEFT_S, TableMatch, TableState, TakeNews, TournamentTables, find_ref
from protocol.commands import CommandError
from protocol.events import NO_SENSOR
from protocol.league_messages import LeagueOffer, LeagueTaken
from protocol.league_parts import PartsJoiner
from protocol.match_spec import MatchSpec, PlannedSpec, Unreadable, read_header
from protocol.messages import Plan, Record, Response, State
from protocol.sentence import say
from protocol.topics import TopicNames, topic
from protocol.tournament import FoundTable, TournamentView

T = TypeVar("T")

log = logging.getLogger("oche.tournament")

ALL = LeagueTaken("", "")
"""Asks a daemon to say at once what it offers: this one was away, or that one was."""
_ANSWER_S = 3.0
"""How long an answer is waited for. A daemon that is there answers at once."""
_SETTLE_S = 2.0
"""So long a daemon that is there again is asked for nothing: its offers come first, lest a match is played twice."""
_LOOK_S = 0.2
"""It is looked so often whether the desk has written what it was told, and whether there is a broker again."""
_MOST_OFFERS = 64
"""Offers that may wait to be read: they are said again."""


class OtherTables(Part, TournamentTables):
    """A Part. `own` are the names of this daemon's bridge and tables.

    `is_ours` says whether a match with a ref belongs to a tournament of this daemon, and `is_entered` whether there is
    nothing left to write of what a table has said of its match of an id.
    """

    def __init__(
        self,
        link: MqttLink,
        base: str,
        bridge: str,
        own: Collection[str],
        guard: Guard,
        is_ours: Callable[[str], bool],
        is_entered: Callable[[str, str], bool],
    ) -> None:
        self._link = link
        self._base = base
        self._bridge = bridge
        self._own = own
        self._guard = guard
        self._is_ours = is_ours
        self._is_entered = is_entered
        self._take: TakeNews = lambda table, match: None
        self._bridges: dict[str, Bridge] = {}
        self._tables: dict[str, Known] = {}
        self._headers: dict[str, MatchSpec] = {}
        """What tables were last asked for, by ref, with all options: states do not have them."""
        self._offers: dict[tuple[str, str], LeagueOffer] = {}
        """What is to be read, by bridge and match."""
        self._taken: dict[tuple[str, str], LeagueOffer] = {}
        """What was read and is not acknowledged yet: the desk has to write it first."""
        self._returned: set[str] = set()
        """The bridges that are there again, and were not asked for their offers yet."""
        self._asked: set[str] | None = None
        """The bridges that were asked for all their results again; None: that is not wanted."""
        self._ends: dict[str, tuple[int, TableMatch]] = {}
        """The latest match of each table that is known to be over, with how many lines it has."""
        self._read: dict[str, str] = {}
        """The checksums of the records that were read, by the ids of their matches."""
        self._orders: dict[str, int] = {}
        """The highest order of the offers of each match."""
        self._unreadable: dict[str, str] = {}
        """The checksum of the latest of each table that cannot be read."""
        self._answers: dict[str, asyncio.Future[Response]] = {}
        """Of requests that wait for their answer, by transaction."""
        self._joiner = PartsJoiner()
        self._news = asyncio.Event()
        self._listens = False
        self._connection = 0

    def notice(self, view: TournamentView) -> None:
        """Listens to what others publish from the first tournament on that has one of their tables.

        One that is over counts too: what was played there may be corrected.
        """
        if any(not (each.paper or each.name in self._own) for each in view.tables):
            self._follow()

    def _follow(self) -> None:
        if self._listens:
            return
        self._listens = True
        takes = {
            "bridge_info": self._take_info,
            "bridge_state": self._take_availability,
            "state": self._take_state,
            "next": self._take_plan,
            "record": self._take_record,
            "board_state": self._take_board_state,
            "board_info": self._take_board,
            "response": self._take_response,
            "league_offer": self._take_offer,
        }
        for kind, take in takes.items():
            self._link.follow(kind, take)

    async def run(self) -> None:
        """Reads what is offered, and acknowledges it, until cancelled."""
        while True:
            self._news.clear()
            while self._offers:
                key, offer = next(iter(self._offers.items()))
                await self._read_offer(key[0], offer)
                if self._offers.get(key) is offer:
                    del self._offers[key]
            self._acknowledge()
            self._returned = {bridge for bridge in self._returned if not self._tell(bridge, ALL)}
            is_waiting = self._tell_again() or bool(self._taken or self._returned)
            is_waiting |= self._settle()
            with suppress(TimeoutError):
                async with asyncio.timeout(_LOOK_S if is_waiting else None):
                    await self._news.wait()

    def _tell_again(self) -> bool:
        """Says that all results are wanted again, if so; returns whether some bridge could not be told."""
        for name, other in self._bridges.items():
            if self._asked is not None and other.since_s is not None and name not in self._asked:
                if not self._tell(name, LeagueTaken("", "", again=True)):
                    return True
                self._asked.add(name)
        return False

    def _settle(self) -> bool:
        """Notes which bridges have been there for long enough; returns whether others have not."""
        now_s, is_waiting = asyncio.get_running_loop().time(), False
        for other in self._bridges.values():
            if other.since_s is not None and not other.is_settled:
                other.is_settled = now_s >= other.since_s + _SETTLE_S
                is_waiting |= not other.is_settled
                if other.is_settled:
                    self._tell_all(other)
        return is_waiting

    # What the desk asks

    @property
    def titles(self) -> Mapping[str, str]:
        """As of TournamentTables: the names, which no other table on the broker has."""
        return {table: table for bridge in self._bridges.values() for table in bridge.tables if table not in self._own}

    def list_found(self) -> list[FoundTable]:
        """As of TournamentTables: the tables of the daemons that are there."""
        self._follow()
        self._forget_former()
        found: dict[str, FoundTable] = {}
        for bridge, other in sorted(self._bridges.items()):
            for table in (*other.tables, *other.old_tables) if other.since_s is not None else ():
                if table not in self._own:
                    found.setdefault(table, FoundTable(table, table, bridge, paper=table in other.old_tables))
        return [*found.values()]

    def ask_again(self) -> None:
        """As of TournamentTables: also of daemons that come later. Those that are there say what they have first."""
        self._asked = set()
        for other in self._bridges.values():
            if other.since_s is not None:
                other.since_s, other.is_settled = asyncio.get_running_loop().time(), False
        self._news.set()

    def listen(self, take: TakeNews) -> None:
        """As of TournamentTables."""
        self._take = take

    def look(self, table: str) -> TableState:
        """As of TournamentTables. A match of which there is a result to be written is still planned."""
        self._forget_former()
        known = self._tables.get(table)
        if known is None or known.state is None or not self._is_there(table):
            return TableState(is_away=True)
        state = known.state
        match = self._find_match(table, state) or self._describe(state)
        planned = self._find_unwritten(table) or (None if known.plan is None else find_ref(known.plan))
        is_board_away = known.has_board and not known.is_board_online
        is_left = asyncio.get_running_loop().time() >= known.changed_s + LEFT_S
        is_busy = is_begun(state) and state.phase != "over" and not is_left
        return TableState(match, planned, is_busy, is_board_away=is_board_away)

    async def plan(self, table: str, spec: MatchSpec) -> None:
        """As of TournamentTables."""
        wanted = msgspec.to_builtins(spec)
        body = {each.name: wanted[each.name] for each in fields(PlannedSpec) if wanted[each.name] is not None}
        await self._ask(table, "game", body)

    def read_record(self, table: str) -> Record | None:
        """As of TournamentTables."""
        known = self._tables.get(table)
        if known is None or known.state is None or known.record is None:
            return None
        return known.record if known.record.match == known.state.match else None

    async def go_on(self, table: str, ref: str, record: Record) -> None:
        """As of TournamentTables."""
        await self._ask(table, "start", {"start": {**record.header, "ref": ref}, "lines": record.lines})

    async def withdraw(self, table: str, ref: str) -> None:
        """As of TournamentTables."""
        known = self._tables.get(table)
        if known is not None and known.plan is not None and find_ref(known.plan) == ref:
            await self._ask(table, "game", {"ref": None})

    async def _ask(self, table: str, command: str, body: dict[str, Any]) -> None:  # Any: JSON
        """Sends a request to a table, and waits for its answer. Raises CommandError."""
        transaction = secrets.token_hex(8)
        answer = self._answers[transaction] = asyncio.get_running_loop().create_future()
        try:
            address = topic("request", self._base, table=table, command=command)
            if not self._send(address, {"transaction": transaction, **body}):
                raise CommandError(say("tournament.no_broker", "there is no broker at the moment"), "unavailable")
            async with asyncio.timeout(_ANSWER_S):
                response = await answer
        except TimeoutError:
            said = say("tournament.no_answer", "the table {table} does not answer", table=table)
            raise CommandError(said, "unavailable") from None
        finally:
            del self._answers[transaction]
        if response.status == "error":
            raise CommandError("" if response.error is UNSET else response.error.message, "invalid")

    # What others publish

    def _take_info(self, message: IncomingMessage, address: TopicNames) -> None:
        self._forget_former()
        name = address.names["bridge"]
        info = decode(message, BridgeInfo)
        if name == self._bridge or info is None:
            return
        other = self._bridges.setdefault(name, Bridge())
        tables, other.old_tables = ((), info.tables) if info.is_old else (info.tables, ())
        if not {*tables} <= {*other.tables}:
            self._returned.add(name)  # what it has offered of these was not taken
            self._news.set()
        other.tables = tables
        self._tell_all(other)

    def _take_availability(self, message: IncomingMessage, address: TopicNames) -> None:
        self._forget_former()
        name, is_online = address.names["bridge"], message.payload == b"online"
        other = self._bridges.setdefault(name, Bridge()) if name != self._bridge else None
        if other is None or is_online == (other.since_s is not None):  # it says so again and again
            return
        other.since_s, other.is_settled = None, False
        if is_online:
            other.since_s = asyncio.get_running_loop().time()
            self._returned.add(name)
            self._news.set()
        self._tell_all(other)

    def _take_state(self, message: IncomingMessage, address: TopicNames) -> None:
        self._forget_former()
        table = address.names["table"]
        if table in self._own or (state := decode(message, State)) is None:
            return
        known = self._tables.setdefault(table, Known())
        if known.state is None or (known.state.match, known.state.line) != (state.match, state.line):
            known.changed_s = asyncio.get_running_loop().time()
        known.state = state
        self._take(table, self._find_match(table, state))

    def _take_plan(self, message: IncomingMessage, address: TopicNames) -> None:
        self._forget_former()
        table = address.names["table"]
        if table in self._own or (plan := decode(message, Plan)) is None:
            return
        self._tables.setdefault(table, Known()).plan = plan
        if plan.ref is not UNSET and self._is_ours(plan.ref):
            given = {each.name: getattr(plan, each.name) for each in fields(PlannedSpec)}
            self._headers[plan.ref] = MatchSpec(**{name: value for name, value in given.items() if value is not UNSET})
        self._take(table, None)

    def _take_record(self, message: IncomingMessage, address: TopicNames) -> None:
        self._forget_former()
        table = address.names["table"]
        if table in self._own:
            return
        known = self._tables.setdefault(table, Known())
        known.record = decode(message, Record)
        if known.record is not None and self._is_ours(known.record.ref) and known.record.ref not in self._headers:
            try:
                self._headers[known.record.ref] = read_header(dict(known.record.header))
            except Unreadable as error:
                log.warning("%s: its record cannot be read: %s", table, error)
            if known.state is not None:
                self._take(table, self._find_match(table, known.state))

    def _take_board_state(self, message: IncomingMessage, address: TopicNames) -> None:
        self._forget_former()
        table = address.names["table"]
        if table not in self._own:
            self._tables.setdefault(table, Known()).is_board_online = message.payload != b"offline"
            self._take(table, None)

    def _take_board(self, message: IncomingMessage, address: TopicNames) -> None:
        self._forget_former()
        table = address.names["table"]
        if table in self._own or (board := decode(message, Board)) is None:
            return
        known, has_board = self._tables.setdefault(table, Known()), board.address != NO_SENSOR
        if known.has_board != has_board:  # it says more of it again and again
            known.has_board = has_board
            self._take(table, None)

    def _take_response(self, message: IncomingMessage, address: TopicNames) -> None:
        response = decode(message, Response)
        answer = None if response is None else self._answers.get(response.transaction or "")
        if response is not None and answer is not None and not answer.done():
            answer.set_result(response)

    def _take_offer(self, message: IncomingMessage, address: TopicNames) -> None:
        bridge = address.names["bridge"]
        part = decode(message, LeagueOffer)
        if bridge == self._bridge or part is None or part.ref is UNSET or not self._is_ours(part.ref):
            return
        try:
            offer = self._joiner.join(bridge, part)
        except Unreadable as error:
            log.warning("%s: the result of %s cannot be taken: %s", part.table, part.ref, error)
            return
        other = self._bridges.get(bridge)
        if offer is None or other is None or offer.table not in other.tables or offer.table in self._own:
            return  # an access list gives each daemon the topics of its bridge alone: it speaks for its own tables
        if offer.order is not UNSET:
            newest = self._orders.get(offer.match, 0)
            if offer.order < newest:  # it came late, or the clock there was set back since
                self._tell(bridge, LeagueTaken(offer.match, offer.sha256, answer="older", older_than=newest))
                return
            self._orders[offer.match] = offer.order
        if self._read.get(offer.match) == offer.sha256:
            self._taken[bridge, offer.match] = offer
            self._news.set()
        elif offer.sha256 != self._unreadable.get(offer.table) and len(self._offers) < _MOST_OFFERS:
            self._offers[bridge, offer.match] = offer
            self._news.set()

    # What follows

    async def _read_offer(self, bridge: str, offer: LeagueOffer) -> None:
        try:
            found = await asyncio.to_thread(read_offer, offer, self._guard)
        except (Unreadable, Unplayable) as error:
            self._unreadable[offer.table] = offer.sha256
            log.warning("%s: the result of %s cannot be taken: %s", offer.table, offer.ref, error)
            return
        self._read[offer.match] = offer.sha256
        self._ends[offer.table] = offer.lines, found
        self._take(offer.table, found)
        self._taken[bridge, offer.match] = offer

    def _acknowledge(self) -> None:
        """Says which results are taken, of those of which all is on the disk."""
        for (bridge, match), offer in [*self._taken.items()]:
            if self._is_entered(offer.table, match) and self._tell(bridge, LeagueTaken(match, offer.sha256)):
                del self._taken[bridge, match]

    def _tell(self, bridge: str, taken: LeagueTaken) -> bool:
        """Returns False without a connection."""
        return self._send(topic("league_taken", self._base, bridge=bridge), taken)

    def _send(self, address: str, value: object) -> bool:
        """Returns False without a connection."""
        outbox = self._link.outbox
        if outbox.is_followed:
            outbox.put_once(address, value)
        return outbox.is_followed

    def _find_match(self, table: str, state: State) -> TableMatch | None:
        """The current match of a table; None where there is none, or its end is not known yet."""
        if state.match is None or state.phase != "over":
            return self._describe(state)
        lines, found = self._ends.get(table, (0, None))
        return found if found is not None and (found.record, lines) == (state.match, state.line) else None

    def _describe(self, state: State) -> TableMatch | None:
        """The match of a state, without its end."""
        if state.match is None:
            return None
        ref = None if state.ref is UNSET else state.ref
        header = None if ref is None else self._headers.get(ref)
        return TableMatch(state.match, header or make_header(state, ref), is_begun(state))

    def _find_unwritten(self, table: str) -> str | None:
        """The ref of a match of this table whose result is read, or written, at the moment."""
        waiting = (*self._offers.values(), *self._taken.values())
        return next((offer.ref for offer in waiting if offer.table == table and offer.ref is not UNSET), None)

    def _is_there(self, table: str) -> bool:
        """Whether requests reach this table, and what is known of it is of now."""
        is_settled = any(other.is_settled for other in self._bridges.values() if table in other.tables)
        return is_settled and self._link.outbox.is_followed

    def _forget_former(self) -> None:
        """Forgets what was said over an earlier connection to the broker: it may be old."""
        if self._connection != self._link.outbox.connections:
            self._connection = self._link.outbox.connections
            self._tables.clear()
            for other in self._bridges.values():
                other.since_s, other.is_settled = None, False

    def _tell_all(self, other: Bridge) -> None:
        for table in other.tables:
            if table not in self._own:
                self._take(table, None)
