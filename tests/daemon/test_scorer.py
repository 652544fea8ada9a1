"""What the scorer of a table makes of its board, at times of our own: sensors, keys, pulled darts, stuck segments."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import UNSET

from daemon.config.sections import TakeoutMode
from daemon.journal.lines import Line
from daemon.table.takeout import choose_mode
from protocol.codebook import ACTING, list_shipped, shipped
from protocol.commands import Amend, CommandError, Next, Redo, Throw, Total, Undo
from protocol.events import Battery, Button, Echo, Garbage, LinkDown, LinkUp, Stuck
from tests.commanding import decode
from tests.daemon.desk import MISSES, PULL_S, Desk, refused


def test_a_miss_is_written_when_no_contact_has_explained_it() -> None:
    desk = Desk()
    desk.hear("miss")
    assert desk.journal == []
    desk.hear(after_s=0.3)
    assert desk.journal == ["MISS"]
    desk.hear("miss", after_s=1.0)
    desk.hear("T20", after_s=0.1)
    desk.hear("miss", after_s=0.1)
    desk.hear(after_s=1.0)
    assert desk.journal == ["MISS", "T20"]
    assert desk.scorer.status.counts.drops == {"sensor": 2}


@pytest.mark.parametrize(("text", "bed"), [("double 16", "D16"), ("t20", "T20"), ("25", "SB"), ("BULL", "DB")])
def test_what_is_written_for_a_bed_is_kept_and_told_as_its_id(text: str, bed: str) -> None:
    desk = Desk()
    for words in ({"throw": text}, {"throw": "MISS"}, {"amend": 3, "throw": text}):
        desk.obey(decode(words).command)
    lines = [line.input for each in desk.followed for line in each.lines if isinstance(line, Line)]
    assert lines == [{"throw": bed}, {"throw": "MISS"}, {"amend": 3, "throw": bed}]
    told = [event.segment for each in desk.followed for event in each.events if event.event_type == "dart"]
    assert told == [bed, "MISS"]
    assert [dart.segment.id for dart in desk.scorer.match.position.visit.darts] == [bed, bed]


def test_a_miss_that_next_has_filled_in_can_be_amended() -> None:
    desk = Desk()
    desk.throw("T20")
    desk.hear("next", after_s=1.0)
    assert desk.journal == ["T20", "MISS", "MISS", "next"]
    desk.obey(Amend(3, Throw("DB")))
    last = desk.state.last
    assert last is not None
    assert ([dart.segment for dart in last.darts], last.points) == (["T20", "DB", "MISS"], 110)


def test_a_miss_that_is_held_back_goes_to_its_thrower() -> None:
    desk = Desk()
    desk.throw("T20", "T20")
    desk.hear("miss", after_s=1.0)
    desk.hear("next", after_s=0.1)
    desk.hear(after_s=1.0)
    assert desk.journal == ["T20", "T20", "MISS", "next"]
    assert desk.player == "Bo"


def test_a_sensor_that_feels_the_darts_being_pulled_throws_nothing() -> None:
    desk = Desk(takeout="timer")
    desk.throw("T20", "T20", "T20")
    desk.hear("miss", after_s=PULL_S - 0.1)
    desk.hear(after_s=0.5)
    assert (desk.phase, desk.journal) == ("takeout", ["T20"] * 3)
    desk.hear(after_s=PULL_S)
    assert (desk.phase, desk.player, desk.journal) == ("throwing", "Bo", ["T20"] * 3 + ["next"])


def test_everything_that_is_no_dart_is_counted_by_its_reason() -> None:
    desk = Desk()
    desk.hear("T20", "T20", "O20", "D3", Echo(time_ns=round(desk.now * 1e9)), Garbage(raw=b"?", time_ns=1))
    desk.hear("miss")
    counts = desk.scorer.status.counts
    assert counts.drops == {"repeat": 1, "contact": 1, "echo": 1, "sensor": 1}
    assert (counts.hits, counts.dropped, counts.garbage, counts.stray) == (2, 4, 1, 0)
    assert desk.journal == ["T20", "D3"]


@pytest.mark.parametrize("name", [*ACTING, "light"])
def test_the_buttons_that_act_are_those_that_profiles_are_told_of(name: str) -> None:
    def acts(darts: int) -> bool:
        desk = Desk()
        desk.throw(*["T20"] * darts)
        before = (desk.journal, desk.scorer.deadline())
        desk.hear(Button(name=name, time_ns=round(desk.now * 1e9)))
        return before != (desk.journal, desk.scorer.deadline())

    assert (acts(1) or acts(3)) == (name in ACTING), "in the middle of a visit, or when it is thrown"


@pytest.mark.parametrize("apart_s", [0.02, 0.15, 0.5, 0.99])
def test_a_next_button_that_bounces_or_is_held_skips_no_player(apart_s: float) -> None:
    desk = Desk()
    desk.throw("T20", "T20", "T20")
    for _ in range(30):
        desk.hear("next", after_s=apart_s)
    assert (desk.journal[3:], desk.player) == (["next"], "Bo")
    desk.hear("next", after_s=1.5)
    assert (desk.journal[4:], desk.player) == ([*MISSES, "next"], "Ann"), "let go and pressed again: Bo stays away"


def test_an_early_next_that_bounces_skips_no_player() -> None:
    desk = Desk()
    desk.throw("T20")
    for _ in range(5):
        desk.hear("next", after_s=0.3)
    assert (desk.journal, desk.player) == (["T20", "MISS", "MISS", "next"], "Bo")
    desk.throw("DB")
    desk.hear("next", after_s=0.2)
    assert desk.player == "Ann", "Bo has thrown since: this is another press"


def test_a_next_of_a_phone_is_not_doubled_by_the_button() -> None:
    desk = Desk()
    desk.obey(Next())
    desk.hear("next", after_s=0.4)
    assert desk.player == "Bo"


def test_next_answers_a_question_with_its_default_and_goes_on() -> None:
    desk = Desk(shipped("plain-yatzy"), game="yatzy_dart")
    desk.throw("1i", "2i", "3i")
    assert desk.phase == "deciding"
    row = desk.scorer.match.position.blocking
    assert row is not None
    desk.hear("next", after_s=2.0)
    assert desk.journal == ["1i", "2i", "3i", str(row.default), "next"]
    for _ in range(3):
        desk.hear("next", after_s=0.3)
    assert desk.player == "Bo"


def test_next_does_not_answer_a_question_without_a_default() -> None:
    desk = Desk(game="d20_elimination", options={"dice": "manual"})
    assert desk.phase == "deciding"
    desk.hear("next", after_s=2.0)
    assert "roll@1" in str(desk.latest.notice)
    assert (desk.journal, desk.player) == ([], "Ann")
    desk.throw("T20")
    assert desk.events("stray") == ["T20"]
    assert str(desk.latest.notice).startswith("T20 did not count: answer roll@1 first")


def test_pulling_darts_counts_for_nothing_and_starts_the_timer_again() -> None:
    desk = Desk(takeout="timer")
    desk.throw("T20", "T20", "T20")
    for pulled in ("D5", "I1", "T20"):
        desk.hear(pulled, after_s=PULL_S - 0.5)
    assert (desk.events("stray"), desk.phase) == (["D5", "I1", "T20"], "takeout")
    desk.hear(after_s=PULL_S)
    assert (desk.journal, desk.player) == (["T20"] * 3 + ["next"], "Bo")


def test_a_segment_that_got_stuck_does_not_keep_the_next_player_waiting() -> None:
    desk = Desk(takeout="timer")
    desk.throw("T20", "T20", "DB")
    for _ in range(200):
        desk.hear("DB", after_s=0.09)
    assert (desk.journal, desk.player) == (["T20", "T20", "DB", "next"], "Bo")
    assert desk.stuck == ["DB"]


def test_a_hit_after_a_quiet_while_opens_the_next_visit() -> None:
    desk = Desk(takeout="hits")
    desk.throw("T20", "T20", "T20")
    desk.hear("D5", after_s=PULL_S - 0.1)
    desk.hear("I1", after_s=PULL_S - 0.1)
    assert desk.events("stray") == ["D5", "I1"], "each of them begins the quiet anew"
    desk.hear("DB", after_s=PULL_S)
    assert (desk.journal[3:], desk.player) == (["next", "DB"], "Bo")


@pytest.mark.parametrize("sensor_first_s", [0.01, -0.01])
def test_a_sensor_that_feels_the_hit_keeps_the_quiet_before(sensor_first_s: float) -> None:
    desk = Desk(takeout="hits")
    desk.throw("T20", "T20", "T20")
    desk.hear("miss", after_s=PULL_S - 1)
    desk.hear("I1", after_s=PULL_S - 1)
    assert desk.events("stray") == ["I1"], "a sensor alone is a person at the board"
    first, then = ("miss", "DB") if sensor_first_s > 0 else ("DB", "miss")
    desk.hear(first, after_s=PULL_S)
    desk.hear(then, after_s=abs(sensor_first_s))
    desk.hear(after_s=1.0)
    assert (desk.journal[3:], desk.player) == (["next", "DB"], "Bo")


@pytest.mark.parametrize("takeout", ["button", "timer", "hits"])
def test_a_player_at_the_board_gets_the_time_to_pull(takeout: TakeoutMode) -> None:
    desk = Desk(takeout=takeout)
    desk.throw("T20")
    desk.hear("takeout", after_s=1.0)
    assert desk.phase == "throwing", "only looking"
    desk.throw("T20", "T20")
    desk.hear("takeout", after_s=1.0)
    desk.hear("D5", "takeout", after_s=PULL_S - 1)
    desk.hear(after_s=PULL_S - 1)
    assert (desk.phase, desk.events("stray")) == ("takeout", ["D5"])
    desk.hear(after_s=1.0)
    assert (desk.phase, desk.player) == ("throwing", "Bo")
    desk.throw("T20", "T20", "T20")
    desk.hear(after_s=PULL_S * 2)
    assert desk.phase == ("throwing" if takeout == "timer" else "takeout"), "it was for that visit alone"


@pytest.mark.parametrize("name", list_shipped())
def test_the_usual_policy_is_what_the_board_has(name: str) -> None:
    profile = shipped(name).profile
    usual = "button" if "next" in profile.buttons or "takeout" in profile.buttons else "timer"
    assert choose_mode(None, profile) == ("sensor" if profile.link == "web" else usual)
    assert choose_mode("hits", profile) == "hits"


def test_a_stuck_segment_is_shown_until_it_opens_and_told_once() -> None:
    desk = Desk()
    for _ in range(30):
        desk.hear("T20", after_s=0.09)
    assert desk.stuck == ["T20"]
    assert desk.events("board_problem") == ["T20"]
    assert desk.journal == ["T20"]
    desk.hear("DB")
    assert desk.journal == ["T20", "DB"], "the others work on"
    desk.followed.clear()
    desk.hear(after_s=0.2)
    assert desk.stuck == []
    assert desk.latest.is_board_changed, "and displays are told"
    desk.hear("T20", after_s=1.0)
    assert desk.journal == ["T20"]


def test_a_board_may_say_that_something_is_stuck_without_a_name() -> None:
    desk = Desk()
    for _ in range(5):
        desk.hear(Stuck(time_ns=round(desk.now * 1e9)), after_s=0.4)
    assert desk.stuck == ["?"]
    assert [e.segment for e in desk.latest.events if e.event_type == "board_problem"] == [UNSET]
    desk.hear(after_s=3.0)
    assert desk.stuck == []


def test_what_a_board_tells_of_itself_is_kept() -> None:
    desk = Desk()
    desk.hear(LinkUp("main", "ble:auto", 1, -61), Battery(percent=81, time_ns=1))
    assert (desk.board.online, desk.board.info.battery) == (True, 81)
    assert desk.board.info.signal_dbm == -61


def test_how_long_ago_the_last_hit_was_stands_on_the_board() -> None:
    desk = Desk()
    assert desk.board.info.last_hit_s is None
    desk.hear("T20")
    desk.hear("next", after_s=61.2)
    assert desk.board.info.last_hit_s == 61


def test_hits_that_could_not_be_kept_delay_the_next_visit() -> None:
    desk = Desk(takeout="hits")
    desk.throw("T20", "T20", "T20")
    for _ in range(2):
        assert [event.event_type for event in refused(desk, "O1", after_s=PULL_S - 1).events] == ["hit", "stray"]
    desk.hear("O1", after_s=1.0)
    assert (desk.phase, desk.player, desk.events("stray")[-1]) == ("takeout", "Ann", "O1")


def test_darts_that_were_pulled_while_nothing_could_be_kept_are_pulled() -> None:
    desk = Desk()
    desk.throw("T20", "T20", "T20")
    refused(desk, "takeout", after_s=1.0)
    assert desk.scorer.deadline() is None
    desk.obey(Amend(2, Throw("T19")))
    desk.hear(after_s=PULL_S + 0.1)
    assert (desk.phase, desk.player) == ("throwing", "Bo")


def test_a_total_opens_the_next_visit_where_no_sensor_waits_for_darts() -> None:
    desk = Desk(board="none", takeout="timer")
    desk.obey(Total(60))
    assert (desk.journal, desk.player, desk.phase) == (["total", "next"], "Bo", "throwing")
    desk.obey(Total(100), "mqtt")
    assert [desk.scorer.match.score(side) for side in (0, 1)] == [441, 401]
    desk.obey(Undo())
    assert (desk.journal[-2:], desk.player, desk.phase) == (["undo", "undo"], "Bo", "throwing")
    desk.obey(Undo())
    assert (desk.player, desk.scorer.match.score(0)) == ("Ann", 501)
    desk.obey(Redo())
    assert desk.scorer.match.score(0) == 441


def test_a_total_at_a_board_is_a_visit_whose_darts_are_still_to_be_pulled() -> None:
    desk = Desk()
    desk.obey(Total(60))
    assert (desk.journal, desk.phase) == (["total"], "takeout")


def test_a_total_opens_the_next_visit_while_the_board_is_away() -> None:
    desk = Desk()
    desk.hear(LinkUp("main", "serial:x", 1), LinkDown("main", "unplugged", "unavailable", 2))
    desk.obey(Total(60))
    assert (desk.journal, desk.player, desk.phase) == (["total", "next"], "Bo", "throwing")
    desk.hear(LinkUp("main", "serial:x", 3))
    desk.obey(Total(60))
    assert (desk.journal[2:], desk.player, desk.phase) == (["total"], "Bo", "takeout")


def test_a_total_that_ends_the_match_is_followed_by_nothing() -> None:
    desk = Desk(board="none", takeout="timer", options={"start": 101})
    desk.obey(Total(101, darts=2))
    assert (desk.journal, desk.phase) == (["total"], "over")
    assert not isinstance(desk.latest.reply, CommandError)


def test_after_a_total_of_some_darts_the_others_are_still_to_be_thrown() -> None:
    desk = Desk(board="none", takeout="timer")
    desk.obey(Total(60, darts=2))
    assert (desk.journal, desk.player, desk.phase) == (["total"], "Ann", "throwing")


@pytest.mark.parametrize("legs", [1, 2])
def test_a_checkout_without_a_dart_at_the_finish_is_refused_when_it_is_entered(legs: int) -> None:
    desk = Desk(board="none", options={"start": 101})
    desk.obey(decode({"start": {"game": "101", "players": ["Ann", "Bo"], "format": {"legs": legs}}}).command)
    for words in ({"total": 60}, {"total": 60}):
        desk.obey(decode(words).command)
    wrong = {"total": 41, "darts": 2, "at_finish": 0}
    for words in (wrong, {"amend": desk.scorer.match.line + 1, **wrong}):
        if "amend" in words:
            desk.obey(Total(41, 2))
        before = desk.scorer.match.line, desk.journal
        desk.obey(decode(words).command)
        refused = desk.followed[-1].reply
        assert isinstance(refused, CommandError)
        assert str(refused) == "at_finish must be at least 1 here: the dart that checked out was thrown at the finish"
        assert (refused.code, desk.scorer.match.line, desk.journal) == ("illegal", *before)
    assert desk.scorer.match.position.tallies[0].counts["at_finish"] == 1
    then: list[dict[str, Any]] = [{"undo": True}, {"total": 20, "darts": 1, "at_finish": 0}, {"total": 21, "darts": 2}]
    for words in then:
        desk.obey(decode(words).command)
        assert not isinstance(desk.followed[-1].reply, CommandError)


def test_a_total_is_no_visit_of_a_bot() -> None:
    desk = Desk(board="none", takeout="timer", players=("bot:60", "Ann"))
    desk.obey(Total(60))
    assert isinstance(desk.latest.reply, CommandError)
    assert desk.journal == []
