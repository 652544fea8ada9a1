"""Finding a board over HTTP and trying it out: its table gets it back, and who only plays is refused."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from daemon.admin.admin import Admin
from daemon.admin.requests import FindBoards, ReadTryout
from daemon.board.link import is_same_board
from drivers.schemes import parse
from protocol.codebook import read_shipped, shipped
from simulator.pty_board import PtyBoard
from simulator.web_board import WebBoard
from tests.daemon.process import eventually, journal, throw
from tests.daemon.test_settings import overwrite, serve, write_file, written

JSON = Any  # JSON


async def order(client: aiohttp.ClientSession, name: str, body: JSON = None) -> tuple[int, JSON]:
    """Returns the status and the answer."""
    async with client.post(f"/api/boards/{name}", json=body or {}) as answer:
        return answer.status, await answer.json()


async def look(client: aiohttp.ClientSession) -> JSON:
    """Returns what the board that is tried out has said."""
    async with client.get("/api/boards/try") as answer:
        assert answer.status == 200
        return await answer.json()


async def test_a_table_lends_its_board_and_no_dart_of_the_trial_counts(
    tmp_path: Path, unused_tcp_port: int, board: PtyBoard
) -> None:
    file = write_file(tmp_path, unused_tcp_port)
    overwrite(file, written(file).replace("sim:opendarts", board.address))
    async with serve(file) as client:

        async def is_connected() -> bool:
            return (await look(client)).get("trouble", "") is None

        async def has_heard() -> bool:
            return bool((await look(client))["heard"] == ["T20"])

        async def plays() -> bool:
            throw(board, "T19")
            return {"throw": "T19"} in journal(tmp_path)

        await board.wait_until_open()
        status, told = await order(client, "try", {"board": board.address})
        assert (status, told["state"], told["layout"]) == (200, "listening", "standard")
        await eventually(is_connected)
        throw(board, "T20")
        await eventually(has_heard)
        assert (await order(client, "stop"))[1]["state"] == "idle"
        assert journal(tmp_path) == []
        await eventually(plays)


async def test_a_trial_takes_the_token_that_was_typed(web: aiohttp.ClientSession) -> None:
    async with WebBoard(shipped("opendartboard-apaiko")) as cameras:
        tried = {"board": cameras.address, "profile": "opendartboard-apaiko"}

        async def find_trouble() -> str | None:
            return (await look(web)).get("trouble", "")  # type: ignore[no-any-return]  # JSON

        async def is_connected() -> bool:
            return await find_trouble() is None

        async def is_asked_for() -> bool:
            return 'has a token: enter "Token of the board" on' in (await find_trouble() or "")

        async def is_refused() -> bool:
            return 'enter "Token of the board" again' in (await find_trouble() or "")

        for token, said in (("", is_asked_for), ("wrong", is_refused), (f" {cameras.token} ", is_connected)):
            assert (await order(web, "try", {**tried, "token": token}))[0] == 200
            await eventually(said)
        assert cameras.token not in str(await look(web))
        assert (await order(web, "stop"))[0] == 200


async def test_a_trial_says_that_the_cameras_are_stopped(web: aiohttp.ClientSession) -> None:
    async with WebBoard(shipped("autodarts")) as cameras:
        cameras.camera.stop()

        async def say_why_not() -> str:
            return str((await look(web)).get("trouble"))

        await order(web, "try", {"board": cameras.address, "profile": "autodarts"})

        async def is_told() -> bool:
            return "darts" in await say_why_not()

        await eventually(is_told)
        cameras.camera.start()
        cameras.tell()

        async def is_over() -> bool:
            return await say_why_not() == "None"

        await eventually(is_over)


@pytest.mark.parametrize("is_of_table", [True, False])
async def test_a_trial_shows_the_token_of_a_table_to_the_board_of_that_table_alone(
    tmp_path: Path, unused_tcp_port: int, is_of_table: bool
) -> None:
    async with WebBoard(shipped("opendartboard-apaiko")) as cameras:
        (tmp_path / "token").write_text(cameras.token)
        board = cameras.address if is_of_table else "web:127.0.0.1:1"
        more = f'[[table]]\nname = "steel"\nboard = "{board}"\nprofile = "opendartboard-apaiko"\n'
        file = write_file(tmp_path, unused_tcp_port)
        overwrite(file, f'{written(file)}\n{more}board_token_file = "{tmp_path}/token"\n')
        async with serve(file) as client:

            async def has_ended() -> bool:
                told = await look(client)
                return told.get("trouble", "") != "" and (told["trouble"] is None) == is_of_table

            status, told = await order(client, "try", {"board": cameras.address, "profile": "opendartboard-apaiko"})
            assert (status, told["state"]) == (200, "listening")
            await eventually(has_ended)
            assert await order(client, "stop")
        shown = [str(each) for each in cameras.requests if cameras.token in str(each)]
        assert is_of_table or not shown


async def test_of_trials_that_begin_at_once_one_goes_on(web: aiohttp.ClientSession) -> None:
    def count() -> int:
        return [task.get_name() for task in asyncio.all_tasks()].count("trying a board out")

    wanted = {"board": "serial:/dev/null/no", "profile": "opendarts"}
    answers = await asyncio.gather(*(order(web, "try", wanted) for _ in range(20)))
    assert {status for status, _ in answers} == {200}
    assert count() == 1
    assert (await order(web, "stop"))[1]["state"] == "idle"
    assert count() == 0


@pytest.mark.slow
async def test_boards_are_looked_for_as_long_as_somebody_waits(admin: Admin) -> None:
    def count() -> int:
        return [task.get_name() for task in asyncio.all_tasks()].count("looking for boards")

    async def pause() -> None:
        for _ in range(10):
            await asyncio.sleep(0)

    await admin.ask(ReadTryout())
    first, second = (asyncio.create_task(admin.ask(FindBoards())) for _ in range(2))
    await pause()
    assert count() == 1
    first.cancel()
    await pause()
    assert count() == 1
    second.cancel()
    third = asyncio.create_task(admin.ask(FindBoards()))
    await asyncio.wait({first, second})
    assert (await third)["v"] == 1, "it is looked for anew"
    fourth = asyncio.create_task(admin.ask(FindBoards()))
    await pause()
    fourth.cancel()
    await asyncio.wait({fourth})
    await pause()
    assert count() == 0


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("tcp:192.168.0.1", "tcp:192.168.0.1:11080", True),
        ("tcp:Board:4000", "tcp:board:4000", True),
        ("tcp:board:4000", "tcp:board:4001", False),
        ("tcp:192.168.0.1:4000", "tcp:192.168.0.2:4000", False),
        ("web:Board:4000", "web:board", True),
        ("web:board", "tcp:board", False),
        ("web:board?serial=1", "web:board?serial=1", True),
        ("web:board?serial=1", "web:board?serial=2", False),
    ],
)
def test_a_board_on_the_network_is_the_same_with_its_port_or_without(one: str, other: str, is_same: bool) -> None:
    assert is_same_board(parse(one), parse(other)) is is_same


@pytest.mark.slow
async def test_it_says_what_is_wrong_with_a_board(tmp_path: Path, unused_tcp_port: int) -> None:
    async with serve(write_file(tmp_path, unused_tcp_port)) as client:
        said = []
        for board, profile in (("serial:", ""), ("carrier:pigeon", ""), ("none", "opendarst"), ("ble:auto", "")):
            status, told = await order(client, "try", {"board": board, "profile": profile})
            said.append((status, told["error"]["message"]))
        assert [status for status, _ in said] == [400] * 4, said
        assert "opendarts" in said[2][1], "the nearest spelling"
        assert "needs a profile" in said[3][1]
        status, told = await order(client, "scan")
        assert (status, {"found", "notes"} <= told.keys()) == (200, True), told


@pytest.mark.slow
async def test_the_profile_of_a_table_that_is_a_file_is_looked_for_too(tmp_path: Path, unused_tcp_port: int) -> None:
    file, own = write_file(tmp_path, unused_tcp_port), tmp_path / "own.toml"
    overwrite(file, written(file).replace("sim:opendarts", "none").replace('"opendarts"', f'"{own.name}"'))
    own.write_text(read_shipped("opendarts").text, encoding="utf-8")
    async with serve(file) as client:
        status, told = await order(client, "scan")
        assert status == 200, told
        own.unlink()
        status, told = await order(client, "scan")
        assert (status, str(own) in told["error"]["message"]) == (503, True), told
