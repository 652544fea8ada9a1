"""A player throws as fast as darts fly, lets nothing stop him, and counts the match by hand meanwhile."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import msgspec

from protocol.standard import standard
from simulator.pty_board import PtyBoard
from tests.faults.witness import Witness

JSON = dict[str, Any]  # Any: JSON

START = 501
OPTIONS = f"options = {{start = {START}, out = 'straight'}}"


class Score:
    """One match. `lines` is what is written down of it."""

    def __init__(self, lines: list[JSON] | None = None) -> None:
        self.lines: list[JSON] = []
        self._kept: list[str] = []
        """What counts of it: segments, and "next"."""
        self._count()
        for line in lines or []:
            if "undo" in line:
                self.undo()
            elif "next" in line:
                self.next()
            else:
                assert self.throw(line["throw"]), f"{line} counts for nothing"

    def throw(self, segment_id: str) -> bool:
        """A dart. False: a stray."""
        if self.darts_left == 0:
            return False
        self._keep(segment_id, {"throw": segment_id})
        return True

    def next(self) -> None:
        """The darts are pulled. Those that no board saw were misses."""
        while self.darts_left:
            self._keep("MISS", {"throw": "MISS"})
        self._keep("next", {"next": True})

    def undo(self) -> bool:
        """The last line is taken back. False: there is none."""
        if not self._kept:
            return False
        self._kept.pop()
        self.lines.append({"undo": True})
        self._count()
        return True

    @property
    def over(self) -> bool:
        """Whether a player's input came to nothing."""
        return 0 in self._left

    def _keep(self, what: str, line: JSON) -> None:
        self._kept.append(what)
        self.lines.append(line)
        self._one(what)

    def _count(self) -> None:
        """From the beginning."""
        self._left, self._side = [START, START], 0
        self._before, self.darts_left = START, 3
        for what in self._kept:
            self._one(what)

    def _one(self, what: str) -> None:
        if what == "next":
            self._side = 1 - self._side
            self._before, self.darts_left = self._left[self._side], 3
            return
        left = self._left[self._side] - standard()[what].points
        self._left[self._side] = left if left >= 0 else self._before
        self.darts_left = self.darts_left - 1 if left > 0 else 0


SEGMENTS = [segment for segment in standard() if segment.outline]


class Stored(NamedTuple):
    """A match as it is on disk: its id, its header, its lines, when each was written (ISO 8601, UTC) and by whom."""

    id: str
    header: JSON
    lines: list[JSON]
    at: list[str]
    sources: list[str]


class Evening:
    """A row of matches. `played` is what must be in the journal, one entry a match."""

    def __init__(self, board: PtyBoard, witness: Witness, rng: Random, table: str = "main") -> None:
        self.played = [Score()]
        self.darts = 0
        """That count."""
        self.strays = 0
        self._board = board
        self._witness = witness
        self._rng = rng
        self._table = table
        self._looks = 0

    async def throw(self, darts: int, pause_s: float) -> None:
        """Until so many darts count in all, with pauses of up to `pause_s` after each thing done."""
        while self.darts < darts:
            await self.go_on()
            await asyncio.sleep(self._rng.uniform(0, pause_s))

    async def go_on(self) -> None:
        """One thing is done. When the match is over, that is to begin another one."""
        await self._board.wait_until_open()
        if self.played[-1].over:
            await self._start()
        else:
            self._go_on()

    def look(self, stored: list[Stored]) -> None:
        """After a power cut the players look at what was kept. It must be what they did, but for the last moments."""
        self._looks += 1
        if len(stored) == len(self.played) + 1:
            assert self.played[-1].over, "a match has begun that was not asked for"
            assert not stored[-1].lines
            self.played.append(Score())
        lines = [score.lines for score in self.played]
        assert [match.lines for match in stored[:-1]] == lines[:-1]
        kept = stored[-1].lines
        assert kept == lines[-1][: len(kept)], "in order, none doubled, none left out"
        self.darts -= sum("throw" in line for line in lines[-1][len(kept) :])
        self.played[-1] = Score(kept)

    def _go_on(self) -> None:
        """A dart, or the darts are pulled; seldom a hit that is none, or something is taken back."""
        score, chance = self.played[-1], self._rng.random()
        if score.darts_left == 0 and chance < 0.7:
            self._board.press("next")
            score.next()
        elif chance > 0.97 and score.undo():
            self._board.press("undo")
        else:
            segment = self._rng.choice(SEGMENTS)
            assert self._board.hit(segment)
            counts = score.throw(segment.id)
            self.darts += counts
            self.strays += not counts

    async def _start(self) -> None:
        """The same again, once the end is shown: asked until it is answered, and begun once, whatever was lost."""
        number, line = len(self.played), len(self.played[-1].lines) + 1
        looks = self._looks
        is_shown = await self._witness.until(lambda: self._looks > looks or self._shows_the_end(line))
        assert is_shown, "the last dart was never shown"
        if self._looks > looks:
            return  # the daemon died, and may not have kept the last dart
        answer = await self._witness.ask("start", {"transaction": f"match {number}", "at": line}, self._table)
        if answer["status"] == "error":
            assert answer["error"]["code"] == "stale", answer
            assert self._looks > looks, "it was asked once, and not begun for that"  # else the daemon died meanwhile
        elif len(self.played) == number:
            self.played.append(Score())

    def _shows_the_end(self, line: int) -> bool:
        """The display shows a match that is over on this line: the daemon has read the last dart."""
        text = self._witness.now().get(f"oche/table/{self._table}/state")
        state = json.loads(text) if text else {}
        return (state.get("line"), state.get("phase")) == (line, "over")


def stored(folder: Path, table: str = "main", since: int = 0) -> list[Stored]:
    """All matches, or those from this one on, read from the disk by code of the tests alone."""
    read = msgspec.json.decode
    with closing(sqlite3.connect(f"file:{folder}/state/{table}.sqlite3?mode=ro", uri=True)) as db:
        matches = db.execute("select number, id, header from match order by number limit -1 offset ?", (since,))
        found = []
        for number, name, header in matches.fetchall():
            rows = db.execute(
                "select line, input, at, source from entry where match = ? order by line", (number,)
            ).fetchall()
            assert [row[0] for row in rows] == list(range(2, len(rows) + 2)), "a line is missing"
            lines, at, sources = ([row[column] for row in rows] for column in (1, 2, 3))
            found.append(Stored(name, read(header), [read(text) for text in lines], at, sources))
    return found
