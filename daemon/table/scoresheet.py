"""The scoresheet of a table: the current match, line by line, who may write on it, and the plan of the next one.

A seat answers its own questions, and a bot plays its own darts and no others: a command is judged by where it came from
(its Sender). Whether it is legal in the match is for the referee to say.

A line is ruled on in memory; what followed is returned. When the rules of a game fail on it, the match stays as it was
before that line: see daemon/rules.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Union

from msgspec import UNSET, Struct

from daemon.journal.lines import Begin, Line, Planned
from daemon.rules import Guard, RulesFailed
from daemon.snapshot import MatchStates, make_states
from daemon.table.effects import Effects
from daemon.table.matches import (
    Draw,
    OpenMatch,
    begin,
    change_plan,
    check_game,
    describe_plan,
    find_following,
    load_plan,
)
from engine.game import Game
from engine.match import Match, Outcome, make_events
from engine.order import find_decider
from protocol import messages
from protocol.commands import (
    ChangePlan,
    Command,
    CommandError,
    IllegalInput,
    Input,
    Start,
    Stop,
    Throw,
    Total,
    encode_line,
)
from protocol.events import Hit, Unread
from protocol.facts import Event, MatchStarted, make_event
from protocol.match_spec import (
    MatchSpec,
    Unreadable,
    read_for_people_of,
    write_header,
    write_without_people,
)
from protocol.player_names import MAX_NAME, list_cut_names
from protocol.player_words import spell_bot_name
from protocol.segment import Layout
from protocol.sentence import Sentence, say

if TYPE_CHECKING:
    from daemon.table.places import Places, PlaceSender


class SeatSender(Struct, frozen=True):
    """The phone, or the MQTT client, of the player in this seat (from 0), who may see what is secret to others."""

    seat: int

    def __str__(self) -> str:
        return f"seat {self.seat}"


Sender = Union[Literal["board", "button", "timer", "hits", "sensor", "page", "mqtt", "bot"], SeatSender, "PlaceSender"]
"""Where an input comes from. Its text is the `source` of the line in the journal. `sensor`: the board has seen that the
darts were pulled."""


class SheetCheckpoint(NamedTuple):
    """What `roll_back` restores."""

    opened: OpenMatch
    match: dict[str, Any]  # Any: as in Match.checkpoint
    states: MatchStates
    following: MatchSpec
    next: MatchSpec
    kept: MatchSpec | None


class Scoresheet:
    """The scoresheet of one table; `draw` makes the ids and seeds of its matches, which are played on its `layout`.

    All rules are called through the `guard`. Raises Unreadable for a match that cannot be played.
    """

    def __init__(self, opened: OpenMatch, layout: Layout, draw: Draw, guard: Guard) -> None:
        self._layout = layout
        """A match that was begun before the table got another dartboard has that of then."""
        self._draw = draw
        self._guard = guard
        self._last_withdrawn: SheetCheckpoint | None = None
        """The last match of a withdrawn game that was left for another, as it was then."""
        self.open(opened)

    @property
    def match(self) -> Match:
        """The current match."""
        return self.opened.match

    @property
    def plan(self) -> messages.Plan:
        """The match that the next start begins."""
        opened = self.opened
        known = opened.doubles, opened.aliases, opened.routines
        return describe_plan(self._planned, self._layout, self._guard, *known)

    def checkpoint(self) -> SheetCheckpoint:
        """What `roll_back` needs to come back to this moment."""
        match = self.match.checkpoint()
        return SheetCheckpoint(self.opened, match, self.states, self._following, self._planned, self._kept)

    def roll_back(self, checkpoint: SheetCheckpoint) -> None:
        """Restores everything as it was at the checkpoint."""
        self.opened, match, self.states, self._following, self._planned, self._kept = checkpoint
        self.match.roll_back(match)
        self.opened.timer_lines.difference_update([line for line in self.opened.timer_lines if line > self.match.line])

    def open(self, opened: OpenMatch) -> None:
        """Makes this the current match. Raises RulesFailed, and then the current match stays."""
        self._open(opened, self._make_states(opened))

    def resume_withdrawn(self, match_id: str, line: int) -> bool:
        """Goes on with this match at this line if its game is withdrawn, without asking the rules. False: it cannot.

        It must be the current one, or the one that was left for it.
        """
        for checkpoint in filter(None, (self.checkpoint(), self._last_withdrawn)):
            is_it = checkpoint.opened.id == match_id and checkpoint.match["line"] == line
            if is_it and self._guard.find_withdrawal_reason(checkpoint.opened.match.game) is not None:
                checkpoint.opened.match.roll_back(checkpoint.match)
                self._open(checkpoint.opened, checkpoint.states)
                return True
        return False

    def begin(self) -> Effects:
        """Returns what follows from the beginning of the current match: its header as a line, and the event."""
        event = make_event(MatchStarted(game=self.match.game.id), match=self.opened.id, line=self.match.line)
        return Effects(lines=(Begin(self.opened.id, write_header(self.match.header)),), events=(event,))

    def enter(self, given: Input, sender: Sender) -> tuple[Outcome, Effects]:
        """Rules on one line, which becomes part of the match when it is accepted."""
        given = self.match.spell(given)
        if isinstance(given, Throw | Total) and (refusal := explain_no_dart(self.match, sender)):
            return Outcome(False, refusal), Effects()
        if self.opened.places is not None and (refusal := self._explain_elsewhere(given, sender)):
            return Outcome(False, refusal), Effects()
        before, line, checkpoint = self.match.position, self.match.line + 1, self.match.checkpoint()
        states, events = self.states, tuple[Event, ...]()
        try:
            with self._guard.call(self.match.game, lines=self.match.line, may_refuse=False):
                outcome = self.match.apply(line, given)
                if outcome.accepted and (said := self.match.explain_entry(line, given)) is not None:
                    self.match.roll_back(checkpoint)
                    return Outcome(False, said), Effects()
                if outcome.accepted:
                    events = make_events(outcome.facts, before.visit, self.match, self.opened.id)
                    states = make_states(self.match, self.opened.id)
        except BaseException as failure:  # it must not take the table with it; the match stays as it was
            self.match.roll_back(checkpoint)
            if not isinstance(failure, RulesFailed):
                raise
            return Outcome(False, failure.said), Effects(notice=failure.said)
        self.states = states
        if not outcome.accepted:
            return outcome, Effects()
        effects = Effects((self._line(line, given, sender),), events)
        has_sequel = type(self.match.game).sequel is not Game.sequel
        if before.over or self.match.position.over or has_sequel:  # unlike most darts it may change which match follows
            effects = merge([effects, self._follow()])
        return outcome, effects

    def set_places(self, places: Places) -> None:
        """Notes what has changed about the places of the match."""
        self.opened = self.opened._replace(places=places)

    def _explain_elsewhere(self, given: Input, sender: Sender) -> Sentence | None:
        from daemon.table.places import explain_elsewhere  # noqa: PLC0415  only a match in two places needs it

        assert self.opened.places is not None
        return explain_elsewhere(self.opened.places, self.match, given, sender)

    def check_answer(self, prompt_id: object, sender: Sender) -> None:
        """Refuses an answer to a secret question from another seat, and an answer of a seat's phone for another seat.

        Raises CommandError.
        """
        prompt = next((p for p in self.match.position.prompts if prompt_id in (None, p.id)), None)
        if prompt is None:
            return  # the referee says so
        is_bot = self.match.header.bot(prompt.seat) is not None
        from_seat = sender == "bot" or isinstance(sender, SeatSender)
        if (prompt.secret or from_seat) and sender != ("bot" if is_bot else SeatSender(prompt.seat)):
            values = {"prompt": prompt.id, "name": self.match.seating.players[prompt.seat]}
            said = say("refused.answered_by", "only {name} can answer {prompt}", **values)
            if not is_bot:
                said = say(
                    "refused.answered_on", "only {name} can answer {prompt}, on the phone of that seat", **values
                )
            raise CommandError(said, "illegal")

    def check_next(self, sender: Sender) -> None:
        """Refuses to close the visit of a bot that has to throw or to answer, unless the bot itself asks for it.

        Raises CommandError.
        """
        position, seat = self.match.position, self.match.position.mover
        if sender != "bot" and position.phase in ("throwing", "deciding") and self.match.header.bot(seat) is not None:
            name = self.match.seating.players[seat]
            raise CommandError(say("refused.bot_goes_on", "{name} continues automatically", name=name), "illegal")

    def plan_next(self, wanted: Struct) -> Effects:
        """Changes the plan of the next match. Raises Unreadable."""
        planned = change_plan(self._planned, wanted, self._guard, self.opened.aliases, self.opened.routines)
        if planned.ref is not None and planned.ref == self.match.header.ref:
            with suppress(Unreadable):  # the plan says so
                self._check_asked(self._begin(planned))
        self._planned = planned
        return Effects(self._keep_plan(), plan=self.plan)

    def load_plan(self, kept: dict[str, Any] | None) -> Sequence[Planned]:  # Any: JSON
        """Goes on with the plan that the disk has. Returns what to write to the disk if that is not the plan now.

        Raises Unplayable when no match can be made of it.
        """
        self._kept = None if kept is None else load_plan(kept, self._guard, self.opened.routines)
        self._planned = self._kept or self._following
        return self._keep_plan()

    def start(self, wanted: Start, sender: Sender) -> tuple[Effects, ...]:
        """A new match in the place of this one: of this header, or the planned one.

        Where the order of its sides is decided, before it comes the match that does so. Raises Unreadable.
        """
        header, how = self._planned if wanted.spec is None else wanted.spec, wanted.order
        if wanted.without_players is not None:
            check_game(wanted.without_players.get("game"), self.opened.routines)
            header = read_for_people_of(self._planned, dict(wanted.without_players))
        opened = self._begin(header)
        self._check_asked(opened)
        lines = self._enter_lines(opened, wanted.lines, sender) if wanted.lines else ()
        if how is not None and (first := find_decider(header, how)) is not None:
            try:
                opened = self._begin(first)
            except Unreadable as error:
                raise Unreadable(
                    say("refused.order", "the order cannot be decided here: {why}", why=error.said)
                ) from None
        states = self._make_states(opened)  # before anything is written: it may fail
        if self._guard.find_withdrawal_reason(self.match.game) is not None:
            self._last_withdrawn = self.checkpoint()
        left = Effects() if self.match.position.over else self._stop(sender)
        self._open(opened, states)
        return left, self.begin(), Effects(lines)

    def _begin(self, header: MatchSpec) -> OpenMatch:
        known = self.opened.doubles, self.opened.aliases, self.opened.routines
        return begin(header, self._layout, self._draw, self._guard, *known)

    def _check_asked(self, opened: OpenMatch) -> None:
        """Refuses a match that is at the table already, by its `ref` and all else: who asks again has not seen it yet.

        One that was stopped may be asked for again. Raises CommandError.
        """
        new, old = opened.match.header, self.match.header
        if new.ref is None or new.ref != old.ref or self.match.position.stopped:
            return
        if sorted(new.players) == sorted(old.players) and _write_game(new) == _write_game(old):
            raise CommandError(say("refused.asked_twice", "the match that is asked for is at this table already"))

    def _enter_lines(self, opened: OpenMatch, lines: Sequence[Input], sender: Sender) -> tuple[Line, ...]:
        """Enters in a new match what was played of it at another table. Raises Unreadable."""
        from engine.moving import enter_lines  # noqa: PLC0415  only what organises matches needs it

        match = opened.match
        try:
            with self._guard.call(match.game, lines=len(lines), is_vital=False):
                enter_lines(match, lines)
        except IllegalInput as error:
            raise Unreadable(error.said) from None
        return tuple(
            Line(opened.id, number, encode_line(match.spell(given)), str(sender))
            for number, given in enumerate(lines, 2)
        )

    def _open(self, opened: OpenMatch, states: MatchStates) -> None:
        self.opened, self.states = opened, states
        self._planned = self._following = find_following(opened, self._guard)
        self._kept = None
        """The plan that the disk has beside the match: the one that a player made."""

    def _make_states(self, opened: OpenMatch) -> MatchStates:
        """The states of a match that becomes the current one, also of a withdrawn game. Raises RulesFailed."""
        with self._guard.call(opened.match.game, is_vital=False, may_refuse=False, even_withdrawn=True):
            return make_states(opened.match, opened.id)

    def _follow(self) -> Effects:
        """What comes of it if another match follows now; a plan made by a player stays."""
        before, self._following = self._following, find_following(self.opened, self._guard)
        if self._following == before or self._planned != before:
            return Effects(self._keep_plan())
        self._planned = self._following
        return Effects(self._keep_plan(), plan=self.plan)

    def _keep_plan(self) -> tuple[Planned, ...]:
        """The line that tells the disk of a plan made by a player, or that there is none; () where it has the same."""
        made = None if self._planned == self._following else self._planned
        if made == self._kept:
            return ()
        self._kept = made
        return (Planned(self.opened.id, None if made is None else write_header(made)),)

    def _stop(self, sender: Sender) -> Effects:
        """The match is left for another. No rule is asked, so that one of a broken game can be left too."""
        before, line = self.match.position.visit, self.match.line + 1
        outcome = self.match.apply(line, Stop())
        events = make_events(outcome.facts, before, self.match, self.opened.id)
        return Effects((self._line(line, Stop(), sender),), events)

    def _line(self, line: int, given: Input, sender: Sender) -> Line:
        return Line(self.opened.id, line, encode_line(given), str(sender))


def _write_game(header: MatchSpec) -> dict[str, Any]:  # Any: JSON
    return write_without_people(header.same_again)


def explain_no_dart(match: Match, sender: Sender) -> Sentence | None:
    """Why this is no dart of the player at the oche: a bot throws all of its darts itself, and no others."""
    if match.header.bots is None and sender != "bot":
        return None
    seat = match.position.visit.seat
    is_bot = match.header.bot(seat) is not None and not match.position.over
    if is_bot == (sender == "bot"):
        return None
    name = match.seating.players[seat]
    if is_bot:
        return say("refused.bot_throws", "{name} is at the oche, and throws automatically", name=name)
    return say("refused.player_throws", "{name} is at the oche", name=name)


def explain_cut_names(command: Command) -> Sentence | None:
    """Says which names of a new match or plan are too long, and what is kept of them; None where none is."""
    wanted = command.spec if isinstance(command, Start) else command.wanted if isinstance(command, ChangePlan) else None
    given = [getattr(wanted, key, UNSET) for key in ("players", "team_names")]
    names = [spell_bot_name(name) for several in given if isinstance(several, tuple) for name in several]
    kept = list_cut_names(names)
    if not kept:
        return None
    return say(
        "refused.cut",
        "names have at most {most} characters and were cut to {possible}",
        most=MAX_NAME,
        possible=", ".join(kept),
    )


def read_dart(event: Hit | Unread, layout: Layout) -> Throw:
    """The dart of a board as it is entered; one that could not be read as a miss."""
    if isinstance(event, Unread):
        return Throw(layout.miss.id, event.point, event.key, unread=True)
    return Throw(event.segment.id, event.point, event.key, close=tuple(segment.id for segment in event.close))


def explain_stray(segment_id: str, why: str | Sentence) -> Sentence:
    """Says that this dart did not count, and why."""
    return say("refused.stray", "{bed} did not count: {why}", bed=segment_id, why=why)


def merge(several: Sequence[Effects]) -> Effects:
    """The effects of inputs that share a commit, as one: all lines and events, of the rest the latest; no replies."""
    if len(several) == 1:
        return several[0]
    return Effects(
        lines=tuple(line for each in several for line in each.lines),
        events=tuple(event for each in several for event in each.events),
        is_board_changed=any(each.is_board_changed for each in several),
        plan=next((each.plan for each in reversed(several) if each.plan is not None), None),
        notice=next((each.notice for each in reversed(several) if each.notice is not None), None),
        is_state_changed=any(each.is_state_changed for each in several),
        lend=next((each.lend for each in reversed(several) if each.lend is not None), None),
        to_board=tuple(command for each in several for command in each.to_board),
    )
