"""Boards of HTTP: told from other programs by what they answer, over real connections on the loopback."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web
from msgspec.structs import replace

from drivers.scan import Found, ProfileFit, Scan, format_json, format_toml, match_web_boards
from drivers.web_scan import HERE, FoundBoard, State, find_web_boards
from protocol.codebook import list_profiles, shipped
from protocol.profile import Probe, Profile
from simulator.web_board import WebBoard

AUTODARTS = {"connected": True, "event": "Started", "numThrows": 0, "running": True, "status": "Throw"}
OPENDARTS = {"visit": {}, "capture_loop": {"running": False, "status_epoch": "a", "status_seq": 3}}


def at_port(name: str, port: int, probe: Probe | None = None) -> Profile:
    """The shipped profile at this port, and not announced."""
    profile = shipped(name).profile
    assert profile.web is not None
    return replace(profile, web=replace(profile.web, port=port, service=None, probe=probe or profile.web.probe))


class Served:
    """A program with these answers, by path. `asked` is what came, with the method."""

    def __init__(self, answers: dict[str, Any]) -> None:  # Any: JSON, or text
        self.asked: list[str] = []
        self.port = 0
        self._answers = answers

    async def answer(self, request: web.Request) -> web.Response:
        """Returns what is written for this path; anything else is the page of a program."""
        self.asked.append(f"{request.method} {request.rel_url}")
        said = self._answers.get(str(request.rel_url))
        if isinstance(said, web.Response):
            return said
        if isinstance(said, str) or said is None:
            return web.Response(
                text=said or "<!doctype html>running", content_type="text/plain" if said else "text/html"
            )
        return web.json_response(said)


@asynccontextmanager
async def serving(answers: dict[str, Any]) -> AsyncIterator[Served]:  # Any: as above
    """The program, on the loopback."""
    served, app = Served(answers), web.Application()
    app.router.add_route("*", "/{path:.*}", served.answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, HERE, 0)
    await site.start()
    served.port = runner.addresses[0][1]
    try:
        yield served
    finally:
        await runner.cleanup()


@pytest.mark.parametrize(("is_running", "state"), [(True, "running"), (False, "stopped")])
@pytest.mark.parametrize(("version", "shown"), [("v2.0.2\n", "2.0.2"), ("1.0.7", "1.0.7"), (None, "")])
async def test_autodarts_says_what_it_is_and_whether_it_runs(
    is_running: bool, state: State, version: str | None, shown: str
) -> None:
    async with serving({"/api/state": {**AUTODARTS, "running": is_running}, "/api/version": version}) as program:
        found = await find_web_boards([at_port("autodarts", program.port)], [])
    assert found == [FoundBoard(HERE, program.port, ("autodarts",), "", shown, state)]
    assert program.asked == ["GET /api/state", "GET /api/version"], "and is asked nothing else"


async def test_opendarts_says_whether_it_is_started() -> None:
    async with serving({"/api/state": OPENDARTS}) as program:
        found = await find_web_boards([at_port("opendarts-cameras", program.port)], [])
    assert found == [FoundBoard(HERE, program.port, ("opendarts-cameras",), "", "", "stopped")]


async def test_a_profile_may_name_the_value_that_proves_it_and_two_may_be_proven() -> None:
    probe = Probe("/health", "service", "OpenDartboard")
    async with serving({"/health": {"status": "ok", "service": "OpenDartboard"}}) as program:
        profiles = [at_port(name, program.port, probe) for name in ("autodarts", "opendarts-cameras")]
        found = await find_web_boards(profiles, [])
        assert program.asked == ["GET /health"], "once for both"
        others = [at_port("autodarts", program.port, replace(probe, value="OpenDart"))]
        assert await find_web_boards(others, []) == []
    assert found == [FoundBoard(HERE, program.port, ("autodarts", "opendarts-cameras"))]


@pytest.mark.parametrize(
    "said",
    [
        None,
        "running",
        {"running": "true"},
        {"running": 1},
        {"other": True},
        [True],
        True,
        {"capture_loop": [{"running": True}]},
        web.Response(status=404, text='{"running": true}', content_type="application/json"),
        web.Response(status=302, headers={"Location": "/api/other"}),
        web.Response(body=b"[" * 60_000),
        web.Response(body=b'{"running": true' + b" " * 70_000 + b"}"),
        web.Response(body=b"\xff\xfe\0"),
    ],
    ids=lambda said: type(said).__name__,
)
async def test_another_program_at_the_port_is_no_board(said: Any) -> None:  # Any: as above
    async with serving({"/api/state": said, "/api/other": AUTODARTS}) as program:
        profiles = [at_port("autodarts", program.port), at_port("opendarts-cameras", program.port)]
        assert await find_web_boards(profiles, []) == []
    assert program.asked == ["GET /api/state"]


async def test_where_nothing_listens_nothing_is_found(unused_tcp_port: int) -> None:
    assert await find_web_boards([at_port("autodarts", unused_tcp_port)], [HERE, HERE]) == []


async def test_a_board_of_the_internet_is_never_asked() -> None:
    async with serving({"/api/state": AUTODARTS}) as program:
        near = at_port("autodarts", program.port)
        assert near.web is not None
        far = [replace(near, web=replace(near.web, **{key: True})) for key in ("is_cloud", "tls")]
        assert await find_web_boards(far, [HERE]) == []
    assert program.asked == []
    for profile in (shipped(name).profile for name in list_profiles()):
        if profile.web is not None and profile.web.is_cloud:
            assert profile.web.probe is None
            assert profile.web.service is None


PROFILES = [shipped("autodarts").profile, shipped("opendarts-cameras").profile]


def test_the_lines_to_paste_say_what_it_is() -> None:
    boards = [
        FoundBoard("192.168.0.7", 3180, ("autodarts",), "darts", "1.0.7", "running"),
        FoundBoard("fe80::9%wlan0", 8421, ("opendarts-cameras",), "", "", "stopped"),
        FoundBoard("192.168.0.8", 3180, ("autodarts",), "old", "", "silent", is_proven=False),
    ]
    found = match_web_boards(boards, PROFILES)
    assert found == [
        Found("web:192.168.0.7:3180", "Autodarts 1.0.7 (darts)", (ProfileFit("autodarts", "sure"),), "running"),
        Found("web:[fe80::9%wlan0]:8421", "opendarts", (ProfileFit("opendarts-cameras", "sure"),), "stopped"),
        Found("web:192.168.0.8:3180", "Autodarts (old)", (ProfileFit("autodarts", "likely"),), "silent"),
    ]
    text = format_toml(Scan(found, []), {}, "sim:granboard")
    assert text.startswith(
        "# Autodarts 1.0.7 (darts)\n# This is certainly autodarts.\n# It is running: it sees darts.\n"
        '[[table]]\nboard = "web:192.168.0.7:3180"\nprofile = "autodarts"\n'
    )
    assert "# It does not see darts now: start it there, or on the page of oche.\n" in text
    assert "# It is announced or answers as autodarts does.\n# It does not answer now: " in text
    assert '"state":"stopped","wants_token":false' in format_json(Scan(found, []), {})


def test_a_board_with_a_token_has_a_line_for_it() -> None:
    web_of_board = shipped("autodarts").profile.web
    assert web_of_board is not None
    asking = replace(PROFILES[0], id="asks", brands=[], web=replace(web_of_board, socket="/scores?token={token}"))
    (found,) = match_web_boards([FoundBoard("192.168.0.7", 3180, ("asks",))], [asking])
    assert found.lines() == (
        '[[table]]\nboard = "web:192.168.0.7:3180"\nprofile = "asks"\nboard_token_file = "/etc/oche/board-token"'
    )
    assert "# It asks for its token: write that into the file /etc/oche/board-token.\n" in format_toml(
        Scan([found], []), {}, "sim:granboard"
    )


@pytest.mark.parametrize(
    "name", [name for name in list_profiles() if (board := shipped(name).profile.web) and board.probe]
)
async def test_a_simulated_camera_of_each_kind_is_found(name: str) -> None:
    async with WebBoard(shipped(name)) as board:
        (found,) = await find_web_boards([at_port(name, board.port)], [])
    assert (found.profiles, found.is_proven) == ((name,), True)
    assert found.state in (None, "running"), "they run from the beginning"
