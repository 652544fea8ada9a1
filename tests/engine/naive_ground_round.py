"""Ground Round once more, written from the rules alone, with a notebook that is scribbled on and copied for a cancel.

It shares nothing with the game: neighbours are counted on coordinates, every pin is a thing with a place of its own,
and whose turn it is is kept here too.
"""

from __future__ import annotations

import copy
from typing import Any

CENTRE = {(0, 0): "flaming_fist"}
RING = {(1, -1): "fist", (1, 0): "crossed_darts", (0, 1): "tower", (-1, 1): "fist", (-1, 0): "crossed_darts"}
CORNERS = {(2, -2): "flag", (0, 2): "flag", (-2, 0): "flag", (2, 0): "blank", (-2, 2): "blank", (0, -2): "blank"}
EDGES = {(2, -1): "dart", (-1, 2): "dart", (-1, -1): "dart", (1, 1): "pin", (-2, 1): "pin", (1, -2): "pin"}
SYMBOLS = CENTRE | RING | {(0, -1): "tower"} | CORNERS | EDGES
AROUND = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))

Hex = tuple[int, int]


def name(hexagon: Hex) -> str:
    return f"{hexagon[0]},{hexagon[1]}"


def place(text: str) -> Hex:
    q, r = text.split(",")
    return int(q), int(r)


HEXES = sorted(SYMBOLS)


def beside(one: Hex, other: Hex) -> bool:
    return (other[0] - one[0], other[1] - one[1]) in AROUND


class NaiveGroundRound:
    """A match of `players` people. `throw`, `choose` and `next` take legal things only."""

    def __init__(self, options: dict[str, Any], players: int) -> None:  # Any: JSON
        self.options: dict[str, Any] = {  # Any: JSON
            "darts": 3,
            "free_hexes_undefended": False,
            "pin_on_free": "all",
            "tower_reach": "adjacent",
            "cancel_misses": True,
            "max_rounds": None,
        } | options
        self.players = players
        self.book: dict[str, Any] = {"owner": {}, "pins": []}  # Any: a scribble
        self.copy: dict[str, Any] | None = None  # Any: a scribble
        self.number, self.round, self.who = 0, 1, -1
        self.winners: list[int] | None = None
        self._open()

    # What is worth what

    def owned(self, who: int, symbol: str | None = None) -> list[Hex]:
        return [h for h in HEXES if self.book["owner"].get(h) == who and symbol in (None, SYMBOLS[h])]

    def attack(self, who: int) -> int:
        return 1 + len(self.owned(who, "fist"))

    def defense(self, h: Hex, attacker: int) -> int:
        owner = self.book["owner"].get(h)
        if owner is None and self.options["free_hexes_undefended"]:
            return 0
        total = 1 if SYMBOLS[h] == "flag" else 0
        for tower in self.owned(owner, "tower") if owner is not None else []:
            if tower != h and (
                beside(tower, h) if self.options["tower_reach"] == "adjacent" else tower in self._country(h)
            ):
                total += 1
        for pin in self.book["pins"]:
            if pin["at"] == h:
                total += 1
            elif pin["at"] is not None and beside(pin["at"], h):
                if owner is not None:
                    total += 1 if owner == pin["who"] else -1
                elif self.options["pin_on_free"] == "all" or pin["who"] != attacker:
                    total += 1
        return total

    def _country(self, h: Hex) -> set[Hex]:
        country, owner = {h}, self.book["owner"][h]
        while more := {x for x in HEXES if x not in country and self.book["owner"].get(x) == owner
                       and any(beside(x, y) for y in country)}:  # fmt: skip
            country |= more
        return country

    def falls(self, h: Hex) -> bool:
        owner = self.book["owner"].get(h)
        if SYMBOLS[h] == "blank" or owner == self.who:
            return False
        if self.book["unlimited"]:
            return True
        if SYMBOLS[h] == "tower" and owner is not None:
            return False
        return self.attack(self.who) > self.defense(h, self.who)

    # What is done

    def say(self, line: dict[str, Any]) -> None:  # Any: JSON
        """A line of a record, which must be legal."""
        if "throw" in line:
            self.throw(line["throw"])
        elif "choose" in line:
            self.choose(line["prompt"], line["choose"])
        else:
            self.next()

    def throw(self, segment: str) -> None:
        self.thrown += 1
        tries = len(self.owned(self.who, "dart")) - self.used
        may = tries > 0 and (segment != "MISS" or self.options["cancel_misses"])
        self.copy = copy.deepcopy(self.book) if may else None
        self.cancels += may
        if "|" in segment:
            self.lines += 1
            self.book["line"] = [place(text) for text in segment.split("|")]
        else:
            self._hit(None if segment == "MISS" else place(segment.rstrip("!")), segment.endswith("!"))
        self._look_at_the_clock()

    def choose(self, prompt: str, answer: str) -> None:
        kind = prompt.partition("@")[0]
        k = int(prompt.partition(".")[2] or 1)
        pins = self.book["pins"]
        if kind == "hex":
            self.book["line"] = None
            self._hit(place(answer), False)
        elif kind == "cancel":
            assert self.copy is not None
            self.book, self.copy = self.copy, None
            self.used += 1
        elif kind == "place":
            next(p for p in pins if p["who"] == self.who and p["at"] is None and p["k"] == k)["at"] = place(answer)
        elif kind == "move":
            old, new = answer.split(">")
            pin = next(p for p in pins if p["who"] == self.who and p["at"] == place(old) and self._may_move(p))
            pin["at"], pin["moved"] = place(new), True
            self.moves += 1
        else:
            pins.remove(next(p for p in pins if p["who"] == self.book["owes"] and p["at"] == place(answer)))
            self.book["owes"] = None
        self._look_at_the_clock()

    def next(self) -> None:
        while self.phase == "throwing":
            self.throw("MISS")
        if self.phase == "takeout":
            self._open()

    def _hit(self, h: Hex | None, red: bool) -> None:
        book = self.book
        book["left"] -= 1
        if h is None:
            book["unlimited"] = False
            return
        falls, owner = self.falls(h), book["owner"].get(h)
        book["unlimited"] = False
        if falls:
            self._grab(h, owner)
        elif owner != self.who:
            return
        if SYMBOLS[h] == "crossed_darts" and red and not book["crossed"]:
            book["crossed"] = True
            book["left"] += len(self.owned(self.who, "crossed_darts")) + 1
        if SYMBOLS[h] == "flaming_fist":
            book["unlimited"] = True
        if len(self.owned(self.who, "flag")) == 3:
            self.winners = [self.who]

    def _grab(self, h: Hex, owner: int | None) -> None:
        book = self.book
        for pin in book["pins"]:
            if pin["at"] == h:
                pin["at"], pin["k"] = None, 0
        book["owner"][h] = self.who
        if SYMBOLS[h] == "pin":
            self.places += 1
            if owner is not None:
                self._pay(owner)
            book["pins"].append({"who": self.who, "at": None, "k": self.places, "gained": True, "moved": False})

    def _pay(self, loser: int) -> None:
        pins = self.book["pins"]
        hand = [p for p in pins if p["who"] == loser and p["at"] is None]
        standing = [p for p in pins if p["who"] == loser and p["at"] is not None]
        if hand:
            pins.remove(hand[0])
        elif len({p["at"] for p in standing}) == 1:
            pins.remove(standing[0])
        else:
            self.book["owes"] = loser
            self.removals += 1

    def _open(self) -> None:
        self.who = (self.who + 1) % self.players
        self.round += self.number > 0 and self.who == 0
        self.number += 1
        self.thrown = self.used = self.cancels = self.lines = self.places = self.moves = self.removals = 0
        self.copy = None
        self.book |= {
            "left": self.options["darts"], "unlimited": False, "crossed": False, "line": None, "owes": None
        }  # fmt: skip
        for pin in self.book["pins"]:
            pin["gained"] = pin["moved"] = False
            if pin["who"] == self.who and pin["at"] is None:
                self.places += 1
                pin["k"] = self.places
        if self.options["max_rounds"] and self.round > self.options["max_rounds"]:
            self._count_up()

    def _look_at_the_clock(self) -> None:
        last = self.round == self.options["max_rounds"] and self.who == self.players - 1
        if last and self.phase == "takeout" and self.copy is None:
            self._count_up()

    def _count_up(self) -> None:
        worth = [(len(self.owned(who, "flag")), len(self.owned(who))) for who in range(self.players)]
        self.winners = [who for who in range(self.players) if worth[who] == max(worth)]

    def _may_move(self, pin: dict[str, Any]) -> bool:  # Any: a scribble
        return pin["who"] == self.who and pin["at"] is not None and not pin["gained"] and not pin["moved"]

    # What is seen

    @property
    def darts_left(self) -> int:
        return 0 if self.winners is not None else self.book["left"] - (self.book["line"] is not None)

    @property
    def phase(self) -> str:
        if self.winners is not None:
            return "over"
        hand = any(p["who"] == self.who and p["at"] is None for p in self.book["pins"])
        if self.book["line"] or self.book["owes"] is not None or (hand and not self.darts_left):
            return "deciding"
        return "throwing" if self.darts_left else "takeout"

    def prompts(self) -> dict[str, tuple[int, list[str], str | None, bool]]:
        """Whom it is put to, the options, the default and whether it blocks, by id; the oldest first."""
        found: dict[str, tuple[int, list[str], str | None, bool]] = {}
        if self.winners is not None:
            return found
        mine = [name(h) for h in self.owned(self.who)]
        for k in sorted(p["k"] for p in self.book["pins"] if p["who"] == self.who and p["at"] is None):
            found[self._id("place", k)] = (self.who, mine, mine[0], not self.darts_left)
        if self.book["line"]:
            line = [name(h) for h in self.book["line"]]
            found[self._id("hex", self.lines)] = (self.who, line, line[0], True)
        if self.book["owes"] is not None:
            places = [
                h for h in HEXES if any(p["who"] == self.book["owes"] and p["at"] == h for p in self.book["pins"])
            ]
            found[self._id("remove", self.removals)] = (
                self.book["owes"],
                [name(h) for h in places],
                name(places[0]),
                True,
            )
        if self.copy is not None:
            found[self._id("cancel", self.cancels)] = (self.who, ["cancel"], None, False)
        if self.thrown == self.used or self.phase == "takeout":
            pins = sorted({p["at"] for p in self.book["pins"] if self._may_move(p)})
            moves = [f"{name(h)}>{to}" for h in pins for to in mine if to != name(h)]
            if moves:
                found[self._id("move", self.moves + 1)] = (self.who, moves, None, False)
        return found

    def _id(self, kind: str, k: int) -> str:
        return f"{kind}@{self.number}" if k == 1 else f"{kind}@{self.number}.{k}"

    def seen(self) -> dict[str, Any]:  # Any: JSON
        """The board as the contract words it, beside what else is shown."""
        sides = range(self.players)
        return {
            "cells": {
                name(h): {
                    "symbol": SYMBOLS[h],
                    "side": self.book["owner"].get(h),
                    "defense": self.defense(h, self.who),
                    "pins": sorted(p["who"] for p in self.book["pins"] if p["at"] == h),
                }
                for h in HEXES
            },
            "attack": [self.attack(who) for who in sides],
            "unlimited": self.book["unlimited"],
            "cancels": len(self.owned(self.who, "dart")) - self.used,
            "unit": "flags",
        }
