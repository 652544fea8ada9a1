"""A match in sentences for the ear: what to aim at and what is left, where a dart went, questions with their answers.

One pure generator: from the state before an update, the one after it, and the events of it. It names no game; each
sentence comes from the state's task, targets, hint, advice, turn, sides and prompts, and from facts. A visit that is
undone or corrected is told by what the state says then.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Literal, NamedTuple

from daemon.languages import translate
from daemon.outlets.ear_questions import describe_question, find_question
from daemon.outlets.ear_standing import has_unit, tell_marks, tell_side, tell_squares, tell_winners
from daemon.outlets.speech_queue import Kind, SpeechItem
from daemon.outlets.spoken_names import join_names, name_target, speak_beds
from daemon.outlets.where_it_went import compare
from protocol.facts import Event
from protocol.messages import Dart, LastVisit, Prompt, State, Task, Turn, Variant
from protocol.segment import TOTAL, Layout
from protocol.sentence import Sentence, Value, say

Mode = Literal["calls", "full", "brief"]
"""`calls`: what a caller calls. `full`: all that it takes to play without seeing; `brief`: the same in fewer words."""
Part = Sentence | Task | Variant
_MOST_TARGETS = {"full": 15, "brief": 5}
_ENDS = (".", "!", "?", ":")
_TONS = ("180", "low_ton", "high_ton", "high_out")
"""Awards that the points of the visit say."""
_NO_SCORE = say("ear.no_score", "No score")
_PULL = say("task.takeout", "Pull your darts")
_PART_WON = ("leg_won", "set_won")
_WINS = ("match_won", *_PART_WON)
"""Facts that wait until they are taken back; others until the dart they follow from is corrected."""
_NEWS = {
    "leg_won": ("ear.leg_won", "{name} wins the leg"),
    "set_won": ("ear.set_won", "{name} wins the set"),
    "comeback": ("ear.comeback", "Comeback, {name}!"),
    "match_dart_missed": ("ear.match_dart_missed", "Match dart missed"),
    "eliminated": ("ear.eliminated", "{name} is out"),
    "retired": ("ear.retired", "{name} has left"),
    "halved": ("ear.halved", "Halved"),
    "match_stopped": ("ear.stopped", "The match was stopped"),
    "board_offline": ("ear.board_offline", "The board is not connected"),
    "board_online": ("ear.board_online", "The board is connected"),
}
"""The facts that are one sentence, with at most the name of the player in it."""


class Utterance(NamedTuple):
    """What is said in one go; see SpeechItem. A correction is said as one if `about` was told already.

    A retraction is said only then: what waits about the same is dropped.
    """

    kind: Kind
    parts: tuple[Part, ...]
    about: str = ""
    is_correction: bool = False
    drops: bool = False
    line: int = 0
    outdates: int = 0
    is_retraction: bool = False


def write_item(utterance: Utterance, language: str) -> SpeechItem:
    """Returns the utterance in this language, for a queue."""
    text = "" if utterance.is_retraction else _write(utterance.parts, language)
    correction = ""
    if utterance.is_correction or utterance.is_retraction:
        correction = _write((say("ear.corrected", "Corrected"), *utterance.parts), language)
    kind, about, drops = utterance.kind, utterance.about, utterance.drops
    return SpeechItem(kind, text, about, correction, drops, utterance.line, utterance.outdates)


def _write(parts: Sequence[Part], language: str) -> str:
    texts = (speak_beds(translate(part, language), language).strip() for part in parts)
    return " ".join(f"{text[:1].upper()}{text[1:]}{'' if text.endswith(_ENDS) else '.'}" for text in texts if text)


def tell(
    before: State | None,
    state: State,
    events: Sequence[Event],
    layout: Layout,
    mode: Mode = "full",
    side: int | None = None,
    *,
    has_button: bool = False,
) -> list[Utterance]:
    """Returns what is to be said of an update, in order; `before` is the state before it, None if that is not known.

    With a `side` both are the states for one of its seats, and what only that may see is said. `has_button`: the board
    has a button that ends the visit.
    """
    teller = _Teller(before, state, layout, mode, side, has_button=has_button)
    told = [utterance for event in events for utterance in teller.tell_event(event, events)]
    if mode == "calls":
        return [*told, *teller.call_turn(events)]
    return [*told, *teller.tell_questions(), *teller.tell_turn(events)]


def tell_standing(state: State, layout: Layout, side: int | None = None, *, has_button: bool = False) -> Utterance:
    """Returns where one stands: the match, all scores, who throws with how many darts, and what to aim at."""
    teller = _Teller(None, state, layout, "full", side, has_button=has_button)
    legs = state.format.legs > 1 or state.format.sets > 1
    parts: list[Part] = [say("ear.title", "{name}", name=state.title)]
    if legs:
        parts.append(say("ear.leg", "Leg {leg}, round {round}", leg=state.leg, round=state.round))
    else:
        parts.append(say("ear.round", "Round {round}", round=state.round))
    for each in range(len(state.sides)):
        parts += [tell_side(state, each, legs=legs, is_whole=True), *tell_marks(state, each)]
    parts += tell_squares(state)
    if state.phase == "over":
        return Utterance("news", (*parts, tell_winners(state)))
    if state.turn.darts:
        parts.append(teller.tell_thrown())
    for utterance in [*teller.tell_questions(), *teller.tell_turn((), is_whole=True)]:
        parts += utterance.parts
    if state.phase == "takeout" and state.task is not None:
        parts.append(state.task)
    return Utterance("news", tuple(parts))


def tell_question(
    state: State, prompt_id: str, layout: Layout, side: int | None = None, *, has_button: bool = False
) -> Utterance | None:
    """Returns the question with this id, with its answers; None if it is not open."""
    prompt = next((each for each in state.prompts if each.id == prompt_id), None)
    return _Teller(None, state, layout, "full", side, has_button=has_button).ask(prompt) if prompt else None


def list_aims(state: State) -> tuple[str, ...]:
    """Returns what the next dart may be aimed at, best first: the bed of the hint or the advice, else the targets."""
    if state.phase != "throwing":
        return ()
    if state.hint:
        return state.hint[:1]
    return (state.advice.segment,) if state.advice else state.targets


class _Teller:
    def __init__(
        self,
        before: State | None,
        state: State,
        layout: Layout,
        mode: Mode,
        side: int | None,
        *,
        has_button: bool,
    ) -> None:
        self._before = before if before is not None and before.match == state.match else None
        self._state = state
        self._layout = layout
        self._mode = mode
        self._side = side
        self._has_button = has_button
        self._is_split = bool(state.board.get("split_singles"))

    def name_dart(self, dart: Dart) -> Value:
        if dart.unread:
            return say("ear.one_unread", "one that the board could not read")
        return (
            say("ear.points", "{points} points", points=dart.points)
            if dart.segment == TOTAL
            else self._name(dart.segment)
        )

    def _name(self, segment: str) -> Value:
        """Halves of a single are told where the game tells them apart."""
        is_half = segment[:1] in ("I", "O") and segment[1:].isdecimal()
        return name_target(segment if self._is_split or not is_half else f"S{segment[1:]}")

    def tell_event(self, event: Event, events: Sequence[Event]) -> list[Utterance]:
        match event.event_type:
            case "dart":
                is_told = self._mode != "calls"
                darts = [each for each in events if each.event_type == "dart"]
                if is_told and self._are_unthrown(darts, events):
                    return self._tell_unthrown(darts) if event is darts[-1] else []
                return self._tell_dart(event, is_told=is_told and len(darts) == 1)
            case "visit":
                return [self._call_visit()]
            case "corrected":
                return self._tell_correction(event)
            case "undone":
                return self._tell_undone(event)
        parts = tuple(self._tell_fact(event))
        if not parts:
            return []
        if event.event_type in _WINS:
            return [Utterance("news", parts, self._about(event.event_type))]
        return [Utterance("news", parts, line=self._state.line)]

    def _call_visit(self, *, is_correction: bool = False) -> Utterance:
        about = self._about(f"visit {self._state.turn.visit}")
        return Utterance("visit", self._describe_visit(), about, is_correction, line=self._state.line)

    def _are_unthrown(self, darts: Sequence[Event], events: Sequence[Event]) -> bool:
        """Whether these are the misses that a `next` with darts left writes down: several, or with its end."""
        is_next = len(darts) > 1 or any(each.event_type == "takeout_finished" for each in events)
        return is_next and all(each.segment == self._layout.miss.id for each in darts)

    def _tell_unthrown(self, darts: Sequence[Event]) -> list[Utterance]:
        said = _count(
            "ear.one_unthrown", "1 dart not thrown", "ear.unthrown", "{darts} darts not thrown", darts=len(darts)
        )
        return [Utterance("dart", (said,), self._about(darts[-1].line))]

    def _tell_dart(self, event: Event, *, is_told: bool) -> list[Utterance]:
        darts = self._state.turn.darts
        dart = next((each for each in darts if each.line == event.line), None)
        drops = dart is not None and dart is darts[0]
        if event.segment == TOTAL or not is_told:  # the visit is called
            return [Utterance("dart", (), drops=True)] if drops else []
        return [Utterance("dart", self._describe_dart(event.segment, dart), self._about(event.line), drops=drops)]

    def _describe_dart(self, segment: str, dart: Dart | None) -> tuple[Part, ...]:
        if dart is not None and dart.unread:
            return (say("ear.unread", "The board could not read it"),)
        bed = self._name(segment)
        point = dart.point if dart is not None and dart.point and self._mode == "full" else None
        where = compare(self._layout, list_aims(self._before), segment, point) if self._before else None
        if where is not None:
            said = say("ear.dart_where", "{bed_name}, {where}", bed_name=bed, where=where)
        else:
            said = say("ear.dart", "{bed_name}", bed_name=bed)
        is_nothing = dart is not None and dart.counts is False and dart.points > 0
        return (said, say("ear.worthless", "It does not count")) if is_nothing and self._mode == "full" else (said,)

    def _describe_visit(self) -> tuple[Part, ...]:
        """What the visit came to that is thrown; an early next has begun another one already."""
        state = self._state
        visit: Turn | LastVisit = state.turn
        if state.phase == "throwing" and state.last is not None:
            visit = state.last
        points = _count("ear.one_point", "1 point", "ear.points", "{points} points", points=visit.points)
        if state.task is not None and state.task.outcome:
            result: Part = state.task
        elif visit.bust:
            result = say("ear.bust", "Bust")
        elif visit.points == 0 and state.turn.marks and visit is state.turn:
            result = say("ear.visit_marks", "Marks: {marks}", marks=state.turn.marks)
        elif visit.points == 0 and any(dart.unread for dart in visit.darts):
            result = say("ear.visit_unread", "Not every dart was read")
        elif visit.points == 0:
            result = _NO_SCORE
        else:
            result = points
        is_counted_otherwise = result in (points, _NO_SCORE) and has_unit(state)
        if self._mode == "brief" and (result == _NO_SCORE or not is_counted_otherwise):
            return (result,)
        is_to_pull = self._mode == "full" and state.phase == "takeout"
        side = tell_side(state, visit.side, is_whole=self._mode == "full")
        marks = tell_marks(state, visit.side) if self._mode == "full" else []
        counted = [] if is_counted_otherwise else [result]
        return (*counted, side, *marks, *([_PULL] if is_to_pull else []))

    def _tell_correction(self, event: Event) -> list[Utterance]:
        state = self._state
        visits = [state.turn.darts, state.last.darts if state.last else ()]
        dart = next((each for darts in visits for each in darts if each.line == event.line), None)
        told = []
        if dart is not None and self._mode != "calls":
            said = say("ear.dart", "{bed_name}", bed_name=self.name_dart(dart))
            told.append(Utterance("dart", (said,), self._about(event.line), is_correction=True))
        elif dart is None and self._mode != "calls":
            told.append(Utterance("news", (say("ear.changed", "An earlier dart was corrected"),)))
        if state.phase in ("takeout", "over"):
            told.append(self._call_visit(is_correction=True))
        elif state.last is not None and any(each.line == event.line for each in state.last.darts):
            told.append(Utterance("visit", (tell_side(state, state.last.side),), is_correction=True, line=state.line))
        outdating = Utterance("news", (), line=state.line, outdates=event.line or 0)
        return [*told, *self._tell_changed_win(), outdating]

    def _tell_changed_win(self) -> list[Utterance]:
        """What a correction made of a leg, set or match: it is not won by the same any more."""
        state, before = self._state, self._before
        if before is None or (state.phase == "over" and before.phase != "over"):
            return []  # a fact of its own tells it
        is_other = before.winners != state.winners
        if is_other and state.phase == "over":
            return [Utterance("news", (tell_winners(state),), self._about("match_won"), is_correction=True)]
        kinds = [
            kind
            for kind in _PART_WON
            if _has_parts(state, kind) and _count_won(before, kind) != _count_won(state, kind)
        ]
        kinds += ["match_won"] if is_other else []
        said = say("ear.win_undone", "The win does not count")
        told = [Utterance("news", (), self._about(kind)) for kind in kinds]  # these drop what waits
        return [each._replace(parts=(said,), is_retraction=True) if each is told[0] else each for each in told]

    def _tell_undone(self, event: Event) -> list[Utterance]:
        former = self._before.turn.darts if self._before else ()
        dart = next((each for each in former if each.line == event.line), None)
        if dart is None:
            said = say("ear.undone", "Taken back")
        else:
            said = say("ear.undone_dart", "Taken back: {bed_name}", bed_name=self.name_dart(dart))
        parts: list[Part] = [said]
        if self._state.phase == "takeout" and self._mode != "calls":
            visit = [part for part in self._describe_visit() if part != _PULL]
            parts += [*([self.tell_thrown()] if self._state.turn.darts else []), *visit, _PULL]
        return [Utterance("news", tuple(parts), drops=True)]

    def tell_thrown(self) -> Sentence:
        """What the visit has thrown so far, at least a dart."""
        darts = join_names([self.name_dart(dart) for dart in self._state.turn.darts])
        return say("ear.thrown", "{name} has thrown {darts}", name=self._state.turn.player, darts=darts)

    def _tell_fact(self, event: Event) -> list[Part]:
        """What is said of a fact; nothing of one that the visit or the turn tells."""
        state, kind = self._state, event.event_type
        if kind in _PART_WON and not _has_parts(state, kind):
            return []
        if kind in _NEWS:
            return [Sentence(*_NEWS[kind], {"name": event.player or ""})]
        match kind:
            case "match_started":
                start: list[Part] = [say("ear.game", "{name} begins", name=state.title)]
                return [*start, state.variant] if state.variant else start
            case "match_won":
                return [tell_winners(state)]
            case "life_lost" if event.player:
                return [say("ear.life_lost", "Lives lost by {name}: {lives}", name=event.player, lives=event.lives)]
            case "closed":
                return [say("ear.closed", "{target} closed", target=name_target(event.target))]
            case "claimed":
                return [say("ear.claimed", "{target} taken", target=name_target(event.cell))]
            case "award" if event.award not in _TONS:
                return [_call_award(event.award)]
            case "stray" if self._mode != "calls":
                return [say("ear.stray", "{bed_name} did not count", bed_name=self._name(event.segment))]
        return []

    def tell_questions(self) -> list[Utterance]:
        """The question that is to be answered now, if another one was before: with its answers by their numbers."""
        prompt = find_question(self._state)
        former = find_question(self._before) if self._before else None
        if prompt is None or (former is not None and (former.id, former.blocking) == (prompt.id, prompt.blocking)):
            return []
        return [self.ask(prompt)]

    def ask(self, prompt: Prompt) -> Utterance:
        """The question; `about` names it, so that a display knows which one was read out."""
        has_usual = self._has_button and self._mode == "full"
        parts = describe_question(self._state, prompt, has_usual=has_usual)
        return Utterance("question", tuple(parts), self._about(prompt.id))

    def call_turn(self, events: Sequence[Event]) -> list[Utterance]:
        """What a caller says before a visit: who requires what."""
        state, turn = self._state, self._state.turn
        is_new = any(each.event_type == "turn_changed" for each in events)
        if not is_new or not state.hint or state.phase != "throwing":
            return []
        left = state.sides[turn.side].detail.get("left", state.sides[turn.side].score)
        said = say("ear.requires", "{name}, you require {left}", name=turn.player, left=left)
        return [Utterance("turn", (said,))]

    def tell_turn(self, events: Sequence[Event], *, is_whole: bool = False) -> list[Utterance]:
        """Who throws with how many darts, and what to aim at: all of it before a visit, then what is new."""
        state, before, turn = self._state, self._before, self._state.turn
        if state.phase != "throwing" or any(prompt.blocking for prompt in state.prompts):
            return []
        is_new = is_whole or before is None or before.turn.visit != turn.visit or before.phase == "over"
        is_changed = (
            is_new
            or before is None
            or (before.turn.darts, before.turn.darts_left) != (turn.darts, turn.darts_left)
            or before.phase != "throwing"
        )
        if not is_changed and not any(each.event_type in ("corrected", "undone") for each in events):
            return []
        parts: list[Part] = []
        if is_new and not is_whole:
            parts.append(tell_side(state, turn.side, name=turn.player, is_whole=self._mode == "full"))
        left = partial(_count, "ear.one_dart", "1 dart", "ear.darts", "{darts} darts", darts=turn.darts_left)
        if is_whole:
            parts.append(say("ear.throws", "{name} throws: {darts}", name=turn.player, darts=left()))
        elif self._mode == "full" or is_new:
            parts.append(left())
        is_task_new = is_new or before is None or self._is_task_new(before)
        if is_new:
            parts += self._tell_secret()
        if state.task is not None and is_task_new:
            parts.append(state.task)
        if not (is_task_new and self._names_aims()):
            parts += self._tell_aims(is_new)
        score = state.sides[turn.side].score
        is_told = state.task is not None and is_task_new and score in state.task.values.values()
        if not is_new and not is_told and before is not None and before.sides[turn.side].score != score:
            parts.append(say("ear.score_now", "Score {score}", score=score))
        return [Utterance("turn", tuple(parts) or (left(),))]  # in few words, too, it is said that a dart is awaited

    def _tell_secret(self) -> list[Part]:
        """What is the side's own, where that is hidden from others."""
        cells = self._state.board.get("cells", ()) if self._state.board.get("secret") else ()
        return [
            say("ear.secret", "Yours is {target}", target=name_target(str(cell["label"])))
            for cell in cells
            if self._side is not None and cell.get("owner") == self._side
        ]

    def _is_task_new(self, before: State) -> bool:
        """Whether to say the task again; in few words only if it is another one, not with other numbers."""
        task, former = self._state.task, before.task
        if self._mode == "full" or task is None or former is None:
            return task != former
        return task.key != former.key

    def _names_aims(self) -> bool:
        """Whether the task names what to aim at."""
        task, aims = self._state.task, list_aims(self._state)
        if task is None:
            return False
        named = {
            str(each)
            for value in task.values.values()
            for each in (value if isinstance(value, tuple | list) else (value,))
        }
        return bool(aims) and named >= set(aims)

    def _tell_aims(self, is_new: bool) -> list[Part]:
        aims = list_aims(self._state)
        if not aims:
            return []
        if len(aims) == 1:
            return [say("ear.aim", "Aim at {target}", target=name_target(aims[0]))]
        if not is_new and self._before is not None and list_aims(self._before) == aims:
            return []
        most = _MOST_TARGETS[self._mode]
        targets = join_names([name_target(aim) for aim in aims[:most]])
        if len(aims) > most:
            return [
                say("ear.targets_more", "Targets: {targets} and {count} more", targets=targets, count=len(aims) - most)
            ]
        return [say("ear.targets", "Targets: {targets}", targets=targets)]

    def _about(self, what: object) -> str:
        return f"{self._state.match} {what}"


def _call_award(award: str) -> Sentence:
    if award == "nine_darter":  # in a shorter leg it is not nine
        return say("ear.perfect_leg", "A perfect leg!")
    return say("ear.award", "{name}!", name=award.replace("_", " "))


def _has_parts(state: State, kind: str) -> bool:
    """Whether to win this part, a leg or a set, does not win the match."""
    return state.format.sets > 1 or (kind == "leg_won" and state.format.legs > 1)


def _count_won(state: State, kind: str) -> list[int]:
    """Returns how many of these parts each side has won."""
    return [side.sets if kind == "set_won" else side.legs for side in state.sides]


def _count(one_key: str, one: str, key: str, template: str, **values: int) -> Sentence:
    (count,) = values.values()
    return Sentence(one_key, one) if count == 1 else Sentence(key, template, values)
