"""Parts that are loaded when there is need of them: what tournaments and matches with a `ref` ask of the broker."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import UNSET

from daemon.admin.answers import Refused
from daemon.admin.players.book import PlayerBook
from daemon.admin.process import FindRecords, ReadRecords, WorkerProcess
from daemon.admin.temporary import LEAGUE
from daemon.config.sections import Config, League
from daemon.errors import UserError
from daemon.home_assistant.discovery import read_bridge_id
from daemon.http.messages import HttpRequest, HttpResponse, HttpRoute, respond_json
from daemon.mqtt.link import MqttLink
from daemon.part import Part
from daemon.rules import Guard
from daemon.service.supervisor import keep_running
from daemon.table.effects import Update
from daemon.table.table import Table

if TYPE_CHECKING:
    from daemon.league.offers import LeagueOffers
    from daemon.league.records import Found, Made, Wanted
    from daemon.league.two_places import TwoPlaces
    from daemon.tournament.desk import Desk
    from protocol.league_messages import ResultByHand

_OFFERED = timedelta(days=30)
"""So long after its begin a match with a `ref` is offered."""

_LEFT = (LEAGUE, "league.json")
"""Files in `state_dir`, of this version and of former ones, that are there while results may be left to offer."""


class LaterParts(Part):
    """A Part that takes in others while the daemon runs."""

    def __init__(self) -> None:
        self._tasks: list[asyncio.Task[None]] = []
        self._parts: list[Part] = []

    def add(self, name: str, module: str, make: Callable[[], Part]) -> None:
        """Makes this part once its module is loaded, and keeps it running; `name` is its own in the log."""
        self._tasks.append(asyncio.create_task(self._run(name, module, make), name=name))

    async def _run(self, name: str, module: str, make: Callable[[], Part]) -> None:
        await asyncio.to_thread(import_module, module)  # beside the event loop: that takes a small machine long
        part = make()
        self._parts.append(part)
        await keep_running(name, part.run)

    async def close(self) -> None:
        """Ends them all."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        for part in self._parts:
            await part.close()


class ResultsForOthers(Part):
    """A Part that has results offered to others, from the first match at a table that has a `ref`, or with a league.

    `is_own` says whether a `ref` is of a tournament of this daemon, which needs no offer.
    """

    def __init__(
        self,
        later: LaterParts,
        config: Config,
        tables: Mapping[str, Table],
        link: MqttLink,
        worker: WorkerProcess,
        is_own: Callable[[str], bool],
    ) -> None:
        self._later = later
        self._config = config
        self._folder = Path(config.bridge.state_dir)
        self._tables = tables
        self._link = link
        self._worker = worker
        self._is_own = is_own
        self._is_begun = False
        self._offers: LeagueOffers | None = None
        self._by_hand: dict[str, tuple[int, tuple[ResultByHand, ...]]] = {}
        """What is to be said of tournaments once the offers are loaded."""

    def say_results(self, tournament: str, line: int, results: tuple[ResultByHand, ...]) -> None:
        """Has the league hear what the organiser of a tournament has entered, with the latest line of that."""
        if self._offers is None:
            self._by_hand[tournament] = line, results
        else:
            self._offers.say_results(tournament, line, results)

    def publish(self, update: Update) -> None:
        """Begins with the first such match."""
        if not self._is_begun and update.state is not None and update.state.ref is not UNSET:
            self._begin()

    def take_up(self) -> None:
        """Begins with a league, or if an earlier run may have left some."""
        is_wanted = self._config.league.on or any((self._folder / each).exists() for each in _LEFT)
        if is_wanted and not self._is_begun:
            self._begin()

    def notice_change(self) -> None:
        """Has everything looked through again: players were renamed or forgotten, or more is to be sent."""
        if self._offers is not None:
            self._offers.notice_change()

    def _begin(self) -> None:
        self._is_begun = True
        self._later.add("the offers of results", "daemon.league.offers", self._make)

    def _make(self) -> Part:
        from daemon.league.offers import LeagueOffers  # noqa: PLC0415

        league, bridge = self._config.league, self._config.bridge.name
        bridge_id = read_bridge_id(self._folder)
        reading = _Journals(self._worker, self._folder, league, bridge_id)
        self._offers = LeagueOffers(
            *(self._folder, self._tables, self._link, bridge, self._is_own, reading),
            bridge_id if league.on else None,
        )
        for tournament, said in self._by_hand.items():
            self._offers.say_results(tournament, *said)
        self._by_hand.clear()
        return self._offers


class _Journals:
    """What reads the journals for offers: see Reading in daemon/league/records.py."""

    def __init__(self, worker: WorkerProcess, folder: Path, league: League, bridge_id: str) -> None:
        self._worker = worker
        self._folder = folder
        self._league = league
        self._bridge_id = bridge_id
        self._book = PlayerBook(folder)

    async def find(self, only: tuple[str, str] | None = None) -> Found:
        """As of Reading."""
        from daemon.league.since import find_moment, find_since  # noqa: PLC0415

        since = None
        if self._league.on:
            found = await asyncio.to_thread(find_since, self._folder, self._league.since)
            since = find_moment(found.day).isoformat()
        asked_since = (datetime.now(UTC) - _OFFERED).isoformat()
        answer: Found = await self._ask(FindRecords(asked_since, since, only))
        return answer

    async def read(self, wanted: tuple[Wanted, ...]) -> list[Made]:
        """As of Reading."""
        answer: list[Made] = await self._ask(ReadRecords(wanted, self._bridge_id))
        return answer

    async def stamp(self) -> object:
        """As of Reading."""
        return await asyncio.to_thread(self._stamp)

    def _stamp(self) -> object:
        from daemon.league.store import LeagueStore  # noqa: PLC0415

        return self._book.stamp(), LeagueStore(self._folder).read_fetched()

    async def _ask(self, request: FindRecords | ReadRecords) -> Any:  # Any: the answer, by the request
        try:
            return await self._worker.read(request)
        except Refused as error:  # the daemon ends
            raise UserError(str(error.said)) from None


class MatchesInTwoPlaces(Part):
    """A Part that loads what matches in two places need, with the first of them, or when a table is to be lent.

    `link` is the one to the broker, if there is one. `tell` tells the displays of a table that it is lent, `tell_fact`
    what has happened in the match that it is lent for, and `show` all else that follows the match of a table.
    """

    def __init__(
        self,
        later: LaterParts,
        folder: Path,
        tables: Mapping[str, Table],
        link: MqttLink | None,
        config: Config,
        tell: Callable[[str, object], None],
        tell_fact: Callable[[str, object], None],
        show: Callable[[Update], None],
    ) -> None:
        self._later = later
        self._folder = folder
        self._tables = tables
        self._about = link, config.mqtt.base, config.league.lend_to, tell, tell_fact, show
        self._is_begun = False
        self._part: TwoPlaces | None = None
        self._first: list[Update] = []
        """What comes while the part is loaded."""
        for file in folder.glob("*.lent"):
            self._hold(file.stem)

    def _hold(self, table: str) -> None:
        """Has a table that was lent count no dart for itself until the part is loaded."""
        from daemon.league.lent_file import LentFile  # noqa: PLC0415  only a match in two places needs it

        found = LentFile(self._folder, table).read()
        if found is not None and found[1] is not None and not found[1].is_leaving and table in self._tables:
            self._tables[table].scorer.lend(found[1])

    def publish(self, update: Update) -> None:
        """Begins with the first such match, or table to be lent."""
        if self._part is not None:
            return
        if update.lend is not None or (update.state is not None and update.state.places is not UNSET):
            if not self._is_begun:
                self._begin()
            self._first.append(update)

    @property
    def routes(self) -> list[HttpRoute]:
        """What is served: the tables of other daemons that such a match can be played at."""
        return [HttpRoute("GET", "/api/tables/others", self._list_others, "play")]

    async def _list_others(self, request: HttpRequest) -> HttpResponse:
        """Answers with those that were heard so far, and has them looked for."""
        if not self._is_begun and self._about[0] is not None:
            self._begin()
        return respond_json([] if self._part is None else self._part.list_found())

    def take_up(self) -> None:
        """Begins if a table was lent when the daemon ended."""
        if not self._is_begun and any(self._folder.glob("*.lent")):
            self._begin()

    def _begin(self) -> None:
        self._is_begun = True
        self._later.add("the matches in two places", "daemon.league.two_places", self._make)

    def _make(self) -> Part:
        from daemon.league.two_places import TwoPlaces  # noqa: PLC0415

        self._part = part = TwoPlaces(self._tables, self._folder, *self._about)
        for update in self._first:
            part.publish(update)
        return part


def follow_desk(
    later: LaterParts,
    desk: Desk,
    link: MqttLink,
    show: Callable[[str | None], None],
    results: ResultsForOthers,
    config: Config,
    guard: Guard,
) -> None:
    """Has the tournaments of this desk published, played at tables of other daemons, and told to a league.

    `show` is called with the id of the tournament that Home Assistant shows.
    """
    base = config.mqtt.base

    def make_topics() -> Part:
        from daemon.tournament.publish import TournamentTopics  # noqa: PLC0415

        return TournamentTopics(desk, link.outbox, base, link.published, guard, show)

    def make_tables() -> Part:
        from daemon.tournament.other_tables import OtherTables  # noqa: PLC0415

        own = {table.name for table in config.table}
        others = OtherTables(link, base, config.bridge.name, own, guard, desk.owns, desk.is_entered)
        desk.add_tables(others)
        desk.subscribe(others.notice)
        return others

    def make_results() -> Part:
        from daemon.tournament.by_hand import ResultsByHand  # noqa: PLC0415

        return ResultsByHand(desk, results.say_results)

    if config.league.on:
        later.add("the results entered by hand", "daemon.tournament.by_hand", make_results)
    later.add("the topics of tournaments", "daemon.tournament.publish", make_topics)
    later.add("the tables of others", "daemon.tournament.other_tables", make_tables)
