"""What the body of each command may be, for those who send one: plain text, or JSON.

The reading is in protocol.commands, which is forgiving; what is described here is understood for ever.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal, NamedTuple

from msgspec import UNSET, Meta, Struct, UnsetType

from protocol.messages import Index, Ordinal


class Bare(Struct, kw_only=True):
    """What every command takes. `transaction` comes back in the answer; `at` is the line of the match that you saw."""

    transaction: Annotated[str, Meta(max_length=128)] | UnsetType | None = UNSET
    at: Ordinal | UnsetType | None = UNSET


class Throw(Bare, kw_only=True):
    """A dart, by its segment."""

    throw: str


class Choose(Bare, kw_only=True):
    """An answer; without `prompt` to the oldest open question."""

    choose: str
    prompt: str | UnsetType | None = UNSET


class AmendThrow(Bare, kw_only=True):
    """The dart of the line `amend` was really this one; null: there was no dart."""

    amend: Ordinal
    throw: str | None


class AmendChoice(Bare, kw_only=True):
    """The answer of the line `amend` was really this one."""

    amend: Ordinal
    choose: str
    prompt: str | UnsetType | None = UNSET


class Retire(Bare, kw_only=True):
    """The side that leaves."""

    retire: Index


class Format(Struct):
    """Legs to win a set, sets to win the match."""

    legs: Ordinal = 1
    sets: Ordinal = 1


class Game(Bare, kw_only=True):
    """What the next `start` begins; what is left out stays as it was.

    But another game brings its own options, other players their own teams, and other teams their own names.
    """

    game: str | UnsetType = UNSET
    players: tuple[str, ...] | UnsetType = UNSET
    teams: tuple[tuple[Index, ...], ...] | UnsetType | None = UNSET
    team_names: tuple[str, ...] | UnsetType | None = UNSET
    options: dict[str, Any] | UnsetType = UNSET  # Any: each game has its own
    format: Format | UnsetType = UNSET


class Start(Bare, kw_only=True):
    """The header of a match record: this match; nothing of it: the match that is planned.

    `oche` is the version of the record, `bots` the level of each player who is one, `seed` decides dice and cards.
    With the `order` bull the sides first throw for it, a dart each at the bull, and the next start begins the match.
    """

    oche: int | UnsetType = UNSET
    game: str | UnsetType = UNSET
    players: tuple[str, ...] | UnsetType = UNSET
    options: dict[str, Any] | UnsetType = UNSET  # Any: each game has its own
    teams: tuple[tuple[Index, ...], ...] | UnsetType | None = UNSET
    team_names: tuple[str, ...] | UnsetType | None = UNSET
    seed: str | UnsetType | None = UNSET
    format: Format | UnsetType = UNSET
    rules: int | UnsetType | None = UNSET
    bots: tuple[int | None, ...] | UnsetType | None = UNSET
    order: Literal["bull"] | UnsetType | None = UNSET


ANYTHING = "anything"
"""The text of a command that needs none, and does not care."""


class Body(NamedTuple):
    """What one command takes: `json` are the types of an object, `example` is one that is understood.

    `text` is an example of plain text, "" where it must be empty, and None where it must be an object.
    """

    about: str
    json: tuple[type[Bare], ...]
    text: str | None
    example: Mapping[str, Any] = MappingProxyType({})  # Any: JSON


BODIES = {
    "next": Body("closes the visit; darts nobody saw are written down as misses", (Bare,), ANYTHING),
    "undo": Body("takes the latest input back", (Bare,), ANYTHING),
    "redo": Body("brings it again", (Bare,), ANYTHING),
    "miss": Body("a dart that no sensor saw", (Bare,), ANYTHING),
    "game": Body(
        "plans the next match, step by step", (Game,), "burma_road", {"game": "x01", "options": {"start": 301}}
    ),
    "start": Body(
        "begins the match that is planned, or this one", (Start,), "", {"game": "x01", "players": ["Ann", "bot:45"]}
    ),
    "stop": Body("abandons the match", (Bare,), ANYTHING),
    "retire": Body("a side leaves, the others play on", (Retire,), "1", {"retire": 1}),
    "choose": Body("answers a question", (Choose,), "pair", {"choose": "pair", "prompt": "row@5"}),
    "throw": Body("a dart", (Throw,), "T20", {"throw": "T20"}),
    "amend": Body("corrects an earlier dart or answer", (AmendThrow, AmendChoice), None, {"amend": 2, "throw": "S20"}),
}
