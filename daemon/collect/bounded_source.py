"""The history of a league as its pages ask for it: in bounded answers, of all matches or of those of a season."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from daemon.admin.history.digest import Shown, digest_matches
from daemon.admin.history.head_to_head import find_duel
from daemon.admin.history.league import MonthBook, add_up_month, find_bounds, month_of
from daemon.admin.history.played_matches import PlayedMatch
from daemon.admin.history.player_figures import PlayerSummary, Selection, collect_appearances, rank_players
from daemon.admin.history.ratings import RatingBook, add_up
from daemon.admin.history.source import EVERYBODY, Wanted
from daemon.admin.players.names import NO_NAMES
from daemon.collect.postgres_source import Connect, PostgresSource, Scope
from daemon.errors import UserError
from protocol.player_names import name_key

_MOST_MATCHES = 20_000


class BoundedSource(PostgresSource):
    """A source that has nobody wait for, and no memory full of, the matches of a whole large league."""

    def select(self, wanted: Wanted) -> Sequence[PlayedMatch]:
        """As HistorySource has it. Raises UserError for more matches than one answer is made of."""
        if wanted.latest is not None or wanted.first is not None:
            return super().select(wanted)
        found = super().select(wanted._replace(first=_MOST_MATCHES + 1))
        if len(found) > _MOST_MATCHES:
            raise UserError("these are too many matches for one answer: choose a place, a season or a shorter time")
        return found


class SeasonSource(BoundedSource):
    """A source of the matches of these ids alone, so few that each answer is made of all of them."""

    def __init__(self, connect: Connect, scope: Scope, matches: frozenset[str], *, show_places: bool = True) -> None:
        super().__init__(connect, scope, show_places=show_places)
        self._matches = matches

    def select(self, wanted: Wanted) -> Sequence[PlayedMatch]:
        """As HistorySource has it."""
        matches = self._matches if wanted.matches is None else self._matches.intersection(wanted.matches)
        of_season = wanted._replace(players=EVERYBODY, together=False, matches=matches, latest=None, first=None)
        found = [match for match in super().select(of_season) if _has_players(match, wanted)]
        if wanted.latest is not None:
            return found[max(0, len(found) - wanted.latest) :]
        return found[: wanted.first]

    def rank_players(self, selection: Selection) -> list[PlayerSummary]:
        """As HistorySource has it."""
        return rank_players(collect_appearances(self.select(Wanted()), selection, NO_NAMES))

    def rate_players(self) -> tuple[RatingBook, Shown]:
        """As HistorySource has it."""
        digests, shown = digest_matches(self.select(Wanted()), NO_NAMES)
        return add_up(digests), shown

    def add_up_month(self, month: str) -> tuple[MonthBook, Shown]:
        """As HistorySource has it."""
        since, before = find_bounds(month)
        digests, shown = digest_matches(self.select(Wanted(since=since, before=before)), NO_NAMES)
        return add_up_month(digests, month), shown

    def list_months(self) -> Iterator[str]:
        """As HistorySource has it."""
        duels = (match for match in reversed(self.select(Wanted())) if find_duel(match, NO_NAMES) is not None)
        months = (month_of(datetime.fromisoformat(match.at).astimezone()) for match in duels)
        yield from dict.fromkeys(months)


def _has_players(match: PlayedMatch, wanted: Wanted) -> bool:
    keys = {*map(name_key, match.players)} if wanted.players else set()
    return wanted.players <= keys if wanted.together else not wanted.players or not keys.isdisjoint(wanted.players)
