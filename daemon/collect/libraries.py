"""Whether what the programs of a league need is installed, before anything of them is imported."""

from __future__ import annotations

from daemon.errors import UserError


def check_libraries() -> None:
    """Raises UserError where it is not."""
    try:
        import psycopg_pool  # noqa: F401, PLC0415  and psycopg with it, which needs libpq
    except ImportError:
        raise UserError(
            "psycopg and PostgreSQL's library are missing: install libpq5 with apt, and pip install '.[league]'"
        ) from None
