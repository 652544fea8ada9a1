"""The registry of topics and commands, for other software and for people: JSON Schemas and the table of topics.

Made from the types that are sent and no others, so it cannot fall behind; protocol.asyncapi makes the rest. A schema
leaves room for keys that a later version adds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, get_args

import msgspec

from protocol import messages
from protocol.bodies import ANYTHING, BODIES, Body
from protocol.commands import Phase
from protocol.facts import FACTS, Event, describe_fact
from protocol.topics import TOPICS, Topic

Schema = dict[str, Any]  # Any: JSON

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def make_schemas(requests: Mapping[str, Body] = MappingProxyType({})) -> dict[str, Schema]:
    """Every JSON Schema by its name: of a topic its kind; of a body `cmd_` or `bridge_` and what is asked.

    `requests` are the bodies of the requests to a bridge, by their names.
    """
    found = {kind: _schema((topic.payload,)) for kind, topic in TOPICS.items() if is_ours(topic)}
    found |= {f"cmd_{name}": _schema(body.json) for name, body in BODIES.items()}
    return found | {f"bridge_{name}": _schema(body.json) for name, body in requests.items()}


def is_ours(topic: Topic) -> bool:
    """Whether the payload of this topic is one of our types."""
    return topic.payload is not None and topic.payload is not dict


def is_text(topic: Topic) -> bool:
    """Whether the payload of this topic is plain text."""
    return is_ours(topic) and not (isinstance(topic.payload, type) and issubclass(topic.payload, msgspec.Struct))


def make_components(
    types: Iterable[Any], where: str
) -> tuple[list[Schema], dict[str, Schema]]:  # Any: type expressions
    """The schemas of these types, and of the Structs in them by name; `where` is how the first point to the second."""
    found, structs = msgspec.json.schema_components(types, ref_template=where + "{name}")
    for name, schema in structs.items():
        schema["description"] = " ".join(schema["description"].split())
        if name == Event.__name__:
            structs[name] = _event(schema)
        elif name == messages.Response.__name__:
            structs[name] = _response(schema)
        elif name == messages.Plan.__name__:  # its fields have defaults, and all of them but two are sent
            schema["required"] = [key for key in schema["properties"] if key not in ("problem", "ref", "places")]
    return list(found), structs


def make_topic_table() -> str:
    """The topics, as a table in Markdown."""
    lines = ["| topic | payload | retained | QoS | what |", "|---|---|---|---|---|"]
    for kind, topic in TOPICS.items():
        address = topic.template.format_map(_Named())
        retained = "yes" if topic.retain else ("no" if topic.direction == "out" else "")
        if topic.expiry_s is not None:
            retained += f", {'`online` ' if topic.payload is messages.Availability else ''}for {topic.expiry_s} s"
        lines.append(f"| `{address}` | {_payload(kind, topic)} | {retained} | {topic.qos} | {topic.about} |")
    return "\n".join(lines)


def make_command_table() -> str:
    """The commands and their bodies, as a table in Markdown."""
    return _make_body_table("command", "cmd", BODIES)


def make_bridge_table(requests: Mapping[str, Body]) -> str:
    """The requests to a bridge and their bodies, as a table in Markdown."""
    return _make_body_table("request", "bridge", requests)


def _make_body_table(what: str, prefix: str, bodies: Mapping[str, Body]) -> str:
    lines = [f"| {what} | as text | as JSON | what it does |", "|---|---|---|---|"]
    for name, body in bodies.items():
        text = {None: "", "": "empty", ANYTHING: "anything, or empty"}.get(body.text, f"`{body.text}`")
        example = msgspec.json.format(msgspec.json.encode(dict(body.example)), indent=0).decode()
        lines.append(f"| `{name}` | {text} | [`{example}`](mqtt/schemas/{prefix}_{name}.json) | {body.about} |")
    return "\n".join(lines)


def make_event_table() -> str:
    """The types of events and what they carry, as a table in Markdown."""
    lines = ["| `event_type` | carries | what happened |", "|---|---|---|"]
    for name, kind in FACTS.items():
        about, always, optional = describe_fact(kind)
        fields = [f"`{field}`" for field in always] + [f"`{field}` (optional)" for field in optional]
        lines.append(f"| `{name}` | {' '.join(fields)} | {about} |")
    return "\n".join(lines)


def make_page_facts() -> str:
    """The page's script of the facts that are flashed large."""
    kinds = sorted((kind for kind in FACTS.items() if kind[1].rank), key=lambda kind: kind[1].rank)
    lines = [f'  {name}: "{kind.tone}",' for name, kind in kinds]
    head = "/* The facts that are flashed large, the least first, and their tones; made from protocol/facts.py. */\n\n"
    return "\n".join([f"{head}export const MOMENTS = {{", *lines, "};"]) + "\n"


class _Named(dict[str, str]):
    """The names in a template, as people read them."""

    def __missing__(self, name: str) -> str:
        return {"base": "oche", "discovery": "homeassistant"}.get(name, f"<{name}>")


def _payload(kind: str, topic: Topic) -> str:
    if topic.payload is None:
        return "text or JSON"
    if topic.payload is dict:
        return "JSON of Home Assistant"
    if is_text(topic):
        return " or ".join(f"`{word}`" for word in get_args(topic.payload)) or "text"
    return f"[JSON](mqtt/schemas/{kind}.json)"


def _schema(types: tuple[Any, ...]) -> Schema:  # Any: type expressions
    found, structs = make_components(types, "#/$defs/")
    head = found[0] if len(found) == 1 else {"anyOf": found}
    return {"$schema": DIALECT, **head} | ({"$defs": structs} if structs else {})


def _event(schema: Schema) -> Schema:
    """An event is one of its types, each with what it carries."""
    kinds, known = [], schema["properties"]
    for name, kind in FACTS.items():
        about, always, optional = describe_fact(kind)
        required = ("session", "seq", *always)
        kinds.append(
            {
                "title": name,
                "description": about,
                "type": "object",
                "properties": {"event_type": {"const": name}}
                | {field: known[field] for field in (*required, *optional)},
                "required": ["event_type", *required],
            }
        )
    return {"title": schema["title"], "description": schema["description"], "oneOf": kinds}


def _response(schema: Schema) -> Schema:
    """An answer says where the match is, or what is wrong."""
    transaction = schema["properties"]["transaction"]
    line, phase = {"type": "integer", "minimum": 1}, {"enum": list(get_args(Phase))}
    data = _object({"line": line, "phase": phase})
    data["properties"]["notice"] = {"type": "string"}
    ok = {
        "status": {"const": "ok"},
        "data": data,
        "transaction": transaction,
    }
    error = {
        "status": {"const": "error"},
        "error": schema["properties"]["error"],
        "data": {"type": "object", "maxProperties": 0},
        "transaction": transaction,
    }
    both = [{"title": "ok", **_object(ok)}, {"title": "error", **_object(error)}]
    return {"title": schema["title"], "description": schema["description"], "oneOf": both}


def _object(properties: Schema) -> Schema:
    return {"type": "object", "properties": {**properties}, "required": list(properties)}
