"""A sweep: an operation is killed at every call that changes something on the disk, and has each of them fail once.

`python -m tests.crash.sweep FOLDER [SABOTAGE]`, with tests/disk/faults.c preloaded, takes lines of JSON on standard
input and answers each with a Row: an operation, and how many of its calls are tried in one of the three ways; null: all
of them, in each way.

After a kill oche starts normally; after an error it goes on, or is killed and starts. Then this holds:

* What was answered well, or shown, is there; what was refused is not, and all is as before. After a kill it is either.
* It heals without a restart: what was refused can be done again, in the same process.
* Nothing is left over: no file but those that are there after the same without a fault.
"""

from __future__ import annotations

import errno
import gc
import importlib
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import cycle, product
from pathlib import Path
from typing import Any

import msgspec

from daemon.cli import COMMANDS
from tests.crash.counter import KILL, Counter
from tests.crash.operations import OPERATIONS
from tests.crash.operations.operation import TAKEN_BACK, Operation, Outcome, make_home
from tests.crash.sabotage import SABOTAGE
from tests.crash.world import Gone, World

_MODULES = (
    "daemon.assemble",
    "daemon.admin.backup.archive",
    "daemon.admin.backup.backups",
    "daemon.admin.backup.collect",
    "daemon.admin.backup.restore",
    "daemon.admin.backup.staging",
    "daemon.admin.care",
    "daemon.admin.doctor.examine",
    "daemon.admin.faces.upload",
    "daemon.admin.history.forget",
    "daemon.admin.history.people",
    "daemon.admin.learning.learning",
    "daemon.admin.report",
    "daemon.admin.settings.settings",
)
"""Else each daemon or command reads them for itself."""
JSON = Any  # JSON
View = dict[str, JSON]
_NAMING = ("rename", "link", "unlink", "symlink", "mkdir", "rmdir")
_QUIET_S = 0.04
_WAYS = {"killed": KILL, "EIO": errno.EIO, "ENOSPC": errno.ENOSPC}
_HEALED_S = 60
"""A table looks every few seconds whether its disk works again."""
_MOST_FINDINGS = 20
_SAME = 6
"""More of the same calls on one file are not all tried."""
_ASIDE = re.compile("before-restore-#/")
"""What was set aside has the names that it had."""
_CHANCE = re.compile(r"state/(statistics\.cache|main\.sqlite3(\.damaged-#)?-(wal|shm))")
"""Whether such a file is there is chance: the log of a journal, also of one that was set aside, and the statistics."""


class Row(msgspec.Struct):
    """What became of an operation: its calls, how many were tried, and what did not hold."""

    operation: str
    calls: int = 0
    killed: int = 0
    failed: int = 0
    seconds: float = 0.0
    findings: list[str] = []


class Broken(Exception):
    """Something did not hold."""


class Sweep:
    """The sweep of an operation, in a folder of its own."""

    def __init__(self, operation: Operation, folder: Path, sabotage: Callable[[], None]) -> None:
        self._operation = operation
        self._scene = folder / "scene"
        self._counter = Counter(folder / "home")
        self._world = World(folder, self._counter, sabotage)
        self._before: View = {}
        self._after: View = {}
        self._names: set[str] = set()
        self._refusal = ""
        self._calls: list[str] = []

    def run(self, points: int | None) -> Row:
        """Tries so many of its points; None: all of them."""
        row, began = Row(self._operation.name), time.monotonic()
        try:
            self._look_at_both(row)
        except Broken as broken:
            row.findings.append(f"without a fault: {broken}")
        for number, way in choose(self._calls, points):
            try:
                is_hit = self._try(number, way)
            except Broken as broken:
                is_hit = True
                row.findings.append(f"call {number}, {self._counter.hit}, {way}: {broken}")
                if len(row.findings) == _MOST_FINDINGS:
                    break
            finally:
                self._world.kill()
            row.killed += is_hit and way == "killed"
            row.failed += is_hit and way != "killed"
        row.seconds = round(time.monotonic() - began, 1)
        return row

    def close(self) -> None:
        """Ends what was started beside it."""
        self._world.stack.close()

    def _look_at_both(self, row: Row) -> None:
        """What is so before the operation and after it, without a fault, and again when it was killed after that."""
        world, operation = self._world, self._operation
        make_home(world)
        operation.prepare(world)
        shutil.copytree(world.home, self._scene, symlinks=True)
        world.start()
        self._before = self._look()
        self._check_names(is_first=True)
        outcome = self._act(0, KILL)
        self._calls = self._counter.calls
        row.calls = len(self._calls)
        if not outcome:
            raise AssertionError(f"{operation.name} was not done: {world.said} {world.errors}")
        self._after = self._look()
        world.kill()
        if self._look() != self._after:
            row.findings.append(f"after the answer, killed: {self._tell(self._look(), outcome)}")
        self._check_names(is_first=True)

    def _act(self, target: int, fault: int) -> Outcome:
        """Does it on the scene, and counts meanwhile."""
        world, operation = self._world, self._operation
        world.kill()
        world.restore(self._scene)
        if operation.runs == "daemon":
            world.start()
            world.watch()
            self._counter.begin(0, KILL, 0)
            self._wait_until_quiet()
        self._counter.begin(target, fault, world.daemon.pid if world.daemon else 0)
        outcome: Outcome = None
        with suppress(Gone):
            outcome = operation.act(world)
            if outcome:
                operation.settle(world)
            self._wait_until_quiet()
        self._counter.end()
        self._refusal = world.said
        return outcome

    def _wait_until_quiet(self) -> None:
        """What is written after the answer is tried as well. How much of it, is chance, and changes no verdict."""
        count, since = self._counter.count, time.monotonic()
        while time.monotonic() < since + _QUIET_S:
            time.sleep(_QUIET_S / 8)
            if self._world.daemon is not None:
                self._world.check_alive()
            if self._counter.count != count:
                count, since = self._counter.count, time.monotonic()

    def _try(self, number: int, way: str) -> bool:
        """Tries a point in this way; whether it was reached. Raises Broken."""
        world = self._world
        try:
            outcome = self._act(number, _WAYS[way])
            if not self._counter.is_hit:
                return False
            if self._operation.runs == "daemon" and way == "killed":
                self._wait_for_end()
            if self._has_shown():
                outcome = True
            if way == "EIO" and self._operation.runs != "command":
                outcome = self._repeat(outcome, self._judge(outcome))
                world.kill()
                self._judge(outcome)
            else:
                now = self._judge(outcome) if way == "ENOSPC" and self._operation.runs != "command" else None
                world.kill()
                again = self._judge(outcome)
                if now not in (None, again) and not (self._operation.may_be_lost or self._operation.may_be_half):
                    raise Broken(f"it was shown, and after a start it is not so: {compare(again, now)}")
                self._repeat(outcome, again)
            self._check_names()
        except TimeoutError:
            raise Broken(f"it does not answer: {world.errors[-500:]}") from None
        except Gone:
            raise Broken(f"it has ended: {world.said[-300:]}") from None
        except AssertionError as error:  # an answer that never may be
            raise Broken(f"{error}: {world.errors[-500:]}") from None
        return True

    def _wait_for_end(self) -> None:
        with suppress(Gone):
            self._world.until(lambda: False)

    def _has_shown(self) -> bool:
        """Whether displays were told of it, whatever the answer was."""
        changed = [name for name in ("state", "plan") if self._before[name] != self._after[name]]
        return any(name in changed and told == self._after[name] for name, told in self._world.list_shown())

    def _look(self) -> View:
        """What is so, of a daemon that is started where none runs."""
        world = self._world
        for _ in range(3):
            if world.start():
                return {**world.look(), **self._operation.more(world)}
        raise Broken(f"it does not start: {world.said[-300:]}")

    def _judge(self, outcome: Outcome) -> View:
        """What is so, at the latest after a while. Raises Broken, if that may not be so."""
        end = time.monotonic() + _HEALED_S
        while not self._is_right(seen := self._look(), outcome):
            if time.monotonic() > end:
                raise Broken(self._tell(seen, outcome))
            time.sleep(0.2)
        return seen

    def _is_right(self, seen: View, outcome: Outcome) -> bool:
        operation = self._operation
        if seen == self._after and outcome is not False:
            return True
        log = self._world.log + self._world.errors
        if seen == self._before and (outcome is not True or operation.may_be_lost or TAKEN_BACK in log):
            return True
        if operation.told and operation.told in log:
            return True
        may_be_between = operation.may_be_half or (outcome is None and operation.lost_with_kill)
        return bool(outcome is not True and may_be_between and self._is_between(seen))

    def _tell(self, seen: View, outcome: Outcome) -> str:
        said = {
            True: "it was said or shown to be done",
            False: f"it was refused ({self._refusal[-200:]})",
            None: "killed",
        }
        if seen == self._after:
            return f"{said[outcome]}, and is done all the same"
        if seen == self._before:
            return f"{said[outcome]}, and is not done"
        return f"{said[outcome]}, and it is neither as before nor as it should be: {compare(seen, self._after)}"

    def _is_between(self, seen: View) -> bool:
        """Whether each part is as before or as it should be; where a name still is, counts when it is completed."""
        names = {*seen} - {"name", *self._operation.lost_with_kill}
        return all(seen[name] in (self._before[name], self._after[name]) for name in names)

    def _repeat(self, outcome: Outcome, seen: View) -> Outcome:
        """Does it again, where it was not done; what was refused in passing is done within a while. Raises Broken."""
        world, operation = self._world, self._operation
        if outcome or seen == self._after != self._before or (outcome is None and operation.lost_with_kill):
            return outcome
        if operation.runs != "daemon":
            world.stop()
        end = time.monotonic() + _HEALED_S
        while not operation.act(world):
            is_there = operation.may_be_half and {**seen, "name": []} == {**self._after, "name": []}
            if is_there or time.monotonic() > end:
                if not is_there:
                    raise Broken(f"it cannot be done again: {world.said[-200:]}")
                break  # there is nothing to do
            time.sleep(0.1)
        else:
            operation.settle(world)
        if (seen := self._look()) != self._after:
            raise Broken(f"it was done again, and is not as it should be: {compare(seen, self._after)}")
        return True

    def _check_names(self, *, is_first: bool = False) -> None:
        """Raises Broken for files that are left over when the daemon was started once more, and has ended."""
        world = self._world
        world.stop()
        world.start()
        world.stop()
        names = world.list_names()
        if is_first:
            self._names |= {_ASIDE.sub("", name) for name in names}
        elif left := self._find_left(names):
            if self._operation.runs == "command":  # which may be run in any folder
                self._operation.act(world)
                left = self._find_left(world.list_names())
            if left:
                raise Broken(f"left over: {', '.join(left)}")

    def _find_left(self, names: set[str]) -> list[str]:
        return sorted(name for name in names if _ASIDE.sub("", name) not in self._names and not _CHANCE.fullmatch(name))


def choose(calls: list[str], points: int | None) -> Iterator[tuple[int, str]]:
    """So many points, each a call and one of the ways; None: each call in each way.

    The first of so many are where a name comes to stand for something else, as there most is at stake. Of the same
    calls on one file, as for each page of a large commit, the first, middle and last two are taken.
    """
    numbers = sorted(_leave_out_same(calls))
    if points is None:
        return product(numbers, _WAYS)
    naming = [number for number in numbers if _changes_names(calls, number)]
    others = [number for number in numbers if number not in naming]
    ways = [*_WAYS]
    turns = [(number, ways[(place + turn) % 3]) for turn in range(3) for place, number in enumerate(naming)]
    chosen = turns[:points] if len(naming) <= points else [*zip(_spread(naming, points), cycle(ways), strict=False)]
    return iter([*chosen, *zip(_spread(others, points - len(chosen)), cycle(ways), strict=False)])


def _changes_names(calls: list[str], number: int) -> bool:
    """Whether this call changes what a name stands for, or puts such a change on the disk."""
    kinds = [call.split(maxsplit=1)[0] for call in calls[max(number - 2, 0) : number]]
    return kinds[-1].startswith(_NAMING) or (kinds[-1] == "fsync" and kinds[0].startswith(_NAMING))


def _spread(numbers: list[int], most: int) -> list[int]:
    """At most so many of them, from the first to the last."""
    if len(numbers) <= most:
        return numbers
    return [numbers[place * (len(numbers) - 1) // max(most - 1, 1)] for place in range(most)]


def _leave_out_same(calls: list[str]) -> Iterator[int]:
    numbers: dict[str, list[int]] = {}
    for number, call in enumerate(calls, 1):
        numbers.setdefault(call, []).append(number)
    for same in numbers.values():
        middle = len(same) // 2
        yield from same if len(same) <= _SAME else (*same[:2], *same[middle - 1 : middle + 1], *same[-2:])


def compare(seen: View, wanted: View) -> str:
    """Where the two differ, in short."""
    names = (name for name in sorted({*seen, *wanted}) if seen.get(name) != wanted.get(name))
    texts = ((name, str(seen.get(name)), str(wanted.get(name))) for name in names)
    return "; ".join(f"{name} is {_cut(is_so, other)}, not {_cut(other, is_so)}" for name, is_so, other in texts)


def _cut(text: str, other: str) -> str:
    """From a little before the place where the other text differs."""
    same = next((at for at, (one, two) in enumerate(zip(text, other, strict=False)) if one != two), 0)
    start = max(same - 30, 0)
    return f"{'…' * (start > 0)}{text[start : start + 150]}"


def main() -> None:
    """Answers until standard input ends."""
    folder = Path(sys.argv[1])
    for name in (*(f"daemon.commands.{command}" for command in COMMANDS), *_MODULES):
        importlib.import_module(name)

    def sabotage() -> None:
        for name in sys.argv[2:]:
            SABOTAGE[name]()

    gc.collect()
    gc.freeze()
    for number, line in enumerate(sys.stdin):
        name, points = msgspec.json.decode(line, type=tuple[str, int | None])
        place = folder / f"{os.getpid()}-{number}"
        place.mkdir()
        sweep = Sweep(OPERATIONS[name], place, sabotage)
        row = sweep.run(points)
        sweep.close()
        shutil.rmtree(place)
        sys.stdout.buffer.write(msgspec.json.encode(row) + b"\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
