"""A daemon with a league, and how soon its offers are said again."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.config.reader import CheckedConfig
from drivers.backoff import Backoff
from tests.daemon.league.playing import setup_league
from tests.daemon.mosquitto import Mosquitto


@pytest.fixture
def setup(tmp_path: Path, broker: Mosquitto) -> CheckedConfig:
    return setup_league(tmp_path, broker)


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Offers are said again soon."""
    monkeypatch.setattr("daemon.league.offers.AGAIN", Backoff(0.2, 0.5))


@pytest.fixture
def seldom(monkeypatch: pytest.MonkeyPatch) -> None:
    """Offers are not said again by themselves."""
    monkeypatch.setattr("daemon.league.offers.AGAIN", Backoff(3600.0, 3600.0))
