"""Requests about finished matches and statistics."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from msgspec import Raw

from daemon.admin.answers import File, StillReading
from daemon.admin.requests.asked import Asked, Request


class _MatchSelection(Request, frozen=True):
    """Which matches count; None: all."""

    game: str | None = None
    since: str | None = None
    table: str | None = None


class _FiguresSelection(_MatchSelection, frozen=True):
    """Which players count; with `bots` "1" bots too."""

    bots: str | None = None


class ListFigures(_FiguresSelection, frozen=True):
    """The statistics of all players, one line for each: of `most` of them, from the place `first` on."""

    first: str = "0"
    most: str | None = None


class ReadFigures(_FiguresSelection, frozen=True):
    """All statistics of a player, game by game."""

    name: str = ""


class ReadHeadToHead(_MatchSelection, frozen=True):
    """How often each of two players has won against the other, game by game."""

    name: str = ""
    other: str = ""


class ReadLeague(Request, frozen=True):
    """The league of a month, such as 2026-11; without one, of this month."""

    month: str | None = None


class ReadRatings(Request, frozen=True):
    """The ratings in each game and variant, and the classes of the players; of all games, or of one.

    With `most`, each list has so many players, from the place `first` on, and only one list of ratings has players:
    that of the variant `game` by this `method`, without them the first one.
    """

    game: str | None = None
    method: str | None = None
    first: str = "0"
    most: str | None = None


class ReadHandicap(Request, frozen=True):
    """The start scores of X01 that are fair between two players; without a `game`, in the one that both play most."""

    name: str = ""
    other: str = ""
    game: str | None = None


class ListMatches(_MatchSelection, frozen=True):
    """The finished matches, latest first."""

    player: str | None = None
    before: str | None = None


LONGEST_STORY = timedelta(days=7, hours=2)
"""A week; where clocks are set back in it, that is an hour more."""


class ReadEvening(Request, frozen=True):
    """The finished matches of an evening in order, who played, what was achieved for the first time, and the records.

    `since` and `before` are moments, at most a week apart.
    """

    since: str | None = None
    before: str | None = None


class ReadWeek(Request, frozen=True):
    """What was played in a week such as 2026-W48; without one, in the seven days before the moment `before`, or now."""

    week: str | None = None
    before: str | None = None


class _OneMatch(Request, frozen=True):
    match: str
    """Its id."""


class ReadMatch(_OneMatch, frozen=True):
    """The result of a match, leg by leg."""


class ReadBest(_OneMatch, frozen=True):
    """The result of a match that a player played alone, and the best one of that player in the same game."""


class ReadSteps(_OneMatch, frozen=True):
    """The states of a match in order, from the state number `first` on."""

    first: str = "0"


class ReadRecord(_OneMatch, frozen=True):
    """The record of a match, as a file."""


class ReadNewTonResult(_OneMatch, frozen=True):
    """The result of a match that NewTon has handed over, as NewTon's QR code."""


class ReadGhost(_OneMatch, frozen=True):
    """The plan of a match against a leg of the player `name`: the one with the number `leg`, else the best one."""

    name: str = ""
    leg: str | None = None


FiguresRequest = (
    ListFigures
    | ReadFigures
    | ReadHeadToHead
    | ReadLeague
    | ReadRatings
    | ReadHandicap
    | ListMatches
    | ReadEvening
    | ReadWeek
    | ReadMatch
    | ReadBest
    | ReadSteps
    | ReadRecord
    | ReadGhost
    | ReadNewTonResult
)
HISTORY: Mapping[type[Request], Asked] = {
    ListFigures: Asked("look", "GET /api/stats", command="stats", answer=Raw | StillReading),
    ReadFigures: Asked("look", "GET /api/stats/player", command="stats", answer=Raw | StillReading),
    ReadHeadToHead: Asked("look", "GET /api/stats/head_to_head", command="stats", answer=Raw | StillReading),
    ReadLeague: Asked("look", "GET /api/stats/league", answer=Raw | StillReading),
    ReadRatings: Asked("look", "GET /api/stats/ratings", command="stats", answer=Raw | StillReading),
    ReadHandicap: Asked("look", "GET /api/stats/handicap", command="stats", answer=Raw | StillReading),
    ListMatches: Asked("look", "GET /api/matches", command="history list", answer=Raw | StillReading),
    ReadEvening: Asked("look", "GET /api/evening", answer=Raw | StillReading),
    ReadWeek: Asked("look", "GET /api/stats/week", answer=Raw | StillReading),
    ReadMatch: Asked("look", "GET /api/match/{match}", command="history show", answer=Raw),
    ReadBest: Asked("look", "GET /api/match/{match}/best", answer=Raw | StillReading),
    ReadSteps: Asked("look", "GET /api/match/{match}/steps", answer=Raw),
    ReadGhost: Asked("look", "GET /api/match/{match}/ghost", answer=Raw),
    ReadNewTonResult: Asked("look", "GET /api/match/{match}/newton", answer=Raw),
    ReadRecord: Asked("look", "GET /api/match/{match}/record", command="history export", answer=File),
}
