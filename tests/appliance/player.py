"""A player in the guest: plugs a board in and throws, the next dart when the one before is shown.

    python -m tests.appliance.player serial T20 T19 next O1      these; the board stays until the program is ended
    python -m tests.appliance.player serial --forever 7          single after single: no double out comes of it

It runs with the host's Python, in the guest. A line out is `{"thrown": "T20"}` before a dart is thrown, or
`{"shown": {…}}`, the table's state as a display is told.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from random import Random
from typing import Any

import aiomqtt

from protocol.codebook import shipped
from protocol.standard import standard
from simulator.board import SimulatedBoard
from simulator.kernel.ble_board import BleBoard
from simulator.kernel.radio import Adapter, Air
from simulator.kernel.usb_boards import FtdiBoard, ReportBoard
from tests.appliance.setup import PASSWORD, PLAYER

PATIENCE_S = 60
_SINGLES = [f"{ring}{number}" for ring in "IO" for number in range(1, 21)]

JSON = dict[str, Any]  # Any: JSON


@asynccontextmanager
async def plugged(kind: str) -> AsyncIterator[SimulatedBoard]:
    """A board of this kind, plugged in or in reach."""
    async with AsyncExitStack() as stack:
        board: SimulatedBoard
        if kind == "serial":
            board = FtdiBoard(shipped("opendarts"))
        elif kind == "usb":
            board = ReportBoard(shipped("pydarts-leonardo"))
        else:
            air = Air()  # type: ignore[no-untyped-call]  # bumble's has no annotations
            await stack.enter_async_context(Adapter(air))
            board = BleBoard(shipped("granboard"), air)
        yield await stack.enter_async_context(board)


class Player:
    """Looks at what is shown, throws, looks again."""

    def __init__(self, board: SimulatedBoard, broker: aiomqtt.Client) -> None:
        self._board = board
        self._broker = broker
        self._state: JSON = {}
        self._is_online = False
        self._news = asyncio.Condition()

    async def look(self) -> None:
        """What is shown, for ever."""
        async for message in self._broker.messages:
            text = bytes(message.payload).decode()
            async with self._news:
                if message.topic.matches("+/table/+/board/state"):
                    self._is_online = text == "online"
                elif text:
                    say(f'{{"shown":{text}}}')
                    self._state = json.loads(text)
                self._news.notify_all()

    async def begin(self) -> None:
        """Waits until the board can be heard, as both ends see it."""
        async with asyncio.timeout(PATIENCE_S), self._news:
            await self._board.wait_until_open()
            await self._news.wait_for(lambda: self._is_online and bool(self._state))

    async def throw(self, action: str) -> None:
        """One dart, or `next`; waits until that is shown."""
        before = self._state["line"]
        say(json.dumps({"thrown": action}))
        if action == "next":  # on a phone, without a walk to the board
            await self._broker.publish("oche/table/main/cmd/next", qos=1)
        else:
            assert self._board.hit(standard()[action]), f"the board did not notice {action}"
        async with asyncio.timeout(PATIENCE_S), self._news:
            await self._news.wait_for(lambda: self._state["line"] > before)

    async def throw_for_ever(self, seed: int) -> None:
        """Visit after visit, no segment twice in a row."""
        rng = Random(seed)
        while True:
            left = self._state["turn"]["darts_left"] if self._state["phase"] == "throwing" else 0
            for single in rng.sample(_SINGLES, left):
                if self._state["phase"] == "throwing":  # a bust ends the visit
                    await self.throw(single)
                    await asyncio.sleep(rng.uniform(0, 0.1))
            await self.throw("next")


def say(text: str) -> None:
    """At once, and whole."""
    data = text.encode() + b"\n"
    while data:
        data = data[os.write(1, data) :]


async def play(kind: str, actions: list[str]) -> None:
    """These; comes back when the broker has gone."""
    login = aiomqtt.Client("127.0.0.1", username=PLAYER, password=PASSWORD)
    async with login as broker, plugged(kind) as board:
        await broker.subscribe([("oche/table/main/board/state", 1), ("oche/table/main/state", 1)])
        player = Player(board, broker)
        looking = asyncio.create_task(player.look())
        await player.begin()
        if actions[:1] == ["--forever"]:
            await player.throw_for_ever(int(actions[1]))
        for action in actions:
            await player.throw(action)
        await looking


if __name__ == "__main__":
    asyncio.run(play(sys.argv[1], sys.argv[2:]))
