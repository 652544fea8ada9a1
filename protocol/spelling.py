"""Complaints in a person's words: the nearest spelling, and what msgspec means.

Used wherever people write something down: profiles, the configuration, a game's options, a match record.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from typing import Any, get_args, get_origin

import msgspec

from protocol.sentence import Sentence, say

Path = tuple[str | int, ...]


def explain_decode_error(error: msgspec.ValidationError, kind: object) -> tuple[str, Path]:
    """What msgspec found wrong with a value of this type, in a person's words, and the path to it."""
    said, path = say_decode_error(error, kind)
    return str(said), path


def say_decode_error(
    error: msgspec.ValidationError, kind: object, *, has_null: bool = True
) -> tuple[str | Sentence, Path]:
    """As explain_decode_error, as a sentence. TOML has no null: an optional key is left out."""
    reason, _, where = str(error).partition(" - at ")
    path: Path = tuple(
        int(index) if index else key for key, index in re.findall(r"\.([\w-]+)|\[(\d+)\]", where.strip("`"))
    )
    missing = re.match(r"Object missing required field `(.+)`", reason)
    if missing:
        return say("value.missing", "the key {given} is missing", given=repr(missing[1])), path
    if reason.startswith("Invalid enum value"):
        choices = [str(choice) for choice in _literals(kind, path)]
        given = reason.removeprefix("Invalid enum value ").strip("'")
        return (
            say(
                "value.choice",
                "this must be one of {possible}{meant}",
                possible=", ".join(choices),
                meant=_meant(given, choices),
            ),
            path,
        )
    form = re.match(r"Expected `str` matching regex '(.+)'$", reason)
    if form:
        return say("value.form", "this must be a text of the form {given}", given=form[1]), path
    expected = re.match(r"Expected `([^`]+)`(?: ((?:of length )?[<>]=? \S+))?", reason)
    if expected:
        names = [name.strip() for name in expected[1].split("|")]
        wanted, *others = [_WORDS.get(name, name) for name in names if has_null or name != "null"]
        for other in others:
            wanted = say("value.either", "{one} or {other}", one=wanted, other=other)
        if not expected[2]:
            return say("value.kind", "this must be {kind}", kind=wanted), path
        bound = expected[2].removeprefix("of length ")
        if bound != expected[2]:
            return say("value.length", "this must be {kind} of length {given}", kind=wanted, given=bound), path
        return say("value.bound", "this must be {kind} {given}", kind=wanted, given=bound), path
    return reason[:1].lower() + reason[1:], path


def suggest_nearest(word: str, words: Sequence[str], otherwise: str | None = None) -> str:
    """'; did you mean "x"?' when something is close, else the list of what there is if there is any, or `otherwise`."""
    return str(say_nearest(word, words, otherwise))


def say_nearest(word: str, words: Sequence[str], otherwise: str | Sentence | None = None) -> str | Sentence:
    """As suggest_nearest, as the end of a sentence."""
    if meant := _meant(word, words):
        return meant
    if not words:
        return otherwise or ""
    possible = ", ".join(sorted(words))
    return say("value.possible", "; possible here: {possible}", possible=possible) if otherwise is None else otherwise


def say_unknown_key(key: str, known: Sequence[str]) -> Sentence:
    """Returns that there is no such key, with the nearest spelling."""
    return say("value.unknown", "unknown key {given}{meant}", given=repr(key), meant=say_nearest(key, known))


def struct_of(kind: Any) -> type[msgspec.Struct] | None:  # Any: a type expression
    """The Struct a value of this type is, may be, or is a list of."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return kind
    inside = get_args(kind) if get_origin(kind) is not dict else ()
    return next((struct for struct in map(struct_of, inside) if struct is not None), None)


_WORDS: dict[str, str | Sentence] = {
    "str": say("value.text", "a text"),
    "int": say("value.whole", "a whole number"),
    "bool": say("value.truth", "true or false"),
    "array": say("value.list", "a list"),
    "float": say("value.number", "a number"),
    "object": say("value.table", "a table of keys"),
}


def _meant(word: str, words: Sequence[str]) -> str | Sentence:
    import difflib  # noqa: PLC0415  needed for mistakes only

    folded = {one.casefold(): one for one in words}
    close = difflib.get_close_matches(word.casefold(), folded, n=1, cutoff=0.6)
    return say("value.meant", "; did you mean {given}?", given=repr(folded[close[0]])) if close else ""


def _literals(kind: Any, path: Path) -> tuple[object, ...]:  # Any: a type expression
    for step in path:
        struct = struct_of(kind)
        if isinstance(step, str) and struct is not None:
            kind = next((f.type for f in msgspec.structs.fields(struct) if f.encode_name == step), None)
    nested = (_literals(inner, ()) for inner in get_args(kind) if get_args(inner))
    return (*(a for a in get_args(kind) if isinstance(a, str | int)), *chain.from_iterable(nested))
