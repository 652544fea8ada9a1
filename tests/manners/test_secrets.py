"""No secret gets out: an evening with known ones, and a search through all that others can read."""

from __future__ import annotations

import json
import logging
import stat
from pathlib import Path

import aiohttp
import pytest

from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from daemon.web.token import locate_token_hash, make_token
from tests.daemon.display import Display
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import PATIENCE_S, Process, configure
from tests.manners.guest import enter, status_of

PASSWORD, SEED = "a-password-7731", "a-seed-8842"
PUBLIC = (
    *("/", "/history", "/static/app.js", "/api/tables", "/api/broker", "/api/table/main/state"),
    *("/api/table/main/layout", "/api/table/main/seats", "/api/stats", "/api/stats/player?name=Ann"),
    *("/api/layout/standard", "/nothing"),
)
OURS = ("seats.key", "web.token", "main.sqlite3")


@pytest.fixture
def file(tmp_path: Path, unused_tcp_port: int) -> Path:
    (tmp_path / "password").write_text(PASSWORD, encoding="utf-8")
    game = f'game = "dards"\noptions = {{ mode = "dealt" }}\nseed = "{SEED}"'
    mqtt = f'username = "oche"\npassword_file = "{tmp_path}/password"'
    return configure(tmp_path, unused_tcp_port, game, mqtt=mqtt, web='host = "0.0.0.0"')


async def read(web: aiohttp.ClientSession, path: str) -> str:
    async with web.get(path) as answer:
        return f"{answer.headers}{await answer.text()}"


@pytest.mark.slow
async def test_an_evening_with_secrets(
    file: Path, tmp_path: Path, mosquitto_path: Path, unused_tcp_port: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    token = make_token(tmp_path / "state")
    users = {"oche": PASSWORD}
    async with (
        Mosquitto(mosquitto_path, tmp_path / "mosquitto", unused_tcp_port, users=users),
        Display(unused_tcp_port, username="oche", password=PASSWORD) as display,
        run_daemon(read_config(file)) as running,
        aiohttp.ClientSession(running.page, headers={"Authorization": f"Bearer {token}"}) as tablet,
        aiohttp.ClientSession(running.page, timeout=aiohttp.ClientTimeout(PATIENCE_S)) as phone,
    ):
        async with tablet.get("/api/table/main/seats") as answer:
            seats = [seat["url"].partition("?seat=")[2] for seat in await answer.json()]
        for seat in seats:
            assert "player" in await read(phone, f"/api/seat/{seat}")
        for wrong in ("a-wrong-token", token[:-1]):
            assert await enter(phone, wrong) == 401
        hands = [running.tables["main"].state(seat).board["hand"] for seat in (0, 1)]
        assert await status_of(phone.post(f"/api/seat/{seats[0]}/choose", json={"choose": "no card"})) == 409
        assert await status_of(phone.post(f"/api/seat/{seats[0]}/choose", json={"choose": hands[0][0]})) == 200
        await display.until_line(2)
        shown = [await read(web, path) for web in (phone, tablet) for path in PUBLIC]
        async with tablet.get("/api/table/main/events") as stream:
            shown += [(await stream.content.readuntil(b"\n\n")).decode() for _ in range(3)]
        said = [f"{m.topic} {m.text}" for m in display.messages if "/seat/" not in m.topic]
        secret = [PASSWORD, SEED, token, *seats, *(json.dumps(hand, separators=(",", ":"))[1:-1] for hand in hands)]
        secret += [json.dumps(hand[1:])[1:-1] for hand in hands]
    for place, texts in {"log": [caplog.text], "page": shown, "topics": said}.items():
        assert texts
        for text in texts:
            assert not [found for found in (*secret, '"hand":') if found in text], f"{place}: {text}"


async def test_what_others_on_the_machine_can_read(file: Path, tmp_path: Path) -> None:
    token = make_token(tmp_path / "state")
    async with Process("run", "--config", file) as daemon:
        page = await daemon.runs()
        async with aiohttp.ClientSession(page) as phone, phone.post("/api/enter", json={"token": token}) as answer:
            assert answer.status == 200
            cookie = answer.cookies.popitem()[1].value
        proc = Path(f"/proc/{daemon.process.pid}")
        exposed = [(proc / name).read_bytes().decode() for name in ("cmdline", "environ")]
        assert await daemon.stop() == 0
    for text in (*exposed, daemon.errors, daemon.output):
        assert not [found for found in (PASSWORD, SEED, token, cookie) if found in text], text
    assert token not in locate_token_hash(tmp_path / "state").read_text()
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "state").iterdir()}
    assert {*OURS, "main.sqlite3"} <= set(modes)
    for name, mode in modes.items():
        assert not mode & (0o077), f"{name}: {mode:o}"
