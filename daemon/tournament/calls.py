"""What follows from the calls of a tournament at its tables: which are free, and which match each is to be offered.

A match that is called is planned at its table, and people press start. If they start something else the match stays
called: it is planned again with each match that begins there without it, and once more if people have changed the plan
and nobody plays there a minute later. A match that is called from the table where it is played goes on at the new one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Literal

from msgspec import Struct

from daemon.tournament.open_tournament import OpenTournament, is_same_match
from daemon.tournament.ref import read_ref
from daemon.tournament.tables import TableState, find_ref
from engine.tournament.state import Play
from engine.tournament.view import TableNow
from protocol.match_spec import MatchSpec
from protocol.player_names import name_key

_AGAIN_S = 60.0
_FORGOTTEN_S = 6 * 3600
"""A match that was called so long ago keeps no table, and nobody, from other tournaments."""
_RETRY_S = 15.0
"""What a table has refused is tried again after so long."""
_UNHEARD_S = 1.0
"""What a table has not answered to is asked again after so long: mostly the broker or the daemon was away."""

Look = Callable[[str], TableState]


class Offer(Struct, frozen=True):
    """A match of this `ref` is planned at this table; with no `spec` it is withdrawn.

    `plan` is what is planned: the match, or the one that decides who begins. What was played of the match at the table
    `moved_from` goes on there; None: it begins anew.
    """

    table: str
    ref: str
    spec: MatchSpec | None
    plan: MatchSpec | None = None
    moved_from: str | None = None


class Chosen(Struct, frozen=True):
    """The offers that are made now, and whether others wait for some time to pass."""

    made: tuple[Offer, ...]
    is_waiting: bool


class _Made(Struct):
    """An offer that was made: during which match of its table, when, how often; what was refused waits until then."""

    record: str = ""
    at_s: float = 0.0
    times: int = 0
    not_before_s: float = 0.0


class Offers:
    """The offers that were made in this run of the daemon, by ref."""

    def __init__(self) -> None:
        self._made: dict[str, _Made] = {}
        self._changed: set[str] = set()
        """The refs of which another match is planned by now than is to be played."""

    def renew(self, ref: str) -> None:
        """Has the match of this ref planned once more where it is planned: its people are called otherwise."""
        self._changed.add(ref)

    def is_due(self, wanted: MatchSpec, state: TableState, now_s: float) -> bool | None:
        """Whether this is to be offered at its table now; None: perhaps later. One that is due is noted as made."""
        match, ref = state.match, wanted.ref or ""
        if state.is_away:
            self._made.pop(ref, None)  # nobody knows whether it was heard: it is offered as soon as the table is back
            return None
        if state.planned == ref and ref in self._changed:
            self._changed.discard(ref)
            return True
        if state.planned == ref or (match is not None and not match.is_void and is_same_match(wanted, match.header)):
            return False
        made = self._made.setdefault(ref, _Made())
        record = "" if match is None else match.record
        if now_s < made.not_before_s:
            return None
        if made.times and made.record == record and (made.times > 1 or state.is_busy or now_s < made.at_s + _AGAIN_S):
            return False if made.times > 1 else None
        self._made[ref] = _Made(record, now_s, made.times + 1 if made.record == record else 1)
        return True

    def note_failed(self, offer: Offer, now_s: float, *, is_unheard: bool) -> float:
        """Notes that the table has refused this, or has not answered; returns in how many seconds it is tried again."""
        wait_s = _UNHEARD_S if is_unheard else _RETRY_S
        self._made[offer.ref] = _Made(not_before_s=now_s + wait_s)
        return wait_s


def choose_offers(
    tournaments: Mapping[str, OpenTournament],
    ended: Collection[str],
    titles: Iterable[str],
    look: Look,
    offers: Offers,
    now_s: float,
) -> Chosen:
    """Returns what is to be planned at the tables of these names, and what is to be withdrawn there.

    `tournaments` are those that are open; `ended` those that are over, of which nothing stays planned.
    """
    called = {
        table: (found, match)
        for found in tournaments.values()
        for match, table, is_begun in found.list_active()
        if not is_begun
    }
    made, is_waiting = list[Offer](), False
    states = {table: look(table) for table in titles}
    for table, state in states.items():
        wanted = called.get(table)
        ref = None if wanted is None else wanted[0].make_ref(wanted[1])
        planned = read_ref(state.planned)
        if wanted is not None and ref is not None:
            spec, moved_from = wanted[0].make_header(wanted[1]), _find_former(ref, states)
            is_due = None if moved_from and plays_else(ref, state) else offers.is_due(spec, state, now_s)
            is_waiting |= is_due is None
            if is_due:
                made.append(Offer(table, ref, spec, wanted[0].make_plan(spec), moved_from))
        elif planned is not None and (planned.tournament in tournaments or planned.tournament in ended):
            made.append(Offer(table, str(planned), None))
    return Chosen(tuple(made), is_waiting)


def plays_else(ref: str, state: TableState) -> bool:
    """Whether people play another match at this table than an attempt at that of this ref."""
    return state.is_busy and not _is_attempt(ref, state)


def _is_attempt(ref: str, state: TableState) -> bool:
    """Whether the match of this table is an attempt at the same match: one that comes back to it takes its place."""
    wanted, found = read_ref(ref), None if state.match is None else read_ref(state.match.header.ref)
    return wanted is not None and found is not None and wanted[:2] == found[:2]


def _find_former(ref: str, states: Mapping[str, TableState]) -> str | None:
    """The table at which people play the latest attempt before this one at the same match; None: there is none."""
    wanted, found = read_ref(ref), list[tuple[int, str]]()
    for table, state in states.items():
        match = state.match
        former = None if match is None or not match.is_running else read_ref(match.header.ref)
        if former is not None and wanted is not None and former[:2] == wanted[:2] and former.attempt < wanted.attempt:
            found.append((former.attempt, table))
    return max(found)[1] if found else None


def find_free(found: OpenTournament, tournaments: Iterable[OpenTournament], look: Look, now_s: int) -> tuple[str, ...]:
    """The tables of this tournament at which nobody plays and no match of any is called, in their order.

    Those whose boards are away come last: a board may sleep until people are there, and darts can be entered by hand.
    """
    taken = {play.table for each in tournaments for _, play in _list_current(each, now_s)}
    states = {
        each.name: TableState() if each.paper else look(each.name)
        for each in found.tournament.tables
        if not each.paused and each.name not in taken
    }
    free = [name for name, state in states.items() if _is_free(state)]
    return tuple(sorted(free, key=lambda name: states[name].is_board_away))


def find_elsewhere(found: OpenTournament, tournaments: Iterable[OpenTournament], now_s: int) -> set[str]:
    """The keys of the names of those who are called or play in other tournaments than this one."""
    return {
        name_key(name)
        for each in tournaments
        if each is not found
        for match, _ in _list_current(each, now_s)
        for people in each.tournament.find_people(match)
        for name in people
    }


def _list_current(found: OpenTournament, now_s: int) -> Iterator[tuple[str, Play]]:
    """Yields the matches that are called or played, but for those of an evening that was never ended."""
    for match, play in found.tournament.plays.items():
        if play.active and now_s - (play.begun_s or play.called_s or 0) < _FORGOTTEN_S:
            yield match, play


def _is_free(state: TableState) -> bool:
    return not (state.is_away or state.is_busy)


def look_at_tables(found: OpenTournament, titles: Mapping[str, str], look: Look) -> dict[str, TableNow]:
    """How each table of this tournament is now, as its view shows it."""
    ours = {found.make_ref(match) for match, _, _ in found.list_active()}
    now = {}
    for each in found.tournament.tables:
        state = TableState() if each.paper else look(each.name)
        status: Literal["free", "else", "away"] = "free"
        if state.is_away:
            status = "away"
        elif state.is_busy and state.match is not None and find_ref(state.match.header) not in ours:
            status = "else"
        now[each.name] = TableNow(titles.get(each.name, each.name), status, state.is_board_away and status != "away")
    return now
