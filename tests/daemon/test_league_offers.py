"""The results of matches that were asked for with a ref: offered until taken, over restarts and corrections."""

from __future__ import annotations

import asyncio
import hashlib
import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from daemon.assemble import run_daemon
from daemon.config.reader import CheckedConfig, read_config
from daemon.league.store import LeagueStore
from drivers.backoff import Backoff
from tests.daemon.display import JSON, Display
from tests.daemon.evenings import DAY, Evening
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import configure, eventually
from tests.daemon.tournament.playing import begin, planned, run_desk, win

OFFER, TAKEN = "oche/bridge/oche/league/offer", "oche/bridge/oche/league/taken"
REF = "k3v9x2ma/winners-1-3/1"
GAME = {"game": "x01", "options": {"start": 101, "out": "straight"}, "players": ["Ann", "Bo"]}


@pytest.fixture
def setup(tmp_path: Path, broker: Mosquitto) -> CheckedConfig:
    return read_config(configure(tmp_path, broker.port))


async def play(display: Display, ref: str | None = REF) -> None:
    """A match to its end; without a ref, only its first dart."""
    await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
    assert (await display.ask("start", {**GAME, "ref": ref} if ref else GAME))["status"] == "ok"
    for dart in ("T20", "S20", "T7") if ref else ("T20",):
        assert (await display.ask("throw", {"throw": dart}))["status"] == "ok"


def offers(display: Display, since: int = 0) -> list[JSON]:
    return [json.loads(message.text) for message in display.messages[since:] if message.topic == OFFER]


async def take(display: Display, offer: JSON) -> None:
    await display.say(TAKEN, json.dumps({"match": offer["match"], "sha256": offer["sha256"]}))


def taken(folder: Path) -> JSON:
    return {each.match: each.sha256 for each in LeagueStore(folder / "state").read().taken.values()}


@pytest.mark.slow
async def test_a_result_is_said_again_until_it_is_taken(
    tmp_path: Path, setup: CheckedConfig, broker: Mosquitto
) -> None:
    async with Display(broker.port) as display:
        async with run_daemon(setup):
            await play(display)
            await display.until(lambda: len(offers(display)) == 2)
            first, again = offers(display)
            assert first == again
            text = first["record"]
            assert (first["ref"], first["table"], first["lines"]) == (REF, "main", len(text.splitlines()))
            assert hashlib.sha256(text.encode()).hexdigest() == first["sha256"]
            assert json.loads(text.splitlines()[0])["ref"] == REF
            await play(display, None)  # another match begins before anybody has taken it
        seen = len(display.messages)
        async with run_daemon(setup):
            await display.until(lambda: bool(offers(display, seen)))
            await broker.kill()
            await broker.start()
            async with Display(broker.port) as late:
                await late.until(lambda: bool(offers(late)))
                assert {**offers(late)[0], "order": first["order"]} == first
                await late.say(TAKEN, json.dumps({"match": first["match"], "sha256": "of another record"}))
                await late.until(lambda: len(offers(late)) > 1)
                await take(late, first)
                await eventually(lambda: taken(tmp_path) == {first["match"]: first["sha256"]})
        async with run_daemon(setup), Display(broker.port) as late:
            await late.until(lambda: late.now.get("oche/bridge/oche/state") == "online")
            await play(late, "of another")
            await late.until(lambda: bool(offers(late)))
            assert {offer["ref"] for offer in offers(late)} == {"of another"}


async def test_all_is_said_at_once_to_who_asks(
    setup: CheckedConfig, broker: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.league.offers.AGAIN", Backoff(3600.0, 3600.0))
    async with run_daemon(setup), Display(broker.port) as display:
        await play(display)
        await display.until(lambda: bool(offers(display)))
        await display.say(TAKEN, json.dumps({"match": "", "sha256": ""}))
        await display.until(lambda: len(offers(display)) == 2)


@pytest.mark.slow
async def test_what_was_taken_is_offered_again_to_who_goes_on(
    tmp_path: Path, setup: CheckedConfig, broker: Mosquitto
) -> None:
    async with run_daemon(setup), Display(broker.port) as display:
        for ref in (REF, "k3v9x2mb/winners-1-3/1"):
            seen = len(display.messages)
            await play(display, ref)
            await display.until(lambda: bool(offers(display, seen)))  # noqa: B023
            await take(display, offers(display, seen)[0])
        await eventually(lambda: len(taken(tmp_path)) == 2)
        before = taken(tmp_path)
        seen = len(display.messages)
        await display.say(TAKEN, json.dumps({"match": "", "sha256": "", "again": True}))
        await display.until(lambda: len({each["ref"] for each in offers(display, seen)}) == 2)
        await eventually(lambda: not taken(tmp_path))
        for each in {each["match"]: each for each in offers(display, seen)}.values():
            await take(display, each)
        await eventually(lambda: taken(tmp_path) == before)


@pytest.mark.slow
async def test_what_nobody_takes_keeps_nothing_else_waiting(
    tmp_path: Path, setup: CheckedConfig, broker: Mosquitto
) -> None:
    """A program may give each match a `ref` and never answer: the latest is said all the same, and after a restart."""
    header: dict[str, Any] = GAME  # Any: JSON
    yesterday = (datetime.now(UTC) - DAY).total_seconds() / 86_400 - 1
    with Evening(tmp_path / "state") as evening:
        for number in range(70):
            evening.play("T20 S20 T7", day=yesterday + number / 10_000, ref=f"of nobody {number}", **header)
    async with run_daemon(setup), Display(broker.port) as display:
        await play(display, "another of nobody")
        await display.until(lambda: len({each["ref"] for each in offers(display)}) == 64)
        await play(display)
        await display.until(lambda: REF in {each["ref"] for each in offers(display)})
    async with run_daemon(setup), Display(broker.port) as display:
        await display.until(lambda: len({each["ref"] for each in offers(display)}) == 64)
        assert REF in {each["ref"] for each in offers(display)}


async def test_a_corrected_match_is_offered_anew(setup: CheckedConfig, broker: Mosquitto) -> None:
    async with run_daemon(setup), Display(broker.port) as display:
        await play(display)
        await display.until(lambda: bool(offers(display)))
        first = offers(display)[0]
        await take(display, first)
        assert (await display.ask("undo", {}))["status"] == "ok"
        seen = len(display.messages)
        assert (await display.ask("throw", {"throw": "T7"}))["status"] == "ok"
        await display.until(lambda: bool(offers(display, seen)))
        second = offers(display, seen)[0]
        assert (second["match"], second["lines"]) == (first["match"], first["lines"] + 2)
        assert second["sha256"] != first["sha256"]
        seen = len(display.messages)
        assert (await display.ask("amend", {"amend": 3, "throw": "D10"}))["status"] == "ok"
        await display.until(lambda: [each["lines"] for each in offers(display, seen)][-1:] == [second["lines"] + 1])


@pytest.mark.slow
async def test_a_match_that_goes_on_is_offered_no_more(setup: CheckedConfig, broker: Mosquitto) -> None:
    async with run_daemon(setup), Display(broker.port) as display:
        await play(display)
        await display.until(lambda: bool(offers(display)))
        assert (await display.ask("undo", {}))["status"] == "ok"
        seen = len(display.messages)
        await play(display, "another")
        await display.until(lambda: len(offers(display, seen)) == 3)
        assert {offer["ref"] for offer in offers(display, seen)} == {"another"}


@pytest.mark.slow
async def test_what_this_daemon_asked_for_itself_is_not_offered(setup: CheckedConfig, broker: Mosquitto) -> None:
    async with run_desk(setup) as (running, desk), Display(broker.port) as display:
        found = await begin(desk, ("Ann", "Bo"), ("main",))
        await planned(running.tables["main"], found)
        await win(running.tables["main"], "Ann")
        await display.until(lambda: display.state()["phase"] == "over")
        await play(display, "of another")
        await display.until(lambda: len(offers(display)) == 3)
        assert {offer["ref"] for offer in offers(display)} == {"of another"}


async def test_without_a_ref_there_is_nothing_of_it(
    tmp_path: Path, setup: CheckedConfig, broker: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.startswith("daemon.league")]:
        monkeypatch.delitem(sys.modules, name)
    async with run_daemon(setup) as running, Display(broker.port) as display:
        await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
        tasks = {task.get_name() for task in asyncio.all_tasks()}
        await play(display, None)
        await display.ask("stop", {})
        assert not [name for name in sys.modules if name.startswith("daemon.league")]
        assert not [name for name in tasks if "results" in name]
        assert not [*(tmp_path / "state").glob("league*")]
        assert running.mqtt.reconnects == 0


@pytest.mark.parametrize("name", ["league.json", "league.db"])
async def test_the_file_goes_once_there_is_nothing_to_offer(tmp_path: Path, setup: CheckedConfig, name: str) -> None:
    (tmp_path / "state").mkdir(exist_ok=True)
    (tmp_path / "state" / name).write_text("damaged", encoding="utf-8")
    async with run_daemon(setup):
        await eventually(lambda: not [*(tmp_path / "state").glob("league.*")])


@pytest.mark.slow
async def test_what_the_former_version_knows_to_be_taken_is_not_offered_again(
    tmp_path: Path, setup: CheckedConfig, broker: Mosquitto
) -> None:
    async with Display(broker.port) as display:
        async with run_daemon(setup):
            await play(display)
            await display.until(lambda: bool(offers(display)))
        (tmp_path / "state" / "league.db").unlink()
        known = {offers(display)[0]["match"]: offers(display)[0]["sha256"]}
        (tmp_path / "state" / "league.json").write_text(json.dumps(known), encoding="utf-8")
        seen = len(display.messages)
        async with run_daemon(setup):
            await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
            await eventually(lambda: taken(tmp_path) == known and not (tmp_path / "state" / "league.json").exists())
            await play(display, "of another")
            await display.until(lambda: bool(offers(display, seen)))
            assert {offer["ref"] for offer in offers(display, seen)} == {"of another"}
