"""`oche doctor` on the tables of the daemon that runs, by what it has said of itself at the broker.

Everything is read from what is on the broker: `now` is the newest of each topic that we may read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TypeVar

import msgspec

from daemon.cli import version
from daemon.doctor.checks import Check
from protocol.topics import topic

_T = TypeVar("_T", bound=msgspec.Struct)
_PLAIN = 300
"""More than any sentence of ours has."""


class _Table(msgspec.Struct):
    """What is read of a table's health, of whatever version."""

    trouble: str | None = None
    remark: str | None = None
    stuck: tuple[str, ...] = ()


class _Health(msgspec.Struct):
    tables: dict[str, _Table] = {}


class _Board(msgspec.Struct):
    text: str = ""


class _Info(msgspec.Struct):
    version: str = ""


def check_tables(base: str, bridge: str, tables: Collection[str], now: Mapping[str, bytes]) -> Iterator[Check]:
    """Does each keep what is thrown, and is its board there?"""
    health = _read(now.get(topic("bridge_health", base, bridge=bridge)), _Health) or _Health()
    for table in tables:
        said = health.tables.get(table, _Table())
        if said.trouble:
            what, _, remedy = said.trouble.partition("; ")
            yield Check("table", "problem", f"{table} keeps nothing now: {_plain(what)}", _plain(remedy))
        if said.remark:
            yield Check("table", "warning", f"{table}: {_plain(said.remark)}", "see journal")
        if said.stuck:
            text = f"{', '.join(map(_plain, said.stuck))} of table {table} does not open"
            yield Check("table", "warning", text, "free the segment: a dart or its tip may be stuck in it")
        if now.get(topic("board_state", base, table=table)) == b"offline":
            board = _read(now.get(topic("board_info", base, table=table)), _Board) or _Board()
            what, _, remedy = _plain(board.text).partition(": ")
            yield Check("table", "warning", f"the board of {table} is offline: {what or 'nobody knows why'}", remedy)


def check_version(base: str, bridge: str, now: Mapping[str, bytes]) -> Iterator[Check]:
    """Does the daemon still run as it was before an update?"""
    info = _read(now.get(topic("bridge_info", base, bridge=bridge)), _Info)
    if info is not None and info.version and info.version != version():
        text = f"the daemon that runs is {_plain(info.version)}, and {version()} is installed"
        yield Check("service", "warning", text, "sudo systemctl restart oche")


def _read(body: bytes | None, kind: type[_T]) -> _T | None:
    try:
        return msgspec.json.decode(body or b"", type=kind)
    except (msgspec.DecodeError, RecursionError):
        return None


def _plain(text: str) -> str:
    """It goes on a terminal, and whoever may write at the broker could have written it."""
    return "".join(each if each.isprintable() else "?" for each in text[:_PLAIN])
