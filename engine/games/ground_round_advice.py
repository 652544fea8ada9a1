"""What a sensible player of Ground Round goes for: a ranking of the symbols, and no thinking ahead beyond one dart."""

from __future__ import annotations

from engine.games.territory import Stand, Territory

_WORTH = ("flag", "fist", "flaming_fist", "crossed_darts", "pin", "dart", "tower", "blank")
"""The best first."""


def aim(now: Stand, side: int, darts_left: int) -> str:
    """A flag that falls; else unlimited attack, with a dart left to use it; else the best that falls."""
    territory = now.territory
    falling = sorted(territory.takeable(side, now.unlimited), key=lambda h: _rank(territory, h))
    if falling and territory.symbols[falling[0]] == "flag":
        return falling[0]
    flaming = [h for h, symbol in territory.symbols.items() if symbol == "flaming_fist"]
    arming = [h for h in flaming if h in falling or territory.owners.get(h) == side]
    if arming and darts_left > 1:
        return arming[0]
    best = (falling or flaming)[0]
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
