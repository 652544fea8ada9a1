"""What a login may do at a broker: everything is tried that a daemon has a topic for."""

from __future__ import annotations

import asyncio
from typing import NamedTuple

import aiomqtt
from paho.mqtt.reasoncodes import ReasonCode

from protocol.topics import ATTRIBUTES, TOPICS, topic
from tests.daemon.process import PATIENCE_S

_END = b"the end"
_SOME = {"attr": ATTRIBUTES[0], "seat": "0", "command": "start", "request": "identify"}
REFUSED = 128
"""The broker's answer to a subscription."""


class Rights(NamedTuple):
    """The kinds of topics of one daemon, as in the registry, that a login may read and write."""

    reads: set[str]
    writes: set[str]


COLLECTOR = Rights(
    {"league_offer", "league_players", "league_forget", "league_results"}, {"league_taken", "league_heard"}
)
"""What a league's collector may do."""
TWO_PLACES = Rights(
    {"bridge_info", "bridge_state", "state", "event", "board_state"}
    | {"league_input", "league_input_taken", "lend_answer"},
    {"lend"},
)
"""What a daemon may do at another one with which it plays matches in two places; see list_lend_topics."""


def list_topics(bridge: str, table: str, base: str = "oche") -> dict[str, str]:
    """One topic of each kind that a daemon has below its own names."""
    below = ("{base}/bridge/", "{base}/table/")
    kinds = [kind for kind, found in TOPICS.items() if found.template.startswith(below)]
    return {kind: topic(kind, base, bridge=bridge, table=table, **_SOME) for kind in kinds}


def list_lend_topics(table: str, base: str = "oche") -> dict[str, str]:
    """The topics on which a table is asked to be lent, and answers."""
    places = {"lend": "request", "lend_answer": "response"}
    return {name: topic(kind, base, table=table, command="lend") for name, kind in places.items()}


async def find_rights(
    daemon: aiomqtt.Client, login: aiomqtt.Client, topics: dict[str, str], mark: tuple[aiomqtt.Client, str]
) -> Rights:
    """What `login` may do with these topics of a daemon, which itself may do everything with them.

    `mark`: who says when all has come, on a topic that `login` may read. Each client is used for one such question.
    """
    kinds = {name: kind for kind, name in topics.items()}
    teller, end = mark
    for name in {*topics.values(), end}:
        code = await subscribe(login, name)
        assert code != REFUSED or name != end, f"{end} cannot be read"
    for name in topics.values():
        await daemon.publish(name, "read", qos=1)
    await teller.publish(end, _END, qos=1)
    reads = {kinds[name] for name in await _hear_all(login) if name in kinds}

    own = next(iter(topics.values()))
    for name in topics.values():
        assert await subscribe(daemon, name) != REFUSED
    for name in topics.values():
        await login.publish(name, "written", qos=1)
    await daemon.publish(own, _END, qos=1)
    return Rights(reads, {kinds[name] for name in await _hear_all(daemon)})


async def _hear_all(client: aiomqtt.Client) -> set[str]:
    """The topics of all that comes before the end."""
    found = set[str]()
    async with asyncio.timeout(PATIENCE_S):
        async for message in client.messages:
            if message.payload == _END:
                return found
            found.add(str(message.topic))
    raise AssertionError("the connection ended")


async def subscribe(reader: aiomqtt.Client, name: str) -> int:
    """The broker's answer to this subscription."""
    (code,) = await reader.subscribe(name, qos=0)
    return code.value if isinstance(code, ReasonCode) else code
