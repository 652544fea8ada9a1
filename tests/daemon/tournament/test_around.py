"""What a tournament has to do with the rest: walls, players who are forgotten, seeding, backups."""

from __future__ import annotations

from pathlib import Path

import aiohttp
from msgspec.structs import replace

from daemon.admin.temporary import TOURNAMENTS
from daemon.tournament.store import FILE
from daemon.tournament.walls import Walls
from protocol.tournament import End, Enter
from tests.daemon.backups import list_names, make_backup
from tests.daemon.evenings import Evening
from tests.daemon.process import Saying, eventually
from tests.daemon.test_forget import find_in_files
from tests.daemon.tournament.playing import SPEC, begin, enter, planned, run_desk, win
from tests.daemon.tournament.unplayed import configure_tables

FOUR = ("Ann", "Bo", "Cy", "Di")


async def test_the_displays_of_a_table_are_told_who_plays_there(tmp_path: Path) -> None:
    async with run_desk(configure_tables(tmp_path)) as (running, desk), aiohttp.ClientSession(running.page) as web:
        found = await begin(desk, FOUR, ("main",))
        await planned(running.tables["main"], found)

        async def read() -> str:
            async with web.get("/api/table/main/events") as stream:
                told = [await stream.content.readuntil(b"\n\n") for _ in range(6)]
            return next((each.decode() for each in told if each.startswith(b"event: tournament")), "")

        told = await read()
        assert '"name":"Friday"' in told
        assert '"table":{"match":"winners-1-1","sides":["Ann","Di"],"table":"main","status":"called"' in told
        await desk.do(found.id, End(), "organiser")
        await eventually(lambda: found.view.phase == "over")


async def test_a_table_of_two_tournaments_shows_whose_match_it_has(tmp_path: Path) -> None:
    async with run_desk(configure_tables(tmp_path)) as (running, desk):
        one = await begin(desk, ("Ann", "Bo"), ("main",))
        await planned(running.tables["main"], one)
        other = await begin(desk, ("Cy", "Di"), ("main",), replace(SPEC, name="Saturday"))
        told: list[str | None] = []
        walls = Walls(("main", "second"), lambda _, news: told.append(getattr(news, "name", None)))
        for found in (other, one, other):
            walls.show(found.view)
        assert told == ["Saturday", "Friday"]
        walls.show(replace(one.view, phase="over"))
        walls.show(replace(other.view, phase="over"))
        assert told == ["Saturday", "Friday", "Saturday", None]


async def test_a_forgotten_player_is_in_no_tournament_any_more(tmp_path: Path) -> None:
    async with run_desk(configure_tables(tmp_path)) as (running, desk), aiohttp.ClientSession(running.page) as web:
        made = await desk.make(SPEC)
        await enter(desk, made, ("Zoë", "Bo"))
        async with web.post("/api/players/forget", json={"name": "zoë", "sure": True}) as answer:
            assert answer.status == 200, await answer.text()
        assert [each.name for each in (await desk.find(made)).view.entrants] == ["Forgotten player 1", "Bo"]
        assert find_in_files(tmp_path / "state", "Zoë") == []
        await desk.do(made, Enter(("Cy",)), "organiser")  # it goes on


async def test_who_is_seeded_by_rating_has_the_average_of_the_last_days(tmp_path: Path) -> None:
    async with run_desk(configure_tables(tmp_path)) as (running, desk):
        found = await begin(desk, ("Ann", "Bo"), ("main",))
        await planned(running.tables["main"], found)
        await win(running.tables["main"], "Ann")
        await eventually(lambda: found.view.phase == "over")
        made = await desk.make(replace(SPEC, seeding="rating"))
        await enter(desk, made, ("ann", "Eve"))
        ann, eve = (await desk.find(made)).view.entrants
        assert (ann.average, ann.darts) == (101.0, 3)
        assert (eve.average, eve.darts) == (None, 0)


async def test_a_rating_of_five_matches_seeds(tmp_path: Path) -> None:
    with Evening(tmp_path / "state") as evening:
        for day in range(5):
            evening.play("T20 S1 D20", day=day, players=["Ann", "Bo"], options={"start": 101})
        evening.play("T20 S1 D20", day=6, players=["Cy", "Ann"], options={"start": 101})
    async with run_desk(configure_tables(tmp_path)) as (_, desk):
        made = await desk.make(replace(SPEC, seeding="rating"))
        await enter(desk, made, ("bo", "Ann", "Cy"))
        bo, ann, cy = (await desk.find(made)).view.entrants
        assert ann.rating is not None
        assert bo.rating is not None
        assert ann.rating > 1500 > bo.rating
        assert cy.rating is None, "of one match"


async def test_those_who_enter_in_a_row_are_seeded_from_one_reading_of_the_history(tmp_path: Path) -> None:
    with Evening(tmp_path / "state", "old") as evening:
        for day in range(5):
            evening.play("T20 S1 D20", day=day, players=["Ann", "Bo"], options={"start": 101})
    async with run_desk(configure_tables(tmp_path)) as (_, desk):
        made = await desk.make(replace(SPEC, seeding="rating"))
        await enter(desk, made, ("Ann",))
        (tmp_path / "state" / "old.sqlite3").unlink()
        await enter(desk, made, ("Bo",))
        other = await desk.make(replace(SPEC, seeding="rating", game="cricket", options={}))
        await enter(desk, other, ("Ann",))
        both = [each for name in (made, other) for each in (await desk.find(name)).view.entrants]
        assert [each.rating is None for each in both] == [False, False, True]


def test_a_backup_has_the_tournaments(oche: Saying, tmp_path: Path) -> None:
    config = tmp_path / "oche.toml"
    configure_tables(tmp_path)
    (tmp_path / "state").mkdir()
    for name in (FILE, f"{FILE}-wal"):
        (tmp_path / "state" / name).touch()
    names = list_names(make_backup(oche, config))
    assert f"state/{FILE}" in names
    assert f"state/{FILE}-wal" not in names
    assert FILE == TOURNAMENTS
