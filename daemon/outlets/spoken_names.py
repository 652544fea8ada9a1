"""Names for the ear, as sentences that every language has: beds, cards, answers, lists of them.

The names that displays show ("T20", "5·6 red", "10S") are for the eye, and a voice reads them letter by letter.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from daemon.languages import translate
from protocol.commands import OptionsAre
from protocol.naming import name_bed
from protocol.sentence import Sentence, Value, say

_NUMBERED = re.compile(r"([TDSIO])(\d{1,2})")
_CIRCLES = re.compile(r"(\d+)([imo])")
_CARD = re.compile(r"(10|[2-9AJQK])([SHCD])")
_HEXAGON = re.compile(r"-?\d,-?\d!?(\|-?\d,-?\d!?)*")
_SHOWN = re.compile(r"(?<!\w)(?:[TD](?:1\d|20|[1-9])|(?P<circles>\d(?:·\d)*) (?P<colour>red|green|grey))(?!\w)")
"""A bed as displays show it, in a sentence: T20, 5·6 red."""
_RINGS = {
    "T": ("bed.triple", "triple {number}"),
    "D": ("bed.double", "double {number}"),
    "S": ("bed.single", "single {number}"),
    "I": ("bed.inner", "inner single {number}"),
    "O": ("bed.outer", "outer single {number}"),
}
_COLOURS = {"i": ("bed.red", "{given} red"), "m": ("bed.green", "{given} green"), "o": ("bed.grey", "{given} grey")}
_AREAS = {"red": "i", "green": "m", "grey": "o"}
_BEDS = {
    "SB": say("bed.outer_bull", "outer bull"),
    "DB": say("bed.inner_bull", "inner bull"),
    "MISS": say("bed.miss", "miss"),
    "NONE": say("bed.miss", "miss"),
    "OFF": say("bed.fell_off", "fell off"),
    "FOUL": say("bed.foul", "foul"),
    "STAR": say("bed.star", "the star"),
}
_SUITS = {
    "S": ("card.spades", "{rank} of spades"),
    "H": ("card.hearts", "{rank} of hearts"),
    "C": ("card.clubs", "{rank} of clubs"),
    "D": ("card.diamonds", "{rank} of diamonds"),
}
_RANKS = {
    "A": say("card.ace", "ace"),
    "J": say("card.jack", "jack"),
    "Q": say("card.queen", "queen"),
    "K": say("card.king", "king"),
}


def name_target(target: str) -> Value:
    """Returns how a bed or a target is spoken: a sentence, or the label of a target that languages know."""
    if known := _BEDS.get(target):
        return known
    if numbered := _NUMBERED.fullmatch(target):
        return Sentence(*_RINGS[numbered[1]], {"number": int(numbered[2])})
    if circles := _CIRCLES.fullmatch(target):
        return Sentence(*_COLOURS[circles[2]], {"given": " ".join(circles[1])})
    if _HEXAGON.fullmatch(target):
        several = [_name_hexagon(each) for each in target.split("|")]
        return several[0] if len(several) == 1 else say("bed.line", "line {first}, {second}", **_two(several))
    return target


def name_option(option: str, options_are: OptionsAre | None) -> Value:
    """Returns how an answer is spoken."""
    if options_are == "moves":
        start, _, end = option.partition(">")
        return say("ear.move", "{first} to {second}", first=name_target(start), second=name_target(end))
    if card := _CARD.fullmatch(option) if options_are == "cards" else None:
        key, template = _SUITS[card[2]]
        return Sentence(key, template, {"rank": _RANKS.get(card[1], card[1])})
    return name_target(option)


def join_names(names: Sequence[Value]) -> Value:
    """Returns them as one value, with commas between them."""
    found = names[-1]
    for name in reversed(names[:-1]):
        found = say("ear.list", "{first}, {second}", first=name, second=found)
    return found


def speak_beds(text: str, language: str) -> str:
    """Returns the text of a display with the beds in it as they are spoken: "Throw T20" is "Throw triple 20"."""

    def speak(bed: re.Match[str]) -> str:
        circles = bed["circles"]
        name = name_target(circles.replace("·", "") + _AREAS[bed["colour"]] if circles else bed[0])
        return translate(name, language) if isinstance(name, Sentence) else bed[0]

    return _SHOWN.sub(speak, text)


def _name_hexagon(target: str) -> Sentence:
    """Returns its row and its place there; a voice reads C3 as a word if they are not apart."""
    place = name_bed(target.removesuffix("!"))
    given = " ".join(place)
    return (
        say("bed.red", "{given} red", given=given)
        if target.endswith("!")
        else say("bed.hexagon", "{given}", given=given)
    )


def _two(several: Sequence[Value]) -> dict[str, Value]:
    return {"first": several[0], "second": join_names(several[1:])}
