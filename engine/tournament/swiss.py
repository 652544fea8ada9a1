"""The pairs of the next round of a Swiss tournament, without colours: who throws first is dealt elsewhere.

From the top, each group of equal points is paired within itself, its upper half against its lower half in order. Those
whom it cannot pair go down: as few as can be, and the lowest. They meet the best of the next group. Nothing is chosen
that leaves others without pairs, so no choice is ever taken back. Nobody meets twice while that can be, and the lowest
of those who have rested least rests.

Sets of entrants are the bits of an int, the best the lowest bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, groupby, islice

from engine.tournament.matching import Graph, list_bits
from protocol.tournament import EMPTY, Entrant

_MOST_TRIED = 500
"""So many choices of who goes down are tried; after them a whole group does, which always works."""


def pair_round(
    order: Sequence[Entrant],
    points: Mapping[Entrant, int],
    met: Mapping[frozenset[Entrant], int],
    byes: Mapping[Entrant, int],
) -> tuple[tuple[tuple[Entrant, Entrant], ...], Entrant]:
    """The pairs, the higher first, and who rests (EMPTY: nobody).

    `order` has those who play, the best first: by points, then by their seeding. `met` says how often two have met,
    and `byes` how often one rested; what is not in them is 0.
    """
    playing, rests = (1 << len(order)) - 1, EMPTY
    if len(order) % 2:
        graph = _make_graph(order, met, 0)
        fewest = min(byes.get(entrant, 0) for entrant in order)
        may_rest = [at for at in reversed(range(len(order))) if byes.get(order[at], 0) == fewest]
        at = min(may_rest, key=lambda at: graph.count_left(playing & ~(1 << at)))
        playing, rests = playing & ~(1 << at), order[at]
    pairs = _pair_all(order, points, met, list(list_bits(playing)), 0)
    return tuple((order[one], order[other]) for one, other in pairs), rests


def _pair_all(
    order: Sequence[Entrant],
    points: Mapping[Entrant, int],
    met: Mapping[frozenset[Entrant], int],
    playing: Sequence[int],
    often: int,
) -> Iterator[tuple[int, int]]:
    """The pairs of those who have met at most so `often`, and then of whom that leaves over."""
    graph = _make_graph(order, met, often)
    again = _choose_left(graph, playing, None)
    groups = groupby((at for at in playing if at not in again), key=lambda at: points[order[at]])
    yield from _pair_groups(graph, [list(group) for _, group in groups])
    if again:
        yield from _pair_all(order, points, met, [at for at in playing if at in again], often + 1)


def _make_graph(order: Sequence[Entrant], met: Mapping[frozenset[Entrant], int], often: int) -> Graph:
    """Who may meet whom, if they have met at most so often."""
    at = {entrant: number for number, entrant in enumerate(order)}
    allowed = [(1 << len(order)) - 1 & ~(1 << number) for number in range(len(order))]
    for pair, count in met.items():
        if count > often and len(known := [at[each] for each in pair if each in at]) == 2:
            one, other = known
            allowed[one] &= ~(1 << other)
            allowed[other] &= ~(1 << one)
    return Graph(allowed)


def _pair_groups(graph: Graph, groups: Sequence[Sequence[int]]) -> Iterator[tuple[int, int]]:
    lower = sum(1 << at for group in groups for at in group)
    down: list[int] = []
    for group in groups:
        lower &= ~sum(1 << at for at in group)
        members = [*down, *group]
        going = _choose_left(graph, members, lower)
        yield from _pair_within(graph, [at for at in members if at not in going], len(down))
        down = [at for at in members if at in going]


def _choose_left(graph: Graph, members: Sequence[int], lower: int | None) -> frozenset[int]:
    """The fewest of these that leave the others in pairs, and of these the lowest.

    Unless `lower` is None, they can be paired together with the `lower` ones.
    """
    everyone = sum(1 << at for at in members)
    fewest = graph.count_left(everyone)
    choices = (some for count in range(fewest, len(members), 2) for some in combinations(reversed(members), count))
    for left in islice(choices, _MOST_TRIED):
        leaving = sum(1 << at for at in left)
        if graph.can_pair(everyone & ~leaving) and (lower is None or graph.can_pair(leaving | lower)):
            return frozenset(left)
    return frozenset(members)


def _pair_within(graph: Graph, members: Sequence[int], came_down: int) -> Iterator[tuple[int, int]]:
    """The pairs of these, who can be paired. The first of them `came_down` from a higher group, so many."""
    left = list(members)
    higher = set(members[:came_down])
    while left:
        one = left.pop(0)
        higher.discard(one)
        half = len(left) // 2
        begins = min(half, sum(at in higher for at in left)) if one in members[:came_down] else half
        mask = sum(1 << at for at in left)
        for other in [*left[begins:], *reversed(left[:begins])]:
            if graph.allowed[one] >> other & 1 and graph.can_pair(mask & ~(1 << other)):
                left.remove(other)
                yield one, other
                break
