"""Tables whose boards are behind Bluetooth proxies, in one daemon: what is configured, a visit, a whole match."""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random

import pytest

from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from daemon.simulated_players import Rematch, SimulatedPlayers
from simulator.habits import HABITS
from simulator.thrower import Landing
from tests.daemon.process import configure, ended, eventually, journal
from tests.drivers.test_esphome_proxy import KEY, MAC
from tests.esphome_proxy import run_proxy
from tests.simulator.test_matches import Remembering

VISIT = ["T20", "T19", "D5"]
OTHER = "C2:A4:CF:00:00:02"


@pytest.mark.slow
async def test_a_visit_behind_one_proxy_and_a_match_behind_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", f"unix:path={tmp_path}/none")
    (tmp_path / "key").write_text(KEY, encoding="ascii")
    async with run_proxy(key=KEY, name="cellar") as cellar, run_proxy(name="attic") as attic:
        granboard = cellar.place("granboard", MAC, habits=HABITS["granboard"])
        board = attic.place("sdb-bt", OTHER, habits=HABITS["sdb-bt"])
        attic.cuts = Random(1)
        more = f"""
[[table]]
name = "attic"
board = "ble:auto"
profile = "sdb-bt"
players = ["Cy", "Di"]
game = "count_up"
options = {{ rounds = 2 }}

[[proxy]]
host = "127.0.0.1:{cellar.port}"
key_file = "{tmp_path}/key"

[[proxy]]
host = "127.0.0.1:{attic.port}"
"""
        file = configure(tmp_path, board="ble:auto", profile="granboard", more=more)
        async with run_daemon(read_config(file)) as running:
            await eventually(lambda: all(table.board.online for table in running.tables.values()))
            for segment_id in VISIT:
                assert granboard.hit(granboard.codebook.layout[segment_id])
            await eventually(lambda: read_darts(tmp_path, "main") == VISIT)

            thrown: list[Landing] = []
            table, book = running.tables["attic"], board.codebook
            people = SimulatedPlayers(table, board, lambda number: Remembering(Random(number), book, thrown), 1000)
            rematch = Rematch(table)
            for outlet in (people, rematch):
                table.subscribe(outlet)
            playing = asyncio.create_task(people.play())
            assert await rematch.result(0.01)
            await ended(playing)
            assert read_darts(tmp_path, "attic") == [landing.segment.id for landing in thrown]
        assert not granboard.is_connected
        assert not board.is_connected


def read_darts(folder: Path, table: str) -> list[str]:
    """The darts in the journal of a table."""
    return [line["throw"] for line in journal(folder, table) if "throw" in line]
