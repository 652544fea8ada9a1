"""The persons of a league: made at first sight, joined by what a daemon or the league says, and forgotten."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from psycopg import AsyncConnection

from daemon.admin.history.forget import write_neutral_names
from daemon.collect import forgetting
from daemon.collect.bridges import accept_claim, set_place
from daemon.collect.database import AsyncDatabase
from daemon.collect.intake import take
from daemon.collect.members import join_persons, list_members, propose_joins, rename_member, split_person
from daemon.collect.received import Sender
from daemon.collect.status import read_status
from daemon.errors import UserError
from protocol.league_messages import LeagueForget, LeagueHeard
from protocol.player_names import name_key
from tests.league.offers import IDS, NORTH, SOUTH, forget, make_offer, make_text, players, read, record
from tests.league.postgres import WRITER, Postgres


async def shown(db: AsyncDatabase) -> dict[str, list[str]]:
    """The persons, each with the names and where they are used."""
    return {each.shown: [f"{name}@{where}" for name, where in each.names] for each in await list_members(db)}


async def play(db: AsyncDatabase, *names: str, match: str = "m1", at: str = "2026-09-01T19:00:00Z") -> None:
    await take(db, [record(make_text(names), match, begun_at=at)])


async def test_each_name_of_a_daemon_is_a_person_of_its_own_at_first(db: AsyncDatabase) -> None:
    await play(db, "Ann", "Bo")
    await play(db, "ANN", "Forgotten player 2", match="m2")
    await take(db, [record(make_text(("Ann", "Marvin"), bots=(None, 45)), "m1", SOUTH)])
    assert await shown(db) == {"Ann": ["Ann@north"], "Ann · south": ["Ann@south"], "Bo": ["Bo@north"]}
    assert await propose_joins(db) == [("Ann", "Ann · south")]


async def test_the_league_joins_splits_and_renames(db: AsyncDatabase) -> None:
    await play(db, "Ann", "Bo")
    await take(db, [record(make_text(("Ann", "Cy")), "m1", SOUTH)])
    await set_place(db, "south", "The Bell")
    await join_persons(db, "ann", "Ann · south")
    assert await propose_joins(db) == []
    assert await rename_member(db, "Ann", "Ann Lee") == "Ann Lee"
    assert (await shown(db))["Ann Lee"] == ["Ann@The Bell", "Ann@north"]
    with pytest.raises(UserError, match="another person is shown as bo"):
        await rename_member(db, "Ann Lee", "bo")
    with pytest.raises(UserError, match="the league shows nobody as 'Ann Le'; did you mean 'Ann Lee'"):
        await rename_member(db, "Ann Le", "Anne")
    with pytest.raises(UserError, match="Bo has no name at south"):
        await split_person(db, "Bo", "south")
    assert await split_person(db, "Ann Lee", "south") == ["Ann"]
    assert await shown(db) == {
        "Ann": ["Ann@The Bell"],
        "Ann Lee": ["Ann@north"],
        "Bo": ["Bo@north"],
        "Cy": ["Cy@The Bell"],
    }


async def test_a_daemon_renames_joins_and_separates_its_players(db: AsyncDatabase) -> None:
    await play(db, "Ann", "Bo", "Annie", "Bob")
    message = players([("Anna", ("Ann", "Annie")), ("Bob", ("Bo", "Bob"))])
    (heard,) = await take(db, [message])
    assert heard.message == LeagueHeard(message.message.sha256)
    assert await shown(db) == {"Anna": ["Ann@north", "Anna@north", "Annie@north"], "Bob": ["Bo@north", "Bob@north"]}
    await take(db, [message])
    await take(db, [players([("Bob", ("Bo", "Bob"))])])
    assert {frozenset(names) for names in (await shown(db)).values()} == {
        frozenset(names) for names in (["Ann@north"], ["Anna@north"], ["Annie@north"], ["Bo@north", "Bob@north"])
    }


async def test_names_of_one_player_become_two_players(db: AsyncDatabase) -> None:
    await play(db, "Ann", "Annie", "Bo", "Bob")
    await take(db, [players([("Ann", ("Annie", "Bo", "Bob"))])])
    assert await shown(db) == {"Ann": ["Ann@north", "Annie@north", "Bo@north", "Bob@north"]}
    await take(db, [players([("Ann", ("Annie",)), ("Bob", ("Bo",))])])
    assert await shown(db) == {"Ann": ["Ann@north", "Annie@north"], "Bob": ["Bo@north", "Bob@north"]}


async def test_what_the_league_has_joined_stays_joined_when_a_daemon_renames(db: AsyncDatabase) -> None:
    await play(db, "Ann", "Bo")
    await take(db, [record(make_text(("Ann", "Cy")), "m1", SOUTH)])
    await join_persons(db, "Ann", "Ann · south")
    await take(db, [players([("Anna", ("Ann",))])])
    assert (await shown(db))["Ann"] == ["Ann@north", "Ann@south", "Anna@north"]


async def texts(db: AsyncDatabase) -> list[str]:
    rows = await (
        await db.execute("select record from oche.match union all select record from oche.edition")
    ).fetchall()
    return [zlib.decompress(text).decode() for (text,) in rows]


async def test_a_forgotten_player_is_nowhere_and_does_not_come_back(db: AsyncDatabase) -> None:
    first, contradicting = make_text(("Ann", "Bo")), make_text(("Ann", "Bo"), ("MISS",))
    await take(db, [record(first), record(contradicting), read("league_offer", {"match": "Ann"})])
    await play(db, "Ann", "Bo", match="m2")
    await play(db, "Ann", "Bo", match="later", at="2026-10-02T00:00:00Z")
    await take(db, [record(make_text(("Ann", "Cy")), "m1", SOUTH)])
    (heard,) = await take(db, [forget("ANN", "Annie")])
    left = "The name may still be in backups of the league's database, until they are replaced."
    assert heard.message == LeagueHeard("f1", 2, left)
    assert await take(db, [forget("ANN", "Annie")]) == [heard], "said again"
    named = [text for text in await texts(db) if '"Ann"' in text]
    assert len(named) == 2, "one of another daemon, one that began later"
    restored = [record(first), record(make_text(("ann", "Bo")), "m3"), record(make_text(("Ann", "Bo"), ("T20",)), "m2")]
    assert [answer.message.answer for answer in await take(db, restored)] == ["kept", "kept", "known_more"]  # type: ignore[union-attr]
    assert [text for text in await texts(db) if '"ann"' in text.lower()] == named
    assert "Ann" in await shown(db), "of the match that began later"
    row = await (await db.execute("select count(payload), count(*) from oche.unreadable")).fetchone()
    assert row == (0, 1)


async def test_what_was_said_of_a_player_before_the_forgetting_brings_no_name_back(db: AsyncDatabase) -> None:
    """Another collector has it late. Who plays under that name from then on is another player."""
    await play(db, "Ann", "Annie", "Bo")
    late = players([("Anna", ("Ann", "Annie")), ("Bob", ("Bo", "Ann"))])
    await take(db, [forget("Ann", "Anna", "Annie")])
    assert len(await take(db, [late])) == 1
    assert await shown(db) == {"Bob": ["Bo@north", "Bob@north"]}
    await play(db, "Ann", "Cy", match="later", at="2026-10-02T00:00:00Z")
    await take(db, [players([("Lee", ("Ann",))])])
    assert (await shown(db))["Lee"] == ["Ann@north", "Lee@north"]


async def test_what_is_trained_loses_the_title_with_the_name(db: AsyncDatabase) -> None:
    """And the daemon, which does the same before or after it, contradicts nothing."""
    exercises = [{"game": "101", "options": {}, "title": "Ann at 101"}]
    routine = {"name": "anns-own", "title": "Ann's own", "exercises": exercises, "at": 0, "results": []}
    named = make_text(("Ann", "Bo"), routine=routine)
    await take(db, [record(named), forget("Ann")])
    header = write_neutral_names(msgspec.json.decode(named.partition(b"\n")[0]), {"ann"})
    assert [text for text in await texts(db) if "Ann" in text] == []
    neutral = make_text(header["players"], routine=header["routine"])
    await take(db, [record(neutral), record(named)])
    assert await texts(db) == [neutral.decode()]
    await take(db, [record(make_text(("Cy", "Bo"), routine={**routine, "title": "Cy's own"}), "m2")])
    uncounted = make_text(("Forgotten player 1", "Bo"), routine={**routine, "title": "routine"})
    await take(db, [record(uncounted, "m2")])
    assert (await read_status(db)).conflicts == []
    assert [text for text in await texts(db) if "Cy" in text] == []


async def test_what_cannot_be_read_keeps_no_forgotten_name(db: AsyncDatabase) -> None:
    """Neither what came from the daemon under its former name, nor what comes late."""
    moved = Sender("oche", "moved")
    await take(db, [record(make_text(("Ann", "Bo"))), read("league_offer", {"match": "Ann"})])
    await take(db, [read("league_offer", make_offer(make_text(), bridge_id=IDS[NORTH].hex), moved)])
    await accept_claim(db, "north", "oche/bridge/moved")
    await take(db, [read("league_offer", {"match": "Ann"}, moved)])
    await take(
        db, [read("league_forget", LeagueForget(1, IDS[NORTH].hex, "f1", ("Ann",), "2026-10-01T12:00:00Z"), moved)]
    )
    await take(db, [read("league_offer", {"match": "Ann", "late": True}, moved)])
    await take(db, [read("league_offer", {"match": "Ann"}, SOUTH)])
    rows = await (await db.execute("select name, payload is null from oche.unreadable order by id")).fetchall()
    assert rows == [("north", True), ("moved", True), ("moved", True), ("south", False)]


async def test_a_person_without_a_name_is_gone(db: AsyncDatabase) -> None:
    await play(db, "Ann", "Bo")
    await take(db, [record(make_text(("Ann", "Cy")), "m1", SOUTH)])
    await join_persons(db, "Ann", "Ann · south")
    await take(db, [forget("Bo", id="f2"), forget("Ann")])
    assert await shown(db) == {"Ann": ["Ann@south"], "Cy": ["Cy@south"]}


async def test_what_points_to_a_person_keeps_it_without_a_name(postgres: Postgres) -> None:
    """After a join it says who the person is now, after a forgetting it says nobody."""
    async with await AsyncConnection.connect(postgres.url(postgres.create_league(), WRITER), autocommit=True) as db:
        await play(db, "Ann", "Bo", "Cy", "Dee")
        await db.execute("create table oche.pointing (person_id bigint references oche.person)")
        await db.execute("insert into oche.pointing select id from oche.person where shown <> 'Cy'")
        await join_persons(db, "Dee", "Bo")
        await take(db, [players([("Cy", ("Cy", "Dee"))]), forget("Ann")])
        found = await db.execute(
            "select p.shown, other.shown from oche.person p left join oche.person other on other.id = p.joined_to"
        )
        rows = sorted((name.rstrip("0123456789"), other) for name, other in await found.fetchall())
        assert rows == [("Bo", "Cy"), ("Cy", None), ("Dee", "Cy"), ("Forgotten player ", None)]
        assert await shown(db) == {"Cy": ["Bo@north", "Cy@north", "Dee@north"]}


@pytest.mark.parametrize(
    ("forgotten_at", "begun_at"),
    [
        ("1970-01-01T00:10:00Z", "2026-09-01T19:00:00Z"),
        ("2026-10-01T12:00:00Z", "2099-01-01T00:00:00Z"),
        ("2099-01-01T12:00:00Z", "2026-09-01T19:00:00Z"),
    ],
)
async def test_a_name_is_forgotten_whatever_the_clock_of_the_daemon_shows(
    db: AsyncDatabase, forgotten_at: str, begun_at: str
) -> None:
    await play(db, "Ann", "Bo", at=begun_at)
    await take(db, [forget("Ann", at=forgotten_at)])
    await play(db, "Ann", "Bo", match="m2", at=begun_at)
    assert len(await texts(db)) == 2
    assert not [text for text in await texts(db) if "Ann" in text]


async def test_a_name_is_forgotten_whatever_the_clock_of_the_collector_shows(
    db: AsyncDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    await play(db, "Ann", "Bo")
    with monkeypatch.context() as patched:
        patched.setattr(forgetting, "_read_clock", lambda: datetime(1970, 1, 1, tzinfo=UTC))  # until it was set
        assert await take(db, [forget("Bo", at="1970-01-01T00:10:00Z", id="f2")]) == [], "it is to be said again"
        assert len(await take(db, [forget("Ann")])) == 1
        await play(db, "Ann", "Bo", match="m2")
        await play(db, "Ann", "Cy", match="m3", at="2026-11-01T19:00:00Z")
    await play(db, "Ann", "Bo", match="m4")
    await take(db, [forget("Bo", at="1970-01-01T00:10:00Z", id="f2")])
    assert [text for text in await texts(db) if "Bo" in text] == []
    assert ["Cy" in text for text in await texts(db) if "Ann" in text] == [True], "who was called so later"


@settings(max_examples=5)
@given(names=st.lists(st.text(min_size=1, max_size=60), min_size=1, max_size=5))
def test_any_name_is_a_name_and_nothing_else(postgres: Postgres, names: Sequence[str]) -> None:
    """What people call themselves reaches the database as a parameter: it changes no other row."""
    asyncio.run(_play_with(postgres, [*names, "'; drop schema oche cascade; --", "%s", '{"', "\\", "a,b"]))


async def _play_with(postgres: Postgres, names: Sequence[str]) -> None:
    address = postgres.url(postgres.empty_league(), WRITER)
    async with await AsyncConnection.connect(address, autocommit=True) as db:
        clean = [name for name in names if "\0" not in name]
        any_names = read("league_offer", make_offer(make_text(names)))
        await take(db, [any_names, record(make_text(clean), "m2", SOUTH)])
        keys = {key for name in clean if (key := name_key(name))}
        found = await db.execute("select name_key from oche.person_name where bridge_id = %s", [IDS[SOUTH]])
        rows = await found.fetchall()
        assert {key for (key,) in rows} == keys
        await take(db, [forget(*clean, sender=SOUTH)])
        found = await db.execute("select names from oche.match where bridge_id = %s", [IDS[SOUTH]])
        assert await found.fetchall() == [([],)]
