"""What a sensible player of Ground Round goes for: a ranking of the symbols, and no thinking ahead beyond one dart."""

from __future__ import annotations

from engine.games.territory import Stand, Territory
from engine.skill import Skill
from protocol.ground_round import hexes
from protocol.segment import Segment

_WORTH = ("flag", "fist", "flaming_fist", "crossed_darts", "pin", "dart", "tower", "blank")
"""The best first."""
_FLAG, _ARMING = 20.0, 10.0
"""What a flag is worth, and attack without limit, where the least of the others is worth 1."""


def aim(now: Stand, side: int, darts_left: int, skill: Skill) -> str:
    """A flag that falls; else unlimited attack, with a dart left to use it; else the best that falls."""
    territory = now.territory
    flaming = [h for h, symbol in territory.symbols.items() if symbol == "flaming_fist"]
    worth = {h: float(len(_WORTH) - _rank(territory, h)) for h in territory.takeable(side, now.unlimited)}
    worth.update({h: _ARMING for h in flaming if darts_left > 1 and (h in worth or territory.owners.get(h) == side)})
    worth.update({h: _FLAG for h in worth if territory.symbols[h] == "flag"})

    def of(landed: Segment) -> float:
        return max((worth.get(h, 0.0) for h in hexes(landed.id)), default=0.0)

    best = skill.best(of, worth) if worth else flaming[0]
    return f"{best}!" if territory.symbols[best] == "crossed_darts" and not now.crossed else best


def best_hit(now: Stand, side: int, candidates: tuple[str, ...]) -> str:
    """Of the hexagons beside a line: the best that falls."""
    territory = now.territory
    falls = territory.takeable(side, now.unlimited)
    return min(candidates, key=lambda h: (h not in falls, _rank(territory, h)))


def best_place(now: Stand, side: int, places: tuple[str, ...]) -> str:
    """Where an army pin helps most of the side's own hexagons."""
    territory = now.territory
    return max(places, key=lambda h: sum(territory.owners.get(other) == side for other in territory.near[h]))


def _rank(territory: Territory, hex_id: str) -> int:
    return _WORTH.index(territory.symbols[hex_id])
