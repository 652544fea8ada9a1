"""Learning a board over HTTP: its table gets it back, presses outlive a new start, and who only plays is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import aiohttp
import pytest

from daemon.admin import requests
from daemon.admin.learning.learning import Learning
from daemon.admin.learning.long_poll import LongPolled
from daemon.admin.learning.press_file import PressFile
from daemon.admin.requests import BoardDescription
from simulator.pty_board import PtyBoard
from tests.daemon.process import eventually, journal, throw
from tests.daemon.test_settings import overwrite, read, serve, started_anew, write_file, written

JSON = Any  # JSON


async def order(client: aiohttp.ClientSession, name: str, body: JSON = None) -> tuple[int, JSON]:
    """Returns the status and the answer."""
    async with client.post(f"/api/learn/{name}", json=body or {}) as answer:
        return answer.status, await answer.json()


async def look(client: aiohttp.ClientSession) -> JSON:
    """Returns what is so."""
    async with client.get("/api/learn") as answer:
        assert answer.status == 200
        return await answer.json()


async def ask(learning: Learning, request: requests.LearnRequest) -> JSON:
    """Returns the answer of what carries requests out."""
    return await learning.ask(request)


@pytest.mark.slow
async def test_a_table_lends_its_board_and_the_presses_are_kept(
    tmp_path: Path, unused_tcp_port: int, board: PtyBoard
) -> None:
    file = write_file(tmp_path, unused_tcp_port)
    overwrite(file, written(file).replace("sim:opendarts", board.address))
    async with serve(file) as client:

        async def is_online() -> bool:
            return (await look(client)).get("online") is True

        async def has_heard() -> bool:
            return len((await look(client))["heard"]) == 1

        async def plays() -> bool:
            throw(board, "T19")
            return {"throw": "T19"} in journal(tmp_path)

        await board.wait_until_open()
        status, told = await order(client, "start", {"board": board.address, "name": "mine"})
        assert (status, told["state"]) == (200, "asking")
        await eventually(is_online)
        throw(board, "T20")
        await eventually(has_heard)
        before = (await read(client))["run"]
        async with client.post("/api/care/restart") as answer:
            assert answer.status == 200
        await started_anew(client, before)
        assert (await order(client, "start", {"board": "none", "name": "mine"}))[0] == 400
        assert (await look(client))["kept"] == {"name": "mine", "board": board.address, "presses": 1}
        status, told = await order(client, "resume")
        assert (status, told["press"]["number"]) == (200, 2)
        await eventually(is_online)
        status, told = await order(client, "undo")
        assert (told["state"], told["heard"]) == ("asking", [])
        assert (await order(client, "stop"))[1]["state"] == "idle"
        assert journal(tmp_path) == []
        await eventually(plays)


async def test_the_name_it_proposes_is_free(tmp_path: Path) -> None:
    for name in ("my-board", "my-board-2", "my-board-3"):
        told = await ask(Learning(tmp_path, {}), requests.ReadLearning())
        assert told["name"] == name
        (tmp_path / f"profile.{name}.toml").write_text("", encoding="utf-8")


async def test_one_is_learned_at_a_time(tmp_path: Path, unused_tcp_port: int) -> None:
    wanted = {"board": "serial:/dev/null/no", "name": "x"}
    async with serve(write_file(tmp_path, unused_tcp_port)) as client:
        said = []
        for name, body in (
            *(("undo", {}), ("resume", {}), ("start", {"board": "none", "name": "x"}), ("start", {"board": 7})),
            ("start", {**wanted, "name": "x" * 300}),
            *(("start", {**wanted, "frame": "line"}), ("start", wanted), ("start", wanted), ("save", {}), ("stop", {})),
        ):
            status, told = await order(client, name, body)
            said.append((status, told.get("error", {}).get("key") or told.get("error", {}).get("message")))
        assert said == [
            (409, "learn.idle"),
            (409, "learn.nothing_kept"),
            (400, "address.no_sensor"),
            (400, "Expected `str`, got `int` - at `$.board`"),
            (400, "Expected `str` of length <= 40 - at `$.name`"),
            (400, "learn.frame"),
            (200, None),
            (409, "learn.busy"),
            (409, "learn.not_done"),
            (200, None),
        ]


@pytest.mark.parametrize("content", [b"", b'{"frame": null}\n', b"\0\0\n", b'{"frame"'], ids=repr)
async def test_presses_that_are_torn_do_not_keep_it_from_beginning(tmp_path: Path, content: bytes) -> None:
    (presses := tmp_path / "profile.presses").write_bytes(content)
    learning = Learning(tmp_path, {})
    told = await ask(learning, requests.ReadLearning())
    trouble = told["trouble_said"] or {"key": "", "text": ""}
    assert (told["state"], told["trouble"]) == ("idle", trouble["text"])
    assert trouble["key"] == ("learn.set_aside" if content == b"\0\0\n" else "")
    renamed = presses.with_name("profile.presses.old")
    assert (renamed.read_bytes() if renamed.exists() else b"") == (content if trouble["key"] else b"")
    told = await ask(learning, requests.StartLearning("serial:/dev/null/no", "x"))
    assert told["state"] == "asking"
    await learning.close()


async def test_presses_that_cannot_be_used_are_renamed_and_it_starts_over(tmp_path: Path) -> None:
    presses = PressFile(tmp_path / "profile", "no row", BoardDescription("serial:/dev/null/no", "mine"))
    presses.write([("D20", (1, 2))])
    content, learning = presses.file.read_bytes(), Learning(tmp_path, {})
    told = await ask(learning, requests.ResumeLearning())
    assert (told["state"], told["press"]["segment"], told["heard"]) == ("asking", "D20", [])
    assert [note["key"] for note in told["notes"]] == ["learn.set_aside"]
    await learning.close()
    assert (tmp_path / "profile.presses.old").read_bytes() == content


async def test_a_page_asks_once_more_of_what_has_just_ended() -> None:
    """Its end is noticed a moment later, with the board given back."""
    watched = LongPolled(idle_s=60)
    async with watched.limit_idleness():
        watched.note_page()
    watched.note_page()
