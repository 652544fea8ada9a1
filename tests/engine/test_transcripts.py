"""Matches with their expected outcome, to be checked by hand against the rules.

Laws do not know the rules: these do. A transcript is a match record, so `oche replay` plays it; keys added to its
inputs say what is expected (README.md beside this file lists them), and a reader of match records ignores them.
"""

from __future__ import annotations

import json
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.games import GAMES, expand_preset
from engine.skill import Skill
from engine.statistics import collect_figures
from protocol.commands import INPUT_WORDS
from protocol.facts import FACTS
from protocol.layouts import find_layout
from protocol.match_spec import MatchSpec, Unreadable, read_header
from tests.engine.contract import check
from tests.engine.records import Record, header

FOLDER = Path(__file__).parent / "transcripts"
NAMES = sorted(str(path.relative_to(FOLDER).with_suffix("")) for path in FOLDER.glob("*/*.jsonl"))
AFTER = {"state", "seats", "tallies", "figures", "advice", "facts"}
EXPECTED = {"what", "source", "start", "refused"} | AFTER
Json = dict[str, Any]  # Any: JSON


def lines(name: str) -> list[Json]:
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def played(name: str) -> MatchSpec:
    """The header, with a preset spelled out."""
    return expand_preset(read_header(lines(name)[0]))


def look(value: Any, path: str) -> Any:  # Any: JSON
    """The part of a state that a path leads to."""
    step, _, rest = path.partition(".")
    if not step:
        return value
    if step == "*":
        return [look(one, rest) for one in value]
    return look(value[int(step) if isinstance(value, list) else step], rest)


@pytest.mark.parametrize("name", NAMES)
def test_the_match_comes_out_as_expected(name: str) -> None:
    first, *inputs = lines(name)
    given = Record(first)
    _compare(given, inputs[0].get("start", {}))
    for line in inputs:
        outcome = given.add(line)
        assert outcome.reason == line.get("refused"), f"line {given.line}"
        check(given.encoded(), len(first["players"]))
        _compare(given, line)
        for kind, wanted in line.get("facts", {}).items():
            told = msgspec.json.encode([fact for fact in outcome.facts if isinstance(fact, FACTS[kind])])
            assert msgspec.json.decode(told) == [{"event_type": kind, **fact} for fact in wanted], f"line {given.line}"


def _compare(given: Record, wanted: Json) -> None:
    def same(what: str, state: Any, paths: Json) -> None:  # Any: JSON
        assert {path: look(state, path) for path in paths} == paths, f"line {given.line}, {what}"

    same("state", given.state, wanted.get("state", {}))
    for seat, paths in wanted.get("seats", {}).items():
        same(f"seat {seat}", msgspec.json.decode(given.encoded(int(seat))), paths)
    if "tallies" in wanted:
        same("tallies", _tallies(given), wanted["tallies"])
    if "figures" in wanted:
        made = [collect_figures(tally, given.game.figure) for tally in given.match.position.tallies]
        same("figures", msgspec.json.decode(msgspec.json.encode(made)), wanted["figures"])
    for scatter_mm, steps in wanted.get("advice", {}).items():
        advice = given.match.advice(_skill(given.match.layout.name, float(scatter_mm)))
        for step, possible in steps.items():
            said = getattr(advice, step)
            assert said in (possible if isinstance(possible, list) else [possible]), f"line {given.line}, {step}"


def _tallies(given: Record) -> list[Json]:
    """What is counted of each seat; what never was is 0."""
    return [
        {name: defaultdict(int, figure) if isinstance(figure, dict) else figure for name, figure in tally.items()}
        for tally in msgspec.to_builtins(given.match.position.tallies)
    ]


@cache
def _skill(layout: str, scatter_mm: float) -> Skill:
    return Skill(find_layout(layout), scatter_mm)


def test_a_transcript_is_in_its_games_folder_and_expects_an_outcome() -> None:
    for name in NAMES:
        _, *inputs = lines(name)
        assert name.partition("/")[0] == played(name).game
        assert inputs[0].get("what"), f"{name}: its first input says what is shown"
        assert {*AFTER, "refused"} & set(inputs[-1]), f"{name}: the outcome itself is not expected"
        for number, line in enumerate(inputs, 2):
            unknown = set(line) - EXPECTED - {*INPUT_WORDS, "prompt", "darts", "at_finish", "bust"}
            assert not unknown, f"{name}, line {number}"
            assert number == 2 or not {"what", "start"} & set(line), f"{name}, line {number}"
            assert set(line.get("start", {})) <= AFTER - {"facts"}, f"{name}, line {number}"
            assert set(line.get("facts", {})) <= set(FACTS), f"{name}, line {number}"


@pytest.mark.parametrize("first", lines("unplayable"), ids=lambda first: f"{first['game']} {first['refused']:.60}")
def test_a_match_that_cannot_be_played_is_refused_with_the_reason(first: Json) -> None:
    with pytest.raises(Unreadable) as refused:
        Record({key: value for key, value in first.items() if key != "refused"})
    assert str(refused.value) == first["refused"]


def test_a_header_written_out_with_every_option_plays_the_same() -> None:
    """As the daemon writes it: rules and every option named."""
    short = Record(header("burma_road"))
    options = msgspec.to_builtins(short.match.options)
    assert set(options) == {"bull_is_double", "three_bulls", "bull", "one_number_shanghai", "tie"}
    full = Record(header("burma_road", options=options, rules=GAMES["burma_road"].rules, format={"legs": 1, "sets": 1}))
    assert full.play("S20 / T20 S20") == short.play("S20 / T20 S20")
