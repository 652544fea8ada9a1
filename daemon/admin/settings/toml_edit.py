"""Changes to the owner's TOML that leave all else in it as it was written: comments, order, spaces.

It is changed statement by statement. A library that knows all of TOML (tomlkit) adds a key after the comment that
belongs to the next section, and takes that comment away with a section that is removed. The new text is read again, and
compared with what was wanted: a file that is written in a way that this cannot change is refused, and not spoiled.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from copy import deepcopy
from functools import lru_cache
from itertools import pairwise
from typing import Any

import msgspec
from msgspec import Struct

from daemon.admin.requests import Change
from protocol.sentence import Refusal, get_reason, say
from protocol.source import SourceError, read_statements, split_lines

Path = tuple[str | int, ...]
_BARE = re.compile("[A-Za-z0-9_-]+")


def change_text(text: str, changes: Sequence[Change]) -> str:
    """Returns this TOML text with these changes, one after the other. Raises SourceError with the path of a change."""
    wanted = tomllib.loads(text)
    for change in changes:
        try:
            if change.value is not None and _has_null(change.value):
                raise Refusal(say("settings.no_null", "TOML has no null: leave out the key that has no value"))
            for part in _split(wanted, change):
                text = _change_one(text, part, wanted)
        except ValueError as error:
            raise SourceError("the configuration", None, get_reason(error), change.path) from None
    return text


def _change_one(text: str, change: Change, wanted: dict[str, Any]) -> str:  # Any: TOML
    """Returns the text with this change, which is made in the values `wanted`, too. Raises ValueError."""
    _change_values(wanted, change.path, deepcopy(change.value))
    kind = change.path[:-1]
    if change.value is None and kind and _get(wanted, kind) == []:
        is_inline = any(each.key and each.path == kind[: len(each.path)] for each in _read_lines(text))
        if not is_inline:
            del _get(wanted, kind[:-1])[kind[-1]]  # no section of the kind is left
    text = _change_lines(text, change, wanted)
    if _without_empty(_load(text)) != _without_empty(wanted):
        raise Refusal(
            say("settings.odd_file", "the file is written in a way that cannot be changed here: change it by hand")
        )
    return text


def _has_null(value: Any) -> bool:  # Any: JSON
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return value is None or any(_has_null(each) for each in inner)


def _split(values: Any, change: Change) -> list[Change]:  # Any: TOML
    """Returns a change of a whole table as those of its keys, so that the comments in it stay."""
    for step in change.path:
        is_there = (
            step in values if isinstance(values, dict) else isinstance(values, list) and step in range(len(values))
        )
        if not is_there:
            return [change]
        values = values[step]
    if not change.path or not isinstance(values, dict) or not isinstance(change.value, dict):
        return [change]
    keys = [*(key for key in values if key not in change.value), *change.value]
    parts = [Change((*change.path, key), change.value.get(key)) for key in keys]
    return [part for each in parts if values.get(each.path[-1]) != each.value for part in _split_in(values, each)]


def _split_in(values: Any, change: Change) -> list[Change]:  # Any: TOML
    """Returns the parts of a change whose last step is in these values."""
    parts = _split(values, Change(change.path[-1:], change.value))
    return [Change((*change.path[:-1], *part.path), part.value) for part in parts]


def _without_empty(value: Any) -> Any:  # Any: TOML
    """Returns it without tables that have nothing in them, which say as much as if they were not there."""
    if isinstance(value, list):
        return [_without_empty(each) for each in value]
    if not isinstance(value, dict):
        return value
    inner = {key: _without_empty(each) for key, each in value.items()}
    return {key: each for key, each in inner.items() if each != {}}


def _change_values(values: Any, path: Path, value: Any) -> None:  # Any: TOML
    """Changes plain values. Raises ValueError where there is no such path."""
    if not path:
        raise _no_place(path)
    for step, following in pairwise(path):
        if isinstance(values, dict) and isinstance(step, str):
            values = values.setdefault(step, [] if isinstance(following, int) else {})
        elif isinstance(values, list) and isinstance(step, int) and 0 <= step < len(values):
            values = values[step]
        else:
            raise _no_place(path)
    last = path[-1]
    if isinstance(values, dict) and isinstance(last, str):
        if value is None:
            values.pop(last, None)
        else:
            values[last] = value
    elif isinstance(values, list) and isinstance(last, int) and 0 <= last <= len(values):
        values[last : last + 1] = [] if value is None else [value]
    else:
        raise _no_place(path)


def _no_place(path: Path) -> Refusal:
    given = repr(".".join(map(str, path)))
    return Refusal(say("settings.no_place", "there is no setting {given}", given=given))


class _Line(Struct, frozen=True):
    """A statement that says something: its text has the lines from `start` to before `end`.

    `path` is that of its value, or of the table that it begins. `key` is the text before the "=", "" of a header.
    """

    start: int
    end: int
    path: Path
    section: Path
    key: str
    text: str


def _read_lines(text: str) -> list[_Line]:
    lines, found = split_lines(text), []
    for start, end, section, values in read_statements(text):
        written = "\n".join(lines[start:end])
        if values is None:
            found.append(_Line(start, end, section, section, "", written))
        elif values:
            key, below = _read_key(written)
            found.append(_Line(start, end, (*section, *below), section, key, written))
    return found


@lru_cache(maxsize=4096)  # each change reads all statements again
def _read_key(statement: str) -> tuple[str, Path]:
    """Returns the text of the key of a statement, and its path."""
    for at, letter in enumerate(statement):
        values = _load(f"{statement[:at]}= 0") if letter == "=" else None
        if values is not None:
            path: Path = ()
            while isinstance(values, dict):
                path, values = (*path, next(iter(values))), next(iter(values.values()))
            return statement[:at], path
    raise ValueError(f"{statement!r} is no statement")


def _change_lines(text: str, change: Change, wanted: Any) -> str:  # Any: TOML
    """Returns the text with this change, after which its values are those `wanted`."""
    lines, statements, path = split_lines(text), _read_lines(text), change.path
    stays = change.value is not None
    for each in statements:
        is_around = len(each.path) < len(path)
        if each.key and each.path == path[: len(each.path)] and (is_around or stays):
            lines[each.start : each.end] = [_with_value(each, _get(wanted, each.path))]
            return _join(lines)
    former = [each for each in statements if each.path[: len(path)] == path]
    for each in reversed(former):
        lines[each.start : each.end] = []
    if stays:
        _add_lines(lines, _read_lines(_join(lines)) if former else statements, path, change.value)
    return _join(lines)


def _join(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _add_lines(lines: list[str], statements: Sequence[_Line], path: Path, value: Any) -> None:  # Any: TOML
    """Adds a value where none is: behind the last one of its section, or in a section of its own at the end.

    A list is given all its values at once, unless they are tables.
    """
    if len(path) > 2 and isinstance(path[-1], int) and not isinstance(value, dict):
        path, value = path[:-1], [value]
    if isinstance(path[-1], int):
        ends = [each.end for each in statements if each.section and each.section[: len(path) - 1] == path[:-1]]
        end = ends[-1] if ends else len(lines)
        lines[end:end] = [*_gap(lines[:end]), *_write_section(f"[[{_write_key(path[:-1])}]]", value)]
        return
    owners = [each.section for each in statements if not each.key and path[: len(each.section)] == each.section]
    owners += [() for each in statements if each.section == () and each.path[0] == path[0]]  # dotted keys
    if not owners:
        lines += [*_gap(lines), *_write_section(f"[{_write_key(path[:1])}]", _nest(path[1:], value))]
        return
    owner = max(owners, key=len)
    end = [each.end for each in statements if each.section == owner][-1]
    lines[end:end] = [f"{_write_key(path[len(owner) :])} = {_write(value)}"]


def _gap(before: Sequence[str]) -> list[str]:
    return [""] if before and before[-1].strip() else []


def _nest(path: Path, value: Any) -> Any:  # Any: TOML
    for step in reversed(path):
        value = {step: value}
    return value


def _write_section(header: str, values: Any) -> list[str]:  # Any: TOML
    if not isinstance(values, dict):
        raise Refusal(
            say(
                "settings.no_section",
                "{name} is a section: write keys with values into it instead of {given}",
                name=header,
                given=repr(values),
            )
        )
    return [header, *(f"{_write_key((key,))} = {_write(value)}" for key, value in values.items())]


def _with_value(each: _Line, value: Any) -> str:  # Any: TOML
    """Returns a statement with another value; its key, and a comment at its end, stay as they are.

    Raises ValueError for a comment within the value.
    """
    lines, whole = each.text.split("\n"), _load(each.text)
    for number, line in enumerate(lines[:-1]):
        for at in (at for at, letter in enumerate(line) if letter == "#"):
            if _load("\n".join([*lines[:number], line[:at], *lines[number + 1 :]])) == whole:
                raise Refusal(
                    say(
                        "settings.comment",
                        "the file has a comment within {name}: change it by hand",
                        name=each.key.strip(),
                    )
                )
    before, last = "\n".join(lines[:-1]), lines[-1]
    for at in (at for at, letter in enumerate(last) if letter == "#"):
        if _load(f"{before}\n{last[:at]}") == _load(each.text):
            return f"{each.key}= {_write(value)}{last[len(last[:at].rstrip()) :]}"
    return f"{each.key}= {_write(value)}"


def _load(text: str) -> dict[str, Any] | None:  # Any: TOML
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _get(values: Any, path: Path) -> Any:  # Any: TOML
    for step in path:
        values = values[step]
    return values


def _write_key(path: Path) -> str:
    return ".".join(str(step) if _BARE.fullmatch(str(step)) else _write(str(step)) for step in path)


def _write(value: Any) -> str:  # Any: TOML
    """Returns a value on one line."""
    match value:
        case bool() | int() | str():
            return msgspec.json.encode(value).decode().replace("\x7f", "\\u007F")
        case list() | tuple():
            return f"[{', '.join(map(_write, value))}]"
        case dict():
            inner = ", ".join(f"{_write_key((key,))} = {_write(each)}" for key, each in value.items())
            return f"{{ {inner} }}" if inner else "{}"
    return str(value)
