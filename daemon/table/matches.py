"""How a match begins: from a header, from the disk after a restart, as the same again, or in an order played for.

A match that decides in which order the sides of another one throw keeps that one in its own options. So a restart
between the two forgets nothing: what comes next is always worked out from the current match.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec import UNSET, Struct
from msgspec.structs import replace

from daemon.config.sections import TableConfig
from daemon.journal.lines import Line, StoredMatch
from daemon.rules import Guard, RulesFailed
from daemon.snapshot import make_states
from engine.bots import with_models, without_models
from engine.game import Game
from engine.games import GAMES, ROUTINES, Routines, expand_preset, game, is_shipped
from engine.match import Match
from engine.options import leave_out_filled, list_fillable, read_options, with_doubles, with_scatters, without_scatters
from engine.order import begin_with_next, put_in_order
from engine.routines import list_results
from protocol.commands import IllegalInput, decode_line
from protocol.match_spec import (
    MatchSpec,
    PlannedSpec,
    Unreadable,
    Wanted,
    check_players,
    read_for_people_of,
    read_header,
)
from protocol.messages import Plan
from protocol.player_names import NO_ALIASES, Aliases, find_twice, name_key, player_key, shorten_name
from protocol.routine import Routine
from protocol.segment import Layout
from protocol.sentence import get_reason

if TYPE_CHECKING:
    from daemon.table.known_darts import KnownDarts
    from daemon.table.places import Places

Draw = Callable[[int], str]
"""Draws so many bytes, as hex: the daemon's is `secrets.token_hex`."""
Favourites = Mapping[str, Sequence[int]]
"""Favourite doubles by the names of players."""
NO_DOUBLES: Favourites = {}


class Unplayable(Exception):
    """Today's rules cannot play this stored match; the journal is not damaged. The text is the reason, a sentence."""


class OpenMatch(NamedTuple):
    """A match and its id. `timer_lines` are the lines that the timer wrote, `doubles` the favourites of known players.

    `aliases` are the names that players have had, `routines` those that can be started by name. A `remark` says why it
    is another match than it should be.
    """

    id: str
    match: Match
    timer_lines: set[int]
    doubles: Favourites = NO_DOUBLES
    remark: str | None = None
    aliases: Aliases = NO_ALIASES
    routines: Routines = ROUTINES
    places: Places | None = None
    """Where its sides throw; None: at this table."""
    known_darts: KnownDarts | None = None
    """The darts in its lines that a board has named; None: there are none, or it was begun here."""


def begin(
    header: MatchSpec,
    layout: Layout,
    draw: Draw,
    guard: Guard,
    doubles: Favourites = NO_DOUBLES,
    aliases: Aliases = NO_ALIASES,
    routines: Routines = ROUTINES,
) -> OpenMatch:
    """A new match of this header on this layout, with every option, the rules and the seed written out.

    In a new match undo takes back every input, also where the header has no `undo_all`, and it is played by the newest
    rules, also where the header names older ones. Its dartboard is that of the layout, whatever the header says.

    `doubles` are the favourites of all known players, and may know how their darts scatter (with_scatters), `aliases`
    the names that they have had, `routines` those that the header may name. Raises Unreadable, also where one person
    plays twice, and where a bot is to throw like a player of whom too little is known. No failure of the rules is held
    against the game here, unless they do not come to an end.
    """
    check_game(header.game, routines)
    check_players(header, aliases)
    _check_ghosts(header, layout)
    header = replace(expand_preset(header.with_clean_names(), routines), dartboard=layout.dartboard)
    header = _name_exercises(_clean_titles(header), layout, guard)
    chosen = game(header.game)
    if header.rules is not None and header.rules < chosen.rules:
        header = replace(header, rules=None)
    header = with_models(with_scatters(with_doubles(header, chosen, doubles), chosen, doubles), doubles, aliases)
    seed = header.seed if header.seed is not None else draw(16)
    draft = _match(header, chosen, seed, layout, guard)
    with guard.call(chosen, is_vital=False):
        options: dict[str, Any] = msgspec.to_builtins(draft.options)  # Any: JSON
        if header.places is not None:
            from daemon.table.places import check_places  # noqa: PLC0415  only a match in two places needs it

            header = check_places(header, has_secrets=chosen.has_secrets(draft.options))
    complete = replace(
        header, options=options, seed=seed, seed_given=header.seed is not None, rules=chosen.rules, undo_all=True
    )
    match = _match(complete, chosen, seed, layout, guard)
    with guard.call(chosen, is_vital=False, may_refuse=False):
        make_states(match)
    return OpenMatch(
        draw(6), match, set(), doubles, aliases=aliases, routines=routines, places=_resume_places(header, ())
    )


def _resume_places(header: MatchSpec, lines: Sequence[Line]) -> Places | None:
    """Where the sides of a match throw, with what these lines of it say."""
    if header.places is None:
        return None
    from daemon.table.places import resume_places  # noqa: PLC0415  only a match in two places needs it

    return resume_places(header, lines)


def check_game(name: object, routines: Routines) -> None:
    """Raises Unreadable where there is no game of this name, before anything else is found wrong with a match of it."""
    if isinstance(name, str):
        try:
            game(name, routines)
        except ValueError as error:
            raise Unreadable(get_reason(error)) from None


def _check_ghosts(header: MatchSpec, layout: Layout) -> None:
    """Raises Unreadable for a ghost whose darts this board does not have: its bot would throw none of them."""
    for ghost in filter(None, header.ghosts or ()):
        for segment_id in (each for darts in ghost.visits for each in darts if each not in layout):
            raise Unreadable(f"ghosts: the {layout.name} layout of this board has no {segment_id!r}")


def _clean_titles(header: MatchSpec) -> MatchSpec:
    """The header with the titles of its routine as names are: bounded, and without control characters."""
    routine = header.routine
    if routine is None:
        return header
    exercises = tuple(replace(each, title=shorten_name(each.title)) for each in routine.exercises)
    title = shorten_name(routine.title) or shorten_name(routine.name) or "routine"
    return replace(header, routine=replace(routine, title=title, exercises=exercises))


def _name_exercises(header: MatchSpec, layout: Layout, guard: Guard) -> MatchSpec:
    """The header with what each exercise of its routine is called, so that no display has to ask a game for it.

    Raises Unreadable for a routine with an exercise that cannot be played here.
    """
    routine = header.routine
    if routine is None or all(exercise.title for exercise in routine.exercises):
        return header
    named = []
    for exercise in routine.exercises:
        match = _match(
            spelled := expand_preset(replace(header, game=exercise.game, options=exercise.options, routine=None)),
            chosen := game(spelled.game),
            "",
            layout,
            guard,
        )
        with guard.call(chosen, is_vital=False):
            named.append(replace(exercise, title=shorten_name(chosen.title(match.options))))
    return replace(header, routine=replace(routine, exercises=tuple(named)))


def find_merged(config: TableConfig, aliases: Aliases) -> tuple[str, str] | None:
    """The first two players configured for a table who were merged since, the name to be split off last; else None.

    Raises Unreadable.
    """
    spec = config.first_header()
    if (twice := find_twice(spec.players, spec.is_bot, aliases)) is None:
        return None
    one, other = (spec.players[seat] for seat in twice)
    return (one, other) if player_key(other, aliases) != name_key(other) else (other, one)


def begin_first(
    config: TableConfig,
    layout: Layout,
    draw: Draw,
    guard: Guard,
    aliases: Aliases = NO_ALIASES,
    routines: Routines = ROUTINES,
) -> OpenMatch:
    """The match a table opens with when its journal has none: one of another game where the rules fail.

    It is one of other players where `find_merged` finds two of the configured ones, and where a bot is to throw like
    somebody of whom too little is known; a start must not fail for that.
    Raises Unreadable.
    """
    others = replace(config, players=TableConfig().players, teams=None, options={})
    if find_merged(config, aliases) is not None:
        return begin_first(others, layout, draw, guard, routines=routines)._replace(aliases=aliases)
    try:
        with_models(config.first_header(), config.doubles, aliases)
    except Unreadable as error:
        opened = begin_first(others, layout, draw, guard, aliases, routines)
        return opened._replace(remark=f"the table begins with {' and '.join(others.players)}: {error}")
    try:
        return begin(config.first_header(), layout, draw, guard, config.doubles, aliases, routines)
    except RulesFailed as error:
        for name, found in GAMES.items():
            if is_shipped(name) and layout.name in found.layouts:
                other = replace(config, game=name, options={})
                with suppress(Unreadable):
                    opened = begin(other.first_header(), layout, draw, guard, config.doubles, aliases, routines)
                    return opened._replace(remark=f"the table begins with {name}: {error}")
        raise


def change_plan(
    plan: MatchSpec, wanted: Struct, guard: Guard, aliases: Aliases = NO_ALIASES, routines: Routines = ROUTINES
) -> MatchSpec:
    """The next match with what is `wanted` (a protocol.match_spec.Wanted) of it. Raises Unreadable.

    What is wanted must make sense by itself; whether so many can play it is looked at when it begins. The `aliases` and
    the `routines` are as in `begin`.
    """
    header = plan.changed(wanted)
    if (players := getattr(wanted, "players", UNSET)) is not UNSET:
        check_players(replace(header, players=players), aliases)
    spelled = expand_preset(header, routines)
    chosen = game(spelled.game)
    with guard.call(chosen, is_vital=False, even_withdrawn=True):
        read_options(chosen, spelled.options)
    return header


def load_plan(kept: dict[str, Any], guard: Guard, routines: Routines) -> MatchSpec:  # Any: JSON
    """The plan on disk, also of a withdrawn game. Raises Unplayable for one of which no match can be made any more."""
    try:
        return change_plan(read_header(kept), Wanted(), guard, routines=routines)
    except ValueError as error:  # Unreadable, and a game that is gone
        raise Unplayable(f"the plan of the next match cannot be saved ({error})") from error


def describe_plan(
    header: MatchSpec,
    layout: Layout,
    guard: Guard,
    doubles: Favourites = NO_DOUBLES,
    aliases: Aliases = NO_ALIASES,
    routines: Routines = ROUTINES,
) -> Plan:
    """The next match as it is shown."""
    spelled, problem = expand_preset(header, routines), None
    chosen = game(spelled.game)
    options = read_options(chosen, spelled.options)
    title = chosen.id
    try:
        with guard.call(chosen, is_vital=False):
            title = chosen.title(options)
        begin(header, layout, _draw_nothing, guard, doubles, aliases, routines)
    except Unreadable as error:
        problem = str(error)
    players = map(header.short_name, range(len(header.players)))
    if header.routine is None and spelled.routine is not None:
        title, options = spelled.routine.title, {}
    shown = replace(header, players=tuple(players), options=msgspec.to_builtins(options))
    found = {name: getattr(shown, name) for name in PlannedSpec.__struct_fields__}
    given = {name: value for name, value in found.items() if value is not None or name not in ("ref", "places")}
    return Plan(**given, title=title, problem=problem)


def _draw_nothing(count: int) -> str:
    """For a match that is begun only to see whether it can be."""
    return "00" * count


def resume(
    stored: StoredMatch,
    layout: Layout,
    guard: Guard,
    doubles: Favourites = NO_DOUBLES,
    aliases: Aliases = NO_ALIASES,
    routines: Routines = ROUTINES,
    *,
    sees_darts: bool = False,
) -> OpenMatch:
    """The match on disk, played again line by line, also of a withdrawn game. Raises Unplayable when it cannot be.

    `sees_darts`: the board of the table names its darts, so it is to be known which of them are entered, and which
    visits a player has changed.
    """
    try:
        header = read_header(stored.header)
        match = _match(header, game(header.game), header.seed or "", layout, guard, even_withdrawn=True)
        known_darts = _begin_recall() if sees_darts else None
        for line in stored.lines:
            before, given = match.position, decode_line(line.input)
            with guard.call(match.game, lines=match.line, is_vital=False, even_withdrawn=True):
                outcome = match.apply(line.number, given)
            if not outcome.accepted:
                raise IllegalInput(f"line {line.number} is refused: {outcome.reason}")
            if known_darts is not None:
                known_darts = known_darts.recall(line, given, before, match.position)
        with guard.call(match.game, is_vital=False, may_refuse=False, even_withdrawn=True):
            make_states(match)
    except ValueError as error:  # Unreadable, IllegalInput, and a game that is gone
        raise Unplayable(f"the match {stored.id} cannot be continued ({error})") from error
    places = _resume_places(header, stored.lines)
    timer_lines = {
        line.number
        for line in stored.lines
        if (line.source in ("timer", "sensor") or line.source.endswith(" timer")) and "throw" not in line.input
    }
    about = doubles, None, aliases, routines, places, known_darts
    return OpenMatch(stored.id, match, timer_lines, *about)


def _begin_recall() -> KnownDarts:
    """What is known before the first line of a match."""
    from daemon.table.known_darts import KnownDarts  # noqa: PLC0415  only a board that names its darts needs it

    return KnownDarts()


def _match(
    header: MatchSpec,
    chosen: Game[Any, Any],  # Any: each has its own options
    seed: str,
    layout: Layout,
    guard: Guard,
    *,
    even_withdrawn: bool = False,
) -> Match:
    if layout.name not in chosen.layouts:
        wanted = " or ".join(chosen.layouts)
        raise Unreadable(f"{chosen.id} is played on the {wanted} layout, and this board has the {layout.name} layout")
    with guard.call(chosen, is_vital=False, even_withdrawn=even_withdrawn):
        return Match(header, chosen, seed, layout=layout)


def find_following(opened: OpenMatch, guard: Guard) -> MatchSpec:
    """The match that a start begins where nothing else is planned: what this one is played for, else the same again.

    Once a match is over, and was not stopped, the next side in its order begins the following one.
    """
    match, routines = opened.match, opened.routines
    sequel, again = find_sequel(match, guard, routines), _find_again(match, guard)
    again = without_models(without_scatters(again, opened.doubles), opened.doubles, opened.aliases)
    if match.position.over and again.routine is not None:
        return find_exercise(match) or _play_again(again, again.routine, routines)
    if sequel is not None or match.position.stopped or not match.position.over:
        return sequel or again
    try:
        with guard.call(match.game, is_vital=False, even_withdrawn=True):
            return begin_with_next(again)
    except Unreadable:  # as in find_sequel
        return again


def _find_again(match: Match, guard: Guard) -> MatchSpec:
    """The same again, without the options that its game has filled in for its players: with others it fills in anew."""
    again = match.header.same_again
    if not list_fillable(match.game, again.options):
        return again
    try:
        with guard.call(match.game, is_vital=False, even_withdrawn=True):
            return replace(again, options=leave_out_filled(match.game, again.options, match.header.seating))
    except Unreadable:  # as in find_sequel
        return again


def find_exercise(match: Match) -> MatchSpec | None:
    """The next exercise of the routine that this match is of, when it is over; None after the last one."""
    routine = match.header.routine
    if routine is None or (following := routine.following) is None:
        return None
    results = (*routine.results, list_results(match))
    return replace(
        match.header.same_again,
        game=following.game,
        options=following.options,
        routine=replace(routine, at=routine.at + 1, results=results),
    )


def _play_again(again: MatchSpec, routine: Routine, routines: Routines) -> MatchSpec:
    """The whole routine once more, as it is now where it is still known."""
    if routine.name in routines:
        return replace(again, game=routine.name, options={}, routine=None)
    first = routine.exercises[0]
    return replace(again, game=first.game, options=first.options, routine=replace(routine, at=0, results=()))


def find_sequel(match: Match, guard: Guard, routines: Routines = ROUTINES) -> MatchSpec | None:
    """What this match is played for, with the sides in the order known so far; None: it is played for itself."""
    if type(match.game).sequel is Game.sequel:  # most are: not even the clock is set for them
        return None
    try:
        with guard.call(match.game, is_vital=False, even_withdrawn=True):
            found = match.game.sequel(match.options, match.position.state)
            return found and put_in_order(read_for_people_of(match.header, dict(found.header)), found.order, routines)
    except Unreadable:  # no such game any more, or not with these options, or the rules fail: the same can be had again
        return None
