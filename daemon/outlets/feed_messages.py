"""The messages of the feed, made of the updates of a table: those that darts-caller sends to darts-wled and others.

Their shapes are a foreign contract, so they are copied exactly: what looks like a number is often a text, `busted` has
keys of its own, and `darts-pulled` names the player who throws next. A dart that busts or wins is told as `busted`,
`game-won` or `match-won` alone. After a correction nothing is told: the next message has the right numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import groupby
from math import hypot
from typing import Any, NamedTuple

from daemon.table.effects import Update
from protocol.facts import Event
from protocol.messages import State
from protocol.segment import TOTAL, Layout, Segment

Message = dict[str, Any]  # Any: JSON

WELCOME: Message = {"event": "welcome", "callersAvailable": [], "callersFavoured": [], "caller": ""}

_MODES = {
    "x01": "X01",
    "cricket": "Cricket",
    "bermuda": "Bermuda",
    "shanghai": "Shanghai",
    "gotcha": "Gotcha",
    "round_the_clock": "ATC",
    "around_the_world": "RTW",
    "count_up": "CountUp",
    "random_checkout": "Random Checkout",
    "bull_off": "Bull-off",
}
"""The names that clients know, by our games; every other game is called by its title."""
_ADDS_FACES = "Cricket"
"""The mode in which the value of a visit is what its darts have hit, whatever they were worth."""
_DARTS = 3
"""Of a visit, whatever the game: there is no message for a fourth."""
_STATUSES = {
    "takeout_started": "Takeout Started",
    "takeout_finished": "Takeout Finished",
    "board_online": "Board Started",
    "board_offline": "Board Stopped",
}
"""What a client hears of the board, by our events."""
_KINDS = {"triple": "triple", "double": "double", "inner": "singleinner", "single": "singleouter"}
"""What a bed is called, by the first of these groups that it is in; the outer bull is a "single"."""


class Bed(NamedTuple):
    """Where a dart has landed, in the words of the feed. `x` and `y` are 0, 0 in the bull; the board's radius is 1."""

    name: str
    number: int
    multiplier: int
    kind: str
    x: float
    y: float

    @property
    def field(self) -> Message:
        """As most messages have it."""
        return {"fieldName": self.name, "fieldNumber": self.number, "fieldMultiplier": self.multiplier}

    @property
    def place(self) -> Message:
        """As those have it that tell where the dart is, too."""
        return {**self.field, "coords": {"x": self.x, "y": self.y}, "type": self.kind}


_MISS = Bed("miss", 0, 0, "outside", 0.0, 1.1)
"""Boards do not say where it was: it is shown outside the board, above the 20."""


def describe_bed(layout: Layout, segment_id: str) -> Bed:
    """Returns the bed of this segment; that of a miss for TOTAL, and for what the layout does not have."""
    if segment_id not in layout or layout[segment_id].multiplier == 0:
        return _MISS
    segment = layout[segment_id]
    x, y = (round(each / layout.radius, 3) for each in _find_centre(layout, segment))
    kind = next((kind for group, kind in _KINDS.items() if group in segment.groups), "single")
    if layout.name != "standard":
        name = segment_id.lower()
    elif segment.value == 25:
        name = str(segment.points)
    else:
        name = f"{'_sdt'[segment.multiplier]}{segment.value}"
    return Bed(name, segment.value, segment.multiplier, kind, x, y)


def _find_centre(layout: Layout, segment: Segment) -> tuple[float, float]:
    """Returns the middle of the bed; where it has no area of its own, of the outermost that it stands for."""
    if not segment.outline:
        near = [layout[each] for each in segment.near if layout[each].outline]
        halves = [each for each in near if each.points == segment.points] or near
        return max((_find_centre(layout, each) for each in halves), key=lambda point: hypot(*point), default=(0.0, 0.0))
    if len(segment.outline) > 1:  # a ring, whose middle is another bed
        return 0.0, sum(max(y for _, y in ring) for ring in segment.outline) / len(segment.outline)
    (ring,) = segment.outline
    return sum(x for x, _ in ring) / len(ring), sum(y for _, y in ring) / len(ring)


class Translator:
    """Makes the messages of one table, in the order of its updates.

    `me` stands for the board in messages. `list_bots` returns the names of the bots who play.
    """

    def __init__(self, layout: Layout, me: str, list_bots: Callable[[], Collection[str]]) -> None:
        self._layout = layout
        self._me = me
        self._list_bots = list_bots
        self._state: State | None = None
        self._darts: list[str] = []
        """The segments of the visit."""
        self._leg = (1, 1)
        """The set and the leg that clients know of."""
        self._is_on = False
        """A match was begun, and clients have not heard of its end."""

    def translate(self, update: Update) -> list[Message]:
        """Returns the messages of this update, which may be none."""
        state = self._state = update.state or self._state
        if state is None:
            return []
        made: list[Message] = []
        for _, events in groupby(update.events, key=lambda event: (event.match, event.line)):
            made += self._tell(state, {event.event_type: event for event in events})
        left = {f"player{number}": str(side.score) for number, side in enumerate(state.sides, 1)}
        made = [{**message, "remainingScores": left} if "game" in message else message for message in made]
        self._darts = [dart.segment for dart in state.turn.darts]
        self._leg = (state.set, state.leg)
        self._is_on = self._is_on or state.phase != "over"
        return made

    def _tell(self, state: State, events: Mapping[str, Event]) -> Iterator[Message]:
        """Yields the messages of one input, whose events are given by their types."""
        if "match_stopped" in events or ("match_started" in events and self._is_on):
            self._is_on = False
            yield {"event": "match-ended", "me": self._me}
        if "match_started" in events:
            self._is_on, self._leg, self._darts = True, (1, 1), []
            yield self._start_match(state)
        if "dart" in events:
            self._darts.append(events["dart"].segment)
            yield from self._throw(state, events)
        for name, status in _STATUSES.items():
            if name in events:
                yield {"event": "Board Status", "data": {"status": status}}
        if "turn_changed" in events:
            self._darts = []
            yield self._change_turn(state, events["turn_changed"])

    def _start_match(self, state: State) -> Message:
        players = [{"name": name.lower()} for side in state.sides for name in side.players]
        about = {"id": state.match, "me": self._me, "meHost": True, "players": players}
        who = _name(state.turn.side, state.turn.player)
        return {"event": "match-started", **about, **who, "game": _begin_game(state, state.turn.side)}

    def _change_turn(self, state: State, turn: Event) -> Message:
        side, who = turn.side or 0, _name(turn.side, turn.player)
        if self._leg != (state.set, state.leg):
            self._leg = (state.set, state.leg)
            return {"event": "game-started", **who, "game": _begin_game(state, side)}
        is_bust = state.last is not None and state.last.bust
        game = {
            "mode": _name_mode(state),
            "pointsLeft": str(state.sides[side].score),
            "dartsThrown": str(_DARTS),
            "dartsThrownValue": "0" if state.last is None or is_bust else str(state.last.points),
            "busted": str(is_bust),
        }
        return {"event": "darts-pulled", **who, "game": game}

    def _throw(self, state: State, events: Mapping[str, Event]) -> Iterator[Message]:
        """Yields what a dart leads to: one message, or two where it ends the visit and nothing else."""
        dart, visit = events["dart"], events.get("visit")
        who, mode = _name(dart.side, dart.player), _name_mode(state)
        told = {**who, "playerIsBot": str(dart.player in self._list_bots())}
        bed = describe_bed(self._layout, dart.segment)
        won = {
            "mode": mode,
            "dartsThrown": str(len(self._darts)),
            "dartsThrownValue": str(visit.points if visit is not None else dart.points),
        }
        winners = events["match_won"].winners if "match_won" in events else ()
        if winners:
            if dart.side not in winners:
                side = state.sides[winners[0]]
                who = _name(winners[0], next(iter(side.players), side.name))
            yield {"event": "match-won", **who, "game": {**won, **bed.place}}
        elif "leg_won" in events:
            leg = events["leg_won"]
            yield {"event": "game-won", **_name(leg.side, leg.player), "game": {**won, **bed.field}}
        elif "bust" in events:
            field = {"field_name": bed.name, "field_number": bed.number, "field_multiplier": bed.multiplier}
            yield {"event": "busted", **told, "game": {"mode": mode, **field, "type": bed.kind, "busted": "True"}}
        else:
            number = len(self._darts)
            if dart.segment != TOTAL and number <= _DARTS:
                left = {"mode": mode, "pointsLeft": str(dart.score), "dartNumber": str(number)}
                game = {**left, "dartValue": str(dart.points), **bed.place}
                yield {"event": f"dart{number}-thrown", **told, "game": game}
            if visit is not None:
                left = {"mode": mode, "pointsLeft": str(state.sides[dart.side or 0].score), "dartNumber": str(_DARTS)}
                yield {"event": "darts-thrown", **told, "game": {**left, "dartValue": str(self._add_up(mode, visit))}}

    def _add_up(self, mode: str, visit: Event) -> int:
        """Returns the value of a visit."""
        if mode != _ADDS_FACES:
            return int(visit.points)
        return sum(self._layout[each].points for each in visit.darts if each in self._layout)


def _name(side: object, player: object) -> Message:
    """Returns who a message is about. A team has one number, so that its light does not change with its players."""
    return {"player": str(player).lower(), "playerIndex": str(side)}


def _name_mode(state: State) -> str:
    return _MODES.get(state.game, state.title)


def _begin_game(state: State, side: int) -> Message:
    special = state.variant.text if state.variant is not None else ""
    return {"mode": _name_mode(state), "pointsStart": str(state.sides[side].score), "special": special}
