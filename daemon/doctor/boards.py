"""The boards of the configuration as the doctor looks for them: table, address, profile."""

from __future__ import annotations

from typing import NamedTuple

from daemon.config import Setup
from daemon.simulated import SCHEMES
from drivers.address import Address, parse
from protocol.profile import Profile


class Board(NamedTuple):
    """The board of one table."""

    table: str
    address: Address
    profile: Profile


def boards(setup: Setup | None, scheme: str) -> list[Board]:
    """Those on this kind of link; without a configuration that can be used there is none."""
    if setup is None:
        return []
    found = [
        Board(table.name, parse(table.board, SCHEMES), codebook.profile)
        for table, codebook in zip(setup.config.table, setup.codebooks, strict=True)
    ]
    return [board for board in found if board.address.scheme == scheme]
