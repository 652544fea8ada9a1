"""For games written for oche 0.1: the facts that games make, which are in engine.game now."""

from engine.game import Award, Bust, Claimed, Closed, Eliminated, Fact, Halved

__all__ = ["Award", "Bust", "Claimed", "Closed", "Eliminated", "Fact", "Halved"]
