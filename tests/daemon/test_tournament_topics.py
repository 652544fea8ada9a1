"""What is published of a tournament: within its limits, each event once, kept over connects, and emptied in time."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Mapping
from contextlib import closing
from functools import partial
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as some
from msgspec.structs import replace

from daemon.assemble import RunningDaemon, run_daemon
from daemon.config.reader import read_config
from daemon.home_assistant.discovery import Discovery
from daemon.plugins.rule_guard import RuleGuard
from daemon.tournament.desk import Desk
from daemon.tournament.publish import SHOWN_S, TournamentTopics
from daemon.tournament.rating import Strength
from daemon.tournament.store import FILE
from daemon.tournament.topics import MOST_BYTES, MOST_STATE_BYTES, find_events, make_messages
from protocol.tournament import End, Standings, TableView, TournamentSpec, TournamentView
from protocol.tournament_messages import TournamentPlaces, TournamentRound, TournamentState
from tests.daemon.display import JSON, Display, find_part, find_retained, fits
from tests.daemon.mosquitto import SHIPPED, Mosquitto
from tests.daemon.process import configure, eventually
from tests.daemon.test_discovery_templates import check_message, render
from tests.daemon.tournament.playing import begin, run_desk
from tests.daemon.tournament_views import make_view, match, semi_finals

BELOW = "oche/tournament/k3v9x2ma/"
BRIDGE = "homeassistant/device/oche_bridge_oche/config"
FOUR = ("Ann", "Bo", "Cy", "Di")
NAMES = some.text(min_size=1, max_size=40)


@pytest.mark.slow
@given(some.integers(2, 256), NAMES, some.sampled_from(["bye", "played", "ready", "called", "waiting"]))
def test_a_message_has_its_limit_whatever_is_in_it(size: int, name: str, status: str) -> None:
    names = [f"{number}{name}"[:40] for number in range(size)]
    pairs = [match(f"winners-1-{i}", (2 + i, 3 + i), status, table=name) for i in range(size // 2)]
    view = make_view(names, pairs)
    groups = tuple(Standings(group, view.standings[0].rows[: size // 4 + 1]) for group in range(4))
    view = replace(view, standings=groups, spec=replace(view.spec, name=name))
    for kind, _, value in make_messages(view, "501"):
        encoded = msgspec.json.encode(value)
        fits(kind, json.loads(encoded))
        assert len(encoded) <= (MOST_STATE_BYTES if kind == "tournament_state" else MOST_BYTES)
        match value:
            case TournamentState():
                assert bool(value.calls) == (status == "called")
                assert bool(value.next) == (status == "ready")
            case TournamentRound():
                assert len(value.matches) + value.left_out == len(pairs)
            case TournamentPlaces(standings=standings):
                assert size > 64 or len(standings) == 4


def test_what_is_still_to_be_played_is_left_out_last() -> None:
    names = [f"{number} " + "é" * 36 for number in range(256)]
    statuses = ["bye", "played", "ready"]
    pairs = [match(f"winners-1-{i}", (2 + i, 130 + i), statuses[i % 3]) for i in range(128)]
    found = next(value for kind, _, value in make_messages(make_view(names, pairs), "") if kind == "tournament_round")
    assert isinstance(found, TournamentRound)
    shown = [each.status for each in found.matches]
    assert shown.count("ready") == 42
    assert "bye" not in shown
    assert found.left_out == 128 - len(shown) > 0


def test_a_paper_table_takes_no_topic_of_a_board() -> None:
    uses = (("Main", True), ("main", False), ("Back room", True))
    tables = tuple(TableView(name, name, paper, False, "free", None, None) for name, paper in uses)
    view = replace(make_view([*FOUR], []), tables=tables)
    found = {names: value for kind, names, value in make_messages(view, "") if kind == "tournament_table"}
    assert {names[0][1]: value.paper for names, value in found.items()} == {"main": False, "back-room": True}  # type: ignore[attr-defined]


def change(view: TournamentView, number: int, **new: object) -> TournamentView:
    matches = [*view.matches]
    matches[number] = replace(matches[number], **new)
    return replace(view, matches=tuple(matches))


def test_each_thing_that_happens_is_one_event() -> None:
    views = [semi_finals(), semi_finals("main")]
    views.append(change(views[-1], 0, status="playing"))
    views.append(change(views[-1], 0, status="played", winner=5, score=(1, 3)))
    views.append(change(views[-1], 2, sides=(5, -1)))
    views.append(change(views[-1], 1, status="walkover", winner=3))
    views.append(change(views[-1], 2, sides=(5, 3), status="called", table="2", attempt=1))
    views.append(change(views[-1], 2, table="main", attempt=2))
    views.append(replace(change(views[-1], 2, status="played", winner=3), winner=3, phase="over"))
    views.append(change(views[-1], 2, status="disputed"))
    views.append(change(views[-1], 2, status="played"))
    events = [
        [(event.event_type, event.match or None, event.table or None, event.winner or None) for event in found]
        for found in ([*find_events(before, now)] for before, now in pairwise(views))
    ]
    assert events == [
        [("called", "winners-1-1", "main", None)],
        [],
        [("match_won", "winners-1-1", None, "Di")],
        [],
        [("match_won", "winners-1-2", None, "Bo"), ("round_over", None, None, None)],
        [("called", "winners-2-1", "2", None)],
        [("called", "winners-2-1", "main", None)],
        [("match_won", "winners-2-1", None, "Bo"), ("round_over", None, None, None), ("winner", None, None, "Bo")],
        [],
        [],
    ]


async def know_nothing(spec: TournamentSpec, names: tuple[str, ...]) -> dict[str, Strength]:
    return {}


def open_topics(running: RunningDaemon, folder: Path) -> TournamentTopics:
    """What publishes the views of a test, with a desk that is not open."""
    link, desk = running.mqtt, Desk(folder, [], {}, RuleGuard(), know_nothing)
    show = find_part(running, Discovery).show_tournament
    return TournamentTopics(desk, link.outbox, "oche", link.published, RuleGuard(), show)


def find_topics(topics: Mapping[str, str]) -> set[str]:
    """What is retained of tournaments, without their ids."""
    found = {topic.split("/", 3)[3] for topic, text in topics.items() if topic.startswith("oche/tournament/") and text}
    return found - {"event"}


async def connected(running: RunningDaemon) -> None:
    await eventually(lambda: running.mqtt.status.sentence == "connected")
    await running.mqtt.outbox.delivered.wait()


def said_online(display: Display, since: int = 0) -> bool:
    """The last thing that is said at a connect."""
    told = [message.text for message in display.messages[since:] if message.topic == "oche/bridge/oche/state"]
    return told[-1:] == ["online"]


async def test_it_is_retained_over_connects_and_emptied_when_it_has_gone(tmp_path: Path, broker: Mosquitto) -> None:
    everything = {"state", "round/1", "round/2", "table/main", "places"}
    setup = read_config(configure(tmp_path, broker.port))
    async with Display(broker.port) as display, run_desk(setup) as (_, desk):
        below = f"oche/tournament/{(await begin(desk, FOUR, ('main',))).id}/"
        await display.until(lambda: below + "event" in display.now and find_topics(display.now) >= everything)
        await display.until(lambda: bool(json.loads(display.now[below + "state"])["calls"]))
        assert json.loads(display.now[below + "event"])["table"] == "main"
        told = json.loads(display.now[below + "state"])
        assert (told["game"], told["calls"][0]["sides"]) == ("101", ["Ann", "Di"])
        await broker.kill()
        await broker.start()
        async with Display(broker.port) as late:
            await late.until(partial(said_online, late))
            assert find_topics(late.now) == everything
    async with Display(broker.port) as display, run_daemon(setup):
        await display.until(lambda: said_online(display) and find_topics(display.now) >= everything)
        emptied = [message.topic for message in display.messages if message.topic.startswith(below)]
        assert [message.topic for message in display.messages if message.topic in emptied and not message.text] == []
    for file in (tmp_path / "state").glob("tournaments.db*"):
        file.unlink()
    async with run_daemon(setup) as running:
        await connected(running)
        assert not find_topics(await find_retained(Display(broker.port)))


async def test_it_is_emptied_a_day_after_its_end(tmp_path: Path, broker: Mosquitto) -> None:
    async with run_daemon(read_config(configure(tmp_path, broker.port))) as running, Display(broker.port) as display:
        topics = open_topics(running, tmp_path)
        now_s = int(time.time())
        await topics.tell(semi_finals(), now_s - 60)
        await display.until(lambda: {"state", "round/2"} <= find_topics(display.now))
        assert topics.remove_old()
        fewer = semi_finals()
        await topics.tell(replace(fewer, matches=fewer.matches[:2]), now_s - 60)
        await display.until(lambda: "round/2" not in find_topics(display.now))
        await topics.tell(semi_finals(), now_s - SHOWN_S)
        await display.until(lambda: not find_topics(display.now))
        assert not topics.remove_old()
        await topics.tell(semi_finals(), now_s - SHOWN_S)
        await connected(running)
        assert not find_topics(display.now)


async def test_what_is_looked_at_or_corrected_long_after_its_end_is_not_published_again(
    tmp_path: Path, broker: Mosquitto
) -> None:
    setup = read_config(configure(tmp_path, broker.port))
    async with run_desk(setup) as (_, desk):
        old = (await begin(desk, FOUR, ("main",))).id
        await desk.do(old, End(), "organiser")
    with closing(sqlite3.connect(tmp_path / "state" / FILE)) as db, db:
        db.execute("update tournament set ended_s = ended_s - ?", (SHOWN_S,))  # its last line is a correction then
    async with Display(broker.port) as display, run_desk(setup) as (_, desk):
        await display.until(lambda: said_online(display) and not find_topics(display.now))
        seen = len(display.messages)
        await desk.find(old)
        new = (await begin(desk, FOUR, ("main",))).id
        await display.until(lambda: bool(display.now.get(f"oche/tournament/{new}/state")))
        assert not [each.topic for each in display.messages[seen:] if f"/{old}/" in each.topic and each.text]


def find_components(display: Display) -> dict[str, JSON]:
    text = display.now.get(BRIDGE)
    return json.loads(text)["components"] if text else {}


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("more", ["", 'update_url = "http://127.0.0.1:9/"'])
async def test_home_assistant_has_three_entities_while_there_is_one(
    tmp_path: Path, broker: Mosquitto, monkeypatch: pytest.MonkeyPatch, more: str
) -> None:
    setup = read_config(configure(tmp_path, broker.port, bridge=more))
    others = {"update"} if more else set()
    async with Display(broker.port) as display:
        async with run_desk(setup) as (_, desk):
            await display.until(lambda: said_online(display))
            assert set(find_components(display)) == others
            made = (await begin(desk, FOUR, ("main",))).id
            await display.until(lambda: len(find_components(display)) == len(others) + 3)
            found = {key: each for key, each in find_components(display).items() if key not in others}
            assert {key: each["name"] for key, each in found.items()} == {
                "tournament_match": "Next match",
                "tournament_due": "Next match expected",
                "tournament_event": "Tournament",
            }
            state = found["tournament_match"]["state_topic"]
            await display.until(lambda: '"called"' in display.now.get(state, ""))
            for key, each in found.items():
                check_message(key, each, display.now.get(each["state_topic"], '{"event_type": "called"}'))
            shown = render(found["tournament_match"]["value_template"], value_json=json.loads(display.now[state]))
            assert shown == "Ann – Di"
        seen = len(display.messages)
        async with run_desk(setup) as (_, desk):
            await display.until(lambda: said_online(display, seen))
            said = [message.text for message in display.messages[seen:] if message.topic == BRIDGE]
            assert all("tournament_match" in text for text in said), "a restart takes nothing back"
            await desk.do(made, End(), "organiser")
        monkeypatch.setattr("daemon.tournament.publish.SHOWN_S", 0)
        async with run_desk(setup):  # a day later
            await display.until(
                lambda: {key for key, each in find_components(display).items() if len(each) > 1} == others
            )
            await display.until(lambda: not find_topics(display.now))
            assert bool(display.now[BRIDGE]) == bool(others), "a device without entities has gone"


async def test_a_broker_that_refuses_it_is_told_and_play_goes_on(
    tmp_path: Path, mosquitto_path: Path, unused_tcp_port: int
) -> None:
    """With the access list as it ships; the sentence names the line that is commented out there."""
    (tmp_path / "password").write_text("bridge", encoding="utf-8")
    mqtt = f'username = "oche"\npassword_file = "{tmp_path}/password"'
    setup = read_config(configure(tmp_path, unused_tcp_port, mqtt=mqtt))
    broker = Mosquitto(
        *(mosquitto_path, tmp_path / "mosquitto", unused_tcp_port), users={"oche": "bridge"}, shipped="oche.conf"
    )
    async with broker, run_daemon(setup) as running:
        await connected(running)
        topics = open_topics(running, tmp_path)
        await topics.tell(semi_finals(), None)
        await eventually(lambda: running.mqtt.status.sentence.startswith("connected, but "))
        line = "topic readwrite oche/tournament/+/#"
        assert line in running.mqtt.status.sentence
        assert f"\n#{line}\n" in (SHIPPED / "acl").read_text(encoding="utf-8")
        async with Display(unused_tcp_port, username="oche", password="bridge") as display:
            assert (await display.ask("throw", {"throw": "T20"}))["status"] == "ok"
        topics.remove("k3v9x2ma")
        await eventually(lambda: running.mqtt.status.sentence == "connected")
