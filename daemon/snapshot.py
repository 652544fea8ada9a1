"""The state of a match as a message of the contract, the same for MQTT, the page and replay."""

from __future__ import annotations

from typing import NamedTuple

import msgspec
from msgspec.structs import asdict, replace

from engine.bots import make_skill
from engine.finishing import USUAL_MM
from engine.game import Game, Panel, Prompt, Reason
from engine.game_check import InvalidGame, check_prompt
from engine.match import Match
from engine.position import Thrown, Visit
from engine.routines import list_results
from engine.skill import Skill
from engine.variants import tell_variant
from protocol import messages
from protocol.finish import Aim, Totals
from protocol.sentence import Sentence, write_sentence

_LARGEST_BYTES = 65_536
"""The size of a state in JSON. A game should need less than 4000; a larger state than this would choke displays."""
_MOST_LETTERS = 120
_MOST_BESIDE_TITLE = 60
"""Characters of what differs from usual."""
_MOST_BYTES = 4096 - 60
"""Of a state of two players or one, without what a table adds to it."""
_MOST_VISITS = 12
"""Of a side that are shown; of all sides a position has no more than twice as many."""
_TITLE_LENGTHS = (40, 20, 8, 0)
"""Characters of the titles of a routine, as far as there is room; 0: none are told with results."""
_POINTS = 128
"""Shares of the scatter for an advice: it is on the way of a dart."""


class MatchStates(NamedTuple):
    """The states of a match: the public one, and that of every seat if the game has secrets."""

    public: messages.State
    hands: tuple[messages.State, ...] = ()


def make_states(match: Match, name: str | None = None) -> MatchStates:
    """The checked states of this match, ready to publish. Raises whatever is wrong: its rules are called unguarded."""
    for prompt in match.position.prompts:
        check_prompt(prompt, len(match.seating.players))
    seats = range(len(match.seating.players)) if match.game.has_secrets(match.options) else ()
    return MatchStates(_make_state(match, name, None), tuple(_make_state(match, name, seat) for seat in seats))


def _make_state(match: Match, name: str | None, seat: int | None) -> messages.State:
    """The state for a seat (None: the public one). Raises InvalidGame when displays cannot read it."""
    state = take_snapshot(match, name, seat=seat)
    try:
        said = msgspec.json.encode(state)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidGame(f"the state cannot be written as JSON: {error}", "view") from None
    if len(said) > _LARGEST_BYTES:
        raise InvalidGame(f"the state is {len(said)} bytes long; the limit is {_LARGEST_BYTES}", "view")
    if type(match.game).__module__.startswith("engine.games."):  # the tests have looked at its states
        return state
    try:
        msgspec.json.decode(said, type=messages.State)
    except msgspec.ValidationError as error:
        raise InvalidGame(f"displays cannot read the state: {error}", _guess_method(str(error))) from None
    return state


def _guess_method(complaint: str) -> str:
    """The method of the game that returned the wrong part of a state: `view`, unless the complaint names another."""
    return next((name for name in ("score", "title") if complaint.endswith(f".{name}`")), "view")


def take_snapshot(
    match: Match, name: str | None = None, seat: int | None = None, reveal: bool = False
) -> messages.State:
    """The state of a match as this seat may see it (None: the public). `reveal` shows what is secret, to replay.

    For one or two players it has at most 4 kB. Where it would have more, as in Ground Round with many darts, it shows
    once what is asked several times, and if that is not enough one visit of each side, then only the segments of the
    darts, without what a sensor knew beside, then no darts of the last visit.
    Long titles of a routine are cut, and where that is not enough its results are left out.
    """
    position, visit = match.position, match.position.visit
    owner = visit.seat if reveal and seat is None else seat
    panel = match.panel(owner)
    visits = _visits(match)
    state = messages.State(
        v=1,
        match=name,
        game=match.game.id,
        title=match.game.title(match.options),
        line=match.line,
        phase=position.phase,
        round=visit.round,
        leg=visit.leg,
        set=visit.set,
        turn=messages.Turn(
            side=visit.side,
            seat=visit.seat,
            player=match.seating.players[visit.seat],
            visit=visit.number,
            darts_left=0 if position.phase in ("takeout", "over") else visit.darts_left,
            darts=_darts(visit.darts),
            bust=visit.bust,
            points=visit.points,
            marks=visit.marks if match.game.figure == "mpr" else msgspec.UNSET,
        ),
        last=_last(position.last),
        sides=tuple(
            messages.Side(
                name=side.name,
                players=tuple(match.seating.players[s] for s in side.seats),
                score=match.score(index),
                legs=position.legs[index],
                sets=position.sets[index],
                out=index in match.out,
                detail=panel.detail[index],
                visits=visits[index],
            )
            for index, side in enumerate(match.seating.sides)
        ),
        targets=() if position.over else panel.targets,
        hint=() if position.over else panel.hint,
        prompts=tuple(_prompt(prompt, open_to=reveal or seat == prompt.seat) for prompt in position.prompts),
        board=panel.board,
        winners=position.winners,
        format=messages.Shape(**asdict(match.header.format)),
        task=_task(match, panel if owner is None else match.panel()),
        variant=_variant(match),
        routes=msgspec.UNSET if position.over or not panel.routes else panel.routes,
        leave=msgspec.UNSET if position.over or panel.leave is None else panel.leave,
        advice=_advice(match),
        totals=_totals(match),
        ranks=msgspec.UNSET if match.ranks is None else match.ranks,
        alone=msgspec.UNSET if match.alone is None else match.alone,
        next=_next(match),
        leader=_leader(match),
        seed_given=match.header.seed_given or msgspec.UNSET,
        routine=_routine(match) if match.header.routine is not None else msgspec.UNSET,
        ref=match.header.ref or msgspec.UNSET,
        face=panel.face if match.header.places else msgspec.UNSET,
    )
    return shorten(state) if len(match.seating.players) <= 2 else state


def _next(match: Match) -> messages.NextUp | msgspec.UnsetType:
    """Who throws after this visit, where more than two play."""
    found = match.find_next() if len(match.seating.players) > 2 else None
    if found is None:
        return msgspec.UNSET
    side, seat = found
    return messages.NextUp(side, seat, match.seating.players[seat])


def _leader(match: Match) -> int | msgspec.UnsetType:
    found = match.find_leader()
    return msgspec.UNSET if found is None else found


def _task(match: Match, panel: Panel) -> messages.Task | None:
    told = match.task(panel)
    if told is None:
        return None
    said, outcome = (told.said, told.outcome) if isinstance(told, Reason) else (told, msgspec.UNSET)
    written = write_sentence(said)
    text, values = written["text"], written["values"]
    return messages.Task(said.key, values, _cut(text, _MOST_LETTERS), outcome)


def _variant(match: Match) -> messages.Variant | None:
    """What differs from usual; worked out once, as the options stay."""
    if "variant" not in match.kept:
        said = tell_variant(match.game, match.options, match.seating)
        match.kept["variant"] = None if said is None else _write_variant(said)
    found: messages.Variant | None = match.kept["variant"]
    return found


def _write_variant(said: Sentence) -> messages.Variant:
    values: dict[str, messages.Phrase | str | int] = {}
    for name, value in said.values.items():
        if isinstance(value, Sentence):
            phrase = write_sentence(value)
            values[name] = messages.Phrase(phrase["key"], phrase["values"], phrase["text"])
        else:
            assert isinstance(value, str | int)
            values[name] = value
    return messages.Variant(said.key, values, _cut(said.text, _MOST_BESIDE_TITLE))


def _routine(match: Match) -> messages.RoutineState:
    routine = match.header.routine
    assert routine is not None
    following = routine.following
    done: tuple[messages.ExerciseResult, ...] | msgspec.UnsetType = msgspec.UNSET
    if match.position.over:
        results = (*routine.results, list_results(match))
        done = tuple(
            messages.ExerciseResult(exercise.title, each)
            for exercise, each in zip(routine.exercises, results, strict=False)
        )
    return messages.RoutineState(
        routine.title, routine.at + 1, len(routine.exercises), following.title if following else None, done
    )


def _advice(match: Match) -> Aim | msgspec.UnsetType:
    """The bed to aim at for the player at the oche, where the game has something to say that all may see."""
    game, position = match.game, match.position
    if not game.shows_advice or position.phase != "throwing" or position.prompts or game.has_secrets(match.options):
        return msgspec.UNSET
    skill = make_skill(match, position.visit.seat, _POINTS) or Skill(match.layout, USUAL_MM, _POINTS)
    found = match.advice(skill)
    return msgspec.UNSET if found.aim is None or found.purpose is None else Aim(found.aim, found.purpose)


def _totals(match: Match) -> Totals | msgspec.UnsetType:
    """What may be entered together, in a game that does not need the bed of each dart."""
    if match.position.phase != "throwing" or type(match.game).totals is Game.totals:
        return msgspec.UNSET
    found = match.game.totals(match.position.state, match.turn)
    return msgspec.UNSET if found is None else found


def shorten(state: messages.State) -> messages.State:
    """The state with at most 4 kB, as far as it can be cut: see `take_snapshot`."""
    if len(msgspec.json.encode(state)) > _MOST_BYTES:
        firsts = {(prompt.seat, prompt.text, prompt.options): prompt for prompt in reversed(state.prompts)}
        state = replace(state, prompts=tuple(prompt for prompt in state.prompts if prompt in firsts.values()))
    if len(msgspec.json.encode(state)) > _MOST_BYTES:
        state = replace(state, sides=tuple(_cut_visits(side) for side in state.sides))
    if len(msgspec.json.encode(state)) > _MOST_BYTES:
        state = replace(state, turn=replace(state.turn, darts=_cut_sensed(state.turn.darts)))
        state = (
            state
            if state.last is None
            else replace(state, last=replace(state.last, darts=_cut_sensed(state.last.darts)))
        )
    if state.last is not None and len(msgspec.json.encode(state)) > _MOST_BYTES:
        state = replace(state, last=replace(state.last, darts=()))
    for most in _TITLE_LENGTHS:
        if state.routine is not msgspec.UNSET and len(msgspec.json.encode(state)) > _MOST_BYTES:
            state = replace(state, routine=_cut_titles(state.routine, most))
    return state


def _cut_sensed(darts: tuple[messages.Dart, ...]) -> tuple[messages.Dart, ...]:
    return tuple(replace(dart, point=msgspec.UNSET, close=msgspec.UNSET) for dart in darts)


def _cut_visits(side: messages.Side) -> messages.Side:
    return side if side.visits is msgspec.UNSET else replace(side, visits=side.visits[-1:])


def _cut_titles(routine: messages.RoutineState, most: int) -> messages.RoutineState:
    """The routine with titles of at most so many characters; 0: of one, and without results."""
    results = routine.results if most else msgspec.UNSET
    if results is not msgspec.UNSET:
        results = tuple(replace(each, title=_cut(each.title, most)) for each in results)
    following = routine.next and _cut(routine.next, most)
    return replace(routine, title=_cut(routine.title, most), next=following, results=results)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: max(0, most - 1)]}…"


def _darts(thrown: tuple[Thrown, ...]) -> tuple[messages.Dart, ...]:
    return tuple(map(_dart, thrown))


def _dart(dart: Thrown) -> messages.Dart:
    segment, sensed = dart.segment, dart.sensed
    shown = messages.Dart(dart.line, segment.id, segment.points, msgspec.UNSET if dart.counts else False)
    if sensed is None:
        return shown
    unread = True if sensed.unread else msgspec.UNSET
    return replace(shown, point=sensed.point or msgspec.UNSET, unread=unread, close=sensed.close or msgspec.UNSET)


def _last(visit: Visit | None) -> messages.LastVisit | None:
    if visit is None:
        return None
    return messages.LastVisit(visit.side, visit.number, visit.points, _darts(visit.darts), visit.bust)


def _visits(match: Match) -> list[tuple[messages.PastVisit, ...] | msgspec.UnsetType]:
    """The latest visits of each side, where totals are entered: of more than two sides fewer for each."""
    sides = range(len(match.seating.sides))
    if type(match.game).totals is Game.totals:
        return [msgspec.UNSET for _ in sides]
    past = [(each.side, messages.PastVisit(each.points, each.score, each.bust)) for each in match.position.recent]
    return [tuple(visit for of, visit in past if of == side)[-_MOST_VISITS:] for side in sides]


def _prompt(prompt: Prompt, open_to: bool) -> messages.Prompt:
    shown = open_to or not prompt.secret
    return messages.Prompt(
        id=prompt.id,
        seat=prompt.seat,
        text=prompt.text,
        options=prompt.options if shown else None,
        pattern=prompt.pattern,
        values=prompt.values if shown else None,
        default=prompt.default if shown else None,
        blocking=prompt.blocking,
        secret=prompt.secret,
        kind="choice" if prompt.options is not None else "numbers" if prompt.numbers else "text",
        options_are=prompt.options_are,
        numbers=prompt.numbers,
    )
