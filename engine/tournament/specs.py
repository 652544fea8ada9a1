"""Whether what a tournament is made of can be played."""

from __future__ import annotations

import re
from math import isqrt

from msgspec import UNSET

from engine.games import expand_preset, game
from engine.options import check_seating, read_options
from protocol.commands import IllegalInput, refuse
from protocol.match_spec import Format, MatchSpec
from protocol.player_names import shorten_name
from protocol.sentence import Refusal, get_reason
from protocol.tournament import MOST_ENTRANTS, MOST_IN_GROUP, MOST_IN_ROUND_ROBIN, TournamentSpec

_FORMAT_OF = re.compile(r"last-\d{1,3}|(group|round|winners|losers|final|third)(-\d{1,3})?")


def check_spec(spec: TournamentSpec) -> None:
    """Raises IllegalInput if something in it contradicts something else, or cannot be played."""
    if not shorten_name(spec.name):
        raise refuse("tournament.needs_name", "the tournament needs a name")
    _check_sides(spec)
    _check_kind(spec)
    if len(set(spec.tie_breaks)) < len(spec.tie_breaks):
        raise refuse("tournament.tie_break_twice", "each tie-break can be named only once")
    for name, format in spec.formats.items():
        if not _FORMAT_OF.fullmatch(name):
            raise refuse("tournament.no_round", "there is no round {given}", given=name)
        _check_format(format)
    _check_format(spec.format)
    _check_game(spec.game, dict(spec.options), spec.side, spec.side)
    for slot in spec.slots:
        options = dict(slot.options) if slot.game is not None else {**spec.options, **slot.options}
        _check_game(slot.game or spec.game, options, len(slot.home), len(slot.away))


def count_most_meeting(spec: TournamentSpec) -> int:
    """How many sides of a round robin, or of a group, can all meet each other.

    The more parts the matches of teams have, the fewer: so there are never many more matches than of single players.
    """
    most = MOST_IN_ROUND_ROBIN if spec.kind == "round_robin" else MOST_IN_GROUP
    return max(2, isqrt(most**2 // (1 + len(spec.slots))))


def _check_sides(spec: TournamentSpec) -> None:
    if spec.drawn and spec.side == 1:
        raise refuse("tournament.drawn_alone", "sides that are drawn have at least two people")
    if spec.slots and (spec.side != 1 or spec.drawn):
        raise refuse("tournament.slots_alone", "teams with slots enter whole: leave out side and drawn")
    for slot in spec.slots:
        if not 1 <= len(slot.home) <= 4 or not 1 <= len(slot.away) <= 4:
            raise refuse("tournament.slot_people", "a slot has 1 to 4 people on each side")
        if len(set(slot.home)) < len(slot.home) or len(set(slot.away)) < len(slot.away):
            raise refuse("tournament.slot_twice", "nobody can be in one slot twice")
        if max(*slot.home, *slot.away) > 15:
            raise refuse("tournament.roster", "a team has at most {most} people", most=16)


def _check_kind(spec: TournamentSpec) -> None:
    if spec.third_place and spec.kind not in ("knock_out", "groups"):
        raise refuse("tournament.no_third", "only a single knock-out has a match for the third place")
    if spec.twice and spec.kind not in ("round_robin", "groups"):
        raise refuse("tournament.no_twice", "only in a round robin or in groups do all meet twice")
    if spec.rounds is not None and spec.kind != "swiss":
        raise refuse("tournament.no_rounds", "only a Swiss tournament has a number of rounds")
    if spec.kind == "groups" and spec.groups * spec.through > MOST_ENTRANTS:
        raise refuse("tournament.too_many_through", "at most {most} go on into the knock-out", most=MOST_ENTRANTS)


def _check_format(format: Format) -> None:
    if format.play == "all" and format.clear_legs is not UNSET:
        raise refuse(
            "refused.play_all", "with play all no extra legs are played for a lead: leave out play or clear_legs"
        )


def _check_game(name: str, options: dict[str, object], home: int, away: int) -> None:
    """Raises IllegalInput unless two sides of so many people can play the game."""
    people = tuple(f"{number}" for number in range(1, home + away + 1))
    teams = tuple(range(home)), tuple(range(home, home + away))
    try:
        header = expand_preset(MatchSpec(name, people, options, teams))
        played = game(header.game)
        read = read_options(played, header.options)
        check_seating(played, header.seating)
        played.resolve(read, header.seating)
    except (Refusal, ValueError) as error:
        raise IllegalInput(get_reason(error)) from None
