"""Whether what a tournament is made of can be played: each of its games is begun once, as a table would begin it."""

from __future__ import annotations

from collections.abc import Iterator

from daemon.rules import Guard
from daemon.table import matches
from engine.games import expand_preset, find_layouts, game
from protocol.commands import CommandError
from protocol.layouts import find_layout
from protocol.match_spec import Format, MatchSpec, Unreadable
from protocol.sentence import Refusal, say
from protocol.tournament import TournamentSpec


def check_spec(spec: TournamentSpec, guard: Guard) -> None:
    """Raises CommandError where a match of this tournament could not begin, or would never name a winner."""
    for wanted in _list_matches(spec):
        try:
            _check_match(wanted, guard)
        except Refusal as error:
            raise CommandError(error.said, "invalid") from None


def _check_match(wanted: MatchSpec, guard: Guard) -> None:
    """Raises Refusal."""
    spelled = expand_preset(wanted)
    chosen = game(spelled.game)
    if spelled.routine is not None or not chosen.is_counted:
        raise Unreadable(
            say("tournament.no_winner", "{game} names no winner: choose a game that does", game=wanted.game)
        )
    layout = find_layout(find_layouts(spelled.game)[0])
    matches.begin(spelled, layout, lambda count: "00" * count, guard)


def _list_matches(spec: TournamentSpec) -> Iterator[MatchSpec]:
    """Yields a match of each kind that the tournament has, of sides that no person is in."""
    for slot in spec.slots:
        options = {**spec.options, **slot.options} if slot.game in (None, spec.game) else dict(slot.options)
        yield _make_match(slot.game or spec.game, options, spec.format, len(slot.home), len(slot.away))
    if not spec.slots:
        for played in {spec.format, *spec.formats.values()}:
            yield _make_match(spec.game, dict(spec.options), played, spec.side, spec.side)


def _make_match(game_id: str, options: dict[str, object], played: Format, home: int, away: int) -> MatchSpec:
    names = tuple(f"{number}" for number in range(1, home + away + 1))
    teams = None if home == away == 1 else (tuple(range(home)), tuple(range(home, home + away)))
    return MatchSpec(game_id, names, options, teams, format=played)
