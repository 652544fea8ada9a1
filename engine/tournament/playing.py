"""Matches at tables: calls, first darts, results, and what becomes of a result that comes after others have begun."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from msgspec.structs import replace

from engine.tournament.entering import find_entrant
from engine.tournament.fixtures import OF_TABLE, Outcome
from engine.tournament.state import Play, Tournament, find_changed, follow, forget_play, refuse_begun
from protocol.commands import IllegalInput, refuse
from protocol.player_names import name_key
from protocol.tournament import (
    EMPTY,
    MOST_TABLES,
    Begin,
    Call,
    Entrant,
    OldAttempt,
    Outdated,
    Result,
    SetTables,
    SetWriter,
    TableUse,
    TakeBack,
)

K = TypeVar("K")
V = TypeVar("V")


def set_tables(tournament: Tournament, given: SetTables) -> Tournament:
    """Sets which tables play."""
    names = [table.name for table in given.tables]
    if len(names) > MOST_TABLES:
        raise refuse("tournament.tables", "a tournament has at most {most} tables", most=MOST_TABLES)
    if len(set(names)) < len(names):
        raise refuse("tournament.tables_twice", "each table can be named only once")
    for match, play in tournament.plays.items():
        if play.active and play.table not in names:
            raise refuse(
                "tournament.table_used",
                "table {name} is used: {given}",
                name=play.table or "",
                given=tournament.name_match(match),
            )
    return replace(tournament, tables=given.tables, auto=given.auto)


def call(tournament: Tournament, given: Call, at_s: int) -> Tournament:
    """Calls a match to a table, moves it to another one, or calls it back."""
    match, play = given.match, tournament.play(given.match)
    _check_match(tournament, match)
    if tournament.spec.slots and match in tournament.fixtures.by_id:
        raise refuse("tournament.parts", "of a team match the parts are called, each by itself")
    if given.table is None:
        if not play.active:
            raise refuse("tournament.not_called", "{given} is not called", given=tournament.name_match(match))
        back = Play(tournament.calls[match], first=play.first)
        return replace(tournament, plays={**tournament.plays, match: back})
    status = tournament.find_status(match)
    if status not in ("ready", "called", "playing"):
        raise refuse(
            "tournament.not_ready",
            "{given} is over, or its sides are not known yet",
            given=tournament.name_match(match),
        )
    if given.writer != EMPTY:
        find_entrant(tournament, given.writer)
    _find_table(tournament, given.table)
    _check_free(tournament, match, given.table)
    called = Play(
        tournament.calls[match],
        given.table,
        given.writer,
        active=True,
        called_s=at_s,
        moved=play.active and (play.moved or play.begun_s is not None),
        first=_deal_first(tournament, match, play),
        sides=tournament.find_sides(match),
        people=tournament.find_people(match),
    )
    return replace(tournament, plays={**tournament.plays, match: called})


def set_writer(tournament: Tournament, given: SetWriter) -> Tournament:
    """Has someone keep the score of a match that is called or played, or nobody."""
    match, play = given.match, tournament.play(given.match)
    _check_match(tournament, match)
    if not play.active:
        raise refuse("tournament.not_called", "{given} is not called", given=tournament.name_match(match))
    if given.writer != EMPTY:
        busy = tournament.find_busy()
        for name in find_entrant(tournament, given.writer).people:
            if (plays := busy.get(name_key(name))) is not None:
                raise _refuse_playing(tournament, name, plays)
    written = replace(play, writer=given.writer)
    return replace(tournament, plays={**tournament.plays, match: written})


def begin(tournament: Tournament, given: Begin, at_s: int) -> Tournament:
    """Marks the first dart of a match."""
    play = _check_attempt(tournament, given.match, given.attempt)
    if not play.active or play.begun_s is not None:
        return tournament
    begun = replace(play, begun_s=at_s)
    return replace(tournament, plays={**tournament.plays, given.match: begun})


def end_match(tournament: Tournament, given: Result, at_s: int) -> Tournament:
    """Takes a result: from the organiser, or from the table that plays the match."""
    match = given.match
    _check_match(tournament, match)
    _check_result(tournament, given)
    play = tournament.play(match) if given.attempt is None else _check_attempt(tournament, match, given.attempt)
    outcome = _make_outcome(tournament, given)
    is_new = tournament.find_outcome(match) is None or play.active
    ended = replace(
        play,
        active=False,
        begun_s=at_s if play.begun_s is None and not given.walkover else play.begun_s,
        ended_s=at_s if is_new or play.ended_s is None else play.ended_s,
        record=given.record or play.record,
    )
    over = replace(
        tournament,
        plays={**tournament.plays, match: ended},
        disputes=_without(tournament.disputes, match),
        outdated=_without(tournament.outdated, (match, given.attempt or 0, play.table or "")),
    )
    after = _set_outcome(over, match, outcome)
    if (begun := find_changed(tournament, after)) is None:
        return after
    if given.attempt is None:
        raise refuse_begun(tournament, begun)
    return replace(over, disputes={**tournament.disputes, match: outcome})


def take_back(tournament: Tournament, given: TakeBack, at_s: int) -> Tournament:
    """Takes the result of a match back; its table plays on where it says so itself."""
    match = given.match
    _check_match(tournament, match)
    if given.attempt is not None:
        play = _check_attempt(tournament, match, given.attempt)
        if play.ended_s is None:
            return tournament
        tournament = _call_others_back(tournament, match, play)
        play = replace(play, active=True, ended_s=None, begun_s=at_s if play.begun_s is None else play.begun_s)
    elif tournament.find_outcome(match) is None and not tournament.has_begun(match):
        raise refuse("tournament.no_result", "{given} has no result", given=tournament.name_match(match))
    else:
        play = forget_play(tournament.play(match))
    again = replace(tournament, plays={**tournament.plays, match: play}, disputes=_without(tournament.disputes, match))
    after = _set_outcome(again, match, None)
    changed = find_changed(tournament, after)
    if changed is None or changed == match:
        return after
    if given.attempt is None:
        raise refuse_begun(tournament, changed)
    return replace(again, disputes={**tournament.disputes, match: None})


def note_outdated(tournament: Tournament, given: Outdated) -> Tournament:
    """Notes how an attempt ended that counts nowhere, or that it goes on."""
    said = given.said
    _check_match(tournament, said.match)
    key = said.match, said.attempt or 0, given.table
    outdated = _without(tournament.outdated, key)
    if isinstance(said, Result):
        outdated[key] = OldAttempt(*key, said.winner, said.sets if any(said.sets) else said.legs)
    return replace(tournament, outdated=outdated)


def _call_others_back(tournament: Tournament, match: str, play: Play) -> Tournament:
    """The tournament without calls of these people, or to this table, that have not begun: they play on."""
    people = {name_key(name) for side in tournament.find_people(match) for name in side}
    plays = dict(tournament.plays)
    for other, called in tournament.plays.items():
        if called.active and other != match and not called.is_thrown:
            keys = {name_key(name) for side in tournament.find_people(other) for name in side}
            if called.table == play.table or not people.isdisjoint(keys):
                plays[other] = forget_play(called)
    return replace(tournament, plays=plays)


def end(tournament: Tournament) -> Tournament:
    """Ends the tournament; what has begun at a table still counts when it is over there."""
    plays = {
        match: forget_play(play) if play.active and not play.is_thrown else play
        for match, play in tournament.plays.items()
    }
    return replace(tournament, plays=plays, ended=True)


def settle(tournament: Tournament, match: str) -> Tournament:
    """Lets the result stand on which others have begun."""
    if match not in tournament.disputes:
        raise refuse("tournament.no_dispute", "{given} is not disputed", given=tournament.name_match(match))
    stands = replace(tournament, disputes=_without(tournament.disputes, match))
    return follow(stands, [])


def settle_disputes(tournament: Tournament) -> Tournament:
    """Takes over what a table said of a disputed match as soon as no match that has begun is in its way."""
    for match, outcome in tournament.disputes.items():
        without = replace(tournament, disputes=_without(tournament.disputes, match))
        after = _set_outcome(without, match, outcome)
        if find_changed(tournament, after) is None:
            tournament = after
    return tournament


def _check_match(tournament: Tournament, match: str) -> None:
    if tournament.find_fixture(match) is None:
        raise refuse("tournament.no_match", "there is no match {given}", given=match)


def _check_attempt(tournament: Tournament, match: str, attempt: int) -> Play:
    _check_match(tournament, match)
    play = tournament.play(match)
    if play.attempt != attempt or play.called_s is None:
        raise refuse(
            "tournament.old_attempt",
            "{given} has been called again since, or called back",
            given=tournament.name_match(match),
        )
    return play


def _check_result(tournament: Tournament, given: Result) -> None:
    name = tournament.name_match(given.match)
    sides = tournament.find_sides(given.match)
    fixture = tournament.find_fixture(given.match)
    of_table = fixture is not None and fixture.stage in OF_TABLE
    struck = of_table and any(side > 0 and tournament.entrants[side].annulled for side in sides)
    if given.sides != sides or min(sides) <= 0 or struck:
        raise refuse("tournament.other_sides", "{given} is not a match of these sides now", given=name)
    if given.winner is not None and given.winner not in sides:
        raise refuse("tournament.other_winner", "the winner is none of the two sides")
    is_known = tournament.play(given.match).active or tournament.find_outcome(given.match) is not None
    if tournament.ended and not is_known:
        raise refuse("tournament.over", "the tournament is over")
    if given.winner is None:
        is_part = given.match in tournament.fixtures.parts
        if given.walkover or (given.attempt is None and not is_part and not of_table):
            raise refuse("tournament.no_draw", "a match of a knock-out needs a winner")
        return
    score = given.sets if any(given.sets) else given.legs
    mine = score[sides.index(given.winner)]
    if not given.walkover and given.attempt is None and mine < max(score):
        raise refuse("tournament.fewer", "the winner cannot have won less than the other side")


def _make_outcome(tournament: Tournament, given: Result) -> Outcome:
    """The outcome; that of a deciding leg has the figures of the drawn match added."""
    attempt = tournament.play(given.match).attempt
    drawn = _find_drawn(tournament, given, attempt)
    add = (0, 0), (0, 0), (0, 0), (0, 0)
    legs, sets, points, darts = (drawn.legs, drawn.sets, drawn.points, drawn.darts) if drawn is not None else add
    return Outcome(
        given.sides,
        given.winner,
        _add(given.legs, legs),
        _add(given.points, points),
        _add(given.darts, darts),
        _add(given.sets, sets),
        given.walkover,
        attempt,
        drawn,
        by_hand=given.attempt is None,
    )


def _find_drawn(tournament: Tournament, given: Result, attempt: int) -> Outcome | None:
    """The drawn match of a knock-out that a table has now decided by one more leg; None where it is not so."""
    fixture, before = tournament.find_fixture(given.match), tournament.find_outcome(given.match)
    if fixture is None or fixture.stage in OF_TABLE or fixture.id != given.match or given.attempt is None:
        return None
    if before is not None and before.winner is not None:
        before = before.drawn
    return before if before is not None and before.attempt < attempt else None


def _add(given: tuple[int, int], more: tuple[int, int]) -> tuple[int, int]:
    return (given[0] + more[0], given[1] + more[1])


def _set_outcome(tournament: Tournament, match: str, outcome: Outcome | None) -> Tournament:
    """The tournament with this outcome, or without one, and all that follows from it."""
    outcomes = _without(tournament.outcomes, match)
    if outcome is not None:
        outcomes[match] = outcome
    after = replace(tournament, outcomes=outcomes)
    part = tournament.fixtures.parts.get(match)
    if part is None:
        return follow(after, [match])
    whole = part[0]
    sums = _without(tournament.sums, whole)
    if (total := _sum_up(after, whole)) is not None:
        sums[whole] = total
    return follow(replace(after, sums=sums), [whole])


def _sum_up(tournament: Tournament, whole: str) -> Outcome | None:
    """What the parts of a team match come to; None while it is not decided. `legs` are the points for the slots.

    In a knock-out it is over as soon as the points that are left cannot change the winner.
    """
    sides = tournament.find_sides(whole)
    scores, points, darts, left = [0, 0], [0, 0], [0, 0], 0
    for slot, part in zip(tournament.spec.slots, tournament.list_parts(whole), strict=True):
        outcome = tournament.find_outcome(part)
        if outcome is None:
            left += slot.points
            continue
        for at, side in enumerate(sides):
            scores[at] += slot.points * (outcome.winner == side)
            points[at] += outcome.points[at]
            darts[at] += outcome.darts[at]
    lead = abs(scores[0] - scores[1])
    if left and (tournament.fixtures.by_id[whole].stage in OF_TABLE or lead <= left):
        return None
    winner = None if not lead else sides[scores[1] > scores[0]]
    return Outcome(
        sides, winner, legs=(scores[0], scores[1]), points=(points[0], points[1]), darts=(darts[0], darts[1])
    )


def _find_table(tournament: Tournament, name: str) -> TableUse:
    for table in tournament.tables:
        if table.name == name:
            return table
    raise refuse("tournament.no_table", "this tournament has no table {name}", name=name)


def _check_free(tournament: Tournament, match: str, table: str) -> None:
    """Raises IllegalInput where the table or one of the people has another match now."""
    for other, play in tournament.plays.items():
        if play.active and other != match and play.table == table:
            named = tournament.name_match(other)
            raise refuse("tournament.table_used", "table {name} is used: {given}", name=table, given=named)
    busy = tournament.find_busy()
    for people in tournament.find_people(match):
        for name in people:
            if busy.get(name_key(name), match) != match:
                raise _refuse_playing(tournament, name, busy[name_key(name)])


def _refuse_playing(tournament: Tournament, name: str, match: str) -> IllegalInput:
    """The refusal of someone who is called or plays in this match."""
    return refuse("tournament.plays_now", "{name} plays now: {given}", name=name, given=tournament.name_match(match))


def _deal_first(tournament: Tournament, match: str, play: Play) -> Entrant:
    """Who throws first: in Berger's tables the first named, elsewhere who has done so less often."""
    sides = tournament.find_sides(match)
    if play.first in sides:
        return play.first
    fixture = tournament.find_fixture(match)
    if fixture is not None and (fixture.stage == "group" or tournament.spec.kind == "round_robin"):
        slot = tournament.fixtures.parts.get(match, ("", 0))[1]
        return sides[slot % 2]
    balance = dict.fromkeys(sides, 0)
    for other, played in tournament.plays.items():
        met = tournament.find_sides(other)
        for side in sides:
            if side in met and played.first in met:
                balance[side] += 1 if played.first == side else -1
    number = 0 if fixture is None else fixture.number + fixture.round
    one, two = sides if number % 2 == 0 else sides[::-1]
    return one if balance[one] <= balance[two] else two


def _without(of: Mapping[K, V], gone: K) -> dict[K, V]:
    return {name: value for name, value in of.items() if name != gone}
