"""A league of two places: tables of the same name, persons who are joined and forgotten, and a part of the league."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from psycopg import AsyncConnection, Connection

from daemon.admin import requests
from daemon.collect.bridges import set_place
from daemon.collect.folding import fold_all
from daemon.collect.members import join_persons, rename_member, split_person
from daemon.collect.postgres_source import PostgresSource, Scope
from tests.daemon.evenings import DAY, Evening
from tests.league.offers import IDS, NORTH, SOUTH, forget
from tests.league.postgres import Postgres
from tests.league.sending import connect, list_records, say, send
from tests.league.test_sources import ask, give


@pytest.fixture
def db(postgres: Postgres, league_database: str) -> Iterator[Connection[Any]]:
    with connect(postgres, league_database) as db:
        yield db


@pytest.fixture
def league(db: Connection[Any], tmp_path: Path) -> PostgresSource:
    """Ann wins against Bo at both places, and loses in the south against Cy."""
    for sender in (NORTH, SOUTH):
        folder = tmp_path / sender.name
        with Evening(folder) as evening:
            evening.play("T20 S1 D20", day=0 if sender is NORTH else 40, options={"start": 101})
            if sender is SOUTH:
                evening.play("T20 S1 D20", day=41, players=["Cy", "Ann"], options={"start": 101})
        send(db, *list_records(folder), sender=sender)
    fold_all(db, "1")
    return PostgresSource(lambda: give(db))


def list_players(league: PostgresSource, **given: str) -> list[tuple[str, int, int]]:
    """Names, matches, and wins."""
    found = ask(league, requests.ListFigures(**given))["players"]
    return [(each["name"], each["matches"], each["won"]) for each in found]


def run(db: Connection[Any], work: Any, *given: str) -> None:  # Any: what a command does
    async def connect_and_run() -> None:
        async with await AsyncConnection.connect(db.info.dsn) as other:
            await work(other, *given)

    asyncio.run(connect_and_run())


def test_each_place_has_its_own_tables_and_people(db: Connection[Any], league: PostgresSource) -> None:
    assert list_players(league) == [
        ("Ann · south", 2, 1),
        ("Ann", 1, 1),
        ("Cy", 1, 1),
        ("Bo", 1, 0),
        ("Bo · south", 1, 0),
    ]
    matches = ask(league, requests.ListMatches())["matches"]
    assert [each["table"] for each in matches] == ["south · main", "south · main", "north · main"]
    run(db, set_place, "north", "The Bell")
    assert list_players(league, table="The Bell · main") == [("Ann", 1, 1), ("Bo", 1, 0)]
    assert list_players(league, table="main") == []
    assert len(ask(league, requests.ListMatches(table="south · main"))["matches"]) == 2


def test_who_is_joined_split_or_renamed_is_so_at_once(db: Connection[Any], league: PostgresSource) -> None:
    run(db, join_persons, "Ann", "Ann · south")
    assert list_players(league)[:2] == [("Ann", 3, 2), ("Cy", 1, 1)]
    run(db, rename_member, "Ann", "Annie")
    found = ask(league, requests.ReadFigures(name="annie"))
    assert (found["name"], found["matches"]) == ("Annie", 3)
    assert ask(league, requests.ReadHeadToHead(name="Annie", other="Cy"))["won"] == [0, 1]
    run(db, join_persons, "Annie", "Cy")
    assert list_players(league)[:1] == [("Annie", 2, 2)], "a match of one person twice counts for nobody"
    assert ask(league, requests.ReadFigures(name="Annie"))["matches"] == 2
    run(db, split_person, "Annie", "north")
    assert ("Ann", 1, 1) in list_players(league)


def test_a_forgotten_player_is_nowhere_at_once(db: Connection[Any], league: PostgresSource) -> None:
    say(db, forget("Ann", at=(DAY + timedelta(days=50)).isoformat(), sender=SOUTH))
    for is_folded in (False, True):
        if is_folded:
            assert fold_all(db, "1") == 2
        assert list_players(league) == [("Ann", 1, 1), ("Cy", 1, 1), ("Bo", 1, 0), ("Bo · south", 1, 0)]
        matches = ask(league, requests.ListMatches())["matches"]
        assert [each["players"] for each in matches] == [
            ["Cy", "Forgotten player 2"],
            ["Forgotten player 1", "Bo · south"],
            ["Ann", "Bo"],
        ]


def test_a_part_of_the_league(league: PostgresSource) -> None:
    south = league.narrow(Scope(bridges=(IDS[SOUTH],)))
    assert list_players(south) == [("Ann · south", 2, 1), ("Cy", 1, 1), ("Bo · south", 1, 0)]
    assert ask(south, requests.ReadFigures(name="Ann"))["refused"].startswith("'Ann' has not finished a match")
    late = league.narrow(Scope(since=DAY + timedelta(days=40.5)))
    assert list_players(late) == [("Cy", 1, 1), ("Ann · south", 1, 0)]
    early = league.narrow(Scope(before=DAY + timedelta(days=40)))
    assert list_players(early) == [("Ann", 1, 1), ("Bo", 1, 0)]
    assert len(ask(early, requests.ListMatches())["matches"]) == 1
