"""When a broker is tried again, and in which version of MQTT."""

from __future__ import annotations

from daemon.config.sections import Mqtt
from daemon.mqtt.client import UnsupportedVersion
from daemon.mqtt.errors import BrokerError, ErrorKind
from daemon.mqtt.link import Attempts


def test_when_an_older_mqtt_is_tried() -> None:
    away, hung_up, denied = (
        BrokerError(ErrorKind.REFUSED),
        UnsupportedVersion(ErrorKind.NO_ANSWER),
        UnsupportedVersion(ErrorKind.DENIED),
    )

    def versions(*ends: tuple[Exception, bool], hosts: tuple[str, ...] = ("a",)) -> str:
        """What is spoken, attempt by attempt, when each but the last ends so."""
        attempts, spoken = Attempts(Mqtt(hosts)), ""
        for error, was_established in ends:
            spoken += attempts.version[0]
            if not attempts.fall_back(error, was_established=was_established):
                attempts.advance(error, 0.0)
        return spoken + attempts.version[0]

    no, lost = (hung_up, False), (BrokerError(ErrorKind.LOST), True)
    assert versions((denied, False)) == "53", "it was refused by its code"
    assert versions(no, no) == "553"
    assert versions(no, (away, False), no) == "5555"
    assert versions(no, no, no) == "5535", "it answers to neither"
    assert versions(no, no, lost) == "5533", "an old broker"
    assert versions(lost, no, no, no) == "55555", "it did speak 5"
    assert versions(no, no, no, no, hosts=("a", "b")) == "55535", "each for itself"


def test_a_broker_that_dies_again_and_again_is_looked_for_soon() -> None:
    def longest(lasted_s: float) -> float:
        attempts = Attempts(Mqtt("a"))
        return max(attempts.advance(BrokerError(ErrorKind.LOST), lasted_s) for _ in range(20))

    assert longest(0.3) <= 5 < longest(0.0) <= 60
    assert longest(3.0) <= 0.5
