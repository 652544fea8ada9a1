"""A table where Ann and Bo play 301, and a way to throw without a board: what a phone would send."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from daemon.config import Setup
from daemon.sections import Bridge, Config, Mqtt, TableConfig, Web
from daemon.service import House, running
from protocol.codebook import shipped


def setup(folder: Path, closed_port: int, port: int = 0, **table: Any) -> Setup:  # Any: as TableConfig has it
    about = {"players": ("Ann", "Bo"), "game": "x01", "options": {"start": 301}, **table}
    config = Config(
        table=[TableConfig(board=f"serial:{folder}/board", **about)],
        bridge=Bridge(state_dir=str(folder)),
        mqtt=Mqtt(host="127.0.0.1", port=closed_port),
        web=Web(port=port),
    )
    return Setup(config, (shipped("opendarts"),))


@asynccontextmanager
async def evening(folder: Path, closed_port: int, **table: Any) -> AsyncIterator[House]:
    async with running(setup(folder, closed_port, **table)) as house:
        yield house


async def play(house: House, inputs: str) -> None:
    """Inputs as people note them: `T20`, `/` for the next visit, `undo`, `redo`, `2=T19` for another dart."""
    plain: dict[str, dict[str, object]] = {"/": {"next": True}, "undo": {"undo": True}, "redo": {"redo": True}}
    for each in inputs.split():
        line, is_amend, segment = each.partition("=")
        amend = {"amend": int(line), "throw": segment} if is_amend else {"throw": each}
        await house.tables["main"].command(plain.get(each, amend), "test")
