"""Which match is called next, to which table, and who keeps the score there.

Matches are put in an order, and a free table gets the first whose people are free. First come those on which the most
rounds wait, so that nobody waits for one long path at the end; in a table of rounds that is the earlier round. Of
these, those whose people have waited longest. Nobody plays at two tables, and rests count by person, not by side.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain

from msgspec import Struct

from engine.tournament.state import Tournament
from protocol.player_names import name_key
from protocol.tournament import EMPTY, Call, Entrant

_MOST_READY = 256
"""So many ready matches are looked at, the first of the draw: more than can be called for hours."""


class Waiting(Struct, frozen=True):
    """A match that waits for a table: its people (the keys of their names), and how many rounds wait for it."""

    match: str
    people: frozenset[str]
    depth: int
    place: int


def order_next(tournament: Tournament, now_s: int) -> tuple[str, ...]:
    """The matches that wait for a table, in the order in which they should be called."""
    return tuple(each.match for each in _order(tournament, now_s, _find_played(tournament)))


def choose_calls(
    tournament: Tournament, now_s: int, free_tables: Sequence[str], elsewhere: Collection[str] = ()
) -> list[Call]:
    """The calls to make now: to these tables the first ones first, except those that are paused.

    `elsewhere` has the keys of the names of people who play in other tournaments now.
    """
    used = {play.table for play in tournament.plays.values() if play.active}
    usable = [each.name for each in tournament.tables if not each.paused]
    free = [name for name in free_tables if name in usable and name not in used]
    if not free:
        return []
    played = _find_played(tournament)
    order = _order(tournament, now_s, played)
    busy = _find_busy(tournament, now_s, played).union(elsewhere)
    chosen: list[Waiting] = []
    for each in order:
        if len(chosen) == len(free):
            break
        if busy.isdisjoint(each.people):
            chosen.append(each)
            busy |= each.people
    writers = _propose_writers(tournament, played, order, chosen, elsewhere)
    return [Call(each.match, table, next(writers, EMPTY)) for each, table in zip(chosen, free, strict=False)]


def propose_writer(tournament: Tournament, match: str, now_s: int, elsewhere: Collection[str] = ()) -> Entrant:
    """Who is to keep the score of a match that is called by hand: who does so already, or may; EMPTY: nobody.

    `elsewhere` is as in `choose_calls`.
    """
    if (play := tournament.play(match)).active and play.writer != EMPTY:
        return play.writer
    played = _find_played(tournament)
    order = _order(tournament, now_s, played)
    unlisted = Waiting(match, _People(tournament)(match), 0, 0)  # of very many matches not all are in the order
    chosen = [next((each for each in order if each.match == match), unlisted)]
    return next(_propose_writers(tournament, played, order, chosen, elsewhere), EMPTY)


def _order(tournament: Tournament, now_s: int, played: _Played) -> list[Waiting]:
    """The matches that wait for a table, in the order of their calls; those that are called at once share nobody."""
    busy = _find_busy(tournament, now_s, played)
    later = _find_tired(tournament, played) | _find_writing(tournament)

    def rank(each: Waiting) -> tuple[bool, bool, int, int, int, int]:
        waits = [played.since.get(person, 0) for person in each.people]
        is_blocked = not busy.isdisjoint(each.people)
        return is_blocked, not later.isdisjoint(each.people), -each.depth, max(waits), sum(waits), each.place

    rest = sorted(_list_waiting(tournament), key=rank)
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
    fixtures = tournament.fixtures
    find_people = _People(tournament)
    found = 0
    for name, depth in fixtures.depths.items():
        if found >= _MOST_READY:
            return
        if tournament.resolved[name].how == "ready":
            for match in tournament.list_parts(name) or (name,):
                if tournament.find_status(match) == "ready":
                    found += 1
                    yield Waiting(match, find_people(match), depth, fixtures.order[name])


class _People:
    """The keys of the names of those who play a match; those of each side are made once."""

    def __init__(self, tournament: Tournament) -> None:
        self._tournament = tournament
        self._keys: dict[tuple[str, ...], frozenset[str]] = {}

    def __call__(self, match: str) -> frozenset[str]:
        one, other = self._tournament.find_people(match)
        return self._make_keys(one) | self._make_keys(other)

    def _make_keys(self, people: tuple[str, ...]) -> frozenset[str]:
        if people not in self._keys:
            self._keys[people] = frozenset(map(name_key, people))
        return self._keys[people]


class _Played(Struct, frozen=True):
    """The matches that were played, the latest first.

    `since` has for each person who has played how many matches had ended with the latest one, `ended_s` when that was.
    """

    matches: tuple[str, ...]
    since: Mapping[str, int]
    ended_s: Mapping[str, int]


def _find_played(tournament: Tournament) -> _Played:
    plays = [(play.ended_s, match) for match, play in tournament.plays.items() if play.begun_s is not None]
    ended = sorted(((at_s, match) for at_s, match in plays if at_s is not None), reverse=True)
    find_people = _People(tournament)
    since: dict[str, int] = {}
    ended_s: dict[str, int] = {}
    for number, (at_s, match) in enumerate(ended):
        for person in find_people(match):
            if person not in since:
                since[person], ended_s[person] = len(ended) - number, at_s
    return _Played(tuple(match for _, match in ended), since, ended_s)


def _find_tired(tournament: Tournament, played: _Played) -> frozenset[str]:
    """Who has played both of the latest two matches at the only table."""
    if len(tournament.tables) != 1 or len(played.matches) < 2:
        return frozenset()
    one, other = map(_People(tournament), played.matches[:2])
    return one & other


def _find_busy(tournament: Tournament, now_s: int, played: _Played) -> set[str]:
    """Who plays or rests. After a clock was set back nobody rests from a match that ends in its future."""
    rest_s = tournament.spec.rest_s
    resting = {person for person, ended_s in played.ended_s.items() if 0 <= now_s - ended_s < rest_s}
    return resting.union(tournament.find_busy())


def _find_writing(tournament: Tournament) -> frozenset[str]:
    """Who keeps the score at a table."""
    writers = [play.writer for play in tournament.plays.values() if play.active and play.writer != EMPTY]
    return frozenset(name_key(name) for writer in writers for name in tournament.entrants[writer].people)


def _propose_writers(
    tournament: Tournament,
    played: _Played,
    order: Sequence[Waiting],
    chosen: Sequence[Waiting],
    elsewhere: Collection[str],
) -> Iterator[Entrant]:
    """Yields those who may keep the score of the chosen ones: who lost last comes first, then who has least often.

    They do not play now, and better not soon either.
    """
    tables = sum(not each.paused for each in tournament.tables)
    following = [each for each in order if each not in chosen][:tables]
    soon = set(chain.from_iterable(each.people for each in following))
    now = _find_writing(tournament) | tournament.find_busy().keys() | set(elsewhere)
    now |= set(chain.from_iterable(each.people for each in chosen))
    lost: dict[Entrant, int] = {}
    for number, match in enumerate(reversed(played.matches), 1):
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
