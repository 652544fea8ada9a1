"""`python -m tests.bench.presses`: how many presses `oche boards learn` asks for, mat by mat.

Over all turns, mirrored and not, rows and columns exchanged or not, the lines in a new order each time. The least is
what no way of asking can beat: each press meets one row and one column, so there are as many as the longer side has
lines with contacts.
"""

from __future__ import annotations

import argparse
from itertools import product
from random import Random
from statistics import fmean

from protocol.mat import Wiring, list_mats, load_mat, locate_segments
from tests.protocol.wired import learn, shuffled


def main() -> None:
    """Prints a line a mat."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--step", type=int, default=1, help="only every so many turns")
    step: int = parser.parse_args().step
    print(f"{'mat':22}{'segments':>9}{'lines':>8}{'least':>7}{'min':>5}{'mean':>7}{'max':>5}")
    for name in list_mats():
        rng = Random(name)
        counts = []
        for turn, mirror, transpose in product(range(0, 20, step), (False, True), (False, True)):
            board = shuffled(name, turn, mirror, transpose, rng)
            learner = learn(board)
            if learner.finding is None or learner.finding.mat is None or learner.finding.contacts != board:
                raise SystemExit(f"{name}, turned by {turn}, mirror {mirror}, transpose {transpose}: not recognised")
            counts.append(len(learner.answers))
        places = locate_segments(load_mat(name), Wiring()).values()
        lines = [len({place[axis] for place in places}) for axis in (0, 1)]
        print(
            f"{name:22}{len(places):9}{f'{lines[0]}+{lines[1]}':>8}{max(lines):7}"
            f"{min(counts):5}{fmean(counts):7.1f}{max(counts):5}",
            flush=True,
        )


if __name__ == "__main__":
    main()
