"""The takeout policy of a table: when the next visit opens by itself. A pure rule over times.

`button`: never; a player presses next. `timer`: so many seconds after the last dart, or after the last hit while the
darts were pulled (pulling makes ghost hits). `hits`: with the next hit, when it was quiet before it. `sensor`: when the
board has seen that they were pulled; missing darts are then misses, and a visit without darts stays open. A board that
sees a player walk up to it, or by the other policies that the darts were pulled, starts the timer. After an undo the
timer rests until the next input: a player is correcting something. A bot has no darts to pull and goes on by itself; as
it hits no board either, `hits` is a timer where bots play, and in a match in two places. There each table has its own
takeout.
"""

from __future__ import annotations

from daemon.config.sections import TakeoutMode
from engine.match import Match
from protocol.profile import Profile


def choose_mode(wanted: TakeoutMode | None, profile: Profile) -> TakeoutMode:
    """The policy of a table: the one it asks for, else by what its board has: cameras, a button, or neither."""
    if wanted is not None:
        return wanted
    if profile.link == "web":
        return "sensor"
    return "button" if {"next", "takeout"} & set(profile.buttons) else "timer"


def may_be_pulled(match: Match) -> bool:
    """Whether the darts of this visit are in this board, all or some of them, so that pulling them closes it."""
    position, header = match.position, match.header
    is_bot = header.bots is not None and header.bot(position.mover) is not None
    is_elsewhere = header.places is not None and header.places[position.visit.side] is not None
    has_darts = position.phase == "takeout" or bool(position.visit.darts)
    return has_darts and not (position.over or is_bot or is_elsewhere)


class Takeout:
    """The policy of one table. Times are nanoseconds of one monotonic clock."""

    def __init__(self, mode: TakeoutMode, seconds: float) -> None:
        self.due: int | None = None
        """When the visit is to be closed; None: not by a timer."""
        self.mode = mode
        self._wait_ns = round(seconds * 1e9)
        self._touched_ns = 0
        self.is_player_seen = False
        """Whether a player was seen at the board since the visit was thrown."""

    def restart(self, match: Match, now: int) -> None:
        """Restarts the timer if the visit waits for it; to be called after every input."""
        position, header = match.position, match.header
        is_thrown = position.phase == "takeout" or (position.blocking is not None and not position.visit.darts_left)
        waiting = is_thrown and (header.bots is None or header.bot(position.mover) is None)
        if header.places is not None:  # the darts of a side that sits elsewhere are pulled there
            waiting = waiting and header.places[position.visit.side] is None
        self.wait(now, waiting=waiting, no_hit_opens=header.bots is not None or header.places is not None)

    def wait(self, now: int, *, waiting: bool, no_hit_opens: bool) -> None:
        """Restarts the timer if the visit is `waiting` for the darts to be pulled, else stops it.

        `no_hit_opens`: who throws next may not hit this board.
        """
        self.is_player_seen = self.is_player_seen and waiting
        is_timed = self.mode == "timer" or (self.mode == "hits" and no_hit_opens) or self.is_player_seen
        self.due = now + self._wait_ns if waiting and is_timed else None

    def note_player(self, now: int) -> None:
        """Notes that a player walked up to the board during the takeout."""
        self.is_player_seen = True
        self._touched_ns = now
        self.due = now + self._wait_ns

    def suspend(self) -> None:
        """Stops the timer until the next input."""
        self.due = None
        self.is_player_seen = False

    def note_contact(self, now: int) -> None:
        """Notes that something hit the board."""
        self._touched_ns = now

    def opens_next_visit(self, now: int) -> bool:
        """Whether a hit during the takeout begins the next visit."""
        return self.mode == "hits" and now - self._touched_ns >= self._wait_ns

    def roll_back(self, *, was_player_seen: bool) -> None:
        """Stops the timer until the next input. What hit the board since then counts all the same."""
        self.due = None
        self.is_player_seen = self.is_player_seen or was_player_seen
