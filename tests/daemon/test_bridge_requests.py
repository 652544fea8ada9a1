"""What the bridge is asked over MQTT: the same as on the page, answered, and only where its owner wants it."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import tarfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NoReturn
from uuid import uuid4

import aiohttp
import pytest

from daemon.admin.admin import Admin
from daemon.admin.faces.mqtt import BridgeRequests, decode_request
from daemon.admin.settings.settings_file import SettingsFile
from daemon.assemble import RunningDaemon, run_daemon
from daemon.board.capture import BoardCapture
from daemon.config.reader import read_config
from daemon.mqtt.bridge_inbox import BridgeInbox
from daemon.mqtt.inbox import ReplyTopics
from daemon.mqtt.message import IncomingMessage
from drivers.capture import CaptureLine
from drivers.replay import check_recording
from drivers.session import Session
from protocol.codebook import shipped
from protocol.commands import CommandError
from simulator.pty_board import PtyBoard
from tests.daemon.display import JSON, Display, find_part, fits
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import PATIENCE_S, configure, throw
from tests.daemon.test_settings import serve, written

STATE, INFO = "oche/bridge/oche/state", "oche/bridge/oche/info"


@asynccontextmanager
async def connected(file: Path, broker: Mosquitto) -> AsyncIterator[Display]:
    """Yields what is seen at the broker of a daemon with this file, once that is there."""
    async with serve(file), Display(broker.port) as display:
        await display.until(lambda: display.now.get(STATE) == "online")
        yield display


def describe(file: str) -> tuple[int, int]:
    """How many bytes it has, and who may do what with it."""
    found = Path(file).stat()
    return found.st_size, found.st_mode & 0o777


@pytest.fixture
def file(tmp_path: Path, broker: Mosquitto, board: PtyBoard) -> Path:
    return configure(tmp_path, broker.port, board=board.address, mqtt="requests = true")


async def ask(display: Display, name: str, **body: object) -> JSON:
    """The answer to a request."""
    asked: JSON = {"transaction": uuid4().hex, **body}
    await display.say(f"oche/bridge/oche/request/{name}", json.dumps(asked))
    return await answer(display, name, asked["transaction"])


async def answer(display: Display, name: str, transaction: str, times: int = 1) -> JSON:
    def found() -> list[JSON]:
        topic = f"oche/bridge/oche/response/{name}"
        heard = [json.loads(message.text) for message in display.messages if message.topic == topic]
        return [each for each in heard if each["transaction"] == transaction]

    await display.until(lambda: len(found()) >= times)
    return found()[-1]


async def data(display: Display, name: str, **body: object) -> JSON:
    """The data of the answer to a request that is carried out."""
    fits(f"bridge_{name}", body)
    found = await ask(display, name, **body)
    assert found["status"] == "ok", found
    inner: JSON = found["data"]
    return inner


@pytest.mark.slow
async def test_options_are_those_of_the_page_and_the_match_goes_on(
    file: Path, broker: Mosquitto, board: PtyBoard
) -> None:
    async with connected(file, broker) as display:
        await board.wait_until_open()
        throw(board, "T20")
        await display.until_line(2)
        match = display.state()["match"]
        before = await data(display, "options")
        change = {"path": ["bridge", "log_level"], "value": "debug"}
        after = await data(display, "options", changes=[change], version=before["version"])
        assert after["version"] != before["version"]
        await display.until(lambda: json.loads(display.now[INFO])["log_level"] == "debug")
        await display.until(lambda: display.now[STATE] == "online")
        assert 'log_level = "debug"' in written(file)
        assert (display.state()["match"], display.state()["line"]) == (match, 2)

        stale = await ask(display, "options", changes=[change], version=before["version"])
        assert stale["error"]["code"] == "stale"
        text = written(file)
        for path, value, said in (
            (["mqtt", "password_file"], "/etc/shadow", "mqtt.password_file in the file itself"),
            (["web", "host"], "0.0.0.0", "open the page to others in its own settings"),
            (["table", 0, "board_token"], "s3cret", "board_token is only taken from the page"),
            (["bridge", "log_level"], "loud", "this must be one of"),
            (["bridge", "colour"], "red", "unknown key"),
        ):
            refused = await ask(display, "options", changes=[{"path": path, "value": value}])
            assert said in refused["error"]["message"], refused
        assert written(file) == text

        offline = sum(message.text == "offline" for message in display.messages if message.topic == STATE)
        asked = {"transaction": "once"}
        for times in (1, 2):
            await display.say("oche/bridge/oche/request/restart", json.dumps(asked))
            assert (await answer(display, "restart", "once", times))["status"] == "ok"
        await display.until(
            lambda: (
                sum(each.text == "offline" for each in display.messages if each.topic == STATE) == offline + 1
                and display.now[STATE] == "online"
            )
        )


@pytest.mark.slow
async def test_a_backup_an_examination_and_a_capture(file: Path, broker: Mosquitto, board: PtyBoard) -> None:
    async with connected(file, broker) as display:
        await board.wait_until_open()
        made = await data(display, "backup")
        assert describe(made["file"]) == (made["bytes"], 0o600)
        with tarfile.open(made["file"]) as packed:
            assert {"config/oche.toml", "state/main.sqlite3"} <= {each.name for each in packed}

        found = await data(display, "health_check")
        assert found["healthy"] == all(each["verdict"] != "problem" for each in found["checks"])
        assert {"daemon", "discovery"} <= {each["name"] for each in found["checks"]}

        begun = await data(display, "capture", table="main", capture="start", seconds=600)
        again = await ask(display, "capture", table="main", capture="start")
        assert again["error"]["code"] == "illegal"
        throw(board, "T20", "T19")
        await display.until_line(3)
        ended = await data(display, "capture", table="main", capture="stop")
        throw(board, "T18")
        await display.until_line(4)
        assert begun["file"] == ended["file"]
        assert describe(ended["file"])[0] == ended["bytes"] > begun["bytes"]
        assert check_recording(Path(ended["file"])).profile == "opendarts"
        lines = [json.loads(line) for line in written(Path(ended["file"])).splitlines()]
        heard = bytes.fromhex("".join(line.get("in", "") for line in lines))
        assert heard.count(b"\r\n") == 2, "the two darts that were thrown meanwhile, in one chunk or in two"
        assert lines[1]["link"] == "up"


@pytest.mark.parametrize(
    ("name", "body", "code", "said"),
    [
        ("restrat", "", "unknown", "did you mean 'restart'?"),
        ("capture", '{"table": "main", "capture": "begin"}', "invalid", "capture: this must be one of start, stop"),
        ("capture", '{"table": "main", "capture": "stop"}', "illegal", "no recording is in progress"),
        ("capture", "", "invalid", "capture needs a body such as"),
        ("identify", "cellar", "unknown", "there is no table 'cellar'; possible here: main"),
        ("options", '{"changes": [{"path": []}]}', "invalid", "changes.0.path"),
        ("options", '{"changes"', "invalid", "begins like JSON, but is not valid JSON"),
    ],
)
async def test_what_cannot_be_is_refused_in_one_sentence(
    running: RunningDaemon, name: str, body: str, code: str, said: str
) -> None:
    with pytest.raises(CommandError, match=re.escape(said)) as refused:
        await BridgeRequests(find_part(running, Admin)).take(name, body.encode())()
    assert refused.value.code == code


def test_however_many_are_refused_one_is_logged_in_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    now_s, answers = 0.0, 0

    def count(*_: object) -> None:
        nonlocal answers
        answers += 1

    def take(name: str, body: bytes) -> NoReturn:
        decode_request(name, body)
        raise AssertionError

    replies = ReplyTopics("oche", "homeassistant", None)
    inbox = BridgeInbox("oche", "oche", replies, count, take, clock=lambda: now_s)
    for _ in range(3):
        for name in ("restrat", "backpu"):
            inbox.receive(IncomingMessage(f"oche/bridge/oche/request/{name}", b""))
    now_s = 61.0
    inbox.receive(IncomingMessage("oche/bridge/oche/request/restrat", b""))
    assert (answers, inbox.refused) == (7, 7)
    refused = "refused the request restrat: there is no request 'restrat'; did you mean 'restart'?"
    assert caplog.messages == [refused, f"{refused} (5 more since the last such line)"]


@pytest.mark.slow
async def test_without_the_key_nothing_is_taken_and_a_retained_request_never(
    tmp_path: Path, broker: Mosquitto, file: Path
) -> None:
    async with Display(broker.port) as display:
        await display.say("oche/bridge/oche/request/restart", "PRESS", retain=True)
    async with connected(file, broker) as display:
        device = json.loads(display.now["homeassistant/device/oche_bridge_oche/config"])
        assert device["components"].keys() == {"restart", "log_level"}
        await data(display, "identify", table="main")
        assert not [each for each in display.messages if each.topic == "oche/bridge/oche/response/restart"]
    other = configure(tmp_path, broker.port)
    async with connected(other, broker) as display:
        await display.until(lambda: not display.now.get("homeassistant/device/oche_bridge_oche/config"))
        await display.say("oche/bridge/oche/request/backup", "")
        await display.ask("throw", {"throw": "T20"})
        assert "oche/bridge/oche/response/backup" not in display.now


@pytest.mark.parametrize(
    ("name", "body", "code", "said"),
    [
        ("restart", {}, "unavailable", "this oche has no configuration: start oche run"),
        ("capture", {"table": "main", "capture": "start"}, "unavailable", "this oche has no configuration"),
        ("restrat", {}, "unknown", "there is no request 'restrat'; did you mean 'restart'?"),
        ("capture", {}, "invalid", "capture: the key 'table' is missing"),
    ],
)
async def test_without_settings_a_mistake_is_told_before_that_nothing_can_be_carried_out(
    file: Path, broker: Mosquitto, name: str, body: JSON, code: str, said: str
) -> None:
    """As in `oche play` at a broker."""
    async with run_daemon(read_config(file)), Display(broker.port) as display:
        await display.until(lambda: display.now.get(STATE) == "online")
        error = (await ask(display, name, **body))["error"]
    assert error["code"] == code
    assert error["message"].startswith(said)


def move_state(file: Path, folder: Path) -> None:
    file.write_text(file.read_text(encoding="utf-8").replace(f"{file.parent}/state", str(folder)), encoding="utf-8")


async def test_a_request_waits_for_the_start_to_be_noted_and_is_about_this_run(
    tmp_path: Path, file: Path, broker: Mosquitto, board: PtyBoard
) -> None:
    settings = SettingsFile(file)
    former = settings.load()
    assert former is not None
    await settings.note_start(former, "")
    move_state(file, tmp_path / "elsewhere")
    setup = settings.load()
    assert setup is not None
    async with run_daemon(setup, settings) as now, Display(broker.port) as display:
        await display.until(lambda: display.now.get(STATE) == "online")
        early = asyncio.create_task(data(display, "capture", table="main", capture="start"))
        async with aiohttp.ClientSession(now.page) as page:
            read = asyncio.create_task(page.get("/api/settings"))
            async with page.get("/api/tables") as answer:
                assert answer.status == 200
            await display.ask("throw", {"throw": "T20"})
            assert not early.done()
            assert not read.done()
            await settings.note_start(setup, "")
            assert Path((await early)["file"]).is_relative_to(tmp_path / "elsewhere")
            async with await read as answer:
                found = await answer.json()
        assert found["effective"]["bridge"]["state_dir"] == str(tmp_path / "elsewhere")


@pytest.mark.parametrize("is_cancelled", [False, True])
async def test_what_comes_while_a_recording_is_opened_is_in_it_and_none_stays_open(
    tmp_path: Path, *, is_cancelled: bool
) -> None:
    """Of a pipe, the opening takes until it is read."""
    os.mkfifo(pipe := tmp_path / "pipe")
    connected: list[Callable[[CaptureLine], None] | None] = []
    session = Session("main", "none", shipped("opendarts"))
    capture = BoardCapture(pipe, session, "opendarts", connected.append)
    begin = asyncio.create_task(capture.begin(PATIENCE_S))
    await asyncio.sleep(0)
    assert connected
    write = connected[-1]
    assert write is not None
    write(CaptureLine(ms=0, link="up"))
    write(CaptureLine(ms=0, in_="31"))
    if is_cancelled:
        begin.cancel()
    with os.fdopen(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK), "rb", buffering=0) as reader:
        await asyncio.wait([begin])
        capture.stop()
        await capture.measure()
        said, more = reader.read(1 << 16), reader.read(1)
    assert more == b"", "it is open still"
    assert connected == [write, None]
    lines = [json.loads(line) for line in said.splitlines()[1:]]
    assert is_cancelled or [line.get("link") or line["in"] for line in lines] == ["up", "31"]
