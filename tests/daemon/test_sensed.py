"""What the scorer of a table makes of a board that sees the darts in it, at times of our own."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import UNSET

from daemon.config.sections import TakeoutMode
from daemon.journal.lines import Line
from daemon.table.scoresheet import Sender, merge
from protocol.codebook import shipped
from protocol.commands import Amend, CommandError, Next, Redo, Sensor, Start, Throw, Undo
from protocol.events import (
    Amended,
    Cleared,
    Complaint,
    Correct,
    Found,
    Hit,
    LinkDown,
    LinkUp,
    Mend,
    Readiness,
    TakeoutSeen,
    Unread,
)
from protocol.match_spec import Format, MatchSpec
from protocol.segment import Point
from protocol.sentence import say
from tests.daemon.desk import PULL_S, Desk

CAMERAS = shipped("opendarts-cameras")
PULLED = TakeoutSeen(step="finished")
UP, DOWN = LinkUp("main", "web:cameras", 0), LinkDown("main", "the board is away", "lost", 0)


def sit_down(takeout: TakeoutMode = "sensor", **table: Any) -> Desk:  # Any: as in Desk
    """A table with cameras, which are there."""
    desk = Desk(CAMERAS, takeout, **table)
    desk.hear(UP)
    return desk


def hit(key: str, bed: str, point: Point | None = None, close: tuple[str, ...] = ()) -> Hit:
    layout = CAMERAS.layout
    return Hit(segment=layout[bed], key=key, point=point, close=tuple(layout[each] for each in close))


def throw(desk: Desk, *darts: str) -> None:
    """Darts such as `a:T20`, a key and a bed; `a:?` is one that is not read."""
    for dart in darts:
        desk.hear(read(dart), after_s=1.0)


def read(dart: str) -> Hit | Unread:
    key, _, bed = dart.partition(":")
    return Unread(key=key) if bed == "?" else hit(key, bed)


def find(*darts: str, is_over: bool = False, is_exact: bool = True) -> Found:
    return Found(darts=tuple(map(read, darts)), is_over=is_over, is_exact=is_exact)


def amend(key: str, bed: str, point: Point | None = None) -> Amended:
    return Amended(key=key, segment=CAMERAS.layout[bed], point=point)


def come_back(desk: Desk, found: Found, *, after_s: float) -> None:
    """The connection is gone for so long; then this is found."""
    desk.hear(DOWN)
    desk.hear(UP, found, after_s=after_s)


def lines(desk: Desk) -> list[dict[str, object]]:
    return [line.input for each in desk.followed for line in each.lines if isinstance(line, Line)]


def darts(desk: Desk) -> list[str]:
    return [dart.segment.id for dart in desk.scorer.match.position.visit.darts]


def told(desk: Desk) -> list[tuple[str, str | None]]:
    """What players have corrected, as the board hears of it."""
    sent = [command for each in desk.followed for command in each.to_board]
    return [(each.key, each.segment.id if each.segment else None) for each in sent if isinstance(each, Correct)]


def asked(desk: Desk) -> tuple[str, list[str | None]] | None:
    question = desk.scorer.show(desk.state).sensor
    return None if question is UNSET else (question.kind, [dart.segment for dart in question.darts])


def refuse(desk: Desk, sensor: Sensor) -> str:
    reply = desk.obey(sensor).reply
    assert isinstance(reply, CommandError)
    return reply.code


def notices(desk: Desk) -> list[str]:
    return [str(each.notice) for each in desk.followed if each.notice is not None]


def test_a_dart_is_kept_with_its_point_and_key_and_shown_without_the_key() -> None:
    desk = sit_down()
    desk.hear(hit("v/0", "T20", (-32, 1012), ("I20", "O5")), hit("v/1", "D3"))
    assert lines(desk) == [
        {"throw": "T20", "point": (-32, 1012), "dart": "v/0", "close": ("I20", "O5")},
        {"throw": "D3", "dart": "v/1"},
    ]
    first, second = desk.state.turn.darts
    assert (first.point, first.close, first.unread) == ((-32, 1012), ("I20", "O5"), UNSET)
    assert (second.point, second.close, second.unread) == (UNSET, UNSET, UNSET)


def test_a_dart_is_entered_once_however_often_it_is_told() -> None:
    desk = sit_down()
    throw(desk, "a:T20", "a:T20", "b:D3", "a:T20", "a:O5")
    assert desk.journal == ["T20", "D3"]
    assert desk.scorer.status.counts.drops == {"echo": 3}
    throw(desk, "c:T1", "d:T2", "d:T2")
    assert desk.events("stray") == ["T2"], "of the fourth one people hear once"


def test_a_dart_that_is_not_read_counts_as_a_miss_until_it_is() -> None:
    desk = sit_down()
    desk.hear(Unread(key="a", point=(10, -20)))
    assert lines(desk) == [{"throw": "MISS", "point": (10, -20), "dart": "a", "unread": True}]
    (dart,) = desk.state.turn.darts
    assert (dart.segment, dart.points, dart.unread, dart.point) == ("MISS", 0, True, (10, -20))
    desk.hear(amend("a", "O3", (10, -1200)))
    (dart,) = desk.state.turn.darts
    assert (dart.segment, dart.points, dart.unread, dart.point) == ("O3", 3, UNSET, (10, -1200))


def test_the_board_corrects_a_dart_in_this_visit_or_the_last_one() -> None:
    desk = sit_down()
    throw(desk, "a:T20", "b:O1", "c:O1")
    desk.hear(amend("b", "T20"), PULLED, amend("c", "T19"))
    throw(desk, "d:D1")
    assert lines(desk)[3:] == [
        {"amend": 3, "throw": "T20", "dart": "b"},
        {"next": True},
        {"amend": 4, "throw": "T19", "dart": "c"},
        {"throw": "D1", "dart": "d"},
    ]
    desk.hear(PULLED, amend("c", "T18"), amend("x", "T18"))
    assert lines(desk)[-1] == {"next": True}, "it is of an older visit, or of none"
    sources = [line.source for each in desk.followed for line in each.lines if isinstance(line, Line)]
    assert sources == [*["board"] * 4, "sensor", *["board"] * 2, *["sensor"] * 3]


def test_a_point_stays_with_a_dart_that_was_corrected_to_where_it_is() -> None:
    desk = sit_down()
    desk.hear(hit("a", "O20", (0, 1030)), amend("a", "T20"))
    assert [dart.point for dart in desk.state.turn.darts] == [(0, 1030)]
    desk.hear(amend("a", "T20"), amend("a", "T20", (1, 1030)))
    assert len(lines(desk)) == 2, "nothing is new"
    desk.hear(amend("a", "D3"))
    assert [dart.point for dart in desk.state.turn.darts] == [UNSET]


@pytest.mark.parametrize(
    ("command", "left"),
    [
        (Amend(2, Throw("T5")), ["T5", "O1"]),
        (Amend(2, None), ["O1"]),
        (Undo(), ["T20"]),
        (Throw("D9"), ["T20", "O1", "D9"]),
    ],
)
def test_what_a_player_has_changed_the_board_does_not_correct(command: Amend | Undo | Throw, left: list[str]) -> None:
    desk = sit_down()
    throw(desk, "a:T20", "b:O1")
    desk.hear(after_s=5.0)
    desk.obey(command)
    before = len(lines(desk))
    desk.scorer.watch_board()
    desk.hear(amend("a", "D7"), amend("b", "D7"), read("a:T20"), read("b:O1"))
    assert (darts(desk), len(lines(desk))) == (left, before)
    assert desk.scorer.status.counts.drops == {"refused": 2, "echo": 2}
    assert desk.scorer.watch is not None
    desk.scorer.watch.note_committed()
    fates = [each["fate"] for each in desk.scorer.watch.encode(lambda time_ns: time_ns)]
    assert fates == ["refused", "refused", "echo", "echo"]


def test_a_correction_of_the_board_that_would_change_who_threw_is_only_told() -> None:
    desk = sit_down()
    desk.obey(Start(MatchSpec("x01", ("Ann", "Bo"), options={"start": 101}, format=Format(2))))
    throw(desk, "a:T20", "b:O1", "c:O20")
    desk.hear(PULLED)
    throw(desk, "d:O1")
    before = lines(desk)
    desk.hear(amend("c", "D20"))
    assert (lines(desk), desk.player) == (before, "Bo")
    assert notices(desk) == [
        "the board has corrected a dart: this would change who threw line 6: undo back to that line",
    ]


def test_a_correction_of_a_player_is_told_to_the_board() -> None:
    desk = sit_down()
    throw(desk, "a:T20", "b:?", "c:O1")
    desk.obey(Amend(2, Throw("treble 19")))
    desk.obey(Amend(3, Throw("MISS")))
    desk.obey(Amend(2, Throw("T18")))
    desk.obey(Amend(4, None))
    assert told(desk) == [("a", "T19"), ("b", "MISS"), ("a", "T18"), ("c", None)]
    assert lines(desk)[3] == {"amend": 2, "throw": "T19"}, "without point and key"
    desk.obey(Undo())
    assert told(desk)[4:] == [("c", "O1")]
    desk.obey(Redo())
    assert told(desk)[5:] == [("c", None)]
    desk.obey(Throw("T1"))
    desk.obey(Next())
    desk.obey(Amend(2, Throw("T17")))
    assert told(desk)[6:] == [("a", "T17")], "of the last visit too"
    desk.obey(Next())
    desk.obey(Amend(2, Throw("T16")))
    assert told(desk)[7:] == [], "of no older one"


def test_a_dart_that_was_taken_back_is_told_and_brought_again() -> None:
    desk = sit_down()
    throw(desk, "a:T20", "b:O1")
    desk.obey(Undo())
    desk.obey(Redo())
    assert told(desk) == [("b", None), ("b", "O1")]


def test_a_dart_that_only_has_no_effect_any_more_is_not_told_as_none() -> None:
    desk = sit_down(options={"start": 101})
    throw(desk, "a:T20", "b:O1", "c:O1")
    desk.obey(Amend(2, Throw("DB")))
    desk.obey(Amend(3, Throw("T20")))  # bust: the third dart has no effect
    assert darts(desk) == ["DB", "T20"]
    assert told(desk) == [("a", "DB"), ("b", "T20")]


def test_while_the_board_is_away_a_correction_is_not_told_and_people_hear_so() -> None:
    desk = sit_down()
    throw(desk, "a:T20")
    desk.hear(DOWN)
    desk.obey(Amend(2, Throw("T19")))
    assert told(desk) == []
    assert notices(desk) == ["the board was not told of this: it is not connected"]


@pytest.mark.parametrize(
    ("thrown", "journal"),
    [(["a:T20", "b:O1", "c:O1"], ["T20", "O1", "O1", "next"]), (["a:T20"], ["T20", "MISS", "MISS", "next"]), ([], [])],
)
def test_pulled_darts_close_the_visit_that_has_some(thrown: list[str], journal: list[str]) -> None:
    desk = sit_down()
    throw(desk, *thrown)
    desk.hear(TakeoutSeen(step="started"), TakeoutSeen(step="false"))
    assert len(desk.journal) == len(thrown)
    desk.hear(PULLED)
    assert desk.journal == journal
    desk.hear(PULLED)
    assert desk.journal == journal, "nothing is thrown yet"


def test_pulled_darts_answer_a_question_with_its_default() -> None:
    desk = sit_down(game="tactics")
    throw(desk, "a:T20")
    assert desk.phase == "deciding"
    desk.hear(PULLED)
    assert (desk.journal, desk.player) == (["T20", "20", "MISS", "MISS", "next"], "Bo")


def test_undo_takes_back_pulled_darts_with_the_dart_before() -> None:
    desk = sit_down()
    throw(desk, "a:T20", "b:O1", "c:D5")
    desk.hear(PULLED)
    desk.obey(Undo())
    assert (desk.player, darts(desk)) == ("Ann", ["T20", "O1"])
    desk.hear(after_s=60.0)
    assert (desk.player, desk.scorer.deadline()) == ("Ann", None)


@pytest.mark.parametrize("takeout", ["button", "timer", "hits"])
def test_by_the_other_policies_pulled_darts_start_the_timer(takeout: TakeoutMode) -> None:
    desk = sit_down(takeout)
    throw(desk, "a:T20", "b:O1")
    desk.hear(PULLED)
    assert desk.scorer.deadline() is None
    throw(desk, "c:D5")
    desk.hear(PULLED)
    assert desk.journal == ["T20", "O1", "D5"]
    desk.hear(after_s=PULL_S)
    assert desk.journal == ["T20", "O1", "D5", "next"]


def test_after_an_undo_the_next_dart_opens_the_next_visit_as_the_darts_were_pulled_before() -> None:
    desk = sit_down()
    throw(desk, "a:T20", "b:T20", "c:T20")
    desk.hear(PULLED, after_s=1.0)
    desk.obey(Undo())
    desk.obey(Throw("T1"))
    throw(desk, "d:O5")
    assert (desk.player, darts(desk), desk.events("stray")) == ("Bo", ["O5"], [])
    throw(desk, "e:O5", "f:O5", "g:O5")
    assert (desk.player, desk.events("stray")) == ("Bo", ["O5"]), "those were not pulled"


def test_pulled_darts_do_nothing_while_a_bot_throws() -> None:
    desk = sit_down(players=("Ann", "bot:45"))
    throw(desk, "a:T20", "b:O1", "c:D5")
    desk.obey(Next())
    desk.obey(Throw("T20"), "bot")
    desk.hear(PULLED)
    assert (desk.journal[3:], notices(desk)) == (["next", "T20"], [])


def test_a_board_that_was_cleared_asks_whether_the_visit_is_over() -> None:
    desk = sit_down()
    desk.hear(Cleared())
    assert asked(desk) is None
    throw(desk, "a:T20")
    desk.hear(Cleared())
    assert asked(desk) == ("cleared", [])
    assert refuse(desk, Sensor("take")) == "illegal"
    desk.obey(Sensor("leave"))
    assert asked(desk) is None
    throw(desk, "b:T19")
    desk.hear(Cleared())
    desk.obey(Next())
    assert (asked(desk), desk.journal) == (None, ["T20", "T19", "MISS", "next"])
    assert refuse(desk, Sensor("leave")) == "unavailable"


def test_what_is_found_after_a_short_gap_in_the_same_visit_is_entered() -> None:
    desk = sit_down()
    throw(desk, "a:T20")
    come_back(desk, find("a:T20", "b:O1"), after_s=2.9)
    assert (desk.journal, asked(desk)) == (["T20", "O1"], None)
    come_back(desk, find("a:T20", "b:O1", "c:D5", is_over=True), after_s=1.0)
    assert (desk.journal, desk.player) == (["T20", "O1", "D5", "next"], "Bo")


def test_a_gap_begins_when_the_board_was_heard_last() -> None:
    desk = sit_down()
    throw(desk, "a:T20")
    desk.hear(LinkDown("main", "the board is silent", "lost", 0, unheard_ns=25_000_000_000), after_s=25.0)
    desk.hear(UP, find("a:T20", "b:O1"), after_s=1.0)
    assert (desk.journal, asked(desk)) == (["T20"], ("found", ["O1"]))


def test_what_is_found_after_a_longer_gap_is_asked_for() -> None:
    desk = sit_down()
    throw(desk, "a:T20")
    come_back(desk, find("a:T20", "b:O1", "c:D5"), after_s=3.0)
    assert (desk.journal, asked(desk)) == (["T20"], ("found", ["O1", "D5"]))
    assert refuse(desk, Sensor("take", "0")) == "stale"
    assert refuse(desk, Sensor("start")) == "unavailable"
    desk.obey(Sensor("take", "1"))
    assert (desk.journal, asked(desk)) == (["T20", "O1", "D5"], None)
    throw(desk, "b:O1")
    assert desk.events("stray") == []


@pytest.mark.parametrize("is_over", [False, True])
def test_in_an_empty_visit_found_darts_are_asked_for(is_over: bool) -> None:
    desk = sit_down()
    come_back(desk, find("a:T20", "b:?", is_over=is_over), after_s=1.0)
    assert asked(desk) == ("found", ["T20", None])
    desk.obey(Sensor("take"))
    assert desk.journal == ["T20", "MISS", *(["MISS", "next"] if is_over else [])]


def test_the_board_corrects_a_dart_that_is_asked_for() -> None:
    desk = sit_down()
    throw(desk, "a:T20")
    come_back(desk, find("a:T20", "b:?", "c:D5"), after_s=10.0)
    desk.hear(amend("b", "T19", (10, -1020)))
    assert (desk.scorer.status.counts.drops, asked(desk)) == ({}, ("found", ["T19", "D5"]))
    desk.obey(Sensor("take"))
    assert lines(desk)[1:] == [{"throw": "T19", "point": (10, -1020), "dart": "b"}, {"throw": "D5", "dart": "c"}]


def test_found_darts_that_are_left_are_not_asked_for_again() -> None:
    desk = sit_down()
    throw(desk, "a:T20")
    for _ in range(2):
        come_back(desk, find("a:T20", "b:O1"), after_s=10.0)
        if asked(desk):
            desk.obey(Sensor("leave"))
    assert (desk.journal, asked(desk)) == (["T20"], None)
    come_back(desk, find("a:T20", "b:O1", "c:D5"), after_s=10.0)
    assert asked(desk) == ("found", ["D5"]), "it is still the same visit"


def test_a_dart_thrown_before_the_answer_counts_at_once_and_comes_after_the_taken_ones() -> None:
    desk = sit_down()
    come_back(desk, find("a:T20", "b:O1"), after_s=10.0)
    throw(desk, "c:D5")
    assert (darts(desk), asked(desk)) == (["D5"], ("found", ["T20", "O1"]))
    desk.obey(Sensor("take"))
    assert (darts(desk), asked(desk)) == (["T20", "O1", "D5"], None)
    throw(desk, "c:D5")
    assert len(darts(desk)) == 3


def test_a_dart_thrown_after_the_taken_ones_were_pulled_is_of_the_next_visit() -> None:
    desk = sit_down()
    throw(desk, "a/0:T20", "a/1:T20")
    come_back(desk, find("a/0:T20", "a/1:T20", "a/2:T5", is_over=True), after_s=10.0)
    throw(desk, "b/0:D5")
    assert darts(desk) == ["T20", "T20", "D5"]
    desk.obey(Sensor("take"))
    assert (desk.player, darts(desk), desk.events("stray")) == ("Bo", ["D5"], [])
    desk.hear(amend("b/0", "T1"))
    assert (darts(desk), asked(desk)) == (["T1"], None)
    last = desk.scorer.match.position.last
    assert last is not None
    assert [dart.segment.id for dart in last.darts] == ["T20", "T20", "T5"]


def test_taken_darts_come_last_where_a_player_has_entered_one_meanwhile() -> None:
    desk = sit_down()
    come_back(desk, find("a:T20"), after_s=10.0)
    throw(desk, "b:D5")
    desk.obey(Throw("T1"))
    desk.obey(Sensor("take"))
    assert darts(desk) == ["D5", "T1", "T20"]


def test_darts_of_other_visits_are_only_listed() -> None:
    desk = sit_down()
    throw(desk, "a:T20")
    come_back(desk, find("x:O1", "y:D5", is_over=True), after_s=10.0)
    desk.hear(find("z:T3"), find("z:T3"))
    assert (desk.journal, asked(desk)) == (["T20"], ("other", ["O1", "D5", "T3"]))
    assert refuse(desk, Sensor("take")) == "illegal"
    desk.hear(PULLED)
    assert asked(desk) is not None
    desk.obey(Sensor("leave"))
    assert asked(desk) is None
    come_back(desk, find("x:O1", "y:D5"), after_s=10.0)
    assert asked(desk) is None


def test_the_visits_before_that_a_board_lists_at_the_first_connection_are_not_asked_for() -> None:
    desk = sit_down()
    for visit in "uvw":
        desk.hear(find(f"{visit}0:T20", f"{visit}1:O1", is_over=True))
    assert asked(desk) is None
    throw(desk, "a:T20")
    desk.hear(PULLED)
    come_back(desk, Found(darts=()), after_s=20.0)
    desk.hear(find("w0:T20", "w1:O1", is_over=True), find("a:T20", is_over=True))
    assert asked(desk) is None
    desk.hear(find("b:T20", "c:O1", is_over=True), find("d:T5", is_over=True))
    assert asked(desk) == ("found", ["T20", "O1"]), "Bo, who is at the oche, has thrown"
    desk.hear(find("a:T20", is_over=True), find("b:T20", "c:O1", is_over=True), find("d:T5", is_over=True))
    desk.obey(Sensor("take", "1"))
    assert (desk.player, asked(desk)) == ("Ann", ("other", ["T5"])), "it was the same question"


@pytest.mark.parametrize("is_exact", [False, True])
def test_darts_of_the_next_visit_close_the_thrown_one_and_are_asked_for(is_exact: bool) -> None:
    desk = sit_down()
    throw(desk, "a:T20", "b:O1", "c:D5")
    come_back(desk, find("m:T1", is_exact=is_exact), after_s=10.0)
    assert (desk.player, asked(desk)) == ("Bo", ("found", ["T1"]))
    desk.obey(Sensor("take"))
    assert (desk.player, darts(desk)) == ("Bo", ["T1"])


def test_by_a_button_the_darts_of_the_next_visit_close_none() -> None:
    desk = sit_down("button")
    throw(desk, "a:T20", "b:O1", "c:D5")
    come_back(desk, find("m:T1"), after_s=10.0)
    assert (desk.player, asked(desk)) == ("Ann", ("other", ["T1"]))


def test_after_a_restart_older_visits_than_those_on_the_disk_are_not_listed() -> None:
    desk = sit_down()
    throw(desk, "a:T20")
    desk.hear(find("u:T5", is_over=True), find("a:T20"), find("x:T1", is_over=True))
    assert asked(desk) == ("other", ["T1"])


def test_what_a_board_reads_otherwise_after_a_gap_is_corrected() -> None:
    desk = sit_down()
    throw(desk, "a:T20", "b:?", "c:D5")
    desk.hear(PULLED)
    come_back(desk, find("a:T20", "b:T19", "c:D5", is_over=True), after_s=10.0)
    last = desk.state.last
    assert last is not None
    assert [dart.segment for dart in last.darts] == ["T20", "T19", "D5"]
    assert (desk.player, asked(desk)) == ("Bo", None)


def test_a_dart_of_another_visit_in_the_same_bed_is_not_taken_for_a_known_one() -> None:
    desk = sit_down()
    throw(desk, "a/0:T20")
    come_back(desk, find("b/0:T20"), after_s=10.0)
    assert asked(desk) == ("other", ["T20"])
    desk.hear(find("a/0:T20", "a/1:T20", "a/2:O1", is_over=True), amend("b/0", "T5"))
    assert (darts(desk), asked(desk)) == (["T20"], ("found", ["T20", "O1"]))
    desk.obey(Sensor("take"))
    assert (desk.journal, asked(desk)) == (["T20", "T20", "O1", "next"], ("other", ["T5"]))


def test_of_several_visits_that_nobody_knows_the_first_is_offered_and_the_others_are_listed() -> None:
    desk = sit_down()
    come_back(desk, find("c/0:O1"), after_s=10.0)
    desk.hear(find("a/0:T20", is_over=True), find("b/0:T19", "b/1:D5", is_over=True))
    assert asked(desk) == ("found", ["T20"])
    desk.obey(Sensor("take"))
    assert (desk.player, asked(desk)) == ("Bo", ("other", ["T19", "D5", "O1"]))


def test_after_a_restart_older_visits_than_those_on_the_disk_are_not_offered() -> None:
    desk = sit_down()
    throw(desk, "a:T20")
    desk.hear(PULLED, find("u:T5", is_over=True))
    assert asked(desk) == ("found", ["T5"])
    desk.hear(find("a:T20", is_over=True))
    assert asked(desk) is None
    desk.hear(find("b:T1", is_over=True))
    assert asked(desk) == ("found", ["T1"])


def test_after_a_restart_the_visit_in_progress_stays_offered_beside_older_ones() -> None:
    desk = sit_down()
    throw(desk, "a:T20")
    desk.hear(PULLED, find("b:T1"), find("u:T5", is_over=True), find("a:T20", is_over=True))
    assert asked(desk) == ("found", ["T1"])
    desk.obey(Sensor("take"))
    assert (darts(desk), asked(desk)) == (["T1"], None)
    for _ in range(2):
        desk.hear(find("b:T1", "c:T5", is_over=True))
        assert asked(desk) == ("found", ["T5"])


def test_a_long_list_of_other_darts_is_cut_to_the_latest() -> None:
    desk = sit_down()
    throw(desk, "a:T20")
    for number in range(8):
        desk.hear(find(f"x{number}:O1", f"y{number}:D5"))
    question = asked(desk)
    assert question is not None
    assert len(question[1]) == 9
    desk = sit_down()
    throw(desk, "a:T20")
    desk.hear(find("p0:S1", "p1:S2"))
    for number in range(4):
        desk.hear(find(f"x{number}:O1", f"y{number}:D5", f"z{number}:T3", is_over=True))
    assert asked(desk) == ("other", ["T3", *["O1", "D5", "T3"] * 2, "S1", "S2"]), "those in the board are the latest"
    desk.hear(find("p0:S1", "p1:S2", is_over=True), find("q0:S3"))
    assert asked(desk) == ("other", ["O1", "D5", "T3"] * 2 + ["S1", "S2", "S3"])


def test_what_a_board_without_lasting_keys_finds_is_compared_by_its_segments() -> None:
    desk = sit_down()
    throw(desk, "a:T20", "b:O1")
    come_back(desk, find("m:T20", "n:O1", is_exact=False), after_s=10.0)
    assert (desk.journal, asked(desk)) == (["T20", "O1"], None)
    desk.hear(amend("n", "T1"))
    assert darts(desk) == ["T20", "T1"], "it is the same dart by its new name"
    desk.obey(Amend(2, Throw("T19")))
    assert told(desk) == [("m", "T19")]
    come_back(desk, find("p:T20", "q:T1", "r:D5", is_exact=False), after_s=10.0)
    assert asked(desk) == ("found", ["D5"]), "the board does not know what a player has corrected"
    come_back(desk, find("t:D5", is_exact=False), after_s=10.0)
    assert asked(desk) == ("other", ["D5"])


def test_the_darts_of_the_last_visit_that_are_still_in_the_board_are_not_new() -> None:
    desk = sit_down()
    throw(desk, "a:T20", "b:O1", "c:D5")
    desk.obey(Next())
    come_back(desk, find("m:T20", "n:O1", "o:D5", is_exact=False), after_s=10.0)
    assert (len(desk.journal), asked(desk)) == (4, None)
    desk.hear(PULLED)
    come_back(desk, find("p:T20", is_exact=False), after_s=10.0)
    assert asked(desk) == ("found", ["T20"]), "those are out: this is a new one"


@pytest.mark.parametrize(("player", "sender"), [("Bo", "page"), ("bot:45", "bot")])
def test_darts_that_are_not_pulled_yet_do_not_follow_on_one_that_no_board_has_seen(player: str, sender: Sender) -> None:
    desk = sit_down("button", players=("Ann", player))
    throw(desk, "a:T20", "b:T20", "c:D5")
    desk.obey(Next())
    desk.obey(Throw("T20"), sender)
    come_back(desk, find("m:T20", "n:T20", "o:D5", is_exact=False), after_s=1.0)
    assert (darts(desk), desk.events("stray"), asked(desk)) == (["T20"], [], None)


def test_what_players_entered_while_the_board_was_away_is_not_found_once_more() -> None:
    desk = sit_down()
    throw(desk, "a:T20")
    desk.hear(DOWN)
    desk.obey(Throw("O1"))
    desk.hear(UP, find("a:T20", "b:O5", "c:D5"), after_s=10.0)
    assert asked(desk) == ("found", ["D5"])
    desk.obey(Sensor("leave"))
    desk = sit_down()
    desk.hear(DOWN)
    desk.obey(Throw("T20"))
    desk.hear(UP, find("a:T20"), after_s=1.0)
    assert (desk.journal, asked(desk)) == (["T20"], None)


def test_a_dart_that_was_taken_back_is_not_found_again() -> None:
    desk = sit_down()
    throw(desk, "a:T20", "b:O1")
    desk.obey(Undo())
    come_back(desk, find("a:T20", "b:O1"), after_s=1.0)
    assert darts(desk) == ["T20"]
    come_back(desk, find("m:T20", "n:O1", is_exact=False), after_s=1.0)
    assert (darts(desk), asked(desk)) == (["T20"], None)


def test_an_empty_board_closes_a_thrown_visit_and_asks_in_the_middle_of_one() -> None:
    desk = sit_down()
    throw(desk, "a:T20")
    come_back(desk, Found(darts=()), after_s=10.0)
    assert asked(desk) == ("cleared", [])
    throw(desk, "b:O1", "c:D5")
    come_back(desk, Found(darts=()), after_s=10.0)
    assert (desk.journal, desk.player) == (["T20", "O1", "D5", "next"], "Bo")
    come_back(desk, Found(darts=()), after_s=10.0)
    assert (len(desk.journal), asked(desk)) == (4, None)


def test_a_board_that_sees_no_darts_says_so_once_and_offers_what_helps() -> None:
    desk = sit_down()
    assert refuse(desk, Sensor("start")) == "unavailable"
    stopped = Readiness(said=say("mine.stopped", "it is stopped: start it"), remedy="start")
    desk.hear(stopped, stopped)
    assert (desk.board.online, desk.board.info.text, desk.board.info.remedy) == (
        True,
        "it is stopped: start it",
        "start",
    )
    assert notices(desk) == ["it is stopped: start it"]
    desk.hear(LinkUp("main", "web:cameras", 0, is_flooding=True))
    assert desk.board.info.text == "it is stopped: start it"
    assert refuse(desk, Sensor("reset")) == "unavailable"
    assert desk.obey(Sensor("start")).to_board == (Mend("start"),)
    desk.hear(Readiness())
    assert (desk.board.info.text.split(":")[0], desk.board.info.remedy) == ("the board at web", None)
    desk.hear(stopped, DOWN)
    assert (desk.board.info.text, desk.board.info.remedy) == ("the board is away", None)
    desk.hear(UP)
    assert desk.board.info.text == "connected to web:cameras"


def test_what_the_board_has_not_done_is_said() -> None:
    desk = sit_down()
    desk.hear(Complaint(said=say("mine.no", "it did not take the correction")))
    assert notices(desk) == ["it did not take the correction"]


def test_a_dart_entered_by_hand_and_seen_late_is_the_same_dart() -> None:
    desk = sit_down()
    desk.obey(Throw("T20"))
    desk.hear(read("a:T20"), after_s=1.0)
    throw(desk, "a:T20")
    assert (desk.journal, desk.events("stray")) == (["T20"], ["T20"])
    desk.obey(Amend(2, Throw("T19")))
    assert told(desk) == [("a", "T19")]


def test_a_dart_entered_by_hand_and_not_read_by_the_board_is_the_same_dart() -> None:
    desk = sit_down()
    desk.obey(Throw("T20"))
    desk.hear(read("a:?"), after_s=1.0)
    assert (darts(desk), desk.events("stray")) == (["T20"], ["MISS"])
    throw(desk, "b:?", "a:?")
    assert (darts(desk), desk.state.turn.darts[1].unread) == (["T20", "MISS"], True)


def test_a_dart_that_a_player_has_read_is_not_taken_for_the_next_one() -> None:
    desk = sit_down()
    throw(desk, "a:?")
    desk.obey(Amend(2, Throw("T20")))
    throw(desk, "b:T20")
    assert darts(desk) == ["T20", "T20"]


def test_what_could_not_be_written_is_not_known() -> None:
    desk = sit_down()
    throw(desk, "a:T20")
    desk.scorer.watch_board()
    checkpoint, before = desk.scorer.checkpoint(), len(desk.followed)
    desk.hear(amend("a", "T19"), read("b:O1"), after_s=1.0)
    left = desk.scorer.roll_back(checkpoint, merge(desk.followed[before:]))
    assert [event.event_type for event in left.events] == ["hit", "stray"], "the correction is no dart"
    throw(desk, "b:O1")
    assert darts(desk) == ["T20", "O1"]
