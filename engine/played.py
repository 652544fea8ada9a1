"""What a match has come to, once it was played: the part of each player, and every dart that counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from engine.game import Better
from engine.games import variant
from engine.match import Match
from engine.tally import Tally


class PlayerPart(Struct, frozen=True):
    """One player's part in a match. `won` is None when the match was stopped.

    `result` is what the player alone has come to where the game compares results over time, and `better` which are the
    better ones; None in matches of several legs, in teams, for players who left, and after a concession.
    """

    player: str
    won: bool | None
    is_bot: bool
    tally: Tally
    result: int | None = None
    better: Better | None = None


class ThrowRow(NamedTuple):
    """A dart that counts. `at` is when it was written (ISO 8601, UTC), `visit_points` what its visit was worth.

    `x_mm` and `y_mm` are where it landed, from the centre of the board (x right, y up), where that was measured.
    """

    match: str
    at: str
    table: str
    game: str
    variant: str
    title: str
    set: int
    leg: int
    round: int
    visit: int
    player: str
    dart: int
    segment: str
    points: int
    visit_points: int
    x_mm: float | None = None
    y_mm: float | None = None


def find_parts(match: Match, with_points: bool = False) -> dict[int, PlayerPart]:
    """The part of every player in a match that is over, by seat; of a stopped match only of players who threw.

    `with_points`: also what the points of the darts come to, if a board has measured any. That plays the match again.
    """
    points: dict[int, dict[str, int]] = {}
    if with_points:
        from engine.points import find_points, has_points  # noqa: PLC0415  a table never needs it

        points = find_points(match) if has_points(match) else {}
    position, stopped = match.position, match.position.stopped
    legs = match.header.format
    is_compared = not (stopped or position.conceded) and legs.legs == legs.sets == 1
    better = match.game.better(match.options) if is_compared else None
    won = {seat for side in position.winners for seat in match.seating.sides[side].seats}
    return {
        seat: PlayerPart(
            player=player,
            won=None if stopped else seat in won,
            is_bot=match.header.bot(seat) is not None,
            tally=(_without_legs(tally) if stopped else tally).count(points.get(seat, {})),
            result=_result(match, seat) if better else None,
            better=better,
        )
        for seat, (player, tally) in enumerate(zip(match.seating.players, position.tallies, strict=True))
        if tally.darts or not stopped
    }


def list_throws(match: Match, name: str, table: str, at: Mapping[int, str]) -> Iterator[ThrowRow]:
    """Yields every dart that counts, in the order thrown. `at` is when each line of the journal was written."""
    played, title = variant(match.game, match.options), match.game.title(match.options)
    for visit in match.list_visits():
        for place, dart in enumerate(visit.darts, 1):
            sensed = dart.sensed
            if sensed is not None and sensed.unread:
                continue
            x, y = (None, None) if sensed is None or sensed.point is None else sensed.point
            yield ThrowRow(
                match=name,
                at=at.get(dart.line, ""),
                table=table,
                game=match.game.id,
                variant=played,
                title=title,
                set=visit.set,
                leg=visit.leg,
                round=visit.round,
                visit=visit.number,
                player=match.seating.players[visit.seat],
                dart=place,
                segment=dart.segment.id,
                points=dart.segment.points,
                visit_points=visit.points,
                x_mm=None if x is None else x / 10,
                y_mm=None if y is None else y / 10,
            )


def _result(match: Match, seat: int) -> int | None:
    """The result of this player; None in a team, and for a side that has left."""
    position = match.position
    side = next(index for index, each in enumerate(match.seating.sides) if seat in each.seats)
    if len(match.seating.sides[side].seats) > 1 or side in position.retired:
        return None
    result: int | None = match.game.result(position.state, side, position.tallies[seat])
    return result


def _without_legs(tally: Tally) -> Tally:
    counts = {name: n for name, n in tally.counts.items() if name not in ("legs", "legs_won", "comebacks")}
    return replace(tally, counts=counts, lows={name: n for name, n in tally.lows.items() if name != "leg"})
