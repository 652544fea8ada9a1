"""The shape of a JSON value: its keys and the types of its values, and the words that are part of the contract.

As JSON it is `{"line": "int", "phase": "=throwing", "sides": [{"name": "text"}], "last|null": {…}, "qr?": "text"}`: a
word stands after "=", `?` says that the key is not always there, and `|` that the value may be of another type, too.
"""

from __future__ import annotations

from typing import Any, NamedTuple

WORDS = frozenset(("code", "event_type", "fate", "key", "kind", "phase", "role", "state", "status", "view"))
"""The keys whose texts are compared as they are: programs compare them, too."""
NAMED = frozenset(
    ("awards", "components", "cmps", "days", "games", "hits", "marks", "matches", "presets", "tables", "traffic")
)
"""The keys of objects whose own keys are names."""
OPEN = frozenset(
    ("effective", "found", "names", "notes", "notes_said", "plugins", "text_said", "trouble", "trouble_said", "written")
)
"""The keys of what a new setting, another machine or the speed of this one changes."""
FORESEEN = frozenset(("due", "due_s", "ends", "ends_early", "ends_late", "forecast"))
"""The keys of what is foreseen of a tournament: that follows by itself, and is there sooner or later."""
CHECK = ("commands", "name", "remedy", "repair", "text", "verdict")
"""What each of the `checks` of the doctor has, of whatever type."""
ABSENT = "?"


class Shape(NamedTuple):
    """The types that were seen of a value, and the shapes below it by key; that of all elements of a list is `[]`."""

    types: frozenset[str]
    keys: dict[str, Shape]

    @classmethod
    def of(cls, value: Any, name: str = "") -> Shape:  # Any: JSON
        """The shape of the value that has this key."""
        if name in OPEN or (isinstance(value, dict) and ("$defs" in value or "properties" in value)):
            return cls(frozenset(["open"]), {})
        if name == "checks":
            value = [{key: "" for key in CHECK if all(key in each for each in value)}]
        if isinstance(value, dict):
            below = {key: cls.of(each, key) for key, each in value.items() if key not in FORESEEN}
            if name in NAMED and below:
                below = {"*": _merge_all(below.values())}
            return cls(frozenset(["{}"]), below)
        if isinstance(value, list):
            items = [cls.of(each) for each in value]
            return cls(frozenset(["[]"]), {"[]": _merge_all(items)} if items else {})
        is_word = isinstance(value, str) and name in WORDS
        return cls(frozenset([f"={value}" if is_word else _TYPES[type(value)]]), {})

    def merge(self, other: Shape) -> Shape:
        """The shape of what has the one or the other."""
        keys: dict[str, Shape] = {}
        for key in self.keys | other.keys:
            one, two = self.keys.get(key), other.keys.get(key)
            if one is not None and two is not None:
                keys[key] = one.merge(two)
            else:
                lacking, found = (self, two) if one is None else (other, one)
                assert found is not None
                is_absent = "{}" in lacking.types and key != "[]"
                keys[key] = found._replace(types=found.types | {ABSENT}) if is_absent else found
        return self._replace(types=self.types | other.types, keys=keys)

    def write(self) -> Any:  # Any: JSON
        """The shape as JSON."""
        if "[]" in self.keys and "{}" not in self.types:
            return [self.keys["[]"].write()]
        if not self.keys:
            return "|".join(sorted(self.types - {ABSENT}))
        return {f"{key}{each.suffix}": each.write() for key, each in sorted(self.keys.items())}

    @property
    def suffix(self) -> str:
        """What is added to its key: whether it may be absent, and what else it may be."""
        more = sorted(self.types - {ABSENT, "[]" if "[]" in self.keys else "{}"}) if self.keys else []
        return "".join(["?" if ABSENT in self.types else "", *(f"|{each}" for each in more)])


_TYPES = {str: "text", bool: "bool", int: "int", float: "float", type(None): "null"}


def _merge_all(shapes: Any) -> Any:  # Any: an iterable of shapes, a shape
    first, *others = shapes
    for each in others:
        first = first.merge(each)
    return first


def compare(before: Any, after: Any, where: str = "") -> list[str]:  # Any: JSON
    """What is different, a line each with the path of the value."""
    if isinstance(before, list) and isinstance(after, list):
        before, after = dict(enumerate(before)), dict(enumerate(after))
    if not (isinstance(before, dict) and isinstance(after, dict)):
        return [] if before == after else [f"{where}: {before} has become {after}"]
    lost = [f"{where}.{key}: is not there any more" for key in before if key not in after]
    more = [f"{where}.{key}: is new, {after[key]}" for key in after if key not in before]
    same = [compare(before[key], after[key], f"{where}.{key}") for key in before if key in after]
    return [*lost, *more, *(line for lines in same for line in lines)]
