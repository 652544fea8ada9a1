"""Reads the options of a game from a header and checks how many sides and players it is for.

Every refusal is one sentence that names what was given and what is possible.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, Protocol, get_args, get_origin, runtime_checkable

import msgspec
from msgspec import Struct
from msgspec.structs import fields, replace

from engine.finishing import USUAL_MM
from engine.game import Game, Seating
from engine.scatter import Scatter
from protocol.match_spec import MatchSpec, Unreadable
from protocol.sentence import Sentence, say
from protocol.spelling import explain_decode_error, say_nearest


def read_options(game: Game[Any, Any], given: dict[str, Any]) -> Any:  # Any: each game has its own options
    """The game's options from a header; raises Unreadable with the option, what is possible, the nearest spelling."""
    known = game.options_type.__struct_encode_fields__
    for key in given:
        if key not in known:
            meant = say_nearest(key, known) if known else say("value.none_there", "; it has none")
            raise Unreadable(
                say(
                    "value.no_option", "{name} has no option {given}{meant}", name=game.id, given=repr(key), meant=meant
                )
            )
    try:
        return msgspec.convert(given, game.options_type)
    except msgspec.ValidationError as error:
        reason, path = explain_decode_error(error, game.options_type)
        name = str(path[0]) if path else "?"
        as_text = _as_text(game, name, given.get(name)) if len(path) == 1 else ""
        about = list_options(game).get(name, {})
        value: Any = given.get(name)
        wrong = value
        if "examples" in about:
            reason = f"this must be {about['description']}, such as {format_value(about['examples'][0])}"
        for step in path[1:]:
            wrong = wrong[step]
        element = f", with {format_value(wrong)} in it" if path[1:] else ""
        raise Unreadable(
            say(
                "refused.option",
                "option {option} of {game} is {given}{element}: {details}",
                option=name,
                game=game.id,
                given=format_value(value),
                element=element,
                details=f"{reason}{as_text}",
            )
        ) from None


def write_options(game: Game[Any, Any], options: Any) -> dict[str, Any]:  # Any: JSON
    """Every option of this game with its value, as a record writes it.

    Those that the type of a third party leaves out by default are among them; those that only older rules have are not.
    """
    kind = game.options_type
    names = zip(kind.__struct_encode_fields__, kind.__struct_fields__, strict=True)  # `fields` would evaluate all types
    return {encoded: msgspec.to_builtins(getattr(options, name)) for encoded, name in names}


def list_fillable(game: Game[Any, Any], given: Mapping[str, Any]) -> list[str]:
    """The given options that have a value, and none by default: the game may have filled them in for these players."""
    names, defaults = game.options_type.__struct_encode_fields__, game.options_type.__struct_defaults__
    defaulted = zip(names[len(names) - len(defaults) :], defaults, strict=True)  # the last ones, as msgspec keeps them
    return [name for name, default in defaulted if default is None and given.get(name) is not None]


def leave_out_filled(game: Game[Any, Any], given: Mapping[str, Any], seating: Seating) -> dict[str, Any]:  # Any: JSON
    """The given options without those that the game fills in anyway for these players: others may get another value.

    Raises Unreadable where they cannot be read, and ValueError where these players cannot play with them.
    """
    left = dict(given)
    wanted = game.resolve(read_options(game, left), seating)
    for name in list_fillable(game, given):
        fewer = {key: value for key, value in left.items() if key != name}
        if game.resolve(read_options(game, fewer), seating) == wanted:
            left = fewer
    return left


def make_schema(options: type[Struct]) -> dict[str, Any]:  # Any: JSON Schema
    """The JSON Schema of these options. Choices stand in the order of the type: msgspec sorts them."""
    schema: dict[str, Any] = msgspec.json.schema(options)
    listed = schema["$defs"][options.__name__].get("properties", {})
    for field in fields(options):
        choices = list(_list_choices(field.type))
        for about in _find_enums(listed[field.encode_name]):
            about["enum"].sort(key=choices.index)
    return schema


def list_options(game: Game[Any, Any]) -> dict[str, Any]:  # Any: JSON Schema
    """The JSON Schema of each option of this game, by its name."""
    kind = game.options_type
    found: dict[str, Any] = make_schema(kind)["$defs"][kind.__name__].get("properties", {})
    return found


def _list_choices(kind: object) -> Iterator[object]:
    """Yields the values of every Literal in this annotation, in their order."""
    if get_origin(kind) is Literal:
        yield from get_args(kind)
    else:
        for part in get_args(kind):
            yield from _list_choices(part)


def _find_enums(about: object) -> Iterator[dict[str, Any]]:  # Any: JSON Schema
    """Yields the schemas with choices in this one of an option."""
    if isinstance(about, dict):
        if "enum" in about:
            yield about
        for part in about.values():
            yield from _find_enums(part)
    elif isinstance(about, list):
        for part in about:
            yield from _find_enums(part)


def format_value(value: object) -> str:
    """A value as people write it in a record or send it; what JSON has no word for in its own."""
    return json.dumps(value, ensure_ascii=False, default=str)


def _as_text(game: Game[Any, Any], name: str, value: object) -> str:
    """How a number is written that would do as a text."""
    if not isinstance(value, int) or isinstance(value, bool):
        return ""
    try:
        msgspec.convert({name: str(value)}, game.options_type)
    except msgspec.ValidationError:
        return ""
    return f', written "{value}"'


def check_seating(game: Game[Any, Any], seating: Seating) -> None:
    """Raises Unreadable when the game is not for so many sides, or not for teams of these sizes."""
    if len(seating.sides) not in game.sides:
        raise Unreadable(
            say(
                "refused.sides",
                "{game} is for {sides}, not for {given}",
                game=game.id,
                sides=_count_sides(game.sides),
                given=len(seating.sides),
            )
        )
    for side in seating.sides:
        if len(side.seats) not in game.team_size:
            raise Unreadable(
                say(
                    "refused.members",
                    "{game} needs teams of {members}; {name} has {given}",
                    name=side.name,
                    given=len(side.seats),
                    game=game.id,
                    members=_count_members(game.team_size),
                )
            )


def _count_sides(allowed: range) -> Sentence:
    low, high = allowed[0], allowed[-1]
    if low != high:
        return say("refused.from_sides", "{low} to {high} sides", low=low, high=high)
    return say("refused.one_side", "1 side") if low == 1 else say("refused.some_sides", "{low} sides", low=low)


def _count_members(allowed: range) -> Sentence:
    low, high = allowed[0], allowed[-1]
    if low != high:
        return say("refused.from_members", "{low} to {high} members", low=low, high=high)
    return say("refused.one_member", "1 member") if low == 1 else say("refused.some_members", "{low} members", low=low)


def describe_options(game: Game[Any, Any], usual: Mapping[str, Any]) -> dict[str, str]:  # Any: own options
    """The possible values of each option and its default, in words; `usual` are the defaults of a preset."""
    return {
        key: f"{_describe_values(about)} (default {format_word(usual.get(key, about.get('default')))})"
        for key, about in list_options(game).items()
    }


def _describe_values(about: dict[str, Any]) -> str:  # Any: JSON Schema
    if "examples" in about:
        return f"{about['description']}, such as {format_value(about['examples'][0])}"
    if "enum" in about:
        return ", ".join(format_word(value) for value in about["enum"])
    if "anyOf" in about:
        return " or ".join(_describe_values(each) for each in about["anyOf"])
    if "minimum" in about:
        return f"{about['minimum']} to {about['maximum']}"
    kind: str = about["type"]
    return {"boolean": "true, false", "null": "none", "integer": "a whole number"}.get(kind, kind)


def format_word(value: object) -> str:
    """A value as people read it."""
    if value is None:
        return "none"
    return value if isinstance(value, str) else format_value(value)


def with_doubles(
    header: MatchSpec,
    chosen: Game[Any, Any],  # Any: each has its own options
    doubles: Mapping[str, Sequence[int]],
) -> MatchSpec:
    """With the players' favourite doubles, where the game has an option for them and the header says nothing of it."""
    has_option = "doubles" in chosen.options_type.__struct_encode_fields__
    players = header.seating.players
    if not has_option or header.options.get("doubles") or not any(name in doubles for name in players):
        return header
    options = {**header.options, "doubles": [list(doubles.get(name, ())) for name in players]}
    return replace(header, options=options)


@runtime_checkable
class KnowsScatters(Protocol):
    """What knows how the darts of players scatter, by their names."""

    @property
    def scatters(self) -> Mapping[str, Scatter]:
        """Those of the players of whom a board has measured darts, also too few of them."""


def with_scatters(
    header: MatchSpec,
    chosen: Game[Any, Any],  # Any: each has its own options
    known: object,
) -> MatchSpec:
    """With the scatter of the players that is `known`, where the game has an option and the header says nothing of it.

    Nothing is changed by what is no KnowsScatters.
    """
    players, scatters = header.seating.players, _list_deviations(known)
    if header.options.get("scatter") or not any(name in scatters for name in players):
        return header
    if "scatter" not in chosen.options_type.__struct_encode_fields__:
        return header
    return replace(header, options={**header.options, "scatter": [scatters.get(name, USUAL_MM) for name in players]})


def without_scatters(header: MatchSpec, known: object) -> MatchSpec:
    """Without the scatter of the players, where that of one is `known`: it is filled in anew when the match begins."""
    scatters = _list_deviations(known)
    if not header.options.get("scatter") or not any(name in scatters for name in header.seating.players):
        return header
    return replace(header, options={name: value for name, value in header.options.items() if name != "scatter"})


def _list_deviations(known: object) -> Mapping[str, float]:
    """Those in mm that are known well enough, by the names of the players."""
    return {name: found.deviation_mm for name, found in list_scatters(known).items() if found.is_enough}


def list_scatters(known: object) -> Mapping[str, Scatter]:
    """How the darts of players scatter, where `known` is something that knows it."""
    return known.scatters if isinstance(known, KnowsScatters) else {}
