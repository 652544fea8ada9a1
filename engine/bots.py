"""The skill of bots: from a level, or from what boards have measured of the player whom a bot throws like.

The latter is written into the header when a match begins, in numbers: it replays without the statistics, and whatever
becomes of them.
"""

from __future__ import annotations

from msgspec.structs import replace

from engine.levels import find_level, sigma_mm
from engine.match import Match
from engine.options import list_scatters
from engine.scatter import FEWEST_AIMED, Scatter
from engine.skill import Skill
from protocol.match_spec import LEVELS, MatchSpec, Unreadable
from protocol.player_names import NO_ALIASES, Aliases, player_key
from protocol.sentence import say
from protocol.throws_like import ThrowsLike


def make_skill(match: Match, seat: int, points: int | None = None) -> Skill | None:
    """How the bot in this seat throws, as a game sees it; None for a person. `points` are those of Skill.

    A bot that throws like a player knows as little as the player that the darts land beside where they are aimed.
    """
    level, model, layout = match.header.bot(seat), match.header.model(seat), match.layout
    if level is None:
        return None
    deviation_mm = None if model is None else model.deviation_mm
    sigma = sigma_mm(level, layout.dartboard) if deviation_mm is None else deviation_mm
    return Skill(layout, sigma) if points is None else Skill(layout, sigma, points)


def with_models(header: MatchSpec, known: object, aliases: Aliases = NO_ALIASES) -> MatchSpec:
    """With how those throw whom its bots throw like, and the level that comes nearest to it.

    What the header says of it already stays. `known` is as in `with_scatters`, `aliases` are the names that players
    have had. Raises Unreadable where too few darts of one were measured.
    """
    if header.like is None:
        return header
    bots, like = [*(header.bots or ())], [*header.like]
    for seat, model in enumerate(like):
        if model is not None and model.deviation_mm is None:
            found = _find_scatter(model.player, known, aliases)
            like[seat] = ThrowsLike(model.player, found.deviation_mm, found.right_mm, found.up_mm)
            bots[seat] = find_level(found.deviation_mm, header.dartboard)
    return replace(header, bots=tuple(bots), like=tuple(like))


def without_models(header: MatchSpec, known: object, aliases: Aliases = NO_ALIASES) -> MatchSpec:
    """Without how those throw of whom it is `known`: it is written in anew when the match begins."""
    if header.like is None:
        return header
    like = []
    for model in header.like:
        found = model and _look_up(model.player, known, aliases)
        like.append(ThrowsLike(model.player) if model and found and found.is_enough else model)
    return replace(header, like=tuple(like))


def _find_scatter(name: str, known: object, aliases: Aliases) -> Scatter:
    """Raises Unreadable."""
    found = _look_up(name, known, aliases)
    if found is None or not found.is_enough:
        raise Unreadable(
            say(
                "refused.unmeasured",
                "{name} has {given} measured darts; {needed} are needed. Or give the bot a level, {low} to {high}",
                name=name,
                given=0 if found is None else found.darts,
                needed=FEWEST_AIMED,
                low=LEVELS[0],
                high=LEVELS[-1],
            )
        )
    return found


def _look_up(name: str, known: object, aliases: Aliases) -> Scatter | None:
    """Of names of which one player has several, what most darts say: the history may not know of that yet."""
    key = player_key(name, aliases)
    found = (scatter for other, scatter in list_scatters(known).items() if player_key(other, aliases) == key)
    return max(found, key=lambda scatter: scatter.darts, default=None)
