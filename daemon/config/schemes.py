"""`sim:granboard`: a board of that kind in the computer's memory, to play without hardware.

A radio or a USB bus cannot be simulated without root, so these boards are reached without one; all from the first byte
on is as it is with a real board. A board with cameras is a server on this machine. Its darts are thrown on the page.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from daemon.config.credentials import read_secret
from daemon.errors import UserError
from drivers.address import Address, Scheme
from drivers.schemes import SCHEMES as REAL
from drivers.schemes import parse
from drivers.transport import Refused, Transport, Unavailable
from protocol.codebook import Codebook
from protocol.profile import Profile
from protocol.sentence import say

if TYPE_CHECKING:
    from simulator.memory_board import MemoryBoard
    from simulator.web_board import WebBoard


SIMULATED = "sim:granboard"
"""The board to begin with where there is no real one."""


async def _refuse_simulated(address: Address, profile: Profile) -> Transport:
    said = say(
        "link.only_simulated",
        "{given} only exists while oche run or oche play simulates it: use a real board's address",
        given=str(address),
    )
    raise Unavailable(said)


def _check(address: Address) -> None:
    address.number("speed", 1)


SCHEMES: Mapping[str, Scheme] = {**REAL, "sim": Scheme(_refuse_simulated, ("speed",), SIMULATED, _check)}
"""Every kind of link of the daemon."""


def make_simulated(text: str, codebook: Codebook) -> MemoryBoard | WebBoard | None:
    """Returns the simulated board of this address (`speed` times as fast as in life); None for real boards."""
    address = parse(text, SCHEMES)
    if address.scheme != "sim":
        return None
    if codebook.profile.web is not None:
        from simulator.web_board import WebBoard  # noqa: PLC0415  as below

        return WebBoard(codebook)
    from simulator.habits import find_habits, speed_up  # noqa: PLC0415  a real board does not need it
    from simulator.memory_board import MemoryBoard  # noqa: PLC0415

    habits = speed_up(find_habits(codebook.profile), address.number("speed", 1))
    return MemoryBoard(codebook, habits=habits)


def make_schemes(board: MemoryBoard | WebBoard | None) -> Mapping[str, Scheme]:
    """Returns every kind of link, with `sim:` for this board."""
    if board is None:
        return SCHEMES
    from simulator.memory_board import MemoryBoard  # noqa: PLC0415  a real board does not need it

    return {**SCHEMES, "sim": board.scheme if isinstance(board, MemoryBoard) else _make_web_scheme(board)}


def _make_web_scheme(board: WebBoard) -> Scheme:
    """The kind of link that reaches a board with cameras, by the address and with the token that it has."""

    async def open_link(_: Address, profile: Profile) -> Transport:
        from drivers.web_link import open_web  # noqa: PLC0415  loaded by those who use it

        return await open_web(parse(board.address), board.codebook.profile, read_token=lambda: board.token)

    return SCHEMES["sim"]._replace(open=open_link)


def with_token(schemes: Mapping[str, Scheme], file: str | None, typed: str = "") -> Mapping[str, Scheme]:
    """The same kinds of link, with `web:` by the token in this file, which is read at each connection; None: without.

    Where it cannot be read, opening raises Refused. One that was `typed` is taken in its place.
    """
    if file is None and not typed:
        return schemes

    def read_token() -> str:
        if typed or file is None:
            return typed
        try:
            return read_secret(Path(file), say("secret.board", "the token of the board"))
        except UserError as error:
            raise Refused(error.said) from None

    async def open_link(address: Address, profile: Profile) -> Transport:
        from drivers.web_link import open_web  # noqa: PLC0415  loaded by those who use it

        return await open_web(address, profile, read_token=read_token)

    return {**schemes, "web": schemes["web"]._replace(open=open_link)}
