"""One controller with WLED: scenes are shown on it, and it is put back to the state in which it was found.

Nothing is stored on the controller. Before anything is sent, a file has the state that was found, and those in which
the controller is to be expected from then on, so that the next start can finish what a kill has broken off. What
somebody has changed meanwhile stays: before each change the controller is asked for its state, and what is otherwise
than expected is what it goes back to.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager, suppress
from pathlib import Path
from typing import TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from daemon.config.lights import TRIED, Light, Scene
from daemon.files import remove_file, replace_file
from daemon.http.client import RequestError, send_request
from daemon.outlets.wled import (
    NO_ECHO,
    Json,
    find_preset,
    is_alike,
    is_state,
    keep_changes,
    make_body,
    make_way_back,
    predict,
    shows_preset,
)

log = logging.getLogger("oche.outlets")

_MOST_BYTES = 1 << 16
"""The longest answer; that of 32 segments with long names is a third of it."""
_NOT_WLED = "it does not answer as WLED does"


LendLight: TypeAlias = Callable[[str], AbstractAsyncContextManager[None]]
"""Has the daemon leave the light at this address alone while the block lasts. Raises LightError."""


class LightError(Exception):
    """The light could not be changed; the text is the end of a sentence."""


class Record(Struct):
    """What was `found` at this address, and the states that it may have since, unless somebody changes it.

    `preset` is the one of ours that may be on; what it looks like is known once it is seen.
    """

    url: str
    found: Json
    seen: list[Json]
    preset: int | None = None


def name_file(name: str) -> str:
    """Returns the name of the file for the light of this name, in the state folder."""
    return f"light.{name}.json"


def name_trial(url: str) -> str:
    """Returns the name of the file for the light at this address while it is tried, in the state folder."""
    return TRIED.replace("*", f"-{hashlib.sha256(url.rstrip('/').encode()).hexdigest()[:16]}")


def list_trials(folder: Path) -> list[Path]:
    """Returns the files of lights that were tried and are not put back, in this state folder."""
    return sorted(folder.glob(TRIED))


async def try_scenes(
    light: Light, scenes: Iterable[Scene], seconds: float, file: Path, over: asyncio.Event | None = None
) -> list[str]:
    """Shows each scene for so many seconds, and then what the light showed before. Raises LightError.

    Once `over` is set, or the caller is cancelled, no further scene is shown. What has begun is never broken off: the
    controller might carry out a request after what puts it back. Returns the names of the scenes that were shown.

    What it showed before is kept in the file meanwhile, where `read_record` finds it after a kill.
    """
    over = over or asyncio.Event()
    trial = asyncio.create_task(_show_each(Strip(light, file), scenes, seconds, over), name="trying a light")
    is_cancelled = False
    while not trial.done():
        try:
            await asyncio.wait({trial})
        except asyncio.CancelledError:
            is_cancelled = True
            over.set()
    if is_cancelled:
        if not trial.cancelled() and (error := trial.exception()) is not None:
            log.warning("the light %s, which was tried, cannot be put back: %s", light.name, error)
        raise asyncio.CancelledError
    return trial.result()


async def _show_each(strip: Strip, scenes: Iterable[Scene], seconds: float, over: asyncio.Event) -> list[str]:
    shown: list[str] = []
    await strip.read_record()
    try:
        for scene in scenes:
            if over.is_set():
                break
            await strip.show(scene)
            shown.append(scene.name)
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await over.wait()
    finally:
        await strip.show(None)
    return shown


async def put_back(file: Path, lend: LendLight) -> None:
    """Puts back the light that this file of a trial is about, which is gone then. Raises LightError.

    A file that cannot be read stays, and nothing is done.
    """
    record = await _read(file, "that was tried")
    if record is None:
        return
    url = record.url.removesuffix("/json")
    async with lend(url):
        await Strip(Light("tried", url), file, record).show(None)


async def _read(file: Path, name: str) -> Record | None:
    """Returns what a file has of the light of this name; None: there is none, or it cannot be read, which is logged."""
    try:
        return msgspec.json.decode(await asyncio.to_thread(file.read_bytes), type=Record)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        log.error("the light %s cannot be put back: %s: %s", name, file, error)
        return None


class Strip:
    """A controller, and the file of what was found there."""

    def __init__(self, light: Light, file: Path, record: Record | None = None) -> None:
        self._light = light
        self._url = f"{light.url.rstrip('/')}/json"
        self._file = file
        self._record = record
        self._lists: dict[str, list[str]] = {}

    @property
    def is_changed(self) -> bool:
        """Whether something of ours may be on."""
        return self._record is not None

    async def read_record(self) -> None:
        """Reads what an earlier run has left. A controller at an address of before is put back, if it answers now."""
        record = await _read(self._file, self._light.name)
        if record is None:
            return
        if record.url == self._url:
            self._record = record
        else:
            await self._put_back_former(record)

    async def _put_back_former(self, record: Record) -> None:
        """Tries once: the file is soon needed for the present controller."""
        former = Strip(replace(self._light, url=record.url.removesuffix("/json")), self._file, record)
        try:
            await former.show(None)
        except LightError as error:
            log.warning(
                "the light %s cannot be put back at its former address %s: %s", self._light.name, record.url, error
            )

    async def show(self, scene: Scene | None) -> None:
        """Shows the scene; None puts the light back, if what we have sent is still on. Raises LightError.

        After an error it is not known what is on: the next call finds out.
        """
        if scene is None and self._record is None:
            return
        try:
            state = await self._ask()
            record = self._record or Record(self._url, state, [state])
            if not shows_preset(record.preset, state):
                record.found = keep_changes(record.found, record.seen, state)
            if scene is None:
                await self._put_back(record, state)
            else:
                effect, palette = await self._number("eff", scene.effect), await self._number("pal", scene.palette)
                body = make_body(scene, self._light, state, effect, palette)
                if body.get("seg") == []:
                    raise RequestError(f"it has none of the segments {', '.join(map(str, self._light.segments))}")
                await self._send(record, body, state)
        except (RequestError, OSError) as error:
            self._lists.clear()  # another controller may answer next time
            raise LightError(str(error)) from None

    async def _put_back(self, record: Record, state: Json) -> None:
        if back := make_way_back(record.found, state):
            await self._send(record, {**back, "udpn": NO_ECHO}, state)
        if (preset := find_preset(record.found)) is not None:
            await self._ask({"ps": preset, "udpn": NO_ECHO})
        self._record = None
        await asyncio.to_thread(remove_file, self._file)

    async def _send(self, record: Record, body: Json, state: Json) -> None:
        """Notes what the controller will show, and sends this body. `state` is what it shows now."""
        expected = predict(body, state)
        record.seen, record.preset = [state, expected], body.get("ps")
        await self._write(record)
        self._record = record
        now = await self._ask({**body, "v": True})
        if record.preset is None and not is_alike(now, expected):  # it takes no such number, or the effect sets more
            record.seen = [state, now]
            await self._write(record)

    async def _write(self, record: Record) -> None:
        content, folder = msgspec.json.encode(record), self._file.parent
        await asyncio.to_thread(replace_file, self._file, content, mode=0o600, like=folder)

    async def _number(self, kind: str, named: int | str) -> int:
        """Returns the number of an effect (`eff`) or a palette (`pal`), which the controller knows by its name."""
        if isinstance(named, int):
            return named
        if kind not in self._lists:
            found = await self._request(kind)
            if not isinstance(found, list):
                raise RequestError(_NOT_WLED)
            self._lists[kind] = [str(name).casefold() for name in found]
        with suppress(ValueError):
            return self._lists[kind].index(named.casefold())
        raise RequestError(f"it has no {'effect' if kind == 'eff' else 'palette'} {named!r}")

    async def _ask(self, body: Json | None = None) -> Json:
        """Returns the state; with a body, that is sent, and with `v` in it the state follows from it."""
        answer = await self._request("state", body)
        if body is not None and "v" not in body:
            return body
        if not isinstance(answer, dict) or not is_state(answer):
            raise RequestError(_NOT_WLED)
        return answer

    async def _request(self, path: str, body: Json | None = None) -> object:
        reply = await send_request(
            "GET" if body is None else "POST",
            f"{self._url}/{path}",
            b"" if body is None else msgspec.json.encode(body),
            {} if body is None else {"Content-Type": "application/json"},
            most_bytes=_MOST_BYTES,
        )
        if reply.status != 200:
            raise RequestError(f"it answered with status {reply.status}")
        try:
            return msgspec.json.decode(reply.body)
        except ValueError:
            raise RequestError(_NOT_WLED) from None
