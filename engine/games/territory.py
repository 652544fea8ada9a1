"""Which side holds which hexagon of Ground Round, and what follows: attack, defense, what can be taken.

Apart from the game, because nothing here knows of visits or darts. A territory is a frozen value, so the game cancels a
throw by going back to the one before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from engine.game import put


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """Darts a turn, the readings of the rules that players differ in, and a limit of rounds."""

    darts: Annotated[int, Meta(ge=1, le=9)] = 3
    free_hexes_undefended: bool = False
    pin_on_free: Literal["all", "enemies"] = "all"
    tower_reach: Literal["adjacent", "territory"] = "adjacent"
    cancel_misses: bool = True
    max_rounds: Annotated[int, Meta(ge=1, le=1000)] | None = None


class Territory(Struct, frozen=True):
    """The hexagons by id, in the order of the layout: their symbols, their neighbours, and the side that holds them."""

    options: Options
    symbols: Mapping[str, str]
    near: Mapping[str, tuple[str, ...]]
    pins: tuple[tuple[str, ...], ...]
    """Where each side's army pins stand; a hexagon once for every pin."""
    owners: Mapping[str, int] = {}
    """The side that holds each hexagon; free hexagons are missing."""

    def held(self, side: int, symbol: str | None = None) -> tuple[str, ...]:
        """The hexagons that the side holds, of that symbol or of any."""
        return tuple(h for h, s in self.symbols.items() if self.owners.get(h) == side and symbol in (None, s))

    def holds_every_flag(self, side: int) -> bool:
        """Whether the side holds every flag, and so has won."""
        return all(self.owners.get(h) == side for h, symbol in self.symbols.items() if symbol == "flag")

    def attack(self, side: int) -> int:
        """The attack of a dart of the side."""
        return 1 + len(self.held(side, "fist"))

    def defense(self, hex_id: str, against: int) -> int:
        """The defense of a hexagon against darts of the side `against`, which must be greater; it may be below 0."""
        owner = self.owners.get(hex_id)
        if owner is None and self.options.free_hexes_undefended:
            return 0
        return int(self.symbols[hex_id] == "flag") + self._towers(hex_id, owner) + self._pins(hex_id, owner, against)

    def can_take(self, hex_id: str, side: int, unlimited: bool) -> bool:
        """Whether a dart of the side captures this hexagon."""
        owner, symbol = self.owners.get(hex_id), self.symbols[hex_id]
        if symbol == "blank" or owner == side:
            return False
        if unlimited:
            return True
        enemy_tower = symbol == "tower" and owner is not None
        return not enemy_tower and self.attack(side) > self.defense(hex_id, side)

    def takeable(self, side: int, unlimited: bool) -> tuple[str, ...]:
        """All hexagons that a dart of the side would capture."""
        return tuple(h for h in self.symbols if self.can_take(h, side, unlimited))

    def leaders(self, sides: tuple[int, ...]) -> tuple[int, ...]:
        """The best of these sides, by flags, then by hexagons."""
        worth = {side: (len(self.held(side, "flag")), len(self.held(side))) for side in sides}
        return tuple(side for side in sides if worth[side] == max(worth.values()))

    def cells(self, against: int) -> dict[str, dict[str, Any]]:  # Any: JSON
        """The hexagons as `board.cells` has them, by id, with the defense against a dart of that side."""
        return {
            hex_id: {
                "symbol": symbol,
                "side": self.owners.get(hex_id),
                "defense": self.defense(hex_id, against),
                "pins": [side for side, standing in enumerate(self.pins) for pin in standing if pin == hex_id],
            }
            for hex_id, symbol in self.symbols.items()
        }

    def taken(self, hex_id: str, side: int) -> Territory:
        """With this hexagon held by the side, and no pin on it."""
        pins = tuple(tuple(pin for pin in standing if pin != hex_id) for standing in self.pins)
        return replace(self, owners={**self.owners, hex_id: side}, pins=pins)

    def with_pin(self, side: int, hex_id: str) -> Territory:
        """With one more pin of the side there."""
        return replace(self, pins=put(self.pins, side, (*self.pins[side], hex_id)))

    def without_pin(self, side: int, hex_id: str) -> Territory:
        """With one pin of the side fewer there."""
        return replace(self, pins=put(self.pins, side, without(self.pins[side], hex_id)))

    def where_pins_stand(self, side: int) -> tuple[str, ...]:
        """The hexagons with pins of the side, each once, in the order of the layout."""
        return tuple(h for h in self.symbols if h in self.pins[side])

    def _towers(self, hex_id: str, owner: int | None) -> int:
        if owner is None:
            return 0
        reached = self.near[hex_id] if self.options.tower_reach == "adjacent" else self._connected(hex_id, owner)
        return sum(self.symbols[h] == "tower" and self.owners.get(h) == owner for h in reached)

    def _connected(self, hex_id: str, owner: int) -> set[str]:
        """The owner's other hexagons that can be reached from this one over the owner's hexagons alone."""
        seen, ahead = {hex_id}, [hex_id]
        while ahead:
            found = [h for h in self.near[ahead.pop()] if h not in seen and self.owners.get(h) == owner]
            seen.update(found)
            ahead += found
        return seen - {hex_id}

    def _pins(self, hex_id: str, owner: int | None, against: int) -> int:
        total = 0
        for side, standing in enumerate(self.pins):
            beside = sum(pin in self.near[hex_id] for pin in standing)
            if owner is None:
                total += beside if self.options.pin_on_free == "all" or side != against else 0
            else:
                total += standing.count(hex_id) + (beside if side == owner else -beside)
        return total


class ThrowState(Struct, frozen=True):
    """Everything that a throw changes, and that cancelling it puts back."""

    territory: Territory
    hands: tuple[tuple[int, ...], ...]
    """The army pins in each side's hand; those of the side at the oche are the numbers of their place prompts."""
    movable: tuple[str, ...] = ()
    """Where the pins stand that may still be moved in this visit."""
    unlimited: bool = False
    """The next dart takes anything."""
    crossed: bool = False
    """Crossed Darts have given their darts in this visit."""

    def captured(self, hex_id: str, side: int, number: int) -> tuple[ThrowState, int | None]:
        """With this hexagon captured, and the side that must choose a pin to lose or None. A Pin gives pin `number`."""
        territory, hands = self.territory, self.hands
        loser = territory.owners.get(hex_id)
        if loser is not None:
            back = territory.pins[loser].count(hex_id)
            hands = put(hands, loser, (*hands[loser], *(0,) * back))
        territory = territory.taken(hex_id, side)
        chooses = None
        if territory.symbols[hex_id] == "pin":
            hands = put(hands, side, (*hands[side], number))
            if loser is not None and hands[loser]:
                hands = put(hands, loser, hands[loser][:-1])
            elif loser is not None:
                places = territory.where_pins_stand(loser)
                if len(places) > 1:
                    chooses = loser
                else:
                    territory = territory.without_pin(loser, places[0])
        return replace(self, territory=territory, hands=hands), chooses


def without(values: tuple[str, ...], value: str) -> tuple[str, ...]:
    """`values` without the first `value` among them."""
    at = values.index(value)
    return (*values[:at], *values[at + 1 :])
