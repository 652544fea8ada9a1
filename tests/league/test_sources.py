"""The history of a daemon and that of a league: the same questions, held to the same answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from psycopg import Connection

from daemon.admin import requests
from daemon.admin.answers import File, Refused
from daemon.admin.history.history import History
from daemon.admin.history.journal_source import JournalSource
from daemon.admin.history.reader import FiguresReader
from daemon.admin.history.source import HistorySource
from daemon.admin.players.book import PlayerBook
from daemon.admin.requests import ChangePlayer
from daemon.collect.folding import fold_all, fold_some
from daemon.collect.postgres_source import PostgresSource
from daemon.errors import UserError
from engine.scatter import FEWEST_AIMED
from protocol.layouts import find_layout
from protocol.player_names import name_key
from tests.daemon.evenings import DAY, Evening
from tests.daemon.seasons import Season
from tests.league.postgres import Postgres
from tests.league.sending import connect, list_records, send, send_players

JSON = dict[str, Any]  # Any: JSON
Open = Callable[[Path], HistorySource]


def open_journals(folder: Path) -> JournalSource:
    return JournalSource(History(folder, dict.fromkeys(("main", "kitchen"), find_layout("standard")), "1"))


@contextmanager
def give(db: Connection[Any]) -> Iterator[Connection[Any]]:
    yield db


def open_league(db: Connection[Any]) -> PostgresSource:
    return PostgresSource(lambda: give(db), show_places=False)


@pytest.fixture
def db(postgres: Postgres, league_database: str) -> Iterator[Connection[Any]]:
    with connect(postgres, league_database) as db:
        yield db


@pytest.fixture(params=["journals", "database"])
def source(request: pytest.FixtureRequest) -> Open:
    """Opens the history in this folder: as it is, or once a league has it."""
    if request.param == "journals":
        return open_journals
    db: Connection[Any] = request.getfixturevalue("db")

    def collect(folder: Path) -> HistorySource:
        send(db, *list_records(folder))
        send_players(db, folder)
        fold_all(db, "1")
        return open_league(db)

    return collect


def ask(source: HistorySource, request: requests.FiguresRequest) -> JSON:
    """What is answered; a refusal is `{"refused": why}`, and a file `{"file": its content}`."""
    try:
        answer = FiguresReader(source).answer(request)
    except Refused as error:
        return {"refused": str(error.args[1])}
    if isinstance(answer, File):
        return {"name": answer.name, "file": str(answer.content)}
    found: JSON = json.loads(bytes(answer))
    return found


def play_evenings(folder: Path) -> None:
    with Evening(folder) as evening:
        evening.play("T20 S1 D20", options={"start": 101})
        evening.throw(1, day=1, players=["Ann", "Bot"], bots=[None, 40], options={"start": 101})
        evening.throw(2, day=2, game="burma_road", players=["Ann", "a/b?<&"])
        for day, darts in enumerate(("SB MISS MISS", "DB SB SB"), 3):
            evening.play(darts, day=day, game="eagles_eye", players=["Gil"], options={"rounds": 1})
        evening.play("T20 T20 T20 / S1", {"stop": True}, day=6)
        evening.play("T20 S1 D20", day=7, players=["Ann", "Bo", "Cy"], teams=[[0, 2], [1]], options={"start": 101})
        evening.throw(4, day=40, game="cricket", players=["Bo", "Cy"])


def test_all_players(source: Open, tmp_path: Path) -> None:
    play_evenings(tmp_path)
    opened = source(tmp_path)
    found = ask(opened, requests.ListFigures())
    assert [(each["name"], each["matches"], each["stopped"]) for each in found["players"]] == [
        ("Ann", 5, 1),
        ("Bo", 4, 1),
        ("Cy", 2, 0),
        ("Gil", 2, 0),
        ("a/b?<&", 1, 0),
    ]
    assert found["unread"] == 0
    found = ask(opened, requests.ListFigures(bots="1", game="x01"))
    assert [(each["name"], each["is_bot"], each["matches"]) for each in found["players"]] == [
        ("Ann", False, 4),
        ("Bo", False, 3),
        ("Bot", True, 1),
        ("Cy", False, 1),
    ]
    found = ask(opened, requests.ListFigures(since="2026-10-09", table="main"))
    assert [(each["name"], each["label"]) for each in found["players"]] == [
        ("Bo", "501"),
        ("Cy", "101"),
        ("Ann", "501"),
    ]
    assert ask(opened, requests.ListFigures(table="bar"))["players"] == []


def test_a_player(source: Open, tmp_path: Path) -> None:
    play_evenings(tmp_path)
    opened = source(tmp_path)
    found = ask(opened, requests.ReadFigures(name="ANN"))
    assert (found["name"], found["matches"], found["stopped"]) == ("Ann", 5, 1)
    assert [(game["title"], game["matches"], game["face"]) for game in found["games"]] == [
        ("101", 3, "standard"),
        ("Burma Road", 1, "standard"),
        ("501", 1, "standard"),
    ]
    assert found["games"][0]["figures"]["best_leg"] == 3
    (game,) = ask(opened, requests.ReadFigures(name="Gil"))["games"]
    assert [(result["value"], result["is_best"]) for result in game["results"]] == [(25, False), (100, True)]
    first, second = game["results"]
    found = ask(opened, requests.ReadBest(first["match"]))
    assert (found["result"], found["best"]) == (first, second)


def test_how_darts_scatter_is_pooled_over_matches(source: Open, tmp_path: Path) -> None:
    with Evening(tmp_path) as evening:
        for seed in range(4):
            evening.throw(seed, 15.0, day=seed, off=(40, -90), players=["Ann"])
        evening.throw(9, 15.0, day=5, players=["Ann"])
    (game,) = ask(source(tmp_path), requests.ReadFigures(name="Ann"))["games"]
    measured, landed = game["figures"]["measured"], sum(game["figures"]["hits"].values())
    assert FEWEST_AIMED < measured["aimed"] <= measured["darts"] == sum(measured["cells"].values()) < landed
    scatter = measured["scatter"]
    assert (scatter["darts"], next(iter(measured["beds"]))) == (measured["aimed"], "T20")
    assert abs(scatter["right_mm"] - 4) < 4
    assert abs(scatter["up_mm"] + 9) < 4
    assert abs(scatter["deviation_mm"] - 15) < 4
    assert 15 < measured["grouping_mm"] < 36


def test_what_is_not_there(source: Open, tmp_path: Path) -> None:
    play_evenings(tmp_path)
    opened = source(tmp_path)
    for query, why in (
        (requests.ReadFigures(name="Anne"), "'Anne' has not finished a match; did you mean 'Ann'?"),
        (requests.ReadFigures(name="Bot"), "'Bot' is a bot: add bots=1"),
        (
            requests.ReadFigures(name="Gil", game="cricket"),
            "'Gil' has not finished a match of 'cricket'; finished: eagles_eye (rounds 1)",
        ),
        (requests.ReadMatch("none"), "there is no finished match with this id"),
        (requests.ReadHeadToHead(name="Ann", other="ann"), "these are two names of one player: name two players"),
    ):
        assert ask(opened, query) == {"refused": why}
    assert ask(opened, requests.ReadHeadToHead(name="Ann", other="Zoe"))["won"] == [0, 0]


def test_a_match_that_may_go_on_keeps_its_darts(source: Open, tmp_path: Path) -> None:
    with Evening(tmp_path) as evening:
        first = evening.play("T20", {"stop": True}, day=0)
        last = evening.play("T19", {"stop": True}, day=1)
    opened = source(tmp_path)
    assert ask(opened, requests.ReadMatch(first))["steps"] > 0
    assert ask(opened, requests.ReadMatch(last))["steps"] == 0
    with pytest.raises(UserError, match="an undo can still continue this match"):
        ask(opened, requests.ReadRecord(last))


def test_what_went_on_at_another_table_counts_once(source: Open, tmp_path: Path) -> None:
    with Evening(tmp_path) as evening, Evening(tmp_path, "kitchen") as kitchen:
        stopped = evening.play("T20", {"stop": True}, day=0, options={"start": 101})
        kitchen.play("T20 S1 D20", day=0.1, options={"start": 101}, continues=stopped)
    opened = source(tmp_path)
    (ann, _) = ask(opened, requests.ListFigures())["players"]
    assert (ann["name"], ann["matches"], ann["darts"]) == ("Ann", 1, 3)
    assert len(ask(opened, requests.ListMatches())["matches"]) == 1


class PlainSeason(Season):
    """One in which each name is spelled in one way: a league has one for each person."""

    spellings = (str.title,)


def list_requests(folder: Path, people: list[str]) -> Iterator[requests.FiguresRequest]:
    """Everything that a page asks, over all that is in this folder, more or less."""
    days = [DAY + timedelta(days=day) for day in (-1, 0.5, 3, 6.6, 28)]
    moments = [each.isoformat() for each in days]
    for game in (None, "x01", "101", "count_up (rounds 1)", "Count-up"):
        for since in (None, *moments):
            for table in (None, "kitchen"):
                yield requests.ListFigures(game, since, table)
                yield requests.ListFigures(game, since, table, bots="1")
                yield requests.ListMatches(game, since, table)
                yield requests.ReadHeadToHead(game, since, table, name=people[0], other=people[1])
    for one, other in pairwise((*people, people[0])):
        yield requests.ReadHeadToHead(name=one, other=other)
        yield requests.ReadFigures(name=one)
        yield requests.ReadFigures(since=moments[2], name=one)
        yield requests.ListMatches(player=one, before=moments[3])
        yield requests.ReadHandicap(game="501", name=one, other=other)
    yield from (requests.ReadRatings(game) for game in (None, "x01", "101"))
    yield from (requests.ReadLeague(month) for month in (None, "2026-10", "2026-11", "2027-01"))
    for start, end in pairwise(days):
        week = min(end, start + timedelta(days=7))
        yield requests.ReadEvening(start.isoformat(), week.isoformat())
        yield requests.ReadWeek(before=end.isoformat())
    for n, (_, stored) in enumerate(list_records(folder)):
        yield requests.ReadBest(stored.id)
        if n % 7 == 0:
            yield requests.ReadMatch(stored.id)
            yield requests.ReadSteps(stored.id, "2")
            yield requests.ReadGhost(stored.id, people[0])
    yield from (requests.ReadFigures(name=name) for name in ("Robot", "nobody"))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [4, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(20) if seed != 4)])
def test_whatever_order_records_come_in_a_league_says_what_the_journals_say(
    tmp_path: Path, db: Connection[Any], seed: int
) -> None:
    season, random = PlainSeason(tmp_path, seed), Random(seed)
    for _ in range(4):
        season.play(8)
        now = list_records(tmp_path)
        some = random.sample(now, len(now) // 2)  # some of them are changed later, others come again
        while some:
            send(db, *some[:5])
            del some[:5]
            fold_some(db, "1", most=3)
        for _ in range(2):
            season.change_names()
        count_everyone(tmp_path)
        if random.random() < 0.5:
            send_players(db, tmp_path)
    now = list_records(tmp_path)
    send(db, *random.sample(now, len(now)))
    fold_all(db, "1")
    send_players(db, tmp_path)  # shows at once
    journals, league = open_journals(tmp_path), open_league(db)
    for request in list_requests(tmp_path, season.list_people()):
        assert ask(league, request) == ask(journals, request), request


def count_everyone(folder: Path) -> None:
    """What is sent without the names of those who do not count is another match, in lists."""
    book = PlayerBook(folder)
    for each in book.list_players():
        if name_key(each.name) in book.read_names().uncounted:
            book.change(msgspec.convert({"name": each.name, "counts": True}, ChangePlayer))
