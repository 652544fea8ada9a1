"""The equipment of a table: the codebook of its board, as its lines of the configuration have it.

A profile says how a kind of board speaks; a table may have another mat, other times or a face of its own. Whether the
board can be reached that way at all is found here too, before anything is plugged in.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from daemon import files, profiles
from daemon.errors import UserError
from daemon.simulated import SCHEMES
from drivers.address import Address, AddressError, parse
from protocol.codebook import Codebook, expand, load, shipped
from protocol.layouts import load as load_face
from protocol.profile import Profile, Timing
from protocol.segment import Layout
from protocol.source import Source, SourceError
from protocol.spelling import nearest, readable

if TYPE_CHECKING:
    from daemon.sections import TableConfig

_USUAL = "opendarts"


def codebook(table: TableConfig, index: int, source: Source) -> Codebook:
    """The codebook of this table, the one of that index in the file. Raises SourceError."""
    address = _address(table, index, source)
    scheme = address.scheme
    if not table.profile and scheme in ("ble", "usb"):
        message = f"the board {table.board} needs a profile: oche scan names the one that fits"
        raise source.error(message, "table", index, "board")
    usual = address.target if scheme == "sim" else _USUAL
    book = _shipped_or_written(table.profile or usual, index, source)
    _check_link(address, table.profile, book.profile, index, source)
    if not (table.mat or table.wiring or table.face or table.timing):
        return book
    face = book.layout if table.face is None else _face(table.face, book, index, source)
    profile = replace(_wired(table, book.profile, index, source), timing=_timing(table, book.profile, index, source))
    try:
        return expand(profile, face=face)
    except SourceError as error:
        raise source.error(error.message, "table", index, "mat" if table.mat else "wiring") from None


def identity(board: str, profile: Profile) -> object:
    """What two tables cannot both have: equal for two addresses of one board. None for boards that are not shared."""
    address = parse(board, SCHEMES)
    if address.scheme in ("sim", "replay"):
        return None
    target = address.target if address.scheme == "serial" else address.target.lower()
    told_apart = tuple(address.options.get(option) for option in ("serial", "bus", "adapter"))
    return address.scheme, target, told_apart, profile.id if target == "auto" else None


def _address(table: TableConfig, index: int, source: Source) -> Address:
    try:
        return parse(table.board, SCHEMES)
    except AddressError as error:
        raise source.error(str(error), "table", index, "board") from None


def _shipped_or_written(name: str, index: int, source: Source) -> Codebook:
    try:
        if not profiles.is_file(name):
            return shipped(name)
        return load(files.source(Path(source.file).parent / name))
    except SourceError:
        raise
    except (UserError, ValueError) as error:
        raise source.error(str(error), "table", index, "profile") from None


def _check_link(address: Address, name: str, profile: Profile, index: int, source: Source) -> None:
    """Whether this board can be reached and read at this address, by the profile of this name ("": none is given).

    A Bluetooth or a USB board cannot be found or read without being described; lines and bytes come any way, but a
    line has no packets.
    """
    scheme = address.scheme
    described = {"ble": profile.ble, "usb": profile.usb}
    if scheme in described and described[scheme] is None:
        message = f"the profile {profile.id} describes no board on {scheme}: oche scan names the one that fits"
        raise source.error(message, "table", index, "profile")
    if scheme == "sim" and name and address.target.lower().replace("_", "-") != profile.id and address.target != name:
        message = f"{address} simulates no {profile.id} board: leave the profile out, or write sim:{profile.id}"
        raise source.error(message, "table", index, "profile")
    if scheme == "tcp" and profile.tcp is None and _has_no_port(address):
        message = f"the address {address} names no port, nor does the profile {profile.id}: add it, as in "
        raise source.error(f"{message}{address}:11080", "table", index, "board")
    try:
        profiles.check_packets(profile, scheme)
    except ValueError as error:
        raise source.error(str(error), "table", index, "profile") from None


def _has_no_port(address: Address) -> bool:
    from drivers.tcp_line import place  # noqa: PLC0415  it loads asyncio, which a check of other boards can do without

    return place(address).port is None


def _wired(table: TableConfig, profile: Profile, index: int, source: Source) -> Profile:
    """With the mat and the wiring of this table."""
    if table.mat is None and table.wiring is None:
        return profile
    hits = profile.hits
    if table.mat is not None and hits.mat is None:
        raise source.error(f"the profile {profile.id} has no mat to replace", "table", index, "mat")
    return replace(profile, hits=replace(hits, mat=table.mat or hits.mat, wiring=table.wiring or hits.wiring))


def _timing(table: TableConfig, profile: Profile, index: int, source: Source) -> Timing:
    """The profile's times, with those of this table in their place."""
    known: dict[str, int] = msgspec.to_builtins(profile.timing)
    for key, value in table.timing.items():
        if key not in known:
            raise source.error(f"unknown key {key!r}{nearest(key, list(known))}", "table", index, "timing", key)
        try:
            msgspec.convert({key: value}, Timing)
        except msgspec.ValidationError as error:
            reason, _ = readable(error, Timing)
            raise source.error(f"timing.{key} = {value}: {reason}", "table", index, "timing", key) from None
    return msgspec.convert({**known, **table.timing}, Timing)


def _face(name: str, book: Codebook, index: int, source: Source) -> Layout:
    """A face of one's own, of the kind the board has."""
    try:
        face = load_face(files.source(Path(source.file).parent / name))
    except UserError as error:
        raise source.error(str(error), "table", index, "face") from None
    if face.name != book.layout.name:
        raise source.error(
            f"{name} is a {face.name} face; the profile {book.profile.id} has the {book.layout.name} face",
            "table",
            index,
            "face",
        )
    return face
