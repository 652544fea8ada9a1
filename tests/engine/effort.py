"""How many random matches a comparison plays: a few each time, many at length (`make long`)."""

from __future__ import annotations

from hypothesis import settings

IS_LONG = settings.get_current_profile_name() == "long"


def many(usual: int, at_length: int) -> int:
    """So many usually, so many at length."""
    return at_length if IS_LONG else usual
