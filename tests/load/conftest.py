"""How long the pub is full."""

from __future__ import annotations

import pytest


@pytest.fixture
def load_s(request: pytest.FixtureRequest) -> float:
    """Seconds; `--load-s` on the command line."""
    seconds: float = request.config.getoption("--load-s")
    return seconds
