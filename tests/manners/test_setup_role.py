"""Who may change settings: who has the token of the setup; without tokens, who is at the machine. Over real HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from daemon.http.connection import open_port
from daemon.http.messages import ROLES, HttpRequest, HttpResponse, HttpRoute, respond_json
from daemon.web.auth import Auth
from daemon.web.token import PageToken, make_setup_token, make_token
from tests.daemon.process import configure
from tests.manners.guest import ANYWHERE, enter, oche_token

KEY = b"k" * 32
PATHS = ("/api/seen", "/api/played", "/api/set")
SENTENCES = {
    "/api/played": "this device can only watch: enter the token of the page on it to play",
    "/api/set": "this device cannot change settings: first enter the setup token, which begins with setup-",
}


@asynccontextmanager
async def serve(host: str, folder: Path) -> AsyncIterator[str]:
    """Serves a route for each role; yields the address."""

    async def answer(request: HttpRequest) -> HttpResponse:
        return respond_json(request.role)

    routes = [HttpRoute("GET", path, answer, role) for path, role in zip(PATHS, reversed(ROLES), strict=True)]

    async def respond(request: HttpRequest) -> HttpResponse:
        return await auth.answer(request, [*routes, *auth.routes])

    async with open_port(host, 0) as port:
        auth = Auth((), PageToken(host, None, folder), KEY, (), host, port.number)
        async with port.serve(respond, auth.connections):
            yield f"http://127.0.0.1:{port.number}"


async def ask(client: aiohttp.ClientSession, path: str, token: str = "") -> tuple[int, str]:
    """Returns the status, and the role or the sentence."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with client.get(path, headers=headers) as answer:
        found = await answer.json()
        return answer.status, found if isinstance(found, str) else found["error"]["message"]


@pytest.mark.parametrize("is_browser", [True, False])
async def test_each_token_gives_its_role_and_those_below(tmp_path: Path, *, is_browser: bool) -> None:
    page, setup = make_token(tmp_path), make_setup_token(tmp_path)
    look = PageToken("0.0.0.0", None, tmp_path).make_spectator(KEY)
    async with serve("0.0.0.0", tmp_path) as address:
        for token, role, allowed in ((look, "look", 1), (page, "play", 2), (setup, "setup", 3)):
            async with aiohttp.ClientSession(address, cookie_jar=aiohttp.CookieJar(unsafe=True)) as client:
                if is_browser:
                    assert await enter(client, token) == 200
                for path in PATHS[:allowed]:
                    assert await ask(client, path, "" if is_browser else token) == (200, role)
                for path in PATHS[allowed:]:
                    assert await ask(client, path, "" if is_browser else token) == (403, SENTENCES[path])
        async with aiohttp.ClientSession(address) as stranger:
            assert (await ask(stranger, "/api/set"))[0] == 401


async def test_where_no_token_is_needed_who_is_at_the_machine_has_the_setup(tmp_path: Path) -> None:
    async with serve("127.0.0.1", tmp_path) as address, aiohttp.ClientSession(address) as client:
        assert await ask(client, "/api/set") == (200, "setup")


FRONT = (
    ("X-Forwarded-For", "192.0.2.7"),
    ("X-Forwarded-Proto", "https"),
    ("X-Forwarded-Host", "localhost"),
    ("X-Real-IP", ""),
    ("Forwarded", "for=192.0.2.7"),
    ("Via", "1.1 nginx"),
    ("Host", "darts.lan"),
    ("Host", "192.0.2.1:80"),
)


async def test_who_comes_through_a_web_server_in_front_only_plays(tmp_path: Path) -> None:
    """That server alone decides who comes in, and may let in everybody."""
    sentence = (
        "settings can only be changed at the machine itself: open the page there, or make the page ask for tokens"
    )
    async with serve("127.0.0.1", tmp_path) as address:
        for name, value in FRONT:
            async with aiohttp.ClientSession(address, headers={name: value}) as client:
                assert await ask(client, "/api/played") == (200, "play"), name
                assert await ask(client, "/api/set") == (403, sentence), name


async def test_a_web_server_in_front_that_speaks_http_1_0_only_plays(tmp_path: Path) -> None:
    """So does nginx, which calls the page by the address that it is told, where its settings say no more."""
    async with (
        serve("127.0.0.1", tmp_path) as address,
        aiohttp.ClientSession(address, version=aiohttp.HttpVersion10) as client,
    ):
        assert await ask(client, "/api/played") == (200, "play")
        assert (await ask(client, "/api/set"))[0] == 403


async def test_another_setup_token_puts_out_the_devices_of_the_former_one_alone(
    tmp_path: Path, unused_tcp_port: int
) -> None:
    state = tmp_path / "state"
    file = configure(tmp_path, unused_tcp_port, web=ANYWHERE)
    page, setup = make_token(state), make_setup_token(state)
    jars = [aiohttp.CookieJar(unsafe=True) for _ in range(2)]
    async with (
        serve("0.0.0.0", state) as address,
        aiohttp.ClientSession(address, cookie_jar=jars[0]) as player,
        aiohttp.ClientSession(address, cookie_jar=jars[1]) as owner,
    ):
        for client, token in ((player, page), (owner, setup)):
            await enter(client, token)
        made = oche_token(file, "--setup").output
        assert "Token" not in made
        (new,) = [line.split()[1] for line in made.splitlines() if line.startswith("Setup")]
        assert await ask(player, "/api/seen") == (200, "play")
        assert (await ask(owner, "/api/seen"))[0] == 401
        assert (await ask(player, "/api/set", new)) == (403, SENTENCES["/api/set"]), (
            "the cookie of a device counts first"
        )
        await enter(owner, new)
        assert await ask(owner, "/api/set") == (200, "setup")
    assert len(oche_token(file, "--list").output.splitlines()) == 2


def test_an_installation_with_a_token_gets_one_for_the_setup(tmp_path: Path, unused_tcp_port: int) -> None:
    file = configure(tmp_path, unused_tcp_port, web=ANYWHERE)
    page = make_token(tmp_path / "state")
    made = oche_token(file).output
    assert made.startswith("Setup    setup-")
    assert PageToken("0.0.0.0", None, tmp_path / "state").find_role(page) == "play"


async def test_a_damaged_hash_of_the_setup_leaves_players_in(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    page = make_token(tmp_path)
    (tmp_path / "web.setup").write_text("nonsense")
    async with serve("0.0.0.0", tmp_path) as address, aiohttp.ClientSession(address) as client:
        assert await ask(client, "/api/played", page) == (200, "play")
    assert "web.setup cannot be used: make a new token with  sudo oche token --setup" in caplog.text
