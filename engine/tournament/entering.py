"""Who enters a tournament, what is changed of them, and who leaves."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from engine.tournament.fixtures import OF_TABLE
from engine.tournament.specs import count_most_meeting
from engine.tournament.state import DECIDED, Entered, Tournament, follow
from protocol.commands import refuse
from protocol.player_names import name_key, shorten_name
from protocol.tournament import MOST_ENTRANTS, Change, Enter, Entrant, TournamentSpec

MOST_OF_TEAM = 16


def enter(tournament: Tournament, given: Enter, number: int) -> Tournament:
    """Enters a side under the number of its line."""
    here = [each for each in tournament.entrants.values() if not each.left]
    if len(here) >= MOST_ENTRANTS:
        raise refuse("tournament.full", "a tournament has at most {most} entrants", most=MOST_ENTRANTS)
    if len(here) >= (most := count_most_entrants(tournament.spec)):
        raise refuse(
            "tournament.all_meet",
            "there is room for {most}, because all meet each other: for more make one with more groups, or a Swiss one",
            most=most,
        )
    people = _check_people(tournament, given.people, None)
    entered = Entered(
        number,
        people,
        shorten_name(given.name),
        given.seed,
        given.average,
        given.darts,
        given.paid,
        given.confirmed,
        rating=given.rating,
    )
    return replace(tournament, entrants={**tournament.entrants, number: entered})


def count_most_entrants(spec: TournamentSpec) -> int:
    """How many can enter: sides, or the people from whom they are drawn."""
    groups = {"round_robin": 1, "groups": spec.groups}.get(spec.kind)
    sides = MOST_ENTRANTS if groups is None else groups * count_most_meeting(spec)
    return min(sides * spec.side if spec.drawn else sides, MOST_ENTRANTS)


def count_people(spec: TournamentSpec) -> tuple[int, int]:
    """How few and how many people enter as one side: a team has as many as its matches need, and perhaps more."""
    if spec.slots:
        return 1 + max(at for slot in spec.slots for at in (*slot.home, *slot.away)), MOST_OF_TEAM
    return 1, 1 if spec.drawn else spec.side


def change(tournament: Tournament, given: Change) -> Tournament:
    """Changes what is known of an entrant; one who was drawn into the side of another is renamed there too."""
    old = find_entrant(tournament, given.entrant)
    side = next((each for each in tournament.entrants.values() if old.id in each.members[1:]), None)
    if given.people is not None or given.name is not None:
        _refuse_called(tournament, side or old)
    if given.confirmed is False and old.id in tournament.drawn:
        raise refuse("tournament.is_drawn", "{name} is in the draw", name=old.name)
    people = old.people if given.people is None else _check_people(tournament, given.people, old)
    new = replace(
        old,
        people=people,
        given_name=old.given_name if given.name is None else shorten_name(given.name),
        seed=old.seed if given.seed is None else given.seed if given.seed > 0 else None,
        paid=old.paid if given.paid is None else given.paid,
        confirmed=old.confirmed if given.confirmed is None else given.confirmed,
    )
    entrants = {**tournament.entrants, old.id: new}
    for member, name in zip(old.members[1:], people[1:], strict=False):
        entrants[member] = replace(entrants[member], people=(name,))
    if side is not None:
        among = zip(side.members, side.people, strict=True)
        together = tuple(people[0] if member == old.id else name for member, name in among)
        entrants[side.id] = replace(side, people=together)
    return replace(tournament, entrants=entrants)


def leave(tournament: Tournament, entrant: Entrant, number: int) -> Tournament:
    """Takes an entrant out on this line: of the list, or, after the draw, of the matches that are left."""
    old = find_entrant(tournament, entrant)
    for side in tournament.entrants.values():
        if entrant in side.members[1:]:
            raise refuse("tournament.in_side", "{given} plays with {name}", given=old.name, name=side.name)
    annulled = tournament.spec.withdrawn == "annul" and _has_played_little(tournament, old)
    new = replace(old, left=True, left_on=number, annulled=annulled)
    return follow(replace(tournament, entrants={**tournament.entrants, entrant: new}))


def find_entrant(tournament: Tournament, entrant: Entrant) -> Entered:
    """The entrant, who has not left. Raises IllegalInput."""
    found = tournament.entrants.get(entrant)
    if found is None:
        raise refuse("tournament.no_entrant", "nobody has entered on line {line}", line=entrant)
    if found.left:
        raise refuse("tournament.has_left", "{name} has left the tournament", name=found.name)
    return found


def _has_played_little(tournament: Tournament, entrant: Entered) -> bool:
    """Whether fewer than half of the matches of its table are decided."""
    mine = [
        tournament.resolved[each.id]
        for each in tournament.fixtures
        if each.stage in OF_TABLE and entrant.id in tournament.resolved[each.id].sides
    ]
    return tournament.spec.kind in ("round_robin", "groups") and 2 * sum(r.how in DECIDED for r in mine) < len(mine)


def _check_people(tournament: Tournament, given: Iterable[str], old: Entered | None) -> tuple[str, ...]:
    """The names as they are shown. Raises IllegalInput, also where one of them is in the tournament already."""
    people = tuple(shorten_name(name) for name in given)
    least, most = count_people(tournament.spec)
    if tournament.sides and old is not None and old.members:
        least = most = len(old.people)
    if not least <= len(people) <= most:
        raise refuse(
            "tournament.side_size",
            "the number of people in a side is from {least} to {most} here",
            least=least,
            most=most,
        )
    if not all(people):
        raise refuse("tournament.no_name", "every person needs a name")
    mine = old.members if old is not None and old.members else () if old is None else (old.id,)
    taken = {
        name_key(name): name
        for each in tournament.entrants.values()
        if each.id not in mine and (not each.left or each.id in tournament.drawn)
        for name in each.people
        if old is None or old.id not in each.members or name not in old.people
    }
    for name in people:
        if name_key(name) in taken:
            raise refuse("tournament.name_taken", "{name} is in this tournament already", name=name)
        taken[name_key(name)] = name
    return people


def _refuse_called(tournament: Tournament, entrant: Entered) -> None:
    for match, play in tournament.plays.items():
        if play.active and entrant.id in tournament.find_sides(match):
            raise refuse(
                "tournament.plays_now",
                "{name} plays now: {given}",
                name=entrant.name,
                given=tournament.name_match(match),
            )
