"""What an entrant is seeded by, where a tournament seeds by what people have thrown: average and rating."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import NamedTuple

from msgspec.structs import replace

from protocol.tournament import Enter, TournamentSpec

_PATIENCE_S = 8.0


class Strength(NamedTuple):
    """What is known of a player in the game of a tournament.

    `average` is in three darts (marks for cricket), from so many `darts`; `rating` is None for one who has hardly any
    matches.
    """

    average: float | None = None
    darts: int = 0
    rating: float | None = None


ReadStrengths = Callable[[TournamentSpec, tuple[str, ...]], Awaitable[Mapping[str, Strength]]]
"""Returns what is known of these players; of those of whom something is."""


async def rate(given: Enter, spec: TournamentSpec, read_strengths: ReadStrengths) -> Enter:
    """The same with the average and the rating of its people, each if all have one: that of a side is their mean."""
    found: Mapping[str, Strength] = {}
    with suppress(TimeoutError):  # nobody waits for a long history to be read
        async with asyncio.timeout(_PATIENCE_S):
            found = await read_strengths(spec, given.people)
    known = [found.get(name, Strength()) for name in given.people]
    averages = [each.average for each in known if each.average is not None]
    ratings = [each.rating for each in known if each.rating is not None]
    if len(averages) == len(known):
        given = replace(given, average=round(sum(averages) / len(known), 2), darts=sum(each.darts for each in known))
    if len(ratings) == len(known):
        given = replace(given, rating=round(sum(ratings) / len(known), 1))
    return given
