"""How long does it take to read a history? Where the figures of its matches are missing each match is replayed.

The baselines: of that the same with the figures, as the daemon leaves them when matches end; of those a bare reading of
their file. Ratings and a handicap are beside the reading that comes before them.
"""

from __future__ import annotations

import json
import statistics
import time
from datetime import date
from pathlib import Path

from daemon.admin.history.handicap import find_handicap
from daemon.admin.history.history import History
from daemon.admin.history.match_cache import FILE
from daemon.admin.history.player_figures import Selection, collect_appearances, rank_players
from daemon.admin.history.ratings import rate_players
from daemon.admin.players.names import NO_NAMES
from tests.bench.report import Row, cost
from tests.daemon.evenings import Evening

NOTES = (
    "read cold: the figures of all matches are missing; both end with the list of all players",
    "a bare reading: json.loads of each line of the figures; all times are processor time",
)


def measure(folder: Path, matches: int, runs: int) -> list[Row]:
    """The row of this measurement: so many matches of 501 between two amateurs, read so often."""
    state = folder / "history"
    with Evening(state) as evening:
        for seed in range(matches):
            evening.throw(seed)
    cold, warm, bare, rated, fair = [], [], [], [], []
    for _ in range(runs):
        (state / FILE).unlink(missing_ok=True)
        cold.append(_read(state))
        warm.append(_read(state))
        bare.append(_read_bare(state / FILE))
        rating_ms, fair_ms = _rate(state)
        rated.append(rating_ms)
        fair.append(fair_ms)
    cold_ms, warm_ms, bare_ms, rated_ms, fair_ms = map(statistics.median, (cold, warm, bare, rated, fair))
    return [
        cost("history, read cold", cold_ms, warm_ms, "ms", "its figures read"),
        cost("history, its figures read", warm_ms, bare_ms, "ms", "a bare reading"),
        cost("ratings and classes", rated_ms, warm_ms, "ms", "its figures read"),
        cost("a fair handicap", fair_ms, warm_ms, "ms", "its figures read"),
    ]


def _read(state: Path) -> float:
    """Milliseconds of a processor for the list of all players."""
    started = time.process_time()
    assert len(rank_players(collect_appearances(History(state, {}, "bench").counted_matches(), Selection()))) == 2
    return (time.process_time() - started) * 1000


def _rate(state: Path) -> tuple[float, float]:
    """Milliseconds of a processor for the ratings, and for a handicap, once the matches are read."""
    history = History(state, {}, "bench")
    matches = [*history.counted_matches()]
    started = time.process_time()
    assert rate_players(matches, NO_NAMES, date(2026, 12, 1))
    rated = time.process_time()
    assert find_handicap(matches, ("Ann", "Bo"), None, NO_NAMES, history.list_throws).starts
    return (rated - started) * 1000, (time.process_time() - rated) * 1000


def _read_bare(figures: Path) -> float:
    """Milliseconds of a processor for all that the figures are."""
    started = time.process_time()
    assert [json.loads(line) for line in figures.read_text(encoding="utf-8").splitlines() if line]
    return (time.process_time() - started) * 1000
