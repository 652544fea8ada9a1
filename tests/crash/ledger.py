"""What people at a table want, what it was told and showed, and what must therefore be in its journal after a kill."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, Literal, NamedTuple

from engine.game import Game
from engine.games import GAMES
from engine.options import read_options
from tests.faults.evening import JSON, SEGMENTS, Stored
from tests.faults.witness import Said

Way = Literal["board", "mqtt"]
_NAMES = ("Ann", "Bo", "Cy", "Di")


class Wish(NamedTuple):
    """One input of the word `command`. `body` is what its line in the journal says; by board, `key` is the button."""

    number: int
    table: str
    way: Way
    command: str
    body: JSON

    @property
    def request(self) -> JSON:
        """As it is sent over MQTT. It is known by its number."""
        return {"transaction": str(self.number), **self.body}


def _on_this_layout(game: Game[Any, Any]) -> bool:  # Any: each has its own options
    return "standard" in game.layouts and 2 in game.sides


class Wishes:
    """The wishes of all tables. A dart's segment is thrown once in so many darts, so that none is taken for another."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._numbers = itertools.count(1)
        self._segments = self._all_segments()
        games = [game for game in GAMES.values() if _on_this_layout(game)]
        hidden = [game.id for game in games if game.has_secrets(read_options(game, {}))]
        self._games = ["x01", "cricket", *hidden] * 4 + [game.id for game in games]

    def next(self, table: str, state: JSON, ahead: int = 0) -> Wish:
        """What a player does who sees this state, or has done so many things since."""
        chance, phase = self._rng.random(), state["phase"]
        if phase == "over" and not ahead:
            return self._wish(table, "mqtt", "start", {"start": self._header()} if chance < 0.8 else {})
        if chance < 0.02:
            return self._wish(table, "mqtt", "start", {"start": self._header()})
        if chance < 0.03:
            return self._wish(table, "mqtt", "stop", {"stop": True})
        if chance < 0.08:
            return self._wish(table, self._way(), "undo", {"undo": True})
        if chance < 0.11:
            return self._wish(table, "mqtt", "redo", {"redo": True})
        if chance < 0.15:
            return self._amend(table, state)
        prompt = next((prompt for prompt in state["prompts"] if prompt["options"]), None)
        if prompt is not None and not ahead and (phase == "deciding" or chance < 0.4):
            answer = {"choose": self._rng.choice(prompt["options"]), "prompt": prompt["id"]}
            return self._wish(table, "mqtt", "choose", answer)
        if phase == "deciding" and chance < 0.4:
            return self._wish(table, "mqtt", "start", {})
        darts_left = state["turn"]["darts_left"] if phase == "throwing" else 0
        if (ahead - darts_left) % 4 == 0 or phase == "deciding" or chance > 0.97:
            return self._wish(table, self._way(), "next", {"next": True})
        return self._wish(table, self._way(), "throw", {"throw": next(self._segments)})

    def _amend(self, table: str, state: JSON) -> Wish:
        """A dart of this visit or the last was another one, or none."""
        darts = state["turn"]["darts"] + (state["last"] or {"darts": []})["darts"]
        line = self._rng.choice(darts)["line"] if darts else 2
        said = next(self._segments) if self._rng.random() < 0.8 else None
        return self._wish(table, "mqtt", "amend", {"amend": line, "throw": said})

    def _header(self) -> JSON:
        game = GAMES[self._rng.choice(self._games)]
        count = self._rng.choice([n for n in (2, 2, 3, 4) if n in game.sides])
        return {"game": game.id, "players": list(_NAMES[:count]), "format": {"legs": self._rng.choice((1, 2))}}

    def _wish(self, table: str, way: Way, command: str, body: JSON) -> Wish:
        return Wish(next(self._numbers), table, way, command, body)

    def _way(self) -> Way:
        return self._rng.choice(("board", "mqtt"))

    def _all_segments(self) -> Iterator[str]:
        while True:
            yield from (segment.id for segment in self._rng.sample(SEGMENTS, len(SEGMENTS)))


Place = tuple[str, int]
"""A match and a line of it; line 1 is its beginning."""


Fell = Literal["while it began", "before the commit", "committed, not shown", "shown, not answered", "all was answered"]
WORST: tuple[Fell, ...] = ("committed, not shown", "shown, not answered", "before the commit", "all was answered")


class Entry(NamedTuple):
    """What a kill found new in a journal: one line, or the beginning of a match (line 1)."""

    match: str
    line: int
    given: JSON
    is_mqtt: bool


class Ledger:
    """The ledger of one table, over all lives."""

    def __init__(self, table: str) -> None:
        self.states: dict[Place, JSON] = {}
        """What was shown, without what belongs to a life and not to the match."""
        self.matches: list[Stored] = []
        """The journal, as it was after the last kill."""
        self.sent: list[Wish] = []
        """In this life, as is all up to `hits`."""
        self.answers: dict[str, JSON] = {}
        self.shown: Place | None = None
        """The newest state."""
        self.resumed = False
        """A first state was shown."""
        self.hits = 0
        """That were told of."""
        self.table = table
        self._counts: dict[str, int] = {}
        """The lines of each match."""
        self._told_by: dict[Place, str] = {}
        self._numbers: set[tuple[str, int]] = set()
        self._dead: set[str] = set()
        """The sessions of lives that are over."""
        self._session = ""

    @property
    def end(self) -> Place | None:
        """The last line of the journal."""
        return (self.matches[-1].id, len(self.matches[-1].lines) + 1) if self.matches else None

    def hear(self, said: Said) -> None:
        """A message, from this table or not."""
        _, _, table, kind, *_ = said.topic.split("/")
        if table != self.table:
            return
        if kind == "response":
            message = json.loads(said.text)
            assert message["transaction"] not in self.answers, f"answered twice: {message}"
            self.answers[message["transaction"]] = message
        elif kind == "event":
            self._hear_event(json.loads(said.text))
        elif kind == "state":
            self._hear_state(json.loads(said.text))

    def _hear_event(self, event: JSON) -> None:
        number = event["session"], event["seq"]
        assert number not in self._numbers, f"told twice: {event}"
        self._numbers.add(number)
        self.hits += event["event_type"] == "hit"
        if "line" in event and event["event_type"] not in ("undone", "corrected"):  # they name the line they change
            place = event["match"], event["line"]
            assert self._told_by.setdefault(place, event["session"]) == event["session"], f"told in two lives: {event}"

    def _hear_state(self, state: JSON) -> None:
        session, _ = state.pop("session"), state.pop("seq")
        place = state["match"], state["line"]
        assert self.states.setdefault(place, state) == state, f"shown in two ways: {self.states[place]} and {state}"
        if session in self._dead:
            return
        if session != self._session:
            self._session = session
            assert self.end in (None, place), f"the journal ended with {self.end}, and resumed is {place}"
            self.resumed = True
        self.shown = place

    def judge(self, found: list[Stored]) -> list[Entry]:
        """Compares after a kill. `found` are the matches from the last known one on; gives what is new."""
        old = self.matches[-1] if self.matches else None
        if old is not None:
            assert found, "the last match is gone"
            assert found[0].id == old.id
            assert found[0].header == old.header
            assert found[0].lines[: len(old.lines)] == old.lines, "what was kept has changed"
        new = list(_entries(found, len(old.lines) + 1 if old else 1))
        self.matches[-1:] = found
        self._counts |= {match.id: len(match.lines) + 1 for match in found}
        for place in (*self.states, *self._told_by):
            assert place[1] <= self._counts.get(place[0], 0), f"{place} was shown, and the journal ends before it"
        for is_mqtt in (True, False):
            wishes = [wish for wish in self.sent if (wish.way == "mqtt") is is_mqtt]
            self._explain([entry for entry in new if entry.is_mqtt is is_mqtt], wishes)
        return new

    def rest(self) -> None:
        """Another life begins."""
        self._dead.add(self._session)
        self._session, self.shown, self.resumed = "", None, False
        self.sent, self.answers, self.hits = [], {}, 0

    def fell(self, new: list[Entry]) -> Fell:
        """Where the kill fell, by what was found `new` after it: the first of these that is so of any input."""
        if new and self.end != self.shown:
            return "committed, not shown"
        lines = {answer["data"]["line"] for answer in self.answers.values() if answer["status"] == "ok"}
        if any(entry.line not in lines for entry in [entry for entry in new if entry.is_mqtt][-1:]):
            return "shown, not answered"
        hits = sum(wish.command == "throw" and wish.way == "board" for wish in self.sent)
        asked = sum(wish.way == "mqtt" for wish in self.sent)
        return "before the commit" if len(self.answers) < asked or self.hits < hits else "all was answered"

    def _explain(self, new: Sequence[Entry], wishes: list[Wish]) -> None:
        """Every new line was asked for once, in this order; what was answered is there, or was refused and is not."""
        reached = {0}
        for wish in wishes:
            done = {end for begin in reached for end in _ends(wish, new, begin)}
            match self.answers.get(str(wish.number)):
                case {"status": "ok", "data": {"line": line}}:
                    reached = {end for end in done if new[end - 1].line == line}
                    assert reached, f"answered, and not in the journal: {wish} in {new}, of {wishes}"
                case None:
                    reached |= done
        assert len(new) in reached, f"this was not asked for: {new}, but for {wishes} with {self.answers}"


def _entries(found: list[Stored], known: int) -> Iterator[Entry]:
    """All after so many lines of the first match, its beginning included."""
    for match in found:
        everything = [(match.header, "mqtt"), *zip(match.lines, match.sources, strict=True)]
        for line, (given, source) in enumerate(everything, 1):
            if line > known:
                yield Entry(match.id, line, given, source == "mqtt")
        known = 0


def _ends(wish: Wish, new: Sequence[Entry], begin: int) -> Iterator[int]:
    """Where what this wish may have written from there on can end."""
    rest = new[begin:]
    match wish.command:
        case "next":
            for number, entry in enumerate(rest, begin + 1):
                if entry.line > 1 and (entry.given == {"next": True} or _fills(entry.given)):
                    yield number
                if not _fills(entry.given):
                    return
        case "start":
            before = 1 if rest and rest[0].given == {"stop": True} else 0
            if len(rest) > before and rest[before].line == 1:
                yield begin + before + 1
        case _:
            if rest and rest[0].line > 1 and rest[0].given == wish.body:
                yield begin + 1


def _fills(given: JSON) -> bool:
    """A dart that no board saw, or an answer that no player gave."""
    return given == {"throw": "MISS"} or "choose" in given
