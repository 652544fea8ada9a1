"""A place of a league: a daemon with its tables, and people who play short matches there until it closes.

They correct what they have entered, also when the match is over; one is renamed, and one is forgotten.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import msgspec

from protocol.codebook import shipped
from simulator.pty_board import PtyBoard
from tests.daemon.process import PATIENCE_S, configure, eventually, segment
from tests.faults.tournament.hall import Gone, Hall, Screen

JSON = dict[str, Any]  # Any: JSON
_GAMES: Sequence[JSON] = (
    {"game": "x01", "options": {"start": 101, "out": "straight"}},
    {"game": "count_up", "options": {"rounds": 1}},
)
_TABLE = '[[table]]\nname = "{name}"\nboard = "serial:{folder}/{name}"\nprofile = "quick.toml"\n{more}'


class Regulars(Screen):
    """Who plays at one table. `matches` counts what they have begun."""

    matches = 0
    corrections = 0
    _corrected = ""
    _is_last = False

    async def play(self) -> None:
        """Plays one match after the other, until the place is closed; the last one is corrected when it was sent."""
        place = self._hall
        assert isinstance(place, Place)
        while True:
            await place.is_up.wait()
            shown, seen = self.now.get("state"), self._count
            if shown is None or self.now.get("board", {}).get("state") != "online":
                await self._until(lambda: self._count != seen)  # noqa: B023
            elif shown["phase"] != "over":
                self._throw(shown)
                async with asyncio.timeout(PATIENCE_S):
                    await self._until(lambda: self._at != (shown["match"], shown["line"]))  # noqa: B023
            elif self._corrected != shown["match"] and self._rng.random() < 0.2:
                self._corrected = shown["match"]
                self.corrections += 1
                await self._correct(place)
            elif not place.is_closed:
                await self._begin(place, shown)
            elif self._is_last:
                return
            else:  # the league has this match before it is corrected
                self._is_last = True
                await eventually(place.is_sent)
                self.corrections += 1
                await self._correct(place)

    async def _begin(self, place: Place, shown: JSON) -> None:
        players = self._rng.sample(place.players, 2)
        body = {**self._rng.choice(_GAMES), "players": players, "at": shown["line"]}
        with suppress(Gone):
            status, said = await place.ask("POST", f"/api/table/{self.table}/start", body)
            assert status in (200, 409), said  # 409: it has begun by a start whose answer did not come
            self.matches += status == 200
        async with asyncio.timeout(PATIENCE_S):
            await self._until(lambda: self._at != (shown["match"], shown["line"]))

    async def _correct(self, place: Place) -> None:
        """Takes the last dart of a match back that was over, or says what the first one was."""
        before = self._at
        command, body = self._rng.choice((("undo", {}), ("amend", {"amend": 2, "throw": "O1"})))
        status = 0
        with suppress(Gone):
            status, _ = await place.ask("POST", f"/api/table/{self.table}/{command}", body)
        if status == 200:
            async with asyncio.timeout(PATIENCE_S):
                await self._until(lambda: self._at != before)

    def _throw(self, state: JSON) -> None:
        if state["phase"] == "takeout":
            assert self.board.press("next")
        elif state["turn"]["darts"] and self._rng.random() < 0.03:
            assert self.board.press("undo")
        else:
            left = state["sides"][state["turn"]["side"]]["score"]
            is_close = state["game"] == "x01" and 0 < left <= 20
            chosen = f"O{left}" if is_close else self._rng.choice(("T20", "O20", "T17", "D16", "O5"))
            assert self.board.hit(segment(chosen))
            self._hall.darts += 1


class Place(Hall):
    """`players` are those who play at present. Its tables and players have names that no other place has."""

    def __init__(
        self, file: Path, boards: dict[str, PtyBoard], rng: Random, players: list[str], env: dict[str, str]
    ) -> None:
        super().__init__(file, boards, rng, Regulars, env)
        self.players = players
        self.is_closed = False
        self.folder = file.parent / "state"

    @property
    def bridge_id(self) -> UUID:
        """What the league knows it by."""
        return UUID((self.folder / "bridge.uuid").read_text(encoding="ascii").strip())

    @property
    def regulars(self) -> list[Regulars]:
        """Who plays, by tables."""
        return [each for each in self.screens.values() if isinstance(each, Regulars)]

    async def rename(self, number: int) -> None:
        """Gives one of the players a name of this number."""
        name = self.players[0]
        to = f"{name.split()[0]} {number}"
        if await self._change("rename", {"name": name, "to": to}):
            self.players[0] = to

    async def forget(self) -> None:
        """Has the last one of the players forgotten, who plays no more."""
        name = self.players.pop()
        while not await self._change("forget", {"name": name, "sure": True}):  # noqa: ASYNC110  nothing says when
            await asyncio.sleep(0.2)  # who is in a match is not forgotten yet

    async def _change(self, what: str, body: JSON) -> bool:
        with suppress(Gone):
            status, said = await self.ask("POST", f"/api/players/{what}", body)
            assert status in (200, 409), said
            return status == 200
        return False

    async def is_sent(self) -> bool:
        """Whether the league has answered to everything."""
        with suppress(Gone):
            status, said = await self.ask("GET", "/api/league/sending")
            assert status == 200, said
            found = msgspec.json.decode(said)
            assert not found["not_taken"], found
            return bool(found["waiting"] == 0 and found["forgetting"] == 0)
        return False


@asynccontextmanager
async def open_place(
    folder: Path, brokers: Sequence[str], rng: Random, tables: int, env: Mapping[str, str]
) -> AsyncIterator[Place]:
    """A place of this name with so many tables, whose daemon finds its broker at these addresses in turn."""
    folder.mkdir()  # noqa: ASYNC240  no other task waits
    name = folder.name
    names = [f"{name}-{number}" for number in range(1, tables + 1)]
    players = [f"{who}{name}" for who in ("ann", "bo", "cy", "di", "ed")]
    async with AsyncExitStack() as stack:
        boards = {each: PtyBoard(shipped("opendarts"), folder / each) for each in names}
        for board in boards.values():
            await stack.enter_async_context(board)
        short = "options = { start = 101, out = 'straight' }"
        more = [_TABLE.format(name=each, folder=folder, more=f"players = {players[:2]}\n{short}") for each in names[1:]]
        file = configure(
            folder,
            1883,
            f'name = "{names[0]}"\n{short}',
            board=f"serial:{folder}/{names[0]}",
            bridge=f'name = "{name}"',
            mqtt=f'username = "{name}"' if "OCHE_MQTT_PASSWORD" in env else "",
            more="\n".join([*more, "[league]\non = true\n"]),
        )
        text = file.read_text(encoding="utf-8")
        for written, meant in (
            ('host = "127.0.0.1"', f"host = {list(brokers)}"),
            ('players = ["Ann", "Bo"]', f"players = {players[:2]}"),
        ):
            assert written in text
            text = text.replace(written, meant, 1)
        file.write_text(text, encoding="utf-8")
        place = Place(file, boards, rng, players, {**os.environ, **env})
        stack.push_async_callback(place.close)
        await place.start()
        yield place
