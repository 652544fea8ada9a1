"""The time of the week at which the event of the week is published, as the configuration has it."""

from __future__ import annotations

import re
from typing import NamedTuple

from protocol.sentence import Refusal, say

DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WRITTEN = re.compile(rf"({'|'.join(DAYS)}) ([01]?[0-9]|2[0-3]):([0-5][0-9])", re.ASCII)


class WeekTime(NamedTuple):
    """A weekday, Monday is 0, and a time of the local clock."""

    weekday: int
    hour: int
    minute: int


def parse_week_time(text: str) -> WeekTime:
    """Returns the time in a text such as "sunday 20:00". Raises Refusal."""
    found = _WRITTEN.fullmatch(" ".join(text.lower().split()))
    if found is None:
        raise Refusal(
            say(
                "settings.week_at",
                'write the day in English and the time, such as "sunday 20:00", instead of {given}',
                given=repr(text),
            )
        )
    return WeekTime(DAYS.index(found[1]), int(found[2]), int(found[3]))
