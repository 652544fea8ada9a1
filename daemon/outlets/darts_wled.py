"""The arguments of darts-wled, another program for the same lights, as sections of our configuration.

They can be pasted from its start file or the command line. What has no counterpart here is named.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import tomli_w

from daemon.config.lights import find_place
from daemon.config.names import check_address
from daemon.config.outlets import MOST_RULES
from daemon.errors import UserError
from daemon.outlets.colour_names import find_colour

_LONG = {
    "wled_endpoints": "WEPS",
    "effect_duration": "DU",
    "effect_brightness": "BRI",
    "high_finish_on": "HFO",
    "high_finish_effects": "HF",
    "idle_effect": "IDE",
    "game_won_effects": "G",
    "match_won_effects": "M",
    "busted_effects": "B",
    "takeout_effect": "TOE",
    "combo_effects": "CMB",
    "player_idle_effects": "PIDE",
    "dart_multiplier_effects": "DMU",
    "dart_score_bull_effects": "DSBULL",
}
_NUMBERED = (
    (r"score_(\d+)_effects", "S"),
    (r"score_area_(\d+)_effects", "A"),
    (r"dart_score_(\d+)_effects", "DS"),
    (r"idle_effect_player(\d)", "IDE"),
)
_OPTION = re.compile(r"--?([A-Za-z][A-Za-z0-9_]*)(?:=(.*))?", re.DOTALL)
_SEGMENT = re.compile(r"([sdt])(\d{1,2})")
_MULTIPLIERS = {"1": "single", "2": "double", "3": "triple"}
_PART = re.compile(
    r"(?P<speed>s\d+)|(?P<intensity>i\d+)|(?P<palette>p\d+)|(?P<seconds>d:?\d+(\.\d+)?)|(?P<lights>e:.+)"
)
_OPERATORS = "&;<>"
"""What ends a command, or sends its output elsewhere. The sign | is part of effects, which people leave unquoted."""
_LETTERS = 40
"""The longest name of a scene."""
_MOST_LETTERS = 2000
"""The longest address of a light."""
_MOST_POINTS = 180
_MOST_DARTS = 3
_NO_LIGHT = (
    "There is no light yet. Write the address of your controller, and remove the # in front of all lines but this one.",
    "[[outlets.light]]",
    'name = "wled"',
    'url = "http://192.168.1.20"',
    "",
)

Table = dict[str, Any]  # Any: TOML


class Imported(NamedTuple):
    """The sections, as lines of a configuration; and the arguments that were not understood, or not all of them.

    Where no controller is named, which rules need, the lines are comments.
    """

    text: str
    left: tuple[str, ...]
    has_lights: bool


class _Effect(NamedTuple):
    """A scene by its name, as it is written there, and the lights that show it; None: all."""

    text: str
    scene: str
    lights: tuple[str, ...] | None


def import_arguments(text: str) -> Imported:
    """Returns what these arguments mean. Raises UserError for a text that has none, or half a pair of quotes."""
    options, others = _read_options(text)
    if not options:
        raise UserError('there are no arguments of darts-wled in this text: paste its line, such as -S180 "rainbow"', 2)
    reading = _Reading(options)
    return Imported(reading.write(), (*reading.left, *others), reading.has_lights)


def _read_options(text: str) -> tuple[dict[str, list[str]], list[str]]:
    """Returns the values of each option by its short name; and what else follows an option, by command."""
    options: dict[str, list[str]] = {}
    others: list[list[str]] = []
    for line in _join_lines(text):
        words = _split(line)
        end = next((at for at, word in enumerate(words) if word.startswith("#")), len(words))
        if not any(map(_OPTION.fullmatch, words[:end])):
            others += [words] if options else []
            continue
        program = values = list[str]()
        for word in words[:end]:
            if found := _OPTION.fullmatch(word):
                values = options.setdefault(_shorten(found[1]), [])
                values += [] if found[2] is None else [found[2]]
            elif word[0] in _OPERATORS and values is not program:
                others.append(values := [word])
            else:
                values.append(word)
        others.append(words[end:])
    return options, [" ".join(words) for words in others if words]


def _join_lines(text: str) -> Iterator[str]:
    """Yields each line that is no comment, with those that continue it."""
    command, signs = "", "^\\"
    for line in map(str.strip, text.splitlines()):
        if re.match(r"#|::|rem\b", line, re.IGNORECASE):
            continue
        if command and command[-1] not in signs:
            yield command
            command = ""
        command = f"{command.rstrip(signs)} {line}".strip()
    yield command.rstrip(signs)


def _split(command: str) -> list[str]:
    """Returns the words of a command, without quotation marks. Raises UserError for half a pair of those."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=_OPERATORS)
    lexer.whitespace_split, lexer.escape, lexer.commenters = True, "", ""
    try:
        return [word for word in lexer if word]
    except ValueError:
        raise UserError("a quotation mark is missing in this text: paste whole lines", 2) from None


def _shorten(name: str) -> str:
    if name.casefold() in _LONG:
        return _LONG[name.casefold()]
    for pattern, short in _NUMBERED:
        if found := re.fullmatch(pattern, name, re.IGNORECASE):
            return short + found[1]
    return name.upper()


class _Reading:
    """The options being read. Rules are in the order of their strength there, the weakest first."""

    def __init__(self, options: Mapping[str, Sequence[str]]) -> None:
        self.left: list[str] = []
        self._scenes: dict[str, Table] = {}
        self._by_text: dict[str, str] = {}
        self._rules: list[tuple[str, list[str], Table]] = []
        self._options = options
        self._seconds = self._read_number("DU", 0, range(601))
        self._high_finish = self._read_number("HFO", 0, range(_MOST_POINTS + 1))
        brightness = self._read_number("BRI", 175, range(1, 256))
        self._lights: dict[str, Table] = {}
        urls = options.get("WEPS", ())
        for number, given in enumerate(urls):
            url = (given if "://" in given else f"http://{given}").rstrip("/")
            places = [find_place(light["url"]) for light in self._lights.values()]
            if find_place(url) in places or check_address(url) is not None or len(url) > _MOST_LETTERS:
                self._leave("WEPS", given)
                continue
            name = f"wled{number + 1}" if len(urls) > 1 else "wled"
            self._lights[str(number)] = {"name": name, "url": url, "brightness": brightness, "idle": {}}
        known = {"DU", "BRI", "HFO", "WEPS"}
        for read in (self._read_darts, self._read_visits, self._read_matches, self._read_idle):
            known |= set(read())
        for name, values in options.items():
            if name not in known:
                self._leave(name, *values)
        for name, values, _ in self._rules[:-MOST_RULES]:  # the weakest
            self._leave(name, *values)

    @property
    def has_lights(self) -> bool:
        """Whether a controller is named."""
        return bool(self._lights)

    def write(self) -> str:
        """Returns the sections."""
        sections = [("light", light) for light in self._lights.values()]
        sections += [("scene", {"name": name, **scene}) for name, scene in self._scenes.items()]
        sections += [("rule", rule) for *_, rule in self._rules[-MOST_RULES:]]
        text = "\n".join(
            f"[[outlets.{name}]]\n"
            + "".join(f"{key} = {_write_value(value)}\n" for key, value in section.items() if value != {})
            for name, section in sections
        )
        if self._lights or not text:
            return text
        return "".join(f"# {line}".rstrip() + "\n" for line in [*_NO_LIGHT, *text.strip("\n").split("\n")])

    def _leave(self, name: str, *values: str) -> None:
        self.left.append(shlex.join([f"-{name}", *values]))

    def _read_number(self, name: str, otherwise: int, possible: range) -> int:
        values = self._options.get(name, ())
        if not values:
            return otherwise
        with suppress(ValueError, OverflowError):  # inf
            if (number := round(float(values[0]))) in possible:
                return number
        self._leave(name, *values)
        return otherwise

    def _read_darts(self) -> Iterator[str]:
        """Reads what happens at single darts; yields the options that are known."""
        for number in range(1, 21):
            yield from self._add(f"DS{number}", {"on": "dart", "points": number})
        yield from self._add("DSBULL", {"on": "dart", "bed": "bull"})
        yield "DMU"
        pairs = [*self._read_pairs("DMU")]
        for key, values in sorted(pairs, key=lambda pair: pair[0] not in _MULTIPLIERS):  # the special ones come last
            bed = _MULTIPLIERS.get(key) or _read_segment(key)
            self._add_rule("DMU", None if bed is None else {"on": "dart", "bed": bed}, values)

    def _read_visits(self) -> Iterator[str]:
        for number in range(1, 13):
            name = f"A{number}"
            yield name
            if values := self._options.get(name):
                bounds = re.fullmatch("([0-9]{1,4})-([0-9]{1,4})", values[0])
                if bounds is None or int(bounds[1]) > int(bounds[2]):
                    self._leave(name, *values)
                    continue
                points = {"min": int(bounds[1]), "max": int(bounds[2])}
                self._add_rule(name, {"on": "visit", "points": points}, values[1:])
        for number in range(181):
            yield from self._add(f"S{number}", {"on": "visit", "points": number})
        yield "CMB"
        for key, values in self._read_pairs("CMB"):
            darts = [_read_segment(each) for each in key.split(",")]
            self._add_rule(
                "CMB", None if None in darts or len(darts) > _MOST_DARTS else {"on": "visit", "darts": darts}, values
            )

    def _read_matches(self) -> Iterator[str]:
        yield from self._add("B", {"on": "bust"})
        least = {"points": {"min": self._high_finish}} if self._high_finish else {}
        yield from self._add("HF", {"on": "checkout", **least})
        yield from self._add("G", {"on": "leg_won"})
        yield from self._add("M", {"on": "match_won"})

    def _read_idle(self) -> Iterator[str]:
        for name, player in (("IDE", "*"), *((f"IDE{number}", str(number)) for number in range(2, 7))):
            yield name
            self._add_idle(name, player, self._options.get(name, ()))
        yield "PIDE"
        for player, values in self._read_pairs("PIDE"):
            self._add_idle("PIDE", player, values)

    def _read_pairs(self, name: str) -> Iterator[tuple[str, list[str]]]:
        """Yields each key of `key=effect`, with all its effects."""
        found: dict[str, list[str]] = {}
        values: list[str] | None = None
        for value in self._options.get(name, ()):
            key, sign, effect = value.partition("=")
            if sign:
                values = found.setdefault(key.strip() if name == "PIDE" else key.strip().casefold(), [])
            if values is None:
                self._leave(name, value)
            else:
                values.append(effect if sign else value)
        yield from found.items()

    def _add(self, name: str, rule: Table) -> Iterator[str]:
        """Adds the rule if there is this option, which is yielded."""
        yield name
        if name in self._options:
            self._add_rule(name, rule, self._options[name])

    def _add_rule(self, name: str, rule: Table | None, values: Sequence[str]) -> None:
        """Adds a rule for each group of lights; of several effects one is drawn. None: it was not understood."""
        if rule is None:
            self._leave(name, *values)
            return
        groups: dict[tuple[str, ...] | None, list[_Effect]] = {}
        for effect in self._read_effects(name, values):
            groups.setdefault(effect.lights, []).append(effect)
        for lights, effects in groups.items():
            scenes = [effect.scene for effect in effects]
            then: Table = {"light": scenes if len(scenes) > 1 else scenes[0]}
            if lights is not None:
                then["lights"] = [*lights]
            self._rules.append((name, [effect.text for effect in effects], {**rule, "then": then}))

    def _add_idle(self, name: str, player: str, values: Sequence[str]) -> None:
        for value in values:
            if not self._lights:
                self._leave(name, value)
            for effect in self._read_effects(name, [value]):
                for light in self._lights.values():
                    if effect.lights is None or light["name"] in effect.lights:
                        if player in light["idle"]:
                            self._leave(name, value)  # one of several cannot be drawn here
                        light["idle"].setdefault(player, effect.scene)

    def _read_effects(self, name: str, values: Sequence[str]) -> Iterator[_Effect]:
        for value in values:
            effect = self._read_effect(value)
            if effect is None:
                self._leave(name, value)
            else:
                yield effect

    def _read_effect(self, text: str) -> _Effect | None:
        """Returns what `effect|red|s200|d5` means, whose scene is added; None: not all of it was understood."""
        first, *parts = (part.strip().casefold() for part in text.split("|"))
        if first == "ps":
            if not parts or not parts[0].isdecimal() or not 1 <= int(parts[0]) <= 250:
                return None
            scene: Table = {"preset": int(parts[0])}
            parts = [f"d{part}" if part.isdecimal() else part for part in parts[1:]]
        elif first in ("", "x"):
            return None
        else:
            effect = min(int(first), 255) if first.isdecimal() else first
            scene = {} if effect in (0, "solid") else {"effect": effect}
        lights: tuple[str, ...] | None = None
        scene["seconds"] = self._seconds
        for part in parts:
            if part.startswith("e:"):
                lights = self._find_lights(part[2:])
                if lights is None:
                    return None
            elif not _read_part(part, scene):
                return None
        return _Effect(text, self._name_scene(text, scene), lights)

    def _find_lights(self, indexes: str) -> tuple[str, ...] | None:
        found = [self._lights.get(index.strip()) for index in indexes.split(",")]
        return tuple(light["name"] for light in found if light is not None) if None not in found else None

    def _name_scene(self, text: str, scene: Table) -> str:
        """Returns the name of this scene, which is made of the text, and is new if the scene is."""
        for name, known in self._scenes.items():
            if known == scene:
                return name
        words = re.sub(r"\|e:[^|]*", "", text.casefold())
        base = name = re.sub("[^a-z0-9]+", "_", words).strip("_")[:_LETTERS] or "scene"
        number = 1
        while name in self._scenes:
            number += 1
            name = f"{base[: _LETTERS - 4]}_{number}"
        self._scenes[name] = scene
        return name


def _read_part(text: str, scene: Table) -> bool:
    """Adds what this part of an effect says to the scene; returns whether it was understood."""
    colours = scene.get("colours", [])
    if (found := _PART.fullmatch(text)) is None:
        colour = find_colour(text)
        scene["colours"] = [*colours, colour]
        return colour is not None and len(colours) < 3
    number = float(text[1:].lstrip(":"))
    scene[str(found.lastgroup)] = int(number) if number.is_integer() else number
    return number <= (600 if found["seconds"] else 255)


def _read_segment(text: str) -> str | None:
    """Returns the segment that is written as `t20` or `d25`."""
    found = _SEGMENT.fullmatch(text.strip().casefold())
    if found is None or not (1 <= int(found[2]) <= 20 or found[0] in ("s25", "d25")):
        return None
    return {"s25": "SB", "d25": "DB"}.get(found[0], f"{found[1].upper()}{int(found[2])}")


def _write_value(value: object) -> str:
    """Returns it as TOML on one line."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{_write_key(key)} = {_write_value(inner)}' for key, inner in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_write_value, value))}]"
    return tomli_w.dumps({"key": value}).strip().removeprefix("key = ")


def _write_key(key: str) -> str:
    return key if re.fullmatch("[A-Za-z0-9_-]+", key) else _write_value(key)
