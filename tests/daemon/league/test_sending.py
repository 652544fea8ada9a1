"""With a league every finished match that counts is sent to it until it is taken: over losses, restarts, full disks."""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from daemon.admin.history.history import History
from daemon.admin.history.offered import answer_offers
from daemon.admin.process import FindRecords
from daemon.assemble import run_daemon
from daemon.config.reader import CheckedConfig
from daemon.league.records import Found
from daemon.league.since import read_since
from daemon.league.store import FILE, LeagueStore
from drivers.backoff import Backoff
from protocol.layouts import find_layout
from tests.commanding import give
from tests.daemon.display import Display
from tests.daemon.evenings import Evening, copy_matches
from tests.daemon.league.collector import JSON, MOST_ON_THE_WAY, Collector, without_order
from tests.daemon.league.playing import OPTIONS, WON, play, setup_league, taken
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import eventually


@pytest.mark.slow
async def test_the_past_comes_as_asked_and_then_each_match_at_its_end(
    tmp_path: Path, setup: CheckedConfig, broker: Mosquitto
) -> None:
    with Evening(tmp_path / "state") as evening, Evening(tmp_path / "state", "kitchen") as kitchen:
        evening.play(WON, day=-10, options=OPTIONS, players=["Ann", "Bo"])  # before the day
        past = [
            evening.play(WON, options=OPTIONS, players=["Ann", "Bo"]),
            kitchen.play("T20", {"stop": True}, day=1, options=OPTIONS, players=["Ann", "Bo"]),
        ]
        evening.play("DB / S20", day=2, game="bull_off", players=["Ann", "Bo"])
        stopped = evening.play("T20", day=3, options=OPTIONS, players=["Ann", "Bo"])  # not over
    async with Collector(broker.port) as collector, run_daemon(setup) as running:
        await collector.until(lambda: collector.kept.keys() >= {*past})
        assert collector.kept.keys() == {*past}
        match = await play(running)
        await collector.until(lambda: {match, stopped} <= collector.kept.keys())
        past.append(stopped)
        header, *lines = map(json.loads, collector.kept[match].splitlines())
        assert header["players"] == ["Ann", "Bo"]
        assert lines == [{"throw": dart} for dart in WON.split()]
        bridge = (tmp_path / "state" / "bridge.uuid").read_text().strip().replace("-", "")
        assert {offer["bridge_id"] for offer in collector.offers} == {bridge}
        async with Display(broker.port) as display:
            assert json.loads(display.now["oche/bridge/oche/info"])["bridge_id"] == bridge
        await eventually(lambda: taken(tmp_path) == {*past, match})
    async with Collector(broker.port) as collector, run_daemon(setup) as running:
        match = await play(running)
        await collector.until(lambda: match in collector.kept)
        assert collector.kept.keys() == {match}


@pytest.mark.long
async def test_all_arrives_over_losses_restarts_and_a_lost_file(
    tmp_path: Path, setup: CheckedConfig, broker: Mosquitto, soon: None
) -> None:
    with Evening(tmp_path / "state") as evening:
        matches = {evening.play(WON, day=n, options=OPTIONS, players=["Ann", "Bo"]) for n in range(40)}
    collector = Collector(broker.port, Random(42))
    async with collector:
        for least in (3, 20):
            async with run_daemon(setup):
                await collector.until(lambda least=least: len(collector.kept) >= least)  # type: ignore[misc]
        async with run_daemon(setup) as running:
            await broker.kill()
            matches.add(await play(running))
            await broker.start()
            async with Collector(broker.port, Random(7)) as other:
                await other.until(lambda: collector.kept.keys() | other.kept.keys() >= matches)
                await eventually(lambda: taken(tmp_path) == matches)
    (tmp_path / "state" / FILE).unlink()
    async with Collector(broker.port) as late, run_daemon(setup):
        await late.until(lambda: late.kept.keys() == matches)


@pytest.mark.slow
async def test_a_correction_is_a_new_edition(setup: CheckedConfig, broker: Mosquitto, soon: None) -> None:
    async with Collector(broker.port) as collector, run_daemon(setup) as running:
        match = await play(running)
        await collector.until(lambda: match in collector.kept)
        await give(running.tables["main"], {"undo": True}, "page")
        await give(running.tables["main"], {"throw": "D20"}, "page")
        await collector.until(lambda: collector.kept[match].endswith('{"undo":true}\n{"throw":"D20"}\n'))


@pytest.mark.slow
async def test_what_came_late_to_another_collector_is_replaced_once_more(
    tmp_path: Path, setup: CheckedConfig, broker: Mosquitto, seldom: None
) -> None:
    async with Collector(broker.port) as collector, run_daemon(setup) as running:
        match = await play(running)
        await collector.until(lambda: match in collector.kept)
        older = collector.offers[-1]
        await give(running.tables["main"], {"undo": True}, "page")
        await give(running.tables["main"], {"throw": "D20"}, "page")
        await collector.until(lambda: collector.offers[-1]["sha256"] != older["sha256"])
        newest, said = collector.offers[-1], len(collector.offers)
        answer = {"match": match, "sha256": newest["sha256"], "by": "league", "table": "main"}
        await collector.say("taken", answer)  # twice: nothing comes of that
        for count in (1, 2):
            await collector.say("taken", {**answer, "sha256": older["sha256"]})
            await collector.until(lambda count=count: len(collector.offers) >= said + count)  # type: ignore[misc]
            assert without_order(collector.offers[said:]) == without_order([newest] * count)
        store = LeagueStore(tmp_path / "state")
        await eventually(lambda: [each.sha256 for each in store.read().taken.values()] == [newest["sha256"]])


@pytest.mark.slow
async def test_what_is_offered_after_the_clock_was_set_back_is_said_at_once_as_newer(
    setup: CheckedConfig, broker: Mosquitto, seldom: None
) -> None:
    known = int(time.time() * 1000) + 10**10
    async with Collector(broker.port) as collector, run_daemon(setup) as running:
        collector.decide = lambda offer: {} if offer["order"] > known else {"answer": "older", "older_than": known}
        match = await play(running)
        await collector.until(lambda: match in collector.kept)
        assert [each["order"] > known for each in collector.offers] == [False, True]
        second = await play(running)
        await collector.until(lambda: second in collector.kept)
        assert collector.offers[-1]["order"] > collector.offers[1]["order"], "it goes on from there"
        assert len(collector.offers) == 3


@pytest.mark.slow
async def test_what_is_in_a_journal_that_is_away_for_a_while_is_offered_once_it_is_back(
    tmp_path: Path, setup: CheckedConfig, broker: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.league.offers.MISSED", Backoff(0.2, 0.2))
    with Evening(tmp_path / "state", "kitchen") as kitchen:
        past = kitchen.play(WON, options=OPTIONS, players=["Ann", "Bo"])
    file, away = tmp_path / "state" / "kitchen.sqlite3", tmp_path / "away"
    shutil.move(file, away)
    file.write_bytes(b"this is no journal" * 1000)
    async with Collector(broker.port) as collector, run_daemon(setup) as running:
        match = await play(running)
        await collector.until(lambda: match in collector.kept)
        assert past not in collector.kept
        shutil.move(away, file)
        await collector.until(lambda: past in collector.kept)


def test_a_journal_that_is_not_there_is_missed(tmp_path: Path) -> None:
    history = History(tmp_path, {"main": find_layout("standard")}, "1")
    wanted = FindRecords("2026-10-01T00:00:00+00:00", None)

    def is_partial() -> bool:
        found = answer_offers(wanted, history)
        assert isinstance(found, Found)
        return found.is_partial

    assert is_partial()
    with Evening(tmp_path) as evening:
        evening.play(WON, options=OPTIONS, players=["Ann", "Bo"])
    assert not is_partial()


@pytest.mark.slow
async def test_the_league_s_word_to_say_all_again_outlasts_a_disk_that_refuses_it(
    tmp_path: Path, setup: CheckedConfig, broker: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.league.offers.MISSED", Backoff(0.2, 0.2))
    async with Collector(broker.port) as collector, run_daemon(setup) as running:
        match = await play(running)
        await eventually(lambda: taken(tmp_path) == {match})
        with closing(sqlite3.connect(tmp_path / "state" / FILE)) as db:
            db.execute("create trigger no_room before delete on taken begin select raise(fail, 'no room'); end")
            db.commit()
            said = len(collector.offers)
            await collector.say("taken", {"match": "", "sha256": "", "by": "league", "again": True})
            second = await play(running)
            await collector.until(lambda: second in collector.kept)
            assert [each["match"] for each in collector.offers[said:]] == [second]
            db.execute("drop trigger no_room")
            db.commit()
        await collector.until(lambda: [each["match"] for each in collector.offers[said:]].count(match) == 1)


@pytest.mark.long
async def test_only_some_are_on_the_way_and_others_pass_what_is_never_answered(
    tmp_path: Path, setup: CheckedConfig, broker: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Evening(tmp_path / "state") as evening:
        matches = [evening.play(WON, day=n, options=OPTIONS, players=["Ann", "Bo"]) for n in range(30)]
    poison = {*matches[:MOST_ON_THE_WAY]}
    monkeypatch.setattr("daemon.league.offers.AGAIN", Backoff(0.1, 0.1))
    async with Collector(broker.port, decide=lambda _: None) as collector, run_daemon(setup) as running:
        latest = await play(running)
        await collector.until(lambda: len(collector.offers) >= 10 * MOST_ON_THE_WAY)
        assert {offer["match"] for offer in collector.offers} == poison
        await collector.until(lambda: latest in {offer["match"] for offer in collector.offers})
        collector.decide = lambda offer: None if offer["match"] in poison else {}
        await collector.until(lambda: collector.kept.keys() == {*matches, latest} - poison)
        collector.decide = lambda _: {}
        await collector.until(lambda: collector.kept.keys() == {*matches, latest})


@pytest.mark.slow
async def test_all_is_offered_at_once_to_a_league_that_is_there_again(
    tmp_path: Path, setup: CheckedConfig, broker: Mosquitto, seldom: None
) -> None:
    async with run_daemon(setup) as running:
        async with Collector(broker.port, decide=lambda _: None) as collector:
            match = await play(running)
            await collector.until(lambda: bool(collector.offers))
        async with Collector(broker.port) as collector:
            await collector.say("taken", {"match": "", "sha256": "", "by": "league"})
            await collector.until(lambda: match in collector.kept)
            await eventually(lambda: taken(tmp_path) == {match})
        async with Collector(broker.port) as collector:  # it has lost all
            await collector.say("taken", {"match": "", "sha256": "", "by": "league", "again": True})
            await collector.until(lambda: match in collector.kept)
        async with Collector(broker.port, decide=lambda _: None) as collector:
            second = await play(running)
            await collector.until(lambda: bool(collector.offers))
        await broker.kill()
        await broker.start()
        async with Collector(broker.port) as collector:
            await collector.say("taken", {"match": "", "sha256": ""})  # of whoever asks for a match with a ref
            await collector.say("taken", {"match": "", "sha256": "", "by": "league"})
            await collector.until(lambda: second in collector.kept)


@pytest.mark.slow
async def test_what_is_not_taken_is_offered_again_at_the_next_start(
    tmp_path: Path, setup: CheckedConfig, broker: Mosquitto, soon: None, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(_: JSON) -> JSON:
        return {"answer": "not_taken", "reason": "two daemons have the same id"}

    async with Collector(broker.port, decide=refuse) as collector, run_daemon(setup) as running:
        match = await play(running)
        await eventually(lambda: taken(tmp_path) == {match})
        second = await play(running)
        await eventually(lambda: taken(tmp_path) == {match, second})
        assert len(collector.offers) == 2
    assert caplog.text.count("two daemons have the same id") == 1
    (first, _) = LeagueStore(tmp_path / "state").read().taken.values()
    assert (first.answer, first.reason) == ("not_taken", "two daemons have the same id")
    async with Collector(broker.port) as collector, run_daemon(setup):
        await collector.until(lambda: collector.kept.keys() == {match, second})


@pytest.mark.slow
async def test_what_the_league_knows_more_of_is_noted_and_not_offered_again(
    tmp_path: Path, setup: CheckedConfig, broker: Mosquitto, soon: None
) -> None:
    def know(_: JSON) -> JSON:
        return {"answer": "known_more", "lines": 9}

    async with Collector(broker.port, decide=know), run_daemon(setup) as running:
        match = await play(running)
        await eventually(lambda: taken(tmp_path) == {match})
    (answer,) = LeagueStore(tmp_path / "state").read().taken.values()
    assert (answer.answer, answer.lines) == ("known_more", 9)
    async with Collector(broker.port) as collector, run_daemon(setup) as running:
        second = await play(running)
        await collector.until(lambda: second in collector.kept)
        assert {offer["match"] for offer in collector.offers} == {second}


@pytest.mark.long
async def test_play_and_offers_go_on_where_the_file_cannot_be_written(
    tmp_path: Path, setup: CheckedConfig, broker: Mosquitto, soon: None, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "state" / FILE).mkdir(parents=True)
    async with Collector(broker.port) as collector, run_daemon(setup) as running:
        matches = [await play(running), await play(running)]
        await collector.until(lambda: collector.kept.keys() == {*matches})
        matches.append(await play(running))
        await collector.until(lambda: collector.kept.keys() == {*matches})
        said = len(collector.offers)
        matches.append(await play(running))
        await collector.until(lambda: collector.kept.keys() == {*matches})
        assert {offer["match"] for offer in collector.offers[said:]} <= {*matches[2:]}
    assert caplog.text.count(f"{FILE}: unable to open") == 1


@pytest.mark.slow
async def test_the_first_day_is_kept(tmp_path: Path, broker: Mosquitto) -> None:
    with Evening(tmp_path / "state") as evening:
        evening.play(WON, options=OPTIONS, players=["Ann", "Bo"])
    setup = setup_league(tmp_path, broker, "[league]\non = true")
    async with Collector(broker.port) as collector:
        async with run_daemon(setup) as running:
            match = await play(running)
            await collector.until(lambda: collector.kept.keys() == {match})
        found = read_since(tmp_path / "state")
        assert found is not None
        assert not found.is_chosen
        (tmp_path / "state" / FILE).unlink()
        async with run_daemon(setup):
            await collector.until(lambda: len(collector.offers) > 1)
        assert read_since(tmp_path / "state") == found


@pytest.mark.long
async def test_a_long_absence_is_caught_up_beside_play(tmp_path: Path, setup: CheckedConfig, broker: Mosquitto) -> None:
    """Each match is sent once: nothing is said again while the league answers."""
    count = 1000
    with Evening(tmp_path / "state", "kitchen") as evening:
        for seed in range(10):
            evening.throw(seed, day=seed, players=["Ann", "Bo"], format={"legs": 3, "sets": 1})
    copy_matches(tmp_path / "state" / "kitchen.sqlite3", count - 10)
    async with Collector(broker.port) as collector, run_daemon(setup) as running:
        played = set()
        while len(collector.kept) < count:
            played.add(await play(running))
            await asyncio.sleep(1.0)  # people are faster than no table lets them be
        await collector.until(lambda: collector.kept.keys() >= played and len(collector.kept) == count + len(played))
        assert len(collector.offers) == len(collector.kept)
