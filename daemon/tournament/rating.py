"""What an entrant is seeded by, where a tournament seeds by rating: the average of the last 90 days."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress

from msgspec.structs import replace

from protocol.tournament import Enter, TournamentSpec

_AVERAGES_S = 8.0

Average = tuple[float, int]
"""A three-dart average (marks for cricket), and from how many darts."""
ReadAverages = Callable[[TournamentSpec, tuple[str, ...]], Awaitable[Mapping[str, Average]]]
"""Returns the averages of these players in the game of a tournament; of those who have one."""


async def rate(given: Enter, spec: TournamentSpec, read_averages: ReadAverages) -> Enter:
    """The same with the average of its people, if all have one: that of a side is their mean."""
    averages: Mapping[str, Average] = {}
    with suppress(TimeoutError):  # nobody waits for a long history to be read
        async with asyncio.timeout(_AVERAGES_S):
            averages = await read_averages(spec, given.people)
    if not averages or len(averages) < len(given.people):
        return given
    mean = sum(average for average, _ in averages.values()) / len(averages)
    return replace(given, average=round(mean, 2), darts=sum(darts for _, darts in averages.values()))
