"""A controller with WLED for tests: a real web server that keeps the state by the published shapes of its interface."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from copy import deepcopy
from typing import Any

from aiohttp import web

Json = dict[str, Any]  # Any: JSON

EFFECTS = ["Solid", "Blink", "Breathe", "Wipe", "RSVD", "Random Colors", "Sweep", "Dynamic", "Colorloop", "Rainbow"]
PALETTES = ["Default", "* Random Cycle", "* Color 1", "Party"]


def make_segment(number: int, start: int, colour: tuple[int, ...], **more: object) -> Json:
    """Returns a segment of ten lights."""
    plain = {"grp": 1, "spc": 0, "of": 0, "on": True, "frz": False, "bri": 255, "cct": 127, "sel": True}
    effect = {"fx": 0, "sx": 128, "ix": 128, "pal": 0, "c1": 128, "c2": 128, "c3": 16, "o1": False, "rev": False}
    col = [[*colour], [0, 0, 0], [0, 0, 0]]
    return {"id": number, "start": start, "stop": start + 10, "len": 10, **plain, "col": col, **effect, **more}


def make_state(**more: object) -> Json:
    """Returns the state of a strip of two segments, one orange, one with an effect."""
    segments = [make_segment(0, 0, (255, 160, 0)), make_segment(1, 10, (8, 8, 8), fx=2, sx=60, ix=9, pal=3)]
    head = {"on": True, "bri": 90, "transition": 7, "ps": -1, "pl": -1, "mainseg": 0}
    nightlight = {"on": False, "dur": 60, "mode": 1, "tbri": 0, "rem": -1}
    return {**head, "nl": nightlight, "udpn": {"send": False, "recv": True}, "lor": 0, "seg": segments, **more}


class Wled:
    """The controller. `state` is what it shows; `presets` are states by their numbers.

    `before` and `after` are called with the number of each request, from 0: before it is carried out, and before it is
    answered. `is_rgbw` makes colours of four values of all that are set.
    """

    def __init__(self, state: Json | None = None, presets: dict[int, Json] | None = None) -> None:
        self.state = deepcopy(state or make_state())
        self.presets = presets or {}
        self.requests: list[Json | None] = []
        self.is_rgbw = False
        self.sets_by_effect: dict[int, Json] = {}
        self.is_away = False
        self.before: Callable[[int], object] = lambda _: None
        self.after: Callable[[int], object] = lambda _: None
        self.port = 0

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def look(self) -> Json:
        """The state, as somebody sees it who compares before and after."""
        return deepcopy(self.state)

    @property
    def colour(self) -> list[int]:
        """The first colour of the first segment."""
        return [*self.state["seg"][0]["col"][0]]

    def set(self, body: Json) -> None:
        """Carries out what was posted, as the page of WLED does."""
        if (preset := body.get("ps", -1)) > 0:
            if preset in self.presets and preset != self.state["ps"]:
                self.state |= deepcopy(self.presets[preset]) | {"ps": preset}
            return
        before = self.look
        for key in ("on", "bri", "transition", "mainseg"):
            if key in body:
                self.state[key] = body[key]
        asked = body.get("seg", [])
        for segment in asked if isinstance(asked, list) else [asked]:
            self._set_segment(segment)
        self.state["seg"].sort(key=lambda segment: segment["id"])
        if self.state != before:
            self.state["ps"] = -1  # something else than the preset is on now

    def _set_segment(self, asked: Json) -> None:
        (there,) = [each for each in self.state["seg"] if each["id"] == asked["id"]] or [None]
        if there is None:
            if asked.get("stop", 0) > asked.get("start", 0):
                self.state["seg"].append(make_segment(asked["id"], asked.get("start", 0), (0, 0, 0)) | deepcopy(asked))
            return
        if "stop" in asked and asked["stop"] <= asked.get("start", there["start"]):
            self.state["seg"].remove(there)
            return
        for key, value in asked.items():
            if key == "fx":
                there["fx"] = value if value < len(EFFECTS) else 0
                there |= self.sets_by_effect.get(value, {})
            elif key == "col" and self.is_rgbw:
                there["col"] = [[*colour[:3], colour[3] if len(colour) > 3 else 0] for colour in value]
            elif key == "n" and not value:
                there.pop("n", None)
            elif key in there or key == "n":
                there[key] = deepcopy(value)

    async def respond(self, request: web.Request) -> web.Response:
        """Answers a request."""
        if self.is_away:
            return web.Response(status=503)
        number = len(self.requests)
        body = await request.json() if request.method == "POST" else None
        self.requests.append(body)
        self.before(number)
        await asyncio.sleep(0)
        if request.path in ("/json/eff", "/json/pal"):
            return web.json_response(EFFECTS if request.path.endswith("eff") else PALETTES)
        if request.path == "/json/info":
            return web.json_response(
                {"brand": "WLED", "ver": "0.15.0", "name": "Ring at the board", "leds": {"count": 20}}
            )
        assert request.path == "/json/state"
        if body is not None:
            self.set(body)
        answer = web.json_response(self.state if body is None or body.get("v") else {"success": True})
        self.after(number)
        await asyncio.sleep(0)
        return answer


@asynccontextmanager
async def serve_wled(wled: Wled) -> AsyncIterator[Wled]:
    """Serves it on a free port while the block lasts."""
    app = web.Application()
    app.router.add_route("*", "/json/{what}", wled.respond)
    runner = web.AppRunner(app, shutdown_timeout=0)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        wled.port = runner.addresses[0][1]
        yield wled
    finally:
        await runner.cleanup()
