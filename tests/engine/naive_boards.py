"""The games of the manuals of home boards scored a second time, naively, from their rules; see naive_races.py."""

from __future__ import annotations

import random
from typing import Any, ClassVar

from tests.engine.naive_races import Race, value

CLOCK = [20, 1, 18, 4, 13, 6, 10, 15, 2, 17, 3, 19, 7, 16, 8, 11, 14, 9, 12, 5]


class Course(Race):
    """Its steps are sets of darts."""

    def steps(self) -> list[set[str]]:
        raise NotImplementedError

    def dart(self, dart: str) -> None:
        steps = self.steps()
        if dart in steps[self.score[self.side]]:
            self.add(1)
            if self.score[self.side] == len(steps):
                self.winners = [self.side]

    def round_over(self) -> None:
        if self.round == self.options["rounds"]:
            self.winners = self.best(self.playing)

    def aim(self, chance: random.Random) -> str:
        return chance.choice(sorted(self.steps()[self.score[self.side]]))


class FootballField(Course):
    """`fields` are those that were drawn, when they are drawn."""

    defaults: ClassVar = {"field": 20, "draw": False, "rounds": None}
    fields: list[int]

    def steps(self) -> list[set[str]]:
        near = self.fields[self.side] if self.options["draw"] else self.options["field"]
        far = CLOCK[CLOCK.index(near) - 10]
        return [
            {f"D{near}"}, {f"O{near}", f"S{near}"}, {f"T{near}"}, {f"I{near}", f"S{near}"},
            {"SB"}, {"DB"}, {"SB"},
            {f"I{far}", f"S{far}"}, {f"T{far}"}, {f"O{far}", f"S{far}"}, {f"D{far}"},
        ]  # fmt: skip


class Steeplechase(Course):
    defaults: ClassVar = {"ring": "inner", "fences": True, "rounds": None}

    def steps(self) -> list[set[str]]:
        rings = {"inner": "IS", "single": "IOS", "any": "IOSDT"}[self.options["ring"]]
        steps = []
        for number in CLOCK:
            steps.append({f"{ring}{number}" for ring in rings})
            if number in (13, 17, 8, 5) and self.options["fences"]:
                steps.append({f"T{number}"})
        return [*steps, {"SB", "DB"}]


class ChaseTheDragon(Course):
    defaults: ClassVar = {"heads": 1, "rounds": None}

    def steps(self) -> list[set[str]]:
        once: list[set[str]] = [{f"T{number}"} for number in range(10, 21)] + [{"SB"}, {"DB"}]
        return once * int(self.options["heads"])


class NineDartCentury(Race):
    defaults: ClassVar = {"target": 100, "rounds": 3, "bull": "25/50"}

    def set_up(self) -> None:
        self.everybody = list(self.playing)

    def dart(self, dart: str) -> None:
        self.add(value(dart, self.options["bull"]))
        self.ended = self.score[self.side] > self.options["target"]

    def round_over(self) -> None:
        good = [side for side in self.everybody if self.score[side] <= self.options["target"]]
        if good and self.round < self.options["rounds"]:
            self.playing, self.place = good, len(good) - 1
        else:
            self.winners = self.best(good) if good else self.best(self.everybody, low=True)

    def aim(self, chance: random.Random) -> str:
        return chance.choice(["S20", "T20", "SB", "S5", "S1", "S10"])


class RobinHood(Race):
    defaults: ClassVar = {"rounds": 10, "bull": "25/50"}

    def dart(self, dart: str) -> None:
        if dart in ("SB", "DB"):
            self.add(200 if dart == "DB" or self.options["bull"] == "50/50" else 100)

    def round_over(self) -> None:
        if self.round == self.options["rounds"]:
            self.winners = self.best(self.playing)

    def aim(self, chance: random.Random) -> str:
        return chance.choice(["SB", "DB"])


GAMES: dict[str, type[Race]] = {
    "nine_dart_century": NineDartCentury,
    "robin_hood": RobinHood,
    "football_field": FootballField,
    "steeplechase": Steeplechase,
    "chase_the_dragon": ChaseTheDragon,
}
OPTIONS: dict[str, dict[str, list[Any]]] = {  # Any: JSON
    "nine_dart_century": {"target": [100, 60], "rounds": [1, 3], "bull": ["25/50", "50/50"]},
    "robin_hood": {"rounds": [1, 2], "bull": ["25/50", "50/50"]},
    "football_field": {"field": [20, 11, 5], "draw": [False, True], "rounds": [None, 2]},
    "steeplechase": {"ring": ["inner", "single", "any"], "fences": [True, False], "rounds": [None, 3]},
    "chase_the_dragon": {"heads": [1, 3], "rounds": [None, 4]},
}
