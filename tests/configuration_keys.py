"""The tables of docs/configuration.md, made from the types of the configuration and the docstrings of their fields.

An example of each key comes from the examples in TOML above them, so that the real reader has read it.
"""

from __future__ import annotations

import inspect
import re
import tomllib
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import FieldInfo, fields

from daemon.admin.settings.form import describe_fields
from daemon.config.sections import Config
from protocol.spelling import struct_of

BEGIN, END = "<!-- keys: made by `make docs` -->\n", "<!-- end of keys -->\n"
_NAMES = {"StrType": "text", "IntType": "whole number", "FloatType": "number", "BoolType": "`true` or `false`"}


def with_keys(page: str) -> str:
    """The page with the tables as they are now. Raises KeyError for a key that the examples do not show."""
    before, _, rest = page.partition(BEGIN)
    shown = [tomllib.loads(text) for text in re.findall(r"^```toml\n(.*?)^```$", before, re.MULTILINE | re.DOTALL)]
    sections = "\n".join(
        text
        for section in sorted(fields(Config), key=lambda field: isinstance(_default(field), Struct), reverse=True)
        for text in _section(section, section.name, shown)
    )
    return f"{before}{BEGIN}\n{sections}\n{END}{rest.partition(END)[2]}"


def _section(section: FieldInfo, path: str, shown: list[dict[str, Any]]) -> Iterator[str]:
    """The section that is written with this path, then those within it; `shown` are the tables that it may stand in."""
    kind = struct_of(section.type)
    assert kind is not None
    is_one = isinstance(_default(section), Struct)
    written = [
        one for table in shown for one in ([table.get(section.name, {})] if is_one else table.get(section.name, []))
    ]
    within = [field for field in fields(kind) if _is_list_of_tables(field)]
    yield f"## `[{path}]`\n" if is_one else f"## `[[{path}]]`\n"
    yield f"{_linked(str(inspect.getdoc(kind)))}\n"
    if len(within) < len(fields(kind)):
        yield "| key | value | default | example | meaning |\n|---|---|---|---|---|"
        yield from _rows(kind, "", written)
        yield ""
    for field in within:
        yield from _section(field, f"{path}.{field.name}", written)


def _is_list_of_tables(field: FieldInfo) -> bool:
    """Whether it is written as a section of its own for each."""
    return isinstance(_default(field), tuple) and struct_of(field.type) is not None


def _rows(kind: type[Struct], path: str, written: list[dict[str, Any]]) -> Iterator[str]:
    """A row for each key, those of a table below it by its name and theirs."""
    told = describe_fields(kind)
    for field in fields(kind):
        if _is_list_of_tables(field):
            continue
        inner = None if _is_value_or_table(field) else struct_of(field.type)
        values = [one[field.name] for one in written if field.name in one]
        if inner is not None:
            yield from _rows(inner, f"{path}{field.name}.", values)
            continue
        default = "required" if field.required else _toml(_default(field))
        assert values or field.name in _NO_EXAMPLE, f"show {path}{field.name} in an example of docs/configuration.md"
        example = _toml(values[0]) if values else _NO_EXAMPLE[field.name]
        row = (f"`{path}{field.name}`", _value(msgspec.inspect.type_info(field.type)), default, example)
        yield f"| {' | '.join((*row, _linked(told[field.name])))} |"


_NO_EXAMPLE = {"button_at": "`18`"}
"""The key that cannot stand beside another one, `turn`."""


def _is_value_or_table(field: FieldInfo) -> bool:
    """Whether it may be a plain value in place of a table."""
    kind = msgspec.inspect.type_info(field.type)
    kinds = kind.types if isinstance(kind, msgspec.inspect.UnionType) else (kind,)
    return len([each for each in kinds if not isinstance(each, msgspec.inspect.NoneType)]) > 1


def _linked(text: str) -> str:
    """With a link for each page that it names."""
    return re.sub(r"docs/(\w+\.md)(#[\w-]+)?", r"[\1](\1\2)", text)


def _default(field: FieldInfo) -> Any:  # Any: whatever the default is
    return field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()


def _toml(value: object) -> str:
    """As it is written in TOML; a dash for what is left out or empty."""
    return "–" if value in (None, "", [], {}, ()) else f"`{_literal(value)}`"


def _literal(value: object) -> str:
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {_literal(inner)}' for key, inner in value.items())} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_literal, value))}]"
    return msgspec.json.encode(value).decode()


def _value(kind: msgspec.inspect.Type) -> str:
    """What may be written, in words."""
    match kind:
        case msgspec.inspect.Metadata():
            return _value(kind.type)
        case msgspec.inspect.UnionType():
            return ", or ".join(_value(one) for one in kind.types if not isinstance(one, msgspec.inspect.NoneType))
        case msgspec.inspect.LiteralType():
            return " ".join(f'`"{one}"`' for one in kind.values)
        case msgspec.inspect.ListType() | msgspec.inspect.VarTupleType():
            return f"list of {_plural(_value(kind.item_type))}"
        case msgspec.inspect.DictType():
            inner = "value" if isinstance(kind.value_type, msgspec.inspect.AnyType) else _value(kind.value_type)
            return f"table: name = {inner}"
        case msgspec.inspect.StructType():
            return f"table with {' and '.join(f'`{field.name}`' for field in kind.fields)}"
        case msgspec.inspect.IntType() | msgspec.inspect.FloatType():
            range_ = "" if kind.ge is None else f", {kind.ge} to {kind.le}"
            return f"{_NAMES[type(kind).__name__]}{range_}"
        case _:
            return _NAMES[type(kind).__name__]


def _plural(words: str) -> str:
    first, comma, rest = words.partition(",")
    return re.sub(r"^list\b", "lists", first) + ("s" if not first.startswith("list") else "") + comma + rest
