"""What a sensible player of Ground Round goes for: a ranking of the symbols, and no thinking ahead beyond one dart."""

from __future__ import annotations

from engine.games.territory import Stand, Territory
from engine.skill import Skill
from protocol.ground_round import hexes
from protocol.segment import Segment

_WORTH = ("flag", "fist", "flaming_fist", "crossed_darts", "pin", "dart", "tower", "blank")
"""The best first."""
_FLAG, _ARMING = 20.0, 10.0
"""What a flag is worth, and what lets one more flag fall, where the least of the others is worth 1."""
_DART = 12.0
"""What one more dart is worth, from the red area of Crossed Darts."""


def aim(now: Stand, side: int, darts_left: int, skill: Skill) -> str:
    """More darts, where the red area is likely enough; a flag that falls, or what makes flags fall; else the best."""
    territory = now.territory
    flaming = _where(territory, "flaming_fist")
    worth = {h: float(len(_WORTH) - _rank(territory, h)) for h in territory.takeable(side, now.unlimited)}
    worth.update({h: _ARMING for h in flaming if darts_left > 1 and (h in worth or territory.owners.get(h) == side)})
    loosened = min(darts_left - 1, len(_short_by_one(territory, side)))
    worth.update({h: _ARMING * loosened for h in _where(territory, "fist") if loosened and h in worth})
    worth.update({h: _FLAG for h in worth if territory.symbols[h] == "flag"})
    if not now.crossed:
        crossed = [h for h in _where(territory, "crossed_darts") if h in worth or territory.owners.get(h) == side]
        held = territory.held(side, "crossed_darts")
        worth.update({f"{h}!": _DART * (1 + len({h, *held})) for h in crossed})

    def of(landed: Segment) -> float:
        return max((worth.get(h, 0.0) for h in (landed.id, *hexes(landed.id))), default=0.0)

    return skill.best(of, worth) if worth else flaming[0]


def best_hit(now: Stand, side: int, candidates: tuple[str, ...]) -> str:
    """Of the hexagons beside a line: the best that falls."""
    territory = now.territory
    falls = territory.takeable(side, now.unlimited)
    return min(candidates, key=lambda h: (h not in falls, _rank(territory, h)))


def best_place(now: Stand, side: int, places: tuple[str, ...]) -> str:
    """Where an army pin bars its own side from least, and then helps most of its hexagons."""
    territory = now.territory

    def helped(place: str) -> int:
        return sum(territory.owners.get(other) == side for other in territory.near[place])

    return max(places, key=lambda h: (_open(territory.with_pin(side, h), side), helped(h)))


def best_move(now: Stand, side: int, moves: tuple[str, ...]) -> str | None:
    """When nothing falls, since army pins bar free hexagons even to their owner: the move that opens most."""

    def opened(move: str) -> int:
        pin, _, to = move.partition(">")
        return _open(now.territory.without_pin(side, pin).with_pin(side, to), side)

    best = max(moves, key=opened)
    return best if not _open(now.territory, side) and opened(best) else None


def _open(territory: Territory, side: int) -> int:
    """How many hexagons fall to the plain attack of the side."""
    return len(territory.takeable(side, unlimited=False))


def _rank(territory: Territory, hex_id: str) -> int:
    return _WORTH.index(territory.symbols[hex_id])


def _where(territory: Territory, symbol: str) -> list[str]:
    return [h for h, found in territory.symbols.items() if found == symbol]


def _short_by_one(territory: Territory, side: int) -> list[str]:
    """The flags of others, or of nobody, that would fall if the attack of the side were greater by one."""
    attack = territory.attack(side)
    return [
        h for h in _where(territory, "flag") if territory.owners.get(h) != side and territory.defense(h, side) == attack
    ]
