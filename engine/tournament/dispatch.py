"""Which match is called next, to which table, and who keeps the score there.

Matches are put in an order, and a free table gets the first whose people are free. First come those on which the most
rounds wait, so that nobody waits for one long path at the end; in a table of rounds that is the earlier round. Of
these, those whose people have waited longest. Nobody plays at two tables, and rests count by person, not by side.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from msgspec import Struct

from engine.tournament.state import Tournament
from protocol.player_names import name_key
from protocol.tournament import EMPTY, Call, Entrant

_MOST_READY = 512
"""So many ready matches are looked at, the first of the draw: more than can be called for hours."""


class Waiting(Struct, frozen=True):
    """A match that waits for a table: its people (the keys of their names), and how many rounds wait for it."""

    match: str
    people: frozenset[str]
    depth: int
    place: int


def order_next(tournament: Tournament, now_s: int) -> tuple[str, ...]:
    """The matches that wait for a table, in the order in which they should be called."""
    return tuple(each.match for each in _order(tournament, now_s))


def choose_calls(tournament: Tournament, now_s: int, free_tables: Sequence[str]) -> list[Call]:
    """The calls to make now: to these tables in the order of the tournament, except those that are paused."""
    used = {play.table for play in tournament.plays.values() if play.active}
    usable = [each.name for each in tournament.tables if not each.paused]
    free = [name for name in usable if name in free_tables and name not in used]
    if not free:
        return []
    order = _order(tournament, now_s)
    rested = _find_rested(tournament)
    busy = set(tournament.find_busy())
    chosen: list[Waiting] = []
    for each in order:
        if len(chosen) == len(free):
            break
        if busy.isdisjoint(each.people) and all(rested.get(person, 0) <= now_s for person in each.people):
            chosen.append(each)
            busy |= each.people
    soon = [each for each in order if each not in chosen][: len(usable)]
    writers = _propose_writers(tournament, busy, set(chain.from_iterable(each.people for each in soon)))
    return [Call(each.match, table, next(writers, EMPTY)) for each, table in zip(chosen, free, strict=False)]


def find_depths(tournament: Tournament) -> dict[str, int]:
    """How many rounds wait for each match of the draw, its own included."""
    fixtures = tournament.fixtures
    depths: dict[str, int] = {}
    after: dict[int | None, int] = {}
    last: dict[int | None, int] = {}
    for fixture in fixtures:
        if fixture.stage in ("group", "round"):
            last[fixture.group] = max(last.get(fixture.group, 0), fixture.round)
    for fixture in reversed([*fixtures]):
        if fixture.stage in ("group", "round"):
            if fixture.group not in after:
                waiting = fixtures.of_places.get(fixture.group, ()) if fixture.group is not None else ()
                after[fixture.group] = max((depths[each] for each in waiting), default=0)
            depths[fixture.id] = after[fixture.group] + last[fixture.group] - fixture.round + 1
        else:
            depths[fixture.id] = 1 + max((depths[each] for each in fixtures.dependents.get(fixture.id, ())), default=0)
    return depths


def _order(tournament: Tournament, now_s: int) -> list[Waiting]:
    """The matches that wait for a table, in the order of their calls; those that are called at once share nobody."""
    waiting = list(_list_waiting(tournament))
    busy, rested, since = tournament.find_busy(), _find_rested(tournament), _find_since(tournament)
    later = _find_tired(tournament) | _find_writing(tournament)

    def rank(each: Waiting) -> tuple[bool, bool, int, int, int, int]:
        waits = [since.get(person, 0) for person in each.people]
        blocked = any(person in busy or rested.get(person, 0) > now_s for person in each.people)
        return blocked, not later.isdisjoint(each.people), -each.depth, max(waits), sum(waits), each.place

    rest = sorted(waiting, key=rank)
    tables = max(1, sum(not each.paused for each in tournament.tables))
    ordered: list[Waiting] = []
    while rest and len(ordered) < 3 * tables:  # what comes later is not worth the time
        at_once: set[str] = set()
        for each in [*rest]:
            if at_once.isdisjoint(each.people):
                at_once |= each.people
                ordered.append(each)
                rest.remove(each)
    return ordered + rest


def _list_waiting(tournament: Tournament) -> Iterator[Waiting]:
    depths = find_depths(tournament)
    found = 0
    for place, match in enumerate(tournament.list_matches()):
        if found == _MOST_READY:
            return
        fixture = tournament.find_fixture(match)
        if fixture is None or tournament.resolved[fixture.id].how != "ready":
            continue
        if tournament.find_status(match) == "ready":
            found += 1
            yield Waiting(match, _list_people(tournament, match), depths[fixture.id], place)


def _list_people(tournament: Tournament, match: str) -> frozenset[str]:
    return frozenset(name_key(name) for people in tournament.find_people(match) for name in people)


def _list_ended(tournament: Tournament) -> list[tuple[int, str]]:
    """When each match that was played ended, and its id; the latest first."""
    ended = [(play.ended_s, match) for match, play in tournament.plays.items() if play.begun_s is not None]
    return sorted(((at_s, match) for at_s, match in ended if at_s is not None), reverse=True)


def _find_since(tournament: Tournament) -> Mapping[str, int]:
    """How many matches had ended when each person's latest one did; who has not played is left out."""
    ended = _list_ended(tournament)
    since: dict[str, int] = {}
    for number, (_, match) in enumerate(reversed(ended), 1):
        since.update(dict.fromkeys(_list_people(tournament, match), number))
    return since


def _find_rested(tournament: Tournament) -> Mapping[str, int]:
    """From when on each person may play again."""
    rested: dict[str, int] = {}
    if tournament.spec.rest_s:
        for ended_s, match in reversed(_list_ended(tournament)):
            rested.update(dict.fromkeys(_list_people(tournament, match), ended_s + tournament.spec.rest_s))
    return rested


def _find_tired(tournament: Tournament) -> frozenset[str]:
    """Who has played both of the latest two matches at the only table."""
    latest = _list_ended(tournament)[:2]
    if len(tournament.tables) != 1 or len(latest) < 2:
        return frozenset()
    one, other = (_list_people(tournament, match) for _, match in latest)
    return one & other


def _find_writing(tournament: Tournament) -> frozenset[str]:
    """Who keeps the score at a table."""
    writers = [play.writer for play in tournament.plays.values() if play.active and play.writer != EMPTY]
    return frozenset(name_key(name) for writer in writers for name in tournament.entrants[writer].people)


def _propose_writers(tournament: Tournament, playing: Iterable[str], soon: set[str]) -> Iterator[Entrant]:
    """Yields those who may keep the score: who lost last comes first, then who has done so least often.

    They do not play now, and better not soon either.
    """
    now = _find_writing(tournament).union(playing)
    lost: dict[Entrant, int] = {}
    for number, (_, match) in enumerate(reversed(_list_ended(tournament)), 1):
        outcome = tournament.find_outcome(match)
        if outcome is not None and outcome.winner is not None:
            lost[outcome.sides[0] if outcome.winner == outcome.sides[1] else outcome.sides[1]] = number
    written: dict[Entrant, int] = {}
    for play in tournament.plays.values():
        written[play.writer] = written.get(play.writer, 0) + 1
    may = [
        (not soon.isdisjoint(people), -lost.get(entrant, 0), written.get(entrant, 0), place, entrant)
        for place, entrant in enumerate(tournament.drawn)
        if not tournament.entrants[entrant].left
        and now.isdisjoint(people := {name_key(name) for name in tournament.entrants[entrant].people})
    ]
    return (entrant for *_, entrant in sorted(may))
