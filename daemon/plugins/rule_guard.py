"""The guard of the rules: every call into a game's rules is made in it, so that a failure stays at its own table.

A rule that raises refuses its input, with a sentence that names file, line and reason; the log has the traceback. A
plug-in's game that fails three times, or does not come to an end, is withdrawn until oche is started again; a shipped
game is withdrawn when it has not come to an end twice. The matches stay in the journal, and the table can play others.

An endless rule is ended by a limit on processor time. On the main thread, where the tables are, a timer signal raises
Overrun, also in code that waits; on another thread (bots, statistics) a watcher thread raises it between two bytecodes.
The processor time of that thread counts, so a busy machine is no overrun. Waiting is measured in ticks of the timer: a
process that was frozen gets one, however long that took.
"""

from __future__ import annotations

import logging
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Collection
from types import CodeType, FrameType, TracebackType
from typing import Any, TypeVar

from daemon.rules import AnyGame, Guard, RulesFailed
from engine.game import Advice, Game, Turn
from engine.game_check import InvalidGame
from engine.games import is_shipped
from engine.match import Match
from engine.position import Position
from engine.skill import Skill
from protocol.commands import IllegalInput
from protocol.match_spec import Unreadable

T = TypeVar("T")

_TICK_S = 0.5
"""The interval at which the clock is read."""
_WAITING = 5
"""On the main thread waiting is limited too: to the ticks of so many times the limit."""
_FEWEST_TICKS = 3
"""The ticks that are granted in any case."""
log = logging.getLogger("oche.rules")
LIMIT_S = 4.0
"""Processor time for one input: a hundred times what the slowest shipped game needs on a small machine."""
_LINE_S = 0.002
"""More processor time for each line of the match, because a correction replays it: several times what is needed."""
_ADVICE_LIMIT_S = 30.0
"""Processor time for advice, in a thread of its own: the first calculation may be long."""
_STRIKES = 3
_SHIPPED_OVERRUNS = 2
"""A shipped game does come to an end, so one overrun may have another cause."""


class Overrun(BaseException):
    """The block took too long. Not an Exception, so that the endless code does not catch it by accident."""

    def __str__(self) -> str:
        return "it does not finish"


class Limit:
    """Raises Overrun in the block once it has used `limit_s` of processor time. Inside another limit it does nothing.

    Overrun is raised in the block only, never after `__exit__` has begun. So this is no generator, which would be left
    through contextlib's code.
    """

    def __init__(self, limit_s: float) -> None:
        self.limit_s = limit_s
        self.is_on = False
        self._watch: _Watch | None = None

    def __enter__(self) -> None:
        if _thread_state.limit is not None:
            return
        _thread_state.limit = self
        if threading.get_ident() != _MAIN:
            self.is_on = True
            self._watch = _Watch(self)
            return
        if not _thread_state.handles_ticks:  # for good: a late signal must find a handler
            signal.signal(signal.SIGALRM, _handle_tick)
            _thread_state.handles_ticks = True
        self.ends_s = time.thread_time() + self.limit_s
        self.ticks_left = max(_FEWEST_TICKS, round(self.limit_s * _WAITING / _TICK_S))
        signal.setitimer(signal.ITIMER_REAL, _TICK_S, _TICK_S)
        self.is_on = True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.is_on = False  # before anything else: from here on nothing is raised
        if _thread_state.limit is self:
            if self._watch is None:
                signal.setitimer(signal.ITIMER_REAL, 0)
            else:
                self._watch.end()
            _thread_state.limit = None
        if error is not None:
            self.on_error(error)

    def on_error(self, error: BaseException) -> None:
        """Called with an error that leaves the block; an error raised here takes its place."""


def end_limit() -> None:
    """To be called off the main thread when an Overrun was caught outside the block, raised as the block was left."""
    if (limit := _thread_state.limit) is not None:
        limit.is_on = False
        if limit._watch is not None:  # noqa: SLF001  ours
            limit._watch.end()  # noqa: SLF001
        _thread_state.limit = None


class _ThreadState(threading.local):
    limit: Limit | None = None
    handles_ticks = False


_thread_state = _ThreadState()
_MAIN = threading.main_thread().ident


def _handle_tick(number: int, frame: FrameType | None) -> None:
    """Handles the signal of the timer, on the main thread: raises Overrun when the time of the limit is over."""
    limit = _thread_state.limit
    if limit is None or not limit.is_on or (frame is not None and frame.f_code in _BOUNDARY):
        return
    limit.ticks_left -= 1
    if limit.ticks_left <= 0 or time.thread_time() >= limit.ends_s:
        raise Overrun


class _Watch:
    """Watches the clock of the thread that made it, from a thread of its own, until `end`."""

    def __init__(self, limit: Limit) -> None:
        import ctypes  # noqa: PLC0415  the start needs none of it

        self._ctypes = ctypes
        self._limit = limit
        self._ident = threading.get_ident()
        self._clock = time.pthread_getcpuclockid(self._ident)
        self._ends_s = time.thread_time() + limit.limit_s
        self._lock, self._ended = threading.Lock(), threading.Event()
        threading.Thread(target=self._run, name="overrun", daemon=True).start()

    def end(self) -> None:
        """Ends the watch, and withdraws an Overrun that is pending."""
        while True:
            try:
                self._ended.set()
                with self._lock:
                    self._raise()
            except Overrun:  # it was faster
                continue
            return

    def _run(self) -> None:
        while not self._ended.wait(_TICK_S):
            with self._lock:
                if not self._ended.is_set() and time.clock_gettime(self._clock) >= self._ends_s:
                    frame = sys._current_frames().get(self._ident)  # noqa: SLF001  there is no other way to ask
                    if self._limit.is_on and frame is not None and frame.f_code not in _BOUNDARY:
                        self._raise(Overrun)

    def _raise(self, *what: type[Overrun]) -> None:
        """Without an argument what is pending is withdrawn."""
        error = self._ctypes.py_object(*what)
        self._ctypes.pythonapi.PyThreadState_SetAsyncExc(self._ctypes.c_ulong(self._ident), error)


_BOUNDARY = {each.__code__ for each in (*vars(Limit).values(), *vars(_Watch).values(), end_limit) if callable(each)}
"""The code that enters and leaves a block: nothing is raised in it."""


def is_interrupt(error: BaseException) -> bool:
    """Whether a person has pressed Ctrl-C; a KeyboardInterrupt that a rule raises is an error like any other.

    Python raises it only on the main thread, and not where the daemon handles the signal.
    """
    is_main = threading.get_ident() == _MAIN
    is_person = is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    return isinstance(error, KeyboardInterrupt) and is_person


def call_rules(work: Callable[[], T], limit_s: float) -> T:
    """Returns what `work` does, which plays by the rules of a game, in so much processor time.

    Raises RulesFailed where they raise anything, or do not come to an end.
    """
    try:
        with Limit(limit_s):
            return work()
    except BaseException as error:  # a broken rule costs its own match only, whatever it raises
        if is_interrupt(error):
            raise
        end_limit()
        raise RulesFailed(str(error)) from error


class RuleGuard:
    """The guard of all tables of a daemon, which knows what has failed since it was made: see daemon/rules.py.

    One of a check beside a daemon has the guard that is `running` there: what that has withdrawn is not called here
    either, and what fails here is not held against the game there.
    """

    def __init__(self, running: Guard | None = None) -> None:
        self._running = running
        self._failures: dict[str, int] = {}
        self._overruns: dict[str, int] = {}
        self._withdrawn: dict[str, str] = {}

    def call(
        self,
        game: AnyGame,
        *,
        lines: int = 0,
        is_vital: bool = True,
        may_refuse: bool = True,
        even_withdrawn: bool = False,
    ) -> Limit:
        """A block in which a game's rules are called, as Guard has it."""
        if not even_withdrawn and (reason := self.find_withdrawal_reason(game)) is not None:
            raise RulesFailed(reason)
        return _GuardedCall(self, game, LIMIT_S + lines * _LINE_S, is_vital, may_refuse)

    def find_withdrawal_reason(self, game: AnyGame) -> str | None:
        """Why this game is withdrawn until oche is started again; None when it is not."""
        reason = self._withdrawn.get(game.id)
        return reason if reason or self._running is None else self._running.find_withdrawal_reason(game)

    def ask_advice(self, match: Match, position: Position, turn: Turn, seat: int, skill: Skill) -> Advice:
        """What this seat should do, as Guard has it."""
        try:
            if self.find_withdrawal_reason(match.game) is not None:
                return Advice()
            with _GuardedCall(self, match.game, _ADVICE_LIMIT_S, is_vital=False, may_refuse=True):
                found = match.game.advise(position.state, turn, seat, skill)
                if found.aim is not None:
                    match.layout[found.aim]  # raises for a bed that does not exist
                return found
        except Overrun:
            end_limit()
        except (RulesFailed, IllegalInput, Unreadable):
            pass
        return Advice()

    def count_failure(self, game: AnyGame, error: BaseException, is_vital: bool) -> RulesFailed:
        """Counts this error of a game, which may withdraw it; returns the sentence for its callers."""
        what = describe_failure(game, error)
        failures = self._failures[game.id] = self._failures.get(game.id, 0) + is_vital
        overruns = self._overruns[game.id] = self._overruns.get(game.id, 0) + isinstance(error, Overrun)
        if overruns >= _SHIPPED_OVERRUNS if is_shipped(game.id) else (overruns or failures >= _STRIKES):
            self._withdrawn[game.id] = (
                f"the game {game.id} is withdrawn until oche restarts, because its rules failed ({what}): "
                "start another game"
            )
            if self._running is None:  # else the daemon goes on with the game
                log.error("%s", self._withdrawn[game.id])
        return RulesFailed(f"the rules of {game.id} failed on this input ({what}); it was not counted")


class _GuardedCall(Limit):
    def __init__(self, guard: RuleGuard, game: AnyGame, limit_s: float, is_vital: bool, may_refuse: bool) -> None:
        super().__init__(limit_s)
        self._guard = guard
        self._game = game
        self._is_vital = is_vital
        self._may_refuse = may_refuse

    def on_error(self, error: BaseException) -> None:
        if isinstance(error, RulesFailed) or is_interrupt(error):
            return
        if self._may_refuse and isinstance(error, IllegalInput | Unreadable):
            return
        # Every other error counts, SystemExit too: no rule may end the daemon.
        log.error("the rules of %s failed", self._game.id, exc_info=error)
        raise self._guard.count_failure(self._game, error, self._is_vital) from None


def locate_error(error: BaseException, modules: Collection[str], place: str) -> str:
    """Where and why, as "FILE, line N: what": the innermost frame of the traceback in these modules or packages.

    `place` is used when there is none, because a value that the rules returned was found wrong later: then it is told
    where.
    """
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return f"{error.filename}, line {error.lineno}: {error.msg}"
    used, is_found = "", False
    for frame, line in traceback.walk_tb(error.__traceback__):
        name = str(frame.f_globals.get("__name__"))
        if any(f"{name}.".startswith(f"{module}.") for module in modules):
            place, is_found = f"{frame.f_code.co_filename}, line {line}", True
        elif name.startswith("engine."):
            used = f" (a value of the game does not fit in {name}, line {line})"
    said = " ".join(str(error).split())
    is_told = isinstance(error, IllegalInput | Overrun | InvalidGame)
    what = said if is_told else f"{type(error).__name__}{': ' + said if said else ''}"
    return f"{place}: {what[:300]}{'' if is_told or is_found else used}"


def describe_failure(game: AnyGame, error: BaseException) -> str:
    """Where and why this game failed, as "FILE, line N: what", in the file of its author."""
    kinds = [kind for kind in type(game).__mro__ if issubclass(kind, Game) and kind is not Game]
    modules = {kind.__module__ if is_shipped(game.id) else kind.__module__.partition(".")[0] for kind in kinds}
    place = _locate_definition(type(game))
    if not isinstance(error, InvalidGame):
        place = place.rpartition(", line ")[0] or place
    elif error.method and (method := getattr(type(game), error.method, None)):
        place = _locate_definition(method)
    return locate_error(error, modules, place)


def _locate_definition(written: Any) -> str:  # Any: a class or a function
    """The file of a function and its first line; of a class, that of the first function in it."""
    # inspect would parse the whole file for a class, which fails in Python 3.11 when threads do so at the same time.
    functions = vars(written).values() if isinstance(written, type) else (written,)
    codes = [code for each in functions if isinstance(code := getattr(each, "__code__", None), CodeType)]
    if not codes:
        return str(getattr(sys.modules.get(written.__module__), "__file__", None) or written.__module__)
    first = min(codes, key=lambda code: code.co_firstlineno)
    return f"{first.co_filename}, line {first.co_firstlineno}"
