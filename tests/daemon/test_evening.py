"""An evening over HTTP and MQTT gets the answers that were recorded, key for key; and it asks all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from pathlib import Path
from typing import Any

import pytest

from daemon.admin.faces.mqtt import BODIES as BRIDGE_BODIES
from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from daemon.web.server import WebServer
from protocol.bodies import BODIES
from protocol.topics import TOPICS, parse
from tests.daemon.display import find_part
from tests.daemon.evening.recording import find_differences, read_recording
from tests.daemon.evening.script import play_evening
from tests.daemon.evening.shape import Shape, compare
from tests.daemon.process import configure

MEANT = "\n\nIf that is meant: python -m tests.daemon.evening"


def test_what_is_different_is_said_by_its_path() -> None:
    def shape(*values: Any) -> Any:  # Any: JSON
        first, *others = map(Shape.of, values)
        return reduce(Shape.merge, others, first).write()

    before = shape({"line": 1, "last": None, "phase": "over"}, {"line": 2, "last": {"bed": "T20"}, "phase": "throwing"})
    assert before == {"line": "int", "last|null": {"bed": "text"}, "phase": "=over|=throwing"}
    assert shape([{"a": 1}, {"a": 1.5, "b": []}]) == [{"a": "float|int", "b?": "[]"}]
    after = shape({"line": "2", "last": None, "phase": "over"})
    assert compare(before, after, "state") == [
        "state.last|null: is not there any more",
        "state.last: is new, null",
        "state.line: int has become text",
        "state.phase: =over|=throwing has become =over",
    ]
    asked, said = {"ask": "GET /", "answer": before}, {"say": "oche"}
    assert find_differences([asked, said], [said, {"ask": "GET /x"}]) == [
        "GET /: is not there any more",
        "GET /x: is new",
    ]


@pytest.mark.slow
async def test_an_evening_gets_the_answers_that_were_recorded(
    tmp_path: Path, mosquitto_path: Path, unused_tcp_port_factory: Callable[[], int]
) -> None:
    before, after = read_recording(), list[Any]()
    try:
        await play_evening(tmp_path, mosquitto_path, (unused_tcp_port_factory(), unused_tcp_port_factory()), after)
    except Exception as error:
        done = [number for number, line in enumerate(after[: len(before)]) if "ask" not in line or "answer" in line]
        until_then = find_differences([before[number] for number in done], [after[number] for number in done])
        error.add_note("\n".join(["until then:", *until_then]))
        raise
    assert before == after, "\n".join(find_differences(before, after)) + MEANT


async def test_every_address_is_asked(tmp_path: Path) -> None:
    """Each route that the daemon has, and each command, with an answer that is no refusal."""
    lines = read_recording()
    asked = [line["ask"].partition("?")[0].split(" ") for line in lines if line.get("status", 400) < 400]
    asked += [["GET", path] for line in lines for path in line.get("files", ())]
    async with run_daemon(read_config(configure(tmp_path))) as running:
        routes = find_part(running, WebServer).routes
        met = set()
        for method, path in asked:
            fits = [each for each in routes if each.method == method and each.match(path[1:].split("/")) is not None]
            met |= {(each.method, each.path) for each in fits[:1]}
        assert len(routes) > 60
        assert {(each.method, each.path) for each in routes} - met == set(), "has no line in tests/daemon/evening"
    assert {f"/api/table/main/{name}" for name in BODIES} <= {
        "/api/table/main/choose",
        "/api/table/main/sensor",  # a board with contacts asks nothing: see test_sensed_tables.py
        *(path for _, path in asked),
    }


@pytest.mark.slow
def test_every_request_over_mqtt_is_made_and_refused() -> None:
    lines = read_recording()
    answered = {(*_name(line["request"]), line["answer"]["status"]) for line in lines if "request" in line}
    wanted = [("request", name) for name in BODIES] + [("bridge_request", name) for name in BRIDGE_BODIES]
    assert {(*each, status) for each in wanted for status in ("=ok", "=error")} - answered == {
        ("request", "sensor", "=ok")  # as above
    }
    heard = {kind for line in lines for kind in _list_kinds(line)}
    assert TOPICS.keys() - heard == set()


def _name(topic: str) -> tuple[str, str]:
    found = parse(topic)
    assert found is not None, topic
    return found.kind, found.names.get("command") or found.names["request"]


def _list_kinds(line: Any) -> Iterator[str]:  # Any: JSON
    """The kinds of topics that this line of the recording is about."""
    said = [parse(line[key]) for key in ("request", "response", "say") if key in line]
    yield from (each.kind for each in said if each is not None)
    yield from (kind for kind, each in TOPICS.items() if each.template == line.get("published"))
