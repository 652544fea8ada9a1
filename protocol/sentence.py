"""A sentence for players that each display says in its own language: a key, its values, and the English text.

The English template stands beside the rule that says it. Other languages find theirs by the key (daemon/languages);
where a language has none, as for a game of a third party, the English text is shown. A Refusal is an error that
carries a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Union, cast

from msgspec import Struct

from protocol.naming import name_bed

Value = Union[str, int, tuple[str | int, ...], "Sentence"]
_PLACE = re.compile(r"\{+(\w+)\}+")
_SINGLE = re.compile(r"([SIO])(\d+)")
_AS_IT_IS = ("name", "given", "possible")
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
    "out_double": "any double",
    "out_master": "any double or triple",
    "out_straight": "any bed",
    "then_over": "then it is over",
    "then_score": "then you score",
    "then_close": "then you close",
    "ones": "Ones",
    "twos": "Twos",
    "threes": "Threes",
    "fours": "Fours",
    "fives": "Fives",
    "sixes": "Sixes",
    "pair": "Pair",
    "two_pairs": "Two Pairs",
    "three_kind": "Three of a Kind",
    "villa": "Villa",
    "single_straight": "Single Straight",
    "double_straight": "Double Straight",
    "triple_straight": "Triple Straight",
    "chance": "Chance",
    "yes": "yes",
    "no": "no",
    "stop": "stop",
    "cancel": "throw again",
    "bed": "three in a bed",
}
"""The English words for targets that are no number, halves of a single ("20 inner"), and for what a task has as a
value: what the last dart must be, what follows, the rows of Yatzy-Dart.

Another language has its own under `label`.
"""


class Sentence(Struct, frozen=True, gc=False):
    """A sentence. A value that is a target's id is shown as the target's name; a value may be a sentence itself.

    A list is shown with commas. The values `name`, `given` and `possible` are shown as they are; `bed` is the
    id of the segment of a dart, shown by its short name.
    """

    key: str
    template: str
    values: Mapping[str, Value] = {}

    @property
    def text(self) -> str:
        """The English sentence."""
        return fill(self.template, self.values, LABELS)

    def __str__(self) -> str:
        return self.text


class Refusal(ValueError):
    """A request that is refused; `said` is why, a text if it exists in English only."""

    def __init__(self, said: str | Sentence) -> None:
        super().__init__(str(said))
        self.said = said


def get_reason(error: Exception) -> str | Sentence:
    """Returns what the error says: its sentence if it carries one as `said`, else its text."""
    said: str | Sentence | None = getattr(error, "said", None)
    return str(error) if said is None else said


def advise(what: str | Sentence, remedy: str | Sentence) -> Sentence:
    """Returns a sentence in two halves: what is wrong, and what to do about it."""
    return say("advice.both", "{what}: {remedy}", what=what, remedy=remedy)


def split_advice(said: str | Sentence) -> tuple[str | Sentence, str | Sentence]:
    """Returns the halves of a sentence of `advise`, or of a text that is written like one."""
    if isinstance(said, Sentence):
        found = said.values if said.key == "advice.both" else {"what": said, "remedy": ""}
        return cast("str | Sentence", found["what"]), cast("str | Sentence", found["remedy"])
    what, _, remedy = said.partition(": ")
    return what, remedy


def write_sentence(said: str | Sentence) -> dict[str, Any]:  # Any: JSON
    """Returns an object with the English `text`, and `key` and `values` where other languages have it."""
    if isinstance(said, str):
        return {"text": said}
    values = {
        name: write_sentence(value) if isinstance(value, Sentence) else value for name, value in said.values.items()
    }
    return {"text": said.text, "key": said.key, "values": values}


def write_said(key: str, said: str | Sentence | None) -> dict[str, Any]:  # Any: JSON
    """Returns the English text as `key`, and its `write_sentence` as `key`_said; null where there is none."""
    sentence = write_sentence(said) if said else None
    return {key: said if sentence is None else sentence["text"], f"{key}_said": sentence}


def fill(template: str, values: Mapping[str, Value], labels: Mapping[str, str]) -> str:
    """The template with the values in the places of their names, {name} or {{name}}."""

    def write(place: re.Match[str]) -> str:
        value = values[place[1]]
        if place[1] in _AS_IT_IS or isinstance(value, Sentence):
            return str(value)
        if place[1] == "bed":
            return name_bed(str(value))
        several = value if isinstance(value, tuple | list) else (value,)
        return ", ".join(_name_target(str(each), labels) for each in several)

    return _PLACE.sub(write, template)


def list_places(template: str) -> frozenset[str]:
    """Returns the names of the values that the template has places for."""
    return frozenset(_PLACE.findall(template))


def say(key: str, template: str, **values: Value) -> Sentence:
    """Returns a sentence: `say("refused.undone", "line {line} was undone", line=5)`."""
    return Sentence(key, template, values)


def _name_target(label: str, labels: Mapping[str, str]) -> str:
    single = _SINGLE.fullmatch(label)
    if single is None:
        return labels.get(label, label)
    half, number = single.groups()
    return number if half == "S" else f"{number} {labels.get(half, LABELS[half])}"
