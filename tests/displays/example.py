"""An example of the documentation as a process, started as its page says."""

from __future__ import annotations

import asyncio
import json
import re
import shlex
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import aiomqtt

from tests.daemon.display import JSON, Display

DISPLAYS = Path(__file__).parents[2] / "docs" / "displays"


def documented(program: str, broker_port: int) -> list[str]:
    """The arguments that the program's page tells, with the broker of the test in place of the one there."""
    page = (DISPLAYS / program).with_name("README.md").read_text(encoding="utf-8")
    (command,) = re.findall(rf"^ +displays/bin/python {Path(program).name} (.+)$", page, re.MULTILINE)
    assert "--broker 192.168.1.10" in command
    return shlex.split(command.replace("--broker 192.168.1.10", f"--broker 127.0.0.1 --port {broker_port}"))


async def remembered(broker_port: int) -> set[str]:
    """The topics that the broker holds a retained message of, by their first parts."""
    found = set()
    async with aiomqtt.Client("127.0.0.1", broker_port) as late:
        await late.subscribe("#", qos=1)
        await late.publish("the/end", qos=1)
        async for message in late.messages:
            if str(message.topic) == "the/end":
                break
            if message.retain:
                found.add(str(message.topic).partition("/")[0])
    return found


async def say(display: Display, state: JSON) -> None:
    """What a daemon says at each connect, in its order."""
    await display.say("oche/table/main/state", json.dumps({"session": "s", "seq": 1, **state}), retain=True)
    await display.say("oche/bridge/oche/state", "online", retain=True)


async def event(display: Display, seq: int, event_type: str, **more: object) -> None:
    """An event that a daemon tells after that."""
    text = json.dumps({"event_type": event_type, "session": "s", "seq": seq, **more})
    await display.say("oche/table/main/event", text)


@asynccontextmanager
async def example(
    program: str, *arguments: str, log: Path, env: dict[str, str] | None = None
) -> AsyncIterator[asyncio.subprocess.Process]:
    """`python program …` in the folder of the displays; what it says goes to `log`."""
    async with process((sys.executable, "-W", "error", str(DISPLAYS / program), *arguments), log=log, env=env) as found:
        yield found


@asynccontextmanager
async def process(
    command: Sequence[str], *, log: Path, env: dict[str, str] | None = None, folder: Path | None = None
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Any program; it is killed at the end, where it still runs."""
    with log.open("ab") as said:
        found = await asyncio.create_subprocess_exec(*command, stdout=said, stderr=said, env=env, cwd=folder)
    try:
        yield found
    finally:
        if found.returncode is None:
            found.kill()
        await found.wait()
