"""Which of two messages of a daemon is the newer one, in whatever order they come, and by whatever clock."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from random import Random

from msgspec import UNSET

from daemon.collect.database import AsyncDatabase
from daemon.collect.intake import Answer, take
from daemon.collect.received import Received
from daemon.league.on_the_way import Message, OnTheWay, Said
from protocol.league_messages import MOST_ORDER, LeagueHeard, LeagueTaken
from tests.league.offers import make_offer, make_text, players, read, record

ONE, OTHER = make_text(darts=("T20",)), make_text(darts=("MISS", "MISS"))
MATCH, PLAYERS = ("m1", "league"), ("players", "")
Answers = list[tuple[str, int | None]]


async def say(db: AsyncDatabase, *received: Received) -> Answers:
    """Has these taken; returns the answers, and what newer they name."""
    return [_read_answer(each.message) for each in await take(db, received)]


def _read_answer(message: LeagueTaken | LeagueHeard) -> tuple[str, int | None]:
    answer = message.answer if isinstance(message, LeagueTaken) else "heard"
    return answer, message.older_than or None


async def read_record(db: AsyncDatabase) -> bytes:
    row = await (await db.execute("select record from oche.match where match = 'm1'")).fetchone()
    assert row is not None
    return zlib.decompress(row[0])


async def find_ann(db: AsyncDatabase) -> str | None:
    """What the person is shown as who is Ann in the records."""
    query = "select shown from oche.person p join oche.person_name n on n.person_id = p.id where name_key = 'ann'"
    row = await (await db.execute(query)).fetchone()
    return None if row is None else str(row[0])


async def test_an_older_record_that_comes_late_changes_nothing(db: AsyncDatabase) -> None:
    older, newer = record(ONE, order=5), record(OTHER, order=9)
    assert await say(db, newer, older) == [("kept", None), ("older", 9)]
    assert await say(db, older, newer) == [("older", 9), ("kept", None)]
    assert await read_record(db) == OTHER
    assert await (await db.execute("select count(*) from oche.edition")).fetchone() == (0,)


async def test_former_names_that_come_late_do_not_come_back(db: AsyncDatabase) -> None:
    hidden = make_text(("Forgotten player 1", "Bo"), ("T20",))
    assert await say(db, record(hidden, order=9), record(ONE, order=5)) == [("kept", None), ("older", 9)]
    assert await read_record(db) == hidden
    assert await find_ann(db) is None


async def test_a_record_that_is_said_again_as_newer_counts_again(db: AsyncDatabase) -> None:
    await say(db, record(ONE, order=1), record(OTHER, order=2))
    assert await say(db, record(ONE, order=3)) == [("kept", None)]
    assert await read_record(db) == ONE
    assert await say(db, record(OTHER, order=2)) == [("older", 3)]
    query = "select e.sha256 = m.sha256 from oche.edition e join oche.match m using (match)"
    assert await (await db.execute(query)).fetchall() == [(False,)], "what counts is no former edition"


async def test_an_older_oche_tells_no_order_and_what_comes_last_counts(db: AsyncDatabase) -> None:
    for text, order in ((ONE, 7), (make_text(darts=("D1",)), UNSET), (make_text(darts=("D2",)), UNSET)):
        assert await say(db, record(text, order=order)) == [("kept", None)]
        assert await read_record(db) == text
    assert await say(db, record(OTHER, order=6)) == [("older", 7)], "the former version still has its order"
    changes = [players([(name, ("Ann",))]) for name in ("Anna", "Anne")]
    assert await say(db, *changes, changes[0]) == [("heard", None)] * 3
    assert await find_ann(db) == "Anna"


async def test_of_what_is_said_of_players_the_newest_counts(db: AsyncDatabase) -> None:
    await say(db, record(ONE))
    first, second = players([("Anna", ("Ann",))], order=1), players([("Anne", ("Ann",))], order=2)
    assert await say(db, second, first, first, second) == [("heard", None), ("heard", 2), ("heard", 2), ("heard", None)]
    assert await find_ann(db) == "Anne"
    assert await say(db, players([("Anna", ("Ann",))], order=3)) == [("heard", None)]
    assert await find_ann(db) == "Anna"


def test_orders_grow_whatever_the_clock_shows() -> None:
    clock = [1_000.0]
    way = OnTheWay(lambda: 0.0, lambda: clock[0])
    orders = []
    for now_s in (1_000.0, 1_000.0, 5.0, 2e9, 3.0, -1.0, 2e9 + 1, 1e300):
        clock[0] = now_s
        orders.append(_make(way, ONE).order)
    assert orders == sorted({*orders})
    assert orders[-1] == MOST_ORDER
    way.renew(MATCH, MOST_ORDER)
    assert _make(way, OTHER).order == MOST_ORDER, "there is no higher one: what comes last counts"


def _make(way: OnTheWay, text: bytes) -> Said:
    offer = make_offer(text)
    said = Said("league_offer", (offer,), None, offer.sha256)
    way.add(MATCH, said)
    return said


class Daemon:
    """A daemon that runs anew now and then, by a clock that jumps; all that it has said is still under way."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self.under_way: list[tuple[str, Message]] = []
        self._number = 0
        self.restart()

    def restart(self) -> None:
        """Forgets the orders, and has the clock jump: to before the league, or far ahead."""
        now_s = self._random.choice((1.0, 1e9, 2e9, 4e9))
        self.way = OnTheWay(lambda: 0.0, lambda: now_s)
        if self._number:
            self._offer()

    def change(self) -> None:
        """Has another record of the match, and calls Ann otherwise."""
        self._number += 1
        self._offer()

    def _offer(self) -> None:
        self._offer_record()
        self._offer_players()

    def _offer_record(self) -> None:
        _make(self.way, self.text)

    def _offer_players(self) -> None:
        message = players([(self.name, ("Ann",))]).message
        self.way.add(PLAYERS, Said("league_players", (message,), None, message.sha256))

    @property
    def text(self) -> bytes:
        """The record as it is."""
        return make_text(darts=(f"D{self._number}", "MISS"))

    @property
    def name(self) -> str:
        """What Ann is called now."""
        return f"Ann {self._number}"

    def say(self) -> None:
        """Sends what holds now."""
        for name in (MATCH, PLAYERS):
            said = self.way.get(name)
            assert said is not None
            (message,) = said.messages
            self.under_way.append((said.kind, message))

    def hear(self, answers: Sequence[Answer]) -> None:
        """Follows these answers: says again what is not the newest, or since an older one was taken."""
        for each in (answer.message for answer in answers):
            name, sha256 = (MATCH, each.sha256) if isinstance(each, LeagueTaken) else (PLAYERS, each.of)
            said = self.way.get(name)
            assert said is not None
            if said.sha256 == sha256 and each.older_than is not UNSET:
                self.way.renew(name, each.older_than)
            elif said.sha256 != sha256 and each.older_than is UNSET:
                self._offer_record() if name == MATCH else self._offer_players()


async def test_the_newest_counts_after_any_losses_repetitions_and_jumps_of_the_clock(
    db: AsyncDatabase, seed: int
) -> None:
    random = Random(seed)
    daemon = Daemon(random)
    await say(db, record(make_text(), "other"))  # Ann is somebody

    async def deliver(messages: Iterable[tuple[str, Message]]) -> None:
        for kind, message in messages:
            daemon.hear(await take(db, [read(kind, message)]))

    for _ in range(6):
        daemon.change()
        for _ in range(random.randrange(3)):
            daemon.say()
        if random.random() < 0.5:
            daemon.restart()
        daemon.say()
        await deliver(random.choices(daemon.under_way, k=random.randrange(4)))
    await deliver(random.sample(daemon.under_way, k=len(daemon.under_way)))
    for _ in range(2):  # the second time with the order that it has heard
        daemon.say()
        await deliver(daemon.under_way[-2:])
    for _ in range(2):
        assert await read_record(db) == daemon.text
        assert await find_ann(db) == daemon.name
        await deliver(random.sample(daemon.under_way, k=len(daemon.under_way)))
