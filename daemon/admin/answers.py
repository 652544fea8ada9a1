"""What a request to the machine (daemon/admin/requests/) is answered with: JSON, a file, a picture, or a refusal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import IO, Any, Literal

from msgspec import Raw, Struct

from protocol.sentence import Sentence, say

Json = dict[str, Any]  # Any: JSON
Code = Literal["invalid", "unknown", "illegal", "changed", "busy", "unavailable", "stale"]


class Refused(Exception):
    """A request that is not carried out.

    `said` is why: a sentence, or one that `write_sentence` has written. `wait_s` is in how many seconds to try again;
    0.0: that is not known.
    """

    def __init__(self, code: Code, said: str | Sentence | Mapping[str, Any], wait_s: float = 0.0) -> None:
        super().__init__(code, said)
        self.code: Code = code
        self.said = said
        self.wait_s = wait_s


BUSY = say("care.busy", "another report, backup or check is in progress: try again when it has finished")
"""The answer to a request that must run alone, while another one runs."""
ENDING = say("care.ending", "oche is stopping or restarting: try again in a moment")
"""The answer to a request that comes while the daemon ends."""


class File(Struct, frozen=True):
    """An answer that is a file, as its content or to be read from its beginning.

    A client does not keep one that is `secret` in a cache. `remarks` are on what is not in it, each as `write_sentence`
    has written it.
    """

    name: str
    media_type: str
    content: bytes | IO[bytes]
    secret: bool = True
    remarks: Sequence[Mapping[str, Any]] = ()


class Picture(Struct, frozen=True):
    """An answer that is a picture; another picture has another `id`."""

    id: str
    media_type: str
    content: bytes


class Sound(Picture, frozen=True):
    """An answer that is a recording, or a file of art. A client that named the tag that its pack has may keep it."""

    may_keep: bool = False


class SetupGrant(Struct, frozen=True):
    """An answer with which the client gets the right of the setup; the page will be at this port (0: where it is)."""

    answer: Json
    port: int = 0


class Answer(Struct, kw_only=True):
    """An answer in JSON; by itself it says that the request was carried out."""

    v: int = 1


class StillReading(Answer, kw_only=True):
    """The answer while the matches are being read: ask again."""

    reading: Mapping[str, int]
    """How many are `done`, `of` how many."""


class Checks(Answer, kw_only=True):
    """What the doctor has found: a JSON object for each check."""

    checks: Sequence[Raw]
