"""What happens, as a closed set of values: displays, lamps and sounds react to a type, never to prose.

This is the only table of facts. The tag of a type is its `event_type`, its first sentence is its description, its
fields are what it carries, and `rank` and `tone` say how it is shown and heard. The engine and the table make them; the
events that go out, their schema, the choices of Home Assistant, the page's ranks and tones and the terminal's lines
follow from here.
A game makes Bust, Halved, Closed, Claimed, LifeLost, Eliminated and Award; the referee and the journal make the rest of
a match.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple

from msgspec import UNSET, Meta, Struct, UnsetType, convert, defstruct, to_builtins
from msgspec.structs import fields

from protocol.match_spec import Index, Ordinal

Tone = Literal["low", "high", "rising", "won"]


class Fact(Struct, frozen=True, kw_only=True, tag_field="event_type", gc=False):
    """What happened to a side (None: to the match, the table or its board).

    `rank`: the greatest of what one dart led to is flashed large on the page, with its `tone`; 0 passes quietly.
    `shared` is what its event carries beside its own fields, `if_known` what it carries where that can be told.
    """

    side: int | None = None
    rank: ClassVar[int] = 0
    tone: ClassVar[Tone | None] = None
    shared: ClassVar[tuple[str, ...]] = ("match", "line", "side", "player")
    if_known: ClassVar[tuple[str, ...]] = ()


_OF_THE_MATCH = ("match", "line")


class BoardHit(Fact, frozen=True, tag="hit"):
    """The board reported a hit, whether or not it counts."""

    segment: str
    shared = ()


class Dart(Fact, frozen=True, tag="dart"):
    """A dart was scored; `score` is the score of the side after it. `points` is the dart's face value."""

    segment: str
    points: int
    score: int


class Visit(Fact, frozen=True, tag="visit"):
    """The visit is complete; `points` is what it was worth, and `checkout` is true if it finished the score."""

    points: int
    darts: tuple[str, ...]
    checkout: bool | UnsetType = UNSET


class Bust(Fact, frozen=True, tag="bust"):
    """The visit does not count."""

    rank, tone = 6, "low"


class Halved(Fact, frozen=True, tag="halved"):
    """The score was halved."""

    rank, tone = 3, "low"


class Closed(Fact, frozen=True, tag="closed"):
    """A target was closed."""

    target: str
    rank, tone = 1, "high"


class Claimed(Fact, frozen=True, tag="claimed"):
    """A cell, a row or a ball was taken."""

    cell: str
    rank, tone = 2, "high"


class LifeLost(Fact, frozen=True, tag="life_lost"):
    """A side lost this many `lives`; while the owner is hidden, only `target` is sent: the owner's number."""

    lives: Annotated[int, Meta(ge=1)]
    target: str | UnsetType = UNSET
    rank, tone, shared, if_known = 4, "low", _OF_THE_MATCH, ("side", "player")


class Eliminated(Fact, frozen=True, tag="eliminated"):
    """The side is out of the leg."""

    rank, tone = 7, "low"


class Award(Fact, frozen=True, tag="award"):
    """Something to celebrate, such as `180` or `hat_trick`; `great` is true for the rarest."""

    award: str
    great: bool | UnsetType = UNSET
    rank, tone = 5, "high"


class MatchDartMissed(Fact, frozen=True, tag="match_dart_missed"):
    """In a match of several legs, `missed` darts of this visit would have won the match, and did not hit."""

    missed: Annotated[int, Meta(ge=1)]
    rank, tone = 6, "low"


class BadgeEarned(Fact, frozen=True, tag="badge"):
    """The player has earned a badge, or the next tier of it; told after the match, by the table."""

    badge: str
    tier: Annotated[int, Meta(ge=1, le=3)]
    rank, tone = 5, "high"


class LeadTaken(Fact, frozen=True, tag="lead_taken"):
    """The side has passed the one that led until now; looked at when a round is over."""


class Comeback(Fact, frozen=True, tag="comeback", rename={"behind": "from"}):
    """The side won a leg or the match after it had been far behind: by `from`, counted as `of` says."""

    behind: Annotated[int, Meta(ge=1)]
    of: Literal["points", "rounds", "legs", "sets"]
    rank, tone = 7, "rising"


class LegWon(Fact, frozen=True, tag="leg_won"):
    """The side won the leg."""

    rank, tone = 8, "rising"


class SetWon(Fact, frozen=True, tag="set_won"):
    """The side won the set."""

    rank, tone = 9, "rising"


class MatchWon(Fact, frozen=True, tag="match_won"):
    """The match is over; several `winners` share it, and an empty list means that nobody won."""

    winners: tuple[Index, ...]
    rank, tone, shared = 10, "won", _OF_THE_MATCH


class TurnChanged(Fact, frozen=True, tag="turn_changed"):
    """It is this side's turn."""


class TakeoutStarted(Fact, frozen=True, tag="takeout_started"):
    """The visit is over: pull the darts."""


class TakeoutFinished(Fact, frozen=True, tag="takeout_finished"):
    """The darts have been pulled."""


class PromptOpened(Fact, frozen=True, tag="prompt"):
    """A question was asked; its text is in the state. Its options can be secret, so they are not in the event."""

    id: str
    seat: Index


class Corrected(Fact, frozen=True, tag="corrected"):
    """The input on that line was changed or restored; only the state shows what follows from it."""

    line: int
    shared = _OF_THE_MATCH


class Undone(Fact, frozen=True, tag="undone"):
    """The input on that line was taken back."""

    line: int
    shared = _OF_THE_MATCH


class MatchStarted(Fact, frozen=True, tag="match_started"):
    """A match began."""

    game: str
    shared = _OF_THE_MATCH


class MatchStopped(Fact, frozen=True, tag="match_stopped"):
    """The match was abandoned."""

    shared = _OF_THE_MATCH


class Retired(Fact, frozen=True, tag="retired"):
    """The side left the match."""


class Stray(Fact, frozen=True, tag="stray"):
    """The board reported a hit that does not count."""

    segment: str
    shared = ()


class BoardOnline(Fact, frozen=True, tag="board_online"):
    """The board is connected."""

    shared = ()


class BoardOffline(Fact, frozen=True, tag="board_offline"):
    """The board is no longer connected."""

    shared = ()


class BoardProblem(Fact, frozen=True, tag="board_problem"):
    """A segment is stuck; not every board says which."""

    problem: str
    segment: str | UnsetType = UNSET
    shared = ()


FACTS = {str(kind.__struct_config__.tag): kind for kind in Fact.__subclasses__()}
"""Every type of fact by its `event_type`, in the order of the contract."""


class EventHead(Struct, frozen=True, kw_only=True):
    """What an event carries beside the fields of its fact."""

    event_type: str
    """A key of FACTS: its type says which of the fields of an event are there."""
    session: str
    seq: Ordinal
    match: str | UnsetType = UNSET
    line: Ordinal | UnsetType = UNSET
    side: Index | UnsetType = UNSET
    player: str | UnsetType = UNSET


def collect_fields(kinds: Iterable[type[Fact]]) -> dict[str, Any]:  # Any: type expressions
    """The fields that these facts have beside those of the head, each with its type or nothing.

    Raises TypeError for a field that two of them have with different types.
    """
    found: dict[str, Any] = {}  # Any: as above
    for kind in kinds:
        for field in fields(kind):
            if field.name in EventHead.__struct_fields__:
                continue
            there = field.type | UnsetType
            if found.setdefault(field.encode_name, there) != there:
                raise TypeError(f"the field {field.encode_name} of {kind.__name__} is of another type in another fact")
    return found


_EVENT = "One thing that happened; never sent twice. Each type carries the fields that the contract lists for it."
if TYPE_CHECKING:

    class Event(EventHead, frozen=True, kw_only=True):
        """One thing that happened; made below."""

        def __getattr__(self, field: str) -> Any: ...  # Any: as the fact says
else:
    Event = defstruct(
        "Event",
        [(name, kind, UNSET) for name, kind in collect_fields(FACTS.values()).items()],
        bases=(EventHead,),
        module=__name__,
        namespace={"__doc__": _EVENT},
        frozen=True,
        kw_only=True,
    )


def make_event(fact: Fact, **shared: object) -> Event:
    """The event of this fact. Raises ValidationError for a value that the contract does not know."""
    own: dict[str, object] = to_builtins(fact)
    if fact.side is None:
        del own["side"]
    return convert({"session": "", "seq": 1, **shared, **own}, Event)


class FactDescription(NamedTuple):
    """What an event of one type carries beside `event_type`, `session` and `seq`.

    `fields` are always there, `optional` where they are known.
    """

    about: str
    fields: tuple[str, ...]
    optional: tuple[str, ...] = ()


def describe_fact(kind: type[Fact]) -> FactDescription:
    """What an event of this type says and carries."""
    about = (kind.__doc__ or "").partition(".")[0]
    own = [each for each in fields(kind) if each.name not in ("side", *kind.shared)]
    optional = (*kind.if_known, *(each.encode_name for each in own if not each.required))
    required = (*kind.shared, *(each.encode_name for each in own if each.required))
    return FactDescription(about[:1].lower() + about[1:], required, optional)
