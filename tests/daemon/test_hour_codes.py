"""The codes of a wall: each shows one match, or one evening, for an hour, whatever else is asked with it."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, NamedTuple

import aiohttp
import pytest

from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from daemon.web.auth import Auth
from daemon.web.hour_codes import LASTS_S, CodeRefused, HourCodes, Seen
from daemon.web.seats import read_key
from daemon.web.token import PageToken, make_token
from tests.daemon.evenings import DAY, Evening
from tests.daemon.process import configure
from tests.png import make_png

JSON = dict[str, Any]  # Any: JSON
NOW = 1_800_000_000.0
FROM, TO = int(DAY.timestamp()) - 8 * 3600, int(DAY.timestamp()) + 16 * 3600
ENDED = "this code was valid for an hour: scan a new one on the wall"
FORGED = "this code is not valid here: scan the one on the wall"
OTHERS = (
    "/api/match/{other}",
    "/api/players",
    "/api/matches",
    "/api/evening?since=2026-10-03T12:00:00Z&before=2026-10-04T12:00:00Z",
    "/api/stats",
    "/api/tables",
    "/api/table/main/state",
    "/api/table/main/join",
    "/api/code?match={match}",
    "/api/venue",
    "/api/settings",
    "/api/match/{match}",
    "/api/match/{match}/steps",
    "/api/match/{match}/record",
)


class Place(NamedTuple):
    """A page that needs a token, with two matches on one evening and one on the next."""

    url: str
    token: str
    folder: Path
    match: str
    other: str
    later: str


@pytest.fixture
async def place(tmp_path: Path, unused_tcp_port: int) -> AsyncIterator[Place]:
    folder = tmp_path / "state"
    with Evening(folder) as evening:
        match = evening.play("T20 S1 D20", options={"start": 101}, players=["Ann", "Bo"])
        other = evening.play("T20 S1 D20", options={"start": 101}, players=["Cy", "Dee"])
        later = evening.play("T20 S1 D20", options={"start": 101}, players=["Ann", "Dee"], day=1)
    token = make_token(folder)
    file = configure(tmp_path, unused_tcp_port)
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("[web]", '[web]\nhost = "0.0.0.0"\nvenue = "The Oak"'), encoding="utf-8")
    async with run_daemon(read_config(file)) as running:
        assert running.page is not None
        url = running.page.replace("0.0.0.0", "127.0.0.1").rstrip("/")
        yield Place(url, token, folder, match, other, later)


def make_codes(place: Place, ago_s: float = 0) -> HourCodes:
    """What makes the codes of this page, so long ago."""
    auth = Auth((), PageToken("0.0.0.0", None, place.folder), read_key(place.folder))
    return HourCodes(auth.sign, lambda: time.time() - ago_s)


async def get(place: Place, path: str, code: str = "", **headers: str) -> tuple[int, Any]:  # Any: JSON
    """The status, and the answer: JSON, a text, or bytes."""
    given = {**headers, **({"Oche-Code": code} if code else {})}
    async with aiohttp.ClientSession() as web:
        while True:
            async with web.get(f"{place.url}{path}", headers=given) as answer:
                if answer.status == 202:
                    continue
                if answer.content_type == "application/json":
                    return answer.status, await answer.json()
                return answer.status, await (answer.text() if answer.content_type == "text/plain" else answer.read())


async def test_a_code_shows_its_match_and_its_players_alone(place: Place) -> None:
    as_player = {"Authorization": f"Bearer {place.token}"}
    async with aiohttp.ClientSession(headers=as_player) as web:
        for name, colour in (("Ann", 1), ("Cy", 2)):
            picture = make_png(1, 1, 2, bytes((colour, 0, 0)))
            async with web.post(f"{place.url}/api/players", json={"name": name, "doubles": [16]}) as answer:
                assert answer.status == 200
            async with web.post(f"{place.url}/api/players/picture?name={name}", data=picture) as answer:
                assert answer.status == 200
    _, told = await get(place, f"/api/code?match={place.match}&base=http://192.168.1.9/", **as_player)
    assert told["url"].startswith(f"http://192.168.1.9/take_home#code=m{place.match}.")
    assert (told["local"], told["qr"]["size"] > 20) == (False, True)
    code = told["url"].partition("#code=")[2]
    status, report = await get(place, f"/api/taken/match/{place.match}", code)
    assert (status, [side["name"] for side in report["sides"]]) == (200, ["Ann", "Bo"])
    assert await get(place, "/api/taken/venue", code) == (200, {"v": 1, "venue": "The Oak"})
    _, players = await get(place, "/api/taken/players", code)
    assert [player["name"] for player in players] == ["Ann", "Bo"]
    assert not {"doubles", "last", "names", "recorded_name"} & set(players[0])
    pictures = {each["name"]: each.get("picture") for each in (await get(place, "/api/players", **as_player))[1]}
    assert players[0]["picture"] == pictures["Ann"]
    status, content = await get(place, f"/api/taken/players/picture/{pictures['Ann']}", code)
    assert (status, content[:4]) == (200, b"\x89PNG")
    assert (await get(place, f"/api/taken/match/{place.match}/best", code))[0] == 200
    assert (await get(place, f"/api/taken/match/{place.other}/best", code))[0] == 404
    for path in (f"match/{place.other}", f"match/{place.later}", f"players/picture/{pictures['Cy']}", "evening"):
        assert (await get(place, f"/api/taken/{path}", code))[0] == 404, path


@pytest.mark.slow
async def test_a_code_of_an_evening_shows_its_matches_alone(place: Place) -> None:
    query = f"since={FROM}&before={TO}"
    _, told = await get(place, f"/api/code?{query}", Authorization=f"Bearer {place.token}")
    code = told["url"].partition("/story#code=")[2]
    status, evening = await get(place, "/api/taken/evening", code)
    assert (status, [each["result"]["match"] for each in evening["matches"]]) == (200, [place.match, place.other])
    wider = "/api/taken/evening?since=2026-10-01T00:00:00Z&before=2026-10-09T00:00:00Z"
    assert await get(place, wider, code) == (200, evening)
    assert (await get(place, f"/api/taken/match/{place.other}", code))[0] == 200
    assert (await get(place, f"/api/taken/match/{place.later}", code))[0] == 404
    _, players = await get(place, "/api/taken/players", code)
    assert sorted(each["name"] for each in players) == ["Ann", "Bo", "Cy", "Dee"]


@pytest.mark.slow
async def test_a_code_opens_nothing_else(place: Place) -> None:
    code, _ = make_codes(place).make(Seen(place.match))
    port = place.url.rpartition(":")[2]
    for other in OTHERS:
        path = other.format(match=place.match, other=place.other)
        for headers in ({"Oche-Code": code}, {"Cookie": f"oche-{port}={code}; oche-{port}-look={code}"}):
            status, _ = await get(place, path, **headers)
            assert status == 401, (path, headers)
    assert (await get(place, "/api/players", Authorization=f"Bearer {code}"))[0] == 401
    async with aiohttp.ClientSession(headers={"Oche-Code": code}) as web:
        for path in ("/api/table/main/start", "/api/players", "/api/enter"):
            async with web.post(f"{place.url}{path}", json={"token": code, "name": "Ann"}) as answer:
                assert answer.status == 401, path
        for path in ("match/" + place.match, "players", "evening"):
            async with web.post(f"{place.url}/api/taken/{path}") as answer:
                assert answer.status == 401, path
        async with web.head(f"{place.url}/api/taken/match/{place.match}") as answer:
            assert (answer.status, answer.headers["Cache-Control"]) == (200, "no-store")


async def test_codes_that_do_not_hold_are_refused_in_a_sentence(place: Place) -> None:
    path, codes = f"/api/taken/match/{place.match}", make_codes(place)
    code, _ = codes.make(Seen(place.match))
    assert (await get(place, path, code))[0] == 200
    old, _ = make_codes(place, LASTS_S + 1).make(Seen(place.match))
    status, refused = await get(place, path, old)
    assert (status, refused["error"]["message"], refused["error"]["key"]) == (403, ENDED, "refused.code_ended")
    what, until, proof = code.split(".")
    for forged in (
        f"m{place.other}.{until}.{proof}",
        f"{what}.{int(until) + 1}.{proof}",
        f"{what}.{until}.{proof[:-1]}",
        f"{what}.{until}.{'A' * 22}",
        f"e{FROM}-{TO}.{until}.{proof}",
        code.upper(),
        "x" * 5000,
        "",
    ):
        status, refused = await get(place, path, forged)
        assert (status, refused["error"]["message"]) == (403, FORGED), forged
    make_token(place.folder)
    status, refused = await get(place, path, code)
    assert (status, refused["error"]["message"]) == (403, FORGED)


async def test_what_a_code_is_made_for_is_bounded(place: Place) -> None:
    as_player = {"Authorization": f"Bearer {place.token}"}
    for query in (
        "",
        "match=a.b",
        f"match={'a' * 41}",
        f"since={FROM}",
        f"since={TO}&before={FROM}",
        f"since={FROM}&before={FROM + 8 * 86400}",
        "since=-1&before=1",
        f"match={place.match}&base=http://other.example/",
    ):
        assert (await get(place, f"/api/code?{query}", **as_player))[0] == 400, query
    assert (await get(place, f"/api/code?match={place.match}"))[0] == 401


def test_a_code_ends_after_an_hour_by_the_clock() -> None:
    now = [NOW]
    codes = HourCodes(lambda text: f"{len(text):022}", lambda: now[0])
    code, until = codes.make(Seen(since=FROM, before=TO))
    assert until == NOW + LASTS_S
    for later in (0.0, LASTS_S - 1):
        now[0] = NOW + later
        assert codes.read(code) == Seen("", FROM, TO)
    for later in (LASTS_S, -2.0):  # and where the clock was set back
        now[0] = NOW + later
        with pytest.raises(CodeRefused, match=ENDED):
            codes.read(code)
