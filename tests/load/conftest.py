"""How long the pub is full, and the broker that it has."""

from __future__ import annotations

import pytest

from tests.faults.conftest import broker

__all__ = ["broker"]


@pytest.fixture
def load_s(request: pytest.FixtureRequest) -> float:
    """Seconds; `--load-s` on the command line."""
    seconds: float = request.config.getoption("--load-s")
    return seconds
