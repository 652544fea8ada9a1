"""Whether what the programs of a league need is installed, before anything of them is imported."""

from __future__ import annotations

from importlib.util import find_spec

from daemon.errors import UserError
from protocol.extras import suggest_extra


def check_libraries() -> None:
    """Raises UserError where it is not."""
    try:
        import psycopg_pool  # noqa: F401, PLC0415  and psycopg with it, which needs libpq
    except ImportError:
        if find_spec("psycopg_pool") is None:
            more = suggest_extra("league", __file__)
            what = f"psycopg and PostgreSQL's library are missing: install libpq5 with apt, and, {more}"
        else:
            what = (
                "PostgreSQL's library is missing: install libpq5 with apt; a container needs the image with the extras"
            )
        raise UserError(what) from None
