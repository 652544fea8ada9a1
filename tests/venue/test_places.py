"""A match in two places over the cluster, with what the shipped configuration says of it and nothing more."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest

from daemon.assemble import run_daemon
from daemon.config.reader import CheckedConfig, read_config
from tests.daemon.process import configure, eventually
from tests.daemon.rights import TWO_PLACES, find_rights, list_lend_topics, list_topics
from tests.daemon.test_doctor_two_places import find_trouble, is_well
from tests.daemon.test_two_places import AGREED, begin, darts, hit, place, play_visit, sees_turn
from tests.venue.nats import Cluster, client, password

pytestmark = pytest.mark.long


@pytest.fixture
async def cluster(nats_path: Path, tmp_path: Path) -> AsyncIterator[Cluster]:
    async with Cluster(nats_path, tmp_path, in_two_places=True) as cluster:
        yield cluster


def configure_one(folder: Path, name: str, addresses: list[str]) -> CheckedConfig:
    """The daemon and the table of this name, which finds its broker at these addresses in turn."""
    folder.mkdir()
    word = folder / "password"
    word.write_text(password(name), encoding="utf-8")
    word.chmod(0o600)
    file = configure(
        folder,
        1883,
        f'name = "{name}"\ntakeout = "button"',
        bridge=f'name = "{name}"',
        mqtt=f'username = "{name}"\npassword_file = "{word}"',
        more=AGREED,
    )
    text = file.read_text(encoding="utf-8").replace('host = "127.0.0.1"', f"host = {addresses}", 1)
    file.write_text(text, encoding="utf-8")
    return read_config(file)


async def test_a_match_in_two_places_goes_on_when_the_node_of_one_dies(cluster: Cluster, tmp_path: Path) -> None:
    addresses = cluster.addresses
    config = configure_one(tmp_path / "s", "south", addresses[::-1])
    async with (
        run_daemon(configure_one(tmp_path / "n", "north", addresses)) as one,
        run_daemon(config) as other,
    ):
        north, south = one.tables["north"], other.tables["south"]
        await eventually(partial(is_well, config))
        await begin(north, south)
        await play_visit(north, "T20", "T20", "T20")
        await sees_turn(south, 1)
        await hit(south, "T20")
        await eventually(lambda: darts(north) == ["T20"])
        forged = {"v": 1, "to": "north", "match": north.match_id, "session": "12345678", "mono_ms": 1}
        forged |= {"seq": 1, "first": 1, "input": {"throw": "T20"}}
        async with client(addresses[0], "display") as display:
            await display.publish("oche/table/south/league/input", json.dumps(forged), qos=1)
        one.mqtt.outbox.put("league_input", forged, table="south")
        await cluster.nodes[-1].kill()
        await hit(south, "T19", "T18")
        await eventually(lambda: darts(north) == ["T20", "T19", "T18"])
        await eventually(lambda: place(north).board in ("online", "offline"))


async def test_the_doctor_sees_what_the_cluster_refuses(nats_path: Path, tmp_path: Path) -> None:
    async with Cluster(nats_path, tmp_path) as cluster:
        config = configure_one(tmp_path / "s", "south", cluster.addresses)
        async with run_daemon(configure_one(tmp_path / "n", "north", cluster.addresses)), run_daemon(config):
            said = (await find_trouble(config))["problem"]
        assert "topic read oche/table/+/state" in said
        assert "topic read oche/table/+/league/input" in said


async def test_each_of_two_places_gets_what_it_needs_of_the_other(cluster: Cluster) -> None:
    address = cluster.addresses[0]
    topics = {**list_topics("north", "north"), **list_lend_topics("north")}
    async with client(address, "north") as north, client(address, "south") as south:
        assert await find_rights(north, south, topics, (north, topics["state"])) == TWO_PLACES
