"""What people at a table want next, by what a display shows them: darts, keys, answers, and things taken back."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from random import Random
from typing import Any, Literal, NamedTuple

from engine.game import Game
from engine.games import GAMES
from engine.options import read_options
from tests.faults.evening import SEGMENTS
from tests.faults.score import JSON

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


def _on_this_face(game: Game[Any, Any]) -> bool:  # Any: each has its own options
    return "standard" in game.layouts and 2 in game.sides


class Wishes:
    """The wishes of all tables. A dart's segment is thrown once in so many darts, so that none is taken for another."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._numbers = itertools.count(1)
        self._segments = self._all_segments()
        games = [game for game in GAMES.values() if _on_this_face(game)]
        hidden = [game.id for game in games if game.has_secrets(read_options(game, {}))]
        self._games = ["x01", "cricket", *hidden] * 4 + [game.id for game in games]

    def next(self, table: str, state: JSON, ahead: int = 0) -> Wish:
        """What somebody does who sees this state, or has done so many things since."""
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
