"""What was announced in another form, below another prefix, or of a table that has gone: taken over, or taken back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from daemon.config import read_config
from daemon.service import running
from tests.daemon.display import JSON, Display
from tests.daemon.house import configure
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.test_discovery import DEVICE, DEVICE_KEYS, TWO, announced, components, running_with, texts, watching

MIGRATE = '{"migrate_discovery":true}'
pytestmark = pytest.mark.usefixtures("at_once")


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


@pytest.mark.parametrize("form", ["device", "components"])
async def test_what_is_not_wanted_any_more_is_taken_back(tmp_path: Path, broker: Mosquitto, form: str) -> None:
    def tables(display: Display, prefix: str = "homeassistant") -> set[str]:
        return {
            next(level for level in topic.split("/") if level.startswith("oche_"))
            for topic, text in display.now.items()
            if topic.startswith(f"{prefix}/") and text
        }

    async with running_with(tmp_path, broker, f'discovery = "{form}"', more=TWO), watching(broker) as display:
        assert tables(display) == {"oche_main", "oche_cellar"}
    async with Display(broker.port) as display:
        await display.until(lambda: tables(display) == {"oche_main", "oche_cellar"})
        async with running_with(tmp_path, broker, f'discovery = "{form}"'):
            await display.until(lambda: tables(display) == {"oche_main"})
        async with running_with(tmp_path, broker, f'discovery = "{form}"\ndiscovery_prefix = "other/home"'):
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
    async with running(read_config(configure(tmp_path, unused_tcp_port_factory(), mqtt='discovery = "off"'))):
        pass  # there is no broker
    async with Display(broker.port) as display:
        await display.until(lambda: bool(display.now.get(DEVICE)))
        async with running_with(tmp_path, broker, 'discovery = "off"'):
            await display.until(lambda: display.now[DEVICE] == "")
