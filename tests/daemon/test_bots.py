"""Bots at a table with its real journal, in a time of its own, whatever the other players do meanwhile."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from daemon.assemble import run_daemon
from daemon.bots import Bots
from daemon.config.reader import read_config
from daemon.config.sections import TableConfig
from daemon.errors import UserError
from daemon.plugins.rule_guard import RuleGuard
from daemon.table.effects import Update
from daemon.table.scoresheet import SeatSender, Sender
from daemon.table.table import Table
from drivers.session import now_ns
from engine.game import Advice, Turn
from engine.games import GAMES
from engine.skill import Skill
from protocol.codebook import shipped
from protocol.commands import CommandError, Throw
from protocol.events import Button, Hit
from protocol.facts import Event
from tests.commanding import give
from tests.daemon.desk import PULL_S, Desk
from tests.daemon.process import configure, journal
from tests.daemon.test_equipment import written
from tests.simulator.hurry import hurry, in_no_time

BOOKS = {"standard": "plain-standard", "yatzy": "plain-yatzy", "ground_round": "plain-ground-round"}
DART_S = 1.2
JSON = dict[str, Any]  # Any: JSON


class Evening:
    """A table whose bots play, and everything it tells."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.running: asyncio.Task[None] | None = None
        self.events: list[tuple[float, Event]] = []
        self.notices: list[str] = []
        self.troubles: list[str | None] = []
        self._news = asyncio.Event()

    def publish(self, update: Update) -> None:
        now = asyncio.get_running_loop().time()
        self.events += [(now, event) for event in update.events]
        if update.notice is not None:
            self.notices.append(str(update.notice))
        if update.board is not None:
            self.troubles.append(update.board.info.trouble)
        self._news.set()

    @property
    def player(self) -> str:
        return self.table.state().turn.player

    @property
    def phase(self) -> str:
        return self.table.state().phase

    def told(self, event_type: str) -> list[str]:
        """Of every event of that type, its segment."""
        return [str(event.segment) for _, event in self.events if event.event_type == event_type]

    def times(self, event_type: str, player: str) -> list[float]:
        return [at for at, event in self.events if (event.event_type, event.player) == (event_type, player)]

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Waits for news that make it true."""
        while not is_so():
            self._news.clear()
            await self._news.wait()

    async def until_turn(self, player: str, darts: int = 0) -> None:
        """Waits until this player has thrown so many darts of a visit."""
        await self.until(lambda: self.player == player and len(self.table.state().turn.darts) == darts)

    async def play(self, *segment_ids: str) -> None:
        """A whole visit of a person, who enters it."""
        for segment_id in segment_ids:
            await give(self.table, {"throw": segment_id}, "page")
        await give(self.table, {"next": True}, "page")

    async def hit(self, segment_id: str) -> None:
        """The board reports a hit."""
        await self.table.feed(Hit(segment=self.table.codebook.layout[segment_id], time_ns=now_ns()))

    async def stall(self) -> None:
        """The table stops working; what is asked of it waits."""
        assert self.running is not None
        self.running.cancel()
        await asyncio.wait([self.running])

    def go_on(self) -> None:
        self.running = asyncio.create_task(self.table.run())

    async def press(self, button: str) -> None:
        await self.table.feed(Button(name=button, time_ns=now_ns()))


@asynccontextmanager
async def evening(
    folder: Path, layout: str = "standard", guard: RuleGuard | None = None, **wanted: Any
) -> AsyncIterator[Evening]:  # Any: a table's keys
    """A table and its bots; no board is connected."""
    (folder / "state").mkdir(parents=True, exist_ok=True)
    book = shipped(BOOKS[layout])
    config = TableConfig(**{"board": "sim:x", "players": ("Ann", "bot:45"), "seed": "a seed", **wanted})
    table = Table(config, book, folder / "state" / "main.sqlite3", "test", guard or RuleGuard())
    await table.open()
    bots, guest = Bots(table), Evening(table)
    table.subscribe(bots)
    table.subscribe(guest)
    guest.go_on()
    playing = asyncio.create_task(bots.run())
    try:
        yield guest
    finally:
        playing.cancel()
        await asyncio.wait([playing])
        await guest.stall()
        await table.close()


def sources(folder: Path) -> list[tuple[str, str]]:
    """What each line of the journal is, and who made it."""
    with closing(sqlite3.connect(folder / "state" / "main.sqlite3")) as db:
        rows = db.execute("select input, source from entry order by match, line").fetchall()
    return [(text.partition('"')[2].partition('"')[0], source) for text, source in rows]


@in_no_time
async def test_a_bot_throws_its_visit_and_goes_on(tmp_path: Path) -> None:
    async with evening(tmp_path) as ours:
        assert ours.player == "Ann"
        await ours.play("T20", "T20", "T20")
        began = asyncio.get_running_loop().time()
        await ours.until(lambda: ours.table.state().turn.visit == 3)
        assert ours.player == "Ann"
        last = ours.table.state().last
        assert last is not None
        assert (last.side, len(last.darts)) == (1, 3)
        assert ours.table.state().sides[1].name == "Bot 45"
        times = [began, *ours.times("dart", "Bot 45")]
        assert [round(b - a, 1) for a, b in pairwise(times)] == [DART_S] * 3
    assert sources(tmp_path) == [
        *[("throw", "page")] * 3,
        ("next", "page"),
        *[("throw", "bot")] * 3,
        ("next", "bot"),
    ]


SOME = ("x01", "dards", "yatzy_dart", "ground_round")


@pytest.mark.slow
@pytest.mark.parametrize("name", [pytest.param(name, marks=() if name in SOME else pytest.mark.long) for name in GAMES])
@in_no_time
async def test_bots_bring_every_game_to_its_end(tmp_path: Path, name: str) -> None:
    """Without a player and with no board connected."""
    chosen = GAMES[name]
    options = {"start": 101} if name == "x01" else {}
    count = 2 if 2 in chosen.sides else chosen.sides[0]
    players = ("bot:90", "bot:75", "bot:60", "bot:60")[:count]
    async with evening(tmp_path, chosen.layouts[0], game=name, options=options, players=players) as ours:
        await ours.until(lambda: ours.phase == "over")
    assert {source for _, source in sources(tmp_path)} == {"bot"}
    assert not ours.notices


def test_what_the_board_says_at_a_bots_turn_is_no_dart() -> None:
    desk = Desk(players=("bot:45", "Ann"))
    desk.obey(Throw("T1"), "bot")
    before = desk.state.turn
    desk.throw("T20")
    assert str(desk.latest.notice) == "T20 did not count: Bot 45 is at the oche, and throws automatically"
    assert desk.events("stray") == ["T20"]
    for key in ("next", "miss", "next"):
        desk.hear(key, after_s=1.5)
    for words in ({"throw": "T20"}, {"miss": True}, {"next": True}):
        with pytest.raises(CommandError, match="automatically"):
            desk.give(**words)
    assert desk.state.turn == before
    desk.obey(Throw("T1"), "bot")
    desk.obey(Throw("T1"), "bot")
    desk.hear("next", after_s=1.5)
    desk.throw("T20")
    assert desk.journal == ["T1", "T1", "T1", "next", "T20"]


def test_a_bot_throws_for_no_other_player() -> None:
    desk = Desk(players=("Ann", "bot:45"))
    for words in ({"throw": "T20"}, {"next": True}):
        with pytest.raises(CommandError, match="Ann is at the oche"):
            desk.give("bot", **words)


def test_no_player_answers_for_a_bot() -> None:
    desk = Desk(shipped("plain-yatzy"), "timer", game="yatzy_dart", players=("bot:45", "Ann"))
    for _ in range(3):
        desk.obey(Throw("1i"), "bot")
    assert desk.phase == "deciding"
    desk.hear(Button(name="next", time_ns=round(desk.now * 1e9)), after_s=PULL_S)
    assert str(desk.latest.notice) == "Bot 45 continues automatically"
    assert desk.journal == ["1i"] * 3


def test_only_the_bot_lays_its_cards() -> None:
    desk = Desk(game="dards", options={"mode": "dealt"}, players=("Ann", "bot:45"))
    prompt = desk.scorer.match.position.prompts[0]
    assert prompt.secret
    desk.give(SeatSender(0), choose=(prompt.options or ())[0])
    for _ in range(3):
        desk.give(throw="MISS")
    desk.give(next=True)
    prompt = desk.scorer.match.position.prompts[0]
    assert prompt.seat == 1
    others: tuple[Sender, ...] = ("page", SeatSender(0), SeatSender(1))
    for sender in others:
        with pytest.raises(CommandError, match=r"only Bot 45 can answer"):
            desk.give(sender, choose=(prompt.options or ())[0])
    desk.give("bot", choose=(prompt.options or ())[0])


@in_no_time
async def test_a_bot_that_is_late_does_nothing(tmp_path: Path) -> None:
    """Its dart comes to the table behind an undo that it has not seen yet."""
    async with evening(tmp_path, players=("bot:45", "Ann")) as ours:
        await ours.until_turn("Bot 45", 1)
        await ours.stall()
        undo = give(ours.table, {"undo": True}, "page")
        await asyncio.sleep(2 * DART_S)
        assert len(ours.table.backlog) == 2
        ours.go_on()
        await undo
        await asyncio.sleep(1)
        assert (ours.player, ours.table.state().turn.darts) == ("Bot 45", ())
        await ours.until_turn("Ann")


@pytest.mark.parametrize("takeout", ["timer", "hits"])
@in_no_time
async def test_a_timer_closes_a_persons_visit_and_never_a_bots(tmp_path: Path, takeout: str) -> None:
    """A bot is slower here than the timer, and hits no board that could open its visit."""
    async with evening(tmp_path, takeout=takeout, takeout_s=2.0, bot_s=7.0) as ours:
        for segment_id in ("T20", "D5", "I1"):
            await ours.hit(segment_id)
            await asyncio.sleep(1)
        await ours.until_turn("Bot 45")
        await ours.until_turn("Ann")
    throws = [source for word, source in sources(tmp_path) if word == "throw"]
    nexts = [source for word, source in sources(tmp_path) if word == "next"]
    assert throws == ["board"] * 3 + ["bot"] * 3
    assert nexts == ["timer", "bot"]


@in_no_time
async def test_a_bot_waits_while_a_player_undoes(tmp_path: Path) -> None:
    async with evening(tmp_path) as ours:
        await ours.play("T20", "T20", "I1")
        await ours.until_turn("Bot 45", 2)
        thrown = ours.told("dart")[3:]
        for _ in range(4):  # two darts of the bot, the next, and the dart that was wrong
            await give(ours.table, {"undo": True}, "page")
            await asyncio.sleep(4)
        assert (ours.player, len(ours.table.state().turn.darts)) == ("Ann", 2)
        await give(ours.table, {"throw": "T5"}, "page")
        await give(ours.table, {"next": True}, "page")
        began = asyncio.get_running_loop().time()
        await ours.until_turn("Bot 45", 2)
        assert ours.times("dart", "Bot 45")[2] - began == pytest.approx(2, abs=0.1), "six seconds after the undo"
        assert ours.told("dart")[-2:] == thrown, "an undo does not throw again"


@in_no_time
async def test_a_bot_goes_on_after_a_correction_and_a_redo(tmp_path: Path) -> None:
    async with evening(tmp_path) as ours:
        await ours.play("T20", "T20", "I1")
        await ours.until_turn("Bot 45", 1)
        await give(ours.table, {"amend": 4, "throw": "T20"}, "page")
        corrected = asyncio.get_running_loop().time()
        await ours.until_turn("Bot 45", 2)
        assert asyncio.get_running_loop().time() - corrected == pytest.approx(6, abs=0.1)
        await give(ours.table, {"undo": True}, "page")
        await give(ours.table, {"redo": True}, "page")
        await ours.until_turn("Ann")
        assert ours.table.state().sides[0].score == 321


def test_a_bot_whose_visit_was_cut_short_goes_on_after_a_restart(tmp_path: Path) -> None:
    async def visit(folder: Path, *, restarts: bool) -> list[str]:
        async with evening(folder, players=("bot:45", "bot:60")) as ours:
            await ours.until_turn("Bot 45", 2) if restarts else await ours.until_turn("Bot 60")
        if restarts:
            async with evening(folder, players=("bot:45", "bot:60")) as ours:
                assert ours.player == "Bot 45"
                await ours.until_turn("Bot 60")
        return [line["throw"] for line in journal(folder) if "throw" in line][:3]

    whole = hurry(visit(tmp_path / "whole", restarts=False))
    assert len(whole) == 3
    assert hurry(visit(tmp_path / "cut", restarts=True)) == whole


def test_the_seed_of_a_match_is_its_bots_darts(tmp_path: Path) -> None:
    async def match(folder: Path, seed: str) -> list[JSON]:
        async with evening(folder, players=("bot:60", "bot:60"), options={"start": 101}, seed=seed) as ours:
            await ours.until(lambda: ours.phase == "over")
        return journal(folder)

    one, again, other = (hurry(match(tmp_path / str(n), seed)) for n, seed in enumerate(("one", "one", "two")))
    assert one == again
    assert one != other


@in_no_time
async def test_the_same_again_keeps_its_bots_and_a_header_brings_others(tmp_path: Path) -> None:
    async with evening(tmp_path, options={"start": 101}, players=("bot:90", "bot:90")) as ours:
        await ours.until(lambda: ours.phase == "over")
        first = ours.table.match_id
        await give(ours.table, {"start": None}, "page")
        assert ours.table.match_id != first
        await ours.until(lambda: ours.phase == "over")
        await give(ours.table, {"start": {"game": "301", "players": ["BOT:30", "Ann"]}}, "page")
        assert ours.player == "Bot 30"
        await ours.until_turn("Ann")
        assert ours.table.match.header.bots == (30, None)


@in_no_time
async def test_a_player_who_leaves_lets_the_others_play_on(tmp_path: Path) -> None:
    async with evening(tmp_path, players=("bot:45", "Ann", "bot:60"), options={"start": 101}) as ours:
        await ours.until_turn("Bot 45", 1)
        await give(ours.table, {"retire": 0}, "page")
        assert ours.player == "Ann"
        await give(ours.table, {"retire": 1}, "page")
        await ours.until(lambda: ours.phase == "over")
        assert ours.table.state().winners == (2,)


@in_no_time
async def test_a_bot_that_is_left_alone_is_given_the_match_and_throws_no_more(tmp_path: Path) -> None:
    async with evening(tmp_path, players=("bot:45", "Ann"), options={"start": 1001}) as ours:
        await ours.until_turn("Ann")
        await give(ours.table, {"retire": 1}, "page")
        assert ours.table.state().alone == 0
        await give(ours.table, {"concede": True}, "page")
        darts = ours.told("dart")
        assert (ours.phase, ours.table.state().winners) == ("over", (0,))
        await give(ours.table, {"undo": True}, "page")
        await ours.until(lambda: len(ours.told("dart")) > len(darts))
        assert ours.told("dart")[: len(darts)] == darts, "it goes on where it was"


@in_no_time
async def test_a_game_that_has_no_advice_does_not_stop_a_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(state: object, turn: Turn, seat: int, skill: Skill) -> Advice:
        raise RuntimeError("no rule for this")

    monkeypatch.setattr(GAMES["x01"], "advise", broken)
    async with evening(tmp_path, players=("bot:45", "Ann")) as ours:
        await ours.until_turn("Ann")
        assert len(ours.told("dart")) == 3


async def test_the_house_has_bots_and_offers_them_no_phone(tmp_path: Path) -> None:
    """Through the configuration file, the daemon put together, and the page."""
    table = 'game = "dards"\noptions = { mode = "dealt" }\nbot_s = 0.01\n'
    file = configure(tmp_path, table=table)
    file.write_text(file.read_text("utf-8").replace('["Ann", "Bo"]', '["bot:45", "Ann"]'), encoding="utf-8")
    async with run_daemon(read_config(file)) as running, aiohttp.ClientSession() as phone:
        guest = Evening(running.tables["main"])
        running.tables["main"].subscribe(guest)
        await guest.until_turn("Ann")
        async with phone.get(f"{running.page}api/table/main/seats") as answer:
            assert [(seat["seat"], seat["player"]) for seat in await answer.json()] == [(1, "Ann")]


@pytest.mark.parametrize(
    ("players", "sentence"),
    [
        ('["Ann", "bot:10"]', "player 2 is a bot of level '10': a level is a three-dart average, 20 to 110"),
        ('["Ann", "bot:"]', "player 2 is a bot of level '': a level is a three-dart average, 20 to 110"),
    ],
)
def test_a_level_that_there_is_not_is_named_with_its_line(tmp_path: Path, players: str, sentence: str) -> None:
    file = written(tmp_path, 'board = "sim:granboard"', 'profile = "granboard"', f"players = {players}")
    with pytest.raises(UserError) as refusal:
        read_config(file)
    assert str(refusal.value) == f"{file}, line 4: {sentence}"
