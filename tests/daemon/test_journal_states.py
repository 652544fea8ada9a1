"""The states of a journal that a table has open: which follows which, and that each change happens to a real one."""

from __future__ import annotations

import gc
import shutil
import sqlite3
import weakref
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import NoReturn

import pytest

from daemon.journal import mending
from daemon.journal.errors import TRANSITIONS, Damaged, Full, JournalEvent, JournalState, StoreError, follow
from daemon.journal.journal_file import JournalFile
from daemon.journal.stored import find_copies
from daemon.journal.writer import JournalWriter
from tests.daemon.test_damaged_journals import LAST, line, matches, three_matches

EVERY = [(state, event) for state in JournalState for event in JournalEvent]

KNOWN: dict[JournalState, tuple[str, bool]] = {
    JournalState.CLOSED: ("", False),
    JournalState.SOUND: ("", False),
    JournalState.REFUSED: ("", False),
    JournalState.SUSPECT: ("", True),
    JournalState.MOVED: ("moved", False),
    JournalState.MOVED_SUSPECT: ("moved", True),
    JournalState.DAMAGED_ONCE: ("damaged", False),
    JournalState.DAMAGED: ("damaged", True),
    JournalState.MENDED: ("damaged", False),
}
"""What a state says of a journal: why it was not written last, and whether it was damaged and nothing written since."""


def judge(state: JournalState, event: JournalEvent) -> tuple[str, bool]:
    """What is known after this event."""
    fault, is_suspect = KNOWN[state]
    match event:
        case JournalEvent.REOPEN:
            return "", is_suspect or fault == "damaged"
        case JournalEvent.READ:
            return "", is_suspect
        case JournalEvent.WRITE:
            return fault, False
        case JournalEvent.REFUSE:
            return "", is_suspect
        case JournalEvent.MOVE:
            return "moved", is_suspect
        case JournalEvent.DAMAGE:
            return "damaged", is_suspect
        case JournalEvent.DOUBT:
            return "", True
        case JournalEvent.DRAFT:
            return "damaged", False
        case JournalEvent.REPLACE:
            return "", is_suspect


def can_happen(state: JournalState, event: JournalEvent) -> bool:
    """Whether this can happen to a journal in this state."""
    match event:
        case JournalEvent.REOPEN:  # else it is set aside
            return state is not JournalState.DAMAGED
        case JournalEvent.READ | JournalEvent.DOUBT:  # after REOPEN
            return state in (JournalState.CLOSED, JournalState.SUSPECT)
        case JournalEvent.WRITE | JournalEvent.MOVE:  # it is open
            return state not in (JournalState.CLOSED, JournalState.MENDED)
        case JournalEvent.DAMAGE:
            return state is not JournalState.MENDED
        case JournalEvent.DRAFT:
            return state is JournalState.DAMAGED
        case JournalEvent.REFUSE | JournalEvent.REPLACE:
            return True


@pytest.mark.parametrize(("state", "event"), EVERY)
def test_an_event_changes_what_is_known_as_it_must(state: JournalState, event: JournalEvent) -> None:
    if not can_happen(state, event):
        with pytest.raises(ValueError, match=f"{event.name} cannot happen to a journal that is {state.value}"):
            follow(state, event)
        return
    after = follow(state, event)
    assert KNOWN[after] == judge(state, event)
    if KNOWN[after] == ("", False):
        is_closed, is_refused = (
            event in (JournalEvent.REOPEN, JournalEvent.REPLACE),
            JournalState.REFUSED in (state, after),
        )
        assert after is (
            JournalState.CLOSED if is_closed else JournalState.REFUSED if is_refused else JournalState.SOUND
        )
    assert (after is JournalState.MENDED) == (event is JournalEvent.DRAFT)


class Steps:
    """What happens to one journal of three matches and the table that has it open, step by step."""

    def __init__(self, path: Path, patch: pytest.MonkeyPatch) -> None:
        self.path = path
        self.writer = JournalWriter("main", path)
        self.written = LAST
        self._whole = path.with_name(f"{path.name}.whole")
        self._patch = patch

    async def open(self) -> None:
        await self.writer.open(test_room=False)

    async def reopen_refused(self) -> None:
        with self._fails("latest", StoreError("the disk failed")), pytest.raises(StoreError, match="the disk failed"):
            await self.open()

    async def reopen_unwritten(self) -> None:
        """The test of the disk passes, and what follows it does not."""
        with self._fails("plan", StoreError("the disk failed")), pytest.raises(StoreError, match="the disk failed"):
            await self.writer.open()

    async def reopen_damaged_once(self) -> None:
        with self._fails("latest", Damaged("malformed")):
            await self.open()

    async def reopen_damaged(self) -> None:
        with self._fails("latest", Damaged("malformed"), 2):
            await self.open()

    async def reopen_without_room(self) -> None:
        with self._patch.context() as patch, self._fails("latest", Damaged("malformed"), 2):
            patch.setattr(mending, "salvage", raise_full)
            with pytest.raises(Full):
                await self.open()

    async def reopen_unplaced(self) -> None:
        with self._patch.context() as patch, self._fails("latest", Damaged("malformed"), 2):
            patch.setattr(mending, "put_in_place", raise_os_error)
            with pytest.raises(StoreError, match=r"cannot replace .* with the repaired journal"):
                await self.open()

    async def reopen_uncopied(self) -> None:
        with self._fails("copy_to", Damaged("malformed")):
            await self.open()

    async def write(self) -> None:
        await self.writer.write([line("third", self.written + 1)])
        self.written += 1

    async def refuse_closed(self) -> None:
        with pytest.raises(StoreError, match="is not open"):
            await self.write()

    async def refuse(self) -> None:
        with self._fails("write", StoreError("no room")), pytest.raises(StoreError):
            await self.write()

    async def damage(self) -> None:
        with self.lacks("entry"), pytest.raises(Damaged, match="no such table"):
            await self.write()

    async def damage_in_reopening(self) -> None:
        """Another program makes the log smaller, and what is read then is damaged, and so is the new journal."""
        self.path.with_name(f"{self.path.name}-wal").write_bytes(b"")
        with self._fails("latest", Damaged("malformed"), 3), pytest.raises(Damaged):
            await self.write()

    async def refuse_in_reopening(self) -> None:
        """Another program makes the log smaller, and what is there then cannot be read now."""
        self.path.with_name(f"{self.path.name}-wal").write_bytes(b"")
        with self._fails("latest", StoreError("the disk failed")), pytest.raises(StoreError, match="the disk failed"):
            await self.writer.test_room()

    async def refuse_test_closed(self) -> None:
        with pytest.raises(StoreError, match="is not open"):
            await self.writer.test_room()

    async def refuse_test(self) -> None:
        with self._fails("test_room", StoreError("no room")), pytest.raises(StoreError, match="no room"):
            await self.writer.test_room()

    async def damage_test(self) -> None:
        with self._has_view_of_rehearsal(), pytest.raises(Damaged, match="it is damaged"):
            await self.writer.test_room()

    async def write_header(self) -> None:
        await self._rewrite_header()

    async def damage_header(self) -> None:
        with self.lacks("match"), pytest.raises(Damaged, match="no such table"):
            await self._rewrite_header()

    async def refuse_header_closed(self) -> None:
        with pytest.raises(StoreError, match="is not open"):
            await self._rewrite_header()

    async def move_header(self) -> None:
        await self.take_away()
        with pytest.raises(StoreError, match="was deleted, renamed or replaced while oche used it"):
            await self._rewrite_header()

    async def _rewrite_header(self) -> None:
        await self.writer.rewrite_header(lambda header: {**header, "players": ["Cy", "Bo"]})

    async def move(self) -> None:
        with suppress(FileNotFoundError):
            await self.take_away()
        with pytest.raises(StoreError, match="was deleted, renamed or replaced while oche used it"):
            await self.writer.test_room()

    async def take_away(self) -> None:
        self.path.rename(self.path.with_name("elsewhere"))

    async def move_back(self) -> None:
        self.path.with_name("elsewhere").rename(self.path)

    async def leave_whole(self) -> None:
        """As another program may, or a daemon that was killed."""
        shutil.copy(self.path, self._whole)

    async def remove_whole(self) -> None:
        self._whole.unlink()

    @contextmanager
    def lacks(self, table: str) -> Iterator[None]:
        """Another program has renamed a table of the journal, for a moment."""
        self._run(f"alter table {table} rename to elsewhere")
        yield
        self._run(f"alter table elsewhere rename to {table}")

    @contextmanager
    def _has_view_of_rehearsal(self) -> Iterator[None]:
        """Another program has made something in the place of what the test of the disk writes, for a moment."""
        self._run("create view rehearsal as select 1")
        yield
        self._run("drop view rehearsal")

    def _run(self, statement: str) -> None:
        with closing(sqlite3.connect(self.path, isolation_level=None)) as db:
            db.execute(statement)

    @contextmanager
    def _fails(self, method: str, error: StoreError, times: int = 1) -> Iterator[None]:
        """So often the method of the file fails like this, and then it works again."""
        works: Callable[..., object] = getattr(JournalFile, method)
        left = times

        def fail(*given: object, **named: object) -> object:
            nonlocal left
            if not left:
                return works(*given, **named)
            left -= 1
            raise error

        with self._patch.context() as patch:
            patch.setattr(JournalFile, method, fail)
            yield
        assert not left


def raise_full(*_: object) -> NoReturn:
    raise Full("no room to copy it")


def raise_os_error(*_: object) -> NoReturn:
    raise OSError("the disk failed")


SUSPECT = "open sound, damage_test damaged_once, open suspect"
TWICE = f"{SUSPECT}, damage_test damaged"

WAYS = [
    "leave_whole, open sound",
    "refuse_closed refused, leave_whole, open sound, write sound, refuse refused, refuse refused, open sound",
    "open sound, refuse_test refused, write refused, leave_whole, open sound, leave_whole, open sound",
    "open sound, refuse refused, damage damaged_once, damage damaged_once, refuse refused, move moved, open sound",
    "open sound, move moved, move moved, move_back, write moved, damage damaged_once, move moved, open sound",
    "open sound, move moved, move_back, refuse refused, open sound",
    "open sound, write sound, take_away, open sound",
    "open sound, write_header, take_away, open sound, write_header, move moved, open sound",
    "open sound, damage damaged_once, take_away, open sound",
    "open sound, move moved, reopen_uncopied sound",
    "open sound, damage_test damaged_once, write damaged_once, leave_whole, open sound",
    "open sound, write sound, write sound, damage_in_reopening damaged_once, open suspect, write sound",
    "reopen_refused closed, refuse_closed refused, refuse_closed refused, refuse_test_closed refused, open sound",
    "reopen_unwritten closed, refuse_test_closed refused, refuse_closed refused, open sound",
    "open sound, write sound, write sound, refuse_in_reopening refused, refuse_closed refused, open sound, write sound",
    "open sound, reopen_damaged_once suspect, reopen_refused suspect, refuse_closed suspect, refuse_closed suspect",
    f"{SUSPECT}, reopen_refused suspect, refuse_test_closed suspect, refuse_closed suspect, open suspect, write sound",
    f"{SUSPECT}, refuse suspect, reopen_damaged_once suspect, leave_whole, open suspect",
    f"{SUSPECT}, move moved_suspect, move moved_suspect, open suspect",
    f"{SUSPECT}, move moved_suspect, move_back, write moved, open sound",
    f"{SUSPECT}, move moved_suspect, move_back, refuse suspect, move moved_suspect, move_back, damage damaged",
    f"{SUSPECT}, take_away, open suspect",
    f"{SUSPECT}, move moved_suspect, reopen_uncopied suspect",
    f"{TWICE}, damage_test damaged, write damaged_once",
    f"{TWICE}, take_away, open suspect",
    f"{TWICE}, move moved_suspect, open suspect",
    f"{TWICE}, refuse suspect, open suspect, damage damaged, open sound",
    f"{TWICE}, leave_whole, open suspect, write sound",
    "open sound, reopen_damaged sound, write sound",
    "open sound, reopen_without_room damaged, refuse_closed suspect, reopen_damaged sound",
    "open sound, damage_header, open sound, move_header moved, open sound",
    f"{SUSPECT}, damage_header, open suspect",
    "open sound, reopen_without_room damaged, refuse_header_closed, open sound",
    "open sound, reopen_unplaced mended, refuse_header_closed, open sound",
    "open sound, reopen_unplaced mended, open sound",
    "open sound, reopen_unplaced mended, refuse_closed refused, open sound",
    "open sound, reopen_unplaced mended, remove_whole, open suspect",
]
"""Steps, and the state that the journal is in after each that changes it."""


async def go(way: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> set[tuple[JournalState, JournalEvent]]:
    """Takes these steps, and then plays on: whatever happened, all that was written is there. What was followed."""
    followed: list[tuple[JournalState, JournalEvent]] = []

    def note(state: JournalState, event: JournalEvent) -> JournalState:
        followed.append((state, event))
        return follow(state, event)

    path = await three_matches(folder, with_copy=True)
    with monkeypatch.context() as patch:
        patch.setattr("daemon.journal.writer.follow", note)
        steps = Steps(path, monkeypatch)
        for number, step in enumerate(way.split(", ")):
            name, _, expected = step.partition(" ")
            before = len(followed)
            await getattr(steps, name)()
            changed = follow(*followed[-1]).value if len(followed) > before else ""
            assert changed == expected, (way, number)
        await steps.writer.open()
        await steps.write()
        await steps.writer.close()
    others = {} if "reopen_uncopied" in way else {"first": LAST, "second": LAST}
    assert matches(path) == {**others, "third": steps.written}, way
    assert count_lines(path, "third") == steps.written - 1, way  # its header is line 1
    return set(followed)


def count_lines(path: Path, match: str) -> int:
    """How many lines the match has in the journal, without its header."""
    with closing(sqlite3.connect(path)) as db:
        query = "select count(*) from entry join match on match = number where id = ?"
        count: int = db.execute(query, (match,)).fetchone()[0]
        return count


@pytest.mark.long
async def test_each_change_of_state_happens_to_a_journal_that_keeps_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    followed: set[tuple[JournalState, JournalEvent]] = set()
    for number, way in enumerate(WAYS):
        (folder := tmp_path / f"{number}").mkdir()
        followed |= await go(way, folder, monkeypatch)
    assert {*TRANSITIONS} - followed == set()


def wreck_records(path: Path) -> None:
    """Damages a page that only the check of every page reads: what is lost by it is in the rows as well."""
    with closing(sqlite3.connect(path)) as db:
        (page,) = db.execute("select rootpage from sqlite_master where name = 'record'").fetchone()
        (size,) = db.execute("pragma page_size").fetchone()
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)


@pytest.mark.parametrize(
    ("way", "reads_every_page"),
    [("open", False), ("open, damage_test", True), ("open, damage_test, open", True), ("open, damage", True)],
)
async def test_every_page_is_read_where_damage_was_met(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, *, reads_every_page: bool
) -> None:
    steps = Steps(await three_matches(tmp_path, with_copy=True), monkeypatch)
    for step in way.split(", "):
        await getattr(steps, step)()
    wreck_records(steps.path)
    await steps.open()
    await steps.writer.close()
    assert (steps.writer.remark is not None) is reads_every_page
    assert len(find_copies(tmp_path)) == reads_every_page
    assert matches(steps.path) == {"first": LAST, "second": LAST, "third": LAST}


def read_set_aside(folder: Path) -> list[bytes]:
    """What the files have that were set aside, logs as well."""
    return [path.read_bytes() for path in sorted(folder.glob("*.damaged-*"))]


@pytest.mark.parametrize("way", ["open", SUSPECT])
async def test_the_log_of_a_file_that_is_gone_is_not_kept_with_what_took_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    steps = Steps(await three_matches(tmp_path, with_copy=True), monkeypatch)
    for step in way.split(", "):
        await getattr(steps, step.partition(" ")[0])()
    await steps.take_away()
    steps.path.write_bytes(b"of another program")
    await steps.open()
    await steps.writer.close()
    assert read_set_aside(tmp_path) == [b"of another program"]
    assert matches(steps.path) == {"first": LAST, "second": LAST, "third": LAST}


async def test_nothing_of_an_error_is_kept_once_the_journal_is_open_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its traceback has what was to be written, and the file that was closed."""
    steps = Steps(await three_matches(tmp_path, with_copy=True), monkeypatch)
    await steps.open()
    with steps.lacks("entry"):
        kept = await fail(steps)
    assert kept() is not None
    await steps.open()
    gc.collect()
    assert kept() is None
    await steps.writer.close()


async def fail(steps: Steps) -> weakref.ref[StoreError]:
    """Writes what cannot be written; returns the error, as long as another one has it."""
    try:
        await steps.write()
    except StoreError as error:
        return weakref.ref(error)
    raise AssertionError("it was written")
