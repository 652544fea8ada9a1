"""How the contract counts: from 0 or from 1."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

Index = Annotated[int, Meta(ge=0)]
"""The number of a side or a seat, counted from 0; or how many there are of something."""
Ordinal = Annotated[int, Meta(ge=1)]
"""Counted from 1: lines of a match, visits, rounds, legs."""
