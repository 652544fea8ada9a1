"""A tournament goes on elsewhere from its file, and matches go to tablets with NewTon and come back, over real HTTP."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import segno
from msgspec.structs import replace

from daemon.admin.requests.tournament import MOST_PHOTO_BYTES
from protocol.newton import Assignment, Leg, NewtonResult, decode, encode
from tests.daemon.tournament_place import JSON, Place, run_place


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    async with run_place(tmp_path) as place:
        yield place


async def begin(place: Place, *names: str, **spec: JSON) -> str:
    """A knock-out of these that is drawn."""
    tournament = await place.make(options={"start": 101}, **spec)
    entrants = [await place.do(tournament, "enter", people=[name]) for name in names]
    await place.do(tournament, "draw_seats", seats=entrants)
    return tournament


async def read_file(place: Place, tournament: str) -> bytes:
    """Its file."""
    answer = await place.get(f"/api/tournament/{tournament}/file", place.setup)
    assert answer.headers["Content-Disposition"] == f'attachment; filename="tournament-{tournament}.jsonl"'
    return bytes(answer.body)


async def restore(place: Place, content: bytes) -> tuple[int, str]:
    """The status, and the id or the sentence."""
    answer = await place.post("/api/tournament/restore", content, place.setup)
    return answer.status, answer.body["id"] if answer.status == 200 else answer.said


async def test_a_tournament_goes_on_at_another_daemon(place: Place, tmp_path: Path) -> None:
    tournament = await begin(place, "Zoë", "Bo", "Cy", "Di")
    await place.do(tournament, "undo")
    await place.do(tournament, "redo")
    content, view = await read_file(place, tournament), await place.view(tournament)
    assert json.loads(content.splitlines()[0])["tournament"] == 1
    other = tmp_path / "other"
    other.mkdir()
    async with run_place(other) as elsewhere:
        assert await restore(elsewhere, content) == (200, tournament)
        assert await read_file(elsewhere, tournament) == content
        moved = await elsewhere.view(tournament)
        assert {**moved, "version": ""} == {**view, "version": ""}
        await elsewhere.do(tournament, "enter", people=["Ed"])
        assert await restore(elsewhere, content) == (200, tournament), "nothing is lost that came after the file"
        assert len((await elsewhere.view(tournament))["entrants"]) == 5
        went_on = await read_file(elsewhere, tournament)
        assert await restore(place, went_on) == (200, tournament), "it comes back with what is missing here"
        assert await read_file(place, tournament) == went_on
        await elsewhere.do(tournament, "enter", people=["Flo"])
        await elsewhere.do(tournament, "undo")
        await place.do(tournament, "enter", people=["Gus"])
        assert await restore(place, await read_file(elsewhere, tournament)) == (
            409,
            "this tournament is here already, and it is not the same as in the file",
        )


async def test_a_file_that_does_not_replay_is_refused_with_its_line(place: Place) -> None:
    content = await read_file(place, await begin(place, "Ann", "Bo"))
    lines = content.splitlines()
    before = (await place.get("/api/tournaments", place.look)).body
    for number, wrong, why in (
        (1, b"{}", "missing required field"),
        (1, lines[0].replace(b'"tournament":1', b'"tournament":2'), "Invalid enum value 2"),
        (1, re.sub(rb'"made_s":\d+', b'"made_s":253402300800', lines[0]), "made_s"),
        (2, re.sub(rb'"at_s":\d+', b'"at_s":-1', lines[1]), "at_s"),
        (2, b"[" * 100, "nested at most 32 deep"),
        (2, b"\xff", "malformed"),
        (3, lines[1], "it has the number of another line"),
        (3, lines[2].replace(b"Bo", b"Ann"), "Ann is in this tournament already"),
        (4, lines[3].replace(b"[2,3]", b"[2,9]"), ""),
        (4, lines[3][:-5], "truncated"),
    ):
        changed = b"\n".join((*lines[: number - 1], wrong, *lines[number:]))
        status, said = await restore(place, changed.replace(b'"id":"', b'"id":"x', 1))
        assert status in (400, 409), wrong
        assert said.startswith(f"line {number} of this file: "), (wrong, said)
        assert why.lower() in said.lower(), (wrong, said)
    for name in ("../../../x", "ABCDEFGH", "", "a" * 300):
        head = json.loads(lines[0]) | {"id": name}
        status, _ = await restore(place, b"\n".join((json.dumps(head).encode(), *lines[1:])))
        assert status == 400, name
    assert (await restore(place, b""))[0] == 400
    assert (await place.get("/api/tournaments", place.look)).body == before


def play_on_tablet(text: str) -> NewtonResult:
    """What a tablet makes of this match: player 2 wins it in six darts."""
    assigned = decode(text)
    assert isinstance(assigned, Assignment)
    given = {name: getattr(assigned, name) for name in ("mid", "tid", "sid", "p1", "p2", "sc", "bo", "ts")}
    return NewtonResult(**given, w=2, fls=2, legs=(Leg(2, "PA==|PCk=", 3),))  # 60, and 60 41


async def test_a_match_goes_to_a_tablet_and_its_result_is_accepted_by_the_organiser(place: Place) -> None:
    tournament = await begin(place, "Jürgen", "Zoë")
    (match,) = (await place.view(tournament))["matches"]
    at = f"/api/tournament/{tournament}/newton/{match['id']}"
    handed = (await place.get(at, place.setup)).body
    assert handed["qr"]["size"] == segno.make(handed["text"], error="m", micro=False).symbol_size(border=0)[0]
    assigned = decode(handed["text"])
    assert isinstance(assigned, Assignment)
    assert (assigned.p1, assigned.p2, assigned.sc, assigned.bo) == ("Jürgen", "Zoë", 101, 1)
    result = play_on_tablet(handed["text"])
    answer = await place.post(at, {"text": encode(result)}, place.setup)
    assert (answer.status, answer.body["remarks"]) == (200, [])
    told = answer.body["result"]
    assert (told["winner"], told["legs"], told["points"], told["darts"]) == (
        match["sides"][1],
        [0, 1],
        [60, 101],
        [3, 6],
    )
    assert (await place.view(tournament))["winner"] is None, "it is shown only"
    await place.do(tournament, told.pop("do"), **told)
    assert (await place.view(tournament))["winner"] == match["sides"][1]


async def test_what_a_tablet_says_wrongly_is_remarked_or_refused(place: Place) -> None:
    tournament, other = await begin(place, "Ann", "Bo"), await begin(place, "Ann", "Bo")
    (match,) = (await place.view(tournament))["matches"]
    at = f"/api/tournament/{tournament}/newton/{match['id']}"
    text = (await place.get(at, place.setup)).body["text"]
    result = play_on_tablet(text)
    odd = await place.post(at, {"text": encode(replace(result, legs=(Leg(2, "PA==|PCg=", 3),)))}, place.setup)
    assert [each["text"] for each in odd.body["remarks"]] == ["leg 1: its winner scored 100, not 101"]
    elsewhere = await place.post(f"/api/tournament/{other}/newton/{match['id']}", {"text": encode(result)}, place.setup)
    assert elsewhere.status == 409
    assert "another tournament" in elsewhere.said
    for given, said in (
        (encode(result).replace('"p2":"Bo"', '"p2":"Di"'), "the message of NewTon has arrived with a mistake"),
        ("nothing", "this is no message of NewTon"),
        (text, "this is a match that was handed over, not its result"),
    ):
        refused = await place.post(at, {"text": given}, place.setup)
        assert refused.status == 409, given
        assert refused.said.startswith(said)
    for body in (
        b"",
        b"{}",
        b'{"text":1}',
        b"\xff\xd8\xff\xe0",
        b"P5 9 9 255 ",
        b"P5 99999 99999 255 x",
        b"P6 1 1 255 x",
    ):
        assert (await place.post(at, body, place.setup)).status == 400, body
    for name in ("final-9", "..", "\u2603"):
        assert (await place.get(f"/api/tournament/{tournament}/newton/{name}", place.setup)).status == 404


def photograph(text: str, scale: int = 3) -> bytes:
    """A picture of its QR code as a page sends it: grey, and the code not black on white."""
    rows = [
        bytes(60 if dark else 200 for dark in row for _ in range(scale))
        for row in segno.make(text, error="m", micro=False).matrix_iter(border=6)
        for _ in range(scale)
    ]
    return f"P5 {len(rows[0])} {len(rows)} 255\n".encode() + b"".join(rows)


async def test_a_photograph_is_read_as_the_text_is(place: Place) -> None:
    tournament = await begin(place, "Jürgen", "Zoë")
    (match,) = (await place.view(tournament))["matches"]
    at = f"/api/tournament/{tournament}/newton/{match['id']}"
    text = encode(play_on_tablet((await place.get(at, place.setup)).body["text"]))
    pasted, seen = (
        await place.post(at, {"text": text}, place.setup),
        await place.post(at, photograph(text), place.setup),
    )
    assert (seen.status, seen.body) == (200, pasted.body)
    blank = await place.post(at, b"P5 300 300 255\n" + bytes(90_000), place.setup)
    assert (blank.status, blank.said) == (400, "this photograph has no QR code: take another one, closer to it")


async def test_without_the_library_the_page_is_told_to_paste_the_text(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "zxingcpp", None)
    tournament = await begin(place, "Ann", "Bo")
    (match,) = (await place.view(tournament))["matches"]
    at = f"/api/tournament/{tournament}/newton/{match['id']}"
    refused = await place.post(at, photograph("nothing"), place.setup)
    said = (
        "this oche cannot read photographs: paste the text of the code, or in oche's checkout, pip install '.[photo]'"
    )
    assert (refused.status, refused.said) == (503, said)


async def test_a_long_body_is_read_from_organisers_alone(place: Place) -> None:
    tournament = await begin(place, "Ann", "Bo")
    (match,) = (await place.view(tournament))["matches"]
    at, read = f"/api/tournament/{tournament}/newton/{match['id']}", 0

    async def trickle() -> AsyncIterator[bytes]:
        """Far more than anyone may send; it waits for the answer from the second piece on."""
        nonlocal read
        yield b"P5 1 1 255 "
        await answered.wait()
        for _ in range(2 * MOST_PHOTO_BYTES // 65536):
            read += 1
            yield bytes(65536)

    for token, status, least in (("", 401, 0), (place.play, 403, 0), (place.setup, 413, MOST_PHOTO_BYTES // 65536)):
        read, answered = 0, asyncio.Event()
        if token == place.setup:
            answered.set()
        async with place.client(token) as client, client.post(at, data=trickle()) as answer:
            assert answer.status == status, token
            assert read >= least
            answered.set()
