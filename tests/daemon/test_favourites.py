"""Favourite doubles of the host's list: in every match of these people, in games that have an option for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon import matches
from daemon.config import read_config
from daemon.errors import UserError
from daemon.sections import TableConfig
from engine.record import Header
from protocol.layouts import layout
from tests.daemon.test_equipment import written

FACE = layout("standard")
ANN = {"Ann": (16, 8)}


def table(folder: Path, *more: str) -> TableConfig:
    """The first table of a configuration with these lines at its end."""
    return read_config(written(folder, 'board = "serial:/dev/ttyUSB0"', *more)).config.table[0]


@pytest.mark.parametrize(("given", "doubles"), [({}, [[], [16, 8]]), ({"doubles": [[4], []]}, [[4], []])])
def test_a_match_has_the_doubles_of_who_plays_it_unless_it_says_others(
    given: dict[str, object], doubles: list[list[int]]
) -> None:
    header = Header(oche=1, game="501", players=["Bo", "Ann"], options=dict(given))
    opened = matches.begin(header, FACE, ANN)
    assert [list(numbers) for numbers in opened.match.options.doubles] == doubles
    assert [list(numbers) for numbers in opened.match.header.options["doubles"]] == doubles
    again = matches.same_again(opened.match.header)
    assert [list(numbers) for numbers in matches.begin(again, FACE, opened.doubles).match.options.doubles] == doubles


def test_nobody_known_and_no_such_option_change_nothing() -> None:
    strangers = matches.begin(Header(oche=1, game="501", players=["Cy", "Di"]), FACE, ANN)
    assert strangers.match.options.doubles == ()
    other = matches.begin(Header(oche=1, game="burma_road", players=["Ann", "Bo"]), FACE, ANN)
    assert "doubles" not in other.match.header.options


def test_the_hint_of_a_match_that_is_begun_ends_on_them() -> None:
    header = Header(oche=1, game="101", players=["Ann"], options={"starts": [72]})
    assert matches.begin(header, FACE, ANN).match.panel().hint[-1] == "D16"
    assert matches.begin(header, FACE).match.panel().hint[-1] != "D16"


def test_the_hosts_list_is_for_every_table_and_its_own_comes_first(tmp_path: Path) -> None:
    people = ("[[player]]", 'name = "Ann"', "doubles = [16, 8]", "[[player]]", 'name = "Bo"', "doubles = [25]")
    assert table(tmp_path, *people).doubles == {"Ann": (16, 8), "Bo": (25,)}
    assert table(tmp_path, "doubles = { Ann = [4] }", *people).doubles == {"Ann": (4,), "Bo": (25,)}
    assert table(tmp_path).doubles == {}
    opened = matches.first(table(tmp_path, 'players = ["Ann", "Cy"]', *people), FACE)
    assert opened.match.options.doubles == ((16, 8), ())


@pytest.mark.parametrize(
    ("numbers", "complaint"),
    [("[22]", "doubles are 1 to 20, and 25 for the bull"), ("[26]", "this must be a whole number <= 25")],
)
def test_a_number_that_is_no_double_is_refused(tmp_path: Path, numbers: str, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        table(tmp_path, "[[player]]", 'name = "Ann"', f"doubles = {numbers}")
