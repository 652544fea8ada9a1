"""A profile as the TOML text a person would have written: only what differs from the defaults."""

from __future__ import annotations

from typing import Any

import tomli_w
from msgspec import NODEFAULT, Struct, to_builtins
from msgspec.structs import fields

from protocol.profile import Profile


def toml(profile: Profile) -> str:
    """The text of this profile."""
    return tomli_w.dumps(_said(profile))


def _said(value: Struct) -> dict[str, Any]:  # Any: TOML values
    """The fields that say something their defaults do not."""
    said: dict[str, Any] = {}
    for field in fields(value):
        given = getattr(value, field.name)
        default = field.default_factory() if field.default is NODEFAULT and callable(field.default_factory) else None
        if given is None or given == (default if field.default is NODEFAULT else field.default):
            continue
        said[field.encode_name] = _said(given) if isinstance(given, Struct) else to_builtins(given)
    return said
