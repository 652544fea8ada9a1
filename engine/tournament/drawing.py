"""Draws: they make the matches. A draw is made again only while no dart of it is thrown."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from msgspec.structs import replace

from engine.tournament.entering import find_entrant
from engine.tournament.fixtures import OF_TABLE, Drawn, Fixture, Fixtures
from engine.tournament.knockout import knock_out, knock_out_twice, seat_drawn, seat_places
from engine.tournament.rotation import list_rounds
from engine.tournament.specs import count_most_meeting
from engine.tournament.state import DECIDED, Tournament, find_changed, follow, forget_play, refuse_begun
from protocol.commands import IllegalInput, refuse
from protocol.tournament import (
    EMPTY,
    MOST_ENTRANTS,
    DrawRound,
    Entrant,
    Kind,
    Stage,
    TournamentSpec,
)

BY_SEATS: frozenset[Kind] = frozenset(("knock_out", "double_knock_out", "groups"))
"""The kinds of which a knock-out is a part."""


def draw_sides(tournament: Tournament, sides: Sequence[Sequence[Entrant]]) -> Tournament:
    """Puts people together who have entered alone; the first of each side stands for it."""
    if not tournament.spec.drawn:
        raise refuse("tournament.no_sides", "the sides of this tournament are not drawn")
    _refuse_begun(tournament, tournament.fixtures)
    alone = {
        each.id: replace(each, people=each.people[:1], members=()) if each.members else each
        for each in tournament.entrants.values()
    }
    apart = replace(_clear(tournament), entrants=alone, sides=False, groups=(), rounds=0)
    _check_all(apart, [entrant for side in sides for entrant in side])
    if not all(1 <= len(side) <= tournament.spec.side for side in sides) or len(sides) < 2:
        raise refuse(
            "tournament.sides_drawn",
            "the draw needs at least two sides, each of 1 to {most} people",
            most=tournament.spec.side,
        )
    for side in sides:
        people = tuple(alone[entrant].people[0] for entrant in side)
        alone[side[0]] = replace(alone[side[0]], people=people, members=tuple(side))
    return replace(apart, entrants=alone, sides=True)


def draw_seats(tournament: Tournament, seats: Sequence[Entrant]) -> Tournament:
    """Draws a knock-out, after groups too."""
    kind = tournament.spec.kind
    _check_kind(tournament, *BY_SEATS)
    if len(seats) not in _SIZES:
        raise refuse("tournament.seats", "a knock-out has 2, 4, 8, 16, 32, 64, 128 or 256 seats")
    entrants = [entrant for entrant in seats if entrant != EMPTY]
    if kind == "groups":
        return _seat_after_groups(tournament, seats, entrants)
    _refuse_begun(tournament, tournament.fixtures)
    _check_all(tournament, entrants)
    made = (
        knock_out_twice(seat_drawn(seats), tournament.spec.second_final)
        if kind == "double_knock_out"
        else knock_out(seat_drawn(seats), tournament.spec.third_place)
    )
    return _start(tournament, made, entrants)


def draw_groups(tournament: Tournament, groups: Sequence[Sequence[Entrant]]) -> Tournament:
    """Draws groups and the knock-out that waits for their places, or a round robin as one group."""
    spec = tournament.spec
    _check_kind(tournament, "groups", "round_robin")
    _refuse_begun(tournament, tournament.fixtures)
    entrants = [entrant for group in groups for entrant in group]
    _check_all(tournament, entrants)
    if spec.kind == "round_robin":
        if len(groups) != 1:
            raise refuse("tournament.one_group", "a round robin is drawn as one group")
        if len(entrants) > count_most_meeting(spec):
            raise refuse(
                "tournament.round_robin",
                "of sides that all meet each other there are at most {most}",
                most=count_most_meeting(spec),
            )
        return _start(tournament, _play_group(groups[0], None, spec.twice), entrants)
    if len(groups) != spec.groups or not all(2 <= len(group) <= count_most_meeting(spec) for group in groups):
        raise refuse_groups(spec)
    made = [each for at, group in enumerate(groups) for each in _play_group(group, at, spec.twice)]
    made.extend(knock_out(seat_places(spec.groups, spec.through), spec.third_place))
    with_groups = replace(tournament, groups=tuple(map(tuple, groups)))
    return _start(with_groups, made, entrants)


def refuse_groups(spec: TournamentSpec) -> IllegalInput:
    """The refusal of a draw of groups that are too few, too small or too large."""
    return refuse(
        "tournament.groups",
        "the draw needs {count} groups, each of 2 to {most}",
        count=spec.groups,
        most=count_most_meeting(spec),
    )


def draw_round(tournament: Tournament, given: DrawRound) -> Tournament:
    """Draws the next round of a Swiss tournament, or the current one again while no dart of it is thrown."""
    _check_kind(tournament, "swiss")
    current = [each for each in tournament.fixtures if each.round == tournament.rounds]
    is_over = all(tournament.resolved[each.id].how in DECIDED for each in current)
    if not is_over and any(tournament.has_begun(each.id) for each in current):
        raise refuse("tournament.round_open", "round {round} is not over", round=tournament.rounds)
    number = tournament.rounds + 1 if is_over else tournament.rounds
    if tournament.drawn and number > tournament.round_count:
        raise refuse("tournament.rounds", "all rounds are drawn")
    entrants = [entrant for pair in given.pairs for entrant in pair]
    entrants += [given.rests] if given.rests != EMPTY else []
    first = number == 1
    expected = None if first else [each for each in tournament.drawn if not tournament.entrants[each].left]
    _check_all(tournament, entrants, expected)
    pairs = [*given.pairs, (given.rests, EMPTY)] if given.rests != EMPTY else given.pairs
    kept = [each for each in tournament.fixtures if each.round < number]
    made = [_meet("round", number, at, one, other) for at, (one, other) in enumerate(pairs, 1)]
    after = replace(tournament, rounds=number)
    return _start(after, [*kept, *made], entrants if first else tournament.drawn, kept)


def draw_ladder(tournament: Tournament, order: Sequence[Entrant]) -> Tournament:
    """Sets the order in which a ladder begins, or who takes part in an open evening."""
    _check_kind(tournament, "ladder", "open")
    _refuse_begun(tournament, tournament.fixtures)
    _check_all(tournament, order)
    return _start(tournament, (), order)


def seat_late(tournament: Tournament, entrant: Entrant, match: str) -> Tournament:
    """Seats a late entrant in an empty seat, or at the end of a table or a ladder."""
    late = find_entrant(tournament, entrant)
    if not tournament.drawn:
        raise refuse("tournament.not_drawn", "nothing is drawn yet: the entrant comes into the draw")
    if entrant in tournament.drawn or late not in tournament.list_entered():
        raise refuse("tournament.not_late", "{name} is in the draw already, or not confirmed yet", name=late.name)
    if tournament.spec.kind in BY_SEATS:
        return _seat_in(tournament, entrant, match)
    if match:
        raise refuse("tournament.joins_at_end", "who comes late joins at the end here: name no match")
    drawn = (*tournament.drawn, entrant)
    if tournament.spec.kind != "round_robin":
        return follow(replace(tournament, drawn=drawn))
    made = list(tournament.fixtures)
    number = max((each.round for each in made), default=0)
    others = [each for each in tournament.drawn if not tournament.entrants[each].left]
    for turn in range(2 if tournament.spec.twice else 1):
        for at, other in enumerate(others):
            number += 1
            one, two = (entrant, other) if (at + turn) % 2 else (other, entrant)
            made.append(_meet("round", number, 1, one, two))
    return follow(replace(tournament, drawn=drawn, fixtures=_put(tournament, made)))


def pair(tournament: Tournament, sides: tuple[Entrant, Entrant]) -> Tournament:
    """Adds a match of a ladder or of an open evening."""
    _check_kind(tournament, "ladder", "open")
    one, other = (find_entrant(tournament, side) for side in sides)
    if one.id == other.id or not {one.id, other.id}.issubset(tournament.drawn):
        raise refuse("tournament.pair", "a match needs two who take part")
    for fixture in tournament.fixtures:
        result = tournament.resolved[fixture.id]
        for each in (one, other):
            if result.how not in DECIDED and each.id in result.sides:
                named = tournament.name_match(fixture.id)
                raise refuse("tournament.has_match", "{name} has a match to play: {given}", name=each.name, given=named)
    if tournament.spec.kind == "ladder":
        ladder, reach = tournament.find_ladder(), tournament.spec.reach
        if not 1 <= ladder.index(one.id) - ladder.index(other.id) <= reach:
            raise refuse(
                "tournament.reach",
                "{name} may challenge only those above, and nobody further away than {reach}",
                name=one.name,
                reach=reach,
            )
    made = [*tournament.fixtures, _meet("round", 1, len(tournament.fixtures) + 1, one.id, other.id)]
    after = replace(tournament, fixtures=_put(tournament, made))
    return follow(after, [made[-1].id])


_SIZES = tuple(1 << power for power in range(1, MOST_ENTRANTS.bit_length()))


def _play_group(group: Sequence[Entrant], at: int | None, twice: bool) -> Iterator[Fixture]:
    """Yields the matches of a group, or of a round robin, in the order of the tables of Berger."""
    name = "round" if at is None else f"group-{name_group(at)}"
    for number, pairs in enumerate(list_rounds(len(group), twice=twice), 1):
        met = [(group[one - 1], group[other - 1]) for one, other in pairs if one and other]
        for place, (one, other) in enumerate(met, 1):
            yield _meet(name, number, place, one, other, at)


def name_group(group: int) -> str:
    """The letter of a group, from a on; after z come aa, ab and so on."""
    return chr(97 + group) if group < 26 else f"a{chr(97 + group - 26)}"


def _meet(name: str, number: int, place: int, one: Entrant, other: Entrant, group: int | None = None) -> Fixture:
    stage: Stage = "round" if group is None else "group"
    return Fixture(f"{name}-{number}-{place}", stage, number, place, (Drawn(one), Drawn(other)), group=group)


def _seat_after_groups(tournament: Tournament, seats: Sequence[Entrant], entrants: Sequence[Entrant]) -> Tournament:
    in_groups = [each for each in tournament.fixtures if each.stage in OF_TABLE]
    if not in_groups or any(tournament.resolved[each.id].how not in DECIDED for each in in_groups):
        raise refuse("tournament.groups_open", "the groups are not over")
    _refuse_begun(tournament, [each for each in tournament.fixtures if each.stage not in OF_TABLE])
    if len(entrants) < 2 or len(set(entrants)) < len(entrants) or not set(entrants).issubset(tournament.drawn):
        raise refuse("tournament.seats_after_groups", "the seats need at least two of the groups, each of them once")
    made = [*in_groups, *knock_out(seat_drawn(seats), tournament.spec.third_place)]
    return _start(tournament, made, tournament.drawn, in_groups)


def _seat_in(tournament: Tournament, entrant: Entrant, match: str) -> Tournament:
    """Seats the entrant in the empty seat of that match, unless another would then leave a match that it has begun."""
    fixture = tournament.fixtures.by_id.get(match)
    empty = Drawn(EMPTY)
    if fixture is None or empty not in fixture.sides:
        raise refuse("tournament.no_seat", "that match has no empty seat")
    one, other = fixture.sides
    seated = replace(fixture, sides=(Drawn(entrant), other) if one == empty else (one, Drawn(entrant)))
    made = [seated if each.id == match else each for each in tournament.fixtures]
    after = follow(
        replace(tournament, fixtures=_put(tournament, made), drawn=(*tournament.drawn, entrant)),
    )
    if (begun := find_changed(tournament, after)) is not None:
        raise refuse_begun(tournament, begun)
    return after


def _start(
    tournament: Tournament, made: Iterable[Fixture], drawn: Sequence[Entrant], kept: Iterable[Fixture] = ()
) -> Tournament:
    """The tournament with the matches of a draw; nothing that was said of others than the `kept` ones counts any more.

    Attempts go on counting.
    """
    stay = {each.id for each in kept}
    cleared = _clear(tournament, stay)
    return follow(replace(cleared, fixtures=_put(tournament, made), drawn=tuple(drawn)))


def _clear(tournament: Tournament, kept: Collection[str] = ()) -> Tournament:
    """The tournament without its draw, except the `kept` matches."""
    parts = tournament.fixtures.parts

    def stays(match: str) -> bool:
        return (parts[match][0] if match in parts else match) in kept

    return replace(
        tournament,
        drawn=tournament.drawn if kept else (),
        fixtures=_put(tournament, [each for each in tournament.fixtures if each.id in kept]),
        outcomes={match: each for match, each in tournament.outcomes.items() if stays(match)},
        sums={match: each for match, each in tournament.sums.items() if stays(match)},
        resolved={match: each for match, each in tournament.resolved.items() if stays(match)},
        plays={match: play if stays(match) else forget_play(play) for match, play in tournament.plays.items()},
        outdated={key: each for key, each in tournament.outdated.items() if stays(each.match)},
    )


def _put(tournament: Tournament, made: Iterable[Fixture]) -> Fixtures:
    return Fixtures(made, len(tournament.spec.slots))


def _check_kind(tournament: Tournament, *kinds: Kind) -> None:
    if tournament.spec.kind not in kinds:
        raise refuse("tournament.other_kind", "this is not for a tournament of this kind")
    if tournament.spec.drawn and not tournament.sides:
        raise refuse("tournament.sides_first", "the sides have to be drawn first")


def _check_all(tournament: Tournament, given: Sequence[Entrant], expected: Sequence[Entrant] | None = None) -> None:
    """Raises IllegalInput unless these are all who take part, each once."""
    wanted = [each.id for each in tournament.list_entered()] if expected is None else expected
    if len(wanted) < 2:
        raise refuse("tournament.too_few", "a draw needs at least two entrants")
    if sorted(given) != sorted(wanted):
        raise refuse("tournament.all_once", "the draw needs each entrant who takes part exactly once")


def _refuse_begun(tournament: Tournament, fixtures: Iterable[Fixture]) -> None:
    for fixture in fixtures:
        if tournament.has_begun(fixture.id):
            raise refuse_begun(tournament, fixture.id)
