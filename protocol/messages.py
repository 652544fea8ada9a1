"""What is published, as values: the snapshot of a table and the single events.

The same snapshot goes over MQTT, to the page and out of `oche replay`; its shape is a contract that other software is
written against, so fields are only ever added.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from protocol.commands import ErrorCode, Numbers, OptionsAre, Outcome, Phase
from protocol.finish import Aim, Leave, Route, Totals
from protocol.match_spec import Index, Ordinal, PlannedSpec
from protocol.sentence import Sentence, write_sentence

Availability = Literal["online", "offline"]
LogLevel = Literal["debug", "info", "warning", "error"]
NONE = "-"
"""Stands for no value: an empty retained payload would delete the topic, and entities without one are unavailable."""


class Dart(Struct, frozen=True):
    """A dart: the journal line it came from, where it landed, its face value.

    `counts` is false where it is worth nothing in the game, and else left out. The segment TOTAL stands for several
    darts, whose points were entered together.
    """

    line: Ordinal
    segment: str
    points: Index
    counts: Literal[False] | UnsetType = UNSET


class Turn(Struct, frozen=True):
    """The visit at the oche. `visit` counts over all sides from 1; sides and seats from 0.

    `bust`: it does not count. `points` is what it is worth so far in the game, which need not be the sum of its darts.
    `marks` are those it has made, in games that count them.
    """

    side: Index
    seat: Index
    player: str
    visit: Ordinal
    darts_left: Index
    darts: tuple[Dart, ...]
    bust: bool
    points: int
    marks: Index | UnsetType = UNSET


class LastVisit(Struct, frozen=True):
    """The visit before this one; `points` is what it was worth in the game."""

    side: Index
    visit: Ordinal
    points: int
    darts: tuple[Dart, ...]
    bust: bool


class Side(Struct, frozen=True):
    """A player or a team. `score` is the number on the wall, `detail` what only this game has."""

    name: str
    players: tuple[str, ...]
    score: int
    legs: Index
    sets: Index
    out: bool
    detail: Mapping[str, Any]  # Any: JSON


class Prompt(Struct, frozen=True):
    """An open question. A secret one has no options, values and default in public.

    `kind` says how it is answered: a `choice` with one of `options`, `numbers` with those that `numbers` describes,
    `text` with anything that matches `pattern`. `options_are` says what the options name, where a display can show more
    than a word: `cards` such as 10S, `rows` of the sheet, `segments` of the board, or `moves` from one segment to
    another such as 0,0>1,0.
    """

    id: str
    seat: Index
    text: str
    options: tuple[str, ...] | None
    pattern: str | None
    values: Mapping[str, int] | None
    default: str | None
    blocking: bool
    secret: bool
    kind: Literal["choice", "numbers", "text"]
    options_are: OptionsAre | None
    numbers: Numbers | None


class Task(Struct, frozen=True):
    """What is to be done now, or why the visit came to what it did; `text` says it in English.

    A display says it in another language by `key` and `values`, which are without nesting. `outcome` is there where it
    says why: a `loss`, a `life_lost`, or `neutral`, as where a number was chosen.
    """

    key: str
    values: Mapping[str, str | int | tuple[str | int, ...]]
    text: Annotated[str, Meta(max_length=120)]
    outcome: Outcome | UnsetType = UNSET


class Shape(Struct, frozen=True):
    """The format of the match, as its header has it."""

    legs: Ordinal
    sets: Ordinal
    clear_legs: Literal[2] | UnsetType = UNSET
    first: Literal["loser", "same"] | UnsetType = UNSET
    play: Literal["all"] | UnsetType = UNSET


class ExerciseResult(Struct, frozen=True):
    """What each side came to in an exercise; null for none."""

    title: str
    results: tuple[int | None, ...]


class RoutineState(Struct, frozen=True):
    """The place of the match in a routine: it is `exercise` 2 `of` 4, and `next` is what the one after it is called.

    `results` are those of the exercises so far, only where the match is over.
    """

    title: str
    exercise: Ordinal
    of: Ordinal
    next: str | None
    results: tuple[ExerciseResult, ...] | UnsetType = UNSET


class State(Struct, frozen=True):
    """Everything a display needs, in one message. `session` and `seq` only where it is published.

    `format`: `legs` to win a set, `sets` to win the match. `seed_given` is true where the seed of dice and cards was
    given with `start` and not drawn by oche, so that what is to come may be known; else it is left out.

    In X01 and the checkout drills `routes` are at most three ways to finish in this visit, the first of them `hint`.
    That is the one to take, which need not have the highest `chance`: another may need more visits.
    Where there is none, `leave` is what to throw to leave a finish. Each is left out where there is nothing to say.

    In Cricket and its relatives, Scram and Killer `advice` is the bed to aim at, for the level of a bot or the scatter
    of a usual player: to `close` a number, to `defend` one on which others score, to `score`; to `attack` others, with
    points in cut-throat; to `arm`, that is to become a killer.

    Where a leg is played on for the places, `ranks` are the sides that have theirs, from the first on. `routine` is
    there only where the match is an exercise of one.
    """

    v: Literal[1]
    match: str | None
    game: str
    title: str
    line: Ordinal
    phase: Phase
    round: Ordinal
    leg: Ordinal
    set: Ordinal
    turn: Turn
    last: LastVisit | None
    sides: tuple[Side, ...]
    targets: tuple[str, ...]
    hint: tuple[str, ...]
    prompts: tuple[Prompt, ...]
    board: Mapping[str, Any]  # Any: JSON
    winners: tuple[Index, ...]
    format: Shape
    task: Task | None = None
    routes: tuple[Route, ...] | UnsetType = UNSET
    leave: Leave | UnsetType = UNSET
    advice: Aim | UnsetType = UNSET
    totals: Totals | UnsetType = UNSET
    ranks: tuple[Index, ...] | UnsetType = UNSET
    seed_given: bool | UnsetType = UNSET
    routine: RoutineState | UnsetType = UNSET
    session: str | UnsetType = UNSET
    seq: Ordinal | UnsetType = UNSET


class BridgeInfo(Struct, frozen=True):
    """What this daemon is: never a secret in it.

    `games` maps ids to the JSON Schema of their options, `presets` further ids to a game and the options they stand
    for: both can be chosen and started. So can `routines`, which map names to the games of their exercises. `session`
    is that of its states and events: it is another one after each start.
    """

    version: str
    contract: int
    tables: tuple[str, ...]
    games: Mapping[str, Any]  # Any: JSON Schema
    presets: Mapping[str, Any] = {}  # Any: JSON
    routines: Mapping[str, tuple[str, ...]] = {}
    log_level: LogLevel = "info"
    session: str = ""


class UpdateInfo(Struct, frozen=True, omit_defaults=True):
    """The version that runs and, where it is known, the latest one: in the words of Home Assistant's `update` entity.

    `release_summary` is how the notes of the latest version begin, `release_url` where they are.
    """

    installed_version: str
    latest_version: str | UnsetType = UNSET
    release_summary: Annotated[str, Meta(max_length=255)] | UnsetType = UNSET
    release_url: str | UnsetType = UNSET


class TableHealth(Struct, frozen=True):
    """Counts of one table since the daemon started; `drops` is what `dropped` is made of, by reason.

    `stuck` names the segments that do not open now, "?" for one that the board does not name. `trouble` says in one
    sentence why what is thrown cannot be kept now, null while it can: darts are then strays, commands are refused.
    `remark` is what should be looked at: a board that floods, else what became of the journal since the daemon started.
    `refused` counts the commands over MQTT that were refused.
    """

    reconnects: Index
    hits: Index
    dropped: Index
    stray: Index
    garbage: Index
    queue: Index
    drops: Mapping[str, Index] = {}
    stuck: tuple[str, ...] = ()
    trouble: str | None = None
    remark: str | None = None
    refused: Index = 0


class Health(Struct, frozen=True):
    """How the daemon is; `uptime_s` in whole seconds, `refused` the requests to the bridge that were refused.

    `good_until` is there in MQTT 3.1.1, where a broker keeps it for ever: the time at which it should have been said
    again, and `online` with it is old.
    """

    uptime_s: Index
    broker_reconnects: Index
    tables: Mapping[str, TableHealth]
    refused: Index = 0
    good_until: str | UnsetType = UNSET


class BoardInfo(Struct, frozen=True):
    """The hardware. `text` is one sentence on the link; `battery` in percent. `stuck`, `trouble`: see TableHealth.

    `signal_dbm` is the signal of a Bluetooth board when it was found.
    `last_hit_s` are the whole seconds since its last hit, as of when this was said: with each health report again.
    """

    profile: str
    address: str
    text: str
    battery: Annotated[int, Meta(ge=0, le=100)] | None = None
    firmware: str | None = None
    stuck: tuple[str, ...] = ()
    last_hit_s: Index | None = None
    signal_dbm: int | None = None
    trouble: str | None = None


class Answer(Struct, frozen=True):
    """Where the match is after a command: its line and phase.

    `notice` is what the sender should know of a command that was obeyed, in English; else it is left out.
    """

    line: Ordinal
    phase: Phase
    notice: str | UnsetType = UNSET


class Failure(Struct, frozen=True, omit_defaults=True):
    """Why a request was refused; `message` says it in English.

    A display says it in another language by `key` and `values`, where they are there. A value can be such a sentence
    itself: an object with `key`, `values` and English `text`.
    """

    code: ErrorCode
    message: Annotated[str, Meta(min_length=1)]
    key: str | UnsetType = UNSET
    values: Mapping[str, Any] | UnsetType = UNSET  # Any: JSON


def explain_failure(code: ErrorCode, said: str | Sentence) -> Failure:
    """Returns why a request was refused, as it is sent."""
    written = write_sentence(said)
    return Failure(code, written.pop("text"), **written)


class Response(Struct, frozen=True, omit_defaults=True):
    """The answer to a request."""

    status: Literal["ok", "error"]
    transaction: str | None
    data: Mapping[str, Any] | UnsetType = UNSET  # Any: JSON
    error: Failure | UnsetType = UNSET


class BridgeResponse(Struct, frozen=True, omit_defaults=True):
    """The answer to a request to the bridge; `data` is `{}` where there is no more to tell, and in an error."""

    status: Literal["ok", "error"]
    transaction: str | None
    data: Mapping[str, Any]  # Any: JSON
    error: Failure | UnsetType = UNSET


class Plan(PlannedSpec, frozen=True, kw_only=True):
    """The match that the next `start` begins: what `game` has chosen so far, or the same again, begun by the next side.

    `game` is the name that was chosen, an id or a preset's; `options` are all that it would be played with. A side
    whose name in `team_names` is empty is called after its players. `problem` says in one sentence why it cannot begin
    like this, null when it can.
    """

    title: str
    problem: str | None = None


class SeatView(Struct, frozen=True):
    """What one seat sees of the game beside the public state."""

    targets: tuple[str, ...]
    hint: tuple[str, ...]
    board: Mapping[str, Any]  # Any: JSON


class SeatState(Struct, frozen=True):
    """What only one seat may see: its hand, and its questions with all their options."""

    seat: Index
    match: str | None
    line: Ordinal
    view: SeatView
    prompts: tuple[Prompt, ...]


def make_attributes(state: State) -> dict[str, str]:
    """The plain values of a state, for displays that cannot read JSON."""
    turn = state.turn
    return {
        "game": state.title,
        "player": turn.player,
        "score": str(state.sides[turn.side].score),
        "darts_left": str(turn.darts_left),
        "visit_score": str(sum(dart.points for dart in turn.darts)),
        "last_dart": turn.darts[-1].segment if turn.darts else NONE,
        "round": str(state.round),
        "phase": state.phase,
        "hint": " ".join(state.hint) or NONE,
        "task": state.task.text if state.task else NONE,
    }
