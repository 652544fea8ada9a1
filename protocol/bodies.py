"""What comes with each command over MQTT and from the page: its body, and how it is decoded.

The JSON Schemas of the bodies are made from the fields of the commands. A body is decoded forgivingly in its form
(plain text where JSON is a burden) and strictly in its meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import fields

from protocol.commands import (
    ASIDE,
    BARE,
    MOST_LINES,
    MOST_OFF,
    Amend,
    ChangePlan,
    Choose,
    Command,
    CommandError,
    IllegalInput,
    Input,
    Lend,
    Miss,
    Retire,
    Sensor,
    Start,
    Throw,
    Total,
    decode_line,
    strip_line,
)
from protocol.json_depth import check_depth
from protocol.match_spec import PEOPLE, MatchSpec, Ordinal, Unreadable, Wanted, make_optional, read_header, read_wanted
from protocol.segment import Point
from protocol.spelling import suggest_nearest

T = TypeVar("T")

MAX_BODY_BYTES = 8192
MAX_LINES_BYTES = 65_536
"""Of the `lines` of a start, which come on top."""
MAX_START_BYTES = MAX_BODY_BYTES + MAX_LINES_BYTES
_MAX_TRANSACTION = 128


class Request(Struct, frozen=True):
    """A command, and the line of the match that its sender saw (None: the sender did not say)."""

    command: Command
    at: int | None = None


class Bare(Struct, kw_only=True):
    """What every command takes. `transaction` comes back in the answer; `at` is the line of the match that you saw."""

    transaction: Annotated[str, Meta(max_length=_MAX_TRANSACTION)] | UnsetType | None = UNSET
    at: Ordinal | UnsetType | None = UNSET


class Body(Struct, frozen=True):
    """What one command takes: `json` are the types of an object, `example` is one that is understood.

    `text` is an example of plain text, "" where it must be empty, and None where it must be an object.
    """

    about: str
    json: tuple[type[Struct], ...]
    text: str | None
    example: Mapping[str, Any] = MappingProxyType({})  # Any: JSON


def _sent_fields(struct: type[Struct]) -> list[Any]:  # Any: as in msgspec.defstruct
    """The fields of a command as they are sent."""
    every = [(each.encode_name, each.type, each.required) for each in fields(struct)]
    return [(name, kind) if required else (name, kind | UnsetType, UNSET) for name, kind, required in every]


def _make_body(about: type[Struct], made: list[Any], name: str | None = None) -> type[Struct]:  # Any: as in _fields
    """The type of a body with these fields; `about` is the command whose name and description it has."""
    more = {"__doc__": about.__doc__}
    return msgspec.defstruct(name or about.__name__, made, bases=(Bare,), namespace=more, kw_only=True)


_GAME = _make_body(ChangePlan, _sent_fields(Wanted), "Game")
_Lines = Annotated[tuple[Mapping[str, Any], ...], Meta(max_length=MOST_LINES)]  # Any: JSON
_START = _make_body(
    Start,
    [
        ("oche", int | UnsetType, UNSET),
        *_sent_fields(make_optional(MatchSpec)),
        ("order", Literal["bull"] | UnsetType | None, UNSET),
        ("lines", _Lines | UnsetType, UNSET),
    ],
)
_AMENDS = (
    _make_body(Amend, [("amend", Ordinal), ("throw", str | None)], "AmendThrow"),
    _make_body(Amend, [("amend", Ordinal), *_sent_fields(Total)], "AmendTotal"),
    _make_body(Amend, [("amend", Ordinal), *_sent_fields(Choose)], "AmendChoice"),
)
ANYTHING = "anything"
"""The text of a command that needs none, and does not care."""
BODIES = {
    "next": Body("closes the visit; missing darts are entered as misses", (Bare,), ANYTHING),
    "undo": Body("takes back the latest input of any kind", (Bare,), ANYTHING),
    "redo": Body("repeats the input that was undone", (Bare,), ANYTHING),
    "miss": Body("enters a dart that hit nothing", (Bare,), ANYTHING),
    "game": Body(
        "plans the next match, step by step", (_GAME,), "burma_road", {"game": "x01", "options": {"start": 301}}
    ),
    "start": Body(
        "begins the planned match, or the one in the body; without `players` the planned players play it",
        (_START,),
        "",
        {"game": "x01", "players": ["Ann", "bot:45"]},
    ),
    "stop": Body("abandons the match; undo resumes it", (Bare,), ANYTHING),
    "retire": Body(
        "takes the side with this number, from 0, out of the match; the others play on; undo brings it back",
        (_make_body(Retire, _sent_fields(Retire)),),
        "1",
        {"retire": 1},
    ),
    "concede": Body(
        "gives the match to the side that is left when all others have left, so that it need not play on alone; undo "
        "resumes the match",
        (Bare,),
        ANYTHING,
    ),
    "choose": Body(
        "answers a question", (_make_body(Choose, _sent_fields(Choose)),), "pair", {"choose": "pair", "prompt": "row@5"}
    ),
    "throw": Body(
        "enters a dart; `double 16`, `25` or `BULL` are understood too, and stored as the id of the segment",
        (_make_body(Throw, [("throw", str), ("point", Point | UnsetType, UNSET)]),),
        "T20",
        {"throw": "T20"},
    ),
    "total": Body(
        "enters the points of several darts at once, in games that need not know the segments",
        (_make_body(Total, _sent_fields(Total)),),
        "60",
        {"total": 40, "darts": 2, "at_finish": 1},
    ),
    "lend": Body(
        "lends the board of this table to a match at the table with this name, whose plan names this one in `places`; "
        "an empty body, or null, ends that",
        (_make_body(Lend, _sent_fields(Lend)),),
        "north",
        {"lend": "north"},
    ),
    "sensor": Body(
        "answers what is asked about darts that a board has seen, or has the board start or reset",
        (_make_body(Sensor, _sent_fields(Sensor)),),
        "start",
        {"sensor": "take", "question": "2"},
    ),
    "amend": Body("corrects an earlier dart, total or answer", _AMENDS, None, {"amend": 2, "throw": "S20"}),
}
"""The commands by their names, as in topics."""


def decode_command(name: str, body: bytes) -> Request:
    """The command of this name with this body, and the `at` in it. Raises CommandError."""
    if name not in BODIES:
        raise CommandError(f"there is no command {name!r}{suggest_nearest(name, [*BODIES])}", "unknown")
    value = parse_body(body, _find_limit(name))
    if len(body) > MAX_BODY_BYTES and isinstance(value, dict):
        _check_length(msgspec.json.encode({key: inner for key, inner in value.items() if key != "lines"}))
    at = value.get("at") if isinstance(value, dict) else None
    if at is not None and (not isinstance(at, int) or isinstance(at, bool)):
        raise CommandError("at must be the line of the match that you saw, a whole number such as 17")
    return Request(_decode_named(name, value, body), at)


def decode_transaction(body: bytes, name: str = "") -> str | None:
    """What a request is known by, None when it does not say; its answer repeats it. Raises CommandError.

    `name` is that of a command.
    """
    try:
        value = parse_body(body, _find_limit(name))
    except CommandError:
        return None
    found = value.get("transaction") if isinstance(value, dict) else None
    if found is not None and not (isinstance(found, str) and len(found) <= _MAX_TRANSACTION):
        raise CommandError(f"transaction must be a text of at most {_MAX_TRANSACTION} characters, new for each request")
    return found


def _decode_named(name: str, value: Any, body: bytes) -> Command:
    if name in BARE:
        return BARE[name]
    if name == "miss":
        return Miss()
    if name in _OWN_DECODERS:
        return _OWN_DECODERS[name](value)
    if name == "game" and isinstance(value, dict):
        return ChangePlan(_as_command(read_wanted, value))
    if name == "amend" and not (isinstance(value, dict) and "amend" in value):
        raise CommandError('amend needs a body such as {"amend": 7, "throw": "S20"}')
    if not isinstance(value, dict):
        if value is None or value == "":
            raise CommandError(f"{name} needs a body")
        is_word = name not in ("retire", "total")  # also where it looks like a number
        value = {name: body.decode().strip() if is_word and not isinstance(value, str) else value}
    if name == "game":
        return ChangePlan(_as_command(read_wanted, value))
    if name not in value:
        raise CommandError(f"{name} needs a body with the key {name!r}")
    return _as_command(_decode_sent, {key: value[key] for key in _KEYS.get(name, (name, *ASIDE)) if key in value})


_KEYS: Mapping[str, tuple[str, ...]] = {
    "amend": ("amend", "throw", "total", "choose", *ASIDE),
    "throw": ("throw", "point"),
}
"""The keys of a body that are of the command, where they are others than its name and those aside: of what a sensor
knows of a dart, a program can say where it is."""


def _decode_sent(value: Mapping[str, Any]) -> Input:  # Any: JSON
    """The input in a body. A record may hold a point that is none; whoever sends one hears of it."""
    given = decode_line(value)
    if value.get("point") is not None and isinstance(given, Throw) and given.point is None:
        raise CommandError(
            "point must be two whole numbers: tenths of a millimetre from the centre, to the right and up, "
            f"at most {MOST_OFF} each"
        )
    return given


def _decode_start(value: Any) -> Start:  # Any: JSON
    header, order = _start_header(value), _decode_order(value)
    if isinstance(value, dict) and value.get("lines"):
        if header is None or "players" not in header or order is not None:
            raise CommandError("lines need the header of their match, with its players, and no order")
        return Start(_as_command(read_header, {"oche": 1, **header}), lines=_decode_lines(value["lines"]))
    if header is None:
        return Start(None, order)
    if "game" in header and "players" not in header:
        if alone := [each for each in PEOPLE if each in header]:
            what = " and ".join(alone)
            raise CommandError(
                f"{what} need players: name the players too, or leave out {what} to play with the planned players"
            )
        return Start(None, order, {"oche": 1, **header})
    return Start(_as_command(read_header, {"oche": 1, **header}), order)


def _decode_lend(value: Any) -> Lend:  # Any: JSON
    given = value if isinstance(value, dict) else {"lend": value}
    try:
        found = msgspec.convert({"lend": None, **{key: given[key] for key in ("lend", "ask") if key in given}}, Lend)
    except msgspec.ValidationError:
        raise CommandError('lend needs the name of a table, such as {"lend": "north"}, or null') from None
    return found


def _decode_sensor(value: Any) -> Sensor:  # Any: JSON
    given = value if isinstance(value, dict) else {"sensor": value}
    try:
        return msgspec.convert({key: given[key] for key in ("sensor", "question") if key in given}, Sensor)
    except msgspec.ValidationError:
        raise CommandError('sensor needs what to do: "take", "leave", "start" or "reset"') from None


_OWN_DECODERS: Mapping[str, Callable[[Any], Command]] = {  # Any: JSON
    "start": _decode_start,
    "lend": _decode_lend,
    "sensor": _decode_sensor,
}
"""Of the commands that are no line of a record."""


def _as_command(decode: Callable[[dict[str, Any]], T], value: dict[str, Any]) -> T:  # Any: JSON
    """What `decode` makes of it; what is wrong is a CommandError."""
    try:
        return decode(value)
    except (IllegalInput, Unreadable) as error:
        raise CommandError(error.said) from None


def _decode_lines(given: Any) -> tuple[Input, ...]:  # Any: JSON
    if not isinstance(given, list) or not all(isinstance(line, dict) for line in given):
        raise CommandError('lines must be a list of lines such as {"throw": "T20"}')
    if len(given) > MOST_LINES:
        raise CommandError(f"there are {len(given)} lines; {MOST_LINES} are the limit")
    found = list[Input]()
    for number, line in enumerate(given, 2):
        try:
            found.append(decode_line(strip_line(line)))
        except (IllegalInput, Unreadable) as error:
            raise CommandError(f"line {number}: {error.said}") from None
    return tuple(found)


_BESIDE_HEADER = ("transaction", "at", "start", "order", "lines")
"""The keys of a start that are not of the header."""


def _start_header(value: Any) -> dict[str, Any] | None:
    if not isinstance(value, dict):
        if value not in (None, ""):
            raise CommandError(
                "start needs the header of a match record, or an empty body to play the same match again"
            )
        return None
    if isinstance(value.get("start"), dict):
        return dict(value["start"])
    header = {key: inner for key, inner in value.items() if key not in _BESIDE_HEADER}
    return header or None


def _decode_order(value: Any) -> str | None:
    order = value.get("order") if isinstance(value, dict) else None
    if order is not None and not isinstance(order, str):
        raise CommandError('order must be a word such as "bull"')
    return order


def _find_limit(name: str) -> int:
    """How many bytes the body of this command may have."""
    return MAX_START_BYTES if name == "start" else MAX_BODY_BYTES


def _check_length(body: bytes, most: int = MAX_BODY_BYTES) -> None:
    if len(body) > most:
        raise CommandError(f"the body has {len(body)} bytes; {most} are the limit")


def parse_body(body: bytes, most: int = MAX_BODY_BYTES) -> Any:  # Any: JSON
    """Returns the value of a body: what JSON says, the text where it is none, None where it is empty.

    Raises CommandError, also for one of more than `most` bytes.
    """
    _check_length(body, most)
    try:
        text = body.decode().strip()
    except UnicodeDecodeError:
        raise CommandError("the body is not UTF-8 text") from None
    if not text:
        return None
    try:
        check_depth(text.encode())
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        if text[0] in '{["':
            raise CommandError("the body begins like JSON, but is not valid JSON") from None
        return text
    except ValueError as error:
        raise CommandError(str(error)) from None
