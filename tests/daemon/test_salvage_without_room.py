"""A damaged journal on a disk that has no room for a copy of all its matches."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest

from daemon.journal.errors import Full
from daemon.journal.journal_file import JournalFile
from daemon.journal.lines import Begin, Line
from daemon.journal.stored import find_copies
from daemon.journal.writer import JournalWriter
from tests.daemon.test_damaged_journals import LAST, change, matches, opened, three_matches

DAMAGE = "update entry set input = null where match = 3 and line = 5"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("met", ["before", "while writing"])
async def test_without_room_only_the_match_at_hand_is_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, met: str
) -> None:
    path = await three_matches(tmp_path, with_copy=True)
    change(path, DAMAGE)
    write = JournalFile.write

    def write_little(file: JournalFile, news: Iterable[Begin | Line]) -> None:
        if len(found := list(news)) > LAST:
            write(file, found[:LAST])
            raise Full("no room")
        write(file, found)

    if met == "before":
        usage = shutil.disk_usage(tmp_path)
        monkeypatch.setattr(shutil, "disk_usage", lambda folder: usage._replace(free=path.stat().st_size))
    else:
        monkeypatch.setattr(JournalFile, "write", write_little)
    found, remark = await opened(path)
    assert found is not None
    assert (found.id, len(found.lines)) == ("third", LAST - 1)
    assert remark is not None
    assert "; the matches number 1 to 2 stay in the file that was set aside, because the disk has no room" in remark
    assert matches(path) == {"third": LAST, "next": 2}
    assert len(find_copies(tmp_path)) == 1


async def test_a_copy_that_cannot_be_written_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = await three_matches(tmp_path, with_copy=True)
    change(path, DAMAGE)
    before = names(tmp_path)

    def refuse(file: JournalFile, news: Iterable[Begin | Line]) -> None:
        raise Full("no room")

    monkeypatch.setattr(JournalFile, "write", refuse)
    writer = JournalWriter("main", path)
    with pytest.raises(Full):
        await writer.open()
    await writer.close()
    assert names(tmp_path) == before
