"""What this daemon has said on its broker and not taken back, kept in the folder where the journals are.

A broker repeats what is retained for ever, under names that nobody has any more as well. Whose it is the broker cannot
tell: two daemons may well have one name. So each remembers its own.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from daemon import files

log = logging.getLogger("oche.mqtt")

Form = Literal["device", "components", "off"]
_Name = Annotated[str, Meta(pattern=r"\A[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*\Z")]
"""Part of a topic; a damaged file must not make us publish where nobody can."""
Platforms = dict[_Name, _Name]
"""The platform of each entity by its key."""


class Said(Struct, frozen=True):
    """A bridge and its tables, by their names in topics."""

    base: _Name
    bridge: _Name
    tables: tuple[_Name, ...]


class Announced(Struct):
    """What was announced to Home Assistant below a prefix in one form: all entities that each table ever had."""

    prefix: _Name
    form: Form
    tables: dict[_Name, Platforms] = {}

    def without(self, tables: Collection[str]) -> Announced:
        """The rest of it."""
        return Announced(self.prefix, self.form, {k: v for k, v in self.tables.items() if k not in tables})


class _Content(Struct):
    hosts: tuple[str, ...] = ()
    said: list[Said] = []
    announced: list[Announced] = []


class Memory:
    """The memory of one daemon. `hosts` are those of its broker; nothing is remembered of another one."""

    def __init__(self, folder: Path, hosts: Sequence[str]) -> None:
        self._file = folder / "said.json"
        self._is_full = False
        """The last attempt to write failed."""
        self._written = b""
        self._content = self._read()
        if self._content.hosts and not set(self._content.hosts) & set(hosts):
            log.info("the broker is another one; what was said on %s stays there", " and ".join(self._content.hosts))
            self._content = _Content()
        self._content.hosts = tuple(hosts)

    def _read(self) -> _Content:
        try:
            self._written = self._file.read_bytes()
            return msgspec.json.decode(self._written, type=_Content)
        except FileNotFoundError:
            return _Content()
        except (OSError, ValueError, RecursionError):
            log.warning("%s cannot be read: what it says was said before is not taken back", self._file)
            return _Content()

    @property
    def said(self) -> Sequence[Said]:
        """What may be left of each configuration; `keep` changes it."""
        return self._content.said

    @property
    def announced(self) -> Sequence[Announced]:
        """The same of discovery."""
        return self._content.announced

    def keep(self, *, said: Sequence[Said] | None = None, announced: Sequence[Announced] | None = None) -> None:
        """Remembers this instead; the disk is only touched when it is news. A disk that is full costs the memory."""
        if said is not None:
            self._content.said = list(said)
        if announced is not None:
            self._content.announced = [each for each in announced if each.tables]
        text = msgspec.json.encode(self._content)
        if text == self._written:
            return
        try:
            files.write(self._file, text)
            self._written, self._is_full = text, False
        except OSError as error:
            if not self._is_full:  # once is enough
                log.error("cannot write %s: %s", self._file, files.reason(error))
            self._is_full = True
