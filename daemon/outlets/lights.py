"""Lights: each shows what the rules say at a moment, then who is to throw, and at the end what it showed before.

Each light has a task of its own, so that one that is away holds up no other. A light that cannot be changed is tried
again for as long as there is something to change.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

from msgspec import Struct

from daemon.config.lights import OVER_MQTT, Light, Scene, collect_scenes, find_place
from daemon.config.names import list_names
from daemon.config.outlets import Outlets, Rule
from daemon.outlets.light_plan import LightPlan
from daemon.outlets.mqtt_light import MqttLight, Publish
from daemon.outlets.rules import Happening
from daemon.outlets.strip import LightError, Strip, name_file
from daemon.part import Part
from daemon.table.effects import Update

log = logging.getLogger("oche.outlets")

_PAUSES_S = (1.0, 5.0, 30.0)
"""Before each further try; the last for all that follow."""
_CLOSING_S = 3.0
"""How long the end of the daemon waits for lights to be put back. What is not, the next start does."""


class _Kept(Struct):
    """A light with what is decided and known of it."""

    light: Light
    plan: LightPlan
    strip: Strip | MqttLight
    news: asyncio.Event
    is_back: asyncio.Event
    """Set while nothing of ours is on."""
    free: asyncio.Lock
    """Held while the light is changed, or lent."""
    shown: Scene | None = None
    """What is on by our last change, as far as we know."""


class Lights(Part):
    """Has these lights show scenes. A Part, and an action of the outlets. `troubles` is as for web hooks.

    What was found on them is kept in `folder`. `publish` reaches those over MQTT. `cameras` are the tables whose boards
    are cameras.
    """

    def __init__(
        self,
        outlets: Outlets,
        folder: Path,
        troubles: dict[str, str],
        publish: Publish,
        cameras: Collection[str] = (),
    ) -> None:
        self._scenes: Mapping[str, Scene] = collect_scenes(outlets.scene)
        self._troubles = troubles
        self._is_ending = False
        self._lights = [
            _Kept(
                light,
                LightPlan(light, self._scenes, cameras),
                _open(light, folder / name_file(light.name), publish),
                asyncio.Event(),
                asyncio.Event(),
                asyncio.Lock(),
            )
            for light in outlets.light
        ]

    def follow(self, update: Update) -> None:
        """Takes the news of a table."""
        now = _now()
        for each in self._lights:
            if each.plan.concerns(update.table):
                each.plan.follow(update, now)
                each.news.set()

    def take(self, rule: Rule, given: Happening) -> None:
        """Notes the scene that the rule names; `run` shows it."""
        if rule.then.light is None:
            return
        scene = self._scenes[random.choice(list_names(rule.then.light))]
        event_type, now = given.event.event_type, _now()
        names = None if rule.then.lights is None else list_names(rule.then.lights)
        for each in self._lights:
            if (names is None or each.light.name in names) and each.plan.concerns(given.table):
                each.plan.begin(scene, event_type, given.table, now)
                each.news.set()

    async def run(self) -> None:
        """Shows what is wanted until cancelled."""
        async with asyncio.TaskGroup() as group:
            for each in self._lights:
                group.create_task(self._keep(each))
            await asyncio.Event().wait()  # also without lights: what is kept running does not end

    @asynccontextmanager
    async def lend(self, url: str) -> AsyncIterator[None]:
        """Leaves the light at this address alone while the block lasts; puts it back before. Raises LightError."""
        same = [each for each in self._lights if find_place(each.light.url) == find_place(url)]
        async with AsyncExitStack() as stack:
            for each in same:
                await stack.enter_async_context(each.free)
                stack.callback(each.news.set)
                each.shown = None  # also after an error: it is not known what is on
                each.is_back.clear()
                await each.strip.show(None)
                each.is_back.set()
            yield

    async def close(self) -> None:
        """Puts the lights back, as far as they answer."""
        self._is_ending = True
        for each in self._lights:
            each.news.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(_CLOSING_S):
                for each in self._lights:
                    await each.is_back.wait()

    async def _keep(self, kept: _Kept) -> None:
        strip, plan = kept.strip, kept.plan
        await strip.read_record()
        failures = 0
        while True:
            kept.news.clear()
            async with kept.free:
                now = _now()
                wanted = None if self._is_ending else plan.find_wanted(now)
                until = plan.find_deadline(now)
                if wanted != kept.shown or (wanted is None and strip.is_changed):
                    kept.is_back.clear()
                    try:
                        await strip.show(wanted)
                    except LightError as error:
                        self._note(kept.light, str(error))
                        kept.shown = None
                        again = _now() + _PAUSES_S[min(failures, len(_PAUSES_S) - 1)]
                        until = again if until is None else min(until, again)
                        failures += 1
                    else:
                        self._note(kept.light, None)
                        kept.shown, failures = wanted, 0
                if wanted is None and not strip.is_changed:
                    kept.is_back.set()
            with suppress(TimeoutError):
                async with asyncio.timeout_at(until):
                    await kept.news.wait()

    def _note(self, light: Light, trouble: str | None) -> None:
        """Notes what is wrong, for the health report, and logs it where it is something else than before."""
        name = f"light {light.name}"
        if trouble is None:
            if self._troubles.pop(name, None) is not None:
                log.info("the light %s works again", light.name)
        elif self._troubles.get(name) != trouble:
            self._troubles[name] = trouble
            log.warning("the light %s (%s): %s", light.name, light.url, trouble)


def _open(light: Light, file: Path, publish: Publish) -> Strip | MqttLight:
    return MqttLight(light, file, publish) if light.url.startswith(OVER_MQTT) else Strip(light, file)


def _now() -> float:
    return asyncio.get_running_loop().time()
