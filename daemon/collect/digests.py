"""The digests of a league's matches, as ratings and the tables of months read them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

import msgspec
from msgspec import Struct
from psycopg import Connection
from psycopg.rows import TupleRow

from daemon.admin.history.digest import DigestedMatch, MatchDigest, Shown, without_strangers
from daemon.admin.history.played_matches import PlayedMatch
from engine.tally import Figure

_READ = """
    select json_build_array(begun_at, match, variant_id, seats, digest)::text from oche.played
    where begun_at >= %(since)s and begun_at < %(before)s and digest is not null
        and (%(bridges)s::uuid[] is null or bridge_id = any(%(bridges)s))
    order by begun_at fetch first %(most)s rows with ties
"""
_LIST_VARIANTS = "select id, game, variant, title, figure from oche.variant"
_FIND_PERSONS = "select id, person_id from oche.person_name where id = any(%s)"
_FIND_SHOWN = "select id::text, shown from oche.person where id = any(%s)"

Database = Connection[TupleRow]


class _Row(Struct, frozen=True, array_like=True):
    """As JSON it is read much faster than as columns."""

    begun_at: datetime
    match: str
    variant_id: int
    seats: tuple[int, ...]
    digest: MatchDigest


class Digests(NamedTuple):
    """The matches, oldest first, with the ids of persons as keys, and when the last one that was read began."""

    matches: Sequence[DigestedMatch]
    last: datetime | None


def read_digests(db: Database, given: Mapping[str, object], most: int) -> Digests:
    """Returns those of the matches that begin first, `most` or, where some begin at once, more.

    `given` are the parameters `since`, `before` and `bridges`. The days are those of this machine's time zone.
    """
    decode = msgspec.json.Decoder(_Row).decode
    rows = [decode(text) for (text,) in db.execute(_READ, {**given, "most": most}, prepare=False).fetchall()]
    rows.sort(key=lambda row: (row.begun_at, row.match))
    kinds = {number: _make_kind(*kind) for number, *kind in db.execute(_LIST_VARIANTS).fetchall()}
    names = {seat for row in rows for seat in row.seats}
    persons = {name: str(person) for name, person in db.execute(_FIND_PERSONS, [[*names]]).fetchall()}
    found = []
    for row in rows:
        keys = {seat: persons[name] for seat, name in enumerate(row.seats) if name in persons}
        digest = without_strangers(row.digest, keys)
        if digest is not None:
            day = row.begun_at.astimezone().toordinal()
            found.append(DigestedMatch(day, kinds[row.variant_id], keys, digest))
    return Digests(found, rows[-1].begun_at if rows else None)


def find_shown(db: Database, keys: Iterable[str]) -> Shown:
    """Returns what the persons of these ids are called."""
    return dict(db.execute(_FIND_SHOWN, [[*map(int, keys)]]).fetchall())


def _make_kind(game: str, variant: str, title: str, figure: Figure) -> PlayedMatch:
    return PlayedMatch("", "", "", game, variant, title, figure=figure)
