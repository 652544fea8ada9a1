"""What a new match is made of, as JSON: the games that a table can play, and their options.

    GET /api/table/{table}/games        what the board of this table can play: a list of GameSummary
    GET /api/games/{name}               one game or preset: GameSheet
    GET /api/table/{table}/rules        the current game: GameSheet, `chosen` being the options of the match

They take `?lang=de`: the language of what people read. docs/web.md has an example of each. A plug-in game
that is withdrawn, or fails when asked, is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache, partial
from typing import Any, Literal, TypeVar

import msgspec
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from daemon.http.messages import (
    HttpRequest,
    HttpResponse,
    HttpRoute,
    PackedJson,
    answer_text,
    pack_json,
    respond_error,
    respond_json,
)
from daemon.languages import LANGUAGES, translate
from daemon.languages.game_words import GameText, OptionNames, find_wins, name_options, tell_game
from daemon.rules import AnyGame, Guard, RulesFailed
from daemon.table.table import Table
from engine.game import GROUPS, Group
from engine.games import GAMES, ORDERS, PRESETS, Routines, game, list_presets
from engine.hands import find_hands
from engine.match import Match
from engine.options import make_schema, read_options, write_options
from engine.variants import find_preset, find_usual, list_differing, tell_variant
from protocol.match_spec import Ordinal
from protocol.routine import Routine

_SHEETS = 32
"""Rule sheets that are kept: those that were asked for last."""


class GameSummary(Struct, frozen=True, kw_only=True):
    """A game or a preset that can be chosen by its `name`.

    `sides` and `team_size` are the fewest and the most. `language` is the one of `line`, and of the rules. `is_routine`
    is there for a routine, which has no options; its `line` names the exercises. `group` is what it is listed under,
    left out where its game names nothing; `tile` its place among the few that stand above the groups, 1 first.
    `variant` says what differs from the first of that title, and is left out where nothing does.
    """

    name: str
    game: str
    title: str
    line: str
    language: str
    sides: tuple[int, int]
    team_size: tuple[int, int]
    is_routine: Literal[True] | UnsetType = UNSET
    group: Group | UnsetType = UNSET
    tile: Ordinal | UnsetType = UNSET
    variant: str | UnsetType = UNSET


class Hands(Struct, frozen=True):
    """With these `options` a match has secret hands.

    `filled` has, by the numbers of sides that can have some, what the game fills in of its options by default.
    """

    options: dict[str, Any]  # Any: JSON
    filled: dict[str, dict[str, Any]]  # Any: JSON


class GameSheet(GameSummary, frozen=True, kw_only=True):
    """The same with its rule sheet, the JSON Schema of its options, and what is `chosen` of them by default.

    `names` are what the options and their values are called. `wins` are up to two sentences of the rules that say how
    one wins with these options, and `differing` the options that are not as usual for that title. `by_side` and
    `by_player` name the options that are lists with an element for each side or player. `hands` is there where a match
    can be played with hands or without.
    """

    rules: str
    options: dict[str, Any]  # Any: JSON Schema
    names: dict[str, OptionNames]
    chosen: dict[str, Any]  # Any: JSON
    wins: list[str]
    differing: list[str]
    by_side: list[str]
    by_player: list[str]
    hands: Hands | UnsetType = UNSET


T = TypeVar("T", bound=GameSummary)


def list_games(guard: Guard, routines: Routines, layout: str, language: str = "en") -> Iterator[GameSummary]:
    """Yields what a board of this layout can play: the games of each group, and of none, with their presets; routines.

    Not what only decides an order.
    """
    groups = (*GROUPS, None)
    for found in sorted(GAMES.values(), key=lambda each: groups.index(each.group)):
        if layout in found.layouts and found.id not in ORDERS.values():
            variants = [preset.id for preset in list_presets(found.id)]
            for name in (found.id, *variants):
                with suppress(RulesFailed):
                    yield _describe(guard, name, found, GameSummary, language)
    for routine in routines.values():
        with suppress(RulesFailed):
            if all(layout in game(exercise.game).layouts for exercise in routine.exercises):
                yield _describe_routine(guard, routine, GameSummary, language)


def describe_game(guard: Guard, routines: Routines, name: str, language: str = "en") -> GameSheet:
    """Returns the game or routine of this name. Raises ValueError with the nearest spelling, and RulesFailed."""
    if name in routines:
        return _describe_routine(guard, routines[name], GameSheet, language)
    return _describe(guard, name, game(name), GameSheet, language)


def _describe(guard: Guard, name: str, found: AnyGame, kind: type[T], language: str) -> T:
    """Returns what the game says of itself under this name, checked to be JSON. Raises RulesFailed."""
    with guard.call(found, is_vital=False, may_refuse=False):
        preset = PRESETS.get(name)
        options = read_options(found, dict(preset.options) if preset else {})
        text = tell_game(found, preset, language)
        described: dict[str, Any] = {
            "name": name,
            "game": found.id,
            "title": found.title(options),
            "line": text.line,
            "language": text.language,
            "sides": (found.sides[0], found.sides[-1]),
            "team_size": (found.team_size[0], found.team_size[-1]),
        }
        tile = preset.tile if preset else found.tile
        described |= {} if found.group is None else {"group": found.group}
        described |= {} if tile is None else {"tile": tile}
        differing = tell_variant(found, options)
        described |= {"variant": translate(differing, language)} if differing else {}
        if kind is GameSheet:
            names, chosen = name_options(found, language), write_options(found, options)
            described |= {"rules": text.rules, "options": _make_schema(found), "chosen": chosen, "names": names}
            described |= {"wins": find_wins(found, text, names, chosen), "differing": [*list_differing(found, options)]}
            described |= {"by_side": sorted(found.by_side), "by_player": sorted(found.by_player)}
            if filled := find_hands(found, options):
                described |= {"hands": {"options": found.hands, "filled": {f"{n}": each for n, each in filled.items()}}}
        return msgspec.convert(msgspec.to_builtins(described), kind)
    raise AssertionError("what goes wrong above is raised as RulesFailed")


def _describe_routine(guard: Guard, routine: Routine, kind: type[T], language: str) -> T:
    """Returns what a routine says of itself: its exercises, and how many can play all of them. Raises RulesFailed."""
    games = [game(exercise.game) for exercise in routine.exercises]
    titles = []
    for exercise, found in zip(routine.exercises, games, strict=True):
        preset = PRESETS.get(exercise.game)
        with guard.call(found, is_vital=False, may_refuse=False):
            titles.append(found.title(read_options(found, {**(preset.options if preset else {}), **exercise.options})))
    described: dict[str, Any] = {  # Any: JSON
        "name": routine.name,
        "game": routine.name,
        "title": routine.title,
        "line": ", ".join(titles),
        "language": "en",
        "sides": (max(each.sides[0] for each in games), min(each.sides[-1] for each in games)),
        "team_size": (max(each.team_size[0] for each in games), min(each.team_size[-1] for each in games)),
        "is_routine": True,
    }
    if kind is GameSheet:
        rules = [describe_game(guard, {}, exercise.game, language) for exercise in routine.exercises]
        described |= {
            "rules": "\n\n".join(
                f"{n}. {title}: {sheet.line}" for n, (title, sheet) in enumerate(zip(titles, rules, strict=True), 1)
            )
        }
        described |= {"language": rules[0].language, "options": {"type": "object", "properties": {}}, "chosen": {}}
        described |= {"names": {}, "wins": [], "differing": [], "by_side": [], "by_player": []}
    return msgspec.convert(described, kind)


def _make_schema(found: AnyGame) -> dict[str, Any]:  # Any: JSON Schema
    further: dict[str, Any] = make_schema(found.options_type)["$defs"]
    own = further.pop(found.options_type.__name__)
    return {**own, "$defs": further} if further else own


def _read_language(request: HttpRequest) -> str:
    """Returns the language that was asked for; English where it is none of ours."""
    wanted = request.query.get("lang", "")
    return wanted if wanted in LANGUAGES else "en"


class Catalogue:
    """The routes for these tables, whose players know these routines."""

    def __init__(self, tables: Mapping[str, Table], guard: Guard, routines: Routines) -> None:
        self._tables = tables
        self._guard = guard
        self._routines = routines
        self._by_layout: dict[tuple[str, str], list[GameSummary]] = {}
        """What list_games yields: a Raspberry Pi takes its time to ask a hundred games."""
        self._packed: dict[tuple[str, str, int], PackedJson] = {}
        """The same, by how many are not withdrawn."""
        self._describe_game = lru_cache(_SHEETS)(partial(describe_game, guard, routines))
        self.routes = [
            HttpRoute("GET", "/api/table/{table}/games", self._answer_games),
            HttpRoute("GET", "/api/games/{name}", self._show_sheet),
            HttpRoute("GET", "/api/table/{table}/rules", self._show_rules),
        ]

    def _find_table(self, request: HttpRequest) -> Table:
        table = self._tables.get(request.params["table"])
        if table is None:
            raise answer_text(404, f"there is no table {request.params['table']!r}")
        return table

    async def _answer_games(self, request: HttpRequest) -> HttpResponse:
        key = self._find_table(request).codebook.layout.name, _read_language(request)
        if key not in self._by_layout:
            self._by_layout[key] = list(list_games(self._guard, self._routines, *key))
        games = [
            summary
            for summary in self._by_layout[key]
            if summary.is_routine or not self._guard.find_withdrawal_reason(game(summary.game))
        ]
        if (*key, len(games)) not in self._packed:
            self._packed[*key, len(games)] = await pack_json(games)
        return self._packed[*key, len(games)].respond(request)

    async def _show_sheet(self, request: HttpRequest) -> HttpResponse:
        return self._describe(request, request.params["name"])

    async def _show_rules(self, request: HttpRequest) -> HttpResponse:
        return self._describe(request, None, self._find_table(request).match)

    def _describe(self, request: HttpRequest, name: str | None, match: Match | None = None) -> HttpResponse:
        """Answers with the sheet of this game, or that of a match, by the options of which it says what it says."""
        language = _read_language(request)
        try:
            sheet = self._describe_match(match, language) if match else self._describe_game(name, language)
            return respond_json(sheet, accepted=request.header("accept-encoding"))
        except RulesFailed as error:
            return respond_error(503, "unavailable", str(error))
        except ValueError as error:
            raise answer_text(404, str(error)) from None

    def _describe_match(self, match: Match, language: str) -> GameSheet:
        """The sheet of the game or preset with the title of this match, with the options of the match."""
        found = match.game
        chosen = write_options(found, match.options)
        with self._guard.call(found, is_vital=False, may_refuse=False):
            name, _ = find_usual(found, match.options, match.seating)
            preset = find_preset(found, match.options, match.seating)
            differing = [*list_differing(found, match.options, match.seating)]
            said = tell_variant(found, match.options, match.seating)
        sheet: GameSheet = self._describe_game(name or found.id, language)
        text = tell_game(found, preset, language) if preset else GameText(sheet.language, sheet.line, sheet.rules)
        return replace(
            sheet,
            line=text.line,
            variant=translate(said, language) if said else UNSET,
            chosen=chosen,
            wins=find_wins(found, text, sheet.names, chosen),
            differing=differing,
        )
