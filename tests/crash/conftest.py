"""The same broker as the faults have."""

from tests.faults.conftest import broker

__all__ = ["broker"]
