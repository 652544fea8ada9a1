"""A sentence for players that each display says in its own language: a key, its values, and the English text.

The English template stands beside the rule that says it. Other languages find theirs by the key (daemon/languages);
where one has none, as for a game of a third party, the English text is said.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct

Value = str | int | tuple[str | int, ...]
_PLACE = re.compile(r"\{+(\w+)\}+")
_SINGLE = re.compile(r"([SIO])(\d+)")
LABELS: Mapping[str, str] = {
    "DB": "the inner bull",
    "SB": "the outer bull",
    "bull": "the bull",
    "double": "any double",
    "triple": "any triple",
    "single": "any single",
    "inner": "any inner single",
    "outer": "any outer single",
    "I": "inner",
    "O": "outer",
}
"""The English words for targets that are no number, and for the halves of a single ("20 inner").

Another language has its own under `label`.
"""


class Sentence(Struct, frozen=True, gc=False):
    """A sentence; `values` are JSON without nesting. A value that is a target's id is said as the target's name.

    A value of several is said with commas. The value `name` is said as it is.
    """

    key: str
    template: str
    values: Mapping[str, Value] = {}

    @property
    def text(self) -> str:
        """The English sentence."""
        return fill(self.template, self.values, LABELS)


def fill(template: str, values: Mapping[str, Value], labels: Mapping[str, str]) -> str:
    """The template with the values in the places of their names, {name} or {{name}}."""

    def write(place: re.Match[str]) -> str:
        value = values[place[1]]
        if place[1] == "name":
            return str(value)
        several = value if isinstance(value, tuple | list) else (value,)
        return ", ".join(_name_target(str(each), labels) for each in several)

    return _PLACE.sub(write, template)


def say(key: str, template: str, **values: Value) -> Sentence:
    """Returns a sentence: `say("killer.own", "Hit your own number {number}", number=5)`."""
    return Sentence(key, template, values)


def _name_target(label: str, labels: Mapping[str, str]) -> str:
    single = _SINGLE.fullmatch(label)
    if single is None:
        return labels.get(label, label)
    half, number = single.groups()
    return number if half == "S" else f"{number} {labels.get(half, LABELS[half])}"
