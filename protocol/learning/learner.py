"""Which board is this? Asks for presses until the mat, how it sits and the order of all lines are known.

Each press is the one that tells most candidates apart and meets most lines that were not met before. An answer that
contradicts the others is not refused: whatever is doubtful is asked for again, and the answers are weighed. A mat is
accepted when no rival is nearly as good (one wrong answer never decides), every line with a contact was met, and both
bulls were pressed. When no mat explains the answers, every segment is asked for.

A program that presses by name is not asked for I20 as long as its board may not have one: see survey. If in the end
only mats with split singles rival one without, the latter is believed, unless the numbers of its lines have a gap.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

from protocol.learning import survey
from protocol.learning.candidates import BULLS, Cell, Evidence, PatternFit, list_patterns
from protocol.learning.choice import Choice, ExplainedFit, choose_press, find_doubtful, find_unsure, has_gap
from protocol.learning.finding import Finding, conclude_pattern, conclude_survey
from protocol.learning.survey import Answer, Contact

_MARGIN = 2
"""A rival must be contradicted by so much more than the best: one wrong press is not enough."""
_USUAL = 14
"""Presses, as long as nothing is known."""
_FIRST = "D20"
"""The first press tells nothing whichever it is; this one every board has by this name."""

Reason = Literal["tell", "again", "line", "bull", "all"]
"""Why a segment is asked for: to tell mats apart, it is doubtful, to meet a line, to confirm a bull, or all are."""


class Learner:
    """Ask for `press`, pass the answer to `hear`, until `press` is None; then `finding` is there.

    `answers` is all that was heard, in order; another Learner goes on from there. With `is_matrix` False the contacts
    are frames that are not understood, and every segment is asked for. `by_name`: the one who presses knows segments by
    name, not by their place on the board. `guess` is the mat that explains the answers best, as long as it is alone.
    """

    def __init__(self, answers: Iterable[Answer] = (), *, is_matrix: bool = True, by_name: bool = False) -> None:
        self._is_matrix = is_matrix
        self._by_name = by_name
        self._restart(list(answers))

    @property
    def is_unknown(self) -> bool:
        """Whether no mat that ships explains the answers."""
        return not self._fits

    @property
    def is_in_doubt(self) -> bool:
        """Whether `press` is an inner or outer single, and the board may have none by that name."""
        return self.press is not None and self.press[0] in "IO" and not survey.has_halves(self.answers)

    @property
    def about(self) -> int:
        """About how many presses it takes in all."""
        return len(self.answers) + self._left

    def hear(self, contact: Contact | None) -> None:
        """Takes the answer to `press`: the contact that closed; None: the board has none."""
        if self.press is not None:
            self._take((self.press, contact))
            self._think()

    def undo(self) -> bool:
        """Takes the last answer back, so that it is asked for again. Returns False when there is none."""
        if not self.answers:
            return False
        self._restart(self.answers[:-1])
        return True

    def _restart(self, answers: Sequence[Answer]) -> None:
        self.answers: list[Answer] = []
        self.press: str | None = None
        self.reason: Reason = "tell"
        self.finding: Finding | None = None
        self.guess: str | None = None
        self._left = _USUAL
        self._evidence: list[Evidence] = []
        self._silent: set[str] = set()
        self._bulls: dict[str, Counter[Cell]] = {}
        self._fits = [PatternFit(pattern) for pattern in list_patterns()] if self._is_matrix else []
        for answer in answers:
            self._take(answer)
        self._think()

    def _take(self, answer: Answer) -> None:
        self.answers.append(answer)
        segment, contact = answer
        if not self._fits:
            return
        if contact is None or isinstance(contact, str):
            self._silent.add(segment)
            if self._by_name and segment[0] in "IO" and not survey.has_halves(self.answers):
                self._fits = [fit for fit in self._fits if not fit.pattern.is_split]
        elif segment in BULLS:
            self._bulls.setdefault(segment, Counter())[contact] += 1
        else:
            self._weigh(Evidence(segment, contact))

    def _weigh(self, news: Evidence) -> None:
        for index, said in enumerate(self._evidence):
            if said[:2] == news[:2]:
                self._evidence[index] = said._replace(times=said.times + 1)
                break
        else:
            self._evidence.append(news)
        tolerance = _tolerance(len(self._evidence))
        for fit in self._fits:
            fit.weigh(self._evidence, tolerance + _MARGIN)
        self._fits = [fit for fit in self._fits if fit.cost is not None]
        if self._fits and min(fit.cost or 0 for fit in self._fits) > tolerance:
            self._fits = []

    def _think(self) -> None:
        self.press, self.finding = None, None
        if self._fits and self._recognise():
            return
        self._fits, self.guess = [], None
        self.press, self.reason = survey.find_next_press(self.answers, by_name=self._by_name), "all"
        self._left = survey.count_left(self.answers)
        if self.press is None:
            self.finding = conclude_survey(survey.map_contacts(self.answers, by_name=self._by_name))

    def _recognise(self) -> bool:
        """The next press, or the finding; False when the lines that are left cannot be met."""
        if not self.answers:
            return self._ask(_FIRST, "tell")
        views = [ExplainedFit.of(fit, self._evidence, self._bulls) for fit in self._fits]
        views.sort(key=lambda view: (view.cost, view.fit.pattern.is_split))
        leader = views[0]
        best = [view for view in views if view.cost == leader.cost]
        near = [view for view in views if view.cost < leader.cost + _MARGIN]
        unpressed = [b for b in leader.bulls.expected if b not in self._bulls and b not in self._silent]
        unmet = leader.unmet
        self._left = max(1, len(unpressed) + max(map(len, unmet)))
        if len(best) > 1:
            self._left = max(self._left, _USUAL - len(self.answers))
        self.guess = leader.bulls.variant.mat if len(best) == 1 else None
        again = find_doubtful(best, self._evidence)
        if again is not None:
            return self._ask(again, "again")
        choice = self._choose_press(best, near)
        if unpressed and (len(best) == 1 or choice is None or not choice.is_plain):
            return self._ask(unpressed[0], "bull")
        if leader.bulls.doubtful:
            return self._ask(leader.bulls.doubtful[0], "again")
        if choice is not None:
            return self._ask(choice.segment, "tell" if choice.bits else "line")
        if any(unmet):
            return False
        line = find_unsure(leader, self._evidence, self._silent)
        if line is not None:
            return self._ask(line, "line")
        self._left = 0
        self.finding = conclude_pattern(leader.fit.pattern, leader.bulls)
        return True

    def _choose_press(self, best: Sequence[ExplainedFit], near: Sequence[ExplainedFit]) -> Choice | None:
        halves = not self._by_name or survey.takes_halves(self.answers)
        choice = choose_press(best, near, self._evidence, self._silent, halves=halves)
        if choice is None and not halves and (best[0].fit.pattern.is_split or has_gap(best[0])):
            return choose_press(best, near, self._evidence, self._silent)
        return choice

    def _ask(self, press: str, reason: Reason) -> bool:
        self.press, self.reason = press, reason
        return True


def _tolerance(count: int) -> int:
    """The greatest cost of wrong answers, among so many, with which a mat is still believed."""
    return max(4, count // 3)
