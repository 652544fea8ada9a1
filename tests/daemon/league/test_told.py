"""What people are told of the league: on the page, and by the doctor."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from daemon.admin.doctor.checks import Check
from daemon.admin.doctor.league import check_league
from daemon.config.sections import Bridge, Config, League
from daemon.league.records import Taken
from daemon.league.since import Since, read_since
from daemon.league.store import FILE, LeagueStatus, LeagueStore
from tests.daemon.evenings import Evening
from tests.daemon.league.collector import JSON, Collector
from tests.daemon.league.playing import OPTIONS, WON, setup_league
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import configure, eventually, run
from tests.daemon.test_settings import serve


def with_page(folder: Path, port: int) -> Path:
    """The configuration in this folder, with its page on this port."""
    file = folder / "oche.toml"
    file.write_text(file.read_text(encoding="utf-8").replace("port = 0", f"port = {port}"), encoding="utf-8")
    return file


@pytest.mark.slow
async def test_the_page_asks_from_when_once_and_tells_what_was_not_taken(
    tmp_path: Path, broker: Mosquitto, unused_tcp_port_factory: Callable[[], int]
) -> None:
    with Evening(tmp_path / "state") as evening:
        old = [evening.play(WON, day=n, options=OPTIONS, players=["Ann", "Bo"]) for n in range(3)]
    setup_league(tmp_path, broker, "[league]\non = true")

    def decide(offer: JSON) -> JSON:
        refused = {"answer": "not_taken", "reason": "two daemons have the same id"}
        return (
            refused
            if offer["match"] == old[-1]
            else {"answer": "known_more", "lines": 9}
            if offer["match"] == old[1]
            else {}
        )

    file = with_page(tmp_path, unused_tcp_port_factory())
    async with Collector(broker.port, decide=decide) as collector, serve(file) as web:

        async def ask() -> JSON:
            async with web.get("/api/league/sending") as answer:
                assert answer.status == 200, await answer.text()
                found: JSON = await answer.json()
                return found

        found = await ask()
        assert (found["on"], found["asks"], found["not_taken"]) == (True, True, [])
        for day, status in (("2026-02-31", 400), ("yesterday", 400), ("2026-10-04", 200)):
            async with web.post("/api/league/since", json={"day": day}) as answer:
                assert answer.status == status, await answer.text()
        await collector.until(lambda: len(collector.offers) == 2)

        async def has_all() -> bool:
            told = await ask()
            return bool(len(told["not_taken"]) == told["known_more"] == 1)

        await eventually(has_all)
        found = await ask()
        assert (found["since"], found["asks"], found["waiting"]) == ("2026-10-04", False, 0)
        assert found["not_taken"] == [{"table": "main", "match": old[-1], "reason": "two daemons have the same id"}]
    assert read_since(tmp_path / "state") == Since("2026-10-04", is_chosen=True)
    done = await run("doctor", "--config", tmp_path / "oche.toml")
    told = [line for line in done.output.splitlines() if " league " in line]
    assert [line.split()[0] for line in told] == ["problem", "warning"]
    assert "two daemons have the same id" in told[0]


async def test_without_a_league_nothing_is_told_and_nothing_written(
    tmp_path: Path, unused_tcp_port_factory: Callable[[], int]
) -> None:
    configure(tmp_path)
    async with serve(with_page(tmp_path, unused_tcp_port_factory())) as web:
        async with web.get("/api/league/sending") as answer:
            assert await answer.json() == {"v": 1, "on": False}
        async with web.post("/api/league/since", json={"day": "2026-10-04"}) as answer:
            assert answer.status == 409
        assert not [*(tmp_path / "state").glob("league*")]
    done = await run("doctor", "--config", tmp_path / "oche.toml")
    assert not [line for line in done.output.splitlines() if " league " in line]


def find(checks: Iterable[Check]) -> list[tuple[str, str]]:
    return [(check.verdict, str(check.text)) for check in checks]


def test_the_doctor_knows_a_silent_league_from_one_that_was_there_just_now(tmp_path: Path) -> None:
    now = datetime(2026, 10, 3, 20, tzinfo=UTC)
    config = Config(table=[], bridge=Bridge(state_dir=str(tmp_path)), league=League(on=True))
    assert find(check_league(config, now))[0][0] == "warning"
    store = LeagueStore(tmp_path)
    kept = [Taken("league", "main", "m1", "1", "0", "kept"), Taken("asked", "main", "m2", "1", "0", "kept")]
    for minutes, waiting, verdict in ((1, 3, "ok"), (90, 0, "ok"), (90, 3, "warning")):
        store.note(kept, LeagueStatus(waiting, (now - timedelta(minutes=minutes)).isoformat()), "")
        (found,) = find(check_league(config, now))
        assert found[0] == verdict
        assert f"matches that {'it has: 1' if verdict == 'ok' else 'wait for it: 3'}" in found[1]
    store.add_forgetting(["Zoë"])
    store.note([], LeagueStatus(0, (now - timedelta(minutes=90)).isoformat()), "")
    assert "players it has to forget: 1" in find(check_league(config, now))[0][1]
    (tmp_path / FILE).write_bytes(b"no database" * 1000)
    assert find(check_league(config, now))[0][0] == "problem"
