"""What a table makes of its board, event by event, at times of our own: sensors, keys, pulled darts, stuck segments.

The parts are the real ones, put together as the table does it; only the disk and the queue are not there.
"""

from __future__ import annotations

import pytest
from msgspec import UNSET

from daemon.batch import Batch
from daemon.matches import first
from daemon.profiles import ACTING
from daemon.scorer import Scorer
from daemon.sections import TableConfig
from daemon.spotter import BoardItem, Spotter
from daemon.store import Line
from daemon.takeout import Mode, Takeout, mode
from daemon.updates import Events
from drivers.session import LinkUp
from protocol.codebook import Codebook, load, shipped, shipped_names
from protocol.commands import CommandError
from protocol.events import Battery, Button, Echo, Garbage, Hit, Miss, Stuck
from protocol.source import Source

SENSOR = load(
    Source(
        """
id = "sensor"
name = "A board with a miss sensor"
miss = "miss"
[hits]
frame = "{id}"
[buttons]
next = "next"
undo = "undo"
takeout = "walked up"
[timing]
miss_ms = 200
""",
        "sensor.toml",
    )
)
MISSES = ["MISS"] * 3
PULL_S = 5.0


class Desk:
    """A spotter and a scorer at one table, with a clock that is set by hand (in seconds)."""

    def __init__(self, book: Codebook = SENSOR, takeout: Mode = "button", **table: object) -> None:
        self.now = 1000.0
        self.batch = Batch()
        self.takeout = Takeout(takeout, PULL_S)
        config = TableConfig(board="serial:x", players=("Ann", "Bo"), **table)  # type: ignore[arg-type]
        events, opened = Events("s"), first(config, book.layout)
        self.scorer = Scorer(opened, events, self.takeout, lambda: self.now)
        self.spotter = Spotter("main", "serial:x", book, self.scorer, events, lambda: self.now)
        self._book = book

    def hear(self, *said: str | BoardItem, after_s: float = 0.0) -> None:
        """`next` and other keys, `miss`, a segment, or an event; the clock goes on first, ticking as it does."""
        until = self.now + after_s
        while (due := self._due()) is not None and due <= until:
            self.now = due
            if due == self.spotter.due:
                self.spotter.tick(self.batch)
            else:
                self.spotter.settle(self.batch)
                self.scorer.time_is_up(self.batch)
        self.now = until
        for each in said:
            self.spotter.notice(self._item(each), self.batch)

    def throw(self, *segment_ids: str, apart_s: float = 1.0) -> None:
        for segment_id in segment_ids:
            self.hear(segment_id, after_s=apart_s)

    @property
    def journal(self) -> list[str]:
        """The inputs, a word each."""
        inputs = [line.input for line in self.batch.written if isinstance(line, Line)]
        return [str(given.get("throw") or given.get("choose") or next(iter(given))) for given in inputs]

    @property
    def player(self) -> str:
        """Who is at the oche."""
        return self.scorer.match.seating.players[self.scorer.match.position.visit.seat]

    @property
    def phase(self) -> str:
        return str(self.scorer.match.position.phase)

    @property
    def stuck(self) -> list[str]:
        return list(self.spotter.board.info.stuck)

    def events(self, event_type: str) -> list[str]:
        return [str(event.segment) for event in self.batch.events if event.event_type == event_type]

    def _due(self) -> float | None:
        return min((due for due in (self.takeout.due, self.spotter.due) if due is not None), default=None)

    def _item(self, said: str | BoardItem) -> BoardItem:
        if not isinstance(said, str):
            return said
        now = round(self.now * 1e9)
        if said == "miss":
            return Miss(time_ns=now)
        if said in self._book.profile.buttons:
            return Button(name=said, time_ns=now)
        return Hit(segment=self._book.layout[said], time_ns=now)


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
    assert desk.spotter.counts.drops == {"sensor": 2}


def test_a_miss_that_is_held_back_goes_to_whoever_threw_it() -> None:
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
    counts = desk.spotter.counts
    assert counts.drops == {"repeat": 1, "contact": 1, "echo": 1, "sensor": 1}
    assert (counts.hits, counts.dropped, counts.garbage, counts.stray) == (2, 4, 1, 0)
    assert desk.journal == ["T20", "D3"]


@pytest.mark.parametrize("name", [*ACTING, "light"])
def test_the_buttons_that_act_are_those_that_profiles_are_told_of(name: str) -> None:
    def acts(darts: int) -> bool:
        desk = Desk()
        desk.throw(*["T20"] * darts)
        before = (desk.journal, desk.takeout.due)
        desk.hear(Button(name=name, time_ns=round(desk.now * 1e9)))
        return before != (desk.journal, desk.takeout.due)

    assert (acts(1) or acts(3)) == (name in ACTING), "in the middle of a visit, or when it is thrown"


@pytest.mark.parametrize("apart_s", [0.02, 0.15, 0.5, 0.99])
def test_a_next_button_that_bounces_or_is_held_down_skips_nobody(apart_s: float) -> None:
    desk = Desk()
    desk.throw("T20", "T20", "T20")
    for _ in range(30):
        desk.hear("next", after_s=apart_s)
    assert (desk.journal[3:], desk.player) == (["next"], "Bo")
    desk.hear("next", after_s=1.5)
    assert (desk.journal[4:], desk.player) == ([*MISSES, "next"], "Ann"), "let go and pressed again: Bo stays away"


def test_an_early_next_that_bounces_skips_nobody() -> None:
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
    desk.scorer.obey({"next": True}, "page", desk.batch)
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
    with pytest.raises(CommandError, match="roll@1"):
        desk.hear("next", after_s=2.0)
    assert (desk.journal, desk.player) == ([], "Ann")
    desk.throw("T20")
    assert desk.events("stray") == ["T20"]
    assert str(desk.batch.notice).startswith("T20 did not count: answer roll@1 first")


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
def test_a_sensor_that_feels_the_hit_does_not_break_the_quiet_before_it(sensor_first_s: float) -> None:
    desk = Desk(takeout="hits")
    desk.throw("T20", "T20", "T20")
    desk.hear("miss", after_s=PULL_S - 1)
    desk.hear("I1", after_s=PULL_S - 1)
    assert desk.events("stray") == ["I1"], "a sensor alone is somebody at the board"
    first, then = ("miss", "DB") if sensor_first_s > 0 else ("DB", "miss")
    desk.hear(first, after_s=PULL_S)
    desk.hear(then, after_s=abs(sensor_first_s))
    desk.hear(after_s=1.0)
    assert (desk.journal[3:], desk.player) == (["next", "DB"], "Bo")


@pytest.mark.parametrize("takeout", ["button", "timer", "hits"])
def test_somebody_who_walks_up_gets_the_time_to_pull(takeout: Mode) -> None:
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


@pytest.mark.parametrize("name", shipped_names())
def test_the_usual_policy_is_the_button_where_there_is_one(name: str) -> None:
    buttons = shipped(name).profile.buttons
    assert mode(None, buttons) == ("button" if "next" in buttons or "takeout" in buttons else "timer")
    assert mode("hits", buttons) == "hits"


def test_a_stuck_segment_is_on_the_board_until_it_opens_and_told_once() -> None:
    desk = Desk()
    for _ in range(30):
        desk.hear("T20", after_s=0.09)
    assert desk.stuck == ["T20"]
    assert desk.events("board_problem") == ["T20"]
    assert desk.journal == ["T20"]
    desk.hear("DB")
    assert desk.journal == ["T20", "DB"], "the others work on"
    desk.batch = Batch()
    desk.hear(after_s=0.2)
    assert desk.stuck == []
    assert desk.batch.board == desk.spotter.board, "and displays are told"
    desk.hear("T20", after_s=1.0)
    assert desk.journal == ["T20"]


def test_a_board_may_say_that_something_is_stuck_without_a_name() -> None:
    desk = Desk()
    for _ in range(5):
        desk.hear(Stuck(time_ns=round(desk.now * 1e9)), after_s=0.4)
    assert desk.stuck == ["?"]
    assert [e.segment for e in desk.batch.events if e.event_type == "board_problem"] == [UNSET]
    desk.hear(after_s=3.0)
    assert desk.stuck == []


def test_what_a_board_tells_of_itself_is_kept() -> None:
    desk = Desk()
    desk.hear(LinkUp("main", "ble:auto", 1, -61), Battery(percent=81, time_ns=1))
    assert (desk.spotter.board.online, desk.spotter.board.info.battery) == (True, 81)
    assert desk.spotter.board.info.signal_dbm == -61


def test_how_long_ago_the_last_hit_was_stands_on_the_board() -> None:
    desk = Desk()
    assert desk.spotter.board.info.last_hit_s is None
    desk.hear("T20")
    desk.hear("next", after_s=61.2)
    assert desk.spotter.board.info.last_hit_s == 61
