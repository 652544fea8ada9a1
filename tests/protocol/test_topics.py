"""The registry of topics, there and back: a topic, the filter that finds it, and what it is read as."""

from __future__ import annotations

import re

import pytest
from paho.mqtt.client import topic_matches_sub

from protocol.topics import TOPICS, TopicNames, everything, parse, pattern, topic


@pytest.mark.parametrize("kind", TOPICS)
@pytest.mark.parametrize(("base", "prefix"), [("oche", "homeassistant"), ("club/darts", "other/home")])
def test_a_topic_is_found_and_read_for_what_it_is(kind: str, base: str, prefix: str) -> None:
    found = re.findall(r"{(\w+)}", TOPICS[kind].template)
    names = {name: prefix if name == "discovery" else f"a-{name}" for name in found if name != "base"}
    text = topic(kind, base, **names)
    assert parse(text, base) == TopicNames(kind, names)
    assert pattern(kind, base, **names) == text
    for name in names.keys() - {"discovery"}:
        others = {each: value for each, value in names.items() if each != name}
        assert topic_matches_sub(pattern(kind, base, **others), text)
        assert f"a-{name}" not in pattern(kind, base, **others)


def test_what_a_bridge_and_a_table_have() -> None:
    assert everything("table", "main", "club/darts") == "club/darts/table/main/#"
    assert topic_matches_sub(everything("bridge", "den"), topic("echo", bridge="den"))
    assert pattern("discovery", discovery="homeassistant") == "homeassistant/device/+/config"
    assert pattern("discovery_component", discovery="homeassistant") == "homeassistant/+/+/+/config"


@pytest.mark.parametrize(
    "text", ["oche", "oche/table/main", "oche/table/a/b/state", "other/table/main/state", "x/config"]
)
def test_a_foreign_topic_is_not_parsed(text: str) -> None:
    assert parse(text) is None
