"""What a table that plays along elsewhere keeps on the disk: for which match it is lent, and its inputs until taken.

One JSON object a line; the file is there as long as the table is lent. What a power cut or a full disk has torn takes
nothing with it that is written later: each addition begins with an end of line. In the place of an input that is not
whole the table joins once more, so that those after it do not wait for it. Everything here waits for the disk.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from daemon import files
from daemon.table.lent_inputs import LentInput, LentInputs

log = logging.getLogger("oche.league")

ENDING = ".lent"


class _Head(Struct, frozen=True):
    """The first line. Without a match: the table has agreed, and none was seen yet."""

    to: str
    match: str = ""
    session: str = ""


class LentFile:
    """The file of one table."""

    def __init__(self, folder: Path, table: str) -> None:
        self._path = folder / f"{table}{ENDING}"

    def begin(self, to: str, inputs: LentInputs | None = None) -> None:
        """Writes it anew: the table is lent to the table `to`, for the match of these inputs."""
        head = _Head(to) if inputs is None else _Head(to, inputs.match, inputs.session)
        taken = 0 if inputs is None else inputs.taken
        lines = [head, {"taken": taken}, *(() if inputs is None else inputs.waiting)]
        try:
            files.replace_file(self._path, _encode(lines))
        except OSError as error:
            self._report(error)

    def add(self, inputs: Iterable[LentInput]) -> None:
        """Adds inputs."""
        self._append(inputs)

    def note_taken(self, taken: int) -> None:
        """Adds that all up to this number are decided."""
        self._append([{"taken": taken}])

    def read(self) -> tuple[str, LentInputs | None] | None:
        """To which table this one is lent, and the inputs for its match; None: to none."""
        try:
            lines = self._path.read_bytes().split(b"\n")
        except FileNotFoundError:
            return None
        except OSError as error:
            log.error("cannot read %s: %s", self._path, files.explain(error))
            return None
        try:
            head = msgspec.json.decode(lines[0], type=_Head)
        except ValueError:
            log.error("%s cannot be read: this table is no longer lent", self._path)
            return None
        kept, taken = list[LentInput](), 0
        for line in lines[1:]:
            try:
                found: dict[str, Any] = msgspec.json.decode(line, type=dict[str, Any])  # Any: JSON
                if "taken" in found:
                    taken = max(taken, int(found["taken"]))
                else:
                    kept.append(msgspec.convert(found, LentInput))
            except ValueError:  # torn
                continue
        if not head.match:
            return head.to, None
        kept = _fill(kept, taken)
        return head.to, LentInputs(head.to, head.match, head.session, kept, taken)

    def remove(self) -> None:
        """The table is no longer lent."""
        try:
            files.remove_file(self._path)
        except OSError as error:
            self._report(error)

    def _append(self, values: Iterable[object]) -> None:
        try:
            files.append(self._path, b"\n" + _encode(values))
        except OSError as error:
            self._report(error)

    def _report(self, error: OSError) -> None:
        log.error("cannot write %s: %s; a restart may lose darts that still wait", self._path, files.explain(error))


def _fill(kept: list[LentInput], taken: int) -> list[LentInput]:
    """The inputs after the number `taken` without a gap among them."""
    whole = list[LentInput]()
    for each in kept:
        if each.seq > taken:
            last = whole[-1].seq if whole else each.seq - 1
            whole += [LentInput(seq, each.mono_ms, {"join": True}) for seq in range(last + 1, each.seq)]
            whole.append(each)
    return whole


def _encode(values: Iterable[object]) -> bytes:
    return b"".join(msgspec.json.encode(value) + b"\n" for value in values)
