"""What can be asked of a table: one type for each command, in the words of the match record.

The same values are the lines of a record, what comes in over MQTT and from the page (protocol/bodies.py), and what the
referee rules on. A line of a record is decoded strictly.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any, Literal, get_args

import msgspec
from msgspec import Struct, field
from msgspec.structs import fields

from protocol.match_spec import Index, MatchSpec, Ordinal, TableName, Unreadable
from protocol.segment import Point
from protocol.sentence import Refusal, Sentence, Value, say

Phase = Literal["throwing", "deciding", "takeout", "over"]
"""What a match waits for: a dart, an answer, the next visit, or nothing."""
ErrorCode = Literal["illegal", "stale", "unknown", "busy", "invalid", "unavailable"]
Outcome = Literal["loss", "life_lost", "neutral"]
"""What a visit came to, where the task says why: it cost something, or a life, or it is only told."""
OptionsAre = Literal["cards", "moves", "rows", "segments"]
"""What the options of a question name; see protocol.messages.Prompt."""


class IllegalInput(Refusal):
    """Not legal here; `said` is the reason."""


def refuse(key: str, template: str, **values: Value) -> IllegalInput:
    """Returns the error with this sentence, as `say` makes it."""
    return IllegalInput(say(key, template, **values))


class CommandError(Refusal):
    """A command that is not obeyed; `code` is one of the contract's error codes."""

    def __init__(self, said: str | Sentence, code: ErrorCode = "invalid") -> None:
        super().__init__(said)
        self.code: ErrorCode = code


class Throw(Struct, frozen=True, omit_defaults=True):
    """A dart, by its segment: an id such as T20. On the standard layout other spellings are understood too.

    The other fields are a sensor's, and no rule needs them. `point`: where the dart is, in tenths of a millimetre from
    the centre, x to the right and y up. `dart`: the sensor's own name of it; it stays in the journal. `unread`: a dart
    whose segment is not known, entered as a miss until it is corrected. `close`: segments that the sensor held possible
    too, the likeliest first.
    """

    segment: str = field(name="throw")
    point: Point | None = None
    key: str = field(name="dart", default="")
    unread: bool = False
    close: tuple[str, ...] = ()

    @property
    def is_sensed(self) -> bool:
        """Whether there is more to it than its segment."""
        return bool(self.point or self.key or self.unread)


class Total(Struct, frozen=True, omit_defaults=True):
    """The points of several darts together if their beds are not known: `darts` of them, by default all that are left.

    `at_finish`: how many of them were thrown at a finish (at a double); by default the one that hit it. `bust`: the
    visit was bust; `total` is then 0.
    """

    points: Index = field(name="total")
    darts: Ordinal | None = None
    at_finish: Index | None = None
    bust: bool = False


class Next(Struct, frozen=True):
    """The darts have been pulled: close the visit."""


class Choose(Struct, frozen=True, omit_defaults=True):
    """An answer to the question `prompt`, by default to the oldest open one."""

    answer: str = field(name="choose")
    prompt: str | None = None


class Numbers(Struct, frozen=True):
    """How many numbers an answer has, separated by spaces, and the lowest and highest that each can be."""

    count: Ordinal
    low: int
    high: int


class Undo(Struct, frozen=True):
    """Take back the latest input; without `undo_all` in the header, the latest throw, next, choose or amend."""


class Redo(Struct, frozen=True):
    """Repeat the input that was undone."""


class Amend(Struct, frozen=True):
    """Replace the throw, total or answer on that line by this one; `throw` null: there was no dart."""

    line: Ordinal
    was: Throw | Total | Choose | None


class Retire(Struct, frozen=True):
    """This side leaves the match; the others play on."""

    side: Index = field(name="retire")


class Concede(Struct, frozen=True):
    """The others have left: the side that is left wins the match, without playing on alone."""


class Stop(Struct, frozen=True):
    """Abandon the match."""


class Miss(Struct, frozen=True):
    """A dart that no sensor saw: it is entered as a miss."""


class ChangePlan(Struct, frozen=True):
    """What the next `start` begins; what is left out stays as it was.

    But another game resets the options, other players reset the teams, and other teams reset the team names.
    """

    wanted: Struct


class Start(Struct, frozen=True):
    """With the header of a match record, begins that match; without one, begins the planned match.

    `oche` is the version of the record, `bots` has the level of each bot, `seed` decides dice and cards. Two fields are
    ignored: a new match always has `undo_all` (undo takes back `stop` and `retire` too) and the `dartboard` of its
    table. With the `order` bull each side first throws one dart at the bull to decide who begins; the next start then
    begins the match. A header without `players` uses the players and teams of the planned match. With `lines`, those
    of a match record, a match goes on that was begun at another table; one with dice, cards or hands cannot.
    """

    spec: MatchSpec | None = None
    order: str | None = None
    without_players: Mapping[str, Any] | None = None  # Any: JSON
    """The header, if it names no players."""
    lines: tuple[Input, ...] = ()


class Lend(Struct, frozen=True):
    """The board of this table plays along in a match at the table `lend`, where a plan names it in `places`.

    With `ask` the people at this table are asked first, unless the configuration has agreed for them. `lend` null: it
    plays along no longer, or is not to be asked.
    """

    to: TableName | None = field(name="lend")
    ask: bool = False


class Join(Struct, frozen=True):
    """A table that was asked plays along from now on."""


class Leave(Struct, frozen=True):
    """A table that was asked does not play along, or no longer."""


SensorAction = Literal["take", "leave", "start", "reset"]


class Sensor(Struct, frozen=True, omit_defaults=True):
    """What people do about a board that sees the darts in it.

    `take` enters the darts that the `question` of the state lists, and `leave` ends the question without them. `start`
    has the board see darts again, and `reset` has it forget those that it sees; see `remedy` in the board's info.
    """

    action: SensorAction = field(name="sensor")
    question: str | None = None


MOST_LINES = 5000
"""Of a start."""
Input = Throw | Total | Next | Choose | Undo | Redo | Amend | Retire | Concede | Stop
"""A line of a match record after its header."""
Command = Input | Miss | ChangePlan | Start | Lend | Join | Leave | Sensor
"""What a table can be asked to do."""
_WORDS: Mapping[type[Input], str] = {kind: kind.__name__.lower() for kind in get_args(Input)}
INPUT_WORDS = tuple(_WORDS.values())
"""The keys of the lines of a match record after its header."""
ASIDE = ("prompt", "darts", "at_finish", "bust")
"""The keys that stand beside such a key in a line."""
BARE: Mapping[str, Next | Undo | Redo | Concede | Stop] = {
    _WORDS[kind]: kind() for kind in get_args(Input) if not fields(kind)
}
"""The inputs that are a word alone."""

_MOST_KEYS, _MOST_OF_KEY = 3, 20
"""How many keys of an unknown line its refusal names, and how much of each."""


def decode_line(value: Mapping[str, Any]) -> Input:  # Any: JSON
    """The input on a line. Raises Unreadable (none of the known keys) or IllegalInput (a value that cannot be)."""
    words = [word for word in value if word in INPUT_WORDS]
    if "amend" in words:
        words = ["amend"]
    if not words:
        # It may be an input of a newer oche.
        found = ", ".join(repr(key[:_MOST_OF_KEY]) for key in islice(value, _MOST_KEYS))
        raise Unreadable(
            f"the line has none of the keys {', '.join(INPUT_WORDS)}" + (f"; it has {found}" if found else "")
        )
    if len(words) > 1:
        raise IllegalInput(f"one input per line, not {' and '.join(words)}")
    word, given = words[0], value[words[0]]
    match word:
        case "throw":
            return _decode_throw(value, "a segment such as T20")
        case "total":
            return _decode_total(value)
        case "choose":
            return _decode_choose(value)
        case "amend":
            return Amend(_require_number(given, "amend", "the number of a line"), _decode_amended(value))
        case "retire":
            return Retire(_require_number(given, "retire", "the number of a side, from 0"))
    if given is not True:
        raise IllegalInput(f"{word} must be true")
    return BARE[word]


def encode_line(given: Input) -> dict[str, Any]:  # Any: JSON
    """The line an input is stored as."""
    match given:
        case Throw() | Total() | Choose() | Retire():
            written: dict[str, Any] = msgspec.to_builtins(given)  # Any: JSON
            return written
        case Amend(line, was):
            return {"amend": line, **({"throw": None} if was is None else encode_line(was))}
    return {_WORDS[type(given)]: True}


MOST_OFF = 10_000
"""Tenths of a millimetre from the centre: no sensor sees a dart a metre beside the board."""
MOST_CLOSE = 3
"""Segments that a sensor held possible beside the one that it read."""


def _decode_throw(value: Mapping[str, Any], wanted: str) -> Throw:
    """A dart. What a sensor knew of it beside the segment is passed over where it is not what it should be."""
    point, key, close = value.get("point"), value.get("dart"), value.get("close")
    is_point = (
        isinstance(point, list | tuple)
        and len(point) == 2
        and all(type(each) is int and abs(each) <= MOST_OFF for each in point)
    )
    is_close = isinstance(close, list | tuple) and all(isinstance(each, str) for each in close)
    return Throw(
        _read_bed(value["throw"], wanted),
        (point[0], point[1]) if point is not None and is_point else None,
        key if isinstance(key, str) else "",
        value.get("unread") is True,
        tuple(close[:MOST_CLOSE]) if close is not None and is_close else (),
    )


def strip_line(line: Mapping[str, Any]) -> dict[str, Any]:  # Any: JSON
    """Returns a line of the journal as a record has it: without the sensor's own name of a dart."""
    return {word: given for word, given in line.items() if word != "dart"}


def _decode_choose(value: Mapping[str, Any]) -> Choose:
    prompt = value.get("prompt")
    if prompt is not None:
        prompt = _require_text(prompt, "prompt", "the id of a prompt such as row@5")
    return Choose(_require_text(value["choose"], "choose", "one of the prompt's options"), prompt)


def _decode_total(value: Mapping[str, Any]) -> Total:
    for word, least in (("total", 0), ("darts", 1), ("at_finish", 0)):
        wanted, given = f"a whole number from {least}", value.get(word)
        if (word == "total" or given is not None) and _require_number(given, word, wanted) < least:
            raise IllegalInput(f"{word} must be {wanted}")
    if not isinstance(bust := value.get("bust") or False, bool):
        raise IllegalInput("bust must be true or false")
    if bust and value["total"]:
        raise IllegalInput("total must be 0 with bust: darts that are bust score nothing")
    return Total(value["total"], value.get("darts"), value.get("at_finish"), bust)


def _decode_amended(value: Mapping[str, Any]) -> Throw | Total | Choose | None:
    if sum(word in value for word in ("throw", "total", "choose")) != 1:
        raise IllegalInput("an amend needs what the line really was: a throw (null for no dart), a total or a choose")
    if "choose" in value:
        return _decode_choose(value)
    if "total" in value:
        return _decode_total(value)
    return None if value["throw"] is None else _decode_throw(value, "a segment such as T20, or null")


def _read_bed(given: object, wanted: str) -> str:
    """The segment as it is written; 25 and 50 are both bulls, also where they are numbers."""
    return str(given) if type(given) is int and given in (25, 50) else _require_text(given, "throw", wanted)


def _require_text(given: object, word: str, wanted: str) -> str:
    if not isinstance(given, str):
        raise IllegalInput(f"{word} must be {wanted}")
    return given


def _require_number(given: object, word: str, wanted: str) -> int:
    if not isinstance(given, int) or isinstance(given, bool):
        raise IllegalInput(f"{word} must be {wanted}")
    return given
