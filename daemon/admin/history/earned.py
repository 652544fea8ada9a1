"""What players have earned: their badges, and what a match that is over gave them: badges and personal bests."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from daemon.admin.history.played_matches import PlayedMatch
from daemon.admin.history.player_figures import Appearance, Selection, collect_appearances, find_bests
from daemon.admin.players.names import PlayerNames, is_neutral_name
from daemon.table.committed import Earned
from engine import badges
from engine.games import GAMES, PRESETS
from protocol.facts import Award, BadgeEarned
from protocol.player_names import name_key

_PERSONAL_BEST = "personal_best"
"""The award for a result that is better than all that the player had before."""


def list_badges(matches: Iterable[PlayedMatch], name: str, names: PlayerNames) -> tuple[badges.BadgeProgress, ...]:
    """How far the player of this name is with each badge, by all these matches; () for a bot."""
    found = _collect(matches, {name_key(name)}, names).get(name_key(name))
    return measure_badges(found) if found else ()


def find_earned(
    matches: Iterable[PlayedMatch], match_id: str, names: PlayerNames, ends: Iterable[PlayedMatch] = ()
) -> list[Earned]:
    """What the players of this match have by it that they would not have without it; badges of the highest tier first.

    Of a badge only the tier that they have now. `ends` are what the match came to before it was corrected: what they
    had by one of these is not among it.
    """
    found = [*matches]
    news = _find_earned(found, match_id, names)
    for end in ends:
        if not news:  # of a long history each end takes a while
            break
        told = _find_earned([end if each.id == match_id else each for each in found], match_id, names)
        news = [each for each in news if not _has(told, each)]
    return news


def _has(earned: Iterable[Earned], wanted: Earned) -> bool:
    """Whether this is among what was earned, or a higher tier of it."""
    seat, fact = wanted
    if isinstance(fact, Award):
        return wanted in earned
    badges = ((other, each) for other, each in earned if isinstance(each, BadgeEarned))
    return any(other == seat and each.badge == fact.badge and each.tier >= fact.tier for other, each in badges)


def _find_earned(found: Sequence[PlayedMatch], match_id: str, names: PlayerNames) -> list[Earned]:
    match = next((each for each in found if each.id == match_id), None)
    if match is None or match.has_player_twice:
        return []
    keys = {name_key(part.player) for part in match.parts if not part.is_bot}
    by_player = _collect(found, keys, names)
    news: list[Earned] = []
    for seat, name in enumerate(match.players):
        if match.bots is None or match.bots[seat] is None:
            news += ((seat, fact) for fact in _find_badges(by_player.get(name_key(name), []), match_id))
    news.sort(key=lambda each: -each[1].tier if isinstance(each[1], BadgeEarned) else 0)
    return [*((seat, Award(award=_PERSONAL_BEST)) for seat in find_bests(found, match_id, names)), *news]


def _find_badges(appearances: list[Appearance], match_id: str) -> Iterator[BadgeEarned]:
    if all(each.match.id != match_id for each in appearances):  # one who counts in no figures
        return
    now = measure_badges(appearances)
    if appearances[-1].match.id == match_id:
        new = [each for each in now if each.match == match_id]
    else:  # an earlier one, which was corrected, or there was another at another table meanwhile
        before = measure_badges(each for each in appearances if each.match.id != match_id)
        new = [each for each, old in zip(now, before, strict=True) if each.tier > old.tier]
    yield from (BadgeEarned(badge=each.id, tier=each.tier) for each in new)


def _collect(
    matches: Iterable[PlayedMatch], keys: Collection[str], names: PlayerNames
) -> Mapping[str, list[Appearance]]:
    """The appearances of the people with these name keys, oldest first, and some of others."""
    theirs = (match for match in matches if any(name_key(part.player) in keys for part in match.parts))
    return collect_appearances(theirs, Selection(), names)


def measure_badges(appearances: Iterable[Appearance]) -> tuple[badges.BadgeProgress, ...]:
    """How far the player of these appearances is with each badge."""
    return badges.collect_badges(map(_describe, appearances))


def _describe(appearance: Appearance) -> badges.Appearance:
    match, part = appearance
    preset, game = PRESETS.get(match.variant), GAMES.get(match.game)
    own, bots = name_key(part.player), match.bots or (None,) * len(match.players)
    people = (name for name, bot in zip(match.players, bots, strict=True) if bot is None and not is_neutral_name(name))
    others = [each for each in match.parts if each is not part]
    beaten = [each for each in others if part.won and each.won is False]
    levels = {name: bot for name, bot in zip(match.players, bots, strict=True) if bot is not None}
    return badges.Appearance(
        match=match.id,
        at=match.at,
        day=datetime.fromisoformat(match.at).astimezone().toordinal(),
        game=match.game,
        variant=match.variant,
        group=game.group if game else None,
        tile=preset.tile if preset else game.tile if game else None,
        company=frozenset(map(name_key, people)) - {own},
        had_rivals=bool(others),
        has_beaten=bool(beaten),
        bot_beaten=max((levels.get(each.player, 0) for each in beaten if each.is_bot), default=0),
        part=part,
    )
