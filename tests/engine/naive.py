"""What scorers written a second time, naively, from the rules, share.

Nothing here knows the engine. A dart is a text, a match is played by methods that mutate, a finish is found by looking.
"""

from __future__ import annotations

from functools import cache
from typing import Any

ANYWHERE = [f"{ring}{number}" for ring in "TDSIO" for number in range(1, 21)] + ["SB", "DB", "MISS"] * 3
"""Every bed, and now and then the bull or none."""
CLOCK = [20, 1, 18, 4, 13, 6, 10, 15, 2, 17, 3, 19, 7, 16, 8, 11, 14, 9, 12, 5]


@cache
def number_and_ring(dart: str) -> tuple[int, int]:
    """Number and ring (0: no score) of a dart: T20 is (20, 3)."""
    if dart == "MISS":
        return 0, 0
    if dart in ("SB", "DB"):
        return 25, "_SD".index(dart[0])
    return int(dart[1:]), {"T": 3, "D": 2, "S": 1, "O": 1, "I": 1}[dart[0]]


class Legs:
    """Legs, sets and whose turn it is: each set is begun by the next side, and so is each leg in it.

    `shape` is the format of the match, as a header has it.
    """

    def __init__(self, teams: list[list[int]], shape: dict[str, Any]) -> None:  # Any: JSON
        self.teams, self.shape = teams, shape
        self.legs_to_win: int = shape.get("legs", 1)
        self.sets_to_win: int = shape.get("sets", 1)
        self.clear, self.all, self.first = "clear_legs" in shape, "play" in shape, shape.get("first")
        count = len(teams)
        self.legs, self.sets, self.starter, self.over = [0] * count, [0] * count, 0, False
        self.started = self.set = self.leg = 0
        self.winners: list[int] = []
        self.new_leg()

    def new_leg(self) -> None:
        self.started += 1
        self.turns = [0] * len(self.teams)
        self.side, self.round, self.leg_over = self.starter, 1, False
        self.seat = self.teams[self.side][0]

    def next_side(self) -> None:
        self.turns[self.side] += 1
        self.side = (self.side + 1) % len(self.teams)
        self.round += self.side == self.starter
        self.seat = self.teams[self.side][self.turns[self.side] % len(self.teams[self.side])]

    def last_of_round(self) -> bool:
        return (self.side + 1) % len(self.teams) == self.starter

    def leg_won(self, winners: list[int]) -> None:
        self.leg_over = True
        for side in winners:
            self.legs[side] += 1
        self.leg_winners = winners
        if self.all:
            self.all_played()
            return
        sets = [side for side in winners if self.has_set(side)]
        for side in sets:
            self.sets[side] += 1
        self.set_over = bool(sets)
        self.winners = [side for side in sets if self.sets[side] == self.sets_to_win]
        self.over = bool(self.winners)

    def all_played(self) -> None:
        """Whether this was the last leg of its set, and the last set; then who has most has it."""
        self.set_over = self.leg + 1 == self.legs_to_win
        if self.set_over:
            for side, won in enumerate(self.legs):
                self.sets[side] += won > 0 and won == max(self.legs)
            if self.set + 1 == self.sets_to_win:
                self.over = True
                self.winners = [side for side, won in enumerate(self.sets) if won > 0 and won == max(self.sets)]

    def has_set(self, side: int) -> bool:
        mine, others = self.legs[side], self.legs[:side] + self.legs[side + 1 :]
        one_short = [won for won in self.sets if won == self.sets_to_win - 1]
        if self.clear and len(one_short) > 1 and mine < self.legs_to_win + 3 and any(mine - 2 < n for n in others):
            return False
        return mine >= self.legs_to_win

    def after_leg(self) -> None:
        self.leg += 1
        if self.set_over:
            self.legs = [0] * len(self.teams)
            self.set, self.leg = self.set + 1, 0
        if self.first == "same":
            self.starter = self.set % len(self.teams)
        elif self.first == "loser":
            lost = [side for side in range(len(self.teams)) if side not in self.leg_winners]
            later = [side for side in lost if side > (self.leg_winners or [self.starter])[0]]
            self.starter = (later or lost or [(self.starter + 1) % len(self.teams)])[0]
        else:
            self.starter = (self.set + self.leg) % len(self.teams)
        self.new_leg()
