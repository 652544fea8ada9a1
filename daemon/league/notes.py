"""What the offers have to remember, on its way into `league.db`: play and offers go on where the disk refuses it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from daemon.errors import UserError
from daemon.league.records import Key, Taken, Taker, Wanted
from daemon.league.store import OLD_FILE, Forgetting, LeagueStatus, LeagueStore

log = logging.getLogger("oche.league")

_PAUSE_S = 1.0
"""The file is written at most so often: a memory card wears out."""
_FAILED_S = 30.0


class Notes:
    """The memory of the offers in this folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._store = LeagueStore(folder)
        self.forgettings: tuple[Forgetting, ...] = ()
        """Whom the league is still to forget, as of the latest `catch_up`."""
        self.heard = ""
        """The checksum of the players that the league has heard of."""
        self.answered_at = ""
        self.is_needless = False
        """There is nothing to offer: the file goes."""
        self._is_there = False
        """There is a file: the next start takes up what is left."""
        self._unsaved: dict[Key, Taken] = {}
        self._refused: dict[Key, str] = {}
        """The stamps of what was not taken: it is not offered again before the next start."""
        self._heard_of: set[str] = set()
        """The ids of forgettings that the league has heard of, and that the file still has."""
        self._forgotten: set[str] = set()
        """Those of them whose players are not in the journals any more: they go."""
        self._again: set[Taker] = set()
        self._doubted: dict[str, str] = {}
        """By match: the checksum of a record that the league has kept, perhaps after a newer one."""
        self._status = LeagueStatus()
        self._written = ("", LeagueStatus())
        self._due_s = 0.0
        self._complaint = ""

    async def open(self) -> None:
        """Takes up what earlier runs have left."""
        try:
            await asyncio.to_thread(self._store.take_over, self._folder / OLD_FILE)
            found = await asyncio.to_thread(self._store.read)
        except UserError as error:
            self._complain(error)
            return
        self.heard, self._status, self.answered_at = found.heard, found.status, found.status.answered_at
        self._written = found.heard, found.status
        self._is_there = self._store.path.exists()

    async def catch_up(self) -> None:
        """Reads what another program has added; what is offered again is no more in the file then."""
        try:
            for by in [*self._again]:
                await asyncio.to_thread(self._store.forget_taken, by)
                self._again.discard(by)
            found = await asyncio.to_thread(self._store.read)
        except UserError as error:
            self._complain(error)
            return
        self.forgettings = tuple(each for each in found.forgettings if each.id not in self._heard_of)

    def has(self, wanted: Wanted) -> bool:
        """Whether this was answered in this run."""
        unsaved = self._unsaved.get(wanted.key)
        return wanted.stamp in (unsaved and unsaved.stamp, self._refused.get(wanted.key))

    def add(self, taken: Taken) -> None:
        """Notes an answer."""
        self._unsaved[taken.key] = taken
        if taken.answer == "not_taken":
            self._refused[taken.key] = taken.stamp

    def offer_again(self, by: Taker) -> None:
        """Forgets what these have answered."""
        self._again.add(by)
        self._unsaved = {key: taken for key, taken in self._unsaved.items() if key[1] != by}
        self._refused = {key: stamp for key, stamp in self._refused.items() if key[1] != by}

    @property
    def is_behind(self) -> bool:
        """Whether the disk has refused so far to forget what was answered: it is not offered again yet."""
        return bool(self._again)

    def doubt(self, match: str, sha256: str) -> None:
        """Notes that the league has kept this record, perhaps after the one that was answered last."""
        self._doubted[match] = sha256

    async def settle_doubts(self) -> list[tuple[str, str]]:
        """Returns of which matches, by table and id, another record was answered last: that is offered once more."""
        doubted, found = self._doubted, list[tuple[str, str]]()
        if not doubted:
            return found
        self._doubted = {}
        unsaved = {key: taken for key, taken in self._unsaved.items() if key[1] == "league" and key[0] in doubted}

        def work() -> None:
            found.extend(self._store.doubt(doubted, unsaved.values()))

        if not await self._try(work):
            return []
        for key, taken in unsaved.items():
            if self._unsaved.get(key) is taken:
                del self._unsaved[key]
        return found

    def hear(self, sha256: str) -> None:
        """Notes the players that the league has heard of."""
        self.heard = sha256

    def note_forgotten(self, name: str, matches: int, left: str) -> None:
        """Notes that the league has forgotten a player, in so many matches, and what is left.

        The file has the name until no journal has it: what is read until then must not have it.
        """
        self._heard_of.add(name)
        self.forgettings = tuple(each for each in self.forgettings if each.id != name)
        self._status = replace(self._status, forgotten_at=self.answered_at, matches=matches, left=left)

    def settle_forgotten(self, unforgotten: frozenset[str]) -> None:
        """Has those go that the league has heard of, but for these, whose players are still in the journals."""
        self._forgotten |= self._heard_of - unforgotten

    async def write(self, waiting: int, *, is_waiting: bool, at_once: bool = False) -> float | None:
        """Writes what is new, if it is time; returns after how many seconds to call this again.

        `waiting` matches are not answered by the league yet; it `is_waiting` for whoever takes them.
        """
        status = replace(self._status, waiting=waiting, answered_at=self.answered_at)
        is_new = self._unsaved or self._forgotten or (self.heard, status) != self._written
        is_new = is_new or (is_waiting and not self._is_there)
        if self.is_needless and not is_new:
            self.is_needless = self._is_there = False
            await self._try(self._store.remove)
            return None
        if not is_new:
            return None
        now_s = asyncio.get_running_loop().time()
        if now_s < self._due_s and not at_once:
            return self._due_s - now_s
        self._status = status
        self._due_s = now_s + _PAUSE_S
        unsaved, forgotten, heard = dict(self._unsaved), set(self._forgotten), self.heard

        def work() -> None:
            for name in forgotten:
                self._store.remove_forgetting(name)
            self._store.note(unsaved.values(), status, heard)

        if not await self._try(work):
            self._due_s = now_s + _FAILED_S
            return None if at_once else _FAILED_S
        self._written, self._is_there = (heard, status), True
        self._forgotten -= forgotten
        self._heard_of -= forgotten
        for key, taken in unsaved.items():
            if self._unsaved.get(key) is taken:
                del self._unsaved[key]
        return _PAUSE_S if self._unsaved else None

    async def _try(self, work: Callable[[], None]) -> bool:
        try:
            await asyncio.to_thread(work)
        except UserError as error:
            self._complain(error)
            return False
        self._complaint = ""
        return True

    def _complain(self, error: UserError) -> None:
        if str(error) != self._complaint:
            self._complaint = str(error)
            log.error("%s", error)
