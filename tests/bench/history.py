"""How long does a history take to be read? The first time every match is played again; after that they are remembered.

The baseline is the second reading of the very same journal: what people wait for every time but the first.
"""

from __future__ import annotations

import statistics
import time
from pathlib import Path

from daemon.history.history import FILE, History
from daemon.history.players import Selection, collect_appearances, rank_players
from tests.bench.report import Row, cost
from tests.daemon.evenings import Evening

NOTES = ("read cold: without a cache; against the same with it. Both end with the list of all players.",)


def measure(folder: Path, matches: int, runs: int) -> list[Row]:
    """The row of this measurement: so many matches of 501 between two amateurs, read so often."""
    state = folder / "history"
    with Evening(state) as evening:
        for seed in range(matches):
            evening.throw(seed)
    cold, warm = [], []
    for _ in range(runs):
        (state / FILE).unlink(missing_ok=True)
        cold.append(_read(state))
        warm.append(_read(state))
    return [cost("history, read cold", statistics.median(cold), statistics.median(warm), "ms", "read from its cache")]


def _read(state: Path) -> float:
    """Milliseconds for the list of all players."""
    started = time.perf_counter()
    assert len(rank_players(collect_appearances(History(state, {}, "bench").counted_matches(), Selection()))) == 2
    return (time.perf_counter() - started) * 1000
