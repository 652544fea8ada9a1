"""What is published of a tournament, made from its view: pure, so that the same view gives the same messages.

Displays on small machines read them, so each has a limit. What does not fit is cut from the lists, never from the JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import NamedTuple, TypeVar

import msgspec
from msgspec import UNSET, Struct, UnsetType

from protocol.tournament import EMPTY, UNKNOWN, Entrant, MatchView, Standings, TournamentView
from protocol.tournament_messages import (
    TournamentEvent,
    TournamentMatch,
    TournamentPlace,
    TournamentPlaces,
    TournamentRound,
    TournamentRow,
    TournamentStandings,
    TournamentState,
    TournamentTable,
)

T = TypeVar("T")

MOST_STATE_BYTES = 4096
MOST_BYTES = 16_384
"""Of a round and of the places; a table has a few hundred."""
_DONE = ("played", "disputed", "walkover", "bye", "annulled")
_WITHOUT_ROUNDS = ("ladder", "open")
"""The kinds of tournaments in which nobody waits for the end of a round."""


class RetainedMessage(NamedTuple):
    """A retained message: its kind of topic, the names in it beside the tournament's, and its value."""

    kind: str
    names: tuple[tuple[str, str], ...]
    value: Struct


def make_messages(view: TournamentView, title: str) -> Iterator[RetainedMessage]:
    """Yields all that is retained of a tournament; `title` is that of its game."""
    of = _Names(view)
    yield RetainedMessage("tournament_state", (), _make_state(view, of, title))
    for number, matches in enumerate(_split_rounds(view), 1):
        yield RetainedMessage("tournament_round", (("round", str(number)),), _make_round(matches, of))
    yield from _make_tables(view, of)
    yield RetainedMessage("tournament_places", (), _make_places(view, of))


def find_events(before: TournamentView, now: TournamentView) -> Iterator[TournamentEvent]:
    """Yields what has happened between two views of a tournament."""
    of, known, name = _Names(now), {match.id: match for match in before.matches}, now.spec.name
    for match in now.matches:
        old = known.get(match.id)
        call = match.status, match.table, match.attempt
        if match.status == "called" and (old is None or (old.status, old.table, old.attempt) != call):
            yield TournamentEvent("called", name, match.id, of.sides(match), match.table or UNSET)
        was_won = old is not None and old.status in _DONE and old.winner == match.winner
        if match.status in ("played", "walkover") and match.winner is not None and not was_won:
            yield TournamentEvent(
                *("match_won", name, match.id, of.sides(match)),
                winner=of[match.winner] or "",
                score=match.score or UNSET,
                walkover=match.status == "walkover",
            )
    if now.spec.kind not in _WITHOUT_ROUNDS:
        over = {(each[0].stage, each[0].round) for each in _split_rounds(before) if _is_over(each)}
        for matches in _split_rounds(now):
            stage, number = matches[0].stage, matches[0].round
            if _is_over(matches) and (stage, number) not in over and any(each.status != "bye" for each in matches):
                yield TournamentEvent("round_over", name, stage=stage, round=number)
    if now.winner is not None and now.winner != before.winner:
        yield TournamentEvent("winner", name, winner=of[now.winner] or "")


class _Names:
    """The names of the sides of a tournament: None for one that is not known yet, "" for nobody."""

    def __init__(self, view: TournamentView) -> None:
        self._names: dict[Entrant, str | None] = {each.id: each.name for each in view.entrants}
        self._names |= {EMPTY: "", UNKNOWN: None}

    def __getitem__(self, entrant: Entrant) -> str | None:
        return self._names.get(entrant)

    def sides(self, match: MatchView) -> tuple[str | None, str | None]:
        return self[match.sides[0]], self[match.sides[1]]

    def match(self, found: MatchView) -> TournamentMatch:
        winner: int | UnsetType = UNSET if found.winner not in found.sides else found.sides.index(found.winner)
        return TournamentMatch(
            found.id,
            self.sides(found),
            found.status,
            UNSET if found.table is None else found.table,
            winner,
            UNSET if found.score is None else found.score,
            UNSET if found.due_s is None else _say_time(found.due_s),
            (found.writer != EMPTY and self[found.writer]) or UNSET,
        )


def _make_state(view: TournamentView, of: _Names, title: str) -> TournamentState:
    known = {match.id: match for match in view.matches}
    calls = [of.match(match) for match in view.matches if match.status in ("called", "playing")]
    following = [of.match(known[each]) for each in view.next if each in known]
    whole = [match for match in view.matches if match.of is None]
    forecast = view.forecast
    state = TournamentState(
        v=1,
        name=view.spec.name,
        kind=view.spec.kind,
        game=title,
        phase=view.phase,
        entrants=sum(not each.left for each in view.entrants),
        matches=len(whole),
        played=sum(match.status in _DONE for match in whole),
        round=view.round,
        calls=(),
        next=(),
        winner=None if view.winner is None else of[view.winner],
        ends=None if forecast is None else _say_time(forecast.end_s),
        ends_early=None if forecast is None else _say_time(forecast.early_s),
        ends_late=None if forecast is None else _say_time(forecast.late_s),
    )
    fitting = _cut(calls + following, state, MOST_STATE_BYTES)
    return msgspec.structs.replace(state, calls=fitting[: len(calls)], next=fitting[len(calls) :])


def _make_round(matches: Sequence[MatchView], of: _Names) -> TournamentRound:
    first = matches[0]
    found = TournamentRound(1, first.stage, first.round, first.last, (), len(matches))
    wanted = sorted(matches, key=_rank_match)  # what is still to be played is left out last
    kept = {each.match for each in _cut([of.match(each) for each in wanted], found, MOST_BYTES)}
    shown = tuple(of.match(each) for each in matches if each.id in kept)
    return msgspec.structs.replace(found, matches=shown, left_out=len(matches) - len(shown))


def _rank_match(match: MatchView) -> int:
    return 2 if match.status == "bye" else 1 if match.status in _DONE else 0


def _make_tables(view: TournamentView, of: _Names) -> Iterator[RetainedMessage]:
    known = {match.id: match for match in view.matches}
    used: set[str] = set()
    for table in sorted(view.tables, key=lambda each: each.paper):  # those with a board keep their names
        name = re.sub("[^a-z0-9]", "-", table.name.lower())
        if name in used:  # of two paper tables that differ in signs alone, the first
            continue
        used.add(name)
        now, then = (known.get(each or "") for each in (table.match, table.next))
        value = TournamentTable(
            *(1, table.name, table.title, table.paper, table.status),
            None if now is None else of.match(now),
            None if then is None else of.match(then),
        )
        yield RetainedMessage("tournament_table", (("table", name),), value)


def _make_places(view: TournamentView, of: _Names) -> TournamentPlaces:
    places = [
        TournamentPlace(each.first, each.last, tuple(of[entrant] or "" for entrant in each.entrants))
        for each in view.places
    ]
    kept = _cut(places, TournamentPlaces(1, (), ()), MOST_BYTES)
    found = TournamentPlaces(1, kept, ())
    return msgspec.structs.replace(
        found, standings=_cut([_make_standings(each, of) for each in view.standings], found, MOST_BYTES)
    )


def _make_standings(standings: Standings, of: _Names) -> TournamentStandings:
    rows = (
        TournamentRow(
            *(each.place, of[each.entrant] or "", each.played, each.won, each.drawn, each.lost, each.legs, each.points)
        )
        for each in standings.rows
    )
    return TournamentStandings(standings.group, tuple(rows))


def _split_rounds(view: TournamentView) -> list[list[MatchView]]:
    """Returns the matches of each round, in the order in which the rounds are known."""
    rounds: dict[tuple[str, int], list[MatchView]] = {}
    for match in view.matches:
        rounds.setdefault((match.stage, match.round), []).append(match)
    return list(rounds.values())


def _is_over(matches: Iterable[MatchView]) -> bool:
    return all(match.status in _DONE for match in matches)


def _cut(items: Sequence[T], around: Struct, most: int) -> tuple[T, ...]:
    """Returns as many of the first items as fit into `most` bytes together with what is `around` them."""
    left = most - len(msgspec.json.encode(around))
    kept = 0
    for item in items:
        left -= len(msgspec.json.encode(item)) + 1  # its comma
        if left < 0:
            break
        kept += 1
    return tuple(items[:kept])


def _say_time(at_s: int) -> str:
    return datetime.fromtimestamp(at_s, UTC).isoformat()
