"""The contract as an AsyncAPI 3.1 document, from the registry of topics.

A command is a channel of its own, so that what generates code from the document knows which body goes with which.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from protocol import messages
from protocol.bodies import BODIES, Body
from protocol.contract import Schema, is_ours, is_text, make_components
from protocol.topics import ATTRIBUTES, TOPICS, Topic

_SCHEMAS = "#/components/schemas/"
_MQTT = "0.2.0"
"""The version of AsyncAPI's binding for MQTT."""
_NAMES: dict[str, Schema] = {
    "base": {"description": "the first part of every topic: mqtt.base in the configuration", "default": "oche"},
    "bridge": {"description": "the name of the daemon: bridge.name in the configuration", "default": "oche"},
    "table": {"description": "the name of the table in the configuration", "default": "main"},
    "attr": {"description": "which value", "enum": list(ATTRIBUTES)},
    "seat": {"description": "the seat, from 0"},
    "tournament": {"description": "the id of the tournament"},
    "round": {"description": "the round, from 1"},
    "discovery": {"description": "mqtt.discovery_prefix in the configuration", "default": "homeassistant"},
    "platform": {"description": "what kind of entity it is"},
    "entity": {"description": "the id of the entity within the table"},
}


class _Commands(NamedTuple):
    """The commands to a table, or the requests to a bridge: `prefix` begins the ids of their messages."""

    prefix: str
    bodies: Mapping[str, Body]
    response: str
    """The kind of topic that answers them."""


_OF_TABLE = _Commands("", BODIES, "response")


class _Channel(NamedTuple):
    """One channel: a kind of topic, of one command where it is a command's."""

    id: str
    kind: str
    address: str
    command: str | None
    commands: _Commands = _OF_TABLE

    @property
    def topic(self) -> Topic:
        return TOPICS[self.kind]

    @property
    def messages(self) -> list[str]:
        """The ids of the messages on it."""
        if self.topic.payload is not None:
            return [self.kind]
        prefix, bodies, _ = self.commands
        name, has_text = f"{prefix}{self.command}", bodies[str(self.command)].text is not None
        return [f"{name}_json"] + [f"{name}_text"] * has_text


def make_asyncapi(requests: Mapping[str, Body]) -> dict[str, Any]:  # Any: JSON
    """Returns the AsyncAPI document, as the values of its JSON; `requests` are the bodies of those to a bridge."""
    commanding = {"command": _OF_TABLE, "request": _Commands("bridge_", requests, "bridge_response")}
    ours = {kind: topic for kind, topic in TOPICS.items() if is_ours(topic)}
    every = [body for commands in commanding.values() for body in commands.bodies.values()]
    bodies = [struct for body in every for struct in body.json]
    found, structs = make_components([*(topic.payload for topic in ours.values()), *bodies], _SCHEMAS)
    payloads = dict(zip(ours, found, strict=False))
    channels = list(_channels(commanding))
    return {
        "asyncapi": "3.1.0",
        "info": {
            "title": "oche",
            "version": f"{messages.CONTRACT}",
            "description": "What the daemon sends and receives over MQTT. docs/mqtt.md has the rules and examples.",
            "license": {"name": "MIT"},
        },
        "defaultContentType": "application/json",
        "servers": {
            "broker": {
                "host": "localhost:1883",
                "protocol": "mqtt",
                "protocolVersion": "5",
                "description": "Any broker with MQTT 5 or 3.1.1",
            }
        },
        "channels": {channel.id: _channel(channel) for channel in channels},
        "operations": dict(_operation(channel) for channel in channels),
        "components": {
            "parameters": _NAMES,
            "messages": dict(_messages(payloads, commanding.values())),
            "schemas": structs,
        },
    }


def _channels(commanding: Mapping[str, _Commands]) -> Iterator[_Channel]:
    """Yields the channels; `commanding` are commands and requests by the name that stands for them in a topic."""
    for kind, topic in TOPICS.items():
        name = next((name for name in commanding if f"{{{name}}}" in topic.template), None)
        if name is not None:
            for command in commanding[name].bodies:
                address = topic.template.replace(f"{{{name}}}", command)
                yield _Channel(f"{kind}_{command}", kind, address, command, commanding[name])
        else:
            yield _Channel(kind, kind, topic.template, "choose" if topic.payload is None else None)


def _channel(channel: _Channel) -> Schema:
    return {
        "address": channel.address,
        "description": channel.topic.about,
        "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in channel.messages},
        "parameters": {
            name: {"$ref": f"#/components/parameters/{name}"} for name in _NAMES if f"{{{name}}}" in channel.address
        },
    }


def _operation(channel: _Channel) -> tuple[str, Schema]:
    """As the daemon sees it, which sends what goes out and receives what comes in."""
    topic = channel.topic
    action = "send" if topic.direction == "out" else "receive"
    binding: Schema = {"qos": topic.qos, "retain": topic.retain}
    if topic.expiry_s is not None and topic.payload is not messages.Availability:  # `offline` stays
        binding["messageExpiryInterval"] = topic.expiry_s
    command, bodies = channel.command, channel.commands.bodies
    about = topic.about if command is None else f"{command}: {bodies[command].about}"
    operation: Schema = {
        "action": action,
        "channel": {"$ref": f"#/channels/{channel.id}"},
        "summary": about,
        "bindings": {"mqtt": {**binding, "bindingVersion": _MQTT}},
        "messages": [{"$ref": f"#/channels/{channel.id}/messages/{name}"} for name in channel.messages],
    }
    if channel.kind in ("request", "bridge_request"):
        response = channel.commands.response
        answers = f"#/channels/{response}_{channel.command}"
        operation["reply"] = {
            "channel": {"$ref": answers},
            "messages": [{"$ref": f"{answers}/messages/{response}"}],
        }
    return f"{action}_{channel.id}", operation


def _messages(payloads: dict[str, Schema], commanding: Iterable[_Commands]) -> Iterator[tuple[str, Schema]]:
    for kind, topic in TOPICS.items():
        if topic.payload is not None:
            kept = "text/plain" if is_text(topic) else "application/json"
            message: Schema = {"name": kind, "summary": topic.about, "contentType": kept}
            if kind in ("response", "bridge_response"):
                message["correlationId"] = {"location": "$message.payload#/transaction"}
            yield kind, {**message, "payload": payloads.get(kind, {"type": "object"})}
    for command, body in ((each.prefix + name, body) for each in commanding for name, body in each.bodies.items()):
        structs = [{"$ref": _SCHEMAS + struct.__name__} for struct in body.json]
        yield (
            f"{command}_json",
            {
                "name": command,
                "summary": body.about,
                "contentType": "application/json",
                "correlationId": {"location": "$message.payload#/transaction"},
                "payload": structs[0] if len(structs) == 1 else {"anyOf": structs},
                "examples": [{"payload": dict(body.example)}],
            },
        )
        if body.text is not None:
            yield (
                f"{command}_text",
                {
                    "name": f"{command}, as text",
                    "summary": body.about,
                    "contentType": "text/plain",
                    "payload": {"type": "string"} if body.text else {"const": ""},
                    "examples": [{"payload": body.text}],
                },
            )
