"""What organisers have entered by hand in tournaments: the league hears all of it that stands."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from daemon.admin.players.book import PlayerBook
from daemon.config.reader import CheckedConfig
from protocol.tournament import Result
from tests.daemon.league.collector import Collector, without_order
from tests.daemon.league.playing import play
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.tournament.playing import begin, planned, run_desk, win

AGAIN = {"match": "", "sha256": "", "by": "league", "again": True}


@pytest.mark.slow
async def test_a_league_that_has_lost_all_hears_of_players_and_results_again(
    tmp_path: Path, setup: CheckedConfig, broker: Mosquitto, seldom: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.league.offers._PLAYERS_S", 0.1)
    async with Collector(broker.port) as collector, run_desk(setup) as (running, desk):
        match = await play(running)
        await collector.until(lambda: match in collector.kept)
        PlayerBook(tmp_path / "state").rename("Bo", "Bob", ())
        found = await begin(desk, ["Cy", "Di"], ["main"])
        (final,) = found.tournament.fixtures.by_id
        for legs in ((1, 0), (2, 0)):
            await desk.do(found.id, Result(final, (2, 3), 2, legs), "organiser")
            await collector.until(partial(_has_legs, collector, legs))
        await collector.until(lambda: bool(collector.players))
        heard = [*without_order([collector.players[-1], collector.results[-1]])]
        told = len(collector.players), len(collector.results)
        await collector.say("taken", AGAIN)
        await collector.until(lambda: len(collector.players) > told[0] and len(collector.results) > told[1])
        assert without_order([collector.players[-1], collector.results[-1]]) == heard


@pytest.mark.slow
async def test_that_nothing_was_entered_is_told_at_the_end(setup: CheckedConfig, broker: Mosquitto) -> None:
    """Else what another daemon, which was lost, has told of the same tournament would count for ever."""
    async with Collector(broker.port) as collector, run_desk(setup) as (running, desk):
        found = await begin(desk, ["Cy", "Di"], ["main"])
        await planned(running.tables["main"], found)
        await win(running.tables["main"], "Cy")
        await collector.until(lambda: bool(collector.results))
        told = collector.results[-1]
        assert (told["tournament"], told["results"]) == (found.id, [])
        assert 1 < told["line"] <= found.tournament.line


def _has_legs(collector: Collector, legs: tuple[int, int]) -> bool:
    return bool(collector.results) and [each["legs"] for each in collector.results[-1]["results"]] == [[*legs]]
