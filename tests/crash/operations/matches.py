"""What happens at a table, the starts of oche, and what may become of a journal."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from tests.crash.operations.operation import Operation, Outcome, command, do_before
from tests.crash.world import PATIENCE_S, Gone, World


def _wait_for_figures(world: World) -> None:
    """Until the statistics of the match that has ended are kept, or that was hit."""
    with suppress(Gone, TimeoutError):
        world.until(lambda: (world.state / "statistics.cache").exists() or world.counter.is_hit)


def _start(world: World) -> Outcome:
    return world.start()


def _remove_all(world: World) -> None:
    shutil.rmtree(world.state)


def _die(world: World) -> None:
    world.start()
    assert world.post("/api/table/main/throw", {"throw": "S5"})
    world.kill()


def _damage(world: World) -> None:
    """A page in the middle is noise."""
    journal = world.state / "main.sqlite3"
    content = bytearray(journal.read_bytes())
    content[8192:12288] = bytes(range(256)) * 16
    journal.write_bytes(content)


def _damage_after_start(world: World) -> None:
    _die(world)
    _damage(world)


def _after(change: Callable[[Path], object]) -> Callable[[World], Outcome]:
    """A dart after this was done to the journal under the daemon."""

    def act(world: World) -> Outcome:
        was_on = world.counter.pause()
        change(world.state / "main.sqlite3")
        world.counter.go_on(was_on)
        end = time.monotonic() + PATIENCE_S
        while not (done := world.post("/api/table/main/throw", {"throw": "S5"})) and time.monotonic() < end:
            if done is None:
                return None
            time.sleep(0.05)  # it writes the journal anew, and plays on
        return done

    return act


def _replace(journal: Path) -> None:
    shutil.copy(journal, copy := journal.with_name("copy"))
    copy.rename(journal)


OPERATIONS = (
    Operation("a dart", command("throw", {"throw": "S5"})),
    Operation("next", command("next", {}), do_before(command("throw", {"throw": "S1"}))),
    Operation("undo", command("undo", {})),
    Operation("redo", command("redo", {}), do_before(command("undo", {}))),
    Operation("amend", command("amend", {"amend": 2, "throw": "S2"})),
    Operation("the end of a match", command("stop", {}), settle=_wait_for_figures),
    Operation("the next match", command("start", {}), do_before(command("stop", {}))),
    Operation("another match", command("start", {"game": "cricket", "players": ["Ann", "Di"]})),
    Operation("the plan of the next match", command("game", {"game": "x01", "options": {"start": 701}})),
    Operation("the first start", _start, _remove_all, "start"),
    Operation("a start", _start, runs="start"),
    Operation("a start after a kill", _start, _die, "start"),
    Operation(
        "a damaged journal is set aside",
        _start,
        _damage_after_start,
        "start",
        told="stay in the file that was set aside, because the disk has no room",
    ),
    Operation(
        "a journal that was deleted",
        _after(lambda file: file.unlink(missing_ok=True)),
        lost_with_kill=("matches", "players"),  # but not the match at hand, of which there is a copy
    ),
    Operation("a journal that was replaced", _after(_replace)),
)
