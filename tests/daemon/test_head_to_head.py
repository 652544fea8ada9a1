"""Head to head: who has won how often against whom, beside an independent count."""

from __future__ import annotations

from itertools import combinations, groupby
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from daemon.admin.history.head_to_head import compare_players
from daemon.admin.history.player_figures import Selection
from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from tests.daemon.evenings import Evening
from tests.daemon.process import Saying, configure
from tests.daemon.seasons import Made, Season
from tests.daemon.test_statistics import ask, get


def count(made: list[Made], one: str, other: str) -> dict[str, Any]:  # Any: the fields of a balance
    """What these matches come to for the two, and `names`."""
    winners: list[int | None] = []
    for each in made:
        if {*each.names} == {one, other}:
            winner = None if each.winner is None else each.names[each.winner]
            winners.append(None if winner is None else int(winner == other))
    runs = [(winner, len([*run])) for winner, run in groupby(winners)]
    side, length = runs[-1] if runs else (None, 0)
    return {
        "won": (winners.count(0), winners.count(1)),
        "drawn": winners.count(None),
        "last": tuple(winners[-10:]),
        "streak": None if side is None else (side, length),
    }


def check(season: Season) -> int:
    """Compares all pairs; returns how many matches the fullest has."""
    matches, history = season.read()
    made, most = season.list_made(), 0
    for one, other in combinations(season.list_people(), 2):
        found = compare_players(matches, (one, other), Selection(), history.names)
        turned = compare_players(matches, (other, one), Selection(), history.names)
        assert turned.won == found.won[::-1]
        assert flatten(found) == count(made, one, other), (one, other)
        for game in found.games:
            assert flatten(game) == count([each for each in made if each.variant == game.variant], one, other)
        assert sum(sum(game.won) + game.drawn for game in found.games) == sum(found.won) + found.drawn
        most = max(most, sum(found.won))
    return most


def flatten(found: Any) -> dict[str, Any]:  # Any: a balance, and its fields
    streak = found.streak and (found.streak.side, found.streak.matches)
    return {"won": found.won, "drawn": found.drawn, "last": found.last, "streak": streak}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "rounds", "matches"), [(1, 4, 15), *(pytest.param(n, 25, 20, marks=pytest.mark.long) for n in range(2, 6))]
)
def test_random_seasons_come_to_what_was_made_up(tmp_path: Path, seed: int, rounds: int, matches: int) -> None:
    season = Season(tmp_path, seed)
    most = 0
    for _ in range(rounds):
        season.play(matches)
        most = max(most, check(season))
        season.change_names()
        check(season)
    assert most > 1, "some have met"


def meet(folder: Path) -> None:
    """Ann wins twice at 101, Bo once at Count-Up, and they are level once; with Cy beside them nothing counts."""
    with Evening(folder) as evening:
        evening.play("T20 S1 D20", options={"start": 101})
        evening.play("S1 S1 S1 / S2 S2 S2", day=1, game="count_up", options={"rounds": 1})
        evening.play("S1 S1 S1 / S1 S1 S1", day=2, game="count_up", options={"rounds": 1})
        evening.play("MISS / T20 S1 D20", day=3, players=["bo", "ann"], options={"start": 101})
        evening.play("T20 S1 D20", day=4, players=["Ann", "Bo", "Cy"], options={"start": 101})


@pytest.mark.slow
async def test_over_http(tmp_path: Path, unused_tcp_port: int) -> None:
    meet(tmp_path / "state")
    async with (
        run_daemon(read_config(configure(tmp_path, unused_tcp_port))) as running,
        aiohttp.ClientSession(running.page) as web,
    ):
        path = "/api/stats/head_to_head"
        found = await ask(web, path, name="BO", other="Ann")
        assert found["names"] == ["bo", "ann"], "as they wrote it last"
        assert [found[key] for key in ("won", "drawn", "last")] == [[1, 2], 1, [1, 0, None, 1]]
        assert found["streak"] == {"side": 1, "matches": 1}
        assert [(game["label"], game["won"], game["drawn"]) for game in found["games"]] == [
            ("101", [0, 2], 0),
            ("Count-Up · count_up (rounds 1)", [1, 0], 1),
        ]
        found = await ask(web, path, name="Ann", other="Whoever", game="x01")
        assert found == {
            "v": 1,
            "names": ["Ann", "Whoever"],
            "won": [0, 0],
            "drawn": 0,
            "last": [],
            "streak": None,
            "games": [],
        }
        assert await get(web, path, name="Ann", other="ann") == (
            400,
            "these are two names of one player: name two players",
        )
        assert await get(web, path, name="Ann") == (404, "name the two players, as in ?name=Ann&other=Bo")


def test_in_a_terminal(tmp_path: Path, oche: Saying) -> None:
    config = configure(tmp_path, 1)
    meet(tmp_path / "state")
    said = oche("stats", "--config", config, "ann", "--against", "Bo")
    assert [line.split() for line in said.output.splitlines()] == [
        ["game", "ann", "bo", "drawn", "latest", "winners", "streak"],
        ["all", "games", "2", "1", "1", "ann,", "bo,", "drawn,", "ann", "ann", "1"],
        ["101", "2", "0", "0", "ann,", "ann", "ann", "2"],
        ["Count-Up", "·", "count_up", "(rounds", "1)", "0", "1", "1", "bo,", "drawn", "-"],
    ]
    said = oche("stats", "--config", config, "Ann", "--against", "Cy")
    assert said.output == "Ann and Cy have not finished a match against each other.\n"
    said = oche("stats", "--config", config, "Ann", "--against", "Bob")
    assert (said.status, said.errors) == (1, "oche: 'Bob' has not finished a match; did you mean 'Bo'?\n")
    said = oche("stats", "--config", config, "--against", "Bo")
    assert said.status == 2
    assert "--against needs a NAME" in said.errors
