"""The form of the configuration: its JSON Schema, made of the types and docstrings in daemon/config/sections.py."""

from __future__ import annotations

import ast
import inspect
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import fields

from daemon.admin.settings.fixed import FIXED, FIXED_IN_PROXY, FIXED_IN_TABLE, FIXED_IN_WEBHOOK
from daemon.config.outlets import Rule, Webhook
from daemon.config.sections import Config, ProxyConfig, TableConfig
from protocol.facts import FACTS
from protocol.moments import MOMENTS
from protocol.profile import Timing
from protocol.spelling import struct_of


@cache
def make_form() -> dict[str, Any]:  # Any: JSON Schema
    """Returns the schema of a configuration file; each property has its docstring as `description`."""
    (whole, timing), parts = msgspec.json.schema_components([Config, Timing], ref_template="#/$defs/{name}")
    kinds: list[type[Struct]] = [*_list_structs(Config), Timing]
    for kind in kinds:
        docstrings, properties = describe_fields(kind), parts[kind.__name__]["properties"]
        for name, property_ in properties.items():
            if name in docstrings:
                property_["description"] = docstrings[name]
    for property_ in parts["Timing"]["properties"].values():
        del property_["default"]  # what is left out is as in the profile
    parts[TableConfig.__name__]["properties"]["timing"] |= timing
    for section, key in FIXED:
        (kind,) = (field.type for field in fields(Config) if field.name == section)
        parts[kind.__name__]["properties"][key]["readOnly"] = True
    parts[Webhook.__name__]["properties"][FIXED_IN_WEBHOOK]["readOnly"] = True
    parts[TableConfig.__name__]["properties"][FIXED_IN_TABLE]["readOnly"] = True
    parts[ProxyConfig.__name__]["properties"][FIXED_IN_PROXY]["readOnly"] = True
    parts[Rule.__name__]["properties"]["on"] |= _describe_moments()
    return {**whole, "$defs": parts}


def describe_fields(kind: type[Struct]) -> dict[str, str]:
    """Returns the docstring of each field of this type that has one, on one line."""
    (tree,) = ast.parse(inspect.getsource(kind)).body
    assert isinstance(tree, ast.ClassDef)
    return {
        field.target.id: " ".join(text.value.value.split())
        for field, text in zip(tree.body, tree.body[1:], strict=False)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant) and isinstance(text.value.value, str)
    }


def _describe_moments() -> dict[str, Any]:  # Any: JSON Schema
    """Returns the schema of what a rule takes as `on`: a moment, a type of events, or several of both."""
    moments, events = list(MOMENTS), [kind for kind in FACTS if kind not in MOMENTS]
    several = {"type": "array", "items": {"type": "string", "enum": [*moments, *events]}}
    groups = (("moments", moments), ("events", events))
    return {"anyOf": [*({"title": title, "type": "string", "enum": names} for title, names in groups), several]}


def _list_structs(kind: type[Struct]) -> list[type[Struct]]:
    below = [struct for field in fields(kind) if (struct := struct_of(field.type)) is not None]
    return [kind, *(each for struct in below for each in _list_structs(struct))]
