"""Which board is on a serial port, by its greeting or by its answer to a question that harms nothing.

Opening a port restarts most of the controllers that boards are built with, and a question written to something that is
no board may mean anything to it. So this is done only when it is asked for, and a question is asked only where a
profile brings one (its handshake). At a wrong speed noise may look like a short answer: a port that says anything else
than the answer has not answered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing, suppress
from typing import NamedTuple

from drivers.serial_line import SerialTransport, open_line
from drivers.transport import Lost
from protocol.framing import Frame, Framer, Framing
from protocol.profile import Profile
from protocol.templates import fill

_ASK_S = 1.0
_ASKED = 3
"""A controller that was restarted by the opening greets, and listens, one to two seconds later."""
_HEARD_BYTES = 4096


class _Sign(NamedTuple):
    """How one profile is known: by a greeting, or by the answer to a question."""

    profile: str
    baud: int
    framing: Framing
    question: bytes
    answer: bytes

    def is_in(self, data: bytes) -> bool:
        """Whether the board that sent all this is of this profile: it greets so, or says nothing but the answer."""
        frames = Framer(self.framing).feed(data)
        if self.question:
            return bool(frames) and set(frames) == {Frame(self.answer)}
        return Frame(self.answer) in frames


def probe_time_s(profiles: Sequence[Profile]) -> float:
    """How long `identify_board` takes for a port that is none of these, in seconds."""
    return _ASK_S * _ASKED * len({sign.baud for sign in _list_signs(profiles)})


async def identify_board(path: str, profiles: Sequence[Profile], ask_s: float = _ASK_S) -> str | None:
    """The id of the profile whose board is on this port, None when it does not tell; raises a LinkError.

    `ask_s` seconds are left for each of three answers.
    """
    signs = _list_signs(profiles)
    for baud in dict.fromkeys(
        sign.baud for sign in signs
    ):  # greetings come first: a question is asked only where it is needed
        async with aclosing(await open_line(path, baud)) as line:
            known = await _listen(line, [sign for sign in signs if sign.baud == baud], ask_s)
        if known is not None:
            return known
    return None


async def _listen(line: SerialTransport, signs: Sequence[_Sign], ask_s: float) -> str | None:
    """The id of the profile; a greeting decides at once, an answer when nothing else was said for a while."""
    heard = b""
    for _ in range(_ASKED):
        with suppress(TimeoutError, Lost):
            async with asyncio.timeout(ask_s):
                for question in {sign.question for sign in signs if sign.question}:
                    await line.send(question)
                while True:
                    heard = (heard + await line.receive())[-_HEARD_BYTES:]
                    for sign in signs:
                        if not sign.question and sign.is_in(heard):
                            return sign.profile
        for sign in signs:
            if sign.is_in(heard):
                return sign.profile
    return None


def _list_signs(profiles: Sequence[Profile]) -> list[_Sign]:
    signs = []
    for profile in profiles:
        if profile.link != "serial":
            continue
        baud, framing = profile.serial.baud, profile.framing
        if profile.serial.banner:
            signs.append(_Sign(profile.id, baud, framing, b"", profile.serial.banner.encode("latin-1")))
        if profile.handshake:
            question, answer = (
                fill(text, profile.notation, {}) for text in (profile.handshake.send, profile.handshake.expect)
            )
            signs.append(_Sign(profile.id, baud, framing, framing.wrap(question), answer))
    return sorted(signs, key=lambda sign: bool(sign.question))
