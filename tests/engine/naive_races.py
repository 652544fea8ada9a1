"""The scoring and race games scored a second time, naively, from their rules: what the engine is compared with.

Nothing here knows the engine. A dart is a text, a match mutates lists, and every game is judged dart by dart.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any, ClassVar

from tests.engine.naive import number_and_ring


def value(dart: str, bull: str) -> int:
    """Points of a dart under the rule for the bull."""
    number, ring = number_and_ring(dart)
    return 50 if number == 25 and ring and bull == "50/50" else number * ring


class Race:
    """One leg: three darts each in turn. A game says what a dart, the end of a visit and that of a round do."""

    defaults: ClassVar[Mapping[str, Any]] = {}

    def __init__(self, options: dict[str, Any], sides: int) -> None:
        self.options = {**self.defaults, **options}
        self.score = [0] * sides
        self.playing = list(range(sides))
        self.round, self.place = 1, 0
        self.winners: list[int] | None = None
        self.allowed = 3
        self.set_up()
        self.open()

    @property
    def side(self) -> int:
        return self.playing[self.place]

    @property
    def over(self) -> bool:
        return self.winners is not None

    def open(self) -> None:
        self.darts: list[str] = []
        self.ended = False
        self.points = 0
        self.begin()

    def throw(self, dart: str) -> None:
        self.darts.append(dart)
        self.dart(dart)
        if self.over:
            self.ended = True
        if self.ended or len(self.darts) == self.allowed:
            self.ended = True
            self.close()

    def close(self) -> None:
        if not self.over:
            self.visit_over()
        if not self.over and self.place == len(self.playing) - 1:
            self.round_over()

    def next(self) -> None:
        while not self.ended:
            self.throw("MISS")
        if self.over:
            return
        self.move_on()
        self.open()

    def move_on(self) -> None:
        self.place += 1
        if self.place >= len(self.playing):
            self.place = 0
            self.round += 1

    def best(self, sides: list[int], low: bool = False) -> list[int]:
        wanted = (min if low else max)(self.score[side] for side in sides)
        return [side for side in sides if self.score[side] == wanted]

    def set_up(self) -> None:
        pass

    def begin(self) -> None:
        pass

    def dart(self, dart: str) -> None:
        pass

    def visit_over(self) -> None:
        pass

    def round_over(self) -> None:
        pass

    def aim(self, chance: random.Random) -> str:
        """A dart at what is asked for now."""
        raise NotImplementedError

    def add(self, points: int) -> None:
        self.score[self.side] += points
        self.points += points


class CountUp(Race):
    defaults: ClassVar = {"rounds": 8, "bull": "50/50", "target": None, "tie": "share"}

    def dart(self, dart: str) -> None:
        self.add(value(dart, self.options["bull"]))
        if self.options["target"] and self.score[self.side] >= self.options["target"]:
            self.winners = [self.side]

    def round_over(self) -> None:
        if self.options["target"] or self.round < self.options["rounds"]:
            return
        first = self.best(self.playing)
        self.allowed = 1 if self.options["tie"] == "one_dart" else 3
        if len(first) == 1 or self.options["tie"] == "share":
            self.winners = first
        else:
            self.playing, self.place = first, len(first) - 1


class LowBall(Race):
    defaults: ClassVar = {"rounds": 8, "bull": "50/50", "miss": 60, "tie": "share"}

    def dart(self, dart: str) -> None:
        self.add(self.options["miss"] if dart == "MISS" else value(dart, self.options["bull"]))

    def round_over(self) -> None:
        if self.round < self.options["rounds"]:
            return
        first = self.best(self.playing, low=True)
        if len(first) == 1 or self.options["tie"] == "share":
            self.winners = first
        else:
            self.playing, self.place = first, len(first) - 1


class AroundTheWorld(Race):
    defaults: ClassVar = {"points": "marks"}

    def dart(self, dart: str) -> None:
        number, ring = number_and_ring(dart)
        if number == (25 if self.round == 21 else self.round):
            self.add(ring if self.options["points"] == "marks" else number * ring)

    def round_over(self) -> None:
        if self.round == 21:
            self.winners = self.best(self.playing)


class DartsAt(Race):
    defaults: ClassVar = {"target": "20", "rounds": 33}

    def dart(self, dart: str) -> None:
        number, ring = number_and_ring(dart)
        if str(number).replace("25", "bull") == self.options["target"]:
            self.add(ring)

    def round_over(self) -> None:
        if self.round == self.options["rounds"]:
            self.winners = self.best(self.playing)


class RoundTheClock(Race):
    """`numbers` is the order that was drawn, when it is drawn."""

    defaults: ClassVar = {
        "ring": "any", "start": 1, "order": "up", "bull": "none", "skip": False, "finish": "first", "rounds": None,
    }  # fmt: skip
    numbers: list[int]

    def set_up(self) -> None:
        self.numbers = list(range(self.options["start"], 21))
        if self.options["order"] == "down":
            self.numbers.reverse()
        self.took: dict[int, int] = {}

    def steps(self) -> list[int]:
        return self.numbers + ([25] if self.options["bull"] != "none" else [])

    def dart(self, dart: str) -> None:
        number, ring = number_and_ring(dart)
        steps, done = self.steps(), self.score[self.side]
        wanted = {"any": [1, 2, 3], "single": [1], "double": [2], "triple": [3]}[self.options["ring"]]
        if number == 25:
            wanted = [2] if self.options["bull"] == "inner" else [1, 2]
        if number != steps[done] or ring not in wanted:
            return
        for _ in range(ring if self.options["skip"] else 1):
            if done < len(steps) - 1:
                done += 1
            elif done == self.score[self.side]:  # the last step, and it was aimed at
                done += 1
                break
        self.add(done - self.score[self.side])
        if done == len(steps):
            self.ended = True
            self.took[self.side] = len(self.darts)
            if self.options["finish"] == "first":
                self.winners = [self.side]

    def round_over(self) -> None:
        if self.took:
            fewest = min(self.took.values())
            is_shared = self.options["finish"] == "share"
            self.winners = [s for s in self.playing if s in self.took and (is_shared or self.took[s] == fewest)]
        elif self.round == self.options["rounds"]:
            self.winners = self.best(self.playing)


class Gotcha(Race):
    defaults: ClassVar = {"target": 301, "overage": "bust", "strike": "dart", "bull": "25/50", "rounds": 20}

    def begin(self) -> None:
        self.before = self.score[self.side]
        self.bust = False

    def dart(self, dart: str) -> None:
        self.add(value(dart, self.options["bull"]))
        too_many = self.score[self.side] - self.options["target"]
        if too_many > 0:
            self.score[self.side] = self.before
            if self.options["overage"] == "subtract":
                self.score[self.side] = max(0, self.before - too_many)
            self.points, self.ended, self.bust = 0, True, True
        elif too_many == 0:
            self.winners = [self.side]
        elif self.options["strike"] == "dart":
            self.compare()

    def compare(self) -> None:
        for side in self.playing:
            if side != self.side and self.score[side] == self.score[self.side]:
                self.score[side] = 0

    def visit_over(self) -> None:
        if self.options["strike"] == "visit" and not self.bust:
            self.compare()

    def round_over(self) -> None:
        if self.round == self.options["rounds"]:
            self.winners = self.best(self.playing)


class AllFives(Race):
    defaults: ClassVar = {"target": 51, "must_score": "last", "end": "pass"}

    def dart(self, dart: str) -> None:
        if len(self.darts) < 3:
            return
        points = [value(dart, "25/50") for dart in self.darts]
        if sum(points) % 5 or points[2] == 0 or (self.options["must_score"] == "every" and 0 in points):
            return
        fives = sum(points) // 5
        if self.options["end"] == "exact" and self.score[self.side] + fives > self.options["target"]:
            return
        self.add(fives)
        if self.score[self.side] >= self.options["target"]:
            self.winners = [self.side]


class Football(Race):
    defaults: ClassVar = {"goals": 10, "bull": "any", "rounds": None}

    def set_up(self) -> None:
        self.ball: int | None = None

    def dart(self, dart: str) -> None:
        if self.ball == self.side:
            if dart[0] == "D":
                self.add(1)
            if self.score[self.side] == self.options["goals"]:
                self.winners = [self.side]
        elif dart == "DB" or (dart == "SB" and self.options["bull"] == "any"):
            self.ball = self.side

    def round_over(self) -> None:
        if self.round == self.options["rounds"]:
            self.winners = self.best(self.playing)


class Snooker(Race):
    """Here a round is a visit, and the side at the table stays there for as long as it pots."""

    defaults: ClassVar = {"nominate": False, "fouls": False, "visit": "break", "tie": "black"}
    worth: ClassVar = {16: 2, 17: 3, 18: 4, 19: 5, 20: 6, 25: 7}

    def set_up(self) -> None:
        self.reds = set(range(1, 16))
        self.colours = [16, 17, 18, 19, 20, 25]
        self.after_red = False
        self.named: int | None = None
        self.run, self.broken = 0, False
        self.highest = [0] * len(self.score)

    @property
    def asks(self) -> bool:
        return bool(self.options["nominate"]) and self.after_red and self.named is None and not self.ended

    def dart(self, dart: str) -> None:
        number, _ = number_and_ring(dart)
        if self.after_red:
            on = {self.named} if self.options["nominate"] else set(self.worth)
        elif self.reds:
            on = set(self.reds)
        else:
            on = {self.colours[0]}
        if dart == "MISS" or number not in on:
            if self.options["fouls"] and (number in self.reds or number in self.colours):
                cost = max(4, self.worth.get(number, 1))
                if len(on) == 1:
                    cost = max(cost, *(self.worth.get(ball or 0, 1) for ball in on))
                for side in range(len(self.score)):
                    self.score[side] += 0 if side == self.side else cost
            self.broken = self.ended = True
            return
        points = self.worth.get(number, 1)
        self.add(points)
        self.run += points
        self.highest[self.side] = max(self.highest[self.side], self.run)
        if self.after_red:
            self.after_red, self.named = False, None
        elif self.reds:
            self.reds.remove(number)
            self.after_red = True
        else:
            self.colours.pop(0)
            if not self.colours:
                self.black_is_down()

    def black_is_down(self) -> None:
        first = self.best(self.playing)
        self.ended = self.broken = True
        if len(first) == 1 or self.options["tie"] == "share":
            self.winners = first
            return
        self.colours = [25]
        here = self.side
        following = [side for side in range(here + 1, len(self.score)) if side in first]
        self.playing = first
        self.then = (following or first)[0]

    def close(self) -> None:
        pass

    def move_on(self) -> None:
        self.round += 1
        if self.broken or self.options["visit"] == "three":
            self.run, self.broken, self.after_red, self.named = 0, False, False, None
            if hasattr(self, "then"):
                self.place = self.playing.index(self.then)
                del self.then
            else:
                self.place = (self.place + 1) % len(self.playing)


GAMES: dict[str, type[Race]] = {
    "count_up": CountUp,
    "low_ball": LowBall,
    "around_the_world": AroundTheWorld,
    "darts_at": DartsAt,
    "round_the_clock": RoundTheClock,
    "gotcha": Gotcha,
    "all_fives": AllFives,
    "football": Football,
    "snooker": Snooker,
}
