"""The contract over a real broker: what docs/mqtt.md tells to type, and that a display sees what does not fit."""

from __future__ import annotations

import asyncio
import json
import os
import re
from pathlib import Path

import pytest

from daemon.assemble import run_daemon
from daemon.config.reader import read_config
from protocol.topics import ATTRIBUTES, parse, topic
from tests.contract import PAGE
from tests.daemon.display import JSON, Display, fits
from tests.daemon.mosquitto import Mosquitto
from tests.daemon.process import PATIENCE_S, configure, eventually

TYPED = re.findall(
    r"^```sh\n(.*?)^```\n(?:```json\n(.*?)^```$)?", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
)
"""Lines of the page, and what it says that they print."""
EVENT = {"event_type": "bust", "session": "a", "seq": 1, "match": "b", "line": 2, "side": 0, "player": "Ann"}


WRONG = (
    ("event", json.dumps({**EVENT, "event_type": "burst"}), "event does not fit"),
    ("event", json.dumps({**EVENT, "points": 3}), "event does not fit"),
    ("event", json.dumps({k: v for k, v in EVENT.items() if k != "line"}), "event does not fit"),
    ("state", "{}", "state does not fit its schema: 'v' is a required property"),
    ("state", "{", "is no JSON"),
    ("board/state", "away", "board_state does not fit its schema: 'away' is not one of"),
    ("bord/state", "online", "is not in the registry"),
    ("response/next", '{"status": "ok", "data": {"line": 3}, "transaction": null}', "response does not fit"),
)


async def test_a_message_that_does_not_fit_fails_the_test_that_sees_it(broker: Mosquitto) -> None:
    async def see(where: str, what: str, *, waits: bool) -> None:
        async with Display(broker.port) as display:
            await liar.say(f"oche/table/main/{where}", what)
            if waits:
                await display.until(lambda: False)
            await eventually(lambda: bool(display.messages))

    async with Display(broker.port) as liar:
        for where, what, complaint in WRONG:
            for waits in (True, False):
                with pytest.raises(AssertionError, match=complaint):
                    await see(where, what, waits=waits)
    fits("event", EVENT)


async def test_what_the_page_tells_to_type_does_what_it_says(
    tmp_path: Path, broker: Mosquitto, mosquitto_clients_path: Path
) -> None:
    """The lines as they stand; the port is in the files that these programs read."""
    for program in ("mosquitto_pub", "mosquitto_sub", "mosquitto_rr"):
        (tmp_path / program).write_text(f"-p {broker.port}\n", encoding="utf-8")
    env = {"PATH": f"{mosquitto_clients_path}:{os.environ['PATH']}", "XDG_CONFIG_HOME": str(tmp_path)}
    async with run_daemon(read_config(configure(tmp_path, broker.port))), Display(broker.port) as display:
        await display.until(lambda: display.now.get("oche/bridge/oche/state") == "online")
        for lines, answer in TYPED:
            said = await _type(lines, env)
            if answer:
                assert json.loads(said) == json.loads(answer), lines
            elif "mosquitto_sub" in lines:
                _are_messages(lines, said)
        await display.until(lambda: display.state()["title"].startswith("301"))
        assert [side["name"] for side in display.state()["sides"]] == ["Ann", "Bot 45"]


async def _type(lines: str, env: dict[str, str]) -> str:
    """What these lines print."""
    shell = await asyncio.create_subprocess_exec(
        "bash", "-euc", lines, env=env, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    try:
        async with asyncio.timeout(PATIENCE_S):
            said, errors = await shell.communicate()
    finally:
        if shell.returncode is None:
            shell.kill()
            await shell.wait()
    assert (shell.returncode, errors) == (0, b""), lines
    return said.decode()


def _are_messages(lines: str, said: str) -> None:
    """What `mosquitto_sub` printed: a message of the topic it names, or with -v each topic beside its value."""
    wanted = lines.rsplit(" -t ", maxsplit=1)[-1].split(maxsplit=1)[0].strip("'")
    address = parse(wanted)
    assert address is not None
    if " -v " in lines:
        values = dict(line.split(" ", 1) for line in said.splitlines())
        assert set(values) == {topic("attr", table="main", attr=name) for name in ATTRIBUTES}
    else:
        value: JSON = json.loads(said)
        fits(address.kind, value)
