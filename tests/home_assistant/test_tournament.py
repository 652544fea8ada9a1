"""A tournament as Home Assistant has it: who is next, what it fires, and that all of it goes a day after the end."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path

import pytest
import pytest_asyncio

from daemon.tournament.store import FILE, Kept, TournamentStore
from engine.tournament.journal import TournamentJournal
from protocol.match_spec import Format
from protocol.tournament import DrawSeats, Enter, SetTables, TableUse, TournamentSpec
from tests.home_assistant.evening import Evening, open_evening

pytestmark = [pytest.mark.home_assistant, pytest.mark.asyncio(loop_scope="module")]

MATCH, DUE = "sensor.oche_bridge_oche_tournament_match", "sensor.oche_bridge_oche_tournament_due"
EVENT = "event.oche_bridge_oche_tournament_event"


async def make_tournament(folder: Path) -> None:
    """Two players at the table `main`, drawn."""
    spec = TournamentSpec("Friday", "knock_out", options={"start": 101, "out": "straight"}, format=Format(legs=1))
    journal, now_s = TournamentJournal(spec), int(time.time())
    for given in (Enter(("Ann",)), Enter(("Bo",)), SetTables((TableUse("main"),)), DrawSeats((2, 3))):
        journal.apply(now_s, "organiser", given)
    folder.mkdir()  # noqa: ASYNC240  no other task waits
    store = TournamentStore(folder)
    await store.make(Kept("k3v9x2ma", now_s, spec, None), journal.lines)
    await store.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def evening(
    home_assistant_root: Path,
    mosquitto_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    unused_tcp_port_factory: Callable[[], int],
) -> AsyncIterator[Evening]:
    folder = tmp_path_factory.mktemp("evening")
    await make_tournament(folder / "state")
    async with open_evening(home_assistant_root, mosquitto_path, folder, unused_tcp_port_factory) as found:
        yield found


def value(evening: Evening, entity: str) -> str | None:
    """The state of an entity. None: there is no such entity."""
    found: str | None = evening.ha.states.get(entity, {"state": None})["state"]
    return found


async def test_who_is_called_is_the_next_match(evening: Evening) -> None:
    await evening.ha.until(lambda: value(evening, MATCH) == "Ann – Bo")
    await evening.ha.until(lambda: evening.ha.states[MATCH]["attributes"].get("table") == "main")
    assert value(evening, DUE) not in (None, "unavailable")
    assert evening.ha.states[EVENT]["attributes"]["event_types"] == ["called", "match_won", "round_over", "winner"]


async def test_it_fires_what_happens(evening: Evening) -> None:
    await evening.learn("start", "phase", "score")
    await evening.press("start")
    await evening.shows(phase="throwing", score=101)
    evening.throw("T20", "O20", "T7")
    await evening.ha.until(lambda: evening.ha.states[EVENT]["attributes"].get("event_type") == "winner")
    assert evening.ha.states[EVENT]["attributes"]["winner"] in ("Ann", "Bo")
    await evening.ha.until(lambda: value(evening, MATCH) == "-")


async def test_it_goes_a_day_after_the_end(evening: Evening) -> None:
    await evening.stop_daemon()
    file = evening.config.parent / "state" / FILE
    with closing(sqlite3.connect(file)) as db, db:
        db.execute("update tournament set ended_s = ended_s - 86400")
    await evening.start_daemon()
    await evening.ha.until(lambda: value(evening, MATCH) is None)
    assert not {MATCH, DUE, EVENT} & {*(await evening.ha.registered()).values()}


async def test_home_assistant_complains_of_nothing(evening: Evening) -> None:
    assert evening.ha.log == [], evening.ha.log
