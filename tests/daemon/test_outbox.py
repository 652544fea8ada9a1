"""In what order messages go to a broker: after a connection, and while some are not acknowledged."""

from __future__ import annotations

from daemon.mqtt.outbox import Outbox


def test_what_is_new_goes_before_what_is_repeated_and_online_is_last() -> None:
    outbox = Outbox("oche")
    for kind, value in (("bridge_state", "online"), ("board_state", "online"), ("state", "one"), ("next", "one")):
        outbox.put(kind, value, bridge="oche", table="main")
    outbox.begin_connection()
    sent = [outbox.take()]
    outbox.put("state", "two", table="main")
    outbox.put("event", "two", table="main")
    outbox.put_once("oche/table/main/next", "by the way")
    sent += iter(outbox.take, None)
    assert [(message.topic.removeprefix("oche/"), message.payload) for message in filter(None, sent)] == [
        ("table/main/board/state", b"online"),
        ("table/main/state", b"two"),
        ("table/main/event", b"two"),
        ("table/main/next", b'"by the way"'),
        ("table/main/next", b"one"),
        ("bridge/oche/state", b"online"),
    ]


def test_online_is_last_also_when_a_topic_is_sent_again_meanwhile() -> None:
    outbox = Outbox("oche")
    for kind, value in (("bridge_state", "online"), ("board_state", "online"), ("next", "one")):
        outbox.put(kind, value, bridge="oche", table="main")
    outbox.begin_connection()
    outbox.resend("next", table="main")
    sent = [message.topic for message in iter(outbox.take, None)]
    assert sent == ["oche/table/main/board/state", "oche/table/main/next", "oche/bridge/oche/state"]


def test_online_alone_is_renewed_and_waits_for_nothing() -> None:
    outbox = Outbox("oche")
    for kind, value, table in (
        ("bridge_state", "online", ""),
        ("board_state", "online", "main"),
        ("board_state", "offline", "cellar"),
        ("next", "one", "main"),
    ):
        outbox.put(kind, value, bridge="oche", table=table)
    outbox.begin_connection()
    first = {message.topic: message.expiry_s for message in iter(outbox.take, None)}
    outbox.renew()
    busy = {"oche/table/main/state"}
    again = {message.topic: message.expiry_s for message in iter(lambda: outbox.take(busy), None)}
    assert again == {"oche/bridge/oche/state": 90, "oche/table/main/board/state": 90}
    assert first == {**again, "oche/table/cellar/board/state": None, "oche/table/main/next": None}


def test_an_event_waits_for_its_state_and_online_for_everything() -> None:
    state, board = "oche/table/main/state", "oche/table/main/board/state"
    outbox = Outbox("oche")
    outbox.put("bridge_state", "online", bridge="oche")
    outbox.put("board_state", "online", table="main")
    outbox.begin_connection()
    first = outbox.take()
    assert first is not None
    assert first.topic == board
    outbox.resend()
    outbox.put("state", "one", table="main")
    outbox.put("event", "one", table="main")
    assert outbox.take({state, board}) is None
    for topic in (state, "oche/table/main/event", board, "oche/bridge/oche/state"):
        message = outbox.take()
        assert message is not None
        assert message.topic == topic
