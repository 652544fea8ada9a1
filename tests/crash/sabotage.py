"""Daemons that keep their promise badly, so that the crash machine can show that it sees it."""

from __future__ import annotations

import mmap
import random
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec.structs import replace

from daemon import files
from daemon.journal.journal_file import JournalFile
from daemon.journal.lines import Begin, Line, StoredMatch
from daemon.table.effects import Effects
from daemon.table.scorer import Scorer
from daemon.table.scoresheet import merge
from protocol.events import BoardItem, Hit

News = Sequence[Begin | Line]

_write, _latest, _feed, _rename_draft = JournalFile.write, JournalFile.latest, Scorer.feed, files.rename_draft


def _late() -> None:
    """Says that it is written, and writes a moment later: what is shown is not on disk yet."""
    turn = threading.Lock()

    def write(store: JournalFile, news: News) -> None:
        turn.acquire()

        def later() -> None:
            time.sleep(0.003)
            _write(store, news)
            turn.release()

        threading.Thread(target=later, daemon=True).start()

    JournalFile.write = write  # type: ignore[assignment, method-assign]


def _behind() -> None:
    """Says that it is written, and writes it with the next input."""
    held: list[Begin | Line] = []

    def write(store: JournalFile, news: News) -> None:
        _write(store, held)
        held[:] = news

    JournalFile.write = write  # type: ignore[assignment, method-assign]


def _torn() -> None:
    """Commits what belongs together piece by piece, the last piece first."""

    def write(store: JournalFile, news: News) -> None:
        for item in reversed(news):
            _write(store, [item])

    JournalFile.write = write  # type: ignore[assignment, method-assign]


def _forgetful() -> None:
    """Now and then it does not write at all."""

    def write(store: JournalFile, news: News) -> None:
        if random.random() < 0.9:
            _write(store, news)

    JournalFile.write = write  # type: ignore[assignment, method-assign]


def _doubled() -> None:
    """After a restart it takes the last line for one that is still to be written."""

    def latest(store: JournalFile) -> StoredMatch | None:
        found = _latest(store)
        if found is not None and found.lines and "throw" in found.lines[-1].input:
            _write(store, [found.lines[-1]._replace(number=found.lines[-1].number + 1)])
        return _latest(store)

    JournalFile.latest = latest  # type: ignore[assignment, method-assign]


def _twice() -> None:
    """One dart in two hundred counts twice; the lives of a template count together."""
    darts = mmap.mmap(-1, 1)
    darts[0] = 120  # a machine throws some 120 darts

    def feed(scorer: Scorer, item: BoardItem, now: int) -> Effects:
        effects = _feed(scorer, item, now)
        if not isinstance(item, Hit) or not effects.lines:
            return effects
        darts[0] = min(darts[0] + 1, 200)
        if darts[0] == 200:
            again = _feed(scorer, replace(item, time_ns=item.time_ns + 1), now)  # past the debounce
            if again.lines:  # else the visit was full
                darts[0] = 0
            return merge([effects, again])
        return effects

    Scorer.feed = feed  # type: ignore[assignment, method-assign]


def _unlinked() -> None:
    """A file is removed before the new one takes its place."""

    def rename_draft(draft: Path, path: Path) -> None:
        path.unlink(missing_ok=True)
        _rename_draft(draft, path)

    files.rename_draft = rename_draft


SABOTAGE: dict[str, Callable[[], None]] = {
    "late": _late,
    "behind": _behind,
    "torn": _torn,
    "forgetful": _forgetful,
    "doubled": _doubled,
    "twice": _twice,
    "unlinked": _unlinked,
}
