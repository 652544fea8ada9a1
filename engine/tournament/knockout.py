"""Knock-outs: the order of the seats, and the matches of a single and a double one.

Which match a loser of the winners' side drops to is data (DROP_ORDERS), chosen so that two who have met meet again as
late as can be.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.tournament.fixtures import AgainIfBeaten, Drawn, Fixture, LoserOf, PlaceOf, Source, WinnerOf
from protocol.tournament import EMPTY, Entrant, Stage

DROP_ORDERS = {
    2: (),
    4: (0,),
    8: (1, 0),
    16: (3, 0, 0),
    32: (2, 2, 0, 0),
    64: (12, 2, 2, 0, 0),
    128: (16, 12, 2, 2, 0, 0),
    256: (48, 12, 2, 2, 2, 0, 0),
}
"""By the number of seats: for the winners' rounds from the second on, the loser of match i (from 0) drops to place
i xor this number."""


def order_seats(count: int) -> tuple[int, ...]:
    """The numbers of that many seats (a power of two), from 1, from top to bottom: neighbours play."""
    seats = [1]
    while len(seats) < count:
        total = 2 * len(seats) + 1
        seats = [each for seat in seats for each in (seat, total - seat)]
    return tuple(seats)


def count_seats(entrants: int) -> int:
    """How many seats a knock-out of so many entrants has: the next power of two, at least 2."""
    return max(2, 1 << (entrants - 1).bit_length())


def seat_entrants(ranked: Sequence[Entrant]) -> tuple[Entrant, ...]:
    """Who sits on each seat, from top to bottom; the best of them (the first) get the byes. 0 is an empty seat."""
    numbers = order_seats(count_seats(len(ranked)))
    return tuple(ranked[number - 1] if number <= len(ranked) else EMPTY for number in numbers)


def knock_out(seats: Sequence[Source], third_place: bool = False) -> Iterator[Fixture]:
    """Yields the matches between these seats, whose number is a power of two, round by round."""
    sides, number = list(seats), 0
    while len(sides) > 2:
        number += 1
        last = len(sides)
        rank = None if third_place and last == 4 else last // 2 + 1
        played = _play(f"winners-{number}", "winners", number, sides, rank, last)
        yield from played
        if last == 4 and third_place:
            yield Fixture("third-1", "third", 1, 1, (LoserOf(played[0].id), LoserOf(played[1].id)), 4, 3)
        sides = [WinnerOf(each.id) for each in played]
    yield Fixture("final-1", "final", 1, 1, (sides[0], sides[1]), 2, 1, last=2)


def knock_out_twice(seats: Sequence[Source], second_final: bool = True) -> Iterator[Fixture]:
    """Yields the matches of a double knock-out between these seats, whose number is a power of two.

    Losers' round 1 is among the losers of winners' round 1. After each later winners' round those who are left there
    play its losers, and then, if they are more than one, each other.
    """
    ranks = _rank_losers(len(seats))
    sides: list[Source] = list(seats)
    survivors: list[Source] = []
    number = losers_round = 0
    while len(sides) > 1:
        number += 1
        played = _play(f"winners-{number}", "winners", number, sides, None)
        yield from played
        sides = [WinnerOf(each.id) for each in played]
        dropped: list[Source] = [LoserOf(each.id) for each in played]
        if number == 1:
            survivors = dropped
            plays = len(dropped) > 1
        else:
            swap = DROP_ORDERS[len(seats)][number - 2]
            survivors = [side for i, survivor in enumerate(survivors) for side in (dropped[i ^ swap], survivor)]
            plays = True
        while plays:
            losers_round += 1
            played = _play(f"losers-{losers_round}", "losers", losers_round, survivors, ranks[losers_round])
            yield from played
            survivors = [WinnerOf(each.id) for each in played]
            plays = number > 1 and len(survivors) == len(dropped) > 1
    yield Fixture("final-1", "final", 1, 1, (sides[0], survivors[0]), 2, 1)
    if second_final:
        again = AgainIfBeaten("final-1", 0), AgainIfBeaten("final-1", 1)
        yield Fixture("final-2", "final", 2, 1, again, 2, 1)


def _play(
    name: str, stage: Stage, number: int, sides: Sequence[Source], rank: int | None, last: int | None = None
) -> list[Fixture]:
    """The matches of a round, in which neighbours play."""
    pairs = enumerate(zip(sides[::2], sides[1::2], strict=True), 1)
    return [Fixture(f"{name}-{place}", stage, number, place, pair, rank, last=last) for place, pair in pairs]


def _rank_losers(seats: int) -> dict[int, int]:
    """By losers' round, the best place that its losers get if no seat is empty."""
    sizes = [seats >> (2 + half) for half in range(seats.bit_length() - 2) for _ in range(2)]
    ranks, place = {}, 3
    for number in range(len(sizes), 0, -1):
        ranks[number] = place
        place += sizes[number - 1]
    return ranks


def seat_drawn(seats: Sequence[Entrant]) -> list[Source]:
    """The seats of a draw."""
    return [Drawn(entrant) for entrant in seats]


def seat_places(groups: int, through: int) -> list[Source]:
    """The seats of the knock-out after groups, from top to bottom.

    With two of each group and as many groups as seats allow, A1 plays B2, C1 plays D2 and so on in one half, B1 plays
    A2, D1 plays C2 in the other. Otherwise the first places are seated first, the best get the byes, and each place
    is given to the groups so that two of one group meet as late as can be.
    """
    if through == 2 and groups & (groups - 1) == 0:
        pairs = [(one, one + 1) for one in range(0, groups, 2)]
        halves = pairs, [(other, one) for one, other in pairs]
        return [seat for half in halves for one, other in half for seat in (PlaceOf(one, 1), PlaceOf(other, 2))]
    count = count_seats(groups * through)
    at = {number: seat for seat, number in enumerate(order_seats(count))}
    seats: list[Source] = [Drawn(EMPTY)] * count
    taken: list[list[int]] = [[] for _ in range(groups)]
    for place in range(1, through + 1):
        free = [at[(place - 1) * groups + number] for number in range(1, groups + 1)]
        for group, seat in enumerate(_part_groups(taken, free)):
            seats[seat] = PlaceOf(group, place)
            taken[group].append(seat)
    return seats


def _part_groups(taken: Sequence[Sequence[int]], free: Sequence[int]) -> list[int]:
    """Which of the free seats each group gets: swapped as long as that takes the seats of a group further apart."""

    def measure(group: int, seat: int) -> int:
        """How early the seat meets others of the group, the less the later."""
        return sum(1 << 2 * (12 - (seat ^ other).bit_length()) for other in taken[group])

    given = list(free)
    swapped = True
    while swapped:
        swapped = False
        for one in range(len(given)):
            for other in range(one):
                now = measure(one, given[one]) + measure(other, given[other])
                if measure(one, given[other]) + measure(other, given[one]) < now:
                    given[one], given[other] = given[other], given[one]
                    swapped = True
    return given
