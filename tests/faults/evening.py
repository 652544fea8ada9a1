"""Somebody throws, as fast as darts fly, and lets nothing stop him; a new match is asked for when one is over."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random
from typing import NamedTuple

import msgspec

from protocol.standard import standard
from simulator.pty_board import PtyBoard
from tests.faults.score import JSON, Score
from tests.faults.witness import Witness

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
        await self._board.opened()
        if self.played[-1].over:
            await self._start()
        else:
            self._go_on()

    def look(self, stored: list[Stored]) -> None:
        """After a power cut the players look at what was kept. It must be what they did, but for the last moments."""
        self._looks += 1
        if len(stored) == len(self.played) + 1:
            assert self.played[-1].over, "a match has begun that nobody asked for"
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
        """The same again. It is asked until it is answered; it happens once, whatever was lost on the way."""
        number, line = len(self.played), len(self.played[-1].lines) + 1
        looks = self._looks
        answer = await self._witness.ask("start", {"transaction": f"match {number}", "at": line}, self._table)
        if answer["status"] == "error":
            assert answer["error"]["code"] == "stale", answer
            assert self._looks > looks, "it was asked once, and not begun for that"  # else the daemon died meanwhile
        elif len(self.played) == number:
            self.played.append(Score())


def stored(folder: Path, table: str = "main", since: int = 0) -> list[Stored]:
    """All matches, or those from this one on, read from the disk by nobody we know."""
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
