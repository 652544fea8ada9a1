"""The games of the manuals of home boards scored a second time, naively, from their rules; see naive_races.py."""

from __future__ import annotations

import random
from typing import Any, ClassVar

from tests.engine.naive import CLOCK, number_and_ring
from tests.engine.naive_races import Race, value


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

    defaults: ClassVar = {"field": 20, "fields": [], "draw": False, "rounds": None}
    fields: list[int]

    def steps(self) -> list[set[str]]:
        named = self.fields if self.options["draw"] else self.options["fields"]
        near = named[self.side] if named else self.options["field"]
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


class LastIn(Race):
    """The last side in wins; `alive` says which are in."""

    def alive(self, side: int) -> bool:
        raise NotImplementedError

    def visit_over(self) -> None:
        alive = [side for side in self.playing if self.alive(side)]
        if len(alive) == 1:
            self.winners = alive

    def move_on(self) -> None:
        side = self.side
        self.playing = [one for one in self.playing if self.alive(one)]
        later = [one for one in self.playing if one > side]
        self.round += not later
        self.place = self.playing.index(later[0]) if later else 0


class BigSix(LastIn):
    """The score is the lives. A target that is drawn comes from the match; `is_drawn` says that one was."""

    defaults: ClassVar = {"lives": 3, "third": "stays"}
    first: ClassVar[str | None] = "S6"
    drawable: ClassVar = {f"{ring}{number}" for ring in "SDT" for number in range(1, 21)}

    def set_up(self) -> None:
        self.score = [self.options["lives"]] * len(self.score)
        self.target = self.first
        self.is_drawn = False

    def begin(self) -> None:
        self.naming = self.safe = False

    def spell(self, dart: str) -> str:
        return dart if dart in ("SB", "DB", "MISS") else dart.replace("I", "S").replace("O", "S")

    def dart(self, dart: str) -> None:
        spelled = self.spell(dart)
        if self.naming or self.target is None:
            self.ended = self.naming or spelled != "MISS"
            if spelled != "MISS":
                self.target, self.safe = spelled, True
        elif spelled == self.target:
            self.naming, self.safe, self.points = True, True, 1
            self.is_drawn = len(self.darts) == 3 and self.options["third"] == "drawn"

    def visit_over(self) -> None:
        self.score[self.side] -= not self.safe and self.target is not None
        super().visit_over()

    def alive(self, side: int) -> bool:
        return self.score[side] > 0

    def aim(self, chance: random.Random) -> str:
        near = self.target if self.target and not self.naming else "MISS"
        return chance.choice([near, "S20", "MISS", "D1"])


class BigLittle(BigSix):
    defaults: ClassVar = {"lives": 3, "third": "drawn"}
    first = None
    drawable: ClassVar = {str(number) for number in range(1, 21)}

    def spell(self, dart: str) -> str:
        return "MISS" if dart == "MISS" else str(number_and_ring(dart)[0])

    def aim(self, chance: random.Random) -> str:
        near = {"25": "SB"}.get(self.target, f"S{self.target}") if self.target and not self.naming else "MISS"
        return chance.choice([near, "S20", "MISS", "D1"])


class ShoveHapenny(Race):
    defaults: ClassVar = {"numbers": "1-9", "ordered": False, "rounds": None}

    def set_up(self) -> None:
        self.numbers = [*range(1, 10)] if self.options["numbers"] == "1-9" else [15, 16, 17, 18, 19, 20, 25]
        self.marks = [dict.fromkeys(self.numbers, 0) for _ in self.score]

    def missing(self) -> list[int]:
        return [number for number in self.numbers if self.marks[self.side][number] < 3]

    def dart(self, dart: str) -> None:
        number, ring = number_and_ring(dart)
        if number not in self.numbers or (self.options["ordered"] and number != self.missing()[0]):
            return
        following = self.playing[(self.place + 1) % len(self.playing)]
        for side in [self.side] * ring:
            getter = side if self.marks[side][number] < 3 else following
            if self.marks[getter][number] < 3:
                self.marks[getter][number] += 1
                self.score[getter] += 1
                self.points += getter == self.side
        for side in (following, self.side):
            if self.score[side] == 3 * len(self.numbers):
                self.winners = [side]

    def round_over(self) -> None:
        if self.round == self.options["rounds"]:
            self.winners = self.best(self.playing)

    def aim(self, chance: random.Random) -> str:
        number = chance.choice(self.missing()[:1] if self.options["ordered"] else self.missing())
        return chance.choice(["SB", "DB"]) if number == 25 else f"{chance.choice('SDTIO')}{number}"


class Prisoner(LastIn):
    """The score is the steps; `cells` are the numbers of the prisoners."""

    defaults: ClassVar = {"sits_out": True}

    def set_up(self) -> None:
        self.owned, self.missing, self.cells = [3] * len(self.score), [0] * len(self.score), list[int]()

    def alive(self, side: int) -> bool:
        return self.owned[side] > 0

    def begin(self) -> None:
        self.allowed = max(1, self.owned[self.side] - self.missing[self.side])
        self.beside = 0

    def dart(self, dart: str) -> None:
        number, _ = number_and_ring(dart)
        if dart == "MISS":
            self.beside += 1
        elif dart[0] == "I" or (number == 25 and 25 not in self.cells):
            self.owned[self.side] -= 1
            self.cells.append(number)
        else:
            if number in self.cells:
                self.cells.remove(number)
                self.owned[self.side] += 1
            if number == ([*CLOCK[1:], 20])[self.score[self.side]]:
                self.add(1)
            if self.score[self.side] == 20:
                self.winners = [self.side]

    def visit_over(self) -> None:
        self.missing[self.side] = self.beside if self.options["sits_out"] else 0
        super().visit_over()

    def aim(self, chance: random.Random) -> str:
        number = ([*CLOCK[1:], 20])[self.score[self.side]]
        return chance.choice(
            [f"O{number}", f"T{number}", f"S{number}", f"S{chance.choice([number, *self.cells])}", "DB"]
        ).replace("S25", "SB")


class Halves(Race):
    """Two sides with roles that they change once; the one that ends a half as the second of a round begins the next."""

    def set_up(self) -> None:
        self.half, self.visits, self.turned = 1, 0, False
        self.start_half(0)

    def start_half(self, first: int) -> None:
        self.first, self.visits = first, 0

    def half_over(self) -> bool:
        raise NotImplementedError

    def visit_over(self) -> None:
        self.visits += 1
        if not self.half_over() and self.visits < 2 * self.options["rounds"]:
            return
        if self.half == 2:
            self.winners = self.best([0, 1])
            return
        self.half, self.turned = 2, self.side != self.first
        self.start_half(1 - self.first)

    def move_on(self) -> None:
        super().move_on()
        if self.place == 0 and self.turned:
            self.playing.reverse()
            self.turned = False


class EnglishCricket(Halves):
    defaults: ClassVar = {"wickets": 10, "above": 40, "first": "batter", "strays": False, "off_board": 0, "rounds": 30}

    def start_half(self, first: int) -> None:
        super().start_half(first)
        self.batter = first if self.options["first"] == "batter" else 1 - first
        self.left = self.options["wickets"]

    def half_over(self) -> bool:
        return bool(self.left == 0)

    def dart(self, dart: str) -> None:
        number, ring = number_and_ring(dart)
        strays = self.options["strays"]
        if self.side == self.batter:
            scored = [d for d in self.darts if not (strays and d in ("SB", "DB"))]
            runs = max(0, sum(value(d, "25/50") for d in scored) - self.options["above"])
            self.add(runs - self.points)
            self.left -= min(self.left, ring) if strays and number == 25 else 0
        elif number == 25:
            self.left -= min(self.left, ring)
        elif strays and dart[0] in "TDO":
            self.score[self.batter] += number * ring
        elif dart == "MISS":
            self.score[self.batter] += self.options["off_board"]
        self.ended = self.left == 0

    def aim(self, chance: random.Random) -> str:
        return chance.choice(["T20", "S20", "T19"] if self.side == self.batter else ["SB", "DB", "O1"])


class FoxHunt(Halves):
    defaults: ClassVar = {"way": "doubles", "hare": 1, "rounds": 100}

    def start_half(self, first: int) -> None:
        super().start_half(first)
        self.fox, self.hound, self.caught = first, 0, False

    def ways(self) -> tuple[list[str], list[str]]:
        """What fox and hound have to hit: "D20", "S20" for either single, "20" for any ring."""
        back = [20, *CLOCK[:0:-1]]
        if self.options["way"] == "any":
            hare = [*CLOCK, 20] if self.options["hare"] == 20 else [*CLOCK[1:], 20]
            return [str(n) for n in hare], [str(n) for n in [5, *CLOCK[:-1]]]
        return [ring + str(n) for n in back for ring in "DS"] + ["D20"], [f"D{n}" for n in (back * 2)[18:38]]

    def wanted(self, side: int) -> str:
        fox, hound = self.ways()
        return fox[min(self.score[side], len(fox) - 1)] if side == self.fox else hound[self.hound % 20]

    def half_over(self) -> bool:
        return self.caught or self.score[self.fox] == len(self.ways()[0])

    def dart(self, dart: str) -> None:
        number, ring = number_and_ring(dart)
        wanted = self.wanted(self.side)
        if number != int(wanted.strip("DS")) or (wanted[0] in "DS" and ring != "SD".index(wanted[0]) + 1):
            return
        if self.side == self.fox:
            self.add(1)
            if self.half == 2 and self.score[self.fox] > self.score[1 - self.fox]:
                self.winners = [self.fox]
        else:
            self.caught = number == int(self.wanted(self.fox).strip("DS"))
            self.hound += 1
            self.points += 1
        self.ended = self.half_over()

    def aim(self, chance: random.Random) -> str:
        wanted = self.wanted(self.side)
        return f"{chance.choice('SIO')}{wanted.strip('S')}" if wanted[0] != "D" else wanted


GAMES: dict[str, type[Race]] = {
    "english_cricket": EnglishCricket,
    "fox_hunt": FoxHunt,
    "prisoner": Prisoner,
    "big_6": BigSix,
    "big_little": BigLittle,
    "shove_hapenny": ShoveHapenny,
    "nine_dart_century": NineDartCentury,
    "robin_hood": RobinHood,
    "football_field": FootballField,
    "steeplechase": Steeplechase,
    "chase_the_dragon": ChaseTheDragon,
}
OPTIONS: dict[str, dict[str, list[Any]]] = {  # Any: JSON
    "english_cricket": {
        "wickets": [3, 10], "above": [40, 0], "first": ["batter", "bowler"], "strays": [False, True],
        "off_board": [0, 20, 50], "rounds": [2, 30],
    },
    "fox_hunt": {"way": ["doubles", "any"], "hare": [1, 20], "rounds": [3, 100]},
    "prisoner": {"sits_out": [True, False]},
    "big_6": {"lives": [1, 3], "third": ["stays", "drawn"]},
    "big_little": {"lives": [1, 3], "third": ["stays", "drawn"]},
    "shove_hapenny": {"numbers": ["1-9", "15-20+bull"], "ordered": [False, True], "rounds": [None, None, 5]},
    "nine_dart_century": {"target": [100, 60], "rounds": [1, 3], "bull": ["25/50", "50/50"]},
    "robin_hood": {"rounds": [1, 2], "bull": ["25/50", "50/50"]},
    "football_field": {"field": [20, 11, 5], "draw": [False, True], "rounds": [None, 2]},
    "steeplechase": {"ring": ["inner", "single", "any"], "fences": [True, False], "rounds": [None, 3]},
    "chase_the_dragon": {"heads": [1, 3], "rounds": [None, 4]},
}  # fmt: skip
