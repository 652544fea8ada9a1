"""Matches keep the rules that they were begun under: in tests/data/rules are records of each version there has been.

Beside a record is what each of its lines came to when its rules were the newest: the phase, the side at the oche, the
scores, the places and the winners.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from engine.games import GAMES, variant
from engine.match import remark_older_rules
from protocol.match_spec import Unreadable
from tests.engine.records import Line, Record, header
from tests.engine.toy import Options, Toy

FOLDER = Path(__file__).parents[1] / "data" / "rules"
NAMES = sorted(path.stem for path in FOLDER.glob("*.jsonl"))
stored = pytest.mark.parametrize("name", NAMES)


def read_lines(name: str) -> list[Line]:
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def read_outcomes(name: str) -> list[Any]:  # Any: JSON
    found: list[Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return found


def outcome(record: Record) -> list[Any]:  # Any: JSON
    state = record.state
    scores = [side["score"] for side in state["sides"]]
    return [state["phase"], state["turn"]["side"], scores, state.get("ranks"), state["winners"]]


def replayed(name: str) -> Record:
    first, *inputs = read_lines(name)
    record = Record(first)
    record.play(*inputs)
    return record


def test_there_is_a_record_of_every_version_but_the_newest() -> None:
    found = {(read_lines(name)[0]["game"], read_lines(name)[0]["rules"]) for name in NAMES}
    assert found >= {(name, older) for name, game in GAMES.items() for older in range(1, game.rules)}


@stored
def test_every_line_comes_to_what_it_came_to(name: str) -> None:
    first, *inputs = read_lines(name)
    record, expected = Record(first), read_outcomes(name)
    assert outcome(record) == expected[0]
    for line, wanted in zip(inputs, expected[1:], strict=True):
        record.play(line)
        assert outcome(record) == wanted, f"line {record.line}"
    assert record.resumed().position == record.match.position
    assert remark_older_rules(record.match) is None


@pytest.mark.slow
@stored
def test_it_is_undone_and_amended_by_the_same_rules(name: str) -> None:
    record, expected = replayed(name), read_outcomes(name)
    for line, given in enumerate(read_lines(name)[1:], 2):
        if "throw" in given:
            assert record.add({"amend": line, "throw": given["throw"]}).accepted
    assert outcome(record) == expected[-1]
    while record.add({"undo": True}).accepted:
        pass
    assert outcome(record) == expected[0]
    while record.add({"redo": True}).accepted:
        pass
    assert outcome(record) == expected[-1]


@stored
def test_it_is_a_variant_of_its_own_and_no_new_match_has_its_rules(name: str) -> None:
    first, *inputs = read_lines(name)
    older, newer = Record(first), Record({key: value for key, value in first.items() if key != "rules"})
    assert variant(older.game, older.match.options) != variant(newer.game, newer.match.options)
    assert older.match.header.same_again.rules is None
    for line in inputs:
        older.play(line)
        newer.add(line)
    assert outcome(newer) != outcome(older), "the record shows what was changed"


def test_rules_that_make_no_difference_to_a_match_make_no_variant() -> None:
    for game, options in (("cricket", {}), ("cricket", {"scoring": "no_score"}), ("tactics", {}), ("wild_mouse", {})):
        plain = Record({**header(game, ("Ann", "Bo", "Cy"), options=options), "rules": 1})
        today = Record(header(game, ("Ann", "Bo", "Cy"), options=options))
        assert (plain.match.options, plain.match.rules) == (today.match.options, 1)
    either: tuple[dict[str, Any], ...] = ({"scoring": "cut_throat"}, {"places": True})  # Any: JSON
    for options in either:
        two = Record({**header("cricket", options=options), "rules": 1})
        assert two.match.options == Record(header("cricket", options=options)).match.options


def test_what_only_older_matches_have_is_no_option_of_a_new_one() -> None:
    with pytest.raises(Unreadable, match="cricket has no option 'won_by_others'; possible here: bull_marks, "):
        Record(header("cricket", options={"won_by_others": "next_round"}))


class Third(Toy):
    """Rules that were changed twice, and whose first version is not known any more."""

    rules = 3

    def resolve_older(self, options: Options, rules: int) -> Options | None:
        return None if rules == 1 else replace(options, target=40)


def test_a_game_may_play_some_of_its_older_rules() -> None:
    first = {**header("toy"), "rules": 2}
    second = Record(first, Third()).match
    assert (second.options.target, second.rules, second.is_of_other_rules) == (40, 2, False)
    assert remark_older_rules(second) is None
    lost = Record({**first, "rules": 1}, Third()).match
    assert (lost.options.target, lost.rules, lost.is_of_other_rules) == (200, 3, True)
    assert remark_older_rules(lost) == "the match began with rules 1 of toy and goes on with rules 3: check the score"
    for newest in ({**first, "rules": 3}, header("toy")):
        match = Record(newest, Third()).match
        assert (match.options.target, match.rules, match.is_of_other_rules) == (200, 3, False)
