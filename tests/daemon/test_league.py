"""The league of a month, beside an independent count."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from daemon.admin.history.digest import digest_matches
from daemon.admin.history.journal_source import JournalSource
from daemon.admin.history.league import League, add_up_month, make_league
from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from tests.daemon.evenings import DAY, Evening
from tests.daemon.process import configure
from tests.daemon.seasons import Made, Season
from tests.daemon.test_history import history
from tests.daemon.test_statistics import ask, get

NOW = "2026-12"
POINTS = {True: 3, None: 1, False: 0}


def count(made: list[Made], month: str) -> list[dict[str, Any]]:  # Any: the fields of a line
    """The table of this month by the rule as docs/statistics.md has it."""
    those = [each for each in made if month_of(each) == month]
    played = Counter(each.variant for each in those)
    main = next((variant for variant, n in played.items() if n == max(played.values())), None)
    lines: dict[str, dict[str, Any]] = {}
    for each in those:
        for place, name in enumerate(each.names):
            line = lines.setdefault(name, {"name": name, "results": [], "legs": [0, 0], "sum": [0, 0]})
            line["results"].append((each.names[1 - place], None if each.winner is None else each.winner == place))
            line["legs"] = [line["legs"][0] + each.legs[place], line["legs"][1] + lost(each, place)]
            if each.variant == main:
                line["sum"] = [line["sum"][0] + each.points[place], line["sum"][1] + each.darts[place]]
    for line in lines.values():
        line["points"] = sum(POINTS[won] for _, won in line["results"])
        points, darts = line.pop("sum")
        line["value"] = round(3 * points / darts, 2) if darts else None
    for line in lines.values():
        level = {other["name"] for other in lines.values() if other["points"] == line["points"]}
        line["among"] = sum(POINTS[won] for other, won in line["results"] if other in level)
    return sorted(lines.values(), key=order)


def order(line: dict[str, Any]) -> tuple[Any, ...]:  # Any: as above
    return -line["points"], -line["among"], -(line["value"] or 0), line["name"].casefold()


def lost(made: Made, place: int) -> int:
    """A leg that both have won is won by each, and lost by none."""
    return sum(made.legs) - made.legs[place] if made.winner is not None else 0


def month_of(made: Made) -> str:
    return f"{(DAY + timedelta(days=made.day)).astimezone():%Y-%m}"


def check(season: Season) -> None:
    matches, read = season.read()
    made = season.list_made()
    months = {month_of(each) for each in made}
    for month in sorted(months | {NOW}):
        digests, shown = digest_matches(matches, read.names)
        league = make_league(add_up_month(digests, month), shown, month, months | {NOW})
        assert league.months == tuple(sorted(months | {NOW}, reverse=True))
        expected = count(made, month)
        assert [
            (line.name.casefold(), line.points, line.played, line.won, line.drawn, line.lost, [*line.legs], line.value)
            for line in league.players
        ] == [
            (
                line["name"].casefold(),
                line["points"],
                len(line["results"]),
                *([won for _, won in line["results"]].count(each) for each in (True, None, False)),
                line["legs"],
                line["value"],
            )
            for line in expected
        ]
        orders = [order(line)[:-1] for line in expected]
        assert [line.place for line in league.players] == [orders.index(each) + 1 for each in orders]


@pytest.mark.parametrize(
    ("seed", "rounds", "matches"), [(7, 4, 15), *(pytest.param(n, 25, 20, marks=pytest.mark.long) for n in (8, 9))]
)
def test_random_seasons_come_to_what_was_made_up(tmp_path: Path, seed: int, rounds: int, matches: int) -> None:
    season = Season(tmp_path, seed)
    for _ in range(rounds):
        season.play(matches)
        check(season)
        season.change_names()
        check(season)


def read_league(folder: Path, month: str) -> League:
    source = JournalSource(history(folder))
    return make_league(*source.add_up_month(month), month, {*source.list_months(), NOW})


def test_of_equal_points_who_has_won_against_the_other_is_first(tmp_path: Path) -> None:
    with Evening(tmp_path) as evening:
        for names in (["Bo", "Ann"], ["Ann", "Cy"]):
            evening.play("T20 S1 D20", players=names, options={"start": 101})
        evening.play("MISS MISS MISS / MISS MISS MISS / T20 S1 D20", players=["Ann", "Dee"], options={"start": 101})
        evening.play("T20 S1 D20", players=["Bo", "Cy"], options={"start": 101}, day=40)
        evening.play("MISS MISS MISS / MISS MISS MISS / T20 S1 D20", players=["Bo", "Dee"], options={"start": 101})
    october = read_league(tmp_path, "2026-10")
    assert [(line.place, line.name, line.points) for line in october.players][:2] == [(1, "Bo", 6), (2, "Ann", 6)]
    assert (october.label, october.figure) == ("101", "average")
    (first, _) = read_league(tmp_path, "2026-11").players
    assert (first.name, first.points, first.legs, first.value, first.value_darts) == ("Bo", 3, (1, 0), 101.0, 3)
    nothing = read_league(tmp_path, NOW)
    assert (nothing.label, nothing.players, nothing.months) == (None, (), ("2026-12", "2026-11", "2026-10"))


def test_two_names_of_one_player_are_no_opponents(tmp_path: Path) -> None:
    with Evening(tmp_path) as evening:
        evening.play("T20 S1 D20", stored_as=["Ann", "ann"], options={"start": 101})
    assert read_league(tmp_path, "2026-10").players == ()


async def test_over_http(tmp_path: Path, unused_tcp_port: int) -> None:
    with Evening(tmp_path / "state") as evening:
        evening.play("T20 S1 D20", options={"start": 101})
    async with (
        run_daemon(read_config(configure(tmp_path, unused_tcp_port))) as running,
        aiohttp.ClientSession(running.page) as web,
    ):
        found = await ask(web, "/api/stats/league", month="2026-10")
        assert [(line["name"], line["points"]) for line in found["players"]] == [("Ann", 3), ("Bo", 0)]
        now = await ask(web, "/api/stats/league")
        assert now["month"] == now["months"][0]
        assert "2026-10" in now["months"]
        for month in ("2026", "2026-13", "10-2026", "2026-10-01"):
            assert await get(web, "/api/stats/league", month=month) == (400, "month must be a month such as 2026-11")
