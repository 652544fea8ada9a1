"""How a match begins: from a header, from the disk after a restart, or as the same again."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import msgspec

from daemon import rules
from daemon.config import first_header
from daemon.sections import TableConfig
from daemon.store import StoredMatch
from engine.game import Game
from engine.games import GAMES, game, is_shipped, spelled_out
from engine.match import Match
from engine.options import read_options
from engine.record import Header, Refused, Unreadable, clean_name, read_header, read_input
from protocol.messages import Plan
from protocol.segment import Layout

Favourites = Mapping[str, Sequence[int]]
"""Favourite doubles by the names of players."""
NOBODY: Favourites = {}


class Unplayable(Exception):
    """The rules do not know this match any more; nothing is wrong with the journal. The text is a sentence."""


class Opened(NamedTuple):
    """A match and what it is called. `timer_lines` are the lines that the timer wrote, `doubles` the host's list.

    A `remark` says why it is another match than it should be.
    """

    id: str
    match: Match
    timer_lines: set[int]
    doubles: Favourites = NOBODY
    remark: str | None = None


def begin(header: Header, face: Layout, doubles: Favourites = NOBODY) -> Opened:
    """A new match of this header on this board face, with every option, the rules and the seed written out.

    `doubles` are the favourites of whoever may be among the players. Raises Unreadable. No failure of the rules is held
    against the game here, unless they do not come to an end.
    """
    header = spelled_out(_with_clean_names(header))
    chosen = game(header.game)
    header = _with_doubles(header, chosen, doubles)
    seed = header.seed if header.seed is not None else secrets.token_hex(16)
    draft = _match(header, chosen, seed, face)
    with rules.asking(chosen, is_vital=False):
        options: dict[str, Any] = msgspec.to_builtins(draft.options)  # Any: JSON
    whole = msgspec.structs.replace(header, options=options, seed=seed, rules=chosen.rules)
    match = _match(whole, chosen, seed, face)
    rules.see(match, is_vital=False)
    return Opened(secrets.token_hex(6), match, set(), doubles)


def first(config: TableConfig, face: Layout) -> Opened:
    """The match a table opens with when its journal has none: one of another game where the rules fail.

    Raises Unreadable.
    """
    try:
        return begin(first_header(config), face, config.doubles)
    except rules.RulesFailed as error:
        for name, found in GAMES.items():
            if is_shipped(name) and face.name in found.layouts:
                other = msgspec.structs.replace(config, game=name, options={})
                with suppress(Unreadable):
                    opened = begin(first_header(other), face, config.doubles)
                    return opened._replace(remark=f"the table begins with {name}: {error}")
        raise


def same_again(old: Header) -> Header:
    """The same people once more, with another seed."""
    return msgspec.structs.replace(old, seed=None, rules=None)


def planned(plan: Header, wanted: dict[str, Any]) -> Header:  # Any: JSON
    """The next match with what is wanted of it; another game brings its own options. Raises Unreadable.

    What is wanted must make sense by itself; whether so many can play it is looked at when it begins.
    """
    kept: dict[str, Any] = {"game": plan.game, "format": msgspec.to_builtins(plan.format)}
    if "players" not in wanted:
        kept |= {"players": plan.players, "bots": plan.bots}
        if "teams" not in wanted:
            kept |= {"teams": plan.teams, "team_names": plan.team_names}
    header = _with_clean_names(read_header({"oche": 1, **kept, **wanted}))
    if header.game == plan.game:
        same = {name: value for name, value in plan.options.items() if name != "doubles" or "players" not in wanted}
        header = msgspec.structs.replace(header, options={**same, **header.options})
    spelled = spelled_out(header)
    chosen = game(spelled.game)
    with rules.asking(chosen, is_vital=False, even_withdrawn=True):
        read_options(chosen, spelled.options)
    return header


def plan_of(header: Header, face: Layout, doubles: Favourites) -> Plan:
    """The next match as it is shown."""
    spelled, problem = spelled_out(header), None
    chosen = game(spelled.game)
    options = read_options(chosen, spelled.options)
    title = chosen.id
    try:
        with rules.asking(chosen, is_vital=False):
            title = chosen.title(options)
        begin(header, face, doubles)
    except Unreadable as error:
        problem = str(error)
    return Plan(
        game=header.game,
        title=title,
        players=tuple(f"bot:{header.bot(n)}" if header.bot(n) else name for n, name in enumerate(header.players)),
        teams=tuple(map(tuple, header.teams)) if header.teams is not None else None,
        team_names=tuple(header.team_names) if header.team_names is not None else None,
        options=msgspec.to_builtins(options),
        format=msgspec.to_builtins(header.format),
        problem=problem,
    )


def resume(stored: StoredMatch, face: Layout, doubles: Favourites = NOBODY) -> Opened:
    """The match on disk, played again line by line, be its game withdrawn. Raises Unplayable when it cannot be."""
    try:
        header = read_header(stored.header)
        match = _match(header, game(header.game), header.seed or "", face, even_withdrawn=True)
        for line in stored.lines:
            with rules.asking(match.game, rules.limit_s(match), is_vital=False, even_withdrawn=True):
                outcome = match.apply(line.number, read_input(line.input))
            if not outcome.accepted:
                raise Refused(f"line {line.number} is refused: {outcome.reason}")
        rules.see(match, is_vital=False, even_withdrawn=True)
    except ValueError as error:  # Unreadable, Refused, and a game that is gone
        raise Unplayable(f"the match {stored.id} cannot be played on ({error})") from error
    timer_lines = {line.number for line in stored.lines if line.source == "timer" and "throw" not in line.input}
    return Opened(stored.id, match, timer_lines, doubles)


def older_rules(match: Match) -> str | None:
    """What to tell of a match that was begun under an older version of its rules and is not over; None: nothing."""
    begun, now = match.header.rules, match.game.rules
    if begun is None or begun >= now or match.position.over:
        return None
    return f"the match was begun with rules {begun} of {match.game.id} and goes on with rules {now}: check the score"


def _with_clean_names(header: Header) -> Header:
    """With its names as they are shown. Raises Unreadable."""
    players = [clean_name(name, f"player {n}") for n, name in enumerate(header.players, 1)]
    names = header.team_names and [clean_name(name, "team") if name else "" for name in header.team_names]
    return msgspec.structs.replace(header, players=players, team_names=names)


def _with_doubles(header: Header, chosen: Game[Any, Any], doubles: Favourites) -> Header:  # Any: as in _match
    """With the players' favourite doubles, where the game has an option for them and the header says nothing of it."""
    has_option = any(field.encode_name == "doubles" for field in msgspec.structs.fields(chosen.options_type))
    players = header.seating.players
    if not has_option or header.options.get("doubles") or not any(name in doubles for name in players):
        return header
    options = {**header.options, "doubles": [list(doubles.get(name, ())) for name in players]}
    return msgspec.structs.replace(header, options=options)


def _match(
    header: Header,
    chosen: Game[Any, Any],  # Any: each has its own options
    seed: str,
    face: Layout,
    *,
    even_withdrawn: bool = False,
) -> Match:
    if face.name not in chosen.layouts:
        wanted = " or ".join(chosen.layouts)
        raise Unreadable(f"{chosen.id} is played on the {wanted} face, and this board has the {face.name} face")
    with rules.asking(chosen, is_vital=False, even_withdrawn=even_withdrawn):
        return Match(header, chosen, seed, face=face)
