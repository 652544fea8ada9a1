"""Games of lives, Killer and Blind Killer among them, scored a second time, naively, from their rule sheets."""

from __future__ import annotations

from typing import Any

from tests.engine.naive import number_and_ring


def points(darts: list[str]) -> int:
    return sum(number * ring for number, ring in map(number_and_ring, darts))


class Table:
    """Who throws when, who is out and who has left: the same for all games in which the last one in wins."""

    def __init__(self, people: int, options: dict[str, Any]) -> None:
        self.options = options
        self.here = [True] * people
        self.out = [False] * people
        self.queue: list[int] = []
        self.round = 0
        self.over = False
        self.winners: list[int] = []
        self.open_visit()

    @property
    def left(self) -> list[int]:
        return [side for side, here in enumerate(self.here) if here and not self.out[side]]

    def starters(self) -> list[int]:
        return self.left

    def new_round(self) -> None:
        """What a game forgets when a round begins."""

    def open_visit(self) -> None:
        self.queue = [side for side in self.queue if side in self.left]
        if not self.queue:
            self.round += 1
            self.new_round()
            self.queue = self.starters()
            self.round_done = False
        self.side = self.queue.pop(0)
        self.darts: list[str] = []
        self.ended = False
        self.end_if_alone()

    def end(self, winners: list[int]) -> None:
        if not self.over:
            self.over, self.winners = True, winners

    def end_if_alone(self) -> None:
        if len(self.left) < 2:
            self.end(self.left)

    def throw(self, dart: str) -> None:
        self.darts.append(dart)
        self.dart(dart)
        if not self.over and (self.ended or len(self.darts) == 3):
            self.ended = True
            if len(self.left) > 1 or len(self.here) == 1:
                self.visit()
            self.end_if_alone()
            self.end_round()

    def end_round(self) -> None:
        if not self.over and not self.round_done and not [side for side in self.queue if side in self.left]:
            self.round_done = True
            self.round_end()
            self.end_if_alone()

    def next(self) -> None:
        while not self.ended and not self.over:
            self.throw("MISS")
        if not self.over:
            self.open_visit()

    def retire(self, side: int) -> None:
        self.here[side] = False
        staying = [other for other, here in enumerate(self.here) if here]
        if len(staying) < 2:
            self.end(staying)
        elif side == self.side:
            self.end_round()
            if not self.over:
                self.open_visit()
        elif self.ended:
            self.end_round()

    def dart(self, dart: str) -> None:
        """A dart landed."""

    def visit(self) -> None:
        """The visit is thrown."""

    def round_end(self) -> None:
        """Every side has thrown."""


class NaiveKnockout(Table):
    """One before: the mark, the leader or the own visit; less than that costs a life."""

    def __init__(self, people: int, options: dict[str, Any]) -> None:
        self.lives = [options["lives"]] * people
        self.visits: list[tuple[int, int]] = []
        super().__init__(people, options)

    def mark(self, side: int) -> int | None:
        kind = self.options["mark"]
        if kind == "own":
            mine = [total for who, total in self.visits if who == side]
            return mine[-1] if mine else None
        totals = [total for _, total in self.visits]
        if not totals:
            return None
        return totals[-1] if kind == "last" else max(totals)

    def visit(self) -> None:
        total, mark = points(self.darts), self.mark(self.side)
        if mark is not None and (total < mark or (total == mark and self.options["tie_loses"])):
            self.lives[self.side] -= 1
            self.out[self.side] = self.lives[self.side] == 0
        self.visits.append((self.side, total))

    def wall(self) -> list[int]:
        return self.lives


class NaiveSuddenDeath(Table):
    """The lowest of the round goes; who are level at the bottom throw again."""

    def __init__(self, people: int, options: dict[str, Any]) -> None:
        self.again: list[int] = []
        self.thrown: dict[int, int] = {}
        super().__init__(people, options)

    def starters(self) -> list[int]:
        again = [side for side in self.again if side in self.left]
        return again if len(again) > 1 else self.left

    def new_round(self) -> None:
        self.thrown = {}

    def dart(self, dart: str) -> None:
        self.thrown[self.side] = points(self.darts)

    def round_end(self) -> None:
        compared = {side: total for side, total in self.thrown.items() if self.here[side]}
        self.again = []
        if len(compared) > 1:
            bottom = [side for side, total in compared.items() if total == min(compared.values())]
            if len(bottom) == 1:
                self.out[bottom[0]] = True
            else:
                self.again = sorted(bottom if self.options["tie"] == "tied" else compared)

    def wall(self) -> list[int]:
        return [self.thrown.get(side, 0) for side in range(len(self.here))]


class NaiveNineLives(Table):
    """1 to 20, perhaps the bull; a visit without a step costs a life."""

    def __init__(self, people: int, options: dict[str, Any]) -> None:
        self.lives, self.at = [options["lives"]] * people, [0] * people
        self.way = [*range(1, 21), *([25] if options["bull"] else [])]
        super().__init__(people, options)

    def end_if_alone(self) -> None:
        if len(self.here) > 1 or not self.left:
            super().end_if_alone()

    def open_visit(self) -> None:
        self.stepped = False
        super().open_visit()

    def dart(self, dart: str) -> None:
        if number_and_ring(dart)[0] == self.way[self.at[self.side]]:
            self.at[self.side] += 1
            self.stepped = True
            if self.at[self.side] == len(self.way):
                self.end([self.side])

    def visit(self) -> None:
        if not self.stepped:
            self.lives[self.side] -= 1
            self.out[self.side] = self.lives[self.side] == 0

    def wall(self) -> list[int]:
        return self.at


class NaiveKiller(Table):
    """Each side's number, lives and killing; with drawn numbers these must be given."""

    def __init__(self, people: int, options: dict[str, Any], drawn: list[int] | None = None) -> None:
        self.number: list[int | None] = [*drawn] if drawn else [None] * people
        self.lives, self.killer, self.taken = [options["lives"]] * people, [False] * people, [0] * people
        self.fallen: list[int] = []
        super().__init__(people, options)

    def starters(self) -> list[int]:
        return [side for side in self.left if self.number[side] is None] or self.left

    def counts(self, ring: int) -> int:
        """The lives that a dart takes."""
        wanted = self.options["ring"]
        if wanted == "any":
            return ring if self.options["multi"] == "ring" else 1
        return int(ring == {"double": 2, "triple": 3}[wanted])

    def lose(self, side: int, lives: int) -> None:
        for _ in range(lives):
            if self.lives[side]:
                self.lives[side] -= 1
                self.taken[self.side] += side != self.side
        if not self.lives[side]:
            self.out[side] = True
            self.fallen.append(side)
            self.ended |= side == self.side
            self.end_if_alone()

    def dart(self, dart: str) -> None:
        self.end_if_alone()
        if self.over:
            return
        number, ring = number_and_ring(dart)
        if self.number[self.side] is None:
            if 1 <= number <= 20 and number not in self.number:
                self.number[self.side] = number
                self.ended = True
            return
        hit = [side for side in self.left if self.number[side] == number]
        if hit and self.counts(ring):
            self.hit(hit[0], self.counts(ring))

    def hit(self, side: int, lives: int) -> None:
        me = self.side
        if side != me:
            if self.killer[me]:
                self.lose(side, lives)
        elif not self.killer[me]:
            self.killer[me] = True
        elif self.options["self_hit"] == "life":
            self.lose(me, lives)
        elif self.options["self_hit"] == "lose_killer":
            self.killer[me] = False


class NaiveBlindKiller(Table):
    """Lives of numbers; `owner` is by number, and decoys are not in it."""

    def __init__(self, people: int, options: dict[str, Any], numbers: list[int], owner: dict[int, int]) -> None:
        self.lives, self.owner = dict.fromkeys(numbers, options["lives"]), owner
        self.taken = [0] * people
        super().__init__(people, options)

    def dart(self, dart: str) -> None:
        self.end_if_alone()
        number = number_and_ring(dart)[0]
        if self.over or not self.lives.get(number):
            return
        self.lives[number] -= 1
        self.taken[self.side] += 1
        if not self.lives[number] and number in self.owner:
            dead = self.owner[number]
            self.out[dead] = True
            self.ended |= dead == self.side
            self.end_if_alone()

    def told(self, number: int) -> int | None:
        """The owner, as the public screen shows it."""
        return self.owner.get(number) if self.over or not self.lives[number] else None
