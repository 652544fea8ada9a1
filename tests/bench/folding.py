"""How fast is a match record played? With every line parsed, as a resume or a replay does it.

The baseline parses the very same lines and keeps what they say: the part of the work that no rules can save. To refold
is to play again, without parsing, all that follows a corrected line: here the whole match after an amend of its first.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from random import Random
from typing import NamedTuple, TypeVar

import msgspec

from engine.games import game
from engine.match import Match
from protocol.commands import Amend, Choose, Input, Next, Throw, decode_line, encode_line
from protocol.match_spec import MatchSpec, read_json
from simulator.thrower import Thrower
from tests.bench.processes import BenchError
from tests.bench.report import Row, speed

T = TypeVar("T")

GAMES = {"X01": "x01", "Cricket": "cricket", "Burma Road": "burma_road"}
_SIGMA_MM = 27.0
"""How two amateurs scatter."""
READING = "only reading the lines"
NOTES = (
    "the time of a processor; only reading: the same JSON lines parsed by msgspec and kept in a list, nothing played",
    "played: parsed and applied, as a resume does it; refolded: whole matches, by an amend of the first dart",
)


class Record(NamedTuple):
    """A finished match: its header and its lines."""

    header: MatchSpec
    lines: list[bytes]


def measure(matches: int, passes: int) -> list[Row]:
    """The rows of this measurement: so many matches a game, gone through so often."""
    rows = []
    for name, game_id in GAMES.items():
        records = [make_record(game_id, seed) for seed in range(matches)]
        inputs = sum(len(record.lines) for record in records)
        amended = amend_first_darts(records)
        reading, playing, refolding = [], [], []
        for _ in range(passes):
            reading.append(inputs / _seconds(read, records))
            playing.append(inputs / _seconds(play, records))
            refolding.append(inputs / _seconds(refold, amended))
        only = statistics.median(reading)
        rows.append(speed(f"{name}, inputs played", statistics.median(playing), only, READING))
        rows.append(speed(f"{name}, inputs refolded", statistics.median(refolding), only, READING))
    return rows


def _seconds(work: Callable[[list[T]], object], material: list[T]) -> float:
    started = time.process_time()
    work(material)
    return time.process_time() - started


def make_record(game_id: str, seed: int) -> Record:
    """A match between two amateurs who aim as the game advises."""
    header = MatchSpec(game=game_id, players=("Ann", "Bo"), seed=str(seed))
    match = begin(header)
    thrower = Thrower(_SIGMA_MM, Random(seed), match.layout)
    lines = []
    while not match.position.over:
        given = _turn(match, thrower)
        outcome = match.apply(match.line + 1, given)
        if not outcome.accepted:
            raise BenchError(f"{game_id} refused {given}: {outcome.reason}.")
        lines.append(msgspec.json.encode(encode_line(given)))
    return Record(header, lines)


def _turn(match: Match, thrower: Thrower) -> Input:
    match match.position.phase:
        case "throwing":
            return Throw(thrower.throw(match.advice().aim or "DB").segment.id)
        case "deciding":
            prompt = match.position.prompts[0]
            return Choose(match.advice().answer or prompt.default or "", prompt.id)
    return Next()


def begin(header: MatchSpec) -> Match:
    """A match of this header, without a line yet."""
    return Match(header, game(header.game), header.seed or "")


def read(records: list[Record]) -> list[object]:
    """What the lines say, and nothing more."""
    kept: list[object] = []
    for record in records:
        for line in record.lines:
            kept.append(msgspec.json.decode(line))  # noqa: PERF401  the same loop as playing
    return kept


def play(records: list[Record]) -> list[Match]:
    """The matches of these records, every line parsed and applied."""
    matches = []
    for record in records:
        match = begin(record.header)
        for number, line in enumerate(record.lines, 2):
            match.apply(number, decode_line(read_json(line)))
        matches.append(match)
    return matches


def amend_first_darts(records: list[Record]) -> list[tuple[Match, Amend]]:
    """The played matches, and for each an amend that says of its first dart what the record says."""
    amends = []
    for match, record in zip(play(records), records, strict=True):
        first = decode_line(read_json(record.lines[0]))
        if not isinstance(first, Throw):
            raise BenchError(f"{record.header.game} does not begin with a throw.")
        amends.append((match, Amend(2, first)))
    return amends


def refold(amends: list[tuple[Match, Amend]]) -> None:
    """Folds each of these matches from its first line on, and leaves it as it was. Raises BenchError."""
    for match, amend in amends:
        before = match.checkpoint()
        outcome = match.apply(match.line + 1, amend)
        if not outcome.accepted:
            raise BenchError(f"{match.game.id} refused {amend}: {outcome.reason}.")
        match.roll_back(before)
