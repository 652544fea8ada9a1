"""The laws of darts that a board sees, for any sequence of what it says, players ask for, and connections lost."""

from __future__ import annotations

from itertools import count
from typing import NamedTuple

from hypothesis import example, given
from hypothesis import strategies as st

from daemon.config.sections import TableConfig
from daemon.journal.lines import Line, StoredMatch
from daemon.table.effects import Effects
from daemon.table.known_darts import list_readings
from daemon.table.matches import begin, resume
from daemon.table.scorer import Scorer
from protocol.commands import (
    Amend,
    Command,
    Miss,
    Next,
    Redo,
    Sensor,
    Start,
    Throw,
    Total,
    Undo,
)
from protocol.events import (
    Amended,
    BoardItem,
    Cleared,
    Complaint,
    Found,
    Hit,
    LinkDown,
    LinkUp,
    Readiness,
    TakeoutSeen,
    Unread,
)
from protocol.match_spec import read_header, write_header
from protocol.sentence import say as sentence
from tests.daemon.test_sensed import CAMERAS
from tests.plain_guard import PlainGuard

_MS = 1_000_000
_BEDS = ("T20", "O20", "D5", "MISS", "DB", "T19")
RESTART = "restart"


class Input(NamedTuple):
    """Something that comes `after_ms`."""

    after_ms: int
    said: BoardItem | Command | str


KEYS = st.sampled_from([f"{letter}{number}" for letter in "ab" for number in range(4)])
POINTS = st.none() | st.tuples(st.integers(-2000, 2000), st.integers(-2000, 2000))
SEGMENTS = st.sampled_from([CAMERAS.layout[bed] for bed in _BEDS])
HITS = st.builds(Hit, segment=SEGMENTS, key=KEYS, point=POINTS)
UNREAD = st.builds(Unread, key=KEYS, point=POINTS)
FOUND = st.builds(
    Found,
    darts=st.lists(HITS | UNREAD, max_size=3, unique_by=lambda dart: dart.key).map(tuple),
    is_over=st.booleans(),
    is_exact=st.booleans(),
)
SAID = st.one_of(
    HITS,
    HITS,
    UNREAD,
    st.builds(Amended, key=KEYS, segment=SEGMENTS, point=POINTS),
    st.builds(TakeoutSeen, step=st.sampled_from(["started", "finished", "false"])),
    FOUND,
    FOUND,
    st.sampled_from(
        [
            Cleared(),
            LinkUp("main", "web:x", 0),
            LinkDown("main", "unplugged", "lost", 0),
            Readiness(said=sentence("mine.stopped", "stopped"), remedy="start"),
            Readiness(),
            Complaint(said=sentence("mine.no", "no")),
        ]
    ),
)
ASKED = st.one_of(
    st.builds(Amend, st.integers(2, 12), st.sampled_from([None, Throw("T18"), Throw("MISS")])),
    st.sampled_from([Next(), Undo(), Redo(), Miss(), Start(), Throw("T17"), Total(26)]),
    st.builds(Sensor, st.sampled_from(["take", "take", "leave", "start", "reset"])),
)
INPUTS = st.lists(
    st.builds(Input, st.sampled_from([0, 1, 900, 2999, 3000, 5001]), SAID | ASKED | st.just(RESTART)), max_size=30
)
TABLES = st.tuples(st.sampled_from(["sensor", "button", "timer", "hits"]), st.sampled_from(["x01", "tactics"]))


class Play:
    """A table with cameras, its journal."""

    def __init__(self, takeout: str, game: str) -> None:
        self._ids = count(1)
        self._config = TableConfig(board="web:x", takeout=takeout, takeout_s=5.0)  # type: ignore[arg-type]
        self._header = read_header({"oche": 1, "game": game, "players": ["Ann", "Bo"], "options": {}, "seed": "a"})
        self.scorer = self._make()
        self.scorer.feed(LinkUp("main", "web:x", 0), 0)
        self.lines: list[Line] = []
        self.now = 0

    def say(self, each: Input) -> Effects:
        self.now += each.after_ms * _MS
        effects = self._tell(each.said)
        self.lines += [line for line in effects.lines if isinstance(line, Line)]
        return effects

    @property
    def keys(self) -> list[str]:
        """Those of the darts that count."""
        darts = [dart for visit in self.scorer.match.list_visits() for dart in visit.darts]
        return [dart.sensed.key for dart in darts if dart.sensed is not None and dart.sensed.key]

    def _tell(self, said: BoardItem | Command | str) -> Effects:
        if isinstance(said, str):
            self._restart()
            return Effects()
        if isinstance(said, Command):
            return self.scorer.obey(said, "page", self.now)
        return self.scorer.feed(said, self.now)

    def _restart(self) -> None:
        opened = self.scorer.sheet.opened
        stored = StoredMatch(
            opened.id, write_header(opened.match.header), [line for line in self.lines if line.match == opened.id]
        )
        self.scorer = self._make()
        self.scorer.resume(resume(stored, CAMERAS.layout, PlainGuard(), sees_darts=True), self.now)

    def _make(self) -> Scorer:
        def draw(_: int) -> str:
            return str(next(self._ids))

        opened = begin(self._header, CAMERAS.layout, draw, PlainGuard())
        return Scorer(opened, self._config, CAMERAS, draw, PlainGuard())


@given(TABLES, INPUTS)
@example(
    ("sensor", "x01"),
    [
        Input(0, Hit(segment=CAMERAS.layout["T20"], key="a0")),
        Input(0, Undo()),
        Input(0, RESTART),
        Input(0, Hit(segment=CAMERAS.layout["T20"], key="a0")),
    ],
)
def test_a_dart_counts_once_and_no_dart_comes_back_by_itself(table: tuple[str, str], inputs: list[Input]) -> None:
    play = Play(*table)
    entered = set[tuple[str, str]]()
    for each in inputs:
        match_id, before = play.scorer.sheet.opened.id, play.keys
        play.say(each)
        keys = play.keys
        assert len(keys) == len({*keys}), "a dart counts once"
        if not isinstance(each.said, Redo | Undo | Amend) and play.scorer.sheet.opened.id == match_id:
            again = {(match_id, key) for key in keys if key not in before} & entered
            assert not again, "what was taken back stays so"
        entered |= {(play.scorer.sheet.opened.id, key) for key in keys}


@given(TABLES, INPUTS)
def test_what_a_player_has_changed_the_board_leaves_alone(table: tuple[str, str], inputs: list[Input]) -> None:
    play = Play(*table)
    changed = set[tuple[str, int]]()
    for each in inputs:
        match_id, before = play.scorer.sheet.opened.id, list_readings(play.scorer.match.position)
        play.say(each)
        is_same_match = play.scorer.sheet.opened.id == match_id
        after = list_readings(play.scorer.match.position) if is_same_match else {}
        if isinstance(each.said, Throw | Miss | Total | Amend | Undo | Redo):
            changed |= {(match_id, number) for number in before if after.get(number, before[number]) != before[number]}
        elif not isinstance(each.said, Command):
            for number in before.keys() & after.keys():
                if (match_id, number) in changed:
                    assert before[number].items() <= after[number].items()


@given(TABLES, INPUTS, INPUTS)
def test_what_could_not_be_written_is_not_known(
    table: tuple[str, str], inputs: list[Input], refused: list[Input]
) -> None:
    play = Play(*table)
    for each in inputs:
        play.say(each)
    scorer = play.scorer
    checkpoint, position, board = scorer.checkpoint(), scorer.match.position, scorer.sheet.opened.id
    for each in refused:
        if isinstance(each.said, str):
            continue
        effects = play.say(each)
        left = scorer.roll_back(checkpoint, effects)
        assert (left.lines, left.to_board, left.reply) == ((), (), None)
        assert (scorer.match.position, scorer.sheet.opened.id) == (position, board)
        again = scorer.checkpoint().sensed
        assert again is not None
        assert checkpoint.sensed is not None
        assert again.darts == checkpoint.sensed.darts


@given(TABLES, INPUTS)
def test_the_board_is_told_of_darts_that_it_has_told_of(table: tuple[str, str], inputs: list[Input]) -> None:
    play, known = Play(*table), set[str]()
    for each in inputs:
        if isinstance(each.said, Hit | Unread | Amended):
            known.add(each.said.key)
        elif isinstance(each.said, Found):
            known |= {dart.key for dart in each.said.darts}
        for command in play.say(each).to_board:
            assert isinstance(each.said, Amend | Undo | Redo | Sensor)
            assert getattr(command, "key", None) in {None, *known}
