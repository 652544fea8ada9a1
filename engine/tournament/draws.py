"""The draw that an organiser is proposed: it becomes one only when the organiser enters it, and then it stays.

Luck is a hash of a text, so a proposal can be made again. Whom nothing ranks is drawn; the others are seeded before
them, by the number that the organiser gave, by their average, or by their rating.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from engine.luck import Luck
from engine.tournament.drawing import refuse_groups
from engine.tournament.fixtures import Fixtures
from engine.tournament.knockout import seat_entrants
from engine.tournament.rotation import deal_snake
from engine.tournament.state import DECIDED, Entered, Tournament, make_group_rows
from engine.tournament.swiss import pair_round
from engine.tournament.view import can_fill_groups, list_draws
from protocol.tournament import DrawGroups, DrawLadder, DrawRound, DrawSeats, DrawSides, Entrant, Input

FEWEST_DARTS = 45
"""An average of fewer darts seeds nobody."""


def propose_draw(tournament: Tournament, seed: str) -> Input | None:
    """The draw that comes next, drawn from `seed`, or the latest one anew while no dart of it is thrown; else None.

    Raises IllegalInput where fewer have entered than the groups need.
    """
    entered = tournament.list_entered()
    if tournament.ended or len(entered) < 2:
        return None
    ranked = _rank(tournament, entered, Luck(seed, 0))
    if tournament.spec.drawn and not tournament.sides:
        return DrawSides(deal_snake(ranked, max(2, -(-len(ranked) // tournament.spec.side))))
    if not tournament.drawn and not can_fill_groups(tournament):
        raise refuse_groups(tournament.spec)
    begun = any(tournament.has_begun(each.id) for each in tournament.fixtures)
    match next(iter(list_draws(tournament, begun)), None):
        case "draw_groups":
            return DrawGroups(deal_snake(ranked, tournament.spec.groups if tournament.spec.kind == "groups" else 1))
        case "draw_seats" if tournament.spec.kind != "groups":
            return DrawSeats(seat_entrants(ranked))
        case "draw_round":
            return _pair(tournament, ranked)
        case "draw_ladder":
            return DrawLadder(tuple(ranked))
        case _:
            return None


def _rank(tournament: Tournament, entered: Sequence[Entered], luck: Luck) -> list[Entrant]:
    """Those who are seeded, the best first, then the others as they are drawn; equal ones are drawn too."""
    drawn = luck.shuffled("draw", entered)
    seeds: Mapping[Entrant, tuple[int, float] | None]
    match tournament.spec.seeding:
        case "hand":
            seeds = {each.id: None if each.seed is None else (0, each.seed) for each in drawn}
        case "average":
            seeds = {each.id: _find_average(tournament, each) for each in drawn}
        case "rating":
            seeds = {each.id: _find_rating(tournament, each) or _find_average(tournament, each) for each in drawn}
        case "draw":
            seeds = {}
    seeded = [(seed, each.id) for each in drawn if (seed := seeds.get(each.id)) is not None]
    best_first = sorted(seeded, key=lambda pair: pair[0])
    return [entrant for _, entrant in best_first] + [each.id for each in drawn if seeds.get(each.id) is None]


def _find_rating(tournament: Tournament, entered: Entered) -> tuple[int, float] | None:
    """Minus the mean rating of the side, so that the best comes first; None where one of them has none."""
    members = [tournament.entrants[member] for member in entered.members] or [entered]
    known = [each.rating for each in members if each.rating is not None]
    return (0, -sum(known) / len(known)) if len(known) == len(members) else None


def _find_average(tournament: Tournament, entered: Entered) -> tuple[int, float] | None:
    """Minus the average of the side, after all ratings; None where too little is known."""
    members = [tournament.entrants[member] for member in entered.members] or [entered]
    known = [each.average for each in members if each.average is not None and each.darts >= FEWEST_DARTS]
    return (1, -sum(known) / len(known)) if known else None


def _pair(tournament: Tournament, ranked: Sequence[Entrant]) -> DrawRound:
    """The next round of a Swiss tournament, or the current one anew while it is open."""
    current = [each for each in tournament.fixtures if each.round == tournament.rounds]
    is_open = any(tournament.resolved[each.id].how not in DECIDED for each in current)
    kept = [each for each in tournament.fixtures if not is_open or each.round < tournament.rounds]
    before = replace(tournament, fixtures=Fixtures(kept, len(tournament.spec.slots)))
    played = [tournament.resolved[each.id] for each in kept]
    met: dict[frozenset[Entrant], int] = {}
    byes: dict[Entrant, int] = {}
    for result in played:
        if result.how == "bye":
            byes[result.winner] = byes.get(result.winner, 0) + 1
        else:
            met[frozenset(result.sides)] = met.get(frozenset(result.sides), 0) + 1
    if not kept:
        return DrawRound(*pair_round(ranked, dict.fromkeys(ranked, 0), {}, {}))
    points = {row.entrant: row.points for row in make_group_rows(before, None, tournament.resolved)}
    playing = [each for each in _list_in_order(tournament) if not tournament.entrants[each].left]
    order = sorted(playing, key=lambda entrant: -points[entrant])
    return DrawRound(*pair_round(order, points, met, byes))


def _list_in_order(tournament: Tournament) -> list[Entrant]:
    """Those who take part in the order in which they were seeded, as the pairs of the first round tell it."""
    first = [tournament.resolved[each.id].sides for each in tournament.fixtures if each.round == 1]
    seeded = [sides[0] for sides in first if min(sides) > 0] + [sides[1] for sides in first if min(sides) > 0]
    return seeded + [each for each in tournament.drawn if each not in seeded]
