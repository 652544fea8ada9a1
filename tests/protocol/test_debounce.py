"""What counts as a dart: the cases one by one, and two laws for any sequence of hits.

The laws are checked against the rule in words, on the whole history: slow, but written another way than the filter.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import composite

from protocol.codebook import Codebook, load, shipped
from protocol.debounce import Debounce
from protocol.events import BoardEvent, Hit, MissSensed
from protocol.source import Source

MS = 1_000_000

MATRIX = """
id = "matrix"
name = "A matrix, 8 by 11"
[hits]
frame = "{row},{col}"
mat = "philharlow_8x11"
[timing]
repeat_ms = 100
contact_ms = 20
stuck_ms = 200
"""
NAMED = """
id = "named"
name = "No matrix"
[hits.names]
T = "T{n}"
D = "D{n}"
O = "O{n}"
I = "I{n}"
SB = "SB"
DB = "DB"
[timing]
repeat_ms = 100
contact_ms = 20
stuck_ms = 200
"""
SENSOR = load(Source(f'miss = "miss"\n{NAMED}miss_ms = 60\n', "sensor.toml"))
CODEBOOKS = {"matrix": load(Source(MATRIX, "matrix.toml")), "named": load(Source(NAMED, "named.toml"))}
BOTH = pytest.mark.parametrize("board", CODEBOOKS)

Told = list[tuple[str, float]]
"""Segments and when they were hit, in milliseconds."""


def hits(codebook: Codebook, told: Iterable[tuple[str, float]]) -> list[Hit]:
    return [Hit(segment=codebook.layout[i], time_ns=int(ms * MS)) for i, ms in told]


def judged(board: str, told: Told) -> list[str | None]:
    """Why each was dropped, None for a dart."""
    return reasons(CODEBOOKS[board], told)


def reasons(codebook: Codebook, told: Told) -> list[str | None]:
    debounce = Debounce(codebook)
    return [verdict.dropped for hit in hits(codebook, told) for verdict in debounce.feed(hit)]


@BOTH
def test_the_same_segment_is_one_dart_until_the_repeat_time_is_over(board: str) -> None:
    assert judged(board, [("T20", 0), ("T20", 0), ("T20", 99.9)]) == [None, "repeat", "repeat"]
    assert judged(board, [("T20", 0), ("T20", 100)]) == [None, None]


@BOTH
def test_the_repeat_time_rolls_and_a_contact_that_stays_closed_is_stuck(board: str) -> None:
    held = [("T20", 90.0 * n) for n in range(6)]
    assert judged(board, held) == [None, "repeat", "repeat", "stuck", "stuck", "stuck"]
    assert judged(board, [*held, ("T20", 551)])[-1] is None, "it opened: the next is a dart"
    assert judged(board, [*held, ("T20", 551), ("T20", 560)])[-1] == "repeat", "counted from there"


@BOTH
def test_a_stuck_contact_does_not_silence_its_neighbours(board: str) -> None:
    held = [("T20", 10.0 * n) for n in range(30)]
    assert judged(board, [*held, ("O20", 295)])[-1] is None


@BOTH
def test_a_dart_on_the_wire_is_one_dart(board: str) -> None:
    assert judged(board, [("T20", 0), ("O20", 19.9)]) == [None, "contact"]
    assert judged(board, [("T20", 0), ("T1", 1)]) == [None, "contact"]
    assert judged(board, [("DB", 0), ("SB", 1), ("I7", 2)]) == [None, "contact", "contact"]
    assert judged(board, [("T20", 0), ("O20", 20)]) == [None, None]


@BOTH
def test_a_dart_where_wires_cross_is_one_dart(board: str) -> None:
    assert judged(board, [("T20", 0), ("O20", 1), ("T1", 2), ("O1", 3)]) == [None, "contact", "contact", "contact"]


@BOTH
def test_what_was_no_dart_is_none_when_it_is_repeated(board: str) -> None:
    """Firmware repeats the line of a closed contact: for both contacts that a dart on the wire closed."""
    both = [(segment_id, 90.0 * n + late) for n in range(3) for late, segment_id in enumerate(["T20", "O20"])]
    assert judged(board, both) == [None, "contact", "repeat", "repeat", "repeat", "repeat"]


RECTANGLE = ["I20", "D20", "I12", "D12"]
"""Rows 0 and 3, columns 0 and 2 of the matrix; no two of them touch."""


@pytest.mark.parametrize("last", RECTANGLE)
def test_the_fourth_corner_of_a_rectangle_is_a_ghost(last: str) -> None:
    others = [corner for corner in RECTANGLE if corner != last]
    corners = [*((corner, ms) for ms, corner in enumerate(others)), (last, 4.0)]
    assert judged("matrix", corners) == [None, None, None, "ghost"]
    assert judged("named", corners) == [None, None, None, None], "no matrix, no ghosts"
    assert judged("matrix", [*corners[:3], (last, 20)])[-1] is None, "the first has opened by then"
    assert judged("matrix", [*corners, (last, 50)])[-1] == "repeat", "the ghost again"


def test_two_corners_make_no_ghost() -> None:
    assert judged("matrix", [("I20", 0), ("D12", 1), ("D20", 2)]) == [None, None, None]
    assert judged("matrix", [("I20", 0), ("I12", 1), ("I14", 2), ("T20", 30)])[-1] is None


def test_a_contact_that_was_no_dart_is_a_corner_too() -> None:
    """One dart closes I20 and I1, another I12: the foil reads I4 as closed as well."""
    assert judged("matrix", [("I20", 0), ("I1", 1), ("I12", 2), ("I4", 3)]) == [None, "contact", None, "ghost"]


def test_a_ghost_closes_nothing() -> None:
    ghost = [("I20", 0.0), ("I12", 1.0), ("D20", 2.0), ("D12", 3.0)]
    assert judged("matrix", [*ghost, ("O12", 4)]) == [None, None, None, "ghost", None]


def test_the_numbers_are_those_of_the_profile() -> None:
    told = [("T20", 500.0 * n) for n in range(6)] + [("T20", 3100.0)]  # repeats its line every 500 ms
    assert reasons(shipped("opendarts"), told) == [None, "repeat", "repeat", "repeat", "stuck", "stuck", None]


segment_ids = st.sampled_from([s.id for s in CODEBOOKS["matrix"].segments])


@composite
def sequences(draw: st.DrawFn) -> Told:
    """Hits in order of time, often on few segments and close together, so that every rule has its chance."""
    choice = st.sampled_from(draw(st.lists(segment_ids, min_size=1, max_size=8) | st.just([*RECTANGLE, "T20", "O20"])))
    told, now = [], 0.0
    for segment_id in draw(st.lists(choice, max_size=25)):
        now += draw(st.sampled_from([0, 1, 1, 5, 19, 20, 50, 99, 100, 300]))
        told.append((segment_id, now))
    return told


def excuses(board: str, told: Told) -> set[str]:
    """Every reason there could be, by the words of the rule, to drop the last of these hits."""
    codebook = CODEBOOKS[board]
    *before, (last, now) = told
    closed = {i for i, ms in before if now - ms < 20}
    found = set()
    if any(i == last and now - ms < 100 for i, ms in before):
        found |= {"repeat", "stuck"}
    if closed & codebook.layout[last].near:
        found |= {"contact"}
    if last in codebook.cells:
        row, col = codebook.cells[last]
        lines = {codebook.cells[i] for i in closed}
        same_row = {c for r, c in lines if r == row and c != col}
        same_col = {r for r, c in lines if c == col and r != row}
        found |= {"ghost"} if any(r in same_col and c in same_row for r, c in lines) else set()
    return found


@BOTH
@given(told=sequences())
def test_nothing_is_dropped_without_its_reason(board: str, told: Told) -> None:
    """So hits on segments that do not touch always pass, the fourth corner of a rectangle and repeats excepted."""
    for n, reason in enumerate(judged(board, told), 1):
        assert reason is None or reason in excuses(board, told[:n]), f"hit {n}"


@BOTH
@given(told=sequences())
def test_a_repeat_is_never_a_dart(board: str, told: Told) -> None:
    for n, reason in enumerate(judged(board, told), 1):
        assert ("repeat" in excuses(board, told[:n])) == (reason in ("repeat", "stuck")), f"hit {n}"


@BOTH
@given(
    dart=segment_ids,
    data=st.data(),
    gaps=st.lists(st.floats(1, 99), max_size=10),
)
def test_a_closure_is_one_dart_however_it_bounces(
    board: str, dart: str, data: st.DataObject, gaps: list[float]
) -> None:
    """A dart, the contacts beside it that it closes as well, and all of them again and again."""
    near = sorted(CODEBOOKS[board].layout[dart].near & {s.id for s in CODEBOOKS[board].segments})
    beside = data.draw(st.lists(st.sampled_from(near), max_size=3, unique=True))
    late = data.draw(st.lists(st.floats(0, 19), min_size=len(beside), max_size=len(beside)))
    starts = [0.0]
    for gap in gaps:
        starts.append(starts[-1] + gap)
    told = [(dart, ms) for ms in starts] + [(i, ms + by) for i, by in zip(beside, late, strict=True) for ms in starts]
    assert judged(board, sorted(told, key=lambda hit: hit[1])).count(None) == 1


@pytest.mark.parametrize("book", [*CODEBOOKS.values(), SENSOR], ids=lambda book: book.profile.id)
@settings(max_examples=100)
@given(data=st.data())
def test_a_dart_counts_from_when_it_is_said_to(book: Codebook, data: st.DataObject) -> None:
    """After any darts and misses; and none that came before it is lost by it."""
    thrown = st.sampled_from(["MISS", "T20", "O20"] if book is SENSOR else [*RECTANGLE, "T20", "O20", "T1", "DB"])
    debounce, now = Debounce(book), 0
    for gap in data.draw(st.lists(st.sampled_from([0, 1, 19, 20, 59, 60, 99, 100]), max_size=8)):
        now += gap * MS
        debounce.feed(_event(book, data.draw(thrown), now))
    last = data.draw(thrown)
    at = debounce.counts_from(None if last == "MISS" else book.layout[last])
    assert at <= now + 100 * MS
    at = max(now, at)
    verdicts = [*debounce.feed(_event(book, last, at)), *debounce.tick(at + 60 * MS)]
    assert verdicts[-1] == (_event(book, last, at), None)
    assert not [verdict for verdict in verdicts if verdict.dropped]


def _event(book: Codebook, word: str, now: int) -> BoardEvent:
    return MissSensed(time_ns=now) if word == "MISS" else Hit(segment=book.layout[word], time_ns=now)
