"""The organiser, on the page of a daemon that may be killed: who got no answer looks at what is there, and goes on."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from random import Random
from typing import Any

import msgspec

from protocol.tournament import Line
from tests.daemon.process import PATIENCE_S
from tests.faults.tournament.hall import Gone, Hall

JSON = dict[str, Any]  # Any: JSON
_MOVES = 0.7
"""At this part of the news a match is moved, where a table is free."""


class Organiser:
    """Who runs one tournament."""

    def __init__(self, hall: Hall, rng: Random) -> None:
        self.moves = 0
        """How many matches went on at another table."""
        self._hall = hall
        self._rng = rng
        self._id = ""
        self.longest_s = 0.0
        """The longest time in which no line was added: no match called, begun or ended."""

    async def make(self, spec: JSON) -> None:
        """Makes the tournament."""
        while not self._id:
            found = await self._get("/api/tournaments")
            if found["tournaments"]:
                self._id = found["tournaments"][0]["id"]
                return
            await self._try("/api/tournament", spec)

    async def enter(self, names: Sequence[str]) -> None:
        """Enters these, one after the other."""
        for count, name in enumerate(names):
            await self._do({"do": "enter", "people": [name]}, lambda view: len(view["entrants"]) > count)  # noqa: B023

    async def draw(self) -> None:
        """Seats all in the order in which they have entered."""
        seats = [entrant["id"] for entrant in (await self.look())["entrants"]]
        await self._do({"do": "draw_seats", "seats": seats}, lambda view: view["phase"] != "sign_up")

    async def set_tables(self, names: Sequence[str]) -> None:
        """Has matches called to these tables."""
        tables = [{"name": name} for name in names]
        await self._do({"do": "set_tables", "tables": tables}, lambda view: len(view["tables"]) == len(names))

    async def wait_for_end(self) -> JSON:
        """Returns the tournament once it is over; fails where it stands still."""
        view, since = await self.look(), time.monotonic()
        while view["phase"] != "over":
            if self._rng.random() < _MOVES:
                await self._move(view)
            before, view = view, await self._get(f"/api/tournament/{self._id}?since={view['version']}")
            self.longest_s = max(self.longest_s, time.monotonic() - since)
            since = since if view["line"] == before["line"] else time.monotonic()
            stands = [each for each in view["matches"] if each["status"] in ("ready", "called", "playing")]
            assert time.monotonic() - since < PATIENCE_S, f"it stands still: {stands}; {view['tables']}"
        return view

    async def _move(self, view: JSON) -> None:
        """Calls a match that is played to a free table, unless it is over by then."""
        played = [match for match in view["matches"] if match["status"] == "playing"]
        free = [table["name"] for table in view["tables"] if table["status"] == "free"]
        if played and free:
            await asyncio.sleep(self._rng.uniform(0, 0.3))
            match, table = self._rng.choice(played)["id"], self._rng.choice(free)
            with suppress(Gone):
                given = {"do": "call", "match": match, "table": table}
                status, said = await self._hall.ask("POST", f"/api/tournament/{self._id}/do", given)
                assert status in (200, 409), said
                self.moves += status == 200

    async def look(self) -> JSON:
        """Returns the tournament as it is shown."""
        return await self._get(f"/api/tournament/{self._id}")

    async def read_lines(self) -> list[Line]:
        """Returns all of its journal."""
        _, *lines = (await self._read(f"/api/tournament/{self._id}/file")).splitlines()
        return [msgspec.json.decode(line, type=Line) for line in lines]

    async def _do(self, given: JSON, is_done: Callable[[JSON], bool]) -> None:
        while not is_done(await self.look()):
            await self._try(f"/api/tournament/{self._id}/do", given)

    async def _try(self, path: str, body: JSON) -> None:
        """Asks for this, perhaps in vain."""
        try:
            status, said = await self._hall.ask("POST", path, body)
        except Gone:
            return
        assert status == 200, said

    async def _get(self, path: str) -> JSON:
        found: JSON = msgspec.json.decode(await self._read(path))
        return found

    async def _read(self, path: str) -> bytes:
        """Asks until there is an answer."""
        while True:
            try:
                status, said = await self._hall.ask("GET", path)
            except Gone:
                continue
            assert status == 200, said
            return said
