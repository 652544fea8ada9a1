"""The checks of boards on the network (`tcp:`, `rfc2217:`): is the board there, and does it talk to us alone?

While a daemon runs nothing is connected to: many of these boards talk to one program at a time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection

from daemon.admin.doctor.boards import TableBoard
from daemon.admin.doctor.checks import AS_ROOT, Check
from drivers.schemes import SCHEMES
from drivers.transport import LinkError, Lost
from protocol.sentence import say

_CONNECT_S = 5.0
_HANG_UP_S = 1.0
"""A board that another program uses hangs up at once, or takes nobody."""


async def check_network_boards(boards: Collection[TableBoard], *, is_running: bool | None) -> list[Check]:
    """Whether each of these boards takes a connection and keeps it.

    `is_running`: a daemon may be connected. None: that cannot be known, so the boards are left alone.
    """
    return list(await asyncio.gather(*(_check_board(board, is_running=is_running) for board in boards)))


async def _check_board(board: TableBoard, *, is_running: bool | None) -> Check:
    at = str(board.address)
    if is_running is None:
        text = say("doctor.tcp_unseen", "{given} was not checked: only root can see whether a daemon uses it", given=at)
        return Check("network", "warning", text, AS_ROOT)
    if is_running:
        text = say("doctor.tcp_ours", "{given} was not checked: the running daemon uses it", given=at)
        return Check("network", "ok", text)
    try:
        async with asyncio.timeout(_CONNECT_S):
            line = await SCHEMES[board.address.scheme].open(board.address, board.profile)
    except LinkError as error:
        return Check.from_sentence("network", "problem", error.said)
    except TimeoutError:
        text = say(
            "doctor.tcp_slow", "the board of table {name} at {given} does not answer", name=board.table, given=at
        )
        remedy = say(
            "doctor.tcp_look", "check that it is switched on and in this network, and whether its address changed"
        )
        return Check("network", "problem", text, remedy)
    try:
        async with asyncio.timeout(_HANG_UP_S):
            while True:
                await line.receive()  # it may greet us
    except Lost as error:
        return Check.from_sentence("network", "problem", error.said)
    except TimeoutError:
        text = say(
            "doctor.tcp_there", "{given}, the board of table {name}, accepts a connection", given=at, name=board.table
        )
        return Check("network", "ok", text)
    finally:
        await line.aclose()
