"""What follows from an input of a table: the scorer returns Effects; the table commits them and publishes an Update.

Events carry neither session nor number until the table publishes them.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from msgspec import Struct

from daemon.journal.lines import Begin, Line, Planned
from protocol import messages
from protocol.commands import CommandError, Lend
from protocol.events import BoardCommand
from protocol.facts import Event
from protocol.sentence import Sentence


class BoardNews(NamedTuple):
    """Our view of the hardware link; `info.text` says it in one sentence.

    `said` and `trouble` are those of `info`, as sentences where other languages have them. Not `is_ready`: the board
    has said that it sees no darts.
    """

    online: bool
    info: messages.BoardInfo
    said: str | Sentence = ""
    trouble: str | Sentence | None = None
    is_ready: bool = True

    @property
    def sees_darts(self) -> bool:
        """Whether it is connected, and has not said that it sees no darts."""
        return self.online and self.is_ready


class Away(Struct, frozen=True):
    """What is known of another table: whether its board is connected, and since when (monotonic, ns) it is away.

    None: there is a link to it.
    """

    is_board_online: bool = False
    since_ns: int | None = 0


class TableAway(Struct, frozen=True):
    """News of the link to another table, which plays along."""

    table: str
    away: Away


class Effects(Struct, frozen=True):
    """Lines to commit; then, once they are, what to publish and to answer. None, () and False stand for nothing new.

    `lines` have no times yet, and `events` neither session nor number: those are the table's. `notice` is a sentence
    for the people at the table. `reply` is the answer to the command that this followed from. `is_state_changed`: what
    is shown of the match is new, also without lines. `lend` is what was asked of the board of this table. `to_board`
    are commands for the board.
    """

    lines: tuple[Begin | Line | Planned, ...] = ()
    events: tuple[Event, ...] = ()
    is_board_changed: bool = False
    plan: messages.Plan | None = None
    notice: str | Sentence | None = None
    reply: messages.Answer | CommandError | None = None
    is_state_changed: bool = False
    lend: Lend | None = None
    to_board: tuple[BoardCommand, ...] = ()


class Update(NamedTuple):
    """News of one table; what is None or empty has not changed."""

    table: str
    state: messages.State | None = None
    events: tuple[Event, ...] = ()
    board: BoardNews | None = None
    notice: str | Sentence | None = None
    plan: messages.Plan | None = None
    lend: Lend | None = None
    to_board: tuple[BoardCommand, ...] = ()
    is_lent: bool = False
    """The state and the events are of the match at another table in which this one plays along."""


class Outlet(Protocol):
    """Somewhere news go. `publish` must not block: an outlet that is slow keeps its own bounded backlog.

    It should not raise either: it goes without this piece of news then, and the table logs the error. The other
    outlets receive it all the same.
    """

    def publish(self, update: Update) -> None:
        """Takes the news."""
