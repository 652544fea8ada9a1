"""The match record: a header, then one input a line, as JSON. The journal stores it, `replay` reads it.

Reading is in two steps, because a line can be wrong in two ways: Unreadable (not a line of a match record at all:
reading stops) and Refused (well-formed but not legal here: it changes nothing, and the match goes on).
"""

from __future__ import annotations

import re
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from engine.game import Seating, Side
from engine.levels import LEVELS
from protocol.spelling import nearest, readable

MAX_NAME = 40
"""Characters of a name that are kept."""
_SHORT = re.compile(r"\s*bot:(.*)", re.IGNORECASE | re.DOTALL)
"""A player who is a bot, written as one word."""


class Unreadable(ValueError):
    """This is not a line of a match record."""


class Refused(ValueError):
    """Not legal here; the text is the reason."""


class Format(Struct, frozen=True, forbid_unknown_fields=True):
    """Legs to win a set, sets to win the match."""

    legs: int = 1
    sets: int = 1


class Header(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=False):
    """The first line. `teams` are lists of player numbers; without them everyone plays alone.

    `bots` has the level of each player who is a bot, and null for each who is a person. A player called bot:45 is
    short for Bot 45 with that level.
    """

    oche: int
    game: str
    players: list[str]
    options: dict[str, Any] = {}  # Any: checked by the game's own Struct
    teams: list[list[int]] | None = None
    team_names: list[str] | None = None
    seed: str | None = None
    format: Format = Format()
    rules: int | None = None
    bots: list[int | None] | None = None

    def bot(self, seat: int) -> int | None:
        """The level of the bot in this seat; None for a person."""
        return self.bots[seat] if self.bots is not None else None

    @property
    def seating(self) -> Seating:
        """The sides these players make; names are cleaned. Raises Unreadable."""
        players = tuple(clean_name(name, f"player {n}") for n, name in enumerate(self.players, 1))
        teams = self.teams if self.teams is not None else [[n] for n in range(len(players))]
        seated = [seat for team in teams for seat in team]
        if sorted(seated) != list(range(len(players))) or not all(teams):
            raise Unreadable(
                f"teams must name each of the players 0 to {len(players) - 1} exactly once, at least one a team"
            )
        names = self.team_names if self.team_names is not None else [None] * len(teams)
        if len(names) != len(teams):
            raise Unreadable(f"team_names has {len(names)} names for {len(teams)} teams")
        sides = tuple(
            Side(clean_name(name, "team") if name else " & ".join(players[seat] for seat in team), tuple(team))
            for name, team in zip(names, teams, strict=True)
        )
        return Seating(players, sides)


class Throw(Struct, frozen=True):
    """A dart in this segment."""

    segment: str


class Next(Struct, frozen=True):
    """The darts are out: close the visit."""


class Choose(Struct, frozen=True):
    """An answer; without `prompt` to the oldest open one."""

    answer: str
    prompt: str | None = None


class Undo(Struct, frozen=True):
    """Take back the latest throw, next, choose or amend."""


class Redo(Struct, frozen=True):
    """Bring back what undo took."""


class Amend(Struct, frozen=True):
    """The throw or answer of that line was really this one; a throw of None was no dart at all."""

    line: int
    was: Throw | Choose | None


class Retire(Struct, frozen=True):
    """A side leaves; the others play on."""

    side: int


class Stop(Struct, frozen=True):
    """The match is abandoned."""


Input = Throw | Next | Choose | Undo | Redo | Amend | Retire | Stop

_WORDS = ("throw", "next", "choose", "undo", "redo", "amend", "retire", "stop")


def read_json(text: str | bytes) -> dict[str, Any]:  # Any: JSON
    """The object on a line; raises Unreadable."""
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Unreadable(f"this is not JSON ({error})") from None
    if not isinstance(value, dict):
        raise Unreadable('this is not an object such as {"throw": "T20"}')
    return value


def read_header(value: dict[str, Any]) -> Header:  # Any: JSON
    """The header in this object; raises Unreadable with what is wrong."""
    if "oche" not in value and any(word in value for word in _WORDS):
        raise Unreadable("the first line of a match record is its header, and this is an input")
    _check_keys(value, Header, "header key")
    if isinstance(value.get("format"), dict):
        _check_keys(value["format"], Format, "key of the header's format")
    try:
        header = msgspec.convert(value, Header)
    except msgspec.ValidationError as error:
        reason, path = readable(error, Header)
        raise Unreadable(f"header: {reason.replace('this', '.'.join(map(str, path)), 1) if path else reason}") from None
    if header.oche != 1:
        raise Unreadable(f"this is a record of version {header.oche}; this program reads version 1")
    if not 1 <= len(header.players) <= 64:
        raise Unreadable("a match needs 1 to 64 players")
    if header.format.legs < 1 or header.format.sets < 1:
        raise Unreadable("format.legs and format.sets must be at least 1")
    return with_bots(header)


def with_bots(header: Header) -> Header:
    """The header with its bots checked, and players such as bot:45 spelled out among them. Raises Unreadable."""
    count = len(header.players)
    if header.bots is not None and len(header.bots) != count:
        raise Unreadable(f"bots has {len(header.bots)} levels for {count} players: write null for a person")
    bots = [_level(player, header.bot(seat), f"player {seat + 1}") for seat, player in enumerate(header.players)]
    if not any(map(_SHORT.match, header.players)):
        return header
    players = [f"Bot {bots[seat]}" if _SHORT.match(player) else player for seat, player in enumerate(header.players)]
    return replace(header, players=players, bots=bots)


def read_input(value: dict[str, Any]) -> Input:  # Any: JSON
    """The input in this object. Raises Unreadable (none of the known keys) or Refused (a value that cannot be)."""
    words = [word for word in _WORDS if word in value]
    if "amend" in words:
        words = ["amend"]
    if not words:
        raise Unreadable(f"none of the keys {', '.join(_WORDS)}")
    if len(words) > 1:
        raise Refused(f"one input a line, not {' and '.join(words)}")
    word, given = words[0], value[words[0]]
    match word:
        case "throw":
            return Throw(_text(given, "throw", "a segment such as T20"))
        case "choose":
            return _choose(value)
        case "amend":
            return Amend(_number(given, "amend", "the number of a line"), _amended(value))
        case "retire":
            return Retire(_number(given, "retire", "the number of a side, from 0"))
    if given is not True:
        raise Refused(f"{word} must be true")
    plain: dict[str, Input] = {"next": Next(), "undo": Undo(), "redo": Redo(), "stop": Stop()}
    return plain[word]


def write_input(given: Input) -> dict[str, Any]:  # Any: JSON
    """The line an input is stored as."""
    match given:
        case Throw(segment):
            return {"throw": segment}
        case Choose(answer, prompt):
            return {"choose": answer} if prompt is None else {"choose": answer, "prompt": prompt}
        case Amend(line, None):
            return {"amend": line, "throw": None}
        case Amend(line, Throw() | Choose() as was):
            return {"amend": line, **write_input(was)}
        case Retire(side):
            return {"retire": side}
    return {type(given).__name__.lower(): True}


def write_header(header: Header) -> dict[str, Any]:  # Any: JSON
    """The header line: what was given, the defaults of the rest left out."""
    written: dict[str, Any] = msgspec.to_builtins(header)  # Any: JSON
    return {key: value for key, value in written.items() if value is not None}


def _check_keys(given: dict[str, Any], struct: type[Struct], what: str) -> None:  # Any: JSON
    fields = [f.encode_name for f in msgspec.structs.fields(struct)]
    for key in given:
        if key not in fields:
            raise Unreadable(f"unknown {what} {key!r}{nearest(key, fields)}")


def _choose(value: dict[str, Any]) -> Choose:
    prompt = value.get("prompt")
    if prompt is not None:
        prompt = _text(prompt, "prompt", "the id of a prompt such as row@5")
    return Choose(_text(value["choose"], "choose", "one of the prompt's options"), prompt)


def _amended(value: dict[str, Any]) -> Throw | Choose | None:
    if ("throw" in value) == ("choose" in value):
        raise Refused("an amend needs what the line really was: a throw (null for no dart) or a choose")
    if "choose" in value:
        return _choose(value)
    return None if value["throw"] is None else Throw(_text(value["throw"], "throw", "a segment such as T20, or null"))


def _text(given: object, word: str, wanted: str) -> str:
    if not isinstance(given, str):
        raise Refused(f"{word} must be {wanted}")
    return given


def _number(given: object, word: str, wanted: str) -> int:
    if not isinstance(given, int) or isinstance(given, bool):
        raise Refused(f"{word} must be {wanted}")
    return given


def _level(player: str, level: int | None, who: str) -> int | None:
    """The level of this player, from the name or from `bots`; None for a person."""
    short = _SHORT.match(player)
    if short is None and level is None:
        return None
    given = short[1].strip() if short else str(level)
    if not re.fullmatch("[0-9]{1,3}", given) or int(given) not in LEVELS:
        raise Unreadable(
            f"{who} is a bot of level {given!r}: a level is a three-dart average, {LEVELS[0]} to {LEVELS[-1]}"
        )
    if level not in (None, int(given)):
        raise Unreadable(f"{who} is {player.strip()!r} and has the level {level} in bots: give one of them")
    return int(given)


def clean_name(name: str, who: str) -> str:
    """Names are untrusted: bounded, and without control characters. Raises Unreadable when nothing is left."""
    kept = "".join(c for c in name if c.isprintable()).strip()[:MAX_NAME].strip()
    if not kept:
        raise Unreadable(f"{who} needs a name with a character that can be seen")
    return kept
