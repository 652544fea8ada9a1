"""`make bench`: what the daemon costs, measured against the least that could do something like it, in one run."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
from pathlib import Path
from types import FrameType

from tests.bench import dart_to_display, folding, history, idle, paint
from tests.bench.processes import BenchError, broker
from tests.bench.report import show


def main() -> int:
    """Prints one section after the other; gives the exit status."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="a few seconds, to see that it runs: the numbers say little"
    )
    quick: bool = parser.parse_args().quick
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _leave)
    # /var/tmp, because a /tmp in memory would make commits free
    with tempfile.TemporaryDirectory(prefix="oche-bench-", dir=os.environ.get("TMPDIR", "/var/tmp")) as name:
        folder = Path(name)
        try:
            with broker(folder) as port:
                _measure(folder, port, quick)
        except BenchError as error:
            print(f"make bench: {error}", file=sys.stderr)
            return 1
    return 0


def _measure(folder: Path, port: int, quick: bool) -> None:
    print("A ratio of 2: oche takes twice the time or memory of its baseline, or does half as much a second.")
    print("Ratios carry over to other machines; the numbers beside them do not.\n")
    blocks, block = (1, 20) if quick else (12, 25)
    print(
        f"Dart to display: last byte of a hit on the wire until a subscriber has its state; {blocks * block} hits each"
    )
    sys.stdout.flush()
    show(dart_to_display.measure(folder, port, blocks, block), *dart_to_display.NOTES)
    paints, loads = (1, 3) if quick else (10, 9)
    print(f"Dart to screen: last byte of a hit on the wire until Chromium has painted it; {paints * block} hits each")
    sys.stdout.flush()
    rows, visit = paint.measure(folder, port, paints, block, loads)
    show(rows, *paint.NOTES, visit)
    matches, passes = (2, 1) if quick else (20, 7)
    print(f"The journal: inputs of {matches} whole matches a game, two amateurs; median of {passes}", flush=True)
    show(folding.measure(matches, passes), *folding.NOTES)
    matches, runs = (10, 1) if quick else (1000, 3)
    print(f"The history: {matches:,} matches of 501; median of {runs}", flush=True)
    show(history.measure(folder, matches, runs), *history.NOTES)
    runs, idle_s = (1, 0.5) if quick else (7, 60.0)
    print(f"The idle daemon, with a board and a broker; median of {runs}", flush=True)
    show(idle.measure(folder, port, runs, idle_s), *idle.NOTES)


def _leave(number: int, frame: FrameType | None) -> None:
    """Once is enough: what was begun is ended in peace."""
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.SIG_IGN)
    sys.exit(128 + number)


if __name__ == "__main__":
    sys.exit(main())
