"""The moments of a match: what people automate on, as one table.

Home Assistant's *Moment* and the rules of the outlets (voices, lights, web hooks) choose from it. A moment is a fact
(protocol/facts.py) under a condition; a fact makes one moment at most, and most facts of a match make none. What is not
in the table has no name of its own: a visit of 60, or a dart in the 5.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from protocol.facts import FACTS, Event

_ANYTHING: Mapping[str, object] = MappingProxyType({})


class Moment(NamedTuple):
    """A fact of the type `fact` whose fields meet a condition; `about` says in English what it is.

    `equal`: values that fields must have. `least` and `most`: bounds of `points`, both included.
    """

    name: str
    fact: str
    about: str
    equal: Mapping[str, object] = _ANYTHING
    least: int | None = None
    most: int | None = None

    @property
    def rank(self) -> int:
        """How great it is beside others that one dart led to; 0 passes quietly."""
        return FACTS[self.fact].rank

    def is_made_by(self, event: Event) -> bool:
        """Whether this event, which is of its type, makes it."""
        if any(getattr(event, field) != value for field, value in self.equal.items()):
            return False
        points = event.points
        return (self.least is None or points >= self.least) and (self.most is None or points <= self.most)


def _award(name: str, about: str) -> Moment:
    return Moment(name, "award", about, {"award": name})


def _fact(name: str, about: str) -> Moment:
    return Moment(name, name, about)


_TABLE = (
    Moment("checkout", "visit", "a visit that finishes the score", {"checkout": True}),
    Moment("140_plus", "visit", "any other visit of 140 to 179 points", least=140, most=179),
    Moment("ton", "visit", "any other visit of 100 to 139 points", least=100, most=139),
    Moment("bullseye", "dart", "a dart in the bullseye", {"segment": "DB"}),
    # Not `low_ton` and `high_ton`: the points of those visits are moments, as `ton` and `140_plus`.
    _award("180", "three triple twenties"),
    _award("hat_trick", "three darts in the bull"),
    _award("three_in_the_black", "three darts in the bullseye"),
    _award("three_in_a_bed", "three darts in one triple; in Burma Road in one segment"),
    _award("high_out", "a two-dart finish of 100 or more"),
    _award("big_fish", "a checkout of 170"),
    _award("nine_darter", "a leg of X01 in the fewest darts that its start score allows, four or more"),
    _award("white_horse", "triples of three numbers, in Cricket"),
    _award("five_mark", "five marks in one visit, in Cricket"),
    _award("six_mark", "six marks in one visit"),
    _award("seven_mark", "seven marks in one visit"),
    _award("eight_mark", "eight marks in one visit"),
    _award("nine_mark", "nine marks in one visit"),
    _award("shanghai", "a single, a double and a triple of the number"),
    _award("hole_in_one", "a hole in one, in Golf"),
    _award("fifty", "the best possible visit, in Three Dice"),
    _award("yatzy", "five of a kind, in Yatzy-Dart"),
    _award("bonus", "the bonus of the upper half, in Yatzy-Dart"),
    _award("personal_best", "the player’s best result so far, in a practice game"),
    _fact("badge", "a player earns a badge, or the next tier of it"),
    _fact("bust", "a visit that does not count"),
    _fact("halved", "a score is halved"),
    _fact("life_lost", "a side loses one life or more"),
    _fact("eliminated", "a side is out of the leg"),
    _fact("match_dart_missed", "a visit misses the darts that would have won the match"),
    _fact("lead_taken", "a side passes the one that has led until now"),
    _fact("comeback", "a leg or the match is won after being far behind"),
    _fact("leg_won", "a leg is won, in a match of several legs"),
    _fact("set_won", "a set is won, in a match of several sets"),
    _fact("match_won", "the match is won"),
)
MOMENTS = {moment.name: moment for moment in _TABLE}
"""Every moment by its name."""
_OF_FACT = {kind: tuple(moment for moment in _TABLE if moment.fact == kind) for kind in FACTS}


def find_moment(event: Event) -> Moment | None:
    """Returns the moment that this event makes, if there is one."""
    return next((moment for moment in _OF_FACT[event.event_type] if moment.is_made_by(event)), None)
