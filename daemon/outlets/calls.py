"""What a caller calls of a match, as keys of sound packs: from the events of an update, and the state that follows.

The page does the same for its own loudspeaker (daemon/web/page/wall/voice.js). It names no game.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from daemon.outlets.call_keys import Way, describe_dart, describe_visit, find_ambience, find_ways
from daemon.outlets.speech_queue import Kind
from protocol.facts import FACTS, Event
from protocol.messages import LastVisit, State, Turn
from protocol.segment import TOTAL

_TONS = ("180", "low_ton", "high_ton", "high_out")
"""Awards that the points of the visit say."""
_LOSSES = ("halved", "life_lost", "eliminated", "match_dart_missed")
"""What a visit brings that is no gain."""
_ENDS = ("match_won", "set_won", "leg_won")
"""The greatest first."""
_SILENT = ("badge",)
"""What is shown alone: several players may earn several at once."""
_MOST_ENDS = 20


class Call(NamedTuple):
    """Something to call, in these ways, the best first; or a noise. What has the same `about` is of one visit."""

    kind: Kind | Literal["noise"]
    ways: Sequence[Way]
    about: str = ""


class _Result(NamedTuple):
    """What a visit came to. `points` is None where no visit ended; `gains` are the facts that are shown large."""

    points: int | None
    darts: tuple[str, ...]
    is_bust: bool
    name: str
    end: Event | None = None
    gains: Sequence[Event] = ()


class Calls:
    """Makes the calls of one table; with `darts` those of single darts, too."""

    def __init__(self, *, darts: bool) -> None:
        self._darts = darts
        self._begun = ""
        """The leg that was begun last."""
        self._ended: deque[tuple[object, ...]] = deque(maxlen=_MOST_ENDS)
        """The ends that were called: one that is redone is not called again."""

    def make(self, events: Sequence[Event], state: State) -> Iterator[Call]:
        """Yields what is worth a call among the events of one input; `state` is what they led to."""
        events = [event for event in events if event.event_type not in _SILENT]
        of = _by_type(events)
        ends = [of[kind] for kind in _ENDS if kind in of]
        if ends and self._is_told(ends[0], of.get("corrected")):
            return
        is_told = "visit" in of or bool(ends) or any(FACTS[kind].rank for kind in of)
        turn, dart = of.get("turn_changed"), of.get("dart")
        if "match_started" in of:
            yield from self._call_start("match_started", state)
        unread = {each.line for each in state.turn.darts if each.unread}
        if dart is not None and not is_told and self._darts and dart.line not in unread:
            found = describe_dart(dart.segment, dart.points)
            yield Call("dart", find_ways(*found) if found else ())
        if is_told:
            visit = state.last if turn is not None and state.last is not None else state.turn
            yield from _call_visit(_find_result(events, state), state, visit)
        if turn is not None:
            yield from self._call_turn(turn, state)

    def correct(self, state: State) -> Iterator[Call]:
        """Yields the latest visits as they are after a correction, without ways where there is nothing to call."""
        for visit in (state.turn, state.last):
            if visit is None:
                continue
            is_open = visit is state.turn and state.phase == "throwing" and state.turn.darts_left > 0
            darts = tuple(dart.segment for dart in visit.darts)
            name = next(iter(state.sides[visit.side].players), "")
            result = _Result(visit.points, darts, visit.bust, name)
            calls = () if is_open else _call_visit(result, state, visit)
            yield next(iter(calls), Call("visit", (), _name_visit(state, visit)))

    def _is_told(self, end: Event, corrected: Event | None) -> bool:
        """Whether this end was called already. One that a redo brings back comes after what it follows from."""
        key = (end.match, end.event_type, (corrected or end).line)
        is_known = key in self._ended
        self._ended.append(key)
        return is_known

    def _call_start(self, what: str, state: State) -> Iterator[Call]:
        self._begun = _name_leg(state)
        values = {"name": state.turn.player}
        yield Call("news", find_ways(what, values))
        yield Call("noise", find_ambience(what, values))

    def _call_turn(self, turn: Event, state: State) -> Iterator[Call]:
        if self._begun not in ("", _name_leg(state)):
            yield from self._call_start("leg_started", state)
        self._begun = _name_leg(state)
        side = state.sides[state.turn.side]
        left = side.detail.get("left", side.score)  # in games that go up the score is not what is left
        place = turn.side if isinstance(turn.side, int) else 0
        values = {"name": turn.player or "", "number": place + 1, "left": left}
        if state.routes and state.turn.side == place:
            yield Call("turn", find_ways("requires", values))
        yield Call("noise", find_ambience("turn", values))


def _by_type(events: Sequence[Event]) -> Mapping[str, Event]:
    """Returns the first event of each type."""
    return {event.event_type: event for event in reversed(events)}


def _find_result(events: Sequence[Event], state: State) -> _Result:
    of = _by_type(events)
    end = next((of[kind] for kind in _ENDS if kind in of), None)
    visit, bust = of.get("visit"), of.get("bust")
    gains = [event for event in events if FACTS[event.event_type].rank and event.award not in _TONS]
    whose = end or bust or visit
    name = whose.player if whose is not None and isinstance(whose.player, str) else ""
    if end is not None and end.event_type == "match_won" and end.winners:
        name = state.sides[end.winners[0]].name
    points = None if visit is None else visit.points
    return _Result(points, () if visit is None else visit.darts, bust is not None, name, end, gains)


def _call_visit(result: _Result, state: State, visit: Turn | LastVisit) -> Iterator[Call]:
    """Calls what a visit came to, or what ended with it."""
    about, end = _name_visit(state, visit), result.end
    is_order = end is not None and end.event_type == "match_won" and state.board.get("order")
    if is_order or not (end or result.is_bust or result.gains or result.points or _has_no_score(result, state, visit)):
        return
    gains = sorted(result.gains, key=_rank, reverse=True)
    sides = state.sides
    values = {
        "name": result.name,
        "leg": sum(side.legs for side in sides),
        "set": sum(side.sets for side in sides),
        "award": [event.award if isinstance(event.award, str) else event.event_type for event in gains],
        **({} if result.points is None else describe_visit(result.points, result.darts)),
    }
    if not result.points and any(event.event_type != "match_dart_missed" for event in gains):
        values["points"] = None  # what was gained without points is no score of none
    if any(event.event_type not in _LOSSES for event in gains):
        values["none"] = None
    what = end.event_type if end is not None else "bust" if result.is_bust else "visit"
    yield Call("visit", find_ways(what, values), about)
    yield Call("noise", find_ambience(what, values))


def _has_no_score(result: _Result, state: State, visit: Turn | LastVisit) -> bool:
    """Whether nothing was scored, and not only something else than points was gained; of unread darts nobody knows."""
    if any(dart.unread for dart in visit.darts):
        return False
    is_missed = all(dart in ("MISS", TOTAL) for dart in result.darts)
    return result.points is not None and (is_missed or "checkouts" in state.sides[visit.side].detail)


def _rank(event: Event) -> float:
    return FACTS[event.event_type].rank + (0.5 if event.great else 0)


def _name_visit(state: State, visit: Turn | LastVisit) -> str:
    return f"{state.match} {visit.visit}"


def _name_leg(state: State) -> str:
    return f"{state.match} {state.set} {state.leg}"
