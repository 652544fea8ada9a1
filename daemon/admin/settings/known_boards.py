"""The kinds of boards that there are profiles for, as a person looks for them: by the name on the box."""

from __future__ import annotations

from functools import cache

from daemon.admin.answers import Json
from protocol.codebook import ADDED, WITHHELD, list_profiles, read_shipped
from protocol.profile import Profile
from protocol.source import Source


def list_known_boards() -> list[Json]:
    """Returns profile, name, brands and link of each kind of board; those with a brand first, the best known before."""
    profiles = [_read(ADDED.get(name) or read_shipped(name)) for name in list_profiles() if name not in WITHHELD]
    profiles.sort(key=lambda each: (not each.brands, -len(each.sources), *each.brands, each.name))
    return [{"profile": each.id, "name": each.name, "brands": each.brands, "link": each.link} for each in profiles]


@cache
def _read(source: Source) -> Profile:
    return source.read(Profile)
