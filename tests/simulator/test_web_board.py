"""The server of the simulated cameras, seen by a WebSocket library that is not ours."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import Any

import aiohttp
import pytest

from protocol.codebook import shipped
from simulator.cameras.opendartboard import ApaikoCamera
from simulator.cameras.opendarts import OpendartsCamera
from simulator.cameras.scolia import ScoliaCamera
from simulator.web_board import WebBoard
from tests.daemon.process import ROOT, eventually
from tests.protocol.hearing import WEB

BOOK = shipped("opendarts-cameras")
AUTODARTS = shipped("autodarts")
T20 = BOOK.layout["T20"]
PATIENCE_S = 60


def url(board: WebBoard, path: str) -> str:
    return f"http://127.0.0.1:{board.port}{path}"


async def heard(socket: aiohttp.ClientWebSocketResponse) -> Any:
    async with asyncio.timeout(PATIENCE_S):
        return await socket.receive_json()


async def is_cut_off(socket: aiohttp.ClientWebSocketResponse) -> bool:
    async with asyncio.timeout(PATIENCE_S):
        while (await socket.receive()).type not in (aiohttp.WSMsgType.CLOSED, aiohttp.WSMsgType.CLOSE):
            pass
    return True


@pytest.mark.parametrize("name", WEB)
def test_every_profile_with_a_web_server_has_its_cameras(name: str) -> None:
    web = shipped(name).profile.web
    assert web is not None
    assert WebBoard(shipped(name)).camera.socket == web.socket.partition("?")[0]


def test_a_board_with_frames_has_none() -> None:
    with pytest.raises(ValueError, match=r"^granboard is no board with HTTP and WebSocket$"):
        WebBoard(shipped("granboard"))


async def test_a_host_is_greeted_hears_darts_and_asks() -> None:
    async with WebBoard(BOOK) as board, aiohttp.ClientSession() as web:
        camera = board.camera
        assert isinstance(camera, OpendartsCamera)
        async with web.ws_connect(url(board, "/api/live")) as socket:
            assert (await heard(socket))["event"] == "hello"
            assert board.is_heard
            assert board.hit(T20)
            assert [(await heard(socket))["type"] for _ in range(2)] == ["THROW_DETECTED", "state"]
            async with web.get(url(board, "/api/live/recent?limit=2")) as answer:
                assert (await answer.json())["visits"] == []
            visit = camera.visit
            async with web.post(url(board, f"/api/visits/{visit}/throws/0/correct"), json={"ring": "bull"}) as answer:
                assert answer.status == 200
            assert (await heard(socket))["darts"][0]["label"] == "BULL"
            assert board.has_darts
            assert board.pull_darts()
            assert [(await heard(socket))["event"] for _ in range(2)] == ["takeout_started", "visit_complete"]
            assert camera.darts == []
        async with web.get(url(board, "/nothing")) as answer:
            assert answer.status == 404
        assert [(each.method, each.path) for each in board.requests][-1] == ("GET", "/nothing")
        await eventually(lambda: not board.is_heard)


async def test_several_hosts_hear_the_same() -> None:
    async with (
        WebBoard(BOOK) as board,
        aiohttp.ClientSession() as web,
        web.ws_connect(url(board, "/api/live")) as one,
        web.ws_connect(url(board, "/api/live")) as other,
    ):
        assert [(await heard(each))["event"] for each in (one, other)] == ["hello"] * 2
        board.hit(T20)
        assert [await heard(one) for _ in range(2)] == [await heard(other) for _ in range(2)]


async def test_darts_go_on_while_the_connection_is_cut() -> None:
    async with WebBoard(BOOK) as board, aiohttp.ClientSession() as web:
        async with web.ws_connect(url(board, "/api/live")) as socket:
            await heard(socket)
            board.hit(T20)
            board.drop()
            assert await is_cut_off(socket)
        board.hit(T20)
        async with web.ws_connect(url(board, "/api/live")) as socket:
            assert (await heard(socket))["n_darts"] == 2


async def test_the_plug_is_pulled_and_the_board_comes_back_on_its_port() -> None:
    async with WebBoard(BOOK) as board, aiohttp.ClientSession() as web:
        port = board.port
        for _ in range(3):
            async with web.ws_connect(url(board, "/api/live")) as socket:
                await heard(socket)
                board.camera.start()
                board.hit(T20)
                await board.unplug()
                assert await is_cut_off(socket)
            with pytest.raises(aiohttp.ClientConnectorError):
                await web.get(url(board, "/api/health"))
            board.plug()
            assert (board.port, board.has_darts) == (port, False)


async def test_a_board_that_is_asked_is_heard_once_it_was() -> None:
    async with (
        WebBoard(AUTODARTS) as board,
        aiohttp.ClientSession() as web,
        web.ws_connect(url(board, "/api/events")) as socket,
    ):
        await eventually(lambda: board.hosts == 1)
        opening = asyncio.create_task(board.wait_until_open())
        await asyncio.sleep(0)
        assert not opening.done()
        async with web.get(url(board, "/api/state")) as answer:
            assert (await answer.json())["numThrows"] == 0
        await opening
        board.hit(T20)
        while (state := await heard(socket))["type"] != "state":
            pass
        assert state["data"]["throws"][0]["segment"]["name"] == "T20"


async def test_a_stranger_gets_no_socket() -> None:
    board = WebBoard(BOOK, make_camera=ApaikoCamera)
    async with board, aiohttp.ClientSession() as web:
        for path, status in (("/scores", 401), ("/scores?token=wrong", 401), ("/elsewhere", 404)):
            with pytest.raises(aiohttp.WSServerHandshakeError) as caught:
                await web.ws_connect(url(board, path))
            assert caught.value.status == status
        async with web.ws_connect(url(board, f"/scores?token={board.token}")) as socket:
            board.hit(T20)
            assert (await heard(socket))["score"] == "T20"


async def test_a_socket_is_closed_with_the_makers_code() -> None:
    async with WebBoard(BOOK, make_camera=ScoliaCamera) as board, aiohttp.ClientSession() as web:
        async with web.ws_connect(url(board, "/api/v1/social?serialNumber=SIMULATED-1&accessToken=wrong")) as socket:
            assert (await socket.receive()).data == 4102
        path = f"/api/v1/social?serialNumber=SIMULATED-1&accessToken={board.token}"
        async with web.ws_connect(url(board, path)) as socket:
            assert (await heard(socket))["type"] == "HELLO_CLIENT"
            await socket.send_json({"type": "GET_SBC_STATUS", "id": "1"})
            assert (await heard(socket))["payload"]["replyTo"] == "1"
            await socket.send_str("[")
            await socket.send_str("[]")
            await socket.send_json({"type": "GET_SBC_STATUS"})
            assert (await heard(socket))["type"] == "REFUSED"


async def test_a_host_that_answers_no_ping_is_dropped() -> None:
    board = WebBoard(BOOK, make_camera=ApaikoCamera)
    board.camera.ping_s = 0.01
    async with board, aiohttp.ClientSession() as web:
        path = f"/scores?token={board.token}"
        async with web.ws_connect(url(board, path)) as good, web.ws_connect(url(board, path), autoping=False) as mute:
            hearing = asyncio.create_task(heard(good))
            assert await is_cut_off(mute)
            await eventually(lambda: board.hosts == 1)
            board.hit(T20)
            assert (await hearing)["score"] == "T20"


def test_nothing_of_it_is_loaded_without_such_a_board() -> None:
    code = """
import sys
import daemon.commands.play, daemon.assemble
from daemon.config.schemes import make_schemes, make_simulated
from protocol.codebook import shipped
make_schemes(make_simulated("sim:granboard", shipped("granboard")))
kinds = ("simulator.web", "simulator.cameras", "protocol.dialogues.web", "drivers.web_", "wsproto")
print([name for name in sys.modules if name.startswith(kinds)])
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert found.stdout == "[]\n"
