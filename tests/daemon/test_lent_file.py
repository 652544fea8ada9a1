"""The file of a lent table, whatever a power cut or a full disk has left of it."""

from __future__ import annotations

from pathlib import Path

from daemon.league.lent_file import LentFile
from daemon.table.lent_inputs import LentInput, LentInputs


def write(folder: Path, *seqs: int) -> LentFile:
    file = LentFile(folder, "south")
    file.begin("north", LentInputs("north", "m1", "aaaaaaaa"))
    for seq in seqs:
        file.add([dart(seq)])
    return file


def dart(seq: int) -> LentInput:
    return LentInput(seq, seq, {"throw": "T20"}, 1)


def read(file: LentFile) -> list[LentInput]:
    found = file.read()
    assert found
    assert found[1]
    return found[1].waiting


def test_a_torn_line_takes_no_later_one_with_it(tmp_path: Path) -> None:
    file = write(tmp_path, 1, 2)
    path = tmp_path / "south.lent"
    path.write_bytes(path.read_bytes()[:-9])
    file.add([dart(2)])
    assert read(file) == [dart(1), dart(2)]


def test_after_a_lost_line_the_later_ones_are_not_waited_for(tmp_path: Path) -> None:
    file = write(tmp_path, 1)
    file.add([dart(3)])
    assert read(file) == [dart(1), LentInput(2, 3, {"join": True}), dart(3)]
    file.note_taken(1)
    assert read(file) == [dart(3)], "what comes first needs no other"


def test_what_waits_is_counted_in_darts() -> None:
    given: list[dict[str, object]] = [
        {"join": True}, {"throw": "T20"}, {"amend": 4, "throw": "T19"}, {"throw": "T18"}, {"undo": True},
        {"total": 60, "darts": 2}, {"next": True},
    ]  # fmt: skip
    inputs = LentInputs("north", "m1", "aaaaaaaa", [LentInput(seq, seq, each) for seq, each in enumerate(given, 1)])
    assert inputs.waiting_darts == 1 + 2
    inputs.add({"total": 100}, 0)
    assert inputs.waiting_darts == 1 + 2 + 3
