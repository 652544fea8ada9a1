"""Tournaments over real HTTP: who may ask what, what a phone with the code sees, and how people sign up."""

from __future__ import annotations

import asyncio
import csv
import io
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from daemon.admin.requests.tournament import MOST_SPEC_BYTES, TOURNAMENT
from daemon.web.token import make_token
from daemon.web.tournament_codes import make_organiser_token, make_sign_up_code
from protocol.bodies import MAX_BODY_BYTES
from tests.daemon.process import eventually
from tests.daemon.tournament_place import JSON, Answer, Place, run_place

NOT_ORGANISER = "only the organiser may do this: open the organiser's link, or enter the setup token"
NOT_CODE = "this is not the code of this tournament: look at the screen again"


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    async with run_place(tmp_path) as place:
        yield place


def code_of(place: Place, tournament: str) -> str:
    """The code to sign up."""
    return make_sign_up_code(place.auth.sign, tournament)


def link_of(place: Place, tournament: str) -> dict[str, str]:
    """The header of who has the organiser's link."""
    return {"Oche_Organiser": make_organiser_token(place.auth.sign, tournament)}


async def enter(place: Place, tournament: str, *names: str) -> list[int]:
    """Enters people, each for themselves; returns their entrants."""
    return [await place.do(tournament, "enter", people=[name]) for name in names]


async def play(place: Place, tournament: str, match: JSON, **more: JSON) -> None:
    """The first side of a match wins it on paper."""
    result = {"match": match["id"], "sides": match["sides"], "winner": match["sides"][0], "legs": [1, 0], **more}
    await place.do(tournament, "result", **result)


async def test_an_evening_from_the_code_on_the_wall_to_the_places(place: Place) -> None:
    tournament = await place.make()
    at = f"/api/tournament/{tournament}"
    wall = await place.get(f"{at}/code?base=http://192.168.1.9/oche/", place.look)
    code = wall.body["url"].rpartition("/")[2]
    assert wall.body["url"] == f"http://192.168.1.9/oche/tournament#/{tournament}/sign_up/{code}"
    assert (wall.body["local"], wall.body["qr"]["size"] > 20, wall.headers["Cache-Control"]) == (
        False,
        True,
        "no-store",
    )
    links = (await place.get(f"{at}/links", place.setup)).body
    secret = urlsplit(links["organise"]["url"]).fragment.split("/")
    assert secret[:3] == ["", tournament, "organise"]
    assert links["sign_up"]["url"].endswith(f"/sign_up/{code}")
    link = {"Oche_Organiser": secret[3]}
    for name in ("Ann", "Bo"):
        signed = await place.post(f"{at}/sign_up", {"code": f" {code[:4]}-{code[4:].lower()}", "people": [name]})
        assert signed.status == 200, signed
    about = (await place.get(f"{at}/sign_up?code={code}")).body
    assert (about["name"], about["open"], [each["confirmed"] for each in about["entrants"]]) == (
        *("Friday", True),
        [False, False],
    )
    ann, bo = (each["id"] for each in (await place.view(tournament))["entrants"])
    for entrant in (ann, bo):
        done = await place.post(
            f"{at}/do", {"do": "change", "entrant": entrant, "confirmed": True, "paid": True}, **link
        )
        assert done.status == 200, done
    drawn = await place.post(f"{at}/propose", {}, **link)
    assert (drawn.status, drawn.body["do"], sorted(drawn.body["seats"])) == (200, "draw_seats", [ann, bo])
    assert (await place.view(tournament))["phase"] == "sign_up", "it is proposed only"
    assert (await place.post(f"{at}/do", drawn.body, **link)).status == 200
    late = await place.post(f"{at}/sign_up", {"code": code, "people": ["Cy"]})
    assert (late.status, late.said) == (409, "the draw is made: ask the organiser for a place")
    (match,) = (await place.view(tournament))["matches"]
    await play(place, tournament, match)
    over = await place.get(at, place.look)
    assert (over.body["phase"], over.body["winner"], over.body["role"]) == ("over", match["sides"][0], "look")
    listed = (await place.get("/api/tournaments", place.look)).body["tournaments"]
    assert [(each["id"], each["winner"] in {"Ann", "Bo"}) for each in listed] == [(tournament, True)]
    ended = await place.post(f"{at}/do", {"do": "end"}, **link)
    assert (ended.status, ended.said) == (
        403,
        "this tournament is over, and the organiser's link has ended with it",
    )
    for path in ("", "/file", "/results.csv", "/places.csv"):
        assert (await place.get(f"{at}{path}", **link)).status == 200, path
    late = await place.post(f"{at}/sign_up", {"code": code, "people": ["Cy"]})
    assert (late.status, late.said) == (409, "this tournament is over")


async def test_each_right_opens_its_routes_alone(place: Place) -> None:
    tournament, other = await place.make(), await place.make(name="Other")
    await enter(place, tournament, "Ann", "Bo")
    code, foreign = code_of(place, tournament), link_of(place, other)
    before = await place.view(tournament)
    for kind, asked in TOURNAMENT.items():
        method, path = asked.page.replace("{id}", tournament).replace("{match}", "final-1-1").split(" ")
        for token, headers in (
            ("", {}),
            ("", foreign),
            ("", {"Oche_Organiser": "A" * 22}),
            ("", {"Oche_Organiser": code}),
            ("", {"Oche_Code": code}),
            ("", {"Oche_Code": code_of(place, other)}),
            (place.look, {}),
            (place.play, foreign),
            ("nonsense", {"Cookie": f"oche-{code}={code}"}),
        ):
            answer = await place.send(method, path, b"" if method == "GET" else b"{}", token, **headers)
            is_open = asked.role == "look" or (asked.role == "code" and method == "GET")
            is_let_in = bool(token in (place.look, place.play) and token)
            is_with_code = headers == {"Oche_Code": code} and asked.role == "code"
            about = (kind.__name__, token, headers, answer)
            if is_open and (is_let_in or is_with_code):
                assert answer.status == 200, about
            else:
                assert answer.status in (400, 401, 403), about
                assert method == "POST" or answer.status != 400, about
    assert await place.view(tournament) == before
    for path, headers in (
        *(("links", {}), ("links", foreign), ("links", {"Oche_Code": code})),
        *(("code", {}), ("code", foreign), ("code", {"Oche_Code": code_of(place, other)})),
    ):
        answer = await place.get(f"/api/tournament/{tournament}/{path}", **headers)
        assert answer.status in (401, 403), (path, headers)
    wrong = await place.post(f"/api/tournament/{tournament}/sign_up", {"code": code_of(place, other), "people": ["Cy"]})
    assert (wrong.status, wrong.said) == (403, NOT_CODE)
    refused = await place.get(f"/api/tournament/{tournament}/links", place.play)
    assert (refused.status, refused.said) == (403, NOT_ORGANISER)


async def test_the_organisers_link_opens_nothing_else(place: Place) -> None:
    tournament = await place.make()
    link = link_of(place, tournament)
    links = await place.get(f"/api/tournament/{tournament}/links", **link)
    assert (links.status, "organise" in links.body) == (200, False), "it is not handed on"
    for path in ("/api/tournaments", "/api/players", "/api/tables", "/api/settings", "/api/table/main/state"):
        assert (await place.get(path, **link)).status == 401, path
    for path in ("/api/tournament", "/api/tournament/restore", "/api/table/main/start", "/api/players"):
        assert (await place.post(path, {"name": "Ann", "kind": "swiss"}, **link)).status == 401, path
    token = link["Oche_Organiser"]
    assert (await place.get("/api/tables", token)).status == 401
    make_token(place.folder)
    assert (await place.get(f"/api/tournament/{tournament}", **link)).status == 401, (
        "it ends with the token of the page"
    )


async def test_what_was_paid_is_told_to_organisers_and_averages_not_with_the_code(place: Place) -> None:
    tournament = await place.make()
    at = f"/api/tournament/{tournament}"
    await place.do(tournament, "enter", people=["Ann"], paid=True, average=61.5, darts=900)
    shown = {
        "setup": await place.get(at, place.setup),
        "link": await place.get(at, **link_of(place, tournament)),
        "look": await place.get(at, place.look),
        "code": await place.get(at, Oche_Code=code_of(place, tournament)),
    }
    told = {name: answer.body["entrants"][0] for name, answer in shown.items()}
    assert {name: (each["paid"], each["average"], each["darts"]) for name, each in told.items()} == {
        "setup": (True, 61.5, 900),
        "link": (True, 61.5, 900),
        "look": (False, 61.5, 900),
        "code": (False, None, 0),
    }
    assert [answer.body["role"] for answer in shown.values()] == ["organise", "organise", "look", "look"]


async def test_an_address_has_one_try_a_second(place: Place) -> None:
    tournament = await place.make()
    at, code = f"/api/tournament/{tournament}", code_of(place, tournament)
    async with place.client() as client:

        async def attempt(method: str, path: str, body: JSON = None) -> int:
            async with client.request(method, path, json=body) as answer:
                if answer.status == 429:
                    assert answer.headers["Retry-After"] == "1"
                return answer.status

        wrong = [attempt("POST", f"{at}/sign_up", {"code": f"{n:08}", "people": ["Cy"]}) for n in range(20)]
        read = [attempt("GET", f"{at}{path}?code={n:08}") for n in range(10) for path in ("", "/sign_up")]
        statuses = await asyncio.gather(*wrong, *read)
        assert {*statuses} == {403, 429}
        assert statuses.count(429) > len(statuses) // 2
    assert (await place.get(f"{at}/sign_up?code={code}")).status == 200, "from another address"
    async with place.client() as client:
        read = [attempt("GET", f"{at}/sign_up?code={code}") for _ in range(20)]
        assert {*await asyncio.gather(*read)} == {200}, "the right code is no try"
        entered = [attempt("POST", f"{at}/sign_up", {"code": code, "people": [f"P{n}"]}) for n in range(20)]
        assert {*await asyncio.gather(*entered)} == {200, 429}
        assert await attempt("GET", f"{at}?code={code}") == 200, "who has shown it reads on"


async def test_names_are_cleaned_and_those_of_others_refused(place: Place) -> None:
    tournament = await place.make(side=2, confirm=False)
    code = code_of(place, tournament)

    async def sign_up(*people: str) -> tuple[int, str]:
        answer = await place.post(f"/api/tournament/{tournament}/sign_up", {"code": code, "people": people})
        return answer.status, "" if answer.status == 200 else answer.said

    assert await sign_up("  Zoë\u0007\u202e ", "<b>&\U0001f3af") == (200, "")
    (entrant,) = (await place.view(tournament))["entrants"]
    assert (entrant["people"], entrant["confirmed"]) == (["Zoë", "<b>&\U0001f3af"], True)
    other = "ZOE\u0308"  # composed otherwise, and in capitals
    assert await sign_up("Al", other) == (409, f"{other} is in this tournament already")
    assert await sign_up("Al", "al ") == (409, "al is in this tournament already")
    assert await sign_up("\u200b", "Al") == (400, "a name needs at least one visible character")
    assert await sign_up("bot:45", "Al") == (400, "no player can be called bot:45: choose another name")
    for people in ([], ["Al", "Bo", "Cy"], ["Al"] * 1000):
        assert (await sign_up(*people))[0] in (400, 409), people
    assert (await sign_up("A" * 500, "B" * 41))[0] == 200
    assert [len(name) for name in (await place.view(tournament))["entrants"][1]["people"]] == [40, 40]
    assert len((await place.view(tournament))["entrants"]) == 2


async def test_a_team_signs_up_by_its_name_with_as_many_as_its_matches_need(place: Place) -> None:
    tournament = await place.make(confirm=False, slots=[{"home": [at], "away": [at]} for at in (0, 1)])
    code, at = code_of(place, tournament), f"/api/tournament/{tournament}/sign_up"
    about = (await place.get(f"{at}?code={code}")).body
    assert (about["side"], about["team"]) == (2, True)
    for people, status in ((["Ann"], 409), (["Ann", "Bo"], 200)):
        assert (await place.post(at, {"code": code, "people": people, "name": " Owls\u0007"})).status == status
    (entrant,) = (await place.view(tournament))["entrants"]
    assert (entrant["name"], entrant["people"]) == ("Owls", ["Ann", "Bo"])


async def test_who_waits_for_a_change_gets_it(place: Place) -> None:
    tournament = await place.make()
    at, answers = f"/api/tournament/{tournament}", list[Answer]()

    async def follow() -> Answer:
        """As a page does."""
        while not answers or not answers[-1].body["entrants"]:
            since = f"?since={answers[-1].body['version']}" if answers else ""
            answers.append(await place.get(f"{at}{since}", place.look))
        return answers[-1]

    following = asyncio.create_task(follow())
    await place.do(tournament, "enter", people=["Ann"])
    answer = await following
    versions = [each.body["version"] for each in answers]
    assert len({*versions}) == len(versions), "it is told of nothing that it knows"
    tag = answer.headers["ETag"]
    assert (await place.get(at, place.look, If_None_Match=tag)).status == 304
    assert (await place.get(at, place.setup, If_None_Match=tag)).status == 200, "it is shown more"


async def test_who_goes_away_frees_its_place(place: Place) -> None:
    tournament = await place.make()
    version = (await place.view(tournament))["version"]
    path = f"/api/tournament/{tournament}?since={version}"
    async with place.client(place.look) as crowd:

        async def ask() -> int:
            async with crowd.get(path) as answer:
                return answer.status

        waiting = {asyncio.create_task(ask()) for _ in range(49)}
        done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        assert [each.result() for each in done] == [503]
        for each in waiting:
            each.cancel()
        await asyncio.wait(waiting)
        again = [asyncio.create_task(ask())]

        async def is_let_in() -> bool:
            if again[-1].done() and again[-1].result() == 503:
                again.append(asyncio.create_task(ask()))
            await asyncio.sleep(0)
            return not again[-1].done()

        await eventually(is_let_in)
        await place.do(tournament, "enter", people=["Ann"])
        assert await again[-1] == 200


async def test_only_a_table_says_what_a_table_says(place: Place) -> None:
    tournament = await place.make()
    ann, bo = await enter(place, tournament, "Ann", "Bo")
    await place.do(tournament, "draw_seats", seats=[ann, bo])
    (match,) = (await place.view(tournament))["matches"]
    result = {"match": match["id"], "sides": match["sides"], "winner": ann}
    for given in (
        {"do": "begin", "match": match["id"], "attempt": 1},
        {"do": "result", **result, "attempt": 1, "record": "255dce87138e"},
        {"do": "take_back", "match": match["id"], "attempt": 1},
        {"do": "outdated", "table": "main", "said": {"do": "result", **result, "attempt": 1}},
    ):
        refused = await place.post(f"/api/tournament/{tournament}/do", given, place.setup)
        assert (refused.status, refused.said) == (400, "only a table can say that"), given


async def test_of_two_who_have_seen_the_same_only_the_first_enters_a_result(place: Place) -> None:
    tournament = await place.make(third_place=False)
    ann, bo = await enter(place, tournament, "Ann", "Bo")
    await place.do(tournament, "draw_seats", seats=[ann, bo])
    await place.do(tournament, "set_tables", tables=[{"name": "Paper", "paper": True}])
    path = f"/api/tournament/{tournament}/do"
    match: dict[str, object] = {"match": "final-1", "sides": [ann, bo]}
    nothing: dict[str, object] = {"winner": None, "score": None}
    first: dict[str, object] = {"winner": ann, "score": [2, 0]}
    entered = {"do": "result", **match, "winner": ann, "legs": [2, 0]}
    other = {"do": "result", **match, "winner": bo, "legs": [1, 2]}
    assert (await place.post(path, {**entered, "seen": nothing}, place.setup)).status == 200
    for given in ({**other, "seen": nothing}, {"do": "take_back", **match, "seen": {**first, "score": [2, 1]}}):
        refused = await place.post(path, given, place.setup)
        assert refused.body["error"]["key"] == "tournament.entered_meanwhile", given
    assert (await place.view(tournament))["matches"][0]["winner"] == ann
    for given in (
        {**other, "seen": first},
        {"do": "take_back", **match, "seen": {"winner": bo, "score": [1, 2]}},
        entered,
    ):
        assert (await place.post(path, given, place.setup)).status == 200, given
    assert (await place.post(path, {**other, "seen": 7}, place.setup)).status == 400


ODD = (
    "../../etc/passwd",
    "..%2f..%2ftournaments.db",
    "%00",
    "a" * 5000,
    "K3V9X2PA",
    "täglich0",
    "'; drop table line--",
)


async def test_an_id_that_is_none_is_found_nowhere(place: Place) -> None:
    await place.make()
    for name in ODD:
        path = f"/api/tournament/{name.replace('/', '%2f')}"
        for each in ("", "/sign_up", "/file", "/results.csv", "/links", "/newton/final-1-1"):
            assert (await place.get(f"{path}{each}", place.setup)).status in (400, 404), (name, each)
        for each in ("/do", "/propose"):
            answer = await place.post(f"{path}{each}", {"do": "end"}, place.setup)
            assert answer.status in (400, 404), (name, each)
        assert (await place.post(f"{path}/do", {"do": "end"})).status in (400, 401), name
    assert {each.name for each in place.folder.iterdir() if "tournament" in each.name} <= {
        *("tournaments.db", "tournaments.db-wal"),
        "tournaments.db-shm",
    }


async def test_what_is_too_long_or_no_input_is_refused(place: Place) -> None:
    tournament = await place.make()
    at, before = f"/api/tournament/{tournament}", await place.view(tournament)
    long = b'{"do":"enter","people":["' + b"A" * MAX_BODY_BYTES + b'"]}'
    for token in ("", place.setup):
        assert (await place.post(f"{at}/do", long, token)).status == 413
        assert (await place.post(f"{at}/sign_up", long, token)).status == 413
    assert (await place.post("/api/tournament", b" " * (MOST_SPEC_BYTES + 1), place.setup)).status == 413
    for body in (
        *(b"", b"null", b"[]", b"{}", b'{"do":"nothing"}', b"\xff\xfe", b"[" * 8000, b'{"do":["enter"]}'),
        *(
            b'{"do":"enter"}',
            b'{"do":"enter","people":[1]}',
            b'{"do":"enter","people":[""]}',
            b'{"do":"enter","people":[]}',
        ),
        *(b'{"do":"leave","entrant":99999999999999999999}', b'{"do":"draw_seats","seats":[-1,7,7]}'),
        *(b'{"do":"call","match":"none","table":"x"}'),
        *(b'{"do":"result","match":"x","sides":[1,1],"winner":5}', b'{"do":"seat_late","entrant":3,"match":"x"}'),
    ):
        answer = await place.post(f"{at}/do", body, place.setup)
        assert answer.status in (400, 409), (body[:60], answer)
    for spec in (
        b"{}",
        b'{"name":"","kind":"swiss"}',
        b'{"name":"A","kind":"swiss","x":1}',
        b'{"name":"A","kind":"x"}',
    ):
        assert (await place.post("/api/tournament", spec, place.setup)).status == 400, spec
    unknown = await place.post("/api/tournament", {"name": "A", "kind": "swiss", "game": "nothing"}, place.setup)
    assert unknown.status in (400, 409)
    assert await place.view(tournament) == before


async def test_another_site_has_no_browser_ask(place: Place) -> None:
    tournament = await place.make()
    code = code_of(place, tournament)
    foreign = {"Origin": "http://evil.example"}
    for path, headers, body in (
        ("/do", link_of(place, tournament), {"do": "enter", "people": ["Ann"]}),
        ("/sign_up", {}, {"code": code, "people": ["Ann"]}),
    ):
        answer = await place.post(f"/api/tournament/{tournament}{path}", body, **headers, **foreign)
        assert answer.status == 403, path
    read = await place.get(f"/api/tournament/{tournament}?code={code}", **foreign)
    assert "Access-Control-Allow-Origin" not in read.headers, "its browser hands nothing on"
    assert not (await place.view(tournament))["entrants"]


async def test_results_and_places_run_in_no_spreadsheet(place: Place) -> None:
    tournament = await place.make()
    ann, bo = await enter(place, tournament, "=HYPERLINK(1)", "Bo, the second")
    await place.do(tournament, "set_tables", tables=[{"name": "+1", "paper": True}])
    await place.do(tournament, "draw_seats", seats=[ann, bo])
    await place.until(tournament, lambda view: view["matches"][0]["status"] == "called")  # by itself
    (match,) = (await place.view(tournament))["matches"]
    await play(place, tournament, match)
    answer = await place.get(f"/api/tournament/{tournament}/results.csv", place.look)
    assert answer.headers["Content-Disposition"] == f'attachment; filename="results-{tournament}.csv"'
    (row,) = csv.DictReader(io.StringIO(answer.body.decode()))
    assert (row["side_1"], row["side_2"], row["winner"]) == ("'=HYPERLINK(1)", "Bo, the second", "'=HYPERLINK(1)")
    assert (row["score_1"], row["score_2"], row["status"], row["table"], row["round"]) == (
        "1",
        "0",
        "played",
        "'+1",
        "1",
    )
    assert row["at"].endswith("+00:00")
    places = await place.get(f"/api/tournament/{tournament}/places.csv", place.look)
    assert [*csv.reader(io.StringIO(places.body.decode()))][1:] == [
        ["1", "1", "'=HYPERLINK(1)", "'=HYPERLINK(1)"],
        ["2", "2", "Bo, the second", "Bo, the second"],
    ]


async def test_with_no_tournament_there_is_no_file_and_nothing_is_loaded(place: Place) -> None:
    before = {*sys.modules}
    assert (await place.get("/api/tournaments", place.look)).body == {"v": 1, "tournaments": []}
    for path in ("", "/sign_up", "/results.csv"):
        assert (await place.get(f"/api/tournament/k3v9x2pa{path}", place.look)).status == 404
    assert not [each for each in place.folder.iterdir() if "tournament" in each.name]
    assert not [
        name for name in {*sys.modules} - before if name.startswith(("daemon.tournament.", "engine.tournament"))
    ]
