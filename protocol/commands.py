"""What can be asked of a table: one type for each command, in the words of the match record.

The same values are the lines of a record, what comes in over MQTT and from the page, and what the referee rules on; the
JSON Schemas of the bodies are made from their fields. A line of a record is decoded strictly. The body of a command is
decoded forgivingly in its form (plain text where JSON is a burden) and strictly in its meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, get_args

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, field
from msgspec.structs import fields

from protocol.match_spec import MatchSpec, Unreadable, Wanted, make_optional, read_header, read_wanted
from protocol.numbers import Index, Ordinal
from protocol.sentence import Refusal, Sentence, Value, say
from protocol.spelling import suggest_nearest

T = TypeVar("T")

MAX_BODY_BYTES = 8192
_MAX_TRANSACTION = 128

Phase = Literal["throwing", "deciding", "takeout", "over"]
"""What a match waits for: a dart, an answer, the next visit, or nothing."""
ErrorCode = Literal["illegal", "stale", "unknown", "busy", "invalid", "unavailable"]
OptionsAre = Literal["cards", "moves", "rows", "segments"]
"""What the options of a question name; see protocol.messages.Prompt."""


class IllegalInput(Refusal):
    """Not legal here; the text is the reason."""


def refuse(key: str, template: str, **values: Value) -> IllegalInput:
    """Returns the error with this sentence, as `say` makes it."""
    return IllegalInput(say(key, template, **values))


class CommandError(Refusal):
    """A command that is not obeyed; `code` is one of the contract's error codes."""

    def __init__(self, said: str | Sentence, code: ErrorCode = "invalid") -> None:
        super().__init__(said)
        self.code: ErrorCode = code


class Throw(Struct, frozen=True):
    """A dart, by its segment."""

    segment: str = field(name="throw")


class Total(Struct, frozen=True, omit_defaults=True):
    """The points of several darts together, where their beds are not known: `darts` of them, else all that are left.

    `at_finish`: how many of them were thrown at a finish (at a double); left out, the one that hit it. `bust`: they
    were bust, whatever they came to; `total` is 0 then.
    """

    points: Index = field(name="total")
    darts: Ordinal | None = None
    at_finish: Index | None = None
    bust: bool = False


class Next(Struct, frozen=True):
    """The darts are out: close the visit."""


class Choose(Struct, frozen=True, omit_defaults=True):
    """An answer; without `prompt` to the oldest open question."""

    answer: str = field(name="choose")
    prompt: str | None = None


class Numbers(Struct, frozen=True):
    """How many numbers an answer is made of, with a space between them, and the lowest and highest of each."""

    count: Ordinal
    low: int
    high: int


class Undo(Struct, frozen=True):
    """Take back the latest input; without `undo_all` in the header the latest throw, next, choose or amend."""


class Redo(Struct, frozen=True):
    """Bring back what undo took."""


class Amend(Struct, frozen=True):
    """The throw, total or answer of that line was really this one; `throw` null: there was no dart."""

    line: Ordinal
    was: Throw | Total | Choose | None


class Retire(Struct, frozen=True):
    """The side that leaves; the others play on."""

    side: Index = field(name="retire")


class Stop(Struct, frozen=True):
    """The match is abandoned."""


class Miss(Struct, frozen=True):
    """A dart that no sensor saw: a throw at the miss of the board's layout."""


class ChangePlan(Struct, frozen=True):
    """What the next `start` begins; what is left out stays as it was.

    But another game brings its own options, other players their own teams, and other teams their own names.
    """

    wanted: Struct


class Start(Struct, frozen=True):
    """The header of a match record: this match; nothing of it: the match that is planned.

    `oche` is the version of the record, `bots` the level of each player who is one, `seed` decides dice and cards.
    `undo_all` is true in every new match, also where it is false here: undo takes back `stop` and `retire` too.
    With the `order` bull the sides first throw for it, a dart each at the bull, and the next start begins the match.
    """

    spec: MatchSpec | None = None
    order: str | None = None


Input = Throw | Total | Next | Choose | Undo | Redo | Amend | Retire | Stop
"""A line of a match record after its header."""
Command = Input | Miss | ChangePlan | Start
"""What a table can be asked to do."""
_WORDS: Mapping[type[Input], str] = {kind: kind.__name__.lower() for kind in get_args(Input)}
INPUT_WORDS = tuple(_WORDS.values())
"""The keys of the lines of a match record after its header."""
_ASIDE = ("prompt", "darts", "at_finish", "bust")
"""The keys that stand beside such a key in a line."""
_BARE: Mapping[str, Next | Undo | Redo | Stop] = {_WORDS[kind]: kind() for kind in get_args(Input) if not fields(kind)}
"""The inputs that are a word alone."""


class Request(NamedTuple):
    """A command, and the line of the match that its sender saw (None: the sender did not say)."""

    command: Command
    at: int | None = None


class Bare(Struct, kw_only=True):
    """What every command takes. `transaction` comes back in the answer; `at` is the line of the match that you saw."""

    transaction: Annotated[str, Meta(max_length=_MAX_TRANSACTION)] | UnsetType | None = UNSET
    at: Ordinal | UnsetType | None = UNSET


class Body(NamedTuple):
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
_START = _make_body(
    Start,
    [
        ("oche", int | UnsetType, UNSET),
        *_sent_fields(make_optional(MatchSpec)),
        ("order", Literal["bull"] | UnsetType | None, UNSET),
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
    "next": Body("closes the visit; darts that no sensor saw are written down as misses", (Bare,), ANYTHING),
    "undo": Body("takes back the latest input of any kind", (Bare,), ANYTHING),
    "redo": Body("brings it again", (Bare,), ANYTHING),
    "miss": Body("a dart that no sensor saw", (Bare,), ANYTHING),
    "game": Body(
        "plans the next match, step by step", (_GAME,), "burma_road", {"game": "x01", "options": {"start": 301}}
    ),
    "start": Body(
        "begins the match that is planned, or this one", (_START,), "", {"game": "x01", "players": ["Ann", "bot:45"]}
    ),
    "stop": Body("abandons the match; undo resumes it", (Bare,), ANYTHING),
    "retire": Body(
        "a side leaves, the others play on; undo brings it back",
        (_make_body(Retire, _sent_fields(Retire)),),
        "1",
        {"retire": 1},
    ),
    "choose": Body(
        "answers a question", (_make_body(Choose, _sent_fields(Choose)),), "pair", {"choose": "pair", "prompt": "row@5"}
    ),
    "throw": Body("a dart", (_make_body(Throw, _sent_fields(Throw)),), "T20", {"throw": "T20"}),
    "total": Body(
        "the points of all darts of a visit together, in games that need no beds",
        (_make_body(Total, _sent_fields(Total)),),
        "60",
        {"total": 40, "darts": 2, "at_finish": 1},
    ),
    "amend": Body("corrects an earlier dart, total or answer", _AMENDS, None, {"amend": 2, "throw": "S20"}),
}
"""The commands by their names, as in topics."""


def decode_line(value: Mapping[str, Any]) -> Input:  # Any: JSON
    """The input on a line. Raises Unreadable (none of the known keys) or IllegalInput (a value that cannot be)."""
    words = [word for word in value if word in INPUT_WORDS]
    if "amend" in words:
        words = ["amend"]
    if not words:
        raise Unreadable(f"none of the keys {', '.join(INPUT_WORDS)}")
    if len(words) > 1:
        raise IllegalInput(f"one input a line, not {' and '.join(words)}")
    word, given = words[0], value[words[0]]
    match word:
        case "throw":
            return Throw(_require_text(given, "throw", "a segment such as T20"))
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
    return _BARE[word]


def encode_line(given: Input) -> dict[str, Any]:  # Any: JSON
    """The line an input is stored as."""
    match given:
        case Throw() | Total() | Choose() | Retire():
            written: dict[str, Any] = msgspec.to_builtins(given)  # Any: JSON
            return written
        case Amend(line, was):
            return {"amend": line, **({"throw": None} if was is None else encode_line(was))}
    return {_WORDS[type(given)]: True}


def decode_command(name: str, body: bytes) -> Request:
    """The command of this name with this body, and the `at` in it. Raises CommandError."""
    if name not in BODIES:
        raise CommandError(f"there is no command {name!r}{suggest_nearest(name, [*BODIES])}", "unknown")
    if len(body) > MAX_BODY_BYTES:
        raise CommandError(f"the body has {len(body)} bytes; {MAX_BODY_BYTES} are the limit")
    value = _parse_body(body)
    at = value.get("at") if isinstance(value, dict) else None
    if at is not None and (not isinstance(at, int) or isinstance(at, bool)):
        raise CommandError("at must be the line of the match that you saw, a whole number such as 17")
    return Request(_decode_named(name, value, body), at)


def decode_transaction(body: bytes) -> str | None:
    """What a request is known by, None when it does not say; its answer repeats it. Raises CommandError."""
    try:
        value = _parse_body(body) if len(body) <= MAX_BODY_BYTES else None
    except CommandError:
        return None
    found = value.get("transaction") if isinstance(value, dict) else None
    if found is not None and not (isinstance(found, str) and len(found) <= _MAX_TRANSACTION):
        raise CommandError(f"transaction must be a text of at most {_MAX_TRANSACTION} characters, new for each request")
    return found


def _decode_named(name: str, value: Any, body: bytes) -> Command:
    if name in _BARE:
        return _BARE[name]
    if name == "miss":
        return Miss()
    if name == "start":
        header = _start_header(value)
        return Start(None if header is None else _as_command(read_header, {"oche": 1, **header}), _decode_order(value))
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
    return _as_command(
        decode_line, value if name == "amend" else {key: value[key] for key in (name, *_ASIDE) if key in value}
    )


def _as_command(decode: Callable[[dict[str, Any]], T], value: dict[str, Any]) -> T:  # Any: JSON
    """What `decode` makes of it; what is wrong is a CommandError."""
    try:
        return decode(value)
    except (IllegalInput, Unreadable) as error:
        raise CommandError(error.said) from None


def _start_header(value: Any) -> dict[str, Any] | None:
    if not isinstance(value, dict):
        if value not in (None, ""):
            raise CommandError("start needs a match record's header, or an empty body for the same again")
        return None
    if isinstance(value.get("start"), dict):
        return dict(value["start"])
    header = {key: inner for key, inner in value.items() if key not in ("transaction", "at", "start", "order")}
    return header or None


def _decode_order(value: Any) -> str | None:
    order = value.get("order") if isinstance(value, dict) else None
    if order is not None and not isinstance(order, str):
        raise CommandError('order must be a word such as "bull"')
    return order


def _parse_body(body: bytes) -> Any:
    try:
        text = body.decode().strip()
    except UnicodeDecodeError:
        raise CommandError("the body is not UTF-8 text") from None
    if not text:
        return None
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        if text[0] in '{["':
            raise CommandError("the body begins like JSON and is none") from None
        return text


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
    return (
        None
        if value["throw"] is None
        else Throw(_require_text(value["throw"], "throw", "a segment such as T20, or null"))
    )


def _require_text(given: object, word: str, wanted: str) -> str:
    if not isinstance(given, str):
        raise IllegalInput(f"{word} must be {wanted}")
    return given


def _require_number(given: object, word: str, wanted: str) -> int:
    if not isinstance(given, int) or isinstance(given, bool):
        raise IllegalInput(f"{word} must be {wanted}")
    return given
