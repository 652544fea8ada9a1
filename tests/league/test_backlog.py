"""What waits for the database is bounded, each message once; and which topics are a league's."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from daemon.collect.backlog import MOST, MOST_BYTES, STALE_S, Backlog, Waiting
from daemon.collect.listener import find_sender, list_filters
from daemon.collect.received import Poison, Record, Sender
from tests.league.offers import NORTH, forget, make_text, players, record


class Clock:
    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def matches(taken: list[Waiting]) -> list[str]:
    return [each.received.key.match for each in taken if isinstance(each.received, Record)]


async def test_each_message_waits_once_and_the_newest_of_players_counts() -> None:
    backlog = Backlog()
    first, second = players([("Anna", ("Ann",))]), players([("Anne", ("Ann",))])
    for received in (record(make_text()), first, record(make_text()), forget("Bo"), second, forget("Bo")):
        backlog.put(received)
    assert [each.received for each in await backlog.take()] == [record(make_text()), forget("Bo"), second]
    assert len(backlog) == 0


async def test_of_two_that_tell_their_order_the_newer_waits_however_long() -> None:
    clock = Clock()
    backlog = Backlog(clock)
    older, newer = record(make_text(), order=1), record(make_text(), order=2)
    was, now = players([("Anna", ("Ann",))], order=1), players([("Anne", ("Ann",))], order=2)
    for received in (newer, older, now, was):
        backlog.put(received)
    backlog.put(record(make_text(), "of an older oche"))
    clock.now_s = STALE_S + 1
    assert [each.received for each in await backlog.take()] == [newer, now]


async def test_what_is_put_back_is_kept_where_an_older_one_came_meanwhile() -> None:
    backlog = Backlog()
    older, newer = (players([(name, ("Ann",))], order=order) for order, name in enumerate(("Anna", "Anne")))
    for first, second in ((newer, older), (older, newer)):
        backlog.put(first)
        taken = await backlog.take()
        backlog.put(second)
        backlog.put_back(taken)
        assert [each.received for each in await backlog.take()] == [newer]


async def test_what_finds_no_room_is_dropped() -> None:
    backlog = Backlog()
    for number in range(MOST + 10):
        backlog.put(record(b'{"players":[]}\n', f"m{number}"))
    assert (len(backlog), backlog.dropped) == (MOST, 10)
    taken = await backlog.take()
    assert matches(taken) == [f"m{number}" for number in range(500)]
    backlog.put(record(make_text(), "more"))
    assert (len(backlog), backlog.dropped) == (MOST - 499, 10)
    backlog.put_back(taken)
    assert matches(await backlog.take()) == [f"m{number}" for number in range(500)]


async def test_large_records_are_counted_by_their_bytes() -> None:
    backlog = Backlog()
    large = replace(record(make_text()), text=b"x" * 4_000_000)
    for number in range(20):
        backlog.put(replace(large, key=large.key._replace(match=f"m{number}")))
    assert (len(backlog), backlog.dropped) == (16, 4)
    await backlog.take()
    backlog.put(large)
    assert len(backlog) == 1


async def test_what_cannot_be_read_is_counted_by_its_bytes() -> None:
    backlog = Backlog()
    for number in range(2000):
        backlog.put(Poison(NORTH, "no JSON", b"%d" % number, b"x" * 65_536))
    assert len(backlog) == MOST_BYTES // 65_536
    taken = await backlog.take()
    backlog.put_back(taken)
    assert len(backlog) == MOST_BYTES // 65_536


@pytest.mark.slow
async def test_of_players_only_the_newest_takes_room() -> None:
    backlog = Backlog()
    for number in range(200):
        backlog.put(players([(f"{number}" + "x" * 1_000_000, ("Ann",))]))
    assert (len(backlog), backlog.dropped) == (1, 0)


async def test_what_came_long_ago_does_not_count() -> None:
    """Another collector may have taken something newer. What is put back grows old, too."""
    clock = Clock()
    backlog = Backlog(clock)
    first, second = players([("Anna", ("Ann",))]), players([("Anne", ("Ann",))])
    backlog.put(first)
    backlog.put(record(make_text(), "old"))
    clock.now_s = STALE_S
    taken = await backlog.take()
    assert len(taken) == 2
    backlog.put(second)
    backlog.put_back(taken)
    assert [each.received for each in await backlog.take()] == [second, record(make_text(), "old")]
    backlog.put_back(taken)
    clock.now_s += 1
    backlog.put(record(make_text(), "new"))
    assert matches(await backlog.take()) == ["new"]


@pytest.mark.parametrize(
    ("topic", "found"),
    [
        ("oche/bridge/north/league/offer", ("league_offer", Sender("oche", "north"))),
        ("venues/bell/oche/bridge/north/league/forget", ("league_forget", Sender("venues/bell/oche", "north"))),
        ("venues/bell/other/bridge/north/league/forget", None),
        ("oche/bridge/north/league/taken", None),
        ("oche/bridge/north/state", None),
        ("oche/bridge/NORTH/league/offer", None),
        ("venues/A B/oche/bridge/north/league/offer", None),
        ("oche", None),
        ("", None),
    ],
)
def test_a_topic_says_whose_a_message_is(topic: str, found: tuple[str, Sender] | None) -> None:
    assert find_sender(topic, ("oche", "venues/+/oche")) == found


def test_filters_are_of_the_four_kinds_and_may_be_shared() -> None:
    assert [*list_filters(("oche",), is_shared=False)] == [
        "oche/bridge/+/league/offer", "oche/bridge/+/league/players", "oche/bridge/+/league/forget",
        "oche/bridge/+/league/results",
    ]  # fmt: skip
    shared = [*list_filters(("v/+/oche",), is_shared=True)]
    assert shared[0] == "$share/oche-collect/v/+/oche/bridge/+/league/offer"
