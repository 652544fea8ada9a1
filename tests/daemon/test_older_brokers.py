"""When a broker is spoken to in MQTT 3.1.1: when it cannot do better, and not because it hung up once."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from daemon.config import read_config
from daemon.mqtt.address import BrokerAddress
from daemon.mqtt.attempts import Attempts
from daemon.mqtt.client import Connection, Login, OldBroker
from daemon.mqtt.words import Trouble
from daemon.sections import Mqtt
from daemon.service import running
from tests.daemon.between import between
from tests.daemon.house import configure
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.patience import eventually


async def as_it_is(kind: int, packet: bytes) -> bytes:
    return packet


async def test_one_hang_up_is_no_reason_to_speak_an_older_mqtt(tmp_path: Path, broker: Mosquitto) -> None:
    greetings: list[int] = []

    def admits(greeting: bytes) -> bool:
        greetings.append(greeting[8])
        return len(greetings) > 1

    async with (
        between(broker.port, as_it_is, admits) as port,
        running(read_config(configure(tmp_path, port))) as house,
    ):
        await eventually(lambda: house.mqtt.status == "connected")
    assert greetings == [5, 5]


def test_when_an_older_mqtt_is_tried() -> None:
    away, hung_up, denied = Trouble("refused"), OldBroker("hung_up"), OldBroker("denied")

    def versions(*ends: tuple[Exception, bool], hosts: tuple[str, ...] = ("a",)) -> str:
        """What is spoken, attempt by attempt, when each but the last ends so."""
        attempts, spoken = Attempts(Mqtt(hosts)), ""
        for error, has_stood in ends:
            spoken += attempts.version[0]
            if not attempts.falls_back(error, has_stood=has_stood):
                attempts.wait_s(error, 0.0)
        return spoken + attempts.version[0]

    no, lost = (hung_up, False), (Trouble("lost"), True)
    assert versions((denied, False)) == "53", "it was refused by its code"
    assert versions(no, no) == "553"
    assert versions(no, (away, False), no) == "5555"
    assert versions(no, no, no) == "5535", "it answers to neither"
    assert versions(no, no, lost) == "5533", "an old broker"
    assert versions(lost, no, no, no) == "55555", "it did speak 5"
    assert versions(no, no, no, no, hosts=("a", "b")) == "55535", "each for itself"


async def test_one_that_says_nothing_may_be_an_old_broker() -> None:
    """Some wait for more when they are greeted in a version that they do not know."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        where = BrokerAddress("127.0.0.1", silent.getsockname()[1])
        with pytest.raises(OldBroker) as caught:
            await Connection(where, Mqtt(), Login("test"), timeout_s=0.1).__aenter__()
    assert caught.value.kind == "silent"


def test_a_broker_that_dies_again_and_again_is_looked_for_soon() -> None:
    def longest(stood_s: float) -> float:
        attempts = Attempts(Mqtt("a"))
        return max(attempts.wait_s(Trouble("lost"), stood_s) for _ in range(20))

    assert longest(0.3) <= 5 < longest(0.0) <= 60
    assert longest(3.0) <= 0.5
