"""What the desk knows of a table, and asks of it: the same for tables of this daemon and of others.

A table knows nothing of tournaments. It is given the plan of its next match with a `ref`, people press start, and it
tells what became of the match with that `ref`. Whoever has tables gives the desk what is below.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping

from msgspec import Struct

from engine.match import Match
from engine.tally import pool_tallies
from protocol.match_spec import Index, MatchSpec, PlannedSpec
from protocol.messages import Plan, Record
from protocol.tournament import FoundTable

LEFT_S = 900.0
"""At a table where nobody has thrown for so long people have left their match."""


class MatchEnd(Struct, frozen=True):
    """How a match ended; everything has an element for each side, but `winners` has the sides that won.

    `legs` are all that each won; `points` are marks in a game whose figure they are. Without winners it is shared; or
    `is_stopped`: it was abandoned.
    """

    winners: tuple[Index, ...]
    legs: tuple[Index, ...]
    sets: tuple[Index, ...]
    points: tuple[int, ...]
    darts: tuple[Index, ...]
    is_stopped: bool = False


class TableMatch(Struct, frozen=True):
    """A match at a table. `record` is its id there; `is_begun` once a dart is thrown, `end` is None until it ends."""

    record: str
    header: MatchSpec
    is_begun: bool = False
    end: MatchEnd | None = None

    @property
    def is_running(self) -> bool:
        """Whether people play it now."""
        return self.is_begun and self.end is None

    @property
    def is_void(self) -> bool:
        """Whether it was abandoned before its first dart: it is no match."""
        return self.end is not None and self.end.is_stopped and not any(self.end.darts)


class TableState(Struct, frozen=True):
    """A table now. `match` is its current match (None: not known); `planned` is the `ref` of its plan.

    `is_busy`: people play there, whatever it is. `is_away`: nothing reaches it now. `is_board_away`: it has a board,
    which is not connected now, so darts are entered by hand.
    """

    match: TableMatch | None = None
    planned: str | None = None
    is_busy: bool = False
    is_away: bool = False
    is_board_away: bool = False


TakeNews = Callable[[str, TableMatch | None], None]
"""Takes the news of the table of this name: a match there as it is now, current or not; None: only its state changed.
It does not wait."""


class TournamentTables(ABC):
    """Tables that tournaments can be played at, by names that no other table has."""

    @property
    @abstractmethod
    def titles(self) -> Mapping[str, str]:
        """What each of them is called, by its name."""

    def list_found(self) -> list[FoundTable]:
        """Those that a tournament can be given now. Others may be found by and by, from the first call on."""
        return [FoundTable(name, title) for name, title in self.titles.items()]

    @abstractmethod
    def look(self, table: str) -> TableState:
        """The table now."""

    @abstractmethod
    async def plan(self, table: str, spec: MatchSpec) -> None:
        """Plans this match, which has a `ref`, as the next one of the table. Raises CommandError."""

    @abstractmethod
    def read_record(self, table: str) -> Record | None:
        """What was played so far of the current match of the table; None: it cannot go on elsewhere."""

    @abstractmethod
    async def go_on(self, table: str, ref: str, record: Record) -> None:
        """Begins the match of a record at the table, with this `ref` and all that was played. Raises CommandError."""

    @abstractmethod
    async def withdraw(self, table: str, ref: str) -> None:
        """Takes the `ref` out of the plan of the table if it is still planned there. Raises CommandError."""

    @abstractmethod
    def ask_again(self) -> None:
        """Asks for all results again: who took them is lost, and this daemon goes on with a tournament of it."""

    @abstractmethod
    def listen(self, take: TakeNews) -> None:
        """Gives this the news of all of them from now on: whenever a match begins, ends, or goes on after its end."""


def find_ref(spec: PlannedSpec | Plan) -> str | None:
    """Returns the `ref` of a match, or of the one whose order it decides; None: it has none."""
    if spec.ref:
        return spec.ref
    then = spec.options.get("then")
    ref = then.get("ref") if isinstance(then, dict) else None
    return ref if isinstance(ref, str) else None


def read_match(record: str, match: Match) -> TableMatch:
    """Returns what a tournament has to know of a match."""
    visit = match.position.visit
    is_begun = visit.number > 1 or bool(visit.darts or visit.summed)
    return TableMatch(record, match.header, is_begun, _read_end(match) if match.position.over else None)


def _read_end(match: Match) -> MatchEnd:
    position, sides = match.position, match.seating.sides
    tallies = [pool_tallies(position.tallies[seat] for seat in side.seats) for side in sides]
    are_marks = match.game.figure == "mpr"
    return MatchEnd(
        winners=tuple(position.winners),
        # Each member of a side has all legs of the side in the figures.
        legs=tuple(position.tallies[side.seats[0]].counts.get("legs_won", 0) if side.seats else 0 for side in sides),
        sets=tuple(position.sets),
        points=tuple(tally.counts.get("marks", 0) if are_marks else tally.points for tally in tallies),
        darts=tuple(tally.darts for tally in tallies),
        is_stopped=position.stopped,
    )
