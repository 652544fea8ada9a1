"""Players and their figures as text, for terminals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from daemon.stats.players import WINDOW, GameReport, Point, Report, Standing
from engine.statistics import Figures

_BARS = "▁▂▃▄▅▆▇█"
_TREND = 20
_BEDS = 10
_TARGETS = 8
_WIDTH = 24


def table(standings: Sequence[Standing]) -> str:
    """The players, a line each."""
    if not standings:
        return "Nobody has played a match to its end here."
    rows = [("player", "matches", "won", "legs", "darts", "last", "mostly")]
    for each in standings:
        figure = "" if each.value is None else f", {_NAMES[each.figure]} {each.value:.2f}"
        legs = f"{each.legs_won}/{each.legs}" if each.legs else "-"
        mostly = f"{each.label}{figure}"
        name = f"{each.name} (bot)" if each.is_bot else each.name
        rows.append((name, str(each.matches), str(each.won), legs, str(each.darts), _day(each.last), mostly))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(_line(row, widths) for row in rows)


def sheet(report: Report) -> str:
    """All about a player."""
    return "\n\n".join(
        (f"{report.name}: {_matches(report)}, the last on {_day(report.last)}", *map(_game, report.games))
    )


_NAMES = {"average": "average", "mpr": "MPR"}


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    name, *numbers, last, mostly = row
    columns = [f"{text:>{width}}" for text, width in zip(numbers, widths[1:], strict=False)]
    return "  ".join((f"{name:<{widths[0]}}", *columns, f"{last:<{widths[-2]}}", mostly)).rstrip()


def _matches(counted: Report | GameReport) -> str:
    stopped = f" and {counted.stopped} stopped" if counted.stopped else ""
    return f"{counted.matches} match{'es' if counted.matches != 1 else ''}, {counted.won} won{stopped}"


def _game(report: GameReport) -> str:
    return "\n".join(
        (f"{report.label}: {_matches(report)}", *(f"  {head:10}  {text}" for head, text in _facts(report)))
    )


def _facts(report: GameReport) -> Iterator[tuple[str, str]]:
    """The lines of a game, those that say something."""
    for head, text in (
        *_of_darts(report.figures),
        ("trend", _trend(report.trend)),
        ("months", ", ".join(f"{each.month} {each.value:.2f} ({each.matches})" for each in report.months[-6:])),
    ):
        if text:
            yield head, text
    for place, line in enumerate(heat(report.figures.hits)):
        yield ("" if place else "most hit"), line


def _of_darts(figures: Figures) -> Iterator[tuple[str, str]]:
    named = (
        ("MPR", figures.mpr),
        ("average", figures.average),
        ("PPD", figures.ppd),
        ("first nine", figures.first_nine),
    )
    yield "darts", f"{figures.darts} in {figures.visits} visits" + _high(", high visit", figures.high_visit)
    yield "figures", ", ".join(f"{name} {value:.2f}" for name, value in named if value is not None)
    rated = figures.mpr_80 if figures.mpr_80 is not None else figures.average_80
    yield "to 80 %", "" if rated is None else f"{rated:.2f}, level {figures.level} of 18"
    if figures.checkouts is not None:
        hit, thrown = figures.checkouts
        text = f"{hit} of {thrown} darts ({figures.checkout_rate} %)"
        yield "checkouts", text + _high(", high finish", figures.high_finish)
    if figures.legs is not None:
        won, played = figures.legs
        best = f", the best in {figures.best_leg} darts" if figures.best_leg is not None else ""
        yield "legs", f"{won} of {played} won{best}"
    yield "visits", _counts({**figures.tons, **figures.marks})
    targets = list(figures.targets.items())[:_TARGETS]
    text = ", ".join(f"{target} {hit} of {thrown}" for target, (hit, thrown) in targets)
    yield "doubles" if all(target.startswith("D") for target, _ in targets) else "targets", text
    yield "awards", _counts(figures.awards)
    yield "besides", _counts(figures.more)
    yield "bests", _counts(figures.bests)


def _trend(points: Sequence[Point]) -> str:
    """A sparkline of single matches, and where the pooled ones went."""
    if len(points) < 2:
        return ""
    shown = points[-_TREND:]
    first, last = shown[0].pooled, shown[-1].pooled
    pooled = f"; {WINDOW} matches pooled: {first:.2f} to {last:.2f}"
    return f"{sparkline([point.value for point in shown])}  the last {len(shown)} matches{pooled}"


def sparkline(values: Sequence[float]) -> str:
    """Small bars, the lowest value the lowest bar."""
    low, high = min(values), max(values)
    steps = len(_BARS) - 1
    return "".join(_BARS[round((value - low) / (high - low) * steps) if high > low else steps // 2] for value in values)


def heat(hits: Mapping[str, int]) -> Iterable[str]:
    """The beds that were hit most, a line each: the bed, its share of all darts, a bar."""
    total = sum(hits.values())
    most = max(hits.values(), default=0)
    for bed, n in list(hits.items())[:_BEDS]:
        yield f"{bed:<7} {100 * n / total:5.1f} %  {'█' * max(1, round(_WIDTH * n / most))} {n}"


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {n}" for name, n in counts.items())


def _high(head: str, value: int | None) -> str:
    return "" if value is None else f"{head} {value}"


def _day(at: str) -> str:
    return datetime.fromisoformat(at).astimezone().date().isoformat()
