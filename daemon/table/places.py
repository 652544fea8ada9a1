"""A match in two places: which side throws at which table, and what has been decided of the inputs of other tables.

A side that sits elsewhere throws there: only its table throws, misses, totals, answers and says next for it. Each table
may undo what was entered there last; whatever touches more (an amend, a retire, a stop, and undo and redo of such) is
done when all tables of the match have asked for it.

Inputs of another table are numbered. They are decided once, in their order: of a repeated one, and of one that comes
before those that it follows, nothing happens. The number is part of the source of a line, so that the journal has it
with the line that it is of. Values alone, loaded with the first such match.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from daemon.journal.lines import Line
from daemon.table.effects import Away
from engine.match import Match
from protocol.commands import (
    Amend,
    Choose,
    Command,
    CommandError,
    Concede,
    Input,
    Join,
    Leave,
    Miss,
    Next,
    Redo,
    Retire,
    Start,
    Stop,
    Throw,
    Total,
    Undo,
    encode_line,
)
from protocol.match_spec import MatchSpec, Unreadable
from protocol.messages import Place, Wish
from protocol.sentence import Sentence, say

S = TypeVar("S", bound=Struct)

WISH_NS = 60_000_000_000
"""How long all have time to ask for the same."""
GONE_NS = 60_000_000_000
"""A table that has been away for so long is asked no more before a match is stopped."""
_OF_VISIT = (Throw, Miss, Total, Next)
_OWN = (Throw, Total, Next, Choose)
"""What each table takes back where it was entered there."""
_FOR_ALL = (Amend, Retire, Concede, Stop)


class PlaceSender(Struct, frozen=True):
    """Another table, and the number of its input in its session; all before `first` are acknowledged.

    `visit` is the visit that the input is for; None: whichever is at the oche. `is_timer`: no person wrote it.
    """

    table: str
    session: str
    seq: int
    first: int = 1
    visit: int | None = None
    is_timer: bool = False

    def __str__(self) -> str:
        return f"table {self.table} {self.session} {self.seq}" + (" timer" if self.is_timer else "")


class Decided(Struct, frozen=True):
    """The inputs of this session up to this number are decided."""

    session: str
    seq: int


class Wanted(Struct, frozen=True):
    """What some tables (None: this one) have asked for, until when the others can agree."""

    command: Input
    by: frozenset[str | None]
    until: int


class Places(Struct, frozen=True):
    """The places of one match. `sides` has the table of each side, None for this one.

    `joined` are the other tables that play along, `left` those that do not.
    """

    sides: tuple[str | None, ...]
    decided: Mapping[str, Decided] = MappingProxyType({})
    former: frozenset[str] = frozenset()
    """Sessions that another one has taken the place of."""
    joined: frozenset[str] = frozenset()
    left: frozenset[str] = frozenset()
    wanted: Wanted | None = None
    unanswered: Wanted | None = None
    """The last stop that no other table has agreed to in time, if nothing has come from any since."""


def resume_places(spec: MatchSpec, lines: Iterable[Line]) -> Places | None:
    """The places of a match as its lines have them; None where all play at one table."""
    if spec.places is None:
        return None
    places = Places(spec.places)
    for line in lines:
        sender = read_source(line.source)
        if sender is not None and sender.table in places.sides:
            places = _note(places, sender)
    return places


def read_source(source: str) -> PlaceSender | None:
    """The table that a line of the journal came from; None: from this one."""
    words = source.split(" ")
    if len(words) not in (4, 5) or words[0] != "table" or not words[3].isdecimal():
        return None
    return PlaceSender(words[1], words[2], int(words[3]), is_timer=words[4:] == ["timer"])


def check_places(spec: MatchSpec, *, has_secrets: bool) -> MatchSpec:
    """The header with its places, None where all play here. Raises Unreadable for what cannot be played in two."""
    places = spec.places
    if places is None or not any(places):
        return replace(spec, places=None)
    sides = spec.seating.sides
    if len(places) != len(sides):
        raise Unreadable(f"places has {len(places)} tables for {len(sides)} sides: write null for this table")
    if has_secrets:
        raise Unreadable(say("refused.places_hands", "a game with hidden hands is played at one table"))
    if all(places):
        raise Unreadable(say("refused.places_all", "one side must play at this table"))
    for side, table in zip(sides, places, strict=True):
        for seat in side.seats if table is not None else ():
            if spec.bot(seat) is not None:
                name = spec.players[seat]
                raise Unreadable(say("refused.places_bot", "{name} must play at this table", name=name))
    return spec


def name_here(spec: S, own: str) -> S:
    """A header, or what is wanted of one, with None for the name of this table among its places."""
    places = getattr(spec, "places", None)
    if not places:
        return spec
    return replace(spec, places=tuple(None if table == own else table for table in places))


def take(places: Places | None, sender: PlaceSender) -> Places | None:
    """The places once this input is decided; None: it must not be, as it was before, or others come first."""
    if places is None or sender.table not in places.sides or sender.session in places.former:
        return None
    known = places.decided.get(sender.table)
    if known is None or known.session != sender.session:
        return _note(places, sender) if sender.seq == sender.first else None
    return _note(places, sender) if sender.seq == max(known.seq, sender.first - 1) + 1 else None


def _note(places: Places, sender: PlaceSender) -> Places:
    known, former = places.decided.get(sender.table), places.former
    if known is not None and known.session != sender.session:
        former |= {known.session}
    decided = {**places.decided, sender.table: Decided(sender.session, sender.seq)}
    joined = places.joined | {sender.table}
    return replace(places, decided=decided, former=former, joined=joined, unanswered=None)


def _enter_or_leave(places: Places, sender: PlaceSender, command: Join | Leave) -> Places:
    """With this table playing along, or not."""
    its = {sender.table}
    if isinstance(command, Join):
        return replace(places, joined=places.joined | its, left=places.left - its)
    return replace(places, joined=places.joined - its, left=places.left | its)


def ask_again(places: Places, table: str) -> Places:
    """With this table, which was away, to be asked: who has left meanwhile, or lost what it knew, says nothing."""
    return replace(places, joined=places.joined - {table})


def end_wish(places: Places) -> Places:
    """Once the time is over in which the others could agree."""
    wanted = places.wanted
    is_stop = wanted is not None and isinstance(wanted.command, Stop)
    return replace(places, wanted=None, unanswered=wanted if is_stop else None)


def find_place(sender: object) -> str | None:
    """The table that a sender is at; None: this one."""
    return sender.table if isinstance(sender, PlaceSender) else None


def explain_elsewhere(places: Places, match: Match, given: Input, sender: object) -> Sentence | None:
    """Why this input is not for this sender to enter; None: it is, or is no input of a visit."""
    side = _find_side(match, given)
    if side is None or places.sides[side] == find_place(sender):
        return None
    return _say_where(places, match, side)


def _find_side(match: Match, given: Input) -> int | None:
    """The side whose input this is; None where it is of no visit, or the match is over."""
    position = match.position
    if position.over or not isinstance(given, _OWN):
        return None
    if isinstance(given, Choose):
        prompt = next((each for each in position.prompts if given.prompt in (None, each.id)), None)
        if prompt is not None:
            return next(n for n, side in enumerate(match.seating.sides) if prompt.seat in side.seats)
    return position.visit.side


def _say_where(places: Places, match: Match, side: int) -> Sentence:
    name, table = match.seating.sides[side].name, places.sides[side]
    if table is None:
        return say("refused.side_here", "{name} plays at the other table", name=name)
    return say("refused.side_elsewhere", "{name} plays at the table {table}", name=name, table=table)


def _check_visit(match: Match, sender: PlaceSender, command: Command) -> None:
    """Refuses what was meant for another visit than the one at the oche. Raises CommandError."""
    if isinstance(command, _OF_VISIT) and sender.visit not in (None, match.position.visit.number):
        raise CommandError(say("refused.late_visit", "it was thrown for a visit that is over"), "illegal")


def judge(
    places: Places, match: Match, command: Command, sender: object, now: int, away: Mapping[str, Away]
) -> tuple[Places, bool]:
    """The places after this command, and whether it is to be carried out now. Raises CommandError.

    It is not where other tables have to agree first, and where it is about the places alone.
    """
    if isinstance(command, Start):
        _check_start(places, match, now, away)
    if isinstance(sender, PlaceSender):
        if isinstance(command, Join | Leave):
            return _enter_or_leave(places, sender, command), False
        _check_visit(match, sender, command)
    return _ask_all(places, match, command, sender, now, away)


def _check_start(places: Places, match: Match, now: int, away: Mapping[str, Away]) -> None:
    """Refuses to begin another match while this one goes on and others play along. Raises CommandError."""
    if match.line > 1 and not match.position.over and len(_list_asked(places, Stop(), now, away)) > 1:
        raise CommandError(say("refused.stop_first", "the match goes on: stop it first, at both tables"), "illegal")


def _ask_all(
    places: Places, match: Match, command: Command, sender: object, now: int, away: Mapping[str, Away]
) -> tuple[Places, bool]:
    """Whether a command may be carried out now, and what was asked for after it. Raises CommandError.

    What touches only what was entered at the place of the sender may; all else waits until the others ask for it too.
    """
    target: Input | None
    if isinstance(command, Undo | Redo):
        entry = match.find_undone() if isinstance(command, Undo) else match.find_redone()
        if entry is None:
            return places, True  # the referee refuses it
        if isinstance(entry.input, _OWN):
            if places.sides[entry.visit[1]] == find_place(sender):
                return replace(places, wanted=None), True
            raise CommandError(_say_where(places, match, entry.visit[1]), "illegal")
    elif not isinstance(command, _FOR_ALL):
        return places, True
    target = command
    wanted = places.wanted
    by = {find_place(sender)} | (wanted.by if wanted is not None and wanted.command == target else set())
    if by >= _list_asked(places, target, now, away) or _is_unheard(places, target, by):
        return replace(places, wanted=None), True
    return replace(places, wanted=Wanted(target, frozenset(by), now + WISH_NS)), False


def _is_unheard(places: Places, command: Input, by: set[str | None]) -> bool:
    """Whether the others had a minute to agree to a stop, and nothing has come from them since it was asked for."""
    return isinstance(command, Stop) and places.unanswered is not None and not by.isdisjoint(places.unanswered.by)


def _list_asked(places: Places, command: Input, now: int, away: Mapping[str, Away]) -> set[str | None]:
    """The tables that must agree. Of a table that is gone a match can be stopped, lest it holds this one for ever."""
    asked = {table for table in places.sides if table is None or table in places.joined}
    if isinstance(command, Stop):
        gone = {table for table, each in away.items() if each.since_ns is not None and now - each.since_ns >= GONE_NS}
        asked -= gone
    return asked


def describe_places(places: Places, own: str, away: Mapping[str, Away]) -> tuple[Place, ...]:
    """Where the sides throw, as it is shown."""
    return tuple(
        Place(own, "here") if table is None else _describe(places, table, away.get(table)) for table in places.sides
    )


def _describe(places: Places, table: str, away: Away | None) -> Place:
    known = places.decided.get(table)
    shown = Place(table, "asked") if known is None else Place(table, "asked", known.session, known.seq)
    if table in places.left:
        return replace(shown, board="left")
    if table not in places.joined:
        return shown
    if away is None or away.since_ns is not None:
        return replace(shown, board="away")
    return replace(shown, board="online" if away.is_board_online else "offline")


def describe_wish(places: Places, own: str) -> Wish | None:
    """What is asked for, as it is shown."""
    wanted = places.wanted
    if wanted is None:
        return None
    return Wish(tuple(sorted(table or own for table in wanted.by)), encode_line(wanted.command))
