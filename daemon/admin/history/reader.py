"""The reader of the history: it reads and replays matches, and answers with JSON that is ready to be sent.

The daemon has it in a process of its own, which is made by daemon/admin/worker.py.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Raw

from daemon.admin import process, requests
from daemon.admin.answers import File, Refused
from daemon.admin.history import earned, player_figures
from daemon.admin.history.evening import tell_evening
from daemon.admin.history.forget import Forgotten, forget_player
from daemon.admin.history.habits import Habits, find_habits
from daemon.admin.history.head_to_head import compare_players
from daemon.admin.history.league import make_league, month_of
from daemon.admin.history.listing import MatchFilter, list_match
from daemon.admin.history.match_report import MatchReader
from daemon.admin.history.played_matches import History, PlayedMatch
from daemon.admin.history.text import explain_missing
from daemon.admin.history.wanted import (
    read_evening,
    read_filter,
    read_first,
    read_league_month,
    read_leg,
    read_pair,
    read_selection,
    read_week,
)
from daemon.admin.history.week import sum_up_week
from daemon.admin.players.book import PlayerBook
from daemon.errors import to_user_error
from daemon.journal.errors import StoreError
from daemon.release import read_version
from protocol.player_names import name_key
from protocol.segment import Layout

T = TypeVar("T")
_PROGRESS_S = 0.1
_LISTED = 50
"""Matches in one answer."""
Progress = tuple[int, int]


class HistoryReader:
    """What answers each request about the history; it remembers what it has read."""

    def __init__(self, folder: Path, layouts: Mapping[str, Layout]) -> None:
        self._history = History(folder, layouts, read_version())
        self._reader = MatchReader(self._history)
        self._matches: list[PlayedMatch] | None = None

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
                return earned.find_earned(self._counted(), match, self._history.names, ends)
            case process.ForgetMatches(keys, is_dry_run, tables):
                return self._forget_player(keys, is_dry_run, tables)
            case _:
                return self._answer_client(request)
        return None

    def _answer_client(self, request: requests.FiguresRequest) -> Raw | File:
        match request:
            case requests.ListFigures():
                return self._list_players(read_selection(request))
            case requests.ReadFigures(name=name):
                return self._describe_player(name, read_selection(request))
            case requests.ReadHeadToHead():
                return self._compare_players(*read_pair(request))
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
        request: requests.ReadMatch | requests.ReadBest | requests.ReadSteps | requests.ReadRecord | requests.ReadGhost,
    ) -> Raw | File:
        match request:
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

    def _read(self, tell: Callable[[Progress], None] = lambda _: None) -> None:
        told_s, found = time.monotonic(), []
        for match in self._history.counted_matches():
            found.append(match)
            if time.monotonic() >= told_s + _PROGRESS_S:
                told_s = time.monotonic()
                tell(self._history.progress)
        self._matches = found

    def _list_players(self, selection: player_figures.Selection) -> Raw:
        """A line for each player, and how many matches and journals could not be read."""
        return _encode(
            players=player_figures.rank_players(self._collect(selection)), unread=len(self._history.problems)
        )

    def _describe_player(self, name: str, selection: player_figures.Selection) -> Raw:
        if not name:
            raise Refused("unknown", "name the player, as in ?name=Ann")
        shown = self._history.names.get(name)
        appearances = self._collect(selection).get(name_key(shown))
        if appearances is None:
            matches, names = self._counted(), self._history.names
            raise Refused("unknown", explain_missing(shown, selection, matches, names, with_bots="bots=1"))
        badges = earned.list_badges(self._counted(), shown, self._history.names)
        report = player_figures.report_player(appearances, badges)
        return _encode(**msgspec.to_builtins(report), **msgspec.to_builtins(self._find_habits(shown, report.is_bot)))

    def _find_habits(self, name: str, is_bot: bool) -> Habits:
        """Which are of all matches, whatever was selected."""
        everything = player_figures.Selection(with_bots=is_bot)
        player = None if is_bot else PlayerBook(self._history.folder).find(name)
        today = datetime.now().astimezone().date()
        return find_habits(self._collect(everything)[name_key(name)], player.profile.goals if player else (), today)

    def _compare_players(self, pair: tuple[str, str], selection: player_figures.Selection) -> Raw:
        matches, names = self._counted(), self._history.names
        if names.is_same(*pair):
            raise Refused("invalid", "these are two names of one player: name two players")
        return _encode(**msgspec.to_builtins(compare_players(matches, pair, selection, names)))

    def _make_league(self, month: str | None) -> Raw:
        this_month = month_of(datetime.now().astimezone())
        league = make_league(self._counted(), month or this_month, this_month, self._history.names)
        return _encode(**msgspec.to_builtins(league))

    def _list_matches(self, game: str | None, wanted: MatchFilter) -> Raw:
        """The latest of these matches, and whether there are more before them."""
        selection = player_figures.Selection(game)
        if wanted.player is not None:
            wanted = wanted._replace(player=self._history.names.get(wanted.player))
        found = [each for match in self._counted() if selection.has(match) and wanted.has(each := list_match(match))]
        latest = sorted(found, key=lambda each: each.at, reverse=True)[:_LISTED]
        return _encode(matches=latest, more=len(found) > len(latest))

    def _tell_evening(self, since: datetime, before: datetime) -> Raw:
        found = tell_evening(self._counted(), since, before, self._history.names)
        return _encode(**msgspec.to_builtins(found))

    def _sum_up_week(self, since: datetime, before: datetime) -> Raw:
        return _encode(**msgspec.to_builtins(sum_up_week(self._counted(), since, before, self._history.names)))

    def _find_best(self, match: str) -> Raw:
        result, best = player_figures.compare_result(self._counted(), match, self._history.names)
        return _encode(result=result, best=best)

    def _describe_match(self, match: str) -> Raw:
        return _encode(**msgspec.to_builtins(_find(self._reader.describe(match))))

    def _list_steps(self, match: str, first: int) -> Raw:
        return _encode(first=first, steps=_find(self._reader.list_steps(match, first)))

    def _plan_ghost(self, match: str, name: str, leg: int | None) -> Raw:
        return _encode(**msgspec.to_builtins(_find(self._reader.plan_ghost(match, name, leg))))

    def _read_record(self, match: str) -> File:
        name, record = _find(self._reader.read_record(match))
        return File(name, "application/x-ndjson", record, secret=False)

    def _count_match(self, table: str, match: str) -> bool:
        """Caches what this match comes to; returns whether it can be read."""
        return self._history.write_figures(table, match) is not None

    def _forget_player(self, keys: Collection[str], is_dry_run: bool, tables: Collection[str]) -> Forgotten:
        with to_user_error(StoreError):
            found = forget_player(self._history.folder, keys, is_dry_run=is_dry_run, tables=tables)
        self._matches = None
        self._reader = MatchReader(self._history)
        return found

    def _collect(self, selection: player_figures.Selection) -> dict[str, list[player_figures.Appearance]]:
        return player_figures.collect_appearances(self._counted(), selection, self._history.names)

    def _counted(self) -> list[PlayedMatch]:
        if self._matches is None:
            self._read()
        return self._matches or []


def _find(found: T | None) -> T:
    """Returns what was found of a match. Raises Refused where no match of its id is over."""
    if found is None:
        raise Refused("unknown", "there is no finished match with this id")
    return found


def _encode(**told: object) -> Raw:
    return Raw(msgspec.json.encode({"v": 1, **told}))
