"""Takes what came from the daemons into the database, in one transaction, and says what is answered after it.

Several collectors may do so at a time, with the same messages: each daemon's row is locked first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple
from uuid import UUID

import psycopg
from msgspec import UNSET
from psycopg.errors import ProgramLimitExceeded

from daemon.collect import people
from daemon.collect.bridges import explain_claim, lock_bridges
from daemon.collect.by_hand import keep_results
from daemon.collect.database import AsyncDatabase
from daemon.collect.forgetting import find_forgotten, forget_player, without_forgotten
from daemon.collect.received import Forget, Players, Poison, Received, Record, Results, Sender, list_people
from daemon.collect.records import Kept, keep_records
from daemon.collect.renamed import join_players
from daemon.collect.unreadable import keep_unreadable, lock_unreadable
from protocol.league_messages import LeagueHeard, LeagueTaken

Refused = (psycopg.DataError, psycopg.IntegrityError, ProgramLimitExceeded, ValueError, TypeError, LookupError)
"""What the database or we refuse in a message, whatever comes with it."""


class Answer(NamedTuple):
    """What is published for a daemon, once the transaction is committed."""

    sender: Sender
    kind: Literal["league_taken", "league_heard"]
    message: LeagueTaken | LeagueHeard


async def take(db: AsyncDatabase, received: Sequence[Received]) -> list[Answer]:
    """Commits these messages; returns the answers. One that is refused by itself is kept as unreadable.

    Raises psycopg.Error where the database is not to be had; then nothing of them is kept.
    """
    try:
        async with db.transaction():
            return await _take_all(db, received)
    except Refused as error:
        if len(received) > 1:
            return [answer for each in received for answer in await take(db, [each])]
        async with db.transaction():
            return await _take_all(db, [_refuse(each, error) for each in received])


def _refuse(received: Received, error: Exception) -> Poison:
    """What is kept in place of a message that the database refuses."""
    reason = f"it cannot be kept: {type(error).__name__}"
    if isinstance(received, Record):
        digest = bytes.fromhex(received.sha256)
        key = received.key
        return Poison(received.sender, reason, digest, b"", key.table, key.match, received.sha256)
    return Poison(received.sender, reason, b"", b"")


async def _take_all(db: AsyncDatabase, received: Sequence[Received]) -> list[Answer]:
    poison = [each for each in received if isinstance(each, Poison)]
    good = [(find_bridge_id(each), each) for each in received if not isinstance(each, Poison)]
    owners = await lock_bridges(db, [(bridge_id, each.sender) for bridge_id, each in good]) if good else {}
    if poison or any(isinstance(each, Forget) for each in received):
        await lock_unreadable(db)
    await keep_unreadable(db, poison)
    answers = [_refuse_poison(each) for each in poison if each.match and each.sha256]
    own = [(bridge_id, each) for bridge_id, each in good if owners[bridge_id] == each.sender]
    for bridge_id, each in good:
        if owners[bridge_id] != each.sender and isinstance(each, Record):
            answers.append(_answer(each, answer="not_taken", reason=explain_claim(owners[bridge_id])))
    answers += await _take_records(db, [each for _, each in own if isinstance(each, Record)])
    for bridge_id, each in own:  # these answer with what was sent before them
        if isinstance(each, Players):
            older_than = await join_players(db, bridge_id, each.message)
            heard = LeagueHeard(each.message.sha256, older_than=UNSET if older_than is None else older_than)
            answers.append(Answer(each.sender, "league_heard", heard))
        elif isinstance(each, Results):
            answers.append(Answer(each.sender, "league_heard", await keep_results(db, bridge_id, each.message)))
        elif isinstance(each, Forget):
            forgotten = await forget_player(db, bridge_id, each)
            answers += [] if forgotten is None else [Answer(each.sender, "league_heard", forgotten)]
    return answers


def find_bridge_id(received: Record | Players | Forget | Results) -> UUID:
    """Returns the id of the daemon that a message names."""
    return received.key.bridge_id if isinstance(received, Record) else UUID(hex=received.message.bridge_id)


async def _take_records(db: AsyncDatabase, records: Sequence[Record]) -> list[Answer]:
    if not records:
        return []
    forgotten = await find_forgotten(db, {each.key.bridge_id for each in records})
    kept = await keep_records(db, [without_forgotten(each, forgotten[each.key.bridge_id]) for each in records])
    await people.add_names(db, _list_names(kept))
    return [_answer_kept(each) for each in kept]


def _list_names(kept: Iterable[Kept]) -> Iterable[tuple[UUID, str]]:
    for each in kept:
        if each.is_new:
            for name in list_people(each.record.header):
                yield each.record.key.bridge_id, name


def _answer_kept(kept: Kept) -> Answer:
    if kept.more is not None:
        return _answer(kept.record, answer="known_more", lines=kept.more)
    if kept.older_than is not None:
        return _answer(kept.record, answer="older", older_than=kept.older_than)
    return _answer(kept.record)


def _answer(record: Record, **more: Any) -> Answer:  # Any: the fields of the answer
    key = record.key
    message = LeagueTaken(key.match, record.sha256, by="league", table=key.table, **more)
    return Answer(record.sender, "league_taken", message)


def _refuse_poison(poison: Poison) -> Answer:
    message = LeagueTaken(
        poison.match,
        poison.sha256,
        by="league",
        table=poison.table,
        answer="not_taken",
        reason=f"the league cannot read this record: {poison.reason}"[:500],
    )
    return Answer(poison.sender, "league_taken", message)
