"""Matches with their expected outcome, to be checked by hand against the rules.

Laws do not know the rules: these do. Each transcript is a match record (`oche replay` plays it) beside what must be
true after some of its lines: `a.b` looks into an object, `a.*.b` takes all of a list. A line that is not named under
`refused` must be accepted.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.games import GAMES, spelled_out
from engine.record import Header, read_header
from tests.engine.contract import check
from tests.engine.records import Record, header

FOLDER = Path(__file__).parent / "transcripts"
NAMES = sorted(path.stem for path in FOLDER.glob("*.jsonl"))


def lines(name: str) -> list[dict[str, Any]]:  # Any: JSON
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def played(name: str) -> Header:
    """The header, with a preset spelled out."""
    return spelled_out(read_header(lines(name)[0]))


def look(value: Any, path: str) -> Any:  # Any: JSON
    """The part of a state that a path leads to."""
    step, _, rest = path.partition(".")
    if not step:
        return value
    if step == "*":
        return [look(one, rest) for one in value]
    return look(value[int(step) if step.isdigit() else step], rest)


@pytest.mark.parametrize("name", NAMES)
def test_the_match_comes_out_as_expected(name: str) -> None:
    first, *following = lines(name)
    expected = json.loads((FOLDER / f"{name}.expected.json").read_text(encoding="utf-8"))
    given = Record(first)
    _compare(given, expected["lines"].get("1", {}))
    for line in following:
        outcome = given.add(line)
        refused = expected.get("refused", {}).get(str(given.line))
        assert outcome.reason == refused, f"line {given.line}"
        check(given.encoded(), len(first["players"]))
        _compare(given, expected["lines"].get(str(given.line), {}))
    assert str(given.line) in expected["lines"], "the outcome itself is not expected"
    unknown = {int(line) for line in (*expected["lines"], *expected.get("refused", {}))} - set(range(1, given.line + 1))
    assert not unknown, "there are no such lines"


def _compare(given: Record, wanted: dict[str, Any]) -> None:  # Any: JSON
    seen = {path: look(given.state, path) for path in wanted}
    assert seen == wanted, f"line {given.line}"


def test_every_transcript_has_its_outcome_and_every_outcome_its_transcript() -> None:
    assert sorted(path.name.removesuffix(".expected.json") for path in FOLDER.glob("*.json")) == NAMES


def test_a_header_written_out_with_every_option_plays_the_same() -> None:
    """As the daemon writes it: rules and every option named."""
    short = Record(header("burma_road"))
    options = msgspec.to_builtins(short.match.options)
    assert set(options) == {"bull_is_double", "three_bulls", "bull", "one_number_shanghai", "tie"}
    full = Record(header("burma_road", options=options, rules=GAMES["burma_road"].rules, format={"legs": 1, "sets": 1}))
    assert full.play("S20 / T20 S20") == short.play("S20 / T20 S20")
