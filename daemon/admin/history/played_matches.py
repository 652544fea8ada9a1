"""What a match came to: replayed, and what each player made of it.

A match counts when it is over. The match at the oche does not, so nothing can be learned here that its players may not
know. A match that was stopped counts for the darts of its players, but not for legs and wins. One that was stopped
because it went on at another table counts for nothing: its darts are in the match that continues it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from daemon.journal.lines import Result, StoredMatch
from daemon.plugins.rule_guard import call_rules
from daemon.rules import RulesFailed
from daemon.table.match_result import is_same, read_result
from engine.games import GAMES, PRESETS, game
from engine.match import Match
from engine.played import PlayerPart
from engine.tally import Figure
from protocol.commands import IllegalInput, decode_line
from protocol.match_spec import Unreadable, read_header
from protocol.player_names import find_twice
from protocol.segment import Layout

log = logging.getLogger("oche.history")
ScoreOf = Literal["sets", "legs", "score"]
_TALLY_VERSION = 9
"""Increase it when the same match comes to another `PlayedMatch` than before, though its rules are the same."""
_LIMIT_S = 30.0
"""Processor time for one match; one that takes longer is taken for endless."""


def replay_match(stored: StoredMatch, layout: Layout | None, kept: Result | None = None) -> Match:
    """Replays a match, on this layout if the game has it. Raises ValueError with the reason when that is impossible.

    It is, too, where the match does not come to the result that was `kept`.
    """
    *_, match = _follow_match(stored, layout)
    if kept is not None and not (match.position.over and is_same(kept, read_result(match))):
        raise IllegalInput("the rules of its game have changed since, and would give another result")
    return match


def _follow_match(stored: StoredMatch, layout: Layout | None) -> Iterator[Match]:
    """Yields the match as it begins, and again after each of its lines. Raises as `replay_match` does."""
    header = read_header(stored.header)
    chosen = game(header.game)
    layout = layout if layout and layout.name in chosen.layouts else None
    match = Match(header, chosen, header.seed or "", layout=layout)
    yield match
    for line in stored.lines:
        outcome = match.apply(line.number, decode_line(line.input))
        if not outcome.accepted:
            raise IllegalInput(f"line {line.number} is refused: {outcome.reason}")
        yield match


class Standing(Struct, frozen=True, array_like=True):
    """How a side stood when its match was over: its seats, its sets, legs or score, and its place, counted from 1.

    Sides that are level share a place, and so do all of whom the game does not tell who was ahead.
    """

    seats: tuple[int, ...]
    score: int
    won: bool
    place: int


class PlayedMatch(Struct, frozen=True):
    """A match of a journal, with all who are in its header: `bots` has the level of each of them who is a bot.

    `parts` are of those whose figures count; a match without them counts for nobody. `problem` is why it cannot be
    replayed.
    """

    id: str
    table: str
    at: str
    """When it began (ISO 8601, UTC)."""
    game: str = ""
    variant: str = ""
    """The id of the variant of the game (engine.games.variant); figures are pooled by it."""
    title: str = ""
    layout: str = field(default="", name="face")
    """The layout it was played on, by name."""
    players: tuple[str, ...] = ()
    bots: tuple[int | None, ...] | None = None
    is_over: bool = False
    was_stopped: bool = False
    darts: int = 0
    parts: tuple[PlayerPart, ...] = ()
    figure: Figure = "average"
    """What players of this game compare themselves by."""
    standings: tuple[Standing, ...] = ()
    """How the sides stood, in their order; empty where the match is not over, or its rules have changed since."""
    score_of: ScoreOf = "score"
    """What the standings count."""
    problem: str | None = None
    went_on: bool = False
    """Whether it was stopped, and a match of another table goes on with its darts; never cached."""

    @property
    def has_player_twice(self) -> bool:
        """Whether one person plays twice: what that one wins is lost too, and the match counts for nobody."""
        bots = self.bots or (None,) * len(self.players)
        return find_twice(self.players, tuple(bot is not None for bot in bots)) is not None

    @property
    def label(self) -> str:
        """The title, and the variant where the title does not say it: 501, 501 · soft_501."""
        is_said = self.variant in (self.game, self.title.casefold().replace(" ", "_"))
        return self.title if is_said else f"{self.title} · {self.variant}"


def count_match(stored: StoredMatch, table: str, layout: Layout | None, kept: Result | None = None) -> PlayedMatch:
    """What the match came to; by the rules of its day, if that was `kept` and is not the same today."""
    played = _name_people(PlayedMatch(stored.id, table, stored.at), stored.header)

    def count() -> PlayedMatch:
        match = replay_match(stored, layout, kept)
        if not match.position.over:
            return _describe_open(played, match)
        return _describe_standings(_fill(played, read_result(match, with_points=True), stored), match)

    try:
        return call_rules(count, _LIMIT_S)
    except RulesFailed as error:
        log.info("%s: the match %s cannot be replayed", table, stored.id, exc_info=True)
        problem = f"the match {stored.id} of the table {table} does not count: {error}"
        return replace(played, problem=problem) if kept is None else _fill(played, kept, stored)


def find_ends(stored: StoredMatch, layout: Layout | None) -> list[int]:
    """Returns after how many of its lines the match was over; [] if it cannot be replayed."""

    def find() -> list[int]:
        return [count for count, match in enumerate(_follow_match(stored, layout)) if match.position.over]

    try:
        return call_rules(find, _LIMIT_S)
    except RulesFailed:
        return []


def list_uncounted() -> frozenset[str]:
    """The games whose matches count in no figures."""
    return frozenset(name for name, game in GAMES.items() if not game.is_counted)


def stamp_program(version: str, game: str) -> str:
    """What figures depend on beside the record: the program of this version, and the rules of this game."""
    preset = PRESETS.get(game)
    known = GAMES.get(preset.game if preset else game)
    return f"{version} {_TALLY_VERSION} {known and known.rules}"


def _name_people(played: PlayedMatch, header: dict[str, Any]) -> PlayedMatch:  # Any: JSON
    """The match with its game and its players, as far as its header can be read."""
    try:
        read = read_header(header)
    except Unreadable:
        game, players = header.get("game"), header.get("players")
        names = tuple(map(str, players)) if isinstance(players, list) else ()
        return replace(played, game=str(game or ""), players=names)
    return replace(played, game=read.game, players=read.players, bots=read.bots)


def _describe_open(played: PlayedMatch, match: Match) -> PlayedMatch:
    """The match, which is not over, with what it is and how many darts are thrown."""
    title, darts = match.game.title(match.options), sum(tally.darts for tally in match.position.tallies)
    return replace(played, game=match.game.id, title=title, darts=darts)


def _describe_standings(played: PlayedMatch, match: Match) -> PlayedMatch:
    """The match, which is over, with how its sides stood: in sets or legs where more than one was there to win."""
    position, sides, length = match.position, match.seating.sides, match.header.format
    score_of: ScoreOf = "sets" if length.sets > 1 else "legs" if length.legs > 1 else "score"
    scores: Sequence[int] = [match.score(side) for side in range(len(sides))]
    if score_of != "score":
        scores = position.sets if score_of == "sets" else position.legs
    elif len(played.parts) == len(sides) and all(part.result is not None for part in played.parts):
        scores = [part.result or 0 for part in played.parts]  # what is compared over time, which may be no score
    places = _find_places(match, None if score_of == "score" else scores)
    standings = (
        Standing(tuple(side.seats), scores[index], index in position.winners, places[index])
        for index, side in enumerate(sides)
    )
    return replace(played, score_of=score_of, standings=tuple(standings))


def _find_places(match: Match, won: Sequence[int] | None) -> dict[int, int]:
    """The place of each side of a match that is over: the winners, the others, and last those who left.

    `won` is how many sets or legs each has; None: there was one leg.
    """
    position = match.position
    left = [side for side in range(len(position.legs)) if side not in {*position.winners, *position.retired}]
    groups: list[Sequence[int]] = [position.winners]
    if won is not None:
        counts = sorted({won[side] for side in left}, reverse=True)
        groups += [[side for side in left if won[side] == count] for count in counts]
    else:
        for side in match.ranks or ():  # they were played on for
            if side in left:
                groups.append([side])
                left.remove(side)
        while left:
            leading = match.game.leading(position.state, tuple(left))
            ahead = [side for side in left if side in leading] or left
            groups.append(ahead)
            left = [side for side in left if side not in ahead]
    groups.append([side for side in sorted(position.retired) if side not in position.winners])
    places: dict[int, int] = {}
    for group in groups:
        places |= dict.fromkeys(group, len(places) + 1)
    return places


def _fill(played: PlayedMatch, result: Result, stored: StoredMatch) -> PlayedMatch:
    """The match with its result, and with the names in its header."""
    names = stored.header["players"]
    return replace(
        played,
        game=result.game,
        variant=result.variant,
        title=result.title,
        layout=result.layout,
        is_over=True,
        was_stopped=result.was_stopped,
        darts=sum(part.tally.darts for part in result.parts.values()),
        figure=result.figure,
        parts=tuple(replace(part, player=names[seat]) for seat, part in sorted(result.parts.items())),
    )
