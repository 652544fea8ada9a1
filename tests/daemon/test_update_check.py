"""A newer version is told where its owner has asked for that, and nothing is requested elsewhere."""

from __future__ import annotations

import asyncio
import json
import logging
import runpy
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web

from daemon.admin.updates import LatestRelease, UpdateCheck, describe
from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from daemon.release import read_version
from protocol.messages import UpdateInfo
from tests.daemon.display import JSON, Display
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import ROOT, Saying, configure, ended, eventually

DEVICE = "homeassistant/device/oche_bridge_oche/config"
UPDATE = "oche/bridge/oche/update"
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

pytestmark = pytest.mark.usefixtures("at_once")


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seconds in (("FIRST_S", 0), ("EACH_S", 0.02), ("AGAIN_S", 0.02)):
        monkeypatch.setattr(f"daemon.admin.updates.{name}", seconds)


@asynccontextmanager
async def serving(handler: Handler) -> AsyncIterator[tuple[str, list[web.Request]]]:
    """A web server; gives the address of a file there, and the requests that it gets."""
    requests: list[web.Request] = []

    async def note(request: web.Request) -> web.StreamResponse:
        requests.append(request)
        return await handler(request)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", note)
    runner = web.AppRunner(app, shutdown_timeout=0)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/old/latest.json", requests
    finally:
        await runner.cleanup()


@pytest.fixture
def latest() -> JSON:
    """What `make release` writes, with an address of the notes; just after a release there are none yet."""
    made = subprocess.run(
        (sys.executable, "debian/release/version.py", "latest"), cwd=ROOT, stdout=subprocess.PIPE, check=True
    )
    said = json.loads(made.stdout)
    return {**said, "notes": said["notes"] or "- New: " + "x" * 300, "url": "https://darts.example.org/changes"}


async def test_home_assistant_shows_what_a_release_has_written(
    tmp_path: Path, broker: Mosquitto, latest: JSON, oche: Saying
) -> None:
    said = oche("--version").output.split()[-1]

    async def answer(request: web.Request) -> web.StreamResponse:
        if request.path == "/old/latest.json":
            raise web.HTTPFound("/latest.json")
        return web.json_response({**latest, "version": "99.1.0"})

    async with serving(answer) as (url, requests), Display(broker.port) as display:
        async with run_daemon(read_config(configure(tmp_path, broker.port, bridge=f'update_url = "{url}"'))):
            await display.until(lambda: "99.1.0" in display.now.get(UPDATE, "") and DEVICE in display.now)
            told = json.loads(display.now[UPDATE])
            device = json.loads(display.now[DEVICE])
        assert requests[0].headers["User-Agent"] == f"oche/{read_version()}"
        info = json.loads(display.now["oche/bridge/oche/info"])
        assert said == latest["version"] == told["installed_version"] == info["version"] == read_version()
        assert told["release_summary"].endswith("…")
        assert latest["notes"].startswith(told["release_summary"][:-1])
        assert told["release_url"] == latest["url"]
        assert (device["device"]["name"], device["device"]["sw_version"]) == ("oche", read_version())
        assert {each["topic"] for each in device["availability"]} == {
            "oche/bridge/oche/state",
            "oche/bridge/oche/health",
        }
        assert {key: each["state_topic"] for key, each in device["components"].items()} == {"update": UPDATE}

        # The last request may still be on its way: nothing waits for its thread.
        await eventually(lambda: "update check" not in [thread.name for thread in threading.enumerate()])
        seen = len(requests)
        async with run_daemon(read_config(configure(tmp_path, broker.port))):  # its owner has taken the key out again
            await display.until(lambda: "99.1.0" not in display.now[UPDATE] and not display.now[DEVICE])
        assert len(requests) == seen


async def redirect(to: str) -> web.StreamResponse:
    raise web.HTTPFound(to)


async def hang_up(request: web.Request) -> web.StreamResponse:
    assert request.transport is not None
    request.transport.close()
    return web.Response()


async def dribble(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse()
    await response.prepare(request)
    while True:
        await response.write(b" ")


async def answer_with(text: str, status: int = 200) -> web.StreamResponse:
    return web.Response(text=text, status=status)


@pytest.mark.parametrize(
    ("handler", "said"),
    [
        (lambda _: answer_with("no", 404), "cannot be loaded: HTTP Error 404"),
        (lambda _: answer_with("<html>"), "is not the latest.json of a release"),
        (lambda _: answer_with("[" * 50_000), "is not the latest.json of a release"),
        (lambda _: answer_with('{"version": "1.0\\n<b>"}'), "is not the latest.json of a release"),
        (lambda _: answer_with('{"version": "1.0", "url": "javascript:alert(1)"}'), "is not the latest.json of"),
        pytest.param(dribble, "is too long for the latest.json", marks=pytest.mark.long),
        (hang_up, "cannot be loaded"),
        (lambda _: redirect("file:///etc/hostname"), "cannot be loaded"),
        (lambda _: redirect("ftp://127.0.0.1/latest.json"), "it redirects to ftp://"),
    ],
    ids=["404", "a page", "a nest", "no version", "a script", "no end", "no answer", "a file", "ftp"],
)
async def test_a_bad_answer_is_told_once_and_changes_nothing(
    caplog: pytest.LogCaptureFixture, handler: Handler, said: str
) -> None:
    published: list[UpdateInfo] = []
    async with serving(handler) as (url, requests):
        looking = asyncio.create_task(UpdateCheck(url, published.append).run())
        await eventually(lambda: len(requests) > 3)
        await ended(looking)
    (logged,) = [each for each in caplog.records if each.name == "oche.update"]
    assert said in logged.getMessage()
    assert (logged.levelno, logged.getMessage().count("\n")) == (logging.WARNING, 0)
    assert published == []


async def test_until_there_is_an_answer_the_version_that_runs_is_told(tmp_path: Path, broker: Mosquitto) -> None:
    async with serving(hang_up) as (url, requests), Display(broker.port) as display:
        async with run_daemon(read_config(configure(tmp_path, broker.port, bridge=f'update_url = "{url}"'))):
            await eventually(lambda: bool(requests))
            await display.until(lambda: UPDATE in display.now)
        assert json.loads(display.now[UPDATE]) == {"installed_version": read_version()}


async def test_a_server_that_says_nothing_is_waited_for_by_one_thread_alone(
    tmp_path: Path,
    broker: Mosquitto,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("daemon.admin.updates.PATIENCE_S", 0.1)

    is_over = asyncio.Event()

    async def wait(request: web.Request) -> web.StreamResponse:
        await is_over.wait()
        return web.Response()

    async with (
        serving(wait) as (url, requests),
        run_daemon(read_config(configure(tmp_path, broker.port, bridge=f'update_url = "{url}"'))),
    ):
        await eventually(lambda: "did not answer within" in caplog.text)
        await eventually(lambda: bool(requests))  # the server may be later than the patience with it
        assert len(requests) == 1
        is_over.set()


@pytest.mark.parametrize("notes", ["", "short", "a" * 255, "b" * 256, "words " * 100, "\x07\u202egnp\n- news"])
def test_the_summary_is_what_home_assistant_can_show(notes: str) -> None:
    told = describe(LatestRelease("1.0", notes)).release_summary
    if not notes:
        assert not isinstance(told, str)
        return
    assert isinstance(told, str)
    assert 0 < len(told) <= 255
    assert all(each.isprintable() or each == "\n" for each in told)
    assert (told == notes) == (len(notes) <= 255 and notes.isprintable())


def test_the_notes_of_a_release_are_those_of_its_section() -> None:
    make_latest = runpy.run_path(str(ROOT / "debian/release/version.py"))["make_latest"]
    changelog = (
        "# Changelog\n\n## [Unreleased]\n\n- Next.\n\n## [0.2.0] - 2026-11-22\n\n- Now.\n\n## [0.1.0]\n\n- Old.\n"
    )
    project = {"version": "0.2.0", "urls": {"Changelog": "https://darts.example.org/changes"}}
    assert make_latest(project, changelog) == {
        "version": "0.2.0",
        "notes": "- Now.",
        "url": "https://darts.example.org/changes",
    }
    assert make_latest({"version": "0.3.0.dev0"}, changelog) == {"version": "0.3.0.dev0", "notes": "- Next."}
