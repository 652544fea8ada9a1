"""A dart on a board appears on every display: bytes into a pty, the state as a stranger reads it off a real broker."""

from __future__ import annotations

import json
import re
from pathlib import Path

import aiohttp
import pytest

from simulator.pty_board import PtyBoard
from tests.daemon.display import Display
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import ROOT, STRICT, Process, configure, throw

NOISE = ("Traceback", "ResourceWarning", "never retrieved", "never awaited", "was destroyed")


@pytest.mark.slow
async def test_a_dart_is_on_a_display_that_comes_late(tmp_path: Path, broker: Mosquitto, board: PtyBoard) -> None:
    file = configure(tmp_path, broker.port)
    async with Display(broker.port) as early, Process("run", "--config", file) as daemon:
        await early.until(lambda: early.now.get("oche/bridge/oche/state") == "online")
        await board.wait_until_open()
        throw(board, "T20", "I5")
        await early.until_line(3)
        throw(board, "DB")
        await early.until(lambda: early.now.get("oche/table/main/attr/phase") == "takeout")

        async with Display(broker.port) as late:
            state = await late.until_line(4)
            retained = {topic: text for topic, text in early.now.items() if not topic.endswith(("/event", "/echo"))}
            await late.until(lambda: late.now == retained)
            assert all(message.retain for message in late.messages)

        assert (state["v"], state["game"], state["title"], state["phase"]) == (1, "x01", "501", "takeout")
        assert [side["score"] for side in state["sides"]] == [501 - 60 - 5 - 50, 501]
        assert state["turn"]["player"] == "Ann"
        assert state["turn"]["darts"] == [
            {"line": 2, "segment": "T20", "points": 60},
            {"line": 3, "segment": "I5", "points": 5},
            {"line": 4, "segment": "DB", "points": 50},
        ]
        assert early.now["oche/table/main/board/state"] == "online"
        attributes = {k.rpartition("/")[2]: v for k, v in early.now.items() if "/attr/" in k}
        assert attributes == {
            "game": "501",
            "player": "Ann",
            "score": "386",
            "darts_left": "0",
            "visit_score": "115",
            "last_dart": "DB",
            "round": "1",
            "phase": "takeout",
            "hint": "-",
            "task": "Pull your darts",
            "variant": "-",
        }

        numbers = [said["seq"] for said in early.events() + early.states()]
        assert len(set(numbers)) == len(numbers), "seq tells one message from another"
        assert {said["session"] for said in early.events() + early.states()} == {state["session"]}
        assert [event["segment"] for event in early.events("dart")] == ["T20", "I5", "DB"]
        assert [event["points"] for event in early.events("visit")] == [115]
        assert await daemon.stop() == 0


LATER = (
    *(
        "daemon.admin.doctor",
        "daemon.admin.history.history",
        "daemon.admin.history.played_matches",
        "daemon.admin.history.player_figures",
        "daemon.admin.history.statistics",
        "daemon.admin.history.people",
        "daemon.admin.settings.settings",
        "daemon.admin.backup.backups",
        "daemon.admin.learning",
        "daemon.admin.boards",
        "daemon.admin.care",
        "daemon.admin.faces.mqtt",
        "daemon.admin.faces.upload",
        "engine.statistics",
    ),
    *("simulator", "bleak", "usb", "amqtt", "segno", "daemon.commands.doctor", "daemon.commands.stats"),
    *("engine.games.targets", "engine.games.score_sheet", "engine.games.cricket_marks"),  # of games that are not played
    *(f"drivers.{file.stem}" for file in (ROOT / "drivers").glob("web_*.py")),  # from here on: of boards with cameras
    *("drivers.avahi", "drivers.mdns", "protocol.web_frames", "wsproto"),
    *("daemon.board.corrections", "daemon.table.known_darts", "daemon.table.sensed"),
    *(
        f"protocol.dialogues.{name}"
        for name in (
            "autodarts",
            "autodarts_state",
            "darts_in_board",
            "detection",
            "opendartboard",
            "opendarts_cameras",
            "scolia",
            "web",
        )
    ),
)
"""What is loaded when it is first asked for, or at a table that needs it."""


@pytest.mark.slow
async def test_a_start_loads_nothing_that_only_later_requests_need(
    tmp_path: Path, broker: Mosquitto, board: PtyBoard
) -> None:
    python = (*STRICT, "-X", "importtime")
    async with Process("run", "--config", configure(tmp_path, broker.port), python=python) as daemon:
        async with aiohttp.ClientSession(await daemon.runs()) as page, page.get("/") as answer:
            assert answer.status == 200
        assert await daemon.stop() == 0
    loaded = set(re.findall(r"^import time:.*\| +(\S+)$", daemon.errors, re.MULTILINE))
    assert {"daemon.assemble", "daemon.web.server", "h11", "engine.checkouts"} <= loaded  # which X01 imports
    assert not {name for name in loaded for late in LATER if name == late or name.startswith(f"{late}.")}


async def test_the_will_tells_of_a_death(tmp_path: Path, broker: Mosquitto, board: PtyBoard) -> None:
    async with Display(broker.port) as display, Process("run", "--config", configure(tmp_path, broker.port)) as daemon:
        await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
        await daemon.kill()
        await display.until(lambda: display.now["oche/bridge/oche/state"] == "offline")


async def test_a_clean_stop_says_so_itself(tmp_path: Path, broker: Mosquitto, board: PtyBoard) -> None:
    """Of Ctrl-C, too: see test_local_broker.py."""
    file = configure(tmp_path, broker.port)
    async with Display(broker.port) as display, Process("run", "--config", file) as daemon:
        await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
        await board.wait_until_open()
        throw(board, "T20")
        await display.until_line(2)
        assert await daemon.stop() == 0
        await display.until(lambda: display.now["oche/bridge/oche/state"] == "offline")
        log = (tmp_path / "mosquitto" / "mosquitto.log").read_text()
        assert re.search(r"Client oche-oche( \[\S+\])? disconnected\.", log), "a farewell, not the will"
        assert not [word for word in NOISE if word in daemon.errors], daemon.errors


async def test_what_is_told_of_the_daemon_holds_no_secret(
    tmp_path: Path, mosquitto_path: Path, unused_tcp_port: int, board: PtyBoard
) -> None:
    (tmp_path / "secret").write_text("open sesame\n", encoding="utf-8")
    login = f'username = "oche"\npassword_file = "{tmp_path}/secret"'
    file = configure(tmp_path, unused_tcp_port, mqtt=login)
    users = {"oche": "open sesame"}
    async with (
        Mosquitto(mosquitto_path, tmp_path / "mosquitto", unused_tcp_port, users=users) as broker,
        Process("run", "--config", file) as daemon,
        Display(broker.port, username="oche", password="open sesame") as display,
    ):
        await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
        await display.until(lambda: "oche/bridge/oche/info" in display.now)
        info = json.loads(display.now["oche/bridge/oche/info"])
        assert info["games"]["cricket"]["$defs"]["Options"]["properties"]["scoring"]["default"] == "standard"
        assert info["presets"]["cut_throat"] == {"game": "cricket", "options": {"scoring": "cut_throat"}}
        assert "sesame" not in "".join(message.text for message in display.messages) + daemon.errors


@pytest.mark.slow
async def test_many_tables_open_more_files_than_is_usual(tmp_path: Path) -> None:
    """The usual limit, 1,024, is enough for 128 tables. This one is not enough for 16."""
    tables = (f'[[table]]\nname = "t{n}"\nboard = "serial:{tmp_path}/{n}"\nprofile = "quick.toml"' for n in range(16))
    file = configure(tmp_path, more="\n".join(tables))
    async with Process("run", "--config", file, inside=("sh", "-c", 'ulimit -Sn 40; exec "$0" "$@"')) as daemon:
        await daemon.runs()
        assert "Too many open files" not in daemon.errors
        assert await daemon.stop() == 0
