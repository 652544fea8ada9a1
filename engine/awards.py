"""The awards of soft-tip machines: at most one a visit, the first that fits, in the order machines give them.

A game says which it has (`Game.award`): most have those of the beds, where points are the score come the tons, and the
cricket family counts marks. The names are free words of the contract; `180` is what machines call TON 80.
"""

from __future__ import annotations

from protocol.segment import Segment

Darts = tuple[Segment, ...]


GREAT = frozenset(("180", "three_in_the_black", "white_horse", "nine_mark", "big_fish", "nine_darter"))
"""The rarest of them."""


def of_beds(darts: Darts) -> str | None:
    """What three darts are by the beds alone: three_in_the_black, hat_trick, 180, three_in_a_bed."""
    if len(darts) != 3:
        return None
    beds = {dart.id for dart in darts}
    if beds == {"DB"}:
        return "three_in_the_black"
    if all("bull" in dart.groups for dart in darts):
        return "hat_trick"
    if beds == {"T20"}:
        return "180"
    if len(beds) == 1 and "triple" in darts[0].groups:
        return "three_in_a_bed"
    return None


def of_score(darts: Darts, points: int, is_out: bool = False, summed: int = 0) -> str | None:
    """Those of the beds and of what the visit scored: big_fish (170 out), high_ton (151 and more), low_ton, high_out.

    `summed` are the darts beside `darts`, where a total stands for several: of 180 points it is known what was hit.
    """
    if is_out and points == 170:
        return "big_fish"
    found = "180" if summed and points == 180 else of_beds(darts)
    if found is None and len(darts) + summed == 3 and points >= 100:
        return "high_ton" if points > 150 else "low_ton"
    return found or ("high_out" if is_out and points >= 100 else None)


def of_marks(darts: Darts, marks: int, numbers: frozenset[str]) -> str | None:
    """Cricket's: those of the beds, white_horse (three triples of three of the `numbers`), five_mark to nine_mark."""
    found = of_beds(darts)
    if found is not None or len(darts) != 3:
        return found
    triples = [dart for dart in darts if "triple" in dart.groups and str(dart.value) in numbers]
    if len({dart.value for dart in triples}) == 3:
        return "white_horse"
    return _MARKS.get(marks)


def is_shanghai(darts: Darts) -> bool:
    """Are these a single, a double and a triple? Of what number, and what that is worth, the game says."""
    return sorted(dart.multiplier for dart in darts) == [1, 2, 3]


_MARKS = {5: "five_mark", 6: "six_mark", 7: "seven_mark", 8: "eight_mark", 9: "nine_mark"}
