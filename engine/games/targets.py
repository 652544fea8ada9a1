"""Targets: the beds to aim at for one, how it is labelled on a sheet, and the counts of darts thrown at it.

The fat bed comes first: of equally good beds the first is aimed at, and where any hit counts, that is the one. Where
the ring counts, the game's own worth of a landing finds the triple by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from engine.tally import Tally, name_attempts, name_hits
from protocol.segment import Segment

_LABELS = {"bull": "B", "double": "D", "triple": "T", "bed": "3B"}
BULL = 25
"""The bull among the numbers, as a segment's value has it."""
RINGS = "OITD"


def beds(target: str | int, rings: str = RINGS) -> tuple[str, ...]:
    """The ids of the beds of a number in these rings; of the bull (25 or "bull") its two parts."""
    return ("DB", "SB") if target in (BULL, "bull") else tuple(f"{ring}{target}" for ring in rings)


def shorten_label(target: str) -> str:
    """How a target is written on a sheet: B for the bull, D any double, T any triple, 3B a bed, else itself."""
    return _LABELS.get(target, target)


def legend(labels: Iterable[str]) -> dict[str, str]:
    """Of the labels of a sheet, those that are short for a group of the layout, with that group: {"B": "bull"}."""
    shown = {*labels}
    return {label: target for target, label in _LABELS.items() if label in shown}


def note_worth(darts: Iterable[Segment], worth: Callable[[Segment], int]) -> dict[str, Any]:  # Any: JSON
    """The `notes` of a panel's board: what each dart of a visit is worth in the game; empty where that is its value."""
    thrown = tuple(darts)
    notes = [worth(dart) for dart in thrown]
    return {"notes": notes} if notes != [dart.points for dart in thrown] else {}


def tried(target: str, is_hit: bool) -> dict[str, int]:
    """The counts of a `Step` for one dart at a target: tried, and hit where it was."""
    return {name_attempts(target): 1, name_hits(target): 1} if is_hit else {name_attempts(target): 1}


def rate(tally: Tally) -> list[int]:
    """Hits and darts thrown, over all targets that `tried` has counted."""
    prefixes = (name_hits(""), name_attempts(""))
    return [sum(n for name, n in tally.counts.items() if name.startswith(prefix)) for prefix in prefixes]
