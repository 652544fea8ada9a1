"""How long does it take to read a history? Where the figures of its matches are missing each match is replayed.

The baselines: of that the same with the figures, as the daemon leaves them when matches end; of those a bare reading of
their file.
"""

from __future__ import annotations

import json
import statistics
import time
from pathlib import Path

from daemon.admin.history.played_matches import FILE, History
from daemon.admin.history.player_figures import Selection, collect_appearances, rank_players
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
    cold, warm, bare = [], [], []
    for _ in range(runs):
        (state / FILE).unlink(missing_ok=True)
        cold.append(_read(state))
        warm.append(_read(state))
        bare.append(_read_bare(state / FILE))
    cold_ms, warm_ms, bare_ms = map(statistics.median, (cold, warm, bare))
    return [
        cost("history, read cold", cold_ms, warm_ms, "ms", "its figures read"),
        cost("history, its figures read", warm_ms, bare_ms, "ms", "a bare reading"),
    ]


def _read(state: Path) -> float:
    """Milliseconds of a processor for the list of all players."""
    started = time.process_time()
    assert len(rank_players(collect_appearances(History(state, {}, "bench").counted_matches(), Selection()))) == 2
    return (time.process_time() - started) * 1000


def _read_bare(figures: Path) -> float:
    """Milliseconds of a processor for all that the figures are."""
    started = time.process_time()
    assert [json.loads(line) for line in figures.read_text(encoding="utf-8").splitlines() if line]
    return (time.process_time() - started) * 1000
