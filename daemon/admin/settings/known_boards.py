"""The kinds of boards that there are profiles for, as a person looks for them: by the name on the box."""

from __future__ import annotations

from functools import cache

from daemon.admin.answers import Json
from protocol.codebook import ADDED, WITHHELD, list_profiles, read_shipped
from protocol.profile import Profile
from protocol.source import Source


def list_known_boards() -> list[Json]:
    """Returns what a page shows of each kind of board; those with a brand first, the best known before.

    Those for which oche goes online (`is_cloud`) come after the others with one. `wants_token`: it lets in only those
    with its token.
    """
    profiles = [_read(ADDED.get(name) or read_shipped(name)) for name in list_profiles() if name not in WITHHELD]
    kinds = [_describe(each) for each in profiles]
    order = {each.id: (-len(each.sources), *each.brands, each.name) for each in profiles}
    return sorted(kinds, key=lambda kind: (not kind["brands"], kind["is_cloud"], order[kind["profile"]]))


def _describe(profile: Profile) -> Json:
    web = profile.web
    of_web = {"is_cloud": web is not None and web.is_cloud, "wants_token": web is not None and web.wants_token}
    return {"profile": profile.id, "name": profile.name, "brands": profile.brands, "link": profile.link, **of_web}


@cache
def _read(source: Source) -> Profile:
    return source.read(Profile)
