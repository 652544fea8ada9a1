"""Journals of every form that oche has ever written, kept for ever in tests/data/journals, and what was in them.

`python -m tests.daemon.old_journals` makes the file of the form that is written now, when it is new: a few matches of
several games, the last of them in the middle. A file that is there is never made again: it is what users have on disk.
`v1_undo_all` is of the same form as `v1`: oche 0.1.0 and then its successor, whose headers say `undo_all`, have each
written the matches of `play_stop_and_retire` into it, and the successor one more.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from daemon.admin.history.played_matches import replay_match
from daemon.journal.stored import SCHEMA, StoredJournal
from engine.match import Match
from tests.daemon.evenings import Evening

FOLDER = Path(__file__).parents[1] / "data" / "journals"


def journal_file(name: str) -> Path:
    """Where the journal of that name is."""
    return FOLDER / f"{name}.sqlite3"


def told(path: Path) -> list[dict[str, Any]]:  # Any: JSON
    """What there is to tell of each match in a journal, oldest first."""
    journal = StoredJournal(path)
    found = []
    for head in journal.heads():
        stored = journal.match(head)
        found.append({"id": head.id, "begun_at": head.begun_at, **outcome(replay_match(stored, None))})
    return found


def outcome(match: Match) -> dict[str, Any]:  # Any: JSON
    """What a match came to."""
    return {
        "game": match.game.id,
        "rules": match.header.rules,
        "line": match.line,
        "phase": match.position.phase,
        "stopped": match.position.stopped,
        "out": [side in match.out for side in range(len(match.seating.sides))],
        "scores": [match.score(side) for side in range(len(match.seating.sides))],
        "winners": list(match.position.winners),
    }


def play_stop_and_retire(evening: Evening, day: int) -> None:
    """Matches with undo after `stop` and `retire`, as far as both meanings of it allow the same inputs."""
    three = ["Ann", "Bo", "Cy"]
    undo, redo = {"undo": True}, {"redo": True}
    evening.play("S20 / S5", {"retire": 1}, undo, "T20", day=day, players=three)
    evening.play("S20 / S5 S1", {"retire": 1}, undo, undo, redo, {"stop": True}, day=day, players=three)
    evening.play("S20", {"retire": 1}, undo, day=day, game="tic_tac_toe")
    evening.play("T17 S10", {"stop": True}, {"amend": 3, "throw": "DB"}, day=day, options={"start": 101})
    evening.play("T17 S10", {"stop": True}, day=day, options={"start": 101})


def _make(folder: Path) -> None:
    with Evening(folder) as evening:
        evening.throw(1, sigma_mm=9.0, options={"start": 301})
        evening.throw(2, day=1, game="cricket", players=["Ann", "Bo", "Cy"], sigma_mm=9.0)
        evening.throw(3, day=1, game="halve_it", players=["Ann", "Bo"], teams=[[0], [1]])
        evening.throw(4, day=2, options={"start": 301}, players=["Ann", "bot:60"], sigma_mm=9.0)
        evening.throw(5, day=2, stop_after=9)
        play_stop_and_retire(evening, 2)
        evening.play(
            "T20 T20 S5 / T19 S3 S7 / T20 I1",
            {"undo": True},
            "I5",
            {"amend": 2, "throw": "S20"},
            day=3,
            format={"legs": 2, "sets": 1},
        )


def main() -> None:
    """Makes the file."""
    file = journal_file(f"v{SCHEMA}")
    if file.exists():
        sys.exit(f"{file} is there: it is kept as it is")
    with tempfile.TemporaryDirectory() as folder:
        _make(Path(folder))
        FOLDER.mkdir(exist_ok=True)
        file.write_bytes((Path(folder) / "main.sqlite3").read_bytes())
    file.with_suffix(".json").write_text(json.dumps(told(file), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
