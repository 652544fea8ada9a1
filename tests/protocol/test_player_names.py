"""Which names are one player's, and how bots of one name are told apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.match_spec import MatchSpec, SamePlayer, check_players, read_header
from protocol.player_names import MAX_NAME, name_key, number_bots, player_key

NAMES = st.text("ab B2é", min_size=1, max_size=4).filter(str.strip) | st.just("x" * MAX_NAME)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ann", "Ann"),
        ("Ann", "ann"),
        ("Ann", "Ann "),
        ("Ann Lee", "ANN  LEE"),
        ("Zo\u00eb", "Zoe\u0308"),
        ("Stra\u00dfe", "STRASSE"),
        ("Ann", "A\u200bnn"),
        ("x" * 40 + "y", "x" * 40 + "z"),
        ("Ann", "Annie"),
    ],
)
def test_one_player_twice_is_refused_with_both_spellings(one: str, other: str) -> None:
    aliases = {"ann": "Anna", "annie": "Anna", "anna": "Anna"}
    for players in ([one, "Bo", other], [other, one]):
        with pytest.raises(SamePlayer) as refused:
            check_players(read_header({"oche": 1, "game": "x01", "players": players}), aliases)
        shown = ["".join(filter(str.isprintable, name[:MAX_NAME])) for name in players if name != "Bo"]
        assert str(refused.value).startswith(f'"{shown[0]}" and "{shown[1]}" are the same player: ')


class Vanishing(dict[str, str]):
    """Another thread takes a name away after it was looked for."""

    def __contains__(self, key: object) -> bool:
        found = super().__contains__(key)
        self.clear()
        return found


def test_a_name_may_go_while_it_is_looked_for() -> None:
    assert player_key("Annie", Vanishing(annie="Ann")) in ("ann", "annie")


def test_different_players_and_bots_are_no_player_twice() -> None:
    check_players(
        read_header({"oche": 1, "game": "x01", "players": ["Ann", "Anne", "bot:45", "bot:45", "bot:30::Ann"]})
    )


def test_partners_are_looked_at_as_opponents_are() -> None:
    spec = MatchSpec("x01", ("Ann", "ann", "Bo", "Cy"), teams=((0, 1), (2, 3)))
    with pytest.raises(SamePlayer):
        check_players(spec)


@pytest.mark.parametrize(
    ("players", "names"),
    [
        (["bot:45", "bot:45", "bot:45"], ("Bot 45", "Bot 45 2", "Bot 45 3")),
        (["bot:45", "bot:30::Bot 45 2", "bot:45"], ("Bot 45", "Bot 45 2", "Bot 45 3")),
        (["bot:45::Marvin", "Ann", "bot:60::MARVIN"], ("Marvin", "Ann", "MARVIN 2")),
        (["bot:45::Ann", "Ann"], ("Ann 2", "Ann")),
        (["bot:45", "bot:60"], ("Bot 45", "Bot 60")),
    ],
)
def test_bots_of_one_name_have_numbers(players: list[str], names: tuple[str, ...]) -> None:
    spec = read_header({"oche": 1, "game": "x01", "players": players})
    assert spec.with_clean_names().players == names
    assert spec.seating.players != names or players == ["bot:45", "bot:60"], "a record keeps the names that it has"


@given(st.lists(st.tuples(NAMES, st.booleans()), max_size=12))
def test_numbered_bots_differ_from_all_others(players: list[tuple[str, bool]]) -> None:
    names, is_bot = [name for name, _ in players], [bot for _, bot in players]
    found = number_bots(names, is_bot)
    bots = [name_key(name) for name, bot in zip(found, is_bot, strict=True) if bot]
    people = {name_key(name) for name, bot in zip(found, is_bot, strict=True) if not bot}
    assert len(bots) == len(set(bots))
    assert people.isdisjoint(bots)
    assert all(len(name) <= MAX_NAME for name in found)
    assert number_bots(found, is_bot) == found
    assert all(after == before for after, before, bot in zip(found, names, is_bot, strict=True) if not bot)
