"""Matches keep the rules that they were begun under, as far as their game can play them."""

from __future__ import annotations

from msgspec.structs import replace

from engine.match import remark_older_rules
from tests.engine.records import Record, header
from tests.engine.toy import Options, Toy


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
    assert (
        remark_older_rules(lost) == "the match was begun with rules 1 of toy and goes on with rules 3: check the score"
    )
    for newest in ({**first, "rules": 3}, header("toy")):
        match = Record(newest, Third()).match
        assert (match.options.target, match.rules, match.is_of_other_rules) == (200, 3, False)
