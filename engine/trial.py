"""A trial of a game: a short match under the laws that hold for every game, for those that do not ship.

The match goes as a bad evening does: some darts where the game advises, some anywhere, early nexts, answers, undo and
redo. It is the same each time, so a trial that failed fails again. Laws do not know the rules: a game that passes can
be played, corrected and resumed; whether it counts right is for its own tests to say.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from engine.game import Game, Prompt
from engine.game_check import InvalidGame, check_game
from engine.luck import Luck
from engine.match import Match, make_events
from engine.position import Visit
from protocol.commands import Choose, Input, Next, Redo, Throw, Undo
from protocol.facts import Fact, LifeLost
from protocol.match_spec import MatchSpec, Unreadable

_PEOPLE = ("Ann", "Bo", "Cy", "Di")
_SEED = "trial"
_MOVES = 60

AnyGame = Game[Any, Any]  # Any: each has its own options and state


def trial(given: object, look: Callable[[Match], object] = lambda _: None) -> None:
    """Tries this game; `look` sees the match after each move and may object too.

    Raises InvalidGame with what is wrong, in one sentence, and what a rule raises.
    """
    game = check_game(given)
    _Trial(game, look).play()


class _Trial:
    def __init__(self, game: AnyGame, look: Callable[[Match], object]) -> None:
        self._game = game
        self._look = look
        self._luck = Luck(_SEED, 0)
        self._journal: list[tuple[int, Input, bytes]] = []
        """Each line with its input and what was seen after it."""
        self._match = self._begun()

    def play(self) -> None:
        """One match, until it is over or long enough; then once more from its journal."""
        self._check()
        for move in range(_MOVES):
            if self._match.position.over:
                break
            before = self._seen()
            self._enter(self._move(move))
            if self._luck.number("undo", move, 2):
                self._enter(Undo())
                if self._seen() != before:
                    raise InvalidGame(f"{self._game.id} is not the same after an undo: never change a state in place")
                self._enter(Redo())
        again = self._begun()
        for line, given, seen in self._journal:
            again.apply(line, given)
            if _seen(again) != seen:
                raise InvalidGame(f"{self._game.id} gives another result for the same darts: take all chance from luck")

    def _begun(self) -> Match:
        game = self._game
        count = next(n for n in (2, game.sides[0]) if n in game.sides)
        size = game.team_size[0]
        players = tuple(f"{_PEOPLE[n % len(_PEOPLE)]} {n}" for n in range(count * size))
        teams = tuple(tuple(range(side, count * size, count)) for side in range(count)) if size > 1 else None
        try:
            return Match(MatchSpec(game.id, players, teams=teams, seed=_SEED, undo_all=True), game, _SEED)
        except Unreadable as error:
            raise InvalidGame(
                f"{game.id} cannot be played by {len(players)} with its default options: {error}"
            ) from None

    def _enter(self, given: Input) -> None:
        line, before = self._match.line + 1, self._match.position.visit
        outcome = self._match.apply(line, given)
        if not outcome.accepted:
            raise InvalidGame(f"{self._game.id} refuses {msgspec.json.encode(given).decode()}: {outcome.reason}")
        if not all(isinstance(fact, Fact) for fact in outcome.facts):
            raise InvalidGame(f"{self._game.id} tells facts that engine.game does not have: {outcome.facts!r}")
        self._check_facts(outcome.facts, before)
        self._check()
        self._journal.append((line, given, self._seen()))

    def _check_facts(self, facts: tuple[Fact, ...], before: Visit) -> None:
        """Raises InvalidGame for facts that cannot be told, or are of no side."""
        said = f"{self._game.id} tells"
        for fact in facts:
            if fact.side is not None and fact.side not in range(len(self._match.seating.sides)):
                raise InvalidGame(f"{said} {fact!r}, and there is no side {fact.side!r}: count sides from 0")
            if fact.side is None and "side" in fact.shared:
                raise InvalidGame(f"{said} {fact!r}: give it the side that it is about")
            if isinstance(fact, LifeLost) and fact.side is None and not fact.target:
                raise InvalidGame(f"{said} {fact!r}: give it the side, or where that is secret the target")
            try:
                make_events((fact,), before, self._match, _SEED)
            except (TypeError, msgspec.ValidationError) as error:
                raise InvalidGame(f"{said} {fact!r}: {error}") from None

    def _move(self, move: int) -> Input:
        position, chance = self._match.position, self._luck.number("move", move, 8)
        prompt = position.blocking or (next(iter(position.prompts), None) if chance < 4 else None)
        advice = self._match.advice()
        if prompt is not None:
            return self._answer(prompt, advice.answer if chance < 4 else None, move)
        if position.phase == "takeout" or chance == 7:
            return Next()
        if advice.aim is not None and chance < 4:
            return Throw(self._match.layout[advice.aim].id)
        segments = self._match.layout.segments
        return Throw(segments[self._luck.number("segment", move, len(segments))].id)

    def _answer(self, prompt: Prompt, advised: str | None, move: int) -> Choose:
        if advised is None and prompt.options:
            advised = prompt.options[self._luck.number("answer", move, len(prompt.options))]
        answer = advised if advised is not None else prompt.default
        if answer is None:
            raise InvalidGame(
                f"no answer to the prompt {prompt.id} of {self._game.id} is known: return one from advise"
            )
        return Choose(answer, prompt.id)

    def _check(self) -> None:
        match, game = self._match, self._game
        public = _panel(match, None)
        if not game.has_secrets(match.options):
            if any(prompt.secret for prompt in match.position.prompts):
                raise InvalidGame(f"{game.id} has a secret prompt, but its has_secrets returns False")
            if any(_panel(match, seat) != public for seat in range(len(match.seating.players))):
                raise InvalidGame(f"{game.id} shows seats different views, but its has_secrets returns False")
        for prompt in match.position.prompts:
            if prompt.id.partition("@")[2].partition(".")[0] != str(match.turn.visit):
                raise InvalidGame(
                    f"the prompt {prompt.id!r} of {game.id} needs an id from turn.prompt_id, such as row@5"
                )
        self._look(match)

    def _seen(self) -> bytes:
        return _seen(self._match)


def _panel(match: Match, seat: int | None) -> bytes:
    panel = match.panel(seat)
    unknown = [bed for bed in panel.hint if bed not in match.layout]
    if unknown:
        raise InvalidGame(f"the hint of {match.game.id} names {unknown[0]!r}, which is not a segment of this layout")
    return _json(panel, match.game, "view")


def _seen(match: Match) -> bytes:
    """Everything of a match that a correction must bring back, as bytes: a state changed in place would be equal."""
    position = match.position
    scores = [match.score(side) for side in range(len(match.seating.sides))]
    state = _json(position.state, match.game, "state")
    return b"\n".join((state, _panel(match, None), repr((position.phase, position.visit.number, scores)).encode()))


def _json(value: object, game: AnyGame, what: str) -> bytes:
    try:
        return msgspec.json.encode(value, order="deterministic")
    except (TypeError, ValueError, OverflowError, msgspec.MsgspecError) as error:
        raise InvalidGame(
            f"the {what} of {game.id} cannot be written as JSON: {error}", "view" if what == "view" else None
        ) from None
