"""A tournament that is open: its journal, the view of it, and what its tables have said of each match.

A table says again and again how a match stands. What follows from that for the journal is decided here, from the
journal alone, so that it does not matter how often it is said, in which run of the daemon, or by which reader.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from daemon.tournament.ref import Ref
from daemon.tournament.store import Kept
from daemon.tournament.tables import MatchEnd, TableMatch
from engine.games import expand_preset, find_layouts
from engine.order import find_decider
from engine.tournament.forecast import Outlook, foresee
from engine.tournament.journal import TournamentJournal, replay
from engine.tournament.match_header import find_order, make_header, read_result
from engine.tournament.state import Tournament
from engine.tournament.view import TableNow, make_summary, make_view
from protocol.match_spec import MatchSpec, Unreadable, write_header
from protocol.player_names import name_key
from protocol.tournament import (
    Begin,
    By,
    Call,
    Input,
    Leave,
    Line,
    Outdated,
    Result,
    TakeBack,
    TournamentSpec,
    TournamentSummary,
    TournamentView,
)

_FORESIGHT_S = 60


class OpenTournament:
    """The tournament that was kept so, with these lines. Raises IllegalInput when they are not its own."""

    def __init__(self, kept: Kept, lines: list[Line]) -> None:
        self.kept = kept
        self.version = 0
        """Counts the changes of the view."""
        self.changed = asyncio.Event()
        self.writing = asyncio.Lock()
        """Held until a line that the journal has is on the disk; what is shown waits for it."""
        self.tables: Mapping[str, TableNow] = {}
        self.next: tuple[str, ...] = ()
        """The matches in the order in which they should be called."""
        self.outlook = Outlook(None, {})
        """When it is expected to end, and each match to begin."""
        self._foreseen: tuple[int, int] = (0, 0)
        """At which line, and when."""
        self._view: TournamentView | None = None
        self._is_stale = True
        self.restore(lines)

    @property
    def id(self) -> str:
        """As in addresses and topics."""
        return self.kept.id

    def restore(self, lines: list[Line]) -> None:
        """Goes back to these lines. Raises IllegalInput."""
        self.journal: TournamentJournal = replay(self.kept.spec, lines)
        self._said: dict[tuple[str, int], Input] = {}
        """What tables have said last of each attempt at each match."""
        self._outdated: dict[tuple[str, int, str], Result | TakeBack] = {}
        """Likewise of attempts that did not count then, also by table."""
        for line in lines:
            self._note_said(line)
        self.note_change()

    def is_same(self, spec: TournamentSpec, lines: Sequence[Line]) -> bool:
        """Whether these are the lines of this tournament, as far as both go."""
        shared = min(len(lines), len(self.journal.lines))
        return (self.kept.spec, self.journal.lines[:shared]) == (spec, [*lines[:shared]])

    def apply(self, at_s: int, by: By, given: Input) -> Line:
        """Does this, at this time. Raises IllegalInput."""
        line = self.journal.apply(at_s, by, given)
        self._note_said(line)
        return line

    def note_change(self) -> None:
        """Notes that the view is another one now, and wakes who waits for that."""
        self._is_stale = True
        self.version += 1
        self.changed.set()
        self.changed.clear()

    @property
    def view(self) -> TournamentView:
        """All of it as it is on the disk; made anew only after a change."""
        if self._view is None or (self._is_stale and not self.writing.locked()):
            self._view = self._make_view()
            self._is_stale = False
        return self._view

    def _make_view(self) -> TournamentView:
        about = self.id, self.kept.made_s, self.journal, self.tables
        return make_view(*about, self.outlook.forecast, self.next, self.outlook.due_s)

    async def foresee(self, now_s: int) -> None:
        """Makes the forecast anew after each line, and once a minute; beside the event loop, for it takes long."""
        line, at_s = self._foreseen
        if self.tournament.line != line or abs(now_s - at_s) >= _FORESIGHT_S:
            self._foreseen = self.tournament.line, now_s
            found = await asyncio.to_thread(foresee, self.tournament, now_s)
            if found != self.outlook:
                self.outlook = found
                self.note_change()

    @property
    def summary(self) -> TournamentSummary:
        """What a list says of it."""
        return make_summary(self.id, self.kept.made_s, self.tournament)

    @property
    def tournament(self) -> Tournament:
        """All that is known, also what is not on the disk yet."""
        return self.journal.tournament

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to play, or it was ended."""
        return self.tournament.phase == "over"

    @property
    def known_records(self) -> set[str]:
        """The ids of the matches at tables whose results are known."""
        said = (*self._said.values(), *self._outdated.values())
        return {given.record for given in said if isinstance(given, Result)}

    @property
    def has_entered(self) -> bool:
        """Whether anything was ever entered that decides a match, even if it was taken back since."""
        return any(_is_entered(line.input) for line in self.journal.lines)

    def list_active(self) -> Iterator[tuple[str, str, bool]]:
        """Yields the matches that are called or played: the id, the table, and whether the first dart is thrown."""
        for match, play in self.tournament.plays.items():
            if play.active and play.table is not None:
                yield match, play.table, play.begun_s is not None

    def make_ref(self, match: str) -> str:
        """The ref of the latest attempt at this match."""
        return str(Ref(self.id, match, self.tournament.play(match).attempt))

    def make_header(self, match: str) -> MatchSpec:
        """What the table of this match is asked for. Raises IllegalInput where its sides are not known."""
        ref = self.make_ref(match)
        return replace(make_header(self.tournament, match, ref), ref=ref)

    def list_headers(self) -> list[MatchSpec]:
        """What the tables of all matches that are called, and have not begun, are asked for."""
        return [self.make_header(match) for match, _, is_begun in self.list_active() if not is_begun]

    def make_plan(self, spec: MatchSpec) -> MatchSpec:
        """What is planned for this match: the throws at the bull that decide who begins, or else the match itself."""
        order = find_order(self.tournament)
        has_bull = "standard" in find_layouts(expand_preset(spec).game)
        return (find_decider(spec, order) if order is not None and has_bull else None) or spec

    def read_news(self, ref: Ref, table: str, played: TableMatch) -> Input | None:
        """What follows for the journal from how the match of this ref stands at a table; None: nothing (any more).

        An older attempt counts nowhere, and nor does a match at another table than that to which it was called: how it
        ends is only noted. Of other people, by other options, or after another one whose end is known, it is no match
        of the tournament.
        """
        attempt, play = (ref.match, ref.attempt), self.tournament.play(ref.match)
        if (play.attempt, play.table) != (ref.attempt, table):
            return self._read_outdated(ref, table, played)
        said, end = self._said.get(attempt), played.end
        is_known = isinstance(said, Result) and said.record == played.record
        if not is_known and (isinstance(said, Result) or not is_same_match(self.make_header(ref.match), played.header)):
            return None
        if end is None or played.is_void:
            if isinstance(said, Result):
                return TakeBack(ref.match, ref.attempt)
            return Begin(ref.match, ref.attempt) if said is None and played.is_running else None
        found = self._read_result(ref, played, end)
        return None if found == said else found

    def find_played(self, match: str) -> Result | None:
        """What its table has said of this call before it was made; None: nothing.

        So it is where another daemon had made the same call, and was lost.
        """
        play = self.tournament.play(match)
        said = self._outdated.get((match, play.attempt, play.table or ""))
        return said if isinstance(said, Result) else None

    def _read_outdated(self, ref: Ref, table: str, played: TableMatch) -> Outdated | None:
        """What is new of an attempt that counts nowhere; None also for one that was abandoned."""
        known, end = self._outdated.get((*ref[1:], table)), played.end
        is_known = isinstance(known, Result) and known.record == played.record
        if end is None or end.is_stopped:
            return Outdated(table, TakeBack(*ref[1:])) if is_known else None
        is_other = isinstance(known, Result) and not is_known
        if is_other or not is_same_match(replace(self.make_header(ref.match), ref=str(ref)), played.header):
            return None
        found = self._read_result(ref, played, end)
        return None if found == (known or self._said.get(ref[1:])) else Outdated(table, found)

    def _read_result(self, ref: Ref, played: TableMatch, end: MatchEnd) -> Result:
        return read_result(
            self.journal.tournament,
            ref.match,
            played.header,
            winners=end.winners,
            legs=end.legs,
            sets=end.sets,
            points=end.points,
            darts=end.darts,
            attempt=ref.attempt,
            record=played.record,
        )

    def _note_said(self, line: Line) -> None:
        given = line.input
        if line.by == "table" and isinstance(given, Begin | Result | TakeBack) and given.attempt is not None:
            self._said[given.match, given.attempt] = given
        elif isinstance(given, Outdated):
            self._outdated[given.said.match, given.said.attempt or 0, given.table] = given.said


def _is_entered(given: Input) -> bool:
    match given:
        case Leave() | Call(table=None) | Result(attempt=None) | TakeBack(attempt=None):
            return True
    return False


def is_same_match(wanted: MatchSpec, played: MatchSpec) -> bool:
    """Whether people play what was wanted of them, by the same `ref`; the order of the sides is theirs."""
    if played.ref != wanted.ref:
        return False
    try:
        spelled = expand_preset(wanted)
    except Unreadable:
        return False
    people, sides = _list_sides(wanted), _list_sides(played)
    if spelled.game != played.game or spelled.format != played.format or sorted(people) != sorted(sides):
        return False
    is_turned = people != sides
    given, used = write_header(spelled).get("options", {}), write_header(played).get("options", {})
    return all(
        used.get(name) == value or (is_turned and isinstance(value, list) and used.get(name) == value[::-1])
        for name, value in given.items()
    )


def _list_sides(spec: MatchSpec) -> list[list[str]]:
    return [sorted(name_key(spec.players[seat]) for seat in side.seats) for side in spec.seating.sides]
