"""A match of NewTon's organiser is planned at a table, played on its board, and goes back as NewTon's message."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import segno
from msgspec import UNSET
from msgspec.structs import replace

from daemon.table.table import Table
from protocol.newton import Assignment, Leg, NewtonResult, check_result, decode, encode, pack_leg, report
from tests.commanding import give
from tests.daemon.tournament_place import Answer, Place, run_place

ASSIGNED = Assignment(
    mid="GRAND-FINAL",
    tid="1790000000000",
    sid="0a1b2c3d4e5f",
    p1="Jürgen",
    p2="Zoë",
    sc=101,
    bo=3,
    ln=12,
    ts=1790000000,
)
WINS = "T20 S1 D20"
MISSES = "MISS MISS MISS /"


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    async with run_place(tmp_path) as place:
        yield place


async def assign(place: Place, assigned: Assignment = ASSIGNED, table: str = "main", token: str = "") -> Answer:
    """Pastes the text of its code at the page of a table."""
    return await place.post(f"/api/newton?table={table}", {"text": encode(assigned)}, token or place.play)


async def throw(table: Table, *darts: str) -> None:
    """Darts, with `/` for next."""
    for dart in " ".join(darts).split():
        await give(table, {"next": True} if dart == "/" else {"throw": dart}, "page")


async def read_result(place: Place, assigned: Assignment = ASSIGNED) -> NewtonResult:
    """What the page shows of the match at the table, checked as NewTon does."""
    shown = await place.get(f"/api/match/{place.running.tables['main'].state().match}/newton", place.look)
    assert shown.status == 200, shown
    assert shown.body["qr"]["size"] == segno.make(shown.body["text"], error="m", micro=False).symbol_size(border=0)[0]
    result = decode(shown.body["text"])
    assert isinstance(result, NewtonResult)
    assert check_result(result, assigned) == ()
    return result


async def test_it_is_planned_played_and_goes_back_with_corrected_darts(place: Place) -> None:
    table = place.running.tables["main"]
    planned = await assign(place)
    assert planned.body == {
        "v": 1,
        "table": "main",
        "players": ["Jürgen", "Zoë"],
        "start": 101,
        "legs": 2,
        "rounds": 13,
    }
    plan = table.committed.plan
    assert (plan.players, plan.format.legs, plan.title) == (("Jürgen", "Zoë"), 2, "101")
    await give(table, {"start": None}, "page")
    await throw(table, "T20 S1 S1 /", "S20 S20 S20 /", "S19 D10 /")  # the first leg to Jürgen, in two visits
    await throw(table, MISSES, "T20 T20 /", WINS, "/")  # Zoë begins, Jürgen busts, Zoë wins
    await throw(table, "S1 S1 S1 /", WINS)
    result = await read_result(place)
    assert (result.w, result.fls, result.ln, result.mr) == (2, 1, 12, 13)
    assert result.legs == (
        pack_leg(1, ([62, 39], [60]), 2),
        pack_leg(2, ([0], [0, 101]), 3),
        pack_leg(2, ([3], [101]), 3),
    )
    await give(table, {"amend": 6, "throw": "S19"}, "page")
    assert (await read_result(place)).legs[0] == pack_leg(1, ([62, 39], [59]), 2)


async def test_who_begins_may_be_decided_at_the_bull(place: Place) -> None:
    table = place.running.tables["main"]
    await assign(place, replace(ASSIGNED, bo=1))
    await give(table, {"start": None, "order": "bull"}, "page")
    await throw(table, "MISS / DB")
    assert table.committed.plan.players == ("Zoë", "Jürgen")
    await give(table, {"start": None}, "page")
    await throw(table, WINS)
    result = await read_result(place, replace(ASSIGNED, bo=1))
    assert (result.p1, result.w, result.fls, result.legs) == ("Jürgen", 2, 2, (pack_leg(2, ([], [101]), 3),))


async def test_a_leg_without_a_checkout_is_decided_after_the_rounds(place: Place) -> None:
    table, assigned = place.running.tables["main"], replace(ASSIGNED, bo=1, mr=7)
    await assign(place, assigned)
    await give(table, {"start": None}, "page")
    await throw(table, *([MISSES] * 14), MISSES)
    assert table.state().phase != "over", "they are level"
    await throw(table, "S1 MISS MISS")
    assert table.state().phase == "over"
    result = await read_result(place, assigned)
    assert (result.w, result.legs) == (2, (pack_leg(2, ([0] * 7, [0] * 7), 0),))


async def test_what_is_refused(place: Place) -> None:
    played = encode(report(ASSIGNED, [Leg(1, "ZQ==|", 3), Leg(1, "ZQ==|", 3)], first=1, ts=1790000600))
    for text, said in (
        ("nothing", "this is no message of NewTon"),
        (encode(ASSIGNED).replace("Zo", "Za"), "the message of NewTon has arrived with a mistake"),
        (played, "this is the result of a match"),
        (encode(replace(ASSIGNED, mid="x" * 40)), "oche cannot read this message of NewTon: mid"),
        (encode(replace(ASSIGNED, tid="a/b")), "oche cannot read this message of NewTon: mid"),
    ):
        refused = await place.post("/api/newton?table=main", {"text": text}, place.play)
        assert (refused.status, refused.said[: len(said)]) == (409, said)
    twice = await assign(place, replace(ASSIGNED, p2="jürgen"))
    assert (twice.status, "are the same player" in twice.said) == (400, True)
    assert place.running.tables["main"].committed.plan.ref is UNSET
    assert (await assign(place, table="far")).status == 404
    assert [(await assign(place, token=token)).status for token in (place.look, "wrong")] == [403, 401]
    assert (await place.post("/api/newton", {"text": encode(ASSIGNED)}, place.play)).status == 400


async def test_only_a_match_of_newton_that_was_won_has_a_result(place: Place) -> None:
    table = place.running.tables["main"]
    at = "/api/match/{}/newton"
    await give(
        table, {"start": {"oche": 1, "game": "x01", "options": {"start": 101}, "players": ["Ann", "Bo"]}}, "page"
    )
    await throw(table, WINS)
    free = await place.get(at.format(table.state().match), place.look)
    assert (free.status, free.body) == (404, b"NewTon has not handed this match over")
    await assign(place)
    await give(table, {"start": None}, "page")
    running = await place.get(at.format(table.state().match), place.look)
    assert running.status == 404
    await throw(table, "T20")
    await give(table, {"stop": True}, "page")
    stopped = await place.get(at.format(table.state().match), place.look)
    assert (stopped.status, stopped.body[:34]) == (409, b"nobody has won this match by darts")
    assert (await place.get(at.format(table.state().match))).status == 401
    again = await assign(place)
    assert again.status == 200, "NewTon hands it over once more"
