"""What must be true when all is over, by the journal on disk and by what a display was told."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterable
from datetime import datetime

import aiomqtt
import msgspec

from tests.daemon.process import ROOT
from tests.faults.accidents import ONLINE, Dark
from tests.faults.evening import JSON, Stored
from tests.faults.witness import Said

STATE = "oche/table/main/state"
EVENT = "oche/table/main/event"
Number = tuple[str, int]
"""Of a message: session and seq."""


def events(said: Iterable[Said]) -> list[JSON]:
    """In order of arrival."""
    return [json.loads(each.text) for each in said if each.topic == EVENT]


def judge_events(said: list[Said], stored: list[Stored], dark: list[Dark]) -> None:
    """Each at most once, in order, about a line that is in the journal; none is late."""
    told = events(said)
    numbers = [number(event) for event in told]
    assert len(set(numbers)) == len(numbers), "an event was told twice"
    in_order(numbers)
    assert not any(each.retain for each in said if each.topic == EVENT), "an event was kept by the broker"
    matches = {match.id: match for match in stored}
    for event in told:
        if "line" not in event:
            continue
        match, line = matches[event["match"]], event["line"]
        assert 1 <= line <= len(match.lines) + 1, f"{event} is about a line that was never written"
        if event["event_type"] == "dart":
            assert match.lines[line - 2] == {"throw": event["segment"]}, event
            written = datetime.fromisoformat(match.at[line - 2]).timestamp()
            assert not any(while_.begin < written < while_.end - 0.002 for while_ in dark), f"{event} comes too late"


def judge_states(said: list[Said]) -> None:
    """A display never goes back, and a number means one state only."""
    texts: dict[Number, str] = {}
    for each in said:
        if each.topic == STATE:
            assert texts.setdefault(number(json.loads(each.text)), each.text) == each.text
    in_order([number(json.loads(each.text)) for each in said if each.topic == STATE])


def judge_availability(said: list[Said], topics: set[str]) -> None:
    """A client that hears `online` knows everything else already."""
    known: dict[int, set[str]] = {}
    for each in said:
        of_this = known.setdefault(each.connection, {ONLINE})
        of_this.add(each.topic)
        if each.topic == ONLINE and each.text == "online" and not each.retain:
            assert of_this >= topics, f"said after online: {topics - of_this}"


async def judge_broker(port: int, stored: list[Stored], topics: set[str]) -> None:
    """What a client that comes now is told is what a replay of the journal shows."""
    last = stored[-1]
    now = await retained(port)
    assert set(now) == topics
    assert now[ONLINE] == now["oche/table/main/board/state"] == "online"
    state = json.loads(now[STATE])
    shown = {key: value for key, value in state.items() if key not in ("session", "seq")}
    assert shown == {**(await replayed(last)), "match": last.id}
    turn = state["turn"]
    attributes = {"player": turn["player"], "score": state["sides"][turn["side"]]["score"], "phase": state["phase"]}
    for name, value in attributes.items():
        assert now[f"oche/table/main/attr/{name}"] == str(value)


async def retained(port: int) -> dict[str, str]:
    """What the broker keeps, by topic: all that comes before what is said after it was asked for."""
    async with aiomqtt.Client("127.0.0.1", port) as client:
        await client.subscribe("#", qos=1)
        await client.publish("all/was/told", qos=1)
        kept = {}
        async for message in client.messages:
            if str(message.topic) == "all/was/told":
                break
            if message.retain:
                kept[str(message.topic)] = bytes(message.payload).decode()
        return kept


async def replayed(match: Stored) -> JSON:
    """The state after the last line, by `oche replay`, which takes every line."""
    record = b"\n".join(msgspec.json.encode(line) for line in (match.header, *match.lines))
    command = (sys.executable, "-m", "daemon.cli", "replay", "-", "--json")
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdin=pipe, stdout=pipe)
    output, _ = await process.communicate(record)
    assert process.returncode == 0, "a line was refused"
    state: JSON = json.loads(output.splitlines()[-1])["state"]
    return state


def number(message: JSON) -> Number:
    """By which a reader tells what it has had already."""
    return message["session"], message["seq"]


def in_order(numbers: list[Number]) -> None:
    """One session after the other, and in each of them upwards."""
    sessions = list(dict.fromkeys(session for session, _ in numbers))
    assert numbers == sorted(numbers, key=lambda each: (sessions.index(each[0]), each[1]))
