"""Complaints in a person's words: the nearest spelling, and what msgspec means.

Used wherever people write something down: profiles, the configuration, a game's options, a match record.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from typing import Any, get_args, get_origin

import msgspec

Path = tuple[str | int, ...]


def explain_decode_error(error: msgspec.ValidationError, kind: object) -> tuple[str, Path]:
    """What msgspec found wrong with a value of this type, in a person's words, and the path to it."""
    reason, _, where = str(error).partition(" - at ")
    path: Path = tuple(
        int(index) if index else key for key, index in re.findall(r"\.([\w-]+)|\[(\d+)\]", where.strip("`"))
    )
    missing = re.match(r"Object missing required field `(.+)`", reason)
    if missing:
        return f"the key {missing[1]!r} is missing", path
    if reason.startswith("Invalid enum value"):
        choices = [str(choice) for choice in _literals(kind, path)]
        given = reason.removeprefix("Invalid enum value ").strip("'")
        return f"this must be one of {', '.join(choices)}{_meant(given, choices)}", path
    form = re.match(r"Expected `str` matching regex '(.+)'$", reason)
    if form:
        return f"this must be a text of the form {form[1]}", path
    expected = re.match(r"Expected `([^`]+)`(?: ((?:of length )?[<>]=? \S+))?", reason)
    if expected:
        wanted = " or ".join(_WORDS.get(w.strip(), w.strip()) for w in expected[1].split("|"))
        return f"this must be {wanted}{f' {expected[2]}' if expected[2] else ''}", path
    return reason[:1].lower() + reason[1:], path


def suggest_nearest(word: str, words: Sequence[str], otherwise: str | None = None) -> str:
    """'; did you mean "x"?' when something is close, else the list of what there is, or `otherwise`."""
    return _meant(word, words) or (f"; possible here: {', '.join(sorted(words))}" if otherwise is None else otherwise)


def struct_of(kind: Any) -> type[msgspec.Struct] | None:  # Any: a type expression
    """The Struct a value of this type is, may be, or is a list of."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return kind
    inside = get_args(kind) if get_origin(kind) is not dict else ()
    return next((struct for struct in map(struct_of, inside) if struct is not None), None)


_WORDS = {
    "str": "a text",
    "int": "a whole number",
    "bool": "true or false",
    "array": "a list",
    "float": "a number",
    "object": "a table of keys",
}


def _meant(word: str, words: Sequence[str]) -> str:
    import difflib  # noqa: PLC0415  needed for mistakes only

    folded = {one.casefold(): one for one in words}
    close = difflib.get_close_matches(word.casefold(), folded, n=1, cutoff=0.6)
    return f"; did you mean {folded[close[0]]!r}?" if close else ""


def _literals(kind: Any, path: Path) -> tuple[object, ...]:  # Any: a type expression
    for step in path:
        struct = struct_of(kind)
        if isinstance(step, str) and struct is not None:
            kind = next((f.type for f in msgspec.structs.fields(struct) if f.encode_name == step), None)
    nested = (_literals(inner, ()) for inner in get_args(kind) if get_args(inner))
    return (*(a for a in get_args(kind) if isinstance(a, str | int)), *chain.from_iterable(nested))
