"""The settings over HTTP: a real daemon changes its own file, starts anew with it, and loses no match."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from daemon.admin.requests import Change
from daemon.admin.settings.settings_file import SettingsFile
from daemon.commands.run import prepare
from daemon.commands.run import run as run_until_stopped
from daemon.config.reader import check_text, read_config
from daemon.errors import UserError
from daemon.languages import FOLDER
from daemon.release import read_version
from protocol.source import Source
from tests.daemon.process import PATIENCE_S, Process, configure, eventually, small_disk

JSON = Any  # JSON


@pytest.fixture
def file(tmp_path: Path, unused_tcp_port: int) -> Path:
    return write_file(tmp_path, unused_tcp_port)


def written(file: Path) -> str:
    """Returns its text."""
    return file.read_text(encoding="utf-8")


def overwrite(file: Path, text: str) -> None:
    """Writes it by hand."""
    file.write_text(text, encoding="utf-8")


def write_in_place_only(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder of the file may not be written, also where the test is root."""
    access = os.access

    def may(path: Path, mode: int) -> bool:
        return path != file.parent and access(path, mode)

    monkeypatch.setattr(os, "access", may)


def write_file(folder: Path, port: int, web: str = "", table: str = "") -> Path:
    """Returns the file of a daemon whose page has a fixed port, as it stays over a new start."""
    file = configure(folder, 0, table, board="sim:opendarts", profile="opendarts", web=web)
    text = written(file).replace("port = 0\n", f"port = {port}  # ours\n")
    overwrite(file, f"# The house.\n{text}")
    return file


@asynccontextmanager
async def run(
    file: Path, port: int, inside: tuple[str, ...] = (), **headers: str
) -> AsyncIterator[tuple[Process, aiohttp.ClientSession]]:
    """Yields the daemon as a process, and a client of it. `inside`: see Process."""
    timeout = aiohttp.ClientTimeout(total=PATIENCE_S)
    async with Process("run", "--config", file, inside=inside) as daemon:
        await daemon.runs()
        jar = aiohttp.CookieJar(unsafe=True)
        base = f"http://127.0.0.1:{port}"
        async with aiohttp.ClientSession(base, headers=headers, timeout=timeout, cookie_jar=jar) as client:
            yield daemon, client


class _Tracebacks(logging.Handler):
    """Keeps what is logged with one: a mistake of ours."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info:
            self.found.append(self.format(record))


@asynccontextmanager
async def serve(file: Path, **headers: str) -> AsyncIterator[aiohttp.ClientSession]:
    """Yields a client of a daemon that runs with this file in this process, and starts anew as `oche run` does."""
    settings, tracebacks, log = SettingsFile(file), _Tracebacks(), logging.getLogger("oche")
    setup, _ = prepare(settings, file)
    level = log.level
    logging.getLogger().addHandler(tracebacks)
    daemon = asyncio.create_task(run_until_stopped(setup, settings))
    try:
        await eventually(lambda: settings.started.is_set() or daemon.done())
        async with aiohttp.ClientSession(
            f"http://127.0.0.1:{settings.running.web.port}",
            headers=headers,
            timeout=aiohttp.ClientTimeout(total=PATIENCE_S),
            cookie_jar=aiohttp.CookieJar(unsafe=True),
        ) as client:
            yield client
    finally:
        if not daemon.done():
            signal.raise_signal(signal.SIGTERM)
        await daemon
        logging.getLogger().removeHandler(tracebacks)
        log.setLevel(level)
    assert not tracebacks.found


async def read(client: aiohttp.ClientSession) -> JSON:
    """Returns the settings."""
    async with client.get("/api/settings") as answer:
        assert answer.status == 200, await answer.text()
        return await answer.json()


async def post(client: aiohttp.ClientSession, path: str, body: JSON) -> tuple[int, JSON]:
    """Returns the status and the answer."""
    async with client.post(path, data=json.dumps(body)) as answer:
        return answer.status, await answer.json()


async def change(
    client: aiohttp.ClientSession, *changes: tuple[list[str | int], JSON], version: str = ""
) -> tuple[int, JSON]:
    """Sends changes of (path, value) of the file as it is."""
    version = version or (await read(client))["version"]
    return await post(
        client,
        "/api/settings",
        {"version": version, "changes": [{"path": path, "value": value} for path, value in changes]},
    )


async def started_anew(client: aiohttp.ClientSession, run: str) -> JSON:
    """Waits until the daemon is another one than this; returns the settings."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            with suppress(aiohttp.ClientError):
                async with client.get("/api/settings") as answer:
                    found = await answer.json()
                    if answer.status == 200 and found["run"] != run:  # one that ends refuses
                        return found
            await asyncio.sleep(0.05)


@pytest.mark.slow
async def test_a_change_is_applied_and_the_match_goes_on(file: Path, unused_tcp_port: int) -> None:
    before = written(file)
    async with run(file, unused_tcp_port) as (daemon, client):
        for _ in range(2):
            assert (await post(client, "/api/table/main/throw", {"throw": "T20"}))[0] == 200
        status, answer = await change(client, (["table", 0, "takeout"], "timer"), (["table", 0, "title"], "The Oak"))
        assert status == 200, answer
        found = await started_anew(client, answer["run"])
        assert found["effective"]["table"][0]["takeout"] == "timer"
        assert found["oche"] == read_version()
        assert (found["notice"], found["runs_with_file"], found["can_revert"]) == (None, True, True)
        async with client.get("/api/table/main/state") as state:
            assert (await state.json())["sides"][0]["score"] == 501 - 120
        async with client.get("/api/tables") as tables:
            assert (await tables.json())[0]["name"] == "The Oak"
        added = 'takeout = "timer"\ntitle = "The Oak"\n'
        assert written(file).replace(added, "") == before

        status, answer = await post(client, "/api/settings/revert", {"version": found["version"]})
        assert status == 200, answer
        found = await started_anew(client, answer["run"])
        assert written(file) == before
        assert not found["can_revert"]
        async with client.get("/api/table/main/state") as state:
            assert (await state.json())["sides"][0]["score"] == 501 - 120
        daemon.process.send_signal(signal.SIGTERM)
        assert await daemon.ended() == 0
        assert "Traceback" not in daemon.errors


GERMAN = {
    group: words
    for name in ("de.json", "setup_de.json")
    for group, words in json.loads((FOLDER / name).read_text(encoding="utf-8")).items()
}
REFUSED: list[tuple[list[str | int], JSON, str]] = [
    (["table", 0, "takeout"], "never", "this must be one of"),
    (["table", 0, "takeout_s"], 1e9, "this must be a number <= 600"),
    (["table", 0, "name"], "a/b", "is part of MQTT topics"),
    (["table", 0, "game"], "chess", "chess"),
    (["table", 0, "board"], "ble:auto", "does not describe a board on ble"),
    (["table", 0, "face"], "../nowhere", "cannot read"),
    (["table", 0, "options"], {"start": "<script>"}, "start"),
    (["table", 1], {"board": "none"}, "two tables are called 'main'"),
    (["table", 0], None, "the key 'table' is missing"),
    (["mqtt", "host"], "mqtt://x", "is not a broker's address"),
    (["mqtt", "port"], 99999, "this must be a whole number <= 65535"),
    (["mqtt", "nonsense"], "x", "unknown key 'nonsense'"),
    (["web", "names"], [1], "this must be a text"),
    (["player", 0], {"name": ""}, "length"),
    (["routine", 0], {"name": "x01", "exercises": ["x01"]}, "is already used by a game"),
    (["bridge", "state_dir"], "/etc", "bridge.state_dir in the file itself"),
    (["table", "x"], 1, "there is no setting"),
    (["__class__"], "\x00\u2028\x7f", "is a section: write keys with values"),
    (["table", 0, "a\n[x]"], 1, "unknown key"),
    (["table", 0, "options"], {"strat": 301}, "did you mean 'start'?"),
    (["table", 0, "players"], ["Ann", " "], "player 2 needs a name"),
    (["table", 0, "players"], ["bot:5"], "a level is a three-dart average"),
    (["table", 0, "teams"], [[0]], "each of the players"),
    (["table", 0, "profile"], "granbord", "did you mean 'granboard'?"),
    (["table", 0, "profile"], "nowhere.toml", "no such file or directory"),
    (["table", 0, "mat"], "nonsense", "there is no mat"),
    (["table", 0, "timing"], {"debounce_ms": "x"}, "this must be a whole number"),
    (["table", 0, "board"], "/dev/ttyUSB0", "did you mean serial:"),
    (["table", 0, "board"], "board", "must begin with the kind of link"),
    (["table", 0, "board"], "usb2:x", "there is no kind of link"),
    (["table", 0, "board"], "serial:", "does not name a board"),
    (["table", 0, "board"], "serial:/dev/x?bau=1", "unknown option 'bau'"),
    (["table", 0, "board"], "usb:1", "is not a USB id"),
    (["table", 0, "board"], "tcp:board:99999", "from 1 to 65535"),
    (["mqtt", "host"], "broker:99999", "has an invalid port"),
    (["mqtt", "host"], [], "this must be a list of length >= 1"),
    (["mqtt", "discovery_prefix"], "#", "is part of MQTT topics"),
    (["mqtt", "ca_file"], "nowhere", "has no effect without TLS"),
    (["mqtt", "on"], "yes", "this must be true or false"),
    (["bridge", "language"], "it", "this must be one of en, de, nl, fr, es"),
    (["bridge", "update_url"], "ftp://x", "is not a web address"),
    (["bridge", "week_at"], "Sonntag 20 Uhr", "write the day in English and the time"),
    (["web", "proxies"], ["x"], "is not an address"),
    (["web", "proxies"], ["127.0.0.1"], "is this machine itself"),
    (["web", "on"], False, "without the page there would be no way back here"),
    (["web", "port"], 0, "after each start"),
    (["player", 0], {"name": "Ann", "doubles": [23]}, "doubles are 1 to 20"),
    (["outlets", "rule", 0], {"on": "tonn", "then": {"webhook": "phone"}}, "there is no moment 'tonn'"),
    (["outlets", "rule", 0], {"on": "ton", "then": {}}, "this rule does nothing"),
    (["outlets", "rule", 0], {"on": "ton", "then": {"webhook": "fone"}}, "no [[outlets.webhook]] is called 'fone'"),
    (["outlets", "rule", 0], {"on": "ton"}, "the key 'then' is missing"),
    (["outlets", "webhook", 0], {"name": "a", "url": "https://a/", "secret_file": "b"}, "files with secrets can only"),
    (["routine", 0], {"name": "mine", "exercises": ["warm_up"]}, "an exercise must be a game"),
]
REFUSED_AT: dict[str, list[str | int]] = {
    "does not describe a board on ble": ["table", 0, "profile"],
    "two tables are called 'main'": ["table", 1, "name"],
    "the key 'table' is missing": [],
    "this must be a text": ["web", "names", 0],
    "length": ["player", 0, "name"],
    "is already used by a game": ["routine"],
    "an exercise must be a game": ["routine"],
    "did you mean 'start'?": ["table", 0, "options"],
    "this must be a whole number": ["table", 0, "timing", "debounce_ms"],
    "doubles are 1 to 20": ["player", 0, "doubles"],
    "there is no moment 'tonn'": ["outlets", "rule", 0, "on"],
    "this rule does nothing": ["outlets", "rule", 0, "then"],
    "no [[outlets.webhook]] is called 'fone'": ["outlets", "rule", 0, "then", "webhook"],
    "files with secrets can only": ["outlets", "webhook", 0, "secret_file"],
}
"""By what is said: the value to blame, where it is not the one that was changed."""


def find_english(said: JSON) -> list[JSON]:
    """Returns the parts of a sentence that German has no words for."""
    inner = [value for value in said.get("values", {}).values() if isinstance(value, dict)]
    group, _, name = said.get("key", "").partition(".")
    own = [] if name in GERMAN.get(group, {}) else [said]
    return own + [part for value in inner for part in find_english(value)]


@pytest.mark.slow
async def test_what_the_reader_refuses_is_said_in_german_too_and_not_written(file: Path) -> None:
    before = written(file)
    async with serve(file) as client:
        for path, value, said in REFUSED:
            status, answer = await change(client, (path, value))
            assert status == 400, answer
            error = answer["error"]
            assert said in error["message"]
            assert error["path"] == REFUSED_AT.get(said, path)
            assert not find_english(error), error
        for body in (b"", b"[]", b'{"version": 1}', b'{"version": "x", "changes": [{"path": [[]]}]}', b"\xff"):
            async with client.post("/api/settings", data=body) as refused:
                assert refused.status == 400
    assert written(file) == before


async def test_two_editors_at_once(file: Path) -> None:
    async with serve(file) as client:
        version = (await read(client))["version"]
        both = await asyncio.gather(
            *(change(client, (["table", 0, "title"], title), version=version) for title in ("A", "B"))
        )
        assert sorted(status for status, _ in both) == [200, 409]
        ((_, answer),) = [each for each in both if each[0] == 409]
        sentence = "the file was changed meanwhile, and nothing was saved: look at it again"
        assert (answer["error"]["code"], answer["error"]["message"]) == ("changed", sentence)


async def test_what_was_changed_by_hand_is_not_written_over(file: Path) -> None:
    async with serve(file) as client:
        version = (await read(client))["version"]
        overwrite(file, f"{written(file)}# by hand\n")
        assert (await change(client, (["table", 0, "title"], "A"), version=version))[0] == 409
        assert written(file).endswith("# by hand\n")
        assert not (await read(client))["runs_with_file"]
        overwrite(file, "nonsense")
        found = await read(client)
        assert "is not TOML" in found["trouble"]["text"]
        assert (await change(client, (["table", 0, "title"], "A"), version="x"))[0] == 409


@pytest.mark.slow
async def test_a_configuration_that_cannot_start_is_taken_back(file: Path) -> None:
    before = written(file)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        async with serve(file) as client:
            assert (await post(client, "/api/table/main/throw", {"throw": "T20"}))[0] == 200
            status, answer = await change(client, (["web", "port"], taken.getsockname()[1]))
            assert (status, answer["port"]) == (200, taken.getsockname()[1])
            found = await started_anew(client, answer["run"])
            assert "the change was taken back, because oche cannot start with it: the page" in found["notice"]["text"]
            assert (found["notice"]["key"], found["can_revert"]) == ("settings.undone", False)
            assert written(file) == before
            async with client.get("/api/table/main/state") as state:
                assert (await state.json())["sides"][0]["score"] == 441


async def test_a_full_disk_leaves_the_file_as_it_was(file: Path, tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    settings, before = SettingsFile(file), written(file)
    await settings.note_start(read_config(file), "")
    sentence = f"cannot write {settings.state}: file too large"
    # The former file is kept, the note of the change too long.
    with small_disk(len(before) + 5), pytest.raises(UserError, match=sentence):
        await settings.save(settings.read()[1], [Change(("table", 0, "title"), "a title that finds no room")])
    assert written(file) == before
    assert sorted(each.name for each in tmp_path.iterdir()) == ["oche.toml", "quick.toml", "state"]  # noqa: ASYNC240
    assert not settings.can_revert
    assert not settings.changed.is_set()


async def test_what_was_found_without_a_file_is_kept_as_one(tmp_path: Path) -> None:
    file = tmp_path / "oche.toml"
    settings = SettingsFile(file)
    found = f'[bridge]\nstate_dir = "{tmp_path}"\n\n[[table]]\nboard = "sim:granboard"\n'
    await settings.note_start(check_text(Source(found, "what was found")), found)
    assert settings.read() == (found, "none")
    await settings.save("none", [Change(("table", 0, "title"), "The Oak")])
    assert read_config(file).config.table[0].title == "The Oak"
    assert settings.undo_failed_change(UserError("the port is taken"))
    assert settings.read() == (found, "none")


@pytest.mark.slow
async def test_a_page_is_told_that_no_table_has_a_board_if_it_may_change_that(file: Path) -> None:
    overwrite(file, written(file).replace('board = "sim:opendarts"\nprofile = "opendarts"\n', ""))
    through_proxy = {"X-Forwarded-For": "192.0.2.1"}
    async with serve(file) as client:
        for headers, told in (({}, [True]), (through_proxy, [None])):
            async with client.get("/api/tables", headers=headers) as answer:
                assert [table.get("lacks_board") for table in await answer.json()] == told
        run_before = (await read(client))["run"]
        await change(client, (["table", 0, "board"], "sim:granboard"))
        await started_anew(client, run_before)
        async with client.get("/api/tables") as answer:
            assert "lacks_board" not in (await answer.json())[0]
