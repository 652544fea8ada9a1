"""The players on the web: who may say what of whom, and what is answered."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from daemon.admin.requests import MOST_RECORDED_NAME_BYTES
from daemon.assemble import RunningDaemon, run_daemon
from daemon.config.reader import read_config
from tests.commanding import give
from tests.daemon.evenings import Evening
from tests.daemon.process import configure
from tests.daemon.test_players import PNG
from tests.daemon.test_sounds import WAV

JSON = dict[str, Any]  # Any: JSON


@pytest.fixture
async def running(tmp_path: Path, unused_tcp_port: int) -> AsyncIterator[RunningDaemon]:
    with Evening(tmp_path / "state") as evening:
        evening.play("T20 S1 D20", players=["Ann", "Bo"], options={"start": 101})
        evening.play("T20 S1 D20", day=1, players=["Anna", "Bo"], options={"start": 101})
    async with run_daemon(read_config(configure(tmp_path, unused_tcp_port))) as running:
        yield running


async def test_a_profile_and_names(running: RunningDaemon) -> None:
    async with aiohttp.ClientSession(running.page) as web:

        async def post(path: str, body: JSON, status: int = 200) -> JSON:
            async with web.post(path, json=body) as answer:
                assert answer.status == status, await answer.text()
                found: JSON = await answer.json()
                return found

        await post("/api/players", {"name": "Ann", "nickname": "Ace", "doubles": [16, 8], "colour": 2})
        await post("/api/players/merge", {"name": "Anna", "to": "Ann"})
        refused = await post("/api/players/rename", {"name": "Ann", "to": "Bo"}, 400)
        assert (refused["error"]["key"], refused["error"]["values"]) == ("players.taken", {"name": "Bo"})
        await post("/api/players/rename", {"name": "Ann", "to": "Annie"})
        async with web.post("/api/players/picture?name=Annie", data=PNG) as answer:
            assert answer.status == 200
        for data, size, status in ((PNG + b"large", "large", 200), (bytes(48_001), "large", 413), (PNG, "huge", 400)):
            async with web.post(f"/api/players/picture?name=Annie&size={size}", data=data) as answer:
                assert answer.status == status, await answer.text()
        async with web.get("/api/players") as answer:
            bo, annie = sorted(await answer.json(), key=lambda each: -len(each["name"]))[::-1]
        assert 0 <= bo.pop("colour") <= 7
        assert bo == {"name": "Bo", "last": "2026-10-04T20:00:00.000+00:00", "given_colour": True}
        picture, face = annie.pop("picture"), annie.pop("face")
        assert annie == {
            "name": "Annie",
            "last": "2026-10-04T20:00:00.000+00:00",
            "names": ["Ann", "Anna", "Annie"],
            "nickname": "Ace",
            "doubles": [16, 8],
            "colour": 2,
        }
        async with web.get(f"/api/players/picture/{picture}") as answer:
            assert (answer.content_type, await answer.read()) == ("image/png", PNG)
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert answer.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
        async with web.get(f"/api/players/picture/{face}") as answer:
            assert (answer.content_type, await answer.read()) == ("image/png", PNG + b"large")
        recorded = WAV.ljust(MOST_RECORDED_NAME_BYTES, b"\0")
        async with web.post("/api/players/recorded_name?name=Annie", data=recorded) as answer:
            assert answer.status == 200
        async with web.post("/api/players/recorded_name?name=Annie", data=recorded + b"\0") as answer:
            assert answer.status == 413
        async with web.post("/api/players/recorded_name?name=Annie", data=PNG) as answer:
            assert (await answer.json())["error"]["key"] == "players.no_recording"
        async with web.get("/api/players") as answer:
            (recorded_name,) = {each["recorded_name"] for each in await answer.json() if "recorded_name" in each}
        async with web.get(f"/api/players/recorded_name/{recorded_name}") as answer:
            assert (answer.content_type, await answer.read()) == ("audio/wav", recorded)
            assert answer.headers["Cache-Control"] == "no-store", "it is forgotten with its player"
        async with web.get("/api/players/recorded_name/none") as answer:
            assert answer.status == 404
        for data in (b"<svg/>", b"\x89PNG\r\n\x1a\n" + bytes(8200)):
            async with web.post("/api/players/picture?name=Annie", data=data) as answer:
                assert answer.status in (400, 413)
        for body in ({"name": "Cy", "colour": 8}, {"name": "Cy", "token": "x"}, {"nickname": "x"}, {"name": "bot:45"}):
            await post("/api/players", body, 400)

        await give(running.tables["main"], {"start": {"game": "501", "players": ["Annie", "Bo"]}}, "page")
        assert running.tables["main"].match.header.options["doubles"] == ((16, 8), ())
