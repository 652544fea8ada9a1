"""Ratings: from matches that were played, beside a reckoning of its own, whatever becomes of the matches later."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import groupby
from pathlib import Path
from random import Random
from typing import Any

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.admin.history.handicap import Handicap, find_handicap
from daemon.admin.history.history import History
from daemon.admin.history.played_matches import PlayedMatch, Standing
from daemon.admin.history.ratings import RatedGame, rate_players
from daemon.admin.players.book import PlayerBook
from daemon.admin.players.names import NO_NAMES
from daemon.admin.requests import ChangePlayer
from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from engine.played import PlayerPart
from engine.ratings.glicko2 import START, Outcome, Rating, rate_period, rest_for
from engine.tally import Tally
from protocol.layouts import find_layout
from tests.daemon.evenings import DAY, Evening
from tests.daemon.process import Saying, configure
from tests.daemon.seasons import FINISH, Made, Season
from tests.daemon.test_statistics import ask, get

TODAY = date(2027, 12, 1)
ONE: dict[str, Any] = {"options": {"start": 101}}  # Any: the fields of a header


def read(folder: Path) -> tuple[list[PlayedMatch], History]:
    history = History(folder, {"main": find_layout("standard")}, "1")
    return list(history.counted_matches()), history


def rate(folder: Path, **wanted: str) -> dict[str, tuple[float, float, int]]:
    """The rating, deviation and matches of each player in the list that is wanted; {} if there is none."""
    matches, history = read(folder)
    games = [game for game in rate_players(matches, history.names, TODAY, UTC) if game.method == wanted["method"]]
    assert len(games) < 2
    return {each.name: (each.rating, each.deviation, each.matches) for game in games for each in game.players}


def rate_anew(made: list[Made]) -> dict[tuple[str, str], tuple[float, float]]:
    """The rating and deviation of everyone in every variant, straight from what was made up."""
    found: dict[tuple[str, str], tuple[float, float]] = {}
    for variant in {each.variant for each in made}:
        ratings: dict[str, Rating] = {}
        last: dict[str, date] = {}
        dated = [((DAY + timedelta(days=each.day)).date(), each) for each in made if each.variant == variant]
        for day, group in groupby(dated, key=lambda each: each[0]):
            played = [each for _, each in group]
            names = {name for each in played for name in each.names}
            before = {
                name: rest_for(ratings[name], (day - last[name]).days - 1) if name in ratings else START
                for name in names
            }
            for name in names:
                outcomes = [
                    Outcome(before[each.names[1 - place]], 0.5 if each.winner is None else float(each.winner == place))
                    for each in played
                    for place in (0, 1)
                    if each.names[place] == name
                ]
                ratings[name], last[name] = rate_period(before[name], outcomes), day
        for name, rating in ratings.items():
            now = rest_for(rating, (TODAY - last[name]).days)
            found[variant, name.casefold()] = (round(now.rating, 1), round(now.deviation, 1))
    return found


@pytest.mark.parametrize(
    ("seed", "rounds", "matches"), [(1, 3, 15), *(pytest.param(n, 20, 20, marks=pytest.mark.long) for n in range(2, 5))]
)
def test_random_seasons_beside_a_reckoning_of_its_own(tmp_path: Path, seed: int, rounds: int, matches: int) -> None:
    season = Season(tmp_path, seed)
    for _ in range(rounds):
        season.play(matches)
        season.change_names()
        found, history = season.read()
        games = [game for game in rate_players(found, history.names, TODAY, UTC) if game.method == "glicko2"]
        rated = {
            (game.variant, each.name.casefold()): (each.rating, each.deviation)
            for game in games
            for each in game.players
        }
        assert rated == rate_anew(season.list_made())


PLAYERS = st.permutations(["Ann", "Bo", "Cy", "Dee"])
MATCHES = st.lists(st.tuples(PLAYERS, st.integers(2, 4), st.integers(0, 9), st.booleans()), min_size=1, max_size=12)


def make(number: int, people: list[str], day: int, *, is_drawn: bool = False) -> PlayedMatch:
    """A match that these people end in this order, or all level."""
    won = [is_drawn or place == 0 for place in range(len(people))]
    return PlayedMatch(
        id=f"{number:012x}",
        table="main",
        at=(datetime(2026, 11, 1, 20, tzinfo=UTC) + timedelta(days=day, minutes=number)).isoformat(),
        game="x01",
        variant="501",
        title="501",
        players=tuple(people),
        is_over=True,
        parts=tuple(PlayerPart(name, won[place], False, Tally()) for place, name in enumerate(people)),
        standings=tuple(
            Standing((place,), 0, won[place], 1 if is_drawn else place + 1) for place in range(len(people))
        ),
    )


def rate_all(matches: list[PlayedMatch]) -> list[RatedGame]:
    return rate_players(matches, NO_NAMES, TODAY, UTC)


@given(MATCHES, st.randoms())
def test_in_which_order_matches_become_known_does_not_matter(
    given_matches: list[tuple[list[str], int, int, bool]], random: Random
) -> None:
    matches = [
        make(number, people[:count], day, is_drawn=is_drawn)
        for number, (people, count, day, is_drawn) in enumerate(given_matches)
    ]
    rated = rate_all(matches)
    random.shuffle(matches)
    assert rate_all(matches) == rated


@given(MATCHES, st.data())
def test_another_winner_moves_both(matches: list[tuple[list[str], int, int, bool]], data: st.DataObject) -> None:
    made = [make(number, people[:count], day) for number, (people, count, day, _) in enumerate(matches)]
    which = data.draw(st.integers(0, len(made) - 1))
    people, count, day, _ = matches[which]
    before = rate_all(made)
    made[which] = make(which, [people[1], people[0], *people[2:count]], day)
    now = rate_all(made)
    method = "glicko2" if count == 2 else "plackett_luce"

    def find(games: list[RatedGame], name: str) -> float:
        return next(
            each.rating for game in games if game.method == method for each in game.players if each.name == name
        )

    assert find(now, people[0]) < find(before, people[0])
    assert find(now, people[1]) > find(before, people[1])


def test_a_corrected_dart_moves_the_ratings(tmp_path: Path) -> None:
    with Evening(tmp_path) as evening:
        match = evening.play("T20 S1 D20", **ONE)
        assert rate(tmp_path, method="glicko2")["Ann"][0] > 1500
        evening.go_on(match, {"undo": True}, {"throw": "MISS"}, {"next": True}, line=5)
        evening.go_on(match, *({"throw": dart} for dart in FINISH.split()), line=8)
    rated = rate(tmp_path, method="glicko2")
    assert rated["Ann"][0] < 1500 < rated["Bo"][0]


def test_who_and_what_is_not_rated(tmp_path: Path) -> None:
    with Evening(tmp_path) as evening:
        evening.play("T20", {"stop": True}, **ONE)
        evening.throw(1, 9, players=["Ann", "Bot"], bots=[None, 60], **ONE)
        evening.play(FINISH, options={"start": 101, "starts": [101, 61]})
        evening.play(FINISH, players=["Ann"], **ONE)
        evening.play(FINISH, players=["Ann", "Guest"], **ONE)
    PlayerBook(tmp_path).change(ChangePlayer("Guest", counts=False))
    assert rate(tmp_path, method="glicko2") == {}
    assert rate(tmp_path, method="plackett_luce") == {}


def test_parties_have_their_places_and_teams_share_what_they_win(tmp_path: Path) -> None:
    places = {"start": 101, "places": True}
    with Evening(tmp_path) as evening:
        evening.play("MISS MISS MISS / T20 MISS MISS / T20 S1 D20", players=["Ann", "Bo", "Cy"], **ONE)
        rated = rate(tmp_path, method="plackett_luce")
        assert rated["Cy"] > rated["Bo"] > rated["Ann"], "by what is left"
        assert rate(tmp_path, method="glicko2") == {}
    (tmp_path / "places").mkdir()
    with Evening(tmp_path / "places") as evening:
        evening.play(
            f"MISS MISS MISS / {FINISH} / MISS MISS MISS / {FINISH}", players=["Ann", "Bo", "Cy"], options=places
        )
    rated = rate(tmp_path / "places", method="plackett_luce")
    assert rated["Bo"] > rated["Ann"] > rated["Cy"], "by when they were out"
    (tmp_path / "teams").mkdir()
    with Evening(tmp_path / "teams") as evening:
        evening.play(FINISH, players=["Ann", "Bo", "Cy", "Dee"], teams=[[0, 2], [1, 3]], **ONE)
    rated = rate(tmp_path / "teams", method="plackett_luce")
    assert rated["Ann"] == rated["Cy"] > rated["Bo"] == rated["Dee"]


def test_a_party_with_a_bot_compares_the_people(tmp_path: Path) -> None:
    with Evening(tmp_path) as evening:
        evening.throw(3, 9, players=["Ann", "Bot", "Bo"], bots=[None, 60, None], **ONE)
    assert {*rate(tmp_path, method="plackett_luce")} == {"Ann", "Bo"}


def test_an_old_rating_is_less_certain(tmp_path: Path) -> None:
    with Evening(tmp_path) as evening:
        evening.play(FINISH, **ONE)
    matches, history = read(tmp_path)
    deviations = [
        rate_players(matches, history.names, day, UTC)[0].players[0].deviation
        for day in (date(2026, 10, 3), date(2026, 12, 3), date(2027, 12, 3))
    ]
    assert deviations[0] < deviations[1] < deviations[2] <= START.deviation


def play_much(folder: Path) -> None:
    """Ann and Bo throw many darts at 101, and Ann is better; Cy hardly throws any."""
    with Evening(folder) as evening:
        for number in range(12):
            evening.throw(number, 24, day=number, **ONE)
        for number in range(3):
            evening.throw(40 + number, 30, day=number, game="cricket", players=["Ann", "Bo"])
        evening.play(FINISH, day=13, players=["Ann", "Cy"], **ONE)


def find(folder: Path) -> Handicap:
    matches, history = read(folder)
    return find_handicap(matches, ("Ann", "Bo"), None, history.names, history.list_throws)


@pytest.mark.slow
def test_matches_with_a_handicap_tell_of_a_newer_one(tmp_path: Path) -> None:
    for folder, options in (("plain", {"start": 151}), ("handicapped", {"start": 301, "starts": [151, 151]})):
        with Evening(tmp_path / folder) as evening:
            evening.throw(1, 24, options={"start": 151})
            for number in range(2, 12):
                evening.throw(number, 24, day=number, options=options)
    found = find(tmp_path / "plain")
    assert found.starts is not None
    assert found.matches == (11, 11)
    assert find(tmp_path / "handicapped") == found, "they are the same darts"


@pytest.mark.slow
def test_a_visit_that_decides_after_the_rounds_tells_nothing(tmp_path: Path) -> None:
    rounds = "T20 T20 S1 / T20 T20 S1"
    for folder, lines, tie in (("level", rounds, "share"), ("decided", f"{rounds} / S20 S20 S20 / S1 S1 S1", None)):
        with Evening(tmp_path / folder) as evening:
            for number in range(8):
                evening.throw(number, 24, day=number, options={"start": 161})
            for number in range(8, 16):
                options = {"start": 161, "rounds": 1, "tie": tie or "highest_visit"}
                evening.play(lines, day=number, options=options)
    level, decided = find(tmp_path / "level"), find(tmp_path / "decided")
    assert min(decided.darts) > min(level.darts)
    assert (decided.starts, decided.chance, decided.even_chance) == (level.starts, level.chance, level.even_chance)


@pytest.mark.slow
async def test_over_http(tmp_path: Path, unused_tcp_port: int) -> None:
    play_much(tmp_path / "state")
    async with (
        run_daemon(read_config(configure(tmp_path, unused_tcp_port))) as running,
        aiohttp.ClientSession(running.page) as web,
    ):
        found = await ask(web, "/api/stats/ratings")
        assert [(game["label"], game["method"], game["matches"]) for game in found["games"]] == [
            ("101", "glicko2", 13),
            ("Cricket", "glicko2", 3),
        ]
        assert {each["name"] for each in found["games"][0]["players"]} == {"Ann", "Bo", "Cy"}
        least = [each["least"] for each in found["games"][0]["players"]]
        assert least == sorted(least, reverse=True)
        assert [each["id"] for each in found["tables"]] == ["dartslive_80", "dartslive_100", "phoenix"]
        ann = next(each for each in found["players"] if each["name"] == "Ann")
        assert ann["pr"] == round(ann["ppd"] + 10 * ann["mpr"], 2)
        assert [each["table"] for each in ann["x01"]] == ["dartslive_80", "dartslive_100", "phoenix"]
        assert {each["name"] for each in found["players"]} == {"Ann", "Bo"}, "Cy has too few darts"
        found = await ask(web, "/api/stats/ratings", game="cricket")
        assert [game["variant"] for game in found["games"]] == ["cricket"]
        path = "/api/stats/handicap"
        found = await ask(web, path, name="ann", other="Bo")
        assert found["names"] == ["Ann", "Bo"]
        assert found["label"] == "101"
        assert max(found["starts"]) == 101
        assert found["chance"] == pytest.approx(0.5, abs=0.05)
        assert abs(found["even_chance"] - 0.5) >= abs(found["chance"] - 0.5)
        again = await ask(web, path, name="Bo", other="Ann", game="x01")
        assert again["starts"] == found["starts"][::-1]
        found = await ask(web, path, name="Ann", other="Cy")
        assert (found["label"], found["starts"], found["darts"][1]) == ("101", None, 0)
        found = await ask(web, path, name="Ann", other="Bo", game="cricket")
        assert (found["variant"], found["starts"]) == (None, None)
        assert await get(web, path, name="Ann", other="ann") == (
            400,
            "these are two names of one player: name two players",
        )
        assert await get(web, path, name="Ann") == (404, "name the two players, as in ?name=Ann&other=Bo")


@pytest.mark.slow
def test_in_a_terminal(tmp_path: Path, oche: Saying) -> None:
    config = configure(tmp_path, 1)
    said = oche("stats", "--config", config, "--ratings")
    assert said.output == "There are no ratings: nobody has finished a match against another.\n"
    play_much(tmp_path / "state")
    said = oche("stats", "--config", config, "--ratings")
    assert "101, two players\nplayer" in said.output
    assert "DARTSLIVE 80 %: dartslive.com/us/guide/rating" in said.output
    said = oche("stats", "--config", config, "Ann", "--handicap", "Bo")
    assert said.output.startswith("101: Ann starts from ")
    said = oche("stats", "--config", config, "Ann", "--handicap", "Cy")
    assert said.output.startswith("A handicap needs 60 darts of each in games such as 101. There are: Ann ")
    for typed in (
        ["--handicap", "Bo"],
        ["Ann", "--ratings"],
        ["Ann", "--handicap", "Bo", "--csv"],
        ["Ann", "--handicap", "Bo", "--table", "main"],
        ["--ratings", "--since", "2026-10-01"],
    ):
        assert oche("stats", "--config", config, *typed).status == 2
