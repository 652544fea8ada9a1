"""A match of a tournament as a table plays it: the header of its record, and its end as a result of the tournament.

Who throws first is dealt when a match is first called, and stays. A result is told by the people, whatever the order of
the sides in the record.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.order import put_in_order
from engine.tournament.fixtures import OF_TABLE
from engine.tournament.state import Tournament
from protocol.commands import refuse
from protocol.match_spec import Format, MatchSpec
from protocol.player_names import name_key
from protocol.tournament import Result


def make_header(tournament: Tournament, match: str, ref: str) -> MatchSpec:
    """The header of the match; the side that throws first comes first. Raises IllegalInput without two known sides."""
    sides = tournament.find_sides(match)
    if min(sides) <= 0:
        raise refuse("tournament.not_ready", "{given} is over, or its sides are not known yet", given=match)
    home, away = tournament.find_called(match)
    names = tuple(tournament.entrants[side].given_name for side in sides)
    players = (*home, *away)
    spec = tournament.spec
    game, options = spec.game, dict(spec.options)
    part = tournament.fixtures.parts.get(match)
    if part is not None:
        slot = spec.slots[part[1]]
        options = dict(slot.options) if slot.game is not None else {**options, **slot.options}
        game = slot.game or game
    is_alone = len(players) == 2
    header = MatchSpec(
        game,
        players,
        options,
        None if is_alone else (tuple(range(len(home))), tuple(range(len(home), len(players)))),
        names if any(names) and (spec.slots or not is_alone) else None,
        find_format(tournament, match),
        ref=ref,
    )
    return put_in_order(header, (1, 0)) if tournament.play(match).first == sides[1] else header


def find_order(tournament: Tournament) -> str | None:
    """The `order` of the start: bull where the bull decides who begins."""
    return "bull" if tournament.spec.first == "bull" else None


def find_format(tournament: Tournament, match: str) -> Format:
    """The format of the match by its stage and round; of one that was drawn in a knock-out, one deciding leg."""
    spec, fixture = tournament.spec, tournament.find_fixture(match)
    if fixture is None:
        return spec.format
    names = [f"{fixture.stage}-{fixture.round}", fixture.stage]
    if fixture.last is not None:
        names.insert(0, f"last-{fixture.last}")
    format = next((spec.formats[name] for name in names if name in spec.formats), spec.format)
    drawn = tournament.find_outcome(match)
    decides = fixture.stage not in OF_TABLE and match == fixture.id and drawn is not None and drawn.winner is None
    return Format(first=format.first) if decides else format


def read_result(
    tournament: Tournament,
    match: str,
    header: MatchSpec,
    winners: Sequence[int],
    legs: Sequence[int],
    sets: Sequence[int],
    points: Sequence[int],
    darts: Sequence[int],
    attempt: int | None = None,
    record: str = "",
) -> Result:
    """The result that a record tells: all but `match` by the sides of its header. Raises IllegalInput for other people.

    One winner is the winner; none or both: a draw.
    """
    sides = tournament.find_sides(match)
    wanted = [{name_key(name) for name in people} for people in tournament.find_called(match)]
    teams = header.teams if header.teams is not None else tuple((seat,) for seat in range(len(header.players)))
    played = [{name_key(header.players[seat]) for seat in team} for team in teams]
    if min(sides) <= 0 or sorted(map(sorted, played)) != sorted(map(sorted, wanted)):
        raise refuse(
            "tournament.other_people",
            "other people have played than those of {given}",
            given=tournament.name_match(match),
        )
    one, other = (played.index(people) for people in wanted)
    return Result(
        match,
        sides,
        sides[(one, other).index(winners[0])] if len(winners) == 1 else None,
        (legs[one], legs[other]),
        (sets[one], sets[other]) if header.format.sets > 1 else (0, 0),
        (points[one], points[other]),
        (darts[one], darts[other]),
        attempt,
        record,
    )
