"""An evening at one table: broker, daemon and board, and the Home Assistant that is to find them.

All are real and processes of their own, except the board, which is real to the kernel: a pty. The broker forgets all
when it is killed.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from protocol.codebook import shipped
from simulator.pty_board import PtyBoard
from tests.daemon.display import Display
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import Process, configure, throw
from tests.home_assistant.home_assistant import JSON, HomeAssistant

TAKEOUT = "takeout = 'button'"


class Evening:
    """What runs. The daemon may be killed and started again; `ha` and `broker` too, by what they can themselves."""

    def __init__(self, broker: Mosquitto, board: PtyBoard, ha: HomeAssistant, config: Path) -> None:
        self.broker = broker
        self.board = board
        self.ha = ha
        self.config = config
        self.daemon: Process | None = None
        self.ids: dict[str, str] = {}
        """Entity ids by the keys of docs/home-assistant.md."""

    async def start_daemon(self) -> None:
        """Runs it until its board is connected."""
        self.daemon = await Process("run", "--config", self.config).__aenter__()
        await self.daemon.runs()
        await self.board.wait_until_open()

    async def kill_daemon(self) -> None:
        """Ends it without a farewell."""
        assert self.daemon is not None
        await self.daemon.kill()
        self.daemon = None

    async def stop_daemon(self) -> None:
        """Ends it as systemd would."""
        assert self.daemon is not None
        assert await self.daemon.stop() == 0, self.daemon.errors
        self.daemon = None

    async def configure_again(self, before: str, after: str) -> None:
        """The same daemon, with another word in its configuration."""
        text = self.config.read_text(encoding="utf-8")
        assert before in text
        await self.stop_daemon()
        self.config.write_text(text.replace(before, after), encoding="utf-8")
        await self.start_daemon()

    async def learn(self, *keys: str, table: str = "main") -> None:
        """Waits until Home Assistant has these entities with a value, and learns the ids of all."""
        while True:
            registered = await self.ha.registered()
            ids = {key.partition(f"_{table}_")[2]: entity for key, entity in registered.items() if f"_{table}_" in key}
            if set(keys) <= set(ids):
                break
            await self.more()
        self.ids = ids
        await self.ha.until(lambda: all(self.value(key) != "unavailable" for key in keys))

    async def more(self) -> None:
        """Waits until Home Assistant tells of any entity again."""
        seen = self.now
        await self.ha.until(lambda: self.now > seen)

    def state(self, key: str) -> JSON:
        """The newest state of an entity, with its attributes."""
        return self.ha.states.get(self.ids[key], {"state": None, "attributes": {}})

    def value(self, key: str) -> str | None:
        """The newest value of an entity, None for one that Home Assistant has not."""
        found: str | None = self.state(key)["state"]
        return found

    def values(self, *keys: str) -> tuple[str | None, ...]:
        """The newest values of these."""
        return tuple(self.value(key) for key in keys)

    async def shows(self, **wanted: object) -> None:
        """Waits until the entities show this."""

        def differing() -> dict[str, str | None]:
            return {key: self.value(key) for key, value in wanted.items() if self.value(key) != str(value)}

        try:
            await self.ha.until(lambda: not differing())
        except AssertionError:
            raise AssertionError(f"wanted {wanted}, but it shows {differing()}; log: {self.ha.log}") from None

    async def device(self) -> str:
        """The id of the board’s device."""
        devices = await self.ha.ask("config/device_registry/list")
        found: str = next(each["id"] for each in devices if each["manufacturer"] == "oche")
        return found

    async def press(self, key: str) -> None:
        """A press on a button."""
        await self.ha.call("button", "press", self.ids[key])

    async def choose(self, key: str, option: str) -> None:
        """An option of a select."""
        await self.ha.call("select", "select_option", self.ids[key], option=option)

    def throw(self, *segments: str) -> None:
        """Darts, as the bytes the board sends."""
        throw(self.board, *segments)

    def fired(self, since: int = 0) -> list[JSON]:
        """What the event entity has fired since that many changes: the attributes, in order.

        Its state is the time at which it fired last; that it can or cannot be reached is no news of its own.
        """
        before: set[object] = set()
        found = []
        for number, change in enumerate(self.ha.changes):
            new = change["new_state"]
            if change["entity_id"] != self.ids["event"] or new is None or new["state"] in ("unavailable", "unknown"):
                continue
            mark = (new["state"], new["attributes"]["session"], new["attributes"]["seq"])
            if mark not in before and number >= since:
                found.append(new["attributes"])
            before.add(mark)
        return found

    def types(self, since: int = 0) -> list[str]:
        """The types of the same."""
        return [fired["event_type"] for fired in self.fired(since)]

    @property
    def lasting(self) -> list[str]:
        """The entities that are there whatever game is chosen."""
        return [key for key in self.ids if not key.startswith("option_")]

    @property
    def now(self) -> int:
        """For `fired`."""
        return len(self.ha.changes)

    async def publish(self, topic: str, payload: str = "", *, retain: bool = False) -> None:
        """A message of Home Assistant’s own."""
        await self.ha.call("mqtt", "publish", topic=topic, payload=payload, retain=retain)

    async def command(self, name: str, body: object = "") -> None:
        """A command that no entity stands for."""
        payload = body if isinstance(body, str) else json.dumps(body)
        await self.publish(f"oche/table/main/cmd/{name}", payload)

    async def begin(self, start: int = 501, **header: object) -> None:
        """A new match of x01 between Ann and Bo."""
        if self.daemon is None:  # the test before has failed
            await self.start_daemon()
        wanted = {"game": "x01", "players": ["Ann", "Bo"], "options": {"start": start}, **header}
        async with Display(self.broker.port) as display:
            assert (await display.ask("start", wanted))["status"] == "ok"
            match = display.state()["match"]
        await self.ha.until(lambda: self.state("match")["attributes"].get("match") == match)
        await self.shows(score=start, player="Ann", darts_left=3, phase="throwing")


@asynccontextmanager
async def open_evening(
    root: Path,
    mosquitto: Path,
    folder: Path,
    free_port: Callable[[], int],
    *,
    game: str = "",
    mqtt: str = "",
    bridge: str = "",
) -> AsyncIterator[Evening]:
    """An evening while the block lasts."""
    (folder / "ha").mkdir()
    port = free_port()
    async with (
        Mosquitto(mosquitto, folder / "mosquitto", port) as broker,
        PtyBoard(shipped("opendarts"), folder / "board") as board,
        HomeAssistant(root, folder / "ha", free_port(), port) as ha,
    ):
        more = '[outlets]\nspoken = "calls"\n'
        config = configure(folder, port, f"{TAKEOUT}\n{game}", mqtt=mqtt, bridge=bridge, more=more)
        found = Evening(broker, board, ha, config)
        try:
            await found.start_daemon()
            await found.learn("match", "legs_2", "event", "game", "board")
            yield found
        finally:
            if found.daemon is not None:
                await found.kill_daemon()
