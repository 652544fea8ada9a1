"""The event of the week: when it is due, what is in it, and that it is published once."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import aiohttp
import msgspec
import pytest

from daemon.admin.history.history import History
from daemon.admin.history.week import sum_up_week
from daemon.admin.players.book import PlayerBook
from daemon.admin.requests import ChangePlayer
from daemon.admin.week import FILE, find_due
from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from daemon.config.week_time import DAYS, parse_week_time
from protocol.layouts import find_layout
from protocol.messages import Week
from protocol.player_names import MAX_NAME
from tests.daemon.display import Display
from tests.daemon.evenings import DAY, Evening
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import configure
from tests.daemon.test_statistics import ask, get

TOPIC = "oche/bridge/oche/week"
DEVICE = "homeassistant/device/oche_bridge_oche/config"
OUT_101 = "T20 S1 D20"
AT = parse_week_time(" Sunday  20:00 ")
SUNDAY = "2026-11-29T20:00:00+01:00"


@pytest.fixture
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("berlin")
@pytest.mark.parametrize(
    ("now", "told", "expected"),
    [
        ("2026-11-29T19:59:59+01:00", None, None),
        ("2026-11-29T20:00:00+01:00", None, SUNDAY),
        ("2026-11-29T19:00:00+00:00", "2026-11-22T20:00:00+01:00", SUNDAY),  # in UTC
        ("2026-11-30T19:59:00+01:00", None, SUNDAY),  # oche was off for almost a day
        ("2026-11-30T20:00:00+01:00", None, None),
        ("2026-11-29T23:00:00+01:00", SUNDAY, None),
        ("2026-11-29T20:30:00+01:00", "2026-11-29T20:15:00+01:00", None),  # the configuration named another time
        ("2026-11-29T19:59:58+01:00", SUNDAY, None),  # the clock was set back
        ("2026-11-29T20:30:00+01:00", "2031-01-05T20:00:00+01:00", SUNDAY),  # a clock had been wrong
        ("2026-10-25T19:59:00+01:00", "2026-10-18T20:00:00+02:00", None),  # after the night of 25 hours
        ("2026-10-25T20:00:00+01:00", "2026-10-18T20:00:00+02:00", "2026-10-25T20:00:00+01:00"),
    ],
)
def test_it_is_due_once_a_week_by_the_local_clock(now: str, told: str | None, expected: str | None) -> None:
    found = find_due(AT, datetime.fromisoformat(now), datetime.fromisoformat(told) if told else None)
    assert (found.isoformat() if found else None) == expected


@pytest.mark.usefixtures("berlin")
@pytest.mark.parametrize("sunday", ["2026-03-29", "2026-10-25"])
def test_it_is_due_once_in_a_night_that_leaves_out_an_hour_or_has_it_twice(sunday: str) -> None:
    at, now, told = parse_week_time("sunday 02:30"), datetime.fromisoformat(f"{sunday}T00:00:00+00:00"), None
    found = []
    for _ in range(8 * 24 * 6):
        now += timedelta(minutes=10)
        if moment := find_due(at, now, told):
            told = moment
            found.append(now)
    assert len(found) == 2
    assert timedelta(days=6, hours=22) <= found[1] - found[0] <= timedelta(days=7, hours=2)


def sum_up(folder: Path) -> Week:
    """The week from the day on."""
    history = History(folder, {"main": find_layout("standard")}, "test")
    matches = list(history.counted_matches())
    return sum_up_week(matches, DAY, DAY + timedelta(7), history.names)


def test_it_tells_the_best_of_seven_days(tmp_path: Path) -> None:
    with Evening(tmp_path) as evening:
        evening.play(OUT_101, day=-0.1, options={"start": 101})
        evening.play("T20 T20 T20 / S1 S1 S1 / T20 S1 D20", day=1, options={"start": 281})
        evening.play(OUT_101, day=2, options={"start": 101})
        evening.play("MISS MISS MISS / T20 S1 MISS / MISS MISS MISS / D20", day=6.9, options={"start": 101})
        evening.play(OUT_101, day=7, options={"start": 101})
    week = sum_up(tmp_path)
    assert (week.matches, week.darts) == (3, 9 + 3 + 10)
    assert [(each.name, each.matches, each.won) for each in week.players] == [("Ann", 3, 2), ("Bo", 3, 1)]
    assert msgspec.to_builtins([week.best_finish, week.best_leg, week.most_wins]) == [
        {"player": "Ann", "value": 101, "label": ""},
        {"player": "Ann", "value": 3, "label": "101"},
        {"player": "Ann", "value": 2, "label": ""},
    ]
    assert {"maximums"} <= {each.badge for each in week.badges if each.player == "Ann"}
    book = PlayerBook(tmp_path)
    book.rename("Ann", "Anna", [])
    book.change(msgspec.convert({"name": "Bo", "counts": False}, ChangePlayer))
    renamed = sum_up(tmp_path)
    assert [each.name for each in renamed.players] == ["Anna"]
    assert "Bo" not in msgspec.json.encode(renamed).decode()


def test_whoever_plays_alone_wins_against_nobody(tmp_path: Path) -> None:
    with Evening(tmp_path) as evening:
        for day in (1, 2):
            evening.play(OUT_101, day=day, players=["Cy"], options={"start": 101})
        assert sum_up(tmp_path).most_wins is None
        evening.play(OUT_101, day=3, options={"start": 101})
    assert msgspec.to_builtins(sum_up(tmp_path).most_wins) == {"player": "Ann", "value": 1, "label": ""}


def test_it_stays_small_with_the_longest_names(tmp_path: Path) -> None:
    names = [chr(0x1F3AF + n) * MAX_NAME for n in range(8)]
    with Evening(tmp_path) as evening:
        for seed in range(3):
            evening.throw(seed, players=names, options={"start": 301})
    week = sum_up(tmp_path)
    assert (len(week.players), len(week.badges)) == (6, 6)
    assert len(msgspec.json.encode(week)) <= 4000


@pytest.mark.slow
async def test_it_is_published_once_and_found_by_home_assistant(
    tmp_path: Path, broker: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.admin.week.LOOK_S", 0.02)
    at = datetime.now().astimezone() - timedelta(hours=1)  # oche was off then
    with Evening(tmp_path / "state") as evening:
        evening.play(OUT_101, day=(at.astimezone(UTC) - DAY) / timedelta(1) - 1, options={"start": 101})
        evening.play(OUT_101, day=(at.astimezone(UTC) - DAY) / timedelta(1) - 8, options={"start": 101})
    week_at = f'week_at = "{DAYS[at.weekday()]} {at:%H:%M}"'
    async with Display(broker.port) as display:
        async with run_daemon(read_config(configure(tmp_path, broker.port, bridge=week_at))) as running:
            await display.until(lambda: TOPIC in display.now and DEVICE in display.now)
            told = json.loads(display.now[TOPIC])
            async with aiohttp.ClientSession(running.page) as web:
                asked = await ask(web, "/api/stats/week", before=told["before"])
                assert asked == {"v": 1, **told}
                for week in ("2026-W60", "2026-49", "last"):
                    status, said = await get(web, "/api/stats/week", week=week)
                    assert (status, said) == (400, "week must be a week such as 2026-W48")
                assert (await get(web, "/api/stats/week", before="0001-01-02"))[0] == 400
                assert (await ask(web, "/api/stats/week", week="2026-W40"))["since"][:10] == "2026-09-28"
        assert (told["event_type"], told["matches"], told["most_wins"]["player"]) == ("week", 1, "Ann")
        component = json.loads(display.now[DEVICE])["components"]["week"]
        assert (component["platform"], component["state_topic"], component["event_types"]) == ("event", TOPIC, ["week"])
        assert datetime.fromisoformat((tmp_path / "state" / FILE).read_text()) == at.replace(second=0, microsecond=0)
        del display.now[TOPIC]
        async with run_daemon(read_config(configure(tmp_path, broker.port, bridge=week_at))) as running:
            await display.until(lambda: running.mqtt.outbox.is_followed)
            async with aiohttp.ClientSession(running.page) as web:
                await ask(web, "/api/stats/week")  # the process that it would ask has answered meanwhile
        assert TOPIC not in display.now
