"""Badges: an independent count over random matches has the same, and a table tells of those that a match has given."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress
from datetime import date, datetime, timedelta
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from random import Random
from typing import Any

import aiohttp
import pytest

from daemon.admin.history.earned import find_earned, list_badges
from daemon.admin.history.forget import find_keys, forget_player
from daemon.admin.history.history import History
from daemon.admin.history.played_matches import PlayedMatch
from daemon.admin.history.player_figures import Selection, collect_appearances, report_player
from daemon.admin.history.text import format_player
from daemon.admin.players.book import PlayerBook
from daemon.admin.players.player_files import PlayerRefused
from daemon.assemble import RunningDaemon, run_daemon
from daemon.config.reader import read_config
from daemon.outlets.calls import Call, Calls
from daemon.table.effects import Update
from engine.badges import BADGES
from engine.games import GAMES
from engine.played import ThrowRow
from protocol.facts import BadgeEarned
from protocol.player_names import name_key
from tests.commanding import give
from tests.daemon.evenings import Evening
from tests.daemon.process import configure, eventually
from tests.daemon.test_figures import history

PEOPLE = ["Ann", "Bo", "Cy", "Dee", "Ed"]
GAMES_PLAYED = {"x01": {"start": 101}, "count_up": {}, "round_the_clock": {}, "cricket": {}, "shanghai": {}}
TONS = ("x01", "count_up")
"""Whose visits count as 100s and 180s."""
CHANGES = ["none", "rename", "merge", "forget", "split", "rename", "merge"]


def play_at_random(evening: Evening, matches: int, random: Random) -> None:
    """Matches on days in any order, some stopped, with bots, or with darts corrected after their end."""
    for number in range(matches):
        game = random.choice([*GAMES_PLAYED])
        players = random.sample(PEOPLE, random.choice([1, 2, 2, 3]))
        bots = [None] * len(players)
        if random.random() < 0.2:
            players, bots = [*players, "Robot"], [*bots, random.choice([40, 80])]  # type: ignore[list-item]
        line = random.randrange(2, 12)
        correction = random.choice([{"throw": "T20"}, {"throw": "DB"}, None])
        then: list[dict[str, Any]] = random.choice(  # Any: JSON
            [
                [],
                [{"undo": True}],
                [{"undo": True}, {"redo": True}],
                [{"undo": True}, {"throw": "MISS"}],
                [{"amend": line, "was": correction}],
            ]
        )
        evening.throw(
            number,
            random.choice([8.0, 25.0]),
            day=random.randrange(100),
            stop_after=random.choice([0, 0, 0, 0, 6]),
            then=then,
            game=game,
            options=GAMES_PLAYED[game],
            players=players,
            bots=bots,
            format={"legs": random.choice([1, 1, 3]), "sets": 1} if game == "x01" else {"legs": 1, "sets": 1},
        )


def change_names(folder: Path, kind: str, random: Random) -> None:
    """One of CHANGES, of players as they come; nothing where it is refused."""
    book, name, to = PlayerBook(folder), random.choice(PEOPLE), random.choice(PEOPLE)
    with suppress(PlayerRefused):
        match kind:
            case "rename":
                book.rename(name, f"New {name}", PEOPLE)
            case "merge":
                book.merge(name, to)
            case "split":
                book.split(name)
            case "forget":
                forget_player(folder, find_keys(folder, name), is_dry_run=False, tables=())
                book.remove(name)


def most_in_a_row(numbers: Iterable[int]) -> int:
    """The length of the longest run of numbers that follow each other."""
    runs = groupby(enumerate(sorted({*numbers})), lambda pair: pair[1] - pair[0])
    return max((len([*run]) for _, run in runs), default=0)


def count_anew(past: History, matches: list[PlayedMatch]) -> dict[str, dict[str, int]]:
    """What each person has done for some badges, by the darts of the record and by who won."""
    counted = {match.id: match for match in matches if not match.has_player_twice}
    people = {
        (match.id, name): match
        for match in counted.values()
        for name, bot in zip(match.players, match.bots or (None,) * len(match.players), strict=True)
        if bot is None and not name.startswith("Forgotten")
    }
    wanted = defaultdict[str, set[str]](set)
    for match_id, name in people:
        wanted[match_id].add(name)
    darts = list(past.list_throws({match: frozenset(names) for match, names in wanted.items()}))
    has_thrown = {(dart.match, dart.player) for dart in darts}
    found: dict[str, dict[str, int]] = {}
    for player in sorted({name for _, name in people}):
        theirs = sorted((m for (_, name), m in people.items() if name == player), key=attrgetter("at"))
        theirs = [match for match in theirs if not match.was_stopped or (match.id, player) in has_thrown]
        if theirs:
            found[player] = _count(player, theirs, [dart for dart in darts if dart.player == player])
    return found


def _count(player: str, matches: list[PlayedMatch], darts: list[ThrowRow]) -> dict[str, int]:
    over = [match for match in matches if not match.was_stopped]
    winners = {
        match.id: {match.players[seat] for standing in match.standings if standing.won for seat in standing.seats}
        for match in over
    }
    against = [match for match in over if len(match.players) > 1]
    beaten = [player in winners[m.id] and {*m.players} > winners[m.id] for m in against]
    best, row = 0, 0
    for is_won in beaten:
        row = row + 1 if is_won else 0
        best = max(best, row)
    visits = {(dart.match, dart.visit): dart for dart in darts if dart.game in TONS}
    stopped = {match.id for match in matches if match.was_stopped}
    points = [last.visit_points for last in visits.values() if last.match not in stopped or last.dart == 3]
    hits = Counter(dart.segment for dart in darts)
    days = [datetime.fromisoformat(match.at).astimezone().date() for match in matches]
    mondays = {day - timedelta(day.weekday()) for day in days}
    others = {
        name
        for match in matches
        for name, bot in zip(match.players, match.bots or (None,) * len(match.players), strict=True)
        if bot is None and name != player and not name.startswith("Forgotten")
    }
    return {
        "matches": len(over),
        "first_match": min(1, len(over)),
        "wins": sum(beaten),
        "wins_in_a_row": best,
        "darts": len(darts),
        "bullseyes": hits["DB"],
        "triples": len({bed for bed in hits if bed[0] == "T" and bed[1:].isdigit()}),
        "maximums": points.count(180),
        "tons": sum(scored >= 100 for scored in points),
        "games": len({match.game for match in matches}),
        "kinds": len({GAMES[match.game].group for match in matches}),
        "days": len({*days}),
        "weeks_in_a_row": most_in_a_row((monday - date(1, 1, 1)).days // 7 for monday in mondays),
        "matches_a_day": max(Counter(days).values()),
        "years": (max(days) - min(days)).days // 365,
        "company": len(others),
    }


@pytest.mark.slow
@pytest.mark.parametrize("matches", [25, pytest.param(500, marks=pytest.mark.long)])
def test_an_independent_count_has_the_same(tmp_path: Path, matches: int) -> None:
    """Whatever was corrected, renamed, merged, separated and forgotten; and what is earned adds up."""
    random = Random(matches)
    with Evening(tmp_path) as evening:
        play_at_random(evening, matches, random)
    past, played = history(tmp_path), list[PlayedMatch]()
    for change in CHANGES:
        change_names(tmp_path, change, random)
        past = history(tmp_path)
        played = [match for match in past.counted_matches() if match.is_over]
        found = count_anew(past, played)
        assert found
        for player, counts in found.items():
            badges = {each.id: each for each in list_badges(played, player, past.names)}
            assert {name: badges[name].count for name in counts} == counts, (player, change)
            for each in badges.values():
                assert each.tier == BADGES[each.id].find_tier(each.count)
                assert (each.match is None) == (each.at is None) == (each.tier == 0)
    _check_what_each_match_gave(played, past)


def _check_what_each_match_gave(played: list[PlayedMatch], past: History) -> None:
    """The match that is said to have given a tier is told of it, if it was the latest then."""
    in_order = sorted(played, key=attrgetter("at"))
    told = defaultdict[str, dict[str, tuple[int, str]]](dict)
    for place, match in enumerate(in_order):
        for seat, fact in find_earned(in_order[: place + 1], match.id, past.names):
            if isinstance(fact, BadgeEarned):
                told[name_key(match.players[seat])][fact.badge] = fact.tier, match.id
    assert told
    for key, badges in told.items():
        listed = {each.id: each for each in list_badges(played, key, past.names) if each.tier}
        assert {name: (each.tier, each.match) for name, each in listed.items()} == badges


def test_a_badge_of_another_player_s_match_or_of_a_bot_is_none(tmp_path: Path) -> None:
    with Evening(tmp_path) as evening:
        latest = evening.play("T20 S1 D20", players=["Ann", "Robot"], bots=[None, 60], options={"start": 101})
        twice = evening.play("T20 S1 D20", day=1, players=["Cy", "Dee"], options={"start": 101}, stored_as=["Cy", "cy"])
    past = history(tmp_path)
    played = list(past.counted_matches())
    assert list_badges(played, "Robot", past.names) == ()
    assert list_badges(played, "Cy", past.names) == ()
    assert find_earned(played, twice, past.names) == []
    earned = find_earned(played, latest, past.names)
    seats = {(seat, fact.badge) for seat, fact in earned if isinstance(fact, BadgeEarned)}
    assert seats >= {(0, "first_match"), (0, "first_leg"), (0, "bot_beaten")}
    assert {seat for seat, _ in seats} == {0}


def test_the_terminal_lists_them(tmp_path: Path) -> None:
    with Evening(tmp_path) as evening:
        evening.play("T20 S1 D20", players=["Ann", "Bo"], options={"start": 101})
    past = history(tmp_path)
    played = list(past.counted_matches())
    found = collect_appearances(played, Selection(), past.names)["ann"]
    said = format_player(report_player(found, list_badges(played, "Ann", past.names)))
    head, bronze, ahead = said.split("\n\n")[-1].splitlines()
    assert head == "badges"
    assert bronze.startswith("  bronze      First match (1), First leg (1), High finish (101)")
    assert ahead.startswith("  next        High finish 101 of 120, ")


@pytest.fixture
async def running(tmp_path: Path, unused_tcp_port: int) -> AsyncIterator[RunningDaemon]:
    with Evening(tmp_path / "state") as evening:  # before there were badges
        for day in range(4):
            evening.play("T20 S1 D20", day=day, players=["Ann", "Bo"], options={"start": 101})
    async with run_daemon(read_config(configure(tmp_path, unused_tcp_port))) as running:
        yield running


@pytest.mark.slow
async def test_a_table_tells_of_new_badges_alone_and_once(running: RunningDaemon) -> None:
    """Not of those that they had, and not again when the last dart is taken back and thrown again."""
    table, told = running.tables["main"], list[tuple[object, str, int]]()
    calls = list[Call]()

    class Ear:
        def publish(self, update: Update) -> None:
            events = [each for each in update.events if each.event_type == "badge"]
            told.extend((each.player, each.badge, each.tier) for each in events)
            calls.extend(Calls(darts=True).make(events, table.committed.public))

    table.subscribe(Ear())

    async def throw(*darts: str) -> None:
        for dart in darts:
            await give(table, {"throw": dart}, "page")

    async def start(*players: str) -> None:
        await give(table, {"start": {"game": "x01", "options": {"start": 101}, "players": [*players]}}, "page")

    async def read_tier(name: str, badge: str) -> int:
        async with aiohttp.ClientSession(running.page) as web, web.get(f"/api/stats/player?name={name}") as answer:
            tiers: dict[str, int] = {each["id"]: each["tier"] for each in (await answer.json())["badges"]}
            return tiers[badge]

    await start("Ann", "Bo")
    await throw("T20", "S1", "D20")  # the fifth win of both kinds
    await eventually(lambda: len(told) >= 2)
    assert sorted(told) == [("Ann", "wins", 1), ("Ann", "wins_in_a_row", 2)]
    told.clear()
    await give(table, {"undo": True}, "page")
    await throw("D20")
    await start("Bo", "Cy")
    await throw("T20", "S1", "D20")
    await eventually(lambda: ("Cy", "first_match", 1) in told)
    assert not any(player == "Ann" for player, _, _ in told), "told again"
    assert {badge for player, badge, _ in told if player == "Bo"} >= {"first_leg", "high_finish"}
    assert "first_match" not in {badge for player, badge, _ in told if player == "Bo"}, "he had it"
    before = len(told)
    assert await read_tier("Bo", "first_leg") == 1
    await give(table, {"undo": True}, "page")  # and with it the end
    await throw("MISS")
    assert await read_tier("Bo", "first_leg") == 0, "it is gone from the card"
    await give(table, {"undo": True}, "page")
    await throw("D20")
    await eventually(lambda: table.match.position.over)
    assert await read_tier("Bo", "first_leg") == 1
    match, line = table.committed.match_id, table.committed.public.line
    await give(table, {"undo": True}, "page")  # while it is worked out what the dart has given
    table.award(match, line, [(0, BadgeEarned(badge="legs", tier=1))])
    assert told[before:] == []
    assert calls == [], "nobody calls a badge"
