"""What has been played: every match of every table, replayed once, and what each player made of it.

A match counts when it is over. The match at the oche does not, so nothing can be learned here that its players may not
know. A match that was stopped counts for the darts of its players, but not for legs and wins. One that was stopped
because it went on at another table counts for nothing: its darts are in the match that continues it.
"""

from __future__ import annotations

import fcntl
import logging
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, BinaryIO, Literal

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from daemon import files
from daemon.admin.players.book import PlayerBook
from daemon.admin.players.names import NO_NAMES
from daemon.journal.errors import StoreError
from daemon.journal.lines import Result, StoredMatch
from daemon.journal.stored import Head, StoredJournal, find_journals
from daemon.plugins.rule_guard import Limit, end_limit, is_interrupt
from daemon.table.match_result import is_same, read_result
from engine.games import GAMES, PRESETS, game
from engine.match import Match
from engine.played import PlayerPart, ThrowRow, list_throws
from engine.tally import Figure
from protocol.commands import IllegalInput, decode_line
from protocol.match_spec import Unreadable, read_header
from protocol.player_names import find_twice, name_key
from protocol.segment import Layout

log = logging.getLogger("oche.history")
ScoreOf = Literal["sets", "legs", "score"]
_TALLY_VERSION = 9
"""Increase it when the same match comes to another `PlayedMatch` than before, though its rules are the same."""
_LIMIT_S = 30.0
"""Processor time for one match; one that takes longer is taken for endless."""
_BATCH = 100
"""Matches that are read and cached at once, so that a reading that is broken off was not in vain."""
FILE = "statistics.cache"
"""No name of a journal: a table may be called `statistics`."""
_SUPERSEDED = 100
"""So many lines more than matches, and the file is rewritten."""


def replay_match(stored: StoredMatch, layout: Layout | None, kept: Result | None = None) -> Match:
    """Replays a match, on this layout if the game has it. Raises ValueError with the reason when that is impossible.

    It is, too, where the match does not come to the result that was `kept`.
    """
    *_, match = _follow_match(stored, layout)
    if kept is not None and not (match.position.over and is_same(kept, read_result(match))):
        raise IllegalInput("the rules of its game have changed since, and would give another result")
    return match


def _follow_match(stored: StoredMatch, layout: Layout | None) -> Iterator[Match]:
    """Yields the match as it begins, and again after each of its lines. Raises as `replay_match` does."""
    header = read_header(stored.header)
    chosen = game(header.game)
    layout = layout if layout and layout.name in chosen.layouts else None
    match = Match(header, chosen, header.seed or "", layout=layout)
    yield match
    for line in stored.lines:
        outcome = match.apply(line.number, decode_line(line.input))
        if not outcome.accepted:
            raise IllegalInput(f"line {line.number} is refused: {outcome.reason}")
        yield match


class Standing(Struct, frozen=True, array_like=True):
    """How a side stood when its match was over: its seats, its sets, legs or score, and its place, counted from 1.

    Sides that are level share a place, and so do all of whom the game does not tell who was ahead.
    """

    seats: tuple[int, ...]
    score: int
    won: bool
    place: int


class PlayedMatch(Struct, frozen=True):
    """A match of a journal, with all who are in its header: `bots` has the level of each of them who is a bot.

    `parts` are of those whose figures count; a match without them counts for nobody. `problem` is why it cannot be
    replayed.
    """

    id: str
    table: str
    at: str
    """When it began (ISO 8601, UTC)."""
    game: str = ""
    variant: str = ""
    """The id of the variant of the game (engine.games.variant); figures are pooled by it."""
    title: str = ""
    layout: str = field(default="", name="face")
    """The layout it was played on, by name."""
    players: tuple[str, ...] = ()
    bots: tuple[int | None, ...] | None = None
    is_over: bool = False
    was_stopped: bool = False
    darts: int = 0
    parts: tuple[PlayerPart, ...] = ()
    figure: Figure = "average"
    """What players of this game compare themselves by."""
    standings: tuple[Standing, ...] = ()
    """How the sides stood, in their order; empty where the match is not over, or its rules have changed since."""
    score_of: ScoreOf = "score"
    """What the standings count."""
    problem: str | None = None
    went_on: bool = False
    """Whether it was stopped, and a match of another table goes on with its darts; never cached."""

    @property
    def has_player_twice(self) -> bool:
        """Whether one person plays twice: what that one wins is lost too, and the match counts for nobody."""
        bots = self.bots or (None,) * len(self.players)
        return find_twice(self.players, tuple(bot is not None for bot in bots)) is not None

    @property
    def label(self) -> str:
        """The title, and the variant where the title does not say it: 501, 501 · soft_501."""
        is_said = self.variant in (self.game, self.title.casefold().replace(" ", "_"))
        return self.title if is_said else f"{self.title} · {self.variant}"


class CachedMatch(Struct, frozen=True, array_like=True):
    """What a match came to when its journal, the program and the rules had this stamp."""

    id: str
    stamp: str
    body: PlayedMatch


class MatchCache:
    """A cache of matches, so that each is replayed once: a file of JSON lines beside the journals, read at once.

    Each line is a match; of two lines on one match the later counts. The file may be deleted at any time: a line or a
    file that cannot be read costs a replay, never an answer, and where it cannot be written it is done without. Used by
    one thread, while others append. An erasure makes another file: nothing that was read before it is written to that.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: BinaryIO | None = None
        self._kept: dict[str, CachedMatch] = {}
        self._lines = 0
        with suppress(OSError):
            if not path.exists():
                files.replace_file(path, b"", like=path.parent)
            self._file = path.open("rb")
            lines = self._file.read().split(b"\n")
            self._lines = len(lines)
            self._kept = {each.id: each for each in _decode(lines)}

    def get(self, match_id: str, stamp: str) -> PlayedMatch | None:
        """The cached match of this id and stamp; None when there is none."""
        kept = self._kept.get(match_id)
        return kept.body if kept is not None and kept.stamp == stamp else None

    def put(self, news: Iterable[CachedMatch]) -> None:
        """Caches these."""
        added = {each.id: each for each in news}
        self._kept |= added
        self._lines += len(added)
        with suppress(OSError), self._path.open("ab") as file:
            if _is_same(self._file, os.fstat(file.fileno())):
                file.write(_encode(added.values()))

    def keep_only(self, ids: Collection[str]) -> None:
        """Deletes all matches but those of these ids, as the last that is done with it."""
        kept = [each for match_id, each in self._kept.items() if match_id in ids]
        if len(kept) == len(self._kept) and self._lines <= len(kept) + _SUPERSEDED:
            return
        with suppress(OSError), _lock(self._path) as file:
            if file is not None and _is_same(self._file, os.fstat(file.fileno())):
                files.replace_file(self._path, _encode(kept), like=self._path.parent)

    def close(self) -> None:
        """Closes the file."""
        if self._file is not None:
            self._file.close()


def erase_matches(path: Path, is_erased: Callable[[CachedMatch], bool]) -> None:
    """Deletes these matches from a cache for good. Raises UserError; it may be done again."""
    with (
        files.explain_errors(f"cannot erase what is in {path}", "; check the disk, and try again"),
        _lock(path) as file,
    ):
        if file is None:
            return
        left: list[CachedMatch] = []
        with suppress(OSError):  # what cannot be read is deleted
            left = [each for each in _decode(file.read().split(b"\n")) if not is_erased(each)]
        try:
            files.replace_file(path, _encode(left), like=path.parent)
        except OSError:  # a full disk: without the file it only takes longer
            path.unlink(missing_ok=True)
            path.with_name(f"{path.name}.new").unlink(missing_ok=True)


def erase_players(path: Path, keys: Collection[str]) -> None:
    """Deletes the matches in which a player's name is or contains one of these keys, as a ghost's does.

    Raises as `erase_matches` does.
    """
    erase_matches(path, lambda each: any(key in name_key(player) for player in each.body.players for key in keys))


@contextmanager
def _lock(path: Path) -> Iterator[BinaryIO | None]:
    """Yields the file, which no other process replaces meanwhile; None: there is none. Raises OSError."""
    while path.exists():
        with path.open("rb") as file:
            with suppress(OSError):  # not every file system has locks
                fcntl.flock(file, fcntl.LOCK_EX)
            if path.exists() and _is_same(file, path.stat()):
                yield file
                return
    yield None


def _is_same(file: BinaryIO | None, found: os.stat_result) -> bool:
    return file is not None and os.path.samestat(os.fstat(file.fileno()), found)


def _decode(lines: Iterable[bytes]) -> Iterator[CachedMatch]:
    """Yields the matches of the lines that can be read."""
    decode = msgspec.json.Decoder(CachedMatch).decode
    for line in lines:
        with suppress(msgspec.DecodeError, UnicodeDecodeError):
            yield decode(line)


def _encode(matches: Iterable[CachedMatch]) -> bytes:
    """The matches, each after a line end, so that the line after an incomplete one is complete."""
    return b"".join(b"\n" + msgspec.json.encode(each) for each in matches)


class History:
    """The matches in a folder of journals. `layouts` are the layouts of the tables, by the table's name.

    `version` is that of the program: another one has no use for the cached tallies. Reading may take seconds; the
    daemon has it done in a process of its own (daemon/admin/process.py).
    """

    def __init__(self, folder: Path, layouts: Mapping[str, Layout], version: str) -> None:
        self.problems: list[str] = []
        """What the latest reading could not read, a sentence each."""
        self.folder = folder
        self.layouts = layouts
        self.names = NO_NAMES
        """What players were called when the latest reading began."""
        self._version = version
        self.progress = 0, 0
        """How many matches of how many the latest reading has done."""

    def counted_matches(self) -> Iterator[PlayedMatch]:
        """Yields every match that counts, table by table. Raises UserError."""
        uncounted = list_uncounted()
        return (
            match for match in self.all_matches() if match.parts and not match.went_on and match.game not in uncounted
        )

    def all_matches(self) -> Iterator[PlayedMatch]:
        """Yields every match, table by table, also those that do not count. Raises as `counted_matches` does.

        The players have their present names.
        """
        self.problems = []
        self.names = PlayerBook(self.folder).read_names()
        self.progress = 0, 0
        heads = self.find_matches()
        has_all = not self.problems
        with closing(MatchCache(self.folder / FILE)) as cache:
            yield from self._read_all(heads, cache, has_all=has_all)

    def _read_all(
        self, heads: Sequence[tuple[StoredJournal, Head]], cache: MatchCache, *, has_all: bool
    ) -> Iterator[PlayedMatch]:
        news: list[CachedMatch] = []
        continued = _list_continued(heads)
        cached = [cache.get(head.id, self._make_stamp(head)) for _, head in heads]
        coming = _read_matches([place for place, found in zip(heads, cached, strict=True) if found is None])
        for place, ((journal, head), known) in enumerate(zip(heads, cached, strict=True)):
            self.progress = place, len(heads)
            played = known
            if played is None:
                stored = next(coming)
                if isinstance(stored, StoreError):  # it cannot be read at this moment
                    self.problems.append(str(stored))
                    continue
                played = self._replay(journal, head, stored)
                news.append(CachedMatch(head.id, self._make_stamp(head), played))
            if len(news) == _BATCH:
                cache.put(news)
                news.clear()
            if played.problem is not None:
                self.problems.append(played.problem)
            went_on = played.was_stopped and head.id in continued
            yield self._rename_players(replace(played, table=journal.table, went_on=went_on))
        self.progress = len(heads), len(heads)
        cache.put(news)
        if has_all:
            count = len(self.problems)
            left = {head.id for _, head in self.find_matches()}  # another process may have deleted some meanwhile
            if len(self.problems) == count:
                cache.keep_only(left)

    def list_throws(self, wanted: Mapping[str, frozenset[str]]) -> Iterator[ThrowRow]:
        """Yields every dart of these players, by the match's id, that counts. Raises UserError."""
        left = dict(wanted)
        places = self.find_matches()
        continued = _list_continued(places)
        for journal, head in places:
            players = left.pop(head.id, None)
            if players is None:
                continue
            try:
                stored = journal.match(head)
                renamed = stored._replace(header=self.names.rename_header(stored.header))
                match = replay_match(renamed, self.layouts.get(journal.table))
            except (StoreError, ValueError) as error:
                self.problems.append(str(error))  # it could be read a moment ago
                continue
            if match.position.stopped and head.id in continued:
                continue
            at = {line.number: line.at for line in stored.lines}
            yield from (throw for throw in list_throws(match, head.id, journal.table, at) if throw.player in players)

    def find_matches(self) -> list[tuple[StoredJournal, Head]]:
        """The journal of every match, table by table; adds to `problems`. Raises as `counted_matches` does."""
        found: dict[str, tuple[StoredJournal, Head]] = {}
        for journal in find_journals(self.folder, self.layouts):
            try:
                heads = journal.heads()
            except StoreError as error:
                self.problems.append(str(error))
                continue
            for head in heads:
                found.setdefault(head.id, (journal, head))  # the folder may have a copy of a journal
        return [*found.values()]

    def write_figures(self, table: str, match_id: str) -> PlayedMatch | None:
        """Caches what this match comes to, so that no reading has to replay it, and returns it.

        None, and nothing is cached, when it cannot be read now.
        """
        found: PlayedMatch | None = None
        journal = StoredJournal(self.folder / f"{table}.sqlite3")
        with ExitStack() as opened, suppress(StoreError, OSError):
            file = None
            with suppress(OSError):  # before the match is read: what is erased since then is not in this file
                file = opened.enter_context((self.folder / FILE).open("ab", buffering=0))
            for head in journal.heads(match_id):
                found = self._replay(journal, head, journal.match(head))
                if file is not None:
                    file.write(_encode([CachedMatch(head.id, self._make_stamp(head), found)]))
        return found

    def read_ends(self, table: str, match_id: str, line: int) -> list[PlayedMatch]:
        """Returns what this match came to whenever it was over, up to this line of its record, the latest first.

        [] if it is unreadable; what is the same is in it once. The players have their present names.
        """
        found: list[PlayedMatch] = []
        journal = StoredJournal(self.folder / f"{table}.sqlite3")
        with suppress(StoreError):
            for head in journal.heads(match_id):
                stored = journal.match(head)
                stored = stored._replace(lines=[each for each in stored.lines if each.number <= line])
                for count in self._find_ends(journal, stored):
                    end = self._replay(journal, head, stored._replace(lines=stored.lines[:count]))
                    end = self._rename_players(end)
                    if end.is_over and end not in found:
                        found.insert(0, end)
        return found

    def erase_figures(self, matches: Collection[str]) -> None:
        """Deletes what is cached of these matches, and of those that no journal has any more. Raises UserError."""
        count = len(self.problems)
        left = {head.id for _, head in self.find_matches()}
        has_all = len(self.problems) == count
        erase_matches(self.folder / FILE, lambda each: each.id in matches or (has_all and each.id not in left))

    def _rename_players(self, played: PlayedMatch) -> PlayedMatch:
        """With the present names; the cache has those of the record."""
        if not self.names.shown:
            return played
        people = {"players": [*played.players], "bots": played.bots}
        return replace(
            played,
            players=tuple(self.names.rename_header(people)["players"]),
            parts=tuple(
                part if part.is_bot else replace(part, player=self.names.get(part.player)) for part in played.parts
            ),
        )

    def _make_stamp(self, head: Head) -> str:
        """What the figures of a match depend on: the program, the rules of its game, its header and its lines."""
        return f"{stamp_program(self._version, head.game)} {head.stamp}"

    def _find_ends(self, journal: StoredJournal, stored: StoredMatch) -> list[int]:
        """Returns after how many of its lines the match was over; [] if it cannot be replayed."""
        try:
            with Limit(_LIMIT_S):
                followed = enumerate(_follow_match(stored, self.layouts.get(journal.table)))
                return [count for count, match in followed if match.position.over]
        except BaseException as error:  # as in `_replay`
            if is_interrupt(error):
                raise
            end_limit()
            return []

    def _replay(self, journal: StoredJournal, head: Head, stored: StoredMatch) -> PlayedMatch:
        kept, layout = journal.result(head.number, len(stored.lines)), self.layouts.get(journal.table)
        return count_match(stored._replace(id=head.id, at=head.begun_at), journal.table, layout, kept)


def count_match(stored: StoredMatch, table: str, layout: Layout | None, kept: Result | None = None) -> PlayedMatch:
    """What the match came to; by the rules of its day, if that was `kept` and is not the same today."""
    played = _name_people(PlayedMatch(stored.id, table, stored.at), stored.header)
    try:
        with Limit(_LIMIT_S):
            match = replay_match(stored, layout, kept)
            if not match.position.over:
                return _describe_open(played, match)
            return _describe_standings(_fill(played, read_result(match), stored), match)
    except BaseException as error:  # a broken rule costs its own match only, whatever it raises
        if is_interrupt(error):
            raise
        end_limit()
        log.info("%s: the match %s cannot be replayed", table, stored.id, exc_info=True)
        problem = f"the match {stored.id} of the table {table} does not count: {error}"
        return replace(played, problem=problem) if kept is None else _fill(played, kept, stored)


def list_uncounted() -> frozenset[str]:
    """The games whose matches count in no figures."""
    return frozenset(name for name, game in GAMES.items() if not game.is_counted)


def stamp_program(version: str, game: str) -> str:
    """What figures depend on beside the record: the program of this version, and the rules of this game."""
    preset = PRESETS.get(game)
    known = GAMES.get(preset.game if preset else game)
    return f"{version} {_TALLY_VERSION} {known and known.rules}"


def _list_continued(places: Iterable[tuple[StoredJournal, Head]]) -> set[str]:
    """The ids of the matches that others continue."""
    return {head.continues for _, head in places if head.continues}


def _name_people(played: PlayedMatch, header: dict[str, Any]) -> PlayedMatch:  # Any: JSON
    """The match with its game and its players, as far as its header can be read."""
    try:
        read = read_header(header)
    except Unreadable:
        game, players = header.get("game"), header.get("players")
        names = tuple(map(str, players)) if isinstance(players, list) else ()
        return replace(played, game=str(game or ""), players=names)
    return replace(played, game=read.game, players=read.players, bots=read.bots)


def _describe_open(played: PlayedMatch, match: Match) -> PlayedMatch:
    """The match, which is not over, with what it is and how many darts are thrown."""
    title, darts = match.game.title(match.options), sum(tally.darts for tally in match.position.tallies)
    return replace(played, game=match.game.id, title=title, darts=darts)


def _describe_standings(played: PlayedMatch, match: Match) -> PlayedMatch:
    """The match, which is over, with how its sides stood: in sets or legs where more than one was there to win."""
    position, sides, length = match.position, match.seating.sides, match.header.format
    score_of: ScoreOf = "sets" if length.sets > 1 else "legs" if length.legs > 1 else "score"
    scores: Sequence[int] = [match.score(side) for side in range(len(sides))]
    if score_of != "score":
        scores = position.sets if score_of == "sets" else position.legs
    elif len(played.parts) == len(sides) and all(part.result is not None for part in played.parts):
        scores = [part.result or 0 for part in played.parts]  # what is compared over time, which may be no score
    places = _find_places(match, None if score_of == "score" else scores)
    standings = (
        Standing(tuple(side.seats), scores[index], index in position.winners, places[index])
        for index, side in enumerate(sides)
    )
    return replace(played, score_of=score_of, standings=tuple(standings))


def _find_places(match: Match, won: Sequence[int] | None) -> dict[int, int]:
    """The place of each side of a match that is over: the winners, the others, and last those who left.

    `won` is how many sets or legs each has; None: there was one leg.
    """
    position = match.position
    left = [side for side in range(len(position.legs)) if side not in {*position.winners, *position.retired}]
    groups: list[Sequence[int]] = [position.winners]
    if won is not None:
        counts = sorted({won[side] for side in left}, reverse=True)
        groups += [[side for side in left if won[side] == count] for count in counts]
    else:
        for side in match.ranks or ():  # they were played on for
            if side in left:
                groups.append([side])
                left.remove(side)
        while left:
            leading = match.game.leading(position.state, tuple(left))
            ahead = [side for side in left if side in leading] or left
            groups.append(ahead)
            left = [side for side in left if side not in ahead]
    groups.append([side for side in sorted(position.retired) if side not in position.winners])
    places: dict[int, int] = {}
    for group in groups:
        places |= dict.fromkeys(group, len(places) + 1)
    return places


def _fill(played: PlayedMatch, result: Result, stored: StoredMatch) -> PlayedMatch:
    """The match with its result, and with the names in its header."""
    names = stored.header["players"]
    return replace(
        played,
        game=result.game,
        variant=result.variant,
        title=result.title,
        layout=result.layout,
        is_over=True,
        was_stopped=result.was_stopped,
        darts=sum(part.tally.darts for part in result.parts.values()),
        figure=result.figure,
        parts=tuple(replace(part, player=names[seat]) for seat, part in sorted(result.parts.items())),
    )


def _read_matches(places: Iterable[tuple[StoredJournal, Head]]) -> Iterator[StoredMatch | StoreError]:
    """Yields these matches with their lines, in batches; in place of one that cannot be read why it cannot."""
    for journal, group in groupby(places, key=itemgetter(0)):
        left = [head for _, head in group]
        while left:
            try:
                found = journal.matches(left[:_BATCH])
            except StoreError as error:
                yield error
                left = left[1:]
            else:
                yield from found
                left = left[len(found) :]
