"""The layouts that ship, by name, and layouts of one's own. A profile names one; a game says which it can be played on.

A layout of one's own is a TOML file with one table, `[yatzy]` or `[ground_round]`; protocol/yatzy.py and
protocol/ground_round.py show what is in it. It passes the same generator and the same checks as the shipped layout, and
bears the same name, so that whatever plays on the one plays on the other.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from protocol.ground_round import GroundRoundDesign, ground_round
from protocol.segment import Dartboard, Layout, UnfitLayout
from protocol.sentence import Refusal, get_reason, say
from protocol.source import Source
from protocol.spelling import say_nearest
from protocol.standard import DARTBOARDS, USUAL, standard
from protocol.yatzy import YatzyDesign, yatzy

_LAYOUTS: dict[str, Callable[[], Layout]] = {"standard": standard, "yatzy": yatzy, "ground_round": ground_round}


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    """The file of a user's own layout: it has one of these tables."""

    yatzy: YatzyDesign | None = None
    ground_round: GroundRoundDesign | None = None


def list_layouts() -> tuple[str, ...]:
    """The names of all layouts."""
    return tuple(_LAYOUTS)


def find_layout(name: str) -> Layout:
    """The layout of that name; raises ValueError with the nearest spelling."""
    try:
        return _LAYOUTS[name]()
    except KeyError:
        meant = say_nearest(name, list_layouts())
        said = say("profile.no_layout", "there is no layout {given}{meant}", given=repr(name), meant=meant)
        raise Refusal(said) from None


def with_dartboard(layout: Layout, dartboard: Dartboard | None) -> Layout:
    """This layout with the measures of that dartboard; the standard layout has those of USUAL where none is named.

    Raises ValueError for another layout than the standard one: it has its own measures.
    """
    if layout.name == "standard":
        return standard(DARTBOARDS[dartboard or USUAL])
    if dartboard is not None:
        raise Refusal(
            say(
                "profile.no_dartboard",
                "dartboard is only for the standard layout, and this is the {name} layout: leave out dartboard",
                name=layout.name,
            )
        )
    return layout


def load(source: Source) -> Layout:
    """The layout in this file. Raises SourceError, with the line, for one that its game cannot be played on."""
    file = source.read(_File)
    try:
        if file.yatzy and not file.ground_round:
            return yatzy(file.yatzy)
        if file.ground_round and not file.yatzy:
            return ground_round(file.ground_round)
    except UnfitLayout as error:
        table = "yatzy" if file.yatzy else "ground_round"
        raise source.error(get_reason(error), table, *(error.key.split(".", 1) if error.key else ())) from None
    raise source.error(
        say("face.tables", "the file of your own layout must have exactly one table, [yatzy] or [ground_round]")
    )
