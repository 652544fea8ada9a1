"""A match that is thrown, corrected, killed and resumed in any order, beside a model that is too simple to be wrong.

The model keeps what was said as a list, undoes by dropping from its end, and scores 101 anew from nothing each time.
"""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.engine.contract import check
from tests.engine.naive_x01 import BEDS, NaiveX01, sums
from tests.engine.records import Record, header
from tests.sweep import many

TOTALS = ("=60", "=26", "=0", "=98", "=101", "=41/1", "=40/2/2", "=50/1", "=61/2/1", "=1/1", "=170", "=172", "=3/1/1")
"""Points entered together; the number of darts, and that of those thrown at a double, where they are said."""
DARTS = ("T20", "T20", "T17", "D20", "D8", "D3", "S20", "S17", "S1", "SB", "DB", "MISS")
PLAYERS = ("Ann", "Bo", "Cy")
TEAMS = [[0, 2], [1]]


class Said(NamedTuple):
    """A throw or total, a next (no dart), an amend (of a line), a side that leaves, a concede, a stop; its visit."""

    line: int
    dart: str | None
    visit: tuple[int, ...]
    amends: int | None = None
    is_next: bool = False
    leaves: int | None = None
    is_stop: bool = False
    is_concede: bool = False

    @property
    def is_bare(self) -> bool:
        """Whether it is said without a dart and counts all the same."""
        return self.is_next or self.is_stop or self.is_concede or self.leaves is not None


class Naive(NaiveX01):
    """With sides that leave: what is thrown in their open visit counts, and the others play on."""

    def __init__(self) -> None:
        self.gone: set[int] = set()
        super().__init__({"start": 101}, TEAMS, {"legs": 2})

    def new_leg(self) -> None:
        super().new_leg()
        self.contenders = [side for side in self.contenders if side not in self.gone]
        if self.side in self.gone:
            (self.side,) = self.contenders
            self.seat = self.teams[self.side][0]
            self.open_visit()

    def leave(self, side: int) -> bool:
        """Whether that closes the visit at the oche."""
        self.gone.add(side)
        if not {0, 1} - self.gone:
            self.over = True
        if self.over or side != self.side:
            self.contenders.remove(side)
            return False
        if not self.ended:
            scored = self.before[0] - self.purses[self.purse]
            self.points[side] += scored
            if self.turns[side] < 3:
                self.nine[side][0] += scored
                self.nine[side][1] += len(self.darts)
        self.contenders.remove(side)
        if self.leg_over:
            self.after_leg()
        else:
            self.next_side()
            self.open_visit()
        return True


class Shifted(Exception):
    """A recorded visit would be another player's."""


class Scored:
    """What a list of things said comes to, and the lines of it that have no effect."""

    def __init__(self, said: list[Said]) -> None:
        self.naive = Naive()
        self.number = 1
        self.darts: list[tuple[int, str]] = []
        self.void: set[int] = set()
        ways = {one.line: [one.dart] for one in said}
        for one in said:
            if one.amends in ways:
                ways[one.amends] = [*keep_darts(one.dart, ways[one.amends][0]), one.dart]
        for one in said:
            *kept, given = ways[one.line]
            dart = next((way for way in kept if way and self.takes(way)), given)
            if not one.amends and (dart is not None or one.is_bare):
                self._take(one, dart)

    def _take(self, one: Said, dart: str | None) -> None:
        if self.naive.over:
            self.void.add(one.line)
        elif one.is_stop:
            self.naive.over = True
        elif one.is_concede:
            self.naive.over, self.naive.winners = True, sorted({0, 1} - self.naive.gone)
        elif one.leaves is not None:
            self._open(self.naive.leave(one.leaves), [])
        elif one.visit != self.visit:
            raise Shifted(f"this would change who threw line {one.line}: undo back to that line")
        elif dart is None:
            misses = [(one.line, "MISS")] * (3 - len(self.naive.darts))
            self._open(self.naive.next(), misses)
        elif self.naive.ended or (dart[0] == "=" and not self.takes(dart)):
            self.void.add(one.line)
        elif dart[0] == "=":
            self.naive.total(*self._read(dart))
            self.darts.append((one.line, "TOTAL"))
        else:
            self.naive.throw(dart)
            self.darts.append((one.line, dart))

    def takes(self, total: str) -> bool:
        """Whether this total can be scored now."""
        points, darts, at_finish = self._read(total)
        left, score = 3 - len(self.naive.darts), self.naive.left[self.naive.side]
        is_finish = points == score and self.naive.can_finish(points, left)
        return (
            self.phase == "throwing"
            and darts <= left
            and at_finish <= sum(self.naive.can_finish(score, fewest) for fewest in range(1, darts + 1))
            and points in sums(BEDS, darts)
            and (not is_finish or self.naive.can_finish(points, darts))
        )

    def _read(self, total: str) -> tuple[int, int, int]:
        points, *more = map(int, total[1:].split("/"))
        darts, at_finish, *_ = (*more, *(3 - len(self.naive.darts), 0)[len(more) :])
        return points, darts, at_finish

    def _open(self, opened: bool, darts: list[tuple[int, str]]) -> None:
        self.darts = [] if opened else [*self.darts, *darts]
        self.number += opened

    @property
    def visit(self) -> tuple[int, ...]:
        """Its number and whose it is."""
        return self.number, self.naive.side, self.naive.seat, self.naive.started

    @property
    def phase(self) -> str:
        return "over" if self.naive.over else "takeout" if self.naive.ended else "throwing"


def keep_darts(dart: str | None, before: str | None) -> list[str]:
    """A total that says no darts with those of the total `before` it: with all that one says, then with fewer."""
    if not (dart and before and dart[0] == before[0] == "=") or "/" in dart:
        return []
    said = before.split("/")[1:]
    return ["/".join([dart, *said[:count]]) for count in range(len(said), 0, -1)]


def line_of(dart: str | None) -> dict[str, object]:
    """The line of a record with this dart or total; None is no dart."""
    if dart is None or dart[0] != "=":
        return {"throw": dart}
    return dict(zip(("total", "darts", "at_finish"), map(int, dart[1:].split("/")), strict=False))


class MatchMachine(RuleBasedStateMachine):
    """A 101 over two legs, a team of two against one."""

    def __init__(self) -> None:
        super().__init__()
        self.record = Record(
            header("x01", PLAYERS, teams=TEAMS, options={"start": 101}, format={"legs": 2}, undo_all=True)
        )
        self.said: list[Said] = []
        self.undone: list[Said] = []

    @rule(dart=st.sampled_from(DARTS))
    def throw(self, dart: str) -> None:
        self._say({"throw": dart}, Scored(self.said).phase == "throwing", dart)

    @rule(total=st.sampled_from(TOTALS))
    def total(self, total: str) -> None:
        self._say(line_of(total), Scored(self.said).takes(total), total)

    @rule(darts=st.lists(st.sampled_from(DARTS), min_size=3, max_size=3))
    def visit(self, darts: list[str]) -> None:
        for dart in darts:
            self.throw(dart)
        self.next()

    @rule()
    def finish(self) -> None:
        """The darts that end the leg in this visit, if there are any: 51 and the bull for all of it."""
        left = Scored(self.said).naive.left[Scored(self.said).naive.side]
        for points, dart in ((51, "T17"), (20, "S20"), (1, "S1"), (3, "S3"), (0, "MISS")):
            if left - points in (50, *range(2, 42, 2)):
                self.throw(dart)
                self.throw("DB" if left - points == 50 else f"D{(left - points) // 2}")
                self.next()
                break

    @rule()
    def next(self) -> None:
        self._say({"next": True}, Scored(self.said).phase != "over", None, is_next=True)

    @rule(side=st.sampled_from([0, 1]))
    def retire(self, side: int) -> None:
        now = Scored(self.said)
        self._say({"retire": side}, now.phase != "over" and side not in now.naive.gone, None, leaves=side)

    @rule()
    def concede(self) -> None:
        now = Scored(self.said)
        self._say({"concede": True}, now.phase != "over" and len(now.naive.gone) == 1, None, is_concede=True)

    @rule()
    def stop(self) -> None:
        self._say({"stop": True}, Scored(self.said).phase != "over", None, is_stop=True)

    @rule(back=st.integers(0, 12), dart=st.sampled_from([*DARTS, *TOTALS, None]))
    def amend_a_throw(self, back: int, dart: str | None) -> None:
        throws = [one.line for one in reversed(self.said) if one.dart and not one.amends]
        self._amend(throws[back % len(throws)] if throws else 1, dart)

    @rule(back=st.integers(0, 12), dart=st.sampled_from([*DARTS, None]))
    def amend_anything(self, back: int, dart: str | None) -> None:
        self._amend(max(self.record.line + 1 - back, 1), dart)

    def _amend(self, line: int, dart: str | None) -> None:
        now = Scored(self.said)
        throws = [one.line for one in self.said if one.dart and not one.amends and one.line not in now.void]
        wanted = Said(self.record.line + 1, dart, now.visit, amends=line)
        legal, shifted = line in throws, None
        try:
            legal = legal and line not in Scored([*self.said, wanted]).void  # a ghost cannot come back after a bust
        except Shifted as shift:
            legal, shifted = False, str(shift)
        reason = self._say({"amend": line, **line_of(dart)}, legal, dart, amends=line)
        is_total = dart is not None and dart[0] == "="  # one that does not fit its own visit is refused for that
        assert shifted is None or line not in throws or is_total or reason == shifted

    @rule()
    def undo(self) -> None:
        void = Scored(self.said).void
        found = next((one for one in reversed(self.said) if one.line not in void), None)
        assert self.record.add({"undo": True}).accepted == (found is not None)
        if found is not None:
            self.said.remove(found)
            self.undone.append(found)

    @rule()
    def redo(self) -> None:
        assert self.record.add({"redo": True}).accepted == bool(self.undone)
        if self.undone:
            self.said = sorted([*self.said, self.undone.pop()])

    @rule()
    def kill_and_resume(self) -> None:
        before = self.record.match.position
        self.record.match = self.record.resumed()
        assert self.record.match.position == before

    @invariant()
    def the_match_stands_where_the_model_stands(self) -> None:
        state, model = self.record.state, Scored(self.said)
        naive, turn = model.naive, state["turn"]
        check(self.record.encoded())
        assert state["phase"] == model.phase
        assert (turn["visit"], turn["side"], turn["seat"]) == model.visit[:3]
        assert [(dart["line"], dart["segment"]) for dart in turn["darts"]] == model.darts
        assert turn["darts_left"] == (3 - len(naive.darts) if model.phase == "throwing" else 0)
        assert [side["score"] for side in state["sides"]] == naive.left
        assert [side["legs"] for side in state["sides"]] == naive.legs
        assert state["winners"] == naive.winners
        if naive.ended:
            assert [side["detail"] for side in state["sides"]] == naive.detail()

    def _say(
        self,
        line: dict[str, object],
        legal: bool,
        dart: str | None,
        amends: int | None = None,
        is_next: bool = False,
        leaves: int | None = None,
        is_stop: bool = False,
        is_concede: bool = False,
    ) -> str | None:
        """Says it to the match and, when it is legal, to the model; the reason when it is not."""
        visit = Scored(self.said).visit
        outcome = self.record.add(line)
        assert outcome.accepted == legal, outcome.reason
        if legal:
            self.said.append(Said(self.record.line, dart, visit, amends, is_next, leaves, is_stop, is_concede))
            self.undone.clear()
        return outcome.reason


TestMatchMachine = MatchMachine.TestCase
TestMatchMachine.settings = settings(max_examples=many(6, 50), stateful_step_count=40, print_blob=True)
