"""A fair handicap between two players of X01, from the darts of both that are on record.

Used are the latest matches of each in which everyone was a side alone, of all start scores, those of a handicap too,
under the same rule for the last dart and the bull. How the start score is found is in engine/ratings/handicap.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import groupby
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from daemon.admin.history.played_matches import PlayedMatch
from daemon.admin.history.player_figures import Appearance, Selection, collect_appearances
from daemon.admin.players.names import PlayerNames
from engine.games import is_handicapped, read_variant
from engine.options import write_options
from engine.played import ThrowRow
from engine.ratings.classes import FEWEST_DARTS
from engine.ratings.handicap import find_fair_start
from engine.ratings.thrower_model import OwnVisit, X01Rule
from protocol.player_names import name_key

_STARTS = "starts "
_LATEST = 50
"""So many matches of each are looked at: how they throw now, and no more to replay than takes a second or two."""

ListThrows = Callable[[Mapping[str, frozenset[str]]], Iterable[ThrowRow]]
"""Yields every dart of these players, by the match's id."""


class Handicap(Struct, frozen=True):
    """The `starts` that make a leg of this variant fair between the players, and the chance of the first to win it.

    `even_chance` is that without a handicap. `darts` and `matches` are what it is from. `starts` and the chances are
    None where one of them has fewer than `least_darts`; without a variant that both have played, so are `variant` and
    `label`.
    """

    names: tuple[str, str]
    variant: str | None
    label: str | None
    starts: tuple[int, int] | None
    chance: float | None
    even_chance: float | None
    darts: tuple[int, int]
    matches: tuple[int, int]
    least_darts: int = FEWEST_DARTS


class _Variant(NamedTuple):
    """The start score of a variant, with a handicap those of its sides, and the rule for the last dart and the bull.

    Visits after `rounds` decide who wins, and take nothing off; None: there are none.
    """

    start: int
    out: X01Rule
    rounds: int | None
    starts: tuple[int, ...]


def find_handicap(
    matches: Iterable[PlayedMatch], pair: tuple[str, str], game: str | None, names: PlayerNames, list_throws: ListThrows
) -> Handicap:
    """Returns the handicap in this game or variant; None: in the one that both have played most."""
    read = cache(_read_variant)
    shown = (names.get(pair[0]), names.get(pair[1]))
    by_player = collect_appearances(matches, Selection(), names)
    theirs = [
        [each for each in by_player.get(name_key(name), ()) if read(each.match.variant) and _is_alone(each.match)]
        for name in shown
    ]
    labels = {
        each.match.variant: each.match.label
        for each in theirs[0] + theirs[1]
        if Selection(game).has(each.match) and not is_handicapped(each.match.variant)
    }
    variant = _choose_variant(theirs, labels)
    rule = read(variant) if variant is not None else None
    if variant is None or rule is None:
        return Handicap(shown, None, None, None, None, None, (0, 0), (0, 0))
    used = [[each for each in own if _is_same(read(each.match.variant), rule)][-_LATEST:] for own in theirs]
    darts = (_count_darts(used[0]), _count_darts(used[1]))
    found = Handicap(
        names=(_get_name(used[0], shown[0]), _get_name(used[1], shown[1])),
        variant=variant,
        label=labels[variant],
        starts=None,
        chance=None,
        even_chance=None,
        darts=darts,
        matches=(len(used[0]), len(used[1])),
    )
    if min(darts) < FEWEST_DARTS:
        return found
    one, other = _list_visits(used, read, list_throws)
    fair = find_fair_start(one, other, rule.start, rule.out)
    return replace(found, starts=fair.starts, chance=fair.chance, even_chance=fair.even_chance)


def _read_variant(variant: str) -> _Variant | None:
    """The variant, if each side of it can have a start score of its own and every dart counts from the first on."""
    starts, plain = _split_starts(variant)
    with suppress(ValueError):
        game, options = read_variant(plain)
        given = write_options(game, options)
        if "starts" in game.by_side and given["in"] == "straight" and not is_handicapped(plain):
            rounds = given["rounds"] if given["tie"] == "highest_visit" else None
            return _Variant(given["start"], X01Rule(given["out"], given["bull"]), rounds, starts)
    return None


def _split_starts(variant: str) -> tuple[tuple[int, ...], str]:
    """The start scores of the sides in a variant, none if all have the same; and the variant without them."""
    name, _, options = variant.partition(" (")
    given = options.removesuffix(")").split(", ")
    starts = next((each for each in given if each.startswith(_STARTS)), "")
    others = [each for each in given if each != starts]
    if not starts:
        return (), variant
    plain = f"{name} ({', '.join(others)})" if others else name
    return tuple(int(each) for each in starts.removeprefix(_STARTS).split()), plain


def _is_same(one: _Variant | None, other: _Variant) -> bool:
    return one is not None and one.out == other.out


def _is_alone(match: PlayedMatch) -> bool:
    """Whether everyone was a side alone in this match, to its end."""
    return match.is_over and not match.was_stopped and all(len(side.seats) == 1 for side in match.standings)


def _choose_variant(theirs: Sequence[Sequence[Appearance]], among: Iterable[str]) -> str | None:
    """The variant of which the one who has played it less has the most matches; of equal ones that of both."""

    def count(variant: str) -> tuple[int, int]:
        one, other = (sum(each.match.variant == variant for each in own) for own in theirs)
        return min(one, other), one + other

    return max(sorted(among), key=count, default=None)


def _get_name(appearances: Sequence[Appearance], name: str) -> str:
    """The name as it was written last."""
    return appearances[-1].part.player if appearances else name


def _count_darts(appearances: Iterable[Appearance]) -> int:
    return sum(each.part.tally.darts for each in appearances)


def _list_visits(
    used: Sequence[Sequence[Appearance]], read: Callable[[str], _Variant | None], list_throws: ListThrows
) -> tuple[list[OwnVisit], ...]:
    """The visits of each player in these matches, whose variants `read` knows. A match of both is replayed once."""
    wanted: dict[str, frozenset[str]] = {}
    places: dict[tuple[str, str], int] = {}
    starts: dict[tuple[str, str], int] = {}
    rounds: dict[str, int | None] = {}
    for place, own in enumerate(used):
        for match, part in own:
            if (known := read(match.variant)) is None:
                continue
            wanted[match.id] = wanted.get(match.id, frozenset()) | {part.player}
            places[match.id, part.player] = place
            seat = match.parts.index(part)  # nobody is missing, for the match was not stopped
            side = next(at for at, each in enumerate(match.standings) if seat in each.seats)
            starts[match.id, part.player] = known.starts[side] if known.starts else known.start
            rounds[match.id] = known.rounds
    found: tuple[list[OwnVisit], ...] = tuple([] for _ in used)
    for (match_id, _, _), leg in groupby(list_throws(wanted), key=lambda throw: (throw.match, throw.set, throw.leg)):
        left: dict[str, int] = {}
        most = rounds[match_id]
        for (player, _), (first, *_) in groupby(leg, key=lambda throw: (throw.player, throw.visit)):
            before = left.get(player, starts[match_id, player])
            if before > 0 and (most is None or first.round <= most):  # who is out may throw once more, if both are
                found[places[match_id, player]].append(OwnVisit(before, first.visit_points))
                left[player] = before - first.visit_points
    return found
