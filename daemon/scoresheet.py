"""The scoresheet of a table: the match at hand, line by line, and the plan of the next one.

A line is ruled on in memory and noted for the next commit. Whatever the rules of a game do wrong, it is as if that line
had not been: see daemon/rules.py.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from daemon import order, rights, rules
from daemon.batch import Batch
from daemon.matches import Opened, begin, plan_of, planned, same_again
from daemon.store import Begin, Line
from daemon.updates import Events
from engine.match import Match, Outcome
from engine.record import Header, Input, Stop, Throw, Unreadable, read_header, write_header, write_input
from protocol import messages


class Scoresheet:
    """The scoresheet of one table. Raises Unreadable for a match that cannot be played."""

    def __init__(self, opened: Opened, events: Events) -> None:
        self.trouble: str | None = None
        """Why nothing can be written down now; then every line is refused for it."""
        self._events = events
        self._left: tuple[Opened, dict[str, Any], rules.Seen] | None = None  # Any: as in Match.mark
        """The match of a withdrawn game, as it was when it was left for this one."""
        self.take_up(opened)

    @property
    def match(self) -> Match:
        """The match at hand."""
        return self._opened.match

    @property
    def match_id(self) -> str:
        """What it is called."""
        return self._opened.id

    @property
    def timer_lines(self) -> set[int]:
        """The lines of the match that only the timer wrote."""
        return self._opened.timer_lines

    @property
    def seen(self) -> rules.Seen:
        """How the match looks after its last line, without the numbers that it is published with."""
        return self._seen

    @property
    def plan(self) -> messages.Plan:
        """The match that the next start begins."""
        return plan_of(self._next, self.match.layout, self._opened.doubles)

    def take_up(self, opened: Opened) -> None:
        """This is the match at hand from now on. Raises RulesFailed, and then it is not."""
        self._take_up(opened, _seen(opened))

    def stay(self, match_id: str, line: int) -> bool:
        """Goes on with this match at this line if its game is withdrawn, without asking the rules. False: we cannot.

        It must be the one at hand, or the one that was left for it.
        """
        for opened, mark, seen in filter(None, ((self._opened, self.match.mark(), self._seen), self._left)):
            is_it = opened.id == match_id and mark["line"] == line
            if is_it and rules.withdrawn(opened.match.game) is not None:
                opened.match.back_to(mark)
                self._take_up(opened, seen)
                return True
        return False

    def _take_up(self, opened: Opened, seen: rules.Seen) -> None:
        self._opened, self._seen, self._sequel = opened, seen, order.sequel(opened.match)
        self._next = self._sequel or same_again(opened.match.header)

    def open(self, batch: Batch) -> None:
        """Notes the beginning of the match."""
        batch.written.append(Begin(self.match_id, write_header(self.match.header), _today()))
        batch.events.append(
            self._events.event("match_started", match=self.match_id, line=self.match.line, game=self.match.game.id)
        )

    def enter(self, given: Input, source: str, batch: Batch) -> Outcome:
        """One line: ruled on, and noted when it is accepted."""
        if self.trouble is not None:
            return Outcome(False, self.trouble)
        if isinstance(given, Throw) and (refusal := rights.not_a_dart(self.match, source)):
            return Outcome(False, refusal)
        before, line, mark = self.match.position.visit, self.match.line + 1, self.match.mark()
        seen, events = self._seen, list[messages.Event]()
        try:
            with rules.asking(self.match.game, rules.limit_s(self.match), may_refuse=False):
                outcome = self.match.apply(line, given)
                if outcome.accepted:
                    events = self._events.facts(outcome.facts, before, self.match, self.match_id)
                    seen = rules.see(self.match, self.match_id)
        except BaseException as failure:  # it must not take the table with it; the match stays as it was
            self.match.back_to(mark)
            if not isinstance(failure, rules.RulesFailed):
                raise
            batch.notice = str(failure)
            return Outcome(False, str(failure))
        self._seen = seen
        if outcome.accepted:
            self._note(line, given, source, events, batch)
            self._follow(batch)
        return outcome

    def _follow(self, batch: Batch) -> None:
        """The order of the next match may be another one now; what somebody has planned since stays as it is."""
        before, self._sequel = self._sequel, order.sequel(self.match)
        if self._sequel != before and self._next == before:
            self._next = self._sequel or same_again(self.match.header)
            batch.plan = self.plan

    def plan_next(self, wanted: dict[str, Any]) -> None:  # Any: JSON
        """The next match will have this."""
        self._next = planned(self._next, wanted)

    def start(self, wanted: dict[str, Any] | None, how: str | None, source: str, batch: Batch) -> None:  # Any: JSON
        """A new match in the place of this one: of this header, or the planned one.

        With `how` the order of its sides is decided, before it comes the match that does so.
        """
        header: Header = self._next if wanted is None else read_header({"oche": 1, **wanted})
        opened = begin(header, self.match.layout, self._opened.doubles)
        if how is not None and (first := order.deciding(header, how)) is not None:
            try:
                opened = begin(first, self.match.layout, self._opened.doubles)
            except Unreadable as error:
                raise Unreadable(f"the order cannot be decided here: {error}") from None
        seen = _seen(opened)  # before anything is written: it may fail
        if rules.withdrawn(self.match.game) is not None:
            self._left = self._opened, self.match.mark(), self._seen
        if not self.match.position.over:
            self._stop(source, batch)
        self._take_up(opened, seen)
        self.open(batch)

    def _stop(self, source: str, batch: Batch) -> None:
        """The match is left for another. No rule is asked, so that one of a broken game can be left too."""
        before, line = self.match.position.visit, self.match.line + 1
        outcome = self.match.apply(line, Stop())
        self._note(line, Stop(), source, self._events.facts(outcome.facts, before, self.match, self.match_id), batch)

    def _note(self, line: int, given: Input, source: str, events: list[messages.Event], batch: Batch) -> None:
        batch.written.append(Line(self.match_id, line, write_input(given), source, _today()))
        batch.events += events


def _seen(opened: Opened) -> rules.Seen:
    """How a match looks that is taken up, be its game withdrawn. Raises RulesFailed."""
    return rules.see(opened.match, opened.id, is_vital=False, even_withdrawn=True)


def _today() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
