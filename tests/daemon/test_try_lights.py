"""Lights on the settings page: found on the network, and tried as they are typed, while the daemon has them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import aiohttp
import msgspec
import pytest

from daemon.admin import lights as page_lights
from daemon.admin.settings.settings_file import SettingsFile
from daemon.config.lights import SCENES, Light
from daemon.config.outlets import Outlets
from daemon.outlets.lights import Lights
from daemon.outlets.strip import LightError, Record, name_trial, try_scenes
from daemon.table.effects import Update
from protocol.facts import Award, make_event
from tests.daemon.desk import Desk
from tests.daemon.process import ended, eventually
from tests.daemon.test_lights import publish_nothing
from tests.daemon.test_settings import overwrite, serve, write_file, written
from tests.daemon.wled import Wled, serve_wled

JSON = dict[str, Any]  # Any: JSON
COLOURS = [[255, 255, 255] if not each.colours else [*bytes.fromhex(each.colours[0][1:])] for each in SCENES]


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_lights, "_SHOWN_S", 0.001)


def list_shown(wled: Wled) -> list[list[int]]:
    """Returns the colours that were sent to the first segment."""
    return [body["seg"][0]["col"][0] for body in wled.requests if body and "seg" in body]


async def attempt(client: aiohttp.ClientSession, light: JSON, *more: JSON, **keys: str) -> tuple[int, JSON]:
    """Tries this light, which is a new one."""
    version = (await (await client.get("/api/settings")).json())["version"]
    changes = [{"path": ["outlets", "light", 0], "value": light}, *more]
    wanted = {"version": version, "light": 0, "changes": changes, **keys}
    async with client.post("/api/lights/try", json=wanted) as answer:
        return answer.status, await answer.json()


async def test_a_light_is_tried_before_it_is_saved(tmp_path: Path, unused_tcp_port_factory: Callable[[], int]) -> None:
    file, no_broker = write_file(tmp_path, unused_tcp_port_factory()), f"on = true\nport = {unused_tcp_port_factory()}"
    overwrite(file, written(file).replace("on = false", no_broker).replace("port = 1883\n", ""))
    before = written(file)
    async with serve_wled(Wled()) as wled, serve(file) as client:
        look, light = wled.look, {"name": "ring", "url": wled.url}
        own = {"path": ["outlets", "scene", 0], "value": {"name": "own", "colours": ["#010203"]}}
        status, answer = await attempt(client, light, own)
        assert (status, answer["scenes"]) == (200, [*(scene.name for scene in SCENES), "own"])
        assert list_shown(wled)[:-1] == [*COLOURS, [1, 2, 3]]
        assert wled.look == look
        assert (written(file), [*(tmp_path / "state").glob("light.*")]) == (before, [])

        status, answer = await attempt(client, {**light, "url": "ring"})
        assert (status, answer["error"]["path"]) == (400, ["outlets", "light", 0, "url"])
        status, answer = await attempt(client, {**light, "url": "mqtt:wled/ring", "put_back": 1})
        assert (status, answer["error"]["key"]) == (400, "settings.light_over_mqtt")
        status, answer = await attempt(client, light, {"path": ["web", "port"], "value": 1})
        assert (status, "only lights and scenes" in answer["error"]["message"]) == (400, True)
        wled.requests.clear()
        status, answer = await attempt(client, light, scene="red")
        assert (status, answer["scenes"], list_shown(wled)[:-1]) == (200, ["red"], [[255, 0, 0]])
        status, answer = await attempt(client, light, scene="rde")
        assert (status, answer["error"]["key"]) == (400, "settings.no_scene")
        wled.is_away = True
        status, answer = await attempt(client, light)
        assert (status, answer["error"]["key"]) == (503, "settings.light_failed")
        assert answer["error"]["values"] == {"why": "it answered with status 503"}


@pytest.mark.slow
async def test_a_light_is_put_back_when_the_page_does_not_wait(
    tmp_path: Path, unused_tcp_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_lights, "_SHOWN_S", 3600)
    async with serve_wled(Wled()) as wled:
        look, light = wled.look, {"name": "ring", "url": wled.url}
        async with serve(write_file(tmp_path, unused_tcp_port)) as client:
            trial = asyncio.create_task(attempt(client, light))
            await eventually(lambda: wled.colour == COLOURS[0])
            status, answer = await attempt(client, light)
            assert (status, answer["error"]["key"]) == (503, "settings.light_busy"), "one at a time"
            assert (await client.post("/api/care/report", json={})).status == 200, "nothing else waits for it"
            await client.post("/api/lights/stop", json={})
            assert (await trial, wled.look) == ((200, {"v": 1, "scenes": [SCENES[0].name]}), look)
            trial = asyncio.create_task(attempt(client, light))
            await eventually(lambda: wled.colour == COLOURS[0])
            trial.cancel()
            await eventually(lambda: wled.look == look)
            trial = asyncio.create_task(attempt(client, light))
            await eventually(lambda: wled.colour == COLOURS[0])
        await asyncio.wait({trial})
        assert trial.cancelled() or trial.exception() or trial.result()[0] == 503
        assert wled.look == look, "also when oche stops"


async def test_a_light_that_shows_something_is_lent_and_shows_it_again(tmp_path: Path, unused_tcp_port: int) -> None:
    file = write_file(tmp_path, unused_tcp_port)
    async with serve_wled(Wled()) as wled:
        look = wled.look
        text = f'[[outlets.light]]\nname = "ring"\nurl = "{wled.url}"\nidle = {{ "*" = "blue" }}\n'
        overwrite(file, f"{written(file)}\n{text}")
        async with serve(file) as client:
            await client.post("/api/table/main/throw", json={"throw": "T20"})
            await eventually(lambda: wled.colour == [0, 0, 255])
            assert (await attempt(client, {"name": "other", "url": f"{wled.url}/"}))[0] == 200
            await eventually(lambda: wled.colour == [0, 0, 255])
            blue, found, *tried = list_shown(wled)
            assert (blue, found, tried[:6]) == ([0, 0, 255], [255, 160, 0], COLOURS), "it was put back before"
        assert wled.look == look


async def test_a_light_that_cannot_be_lent_shows_its_scene_again(tmp_path: Path) -> None:
    async with serve_wled(Wled()) as wled:
        outlets, desk = Outlets(light=(Light("ring", wled.url, idle={"*": "blue"}),)), Desk()
        desk.throw("T20")
        lights = Lights(outlets, tmp_path, {}, publish_nothing)
        running = asyncio.create_task(lights.run())
        lights.follow(Update("main", desk.state, (make_event(Award(side=0, award="180"), match="m", line=1),)))
        await eventually(lambda: wled.colour == [0, 0, 255])
        wled.is_away = True
        with pytest.raises(LightError):
            async with lights.lend(wled.url):
                pass
        wled.requests.clear()
        wled.is_away = False
        await eventually(lambda: [0, 0, 255] in list_shown(wled))
        await lights.close()
        await ended(running)


@pytest.mark.parametrize("number", range(6))
async def test_a_trial_that_is_cancelled_at_any_request_puts_the_light_back(tmp_path: Path, number: int) -> None:
    async with serve_wled(Wled()) as wled:
        look, light = wled.look, Light("ring", wled.url)
        file = tmp_path / name_trial(wled.url)
        trial = asyncio.create_task(try_scenes(light, SCENES[:2], 0, file))
        wled.before = wled.after = lambda at: at >= number and trial.cancel()
        await asyncio.wait({trial})
        assert (trial.cancelled(), wled.look, file.exists()) == (True, look, False)


def leave_on(wled: Wled, state: Path) -> Path:
    """Writes what a trial has found on the controller, which shows a scene; returns the file."""
    state.mkdir(exist_ok=True)
    file = state / name_trial(wled.url)
    found = wled.look
    wled.set({"seg": {"id": 0, "col": [[255, 0, 0], [0, 0, 0], [0, 0, 0]]}})
    file.write_bytes(msgspec.json.encode(Record(f"{wled.url}/json", found, [found, wled.look])))
    return file


@pytest.mark.parametrize("is_configured", [False, True])
async def test_lights_that_were_tried_when_oche_was_killed_are_put_back_once_they_answer(
    tmp_path: Path, unused_tcp_port: int, is_configured: bool
) -> None:
    file = write_file(tmp_path, unused_tcp_port)
    async with serve_wled(Wled()) as wled, serve_wled(Wled()) as other:
        looks = wled.look, other.look
        left = [leave_on(each, tmp_path / "state") for each in (wled, other)]
        if is_configured:
            overwrite(file, f'{written(file)}\n[[outlets.light]]\nname = "ring"\nurl = "{wled.url}"\n')
        wled.is_away = True
        async with serve(file):
            await eventually(lambda: not left[1].exists())
            assert left[0].exists()
            wled.is_away = False
            await eventually(lambda: not left[0].exists())
        assert (wled.look, other.look) == looks


async def test_a_light_that_fails_in_its_trial_is_put_back_later_and_another_is_tried_meanwhile(
    tmp_path: Path, unused_tcp_port: int
) -> None:
    async with (
        serve_wled(Wled()) as wled,
        serve_wled(Wled()) as other,
        serve(write_file(tmp_path, unused_tcp_port)) as client,
    ):
        look = wled.look
        wled.after = lambda number: setattr(wled, "is_away", number == 1)
        status, answer = await attempt(client, {"name": "ring", "url": wled.url})
        assert (status, answer["error"]["key"]) == (503, "settings.light_stays")
        assert (await attempt(client, {"name": "other", "url": other.url}))[0] == 200
        assert wled.look != look
        wled.is_away = False
        await eventually(lambda: wled.look == look)
        await eventually(lambda: not [*(tmp_path / "state").glob("light.*")])


async def test_a_trial_that_is_stopped_while_the_settings_are_read_shows_nothing(
    tmp_path: Path, unused_tcp_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on, preview = asyncio.Event(), asyncio.Event(), SettingsFile.preview

    async def wait(*wanted: Any) -> Any:  # Any: as `preview` has
        begun.set()
        await go_on.wait()
        return await preview(*wanted)

    monkeypatch.setattr(SettingsFile, "preview", wait)
    async with serve_wled(Wled()) as wled, serve(write_file(tmp_path, unused_tcp_port)) as client:
        trial = asyncio.create_task(attempt(client, {"name": "ring", "url": wled.url}))
        await begun.wait()
        assert (await client.post("/api/lights/stop", json={})).status == 200
        go_on.set()
        assert await trial == (200, {"v": 1, "scenes": []})
        assert list_shown(wled) == []


async def test_lights_are_found_on_the_network(
    tmp_path: Path, unused_tcp_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serve_wled(Wled()) as wled, serve(write_file(tmp_path, unused_tcp_port)) as client:
        monkeypatch.setattr(page_lights, "list_known_hosts", lambda: [f"127.0.0.1:{wled.port}"])
        async with client.post("/api/lights/scan", json={}) as answer:
            assert await answer.json() == {"v": 1, "found": [{"name": "ring-at-the-board", "url": wled.url}]}
