"""Codes that let a phone without a token see one match, or one evening, for an hour, and nothing else.

A wall shows them when a match is over. Nothing is stored: what a code is for and when it ends stand in it, and are
signed. With another token of the page all of them end.
"""

from __future__ import annotations

import hmac
import re
import time
from collections.abc import Callable

from msgspec import Struct

from protocol.sentence import Sentence, say

LASTS_S = 3600
_CODE = re.compile(
    r"(m(?P<match>[\w-]{1,40})|e(?P<since>\d{1,11})-(?P<before>\d{1,11}))\.(?P<until>\d{1,11})\.(?P<proof>[\w-]{22})",
    re.ASCII,
)


class Seen(Struct, frozen=True):
    """What a code lets a phone see: the match of this id, else the evening between these moments (Unix time)."""

    match: str = ""
    since: int = 0
    before: int = 0


class CodeRefused(Exception):
    """A code does not hold; `said` is why."""

    def __init__(self, said: Sentence) -> None:
        super().__init__(str(said))
        self.said = said


class HourCodes:
    """Makes codes and reads them. `sign` is as in Auth, `now` is Unix time."""

    def __init__(self, sign: Callable[[str], str], now: Callable[[], float] = time.time) -> None:
        self._sign = sign
        self._now = now

    def make(self, seen: Seen) -> tuple[str, int]:
        """Returns a code, and when it ends (Unix time)."""
        until = int(self._now()) + LASTS_S
        text = f"{f'm{seen.match}' if seen.match else f'e{seen.since}-{seen.before}'}.{until}"
        return f"{text}.{self._sign(text)}", until

    def read(self, code: str) -> Seen:
        """Returns what a code lets a phone see. Raises CodeRefused."""
        found = _CODE.fullmatch(code)
        text, _, proof = code.rpartition(".")
        if found is None or not hmac.compare_digest(proof.encode(), self._sign(text).encode()):
            raise CodeRefused(say("refused.code", "this code is not valid here: scan the one on the wall"))
        if not self._now() < int(found["until"]) <= self._now() + LASTS_S:  # after it where the clock was set back
            raise CodeRefused(say("refused.code_ended", "this code was valid for an hour: scan a new one on the wall"))
        return Seen(found["match"] or "", int(found["since"] or 0), int(found["before"] or 0))
