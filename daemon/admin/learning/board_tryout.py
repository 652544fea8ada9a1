"""Trying a board out: what it says with a profile, before a table plays with it."""

from __future__ import annotations

from daemon.admin.learning.long_poll import LongPolled
from daemon.config.schemes import SCHEMES, with_token
from drivers.session import Session
from protocol.codebook import Codebook
from protocol.events import Button, Garbage, Hit, LinkDown, LinkUp, MissSensed, Readiness
from protocol.sentence import Sentence

_IDLE_S = 30.0
"""When no page has asked for so long it ends, and the table has its board back."""
_KEPT = 5


class BoardTryout(LongPolled):
    """One board that is tried out: `run` it as a task. Raises AddressError for an address that cannot work.

    `token_file`: that with the token of the board, where it has one; `token`: one that was typed.
    """

    def __init__(self, address: str, codebook: Codebook, token_file: str | None = None, token: str = "") -> None:
        super().__init__(_IDLE_S)
        self.address = address
        self.layout = codebook.layout
        self.heard: list[str] = []
        """The latest, the newest last: ids of segments, names of buttons, "" for what the profile does not know."""
        self._unready: Sentence | None = None
        """Why the board sees no darts now, where it says so."""
        self._session = Session("board", address, codebook, schemes=with_token(SCHEMES, token_file, token))

    @property
    def trouble(self) -> str | Sentence | None:
        """Why nothing can be heard; "" before the first attempt to connect has ended, None while a dart is."""
        status = self._session.status
        return self._unready if isinstance(status, LinkUp) else status.said if isinstance(status, LinkDown) else ""

    async def run(self) -> None:
        """Listens until cancelled, or as long as a page asks."""
        try:
            async with self.limit_idleness(), self._session as session:
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
                            self._unready = None
                            self.note_change()
                        case Readiness(said=said):
                            self._unready = said
                            self.note_change()
        except TimeoutError:
            return

    def _note(self, what: str) -> None:
        self.heard = [*self.heard, what][-_KEPT:]
        self.note_change()
