"""Trying a board out: what it says with a profile, before a table plays with it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from daemon.config.schemes import SCHEMES
from drivers.address import Scheme
from drivers.session import LinkDown, LinkUp, Session
from protocol.codebook import Codebook
from protocol.events import Button, Garbage, Hit, MissSensed

_IDLE_S = 30.0
"""Without a question for so long it ends."""
_KEPT = 5


class BoardTrial:
    """One board that is tried out: `run` it as a task. `version` grows whenever there is something else to show.

    Raises AddressError for an address that cannot work.
    """

    def __init__(self, address: str, codebook: Codebook, schemes: Mapping[str, Scheme] = SCHEMES) -> None:
        self.address = address
        self.layout = codebook.layout
        self.version = 0
        self.heard: list[str] = []
        """The latest, the newest last: ids of segments, names of buttons, "" for what the profile does not know."""
        self._session = Session("board", address, codebook, schemes=schemes)
        self._changed = asyncio.Event()
        self._limit: asyncio.Timeout | None = None

    @property
    def trouble(self) -> str | None:
        """Why there is no connection; "" before the first attempt has ended, None while there is one."""
        status = self._session.status
        return None if isinstance(status, LinkUp) else status.reason if isinstance(status, LinkDown) else ""

    async def run(self) -> None:
        """Listens until cancelled, or as long as a client asks."""
        try:
            async with asyncio.timeout(_IDLE_S) as self._limit, self._session as session:
                async for item in session:
                    match item:
                        case Hit():
                            self._note(item.segment.id)
                        case MissSensed():
                            self._note(self.layout.miss.id)
                        case Button():
                            self._note(item.name)
                        case Garbage():
                            self._note("")
                        case LinkUp() | LinkDown():
                            self._tell()
        except TimeoutError:
            return

    async def wait_for_change(self, version: int, seconds: float) -> None:
        """Waits until the version is another one, at most for so many seconds; the trial goes on meanwhile."""
        if self._limit is not None and not self._limit.expired():
            self._limit.reschedule(asyncio.get_running_loop().time() + _IDLE_S)
        try:
            async with asyncio.timeout(seconds):
                while self.version == version:
                    await self._changed.wait()
        except TimeoutError:
            return

    def _note(self, what: str) -> None:
        self.heard = [*self.heard, what][-_KEPT:]
        self._tell()

    def _tell(self) -> None:
        self.version += 1
        self._changed.set()
        self._changed.clear()
