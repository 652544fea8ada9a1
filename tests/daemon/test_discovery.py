"""Home Assistant finds the tables: what it is told, in which form, when it is told again, and what is taken back."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from daemon.assemble import RunningDaemon, run_daemon
from daemon.config.reader import read_config
from daemon.config.sections import Web
from daemon.errors import UserError
from daemon.home_assistant.discovery import find_page_for_others
from daemon.table.effects import BoardNews, Update
from protocol.messages import BoardInfo
from protocol.topics import TOPICS, parse
from tests.daemon.display import JSON, DirectDisplay, Display, Shown
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import configure, eventually
from tests.daemon.test_plugins import NEAREST

DEVICE = "homeassistant/device/oche_main/config"
ROOT_KEYS = {"device", "origin", "components", "availability", "availability_mode"}
DEVICE_KEYS = {"identifiers", "name", "manufacturer", "model", "sw_version", "configuration_url"}
ENTITY_PLATFORMS = {"binary_sensor", "button", "event", "number", "select", "sensor", "switch", "text"}
TWO = """
[[table]]
board = "serial:/dev/nowhere"
name = "cellar"
title = "The cellar"
"""


@asynccontextmanager
async def running_with(folder: Path, broker: Mosquitto, mqtt: str = "", **more: str) -> AsyncIterator[RunningDaemon]:
    async with run_daemon(read_config(configure(folder, broker.port, mqtt=mqtt, **more))) as running:
        yield running


@asynccontextmanager
async def watching(broker: Mosquitto) -> AsyncIterator[Display]:
    async with Display(broker.port) as display:
        await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
        yield display


@asynccontextmanager
async def telling(folder: Path, port: int, mqtt: str = "", **more: str) -> AsyncIterator[DirectDisplay]:
    """A daemon whose broker at this port is away, and what it has for it."""
    setup = read_config(configure(folder, port, mqtt=mqtt, **more))
    async with run_daemon(setup) as running, DirectDisplay(running) as display:
        yield display


def announced(display: Shown, table: str = "main") -> JSON:
    found: JSON = json.loads(display.now[f"homeassistant/device/oche_{table}/config"])
    return found


@pytest.mark.parametrize("spoken", ["", '[outlets]\nspoken = "calls"\n'])
async def test_what_is_said_aloud_is_an_entity_where_it_is_configured(
    tmp_path: Path, unused_tcp_port: int, spoken: str
) -> None:
    async with telling(tmp_path, unused_tcp_port, more=spoken) as display:
        assert ("spoken" in announced(display)["components"]) == bool(spoken)
        if spoken:
            found = announced(display)["components"]["spoken"]
            assert found["state_topic"] == found["json_attributes_topic"] == "oche/table/main/attr/spoken"
        assert [topic for topic in display.now if topic.endswith("/attr/spoken")] == []


def components(display: Shown) -> dict[str, JSON]:
    """Those that are there: one that is its platform alone has been taken back."""
    return {key: each for key, each in announced(display)["components"].items() if len(each) > 1}


def texts(display: Shown, topic: str) -> list[str]:
    return [message.text for message in display.messages if message.topic == topic]


def topics_of(value: object) -> Iterator[tuple[str, str]]:
    """Every topic in a payload, with the key it stands under."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if isinstance(inner, str) and key.endswith("topic"):
                yield key, inner
            yield from topics_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from topics_of(inner)


pytestmark = pytest.mark.usefixtures("at_once")


async def test_a_table_is_one_device_by_the_rules(tmp_path: Path, broker: Mosquitto) -> None:
    async with running_with(tmp_path, broker, more=TWO), watching(broker) as display:
        ids: list[str] = []
        for table, title in (("main", "Dartboard main"), ("cellar", "The cellar")):
            payload = announced(display, table)
            assert set(payload) == ROOT_KEYS, "one unknown key, and Home Assistant refuses the whole"
            assert set(payload["device"]) <= DEVICE_KEYS
            assert set(payload["origin"]) <= {"name", "sw_version", "support_url"}
            assert (payload["device"]["name"], payload["device"]["manufacturer"]) == (title, "oche")
            assert "configuration_url" not in payload["device"], "no other machine could open a page on the loopback"
            assert [each["topic"] for each in payload["availability"]] == [
                "oche/bridge/oche/state",
                f"oche/table/{table}/board/state",
                "oche/bridge/oche/health",
            ]
            assert payload["availability_mode"] == "all"
            for key, each in payload["components"].items():
                assert each["platform"] in ENTITY_PLATFORMS | {"device_automation"}
                assert each["unique_id"] == f"{payload['device']['identifiers'][0]}_{key}"
                ids.append(each["unique_id"])
                if "command_topic" in each:
                    assert each["message_expiry_interval"] == 5
            for key, topic in topics_of(payload):
                address = parse(topic)
                assert address is not None, f"{topic} is in no registry"
                assert TOPICS[address.kind].direction == ("in" if key == "command_topic" else "out")
        assert len(ids) == len(set(ids)) > 60
        board = announced(display)["components"]["board"]
        named = [each["topic"] for each in board["availability"]]
        assert named == ["oche/bridge/oche/state", "oche/bridge/oche/health"], "it stays visible as off"
        order = [message.topic for message in display.messages]
        assert order.index("oche/table/main/board/state") < order.index(DEVICE)
        assert order.index("oche/table/main/state") < order.index(DEVICE)


async def test_ids_outlive_restarts_and_other_ports_and_are_unique(tmp_path: Path, unused_tcp_port: int) -> None:
    async def ids(folder: Path, board: str, mqtt: str = "") -> dict[str, str]:
        async with telling(folder, unused_tcp_port, mqtt, board=board) as display:
            await display.until(lambda: DEVICE in display.now)
            found = {key: each["unique_id"] for key, each in components(display).items()}
            return {"": announced(display)["device"]["identifiers"][0], **found}

    first = await ids(tmp_path, "serial:/dev/ttyUSB0")
    assert await ids(tmp_path, "serial:/dev/ttyUSB7") == first
    (tmp_path / "other").mkdir()
    other = await ids(tmp_path / "other", "serial:/dev/ttyUSB0")
    assert set(other) == set(first)
    assert not set(other.values()) & set(first.values())


async def test_all_is_said_again_when_home_assistant_has_started(tmp_path: Path, broker: Mosquitto) -> None:
    again = [DEVICE, "oche/table/main/state", "oche/table/main/board/state", "oche/table/main/next"]

    async with running_with(tmp_path, broker), watching(broker) as display:
        for _ in range(2):
            seen = len(display.messages)
            await display.say("homeassistant/status", "offline")
            await display.say("homeassistant/status", "online")
            await display.until(lambda: set(again) <= {message.topic for message in display.messages[seen:]})  # noqa: B023
        assert all(len(set(texts(display, topic))) == 1 for topic in again)
        assert not display.events(), "what has happened does not happen again"


async def test_options_come_and_go_with_their_game(tmp_path: Path, unused_tcp_port: int) -> None:
    def options(display: Shown) -> set[str]:
        return {key for key in components(display) if key.startswith("option_")}

    x01 = {"start_number", "in_select", "out_select", "bull_select", "rounds_number", "tie_select"}
    async with telling(tmp_path, unused_tcp_port) as display:
        assert options(display) == {f"option_{name}" for name in x01}
        await display.say("oche/table/main/cmd/game", "nine_lives")
        await display.until(lambda: options(display) == {"option_lives_number", "option_bull_switch"})
        assert announced(display)["components"]["option_in_select"] == {"platform": "select"}, "it is taken back"
        await display.until(lambda: len(texts(display, "oche/table/main/next")) >= 3)
        assert len(set(texts(display, "oche/table/main/next"))) == 2, "said again, for those who were not there"
        await display.say("oche/table/main/cmd/game", "301")
        await display.until(lambda: options(display) == {f"option_{name}" for name in x01})
        assert announced(display)["components"]["option_bull_switch"] == {"platform": "switch"}
    async with telling(tmp_path, unused_tcp_port, 'discovery = "components"') as display:
        topic = "homeassistant/number/oche_main/option_start_number/config"
        await display.until(lambda: topic in display.now)
        await display.say("oche/table/main/cmd/game", "nine_lives")
        await display.until(lambda: display.now[topic] == "")


async def test_names_are_of_the_configured_language_and_ids_stay_english(tmp_path: Path, unused_tcp_port: int) -> None:
    async def names(folder: Path, language: str) -> tuple[dict[str, str], dict[str, str]]:
        bridge = f'language = "{language}"'
        async with telling(folder, unused_tcp_port, bridge=bridge) as display:
            found = {key: each for key, each in components(display).items() if "name" in each}
            ids = {key: each["default_entity_id"] for key, each in found.items()}
            return {key: each["name"] for key, each in found.items()}, ids

    english, ids = await names(tmp_path, "en")
    (tmp_path / "other").mkdir()
    german, same = await names(tmp_path / "other", "de")
    assert same == ids
    assert ids["option_tie_select"] == "select.oche_main_option_tie_select"
    assert ids["average_1"] == "sensor.oche_main_average_1"
    told = ("player", "average_1", "legs_2", "option_tie_select", "legs")
    assert [english[key] for key in told] == ["Current player", "Average Ann", "Legs Bo", "When level", "Legs"]
    assert [german[key] for key in told] == ["Am Wurf", "Durchschnitt Ann", "Legs Bo", "Bei Gleichstand", "Legs"]


async def test_what_is_counted_and_whose_figures_these_are_follow_the_match(
    tmp_path: Path, unused_tcp_port: int
) -> None:
    def score(display: Shown) -> tuple[str, str, str]:
        found = components(display)
        return found["score"]["unit_of_measurement"], found["average_1"]["name"], found["average_2"]["name"]

    async with telling(tmp_path, unused_tcp_port) as display:
        assert score(display) == ("points", "Average Ann", "Average Bo")
        game = components(display)["game"]
        assert '"soft_501": "501"' in game["json_attributes_template"]
        await display.say("oche/table/main/cmd/start", '{"game": "killer", "players": ["Cy", "Di"]}')
        await display.until(lambda: score(display) == ("lives", "Average Cy", "Average Di"))
        await display.say("oche/table/main/cmd/start", '{"game": "bobs_27", "players": ["Eve"]}')
        await display.until(lambda: score(display) == ("points", "Average Eve", "Average 2"))


async def test_an_option_that_is_no_entity_is_left_out(tmp_path: Path, unused_tcp_port: int) -> None:
    odd = """    limit: Annotated[int, Meta(le=100, description="an end", examples=[5])] = 5
    anything: Annotated[Any, Meta(description="any value", examples=["T20"])] = 5
"""
    (tmp_path / "games").mkdir()
    game = NEAREST.replace("= 61\n", f"= 61\n{odd}", 1).replace("import Annotated", "import Annotated, Any")
    (tmp_path / "games" / "nearest.py").write_text(game, encoding="utf-8")
    async with telling(tmp_path, unused_tcp_port, table='game = "nearest"') as display:
        found = {key for key in components(display) if key.startswith("option_")}
        assert found == {"option_goal_number", "option_rounds_number"}


async def test_the_answers_are_those_of_the_open_question(tmp_path: Path, unused_tcp_port: int) -> None:
    def answers(display: Shown) -> list[str]:
        found: list[str] = announced(display)["components"]["answer"]["options"]
        return found

    async with (
        telling(tmp_path, unused_tcp_port, table='game = "snooker"\noptions = {nominate = true}') as display,
    ):
        assert answers(display) == ["-"]
        await display.ask("throw", {"throw": "S1"})
        await display.until(lambda: answers(display) != ["-"])
        assert answers(display) == ["-", *display.state()["prompts"][0]["options"]]
        await display.ask("undo", {})
        await display.until(lambda: answers(display) == ["-"])
        await display.ask("start", {"game": "dards", "players": ["Ann", "Bo"], "options": {"mode": "dealt"}})
        await display.until(lambda: bool(display.state()["prompts"]))
        assert display.state()["prompts"][0]["secret"]
        await display.ask("start", {"game": "snooker", "players": ["Ann", "Bo"], "options": {"nominate": True}})
        await display.ask("throw", {"throw": "S1"})
        await display.until(lambda: answers(display) != ["-"])
        said = [json.loads(text)["components"]["answer"]["options"] for text in texts(display, DEVICE)]
        assert all(options in (["-"], said[-1]) for options in said), "a hand is secret"


async def test_a_battery_is_there_once_a_board_has_told_it(tmp_path: Path, unused_tcp_port: int) -> None:
    async with telling(tmp_path, unused_tcp_port) as display:
        assert "battery" not in components(display)
        for outlet in display.running.tables["main"].outlets:
            outlet.publish(Update("main", board=BoardNews(True, BoardInfo("quick", "", "connected", battery=80))))
        await display.until(lambda: "battery" in components(display))
    async with telling(tmp_path, unused_tcp_port) as display:
        assert "battery" in components(display), "and stays, also while no board tells it"


@pytest.mark.parametrize("prefix", ["", "home/+", "home#", "/home", "a b"])
def test_a_prefix_that_is_no_topic_is_refused(tmp_path: Path, prefix: str) -> None:
    with pytest.raises(UserError, match=r"discovery prefix .* is part of MQTT topics: use only letters"):
        read_config(configure(tmp_path, 1883, mqtt=f'discovery_prefix = "{prefix}"'))


@pytest.mark.parametrize(
    ("host", "names", "page", "told"),
    [
        ("127.0.0.1", (), "http://127.0.0.1:8180/", None),
        ("localhost", (), "http://localhost:8180/", None),
        ("192.168.0.7", (), "http://192.168.0.7:8180/", "http://192.168.0.7:8180/"),
        ("darts.lan", (), "http://darts.lan:8180/", "http://darts.lan:8180/"),
        ("0.0.0.0", (), "http://127.0.0.1:8180/", None),
        ("0.0.0.0", ("darts.lan",), "http://127.0.0.1:8180/", "http://darts.lan:8180/"),
        ("0.0.0.0", ("darts.lan",), None, None),
    ],
)
def test_the_device_leads_to_a_page_that_others_can_open(
    host: str, names: tuple[str, ...], page: str | None, told: str | None
) -> None:
    assert find_page_for_others(Web(host=host, names=names), page) == told


MIGRATE = '{"migrate_discovery":true}'


def singles(display: Display, prefix: str = "homeassistant") -> dict[str, JSON]:
    """The single components that are announced, by their topics."""
    return {
        topic: json.loads(text)
        for topic, text in display.now.items()
        if topic.startswith(f"{prefix}/") and topic.endswith("/config") and "/device/" not in topic and text
    }


@pytest.mark.parametrize(("before", "after"), [("device", "components"), ("components", "device")])
async def test_another_form_takes_over_the_same_entities(
    tmp_path: Path, broker: Mosquitto, before: str, after: str
) -> None:
    def told(display: Display) -> dict[str, str]:
        """The unique id of each entity, by its platform and the id that Home Assistant gives the announcement."""
        found = {}
        for topic, payload in singles(display).items():
            _, platform, node, key, _ = topic.split("/")
            assert set(payload["device"]) <= DEVICE_KEYS
            assert "platform" not in payload
            found[f"{platform} {node} {key}"] = payload["unique_id"]
        if display.now.get(DEVICE):
            for key, payload in components(display).items():
                found[f"{payload['platform']} oche_main {key}"] = payload["unique_id"]
        return found

    async with running_with(tmp_path, broker, f'discovery = "{before}"'), watching(broker) as display:
        first = told(display)
        old = [DEVICE] if before == "device" else list(singles(display))
        assert len(first) > 30
        assert bool(display.now.get(DEVICE)) == (before == "device")
    async with Display(broker.port) as display:
        await display.until(lambda: all(topic in display.now for topic in old))
        seen = len(display.messages)
        async with running_with(tmp_path, broker, f'discovery = "{after}"'):
            await display.until(lambda: all(display.now[topic] == "" for topic in old))
            await eventually(lambda: f'"form":"{before}"' not in (tmp_path / "state/said.json").read_text())
        said = display.messages[seen:]
        assert told(display) == first, "in the other form they are the same"
        new = [DEVICE] if after == "device" else list(singles(display))
        for topic in old:
            assert [message.text for message in said if message.topic == topic] == [MIGRATE, ""]
        order = [(message.topic, message.text) for message in said]
        goes = [order.index((topic, MIGRATE)) for topic in old]
        gone = [order.index((topic, "")) for topic in old]
        comes = [next(n for n, (each, _) in enumerate(order) if each == topic) for topic in new]
        assert max(goes) < min(comes)
        assert max(comes) < min(gone), "Home Assistant lets go, takes over, and only then forgets"
    async with Display(broker.port) as late:
        await late.until(lambda: all(topic in late.now for topic in new))
        assert told(late) == first, "what was retained in the old form has gone"
        seen = len(late.messages)
        async with running_with(tmp_path, broker, f'discovery = "{after}"'):
            await late.until(lambda: any(message.topic in new for message in late.messages[seen:]))
            await late.until(lambda: texts(late, "oche/bridge/oche/state")[-1] == "online")
        assert not [message for message in late.messages[seen:] if message.topic in old], "that is done once"


async def test_what_is_not_wanted_any_more_is_taken_back(tmp_path: Path, broker: Mosquitto) -> None:
    def tables(display: Display, prefix: str = "homeassistant") -> set[str]:
        return {
            next(level for level in topic.split("/") if level.startswith("oche_"))
            for topic, text in display.now.items()
            if topic.startswith(f"{prefix}/") and text
        }

    async with running_with(tmp_path, broker, more=TWO), watching(broker) as display:
        assert tables(display) == {"oche_main", "oche_cellar"}
    async with Display(broker.port) as display:
        await display.until(lambda: tables(display) == {"oche_main", "oche_cellar"})
        seen = len(display.messages)
        async with running_with(tmp_path, broker):
            await display.until(lambda: tables(display) == {"oche_main"})
            await display.until(lambda: display.now["oche/table/cellar/state"] == "")
        emptied = [message.topic for message in display.messages[seen:] if not message.text]
        taken_back = [emptied.index(topic) for topic in {*emptied} if topic.startswith("homeassistant/")]
        assert max(taken_back) < emptied.index("oche/table/cellar/state"), "else its entities read nothing first"
        async with running_with(tmp_path, broker, 'discovery_prefix = "other/home"'):
            await display.until(lambda: not tables(display) and tables(display, "other") == {"oche_main"})
        async with running_with(tmp_path, broker, 'discovery = "off"'):
            await display.until(lambda: not tables(display) and not tables(display, "other"))
    async with Display(broker.port) as late:
        await late.until(lambda: "oche/table/main/state" in late.now)
        assert not tables(late)
        assert not tables(late, "other")


async def test_what_the_broker_did_not_hear_is_taken_back_when_it_can(
    tmp_path: Path, broker: Mosquitto, unused_tcp_port_factory: Callable[[], int]
) -> None:
    async with running_with(tmp_path, broker), watching(broker) as display:
        assert announced(display)
    async with run_daemon(read_config(configure(tmp_path, unused_tcp_port_factory(), mqtt='discovery = "off"'))):
        pass  # there is no broker
    async with Display(broker.port) as display:
        await display.until(lambda: bool(display.now.get(DEVICE)))
        async with running_with(tmp_path, broker, 'discovery = "off"'):
            await display.until(lambda: display.now[DEVICE] == "")
