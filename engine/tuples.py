"""For games written for oche 0.1: `put`, which is in engine.game now."""

from engine.game import put

__all__ = ["put"]
