"""`sim:granboard`: a board of that kind in the computer's memory, for a house without hardware.

A radio or a USB bus cannot be simulated without root, so these boards are reached without one; all from the first byte
on is as it is with a real board. Whoever looks at the page throws its darts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from drivers.address import SCHEMES as REAL
from drivers.address import Address, Scheme, parse
from drivers.transport import Transport, Unavailable
from protocol.codebook import Codebook
from protocol.profile import Profile
from protocol.segment import UnknownSegment

if TYPE_CHECKING:
    from daemon.table import Table
    from daemon.web import Where
    from simulator.link import SimulatedBoard
    from simulator.memory_board import MemoryBoard


async def _nobody(address: Address, profile: Profile) -> Transport:
    raise Unavailable(f"{address} is there only while oche run or oche play simulates it: use a real board's address")


def _check(address: Address) -> None:
    address.number("speed", 1)


SCHEMES: Mapping[str, Scheme] = {**REAL, "sim": Scheme(_nobody, ("speed",), "sim:granboard", _check)}
"""Every kind of link of the daemon."""


def simulated(text: str, codebook: Codebook) -> MemoryBoard | None:
    """The board that this address asks for (`speed` times as fast as in life); None for real ones."""
    address = parse(text, SCHEMES)
    if address.scheme != "sim":
        return None
    from simulator.habits import habits_of, quick  # noqa: PLC0415  nobody with a real board needs it
    from simulator.memory_board import MemoryBoard  # noqa: PLC0415

    habits = quick(habits_of(codebook.profile), address.number("speed", 1))
    return MemoryBoard(codebook, habits=habits)


def reaching(board: MemoryBoard | None) -> Mapping[str, Scheme]:
    """Every kind of link, `sim:` to this board."""
    return SCHEMES if board is None else {**SCHEMES, "sim": board.scheme}


def tapped(where: Where, table: Table, board: SimulatedBoard) -> str:
    """A dart where a finger touched the page; gives where it landed. Raises UnknownSegment."""
    face = table.match.layout
    if where.segment is not None:
        landed = face[where.segment]
    elif where.x is None or where.y is None:
        raise UnknownSegment("a tap needs x and y, or a segment")
    else:
        landed = face.landed(where.x, where.y)
    if not board.hit(landed):
        board.miss()
    return landed.id
