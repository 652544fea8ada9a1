"""The matches that this daemon offers to others, read from its journals, and without the names that nobody may have.

In what the league gets, people whose matches do not count, who are forgotten, and bots have a neutral name.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from daemon.admin.history.forget import hide_titles
from daemon.admin.history.history import History
from daemon.admin.history.played_matches import PlayedMatch
from daemon.admin.players.book import PlayerBook
from daemon.admin.players.names import PlayerNames, make_neutral_name
from daemon.admin.process import FindRecords, ReadRecords
from daemon.errors import UserError
from daemon.journal.errors import StoreError
from daemon.journal.lines import StoredMatch, encode_record
from daemon.journal.stored import Head, StoredJournal, find_journals
from daemon.league.records import Found, Made, Taken, Wanted
from daemon.league.store import LeagueStore, Memory
from engine.games import GAMES
from protocol.league_messages import MOST_NAMES, LeagueOffer, PlayerChange
from protocol.league_parts import split_offer
from protocol.player_names import name_key

_FEW = 20
"""So many matches are replayed rather than looked for among all that were ever played."""
_MOST_BYTES = 2_000_000
"""Of the records in one answer."""

Header = dict[str, Any]  # Any: JSON


class _Forgotten(NamedTuple):
    """The keys of all names of one whom the league is still to forget, and the moment up to which."""

    id: str
    keys: frozenset[str]
    at: str


class Hidden(Struct):
    """Whose names are not sent."""

    names: PlayerNames
    forgotten: tuple[_Forgotten, ...]
    met: set[str] = field(default_factory=set)
    """The ids of those of them who are still in a header."""

    def hide(self, header: Header, begun_at: str) -> Header:
        """The header of a match that began then, with neutral names for these people and for bots."""
        players, bots = header.get("players"), header.get("bots") or ()
        if not isinstance(players, list):
            return header
        earlier = [each for each in self.forgotten if begun_at < each.at]
        forgotten = {key for each in earlier for key in each.keys}
        ghosts = [*(header.get("ghosts") or ())]
        ghosts += [None] * (len(players) - len(ghosts))
        named, gone = [*map(str, players)], set[str]()
        for seat, name in enumerate(named):
            is_bot = seat < len(bots) and bots[seat] is not None
            if not is_bot and name_key(name) in forgotten:
                self.met |= {each.id for each in earlier if name_key(name) in each.keys}
            if is_bot or name_key(name) in forgotten or not self.names.is_counted(self.names.get(name)):
                gone |= self._list_keys(name)
                named[seat] = make_neutral_name(seat)
            if isinstance(ghost := ghosts[seat], dict):
                gone |= self._list_keys(str(ghost.get("player")))
                ghosts[seat] = {**ghost, "player": named[seat]}
        like = [*(header.get("like") or ())]
        for seat, model in enumerate(like):
            if isinstance(model, dict):
                gone |= self._list_keys(str(model.get("player")))
                like[seat] = {**model, "player": ""}
        changed = {**header, "players": named, **({"like": like} if like else {})}
        if header.get("ghosts"):
            changed["ghosts"] = ghosts
        return hide_titles(changed, gone)

    def _list_keys(self, name: str) -> set[str]:
        """The keys of all names of the player of this name."""
        shown = name_key(self.names.get(name))
        return {name_key(name), shown} | {key for key, each in self.names.shown.items() if name_key(each) == shown}


def answer_offers(request: FindRecords | ReadRecords, history: History) -> Found | list[Made]:
    """Carries out the request. Raises UserError."""
    memory = _read_memory(history)
    hidden = read_hidden(history.folder, memory)
    if isinstance(request, ReadRecords):
        return [*_read_records(request, history, hidden, memory)]
    return _Finder(request, history, hidden, memory).find()


def read_hidden(folder: Path, memory: Memory) -> Hidden:
    """Returns whose names are not sent from this folder. Raises UserError."""
    forgotten = (_Forgotten(each.id, frozenset(map(name_key, each.names)), each.at) for each in memory.forgettings)
    return Hidden(PlayerBook(folder).read_names(), tuple(forgotten))


def _read_memory(history: History) -> Memory:
    try:
        return LeagueStore(history.folder).read()
    except UserError:  # the daemon says so; all is offered once more
        return Memory()


class _Finder:
    """Finds what a request wants."""

    def __init__(self, request: FindRecords, history: History, hidden: Hidden, memory: Memory) -> None:
        self._request = request
        self._history = history
        self._hidden = hidden
        self._memory = memory
        self._people: dict[str, set[str]] = {}
        """The keys of the names in the matches of the league, as it gets them, by match."""
        self._is_partial = False

    def find(self) -> Found:
        """Raises UserError."""
        listed = [*self._list_candidates()]
        candidates = [each for each in listed if not self._is_taken(each)]
        played = self._list_played({each.match: each.table for each in candidates})
        found = [
            replace(each, layout=match.layout)
            for each in candidates
            if (match := played.get(each.match)) is not None and match.is_over and self._is_sent(each, match)
        ]
        sent = {each.match for each in (*found, *filter(self._is_taken, listed)) if each.by == "league"}
        players = () if self._request.only else tuple(self._list_players(sent))
        wanted = tuple(sorted(found, key=lambda each: each.begun_at))
        return Found(wanted, players, frozenset(self._hidden.met), self._is_partial)

    def _list_candidates(self) -> Iterator[Wanted]:
        """Yields every match that is wanted if it is over and counts."""
        table, only = self._request.only or (None, None)
        journals = find_journals(self._history.folder, self._history.layouts)
        self._is_partial = not {journal.table for journal in journals}.issuperset(self._history.layouts)
        for journal in journals:
            if table not in (None, journal.table):
                continue
            try:
                heads, headers = journal.heads(only), _read_headers(journal, only)
            except StoreError as error:
                self._history.problems.append(str(error))
                self._is_partial = True
                continue
            for head in heads:
                if head.id in headers:
                    yield from self._make_wanted(journal.table, head, headers[head.id])

    def _make_wanted(self, table: str, head: Head, header: Header) -> Iterator[Wanted]:
        ref = header.get("ref")
        if isinstance(ref, str) and _is_since(head.begun_at, self._request.asked_since):
            yield Wanted("asked", table, head.id, head.begun_at, "", head.stamp, ref)
        if self._request.since is not None and _is_since(head.begun_at, self._request.since):
            shown = self._hidden.hide(header, head.begun_at)
            last, _, _ = head.stamp.rpartition(" ")
            stamp = f"{last} {zlib.crc32(msgspec.json.encode(shown)):08x}"
            self._people[head.id] = {name_key(str(name)) for name in shown.get("players") or ()}
            yield Wanted("league", table, head.id, head.begun_at, "", stamp)

    def _is_taken(self, wanted: Wanted) -> bool:
        """Whether that was answered; what was not taken by an earlier run is tried again."""
        taken = self._memory.taken.get(wanted.key)
        return taken is not None and taken.stamp == wanted.stamp and taken.answer != "not_taken"

    def _list_played(self, tables: dict[str, str]) -> dict[str, PlayedMatch]:
        """What these matches came to, by their ids."""
        if len(tables) <= _FEW:
            found = [self._history.write_figures(table, match) for match, table in tables.items()]
            return {each.id: each for each in found if each is not None}
        return {each.id: each for each in self._history.all_matches() if each.id in tables}

    def _is_sent(self, wanted: Wanted, match: PlayedMatch) -> bool:
        """Whether a match that is over counts for somebody whom the league may know."""
        if wanted.by == "asked":
            return True
        is_counted = bool(match.parts) and match.game in GAMES and GAMES[match.game].is_counted
        names = self._hidden.names
        is_anyone = any(not part.is_bot and names.is_counted(names.get(part.player)) for part in match.parts)
        return is_counted and (is_anyone or wanted.key in self._memory.taken)

    def _list_players(self, sent: Collection[str]) -> Iterator[PlayerChange]:
        """Yields those in these matches of the league who have another name now than records have."""
        keys = {key for match in sent for key in self._people[match]}
        for player in PlayerBook(self._history.folder).list_players() if keys else ():
            names = tuple(each for each in player.names if name_key(each) in keys)
            if names and set(map(name_key, names)) != {name_key(player.name)} and player.profile.counts:
                yield PlayerChange(player.name, names[:MOST_NAMES])


def _read_headers(journal: StoredJournal, only: str | None) -> dict[str, Header]:
    """The headers of all matches, or of this one, by their ids. Raises StoreError."""
    if only is None:
        return dict(journal.all_headers().values())
    return {head.id: journal.match(head).header for head in journal.heads(only)}


def _is_since(at: str, since: str) -> bool:
    return datetime.fromisoformat(at) >= datetime.fromisoformat(since)


def _read_records(request: ReadRecords, history: History, hidden: Hidden, memory: Memory) -> Iterator[Made]:
    size = 0
    for wanted in request.wanted:
        if size > _MOST_BYTES:
            return
        journal = StoredJournal(history.folder / f"{wanted.table}.sqlite3")
        try:
            heads = journal.heads(wanted.match)
            stored = journal.match(heads[0]) if heads else None
        except StoreError as error:
            yield Made(wanted, trouble=str(error))
            continue
        if stored is None:
            yield Made(wanted, trouble=f"the match {wanted.match} is not there any more")
            continue
        made = _make(wanted, stored, request.bridge_id, hidden, memory.taken.get(wanted.key))
        size += sum(len(each.record) for each in made.offers)
        yield made


def _make(wanted: Wanted, stored: StoredMatch, bridge_id: str, hidden: Hidden, taken: Taken | None) -> Made:
    offer = LeagueOffer(
        v=1,
        match=stored.id,
        table=wanted.table,
        layout=wanted.layout,
        lines=len(stored.lines) + 1,
        sha256="",
        record="",
        begun_at=stored.at,
    )
    if wanted.by == "league":
        stored = stored._replace(header=hidden.hide(stored.header, stored.at))
        offer = replace(offer, bridge_id=bridge_id)
    elif wanted.ref is not None:
        offer = replace(offer, ref=wanted.ref)
    offers = split_offer(offer, _join(encode_record(stored)))
    sha256 = offers[0].sha256
    if taken is not None and taken.sha256 == sha256 and taken.answer != "not_taken":
        return Made(wanted, sha256, known=taken)
    return Made(wanted, sha256, offers)


def _join(lines: Iterable[bytes]) -> bytes:
    return b"".join(lines)
