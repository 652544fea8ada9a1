"""A dart that is entered by hand and reported late by the board counts once; a real dart is not taken for one."""

from __future__ import annotations

import pytest

from daemon.config.sections import TakeoutMode
from daemon.table.scoresheet import SeatSender, Sender
from protocol.codebook import load, shipped
from protocol.commands import Amend, Command, Miss, Next, Redo, Start, Throw, Undo
from protocol.events import Button
from protocol.source import Source
from tests.daemon.desk import MISSES, PULL_S, Desk

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


@pytest.mark.parametrize(("entered", "reported"), [("T20", "T20"), ("S5", "I5"), ("O5", "O5"), ("SB", "SB")])
def test_a_late_report_of_a_dart_entered_by_hand_counts_once(entered: str, reported: str) -> None:
    desk = Desk(shipped("granboard"))
    desk.obey(Throw(entered))
    desk.hear(reported, after_s=2.0)
    assert desk.journal == [entered]
    assert desk.events("stray") == [reported]
    assert str(desk.latest.notice).endswith(" did not count: it was entered by hand a moment ago")
    desk.hear(reported, after_s=0.5)  # one entry takes one report
    assert desk.journal == [entered, reported]


@pytest.mark.parametrize(
    ("reported", "after_s"), [("T20", 2.001), ("S20", 0.1), ("T1", 0.1)], ids=["late", "another ring", "beside"]
)
def test_a_second_dart_after_one_entered_by_hand_counts(reported: str, after_s: float) -> None:
    desk = Desk()
    desk.obey(Throw("T20"))
    desk.hear(reported, after_s=after_s)
    assert desk.journal == ["T20", reported]


def test_a_dart_entered_by_hand_after_the_boards_report_is_a_second_one() -> None:
    desk = Desk()
    desk.throw("T20")
    desk.obey(Throw("T20"))
    desk.hear("T20", after_s=1.0)  # which is late, or the third: it cannot be told, and the hand has said two
    assert desk.journal == ["T20", "T20"]


def test_the_halves_of_a_single_are_two_beds() -> None:
    desk = Desk(shipped("granboard"))
    desk.obey(Throw("O5"))
    desk.hear("I5", after_s=1.0)
    assert desk.journal == ["O5", "I5"]


@pytest.mark.parametrize("takeout", ["button", "timer", "hits"])
def test_a_late_report_does_not_count_for_the_next_player(takeout: TakeoutMode) -> None:
    desk = Desk(takeout=takeout)
    desk.obey(Throw("S1"))
    desk.obey(Throw("S1"))
    desk.hear(after_s=PULL_S)
    desk.obey(Throw("T20"))
    if takeout != "hits":  # where the hit itself would open the visit
        desk.obey(Next())
    desk.hear("T20", after_s=1.0)
    assert "T20" not in desk.journal[3:]
    assert desk.events("stray") == ["T20"]


def test_a_dart_counts_when_two_visits_have_gone_by() -> None:
    desk = Desk()
    for command in (Throw("T20"), Next(), Next()):
        desk.obey(command)
    before = list(desk.journal)
    desk.hear("T20", after_s=1.0)
    assert desk.journal == [*before, "T20"]


def test_a_miss_that_is_sensed_after_it_was_entered_counts_once() -> None:
    desk = Desk()
    desk.obey(Miss())
    desk.hear("miss", after_s=1.0)
    desk.hear(after_s=0.5)
    assert desk.journal == ["MISS"]
    assert desk.events("stray") == ["MISS"]


@pytest.mark.parametrize("mended", [Undo(), Amend(2, None), Amend(2, Throw("S20"))])
def test_the_report_of_a_dart_whose_entry_was_taken_back_counts(mended: Command) -> None:
    desk = Desk()
    desk.obey(Throw("T20"))
    desk.obey(mended)
    desk.hear("T20", after_s=1.0)
    assert desk.events("stray") == []
    assert desk.journal[-1] == "T20"


def test_an_entry_that_could_not_be_kept_takes_no_report() -> None:
    desk = Desk()
    checkpoint = desk.scorer.checkpoint()
    desk.obey(Throw("T20"))
    desk.scorer.roll_back(checkpoint, desk.followed.pop())
    desk.hear("T20", after_s=1.0)
    assert desk.journal == ["T20"]


@pytest.mark.parametrize("text", ["double 16", "d16"])
def test_a_bed_may_be_entered_in_other_words(text: str) -> None:
    desk = Desk()
    desk.obey(Throw(text))
    desk.hear("D16", after_s=1.0)
    assert desk.journal == ["D16"]
    desk.obey(Miss())
    desk.obey(Amend(3, Throw(text)))
    desk.hear("D16", after_s=1.0)
    assert desk.journal == ["D16", "MISS", "D16"]
    assert desk.events("stray") == ["D16", "D16"]


@pytest.mark.parametrize("sender", ["page", "mqtt", SeatSender(0)])
def test_a_miss_counts_after_a_next_that_filled_in_misses(sender: Sender) -> None:
    desk = Desk()
    desk.throw("T20")
    desk.obey(Next(), sender)
    desk.hear("miss", after_s=1.2)
    desk.hear(after_s=0.3)
    assert desk.journal == ["T20", "MISS", "MISS", "next", "MISS"]
    assert desk.events("stray") == []


def test_every_miss_counts_after_a_next_of_an_empty_visit() -> None:
    desk = Desk()
    desk.obey(Next())
    for _ in range(3):
        desk.hear("miss", after_s=0.5)
    desk.hear(after_s=0.3)
    assert desk.journal == [*MISSES, "next", *MISSES]


def test_a_miss_counts_after_the_boards_own_next() -> None:
    desk = Desk()
    desk.hear("next")
    desk.hear("miss", after_s=1.0)
    desk.hear(after_s=0.3)
    assert desk.journal == [*MISSES, "next", "MISS"]


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


def test_a_sensed_miss_that_is_corrected_is_entered_then() -> None:
    desk = Desk()
    desk.hear("miss")
    desk.hear(after_s=5.0)
    desk.obey(Amend(2, Throw("T20")))
    desk.hear("T20", after_s=0.5)
    assert desk.journal == ["MISS", "T20"]
    assert desk.events("stray") == ["T20"]


@pytest.mark.parametrize("entered", [Miss(), Throw("S20")])
def test_an_entry_that_is_corrected_later_is_entered_then(entered: Command) -> None:
    desk = Desk()
    desk.obey(entered)
    desk.hear(after_s=2.5)
    desk.obey(Amend(2, Throw("T20")))
    desk.hear("T20", after_s=2.0)
    assert desk.journal[1:] == ["T20"]
    desk.hear("T20", after_s=0.5)  # one entry takes one report
    assert desk.journal[1:] == ["T20", "T20"]


def test_a_miss_that_next_filled_in_and_somebody_corrects_is_entered_then() -> None:
    desk = Desk()
    desk.throw("T1")
    desk.obey(Next())
    desk.hear(after_s=2.5)
    desk.obey(Amend(3, Throw("T20")))
    desk.hear("T20", after_s=0.5)
    assert desk.journal == ["T1", "MISS", "MISS", "next", "T20"]
    assert desk.events("stray") == ["T20"]


def test_a_corrected_dart_that_the_board_has_reported_takes_no_report() -> None:
    desk = Desk()
    desk.throw("S20")
    desk.obey(Amend(2, Throw("T20")))
    desk.hear("T20", after_s=0.5)
    assert desk.journal == ["S20", "T20", "T20"]


def test_a_correction_of_an_entry_that_was_reported_takes_no_report() -> None:
    desk = Desk()
    desk.obey(Throw("S20"))
    desk.hear("S20", after_s=0.5)
    desk.obey(Amend(2, Throw("T20")))
    desk.hear("T20", after_s=0.5)
    assert desk.journal == ["S20", "T20", "T20"]


def test_an_entry_and_its_correction_take_one_report_together() -> None:
    desk = Desk()
    desk.obey(Throw("T20"))
    desk.obey(Amend(2, Throw("S20")))
    desk.hear("S20", after_s=0.5)
    desk.hear("T20", after_s=0.5)
    assert desk.journal == ["T20", "S20", "T20"]
    assert desk.events("stray") == ["S20"]


def test_a_miss_of_an_older_visit_that_is_corrected_takes_no_report() -> None:
    desk = Desk()
    desk.obey(Next())
    desk.obey(Next())
    desk.obey(Amend(2, Throw("T20")))  # in the last visit but one
    desk.hear("T20", after_s=0.5)
    assert desk.journal == [*MISSES, "next", *MISSES, "next", "T20", "T20"]


def test_a_correction_takes_a_report_only_while_it_holds() -> None:
    desk = Desk()
    desk.obey(Throw("T20"))
    desk.obey(Amend(2, Throw("S20")))
    desk.obey(Undo())
    desk.hear("S20", after_s=0.5)
    desk.hear("T20", after_s=0.5)
    assert desk.journal == ["T20", "S20", "undo", "S20"]
    assert desk.events("stray") == ["T20"]


@pytest.mark.parametrize(("after_s", "counted"), [(1.0, []), (2.001, ["T20"])])
def test_an_entry_that_redo_brings_again_has_its_two_seconds(after_s: float, counted: list[str]) -> None:
    desk = Desk()
    desk.obey(Throw("T20"))
    desk.obey(Undo())
    desk.obey(Redo())
    desk.hear("T20", after_s=after_s)
    assert desk.journal == ["T20", "undo", "redo", *counted]


def test_a_correction_that_redo_brings_again_takes_the_report() -> None:
    desk = Desk()
    desk.obey(Miss())
    desk.obey(Amend(2, Throw("T20")))
    desk.obey(Undo())
    desk.obey(Redo())
    desk.hear("T20", after_s=1.0)
    assert desk.journal == ["MISS", "T20", "undo", "redo"]


def test_redo_does_not_bring_again_what_was_reported() -> None:
    desk = Desk()
    desk.obey(Throw("T20"))
    desk.hear("T20", after_s=0.5)
    desk.obey(Undo())
    desk.obey(Redo())
    desk.hear("T20", after_s=0.5)
    assert desk.journal == ["T20", "undo", "redo", "T20"]


@pytest.mark.parametrize("is_won", [False, True])
def test_a_late_report_of_the_last_match_does_not_count_in_the_new_one(*, is_won: bool) -> None:
    desk = Desk(options={"start": 101})
    beds = ["T20", "S1", "D20"] if is_won else ["D20"]
    for bed in beds:
        desk.obey(Throw(bed))
    assert (desk.phase == "over") == is_won
    desk.obey(Start())
    desk.hear("D20", after_s=1.0)
    assert desk.journal == beds + ["stop"] * (not is_won)
    assert desk.events("stray") == ["D20"]


def test_undo_in_a_new_match_takes_back_no_entry_of_the_last_one() -> None:
    desk = Desk()
    desk.obey(Throw("T20"))
    desk.obey(Start())
    desk.hear("S1", after_s=0.5)
    desk.obey(Undo())
    desk.hear("T20", after_s=0.5)
    assert desk.journal == ["T20", "stop", "S1", "undo"]
    assert desk.events("stray") == ["T20"]


def test_no_more_is_kept_however_long_the_match() -> None:
    desk = Desk(options={"start": 1001})
    for _ in range(30):
        desk.obey(Throw("S1"))
        desk.obey(Amend(desk.scorer.match.line, Throw("S2")))
        desk.obey(Undo())
        desk.obey(Next())
    assert len(desk.scorer.checkpoint().entries) == 16
