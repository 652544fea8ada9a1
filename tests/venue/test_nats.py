"""One node of three dies while darts are thrown: none is lost, and every display is right again within seconds.

The figures of docs/venue.md are what this prints: `python -m pytest -m long -s tests/venue`.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import aiomqtt
import pytest

from tests.daemon.process import PATIENCE_S
from tests.daemon.rights import COLLECTOR, REFUSED, Rights, find_rights, list_topics, subscribe
from tests.venue.nats import CONFIG, Cluster, Node, client
from tests.venue.venue import Lane, lane, told, values
from tests.venue.viewer import Viewer

PAUSE_S = 0.1
"""Between two darts: ten times what people throw."""


@pytest.mark.long
async def test_nodes_die_and_come_back_while_darts_are_thrown(cluster: Cluster, tmp_path: Path) -> None:
    first = cluster.nodes[0]
    async with playing(cluster, tmp_path) as (lanes, viewers):
        await dies(first, lanes, viewers)  # the node of both bridges
        await is_right_on_all(cluster, lanes)
        for each in lanes:
            await each.ask_for_the_next(cluster.alive[-1].address)
        await first.start()
        await cluster.whole()
        await is_right_on_all(cluster, lanes)

        leader = cluster[await first.leader()]
        await dies(leader, lanes, viewers)
        await is_right_on_all(cluster, lanes)
        await leader.start()
        await cluster.whole()
        await is_right_on_all(cluster, lanes)

        await lanes[0].daemon.kill()  # the will of a bridge that dies
        for viewer in viewers.values():
            await viewer.bridges({"north": "offline", "south": "online"})
            told_once = [(event["session"], event["seq"]) for event in viewer.events]
            assert told_once
            assert len(told_once) == len(set(told_once)), "an event was told twice"


@pytest.mark.long
async def test_the_last_dart_before_a_pause_is_kept_without_a_leader(cluster: Cluster, tmp_path: Path) -> None:
    """NATS acknowledges a retained message that it could not store; no other dart comes that would make up for it."""
    async with playing(cluster, tmp_path) as (lanes, viewers):
        node = cluster[(await cluster.nodes[0].leaders())["$MQTT_rmsgs"]]
        await dies(node, lanes, viewers, darts=0)
        await is_right_on_all(cluster, lanes)
        await node.start()
        await cluster.whole()
        await is_right_on_all(cluster, lanes)


@pytest.mark.long
async def test_everybody_may_do_what_is_theirs_and_no_more(cluster: Cluster) -> None:
    address = cluster.addresses[0]
    async with (
        client(address, "north") as north,
        client(address, "south") as south,
        client(address, "display") as display,
    ):
        for wanted in ("oche/#", "#", "oche/table/+/seat/+/state", "oche/table/+/cmd/+", "$MQTT/sub/#"):
            assert await subscribe(display, wanted) == REFUSED, wanted
        await display.subscribe("oche/table/+/state")
        await north.subscribe("oche/table/north/cmd/+")
        await display.publish("oche/table/north/cmd/undo", "by a display", qos=1)
        await south.publish("oche/table/north/cmd/undo", "by another bridge", qos=1)
        await south.publish("oche/table/north/state", "forged", qos=1, retain=True)
        await north.publish("oche/table/north/state", "true", qos=1, retain=True)
        assert (await anext(aiter(display.messages))).payload == b"true"
        async with client(address, "scorer") as scorer:
            for each in (display, scorer):
                assert await subscribe(each, "oche/bridge/+/health") != REFUSED
            await scorer.publish("oche/table/north/cmd/undo", "by a tablet", qos=1)
        assert (await anext(aiter(north.messages))).payload == b"by a tablet"
    with pytest.raises(aiomqtt.MqttError):
        async with aiomqtt.Client(address, protocol=aiomqtt.ProtocolVersion.V311):
            pass


@pytest.mark.long
async def test_each_login_gets_what_is_its_own(cluster: Cluster) -> None:
    address = cluster.addresses[0]
    topics = list_topics("north", "north")
    end = {"south": "oche/bridge/south/state", "collector": topics["league_offer"]}
    found = dict[str, Rights]()
    for user in ("south", "collector", "display", "scorer"):
        async with client(address, "north") as north, client(address, user) as login:
            teller = login if user == "south" else north
            found[user] = await find_rights(north, login, topics, (teller, end.get(user, topics["state"])))
    assert found["collector"] == COLLECTOR
    assert found["south"] == Rights(set(), set())
    assert found["display"].writes == set()
    for user in ("display", "scorer"):
        assert not [kind for kind in found[user].reads | found[user].writes if "league" in kind or "seat" in kind]


def test_a_client_that_may_read_online_may_read_until_when_it_holds() -> None:
    """MQTT 3.1.1 keeps `online` for ever: only `good_until` in the health report says whether it is still true."""
    text = re.sub(r"^ *#.*$", "", CONFIG.read_text(encoding="utf-8"), flags=re.MULTILINE)
    users = re.findall(r"user: (\w+)(.+?)(?=\{ user:|\Z)", text, re.DOTALL)
    readers = {user: rights for user, rights in users if '"oche.bridge.*.state"' in rights}
    assert readers.keys() == {"display", "scorer"}
    assert [user for user, rights in readers.items() if '"oche.bridge.*.health"' not in rights] == []


@asynccontextmanager
async def playing(cluster: Cluster, tmp_path: Path) -> AsyncIterator[tuple[list[Lane], dict[str, Viewer]]]:
    """Two lanes whose node is the first one, and a display there and on another node."""
    async with AsyncExitStack() as venue:
        lanes = [await venue.enter_async_context(lane(n, tmp_path, cluster.addresses)) for n in ("north", "south")]
        with_them = await venue.enter_async_context(Viewer(cluster.addresses))
        elsewhere = await venue.enter_async_context(Viewer([*cluster.addresses[1:], cluster.addresses[0]]))
        for viewer in (with_them, elsewhere):
            await viewer.bridges({"north": "online", "south": "online"})
        yield lanes, {"on the node of the bridges": with_them, "on another node": elsewhere}


async def dies(node: Node, lanes: list[Lane], viewers: dict[str, Viewer], darts: int = 60) -> None:
    """Kills it in the middle of the throwing; waits until every display is right again, and says how long that took.

    On every lane something is thrown after that, however early the others came.
    """
    async with asyncio.TaskGroup() as throwing:
        before = {each.name: each.line for each in lanes}
        if darts:
            for each in lanes:
                throwing.create_task(each.play(darts, PAUSE_S))
            for each in lanes:
                await viewers["on another node"].until_line(each.name, before[each.name] + darts // 4)
        killed, lines = time.monotonic(), {each.name: each.line for each in lanes}
        await node.kill()
    for each in lanes:
        await each.play(3 if darts else 1, PAUSE_S)  # whole visits
    for each in lanes:
        await each.all_kept()
        for where, viewer in viewers.items():
            assert told(await viewer.until_line(each.name, each.line)) == each.folded()
            late_s = viewer.fresh(each.name, lines[each.name]) - killed
            print(f"{node.name} dies: a display {where} sees {each.name} again after {late_s:.1f} s")  # noqa: T201  a figure


async def is_right_on_all(cluster: Cluster, lanes: list[Lane]) -> None:
    """A client that comes late finds on every node what the journals say, sooner or later."""
    for node in cluster.alive:
        for each in lanes:
            async with asyncio.timeout(PATIENCE_S):
                while not await finds(node, each):  # noqa: ASYNC110  a broker does not say when it is level
                    await asyncio.sleep(0.5)


async def finds(node: Node, lane: Lane) -> bool:
    """Whether a client that comes late finds there what the journal of this lane comes to."""
    wanted = lane.folded()
    async with Viewer([node.address]) as late:
        state = told(await late.until_line(lane.name, 1))
        await late.until(lambda: values(wanted).keys() <= late.values(lane.name).keys())
        return state == wanted and values(wanted).items() <= late.values(lane.name).items()
