"""The one door through which the daemon asks a game anything: whatever a rule does there stays at its own table.

A rule that raises refuses its input, with a sentence that names file, line and reason; the log has the traceback. A
game of a plug-in that fails again and again, or does not come to an end, is withdrawn until oche is started again, and
so is a game that ships when it has not come to an end twice: its matches stay in the journal, and the table can play
something else.
"""

from __future__ import annotations

import inspect
import logging
import re
import traceback
from typing import Any, NamedTuple

import msgspec

from daemon.overrun import Limit, Overrun, leave
from daemon.snapshot import snapshot
from engine.game import Advice, Game, Prompt, Turn
from engine.games import is_shipped
from engine.match import Match
from engine.position import Position
from engine.record import Refused, Unreadable
from engine.skill import Skill
from protocol import messages

log = logging.getLogger("oche.rules")

AnyGame = Game[Any, Any]  # Any: each has its own options and state

LIMIT_S = 4.0
"""Processor time for one input: a hundred times what the slowest game that ships needs on a small machine."""
_LINE_S = 0.002
"""As much again for each line of the match, since a correction plays it again: several times what is needed."""
_ADVICE_LIMIT_S = 30.0
"""The same for a bot that thinks, in a thread of its own: the first time there may be much to reckon."""
_STRIKES = 3
_SHIPPED_OVERRUNS = 2
"""What ships does come to an end: something may have held it up once."""
MOST_BYTES = 65_536
"""Of a state that is shown. A game should stay under four thousand; what is more than this would choke displays."""

_failures: dict[str, int] = {}
_overruns: dict[str, int] = {}
_withdrawn: dict[str, str] = {}


class RulesFailed(Unreadable):
    """The rules of a game failed: in which place and how, in one sentence."""


class Seen(NamedTuple):
    """A match as it is shown: in public, and to every seat where there is anything to hide."""

    public: messages.State
    hands: tuple[messages.State, ...] = ()


class _Asking(Limit):
    """See `asking`."""

    def __init__(self, game: AnyGame, limit_s: float, is_vital: bool, may_refuse: bool) -> None:
        super().__init__(limit_s)
        self._game = game
        self._is_vital = is_vital
        self._may_refuse = may_refuse

    def failed(self, error: BaseException) -> None:
        if isinstance(error, RulesFailed | KeyboardInterrupt):
            return
        if self._may_refuse and isinstance(error, Refused | Unreadable):
            return
        # Whatever else it is, SystemExit and the like too: no rule may end the daemon.
        log.error("the rules of %s failed", self._game.id, exc_info=error)
        raise _failed(self._game, error, self._is_vital) from None


def asking(
    game: AnyGame,
    limit_s: float | None = None,
    *,
    is_vital: bool = True,
    may_refuse: bool = True,
    even_withdrawn: bool = False,
) -> Limit:
    """What is asked of a game in this block fails alone. Raises RulesFailed.

    Refused and Unreadable pass where the game `may_refuse`, else they are errors as all others. An error is held
    against the game where it `is_vital`: not while a match begins, since nobody is in the middle of it, and anybody can
    ask for a match that cannot be. What never ends is always held against it. A withdrawn game is not asked, but
    `even_withdrawn` for what it has answered once before.
    """
    if game.id in _withdrawn and not even_withdrawn:
        raise RulesFailed(_withdrawn[game.id])
    return _Asking(game, LIMIT_S if limit_s is None else limit_s, is_vital, may_refuse)


def limit_s(match: Match) -> float:
    """Processor time for one input of this match."""
    return LIMIT_S + match.line * _LINE_S


def withdrawn(game: AnyGame) -> str | None:
    """Why this game cannot be played until oche is started again; None when it can."""
    return _withdrawn.get(game.id)


def readmit() -> None:
    """Gives every game another chance."""
    _failures.clear()
    _overruns.clear()
    _withdrawn.clear()


def see(match: Match, name: str | None = None, *, is_vital: bool = True, even_withdrawn: bool = False) -> Seen:
    """How this match looks; it could be published as it is. Raises RulesFailed. The rest is as in `asking`."""
    with asking(match.game, is_vital=is_vital, may_refuse=False, even_withdrawn=even_withdrawn):
        public, *hands = sound(match, name)
        return Seen(public, tuple(hands))


def advice(match: Match, position: Position, turn: Turn, seat: int, skill: Skill) -> Advice:
    """What this seat should do; nothing comes to mind where the rules fail."""
    try:
        with asking(match.game, _ADVICE_LIMIT_S, is_vital=False):
            found = match.game.advise(position.state, turn, seat, skill)
            if found.aim is not None:
                match.layout[found.aim]  # a bed that there is not raises
            return found
    except Overrun:
        leave()
    except (RulesFailed, Refused, Unreadable):
        pass
    return Advice()


def face(match: Match) -> str:
    """The component of the page that draws this match; the plain one where the rules fail."""
    try:
        with asking(match.game, may_refuse=False):
            return str(match.panel().face)
    except RulesFailed:
        return "plain"


def reason(error: BaseException, file: str | None = None) -> str:
    """Where and why, as "FILE, line N: what"; the place is the last one in this file, if the error came by it."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}, line {error.lineno}: {error.msg}"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith("<frozen")]
    place = next((frame for frame in reversed(frames) if frame.filename == file), frames[-1] if frames else None)
    said = " ".join(str(error).split())
    what = said if isinstance(error, Refused | Overrun) else f"{type(error).__name__}{': ' + said if said else ''}"
    return f"{place.filename}, line {place.lineno}: {what[:300]}" if place else what[:300]


def file_of(game: AnyGame) -> str | None:
    """The file that its class is written in."""
    try:
        return inspect.getfile(type(game))
    except (TypeError, OSError):
        return None


def _failed(game: AnyGame, error: BaseException, is_vital: bool) -> RulesFailed:
    what = reason(error, file_of(game))
    _failures[game.id] = _failures.get(game.id, 0) + is_vital
    _overruns[game.id] = _overruns.get(game.id, 0) + isinstance(error, Overrun)
    if is_shipped(game.id):
        is_out = _overruns[game.id] >= _SHIPPED_OVERRUNS
    else:
        is_out = _overruns[game.id] > 0 or _failures[game.id] >= _STRIKES
    if is_out:
        _withdrawn[game.id] = (
            f"the game {game.id} is withdrawn until oche is started again, because its rules failed ({what}): "
            "start another game"
        )
        log.error("%s", _withdrawn[game.id])
    return RulesFailed(f"the rules of {game.id} failed on this input ({what}); it was not counted")


def sound(match: Match, name: str | None = None) -> list[messages.State]:
    """The public state, and those of the seats if there are secrets, unguarded: raises whatever is wrong with them."""
    for prompt in match.position.prompts:
        _check_prompt(prompt, match)
    seats = range(len(match.seating.players)) if match.game.has_secrets(match.options) else ()
    return [_sound(match, name, seat) for seat in (None, *seats)]


def _sound(match: Match, name: str | None, seat: int | None) -> messages.State:
    """The state, once it is known that displays can read it; raises whatever is wrong."""
    state = snapshot(match, name, seat=seat)
    said = msgspec.json.encode(state)
    if len(said) > MOST_BYTES:
        raise ValueError(f"the state is {len(said)} bytes long, and {MOST_BYTES} are the most")
    msgspec.json.decode(said, type=messages.State)
    return state


def _check_prompt(prompt: Prompt, match: Match) -> None:
    """A question that nobody can answer would hold the table for ever. Raises ValueError."""
    if prompt.seat not in range(len(match.seating.players)):
        raise ValueError(f"the prompt {prompt.id} asks seat {prompt.seat}, and there is none")
    if prompt.options is not None and not prompt.options:
        raise ValueError(f"the prompt {prompt.id} has no options")
    if prompt.options is None and not prompt.pattern:
        raise ValueError(f"the prompt {prompt.id} has neither options nor a pattern")
    if prompt.pattern is not None:
        re.compile(prompt.pattern)
    if prompt.default is not None and prompt.options is not None and prompt.default not in prompt.options:
        raise ValueError(f"the default of the prompt {prompt.id} is none of its options")
