"""Journals as evenings at the oche leave them: matches played through the scorer into the store, without a daemon.

What is in them is what a table writes; only the times are given, so that there are matches of last month.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Any, Self

from daemon.batch import Batch
from daemon.matches import begin
from daemon.rights import BOT
from daemon.scorer import Scorer
from daemon.store import Begin, Line, Store
from daemon.takeout import Takeout
from daemon.updates import Events
from engine.record import read_header
from protocol.layouts import layout
from protocol.segment import Layout
from simulator.thrower import Thrower

DAY = datetime(2026, 10, 3, 20, tzinfo=UTC)


class Evening:
    """The journal of a table while the block lasts."""

    def __init__(self, folder: Path, table: str = "main", face: Layout | None = None) -> None:
        folder.mkdir(exist_ok=True)
        self._table = table
        self._face = face or layout("standard")
        self._store = Store(folder / f"{table}.sqlite3")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._store.close()

    def play(self, *lines: dict[str, Any] | str, day: int = 0, **header: Any) -> str:  # Any: JSON
        """A match of these lines; a text is darts, with `/` for next. Its id."""
        scorer, batch = self._begun(header)
        for line in lines:
            for one in line.split() if isinstance(line, str) else [line]:
                given = one if isinstance(one, dict) else {"next": True} if one == "/" else {"throw": one}
                scorer.obey(given, "test", batch)
        return self._write(scorer, batch, day)

    def go_on(self, match: str, *inputs: dict[str, Any], line: int, day: int = 0) -> None:  # Any: JSON
        """More lines for a match that is there, from this line on."""
        at = (DAY + timedelta(days=day)).isoformat(timespec="milliseconds")
        self._store.write([Line(match, line + n, given, "test", at) for n, given in enumerate(inputs)])

    def throw(self, seed: int, sigma_mm: float = 27.0, day: int = 0, stop_after: int = 0, **header: Any) -> str:
        """A match between people of this scatter, to its end or stopped after so many lines. Its id."""
        scorer, batch = self._begun({"seed": str(seed), **header})
        thrower = Thrower(sigma_mm, Random(seed), self._face)
        while not scorer.match.position.over:
            position = scorer.match.position
            source = "test" if scorer.match.header.bot(position.mover) is None else BOT
            if stop_after and len(batch.written) > stop_after:
                scorer.obey({"stop": True}, "test", batch)
            elif position.phase == "throwing":
                scorer.obey({"throw": thrower.throw(scorer.match.advice().aim or "DB").segment.id}, source, batch)
            elif position.blocking is not None:
                answer = scorer.match.advice().answer or position.blocking.default
                scorer.obey({"choose": answer, "prompt": position.blocking.id}, source, batch)
            else:
                scorer.obey({"next": True}, source, batch)
        return self._write(scorer, batch, day)

    def _begun(self, header: dict[str, Any]) -> tuple[Scorer, Batch]:  # Any: JSON
        whole = {"oche": 1, "game": "x01", "players": ["Ann", "Bo"], "seed": "a", **header}
        opened = begin(read_header(whole), self._face)
        batch = Batch()
        scorer = Scorer(opened, Events("test"), Takeout("button", 5.0), lambda: 0.0)
        scorer.open(batch)
        return scorer, batch

    def _write(self, scorer: Scorer, batch: Batch, day: int) -> str:
        begun = DAY + timedelta(days=day)
        news: list[Begin | Line] = []
        for second, item in enumerate(batch.written):
            at = (begun + timedelta(seconds=second)).isoformat(timespec="milliseconds")
            news.append(item._replace(at=at))
        self._store.write(news)
        return scorer.match_id
