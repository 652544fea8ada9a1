"""When a broker is tried again, and in which version of MQTT."""

from __future__ import annotations

from daemon.config.sections import BrokerAddress, Mqtt
from daemon.mqtt.attempts import Attempts
from daemon.mqtt.client import UnsupportedVersion
from daemon.mqtt.errors import BrokerError, ErrorKind, explain
from daemon.mqtt.takeovers import Takeovers


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


def test_connections_that_end_soon_one_after_the_other_are_told_from_a_broker_that_was_away() -> None:
    lost, refused, taken = (BrokerError(kind) for kind in (ErrorKind.LOST, ErrorKind.REFUSED, ErrorKind.TAKEN_OVER))

    def kinds(*ends: tuple[BrokerError, float]) -> list[ErrorKind]:
        takeovers = Takeovers()
        judged = [takeovers.judge(error, lasted_s) for error, lasted_s in ends]
        return [error.kind for error in judged if isinstance(error, BrokerError)]

    driven = ErrorKind.DRIVEN_OUT
    assert kinds((lost, 7200.0), (lost, 0.4), (lost, 5.0), (lost, 0.4)) == [lost.kind, lost.kind, driven, driven]
    assert kinds((lost, 1.0), (refused, 0.0), (lost, 1.0)) == [lost.kind, refused.kind, lost.kind], "it restarts often"
    assert kinds(*[(lost, 0.0)] * 5) == [lost.kind] * 5, "it does not take what oche publishes"
    assert kinds((lost, 1.0), (lost, 0.0), (lost, 1.0), (lost, 0.0)) == [lost.kind, lost.kind, driven, driven]
    unsaid = (lost, 0.0)
    assert kinds((lost, 1.0), (lost, 1.0), unsaid, unsaid, unsaid, (lost, 1.0))[1:] == [driven] * 5, "it was quicker"
    away = [(lost, 1.0), (lost, 1.0), (refused, 0.0), unsaid, (lost, 1.0)]
    assert kinds(*away)[1:] == [driven, refused.kind, lost.kind, lost.kind], "it could not be reached in between"
    assert kinds((lost, 1.0), (lost, 1.0), (lost, 60.0)) == [lost.kind, driven, lost.kind], "the other was renamed"
    assert kinds((taken, 0.1)) == [taken.kind], "the broker has said so"


def test_what_may_be_another_client_or_the_network_says_what_helps_against_both() -> None:
    said = explain(BrokerError(ErrorKind.DRIVEN_OUT), BrokerAddress("a", 1883), Mqtt(("a",)), "oche-oche")
    assert str(said.remedy) == (
        "give one of the two another name below [bridge], and restart it; "
        "or see in the broker's log why it ends the connection"
    )
