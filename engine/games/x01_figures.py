"""What players live by when a number comes down to zero: darts at a finish, checkouts, averages. For X01 and drills."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Literal

from engine.checkouts import Bull, Out, route, worth
from engine.tally import Tally, at, hit
from protocol.segment import Segment

Fifty = Literal["always", "third", "never"]
_NONE: Mapping[str, int] = {}


@cache
def _finish(remaining: int, out: Out, bull: Bull) -> str | None:
    """The double that finishes, by the name of its bed; "" for a finish that is no double, None for no finish."""
    way = route(remaining, 1, out, bull)
    if not way:
        return None
    return "DB" if way[0].endswith("B") and remaining == 50 else way[0] if way[0].startswith("D") else ""


@cache
def aimed(remaining: int, out: Out, bull: Bull, fifty: Fifty = "always", is_last: bool = True) -> Mapping[str, int]:
    """What a dart counts that is thrown with so much remaining: a dart at a finish, and at which double.

    `fifty`: is one at 50 a dart at a finish, only when it is the visit's last, or never?
    """
    double = _finish(remaining, out, bull)
    if double is None or (remaining == 50 and (fifty == "never" or (fifty == "third" and not is_last))):
        return _NONE
    return {"at_finish": 1, at(double): 1} if double else {"at_finish": 1}


def finished(remaining: int, dart: Segment, out: Out, bull: Bull, checkout: int) -> Mapping[str, int]:
    """What the dart counts that finishes; `checkout` is all that its visit took."""
    double = _finish(remaining, out, bull)
    is_hit = double == ("DB" if worth(dart, bull) == (50, 2) else dart.id)
    return {
        **aimed(remaining, out, bull),
        "finished": 1,
        **({hit(double): 1} if double and is_hit else {}),
        **({"100+ out": 1} if checkout >= 100 else {}),
    }


def detail(tally: Tally, has_legs: bool = True) -> dict[str, Any]:  # Any: JSON
    """A side's figures, those of the contract first; what nobody has yet is left out, and so are legs if none count."""
    more = {
        "ppd": tally.ppd if tally.darts else None,
        "high_finish": tally.highs.get("finish"),
        "180s": tally.counts.get("180"),
        "best_leg": tally.lows.get("leg") if has_legs else None,
    }
    return {
        "average": tally.average,
        "first_nine": tally.first_nine,
        "darts": tally.darts,
        "checkouts": [tally.counts.get("finished", 0), tally.counts.get("at_finish", 0)],
        **{name: value for name, value in more.items() if value is not None},
    }
