"""The interface of a game: pure functions over a frozen state.

A game sees darts, decisions and luck. It never sees undo, the journal, team rotation, legs, a display or a clock; the
referee owns those, for all games alike. Its class docstring is the rule sheet that players read. To write one: define
an options and a state Struct, subclass Game, and register an instance (engine/games/__init__.py, or an entry point).
What a game is written with, the facts that it makes among it, is imported from here.
"""

from __future__ import annotations

import inspect
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic, Literal, NamedTuple, TypeVar, get_args

from msgspec import Struct

from engine import awards
from engine.luck import Luck
from engine.skill import Skill
from engine.tally import Figure, Tally
from protocol.commands import Numbers, OptionsAre, Outcome, Total
from protocol.facts import Award, Bust, Claimed, Closed, Eliminated, Fact, Halved, LifeLost
from protocol.finish import Leave, Purpose, Route, Totals
from protocol.match_spec import Seating, Side
from protocol.segment import Layout, Segment
from protocol.sentence import Refusal, Sentence, say

__all__ = [
    "Advice", "Award", "Bust", "Claimed", "Closed", "Eliminated", "Fact", "Game", "Halved", "LifeLost", "Numbers",
    "Panel", "Preset", "Prompt", "Reason", "Seating", "Sentence", "Sequel", "Side", "Step", "Totals", "Translation",
    "Turn", "put", "say",
]  # fmt: skip

Group = Literal["x01", "cricket", "rounds", "races", "lives", "boards", "practice"]
"""What games can be listed under, in this order."""
GROUPS: tuple[Group, ...] = get_args(Group)
Better = Literal["high", "low"]
"""Which results of a game are the better ones."""
_MOST_TARGETS = 12
"""How many targets a task names that a game does not word itself."""
O = TypeVar("O", bound=Struct)  # noqa: E741  (options)
S = TypeVar("S", bound=Struct)
T = TypeVar("T")


class Turn(Struct, frozen=True, gc=False):
    """The visit at hand, as the referee keeps it.

    `visit` counts over all sides from 1 and never starts again; `round` from 1 in each leg. `darts` are those thrown in
    this visit, the one being judged last; `darts_left` what is left after them. `playing` are the sides that have not
    left. `tallies` holds each side's running figures, this visit included. `points`: what the visit is worth so far.
    `summed`: darts thrown beside `darts`, where a total stands once for several.
    """

    visit: int
    side: int
    seat: int
    round: int
    darts: tuple[Segment, ...]
    darts_left: int
    playing: tuple[int, ...]
    tallies: Sequence[Tally]
    points: int = 0
    summed: int = 0

    @property
    def thrown(self) -> int:
        """How many darts of this visit are thrown."""
        return len(self.darts) + self.summed

    def prompt_id(self, kind: str, k: int = 1) -> str:
        """The id of this visit's k-th prompt of a kind: row@5, place@5.2."""
        return f"{kind}@{self.visit}" if k == 1 else f"{kind}@{self.visit}.{k}"


class Step(Struct, Generic[S], frozen=True, gc=False):
    """What followed from a dart, an answer or the end of a visit.

    `points`: what the visit is worth so far in this game (None: unchanged; a bust says 0). `ends_visit`: no dart may
    follow. `extra_darts`: so many more may. `winners`: the leg is over (empty: no winner). For the player's tally, by
    name: `counts` are added, `highs` kept when they are higher. `unthrown`: darts that count as thrown and were not.
    """

    state: S
    facts: tuple[Fact, ...] = ()
    points: int | None = None
    ends_visit: bool = False
    extra_darts: int = 0
    winners: tuple[int, ...] | None = None
    counts: Mapping[str, int] = {}
    highs: Mapping[str, int] = {}
    unthrown: int = 0


class Prompt(Struct, frozen=True):
    """A question to a seat. `options` are the legal answers, or None with a `pattern` (a regular expression).

    `options_are` and `numbers` tell displays more: what the options name, and what numbers the pattern asks for.

    While a `blocking` prompt is open no dart may be thrown. A `secret` one shows its options to its seat alone, so its
    `text` must be the same for every hand. `default` is what the table may answer for a player who does not.
    `ends_visit`: with that answer no dart may follow, so it is what the board's own button means by "next".
    """

    id: str
    seat: int
    text: str
    options: tuple[str, ...] | None = None
    pattern: str | None = None
    values: Mapping[str, int] | None = None
    default: str | None = None
    blocking: bool = True
    secret: bool = False
    ends_visit: bool = False
    options_are: OptionsAre | None = None
    numbers: Numbers | None = None

    def check(self, answer: str) -> None:
        """Raises ValueError with a reason when this is no legal answer."""
        if self.options is not None and answer not in self.options:
            said = say("refused.no_answer", "{given} is not an answer to {prompt}", given=repr(answer), prompt=self.id)
            if not self.secret:
                said = say(
                    "refused.no_option",
                    "{given} is not an answer to {prompt}; possible: {possible}",
                    **said.values,
                    possible=", ".join(self.options),
                )
            raise Refusal(said)
        if self.options is None and self.pattern is not None and not re.fullmatch(self.pattern, answer):
            raise Refusal(
                say(
                    "refused.no_match",
                    "{given} is not an answer to {prompt}: {question}",
                    given=repr(answer),
                    prompt=self.id,
                    question=self.text,
                )
            )


class Reason(Struct, frozen=True):
    """Why a visit came to what it did: `said`, and what that is: a `loss`, a `life_lost`, or `neutral`."""

    said: Sentence
    outcome: Outcome = "loss"


class Panel(Struct, frozen=True):
    """What a screen shows of the game beside the scores. `face` names the component of the page that draws it.

    `detail` is what only this game has of each side, `board` what only it has of the table (both JSON). `targets` are
    segment ids or group labels to light; `hint` a route of segment ids, the first of at most three `routes`. `leave` is
    what to throw where there is none.
    """

    face: str
    detail: tuple[Mapping[str, Any], ...]  # Any: JSON
    targets: tuple[str, ...] = ()
    hint: tuple[str, ...] = ()
    board: Mapping[str, Any] = {}  # Any: JSON
    routes: tuple[Route, ...] = ()
    leave: Leave | None = None


class Advice(Struct, frozen=True):
    """What a sensible player would do now.

    `aim` is the id of the segment to aim at, `answer` what to answer to the oldest open prompt; None where there is
    nothing to aim at or to answer. `purpose` says why that segment: `score`, `close`, `defend`, `attack` or `arm`.
    """

    aim: str | None = None
    answer: str | None = None
    purpose: Purpose | None = None


class Preset(NamedTuple):
    """A variant that only has other options.

    `id` stands in the place of a game's, `game` is the id of the game, `options` are those that differ from its
    defaults, and `line` says in at most 90 characters what it is. `tile` is its place among the tiles, as of a game.
    """

    id: str
    game: str
    options: Mapping[str, Any]  # Any: JSON
    line: str
    tile: int | None = None


class Sequel(NamedTuple):
    """The header of the other match without who plays, and the sides of this one as far as their order is known."""

    header: Mapping[str, Any]  # Any: JSON
    order: tuple[int, ...]


class Translation(Struct, frozen=True):
    """What players read of a game that does not ship, in another language. What is left out is shown in English.

    `rules` are the paragraphs of the rule sheet, the first of them the line; `presets` the lines of the presets by
    their ids. `labels` are the names of options, `values` those of the words that each of them can be, `null` among
    them. `sentences` are those of `say`, by their keys, with `{{name}}` in the place of a value: {"nearest.aim":
    "Noch {{points}}"}.
    """

    rules: tuple[str, ...] = ()
    presets: Mapping[str, str] = {}
    labels: Mapping[str, str] = {}
    values: Mapping[str, Mapping[str, str]] = {}
    sentences: Mapping[str, str] = {}


def put(values: tuple[T, ...], at: int, value: T) -> tuple[T, ...]:
    """`values` with `value` at index `at`: what frozen states do all the time."""
    return (*values[:at], value, *values[at + 1 :])


class Game(ABC, Generic[O, S]):
    """A game. Every method is pure: the same arguments give the same result."""

    id: ClassVar[str]
    """What configurations, records and topics call it."""
    options_type: type[O]
    """The Struct of its options."""
    group: ClassVar[Group | None] = None
    """What the lobby lists it under: `x01`, `cricket`, `rounds`, `races`, `lives`, `boards` or `practice`; None: among
    the others.
    """
    tile: ClassVar[int | None] = None
    """Its place among the tiles above all groups, 1 first; None: it has no tile. There is room for six."""
    layouts: ClassVar[tuple[str, ...]] = ("standard",)
    """The layouts that it can be played on, of `standard`, `yatzy` and `ground_round`."""
    sides: ClassVar[range] = range(1, 17)
    """How many sides can play."""
    team_size: ClassVar[range] = range(1, 2)
    """How many people a side can have."""
    tons: ClassVar[bool] = False
    """Are the points of a visit a plain score, so that the highest is kept and 60s, 100s and 180s are counted?"""
    figure: ClassVar[Figure] = "average"
    """What players of it compare themselves by; `mpr` where its `marks` are counted."""
    aside: ClassVar[frozenset[str]] = frozenset()
    """Options that change no rule: matches that differ in these alone are of one variant."""
    alone_wins: ClassVar[bool] = False
    """When all others have left, the last one has won; else the last one plays on."""
    by_side: ClassVar[frozenset[str]] = frozenset()
    """Options that are a list with an element for each side."""
    by_player: ClassVar[frozenset[str]] = frozenset()
    """Options that are a list with an element for each player."""
    is_counted: ClassVar[bool] = True
    """Is it one for the statistics? Not what only decides something about another match."""
    notes_all_darts: ClassVar[bool] = False
    """Does a dart that is worth nothing change the state too? Then a dart is worth something when it makes points."""
    shows_advice: ClassVar[bool] = False
    """Is where `advise` says to aim shown to all, where it says a purpose? For games whose route is no `hint`."""
    rules: ClassVar[int] = 1
    """The version of these rules, raised when a stored match would score otherwise; see `resolve_older`."""
    translations: ClassVar[Mapping[str, Translation]] = {}
    """Its words in other languages, by their codes: {"de": Translation(…)}. Those that ship have files instead."""

    @property
    def rule_sheet(self) -> str:
        """The rules as players read them."""
        return inspect.getdoc(type(self)) or ""

    @property
    def line(self) -> str:
        """What it is, in one line: the first of its rule sheet."""
        return self.rule_sheet.partition("\n")[0]

    @abstractmethod
    def title(self, options: O) -> str:
        """The name on the wall: "501"."""

    def resolve(self, options: O, seating: Seating) -> O:
        """The options with everything filled in that depends on who plays; a match is stored with these.

        Raises ValueError with a reason when these people cannot play with these options.
        """
        return options

    def resolve_older(self, options: O, rules: int) -> O | None:
        """The options with which these rules play as their version `rules` did; asked before `resolve`.

        A match that was begun under that version is played with them to its end. None: that version cannot be played
        any more; such a match goes on by the present one, and the table says so.
        """
        return None

    def extra_sides(self, options: O) -> tuple[str, ...]:
        """Names of sides without players; in `seating` they follow the people's, without seats."""
        return ()

    def has_secrets(self, options: O) -> bool:
        """Is there anything that one seat may see and another may not?"""
        return False

    @abstractmethod
    def setup(self, options: O, seating: Seating, layout: Layout, luck: Luck) -> S:
        """The state before the first visit of a leg. Raises ValueError with a reason when these cannot play."""

    @abstractmethod
    def dart(self, state: S, segment: Segment, turn: Turn, luck: Luck) -> Step[S]:
        """A dart landed. `segment` is also the last of `turn.darts`."""

    def totals(self, state: S, turn: Turn) -> Totals | None:
        """What the points of the darts left may be, entered together; None in games that need the bed of each dart."""
        return None

    def total(self, state: S, total: Total, turn: Turn, luck: Luck) -> Step[S]:
        """As many darts as `total` says scored so much together; the last of `turn.darts` stands for them.

        Asked where `totals` gives something. Raises IllegalInput with a reason when it cannot be.
        """
        return self.dart(state, turn.darts[-1], turn, luck)

    def bed_points(self, options: O, segment: Segment) -> int:
        """What a dart in this bed adds to a total."""
        return segment.points

    def dart_counts(self, state: S, segment: Segment, turn: Turn, step: Step[S]) -> bool:
        """Whether this dart is worth anything; `state` is that before it, `step` what followed.

        Displays show the others grey.
        """
        if not segment.multiplier:
            return False
        if step.points is not None and step.points != turn.points:
            return True
        return not self.notes_all_darts and step.state is not state and step.state != state

    @abstractmethod
    def score(self, state: S, side: int) -> int:
        """The number on the wall."""

    def better(self, options: O) -> Better | None:
        """Whether a high or a low result is the better one; None where results are not compared over time."""
        return None

    def result(self, state: S, side: int, tally: Tally) -> int | None:
        """What the side has come to in a match of one leg that is over, to be compared with earlier matches.

        None where it has come to no result. Asked where `better` says something.
        """
        return self.score(state, side)

    @abstractmethod
    def view(self, state: S, turn: Turn, seat: int | None) -> Panel:
        """What this seat may see; None is the public screen. What a seat cannot see must not change its view."""

    def task(self, state: S, turn: Turn, panel: Panel) -> Sentence:
        """What the side at the oche has to do now, in at most 120 characters; `panel` is the public view.

        Asked while a dart is left to throw. It is public, so it tells nothing that the panel does not.
        """
        if panel.hint:
            return say("task.route", "Throw {targets}", targets=panel.hint)
        if panel.targets:
            return say("task.targets", "Hit {targets}", targets=panel.targets[:_MOST_TARGETS])
        return say("task.points", "Score as much as you can")

    def reason(self, state: S, turn: Turn, bust: bool) -> Reason | Sentence | None:
        """Why the visit that was thrown came to what it did, in at most 120 characters; None where that is plain.

        A sentence alone tells of a loss.
        """
        return say("task.bust", "Bust: this visit does not count") if bust else None

    def darts(self, state: S, turn: Turn) -> int:
        """How many darts this visit begins with."""
        return 3

    def begin(self, state: S, turn: Turn, luck: Luck) -> Step[S]:
        """A visit opens, the first included: roll, draw."""
        return Step(state)

    def visit_over(self, state: S, turn: Turn, luck: Luck) -> Step[S]:
        """The visit is thrown and its blocking prompts are answered. Runs once a visit."""
        return Step(state)

    def round_over(self, state: S, turn: Turn, luck: Luck) -> Step[S]:
        """The last side of the round has thrown (or left). Runs after its `visit_over`."""
        return Step(state)

    def order(self, state: S, round: int, sides: tuple[int, ...]) -> tuple[int, ...]:
        """Who throws in this round, in order; `sides` are those still in, in the leg's order."""
        return sides

    def out(self, state: S) -> frozenset[int]:
        """The sides that are eliminated."""
        return frozenset()

    def ranks(self, state: S) -> tuple[int, ...] | None:
        """The sides that have their place, from the first on; None where a leg is not played on for the places."""
        return None

    def passed_over(self, state: S) -> frozenset[int]:
        """The sides that throw no more in this leg: those that are out, and those that have their place."""
        return self.out(state).union(self.ranks(state) or ())

    def has_prompts(self, options: O) -> bool:
        """Whether a question may open in a match with these options; `prompts` is not called where none may."""
        return type(self).prompts is not Game.prompts

    def prompts(self, state: S, turn: Turn) -> tuple[Prompt, ...]:
        """The questions open now, oldest first."""
        return ()

    def decide(self, state: S, prompt: Prompt, answer: str, turn: Turn, luck: Luck) -> Step[S]:
        """An open prompt was answered, with one of its options or by its pattern. Raises ValueError to refuse."""
        raise ValueError(f"{self.id} asks nothing")

    def sequel(self, options: O, state: S) -> Sequel | None:
        """The match that the table plays after this one; None where nothing follows."""
        return None

    def award(self, state: S, turn: Turn) -> str | None:
        """The machine's award (engine/awards.py) for the visit just judged, unless the game itself gave one."""
        return awards.of_beds(turn.darts) if turn.points > 0 else None

    def advise(self, state: S, turn: Turn, seat: int, skill: Skill) -> Advice:
        """What this seat should aim at or answer, by what it may see and how well it throws (`skill`).

        Asked only while a dart is left to throw or a question is open.
        """
        return Advice()
