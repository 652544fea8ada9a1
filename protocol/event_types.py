"""What each type of event says, and what it carries: exactly this, beside `event_type`, `session` and `seq`."""

from __future__ import annotations

from typing import NamedTuple

from protocol.messages import EventType

_BOARD = ()
_MATCH = ("match", "line")
_SIDE = ("match", "line", "side", "player")


class Carried(NamedTuple):
    """One type. `fields` are always there, `optional` where they are known."""

    about: str
    fields: tuple[str, ...]
    optional: tuple[str, ...] = ()


EVENT_TYPES: dict[EventType, Carried] = {
    "hit": Carried("the board reported a hit, whatever becomes of it", (*_BOARD, "segment")),
    "dart": Carried("a dart was scored; `score` is the side's after it", (*_SIDE, "segment", "points", "score")),
    "visit": Carried("the visit is thrown, and what it was worth", (*_SIDE, "points", "darts")),
    "bust": Carried("the visit does not count", _SIDE),
    "halved": Carried("the score was halved", _SIDE),
    "closed": Carried("a target was closed", (*_SIDE, "target")),
    "claimed": Carried("a cell, a row or a ball was taken", (*_SIDE, "cell")),
    "eliminated": Carried("the side is out of the leg", _SIDE),
    "award": Carried("something to celebrate, such as `180` or `hat_trick`", (*_SIDE, "award")),
    "leg_won": Carried("the side won the leg", _SIDE),
    "set_won": Carried("the side won the set", _SIDE),
    "match_won": Carried("the match is over; nobody among `winners`: nobody won", (*_MATCH, "winners")),
    "turn_changed": Carried("the next visit is open, for this side", _SIDE),
    "takeout_started": Carried("the darts are to be pulled", _SIDE),
    "takeout_finished": Carried("the darts are out", _SIDE),
    "prompt": Carried("a question is open; the state has its text", (*_SIDE, "id", "seat")),
    "corrected": Carried("the input of that line was changed or brought back", _MATCH),
    "undone": Carried("the input of that line was taken back", _MATCH),
    "match_started": Carried("a match has begun", (*_MATCH, "game")),
    "match_stopped": Carried("the match was abandoned", _MATCH),
    "retired": Carried("the side left the match", _SIDE),
    "stray": Carried("a hit did not count", (*_BOARD, "segment")),
    "board_online": Carried("the board is there", _BOARD),
    "board_offline": Carried("the board has gone", _BOARD),
    "board_problem": Carried("a segment is stuck; the board may not say which", ("problem",), ("segment",)),
}
