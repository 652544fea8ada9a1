"""Reading TOML that people write: profiles here, the daemon's configuration there.

Every mistake becomes one sentence that names the file, the line, what was found and what would be right. tomllib
knows no line numbers and msgspec no spelling, so both are added here.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import takewhile
from typing import Any, NamedTuple, TypeVar, get_args, get_origin

import msgspec
from msgspec import Struct

from protocol.sentence import Refusal, Sentence, say
from protocol.spelling import Path, say_decode_error, say_unknown_key, struct_of

T = TypeVar("T")


_MOST_LINES = 1000
"""The lines of the longest statement whose mistakes are located: each line costs reading those before it again."""


class SourceError(Refusal):
    """A mistake in a TOML file: `said` is "FILE, line N: what is wrong and what would be right".

    `reason` is that without file and line; `path` is that of the value, as far as one is to blame.
    """

    def __init__(self, file: str, line: int | None, reason: str | Sentence, path: Sequence[str | int] = ()) -> None:
        super().__init__(
            say("value.in_line", "{name}, line {line}: {why}", name=file, line=line, why=reason)
            if line
            else say("value.in_file", "{name}: {why}", name=file, why=reason)
        )
        self.file = file
        self.line = line
        self.reason = reason
        self.path = tuple(path)


class Source(NamedTuple):
    """A TOML text and the name people know it by."""

    text: str
    file: str

    def error(self, reason: str | Sentence, *path: str | int) -> SourceError:
        """A complaint about the value at this path."""
        return SourceError(self.file, locate(self.text, path), reason, path)

    def read(self, kind: type[T]) -> T:
        """The text as a value of this Struct type; raises SourceError."""
        try:
            tables = tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            found = re.search(r"\(at line (\d+), column \d+\)", str(error))
            reason = re.sub(r" \(at .*\)$", "", str(error))
            line = int(found[1]) if found else len(self.text.splitlines())
            raise SourceError(
                self.file, line, say("value.no_toml", "this is not TOML: {details}", details=reason)
            ) from None
        except RecursionError:
            raise self._too_deep() from None
        try:
            self._check_keys(tables, kind, ())
            return self._converted(tables, kind, ())
        except RecursionError:
            raise self._too_deep() from None

    def _too_deep(self) -> SourceError:
        said = say("value.deep", "lists or tables are nested too deep: at most five levels are allowed")
        return SourceError(self.file, None, said)

    def _converted(self, value: Any, kind: type[T], path: Path) -> T:  # Any: TOML values
        try:
            return msgspec.convert(value, kind)
        except msgspec.ValidationError as error:
            reason, inner = say_decode_error(error, kind, has_null=False)
            found, where = _lookup(value, inner), ".".join(map(str, (*path, *inner)))
            shown = where if isinstance(found, dict | list) else f"{where} = {found!r}"
            said = say("value.at", "{given}: {why}", given=shown, why=reason) if where else reason
            raise self.error(said, *path, *inner) from None

    def _check_keys(self, value: Any, kind: Any, path: Path) -> None:  # Any: TOML values, type expressions
        """Refuses unknown keys; looks into tables with free keys, of which msgspec does not say which one is wrong."""
        if isinstance(value, list):
            for index, item in enumerate(value):
                self._check_keys(item, kind, (*path, index))
        if not isinstance(value, dict):
            return
        if get_origin(kind) is dict:
            for key, inner in value.items():
                self._check_keys(inner, get_args(kind)[1], (*path, key))
                self._converted(inner, get_args(kind)[1], (*path, key))
        struct = struct_of(kind)
        if struct is None:
            return
        known = struct.__struct_encode_fields__
        for key, inner in value.items():
            if key not in known:
                raise self.error(say_unknown_key(key, list(known)), *path, key)
            if isinstance(inner, dict | list):
                self._check_keys(inner, _find_types(struct)[key], (*path, key))


@cache
def _find_types(struct: type[Struct]) -> dict[str, Any]:  # Any: type expressions
    """The types of the keys. To find them compiles all annotations: few tables have a table or list in them."""
    return {field.encode_name: field.type for field in msgspec.structs.fields(struct)}


def split_lines(text: str) -> list[str]:
    """Returns the lines of a TOML text, which may have other line ends of Unicode within."""
    return text.removesuffix("\n").split("\n")


class Statement(NamedTuple):
    """A key with its value, the header of a table, a comment or an empty line.

    It has the lines from `start` (from 0) to before `end`; `table` is the path of the table that it is in or begins,
    and `values` what it says there (None: it is a header).
    """

    start: int
    end: int
    table: Path
    values: Any  # Any: TOML values


def read_statements(text: str) -> Iterator[Statement]:
    """Yields the statements of a TOML text, each the fewest lines that are TOML, up to one that is too long."""
    table: Path = ()
    counts: dict[Path, int] = {}
    statement: list[str] = []
    for number, line in enumerate(split_lines(text), 1):
        statement.append(line)
        if len(statement) > _MOST_LINES:
            return
        found = _load_line(line) if len(statement) == 1 else _load("\n".join(statement))
        if found is None:
            continue  # a list or a text that goes on
        is_header = statement[0].lstrip().startswith("[")
        if is_header:
            table = _table_path(found, counts)
        yield Statement(number - len(statement), number, table, None if is_header else found)
        statement = []


def _load(text: str) -> dict[str, Any] | None:  # Any: TOML
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


_load_line = lru_cache(maxsize=4096)(_load)
"""A file is read again and again while it is changed, and most lines stay."""


def locate(text: str, path: Sequence[str | int]) -> int | None:
    """The line (from 1) where the value at this path is written, or the nearest thing around it; None if nowhere."""
    best, best_depth = None, 0
    for start, _, table, values in read_statements(text):
        depth = _shared(table, path)
        if values is not None:
            depth = depth + _depth(values, path[depth:]) if depth == len(table) else 0
        if depth > best_depth:
            best, best_depth = start + 1, depth
    return best


def _table_path(header: Any, counts: dict[Path, int]) -> Path:  # Any: whatever TOML holds
    """The path a table header stands for, given as the one table it makes; list items are counted as they come."""
    path: Path = ()
    while header:
        is_item = isinstance(header, list)
        if is_item:
            counts[path] = counts.get(path, -1) + 1
        if path in counts:
            path = (*path, counts[path])
        if is_item:
            return path
        name = next(iter(header))
        header = header[name]
        path = (*path, name)
    return (*path, counts[path]) if path in counts else path


def _shared(table: Path, path: Sequence[str | int]) -> int:
    """How many steps these two begin with in common."""
    return sum(1 for _ in takewhile(lambda steps: steps[0] == steps[1], zip(table, path, strict=False)))


def _depth(tables: Any, path: Sequence[str | int]) -> int:  # Any: whatever TOML holds
    """How many steps of this path exist."""
    for depth, step in enumerate(path):
        try:
            tables = tables[step]
        except (KeyError, IndexError, TypeError):
            return depth
    return len(path)


def _lookup(tables: Any, path: Path) -> Any:  # Any: whatever TOML holds
    for step in path:
        tables = tables[step]
    return tables
