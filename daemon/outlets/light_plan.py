"""What one light should show, and until when: decided from what happens at its tables, without a clock or a wire.

The scene of a moment comes before that of whoever is to throw, and before both the light is as it was found: that is
None. Of two moments the one of the higher rank is shown; of equals, the later one. Once the next visit has begun, any
moment may follow.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import inf

from msgspec import Struct

from daemon.config.lights import EVERYONE, Light, Scene
from daemon.config.names import list_names
from daemon.table.effects import Update
from protocol.facts import FACTS
from protocol.messages import State

ASLEEP_S = 900.0
"""After so long without news the light is put back, whatever is shown: the players have gone."""
_LATE_S = 5.0
"""How long a scene that ends with its visit is shown if the visit is over before it can begin: a key or a total closes
it in one step, and the next end is that of the opponent's visit."""
_TAKEN_BACK = ("undone", "corrected")
_OPENING = ("turn_changed", "match_started")
"""What belongs to the visit that begins, not to the one that it follows."""


class _Moment(Struct):
    """A scene at a table. `ends` is when; None: it waits for the end of the visit."""

    scene: Scene
    rank: int
    table: str
    ends: float | None


class LightPlan:
    """The plan of one light. Times are seconds of any clock that only goes on.

    `cameras` are the tables whose boards are cameras.
    """

    def __init__(self, light: Light, scenes: Mapping[str, Scene], cameras: Collection[str] = ()) -> None:
        self._light = light
        may_change = light.during_visit
        self._is_watched = any(map(self.concerns, cameras)) if may_change is None else not may_change
        """Whether a change during a visit can look like a takeout."""
        self._idle = {name.casefold(): scenes[scene] for name, scene in light.idle.items()}
        self._states: dict[str, State] = {}
        self._latest = ""
        self._heard = -inf
        self._moment: _Moment | None = None
        self._closed: str | None = None

    def concerns(self, table: str) -> bool:
        """Whether the light belongs to this table."""
        return self._light.table is None or table in list_names(self._light.table)

    def follow(self, update: Update, now: float) -> None:
        """Takes the news of a table that the light belongs to."""
        table, moment = update.table, self._moment
        if moment is not None and moment.table == table and any(e.event_type in _TAKEN_BACK for e in update.events):
            self._moment = moment = None
        state, before = update.state, self._states.get(table)
        self._closed = None
        if state is None:
            return
        is_next = before is not None and _find_visit(before) != _find_visit(state)
        self._closed = table if is_next and not _is_visit_over(state) else None
        self._states[table], self._latest = state, table
        if update.events:  # without any the daemon has only begun: perhaps at night, after a power cut
            self._heard = now
        if moment is None or moment.table != table:
            return
        if is_next:
            moment.rank = -1
            if moment.scene.seconds == 0 or self._is_watched:
                self._moment = None
        elif self._is_watched:
            if not _is_visit_over(state):
                self._moment = None if moment.ends is not None else moment
            elif moment.ends is None:
                moment.ends = _find_end(moment.scene, now)

    def begin(self, scene: Scene, event_type: str, table: str, now: float) -> None:
        """Takes the scene for an event of this type in the update that `follow` was given last, of this table."""
        self._heard = now
        rank = FACTS[event_type].rank
        shown, state = self._moment, self._states.get(table)
        if shown is not None and not _has_ended(shown, now) and shown.rank > rank:
            return
        must_wait = self._is_watched and (state is None or not _is_visit_over(state))
        if must_wait and (state is None or not state.turn.darts):
            return  # its visit is over, and the next one has begun
        if self._closed == table and scene.seconds == 0 and event_type not in _OPENING:
            ends = now + _LATE_S
        else:
            ends = _find_end(scene, now)
        self._moment = _Moment(scene, rank, table, None if must_wait else ends)

    def find_wanted(self, now: float) -> Scene | None:
        """Returns the scene to show; None: the light should be as it was found."""
        if now >= self._heard + ASLEEP_S:
            return None
        moment = self._moment
        if moment is not None and moment.ends is not None and now < moment.ends:
            return moment.scene
        state, idle = self._states.get(self._latest), self._idle
        if not idle or state is None or state.phase == "over" or state.line == 1:  # of line 1 nobody has thrown yet
            return None
        names = (state.turn.player.casefold(), str(state.turn.side + 1), EVERYONE)
        return next((idle[name] for name in names if name in idle), None)

    def find_deadline(self, now: float) -> float | None:
        """Returns when the next change comes by itself; None: never."""
        times = [self._heard + ASLEEP_S]
        if self._moment is not None and self._moment.ends is not None:
            times.append(self._moment.ends)
        return min((time for time in times if now < time < inf), default=None)


def _find_end(scene: Scene, now: float) -> float:
    return now + scene.seconds if scene.seconds else inf


def _has_ended(moment: _Moment, now: float) -> bool:
    return moment.ends is not None and now >= moment.ends


def _is_visit_over(state: State) -> bool:
    return state.phase in ("takeout", "over")


def _find_visit(state: State) -> tuple[object, ...]:
    return state.match, state.set, state.leg, state.turn.visit
