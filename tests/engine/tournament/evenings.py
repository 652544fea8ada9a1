"""Tournaments played out: drawn from the top, with whatever results the caller thinks of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from engine.tournament.drawing import BY_SEATS
from engine.tournament.journal import TournamentJournal
from engine.tournament.knockout import seat_entrants
from engine.tournament.rotation import deal_snake
from engine.tournament.state import DECIDED, Tournament
from engine.tournament.swiss import pair_round
from protocol.tournament import (
    EMPTY,
    Begin,
    By,
    Call,
    DrawGroups,
    DrawLadder,
    DrawRound,
    DrawSeats,
    DrawSides,
    Enter,
    Entrant,
    Input,
    Kind,
    Pair,
    Result,
    SetTables,
    TableUse,
    TournamentSpec,
)

Choose = Callable[[Sequence[Any]], Any]  # Any: whatever is to be chosen from


class Evening:
    """A tournament of this many entrants, who are called P1, P2 and so on, with two tables."""

    def __init__(self, spec: TournamentSpec, count: int) -> None:
        self.journal = TournamentJournal(spec)
        self.ids = [self.do(Enter(self._name_people(number))) for number in range(1, count + 1)]
        self.do(SetTables((TableUse("one"), TableUse("two"))))

    def _name_people(self, number: int) -> tuple[str, ...]:
        spec = self.now.spec
        count = 4 if spec.slots else 1 if spec.drawn else spec.side
        return (f"P{number}",) if count == 1 else tuple(f"P{number}.{place}" for place in range(count))

    @property
    def now(self) -> Tournament:
        return self.journal.tournament

    def do(self, given: Input, by: By = "organiser", at_s: int = 0) -> int:
        """The number of the line that this becomes."""
        return self.journal.apply(at_s, by, given).number

    def draw(self) -> None:
        """Makes the next draw, in the order in which they entered."""
        spec, ids = self.now.spec, [each.id for each in self.now.list_entered()]
        if spec.drawn and not self.now.sides:
            self.do(DrawSides(tuple(tuple(ids[at : at + spec.side]) for at in range(0, len(ids), spec.side))))
            ids = ids[:: spec.side]
        if spec.kind in ("knock_out", "double_knock_out"):
            self.do(DrawSeats(seat_entrants(ids)))
        elif spec.kind == "groups":
            self.do(DrawGroups(deal_snake(ids, spec.groups)))
        elif spec.kind == "round_robin":
            self.do(DrawGroups((tuple(ids),)))
        elif spec.kind == "swiss":
            self._draw_round(ids)
        else:
            self.do(DrawLadder(tuple(ids)))

    def _draw_round(self, ids: list[Entrant]) -> None:
        met: dict[frozenset[Entrant], int] = {}
        byes: dict[Entrant, int] = {}
        for each in self.now.resolved.values():
            if each.how == "bye":
                byes[each.winner] = byes.get(each.winner, 0) + 1
            else:
                met[frozenset(each.sides)] = 1
        points = {row.entrant: row.points for table in self.now.make_standings() for row in table.rows}
        playing = sorted(
            (each for each in ids if not points or each in points), key=lambda each: (-points.get(each, 0), each)
        )
        pairs, rests = pair_round(playing, points or dict.fromkeys(playing, 0), met, byes)
        self.do(DrawRound(pairs, rests))

    def list_by(self, *statuses: str) -> list[str]:
        """The matches of such a status."""
        return [match for match in self.now.list_matches() if self.now.find_status(match) in statuses]

    def call(self, match: str, table: str = "one") -> int:
        """Calls the match and throws its first dart; its attempt."""
        self.do(Call(match, table))
        attempt = self.now.play(match).attempt
        self.do(Begin(match, attempt), "table")
        return attempt

    def win(self, match: str, winner: Entrant, attempt: int | None = None) -> None:
        """Ends the match 2-1, as its table says it if there is an attempt."""
        sides = self.now.find_sides(match)
        legs = (2, 1) if winner == sides[0] else (1, 2)
        self.do(Result(match, sides, winner, legs, attempt=attempt), "organiser" if attempt is None else "table")

    def play(self, match: str, winner: Entrant) -> None:
        """Calls the match and has this side win it at the table."""
        self.win(match, winner, self.call(match))

    def play_out(self, choose: Choose) -> None:
        """Plays all, with matches and winners as chosen; of a ladder or an open evening twice as many as entrants."""
        if not self.now.drawn:
            self.draw()
        while (step := self.find_step(choose)) is not None:
            step()

    def find_step(self, choose: Choose) -> Callable[[], object] | None:
        """What can be done next; None: nothing."""
        ready = self.list_by("ready")
        if ready:
            match = choose(ready)
            winner = choose(self.now.find_sides(match))
            return lambda: self.play(match, winner)
        kind = self.now.spec.kind
        if kind == "swiss" and self.now.rounds < self.now.round_count:
            return self.draw
        if kind in ("ladder", "open") and len(self.now.fixtures) < 2 * len(self.ids):
            pair = choose(list(self._list_pairs()))
            return lambda: self.do(Pair(pair))
        return None

    def draw_more(self, choose: Choose) -> None:
        """Draws a round of a Swiss tournament, or pairs two of a ladder or an open evening. Raises IllegalInput."""
        if self.now.spec.kind == "swiss":
            self.draw()
        else:
            self.do(Pair(choose(list(self._list_pairs()) or [(EMPTY, EMPTY)])))

    def _list_pairs(self) -> Iterator[tuple[Entrant, Entrant]]:
        here = [each for each in self.now.find_ladder() or self.now.drawn if not self.now.entrants[each].left]
        reach = self.now.spec.reach if self.now.spec.kind == "ladder" else len(here)
        for low, one in enumerate(here):
            for other in here[max(0, low - reach) : low]:
                yield one, other


def is_over(tournament: Tournament) -> bool:
    """Whether each match is decided."""
    return all(each.how in DECIDED for each in tournament.resolved.values())


def make_spec(kind: Kind, **given: Any) -> TournamentSpec:  # Any: fields of the spec
    return TournamentSpec("An evening", kind, **given)


__all__ = ["BY_SEATS", "EMPTY", "Choose", "Evening", "is_over", "make_spec"]
