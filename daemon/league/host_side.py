"""A table of this daemon at which a match in two places is kept: it asks other tables, and decides on their inputs."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import UNSET, Struct

from daemon.league.neighbours import Neighbours
from daemon.table.effects import Away, TableAway
from daemon.table.lent_inputs import EarlyInputs
from daemon.table.places import PlaceSender
from daemon.table.table import Table
from drivers.session import now_ns
from protocol.commands import Command, CommandError, IllegalInput, Join, Leave, Throw, decode_line, strip_line
from protocol.league_messages import LeagueInput, LeagueInputTaken
from protocol.match_spec import Unreadable
from protocol.messages import Place

_FIRST_NS, _LAST_NS = 2_000_000_000, 60_000_000_000
"""After how long a table that has not answered is asked again, at first and at last."""
_MOST_REFUSED = 16


class _Far(Struct):
    """What is kept of another table. `refused` are the reasons of the latest refusals in the present session."""

    early: EarlyInputs
    session: str = ""
    refused: dict[str, str] = {}
    away: Away | None = None
    asked_ns: int | None = None
    times: int = 0


class HostSide:
    """The `table`. `send` takes what is to be said to another table, and `ask` the name of one that is to be asked."""

    def __init__(
        self,
        table: Table,
        neighbours: Neighbours,
        send: Callable[[str, str, LeagueInputTaken], None],
        ask: Callable[[str, str], None],
        own: Callable[[str], Table | None],
    ) -> None:
        self._table = table
        self._neighbours = neighbours
        self._send = send
        self._ask = ask
        self._own = own
        self._far: dict[str, _Far] = {}

    @property
    def places(self) -> dict[str, Place]:
        """The places of the other tables in the present match, as they are on the disk."""
        shown = self._table.committed.public.places
        return {} if shown is UNSET else {place.table: place for place in shown if place.board != "here"}

    def work(self) -> None:
        """Asks who has not answered, and notes who is away."""
        phase = self._table.committed.public.phase
        for name, place in self.places.items():
            far = self._far.setdefault(name, _Far(EarlyInputs()))
            self._note_away(name, far)
            if place.board != "asked" or phase == "over" or not self._neighbours.is_there(name):
                far.asked_ns, far.times = None, 0
                continue
            pause_ns = min(_FIRST_NS << min(far.times, 10), _LAST_NS)
            if far.asked_ns is None or now_ns() - far.asked_ns >= pause_ns:
                far.asked_ns, far.times = now_ns(), far.times + (far.asked_ns is not None)
                self._ask(self._table.name, name)

    def _note_away(self, name: str, far: _Far) -> None:
        own, since = self._own(name), None
        if not self._neighbours.is_there(name):
            since = now_ns() if far.away is None or far.away.since_ns is None else far.away.since_ns
        has_board = self._neighbours.has_board(name) if own is None else own.board.online
        away = Away(has_board, since)
        if away != far.away:
            far.away = away
            self._table.wake(TableAway(name, away))

    def decide(self, name: str, said: LeagueInput) -> None:
        """Has the table decide on an input of another one, and acknowledges it when that is on the disk."""
        if name not in self.places or said.match != self._table.match_id:
            return
        visit = None if said.visit is UNSET else said.visit
        sender = PlaceSender(name, said.session, said.seq, said.first, visit, said.timer)
        try:
            reply = self._table.command(_read(said), sender, client=f"table {name}")
        except CommandError:  # it is said again
            return
        reply.add_done_callback(lambda done: self._acknowledge(name, said, done.exception()))

    def _acknowledge(self, name: str, said: LeagueInput, error: BaseException | None) -> None:
        place = self.places.get(name)
        if place is None or (isinstance(error, CommandError) and error.code in ("busy", "unavailable")):
            return
        far = self._far.setdefault(name, _Far(EarlyInputs()))
        is_decided = not isinstance(error, CommandError) or error.code != "stale"
        decided = place.seq if place.session == said.session else 0
        if not is_decided:
            far.early.keep(said, decided)
        elif error is not None:
            if far.session != said.session:
                far.session, far.refused = said.session, {}
            far.refused = dict([*far.refused.items(), (str(said.seq), str(error))][-_MOST_REFUSED:])
        if place.session == said.session:
            refused = far.refused if far.session == said.session else {}
            taken = LeagueInputTaken(1, said.match, said.session, place.seq, refused)
            self._send(self._table.name, name, taken)
        if is_decided and (following := far.early.take_next(said.session, decided)) is not None:
            self.decide(name, following)


def _read(said: LeagueInput) -> Command:
    if "join" in said.input:
        return Join()
    if "leave" in said.input:
        return Leave()
    try:
        return decode_line(strip_line(said.input))
    except (IllegalInput, Unreadable):
        return Throw("?")  # which is decided, and never counts
