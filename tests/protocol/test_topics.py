"""The registry of topics, there and back: a topic, the filter that finds it, and what it is read as."""

from __future__ import annotations

import re

import pytest
from paho.mqtt.client import topic_matches_sub

from daemon.admin.faces.mqtt import BODIES
from protocol.asyncapi import make_asyncapi
from protocol.topics import TOPICS, TopicNames, filter_subtree, list_echo_topics, make_filter, parse, topic


@pytest.mark.parametrize("kind", TOPICS)
@pytest.mark.parametrize(("base", "prefix"), [("oche", "homeassistant"), ("club/darts", "other/home")])
def test_a_topic_is_found_and_read_for_what_it_is(kind: str, base: str, prefix: str) -> None:
    found = re.findall(r"{(\w+)}", TOPICS[kind].template)
    names = {name: prefix if name == "discovery" else f"a-{name}" for name in found if name != "base"}
    text = topic(kind, base, **names)
    assert parse(text, base) == TopicNames(kind, names)
    assert make_filter(kind, base, **names) == text
    for name in names.keys() - {"discovery"}:
        others = {each: value for each, value in names.items() if each != name}
        assert topic_matches_sub(make_filter(kind, base, **others), text)
        assert f"a-{name}" not in make_filter(kind, base, **others)


def test_every_echo_is_a_kind_of_its_own_that_the_document_names() -> None:
    echoes = list(list_echo_topics("{base}", "{bridge}", ["{table}"], private=True, requests=True))
    channels = make_asyncapi(BODIES)["channels"]
    named = {channel["address"]: kind for kind, channel in channels.items() if kind.startswith("echo")}
    assert named.pop("{base}/tournament/{tournament}/echo") == "echo_tournament", "the doctor's, where there is one"
    assert sorted(named) == sorted(echoes)
    for text in list_echo_topics("oche", "den", ["main", "back"], private=True, requests=True):
        found = parse(text)
        assert found is not None
        assert found.kind in named.values(), "it is no command"
    others = list_echo_topics("oche", "den", ["main"], private=False, requests=False)
    assert [found.kind for text in others if (found := parse(text))] == ["echo", "echo_cmd", "echo_request"]


def test_what_a_bridge_and_a_table_have() -> None:
    assert filter_subtree("table", "main", "club/darts") == "club/darts/table/main/#"
    assert topic_matches_sub(filter_subtree("bridge", "den"), topic("echo", bridge="den"))
    assert make_filter("discovery", discovery="homeassistant") == "homeassistant/device/+/config"
    assert make_filter("discovery_component", discovery="homeassistant") == "homeassistant/+/+/+/config"


@pytest.mark.parametrize(
    "text",
    [
        *("oche", "oche/table/main", "oche/table/a/b/state", "oche/table//state", "other/table/main/state"),
        *("x/config", "x/device/oche_/config", "/status"),
    ],
)
def test_a_foreign_topic_is_not_parsed(text: str) -> None:
    assert parse(text) is None
