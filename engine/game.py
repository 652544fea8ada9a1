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
from engine.phrases import Phrases
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
"""The headings that games can be listed under, in this order."""
GROUPS: tuple[Group, ...] = get_args(Group)
Better = Literal["high", "low"]
"""Which results of a game are the better ones."""
_MOST_TARGETS = 12
"""How many targets a task names that a game does not word itself."""
O = TypeVar("O", bound=Struct)  # noqa: E741  (options)
S = TypeVar("S", bound=Struct)
T = TypeVar("T")


class Turn(Struct, frozen=True, gc=False):
    """The current visit, as the referee keeps it.

    `visit` counts the visits of all sides from 1 and never starts again; `round` starts at 1 in each leg. `darts` are
    the darts of this visit so far, the one being judged last; `darts_left` is how many are left after them. `playing`
    are the sides that have not left. `tallies` holds each side's running figures, this visit included. `points`: what
    the visit is worth so far. `summed`: thrown darts that are not in `darts` because one total stands for several.
    `names` are those of all sides, for sentences. `unread`: how many of the `darts` a sensor could not read; no rule
    needs it, and they are in no figure.
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
    names: tuple[str, ...] = ()
    unread: int = 0

    @property
    def thrown(self) -> int:
        """How many darts of this visit have been thrown."""
        return len(self.darts) + self.summed

    def prompt_id(self, kind: str, k: int = 1) -> str:
        """The id of this visit's k-th prompt of a kind: row@5, place@5.2."""
        return f"{kind}@{self.visit}" if k == 1 else f"{kind}@{self.visit}.{k}"


class Step(Struct, Generic[S], frozen=True, gc=False):
    """The effect of a dart, an answer or the end of a visit.

    `points`: what the visit is worth so far in this game (None: unchanged; a bust gives 0). `ends_visit`: no dart may
    follow. `extra_darts`: how many more darts may follow. `winners`: the leg is over (empty: no winner). For the
    player's tally, by name: `counts` are added, `highs` are kept if they are higher. `unthrown`: darts that count as
    thrown but were not.
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

    Other languages have its `text` as the sentence prompt.<game>_<kind>, for the id `kind@visit`.

    Displays use three more: `values` is the number to show on the button of each option, `options_are` what the options
    name (`cards`, `moves`, `rows` or `segments`), and `numbers` which numbers the pattern asks for.

    While a `blocking` prompt is open no dart may be thrown. A `secret` prompt shows its options only to its seat, so
    its `text` must be the same for every hand. `default` is what the table may answer for a player who gives no answer.
    `ends_visit`: no dart may follow the default answer, so the "next" button of the board gives that answer.
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
        """Raises ValueError with a reason if this answer is not legal."""
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
    """Why a visit ended as it did: the sentence `said`, and its `outcome`: `loss`, `life_lost` or `neutral`."""

    said: Sentence
    outcome: Outcome = "loss"


class Panel(Struct, frozen=True):
    """What a screen shows of the game besides the scores. `face` names the component of the page that draws it.

    `detail` has the game's own values for each side, `board` those for the table (both JSON). `targets` are segment ids
    or group labels to light up; `hint` is a route of segment ids, the first of up to three `routes`. `leave` is what to
    throw if there is no route.
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

    `aim` is the id of the segment to aim at, `answer` the answer to the oldest open prompt; None if there is nothing to
    aim at or to answer. `purpose` says why that segment: `score`, `close`, `defend`, `attack` or `arm`.
    """

    aim: str | None = None
    answer: str | None = None
    purpose: Purpose | None = None


class Preset(NamedTuple):
    """A variant of a game that differs only in its options.

    `id` is used like the id of a game, `game` is the id of the game, `options` are those that differ from the defaults,
    and `line` describes the variant in at most 90 characters. `tile` is its place among the tiles, as for a game.
    """

    id: str
    game: str
    options: Mapping[str, Any]  # Any: JSON
    line: str
    tile: int | None = None


class Sequel(NamedTuple):
    """The header of the next match without its players, and the sides of this one as far as their order is known."""

    header: Mapping[str, Any]  # Any: JSON
    order: tuple[int, ...]


class Translation(Struct, frozen=True):
    """The texts of a game of your own in another language. What is left out is shown in English.

    `rules` are the paragraphs of the rule sheet; the first is its summary line. `presets` are the lines of the presets
    by their ids. `labels` are the names of options, `values` the words for each value of an option, `null` included.
    `sentences` are those of `say` by their keys, with `{{name}}` in place of a value: {"nearest.left":
    "noch {{points}}"}.
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
    """Its name in configurations, records and topics."""
    options_type: type[O]
    """The Struct of its options."""
    group: ClassVar[Group | None] = None
    """Its lobby heading: `x01`, `cricket`, `rounds`, `races`, `lives`, `boards` or `practice`; None: More games."""
    tile: ClassVar[int | None] = None
    """Its place among the six tiles above all groups, 1 first; None: it has no tile."""
    layouts: ClassVar[tuple[str, ...]] = ("standard",)
    """The layouts it can be played on: any of `standard`, `yatzy` and `ground_round`."""
    sides: ClassVar[range] = range(1, 17)
    """How many sides can play."""
    team_size: ClassVar[range] = range(1, 2)
    """How many people a side can have."""
    tons: ClassVar[bool] = False
    """Whether the points of a visit are a plain score: then the highest is kept, and 60s, 100s and 180s are counted."""
    figure: ClassVar[Figure] = "average"
    """The figure by which players compare themselves; for `mpr`, marks per round, count `marks` in `Step.counts`."""
    aside: ClassVar[frozenset[str]] = frozenset()
    """Options that change no rule: matches that differ only in these are the same variant."""
    hands: ClassVar[Mapping[str, Any]] = {}  # Any: JSON
    """The options by which it has secret hands, {"mode": "dealt"}, if it can do without: then the lobby asks which."""
    phrases: ClassVar[Phrases] = {}
    """How its options are told beside the title if they are not as usual, the most important first: {"speed":
    {"fast": ("nearest.fast", "fast")}}. One without a phrase here is told as in other games, or by its name."""
    alone_wins: ClassVar[bool] = False
    """Whether the last side wins when all others have left; otherwise it plays on."""
    by_side: ClassVar[frozenset[str]] = frozenset()
    """Options that are a list with one element per side."""
    by_player: ClassVar[frozenset[str]] = frozenset()
    """Options that are a list with one element per player."""
    is_counted: ClassVar[bool] = True
    """Whether its matches count in the statistics; false if a match only decides something about another match."""
    notes_all_darts: ClassVar[bool] = False
    """True if `dart` changes the state even for worthless darts. Then only darts that score points are not grey."""
    shows_advice: ClassVar[bool] = False
    """Whether the page shows the aim of `advise` if that has a purpose. Meant for games whose `hint` is empty."""
    rules: ClassVar[int] = 1
    """The version of these rules; raise it if stored matches would score differently. See `resolve_older`."""
    translations: ClassVar[Mapping[str, Translation]] = {}
    """Its texts in other languages, by language code: {"de": Translation(…)}. Shipped games have files instead."""

    @property
    def rule_sheet(self) -> str:
        """The rules as players read them: the docstring of the class."""
        return inspect.getdoc(type(self)) or ""

    @property
    def line(self) -> str:
        """What it is in one line: the first line of its rule sheet."""
        return self.rule_sheet.partition("\n")[0]

    @abstractmethod
    def title(self, options: O) -> str:
        """The name that displays show: "501"."""

    def resolve(self, options: O, seating: Seating) -> O:
        """The options, with everything filled in that depends on the players; a match is stored with these.

        Raises ValueError with a reason if these players cannot play with these options.
        """
        return options

    def resolve_older(self, options: O, rules: int) -> O | None:
        """Options that make the current rules behave like version `rules`; called before `resolve`.

        A match that began under that version is finished with them. None: that version cannot be played any more; such
        a match goes on by the current rules, and the table says so.
        """
        return None

    def extra_sides(self, options: O) -> tuple[str, ...]:
        """Names of sides without players; in `seating` they come last, without seats."""
        return ()

    def has_secrets(self, options: O) -> bool:
        """Whether there is anything that one seat may see and another may not."""
        return False

    @abstractmethod
    def setup(self, options: O, seating: Seating, layout: Layout, luck: Luck) -> S:
        """The state before the first visit of a leg. Raises ValueError with a reason if these players cannot play."""

    @abstractmethod
    def dart(self, state: S, segment: Segment, turn: Turn, luck: Luck) -> Step[S]:
        """A dart landed. `segment` is also the last of `turn.darts`."""

    def totals(self, state: S, turn: Turn) -> Totals | None:
        """What the darts left can score if entered as one total; None in games that need the bed of each dart."""
        return None

    def total(self, state: S, total: Total, turn: Turn, luck: Luck) -> Step[S]:
        """Several darts scored this total together; the last of `turn.darts` stands for them.

        Called only if `totals` returns something. Raises IllegalInput with a reason if the total is not possible.
        """
        return self.dart(state, turn.darts[-1], turn, luck)

    def bed_points(self, options: O, segment: Segment) -> int:
        """What a dart in this bed adds to a total."""
        return segment.points

    def dart_counts(self, state: S, segment: Segment, turn: Turn, step: Step[S]) -> bool:
        """Whether this dart is worth anything; `state` is the state before it, `step` its effect.

        Displays show darts that are worth nothing in grey.
        """
        if not segment.multiplier:
            return False
        if step.points is not None and step.points != turn.points:
            return True
        return not self.notes_all_darts and step.state is not state and step.state != state

    @abstractmethod
    def score(self, state: S, side: int) -> int:
        """The score that displays show."""

    def leg_length(self, state: S, side: int) -> int | None:
        """The points from which a side counts down to zero in this leg, if `score` shows them; None in other games.

        If a side wins after it was a third of that behind, it is a comeback.
        """
        return None

    def finish_wins(self, options: O) -> bool:
        """Whether a dart that `Step.counts` names `at_finish` would win the leg: then missed match darts are told."""
        return False

    def better(self, options: O) -> Better | None:
        """Whether a high or a low result is better; None if results are not compared over time."""
        return None

    def result(self, state: S, side: int, tally: Tally) -> int | None:
        """The result of the side in a finished match of one leg, to be compared with earlier matches.

        None if it has no result. Called only if `better` is not None.
        """
        return self.score(state, side)

    @abstractmethod
    def view(self, state: S, turn: Turn, seat: int | None) -> Panel:
        """What this seat may see; seat None is the public screen. What a seat may not see must not change its view."""

    def task(self, state: S, turn: Turn, panel: Panel) -> Sentence:
        """What the throwing side has to do now, in at most 120 characters; `panel` is the public view.

        Called only while a dart is left to throw. It is public, so it must not say more than the panel shows.
        """
        if panel.hint:
            return say("task.route", "Throw {targets}", targets=panel.hint)
        if panel.targets:
            return say("task.targets", "Hit {targets}", targets=panel.targets[:_MOST_TARGETS])
        return say("task.points", "Score as much as you can")

    def question(self, state: S, turn: Turn) -> Sentence | None:
        """What is asked while the match waits for an answer, in at most 120 characters; None for who has to answer."""
        return None

    def reason(self, state: S, turn: Turn, bust: bool) -> Reason | Sentence | None:
        """Why the visit ended as it did, in at most 120 characters; None if that is obvious.

        A Sentence without a Reason means a loss.
        """
        return say("task.bust", "Bust: this visit does not count") if bust else None

    def darts(self, state: S, turn: Turn) -> int:
        """How many darts this visit begins with."""
        return 3

    def begin(self, state: S, turn: Turn, luck: Luck) -> Step[S]:
        """A visit begins, the first included: roll dice or draw cards here."""
        return Step(state)

    def visit_over(self, state: S, turn: Turn, luck: Luck) -> Step[S]:
        """The darts are thrown and the blocking prompts are answered. Called once per visit."""
        return Step(state)

    def round_over(self, state: S, turn: Turn, luck: Luck) -> Step[S]:
        """The last side of the round has thrown (or left). Called after its `visit_over`.

        While that side throws it is also called, to see whether the leg ends with this round as it stands.
        """
        return Step(state)

    def order(self, state: S, round: int, sides: tuple[int, ...]) -> tuple[int, ...]:
        """The throwing order of this round; `sides` are those still in, in the order of the leg."""
        return sides

    def out(self, state: S) -> frozenset[int]:
        """The sides that are eliminated."""
        return frozenset()

    def ranks(self, state: S) -> tuple[int, ...] | None:
        """The sides that have finished, first place first; None if the leg ends when it has a winner."""
        return None

    def leading(self, state: S, sides: tuple[int, ...]) -> tuple[int, ...]:
        """Which of these sides are ahead; several if they are level, none if that is not known before the end.

        `sides` are those still in. It is public, so it must not say more than the panel shows.
        """
        return ()

    def passed_over(self, state: S) -> frozenset[int]:
        """The sides that no longer throw in this leg: those that are out, and those that have finished."""
        return self.out(state).union(self.ranks(state) or ())

    def has_prompts(self, options: O) -> bool:
        """Whether a match with these options can have prompts; if not, `prompts` is not called."""
        return type(self).prompts is not Game.prompts

    def prompts(self, state: S, turn: Turn) -> tuple[Prompt, ...]:
        """The open prompts, oldest first."""
        return ()

    def decide(self, state: S, prompt: Prompt, answer: str, turn: Turn, luck: Luck) -> Step[S]:
        """An open prompt was answered, with one of its options or by its pattern. Raises ValueError to refuse."""
        raise ValueError(f"{self.id} asks nothing")

    def sequel(self, options: O, state: S) -> Sequel | None:
        """The match that the table plays after this one; None if there is none."""
        return None

    def award(self, state: S, turn: Turn) -> str | None:
        """The award (engine/awards.py) for the visit just judged; not called if the game gave one itself."""
        return awards.of_beds(turn.darts) if turn.points > 0 else None

    def advise(self, state: S, turn: Turn, seat: int, skill: Skill) -> Advice:
        """What this seat should aim at or answer, from what it may see and how well it throws (`skill`).

        Called only while a dart is left to throw or a question is open.
        """
        return Advice()
