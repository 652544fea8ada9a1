"""How a leg is finished: the route to take in this visit, and the darts that leave a finish.

A route is judged by what follows from a miss too: 77 by T19 leaves D10 or, after the single, 58; by T15 it leaves D16
or 62. The chances come from laying the scatter of a player over every aim (engine/skill.py) and working back from the
last dart. That takes a while, so `engine/finish_tables.py` holds what it came to, for a few scatters on each face;
`python -m tests.bench.finishes` writes it. A chance is that of reaching zero with the darts in hand.

The highest chance in this visit is not always worth the most: a visit that fails goes on with what it left, or after a
bust with what it began with. So of the routes that are within `_NEARLY` of the highest chance the one is taken after
which the fewest visits are to be expected (engine/visits.py). Where these are within `_TIE`, it is the one that players
know from charts.
"""

from __future__ import annotations

import math
import zlib
from base64 import b64decode
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from engine import finish_tables
from engine.visits import MOST, BestAims, Landing, Landings, VisitCounter, VisitTable, lay_out, make_darts
from protocol.finish import Leave, Route
from protocol.segment import Dartboard
from protocol.standard import USUAL

Out = Literal["straight", "double", "master"]
Bull = Literal["25/50", "50/50"]

USUAL_MM = 12.0
"""The scatter of a player of whom nothing is known."""
HIGHEST = 180
"""No visit takes off more."""
FAR = 240
"""Up to here the tables know where to aim; from here on only points count."""

_NEARLY = 0.01
"""What a way may cost of the chance in this visit where it saves visits."""
_TIE = 0.001
"""Ways whose visits differ by no more are alike: people take one that charts have, or else that with fewer darts."""
_FAVOURITE = 0.01
"""What a favourite double may cost of the chance to be taken."""
_NEAR = 0.05
"""Routes that cost more than this are not shown beside the best."""
_ROUTES = 3

AIMS = (
    *(f"T{n}" for n in range(20, 0, -1)),
    *(f"D{n}" for n in range(20, 0, -1)),
    *(f"S{n}" for n in range(20, 0, -1)),
    "DB",
    "SB",
)
"""The beds to aim at, in the order of the tables. Of equal ones the first is chosen: the triple before its single."""


class Bed(NamedTuple):
    """Where a dart can score, with its worth under the rule for the bull."""

    id: str
    points: int
    multiplier: int


@cache
def beds(bull: Bull) -> tuple[Bed, ...]:
    """The beds of `AIMS`. Where both bulls are worth 50 they are one, called by the bigger."""
    times = {"T": 3, "D": 2, "S": 1}
    found = [Bed(aim, int(aim[1:]) * times[aim[0]], times[aim[0]]) for aim in AIMS[:-2]]
    bulls = [Bed("SB", 50, 2)] if bull == "50/50" else [Bed("DB", 50, 2), Bed("SB", 25, 1)]
    return (*found, *bulls)


def closes(multiplier: int, rule: Out) -> bool:
    """May a dart of this multiplier be the last (or, for an in rule, the first) one?"""
    return rule == "straight" or multiplier == 2 or (rule == "master" and multiplier == 3)


def least(out: Out) -> int:
    """The least that may be left: no double takes 1."""
    return 1 if out == "straight" else 2


@cache
def can_finish(remaining: int, darts: int, out: Out, bull: Bull, enter: Out = "straight") -> bool:
    """Can at most so many darts bring it to exactly zero, the first of them one that the in rule `enter` allows?"""
    if darts < 1 or remaining > 60 * darts:
        return False
    return any(
        (bed.points == remaining and closes(bed.multiplier, out))
        or (bed.points < remaining and can_finish(remaining - bed.points, darts - 1, out, bull))
        for bed in beds(bull)
        if closes(bed.multiplier, enter)
    )


@cache
def count_fewest(remaining: int, out: Out, bull: Bull, enter: Out = "straight") -> int:
    """The fewest darts that can bring it to exactly zero."""
    fewest = -(-remaining // 60)
    while not can_finish(remaining, fewest, out, bull, enter):
        fewest += 1
    return fewest


@cache
def list_opening_totals(darts: int, enter: Out, bull: Bull) -> frozenset[int]:
    """What at most so many darts can score from the one on that the in rule `enter` allows; 0 where none does."""
    if not darts:
        return frozenset({0})
    found = {0}
    for _ in range(darts - 1):
        found |= {so_far + bed.points for so_far in found for bed in beds(bull)}
    return frozenset({0} | {bed.points + more for bed in beds(bull) if closes(bed.multiplier, enter) for more in found})


_CHARTS = {
    "T20": "92 96 98 100 102 105 106 108 109 110 111 112 114 115 116 117 118 120 121 124 127 130 131 132 133 134 135 "
    "136 137 138 140 141 142 143 144 145 146 147 148 149 150 151 152 153 154 155 156 157 158 160 161 164 167 170 "
    "68 72 76 80 84 88 90",
    "T19": "69 73 77 79 81 89 93 95 97 99 103 105 107 111 113 114 115 116 117 119 123 126 129 137 139 145 146",
    "T18": "70 78 82 86 90 94 101 104 108 110 122 128 142",
    "T17": "67 73 75 83 87 91 101 103 104 107 121",
    "T16": "64 68 72 76 80 88",
    "T15": "61 69 77 85",
    "T14": "74 82",
    "T13": "63 71 79",
    "T11": "65 73",
    "T10": "62 66 70",
    "DB": "82 90 125 129 130 132 134 135",
    "SB": "57 61 65 125 135",
}
"""The first dart for each number in the charts that scorers publish: facts that players know by heart."""


@cache
def _known_firsts() -> dict[int, frozenset[str]]:
    """The first darts that charts have for a number, with those for small numbers: a double, or what leaves one."""
    found = {number: {f"D{number // 2}"} for number in range(2, 41, 2)}
    found |= {
        number: {f"S{number - left}" for left in (8, 12, 16, 32, 40) if 0 < number - left <= 20}
        for number in (*range(5, 40, 2), *range(41, 61))
    }
    found |= {3: {"S1"}, 5: {"S1"}, 7: {"S3"}}
    for first, numbers in _CHARTS.items():
        for number in map(int, numbers.split()):
            found.setdefault(number, set()).add(first)
    return {number: frozenset(firsts) for number, firsts in found.items()}


def name_last_dart(remaining: int, out: Out, bull: Bull) -> str | None:
    """The bed that finishes with one dart, "DB" for any at 50; None where none does. Straight out it is a single."""
    able = [bed for bed in beds(bull) if bed.points == remaining and closes(bed.multiplier, out)]
    if not able:
        return None
    wanted = 1 if out == "straight" else 2
    return "DB" if remaining == 50 else max(able, key=lambda bed: (bed.multiplier == wanted, bed.multiplier == 2)).id


_Way = tuple[float, tuple[str, ...]]
"""The chance of a route, and its beds or the first of them."""


class Finisher:
    """The chances of one scatter on one face under one rule. Made by `finisher`."""

    def __init__(
        self, landings: Landings, chances: tuple[float, ...], aims: bytes, visits: BestAims, out: Out, bull: Bull
    ) -> None:
        """`chances` are those with two darts and `aims` the indices of `AIMS`, both by what remains."""
        self._beds = {bed.id: bed for bed in beds(bull)}
        self._landings = landings
        self._darts = make_darts(landings)
        self._aims = aims
        self.count_from = lru_cache(maxsize=4)(VisitTable(landings, least(out), visits).count_from)
        """What counts the visits after one that began with that number."""
        self._out: Out = out
        self._bull: Bull = bull
        one = [0.0] * (HIGHEST + 1)
        for bed in self._beds.values():
            if closes(bed.multiplier, out):
                one[bed.points] = max(
                    one[bed.points], sum(hit.share for hit in landings[bed.id] if hit.ends(bed.points))
                )
        none = (0.0,) * (HIGHEST + 1)
        self._chances = (none, tuple(one), chances)
        lowest = least(out)
        falling = [[*then[: lowest - 1 : -1], *(0.0,) * (MOST + lowest)] for then in self._chances]
        self._lay_out = lru_cache(maxsize=64)(lambda left, darts: lay_out(falling[darts - 1], HIGHEST, left, end=1.0))
        self._known = _known_firsts() if out == "double" else {}

    def chance(self, aim: str, remaining: int, darts: int) -> float:
        """The chance to finish with so many darts (1 to 3), this one aimed at a bed and the others in the best way."""
        return self._darts[aim].average(self._lay_out(remaining, darts))

    def best(self, remaining: int, darts: int) -> float:
        """The highest chance to finish with so many darts (1 to 3)."""
        return max((chance for chance, _ in self._ways(remaining, darts)), default=0.0)

    def routes(
        self, remaining: int, darts: int, favourites: tuple[int, ...] = (), before: int = 0
    ) -> tuple[Route, ...]:
        """At most three ways out, the one to take first; () where so many darts cannot finish.

        `favourites` are the doubles a player likes, the dearest first (25: the bull). One that costs little goes first;
        else the best of them is among the others. `before` is what remained when the visit began (0: what does now).
        """
        if not can_finish(remaining, darts, self._out, self._bull):
            return ()
        counter = self.count_from(max(before, remaining) if darts < 3 else remaining)
        ways = self._ways(remaining, darts)
        best = max(chance for chance, _ in ways)
        first = self._choose(ways, best, remaining, darts, counter)
        near = sorted((way for way in ways if way[0] >= best - _NEAR), key=lambda way: (way != first, -way[0]))
        few = near[: _ROUTES + 1]  # one more than is shown: a favourite may take the place of one
        found = [(chance, self._go_on(way, remaining, darts, counter), False) for chance, way in few]
        if favourites and self._out != "straight":
            liked = [ways for ways in self._favourite_ways(remaining, darts, favourites) if ways]
            cheap = next((ways for ways in liked if max(ways)[0] >= best - _FAVOURITE), None)
            if cheap:
                advised = [way for way in cheap if way[1] == found[0][1]]
                chance, way = advised[0] if advised else self._choose(cheap, best, remaining, darts, counter)
                found = [(chance, way, True), *(other for other in found if other[1] != way)]
            elif liked:
                chance, way = max((way for ways in liked for way in ways), key=lambda way: way[0])
                others = [other for other in found if other[1] != way]
                found = [*others[: _ROUTES - 1], (chance, way, True)]
        return tuple(
            Route(darts=way, chance=round(100 * chance, 1), favourite=liked) for chance, way, liked in found[:_ROUTES]
        )

    def leave(self, remaining: int, darts: int, favourites: tuple[int, ...] = ()) -> Leave | None:
        """What to throw where so many darts cannot finish; None where a finish is not to be had next either.

        With the last dart a favourite double is left where that costs little.
        """
        way: list[str] = []
        for place in range(1, darts + 1):
            aim = self.aim(remaining)
            if favourites and place == darts:
                aim = self._leave_favourite(remaining, favourites, aim)
            if aim == "DB" and "SB" in self._beds:
                aim = "SB"  # who aims at the middle of the bull to score, hits the ring around it
            way.append(aim)
            remaining -= self._beds[aim].points
        needs = next((count for count in (1, 2, 3) if can_finish(remaining, count, self._out, self._bull)), None)
        return None if needs is None else Leave(tuple(way), remaining, needs)

    def aim(self, remaining: int) -> str:
        """Where to aim when the visit cannot end the leg: so that the fewest darts are needed in the end."""
        return _name(AIMS[self._aims[min(remaining, FAR)]], self._bull)

    def approach(self, remaining: int) -> str:
        """Where a player who must not go out aims: at what leaves the best finish, never at a legal end."""
        able = [bed.id for bed in self._beds.values() if remaining - bed.points >= least(self._out)]
        return max(
            able, key=lambda bed: self._next_chance(bed, remaining), default="S20"
        )  # a bust is better than a lost leg

    def _leave_favourite(self, remaining: int, favourites: tuple[int, ...], usual: str) -> str:
        """The bed that leaves the first favourite double that costs little; else the usual one."""
        bound = self._next_chance(usual, remaining) - _FAVOURITE
        for number in favourites:
            left = 50 if number == 25 else 2 * number
            beds = [bed.id for bed in self._beds.values() if bed.points == remaining - left]
            best = max(beds, key=lambda bed: self._next_chance(bed, remaining), default=None)
            if best is not None and self._next_chance(best, remaining) >= bound:
                return best
        return usual

    def _next_chance(self, aim: str, remaining: int) -> float:
        """The chance that two more darts finish after one at this bed that did not."""
        then = ((remaining - landing.points, landing.share) for landing in self._landings[aim])
        return sum(share * self._chances[2][left] for left, share in then if least(self._out) <= left <= HIGHEST)

    def _ways(self, remaining: int, darts: int) -> list[_Way]:
        """Each bed that a route may begin with, after its chance."""
        return [
            (self.chance(bed.id, remaining, darts), (bed.id,))
            for bed in self._beds.values()
            if (bed.points == remaining and closes(bed.multiplier, self._out))
            or (bed.points < remaining and can_finish(remaining - bed.points, darts - 1, self._out, self._bull))
        ]

    def _choose(self, ways: list[_Way], best: float, remaining: int, darts: int, counter: VisitCounter) -> _Way:
        """Of the ways whose chance is near the best one, that with the fewest visits to come."""
        near = [way for way in ways if way[0] >= best - _NEARLY]
        if len(near) == 1:
            return near[0]
        known = self._known.get(remaining, frozenset())
        visits = {
            way: counter.count([(bed, self._beds[bed].points) for bed in way[1]], remaining, darts) for way in near
        }
        fewest = min(visits.values())

        def order(way: _Way) -> tuple[bool, int, float]:
            first = way[1][0]
            return first not in known, self._darts_after(remaining - self._beds[first].points), visits[way]

        return min((way for way in near if visits[way] <= fewest + _TIE), key=order)

    def _darts_after(self, remaining: int) -> int:
        """The fewest darts that finish it."""
        return next(darts for darts in range(4) if not remaining or can_finish(remaining, darts, self._out, self._bull))

    def _go_on(self, way: tuple[str, ...], remaining: int, darts: int, counter: VisitCounter) -> tuple[str, ...]:
        """The whole of a route that begins with this bed, where it hits."""
        left = remaining - self._beds[way[-1]].points
        if left == 0:
            return way
        ways = self._ways(left, darts - 1)
        _, following = self._choose(ways, max(ways)[0], left, darts - 1, counter)
        return way + self._go_on(following, left, darts - 1, counter)

    def _favourite_ways(self, remaining: int, darts: int, favourites: tuple[int, ...]) -> Iterator[list[_Way]]:
        """The ways out on each favourite double, best first."""
        for number in favourites:
            last = _name("DB" if number == 25 else f"D{number}", self._bull)
            yield self._ways_to(self._beds[last], remaining, darts)

    def _ways_to(self, last: Bed, remaining: int, darts: int) -> list[_Way]:
        """The ways that end on this bed. After a miss it is whichever way is best."""
        if remaining == last.points:
            return [(self.chance(last.id, remaining, darts), (last.id,))]
        found = []
        for bed in self._beds.values() if darts > 1 else ():
            left = remaining - bed.points
            if left < last.points or (darts == 2 and left != last.points):
                continue
            ways = self._ways_to(last, left, darts - 1)
            if ways:
                chance, way = max(ways, key=lambda way: way[0])
                share = sum(landing.share for landing in self._landings[bed.id] if landing.points == bed.points)
                lost = share * (self._chances[darts - 1][left] - chance)
                found.append((self.chance(bed.id, remaining, darts) - lost, (bed.id, *way)))
        return found


@lru_cache(maxsize=64)
def finisher(
    sigma_mm: float = USUAL_MM, out: Out = "double", bull: Bull = "25/50", dartboard: Dartboard = USUAL
) -> Finisher:
    """The chances of the scatter that is nearest to this one, on this dartboard."""
    scatter = min(finish_tables.SCATTERS, key=lambda known: abs(math.log(known / max(sigma_mm, 1.0))))
    landings = unpack_landings(finish_tables.TABLES[f"{dartboard} {scatter}"], finish_tables.WHOLE)
    chances, aims, visits = _unpack_rule(finish_tables.TABLES[f"{dartboard} {scatter} {out} {bull}"])
    return Finisher(judge_all(landings, out, bull), chances, aims, visits, out, bull)


def _name(aim: str, bull: Bull) -> str:
    return "SB" if bull == "50/50" and aim == "DB" else aim


def judge_all(landings: Mapping[str, Mapping[str, float]], out: Out, bull: Bull) -> Landings:
    """What a dart aimed at each bed comes to under this rule, from the shares of the beds that it hits."""
    worth = {bed.id: bed for bed in beds(bull)}

    def judge(aim: str) -> tuple[Landing, ...]:
        found: dict[tuple[int, bool], float] = {}
        for landed, share in landings[aim].items():
            hit = worth.get(_name(landed, bull))
            what = (hit.points, closes(hit.multiplier, out)) if hit else (0, False)
            found[what] = found.get(what, 0.0) + share
        return tuple(Landing(*what, share) for what, share in found.items())

    # Where both parts of the bull are worth the same, its middle is the aim.
    return {bed: judge("DB" if bull == "50/50" and bed == "SB" else bed) for bed in worth}


@lru_cache(maxsize=16)
def unpack_landings(text: str, whole: int) -> dict[str, dict[str, float]]:
    """For each aim what is hit, and its share; a miss is ""."""
    data = zlib.decompress(b64decode(text))
    found: dict[str, dict[str, float]] = {}
    at = 0
    for aim in AIMS:
        end = at + 1 + 3 * data[at]
        outcomes = zip(data[at + 1 : end : 3], data[at + 2 : end : 3], data[at + 3 : end : 3], strict=True)
        found[aim] = {(*AIMS, "")[index]: (256 * high + low) / whole for index, high, low in outcomes}
        at = end
    return found


def _unpack_rule(text: str) -> tuple[tuple[float, ...], bytes, BestAims]:
    """The chances with two darts, and the aims, by what remains; and what visits need."""
    data = memoryview(zlib.decompress(b64decode(text)))
    numbers = HIGHEST + 1

    def take(count: int) -> memoryview:
        nonlocal data
        taken, data = data[:count], data[count:]
        return taken

    def take_pairs(whole: int) -> tuple[float, ...]:
        pairs = take(2 * numbers)
        return tuple((256 * high + low) / whole for high, low in zip(pairs[::2], pairs[1::2], strict=True))

    chances, aims, needed = take_pairs(65535), bytes(take(FAR + 1)), take_pairs(finish_tables.VISIT)
    best = {
        (darts, left): tuple(AIMS[index] for index in take(take(1)[0])) for darts in (1, 2) for left in range(numbers)
    }
    return chances, aims, BestAims(needed, best)
