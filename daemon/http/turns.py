"""Turns of the event loop: large or many requests are answered piece by piece, and no dart waits.

What is done for a client is done in one piece, in which the loop does nothing else. How many pieces there are, clients
choose; so each waits here for its turn.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque

_Waiting = OrderedDict[str, deque[asyncio.Future[None]]]
"""The turns that clients wait for; first the client that has waited longest."""


class Turns:
    """One turn at a time. Clients alternate, however much each of them asks for; so do preferred ones and the others.

    After each turn comes a pause of `rest` times its length: with 3 these turns have a quarter of the time.
    """

    def __init__(self, rest: float = 0.0) -> None:
        self._rest = rest
        self._others, self._preferred = _Waiting(), _Waiting()
        self._order = [self._others, self._preferred]
        self._is_running = False
        self._began_s = 0.0

    async def take(self, client: str, *, is_preferred: bool = False) -> None:
        """Waits for a turn of this client, which lasts until it waits for something else."""
        loop = asyncio.get_running_loop()
        turn = loop.create_future()
        (self._preferred if is_preferred else self._others).setdefault(client, deque()).append(turn)
        if not self._is_running:
            self._is_running = True
            loop.call_soon(self._give)
        await turn

    def _give(self) -> None:
        """Gives a turn to the client that has waited longest."""
        loop = asyncio.get_running_loop()
        while waiting := self._choose():
            client, turns = waiting.popitem(last=False)
            turn = turns.popleft()
            was_cancelled = turn.done()
            if turns:
                waiting[client] = turns
                waiting.move_to_end(client, last=not was_cancelled)
            if not was_cancelled:
                loop.call_soon(self._begin)
                turn.set_result(None)  # has who waits go on, after _begin and before _end
                loop.call_soon(self._end)
                return
        self._is_running = False

    def _choose(self) -> _Waiting | None:
        """Returns those that come next; None: nobody waits."""
        self._order.reverse()
        return next(filter(None, self._order), None)

    def _begin(self) -> None:
        self._began_s = asyncio.get_running_loop().time()

    def _end(self) -> None:
        loop = asyncio.get_running_loop()
        loop.call_later(self._rest * (loop.time() - self._began_s), self._give)
