"""`oche play` on other boards than the usual one, and taps on them."""

from __future__ import annotations

from pathlib import Path

import aiohttp
import pytest

from protocol.codebook import read_shipped
from tests.daemon.process import Process, configure, journal
from tests.daemon.test_play import found, left_in, play, tapped
from tests.protocol.hearing import WEB
from tests.sweep import sweep


@pytest.mark.long
@pytest.mark.parametrize(
    ("board", "address"),
    sweep(
        [
            ("granboard", r"sim:granboard"),
            ("pydarts-leonardo", r"sim:pydarts-leonardo"),
            ("darts_connect", r"tcp:127\.0\.0\.1:\d+"),
            ("pikado", r"serial:\S+/board"),
            *((name, r"web:127\.0\.0\.1:\d+\S*") for name in WEB),
        ],
        lambda case: case[0] in {"granboard", "darts_connect", "opendarts-cameras", "scolia"},
    ),
)
async def test_a_game_on_another_board(tmp_path: Path, board: str, address: str) -> None:
    async with play(tmp_path, "--board", board, "--game", "101", "--speed", "60", "--seed", "1") as demo:
        assert await demo.ended() == 0
    assert "Traceback" not in demo.errors
    assert found(demo, rf"Board       ({address}), a simulated")
    assert demo.output.rstrip().endswith(" won.")
    assert left_in(tmp_path) == []


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "address"),
    sweep([("granboard", r"sim:mine"), ("maddarts", r"serial:\S+/board")], lambda case: case[0] == "granboard"),
)
async def test_a_game_on_a_board_of_ones_own(tmp_path: Path, kind: str, address: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(read_shipped(kind).text.replace(f'id = "{kind}"', 'id = "mine"'), encoding="utf-8")
    arguments = ("--board", str(file), "--game", "101", "--speed", "200", "--seed", "1")
    async with play(tmp_path / "tmp", *arguments) as demo:
        assert await demo.ended() == 0
    assert "Traceback" not in demo.errors
    assert found(demo, rf"Board       ({address}), a simulated mine board")
    assert demo.output.rstrip().endswith(" won.")


async def test_a_simulated_board_of_the_daemon_is_tapped_on_the_page(tmp_path: Path) -> None:
    file = configure(tmp_path, 1, board="sim:granboard?speed=100", profile="")
    async with Process("run", "--config", file) as daemon:
        async with aiohttp.ClientSession(await daemon.runs()) as web:
            await tapped(web, "O20")
        assert await daemon.stop() == 0
    assert journal(tmp_path)[0] == {"throw": "O20"}
