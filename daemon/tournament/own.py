"""The tables of this daemon, as a tournament has them: without a broker, and by the same plans as those of others.

It hears each dart of each table, so it only compares a few values with those of the dart before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf
from time import monotonic
from types import MappingProxyType

from msgspec.structs import fields

from daemon.part import Part
from daemon.table.effects import Update
from daemon.table.played_record import make_record
from daemon.table.table import Table
from daemon.tournament.tables import LEFT_S, TableMatch, TableState, TakeNews, TournamentTables, find_ref, read_match
from protocol.commands import ChangePlan, Start, decode_line
from protocol.match_spec import MatchSpec, PlannedSpec, Wanted, read_header
from protocol.messages import Record

_Step = tuple[str | None, bool, int]
"""A match, whether it is begun, and its line once it is over, else 0."""


class OwnTables(Part, TournamentTables):
    """A Part for these tables. `read_time_s` is a clock that only goes on."""

    def __init__(self, tables: Mapping[str, Table], read_time_s: Callable[[], float] = monotonic) -> None:
        self._tables = tables
        self._read_time_s = read_time_s
        self._thrown_s: dict[str, float] = {}
        """When something was last thrown at each table in this run of the daemon."""
        self._titles = MappingProxyType({name: table.title for name, table in tables.items()})
        self._steps: dict[str, _Step] = {}
        self._take: TakeNews | None = None

    @property
    def titles(self) -> Mapping[str, str]:
        """As of TournamentTables."""
        return self._titles

    def publish(self, update: Update) -> None:
        """Passes on that a match begins, ends, or goes on after its end; and that the plan or the board changed."""
        state, take = update.state, self._take
        if take is None:
            return
        if state is not None:
            self._thrown_s[update.table] = self._read_time_s()
            is_over = state.phase == "over"
            step = state.match, bool(state.turn.darts) or state.turn.visit > 1, state.line if is_over else 0
            if step != self._steps.get(update.table):
                self._steps[update.table] = step
                take(update.table, self._read_match(update.table))
        if update.plan is not None or update.board is not None:
            take(update.table, None)

    def listen(self, take: TakeNews) -> None:
        """As of TournamentTables; the tables tell it nothing before."""
        self._take = take
        for table in self._tables.values():
            table.subscribe(self)

    def look(self, table: str) -> TableState:
        """As of TournamentTables."""
        found = self._tables.get(table)
        if found is None:
            return TableState(is_away=True)
        match, thrown_s = self._read_match(table), self._thrown_s.get(table, -inf)
        is_busy = match.is_running and self._read_time_s() < thrown_s + LEFT_S
        is_board_away = found.config.has_sensor and not found.scorer.status.online
        return TableState(
            match, find_ref(found.committed.plan), is_busy, found.trouble is not None, is_board_away=is_board_away
        )

    async def plan(self, table: str, spec: MatchSpec) -> None:
        """As of TournamentTables."""
        wanted = Wanted(**{each.name: getattr(spec, each.name) for each in fields(PlannedSpec)})
        await self._tables[table].command(ChangePlan(wanted), "mqtt")

    def read_record(self, table: str) -> Record | None:
        """As of TournamentTables."""
        found = self._tables[table]
        return make_record(found.committed, found.guard)

    async def go_on(self, table: str, ref: str, record: Record) -> None:
        """As of TournamentTables."""
        header = read_header({**record.header, "ref": ref})
        lines = tuple(map(decode_line, record.lines))
        await self._tables[table].command(Start(header, lines=lines), "mqtt")

    async def withdraw(self, table: str, ref: str) -> None:
        """As of TournamentTables: the plan stays as it is, as the match of nobody."""
        found = self._tables.get(table)
        if found is not None and find_ref(found.committed.plan) == ref:
            await found.command(ChangePlan(Wanted(ref=None)), "mqtt")

    def ask_again(self) -> None:
        """As of TournamentTables: the desk reads the journals of these."""

    def _read_match(self, table: str) -> TableMatch:
        committed = self._tables[table].committed
        return read_match(committed.match_id, committed.match)
