"""Board profiles that do not ship: somebody has added them, and from then on their ids name them like any other.

This room reads no files but its own, so the texts are brought here (see daemon/plugins.py).
"""

from __future__ import annotations

from protocol.source import Source

SOURCES: dict[str, Source] = {}
"""Their texts, by id."""
WITHHELD: dict[str, str] = {}
"""Profiles that somebody means to have and that cannot be had, by id: the reason, a sentence."""
