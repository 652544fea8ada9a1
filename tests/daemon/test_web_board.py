"""A table whose board speaks HTTP and WebSocket, with its token in a file beside the configuration."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from daemon.assemble import run_daemon
from daemon.board.link import BoardLink
from daemon.config.reader import read_config
from tests.daemon.display import find_part
from tests.daemon.process import configure, eventually, journal
from tests.drivers.web_ends import WebBoard

SECRET = "s3cret"


async def test_darts_are_counted_and_the_token_is_nowhere(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    (tmp_path / "token").write_text(SECRET + "\n", encoding="utf-8")
    async with WebBoard(path="/scores").serve() as board:
        file = configure(
            tmp_path,
            board=str(board.address),
            profile="opendartboard-apaiko",
            table='board_token_file = "token"',
        )
        async with run_daemon(read_config(file)) as running:
            live = await board.sockets.get()
            for number, score in enumerate(("T20", "S5", "BULL")):
                await live.send_json({"score": score, "timestamp": number})
            table = running.tables["main"]
            await eventually(lambda: table.match.line - 1 == 3)
            report = find_part(running, BoardLink).encode_traffic()
    assert board.queries == [f"/scores?token={SECRET}"]
    assert [line["throw"] for line in journal(tmp_path) if "throw" in line] == ["T20", "S5", "DB"]
    hidden = bytes.fromhex("".join(part.split('"')[0] for part in report.decode().split('"in":"')[1:]))
    for text in (report, hidden, caplog.text.encode(), *(f.read_bytes() for f in (tmp_path / "state").rglob("*.*"))):
        assert SECRET.encode() not in text


@pytest.mark.slow
async def test_a_token_that_is_missing_is_said_and_found_once_it_is_there(tmp_path: Path) -> None:
    async with WebBoard(path="/scores").serve() as board:
        file = configure(
            tmp_path, board=str(board.address), profile="opendartboard-apaiko", table='board_token_file = "token"'
        )
        async with run_daemon(read_config(file)) as running:
            link = find_part(running, BoardLink)
            await eventually(
                lambda: "cannot read the token of the board" in str(getattr(link.session.status, "said", ""))
            )
            (tmp_path / "token").write_text(SECRET, encoding="utf-8")
            await board.sockets.get()
