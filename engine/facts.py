"""The facts that games make; all there are, and what becomes of them: protocol.facts."""

from protocol.facts import Award, Bust, Claimed, Closed, Eliminated, Fact, Halved

__all__ = ["Award", "Bust", "Claimed", "Closed", "Eliminated", "Fact", "Halved"]
