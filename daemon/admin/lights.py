"""Lights: found on the network, and tried as they are typed on the settings page."""

from __future__ import annotations

import asyncio
import logging
from itertools import chain, repeat
from pathlib import Path

import msgspec

from daemon.admin import requests
from daemon.admin.answers import Json, Refused
from daemon.admin.requests import Change
from daemon.admin.settings.settings_file import SettingsFile
from daemon.admin.settings.write import explain_refusals
from daemon.config.lights import OVER_MQTT, collect_scenes, say_no_scene
from daemon.outlets.find_lights import find_lights
from daemon.outlets.strip import LendLight, LightError, list_trials, name_trial, put_back, try_scenes
from drivers.network_scan import list_known_hosts
from protocol.sentence import say

log = logging.getLogger("oche.outlets")

_SHOWN_S = 2.0
"""How long each scene is tried."""
_MOST_S = 60.0
"""How long a trial lasts at most, until the light is put back."""
_PAUSES_S = (1.0, 5.0, 30.0)
"""Before each further attempt to put a light back; the last for all that follow."""
_ABOUT = (("outlets", "light"), ("outlets", "scene"))


class Lights:
    """What is asked of lights; `folder` is that of the state."""

    def __init__(self, settings: SettingsFile, folder: Path, lend: LendLight) -> None:
        self._settings = settings
        self._folder = folder
        self._lend = lend
        self._trial: asyncio.Task[list[str]] | None = None
        self._overs = set[asyncio.Event]()
        """Of the trials that are asked for; each is set when that trial shall end, also before it has begun."""
        self._turn = asyncio.Lock()
        """Held while a light is tried or put back: both are about the same file."""
        self._left = dict[Path, asyncio.Task[None]]()
        """What puts back lights that did not answer at the end of their trial, by the files of these."""

    async def ask(self, request: requests.LightRequest) -> Json:
        """Returns the answer. Raises Refused, SourceError and UserError."""
        match request:
            case requests.FindLights():
                return {"v": 1, "found": msgspec.to_builtins(await find_lights(list_known_hosts()))}
            case requests.TryLight():
                return await self._try(request)
            case requests.StopLight():
                self._end_trials()
                return {"v": 1}

    def put_back(self) -> None:
        """Begins to put back the lights whose trials have left something on; each is tried until it answers."""
        for file in list_trials(self._folder):
            if file not in self._left or self._left[file].done():
                self._left[file] = asyncio.create_task(self._put_back(file), name="putting back a light that was tried")

    async def close(self) -> None:
        """Ends a trial, which puts the light back. What is not put back then, the next start does."""
        self._end_trials()
        if self._trial is not None:
            await asyncio.wait({self._trial})
        for task in self._left.values():
            task.cancel()
        if self._left:
            await asyncio.wait(self._left.values())

    def _end_trials(self) -> None:
        for over in self._overs:
            over.set()

    async def _put_back(self, file: Path) -> None:
        logged = ""
        for pause in chain(_PAUSES_S, repeat(_PAUSES_S[-1])):
            try:
                async with self._turn:
                    await put_back(file, self._lend)
            except LightError as error:
                if logged != (logged := str(error)):
                    log.warning("a light that was tried cannot be put back yet: %s; oche tries again", error)
                await asyncio.sleep(pause)
            else:
                return

    async def _try(self, wanted: requests.TryLight) -> Json:
        over = asyncio.Event()
        self._overs.add(over)  # before anything is waited for: it may be stopped while the settings are read
        try:
            return await self._try_until(wanted, over)
        finally:
            self._overs.discard(over)

    async def _try_until(self, wanted: requests.TryLight, over: asyncio.Event) -> Json:
        with explain_refusals():
            if any(change.path[:2] not in _ABOUT for change in wanted.changes):
                raise ValueError("only lights and scenes can be tried with a light")
            others = Change(("outlets", "rule"))  # which may not be complete yet
            outlets = (await self._settings.preview(wanted.version, [*wanted.changes, others])).outlets
            if wanted.light >= len(outlets.light):
                raise ValueError(f"there is no light with the number {wanted.light}")
        light, scenes = outlets.light[wanted.light], collect_scenes(outlets.scene)
        if wanted.scene is not None:
            if wanted.scene not in scenes:
                raise Refused("invalid", say_no_scene(wanted.scene, scenes))
            scenes = {wanted.scene: scenes[wanted.scene]}
        if light.url.startswith(OVER_MQTT):
            said = say(
                "settings.light_over_mqtt", "a light over MQTT cannot be tried here: save it, and use it in a rule"
            )
            raise Refused("invalid", said)

        if self._trial is not None and not self._trial.done():
            busy = say("settings.light_busy", "a light is being tried: wait until that has ended, or stop it")
            raise Refused("busy", busy, 10)

        file = self._folder / name_trial(light.url)

        async def show() -> list[str]:
            async with self._turn, self._lend(light.url):
                return await try_scenes(light, scenes.values(), _SHOWN_S, file, over)

        self._trial = trial = asyncio.create_task(show(), name="trying a light")
        end = asyncio.get_running_loop().call_later(_MOST_S, over.set)
        try:
            await asyncio.wait({trial})
        except asyncio.CancelledError:  # nobody waits any more
            trial.add_done_callback(self._end_unattended)
            raise
        finally:
            end.cancel()
            over.set()
        return {"v": 1, "scenes": await self._read_result(trial, file)}

    async def _read_result(self, trial: asyncio.Task[list[str]], file: Path) -> list[str]:
        """Returns what was shown. Raises Refused; what is still on then is put back later."""
        try:
            return trial.result()
        except LightError as error:
            if await asyncio.to_thread(file.exists):
                self.put_back()
                said = say(
                    "settings.light_stays",
                    "the light cannot be put back: {why}; oche does so as soon as it answers again",
                    why=str(error),
                )
            else:
                said = say("settings.light_failed", "the light cannot be tried: {why}", why=str(error))
            raise Refused("unavailable", said) from None

    def _end_unattended(self, trial: asyncio.Task[list[str]]) -> None:
        """Puts back what a trial has left on that nobody waits for."""
        if not trial.cancelled() and trial.exception() is not None:
            self.put_back()
