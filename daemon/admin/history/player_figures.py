"""Players and their figures, for the command line and the page: who played which matches, and what that comes to.

A player has one name or several (admin/players/names.py), and is shown by the present one; of two spellings of it, by
the one written last. Games are told apart by their rules (the variant), so a best leg of 301 is not one of 501. Bots
are left out unless asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from daemon.admin.history.played_matches import PlayedMatch
from daemon.admin.players.names import NO_NAMES, PlayerNames, is_neutral_name
from daemon.journal.errors import StoreError
from daemon.journal.stored import StoredJournal, find_journals
from engine.badges import BadgeProgress
from engine.game import Better
from engine.games import GAMES, PRESETS
from engine.played import PlayerPart
from engine.statistics import Figures, collect_figures
from engine.tally import Figure, Tally, pool_tallies
from protocol.match_spec import Unreadable, read_header
from protocol.player_names import name_key

WINDOW = 5
"""How many matches are pooled for one point of a trend line."""
_POINTS = 100
"""How many matches are on a trend line, the latest."""
_MOST_RECENT = 60
_MATCHES = 500
"""The latest so many of each table are looked at: a league night has fewer, and they are read in milliseconds."""


class Selection(NamedTuple):
    """Which matches count: of a game, since a moment, at a table.

    `game` is the id of a game, which has all its variants; or a variant; or a title.
    """

    game: str | None = None
    since: datetime | None = None
    table: str | None = None
    with_bots: bool = False

    def has(self, match: PlayedMatch) -> bool:
        """Whether this match counts."""
        if self.table is not None and match.table != self.table:
            return False
        if self.since is not None and datetime.fromisoformat(match.at) < self.since:
            return False
        return self.game is None or _is_of_game(match, self.game.casefold())


class Appearance(NamedTuple):
    """A player's part in a match."""

    match: PlayedMatch
    part: PlayerPart


class Totals(NamedTuple):
    """What appearances come to: matches, each counted once however many seats a player had, and the pooled tally."""

    matches: int
    stopped: int
    won: int
    tally: Tally


def sum_up(appearances: list[Appearance]) -> Totals:
    """The totals of these appearances."""
    return Totals(
        matches=len({match.id for match, _ in appearances}),
        stopped=len({match.id for match, _ in appearances if match.was_stopped}),
        won=len({match.id for match, part in appearances if part.won}),
        tally=pool_tallies(part.tally for _, part in appearances),
    )


def collect_appearances(
    matches: Iterable[PlayedMatch], selection: Selection, names: PlayerNames = NO_NAMES
) -> dict[str, list[Appearance]]:
    """The appearances in the selected matches, oldest first, by the player's name key.

    A match in which one person plays twice has none.
    """
    found: dict[str, list[Appearance]] = {}
    counted = (match for match in matches if selection.has(match) and not match.has_player_twice)
    for match in sorted(counted, key=lambda match: match.at):
        for part in match.parts:
            if selection.with_bots if part.is_bot else names.is_counted(part.player):
                found.setdefault(name_key(part.player), []).append(Appearance(match, part))
    return found


def group_by_variant(appearances: list[Appearance]) -> list[list[Appearance]]:
    """The appearances in each variant, the one played most first."""
    found: dict[str, list[Appearance]] = {}
    for appearance in appearances:
        found.setdefault(appearance.match.variant, []).append(appearance)
    return sorted(found.values(), key=len, reverse=True)


def choose_main_figure(appearance: Appearance) -> Figure:
    """The figure by which players of this game are compared."""
    return appearance.match.figure


def pool_figures(appearances: list[Appearance]) -> Figures:
    """The pooled figures of these appearances, which are all in one game."""
    return collect_figures(sum_up(appearances).tally, choose_main_figure(appearances[0]))


def find_bests(matches: Iterable[PlayedMatch], match_id: str, names: PlayerNames) -> list[int]:
    """The seats of those for whom the result of this match is better than all they had before in its variant."""
    found = [*matches]
    match = next((each for each in found if each.id == match_id), None)
    if match is None or not any(part.better for part in match.parts):
        return []
    of_variant = collect_appearances((each for each in found if each.variant == match.variant), Selection(), names)
    bests = []
    for seat, part in enumerate(match.parts):  # with a result, all who play have a part
        _, _, results = list_results(of_variant.get(name_key(part.player), []))
        if any(result.match == match_id and result.is_best for result in results):
            bests.append(seat)
    return bests


def compare_result(
    matches: Iterable[PlayedMatch], match_id: str, names: PlayerNames
) -> tuple[Result | None, Result | None]:
    """The result of a match that a player played alone, and the best of all that player's results in its variant.

    None, None where it has no result that is compared with others.
    """
    found = [*matches]
    match = next((each for each in found if each.id == match_id), None)
    if match is None or len(match.players) != 1 or not any(part.better for part in match.parts):
        return None, None
    of_variant = collect_appearances((each for each in found if each.variant == match.variant), Selection(), names)
    _, best, results = list_results(of_variant.get(name_key(match.parts[0].player), []))
    mine = next((each for each in results if each.match == match_id), None)
    return mine, best if mine else None


def start_of_day(day: date) -> datetime:
    """When that day begins in the local time zone."""
    midnight = datetime.combine(day, time())
    try:
        return midnight.astimezone()
    except (OverflowError, ValueError):  # the first and the last days of the calendar have no local time
        return midnight.replace(tzinfo=UTC)


def _is_of_game(match: PlayedMatch, wanted: str) -> bool:
    if wanted in PRESETS:
        return match.variant == wanted
    if wanted in GAMES:
        return match.game == wanted
    return wanted in (match.variant.casefold(), match.title.casefold())


class PlayerSummary(Struct, frozen=True):
    """A player in one line: matches (stopped ones included), wins, legs, darts, and the game played most."""

    name: str
    is_bot: bool
    matches: int
    stopped: int
    won: int
    legs_won: int
    legs: int
    darts: int
    last: str
    label: str
    figure: Figure
    """Which figure `value` is, in the game played most."""
    value: float | None
    value_darts: int
    """How many darts `value` is of."""
    high_finish: int | None
    """The highest finish in any game."""


class Point(Struct, frozen=True):
    """A match on a trend line: its figure, and that of WINDOW matches pooled. Those that were stopped are on none."""

    match: str
    at: str
    table: str
    won: bool | None
    value: float
    pooled: float


class Month(Struct, frozen=True):
    """A month (2026-11) on a trend line, without matches that were stopped."""

    month: str
    matches: int
    value: float


class Result(Struct, frozen=True):
    """What a player has come to in a match of a game whose results are compared over time."""

    match: str
    at: str
    table: str
    value: int
    is_best: bool
    """Whether it was better than all before it; not the first."""


class GameReport(Struct, frozen=True):
    """A player's figures in one variant of a game, which is shown by its `label`. `figure` is what the trend shows.

    `results` are the latest, oldest first, where the game compares results over time; then `better` says which are the
    better ones, and `best` is the best of all. `best_match` is the match of the best leg, else that of the best result:
    one can play against it.
    """

    game: str
    variant: str
    title: str
    label: str
    face: str
    matches: int
    stopped: int
    won: int
    figures: Figures
    figure: Figure
    trend: tuple[Point, ...]
    months: tuple[Month, ...]
    better: Better | None = None
    best: Result | None = None
    results: tuple[Result, ...] = ()
    best_match: str | None = None


class PlayerReport(Struct, frozen=True):
    """All that is known of a player. `games` begin with the one played most; `badges` are of all matches ever."""

    name: str
    is_bot: bool
    matches: int
    stopped: int
    won: int
    last: str
    games: tuple[GameReport, ...]
    badges: tuple[BadgeProgress, ...]


def rank_players(by_player: Mapping[str, list[Appearance]]) -> list[PlayerSummary]:
    """A summary of each player, the one with the most matches first."""
    found = [_summarize(appearances) for appearances in by_player.values()]
    return sorted(found, key=lambda each: (-each.matches, -each.darts, each.name))


def report_player(appearances: list[Appearance], badges: tuple[BadgeProgress, ...] = ()) -> PlayerReport:
    """The report on the player of these appearances, with these badges."""
    last, totals = appearances[-1], sum_up(appearances)
    return PlayerReport(
        name=last.part.player,
        is_bot=last.part.is_bot,
        matches=totals.matches,
        stopped=totals.stopped,
        won=totals.won,
        last=last.match.at,
        games=tuple(map(_report_game, group_by_variant(appearances))),
        badges=badges,
    )


def _summarize(appearances: list[Appearance]) -> PlayerSummary:
    last, most, totals = appearances[-1], group_by_variant(appearances)[0], sum_up(appearances)
    won, played = collect_figures(totals.tally).legs or (0, 0)
    figure = choose_main_figure(most[-1])
    return PlayerSummary(
        name=last.part.player,
        is_bot=last.part.is_bot,
        matches=totals.matches,
        stopped=totals.stopped,
        won=totals.won,
        legs_won=won,
        legs=played,
        darts=totals.tally.darts,
        last=last.match.at,
        label=most[-1].match.label,
        figure=figure,
        value=pool_figures(most).value(figure),
        value_darts=sum_up(most).tally.darts,
        high_finish=totals.tally.highs.get("finish"),
    )


def _report_game(appearances: list[Appearance]) -> GameReport:
    match, totals = appearances[-1].match, sum_up(appearances)
    better, best, results = list_results(appearances)
    figures = pool_figures(appearances)
    of_best_leg = (each.id for each, part in appearances if part.tally.lows.get("leg") == figures.best_leg is not None)
    return GameReport(
        game=match.game,
        variant=match.variant,
        title=match.title,
        label=match.label,
        face=match.layout,
        matches=totals.matches,
        stopped=totals.stopped,
        won=totals.won,
        figures=figures,
        figure=choose_main_figure(appearances[-1]),
        trend=_list_trend_points(appearances),
        months=_group_by_month([each for each in appearances if not each.match.was_stopped]),
        better=better,
        best=best,
        results=results[-_POINTS:],
        best_match=next(of_best_leg, best.match if best else None),
    )


def list_results(appearances: list[Appearance]) -> tuple[Better | None, Result | None, tuple[Result, ...]]:
    """Which results are the better ones in this variant, the best one (of equal ones the first), and all in order."""
    better: Better | None = None
    best: Result | None = None
    results: list[Result] = []
    for match, part in appearances:
        if part.result is None or part.better is None:
            continue
        better = part.better
        beats = best is None or (part.result > best.value if better == "high" else part.result < best.value)
        result = Result(match.id, match.at, match.table, part.result, is_best=beats and best is not None)
        results.append(result)
        best = result if beats else best
    return better, best, tuple(results)


def _list_trend_points(appearances: list[Appearance]) -> tuple[Point, ...]:
    thrown = [each for each in appearances if each.part.tally.darts and not each.match.was_stopped]
    points = []
    for place, (match, part) in list(enumerate(thrown))[-_POINTS:]:
        value = _compute_main_value([thrown[place]])
        recent = _compute_main_value(thrown[max(0, place + 1 - WINDOW) : place + 1])
        if value is not None and recent is not None:
            points.append(Point(match.id, match.at, match.table, part.won, value, recent))
    return tuple(points)


def _group_by_month(appearances: list[Appearance]) -> tuple[Month, ...]:
    found: dict[str, list[Appearance]] = {}
    for appearance in appearances:
        month = f"{datetime.fromisoformat(appearance.match.at).astimezone():%Y-%m}"
        found.setdefault(month, []).append(appearance)
    pairs = [(month, each, _compute_main_value(each)) for month, each in found.items()]
    return tuple(Month(month, len(each), value) for month, each, value in pairs if value is not None)


def _compute_main_value(appearances: list[Appearance]) -> float | None:
    return pool_figures(appearances).value(choose_main_figure(appearances[0]))


class RecentPlayer(Struct, frozen=True):
    """A person who has played: the present name, and when the latest match began (ISO 8601, UTC)."""

    name: str
    last: str


def list_recent_players(folder: Path, names: PlayerNames) -> list[RecentPlayer]:
    """The people in the headers of the journals of this folder, the latest first. Reads the disk. Raises UserError."""
    found: dict[str, RecentPlayer] = {}
    for journal in find_journals(folder):
        with suppress(StoreError):  # the statistics tell of a damaged one
            for recorded in _list_players(journal, _MATCHES):
                player = replace(recorded, name=names.get(recorded.name))
                known = found.get(name_key(player.name))
                if not is_neutral_name(player.name) and (known is None or player.last > known.last):
                    found[name_key(player.name)] = player
    return sorted(found.values(), key=lambda player: player.last, reverse=True)[:_MOST_RECENT]


def list_recorded_names(folder: Path) -> list[str]:
    """All names of people in the headers of the journals of this folder. Raises as `list_recent_players` does."""
    found: dict[str, str] = {}
    for journal in find_journals(folder):
        with suppress(StoreError):  # as above
            for player in _list_players(journal):
                found.setdefault(name_key(player.name), player.name)
    return [*found.values()]


def _list_players(journal: StoredJournal, most: int = -1) -> Iterator[RecentPlayer]:
    """Yields the people of its latest matches, of all without `most`, by their names there; some more than once."""
    for begun_at, written in journal.headers(most):
        with suppress(Unreadable):
            header = read_header(written)
            for seat, name in enumerate(header.players):
                if header.bot(seat) is None:
                    yield RecentPlayer(name, begun_at)
