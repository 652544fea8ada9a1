"""How fast is the engine of another project? darts-scorer-core, in JavaScript, plays the very same matches of 501.

It keeps rounds and throws and knows when a visit is bust; it has no journal, no undo, and refuses nothing. The two take
turns, and what counts is the time of a processor. Both must come to the same end.
"""

from __future__ import annotations

import json
import statistics
import time
from pathlib import Path

import msgspec

from tests.bench.folding import Record, make_record, play
from tests.bench.processes import ROOT, BenchError, complaint, process
from tests.bench.report import Row, speed

PLAYER = ROOT / "tests" / "node" / "darts_scorer.mjs"
WARM_UP = 3
NOTES = (
    "darts-scorer-core 1.3.0 on Node.js, compiled as it runs: the same JSON lines parsed and applied",
    "it has no journal, no undo and refuses nothing; of 501 alone, for it has no other game",
)


def measure(folder: Path, matches: int, passes: int) -> list[Row]:
    """The row of this measurement: so many matches, played so often by each in turn."""
    records = [make_record("x01", seed) for seed in range(matches)]
    inputs = sum(len(record.lines) for record in records)
    file, log = folder / "records.json", folder / "neighbour.log"
    file.write_text(json.dumps([[line.decode() for line in record.lines] for record in records]), encoding="utf-8")
    ours, theirs = [], []
    with process("node", str(PLAYER), str(file), log=log) as neighbour:
        if neighbour.stdin is None or neighbour.stdout is None:
            raise BenchError("Node.js has no standard input.")
        for number in range(WARM_UP + passes):
            print("play", file=neighbour.stdin, flush=True)
            said = neighbour.stdout.readline()
            if not said:
                raise BenchError(f"darts-scorer-core does not play: {complaint(log)}")
            ours_s, ours_left = _play(records)
            if (told := msgspec.json.decode(said))["left"] != ours_left:
                raise BenchError("darts-scorer-core comes to another end.")
            if number >= WARM_UP:
                ours.append(inputs / ours_s)
                theirs.append(inputs * 1000 / told["ms"])
    return [speed("X01, inputs played", statistics.median(ours), statistics.median(theirs), "darts-scorer-core")]


def _play(records: list[Record]) -> tuple[float, list[list[int]]]:
    """The time of a processor in seconds, and what each side has left."""
    started = time.process_time()
    matches = play(records)
    taken_s = time.process_time() - started
    return taken_s, [[match.score(side) for side in range(2)] for match in matches]
