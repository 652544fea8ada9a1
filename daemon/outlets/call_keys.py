"""Which recordings of a sound pack say what: the keys of the packs that people have, by what happens.

The page has the same tables (daemon/web/page/wall/call_keys.js). A line is one way to say it, and the first that a pack
can say wholly is taken. Its steps are said one after the other; of `a|b` the first that there is, and `?a` only if it
is there. `+{name}` is the name as the player has recorded it, which no pack has. What a place like `{name}` stands for
may be missing, or be several: then the first for which there is a key.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from daemon.sound_packs import fold_name

CALLS = MappingProxyType(
    {
        "visit": ("?oche_{award} {points}", "oche_{award}"),
        "bust": ("busted",),
        "leg_won": ("gameshot ?leg_{leg} ?+{name}|{name}",),
        "set_won": ("gameshot ?set_{set} ?+{name}|{name}",),
        "match_won": ("matchshot|gameshot ?+{name}|{name}",),
        "match_started": ("matchon|gameon",),
        "leg_started": ("gameon",),
        "requires": (
            "?+{name}|{name}|player{number} you_require c_{left}|{left}",
            "?+{name}|{name}|player{number} yr_{left}",
        ),
        "name": ("+{name}|{name}",),
        "triple": ("t{bed}", "triple {bed}", "effect_t{bed}|effect_triple", "{points}"),
        "double": ("d{bed}", "double {bed}", "effect_d{bed}|effect_double", "{points}"),
        "single": ("s{bed}", "{bed}", "effect_s{bed}|effect_single{part}|effect_single"),
        "bull": ("bull", "effect_bull", "{points}"),
        "bullseye": ("bullseye", "effect_bullseye", "{points}"),
        "outside": ("outside", "effect_outside", "{points}"),
    }
)
_STEPS = (150, 120, 100, 50, 1)
AMBIENT = MappingProxyType(
    {
        "visit": (
            "|".join(["ambient_{beds}", "ambient_{points}", *(f"ambient_{{over{step}}}" for step in _STEPS)]),
            "ambient_{none}",
        ),
        "bust": ("ambient_noscore",),
        "leg_won": ("ambient_gameshot_{name}|ambient_gameshot",),
        "set_won": ("ambient_setshot_{name}|ambient_setshot|ambient_gameshot_{name}|ambient_gameshot",),
        "match_won": ("ambient_matchshot_{name}|ambient_matchshot|ambient_gameshot_{name}|ambient_gameshot",),
        "match_started": ("ambient_matchon_{name}|ambient_matchon|ambient_gameon_{name}|ambient_gameon",),
        "leg_started": ("ambient_gameon_{name}|ambient_gameon",),
        "turn": ("ambient_playerchange_{name}|ambient_playerchange",),
    }
)
"""What sounds after that."""
_LARGEST_VISIT = 180
_RINGS = {"T": "triple", "D": "double", "S": "single", "I": "single", "O": "single"}
_PARTS = {"I": "inner", "O": "outer"}
_BULLS = {"SB": "bull", "DB": "bullseye", "MISS": "outside"}
_BED = re.compile(r"([TDSIO])(\d+)")
_PLACE = re.compile(r"\{(\w+)\}")

Values: TypeAlias = Mapping[str, str | int | Sequence[str] | None]
"""What the places in keys stand for; None: nothing."""
Recordings: TypeAlias = Mapping[str, tuple[Path, ...]]
"""The takes of a pack by their keys."""


class Step(NamedTuple):
    """A step of a call: the first of these keys that a pack has."""

    keys: tuple[str, ...]
    is_optional: bool = False


Way: TypeAlias = tuple[Step, ...]


def find_ways(what: str, values: Values) -> list[Way]:
    """Returns the ways to say this, the best first."""
    return _fill(CALLS.get(what, ()), values)


def find_ambience(what: str, values: Values) -> list[Way]:
    """Returns the ways in which this sounds, the best first."""
    return _fill(AMBIENT.get(what, ()), values)


def _fill(ways: Iterable[str], values: Values) -> list[Way]:
    return [tuple(_fill_step(step, values) for step in way.split(" ")) for way in ways]


def _fill_step(step: str, values: Values) -> Step:
    keys = tuple(filled for key in step.removeprefix("?").split("|") for filled in _fill_key(key, values))
    return Step(keys, step.startswith("?"))


def _fill_key(key: str, values: Values) -> list[str]:
    keys = [key]
    for name in _PLACE.findall(key):
        found = list(_list_values(values.get(name)))
        keys = [each.replace(f"{{{name}}}", value) for each in keys for value in found]
    return keys


def _list_values(value: str | int | Sequence[str] | None) -> Iterator[str]:
    """Yields what a place stands for, as it is written in keys."""
    several = (value,) if isinstance(value, str | int) else value or ()
    return filter(None, (fold_name(str(each)) for each in several))


def describe_visit(points: int, darts: Iterable[str]) -> dict[str, str | int | Sequence[str] | None]:
    """Returns what stands in the keys for a visit."""
    return {
        "points": points if points <= _LARGEST_VISIT else None,
        "beds": "".join(re.sub("^[IO]", "S", dart) for dart in darts),
        "none": None if points else "noscore",
        **{f"over{step}": f"{step}more" if points >= step else None for step in _STEPS},
    }


def describe_dart(segment: str, points: int) -> tuple[str, Values] | None:
    """Returns what a dart is called by, and what stands in the keys for it; None: nothing calls such a segment."""
    if segment in _BULLS:
        return _BULLS[segment], {"points": points}
    if (found := _BED.fullmatch(segment)) is None:
        return None
    ring, bed = found.groups()
    return _RINGS[ring], {"bed": bed, "points": points, "part": _PARTS.get(ring)}


def find_recordings(ways: Iterable[Way], packs: Iterable[Recordings]) -> tuple[Path, ...]:
    """Returns the recordings of the first way that a pack can say wholly, each a random take; () if no pack can."""
    ways = tuple(ways)
    for pack in packs:
        for way in ways:
            steps = [(step, next((pack[key] for key in step.keys if key in pack), ())) for step in way]
            files = tuple(random.choice(takes) for _, takes in steps if takes)
            if files and all(step.is_optional or takes for step, takes in steps):
                return files
    return ()
