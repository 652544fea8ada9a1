"""What every link to a board has in common, and the three ways it can fail.

A link carries bytes and nothing else: meaning is the Host's, reconnecting is the session's. So a new kind of link is
three coroutines and one opener. Failures are told apart by what helps: waiting, trying again, or a person. What is at
the other end can be named by anyone in reach, so its texts are made fit to be shown where they come in.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from protocol.sentence import Sentence

_MOST_SHOWN = 64


class LinkError(Exception):
    """A link cannot be had or cannot go on; `said` is one sentence that says what to do.

    `retry_s` is how long no other attempt may be made, in seconds; None: as long as the session runs. `unheard_s` is
    how long nothing had been heard when it was noticed, where that took long.
    """

    def __init__(self, said: str | Sentence, *, retry_s: float | None = 0.0, unheard_s: float = 0.0) -> None:
        super().__init__(str(said))
        self.said = said
        self.retry_s = retry_s
        self.unheard_s = unheard_s


class Unavailable(LinkError):
    """The board is not there (yet): trying again helps once it is plugged in or switched on."""


class Lost(LinkError):
    """The link was there and is gone: trying again helps."""


class Refused(LinkError):
    """The board or the system says no (permission, wrong device, another program has it): a person must act."""


class ReplayDone(Exception):
    """A recording was played to its end: nothing more comes, and trying again does not help."""


class Transport(ABC):
    """An open link. One reader; it is open from the start and used until it is lost or closed.

    After a loss every further call raises Lost, `receive` once all bytes that had arrived before are handed out.
    """

    signal_dbm: int | None = None
    """How loud the board was heard when it was found, where it is heard by radio."""

    @abstractmethod
    async def receive(self) -> bytes:
        """Waits for bytes and returns what has arrived, never b""; raises Lost. Cancelling it loses no bytes.

        A link of packets (a notification, a report) returns exactly one of them.
        """

    @abstractmethod
    async def send(self, data: bytes) -> None:
        """Hands bytes to the link in order; they may still be on their way when it returns. Raises Lost."""

    async def battery(self) -> int | None:
        """The board's charge in percent, None when this link or board does not tell (just now); raises Lost."""
        return None

    @abstractmethod
    async def aclose(self) -> None:
        """Closes the link. May be called twice; never raises."""


def make_printable(text: str) -> str:
    """Returns what a device says of itself in printable characters of one line, "?" for each that is none; at most 64.

    It is shown in sentences, on terminals and in lines that people paste into a configuration. As it is called where
    such a text comes in, all of the program knows the device by the same name.
    """
    return "".join(each if each.isprintable() else "?" for each in text[:_MOST_SHOWN])
