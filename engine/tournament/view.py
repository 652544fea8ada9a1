"""A tournament as pages show it, made from its journal; nothing is kept here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from engine.tournament.fixtures import OF_TABLE, AgainIfBeaten, Drawn, Fixture, LoserOf, PlaceOf, Source, WinnerOf
from engine.tournament.journal import TournamentJournal
from engine.tournament.match_header import find_format
from engine.tournament.places import find_places, number_places
from engine.tournament.state import DECIDED, Entered, Tournament
from protocol.commands import refuse
from protocol.tournament import (
    UNKNOWN,
    Awaited,
    Entrant,
    EntrantView,
    Forecast,
    Input,
    MatchView,
    Place,
    Result,
    Row,
    Seen,
    TableView,
    TakeBack,
    TournamentSummary,
    TournamentView,
)


class TableNow(Struct, frozen=True):
    """What the daemon knows of a table. `status`: it is free, plays something `else`, or is `away`.

    `is_board_away`: its board is not connected.
    """

    title: str
    status: Literal["free", "else", "away"] = "free"
    is_board_away: bool = False


def make_view(
    tournament_id: str,
    made_s: int,
    journal: TournamentJournal,
    tables: Mapping[str, TableNow],
    forecast: Forecast | None = None,
    next_matches: Sequence[str] = (),
    due_s: Mapping[str, int] | None = None,
) -> TournamentView:
    """All of the tournament. `next_matches` are in the order in which they should be called."""
    tournament = journal.tournament
    places = list_places(tournament)
    return TournamentView(
        v=1,
        id=tournament_id,
        line=tournament.line,
        spec=tournament.spec,
        phase=tournament.phase,
        made_s=made_s,
        entrants=tuple(_show_entrant(each) for each in tournament.entrants.values()),
        matches=tuple(_show_matches(tournament, due_s or {})),
        standings=tournament.make_standings(),
        places=tuple(place for place in places if place.entrants),
        tables=tuple(_show_tables(tournament, tables, next_matches)),
        next=tuple(next_matches),
        may=tuple(list_possible(journal)),
        round=_find_round(tournament),
        winner=find_winner(tournament, places),
        ladder=tournament.find_ladder(),
        forecast=forecast,
        undo=journal.find_undo(),
        redo=journal.find_redo(),
        auto=tournament.auto,
        outdated=tuple(tournament.outdated.values()),
    )


def make_summary(tournament_id: str, made_s: int, tournament: Tournament) -> TournamentSummary:
    """The tournament in a list."""
    statuses = [tournament.find_status(match) for match in tournament.list_matches()]
    winner = find_winner(tournament, list_places(tournament))
    return TournamentSummary(
        id=tournament_id,
        name=tournament.spec.name,
        kind=tournament.spec.kind,
        phase=tournament.phase,
        made_s=made_s,
        entrants=len(tournament.drawn or tournament.list_entered()),
        played=sum(status in ("played", "walkover") for status in statuses),
        matches=sum(status not in ("bye", "annulled") for status in statuses),
        winner=None if winner is None else tournament.entrants[winner].name,
    )


def list_places(tournament: Tournament) -> list[Place]:
    """The places of all who took part, the best first; those of a table stand as soon as it is drawn."""
    if not tournament.drawn:
        return []
    kind = tournament.spec.kind
    if kind == "ladder":
        ladder = tournament.find_ladder()
        gone = tuple(each for each in tournament.drawn if each not in ladder)
        return number_places([*((each,) for each in ladder), *((gone,) if gone else ())])
    if kind in ("knock_out", "double_knock_out"):
        return find_places(tournament.fixtures, tournament.resolved)
    tables = tournament.make_standings()
    if kind != "groups":
        return number_places(_share(tables[0].rows))
    through = find_places([each for each in tournament.fixtures if each.stage not in OF_TABLE], tournament.resolved)
    count = through[-1].last if through else 0
    return through + number_places(_share_below(tournament, count), count + 1)


def find_winner(tournament: Tournament, places: Sequence[Place]) -> Entrant | None:
    """Who has won the tournament; None while it is played, and where several share the first place."""
    if not places or places[0].last != 1 or not places[0].entrants:
        return None
    is_table = tournament.spec.kind not in ("knock_out", "double_knock_out", "groups")
    return places[0].entrants[0] if not is_table or tournament.phase == "over" else None


def list_possible(journal: TournamentJournal) -> Iterator[str]:
    """Yields the kinds of inputs that the organiser is offered now, by their `do`."""
    tournament = journal.tournament
    begun = any(tournament.has_begun(each.id) for each in tournament.fixtures)
    if not tournament.ended:
        yield from _list_before_end(tournament, begun)
        if any(play.active for play in tournament.plays.values()):
            yield "set_writer"
    yield "change"
    if tournament.outcomes:
        yield "result"
    if tournament.outcomes or begun:
        yield "take_back"
    if tournament.disputes:
        yield "settle"
    if journal.find_undo() is not None:
        yield "undo"
    if journal.find_redo() is not None:
        yield "redo"


def _list_before_end(tournament: Tournament, begun: bool) -> Iterator[str]:
    spec, entered = tournament.spec, tournament.list_entered()
    yield "enter"
    if entered:
        yield "leave"
    yield "set_tables"
    if len(entered) > 1:
        if spec.drawn and not begun:
            yield "draw_sides"
        if not spec.drawn or tournament.sides:
            yield from list_draws(tournament, begun)
    if tournament.drawn:
        if any(each.id not in tournament.drawn for each in entered):
            yield "seat_late"
        if spec.kind in ("ladder", "open"):
            yield "pair"
        statuses = {tournament.find_status(match) for match in tournament.list_matches()}
        if statuses & {"ready", "called", "playing"}:
            yield "call"
            if not tournament.outcomes:
                yield "result"
        yield "end"


def list_draws(tournament: Tournament, begun: bool) -> Iterator[str]:
    """Yields the draws that may be made now, by their `do`; `begun`: a dart of some match is thrown."""
    kind, resolved = tournament.spec.kind, tournament.resolved
    if kind == "swiss":
        current = [each for each in tournament.fixtures if each.round == tournament.rounds]
        is_over = all(resolved[each.id].how in DECIDED for each in current)
        has_begun = any(tournament.has_begun(each.id) for each in current)
        if (is_over and tournament.rounds < tournament.round_count) or (not is_over and not has_begun):
            yield "draw_round"
    elif kind in ("ladder", "open"):
        yield from () if begun else ("draw_ladder",)
    elif kind in ("round_robin", "groups") and not begun and can_fill_groups(tournament):
        yield "draw_groups"
    if kind in ("knock_out", "double_knock_out") and not begun:
        yield "draw_seats"
    if kind == "groups" and tournament.drawn:
        over = all(resolved[each.id].how in DECIDED for each in tournament.fixtures if each.stage in OF_TABLE)
        if over and not any(tournament.has_begun(e.id) for e in tournament.fixtures if e.stage not in OF_TABLE):
            yield "draw_seats"


def can_fill_groups(tournament: Tournament) -> bool:
    """Whether each group can have two sides, where there are groups."""
    return tournament.spec.kind != "groups" or len(tournament.list_entered()) >= 2 * tournament.spec.groups


def _show_entrant(each: Entered) -> EntrantView:
    return EntrantView(
        id=each.id,
        name=each.name,
        people=each.people,
        seed=each.seed,
        average=each.average,
        darts=each.darts,
        paid=each.paid,
        confirmed=each.confirmed,
        left=each.left,
        members=each.members,
        rating=each.rating,
    )


def _show_matches(tournament: Tournament, due_s: Mapping[str, int]) -> Iterator[MatchView]:
    for fixture in tournament.fixtures:
        yield _show_match(tournament, fixture, fixture.id, None, due_s.get(fixture.id))
        for slot, part in enumerate(tournament.list_parts(fixture.id)):
            yield _show_match(tournament, fixture, part, slot, due_s.get(part))


def _show_match(tournament: Tournament, fixture: Fixture, match: str, slot: int | None, due_s: int | None) -> MatchView:
    sides, status = tournament.find_sides(match), tournament.find_status(match)
    play, (winner, score) = tournament.play(match), _find_result(tournament, match)
    one, other = (
        _await(source) if side == UNKNOWN else None for source, side in zip(fixture.sides, sides, strict=True)
    )
    return MatchView(
        id=match,
        stage=fixture.stage,
        round=fixture.round,
        number=fixture.number,
        sides=sides,
        awaits=(one, other),
        status=status,
        winner=winner,
        score=score,
        table=play.table,
        attempt=play.attempt,
        writer=play.writer,
        group=fixture.group,
        of=None if slot is None else fixture.id,
        slot=slot,
        last=fixture.last,
        due_s=due_s,
        played_s=play.ended_s,
    )


def _find_result(tournament: Tournament, match: str) -> tuple[Entrant | None, tuple[int, int] | None]:
    """Who has won a match, and by which score."""
    outcome, result = tournament.find_outcome(match), tournament.resolved.get(match)
    winner = outcome.winner if outcome is not None else None
    if result is not None:  # else it is a part of a team match
        winner = result.winner if result.winner > 0 else None
    if outcome is None or outcome.walkover:
        return winner, None
    in_sets = any(outcome.sets) and find_format(tournament, match).sets > 1
    return winner, outcome.sets if in_sets else outcome.legs


def check_seen(tournament: Tournament, given: Input, seen: Seen) -> None:
    """Raises IllegalInput for a result, or one that is taken back, of a match that does not stand any more as seen."""
    if isinstance(given, Result | TakeBack) and _find_result(tournament, given.match) != (seen.winner, seen.score):
        raise refuse("tournament.entered_meanwhile", "someone else has entered this match meanwhile: look at it again")


def _await(source: Source) -> Awaited | None:
    match source:
        case WinnerOf(name):
            return "winner", name
        case LoserOf(name):
            return "loser", name
        case AgainIfBeaten(name, side):
            return ("winner", "loser")[1 - side], name
        case PlaceOf(group, place):
            return "place", f"{group + 1}-{place}"
        case Drawn():
            return None


def _show_tables(
    tournament: Tournament, tables: Mapping[str, TableNow], next_matches: Sequence[str]
) -> Iterator[TableView]:
    at = {play.table: match for match, play in tournament.plays.items() if play.active}
    found = []
    for used in tournament.tables:
        now = tables.get(used.name, TableNow(used.name, "free" if used.paper else "away"))
        match = at.get(used.name)
        status: Literal["free", "called", "playing", "else", "away"] = now.status
        if match is not None and now.status == "free":
            status = "called" if tournament.play(match).begun_s is None else "playing"
        found.append(
            TableView(used.name, now.title, used.paper, used.paused, status, match, None, board_away=now.is_board_away)
        )
    free = [each for each in found if each.status == "free" and not each.paused]
    free.sort(key=lambda each: each.board_away)  # which is how they are called
    following = dict(zip((each.name for each in free), next_matches, strict=False))
    for each in found:
        yield replace(each, next=following.get(each.name))


def _find_round(tournament: Tournament) -> int:
    if tournament.spec.kind == "swiss":
        return tournament.rounds
    rounds = [each.round for each in tournament.fixtures if each.stage in OF_TABLE]
    open_rounds = [
        each.round
        for each in tournament.fixtures
        if each.stage in OF_TABLE and tournament.resolved[each.id].how not in DECIDED
    ]
    return min(open_rounds) if open_rounds else max(rounds, default=0)


def _share(rows: Sequence[Row]) -> list[list[Entrant]]:
    shared: dict[int, list[Entrant]] = {}
    for row in rows:
        shared.setdefault(row.place, []).append(row.entrant)
    return list(shared.values())


def _share_below(tournament: Tournament, through: int) -> list[list[Entrant]]:
    """Those who do not go on from their groups, by their places there; UNKNOWN until the groups are over."""
    seated = {
        side
        for each in tournament.fixtures
        if each.stage not in OF_TABLE
        for side in tournament.resolved[each.id].sides
    }
    below = len(tournament.drawn) - through
    if UNKNOWN in _list_first_seats(tournament):
        return [[UNKNOWN] * below] if below else []
    shared: dict[int, list[Entrant]] = {}
    for table in tournament.make_standings():
        for place, row in enumerate(table.rows, 1):
            if row.entrant not in seated:
                shared.setdefault(place, []).append(row.entrant)
    return [shared[place] for place in sorted(shared)]


def _list_first_seats(tournament: Tournament) -> list[Entrant]:
    """Who sits on the seats of the knock-out after groups."""
    return [
        side
        for each in tournament.fixtures
        if each.stage not in OF_TABLE
        for source, side in zip(each.sides, tournament.resolved[each.id].sides, strict=True)
        if isinstance(source, Drawn | PlaceOf)
    ]
