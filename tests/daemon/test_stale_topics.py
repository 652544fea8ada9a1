"""What other names in the configuration left on the broker: it is taken off, and nothing else is."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path

import pytest

from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from tests.daemon.display import Display, find_retained
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import configure, eventually
from tests.sweep import sweep

TABLE = '[[table]]\nname = "{0}"\nboard = "serial:{1}/{0}"\nprofile = "quick.toml"\n'
LOG = "oche.mqtt"
TOPICS = 14
"""What a table keeps on the broker."""


async def run(folder: Path, port: int, *tables: str, bridge: str = "oche", mqtt: str = "", host: str = "") -> None:
    """A daemon with the table `main` and these: starts, says everything and is stopped."""
    folder.mkdir(exist_ok=True)  # noqa: ASYNC240  no other task waits
    more = "".join(TABLE.format(name, folder) for name in tables)
    file = configure(folder, port, more=more, bridge=f'name = "{bridge}"', mqtt=f'discovery = "off"\n{mqtt}')
    if host:
        file.write_text(file.read_text().replace('host = "127.0.0.1"', f'host = "{host}"'), encoding="utf-8")
    async with run_daemon(read_config(file)) as running:
        await eventually(lambda: running.mqtt.status.sentence == "connected")
        await running.mqtt.outbox.delivered.wait()


def below(topics: dict[str, str], start: str) -> dict[str, str]:
    return {topic: text for topic, text in topics.items() if topic.startswith(start)}


async def test_tables_that_left_the_configuration_leave_the_broker(tmp_path: Path, broker: Mosquitto) -> None:
    await run(tmp_path, broker.port, "garage", "yard")
    before = await find_retained(Display(broker.port))
    gone = below(before, "oche/table/garage/")
    assert len(gone) == TOPICS
    async with Display(broker.port) as display:
        await display.say("oche/table/garage/cmd/next", "of another client", retain=True)
        await display.say("oche/table/garage/seat/1/state", "a hand of ours", retain=True)
        await display.say("oche/table/hall/state", before["oche/table/main/state"], retain=True)
        await run(tmp_path, broker.port, "yard")
        await display.until(lambda: all(display.now[topic] == "" for topic in gone))
    after = await find_retained(Display(broker.port))
    assert after.keys() == before.keys() - gone | {"oche/table/garage/cmd/next", "oche/table/hall/state"}


async def test_a_bridge_and_a_table_that_are_called_otherwise_leave_nothing(tmp_path: Path, broker: Mosquitto) -> None:
    await run(tmp_path, broker.port, "garage", bridge="old")
    assert len(below(await find_retained(Display(broker.port)), "oche/bridge/old/")) == 4
    await run(tmp_path, broker.port, "shed", bridge="new")
    after = await find_retained(Display(broker.port))
    assert not below(after, "oche/bridge/old/") | below(after, "oche/table/garage/")
    assert len(below(after, "oche/bridge/new/")) == 4
    assert len(below(after, "oche/table/shed/")) == len(below(after, "oche/table/main/")) == TOPICS
    await run(tmp_path, broker.port, "shed", bridge="new", mqtt='base = "club/darts"')
    after = await find_retained(Display(broker.port))
    assert not below(after, "oche/")
    assert len(below(after, "club/darts/")) == 4 + 2 * TOPICS


async def test_two_daemons_of_one_name_leave_each_other_alone(tmp_path: Path, broker: Mosquitto) -> None:
    """The second one was given no name: they cannot both be connected, but what they say stays."""
    await run(tmp_path / "first", broker.port, "garage")
    before = below(await find_retained(Display(broker.port)), "oche/table/garage/")
    await run(tmp_path / "second", broker.port, "cellar")
    await run(tmp_path / "second", broker.port)
    assert below(await find_retained(Display(broker.port)), "oche/table/garage/") == before
    assert not below(await find_retained(Display(broker.port)), "oche/table/cellar/")


async def test_what_has_another_daemon_by_now_is_said_again_by_it(tmp_path: Path, broker: Mosquitto) -> None:
    """A table moves to another machine, or one of two bridges with one name is given its own."""
    await run(tmp_path / "first", broker.port, "garage")
    second = tmp_path / "second"
    second.mkdir()
    setup = read_config(configure(second, broker.port, more=TABLE.format("garage", second)))
    async with run_daemon(setup) as running, Display(broker.port) as display:
        await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
        before = {
            topic: text for topic, text in (await find_retained(Display(broker.port))).items() if "/main/" not in topic
        }
        seen = len(display.messages)

        def cleared() -> list[str]:
            return [message.topic for message in display.messages[seen:] if not message.text]

        await run(tmp_path / "first", broker.port, bridge="den")
        await display.until(lambda: "oche/bridge/oche/state" in cleared())
        said = cleared()
        assert {"oche/bridge/oche/info", "oche/table/garage/state"} <= set(said), "it does not know better"
        last = [topic for topic in said if topic.startswith("oche/table/")][-1], said[-1]
        assert last == ("oche/table/garage/board/state", "oche/bridge/oche/state"), "availability"
        await display.until(lambda: all(display.now[topic] == text for topic, text in before.items()))
        await running.mqtt.outbox.delivered.wait()
    after = await find_retained(Display(broker.port))
    assert {topic: after[topic] for topic in below(before, "oche/table/garage/")} == below(before, "oche/table/garage/")


async def test_what_the_broker_missed_is_cleared_later_and_only_once(
    tmp_path: Path, broker: Mosquitto, unused_tcp_port_factory: Callable[[], int]
) -> None:
    await run(tmp_path, broker.port, "garage")
    closed_port = unused_tcp_port_factory()
    async with run_daemon(
        read_config(configure(tmp_path, closed_port, bridge='name = "den"', mqtt='discovery = "off"'))
    ):
        pass
    memory = json.loads((tmp_path / "state" / "said.json").read_bytes())
    assert {each["bridge"] for each in memory["said"]} == {"oche", "den"}, "it may be killed as soon as it is connected"
    async with Display(broker.port) as display:
        await run(tmp_path, broker.port, bridge="den")
        await display.until(lambda: display.now["oche/bridge/oche/state"] == "")
        await display.until(lambda: display.now["oche/table/garage/board/state"] == "")
        seen = len(display.messages)
        await run(tmp_path, broker.port, bridge="den")
        said = [message.topic for message in display.messages[seen:] if not message.text]
        assert not [topic for topic in said if "/seat/" not in topic]


async def test_on_another_broker_there_is_nothing_of_ours_to_clear(
    tmp_path: Path, broker: Mosquitto, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    await run(tmp_path, broker.port, "garage")
    before = below(await find_retained(Display(broker.port)), "oche/table/garage/")
    await run(tmp_path, broker.port, host="localhost")
    assert below(await find_retained(Display(broker.port)), "oche/table/garage/") == before, (
        "another bridge's, as far as we know"
    )
    assert "what is retained on 127.0.0.1 stays there" in caplog.text


NO_NAME = b'{"said": [{"base": "#", "bridge": "oche", "tables": []}]}'


@pytest.mark.parametrize(
    "damage", sweep([b"", b'{"said": [{"bas', b"\xff\x00", NO_NAME], lambda damage: damage in {b"\xff\x00", NO_NAME})
)
async def test_a_damaged_memory_costs_no_more_than_what_was_in_it(
    tmp_path: Path, broker: Mosquitto, caplog: pytest.LogCaptureFixture, damage: bytes
) -> None:
    caplog.set_level(logging.WARNING)
    await run(tmp_path, broker.port)
    file = tmp_path / "state" / "said.json"
    whole = file.read_bytes()
    file.write_bytes(damage)
    await run(tmp_path, broker.port)
    told = [record.getMessage() for record in caplog.records if "said.json" in record.getMessage()]
    assert len(told) == 1
    assert "messages retained by an earlier run are not removed" in told[0]
    assert json.loads(file.read_bytes()) == json.loads(whole), "it is a good one again"


async def test_a_disk_that_takes_nothing_is_said_once_and_stops_nothing(
    tmp_path: Path, broker: Mosquitto, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    await run(tmp_path, broker.port)
    draft = tmp_path / "state" / "said.json.new"
    draft.mkdir()
    whole = (tmp_path / "state" / "said.json").read_bytes()
    await run(tmp_path, broker.port, "garage", bridge="den")
    assert "oche/table/garage/state" in await find_retained(Display(broker.port))
    told = [record.getMessage() for record in caplog.records if "said.json" in record.getMessage()]
    assert told == [f"cannot write {tmp_path}/state/said.json: is a directory"]
    assert (tmp_path / "state" / "said.json").read_bytes() == whole
