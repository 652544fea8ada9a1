"""Fetching from the league the inputs that matches lack here since an old backup was put back.

A record of the league is added to ours where ours is its beginning: the same inputs, and the same header but for names,
which the league may not have. Ours keeps its names. The daemon may be running: the latest match of a table is
left alone, for the daemon has that one in memory.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import msgspec
from msgspec import Struct

from daemon.admin.history.editions import Relation, compare
from daemon.admin.history.offered import Hidden, read_hidden
from daemon.admin.history.played_matches import count_match
from daemon.config.sections import League
from daemon.errors import UserError, to_user_error
from daemon.journal.errors import StoreError
from daemon.journal.journal_file import add_lines
from daemon.journal.lines import Line, StoredMatch, encode_record
from daemon.journal.mending import check_settled
from daemon.journal.stored import Head, StoredJournal
from daemon.league.pages_client import NoAnswer, PagesClient
from daemon.league.records import Taken
from daemon.league.store import LeagueStore
from protocol.segment import Layout
from protocol.sentence import Refusal, Sentence, get_reason, say

_TIMEOUT_S = 10.0
_MOST_BYTES = 4_000_000
"""A collector takes no longer record."""
_SOURCE = "league"
"""Who made the inputs that are added, as far as the journal knows."""


class Fetched(Struct, frozen=True):
    """How many inputs were added to a match of this table, or why none were: then `trouble` says it."""

    table: str
    match: str
    lines: int = 0
    trouble: str | Sentence = ""


class _Unanswered(Refusal):
    """The league cannot be asked at all."""


class _Gone(Refusal):
    """There is no such match here any more."""


def fetch_known_more(folder: Path, league: League, layouts: Mapping[str, Layout]) -> Iterator[Fetched]:
    """Fetches what the league has said that it knows more of; yields what became of each match.

    `layouts` are those of the tables. Once the league does not answer, it is not asked for the others.
    Raises UserError.
    """
    store = LeagueStore(folder)
    memory = store.read()
    known_more = [each for each in memory.taken.values() if each.by == "league" and each.answer == "known_more"]
    if not known_more:
        return
    if not league.url or league.token_file is None:
        said = say(
            "league.no_pages",
            "set league.url and league.token_file first: matches are fetched from the pages of the league",
        )
        raise UserError(said)
    with to_user_error(StoreError):
        check_settled(folder)
    fetcher = _Fetcher(folder, PagesClient(league), layouts, read_hidden(folder, memory))
    done, unanswered = [], None
    try:
        for each in known_more:
            if unanswered is not None:
                yield Fetched(each.table, each.match, trouble=unanswered)
                continue
            try:
                lines = fetcher.fetch(each)
            except (Refusal, StoreError) as error:
                unanswered = get_reason(error) if isinstance(error, _Unanswered) else None
                done += [each.match] if isinstance(error, _Gone) else []
                yield Fetched(each.table, each.match, trouble=get_reason(error))
            else:
                done.append(each.match)
                yield Fetched(each.table, each.match, lines)
    finally:
        store.offer_fetched(done)


class _Fetcher:
    """Fetches matches into the journals in this folder."""

    def __init__(self, folder: Path, pages: PagesClient, layouts: Mapping[str, Layout], hidden: Hidden) -> None:
        self._folder = folder
        self._pages = pages
        self._layouts = layouts
        self._hidden = hidden

    def fetch(self, known: Taken) -> int:
        """Returns how many inputs were added to this match. Raises Refusal and StoreError."""
        journal = StoredJournal(self._folder / f"{known.table}.sqlite3")
        if not journal.path.exists() or not (heads := journal.heads(known.match)):
            raise _Gone(say("league.fetch_gone", "it was deleted here"))
        _check_not_current(journal, heads[0])
        stored = journal.match(heads[0])
        lines = self._find_missing(stored, self._ask(known))
        if not lines:
            return 0
        whole = stored._replace(lines=[*stored.lines, *lines])
        played = count_match(whole, known.table, self._layouts.get(known.table))
        if played.problem is not None:
            said = say(
                "league.fetch_refused", "the rules of this oche refuse what the league has: {why}", why=played.problem
            )
            raise Refusal(said)
        if not played.is_over:
            raise Refusal(say("league.fetch_open", "the match is not over in what the league has"))
        if not add_lines(journal.path, stored, lines):
            _check_not_current(journal, heads[0])
            raise Refusal(say("league.fetch_changed", "it was changed meanwhile: fetch it again"))
        return len(lines)

    def _ask(self, known: Taken) -> bytes:
        """Returns the record that the league has. Raises Refusal."""
        target = f"/api/league/record?{urlencode({'table': known.table, 'match': known.match})}"
        try:
            asked = self._pages.get(target, accept="application/x-ndjson", timeout_s=_TIMEOUT_S, most_bytes=_MOST_BYTES)
            reply = asyncio.run(asked)
        except (NoAnswer, UserError) as error:
            said = say(
                "league.fetch_unanswered", "nothing can be fetched from the league: {why}", why=get_reason(error)
            )
            raise _Unanswered(said) from None
        if reply.status == HTTPStatus.NOT_FOUND:
            raise Refusal(say("league.fetch_unknown", "the league has no such match of this oche: check league.url"))
        if reply.status != HTTPStatus.OK:
            said = say(
                "league.fetch_status", "the league answered with status {status}: try again later", status=reply.status
            )
            raise Refusal(said)
        if len(reply.body) >= _MOST_BYTES:
            raise Refusal(say("league.fetch_long", "the record of the league is too long"))
        return reply.body

    def _find_missing(self, stored: StoredMatch, text: bytes) -> list[Line]:
        """Returns the lines that this record of the league has, and ours has not. Raises Refusal."""
        ours = stored._replace(header=self._hidden.hide(stored.header, stored.at))
        try:
            given = [msgspec.json.decode(line, type=dict[str, Any]) for line in text.splitlines()]  # Any: JSON
            relation = compare(text, b"".join(encode_record(ours)))
        except (ValueError, LookupError, TypeError, RecursionError):
            raise Refusal(say("league.fetch_no_record", "what the league sent is no match: check league.url")) from None
        if relation is Relation.OTHER:
            said = say("league.fetch_other", "the match went another way here than in the league: each keeps its own")
            raise Refusal(said)
        at = stored.lines[-1].at if stored.lines else stored.at  # a record does not say when
        return [
            Line(stored.id, number, given[number - 1], _SOURCE, at)
            for number in range(len(stored.lines) + 2, len(given) + 1)
        ]


def _check_not_current(journal: StoredJournal, head: Head) -> None:
    """Raises Refusal for the latest match of a table."""
    if head.number >= max(each.number for each in journal.heads()):
        said = say(
            "league.fetch_current",
            "it is the current match of the table {name}: start another match there, then fetch it",
            name=journal.table,
        )
        raise Refusal(said)
