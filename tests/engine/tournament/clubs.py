"""A club evening in virtual time: draws as proposed, matches called as chosen, each leg as long as its players take."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from random import Random

from engine.tournament.dispatch import choose_calls, order_next
from engine.tournament.draws import propose_draw
from engine.tournament.journal import TournamentJournal
from engine.tournament.match_header import find_format
from engine.tournament.state import Tournament
from protocol.tournament import Begin, By, Enter, Input, Result, SetTables, TableUse, TournamentSpec

BEGINS_S = 1_800_000_000
WALK_S = 80
"""From the call to the first dart, on average."""


class Club:
    """A tournament that goes on by itself, of `count` sides at so many tables; `leg_s` is a usual leg in seconds."""

    def __init__(self, spec: TournamentSpec, count: int, tables: int, seed: int, leg_s: float = 200) -> None:
        self.random = Random(seed)
        self.journal = TournamentJournal(spec)
        self.now_s = BEGINS_S
        self.events: list[tuple[int, int, By, Input]] = []
        self.ended = 0
        """Matches that were played to their end."""
        self.tempo = {}
        for number in range(count):
            people = tuple(f"P{number}{letter}" for letter in "abcd"[: 1 if spec.drawn else spec.side])
            self.do(Enter(people, average=self.random.uniform(30, 70), darts=300), "organiser")
            self.tempo.update({name: leg_s * self.random.uniform(0.7, 1.3) for name in people})
        self.do(SetTables(tuple(TableUse(f"t{number}") for number in range(tables))), "organiser")

    @property
    def now(self) -> Tournament:
        return self.journal.tournament

    def do(self, given: Input, by: By) -> None:
        self.journal.apply(self.now_s, by, given)

    def run(self, look: Callable[[Club], bool] = lambda club: False) -> None:
        """Goes on until nothing is left to play, or `look`, which is asked before time goes on, says to stop."""
        while self.now.phase != "over":
            if not order_next(self.now, self.now_s) and (not self.now.drawn or self.now.spec.kind == "swiss"):
                draw = None if self.events else propose_draw(self.now, f"{self.random.random()}")
                if draw is not None:
                    self.do(draw, "organiser")
            free = [each.name for each in self.now.tables]
            for call in choose_calls(self.now, self.now_s, free):
                self.do(call, "desk")
                self._play(call.match)
            if look(self):
                return
            if self.events:
                self.now_s, _, by, given = heappop(self.events)
                self.do(given, by)
                self.ended += isinstance(given, Result)
            else:
                self.now_s += 30

    def _play(self, match: str) -> None:
        random, now = self.random, self.now
        attempt = now.play(match).attempt
        begins_s = self.now_s + int(WALK_S * random.uniform(0.4, 1.6))
        wins = find_format(now, match).legs
        legs = [0, 0]
        while max(legs) < wins:
            legs[random.random() < 0.5] += 1
        people = [name for side in now.find_people(match) for name in side]
        leg_s = sum(self.tempo[name] for name in people) / len(people)
        lasts_s = int(sum(leg_s * random.uniform(0.7, 1.3) for _ in range(sum(legs))))
        sides = now.find_sides(match)
        result = Result(match, sides, sides[legs[1] > legs[0]], (legs[0], legs[1]), attempt=attempt)
        self._expect(begins_s, Begin(match, attempt))
        self._expect(begins_s + lasts_s, result)

    def _expect(self, at_s: int, given: Input) -> None:
        heappush(self.events, (at_s, len(self.journal.lines) * 2 + len(self.events), "table", given))
