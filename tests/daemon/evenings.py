"""Journals as evenings at the oche leave them: matches played through the scorer into the store, without a daemon.

What is in them is what a table writes; only the times are given, so that there are matches of last month.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from secrets import token_hex
from typing import Any, Self

from daemon.config.sections import TableConfig
from daemon.journal.journal_file import JournalFile
from daemon.journal.lines import Begin, Line, Planned
from daemon.table.matches import begin
from daemon.table.scorer import Scorer
from daemon.table.scoresheet import Sender
from protocol.codebook import shipped
from protocol.commands import Choose, Command, CommandError, Next, Stop, Throw
from protocol.layouts import find_layout
from protocol.match_spec import read_header
from protocol.segment import Layout, Point
from simulator.thrower import Thrower
from tests.commanding import decode
from tests.plain_guard import PlainGuard

DAY = datetime(2026, 10, 3, 20, tzinfo=UTC)


class Evening:
    """The journal of a table while the block lasts."""

    def __init__(self, folder: Path, table: str = "main", layout: Layout | None = None) -> None:
        folder.mkdir(exist_ok=True)
        self._table = table
        self._layout = layout or find_layout("standard")
        self._store = JournalFile(folder / f"{table}.sqlite3")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._store.close()

    def play(
        self,
        *lines: dict[str, Any] | str,  # Any: JSON
        day: float = 0,
        stored_as: list[str] | None = None,
        **header: Any,
    ) -> str:
        """A match of these lines; a text is darts, with `/` for next. Its id.

        `stored_as` are its players in the journal, as a former version took them.
        """
        played = _Played(header, self._layout)
        for line in lines:
            for one in line.split() if isinstance(line, str) else [line]:
                given = one if isinstance(one, dict) else {"next": True} if one == "/" else {"throw": one}
                played.obey(decode(given).command, "page")
        first = played.lines[0]
        if stored_as is not None and isinstance(first, Begin):
            played.lines[0] = first._replace(header={**first.header, "players": stored_as})
        return self._write(played, day)

    def go_on(self, match: str, *inputs: dict[str, Any], line: int, day: float = 0) -> None:  # Any: JSON
        """More lines for a match that is there, from this line on."""
        at = (DAY + timedelta(days=day)).isoformat(timespec="milliseconds")
        self._store.write([Line(match, line + n, given, "test", at) for n, given in enumerate(inputs)])

    def throw(
        self,
        seed: int,
        sigma_mm: float = 27.0,
        day: float = 0,
        stop_after: int = 0,
        then: Sequence[dict[str, Any]] = (),  # Any: JSON
        off: Point | None = None,
        **header: Any,
    ) -> str:
        """A match between people of this scatter, to its end or stopped after so many lines. Its id.

        With `off` a board measures their darts, which land so far from where they are aimed, besides the scatter.
        `then` are lines that follow its end, those of them that are accepted.
        """
        played = _Played({"seed": str(seed), **header}, self._layout)
        scorer = played.scorer
        thrower = Thrower(sigma_mm, Random(seed), self._layout)
        while not scorer.match.position.over:
            position = scorer.match.position
            sender: Sender = "page" if scorer.match.header.bot(position.mover) is None else "bot"
            if stop_after and len(played.lines) > stop_after:
                played.obey(Stop(), "page")
            elif position.phase == "throwing":
                landed = thrower.throw(scorer.match.advice().aim or "DB")
                if off is None:
                    played.obey(Throw(landed.segment.id), sender)
                else:
                    played.see((landed.x + off[0], landed.y + off[1]), sender)
            elif position.blocking is not None:
                answer = scorer.match.advice().answer or position.blocking.default
                played.obey(Choose(str(answer), position.blocking.id), sender)
            else:
                played.obey(Next(), sender)
        for line in then:
            with suppress(CommandError):
                played.obey(decode(line).command, "page")
        return self._write(played, day)

    def _write(self, played: _Played, day: float) -> str:
        begun = DAY + timedelta(days=day)
        news: list[Begin | Line | Planned] = []
        for second, item in enumerate(played.lines):
            at = (begun + timedelta(seconds=second)).isoformat(timespec="milliseconds")
            news.append(item if isinstance(item, Planned) else item._replace(at=at))
        self._store.write(news)
        return played.scorer.sheet.opened.id


def copy_matches(journal: Path, count: int) -> None:
    """Adds so many copies of the first matches in this journal, one after the other."""
    with closing(sqlite3.connect(journal)) as db, db:
        (those,) = db.execute("select count(*) from match").fetchone()
        for number in range(those, those + count):
            new, old = number + 1, number % those + 1
            row = "select ?, id || ?, header, begun_at from match where number = ?"
            db.execute(f"insert into match {row}", (new, new, old))
            db.execute("insert into entry select ?, line, input, source, at from entry where match = ?", (new, old))


class _Played:
    """A match of this header, and what would be committed of it."""

    def __init__(self, header: dict[str, Any], layout: Layout) -> None:  # Any: JSON
        whole = {"oche": 1, "game": "x01", "players": ["Ann", "Bo"], "seed": "a", **header}
        guard, config = PlainGuard(), TableConfig(board="serial:x", takeout="button")
        opened = begin(read_header(whole), layout, token_hex, guard)
        self.scorer = Scorer(opened, config, shipped("opendarts"), token_hex, guard)
        self.lines = [*self.scorer.sheet.begin().lines]

    def see(self, point: Point, sender: Sender) -> None:
        """A dart whose point a board has measured. Raises as `obey`."""
        self.obey(Throw(self.scorer.match.layout.at(*point).id), sender)
        line = self.lines[-1]
        assert isinstance(line, Line)
        self.lines[-1] = line._replace(input={**line.input, "point": point})

    def obey(self, command: Command, sender: Sender) -> None:
        """Raises CommandError."""
        effects = self.scorer.obey(command, sender, 0)
        if isinstance(effects.reply, CommandError):
            raise effects.reply
        self.lines += effects.lines
