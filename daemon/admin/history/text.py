"""Players, their figures, and matches as text for terminals."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from daemon.admin.history.handicap import Handicap
from daemon.admin.history.head_to_head import Balance, HeadToHead
from daemon.admin.history.known_players import KnownPlayer
from daemon.admin.history.listing import ListedMatch
from daemon.admin.history.played_matches import PlayedMatch
from daemon.admin.history.player_figures import (
    WINDOW,
    GameReport,
    PlayerReport,
    PlayerSummary,
    Point,
    Selection,
    collect_appearances,
)
from daemon.admin.history.ratings import RatedGame, Ratings
from daemon.admin.players.names import PlayerNames
from engine.badges import BADGES, TIERS, BadgeProgress
from engine.scatter import MeasuredPoints, Scatter
from engine.statistics import Figures
from protocol.player_names import name_key
from protocol.spelling import suggest_nearest

_BARS = "▁▂▃▄▅▆▇█"
_TREND = 20
_BEDS = 10
_TARGETS = 8
_LATEST = 5
_NEAREST = 5
_WIDTH = 24
_NAMES = {"average": "average", "mpr": "MPR"}


def explain_missing(
    name: str,
    selection: Selection,
    matches: Collection[PlayedMatch],
    names: PlayerNames,
    people: Iterable[str],
    *,
    with_bots: str,
) -> str:
    """Returns why no match of this player is selected: none is over, or the filters leave out those that are.

    `matches` has all of the player's; `people` are the names of all players but bots. `with_bots` is what selects bots
    as well, as it is typed.
    """
    appearances = collect_appearances(matches, Selection(with_bots=True), names).get(name_key(name))
    if appearances is None:
        return f"{name!r} has not finished a match{suggest_nearest(name, [*people])}"
    if appearances[-1].part.is_bot and not selection.with_bots:
        return f"{name!r} is a bot: add {with_bots}"
    filters = "".join(
        (
            f" of {selection.game!r}" if selection.game is not None else "",
            f" since {selection.since:%Y-%m-%d}" if selection.since is not None else "",
            f" at the table {selection.table!r}" if selection.table is not None else "",
        )
    )
    games = sorted({appearance.match.variant for appearance in appearances})
    return f"{name!r} has not finished a match{filters}; finished: {', '.join(games)}"


def format_players(players: Sequence[PlayerSummary]) -> str:
    """The players, a line each."""
    if not players:
        return "There are no finished matches."
    rows = [("player", "matches", "won", "legs", "darts", "last", "mostly")]
    for each in players:
        figure = "" if each.value is None else f", {_NAMES[each.figure]} {each.value:.2f}"
        legs = f"{each.legs_won}/{each.legs}" if each.legs else "-"
        mostly = f"{each.label}{figure}"
        name = f"{each.name} (bot)" if each.is_bot else each.name
        rows.append((name, str(each.matches), str(each.won), legs, str(each.darts), _format_day(each.last), mostly))
    return _align(rows, numbers=range(1, 5))


def format_known_players(players: Sequence[KnownPlayer]) -> str:
    """Those who are known, a line each."""
    if not players:
        return "There are no players yet."
    rows = [("player", "last", "also called", "nickname", "")]
    for each in players:
        others = ", ".join(name for name in each.names if name_key(name) != name_key(each.name))
        rows.append((each.name, _format_day(each.last), others, each.nickname, "" if each.counts else "does not count"))
    return _align(rows)


def format_player(report: PlayerReport) -> str:
    """The player, and the figures game by game."""
    head = f"{report.name}: {_count_matches(report)}, the last on {_format_day(report.last)}"
    return "\n\n".join((head, *map(_format_game, report.games), *_format_badges(report.badges)))


def _format_badges(badges: Sequence[BadgeProgress]) -> Iterator[str]:
    """Yields the badges of each tier, the highest first, and those that are nearest to the next tier."""
    lines = [
        (name, ", ".join(f"{BADGES[each.id].name} ({each.count})" for each in badges if each.tier == tier))
        for tier, name in reversed([*enumerate(TIERS, 1)])
    ]
    ahead = [(each.count / each.next, each) for each in badges if each.next is not None and each.count]
    nearest = [each for _, each in sorted(ahead, key=lambda each: -each[0])][:_NEAREST]
    lines.append(("next", ", ".join(f"{BADGES[each.id].name} {each.count} of {each.next}" for each in nearest)))
    if any(text for _, text in lines):
        yield "\n".join(("badges", *(f"  {head:10}  {text}" for head, text in lines if text)))


def format_head_to_head(found: HeadToHead) -> str:
    """Who of the two has won how often, in all and in each game."""
    one, other = found.names
    if not found.games:
        return f"{one} and {other} have not finished a match against each other."
    rows = [("game", one, other, "drawn", "latest winners", "streak"), ("all games", *_list_balance(found, found))]
    rows += [(game.label, *_list_balance(found, game)) for game in found.games]
    return _align(rows, numbers=range(1, 4))


_METHODS = {"glicko2": "two players", "plackett_luce": "three or more, and teams"}


def format_ratings(found: Ratings) -> str:
    """The ratings of each game, and the classes of the players by each table; the tables have their source below."""
    blocks = [_format_rated(game) for game in found.games]
    if found.players:
        blocks += [_format_classes(found), "\n".join(f"{each.title}: {each.source}" for each in found.tables)]
    return "\n\n".join(blocks) if blocks else "There are no ratings: nobody has finished a match against another."


def _format_rated(game: RatedGame) -> str:
    rows = [("player", "rating", "at least", "matches", "last")]
    rows += [
        (each.name, f"{each.rating:.0f} ± {2 * each.deviation:.0f}", f"{each.least:.0f}", str(each.matches), each.last)
        for each in game.players
    ]
    return f"{game.label}, {_METHODS[game.method]}\n{_align(rows, numbers=range(1, 4))}"


def _format_classes(found: Ratings) -> str:
    rows = [("player", "PR", "PPD", "darts", "MPR", "darts", *(each.title for each in found.tables))]
    for each in found.players:
        values = [
            "-" if value is None else str(value)
            for value in (each.pr, each.ppd, each.ppd_darts, each.mpr, each.mpr_darts)
        ]
        classes = {
            table.id: [one for one in (*each.x01, *each.cricket) if one.table == table.id] for table in found.tables
        }
        rows.append(
            (each.name, *values, *(" / ".join(f"{one.number} {one.name}" for one in of) for of in classes.values()))
        )
    return f"about this class, X01 / Cricket\n{_align(rows, numbers=range(1, 6))}"


def format_handicap(found: Handicap) -> str:
    """The start scores, the chance with them and without, and the darts that it is from."""
    one, other = found.names
    if found.label is None:
        return f"{one} and {other} have not finished a match of X01 from which a handicap follows."
    darts = f"{one} {found.darts[0]}, {other} {found.darts[1]}"
    if found.starts is None or found.chance is None or found.even_chance is None:
        return f"A handicap needs {found.least_darts} darts of each in games such as {found.label}. There are: {darts}."
    return (
        f"{found.label}: {one} starts from {found.starts[0]}, {other} from {found.starts[1]}. Then {one} wins a leg "
        f"with {100 * found.chance:.0f} %; from the same score with {100 * found.even_chance:.0f} %. Darts: {darts}."
    )


def _list_balance(found: HeadToHead, balance: Balance) -> tuple[str, str, str, str, str]:
    last = ", ".join("drawn" if winner is None else found.names[winner] for winner in balance.last[-_LATEST:])
    streak = f"{found.names[balance.streak.side]} {balance.streak.matches}" if balance.streak else "-"
    return str(balance.won[0]), str(balance.won[1]), str(balance.drawn), last, streak


def _align(rows: Sequence[Sequence[str]], numbers: Collection[int] = ()) -> str:
    """The rows as a table, a line each; the columns of these `numbers` are aligned to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    sides = [">" if column in numbers else "<" for column in range(len(widths))]
    lines = ([f"{text:{side}{width}}" for text, side, width in zip(row, sides, widths, strict=True)] for row in rows)
    return "\n".join("  ".join(line).rstrip() for line in lines)


def _count_matches(counted: PlayerReport | GameReport) -> str:
    stopped = f" and {counted.stopped} stopped" if counted.stopped else ""
    return f"{counted.matches} match{'es' if counted.matches != 1 else ''}, {counted.won} won{stopped}"


def _format_game(report: GameReport) -> str:
    return "\n".join(
        (
            f"{report.label}: {_count_matches(report)}",
            *(f"  {head:10}  {text}" for head, text in _list_game_lines(report)),
        )
    )


def _list_game_lines(report: GameReport) -> Iterator[tuple[str, str]]:
    for head, text in (
        *_list_figure_lines(report.figures),
        ("trend", _format_trend(report.trend)),
        ("best", _format_best(report)),
        ("months", ", ".join(f"{each.month} {each.value:.2f} ({each.matches})" for each in report.months[-6:])),
    ):
        if text:
            yield head, text
    for place, line in enumerate(format_beds(report.figures.hits)):
        yield ("" if place else "most hit"), line


def _list_figure_lines(figures: Figures) -> Iterator[tuple[str, str]]:
    named = (
        ("MPR", figures.mpr),
        ("average", figures.average),
        ("PPD", figures.ppd),
        ("first nine", figures.first_nine),
    )
    yield "darts", f"{figures.darts} in {figures.visits} visits" + _format_high(", high visit", figures.high_visit)
    yield "figures", ", ".join(f"{name} {value:.2f}" for name, value in named if value is not None)
    rated = figures.mpr_80 if figures.mpr_80 is not None else figures.average_80
    yield "to 80 %", "" if rated is None else f"{rated:.2f}, level {figures.level} of 18"
    if figures.checkouts is not None:
        hit, thrown = figures.checkouts
        text = f"{hit} of {thrown} darts ({figures.checkout_rate} %)"
        yield "checkouts", text + _format_high(", high finish", figures.high_finish)
    if figures.legs is not None:
        won, played = figures.legs
        best = f", the best in {figures.best_leg} darts" if figures.best_leg is not None else ""
        yield "legs", f"{won} of {played} won{best}"
    yield "visits", _format_counts({**figures.tons, **figures.marks})
    targets = list(figures.targets.items())[:_TARGETS]
    text = ", ".join(f"{target} {hit} of {thrown}" for target, (hit, thrown) in targets)
    yield "doubles" if all(target.startswith("D") for target, _ in targets) else "targets", text
    yield "awards", _format_counts(figures.awards)
    yield "besides", _format_counts(figures.more)
    yield "bests", _format_counts(figures.bests)
    yield from _list_point_lines(figures.measured)


def _list_point_lines(measured: MeasuredPoints | None) -> Iterator[tuple[str, str]]:
    """How darts land around the beds at which they were aimed, where a board has measured enough of them."""
    if measured is None or measured.scatter is None:
        return
    yield "aimed", _format_scatter("all", measured.scatter)
    for bed, scatter in [*measured.beds.items()][:_TARGETS]:
        yield "", _format_scatter(bed, scatter)
    if measured.grouping_mm is not None:
        yield "grouping", f"{measured.grouping_mm} mm between two darts of a visit at the same bed"


def _format_scatter(bed: str, scatter: Scatter) -> str:
    right, up = scatter.right_mm, scatter.up_mm
    where = f"{abs(right)} mm {'left' if right < 0 else 'right'}, {abs(up)} mm {'low' if up < 0 else 'high'}"
    return f"{bed}: {where}, spread {scatter.deviation_mm} mm ({scatter.darts} darts)"


def _format_trend(points: Sequence[Point]) -> str:
    """A sparkline of single matches, and the first and last pooled values."""
    if len(points) < 2:
        return ""
    shown = points[-_TREND:]
    first, last = shown[0].pooled, shown[-1].pooled
    pooled = f"; {WINDOW} matches pooled: {first:.2f} to {last:.2f}"
    return f"{draw_sparkline([point.value for point in shown])}  the last {len(shown)} matches{pooled}"


def draw_sparkline(values: Sequence[float]) -> str:
    """Small bars, the lowest value the lowest bar."""
    low, high = min(values), max(values)
    steps = len(_BARS) - 1
    return "".join(_BARS[round((value - low) / (high - low) * steps) if high > low else steps // 2] for value in values)


def format_beds(hits: Mapping[str, int]) -> Iterable[str]:
    """Yields the beds that were hit most, a line each: the bed, its share of all darts, a bar."""
    total = sum(hits.values())
    most = max(hits.values(), default=0)
    for bed, n in list(hits.items())[:_BEDS]:
        yield f"{bed:<7} {100 * n / total:5.1f} %  {'█' * max(1, round(_WIDTH * n / most))} {n}"


def _format_counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {n}" for name, n in counts.items())


def _format_best(report: GameReport) -> str:
    """The best result, its day, and the latest ones; "" where results are not compared."""
    if report.best is None:
        return ""
    latest = " ".join(str(result.value) for result in report.results[-_BEDS:])
    return f"{report.best.value} on {_format_day(report.best.at)}; the latest {latest}"


def _format_high(head: str, value: int | None) -> str:
    return "" if value is None else f"{head} {value}"


def _format_day(at: str) -> str:
    return datetime.fromisoformat(at).astimezone().date().isoformat()


def format_match_list(entries: Iterable[ListedMatch]) -> str:
    """The matches, a line each."""
    lines = [("match", "begun", "table", "game", "players", "")]
    for entry in entries:
        begun = f"{datetime.fromisoformat(entry.at).astimezone():%Y-%m-%d %H:%M}"
        lines.append((entry.match, begun, entry.table, entry.title, ", ".join(entry.players), _describe_result(entry)))
    if len(lines) == 1:
        return "There is no such match here."
    return _align(lines)


def _describe_result(entry: ListedMatch) -> str:
    match entry.standing:
        case "over":
            return f"{' and '.join(entry.winners)} won" if entry.winners else "no winner"
        case "stopped":
            return "stopped"
        case "open":
            return f"not over, {entry.darts} dart{'s' if entry.darts != 1 else ''} thrown"
    return "cannot be replayed"
