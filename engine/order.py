"""In which order the sides of a match throw: which match decides that, and a match in an order that was decided."""

from __future__ import annotations

from msgspec.structs import replace

from engine.games import ORDERS, ROUTINES, Routines, expand_preset, game
from engine.options import read_options
from protocol.match_spec import MatchSpec, Unreadable, read_for_people_of, write_without_people
from protocol.spelling import suggest_nearest


def find_decider(wanted: MatchSpec, how: str) -> MatchSpec | None:
    """The match that decides the order for this one; None where there is nothing to decide. Raises Unreadable."""
    if how not in ORDERS:
        raise Unreadable(f"there is no order {how!r}{suggest_nearest(how, [*ORDERS])}")
    if len(wanted.seating.sides) < 2 or wanted.game == ORDERS[how]:
        return None
    then = write_without_people(wanted)
    return read_for_people_of(wanted, {"game": ORDERS[how], "options": {"then": then}})


def begin_with_next(spec: MatchSpec) -> MatchSpec:
    """This match once more, begun by the side after the one that began it."""
    count = len(spec.seating.sides)
    return put_in_order(spec, (*range(1, count), 0)) if count > 1 else spec


def put_in_order(spec: MatchSpec, order: tuple[int, ...], routines: Routines = ROUTINES) -> MatchSpec:
    """With the sides in that order, and lists among the options with those whom they are for. Raises Unreadable.

    What is spelled may be one of these routines.
    """
    spec = spec.in_order(order)
    spelled = expand_preset(spec, routines)
    chosen = game(spelled.game)
    read_options(chosen, spelled.options)  # a header in a record may hold anything
    lists = chosen.by_side | (chosen.by_player if spec.teams is None else frozenset())
    own = {
        name: [value[side] for side in order]
        for name, value in spec.options.items()
        if name in lists and isinstance(value, list | tuple) and len(value) == len(order)
    }
    return replace(spec, options={**spec.options, **own})
