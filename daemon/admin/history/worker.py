"""What the process of process.py does: it reads and replays matches, and answers with JSON that is ready to be sent."""

from __future__ import annotations

import os
import pickle
import sys
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from daemon.admin.history import players
from daemon.admin.history.forget import forget_player
from daemon.admin.history.history import History, PlayedMatch
from daemon.admin.history.listing import MatchFilter, list_match
from daemon.admin.history.match_report import MatchReader
from daemon.admin.history.process import FRAME
from daemon.die_with_parent import die_with
from daemon.errors import UserError, to_user_error
from daemon.journal.errors import StoreError
from daemon.plugins import loader
from daemon.release import read_version
from protocol.player_names import name_key
from protocol.segment import Layout

_NICENESS = 10
"""A dart goes first; with the 19 that there are a busy machine would hardly let it read at all."""
_PROGRESS_S = 0.1
_LISTED = 50
"""Matches in one answer."""


class Worker:
    """Each public method answers a question of the daemon; `tell` is called with how far a reading is."""

    def __init__(self, folder: Path, layouts: Mapping[str, Layout], tell: Callable[[tuple[int, int]], None]) -> None:
        self._history = History(folder, layouts, read_version())
        self._reader = MatchReader(self._history)
        self._tell = tell
        self._matches: list[PlayedMatch] | None = None

    def read(self) -> None:
        """Reads the matches that count, for the questions that follow. Raises UserError."""
        told_s, found = time.monotonic(), []
        for match in self._history.counted_matches():
            found.append(match)
            if time.monotonic() >= told_s + _PROGRESS_S:
                told_s = time.monotonic()
                self._tell(self._history.progress)
        self._matches = found

    def list_players(self, selection: players.Selection) -> bytes:
        """A line for each player, and how many matches and journals could not be read. Raises UserError."""
        found = players.rank_players(self._collect(selection))
        return msgspec.json.encode({"v": 1, "players": found, "unread": len(self._history.problems)})

    def describe_player(self, name: str, selection: players.Selection) -> bytes | None:
        """All figures of this player; None when no match of that name is over. Raises UserError."""
        appearances = self._collect(selection).get(name_key(self._history.names.get(name)))
        if appearances is None:
            return None
        return msgspec.json.encode({"v": 1, **msgspec.to_builtins(players.report_player(appearances))})

    def list_matches(self, game: str | None, wanted: MatchFilter) -> bytes:
        """The latest of these matches, and whether there are more before them. Raises UserError."""
        selection = players.Selection(game)
        if wanted.player is not None:
            wanted = wanted._replace(player=self._history.names.get(wanted.player))
        found = [each for match in self._counted() if selection.has(match) and wanted.has(each := list_match(match))]
        latest = sorted(found, key=lambda each: each.at, reverse=True)[:_LISTED]
        return msgspec.json.encode({"v": 1, "matches": latest, "more": len(found) > len(latest)})

    def describe_match(self, match: str) -> bytes | None:
        """What a match came to; None when none of that id is over. Raises UserError, as the others below do."""
        report = self._reader.describe(match)
        return None if report is None else msgspec.json.encode({"v": 1, **msgspec.to_builtins(report)})

    def list_steps(self, match: str, first: int) -> bytes | None:
        """The states of a match from this one on; else as `describe_match`."""
        steps = self._reader.list_steps(match, first)
        return None if steps is None else msgspec.json.encode({"v": 1, "first": first, "steps": steps})

    def read_record(self, match: str) -> bytes | None:
        """The name and the content of its record, with a line end between them; else as `describe_match`."""
        record = self._reader.read_record(match)
        return None if record is None else record[0].encode() + b"\n" + record[1]

    def write_figures(self, table: str, match: str) -> bytes | None:
        """Caches what this match comes to; None where no result in it is compared with earlier ones."""
        found = self._history.write_figures(table, match)
        has_results = found is not None and any(part.result is not None for part in found.parts)
        return b"1" if has_results else None

    def find_bests(self, match: str) -> bytes:
        """The seats of those for whom the result of this match is better than all they had before. Raises UserError."""
        self.read()
        return msgspec.json.encode(players.find_bests(self._counted(), match, self._history.names))

    def forget_player(self, keys: Collection[str], is_trial: bool, tables: Collection[str]) -> bytes:
        """Takes the name of the player of these keys out of all matches but the latest of these tables.

        A trial counts them. Raises UserError.
        """
        with to_user_error(StoreError):
            found = forget_player(self._history.folder, keys, is_trial=is_trial, tables=tables)
        self._matches = None
        self._reader = MatchReader(self._history)
        return msgspec.json.encode(found)

    def _collect(self, selection: players.Selection) -> dict[str, list[players.Appearance]]:
        return players.collect_appearances(self._counted(), selection, self._history.names)

    def _counted(self) -> list[PlayedMatch]:
        if self._matches is None:
            self.read()
        return self._matches or []


def main(parent: int) -> None:
    """Answers until standard input ends. `parent` is the id of the process that asks."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a game may print
    if not die_with(parent):
        return
    with suppress(OSError):  # the service may not change it
        os.nice(_NICENESS)
    number = 0

    def say(kind: str, said: object) -> None:
        data = pickle.dumps((number, kind, said))
        answers.write(FRAME.pack(len(data)) + data)
        answers.flush()

    folder, layouts, sources = _read(sys.stdin.buffer)
    loader.load_again(sources)
    worker = Worker(folder, layouts, lambda done: say("progress", done))
    with suppress(EOFError):
        while True:
            number, work, args = _read(sys.stdin.buffer)
            try:
                say("answer", getattr(worker, work)(*args))
            except UserError as error:
                say("error", str(error))


def _read(file: BinaryIO) -> tuple[Any, ...]:  # Any: by its place
    """What the daemon says next. Raises EOFError."""
    head = file.read(FRAME.size)
    if len(head) < FRAME.size:
        raise EOFError
    said: tuple[Any, ...] = pickle.loads(file.read(FRAME.unpack(head)[0]))
    return said
