"""What is published, as values: the snapshot of a table and the single events.

The same snapshot goes over MQTT, to the page and out of `oche replay`; its shape is a contract that other software is
written against, so fields are only ever added.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from protocol.commands import ErrorCode, Numbers, OptionsAre, Outcome, Phase
from protocol.events import Remedy
from protocol.finish import Aim, Leave, Route, Totals
from protocol.match_spec import Index, Ordinal, PlannedGame, Ref, TableName
from protocol.segment import Point
from protocol.sentence import Sentence, write_sentence

Availability = Literal["online", "offline"]
LogLevel = Literal["debug", "info", "warning", "error"]
CONTRACT = 2
"""The version of these topics and messages. Before 2 a table knew neither `ref` in a header nor `lines` of a start."""
NONE = "-"
"""Stands for no value: an empty retained payload would delete the topic, and entities without one are unavailable."""
UNREAD = "?"
"""Stands for a dart that the board could not read, which is entered as a miss."""


class Dart(Struct, frozen=True):
    """A dart: its line in the journal, the segment that it hit, and its face value.

    `counts` is false if the dart is worth nothing in the game, otherwise left out. The segment TOTAL stands for several
    darts whose points were entered together.

    The rest is present only where a sensor knew it. `point` is where the dart is, in tenths of a millimetre from the
    centre: x to the right, y up. `unread` is true if a dart is in the board whose segment is not known: it counts as a
    miss until it is corrected. `close` are segments that the sensor held possible too, the likeliest first.
    """

    line: Ordinal
    segment: str
    points: Index
    counts: Literal[False] | UnsetType = UNSET
    point: Point | UnsetType = UNSET
    unread: Literal[True] | UnsetType = UNSET
    close: tuple[str, ...] | UnsetType = UNSET


class Turn(Struct, frozen=True):
    """The current visit. `visit` counts the visits of all sides from 1; sides and seats are counted from 0.

    `bust`: the visit does not count. `points` is what it is worth in the game so far; that can differ from the sum of
    its darts. `marks` is the number of its marks, in games that count marks.
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
    """The previous visit; `points` is what it was worth in the game."""

    side: Index
    visit: Ordinal
    points: int
    darts: tuple[Dart, ...]
    bust: bool


class PastVisit(Struct, frozen=True, omit_defaults=True):
    """A visit that is over: its points, and the `score` after it. A `bust` visit scored nothing."""

    points: int
    score: int
    bust: bool = False


class Side(Struct, frozen=True):
    """A player or a team. `score` is the number that displays show; `detail` has what only this game knows.

    `visits` are the latest of this leg, oldest first: at most twelve of a side, and 24 of all sides. It is present in
    games in which the total of a visit can be entered.
    """

    name: str
    players: tuple[str, ...]
    score: int
    legs: Index
    sets: Index
    out: bool
    detail: Mapping[str, Any]  # Any: JSON
    visits: tuple[PastVisit, ...] | UnsetType = UNSET


class Prompt(Struct, frozen=True):
    """An open question. The public state leaves out the options, values and default of a secret question.

    `kind` says how to answer it: a `choice` with one of `options`, `numbers` with the numbers that `numbers` describes,
    `text` with anything that matches `pattern`. `options_are` says what the options name if a display can show more
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


class NextUp(Struct, frozen=True):
    """Who throws after this visit, as it stands now: what is still thrown in this round may change it."""

    side: Index
    seat: Index
    player: str


class Task(Struct, frozen=True):
    """What the player should do now, or why the visit ended as it did; `text` says it in English.

    A display can say it in another language by `key` and `values`, which are never nested. `outcome` is present if the
    task explains a visit: `loss`, `life_lost`, or `neutral`, for example after a number was chosen.
    """

    key: str
    values: Mapping[str, str | int | tuple[str | int, ...]]
    text: Annotated[str, Meta(max_length=120)]
    outcome: Outcome | UnsetType = UNSET


class Phrase(Struct, frozen=True):
    """One of the options that differ; `text` says it in English."""

    key: str
    values: Mapping[str, str | int]
    text: str


class Variant(Struct, frozen=True):
    """How the match differs from what its title usually means; `text` says it in English: "double in · 12 rounds".

    A display can say it in another language by `key` and `values`. Where several options differ, the values are such
    phrases themselves, which have no other in them.
    """

    key: str
    values: Mapping[str, Phrase | str | int]
    text: Annotated[str, Meta(max_length=60)]


class Shape(Struct, frozen=True):
    """The format of the match, as in its header."""

    legs: Ordinal
    sets: Ordinal
    clear_legs: Literal[2] | UnsetType = UNSET
    first: Literal["loser", "same"] | UnsetType = UNSET
    play: Literal["all"] | UnsetType = UNSET


class ExerciseResult(Struct, frozen=True):
    """The result of each side in an exercise; null if a side has none."""

    title: str
    results: tuple[int | None, ...]


class RoutineState(Struct, frozen=True):
    """Where the match is in a routine: `exercise` 2 `of` 4; `next` is the title of the following exercise.

    `results` has the results of all exercises so far; it is present only after the match is over.
    """

    title: str
    exercise: Ordinal
    of: Ordinal
    next: str | None
    results: tuple[ExerciseResult, ...] | UnsetType = UNSET


class Place(Struct, frozen=True, omit_defaults=True):
    """Where a side throws: at this table (`here`), or at another one, whose board is `board`.

    `online` and `offline` are that board's; `away`: there is no link to its table, whose inputs wait there. `asked`:
    its people have not agreed yet; `left`: they do not play along. `seq` is how many inputs of that table are decided,
    in its present `session`.
    """

    table: str
    board: Literal["here", "online", "offline", "away", "asked", "left"]
    session: str | UnsetType = UNSET
    seq: Index = 0


class Wish(Struct, frozen=True):
    """What a match in two places is asked for by the tables in `by`; it is done when all others give the same command.

    `input` is the line that it would be: an amend, a retire, a stop, or an undo or redo of such.
    """

    by: tuple[str, ...]
    input: Mapping[str, Any]  # Any: JSON


class SensedDart(Struct, frozen=True):
    """A dart that a board knows and the match does not. `segment` is null if the board could not tell it."""

    segment: str | None
    point: Point | UnsetType = UNSET


class SensorQuestion(Struct, frozen=True):
    """What the people at the table are asked about the darts that their board has seen; see the command `sensor`.

    `found`: these `darts` of the current visit were thrown while the board was away; `take` enters them. `other`: these
    are of other visits, and only listed. `cleared`: the board was made to forget its darts; `next` if the visit is
    over, `leave` if it goes on.
    """

    id: str
    kind: Literal["found", "other", "cleared"]
    darts: tuple[SensedDart, ...] = ()


class State(Struct, frozen=True):
    """Everything a display needs, in one message. `session` and `seq` are present only in published states.

    `format`: `legs` to win a set, `sets` to win the match. `seed_given` is true if the seed of dice and cards came with
    `start`, so someone may know what they will show; it is left out if oche drew the seed.

    In X01 and the checkout drills `routes` are up to three ways to finish in this visit. The first is also the `hint`
    and is the recommended one; another can have a higher `chance` if it needs more visits. If no finish is possible,
    `leave` is what to throw to leave a finish. Each of these is left out if it has nothing to say.

    In Cricket and its relatives, Scram and Killer `advice` is the bed to aim at, for the level of a bot or the scatter
    of a typical player: to `close` a number, to `defend` a number on which others score, to `score`, to `attack` others
    (in cut-throat with points), or to `arm`, which means to become a killer.

    If all others have left, `alone` is the side that is left until the match is over: `concede` gives it the match.

    If a leg is played on for the places, `ranks` lists the sides that have finished, the first place first. `routine`
    is present only if the match is an exercise of a routine.

    If more than two play, `next` says who throws after this visit; it is left out once the leg or the match is over.
    `leader` is the side that is ahead of all others in this leg, by the rules of its game. It is left out while sides
    are level, in games where nobody can be said to lead before the end, and when the match is over.

    `ref` is present if the match has one in its header: what it was asked for as. `places`, `face` (what the page of
    oche draws the game with) and `wish` are present only in a match in two places. `sensor` is present only while
    something is asked about the darts that the board has seen.
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
    variant: Variant | None = None
    routes: tuple[Route, ...] | UnsetType = UNSET
    leave: Leave | UnsetType = UNSET
    advice: Aim | UnsetType = UNSET
    totals: Totals | UnsetType = UNSET
    ranks: tuple[Index, ...] | UnsetType = UNSET
    alone: Index | UnsetType = UNSET
    next: NextUp | UnsetType = UNSET
    leader: Index | UnsetType = UNSET
    seed_given: bool | UnsetType = UNSET
    routine: RoutineState | UnsetType = UNSET
    ref: Ref | UnsetType = UNSET
    places: tuple[Place, ...] | UnsetType = UNSET
    face: str | UnsetType = UNSET
    wish: Wish | UnsetType = UNSET
    sensor: SensorQuestion | UnsetType = UNSET
    session: str | UnsetType = UNSET
    seq: Ordinal | UnsetType = UNSET


class BridgeInfo(Struct, frozen=True):
    """What this daemon is and offers; it contains no secrets.

    `games` maps ids to the JSON Schema of their options. `presets` maps further ids to a game and its options.
    `routines` maps names to the games of their exercises. All three can be chosen and started. `session` is the one in
    the states and events of this daemon; it changes with each start. With a league `bridge_id` is what that knows this
    daemon by, and never changes.
    """

    version: str
    contract: int
    tables: tuple[str, ...]
    games: Mapping[str, Any]  # Any: JSON Schema
    presets: Mapping[str, Any] = {}  # Any: JSON
    routines: Mapping[str, tuple[str, ...]] = {}
    log_level: LogLevel = "info"
    session: str = ""
    bridge_id: str | UnsetType = UNSET


class UpdateInfo(Struct, frozen=True, omit_defaults=True):
    """The running version and, if known, the latest one, with the keys of Home Assistant's `update` entity.

    `release_summary` is the beginning of the release notes of the latest version, `release_url` their address.
    """

    installed_version: str
    latest_version: str | UnsetType = UNSET
    release_summary: Annotated[str, Meta(max_length=255)] | UnsetType = UNSET
    release_url: str | UnsetType = UNSET


class WeekPlayer(Struct, frozen=True):
    """A player of the week: the finished matches, those won, and the figure in the game that was played most.

    `figure` says what `value` is (`average`, `mpr` and others); it is null where the player has none.
    """

    name: str
    matches: Index
    won: Index
    label: str
    figure: str
    value: float | None


class WeekBest(Struct, frozen=True):
    """Whose the best of the week is. `label` is the game that a leg is of, "" of all others."""

    player: str
    value: Index
    label: str = ""


class WeekBadge(Struct, frozen=True):
    """A badge that a player earned in the week, in this tier (1 to 3)."""

    badge: str
    tier: Index
    player: str


class Week(Struct, frozen=True):
    """What was played in seven days: the event of the week.

    It tells of the matches that began from `since` on and before `before`, and that are finished. `players` are the six
    with the most matches, `badges` the six of the highest tiers. `best_finish` is in points, `best_leg` in darts,
    `most_wins` in matches won against others; null: there is none. Players whose matches do not count are not in it,
    and bots are not.
    """

    since: str
    before: str
    matches: Index
    darts: Index
    players: tuple[WeekPlayer, ...]
    best_finish: WeekBest | None
    best_leg: WeekBest | None
    most_wins: WeekBest | None
    badges: tuple[WeekBadge, ...]
    event_type: Literal["week"] = "week"


class TableHealth(Struct, frozen=True):
    """Counts of one table since the daemon started; `drops` splits `dropped` by reason.

    `stuck` names the segments that are stuck now, with "?" for a segment that the board does not name. `trouble` says
    in one sentence why darts cannot be stored now; it is null while they can. Meanwhile darts are strays and commands
    are refused. `remark` is one sentence on something to look at: a board that floods oche with messages, otherwise
    what happened to the journal since the daemon started. `refused` counts the refused MQTT commands.
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
    """How the daemon is doing; `uptime_s` in whole seconds, `refused` counts the refused requests to the bridge.

    `outlets` is present while a voice, light or web hook of the configuration fails: why, in one sentence, by its name.
    `good_until` is present only with MQTT 3.1.1, where the broker keeps messages for ever: if that time has passed
    without a new report, neither this report nor `online` is current.
    """

    uptime_s: Index
    broker_reconnects: Index
    tables: Mapping[str, TableHealth]
    refused: Index = 0
    outlets: Mapping[str, str] | UnsetType = UNSET
    good_until: str | UnsetType = UNSET


class BoardInfo(Struct, frozen=True):
    """The board. `text` is one sentence on the link; `battery` in percent. `stuck`, `trouble`: see TableHealth.

    `signal_dbm` is the signal strength of a Bluetooth board when it was found. `last_hit_s` is the number of whole
    seconds since its last hit, as of this message; it is updated with each health report.

    `remedy` is what the command `sensor` can have the board do, where it sees no darts and `text` says why.
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
    remedy: Remedy | None = None


class Answer(Struct, frozen=True):
    """Where the match is after a command: its line and phase.

    `notice` is a remark for the sender about a command that was carried out, in English; usually it is left out.
    """

    line: Ordinal
    phase: Phase
    notice: str | UnsetType = UNSET


class Failure(Struct, frozen=True, omit_defaults=True):
    """Why a request was refused; `message` says it in English.

    A display can say it in another language by `key` and `values` if they are present. A value can itself be such a
    sentence: an object with `key`, `values` and English `text`.
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
    """The answer to a request to the bridge; `data` is `{}` in an error, and if there is nothing to add."""

    status: Literal["ok", "error"]
    transaction: str | None
    data: Mapping[str, Any]  # Any: JSON
    error: Failure | UnsetType = UNSET


class Plan(PlannedGame, frozen=True, kw_only=True):
    """The match that the next `start` begins: the choices of `game`, or the last match again with the next side first.

    `game` is the chosen id, of a game or a preset; `options` are all options that it would be played with. A side whose
    name in `team_names` is empty is called after its players. `problem` says in one sentence why the match cannot begin
    like this; it is null if it can. `ref` is present only if whoever planned the match gave one, `places` only if it is
    one in two places.
    """

    title: str
    problem: str | None = None
    ref: Ref | UnsetType = UNSET
    places: tuple[TableName | None, ...] | UnsetType = UNSET


class Record(Struct, frozen=True):
    """What was played so far of a match with a `ref`, as far as its visits are thrown.

    `header` and `lines` are those of a match record, as `start` takes them to go on with this match; what was undone is
    left out.
    """

    v: Literal[1]
    match: str
    ref: Ref
    header: Mapping[str, Any]  # Any: JSON
    lines: tuple[Mapping[str, Any], ...]  # Any: JSON


class SeatView(Struct, frozen=True):
    """What one seat sees of the game in addition to the public state."""

    targets: tuple[str, ...]
    hint: tuple[str, ...]
    board: Mapping[str, Any]  # Any: JSON


class SeatState(Struct, frozen=True):
    """What only one seat may see: its hand, and its questions with all options."""

    seat: Index
    match: str | None
    line: Ordinal
    view: SeatView
    prompts: tuple[Prompt, ...]


class Spoken(Struct, frozen=True):
    """The latest thing to say at a table: `text` is one or a few whole sentences in the language of the bridge.

    `n` counts what was said since the start of the daemon with this `session`: a speaker that has said it says it no
    more. `kind` is what it is about: a `dart`, a `visit`, a `turn` that begins or goes on, a `question`, or other
    `news`. `match` and `line` say where the match was.
    """

    n: Ordinal
    text: str
    kind: Literal["dart", "visit", "turn", "question", "news"]
    session: str
    match: str | None
    line: Ordinal


def make_attributes(state: State) -> dict[str, str]:
    """The plain values of a state, for displays that cannot read JSON."""
    turn = state.turn
    last = turn.darts[-1] if turn.darts else None
    return {
        "game": state.title,
        "player": turn.player,
        "score": str(state.sides[turn.side].score),
        "darts_left": str(turn.darts_left),
        "visit_score": str(sum(dart.points for dart in turn.darts)),
        "last_dart": NONE if last is None else UNREAD if last.unread else last.segment,
        "round": str(state.round),
        "phase": state.phase,
        "hint": " ".join(state.hint) or NONE,
        "task": state.task.text if state.task else NONE,
        "variant": state.variant.text if state.variant else NONE,
    }
