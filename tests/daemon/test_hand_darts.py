"""A dart that is entered by hand and reported late by the board counts once; a real dart is not taken for one."""

from __future__ import annotations

from typing import Any

import pytest

from daemon.config.sections import TakeoutMode
from daemon.table.scoresheet import SeatSender, Sender
from protocol.codebook import Codebook, load, shipped
from protocol.commands import Amend, Command, Miss, Next, Redo, Start, Throw, Undo
from protocol.events import Button
from protocol.source import Source
from tests.daemon.desk import MISSES, PULL_S, SENSOR, Desk

KEYS = load(
    Source(
        """
id = "keys"
name = "A board with a miss sensor and a key for a miss"
miss = "miss"
[hits]
frame = "{id}"
[buttons]
miss = "missed"
[timing]
miss_ms = 200
""",
        "keys.toml",
    )
)


def play(
    steps: str, book: Codebook = SENSOR, takeout: TakeoutMode = "button", **table: Any
) -> Desk:  # Any: as TableConfig has it
    """What comes at a table, in words: `!` stands before what a player enters by hand, `!2=T20` corrects line 2.

    A number lets so many seconds pass; everything else is said by the board.
    """
    desk = Desk(book, takeout, **table)
    wait_s = 0.0
    for word in steps.split():
        if word[0].isdecimal():
            wait_s += float(word)
            continue
        desk.hear(after_s=wait_s)
        wait_s = 0.0
        if word.startswith("!"):
            desk.obey(_read(word[1:]))
        else:
            desk.hear(word)
    desk.hear(after_s=wait_s)
    return desk


def _read(word: str) -> Command:
    line, is_correction, bed = word.rpartition("=")
    if is_correction:
        return Amend(int(line), Throw(bed) if bed else None)
    others: dict[str, Command] = {"miss": Miss(), "next": Next(), "undo": Undo(), "redo": Redo(), "start": Start()}
    return others.get(word) or Throw(word)


@pytest.mark.parametrize(("entered", "reported"), [("T20", "T20"), ("S5", "I5"), ("O5", "O5"), ("SB", "SB")])
def test_a_late_report_of_a_dart_entered_by_hand_counts_once(entered: str, reported: str) -> None:
    desk = play(f"!{entered} 2.0 {reported}", shipped("granboard"))
    assert desk.journal == [entered]
    assert desk.events("stray") == [reported]
    assert str(desk.latest.notice).endswith(" did not count: this dart was entered by hand a moment ago")
    desk.hear(reported, after_s=0.5)  # one entry takes one report
    assert desk.journal == [entered, reported]


CASES = {
    "a second dart counts when it comes late": ("!T20 2.001 T20", "T20 T20", ""),
    "a second dart counts in another ring": ("!T20 0.1 S20", "T20 S20", ""),
    "a second dart counts beside the first": ("!T20 0.1 T1", "T20 T1", ""),
    # Whether the third is late cannot be told, and the hand has said two.
    "an entry after the report is a second dart": ("1.0 T20 !T20 1.0 T20", "T20 T20", "T20"),
    "a dart counts when two visits have gone by": (
        "!T20 !next !next 1.0 T20",
        "T20 MISS MISS next MISS MISS MISS next T20",
        "",
    ),
    "a miss that is sensed after its entry counts once": ("!miss 1.0 miss 0.5", "MISS", "MISS"),
    "the report counts of an entry that was undone": ("!T20 !undo 1.0 T20", "T20 undo T20", ""),
    "the report counts of an entry that was taken out": ("!T20 !2= 1.0 T20", "T20 amend T20", ""),
    "the report counts of an entry that was corrected": ("!T20 !2=S20 1.0 T20", "T20 S20 T20", ""),
    "every miss counts after a next of an empty visit": (
        "!next 0.5 miss 0.5 miss 0.5 miss 0.3",
        "MISS MISS MISS next MISS MISS MISS",
        "",
    ),
    "a miss counts after the board's own next": ("next 1.0 miss 0.3", "MISS MISS MISS next MISS", ""),
    "a sensed miss that is corrected is entered then": ("miss 5.0 !2=T20 0.5 T20", "MISS T20", "T20"),
    # One entry takes one report.
    "a miss that is corrected later is entered then": (
        "!miss 2.5 !2=T20 2.0 T20 0.5 T20",
        "MISS T20 T20",
        "T20",
    ),
    "a dart that is corrected later is entered then": (
        "!S20 2.5 !2=T20 2.0 T20 0.5 T20",
        "S20 T20 T20",
        "T20",
    ),
    "a miss that next filled in is entered when it is corrected": (
        "1.0 T1 !next 2.5 !3=T20 0.5 T20",
        "T1 MISS MISS next T20",
        "T20",
    ),
    "a corrected dart of the board takes no report": ("1.0 S20 !2=T20 0.5 T20", "S20 T20 T20", ""),
    "a correction of what was reported takes no report": ("!S20 0.5 S20 !2=T20 0.5 T20", "S20 T20 T20", "S20"),
    "an entry and its correction take one report together": (
        "!T20 !2=S20 0.5 S20 0.5 T20",
        "T20 S20 T20",
        "S20",
    ),
    "a corrected miss of an older visit takes no report": (  # in the last visit but one
        "!next !next !2=T20 0.5 T20",
        "MISS MISS MISS next MISS MISS MISS next T20 T20",
        "",
    ),
    "a correction takes a report only while it holds": (
        "!T20 !2=S20 !undo 0.5 S20 0.5 T20",
        "T20 S20 undo S20",
        "T20",
    ),
    "an entry that redo brings again has its two seconds": ("!T20 !undo !redo 1.0 T20", "T20 undo redo", "T20"),
    "an entry that redo brings again has no more": ("!T20 !undo !redo 2.001 T20", "T20 undo redo T20", ""),
    "a correction that redo brings again takes the report": (
        "!miss !2=T20 !undo !redo 1.0 T20",
        "MISS T20 undo redo",
        "T20",
    ),
    "redo does not bring again what was reported": (
        "!T20 0.5 T20 !undo !redo 0.5 T20",
        "T20 undo redo T20",
        "T20",
    ),
    "a late report of a match that was left counts in no other": ("!D20 !start 1.0 D20", "D20 stop", "D20"),
    "undo in a new match takes back no entry of the last": (
        "!T20 !start 0.5 S1 !undo 0.5 T20",
        "T20 stop S1 undo",
        "T20",
    ),
    "half a single is that single to a board without halves": ("!O5 1.0 S5", "O5", "S5"),
    "a bed may be entered in other words": ("!d16 1.0 D16", "D16", "D16"),
    "a bed may be corrected in other words": ("!miss !2=d16 1.0 D16", "MISS D16", "D16"),
}
"""What comes, the lines that follow from it, and the darts of the board that do not count."""


@pytest.mark.parametrize(("steps", "journal", "strays"), CASES.values(), ids=CASES)
def test_a_report_is_taken_by_an_entry_of_the_same_dart(steps: str, journal: str, strays: str) -> None:
    desk = play(steps)
    assert (desk.journal, desk.events("stray")) == (journal.split(), strays.split())


def test_the_halves_of_a_single_are_two_beds() -> None:
    assert play("!O5 1.0 I5", shipped("granboard")).journal == ["O5", "I5"]


@pytest.mark.parametrize("takeout", ["button", "timer", "hits"])
def test_a_late_report_does_not_count_for_the_next_player(takeout: TakeoutMode) -> None:
    following = "" if takeout == "hits" else "!next"  # where the hit itself would open the visit
    desk = play(f"!S1 !S1 {PULL_S} !T20 {following} 1.0 T20", takeout=takeout)
    assert "T20" not in desk.journal[3:]
    assert desk.events("stray") == ["T20"]


def test_an_entry_that_could_not_be_kept_takes_no_report() -> None:
    desk = Desk()
    checkpoint = desk.scorer.checkpoint()
    desk.obey(Throw("T20"))
    desk.scorer.roll_back(checkpoint, desk.followed.pop())
    desk.hear("T20", after_s=1.0)
    assert desk.journal == ["T20"]


@pytest.mark.parametrize("sender", ["page", "mqtt", SeatSender(0)])
def test_a_miss_counts_after_a_next_that_filled_in_misses(sender: Sender) -> None:
    desk = Desk()
    desk.throw("T20")
    desk.obey(Next(), sender)
    desk.hear("miss", after_s=1.2)
    desk.hear(after_s=0.3)
    assert desk.journal == ["T20", "MISS", "MISS", "next", "MISS"]
    assert desk.events("stray") == []


def test_a_miss_counts_after_one_by_the_boards_own_key() -> None:
    desk = Desk(KEYS)
    desk.hear("miss")
    desk.hear(after_s=0.3)
    desk.hear(Button(name="miss", time_ns=round(desk.now * 1e9)))
    desk.hear("miss", after_s=1.0)
    desk.hear(after_s=0.3)
    assert desk.journal == MISSES
    assert desk.events("stray") == []


def test_a_dart_counts_after_those_of_a_bot() -> None:
    desk = Desk(players=("bot:60", "Ann"))
    for _ in range(3):
        desk.obey(Throw("T20"), "bot")
    desk.obey(Next())
    desk.throw("T20")
    assert desk.journal == ["T20", "T20", "T20", "next", "T20"]


def test_a_late_report_of_the_match_that_was_won_does_not_count_in_the_next() -> None:
    desk = play("!T20 !S1 !D20 !start 1.0 D20", options={"start": 101})
    assert desk.journal == ["T20", "S1", "D20"]
    assert desk.events("stray") == ["D20"]


def test_no_more_is_kept_however_long_the_match() -> None:
    desk = Desk(options={"start": 1001})
    for _ in range(30):
        desk.obey(Throw("S1"))
        desk.obey(Amend(desk.scorer.match.line, Throw("S2")))
        desk.obey(Undo())
        desk.obey(Next())
    assert len(desk.scorer.checkpoint().hand_darts) == 16
