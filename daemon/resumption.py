"""How a table gets going from what is on disk: when the daemon starts, and whenever its journal could not be written.

Nothing is trusted that was not read back: the journal is opened anew, and the match in it played again. A match that
the rules do not know any more (its game is gone, or was changed) stays in the journal, and a new one begins. One of a
game that is withdrawn stays at hand: it can be looked at, left for another, or played on after a restart.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator

from daemon import matches
from daemon.batch import Batch
from daemon.recorder import Recorder
from daemon.scorer import Scorer
from daemon.sections import TableConfig
from daemon.store import StoredMatch, StoreError, Unusable
from engine.record import Unreadable
from protocol.segment import Layout

log = logging.getLogger("oche.table")

_AGAIN_S = 2.0
"""The wait before a journal that cannot be used is tried again."""


class Resumption:
    """The resumption of one table. While there is trouble its scorer knows, and refuses everything for it."""

    def __init__(self, config: TableConfig, face: Layout, recorder: Recorder, scorer: Scorer) -> None:
        self.is_begun = False
        """The match at hand is one of the journal."""
        self._config = config
        self._face = face
        self._recorder = recorder
        self._scorer = scorer
        self._remark: str | None = None
        self._in_trouble = asyncio.Event()
        self._in_trouble.set()
        scorer.trouble = "the journal has not been read yet"

    @property
    def remark(self) -> str | None:
        """What became of the journal or the match since the daemon started, where somebody should look at it."""
        return "; ".join(filter(None, (self._recorder.remark, self._remark))) or None

    def stop(self, trouble: str) -> None:
        """Nothing can be kept for now."""
        log.error("%s: %s", self._config.name, trouble, extra={"table": self._config.name})
        self._scorer.trouble = trouble
        self._in_trouble.set()

    async def begin(self) -> None:
        """The first look at the journal. Raises Unusable; whatever may pass by itself is trouble."""
        try:
            await self._go_on()
        except StoreError as error:
            if isinstance(error, Unusable) and not self.is_begun:
                raise
            self.stop(str(error))
            if (stored := await self._recorder.glance()) is not None:
                self._resume(stored)

    async def changes(self) -> AsyncIterator[str]:
        """Tries again and again to go on while there is trouble; a notice whenever the trouble changes or is over."""
        while True:
            await self._in_trouble.wait()
            try:
                await self._go_on()
            except StoreError as error:
                if str(error) != self._scorer.trouble:
                    self.stop(str(error))
                    yield str(error)
                await asyncio.sleep(_AGAIN_S)
            else:
                log.info("%s: the journal is kept again", self._config.name, extra={"table": self._config.name})
                yield f"throw on: {self.remark or 'the journal is kept again'}"

    async def _go_on(self) -> None:
        """From the match begun last; from the first one of the configuration where there is none. Raises StoreError."""
        stored = await self._recorder.open()
        if stored is None or not self._resume(stored):
            opening = Batch()
            self._begin_first()
            self._scorer.open(opening)
            await self._recorder.write(opening.written)
            self.is_begun = True
        self._scorer.trouble = None
        self._in_trouble.clear()

    def _begin_first(self) -> None:
        """What the configuration begins with. Raises StoreError: whatever its rules do, it is this table's trouble."""
        try:
            opened = matches.first(self._config, self._face)
            self._scorer.resume(opened)
        except Unreadable as error:
            raise StoreError(f"no match can be begun: {error}") from error
        if opened.remark is not None:
            self._remark = "; ".join(filter(None, (self._remark, opened.remark)))
            log.error("%s: %s", self._config.name, opened.remark, extra={"table": self._config.name})

    def _resume(self, stored: StoredMatch) -> bool:
        """Plays this match again. False: it cannot be."""
        known = {"table": self._config.name, "match": stored.id}
        if self._scorer.stay(stored.id, len(stored.lines) + 1):
            return True
        try:
            opened = matches.resume(stored, self._face, self._config.doubles)
            self._scorer.resume(opened)
        except (matches.Unplayable, Unreadable) as error:
            self._remark = f"{error}: it stays in the journal, and a new match was begun"
            log.error("%s: %s", self._config.name, self._remark, extra=known)
            return False
        if (older := matches.older_rules(opened.match)) is not None and older != self._remark:
            self._remark = older
            log.warning("%s: %s", self._config.name, older, extra=known)
        self.is_begun = True
        return True
