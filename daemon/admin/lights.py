"""Lights: found on the network, and tried as they are typed on the settings page."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import msgspec

from daemon.admin import requests
from daemon.admin.answers import Json, Refused
from daemon.admin.requests import Change
from daemon.admin.settings.settings_file import SettingsFile
from daemon.admin.settings.write import explain_refusals
from daemon.config.lights import OVER_MQTT, TRIED, collect_scenes, say_no_scene
from daemon.outlets.find_lights import find_lights
from daemon.outlets.strip import LightError, try_scenes
from drivers.network_scan import list_known_hosts
from protocol.sentence import say

log = logging.getLogger("oche.outlets")

LendLight = Callable[[str], AbstractAsyncContextManager[None]]
"""Has the daemon leave the light at this address alone while the block lasts. Raises LightError."""
_SHOWN_S = 2.0
"""How long each scene is tried."""
_MOST_S = 60.0
"""How long a trial lasts at most, until the light is put back."""
_ABOUT = (("outlets", "light"), ("outlets", "scene"))


class Lights:
    """What is asked of lights; `folder` is that of the state."""

    def __init__(self, settings: SettingsFile, folder: Path, lend: LendLight) -> None:
        self._settings = settings
        self._folder = folder
        self._lend = lend
        self._trial: asyncio.Task[list[str]] | None = None
        self._over = asyncio.Event()
        """Set when the trial shall end."""

    async def ask(self, request: requests.LightRequest) -> Json:
        """Returns the answer. Raises Refused, SourceError and UserError."""
        match request:
            case requests.FindLights():
                return {"v": 1, "found": msgspec.to_builtins(await find_lights(list_known_hosts()))}
            case requests.TryLight():
                return await self._try(request)
            case requests.StopLight():
                self._over.set()
                return {"v": 1}

    async def close(self) -> None:
        """Ends a trial, which puts the light back."""
        self._over.set()
        if self._trial is not None:
            await asyncio.wait({self._trial})

    async def _try(self, wanted: requests.TryLight) -> Json:
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

        async def show() -> list[str]:
            async with self._lend(light.url):
                return await try_scenes(light, scenes.values(), _SHOWN_S, self._folder / TRIED, over)

        self._over = over = asyncio.Event()
        self._trial = trial = asyncio.create_task(show(), name="trying a light")
        end = asyncio.get_running_loop().call_later(_MOST_S, over.set)
        try:
            await asyncio.wait({trial})
        except asyncio.CancelledError:  # nobody waits any more
            trial.add_done_callback(_log_failure)
            raise
        finally:
            end.cancel()
            over.set()
        try:
            return {"v": 1, "scenes": trial.result()}
        except LightError as error:
            raise Refused(
                "unavailable", say("settings.light_failed", "the light cannot be tried: {why}", why=str(error))
            ) from None


def _log_failure(trial: asyncio.Task[list[str]]) -> None:
    if not trial.cancelled() and (error := trial.exception()) is not None:
        log.warning("the light that was tried cannot be put back: %s", error)
