"""A match as the tests drive it: lines of a record in, the state as the outside reads it out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from daemon.snapshot import take_snapshot
from engine.game import Game
from engine.games import expand_preset
from engine.games import game as find
from engine.match import Match, Outcome
from engine.position import Position
from protocol.commands import IllegalInput, decode_line
from protocol.match_spec import read_header

Line = Mapping[str, Any]  # Any: JSON
State = dict[str, Any]  # Any: JSON


def header(game: str = "x01", players: Iterable[str] = ("Ann", "Bo"), **more: Any) -> dict[str, Any]:  # Any: JSON
    """A header line. The seed is fixed, so that a failure can be seen again."""
    return {"oche": 1, "game": game, "players": list(players), "seed": "oche", **more}


class Record:
    """A record as it is written, line by line, and the match that it is.

    `journal` holds the accepted lines alone, with their numbers: what a store keeps and a resumed match is made from.
    """

    def __init__(self, first: Line, game: Game[Any, Any] | None = None) -> None:  # Any: each has its own options
        self.first = first
        self._is_shipped = game is None
        self.game = game or find(first["game"])
        self.journal: list[tuple[int, Line]] = []
        self.line = 1
        self.match = self._begin()
        self._shown: dict[tuple[int, int, int, int | None], tuple[Match, Position, bytes]] = {}
        """The states since the last line, by what they show: showing one takes longer than to play."""

    def add(self, line: Line) -> Outcome:
        """The next line; what became of it."""
        self.line += 1
        self._shown.clear()
        outcome = _apply(self.match, self.line, line)
        if outcome.accepted:
            self.journal.append((self.line, line))
        return outcome

    def play(self, *lines: Line | str) -> State:
        """Lines that must all be accepted; a text is darts, with `/` for next: "T20 T20 T20 / S1"."""
        self.feed(*lines)
        return self.state

    def feed(self, *lines: Line | str) -> None:
        """As `play`, where nobody looks at the state: showing it takes longer than to play."""
        for line in lines:
            for one in _darts(line) if isinstance(line, str) else [line]:
                outcome = self.add(one)
                assert outcome.accepted, f"line {self.line}, {one}: {outcome.reason}"

    def refused(self, line: Line) -> str:
        """The reason why this line, which must change nothing, is refused."""
        before = self.encoded()
        outcome = self.add(line)
        assert not outcome.accepted, f"line {self.line} was accepted: {line}"
        assert self.encoded() == before, "a refused line changed the state"
        assert outcome.reason
        return outcome.reason

    @property
    def state(self) -> State:
        """What the public sees."""
        state: State = msgspec.json.decode(self.encoded())
        return state

    def encoded(self, seat: int | None = None) -> bytes:
        """The state as it goes out, byte for byte."""
        match, position = self.match, self.match.position
        of = (id(match), id(position), match.line, seat)
        if of not in self._shown:
            self._shown[of] = (match, position, msgspec.json.encode(take_snapshot(match, seat=seat)))
        return self._shown[of][2]

    def but_line(self) -> bytes:
        """The state without the number of its line: what undo must restore exactly."""
        state = self.state
        del state["line"]
        return msgspec.json.encode(state)

    def resumed(self) -> Match:
        """The match made again from the journal, as after a power cut."""
        match = self._begin()
        for number, line in self.journal:
            outcome = _apply(match, number, line)
            assert outcome.accepted, f"line {number} was accepted once: {outcome.reason}"
        return match

    def _begin(self) -> Match:
        first = read_header(dict(self.first))
        return Match(expand_preset(first) if self._is_shipped else first, self.game, self.first.get("seed", "oche"))


def _apply(match: Match, number: int, line: Line) -> Outcome:
    try:
        return match.apply(number, decode_line(dict(line)))
    except IllegalInput as refused:
        return Outcome(False, str(refused))


def _darts(text: str) -> list[Line]:
    return [{"next": True} if word == "/" else {"throw": word} for word in text.split()]
