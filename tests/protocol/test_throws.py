"""From what a whole board says to throws: misses, keys and stuck contacts, and laws for darts with every fault at once.

The laws throw darts that are far enough apart to be told from their echoes, add what boards do to each of them, and ask
for exactly the darts back.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from protocol.codebook import Codebook, list_shipped, load, shipped
from protocol.debounce import UNNAMED, Debounce, Verdict
from protocol.events import Battery, BoardEvent, Button, Echo, Garbage, Hit, MissSensed, Status, Stuck
from protocol.segment import Segment
from protocol.source import Source

MS = 1_000_000

BOARD = """
id = "sensor"
name = "A matrix with a miss sensor"
miss = "miss"
[hits]
frame = "{row},{col}"
mat = "philharlow_8x11"
[buttons]
next = "next"
undo = "undo"
[timing]
repeat_ms = 100
contact_ms = 20
miss_ms = 200
stuck_ms = 1000
"""
SENSOR = load(Source(BOARD, "sensor.toml"))
PLAIN = load(Source(BOARD.replace("miss_ms = 200", "miss_ms = 0"), "plain.toml"))


def at(ms: float, said: str) -> BoardEvent:
    """`miss`, a key of the board, or a segment."""
    now = round(ms * MS)
    if said == "miss":
        return MissSensed(time_ns=now)
    return Button(name=said, time_ns=now) if said in ("next", "undo") else Hit(segment=SENSOR.layout[said], time_ns=now)


def name(event: BoardEvent) -> str:
    match event:
        case Hit(segment=segment):
            return segment.id
        case Button(name=key):
            return key
    return "miss"


def heard(events: Iterable[tuple[float, str]], book: Codebook = SENSOR, until_ms: float = 1e6) -> list[str]:
    """What comes out, in order: `T20` for what counts, `T20: ghost` for what does not. The clock ticks at deadlines."""
    debounce, found = Debounce(book), list[Verdict]()
    for ms, said in events:
        while (due := debounce.deadline()) is not None and due <= ms * MS:
            found += debounce.tick(due)
        found += debounce.feed(at(ms, said))
    found += debounce.tick(round(until_ms * MS))
    return [f"{name(event)}: {dropped}" if dropped else name(event) for event, dropped in found]


def stuck(debounce: Debounce) -> list[str]:
    return list(debounce.stuck)


def test_a_sensed_miss_without_a_hit_counts_after_a_while() -> None:
    debounce = Debounce(SENSOR)
    assert debounce.feed(at(1000, "miss")) == []
    assert debounce.deadline() == 1200 * MS
    assert debounce.tick(1200 * MS - 1) == []
    assert debounce.tick(1200 * MS) == [Verdict(at(1000, "miss"))]
    assert debounce.deadline() is None
    assert debounce.tick(1300 * MS) == []


def test_a_sensor_near_a_contact_in_time_has_seen_no_miss() -> None:
    assert heard([(0, "miss"), (199, "T20")]) == ["miss: sensor", "T20"]
    assert heard([(0, "T20"), (199, "miss")]) == ["T20", "miss: sensor"]
    assert heard([(0, "miss"), (1, "T20"), (2, "miss"), (150, "miss")]) == [
        "miss: sensor",
        "T20",
        "miss: repeat",
        "miss: repeat",
    ]


def test_a_dart_beside_a_miss_is_two_throws() -> None:
    assert heard([(0, "miss"), (200, "T20")]) == ["miss", "T20"]
    assert heard([(0, "T20"), (200, "miss")]) == ["T20", "miss"]
    assert heard([(0, "miss"), (300, "miss")]) == ["miss", "miss"]


def test_a_contact_that_only_repeats_itself_explains_no_miss() -> None:
    held = [(90.0 * n, "T20") for n in range(20)]
    assert heard([*held, (1715, "miss")])[-1] == "miss"


def test_a_board_without_such_a_sensor_is_believed_at_once() -> None:
    debounce = Debounce(PLAIN)
    assert debounce.feed(at(0, "T20"))[0].dropped is None
    assert debounce.feed(at(1, "miss")) == [Verdict(at(1, "miss"))]
    assert debounce.feed(at(2, "miss")) == [Verdict(at(2, "miss"), "repeat")], "but a miss bounces too"


def test_a_key_ends_the_wait_for_a_miss_and_comes_after_it() -> None:
    assert heard([(0, "miss"), (50, "next"), (120, "T20")]) == ["miss", "next", "T20"]
    assert heard([(0, "miss"), (50, "next"), (60, "next")]) == ["miss", "next", "next: repeat"]


def test_a_key_that_bounces_or_is_held_is_one_press() -> None:
    assert heard([(80.0 * n, "next") for n in range(10)]) == ["next"] + ["next: repeat"] * 9
    assert heard([(0, "next"), (10, "undo"), (110, "next")]) == ["next", "undo", "next"]


def test_settle_releases_a_held_miss() -> None:
    debounce = Debounce(SENSOR)
    debounce.feed(at(0, "miss"))
    assert debounce.settle() == [Verdict(at(0, "miss"))]
    assert debounce.settle() == []
    assert heard([(0, "T20")]) == ["T20"]


def test_a_stuck_segment_has_its_name_until_it_opens() -> None:
    debounce = Debounce(SENSOR)
    for n in range(12):
        debounce.feed(at(90.0 * n, "T20"))
    assert stuck(debounce) == [], "990 ms: it may be a dart that chatters"
    debounce.feed(at(1080, "T20"))
    debounce.feed(at(1085, "D3"))
    assert stuck(debounce) == ["T20"]
    assert debounce.deadline() == 1180 * MS
    debounce.tick(1180 * MS - 1)
    assert stuck(debounce) == ["T20"]
    debounce.tick(1180 * MS)
    assert stuck(debounce) == []
    assert debounce.feed(at(1180, "T20")) == [Verdict(at(1180, "T20"))]


def test_a_chatter_of_a_few_milliseconds_is_never_called_stuck() -> None:
    debounce = Debounce(SENSOR)
    for n in range(200):
        debounce.feed(at(n / 10, "T20"))
    assert stuck(debounce) == []


def test_a_board_that_says_so_itself_is_believed_until_it_is_quiet() -> None:
    debounce = Debounce(SENSOR)
    for ms in (0, 400, 800):
        assert debounce.feed(Stuck(time_ns=ms * MS))[0].dropped == "stuck"
        assert stuck(debounce) == [UNNAMED]
    debounce.feed(Stuck(segment=SENSOR.layout["T20"], time_ns=900 * MS))
    assert stuck(debounce) == [UNNAMED, "T20"]
    debounce.tick(1800 * MS)
    assert stuck(debounce) == ["T20"]
    debounce.tick(1900 * MS)
    assert stuck(debounce) == []


def test_what_is_no_throw_and_no_key_passes() -> None:
    debounce = Debounce(SENSOR)
    debounce.feed(at(0, "miss"))
    for event in (Battery(percent=80, time_ns=MS), Status(text="x", time_ns=MS), Garbage(raw=b"x", time_ns=MS)):
        assert debounce.feed(event) == [Verdict(event)]
    assert debounce.feed(Echo(time_ns=MS)) == [Verdict(Echo(time_ns=MS), "echo")]
    assert debounce.deadline() == 200 * MS, "and nothing of it explains a miss"


@pytest.mark.parametrize("board", list_shipped())
def test_darts_far_apart_on_the_layout_arrive_from_every_board(board: str) -> None:
    """Two real darts a millisecond apart, and the same bed again after as long as a slow player takes."""
    book = shipped(board)
    first, second = _far_apart(book)
    told = [(0, first), (1, second), (3000, first), (3001, second)]
    debounce = Debounce(book)
    verdicts = [v for ms, segment in told for v in debounce.feed(Hit(segment=segment, time_ns=ms * MS))]
    assert [v.dropped for v in verdicts] == [None] * 4


def _far_apart(book: Codebook) -> tuple[Segment, Segment]:
    first = book.segments[0]
    return first, next(s for s in book.segments[1:] if s.id not in first.near and s != first)


SEGMENTS = [s.id for s in SENSOR.segments]
DART_MS = 300
"""A real second dart is never closer."""


@st.composite
def evenings(draw: st.DrawFn) -> tuple[list[tuple[float, str]], list[str]]:
    """What a faulty board says of darts, and the darts and keys there were."""
    rng = Random(draw(st.integers(0, 2**32)))
    thrown = draw(st.lists(st.sampled_from([*SEGMENTS, "miss", "miss", "next"]), max_size=12))
    told: list[tuple[float, str]] = []
    now = 1000.0
    for what in thrown:
        told += [(now, what)]
        if what == "next":
            told += [(now + ms, "next") for ms in _bounces(rng)]
        elif what == "miss":
            told += [(now + ms, "miss") for ms in _bounces(rng)]
        else:
            told += _landed(what, now, rng)
        now += DART_MS + rng.choice([0.0, 1.0, 50.0, 500.0])
    return sorted(told, key=lambda said: said[0]), thrown


def _landed(segment_id: str, now: float, rng: Random) -> list[tuple[float, str]]:
    """What one dart adds: bounces, a neighbour, the sensor before or after it."""
    told = [(now + ms, segment_id) for ms in _bounces(rng)]
    if rng.random() < 0.3:
        beside = sorted(SENSOR.layout[segment_id].near & set(SEGMENTS))
        late = rng.uniform(0.1, 19)
        neighbour = rng.choice(beside)
        told += [(now + late, neighbour), *((now + late + ms, neighbour) for ms in _bounces(rng))]
    if rng.random() < 0.5:
        told.append((now + rng.uniform(-60, 99), "miss"))
    return told


def _bounces(rng: Random) -> list[float]:
    """When a contact closes again: now and then, each time soon after the time before."""
    found, ms = [], 0.0
    for _ in range(rng.choice([0, 0, 1, 3])):
        ms += rng.uniform(0.2, 33)
        found.append(ms)
    return found


@given(evening=evenings())
def test_each_dart_arrives_once_and_in_order_whatever_the_board_does(
    evening: tuple[list[tuple[float, str]], list[str]],
) -> None:
    told, thrown = evening
    assert [said for said in heard(told) if ":" not in said] == thrown


@st.composite
def anything(draw: st.DrawFn) -> list[BoardEvent]:
    """Events in order of time, in no order of sense."""
    said = draw(st.lists(st.sampled_from([*SEGMENTS[:5], "miss", "miss", "next", "undo"]), max_size=30))
    now, events = 0.0, list[BoardEvent]()
    for what in said:
        now += draw(st.sampled_from([0, 0.5, 3, 19, 20, 60, 99, 100, 199, 200, 500]))
        events.append(at(now, what))
    return events


@given(events=anything(), book=st.sampled_from([SENSOR, PLAIN]))
def test_everything_comes_out_once_and_in_order_and_late_ticks_change_nothing(
    events: list[BoardEvent], book: Codebook
) -> None:
    def filtered(*, is_punctual: bool) -> list[Verdict]:
        debounce, found = Debounce(book), list[Verdict]()
        for event in events:
            while is_punctual and (due := debounce.deadline()) is not None and due <= event.time_ns:
                found += debounce.tick(due)
            found += debounce.feed(event)
        return found + debounce.tick(10**15)

    verdicts = filtered(is_punctual=True)
    assert verdicts == filtered(is_punctual=False)
    numbered = [id(event) for event in events]
    assert sorted(numbered.index(id(v.event)) for v in verdicts) == list(range(len(events))), "all of it, once"
    counted = [v.event.time_ns for v in verdicts if v.dropped is None]
    assert counted == sorted(counted)
    assert len(counted) <= len(events)


def test_a_profile_with_its_times_at_0_lets_everything_through() -> None:
    timing = replace(SENSOR.profile.timing, repeat_ms=0, contact_ms=0, miss_ms=0)
    off = replace(SENSOR, profile=replace(SENSOR.profile, timing=timing))
    rectangle = ("I20", "D20", "I12", "D12")
    told = [(0.0, what) for what in ("T20", "T20", "O20", "miss", "miss", "next", "next", *rectangle)]
    assert heard(told, off) == [what for _, what in told]
