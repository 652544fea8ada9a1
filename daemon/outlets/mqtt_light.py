"""One controller with WLED that is reached over the broker: presets and plain colours are shown on it.

Over MQTT nobody can ask what it shows. So it is put back to a preset that the configuration names, whatever it showed
before. That it is to be put back is in a file before the first scene is sent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from daemon.config.lights import OVER_MQTT, Light, Scene
from daemon.files import remove_file, replace_file
from daemon.outlets.strip import LightError

Publish = Callable[[str, object], bool]
"""Publishes a value on a topic; False when there is no connection to the broker."""


class MqttLight:
    """The controller, and the file that says that something of ours is on."""

    def __init__(self, light: Light, file: Path, publish: Publish) -> None:
        self._light = light
        self._topic = f"{light.url.removeprefix(OVER_MQTT)}/api"
        self._file = file
        self._publish = publish
        self._is_changed = False

    @property
    def is_changed(self) -> bool:
        """Whether something of ours may be on."""
        return self._is_changed

    async def read_record(self) -> None:
        """Reads whether an earlier run has left something on."""
        self._is_changed = await asyncio.to_thread(self._file.exists)

    async def show(self, scene: Scene | None) -> None:
        """Shows the scene; None is the preset to put back, if anything is on. Raises LightError."""
        if scene is None and not self._is_changed:
            return
        body = {"ps": self._light.put_back} if scene is None else self._make_body(scene)
        try:
            if not self._is_changed:
                await asyncio.to_thread(replace_file, self._file, b"{}\n", mode=0o600)
                self._is_changed = True
            if not self._publish(self._topic, body):
                raise LightError("the broker is not connected")
            if scene is None:
                self._is_changed = False
                await asyncio.to_thread(remove_file, self._file)
        except OSError as error:
            raise LightError(str(error)) from None

    def _make_body(self, scene: Scene) -> object:
        if scene.preset is not None:
            return {"ps": scene.preset}
        if scene.effect != 0:
            raise LightError(f"over MQTT it shows presets and plain colours only, not the scene {scene.name}")
        (colour,) = scene.colours[:1] or ("#ffffff",)
        bright = {} if self._light.brightness is None else {"bri": self._light.brightness}
        look = {"fx": 0, "pal": 0, "col": [[*bytes.fromhex(colour[1:])]]}
        return {"on": True, **bright, "tt": 0, "seg": look}
