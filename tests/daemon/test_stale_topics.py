"""What other names in the configuration left on the broker: it is taken off, and nothing else is.

Twice on a real broker, the rest in memory.
"""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from daemon.mqtt.outbox import Outbox
from daemon.mqtt.stale import PublishedFile, PublishedNames, StaleTopics
from tests.daemon.display import Display, find_retained
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import configure, eventually

TABLE = '[[table]]\nname = "{0}"\nboard = "serial:{1}/{0}"\nprofile = "quick.toml"\n'
PUBLISHED = 15
"""How many topics a table keeps on the broker, without those that are published only where something asks for them."""
TOPICS = PUBLISHED + 1
"""Those that it empties: the record of a match with a ref too, which is seldom there."""


async def run(folder: Path, port: int, *tables: str, bridge: str = "oche") -> None:
    """A daemon with the table `main` and these: starts, says everything and is stopped."""
    folder.mkdir(exist_ok=True)  # noqa: ASYNC240  no other task waits
    more = "".join(TABLE.format(name, folder) for name in tables)
    file = configure(folder, port, more=more, bridge=f'name = "{bridge}"', mqtt='discovery = "off"')
    async with run_daemon(read_config(file)) as running:
        await eventually(lambda: running.mqtt.status.sentence == "connected")
        await running.mqtt.outbox.delivered.wait()


def below(topics: dict[str, str], start: str) -> dict[str, str]:
    return {topic: text for topic, text in topics.items() if topic.startswith(start)}


async def test_tables_that_left_the_configuration_leave_the_broker(tmp_path: Path, broker: Mosquitto) -> None:
    await run(tmp_path, broker.port, "garage", "yard")
    before = await find_retained(Display(broker.port))
    gone = below(before, "oche/table/garage/")
    assert len(gone) == PUBLISHED
    async with Display(broker.port) as display:
        await display.say("oche/table/garage/cmd/next", "of another client", retain=True)
        await display.say("oche/table/garage/seat/1/state", "a hand of ours", retain=True)
        await display.say("oche/table/hall/state", before["oche/table/main/state"], retain=True)
        await run(tmp_path, broker.port, "yard")
        await display.until(lambda: all(display.now[topic] == "" for topic in gone))
    after = await find_retained(Display(broker.port))
    assert after.keys() == before.keys() - gone | {"oche/table/garage/cmd/next", "oche/table/hall/state"}


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


async def connect(
    folder: Path,
    *tables: str,
    bridge: str = "oche",
    base: str = "oche",
    host: str = "a",
    reaches: bool = True,
    is_spoken: bool = False,
) -> list[str]:
    """A run with the table `main` and these, without a daemon: what it clears on the broker, if it reaches one."""
    outbox = Outbox(base)
    stale = StaleTopics(
        PublishedFile(folder, [host]), PublishedNames(base, bridge, ("main", *tables), is_spoken), outbox
    )
    if reaches:
        stale.clear()
        await stale.mark_cleared()
    return [message.topic for message in iter(outbox.take, None) if not message.payload]


def count(topics: list[str], start: str) -> int:
    """How many topics begin so, without those of seats."""
    return len([each for each in topics if each.startswith(start) and "/seat/" not in each])


async def test_a_bridge_and_a_table_that_are_called_otherwise_leave_nothing(tmp_path: Path) -> None:
    assert await connect(tmp_path, "garage", bridge="old") == []
    cleared = await connect(tmp_path, "shed", bridge="new")
    assert (count(cleared, "oche/bridge/old/"), count(cleared, "oche/table/garage/")) == (4, TOPICS)
    assert count(cleared, "oche/") == 4 + TOPICS
    cleared = await connect(tmp_path, "shed", bridge="new", base="club/darts")
    assert (count(cleared, "oche/bridge/new/"), count(cleared, "oche/")) == (4, 4 + 2 * TOPICS)
    assert count(cleared, "club/") == 0


async def test_what_was_said_aloud_is_gone_when_nothing_is_said_any_more(tmp_path: Path) -> None:
    assert await connect(tmp_path, is_spoken=True) == []
    assert await connect(tmp_path, is_spoken=True) == []
    assert await connect(tmp_path) == ["oche/table/main/attr/spoken"]
    assert await connect(tmp_path) == []


async def test_two_daemons_of_one_name_leave_each_other_alone(tmp_path: Path) -> None:
    """The second one was given no name: they cannot both be connected, but what they say stays."""
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
    await connect(first, "garage")
    await connect(second, "cellar")
    cleared = await connect(second)
    assert (count(cleared, "oche/table/garage/"), count(cleared, "oche/table/cellar/")) == (0, TOPICS)


async def test_what_the_broker_missed_is_cleared_later_and_only_once(tmp_path: Path) -> None:
    await connect(tmp_path, "garage")
    await connect(tmp_path, bridge="den", reaches=False)
    memory = json.loads((tmp_path / "said.json").read_bytes())
    assert {each["bridge"] for each in memory["said"]} == {"oche", "den"}, "it may be killed as soon as it is connected"
    cleared = await connect(tmp_path, bridge="den")
    assert {"oche/bridge/oche/state", "oche/table/garage/board/state"} <= {*cleared}
    assert await connect(tmp_path, bridge="den") == []


async def test_on_another_broker_there_is_nothing_of_ours_to_clear(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    await connect(tmp_path, "garage")
    assert await connect(tmp_path, host="b") == [], "another bridge's, as far as we know"
    assert "messages retained on a stay there" in caplog.text


@pytest.mark.parametrize(
    "damage", [b"", b'{"said": [{"bas', b"\xff\x00", b'{"said": [{"base": "#", "bridge": "oche", "tables": []}]}']
)
async def test_a_damaged_memory_costs_no_more_than_what_was_in_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, damage: bytes
) -> None:
    await connect(tmp_path)
    file = tmp_path / "said.json"
    whole = file.read_bytes()
    file.write_bytes(damage)
    await connect(tmp_path)
    assert caplog.text.count("messages retained by an earlier run are not removed") == 1
    assert file.read_bytes() == whole, "it is a good one again"


async def test_a_disk_that_takes_nothing_is_said_once_and_stops_nothing(
    tmp_path: Path, broker: Mosquitto, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    (state := tmp_path / "state").mkdir()
    (state / "said.json.new").mkdir()
    await run(tmp_path, broker.port, "garage", bridge="den")
    assert "oche/table/garage/state" in await find_retained(Display(broker.port))
    told = [record.getMessage() for record in caplog.records if "said.json" in record.getMessage()]
    assert told == [f"cannot write {state}/said.json: is a directory"]
