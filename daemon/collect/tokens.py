"""The tokens of the league's pages: one for each daemon, and as many as wanted for people. Only checksums are kept."""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from psycopg import Connection
from psycopg.rows import TupleRow

from daemon.collect.bridges import find_bridge
from daemon.collect.database import AsyncDatabase
from daemon.errors import UserError
from daemon.web.token import hash_token

_BYTES = 20

_ADD = "insert into oche.token (name, sha256, bridge_id) values (%s, %s, %s) on conflict do nothing"
_REMOVE = "delete from oche.token where name = %s"
_LIST = """
    select t.name, coalesce(b.base || '/bridge/' || b.name, ''), t.made_at
    from oche.token t left join oche.bridge b using (bridge_id) order by t.name
"""
_FIND = "select name, bridge_id from oche.token where sha256 = %s"


class Holder(NamedTuple):
    """Whose token it is. `bridge_id` is the daemon's; None: people who only look on."""

    name: str
    bridge_id: UUID | None


class ListedToken(NamedTuple):
    """A token as it is listed; `topic` is that of its daemon, "" for people."""

    name: str
    topic: str
    made_at: datetime


async def add_token(db: AsyncDatabase, name: str, *, is_viewer: bool) -> str:
    """Returns a new token of the daemon `name`, or of people who are called so here. Raises UserError."""
    bridge_id = None if is_viewer else (await find_bridge(db, name))[0]
    token = f"{'view' if is_viewer else 'bridge'}-{secrets.token_hex(_BYTES)}"
    if (await db.execute(_ADD, [name, hash_token(token), bridge_id])).rowcount == 0:
        raise UserError(
            f"{name} has a token: oche league token remove {name} ends it, then make another one; "
            "oche league token list shows all",
            2,
        )
    return token


async def remove_token(db: AsyncDatabase, name: str) -> None:
    """Has the token of this name open nothing any more. Raises UserError."""
    if (await db.execute(_REMOVE, [name])).rowcount == 0:
        raise UserError(f"there is no token of {name}: oche league token list shows all", 2)


async def list_tokens(db: AsyncDatabase) -> list[ListedToken]:
    """Returns all, by their names."""
    return [ListedToken(*row) for row in await (await db.execute(_LIST)).fetchall()]


def find_holder(db: Connection[TupleRow], sha256: bytes) -> Holder | None:
    """Returns whose token has this checksum; None: nobody's."""
    row = db.execute(_FIND, [sha256]).fetchone()
    return Holder(*row) if row else None
