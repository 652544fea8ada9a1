"""Without PostgreSQL nothing here is read: psycopg needs its libpq."""

from __future__ import annotations

from tests.league.conftest import find_postgres


def pytest_pycollect_makemodule() -> None:
    """Skips, or fails, the whole folder where PostgreSQL is missing."""
    find_postgres()
