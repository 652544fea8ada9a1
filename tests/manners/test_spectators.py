"""A spectator reads what the page shows and changes nothing, whatever is asked: over real HTTP, route by route."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import pytest

from daemon.assemble import RunningDaemon, run_daemon
from daemon.config.reader import read_config
from daemon.web.token import make_token
from protocol.bodies import BODIES
from tests.daemon.process import configure
from tests.manners.guest import ANYWHERE, enter, guest, status_of
from tests.test_docs_web import HEADINGS

DEALT = {"game": "dards", "players": ["Ann", "Bo"], "options": {"mode": "dealt"}}
SENTENCE = "this device can only watch: enter the token of the page on it to play"
BODY = json.dumps({"throw": "T20", "segment": "T20", "x": 0, "y": 0, "choose": "S5"})


@pytest.fixture
def file(tmp_path: Path, unused_tcp_port: int) -> Path:
    return configure(tmp_path, unused_tcp_port, board="sim:opendarts", profile="opendarts", web=ANYWHERE)


@pytest.fixture
def token(tmp_path: Path, file: Path) -> str:
    return make_token(tmp_path / "state")


@pytest.fixture
async def running(file: Path, token: str) -> AsyncIterator[RunningDaemon]:
    async with run_daemon(read_config(file), takes_taps=True) as running:
        yield running


async def read_codes(running: RunningDaemon, token: str) -> dict[str, str]:
    """Returns the tokens in the codes that a client with this token is shown, by view."""
    async with (
        guest(running, Authorization=f"Bearer {token}") as client,
        client.get("/api/table/main/join") as answer,
    ):
        codes = (await answer.json())["codes"]
    return {each["view"]: urlsplit(each["url"]).fragment.removeprefix("token=") for each in codes}


@pytest.mark.slow
@pytest.mark.parametrize("is_browser", [True, False])
async def test_a_spectator_reads_all_and_commands_nothing(
    running: RunningDaemon, token: str, *, is_browser: bool
) -> None:
    codes = await read_codes(running, token)
    spectator = codes["spectator"]
    assert codes["remote"] == ""
    assert spectator.startswith("look-")
    headers = {} if is_browser else {"Authorization": f"Bearer {spectator}"}
    async with guest(running, **headers) as phone, guest(running, Authorization=f"Bearer {token}") as wall:
        if is_browser:
            assert await enter(phone, spectator) == 200
        assert await status_of(wall.post("/api/table/main/start", json=DEALT)) == 200
        async with wall.get("/api/table/main/seats") as answer:
            seat = (await answer.json())[0]["url"].partition("?seat=")[2]
        before = running.tables["main"].state()

        reads = [path for path in HEADINGS if not path.endswith("/seats") and "/player?" not in path]
        for path in ("/", "/history", "/static/app.js", *reads):
            assert await status_of(phone.get(path)) in (200, 202), path  # 202: the matches are being read
        async with phone.get("/api/tables") as answer:
            assert [each["role"] for each in await answer.json()] == ["look"]
        async with phone.get("/api/table/main/join") as answer:
            assert [each["view"] for each in (await answer.json())["codes"]] == ["spectator"]

        (cookie,) = phone.cookie_jar if is_browser else [None]
        shown = headers if cookie is None else {"Cookie": f"{cookie.key}={cookie.value}"}
        commands = [f"/api/table/main/{name}" for name in (*BODIES, "tap", "seats", "nothing")]
        others = [*reads, "/", "/api/table/main%2Fthrow", "/api//table/main/throw"]
        for number, path in enumerate((*commands, *others, f"/api/table/main/throw?seat={seat}")):
            mine = aiohttp.TCPConnector(local_addr=(f"127.1.0.{number + 1}", 0))  # the pace of an address is limited
            async with aiohttp.ClientSession(running.page, connector=mine, headers=shown) as other:
                for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
                    async with other.request(method, path, data=BODY) as answer:
                        assert answer.status == 403, (method, path)
                        error = (await answer.json())["error"]
                        assert (error["code"], error["message"]) == ("forbidden", SENTENCE)
        async with phone.get("/api/table/main/seats") as answer:
            assert answer.status == 403, "an address of a hand is a right to answer for it"
        assert running.tables["main"].state() == before

        assert await status_of(phone.get(f"/api/seat/{seat}")) == 200, "the address of a seat is a right of its own"


async def test_the_code_for_players_has_their_token_where_oche_play_made_it(file: Path, token: str) -> None:
    async with run_daemon(read_config(file), phone_token=token) as running:
        codes = await read_codes(running, token)
        assert codes["remote"] == token
        assert await read_codes(running, codes["spectator"]) == {"spectator": codes["spectator"]}, "in no other code"


async def test_it_ends_with_the_token_and_tells_nothing_of_it(
    running: RunningDaemon, token: str, tmp_path: Path
) -> None:
    spectator = (await read_codes(running, token))["spectator"]
    assert (await read_codes(running, spectator))["spectator"] == spectator
    assert await read_codes(running, spectator) == {"spectator": spectator}
    async with guest(running, Authorization=f"Bearer {spectator}") as program:
        async with program.get("/api/table/main/events") as stream:
            new = make_token(tmp_path / "state")
            await stream.content.read()  # to its end
        assert await status_of(program.get("/api/tables")) == 401
    assert (await read_codes(running, new))["spectator"] != spectator


async def test_a_device_that_may_play_goes_on_when_it_opens_a_spectators_link(
    running: RunningDaemon, token: str
) -> None:
    spectator = (await read_codes(running, token))["spectator"]
    async with guest(running) as phone:
        for each, status in ((spectator, 403), (token, 200), (spectator, 200)):
            assert await enter(phone, each) == 200
            assert await status_of(phone.post("/api/table/main/miss")) == status


@pytest.mark.slow
async def test_spectators_take_no_displays_place(running: RunningDaemon, token: str) -> None:
    spectator = (await read_codes(running, token))["spectator"]
    async with (
        guest(running, Authorization=f"Bearer {spectator}") as crowd,
        guest(running, Authorization=f"Bearer {token}") as wall,
    ):
        streams = [await crowd.get("/api/table/main/events") for _ in range(49)]
        assert [each.status for each in streams] == [200] * 48 + [503]
        async with wall.get("/api/table/main/events") as stream:
            assert stream.status == 200
        for each in streams:
            each.close()
