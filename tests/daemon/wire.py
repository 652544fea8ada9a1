"""What may be seen on the wire: every message on one of our topics fits the schema that docs/mqtt has of it.

Stricter than the schemas, which leave room for later versions: a key that they do not know is a mistake here.
"""

from __future__ import annotations

import json
from functools import cache, lru_cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from protocol.contract import is_text, schemas
from protocol.topics import TOPICS, parse

JSON = dict[str, Any]  # Any: JSON


@lru_cache(maxsize=1000)  # much is said again, above all at every start: info, discovery
def check(topic: str, text: str) -> None:
    """Raises AssertionError when this cannot be on the wire, with what is wrong."""
    address = parse(topic)
    if address is None:
        ours = topic.startswith(("oche/", "homeassistant/"))
        assert not ours, f"{topic} is not in the registry: {text}"
        return
    kind = TOPICS[address.kind]
    if kind.direction == "in" or (kind.retain and not text):  # emptied: taken off the broker
        return
    try:
        value = text if is_text(kind) else json.loads(text)
    except ValueError:
        raise AssertionError(f"{topic} is no JSON: {text}") from None
    if kind.payload is not dict:
        fits(address.kind, value)


def fits(name: str, value: object) -> None:
    """Raises AssertionError when a value does not fit the schema of this name."""
    validator = _validator(name)
    if not validator.is_valid(value):
        error = best_match(validator.iter_errors(value))
        assert error is not None
        raise AssertionError(f"{name} does not fit its schema: {error.message} at {error.json_path} in {value}")


@cache
def _validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(_closed(schemas()[name]))


def _closed(schema: Any) -> Any:  # Any: JSON
    """The same schema without room for keys that it does not know."""
    if isinstance(schema, list):
        return [_closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: _closed(value) for key, value in schema.items()}
    return {"additionalProperties": False, **closed} if "properties" in schema and "type" in schema else closed
