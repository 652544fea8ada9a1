"""What answers requests about the history, with JSON that is ready to be sent.

The daemon has its reader in a process of its own, which is made by daemon/admin/worker.py.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Raw

from daemon.admin import process, requests
from daemon.admin.answers import File, Refused
from daemon.admin.history import earned, player_figures
from daemon.admin.history.evening import tell_evening
from daemon.admin.history.forget import Forgotten, forget_player
from daemon.admin.history.habits import find_habits
from daemon.admin.history.handicap import find_handicap
from daemon.admin.history.head_to_head import compare_players
from daemon.admin.history.history import History
from daemon.admin.history.journal_source import JournalSource
from daemon.admin.history.league import MOST_MONTHS, make_league, month_of
from daemon.admin.history.listing import MatchFilter, list_match
from daemon.admin.history.match_report import MatchReader
from daemon.admin.history.played_matches import PlayedMatch
from daemon.admin.history.player_figures import Selection, collect_appearances
from daemon.admin.history.ratings import tell_ratings
from daemon.admin.history.source import HistorySource, Wanted
from daemon.admin.history.text import explain_missing
from daemon.admin.history.wanted import (
    read_compared,
    read_evening,
    read_filter,
    read_first,
    read_league_month,
    read_leg,
    read_pair,
    read_piece,
    read_selection,
    read_week,
)
from daemon.admin.history.week import sum_up_week
from daemon.admin.players.names import PlayerNames
from daemon.errors import to_user_error
from daemon.journal.errors import StoreError
from daemon.release import read_version
from daemon.web.qr_code import draw_qr_code
from protocol.player_names import name_key
from protocol.segment import Layout

T = TypeVar("T")
_PROGRESS_S = 0.1
_LISTED = 50
"""Matches in one answer."""
Progress = tuple[int, int]


class HistoryReader:
    """What answers each request about the history of a daemon; it remembers what it has read."""

    def __init__(self, folder: Path, layouts: Mapping[str, Layout]) -> None:
        self._history = History(folder, layouts, read_version())
        self._source = JournalSource(self._history)
        self._answers = FiguresReader(self._source)

    def answer(self, request: process.HistoryRequest, tell: Callable[[Progress], None]) -> object:
        """Returns the answer. `tell` is called with how far a reading is. Raises Refused and UserError."""
        match request:
            case process.ReadHistory():
                self._read(tell)
            case process.CountMatch(table, match):
                return self._count_match(table, match)
            case process.FindEarned(table, match, told):
                self._read(tell)
                ends = self._history.read_ends(table, match, told) if told else []
                return earned.find_earned(self._source.list_matches(), match, self._history.names, ends)
            case process.FindScatters():
                from daemon.admin.history.scatters import find_scatters  # noqa: PLC0415  asked once where none is known

                return find_scatters(self._source.list_matches(), self._history.names)
            case process.ForgetMatches(keys, is_dry_run, tables):
                return self._forget_player(keys, is_dry_run, tables)
            case process.FindRecords() | process.ReadRecords():
                from daemon.admin.history.offered import answer_offers  # noqa: PLC0415  only where something is offered

                return answer_offers(request, self._history)
            case _:
                return self._answers.answer(request)
        return None

    def _read(self, tell: Callable[[Progress], None]) -> None:
        told_s = time.monotonic()

        def count(_: PlayedMatch) -> None:
            nonlocal told_s
            if time.monotonic() >= told_s + _PROGRESS_S:
                told_s = time.monotonic()
                tell(self._history.progress)

        self._source.read(count)

    def _count_match(self, table: str, match: str) -> bool:
        """Caches what this match comes to; returns whether it can be read."""
        return self._history.write_figures(table, match) is not None

    def _forget_player(self, keys: Collection[str], is_dry_run: bool, tables: Collection[str]) -> Forgotten:
        with to_user_error(StoreError):
            found = forget_player(self._history.folder, keys, is_dry_run=is_dry_run, tables=tables)
        self._source.forget()
        self._answers = FiguresReader(self._source)
        return found


class FiguresReader:
    """What answers the requests of clients, from the journals of a daemon or from the database of a league."""

    def __init__(self, source: HistorySource) -> None:
        self._source = source
        self._reader = MatchReader(source)

    def answer(self, request: requests.FiguresRequest) -> Raw | File:
        """Returns the answer. Raises Refused and UserError."""
        match request:
            case requests.ListFigures():
                return self._list_players(read_selection(request), read_piece(request))
            case requests.ReadFigures(name=name):
                return self._describe_player(name, read_selection(request))
            case requests.ReadHeadToHead():
                return self._compare_players(*read_compared(request))
            case requests.ReadRatings():
                return self._rate_players(request)
            case requests.ReadHandicap(game=game):
                return self._find_handicap(read_pair(request), game)
            case requests.ReadLeague():
                return self._make_league(read_league_month(request))
            case requests.ListMatches(game=game):
                return self._list_matches(game, read_filter(request))
            case requests.ReadEvening():
                return self._tell_evening(*read_evening(request))
            case requests.ReadWeek():
                return self._sum_up_week(*read_week(request))
            case _:
                return self._answer_on_match(request)

    def _answer_on_match(
        self,
        request: requests.ReadMatch
        | requests.ReadBest
        | requests.ReadSteps
        | requests.ReadRecord
        | requests.ReadGhost
        | requests.ReadNewTonResult,
    ) -> Raw | File:
        match request:
            case requests.ReadNewTonResult(match):
                return self._write_for_newton(match)
            case requests.ReadBest(match):
                return self._find_best(match)
            case requests.ReadMatch(match):
                return self._describe_match(match)
            case requests.ReadSteps(match):
                return self._list_steps(match, read_first(request))
            case requests.ReadRecord(match):
                return self._read_record(match)
            case requests.ReadGhost(match, name):
                return self._plan_ghost(match, name, read_leg(request))

    def _list_players(self, selection: Selection, piece: slice) -> Raw:
        """A line for each player, and how many matches and journals could not be read."""
        return _encode(players=self._source.rank_players(selection)[piece], unread=self._source.count_unread())

    def _describe_player(self, name: str, selection: Selection) -> Raw:
        if not name:
            raise Refused("unknown", "name the player, as in ?name=Ann")
        names = self._source.read_names(name)
        shown = names.get(name)
        key = name_key(shown)
        matches = self._source.select(Wanted(frozenset({key})))
        appearances = collect_appearances(matches, selection, names).get(key)
        if appearances is None:
            people = self._source.list_people()
            raise Refused("unknown", explain_missing(shown, selection, matches, names, people, with_bots="bots=1"))
        report = player_figures.report_player(appearances, earned.list_badges(matches, shown, names))
        everything = collect_appearances(matches, Selection(with_bots=report.is_bot), names)[key]
        goals = () if report.is_bot else self._source.list_goals(shown)
        habits = find_habits(everything, goals, datetime.now().astimezone().date())
        return _encode(**msgspec.to_builtins(report), **msgspec.to_builtins(habits))

    def _compare_players(self, pair: tuple[str, str], selection: Selection) -> Raw:
        names, keys = self._find_pair(pair)
        matches = self._source.select(
            Wanted(keys, together=True, game=selection.game, table=selection.table, since=selection.since)
        )
        return _encode(**msgspec.to_builtins(compare_players(matches, pair, selection, names)))

    def _find_pair(self, pair: tuple[str, str]) -> tuple[PlayerNames, frozenset[str]]:
        """Returns the present names and keys of these two. Raises Refused where they are one player."""
        names = self._source.read_names(*pair)
        if names.is_same(*pair):
            raise Refused("invalid", "these are two names of one player: name two players")
        return names, frozenset(name_key(names.get(each)) for each in pair)

    def _rate_players(self, request: requests.ReadRatings) -> Raw:
        piece = read_piece(request)
        book, shown = self._source.rate_players()
        today = datetime.now().astimezone().date()
        rated = tell_ratings(book, shown, request.game, today, method=request.method, piece=piece)
        return _encode(games=rated.games, players=rated.players, tables=rated.tables)

    def _find_handicap(self, pair: tuple[str, str], game: str | None) -> Raw:
        names, keys = self._find_pair(pair)
        found = find_handicap(self._source.select(Wanted(keys)), pair, game, names, self._reader.list_throws)
        return _encode(**msgspec.to_builtins(found))

    def _make_league(self, month: str | None) -> Raw:
        this_month = month_of(datetime.now().astimezone())
        month = month or this_month
        book, shown = self._source.add_up_month(month)
        league = make_league(book, shown, month, {*islice(self._source.list_months(), MOST_MONTHS), this_month})
        return _encode(**msgspec.to_builtins(league))

    def _list_matches(self, game: str | None, wanted: MatchFilter) -> Raw:
        """The latest of these matches, and whether there are more before them."""
        keys = frozenset[str]()
        if wanted.player is not None:
            keys = frozenset({name_key(self._source.read_names(wanted.player).get(wanted.player))})
        found = self._source.select(
            Wanted(keys, game=game, table=wanted.table, since=wanted.since, before=wanted.before, latest=_LISTED + 1)
        )
        latest = sorted(map(list_match, found), key=lambda each: each.at, reverse=True)
        return _encode(matches=latest[:_LISTED], more=len(latest) > _LISTED)

    def _tell_evening(self, since: datetime, before: datetime) -> Raw:
        found = tell_evening(self._list_of_evening(since, before), since, before, self._source.read_names())
        return _encode(**msgspec.to_builtins(found))

    def _sum_up_week(self, since: datetime, before: datetime) -> Raw:
        found = sum_up_week(self._list_of_evening(since, before), since, before, self._source.read_names())
        return _encode(**msgspec.to_builtins(found))

    def _list_of_evening(self, since: datetime, before: datetime) -> list[PlayedMatch]:
        """What its story is told from: all that its players have played until then, and the matches around it."""
        source = self._source
        played = source.select(Wanted(since=since, before=before))
        keys = self._list_keys(played)
        found = [
            *played,
            *source.select(Wanted(before=since, latest=1)),
            *source.select(Wanted(since=before, first=1)),
            *(source.select(Wanted(keys, before=since)) if keys else ()),
        ]
        return [*{(match.table, match.id): match for match in found}.values()]

    def _list_keys(self, matches: Iterable[PlayedMatch]) -> frozenset[str]:
        """The keys of the people who have a part in these matches that counts."""
        names = self._source.read_names()
        parts = (part for match in matches for part in match.parts)
        return frozenset(name_key(part.player) for part in parts if not part.is_bot and names.is_counted(part.player))

    def _find_best(self, match: str) -> Raw:
        found = self._source.select(Wanted(matches=(match,)))
        keys = self._list_keys(found)
        matches = self._source.select(Wanted(keys)) if keys else ()
        result, best = player_figures.compare_result(matches, match, self._source.read_names())
        return _encode(result=result, best=best)

    def _describe_match(self, match: str) -> Raw:
        return _encode(**msgspec.to_builtins(_find(self._reader.describe(match))))

    def _list_steps(self, match: str, first: int) -> Raw:
        return _encode(first=first, steps=_find(self._reader.list_steps(match, first)))

    def _plan_ghost(self, match: str, name: str, leg: int | None) -> Raw:
        return _encode(**msgspec.to_builtins(_find(self._reader.plan_ghost(match, name, leg))))

    def _write_for_newton(self, match: str) -> Raw:
        text = _find(self._reader.write_for_newton(match))
        return _encode(text=text, qr=draw_qr_code(text))

    def _read_record(self, match: str) -> File:
        name, record = _find(self._reader.read_record(match))
        return File(name, "application/x-ndjson", record, secret=False)


def _find(found: T | None) -> T:
    """Returns what was found of a match. Raises Refused where no match of its id is over."""
    if found is None:
        raise Refused("unknown", "there is no finished match with this id")
    return found


def _encode(**told: object) -> Raw:
    return Raw(msgspec.json.encode({"v": 1, **told}))
