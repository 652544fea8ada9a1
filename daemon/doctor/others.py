"""`oche doctor` on the other bridges at the broker: has one our name, or a table of ours?

Everything is read from what is on the broker: `now` is the newest of each topic that we may read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import msgspec

from daemon.doctor.checks import Check
from protocol.topics import TopicError, check_name, parse, topic

_REMEDY = "give each its own bridge.name"
_OFTEN = 3
"""A broker that was restarted is lost a time or two."""
_FIGHT_S = 60
"""Two of a name lose it once a minute, or more often."""


class _Health(msgspec.Struct):
    """What is read of our bridge's health."""

    uptime_s: int
    broker_reconnects: int


class _Info(msgspec.Struct):
    """What is read of another bridge's info, of whatever version."""

    tables: tuple[str, ...] = ()


def name_is_free(base: str, bridge: str, now: Mapping[str, bytes]) -> Check:
    """While no daemon of ours runs, nobody should be online by our name."""
    if now.get(topic("bridge_state", base, bridge=bridge)) == b"online":
        remedy = f"{_REMEDY}, unless the daemon runs with another state_dir"
        return Check("bridge", "warning", f"another oche is online as {bridge}", remedy)
    return Check("bridge", "ok", f"no other oche is seen online as {bridge}")


def two_of_a_name(base: str, bridge: str, now: Mapping[str, bytes]) -> Check | None:
    """While ours runs, another of its name drives it off the broker again and again. None: nothing speaks for that."""
    try:
        health = msgspec.json.decode(now.get(topic("bridge_health", base, bridge=bridge), b""), type=_Health)
    except (msgspec.DecodeError, RecursionError):
        return None
    lost, seconds = health.broker_reconnects, health.uptime_s
    if lost < _OFTEN or seconds > lost * _FIGHT_S:
        return None
    text = f"{bridge} lost the broker {lost} times in {seconds} seconds, as when two have one name"
    return Check("bridge", "warning", text, _REMEDY)


def shared_tables(base: str, bridge: str, tables: Collection[str], now: Mapping[str, bytes]) -> Iterator[Check]:
    """Two bridges with one table both obey its commands, and each writes over what the other says."""
    found = [check for other in _others(base, bridge, now) for check in _compare(base, other, tables, now)]
    yield from found or [Check("tables", "ok", "no other bridge that we can see has our tables")]


def _others(base: str, bridge: str, now: Mapping[str, bytes]) -> Iterator[str]:
    for text in sorted(now):
        address = parse(text, base)
        if address is not None and address.kind == "bridge_info" and address.names["bridge"] != bridge:
            try:
                yield check_name(address.names["bridge"], "bridge")
            except TopicError:
                continue  # none of ours, and nothing to put on a terminal


def _compare(base: str, other: str, tables: Collection[str], now: Mapping[str, bytes]) -> Iterator[Check]:
    place = topic("bridge_info", base, bridge=other)
    try:
        theirs = msgspec.json.decode(now[place], type=_Info).tables
    except (msgspec.DecodeError, RecursionError):
        return
    for table in tables:
        if table in theirs:
            text, remedy = f"the table {table} is also that of the bridge {other}", "give each table its own name"
            if now.get(topic("bridge_state", base, bridge=other)) == b"offline":
                text += ", which is offline"
                remedy += f"; if there is no {other} any more: mosquitto_pub -r -n -t {place}"
            yield Check("tables", "warning", text, remedy)
