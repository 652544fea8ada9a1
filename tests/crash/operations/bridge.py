"""What is asked over MQTT, and what is kept of what a broker was told."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from random import SystemRandom
from secrets import token_hex
from typing import Any

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion

from tests.conftest import find_program
from tests.crash.operations.backups import list_archives
from tests.crash.operations.operation import JSON, Operation, Outcome, wait_for_start
from tests.crash.operations.settings import list_settings
from tests.crash.world import PATIENCE_S, Gone, World

_BRIDGE = "oche/bridge/oche"


def _connect(world: World) -> None:
    """The configuration names a broker, which runs as long as this world."""
    port = SystemRandom().randrange(10_000, 32_000)
    broker = subprocess.Popen([find_program("mosquitto"), "-p", str(port)], stderr=subprocess.DEVNULL)
    world.stack.callback(broker.wait)
    world.stack.callback(broker.kill)
    text = world.file.read_text("utf-8")
    there = f'host = "127.0.0.1"\nport = {port}\nrequests = true\n'
    world.file.write_text(text.replace("on = false\n", there), encoding="utf-8")
    (world.beside / "broker").write_text(str(port), encoding="ascii")


def _connect_board(world: World) -> None:
    """A board that is only written down; a recording of it can be made."""
    _connect(world)
    text = world.file.read_text("utf-8")
    world.file.write_text(text.replace('board = "none"', 'board = "serial:/dev/null/no"'), encoding="utf-8")


class _Requests:
    """A client of the broker, without a thread: it is read while something is waited for."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._heard: dict[str, bytes] = {}
        self._client = Client(CallbackAPIVersion.VERSION2)
        self._client.on_message = self._hear
        self._client.on_connect = lambda client, *_: client.subscribe([(f"{_BRIDGE}/state", 0), (f"{_BRIDGE}/#", 0)])
        end = time.monotonic() + PATIENCE_S
        while True:
            with suppress(OSError):
                self._client.connect("127.0.0.1", int((world.beside / "broker").read_text("ascii")))
                return
            assert time.monotonic() < end, "mosquitto does not run"
            time.sleep(0.02)

    def _hear(self, _: Client, __: Any, message: MQTTMessage) -> None:  # Any: of paho
        self._heard[message.topic] = bytes(message.payload)

    def ask(self, name: str, body: dict[str, JSON]) -> Outcome:
        """Whether it was answered well; None when the daemon is gone."""
        answer = f"{_BRIDGE}/response/{name}"
        try:
            self._until(lambda: self._heard.get(f"{_BRIDGE}/state") == b"online")
            self._heard.pop(answer, None)
            self._client.publish(f"{_BRIDGE}/request/{name}", json.dumps({"transaction": token_hex(8), **body}))
            self._until(lambda: answer in self._heard)
        except Gone:
            return None
        finally:
            self._client.disconnect()
        told = json.loads(self._heard[answer])
        self._world.said = str(told.get("error"))
        return bool(told["status"] == "ok")

    def _until(self, is_so: Any) -> None:  # Any: () -> bool
        end = time.monotonic() + PATIENCE_S
        while not is_so():
            self._client.loop(0.01)
            self._world.check_alive()
            if time.monotonic() > end:
                raise TimeoutError


def _ask(name: str, **body: JSON) -> Callable[[World], Outcome]:
    return lambda world: _Requests(world).ask(name, body)


def _record(world: World) -> Outcome:
    began = _ask("capture", table="main", capture="start")(world)
    return began and _ask("capture", table="main", capture="stop")(world)


def _list_recordings(world: World) -> dict[str, JSON]:
    """Whether there is one; a kill may leave an empty one."""
    return {"recorded": any(b"oche_capture" in path.read_bytes() for path in world.state.glob("captures/*.jsonl"))}


def _has_archive(world: World) -> dict[str, JSON]:
    """Whether there is one, and all of them can be read."""
    found = list_archives(world)["backups"]
    return {"backup": all(found) and bool(found)}


def _is_told(world: World) -> dict[str, JSON]:
    """Whether it is written down, at last, what has to be cleared on the broker one day."""
    said = world.state / "said.json"
    with suppress(TimeoutError):
        world.until(said.exists, 10)
    return {"said": "oche" in str(json.loads(said.read_bytes())["said"]) if said.exists() else None}


def _wait_for_said(world: World) -> None:
    with suppress(Gone, TimeoutError):
        world.until(lambda: (world.state / "said.json").exists() or world.counter.is_hit)


OPERATIONS = (
    Operation(
        "the first start with a broker", lambda w: w.start(), _connect, "start", _is_told, _wait_for_said, broker=True
    ),
    Operation("a backup over MQTT", _ask("backup"), _connect, more=_has_archive, broker=True),
    Operation(
        "a change over MQTT",
        _ask("options", changes=[{"path": ["table", 0, "title"], "value": "The Oak"}]),
        _connect,
        more=list_settings,
        settle=wait_for_start,
        broker=True,
    ),
    Operation("a recording over MQTT", _record, _connect_board, more=_list_recordings, may_be_half=True, broker=True),
)
