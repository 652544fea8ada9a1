"""What becomes of a record in the database of a league, and what the daemon is answered."""

from __future__ import annotations

import zlib
from datetime import timedelta

import pytest
from msgspec.structs import replace
from psycopg import AsyncConnection

from daemon.collect.bridges import accept_claim, list_bridges
from daemon.collect.database import AsyncDatabase
from daemon.collect.intake import take
from daemon.collect.received import Received, Sender
from daemon.collect.records import drop_old_editions
from daemon.collect.status import read_status
from daemon.errors import UserError
from protocol.league_messages import LeagueTaken
from tests.league.offers import IDS, NORTH, make_offer, make_text, read, record
from tests.league.postgres import WRITER, Postgres

SHORT, LONG = make_text(darts=("T20",)), make_text(darts=("T20", "T19", "DB"))
OTHER = make_text(darts=("MISS", "MISS"))


async def answers(db: AsyncDatabase, *received: Received) -> list[tuple[str, int | None]]:
    """Takes them; returns the answers and the lines in them."""
    found = [answer.message for answer in await take(db, received)]
    assert all(isinstance(each, LeagueTaken) and each.by == "league" for each in found)
    return [(each.answer, each.lines or None) for each in found if isinstance(each, LeagueTaken)]


async def texts(db: AsyncDatabase) -> list[bytes]:
    """The records of the matches, the newest edition of each."""
    rows = await (await db.execute("select record from oche.match order by match")).fetchall()
    return [zlib.decompress(text) for (text,) in rows]


async def editions(db: AsyncDatabase) -> list[tuple[str, bytes, bool]]:
    rows = await (await db.execute("select state, record, kept_until from oche.edition order by 1, lines")).fetchall()
    return [(state, zlib.decompress(text), until is not None) for state, text, until in rows]


async def test_a_record_is_kept_as_it_came_once(db: AsyncDatabase) -> None:
    assert await answers(db, record(SHORT), record(SHORT), record(LONG, "m2")) == [("kept", None)] * 3
    assert await answers(db, record(SHORT)) == [("kept", None)]
    assert await texts(db) == [SHORT, LONG]
    row = await (await db.execute("select table_name, layout, names, fold_state from oche.match")).fetchone()
    assert row == ("main", "standard", ["ann", "bo"], "new")


async def test_a_longer_edition_replaces_and_a_shorter_one_does_not(db: AsyncDatabase) -> None:
    await take(db, [record(SHORT)])
    await db.execute("update oche.match set fold_state = 'folded', fold_reason = ''")
    assert await answers(db, record(LONG)) == [("kept", None)]
    assert await texts(db) == [LONG]
    assert await editions(db) == [("replaced", SHORT, True)]
    assert await (await db.execute("select fold_state, lines from oche.match")).fetchone() == ("new", 4)
    assert await answers(db, record(SHORT)) == [("known_more", 4)]
    assert await answers(db, record(make_text())) == [("known_more", 4)]
    assert await texts(db) == [LONG]


async def test_a_former_edition_goes_after_its_time(db: AsyncDatabase) -> None:
    await take(db, [record(SHORT), record(LONG)])
    row = await (await db.execute("select kept_until - replaced_at from oche.edition")).fetchone()
    assert row == (timedelta(days=90),)
    await drop_old_editions(db)
    assert len(await editions(db)) == 1
    await db.execute("update oche.edition set kept_until = now() - interval '1 s'")
    await drop_old_editions(db)
    assert await editions(db) == []


async def test_of_contradicting_editions_both_are_kept_and_the_newest_counts(db: AsyncDatabase) -> None:
    await take(db, [record(SHORT), record(OTHER)])
    assert await texts(db) == [OTHER]
    assert await editions(db) == [("conflict", SHORT, False)]
    assert await answers(db, record(SHORT)) == [("kept", None)], "said again, late"
    assert await texts(db) == [OTHER]
    assert [each[:3] for each in (await read_status(db)).conflicts] == [("oche/bridge/north", "main", "m1")]


async def test_contradicting_editions_are_bounded(db: AsyncDatabase) -> None:
    for number in range(30):
        await take(db, [record(make_text(darts=[f"D{number}"]))])
    assert len(await editions(db)) == 20
    assert await texts(db) == [make_text(darts=["D29"])]


async def test_other_names_replace_and_leave_no_former_name(db: AsyncDatabase) -> None:
    await take(db, [record(SHORT), record(LONG)])
    hidden = make_text(("Forgotten player 1", "Bo"), ("T20", "T19", "DB"))
    assert await answers(db, record(hidden)) == [("kept", None)]
    assert await texts(db) == [hidden]
    assert await editions(db) == []


async def test_another_header_contradicts(db: AsyncDatabase) -> None:
    await take(db, [record(SHORT), record(make_text(darts=("T20", "T19"), seed="other"))])
    assert [state for state, _, _ in await editions(db)] == ["conflict"]


async def test_two_machines_with_one_id_are_told_until_the_league_decides(db: AsyncDatabase) -> None:
    copy = Sender("oche", "copy")
    id_of_north = IDS[NORTH].hex
    offered = read("league_offer", make_offer(LONG, "m2", bridge_id=id_of_north), copy)
    await take(db, [record(SHORT)])
    (refused,) = await take(db, [offered])
    assert refused.sender == copy
    assert isinstance(refused.message, LeagueTaken)
    assert refused.message.answer == "not_taken"
    assert "as that of oche/bridge/north: if its folder was copied, delete bridge.uuid" in str(refused.message.reason)
    assert await answers(db, record(SHORT)) == [("kept", None)]
    assert [each.claims for each in await list_bridges(db)] == [["oche/bridge/copy"]]
    with pytest.raises(UserError, match="the id of north did not come from oche/bridge/other"):
        await accept_claim(db, "north", "oche/bridge/other")
    await accept_claim(db, id_of_north, "oche/bridge/copy")
    assert await answers(db, offered) == [("kept", None)]
    assert await answers(db, record(SHORT)) == [("not_taken", None)]
    assert await texts(db) == [SHORT, LONG]


async def test_what_the_database_refuses_holds_up_nothing(postgres: Postgres) -> None:
    """A layout that no check of ours knows to be wrong: the database says so."""
    async with await AsyncConnection.connect(postgres.url(postgres.create_league(), WRITER), autocommit=True) as db:
        await db.execute("alter table oche.match add constraint no_such check (layout <> 'odd')")
        odd = replace(record(SHORT, "odd"), layout="odd")
        assert await answers(db, record(SHORT), odd, record(LONG, "m2")) == [
            ("kept", None), ("not_taken", None), ("kept", None),
        ]  # fmt: skip
        assert await texts(db) == [SHORT, LONG]
        assert (await read_status(db)).unreadable == [("oche/bridge/north", "it cannot be kept: CheckViolation", 1)]


BAD = (
    b"",
    b"{}\n",
    b'{"players":[1]}\n',
    b'{"players":[]}\n[]\n',
    b'{"players":["a\\u0000"]}\n',
    b'{"players":[]}\nno\n',
    b'{"players":[],"bots":3}\n',
    b'{"players":["' + b"a" * 201 + b'"]}\n',
)


async def test_poison_is_kept_with_its_reason_and_answered(db: AsyncDatabase) -> None:
    for number, text in enumerate(BAD):
        offer = make_offer(text, f"bad{number}", lines=max(1, text.count(b"\n")))
        assert await answers(db, read("league_offer", offer), record(SHORT)) == [("not_taken", None), ("kept", None)]
        await take(db, [read("league_offer", offer)])
    found = (await read_status(db)).unreadable
    assert {bridge for bridge, _, _ in found} == {"oche/bridge/north"}
    assert sum(times for _, _, times in found) == 2 * len(BAD)
    assert all(reason for _, reason, _ in found)


async def test_poison_is_bounded_for_each_daemon(db: AsyncDatabase) -> None:
    await take(db, [read("league_offer", ["x", number]) for number in range(110)])
    await take(db, [read("league_offer", ["x" * 70_000])])
    row = await (await db.execute("select count(*), max(length(payload)) from oche.unreadable")).fetchone()
    assert row == (100, 65_536)
